#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds the page of ./run browser and runs its modules by Node.js; skips without it or without clang's WebAssembly. Opens the page in
# Chromium where ./run docs --look has installed what that takes.
set -euo pipefail

root=${1:?usage: check_browser.sh <repository> <folder> <clang++> [flag...]}
folder=${2:?folder}
compiler=${3:?clang++}
shift 3

skip() {
    echo "skipped: $*"
    exit 77
}
command -v node >/dev/null || skip "no node (package nodejs)"
mkdir -p "$folder"
echo '#include <string>' >"$folder/empty.cpp"
"$compiler" --target=wasm32-wasi -mexec-model=reactor -fno-exceptions "$folder/empty.cpp" -lc++abi -o "$folder/empty.wasm" \
    2>"$folder/empty.log" || skip "$compiler makes no WebAssembly: $(head -n 1 "$folder/empty.log")"

rm -rf "$folder/page"
bash "$root/tools/build_browser.sh" "$folder/page" "$compiler" "$@"
# Scripts of the page are modules, whatever their names say.
echo '{"type": "module"}' >"$folder/page/package.json"
node --no-warnings "$root/tests/browser/page_test.mjs" "$folder/page"
modules=$root/build/site/node_modules
if [[ -d $modules/playwright-core && -x /usr/bin/chromium ]]; then
    node "$root/tests/browser/look.mjs" "$folder/page" "$modules" ${ASHLAR_MODELS:+"$ASHLAR_MODELS/stories260k"}
else
    echo "without playwright-core and Chromium, which ./run docs --look installs, no browser opens the page"
fi
