#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Wrong uses of ashlar_dispatch must stop with a message; -flto, processors without sets and static libraries must work.
# 77 means skipped.
set -euo pipefail

usage='usage: check_dispatch_errors.sh <repository> <work folder> <compiler>'
root=${1:?$usage}
work=${2:?$usage}
compiler=${3:?$usage}
failures=0
[[ $(uname -m) == x86_64 ]] || { echo "skipped: this is no x86-64"; exit 77; }
rm -rf "$work"
mkdir -p "$work/source"
cd "$work/source"

# A project without the rest of the library; CASE is one mistake.
cat >CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(cases LANGUAGES CXX)
include("${ROOT}/cmake/ashlar_dispatch.cmake")
set(CMAKE_CXX_STANDARD 20)
set(isas sse2 avx2)
set(sources total.cpp)
set(flags "")
add_library(headers INTERFACE)
target_include_directories(headers INTERFACE "${ROOT}/include")
if(CASE STREQUAL "unknown_set")
  list(APPEND isas avx3)
elseif(CASE STREQUAL "header")
  list(APPEND sources total.hpp)
elseif(CASE STREQUAL "source_flags")
  set_source_files_properties(total.cpp PROPERTIES COMPILE_OPTIONS "-O1;-march=haswell")
elseif(CASE STREQUAL "main_flags")
  set_source_files_properties(main.cpp PROPERTIES COMPILE_OPTIONS -mavx2)
elseif(CASE STREQUAL "linked_flags")
  target_compile_options(headers INTERFACE -mavx2)
elseif(CASE STREQUAL "target_flags")
  set(flags -march=x86-64-v3)
elseif(CASE STREQUAL "avx512")
  list(APPEND isas avx512)
elseif(CASE STREQUAL "static_library")
  add_library(totals STATIC)
  target_link_libraries(totals PRIVATE headers)
  ashlar_dispatch(totals SOURCES total.cpp ISAS ${isas})
endif()
if(CASE STREQUAL "twice")
  add_executable(app main.cpp total.cpp)
else()
  add_executable(app main.cpp)
endif()
target_link_libraries(app PRIVATE headers)
target_compile_options(app PRIVATE ${flags})
target_compile_definitions(app PRIVATE CASE_${CASE})
if(CASE STREQUAL "static_library")
  target_link_libraries(app PRIVATE totals)
elseif(CASE STREQUAL "no_sources")
  ashlar_dispatch(app ISAS sse2)
else()
  ashlar_dispatch(app SOURCES ${sources} ISAS ${isas})
endif()
TEXT
cat >total.hpp <<'TEXT'
#include <ashlar/core/dispatch.hpp>
#ifdef CASE_signature
struct scratch { char bytes[ashlar::current_config::register_bits]; };
template <unsigned long Bytes> struct sized {};
extern ashlar::dispatched<float(const float*, int, const sized<sizeof(scratch)>*) noexcept> total;
#else
extern ashlar::dispatched<float(const float*, int, const void*) noexcept> total;
#endif
TEXT
cat >total.cpp <<'TEXT'
#include "total.hpp"
#include <vector>
#ifdef CASE_exported
float helper(float value) { return value + 1; }
#endif
#ifdef CASE_start_up
static std::vector<float> table(100, 1.5f);
#endif
#ifdef CASE_start_up_of_template
template <class Value> struct kept { static std::vector<Value> values; };
template <class Value> std::vector<Value> kept<Value>::values(100, Value(1.5));
template struct kept<float>;
#endif
#ifdef CASE_thread_local
static thread_local std::vector<float> kept;
#endif
static float run(const float* values, int count, auto) noexcept {
    std::vector<float> copy(values, values + count);
#ifdef CASE_thread_local
    kept = copy;
    copy.swap(kept);
#endif
    float sum = 0;
    for (float value : copy) sum += value;
    return sum;
}
#ifdef CASE_function
ASHLAR_DISPATCH(total, [](const float* values, int count) noexcept { return run(values, count, 0); });
#elif !defined(CASE_forgotten)
ASHLAR_DISPATCH(total, [](const float* values, int count, auto other) noexcept { return run(values, count, other); });
#endif
TEXT
cat >main.cpp <<'TEXT'
#include "total.hpp"
#include <cstdio>
#include <vector>
extern "C" [[gnu::noinline]] float forward(const float* values, int count) noexcept { return total(values, count, nullptr); }
int main() {
    const std::vector<float> values(10, 2.0f);
    if (total(values.data(), 10, nullptr) != 20 || forward(values.data(), 5) != 10) return 1;
    std::puts(name_of(total.chosen()));
}
TEXT

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}
# configure <case> <option...>; build: both leave what was said in $said.
configure() {
    local case=$1
    shift
    said=$(cmake -S . -B "$work/build" -G Ninja "-DROOT=$root" "-DCASE=$case" "-DCMAKE_CXX_COMPILER=$compiler" \
        -DCMAKE_CXX_FLAGS= "$@" 2>&1)
}
build() { said=$(cmake --build "$work/build" 2>&1); }
# A message in one line, as CMake breaks it.
flat() { tr -s ' \n' ' ' <<<"$said"; }
# refuses <configure or build> <case> <text> <option...>
refuses() {
    local when=$1 case=$2 text=$3
    shift 3
    if configure "$case" "$@"; then
        [[ $when == build ]] || { fail "$case: configured"; return; }
        if build; then
            fail "$case: built"
            return
        fi
    elif [[ $when == build ]]; then
        fail "$case: not configured: $(tail -n 5 <<<"$said")"
        return
    fi
    if grep -qF -- "$text" < <(flat); then
        echo "refused: $case"
    else
        fail "$case: the message does not contain: $text"
        tail -n 12 <<<"$said" | cut -c 1-200
    fi
}
emulated() { if [[ $compiler == aarch64* ]]; then qemu-aarch64 "$@"; else "$@"; fi; }
# runs <case> <what the program says> <option...>
runs() {
    local case=$1 expected=$2 printed
    shift 2
    if configure "$case" "$@" && build && printed=$(emulated "$work/build/app") && [[ $printed =~ ^($expected)$ ]]; then
        echo "runs: $case: $printed"
    else
        fail "$case: expected $expected, got: ${printed-}"
        tail -n 12 <<<"$said" | cut -c 1-200
    fi
}

