#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds the Debian package libashlar-dev: packaging/build_debian.sh <folder for it>. Checks it by lintian if that is there.
# Environment: XSIMD_SOURCE=<checkout of xsimd> puts a copy of its headers into the package.
set -euo pipefail

out=${1:?usage: packaging/build_debian.sh <folder>}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
version=$(sed -nE 's/^project\(ashlar VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")
packaged=$(sed -nE '1s/^ashlar \((.*)\) .*/\1/p' "$root/packaging/debian/changelog")
if [[ $version != "$packaged" ]]; then
    echo "packaging/debian/changelog is of version $packaged, CMakeLists.txt of $version" >&2
    exit 1
fi
# debhelper writes into the tree, so it gets its own copy of the files that are installed.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/ashlar-$version
mkdir -p "$tree/tools"
cp -r "$root"/{CMakeLists.txt,LICENSE,cmake,include} "$root/packaging/debian" "$tree/"
cp "$root"/tools/{make_image.cpp,image_maker.hpp} "$tree/tools/"
log=$out/build.log
(cd "$tree" && umask 022 && chmod -R u=rwX,go=rX . && dpkg-buildpackage --no-sign --build=binary) >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    echo "dpkg-buildpackage failed; the whole log is $log" >&2
    exit 1
}
mv "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$out/"
echo "$out/libashlar-dev_${version}_all.deb"
if command -v lintian >/dev/null; then
    lintian --fail-on error,warning --suppress-tags bad-distribution-in-changes-file "$out"/ashlar_"$version"_*.changes
fi
