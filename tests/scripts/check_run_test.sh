#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The clock of `./run test` and the tests that it is asked for, with stand-ins for cmake and ctest: check_run_test.sh <root>
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tools"
cp "$1/run" "$work/run"
cp "$1"/tools/{packages,test_names}.sh "$work/tools/"
failures=0

# The stand-in for cmake takes $BUILD_SECONDS of a clock in a file to build, or 600 for $SLOW_PRESET; ctest passes one test.
cat >"$work/bin/cmake" <<'TEXT'
#!/usr/bin/env bash
[[ $1 == --build ]] || exit 0
echo $(($(cat clock) + BUILD_SECONDS)) >clock.next
mv clock.next clock  # at once: another process may read it
exit "${BUILD_STATUS:-0}"
TEXT
cat >"$work/bin/timeout" <<'TEXT'
#!/usr/bin/env bash
# timeout --kill-after=10 <seconds> <command...>
takes=0
[[ "$3 $4" != "cmake --build" ]] || takes=$BUILD_SECONDS
[[ "$3 $4 ${6:-}" != "cmake --build ${SLOW_PRESET:-none}" ]] || takes=600
[[ $3 != ctest && $3 != emulate ]] || takes=${TEST_SECONDS:-0}
what=$3
shift
limit=$1
shift
if ((takes > limit)); then
    [[ $what != ctest ]] || printf '  1/9 Test #1: %s\n' "a ... Passed 0.1 sec" "b ... Passed 0.1 sec" "${LAST_TEST:-c ... Passed 0.1 sec}"
    echo $(($(cat clock) + limit)) >clock.next
    mv clock.next clock
    [[ $what != cmake ]] || echo "${LAST_BUILT:-[1/9] Building a}"
    exit 124
fi
"$@"
TEXT
cat >"$work/bin/ctest" <<'TEXT'
#!/usr/bin/env bash
echo "100% tests passed, 0 tests failed out of 1"
TEXT
cat >"$work/bin/ninja" <<'TEXT'
#!/usr/bin/env bash
[[ -z ${UNBUILT:-} ]] || echo "[1/2] Linking CXX executable tests/${UNBUILT}_test"
TEXT
# Nothing is to be installed, whatever this machine has.
for tool in g++ git pkg-config clang++-19 clang-format-19 ccache; do
    printf '#!/bin/sh\nexit 0\n' >"$work/bin/$tool"
done
printf '#!/bin/sh\necho "${INSTALLED:-installed}"\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\necho "clang-format version ${FORMATTER_VERSION:-19.1.7}"\n' >"$work/bin/clang-format-19"
printf '#!/bin/sh\necho "clang-format version 19.1.7"\n' >"$work/bin/clang-format"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/apt-get"
printf '#!/bin/sh\necho 2\n' >"$work/bin/nproc"
printf '#!/bin/sh\necho $((${DAY:-0} * 86400))\n' >"$work/bin/date"
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work"/bin/*

# expect <what> <pattern> <variable=value...> -- <argument...>: runs the tests by the clock and looks for a line.
expect() {
    local what=$1 pattern=$2 settings=() status=0 output
    shift 2
    while [[ $1 != -- ]]; do
        settings+=("$1")
        shift
    done
    shift
    echo 0 >"$work/clock"
    output=$(cd "$work" && env PATH="$work/bin:$PATH" "${settings[@]}" ./run test "$@" 2>&1) || status=$?
    if ! grep -qE -- "$pattern" <<<"$output $status"; then
        printf 'FAILED %s: no line matches %s in\n%s\nstatus %s\n' "$what" "$pattern" "$output" "$status" >&2
        failures=$((failures + 1))
    fi
}
# Nothing waits here: the script's clock is the file.
mkdir -p "$work/tests/targets"
cp "$1/tests/targets/targets.sh" "$work/tests/targets/"
sed -i 's/\$SECONDS/$(cat clock)/g; s/\bSECONDS\b/$(cat clock)/g' "$work/run" "$work/tests/targets/targets.sh"
grep -q 'cat clock) + minutes \* 60' "$work/run" || { echo "run has no clock" >&2; exit 1; }

