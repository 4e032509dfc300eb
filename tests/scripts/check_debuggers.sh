#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Checks that gdb finds the printers of an installed library beside a program and a shared library, that it says which
# setting is missing where it may not, and that lldb imports the installed formatters.
set -euo pipefail

build=${1:?usage: check_debuggers.sh <build> <prefix> <gdb or nothing> <lldb or nothing>}
prefix=${2:?prefix of the installation}
gdb=${3:-} lldb=${4:-}
failures=0

fail() {
    echo "FAILED: $1"
    echo "$2"
    failures=$((failures + 1))
}

# has <title> <output> <text>
has() { [[ $2 == *"$3"* ]] || fail "$1: no '$3' in" "$2"; }

rows='tensor of float [row 2, 3]:
[[1.0000, 2.0000, 3.0000],
 [4.0000, 5.0000, 6.5000]]'
asked=no
if [[ -n $gdb ]] && "$gdb" -nx -batch -ex 'python print(6 * 7)' 2>&1 | grep -qx 42; then
    asked=yes
    commands=(-ex 'break main' -ex run -ex next -ex 'p m' -ex 'p counts')
    output=$("$gdb" -q -nx -batch -iex "add-auto-load-safe-path $build" "${commands[@]}" "$build/consumer" 2>&1)
    if [[ $output == *ptrace* ]]; then
        echo "skipped: this machine allows no debuggers"
        exit 77
    fi
    has "gdb, program" "$output" "$rows"
    has "gdb, library" "$output" 'tensor of int [2]: [3, 4]'
    has "gdb, printers of each" "$("$gdb" -q -nx -batch -iex "add-auto-load-safe-path $build" "${commands[@]}" \
        -ex 'info pretty-printer' "$build/consumer" 2>&1)" 'libgains.so.1 pretty-printers:
  ashlar'
    output=$("$gdb" -q -nx -batch -iex 'set auto-load safe-path /nowhere' "${commands[@]}" "$build/consumer" 2>&1)
    has "gdb, not allowed" "$output" "auto-loading has been declined"
    printers=$(sed -n 's|^debuggers=${prefix}|'"$prefix"'|p' "$prefix"/share/pkgconfig/ashlar.pc)
    output=$("$gdb" -q -nx -batch -iex 'set auto-load safe-path /nowhere' -ex "source $printers/ashlar_gdb.py" \
        "${commands[@]}" "$build/consumer" 2>&1)
    has "gdb, source" "$output" "$rows"
fi
if [[ -n $lldb ]] && "$lldb" --no-lldbinit -b -o 'script print(6 * 7)' 2>&1 | grep -qx 42; then
    asked=yes
    output=$("$lldb" --no-lldbinit -b -o 'settings set target.disable-aslr false' \
        -o "command script import $prefix/share/ashlar/debuggers/ashlar_lldb.py" -o 'b main' -o run -o next \
        -o 'frame variable m' "$build/consumer" 2>&1)
    has lldb "$output" "$rows"
fi
if [[ $asked == no ]]; then
    echo "skipped: no debugger with Python is installed"
    exit 77
fi
((failures == 0))
