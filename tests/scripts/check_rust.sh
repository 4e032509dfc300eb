#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds examples/c_interface/program.rs by the commands of docs/interop.md and runs it, and compares the page's declarations
# with the program's. 77 means skipped.
set -euo pipefail

usage='usage: check_rust.sh <checkout> <folder of its own> <compiler> <flag of the include path...>'
root=${1:?$usage} work=${2:?$usage} compiler=${3:?$usage}
shift 3
if ! version=$(rustc --version 2>/dev/null); then
    echo "skipped: there is no rustc (package rustc)"
    exit 77
fi
echo "$version"

page=$root/docs/interop.md
while IFS= read -r line; do
    if [[ -n ${line// /} ]] && ! grep -qxF -- "$line" "$root/examples/c_interface/program.rs"; then
        echo "docs/interop.md shows what program.rs has not: $line"
        exit 1
    fi
done < <(sed -n '/^```rust$/,/^```$/{/^```/d;p}' "$page")

# The indented commands of the page, of which the first compiles C++.
mapfile -t commands < <(sed -nE '/^```rust$/,/^## Python/s/^    ((g\+\+|ar|rustc|\.\/) ?.*)$/\1/p' "$page")
((${#commands[@]} == 4)) || { echo "docs/interop.md has ${#commands[@]} commands for Rust, not 4"; exit 1; }
rm -rf "$work"
mkdir -p "$work"
cp "$root"/examples/c_interface/{denoiser.h,denoiser.cpp,program.rs} "$work"
cd "$work"
# The compiler and the include path of this build, and the time of a test.
commands[0]=${commands[0]/#g++/\"\$compiler\"}
commands[0]=${commands[0]/\$(pkg-config --cflags ashlar)/\"\$@\"}
commands[0]=${commands[0]/-O2 -march=native/-O1}
for command in "${commands[@]}"; do
    echo "$command"
    eval "$command"
done
echo passed
