#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Lists the public declarations of the headers that have no comment `///`, and those that users call or name but whose
# comment has no example. Overloads in one file are one declaration: the comment of one is that of all.
#
# No comment need: operators but () and []; fields, types and `members` of classes; begin, end, data, size, rank, empty.
# No example need: members of classes, concepts, enumerations, what kernels compute on lanes, nodes and their kinds, and
# the structures of a module's options, which its own example has. Instead of an example of its own a comment may
# cite one: "Example: `name`".
set -euo pipefail

root=$(cd "${1:?usage: check_documented.sh <repository>}" && pwd)
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$root"

# What only explains how a function is called is no declaration of its own.
mapfile -t headers < <(find include -name '*.hpp' -not -path '*/expr/mistakes/*' | LC_ALL=C sort)
awk -f "$scripts/list_declarations.awk" "${headers[@]}" | awk -F '\t' '
{
    place = $1
    sub(/:[0-9]*$/, "", place)
    set = place SUBSEP $2 SUBSEP $3
    is_member = ($2 in classes)
    if ($4 == "class") {
        classes[$2 "::" $3] = 1
        # Of nodes only what they are is said.
        if ($3 ~ /_node$/) nodes[$2 "::" $3] = 1
    }
    if ($2 in nodes || $4 == "operator") next
    if (is_member && ($4 ~ /^(field|alias)$/ || $3 ~ /^(members|begin|end|data|size|rank|empty)$/)) next
    if (!(set in first)) {
        first[set] = $0
        member[set] = is_member
        order[++sets] = set
    }
    if ($5) has_comment[set] = 1
    if ($6) {
        has_example[set] = 1
        examples[$3] = 1
    }
    if ($7 != "") cites[set] = $7
}
END {
    for (i = 1; i <= sets; i++) {
        set = order[i]
        $0 = first[set]
        if (!has_comment[set]) {
            printf "%s: %s has no comment ///\n", $1, $3
            problems++
        } else if (set in cites) {
            if (!(cites[set] in examples)) {
                printf "%s: %s cites the example of %s, which has none\n", $1, $3, cites[set]
                problems++
            }
        } else if (!has_example[set] && !member[set] && $4 ~ /^(function|class|alias|variable)$/ &&
                   $1 !~ /\/kernel\// && $3 !~ /_(node|category|kind|options)$/) {
            printf "%s: %s has no example\n", $1, $3
            problems++
        }
    }
    printf "%d declarations\n", sets
    if (!sets || problems) {
        printf "FAILED: %d problems\n", problems
        exit 1
    }
}'
