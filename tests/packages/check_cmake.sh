#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds the project that README shows, against an installed library, by one CMake; a CMake that can also configures the
# checkout as a subdirectory.
set -euo pipefail

usage='usage: check_cmake.sh <checkout> <folder of its own> <prefix of an installed library> <checkout of xsimd> <compiler> <cmake>'
root=${1:?$usage} work=${2:?$usage} prefix=${3:?$usage} xsimd=${4:?$usage} compiler=${5:?$usage} cmake=${6:?$usage}

run() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

rm -rf "$work"
mkdir -p "$work/app"
"$cmake" --version | head -n 1
cp "$root"/tests/consumer/sources/* "$work/app/"
mv "$work/app/main.cpp" "$work/app/values.cpp"
printf '#include "other.cpp"\n#include "values.cpp"\n' >"$work/app/main.cpp"
awk '/^```cmake$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/README.md" >"$work/app/CMakeLists.txt"
grep -q 'find_package(ashlar' "$work/app/CMakeLists.txt" || { echo "README shows no project"; exit 1; }
run "$cmake" -S "$work/app" -B "$work/build" "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_PREFIX_PATH=$prefix" \
    -DCMAKE_DISABLE_FIND_PACKAGE_xsimd=ON
if grep -iE 'deprecat|CMake (Dev )?Warning at' "$work/log"; then
    cat "$work/log"
    exit 1
fi
run "$cmake" --build "$work/build"
"$work/build/app"

needed=$(sed -nE 's/^cmake_minimum_required\(VERSION ([0-9.]+)\)/\1/p' "$root/CMakeLists.txt")
own=$("$cmake" --version | sed -nE '1s/.*version ([0-9.]+).*/\1/p')
if [[ $(printf '%s\n' "$needed" "$own" | sort -V | head -n 1) == "$needed" ]]; then
    run "$cmake" -S "$root/tests/consumer/add_subdirectory" -B "$work/subdirectory" "-DCMAKE_CXX_COMPILER=$compiler" \
        -DCMAKE_BUILD_TYPE=Release "-DASHLAR_SOURCE=$root" "-DFETCHCONTENT_SOURCE_DIR_XSIMD=$xsimd"
    if grep -iE 'deprecat|CMake (Dev )?Warning at' "$work/log"; then
        cat "$work/log"
        exit 1
    fi
fi
echo passed
