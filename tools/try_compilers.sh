#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles README's first example by the compilers of another release of Debian and runs it: tools/try_compilers.sh
# [suite] [package...]. The release (unless given: unstable) is installed once, into build/compilers/<suite>, by root.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
suite=${1:-sid}
shift || true
packages=("$@")
((${#packages[@]} > 0)) || packages=(g++-14 g++-15 g++-16 clang)

for tool in debootstrap chroot; do
    command -v "$tool" >/dev/null || { echo "missing: $tool (apt install debootstrap)" >&2; exit 1; }
done
[[ $(id -u) == 0 ]] || { echo "installing another Debian needs root: sudo $0" >&2; exit 1; }
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 'Component: main' | head -n 1)
[[ -n $mirror ]] || { echo "this machine's apt has no archive of Debian" >&2; exit 1; }

root=build/compilers/$suite
log=build/compilers/$suite.log
if [[ ! -e $root.complete ]]; then
    echo "installing Debian $suite into $root; the log is $log"
    rm -rf "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase --include=libxsimd-dev "$suite" "$root" "$mirror" >"$log" 2>&1 || {
        tail -n 5 "$log" >&2
        exit 1
    }
    touch "$root.complete"
fi
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }

# A release need not have all of them.
available=()
for package in "${packages[@]}"; do
    if inside apt-cache show "$package" >/dev/null 2>&1; then
        available+=("$package")
    else
        echo "$package: not in $suite"
    fi
done
((${#available[@]} > 0)) || { echo "$suite has none of: ${packages[*]}" >&2; exit 1; }
inside apt-get -q install -y --no-install-recommends g++ "${available[@]}" >>"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    exit 1
}

rm -rf "$root/ashlar"
mkdir -p "$root/ashlar"
cp -r include "$root/ashlar/"
{
    awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md
    cat <<'CPP'

int main() {
    const rows x = generate<float, seq, head>([](auto i, auto j) { return i == j ? 2.0f : 0.5f; });
    const rows y = attend(x, x, x);
    return y(0, 0) == 2.0f && y(0, 1) == 0.5f ? 0 : 1;  // the first row keeps itself alone
}
CPP
} >"$root/ashlar/example.cpp"

status=0
for package in "${available[@]}"; do
    compiler=$package
    [[ $package != clang* ]] || compiler=${package/clang/clang++}
    started=$SECONDS
    if output=$(inside "$compiler" -std=c++20 -O2 -march=native -Wall -Wextra -I/ashlar/include /ashlar/example.cpp \
        -o /ashlar/example 2>&1) && inside /ashlar/example; then
        result="compiles and runs, $(grep -c 'warning:' <<<"$output" || true) warnings"
    else
        result=FAILED
        status=1
    fi
    echo "$(inside "$compiler" --version | head -n 1): $result, $((SECONDS - started)) s"
    [[ -z $output ]] || head -n 20 <<<"$output" | cut -c1-200
done
exit "$status"
