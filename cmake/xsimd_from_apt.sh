#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# Unpacks libxsimd-dev of Debian unstable into a directory, with an apt of its own: no root, the system stays as it is.
set -eu

destination=$1
case $destination in /*) ;; *) destination=$PWD/$destination ;; esac
. /etc/os-release
if [ "${ID:-}" != debian ]; then
    echo "not a Debian: ${PRETTY_NAME:-unknown}" >&2
    exit 1
fi

# Prints "URI keyring" of the first archive of this release, from deb822 and one-line lists ("-" for no keyring).
machine_mirror() {
    for list in /etc/apt/sources.list.d/*.sources; do
        [ -r "$list" ] && cat "$list" && echo
    done | awk -v release="${VERSION_CODENAME:-stable}" '
        function offer(   i, n, suite) {
            n = split(suites, suite, " ")
            for (i = 1; i <= n; i++)
                if (!off && types ~ /(^| )deb( |$)/ && uri ~ /^(https?|ftp|file|mirror)/ &&
                    suite[i] ~ ("^(" release "|stable|oldstable|testing|unstable|sid)$") && components ~ /(^| )main( |$)/) {
                    print uri, (keyring ~ /^\// ? keyring : "-")
                    exit
                }
            types = suites = components = uri = keyring = ""
            off = 0
        }
        /^#/ { next }
        /^[ \t]*$/ { offer(); next }
        { key = tolower($1); value = $0; sub(/^[^:]*:[ \t]*/, "", value) }
        key == "types:" { types = value }
        key == "uris:" { split(value, uris, " "); uri = uris[1] }
        key == "suites:" { suites = value }
        key == "components:" { components = value }
        key == "signed-by:" { split(value, keyrings, " "); keyring = keyrings[1] }
        key == "enabled:" && tolower(value) ~ /^(no|false|off|0)/ { off = 1 }
        END { offer() }'
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -r "$list" ] && cat "$list" && echo
    done | awk -v release="${VERSION_CODENAME:-stable}" '
        $1 == "deb" {
            keyring = "-"
            if (match($0, /\[[^]]*\]/)) {
                options = substr($0, RSTART + 1, RLENGTH - 2)
                $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
                if (match(options, /signed-by=\/[^ ,]*/))
                    keyring = substr(options, RSTART + 10, RLENGTH - 10)
            }
            if ($2 ~ /^(https?|ftp|file|mirror)/ && $0 ~ /[ \t]main([ \t]|$)/ &&
                $3 ~ ("^(" release "|stable|oldstable|testing|unstable|sid)$")) {
                print $2, keyring
                exit
            }
        }'
}

mirror=$(machine_mirror | head -n 1)
if [ -z "$mirror" ]; then
    echo "no Debian mirror in this machine's apt sources" >&2
    exit 1
fi
keyring=${mirror#* }
mirror=${mirror%% *}
[ "$keyring" != - ] || keyring=/usr/share/keyrings/debian-archive-keyring.gpg

work=$destination.part
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root"
trap 'rm -rf "$work"' EXIT
echo "deb [signed-by=$keyring] $mirror sid main" >"$work/sources.list"

# A mirror that lags behind is good enough: signatures hold, and the version is checked by the caller.
private_apt() {
    apt-get -qq -oDir::Etc::sourcelist="$work/sources.list" -oDir::Etc::sourceparts=/dev/null \
        -oDir::State::Lists="$work/lists" -oDir::Cache="$work/cache" -oAPT::Sandbox::User= \
        -oAcquire::Languages=none -oAcquire::Check-Valid-Until=false \
        -oAcquire::http::Timeout=20 -oAcquire::Retries=2 "$@"
}
cd "$work"
private_apt update
private_apt download libxsimd-dev
dpkg -x libxsimd-dev_*.deb root
rm -rf "$destination"
mv root "$destination"
