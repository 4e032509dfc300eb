#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds and runs a Meson project with the installed library or with a checkout as a subproject. 77 means skipped.
set -euo pipefail

usage='usage: check_meson.sh <checkout> <folder of its own> <compiler> pkg-config|cmake|subproject <prefix; for a subproject headers of xsimd>'
root=${1:?$usage} work=${2:?$usage} compiler=${3:?$usage} how=${4:?$usage} prefix=${5:?$usage}
for tool in meson ninja pkg-config; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done

rm -rf "$work"
mkdir -p "$work/source"
cp -r "$root/tests/consumer/meson/." "$root/tests/consumer/sources" "$work/source/"
if [[ $how == subproject ]]; then
    version=$(sed -nE 's/^project\(ashlar VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")
    grep -qF "version: '$version'" "$root/meson.build" || { echo "meson.build is not of version $version"; exit 1; }
    mkdir -p "$work/source/subprojects/ashlar"
    cp -r "$root/meson.build" "$root/include" "$work/source/subprojects/ashlar/"
    # These headers as Meson finds those of a system.
    mkdir -p "$work/share/pkgconfig"
    number='s/^#define XSIMD_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+).*/\2/p'
    version=$(sed -nE "$number" "$prefix/xsimd/config/xsimd_config.hpp" | paste -s -d . -)
    printf 'Name: xsimd\nDescription: headers\nVersion: %s\nCflags: -I%s\n' "$version" "$prefix" >"$work/share/pkgconfig/xsimd.pc"
    prefix=$work
fi
CXX=$compiler meson setup "$work/build" "$work/source" "-Dhow=$how" "-Dpkg_config_path=$prefix/share/pkgconfig" \
    "-Dcmake_prefix_path=$prefix" >"$work/setup.log" || {
    cat "$work/setup.log"
    exit 1
}
meson test -C "$work/build" >"$work/test.log" || {
    tail -n 40 "$work/test.log"
    exit 1
}
echo passed