# What is not built, or not of what is there now, by the tools as they are: one program does not compile any more, one lost
# its file; folders are looked at for new files, as those of the tests.
mkdir -p "$work/real/tests"
printf 'cmake_minimum_required(VERSION 3.25)\nproject(real LANGUAGES CXX)\nadd_subdirectory(tests)\n' >"$work/real/CMakeLists.txt"
cat >"$work/real/tests/CMakeLists.txt" <<'TEXT'
file(GLOB sources CONFIGURE_DEPENDS "*_test.cpp")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_executable(kernel_${name} "${source}")
endforeach()
TEXT
for name in first second third; do
    echo 'int main() {}' >"$work/real/tests/${name}_test.cpp"
done
real_build() { cmake --build "$work/real/build" -- -k 0 >"$work/real/log" 2>&1; }
cmake -S "$work/real" -B "$work/real/build" -G Ninja >"$work/real/log" && real_build || { cat "$work/real/log" >&2; exit 1; }
echo 'int main() { return nothing; }' >"$work/real/tests/second_test.cpp"
rm "$work/real/build/tests/kernel_third_test"
! real_build || { echo "what does not compile was built" >&2; exit 1; }
rm "$work/real/build/tests/kernel_third_test"
is_unbuilt=$(source "$work/run" help >/dev/null && unbuilt "$work/real/build" | sort | paste -s -d ' ' -)
[[ $is_unbuilt == "kernel_second kernel_third" ]] || { echo "FAILED: not built is: $is_unbuilt" >&2; failures=$((failures + 1)); }
is_unbuilt=$(source "$work/run" help >/dev/null && unbuilt "$work/real/build" kernel_first_test kernel_second_test)
[[ $is_unbuilt == kernel_second ]] || { echo "FAILED: not built of two is: $is_unbuilt" >&2; failures=$((failures + 1)); }

