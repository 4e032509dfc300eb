#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# check_site_opens.sh <repository> <work directory>: builds the few pages of tests/site as ./run docs builds all, and opens them in
# Chromium, from a server and as files. Needs what ./run docs installed, which is too much for a test to install.
set -euo pipefail

root=$(cd "${1:?repository}" && pwd)
work=${2:?work directory}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

modules=$root/build/site/node_modules
[[ -d $modules/vitepress && -d $modules/playwright-core ]] || skip "VitePress is not there; ./run docs installs it"
[[ -x /usr/bin/chromium ]] || skip "Chromium is not there; ./run docs --look installs it"

rm -rf "$work"
mkdir -p "$work/root"
cp -r "$root/tests/site/." "$work/root/"
for entry in "$root"/tools/site/*; do
    [[ $entry == */sidebar.json ]] || cp -r "$entry" "$work/root/tools/site/"
done
cp "$root/tools/site/package.json" "$root/tools/site/look.mjs" "$work/"
ln -s "$modules" "$work/node_modules"
python3 "$root/tools/site/gather.py" "$work/root" "$work/pages"
cd "$work"
npx vitepress build pages >vitepress.log 2>&1 || { cat vitepress.log; exit 1; }
node look.mjs dist perpendicular tutorial/2-named-axes.html
