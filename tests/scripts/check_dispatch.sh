#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The built project tests/consumer/dispatch: what its objects share, what each processor chooses and computes. 77 means
# skipped. "base" is where the sources are compiled once.
set -euo pipefail

usage='usage: check_dispatch.sh <folder of the built project>'
work=${1:?$usage}
program=$work/consumer
failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}
# expect <set> <command...>: the program ends well, and both of its parts have chosen the set.
expect() {
    local wanted=$1 said
    shift
    if said=$("$@" 2>/dev/null) && [[ $said == "$wanted $wanted" ]]; then
        echo "chooses $wanted: ${*//"$work"\//}"
    else
        fail "expected $wanted of ${*//"$work"\//}, got: $said"
    fi
}
if [[ ! -d $work/ashlar_dispatch ]]; then
    expect base "$program"
    exit $((failures > 0))
fi

# Global or weak names that an object defines, of the kinds given.
names() { nm -P -g --defined-only "$2" | awk -v kinds="[$1]" '$2 ~ kinds { print $1 }' | LC_ALL=C sort; }
# Addresses (in an object: names) of functions that hold instructions with a VEX prefix or the registers that came with it.
avx_functions() {
    objdump -d --no-show-raw-insn "$2" | awk -v field="$1" '
        /^[0-9a-f]+ <.*>:$/ { where = field == "address" ? $1 : substr($2, 2, length($2) - 3); next }
        /\tv[a-z]|[yz]mm[0-9]/ { avx[where] = 1 }
        END { for (where in avx) print where }' | LC_ALL=C sort
}
mapfile -t copies < <(find "$work/ashlar_dispatch" -name '*.o' | LC_ALL=C sort)
((${#copies[@]} == 6)) || fail "${#copies[@]} objects of three sets and two sources"
for copy in "${copies[@]}"; do
    merged=$(names WVvwu "$copy")
    [[ -z $merged ]] || fail "names in ${copy##*/} that units of other sets can take: $(head -n 3 <<<"$merged" | c++filt)"
    [[ $copy != *avx* ]] && continue
    given=$(names ABCDGRST "$copy" | grep -v -E '_ZN6ashlar[0-9]v[0-9_]+detail16dispatch_variant' || true)
    [[ -z $given ]] || fail "${copy##*/} defines for others: $given"
    [[ -n $(avx_functions name "$copy") ]] || fail "${copy##*/} has no AVX code"
done

# The check would be worth nothing if there were nothing to leak.
mapfile -t wide < <(find "$work" -path '*consumer_avx*.dir*' -name 'order*.o')
mapfile -t narrow < <(find "$work" -path '*consumer.dir*' -name 'main*.o')
shared=""
((${#wide[@]} == 2 && ${#narrow[@]} == 1)) && shared=$(comm -12 <(names WVvwu "${wide[0]}") <(names WVvwu "${narrow[0]}") |
    comm -12 - <(avx_functions name "${wide[0]}"))
[[ -n $shared ]] || fail "no name with AVX code that a compiler gives both to a wide unit and to the program"
echo "would be shared: $(wc -l <<<"$shared") functions, $(head -n 1 <<<"$shared" | c++filt | cut -c 1-80)"

# What has no name of its own in the linked files is for every processor.
for file in "$program" "$work/libmodel.so"; do
    leaked=$(LC_ALL=C join <(nm "$file" | awk '$2 ~ /^[TWVui]$/ { print $1, $3 }' | LC_ALL=C sort) <(avx_functions address "$file"))
    [[ -z $leaked ]] || fail "${file##*/}: wide code that others can call: $(head -n 3 <<<"$leaked" | c++filt | cut -c 1-200)"
done
exported=$(nm -D --defined-only "$work/libmodel.so" | grep dispatch_variant || true)
[[ -z $exported ]] || fail "the library exports variants: $exported"

# Expects what this processor has, and what emulated ones have.
has() {
    local flag
    for flag in "$@"; do
        grep -qw "$flag" /proc/cpuinfo || return 1
    done
}
if [[ -r /proc/cpuinfo ]]; then
    here=sse2
    ! has avx2 fma bmi1 bmi2 f16c movbe abm || here=avx2
    [[ $here != avx2 ]] || ! has avx512f avx512bw avx512cd avx512dq avx512vl || here=avx512
    expect $here "$program"
else
    echo "skipped: no /proc/cpuinfo to tell what this processor has"
fi
if command -v qemu-x86_64 >/dev/null; then
    expect sse2 qemu-x86_64 -cpu qemu64 "$program"
    expect sse2 qemu-x86_64 -cpu Nehalem "$program"
    expect avx2 qemu-x86_64 -cpu Haswell "$program"
else
    echo "skipped: there is no qemu-x86_64 for older processors"
fi
exit $((failures > 0))
