#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Looks for every public name in docs/reference.md or docs/modules.md, and for what comments and documents cite: pages,
# and links with their anchors.
set -euo pipefail

root=$(cd "${1:?usage: check_reference.sh <repository>}" && pwd)
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$root"
problems=0
complain() {
    printf '%s\n' "$*"
    problems=$((problems + 1))
}

# Nodes and the types of objects are internals in namespace ashlar; options and tags need no row.
mapfile -t headers < <(find include -name '*.hpp' ! -path '*/kernel/*' | LC_ALL=C sort)
names=$(awk -f "$scripts/list_names.awk" "${headers[@]}" |
    awk '$2 !~ /_(node|kind|category|member|options|t)$/ && $2 !~ /^(op|reduction|config|(causal|sliding_window|block_diagonal)_mask)$/' |
    LC_ALL=C sort -u -k 2,2)
# Words of the text do not count, only code: in backticks, or in a block.
code=$(awk '/^ *```/ { block = !block; next } block { print; next } { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' \
    docs/reference.md docs/modules.md)
words=$(grep -oE '[A-Za-z0-9_]+' <<<"$code" | LC_ALL=C sort -u)
while read -r file name; do
    grep -qxF -- "$name" <<<"$words" || complain "docs/reference.md has no row for $name ($file)"
done <<<"$names"

# Pages that are cited must be there.
folders=()
for folder in include tests bench docs tools cmake examples; do
    [[ -d $folder ]] && folders+=("$folder")
done
pages=$(find . -name '*.md' -not -path './build/*' -not -path './.git/*' -printf '%f\n' | LC_ALL=C sort -u)
while IFS=: read -r file line page; do
    grep -qxF -- "${page##*/}" <<<"$pages" || complain "$file:$line cites $page, which does not exist"
done < <(grep -rnoE '[A-Za-z0-9_][A-Za-z0-9_/-]*\.md\b' "${folders[@]}" --include='*.hpp' --include='*.cpp' \
    --include='*.md' --include=CMakeLists.txt --include='*.cmake' | grep -v 'results\.md$' || true)

# The anchors of a page's headings, as its host makes them.
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
links=0
for page in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md; do
    [[ -f $page ]] || continue
    while IFS= read -r link; do
        links=$((links + 1))
        target=${link%%#*}
        anchor=""
        [[ $link == *'#'* ]] && anchor=${link#*#}
        path=$page
        [[ -n $target ]] && path=$(dirname "$page")/$target
        if [[ ! -e $path ]]; then
            complain "$page links $link, which does not exist"
        elif [[ -n $anchor ]] && ! anchors "$path" | grep -qxF -- "$anchor"; then
            complain "$page links $link, but $path has no such heading"
        fi
    done < <(grep -oE '\]\([^)[:space:]]+\)' "$page" | sed 's/^](//; s/)$//' | grep -vE '^https?:' || true)
done

echo "$(wc -l <<<"$names") names, $links links"
((problems == 0)) || { echo "FAILED: $problems problems"; exit 1; }
