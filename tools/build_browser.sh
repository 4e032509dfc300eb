#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Makes the static folder of examples/browser: the page, and the WebAssembly modules that it runs.
set -euo pipefail

usage="usage: build_browser.sh <folder> <clang++ 19> [-I and -isystem flags of ashlar and xsimd]"
folder=${1:?$usage}
compiler=${2:?$usage}
shift 2
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../examples/browser" && pwd)

# A reactor is a module whose functions the page calls; there is no main.
flags=(--target=wasm32-wasi -mexec-model=reactor -msimd128 -std=c++20 -O2 -DNDEBUG -fno-exceptions -fno-rtti
    -ffunction-sections -Wl,--strip-all,--gc-sections)
mkdir -p "$folder"
"$compiler" "${flags[@]}" "$@" "$sources/attention.cpp" -o "$folder/attention.wasm"
"$compiler" "${flags[@]}" "$@" "$sources/story.cpp" -lc++abi -o "$folder/story.wasm"
cp "$sources"/*.html "$sources"/*.css "$sources"/*.js "$folder"
