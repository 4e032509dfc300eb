#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds the Debian package with a copy of xsimd, and uses what it installs. 77 means skipped.
set -euo pipefail

usage='usage: check_debian.sh <checkout> <folder of its own> <checkout of xsimd> <compiler>'
root=${1:?$usage} work=${2:?$usage} xsimd=${3:?$usage} compiler=${4:?$usage}
for tool in dpkg-buildpackage dh pkg-config; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool (packages debhelper, dpkg-dev, pkg-config)"; exit 77; }
done
if ! missing=$(dpkg-checkbuilddeps "$root/packaging/debian/control" 2>&1); then
    echo "skipped: $missing"
    exit 77
fi
command -v lintian >/dev/null || echo "lintian is not there: the package is built, but not checked by it"

rm -rf "$work"
XSIMD_SOURCE=$xsimd "$root/packaging/build_debian.sh" "$work" # fails on what lintian finds
deb=$(echo "$work"/libashlar-dev_*_all.deb)
if dpkg-deb -f "$deb" Depends | grep -q xsimd; then
    echo "it brings xsimd, but depends on Debian's"
    exit 1
fi
dpkg-deb -x "$deb" "$work/root"
files=$work/files
(cd "$root/include" && find ashlar -name '*.hpp' | LC_ALL=C sort) >"$files"
(cd "$work/root/usr/include" && find ashlar -name '*.hpp' | LC_ALL=C sort) | diff "$files" -

PKG_CONFIG_LIBDIR=$work/root/usr/share/pkgconfig
export PKG_CONFIG_LIBDIR
read -ra flags < <(pkg-config --cflags ashlar)
"$compiler" -std=c++20 -DASHLAR_UNOPTIMIZED -fsyntax-only "${flags[@]}" "$root/tests/consumer/sources/other.cpp"
cmake -S "$root/tests/consumer/find_package" -B "$work/build" "-DCMAKE_CXX_COMPILER=$compiler" -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_PREFIX_PATH=$work/root/usr" -DCMAKE_DISABLE_FIND_PACKAGE_xsimd=ON >"$work/configure.log" || {
    cat "$work/configure.log"
    exit 1
}
echo passed
