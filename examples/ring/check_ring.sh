#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Runs ring attention by 4 ranks against loops over the whole sequence, and looks for the report of a rank that is lost.
set -euo pipefail

if (($# < 2)) || ! "$1" --version >/dev/null 2>&1; then
    echo "skipped: there is no MPI (Debian: apt-get install openmpi-bin libopenmpi-dev)"
    exit 77
fi
options=()
if [[ $("$1" --version) =~ "Open MPI"|OpenRTE ]]; then
    options=(--oversubscribe)
    [[ $(id -u) != 0 ]] || options+=(--allow-run-as-root)
fi
export OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid reading another process
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # MPI keeps what it has allocated

# ranks <count> <option>...
ranks() {
    local count=$1
    shift
    timeout 120 "$mpiexec" "${options[@]}" -n "$count" "$ring" "$@" 2>&1
}
mpiexec=$1 ring=$2

for words in "1" "2 --causal" "4" "4 --causal --in-turn"; do
    # shellcheck disable=SC2086 # words
    ranks $words || { echo "FAILED: $words"; exit 1; }
done
# The rank opposite to the lost one asks first: its neighbours live, answer, and are not to blame. Behind the last step
# nobody waits for a block any more, but all wait for each other. These runs wait for 20 seconds, all at the same time.
lose() { # <lost rank> <step> <impatient rank>
    local status=0 said blamed
    said=$(ranks 4 --lose="$1" --at="$2" --impatient="$3" --timeout=10) || status=$?
    blamed=$(grep -o 'ring: rank [0-9]* is lost' <<<"$said" | sort -u || true)
    grep 'ring: ' <<<"$said" || true
    if ((status == 0 || status == 124)) || [[ $blamed != "ring: rank $1 is lost" ]]; then
        printf '%s\nFAILED: status %s and this, where rank %s stops and is to be reported\n' "$said" "$status" "$1"
        return 1
    fi
}
runs=()
for words in "1 0 3" "2 1 0" "0 3 2"; do
    # shellcheck disable=SC2086 # words
    lose $words &
    runs+=($!)
done
failed=0
for run in "${runs[@]}"; do wait "$run" || failed=1; done
exit "$failed"
