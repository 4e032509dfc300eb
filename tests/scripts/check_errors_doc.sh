#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compares the messages of the headers with the rows of docs/errors.md, both ways, and its links with the tests' texts.
set -euo pipefail

root=$(cd "${1:?usage: check_errors_doc.sh <repository>}" && pwd)
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$root"

mapfile -t headers < <(find include -name '*.hpp' | LC_ALL=C sort)
messages=$(awk -f "$scripts/list_messages.awk" "${headers[@]}")
rows=$(awk -f "$scripts/list_messages.awk" docs/errors.md)
problems=0
complain() {
    printf '%s\n' "$*"
    problems=$((problems + 1))
}

while IFS= read -r message; do
    complain "docs/errors.md has no row for \"$message\" ($(awk -F '\t' -v m="$message" '$2 == m { print $3; exit }' <<<"$messages"))"
done < <(comm -23 <(cut -f 2 <<<"$messages" | LC_ALL=C sort -u) <(cut -f 2 <<<"$rows" | LC_ALL=C sort -u))
while IFS= read -r message; do
    complain "docs/errors.md: no header says \"$message\""
done < <(comm -13 <(cut -f 2 <<<"$messages" | LC_ALL=C sort -u) <(cut -f 2 <<<"$rows" | LC_ALL=C sort -u))
while IFS= read -r message; do
    complain "docs/errors.md has more than one row for \"$message\""
done < <(cut -f 2 <<<"$rows" | LC_ALL=C sort | uniq -d)

# A test's first expected text is part of the message that its row is about.
while IFS=$'\t' read -r _ message links; do
    for link in $links; do
        if [[ ! -f $link ]]; then
            complain "docs/errors.md links $link, which does not exist"
            continue
        fi
        text=$(sed -n 's,^// expect: ,,p' "$link" | head -n 1)
        [[ $message == *"$text"* ]] || complain "docs/errors.md links $link for \"$message\", but it expects \"$text\""
    done
done <<<"$rows"

echo "$(cut -f 2 <<<"$messages" | sort -u | wc -l) messages, $(wc -l <<<"$rows") rows"
((problems == 0)) || { echo "FAILED: $problems problems"; exit 1; }
