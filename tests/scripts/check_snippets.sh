#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles every ```cpp block of README.md and docs/*.md; errors name the line of the document.
set -euo pipefail

root=${1:?usage: check_snippets.sh <repository> <work directory> <compiler> [flag...]}
work=${2:?work directory}
compiler=${3:?compiler}
shift 3
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

rm -rf "$work"
mkdir -p "$work"
documents=()
for document in "$root"/README.md "$root"/docs/*.md; do
    [[ -f $document ]] && documents+=("$document")
done
if ((${#documents[@]} == 0)); then
    echo "there are no documents yet"
    exit 0
fi
awk -v work="$work" -f "$scripts/extract_snippets.awk" "${documents[@]}"

failures=0
for unit in "$work"/*.cpp; do
    [[ -f $unit ]] || continue
    echo "compiling $(basename "$unit")"
    # A main inside a namespace has no implicit return.
    "$compiler" "$@" -Wno-return-type "$unit" || failures=$((failures + 1))
done
if ((failures > 0)); then
    echo "FAILED: snippets do not compile; the lines above name the document"
    exit 1
fi
