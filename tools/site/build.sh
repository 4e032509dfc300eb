#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# build.sh [--look]: builds the site, pages of docs, of each error message and of each public name, which browsers open from the
# folder or from any server of files. --look opens them all in Chromium (look.mjs).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tools/packages.sh
folder=build/site
look=${1-}

say() { printf '\n== %s\n' "$*"; }

need doxygen npm python3
[[ $look != --look ]] || need chromium
mkdir -p "$folder"
cp tools/site/package.json "$folder/"
say "installing what builds the site: $(sed -n 's/^    "\(.*\)": "\(.*\)",*$/\1 \2/p' tools/site/package.json | paste -s -d ' ')"
npm --prefix "$folder" install --prefer-offline --fetch-timeout=60000 --no-audit --no-fund --no-package-lock --loglevel=error
say "writing the pages"
rm -rf "$folder/doxygen" # else names that are gone keep their pages
doxygen tools/site/Doxyfile
python3 tools/site/gather.py . "$folder/pages" "$folder/doxygen/xml"
say "building the site, some minutes"
(cd "$folder" && npx vitepress build pages)
say "open $folder/dist/index.html, or serve the folder: python3 -m http.server --directory $folder/dist"
[[ $look != --look ]] || (cd "$folder" && cp ../../tools/site/look.mjs . && node look.mjs dist rsqrt_extent api/rsqrt_extent.html)
