#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Checks that targets are described in full, that their programs exist, and that docs/targets.md has a row for each and
# for no other: check_targets.sh <repository>
set -euo pipefail

cd "${1:?usage: check_targets.sh <repository>}"
problems=0
complain() {
    printf '%s\n' "$*"
    problems=$((problems + 1))
}

names() {
    sed -n 's/^\[\(.*\)\]$/\1/p' tests/targets/targets.ini
}
[[ -n $(names) ]] || complain "tests/targets/targets.ini has no target"
while read -r complaint; do
    complain "$complaint"
done < <(awk '
    function finish(    i) {
        for (i = 1; name != "" && i <= count; ++i)
            if (!(wanted[i] in keys)) print "tests/targets/targets.ini: " name " has no " wanted[i]
        delete keys
    }
    BEGIN {
        count = split("compiler packages system emulator lanes tests", wanted, " ")
        split("compiler packages system emulator lanes registers tests without limits", all, " ")
        for (i in all) known[all[i]] = 1
    }
    FNR == 1 { ++file }
    /^#/ || NF == 0 { next }
    file == 1 { sets[$1] = 1; next }
    /^\[/ { finish(); name = substr($0, 2, length($0) - 2); next }
    !($1 in known) || $2 != "=" { print "tests/targets/targets.ini:" FNR ": what is \"" $1 "\"?"; next }
    { keys[$1] = 1 }
    $1 == "tests" { for (i = 3; i <= NF; ++i) if (!($i in sets)) print "tests/targets/targets.ini: " name " runs " $i ", no set of programs.txt" }
    END { finish() }' tests/targets/programs.txt tests/targets/targets.ini)
while read -r _ program _; do
    [[ -e tests/${program}_test.cpp ]] || complain "tests/targets/programs.txt: there is no tests/${program}_test.cpp"
done < <(grep -v '^#' tests/targets/programs.txt)
rows=$(sed -n '/^<!-- targets -->$/,/^<!-- \/targets -->$/ s/^| \([^ ]*\) |.*/\1/p' docs/targets.md | grep -v '^target$' || true)
while read -r change name; do
    case $change in
    '<') complain "docs/targets.md has no row for $name: ./run test $name writes it" ;;
    '>') complain "docs/targets.md has a row for $name, which tests/targets/targets.ini has not" ;;
    esac
done < <(diff <(names) <(echo "$rows") || true)
echo "$(names | wc -l) targets"
((problems == 0))
