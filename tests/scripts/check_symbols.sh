#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source and looks at its object: nothing undefined but the allowed symbols, nothing that runs before main,
# no exception tables, no thread-local or writable data.
set -euo pipefail

usage='usage: check_symbols.sh <source> <object> <allowed symbols, separated by commas> <compiler> [flag...]'
source_file=${1:?$usage}
object=${2:?$usage}
allowed=${3:?$usage}
compiler=${4:?$usage}
shift 4
failures=0

complain() {
    echo "FAILED: $1"
    echo "$2" | sed 's/^/    /'
    failures=$((failures + 1))
}

mkdir -p "$(dirname "$object")"
echo "$compiler $* -c $source_file"
"$compiler" "$@" -c "$source_file" -o "$object"

undefined=$(nm -u "$object" | awk '{ print $NF }')
echo "undefined:" $undefined
stray=$(grep -vxE "${allowed//,/|}" <<<"$undefined" | sed '/^$/d' | c++filt) || true
[[ -z $stray ]] || complain "undefined symbols besides $allowed:" "$stray"

guards=$(nm "$object" | grep -E ' _ZGV' | c++filt) || true
[[ -z $guards ]] || complain "static objects that are initialised on first use:" "$guards"

sections=$(readelf -SW "$object" | sed -n 's/^ *\[ *[0-9]*\] *//p')
unwanted=$(awk '$1 ~ /^\.(init_array|ctors|fini_array|dtors|tdata|tbss|gcc_except_table)/' <<<"$sections")
[[ -z $unwanted ]] || complain "initialisers, thread-local data or exception tables:" "$unwanted"
writable=$(awk '$1 ~ /^\.(data|bss)/ && $1 !~ /^\.data\.rel\.ro/ && $5 !~ /^0+$/' <<<"$sections")
[[ -z $writable ]] || complain "writable data:" "$writable"

size "$object"
exit $((failures > 0))
