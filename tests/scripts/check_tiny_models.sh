#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Imports two networks of MLPerf Tiny with weights in floats or in 8 bits, and runs them on a Cortex-M4F in the emulator:
# results, instructions, bytes of code. 77 means skipped.
set -euo pipefail

root=${1:?usage: check_tiny_models.sh <repository> <work folder>}
work=${2:?usage: check_tiny_models.sh <repository> <work folder>}
compiler=arm-none-eabi-g++ python=python3
# The distribution's, which has the packages, if another one comes first.
"$python" -c "import onnx" 2>/dev/null || python=/usr/bin/python3
flags=(-std=gnu++20 -mthumb -mfloat-abi=hard -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -fno-exceptions -fno-rtti -O2 -DNDEBUG
       -I"$root/include" -I"$root/tests/objects")

# Instructions and bytes of code by g++ 12, with a few per cent of margin.
declare -A most=([anomaly_detector-int8]=535000 [keyword_spotter-float]=6330000 [keyword_spotter-int8]=5695000)
most_code=8700

for tool in "$compiler" qemu-system-arm; do
    command -v "$tool" >/dev/null || { echo "skipped: needs $tool"; exit 77; }
done
"$python" -c "import onnx, numpy" 2>/dev/null || { echo "skipped: needs python3-onnx"; exit 77; }

failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}
rm -rf "$work"
mkdir -p "$work"
"$python" "$root/tools/make_tiny_models.py" "$work"
for name in anomaly_detector keyword_spotter; do
    for weights in float int8; do
        [[ -n ${most[$name-$weights]-} ]] || continue
        folder=$work/$weights options=() status=0
        [[ $weights == float ]] || options=(--weights "$weights")
        "$python" "$root/tools/import_onnx.py" "$work/$name.onnx" --name "$name" --out "$folder" "${options[@]}" >"$work/report"
        object=$folder/$name.o program=$folder/$name.elf
        # Code is measured of the larger network: it takes g++ as long as the program.
        if [[ $name == keyword_spotter ]]; then
            # Code of a call alone, and a pointer to it, which keeps it.
            cat >"$folder/$name.cpp" <<END
#include "$name.hpp"
template <class Input, class Output>
constexpr auto call_of(void (imported::$name::*)(const Input&, Output&, imported::$name::scratch&) const) {
    return +[](const imported::$name& model, const Input& x, Output& y, imported::$name::scratch& s) { model(x, y, s); };
}
extern constinit const auto call = call_of(&imported::$name::operator());
END
            "$compiler" "${flags[@]}" -c "$folder/$name.cpp" -o "$object"
            read -r code data bss _ < <(arm-none-eabi-size "$object" | tail -n 1)
            echo "$name $weights: $code bytes of code, $data + $bss of data"
            [[ $("$compiler" -dumpversion) != 12.* ]] || ((code <= most_code)) || fail "more than $most_code bytes of code"
            ((data + bss == 0)) || fail "the object has writable data"
        fi
        "$compiler" "${flags[@]}" "-DNETWORK=${name}_test" "-DNETWORK_TEST=\"$folder/${name}_test.cpp\"" \
            "$root/tests/objects/cortex_m_network.cpp" -o "$program" --specs=rdimon.specs \
            -Wl,--section-start=.vectors=0 -Wl,-u,vectors -Wl,--no-warnings 2>"$work/link" || { cat "$work/link"; exit 1; }
        timeout 120 qemu-system-arm -M mps2-an386 -nographic -icount shift=0 \
            -semihosting-config "enable=on,target=native,arg=$folder" -kernel "$program" </dev/null >"$work/output" 2>&1 || status=$?
        sed "s/^/$name $weights: /" "$work/output"
        ((status == 0)) || fail "exit code $status"
        count=$(sed -n 's/^\([0-9]*\) instructions.*/\1/p' "$work/output")
        [[ -n $count ]] || fail "no count"
        if [[ $("$compiler" -dumpversion) == 12.* ]]; then
            ((${count:-0} <= most[$name-$weights])) || fail "more than ${most[$name-$weights]} instructions"
        fi
    done
done
exit $((failures > 0))