# Tests of two layers: programs that pass, but for one.
for name in kernel/product kernel/product_few eval/softmax eval/softmax_rows eval/exceptions_of_rows nn/product; do
    mkdir -p "$work/tests/${name%/*}"
    : >"$work/tests/${name}_test.cpp"
    for preset in dev release; do
        program=$work/build/$preset/tests/${name/\//_}_test
        mkdir -p "${program%/*}"
        printf '#!/bin/sh\necho "run %s in %s"\n' "$name" $preset >"$program"
        chmod +x "$program"
        : >"$work/build/$preset/build.ninja"
    done
done
echo 'exit 1' >>"$work/build/dev/tests/eval_softmax_rows_test"

expect "a layer, in dev" '^run kernel/product_few in dev$' BUILD_SECONDS=1 -- kernel
expect "the programs of a layer" '^2 passed, 0 failed 0$' BUILD_SECONDS=1 -- kernel
expect "a file" '^1 passed, 0 failed 0$' BUILD_SECONDS=1 -- tests/kernel/product_test.cpp
expect "a name, of two layers" '^2 passed, 0 failed 0$' BUILD_SECONDS=1 -- product
expect "the whole name" '^1 passed, 0 failed 0$' BUILD_SECONDS=1 -- product_few_test
expect "layer and name" '^run nn/product in dev$' BUILD_SECONDS=1 -- nn/product
expect "a part of a name" '^1 passed, 0 failed 0$' BUILD_SECONDS=1 -- _few
expect "no test twice" '^2 passed, 0 failed 0$' BUILD_SECONDS=1 -- kernel product_few kernel
expect "what fails" '^FAILED  dev: tests/eval/softmax_rows_test.cpp$' BUILD_SECONDS=1 -- softmax_rows
expect "which is a failure" '^2 passed, 1 failed 1$' BUILD_SECONDS=1 -- eval/softmax softmax_rows kernel/product
expect "no old program after a failed build" '^0 passed, 1 failed 1$' BUILD_SECONDS=1 BUILD_STATUS=1 -- kernel
expect "a preset by its name" '^run eval/softmax_rows in release$' BUILD_SECONDS=1 -- release eval
expect "what clang has not" 'exceptions_of_rows_test.cpp: left out, .*release' BUILD_SECONDS=1 -- eval/softmax exceptions_of_rows
expect "nothing that ran is a failure" '^0 passed, 1 failed 1$' BUILD_SECONDS=1 -- exceptions_of_rows
expect "an unknown name" '^no such preset, layer or test: softmaxx$' BUILD_SECONDS=1 -- kernel softmaxx
expect "what there is" '^layers:  eval kernel nn$' BUILD_SECONDS=1 -- softmaxx
expect "an unknown option" '^no such option: --fast' BUILD_SECONDS=1 -- --fast kernel

# Three targets: with a program that an emulator runs, with one that is only built, and with three programs.
mkdir -p "$work"/build/{alpha,beta,gamma}/tests "$work/docs"
printf '[alpha]\ncompiler = g++ -mlanes\npackages = alpha-g++\nsystem = Linux alpha\nemulator = emulate -x\nlanes = 4\nregisters = wide\ntests = all\n
[beta]\ncompiler = g++\npackages = beta-g++\nsystem = Windows beta\nemulator =\nlanes = 1\ntests = all\nlimits = none\n
[gamma]\ncompiler = g++\npackages = gamma-g++\nsystem = Linux gamma\nemulator = emulate\nlanes = 1\ntests = many\nwithout = few.*\n' >"$work/tests/targets/targets.ini"
printf 'all kernel/product -O2 --gtest_filter=few\nother eval/softmax\nmany kernel/product\nmany kernel/product_few\nmany eval/softmax\n' >"$work/tests/targets/programs.txt"
printf '<!-- targets -->\n| alpha | old |\n| beta | old |\n| gone | old |\n<!-- /targets -->\n' >"$work/docs/targets.md"
touch "$work"/build/{alpha/tests/kernel_product_test,beta/tests/kernel_product_test.exe}
touch "$work"/build/{alpha,beta,gamma}/build.ninja
touch "$work"/build/gamma/tests/{kernel_product,kernel_product_few,eval_softmax}_test
cat >"$work/bin/emulate" <<'TEXT'
#!/bin/sh
echo "emulate $*, cases $GTEST_FILTER" | tee -a emulated
echo "${EMULATOR_SAYS:-[  PASSED  ] 3 tests.}"
exit ${EMULATED_STATUS:-0}
TEXT
chmod +x "$work/bin/emulate"
expect "a row that failed stays what it was" '^\| alpha \| old \|$' BUILD_SECONDS=1 EMULATED_STATUS=1 -- alpha
expect "a row for what did not run yet" '^\| gamma \| \| \| \| not run \|' BUILD_SECONDS=1 EMULATED_STATUS=1 -- alpha
expect "rows of what was not asked for" '^\| beta \| old \|$' BUILD_SECONDS=1 -- alpha gamma
! grep -q gone "$work/docs/targets.md" || { echo "FAILED: a row without a target stays" >&2; failures=$((failures + 1)); }
expect "a row for what ran" '^\| alpha \| .* 3 in 1 programs' BUILD_SECONDS=1 -- targets
expect "also of all, where one fails" '^\| beta \| .* \| 1 programs compiled and linked' BUILD_SECONDS=1 EMULATED_STATUS=1 -- targets
expect "which are named at the end" '^FAILED  gamma: eval/softmax$' BUILD_SECONDS=1 EMULATED_STATUS=1 -- targets
expect "a target" '^ *\| alpha \| g\+\+ .*\| 4, wide \| 3 in 1 programs \|' BUILD_SECONDS=1 -- alpha
expect "a target that is only built" '^ *\| beta \| .*\| no registers \| 1 programs compiled and linked \| none \|' BUILD_SECONDS=1 -- beta
expect "a test that fails" '^FAILED  alpha: kernel/product$' BUILD_SECONDS=1 EMULATED_STATUS=1 -- alpha
expect "with its options" '^emulate -x build/alpha/tests/kernel_product_test --gtest_brief=1 --gtest_filter=few, cases \*$' \
    BUILD_SECONDS=1 EMULATED_STATUS=1 -- alpha
expect "without some cases" '^emulate build/gamma/tests/eval_softmax_test --gtest_brief=1, cases \*-few\.\*$' BUILD_SECONDS=1 EMULATED_STATUS=1 -- gamma
expect "tools that cannot be had" '^LEFT OUT  alpha: its tools cannot be had$' BUILD_SECONDS=1 INSTALLED=none -- targets
expect "which is no failure" '^0 passed, 0 failed 0$' BUILD_SECONDS=1 INSTALLED=none -- targets
expect "unless it was asked for" '^FAILED  alpha: tools$' BUILD_SECONDS=1 INSTALLED=none -- alpha
for complaint in "unable to find CPU model 'max'" "Property 'max-arm-cpu.sve999' not found" \
    "Unsupported vector spec version 'v1.0'" "unsupported machine type"; do
    expect "an emulator without the processor" '^LEFT OUT  gamma: the emulator is too old, 0 of 3 programs ran$' BUILD_SECONDS=1 \
        EMULATED_STATUS=1 EMULATOR_SAYS="qemu: $complaint" -- gamma
done
expect "which is no failure either" '^0 passed, 0 failed 0$' BUILD_SECONDS=1 EMULATED_STATUS=1 EMULATOR_SAYS="unable to find CPU model" -- gamma
expect "no program that was not built" '^FAILED  gamma: the build of eval_softmax$' BUILD_SECONDS=1 BUILD_STATUS=1 UNBUILT=eval_softmax -- gamma
expect "those that were built" '^2 passed, 1 failed 1$' BUILD_SECONDS=1 BUILD_STATUS=1 UNBUILT=eval_softmax -- gamma
expect "a build that fails" '^FAILED  alpha: the build$' BUILD_SECONDS=1 BUILD_STATUS=1 -- alpha
expect "a target by the clock" '^LEFT OUT  alpha: the clock ran out while building, 0 of 1' BUILD_SECONDS=900 UNBUILT=kernel_product -- --minutes=10 alpha
expect "two programs at a time" '^LEFT OUT  gamma: the clock ran out while building, 2 of 3 programs ran$' BUILD_SECONDS=300 UNBUILT=eval_softmax -- --minutes=10 gamma
expect "which count" '^2 passed, 0 failed 0$' BUILD_SECONDS=300 UNBUILT=eval_softmax -- --minutes=10 gamma
expect "where something did not compile before" '^FAILED  alpha: the build$' LAST_BUILT='FAILED: a.o' BUILD_SECONDS=900 -- --minutes=10 alpha
expect "or while it runs" '^LEFT OUT  alpha: the clock ran out while testing' BUILD_SECONDS=1 TEST_SECONDS=900 -- --minutes=2 alpha
expect "nothing that failed, too" '^0 passed, 0 failed 0$' BUILD_SECONDS=1 TEST_SECONDS=900 -- --minutes=2 alpha
expect "but it is one without a clock" '^FAILED  alpha: kernel/product$' BUILD_SECONDS=1 TEST_SECONDS=900 -- alpha
expect "a target a day" '^== alpha: building 1 programs$' BUILD_SECONDS=1 DAY=9 -- target-in-turn
expect "another one" '^== gamma: building 3 programs$' BUILD_SECONDS=1 DAY=2 -- target-in-turn
# expect_first <day> <program>: which one runs first by the clock.
expect_first() {
    rm -f "$work/emulated"
    expect "programs in turn" '^3 passed, 0 failed 0$' BUILD_SECONDS=1 DAY="$1" -- --minutes=9 target-in-turn
    head -n 1 "$work/emulated" | grep -q "$2" || { echo "FAILED: on day $1 $2 does not run first" >&2; failures=$((failures + 1)); }
}
expect_first 2 kernel_product_test
expect_first 5 eval_softmax_test
expect_first 8 kernel_product_few_test
rows=$(<"$work/docs/targets.md")
sed -i 's/3 in 1 programs/9 in 1 programs/' "$work/docs/targets.md"
expect "of which no row is written" '^1 passed, 0 failed 0$' BUILD_SECONDS=1 DAY=0 -- target-in-turn
[[ $rows != "$(<"$work/docs/targets.md")" ]] || { echo "FAILED: the target in turn writes its row" >&2; failures=$((failures + 1)); }
expect "targets by themselves" '^targets are tested by themselves' BUILD_SECONDS=1 -- alpha kernel

expect "no clock" '^3 passed, 0 failed 0$' BUILD_SECONDS=900 -- dev clang release
expect "clang-format 19 by another name" '^3 passed, 0 failed 0$' FORMATTER_VERSION=17.0.6 BUILD_SECONDS=100 -- dev clang release
expect "all fit" '^3 passed, 0 failed 0$' BUILD_SECONDS=100 -- --minutes=10 dev clang release
expect "one does not fit" '^LEFT OUT  release: it would take about 328 s, and 300 s are left' BUILD_SECONDS=300 -- --minutes=15 dev clang release
expect "leaving out is no failure" '^2 passed, 0 failed 0$' BUILD_SECONDS=300 -- --minutes=15 dev clang release
expect "stopped by the clock" '^LEFT OUT  release: the clock ran out while building' BUILD_SECONDS=100 SLOW_PRESET=release -- --minutes=10 dev clang release
expect "what is required is tested as far as it was built" '^LEFT OUT  dev: the clock ran out while building, [0-9]+ programs are missing' BUILD_SECONDS=10 SLOW_PRESET=dev -- --minutes=10 dev
expect "which are these" 'while building, 1 programs are missing' UNBUILT=nn_product BUILD_SECONDS=10 SLOW_PRESET=dev -- --minutes=10 dev
[[ ! -e $work/build/dev/tests/nn_product_test && -e $work/build/dev/tests/kernel_product_test ]] ||
    { echo "FAILED: what an earlier run built is there still" >&2; failures=$((failures + 1)); }
expect "which is no failure" '^1 passed, 0 failed 0$' BUILD_SECONDS=10 SLOW_PRESET=dev -- --minutes=10 dev
expect "unless something did not compile" '^FAILED  dev: build$' LAST_BUILT='FAILED: a.o' BUILD_SECONDS=10 SLOW_PRESET=dev -- --minutes=10 dev
expect "then the status is 1" '^1 passed, 1 failed 1$' LAST_BUILT='FAILED: a.o' BUILD_SECONDS=10 SLOW_PRESET=dev -- --minutes=10 dev
expect "also where it is not required" '^FAILED  release: build$' LAST_BUILT='FAILED: a.o' BUILD_SECONDS=100 SLOW_PRESET=release -- --minutes=10 dev release
expect "the clock runs out while testing" '^LEFT OUT  dev: the clock ran out while testing' TEST_SECONDS=900 BUILD_SECONDS=10 -- --minutes=10 dev
expect "what ended counts" '^3 passed, 0 failed 0$' TEST_SECONDS=900 BUILD_SECONDS=10 -- --minutes=10 dev
expect "what failed, too" '^2 passed, 1 failed 1$' TEST_SECONDS=900 LAST_TEST='c ...***Failed 0.1 sec' BUILD_SECONDS=10 -- --minutes=10 dev
expect "no number" 'wants a number of minutes' BUILD_SECONDS=0 -- --minutes=soon dev
((failures == 0))
