#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Installs into folders of other depths and moves the prefix to a path with a space: pkg-config finds the headers there.
# 77 means skipped.
set -euo pipefail

usage='usage: check_pkg_config.sh <checkout> <folder of its own> <compiler> <option of cmake...>'
root=${1:?$usage} work=${2:?$usage} compiler=${3:?$usage}
shift 3
command -v pkg-config >/dev/null || { echo "skipped: there is no pkg-config"; exit 77; }

rm -rf "$work"
cmake -S "$root" -B "$work/build" "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_INSTALL_PREFIX=$work/here" \
    -DCMAKE_INSTALL_DATADIR=lib/shared/data -DCMAKE_INSTALL_INCLUDEDIR=headers -DASHLAR_INSTALL_XSIMD=ON "$@" >"$work.log"
cmake --install "$work/build" >>"$work.log"
moved="$work/moved prefix"
mv "$work/here" "$moved"

PKG_CONFIG_LIBDIR=$moved/lib/shared/data/pkgconfig
export PKG_CONFIG_LIBDIR
echo "pkg-config: $(pkg-config --cflags ashlar)"
eval "flags=($(pkg-config --cflags ashlar))"
included=$(echo '#include <ashlar/ashlar.hpp>' | "$compiler" -std=c++20 -E -H "${flags[@]}" -x c++ - 2>&1 >/dev/null | sed -n 's/^\.* //p') || {
    echo "the headers are not found"
    exit 1
}
for header in ashlar/ashlar.hpp ashlar-deps/xsimd/; do
    if ! grep -qF "/moved prefix/" <<<"$(grep -F "$header" <<<"$included")"; then
        echo "$header is not read from $moved/headers"
        exit 1
    fi
done
eval "prefix=$(pkg-config --variable=prefix ashlar)"
[[ $(realpath "$prefix") == "$(realpath "$moved")" ]] || { echo "the prefix is $prefix"; exit 1; }
echo passed
