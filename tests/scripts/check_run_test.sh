#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The clock of `./run test`, with stand-ins for cmake and ctest: check_run_test.sh <root>
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1/run" "$work/run"
mkdir "$work/bin"
failures=0

# The stand-in for cmake takes $BUILD_SECONDS to build, or those of $SLOW_PRESET; ctest passes one test.
cat >"$work/bin/cmake" <<'TEXT'
#!/usr/bin/env bash
[[ $1 == --build && ${*: -1} != -n ]] || exit 0
if [[ $3 == "${SLOW_PRESET:-}" ]]; then sleep 600; else sleep "$BUILD_SECONDS"; fi
TEXT
cat >"$work/bin/ctest" <<'TEXT'
#!/usr/bin/env bash
echo "100% tests passed, 0 tests failed out of 1"
TEXT
# Nothing is to be installed, whatever this machine has.
for tool in g++ ninja git pkg-config clang++-19 ccache; do
    printf '#!/bin/sh\nexit 0\n' >"$work/bin/$tool"
done
printf '#!/bin/sh\necho installed\n' >"$work/bin/dpkg-query"
chmod +x "$work"/bin/*

# expect <what> <pattern> <variable=value...> -- <argument...>: runs the tests by a minute of a second and looks for a line.
expect() {
    local what=$1 pattern=$2 settings=() status=0 output
    shift 2
    while [[ $1 != -- ]]; do
        settings+=("$1")
        shift
    done
    shift
    output=$(cd "$work" && env PATH="$work/bin:$PATH" "${settings[@]}" ./run test "$@" 2>&1) || status=$?
    if ! grep -qE -- "$pattern" <<<"$output $status"; then
        printf 'FAILED %s: no line matches %s in\n%s\nstatus %s\n' "$what" "$pattern" "$output" "$status" >&2
        failures=$((failures + 1))
    fi
}
# A minute has one second here, so that this test does not take minutes.
sed -i 's/minutes \* 60/minutes/' "$work/run"
grep -q 'SECONDS + minutes))' "$work/run" || { echo "run has no clock in minutes" >&2; exit 1; }

expect "no clock" '^3 passed, 0 failed 0$' BUILD_SECONDS=0 -- dev clang release
expect "all fit" '^3 passed, 0 failed 0$' BUILD_SECONDS=0 -- --minutes=30 dev clang release
expect "one does not fit" '^LEFT OUT  release: it would take about [0-9]+ s' BUILD_SECONDS=3 -- --minutes=7 dev clang release
expect "leaving out is no failure" '^2 passed, 0 failed 0$' BUILD_SECONDS=2 -- --minutes=7 dev clang release
expect "stopped by the clock" '^LEFT OUT  release: the clock ran out while building' BUILD_SECONDS=0 SLOW_PRESET=release -- --minutes=3 dev clang release
expect "what is required is tested as far as it was built" '^LEFT OUT  clang: the clock ran out while building, [0-9]+ programs are missing' BUILD_SECONDS=0 SLOW_PRESET=clang -- --minutes=3 dev clang
expect "which is no failure" '^2 passed, 0 failed 0$' BUILD_SECONDS=0 SLOW_PRESET=clang -- --minutes=4 dev clang
expect "no number" 'wants a number of minutes' BUILD_SECONDS=0 -- --minutes=soon dev
((failures == 0))