here=sse2
! { grep -qw avx2 /proc/cpuinfo && grep -qw bmi2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; } || here=avx2
runs right $here
refuses configure unknown_set "unknown instruction set avx3"
refuses configure no_sources "SOURCES is missing"
refuses configure header "total.hpp is no source of C++"
refuses configure twice "is a source of app already"
refuses configure source_flags "total.cpp has -march=haswell of its own"
refuses configure target_flags "app is compiled with -march=x86-64-v3: it would not run where sse2 is all there is"
refuses configure native "app is compiled with -march=native" -DCMAKE_CXX_FLAGS=-march=native
refuses configure feature "app is compiled with -mavx512f" "-DCMAKE_CXX_FLAGS=-O1 -mavx512f"
refuses build linked_flags "ashlar: dispatch: a dispatched source has other flags than those of its instruction set"
refuses build main_flags "ashlar: dispatch: this source is compiled for more than the least dispatched instruction set"
refuses build function "ashlar: dispatch: the function cannot be called as dispatched<...> declares it"
refuses build exported "this would be defined for each instruction set"
grep -qF 'helper(float)' <<<"$said" || fail "exported: the function is not named"
refuses build start_up "has variables whose values are computed when the program starts"
refuses build start_up_of_template "has variables whose values are computed when the program starts"
runs thread_local $here
refuses build signature "undefined reference"
refuses build forgotten "undefined reference"
runs static_library $here -DCMAKE_CXX_FLAGS=-O2
wide=$(nm "$work/build/app" | awk '$2 ~ /^[TWVui]$/ { print $3 }' | grep -c dispatch_rows || true)
((wide == 0)) || fail "a table of sets can be taken by others"
# A call is a load and an indirect call.
forward=$(objdump -d --no-show-raw-insn "$work/build/app" | sed -n '/<forward>:$/,/^$/p' | cut -f 2 | grep -vE '^$|>:$|^(nop|endbr64|data16|cs nopw|xchg +%ax)')
grep -qE '^(jmp|call) +\*' <<<"$forward" && (($(wc -l <<<"$forward") <= 5)) && (($(grep -cE '^(j|call)' <<<"$forward") == 1)) ||
    fail "a call takes more than a load and an indirect call: $forward"
# g++ alone: clang would need a linker that reads its own form.
if [[ $(basename "$compiler") == *g++* && $(basename "$compiler") != *clang* ]]; then
    runs link_time_optimised $here "-DCMAKE_CXX_FLAGS=-O2 -flto"
fi
runs elsewhere base -DASHLAR_DISPATCHES=OFF

if command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null; then
    printf '%s\n' 'set(CMAKE_SYSTEM_NAME Linux)' 'set(CMAKE_SYSTEM_PROCESSOR aarch64)' \
        >"$work/aarch64.cmake"
    native=$compiler compiler=aarch64-linux-gnu-g++
    rm -rf "$work/build"
    runs aarch64 base "-DCMAKE_TOOLCHAIN_FILE=$work/aarch64.cmake" -DCMAKE_EXE_LINKER_FLAGS=-static
    compiler=$native
fi

# A compiler whose defaults exceed the least set: the message says which flags to add, not to remove what nobody gave.
printf '#!/usr/bin/env bash\nexec "%s" -march=x86-64-v2 "$@"\n' "$compiler" >"$work/newer_compiler"
chmod +x "$work/newer_compiler"
native=$compiler compiler=$work/newer_compiler
rm -rf "$work/build"
refuses configure right "newer_compiler compiles for more than sse2 unless it is told otherwise"
runs right $here -DCMAKE_CXX_FLAGS=-march=x86-64
compiler=$native

# A compiler that does not know a set.
cat >"$work/old_compiler" <<TEXT
#!/usr/bin/env bash
[[ " \$* " != *" -march=x86-64-v4 "* ]] || { echo "error: unknown value 'x86-64-v4' for '-march'" >&2; exit 1; }
exec "$compiler" "\$@"
TEXT
chmod +x "$work/old_compiler"
compiler=$work/old_compiler
work=$work/old
refuses configure avx512 "does not know -march=x86-64-v4, which avx512 needs"
exit $((failures > 0))
