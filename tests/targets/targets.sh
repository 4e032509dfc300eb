# SPDX-License-Identifier: BSL-1.0
# Builds and runs tests for the machines of targets.ini, and writes what ran into docs/targets.md; read by `run`.
targets=tests/targets

# field <target> <key>: what its section says.
field() {
    awk -v section="[$1]" -v key="$2" '
        /^\[/ { inside = $0 == section }
        inside && $1 == key { sub(/^[^=]*= */, ""); print; exit }' $targets/targets.ini
}

# programs_for <target>: a line for each, with its options.
programs_for() {
    awk -v sets=" $(field "$1" tests) " '!/^#/ && index(sets, " " $1 " ") { $1 = ""; print substr($0, 2) }' $targets/programs.txt
}

# Days since 1970.
day() {
    echo $(($(date +%s) / 86400))
}

# The target whose turn it is today, of those that passed once: continuous integration has no time for all.
target_in_turn() {
    local names
    mapfile -t names < <(target_names | grep -vxFf <(sed -n 's/^| \([^ ]*\) |.*| not run |.*/\1/p' docs/targets.md))
    ((${#names[@]} == 0)) || echo "${names[$(day) % ${#names[@]}]}"
}

# What a compiler or an emulator calls itself, with its version.
version_of() {
    case ${1##*/} in
    clang++*) echo "clang $("$1" -dumpversion)" ;;
    *g++*) echo "g++ $("$1" -dumpfullversion | sed "s/-.*//")" ;;
    qemu-*) "$1" --version | sed -n 's/^qemu-[^ ]* version \([0-9.]*\).*/QEMU \1/p' ;;
    node) "$1" --version | sed 's/^v/Node.js /' ;;
    semihosting.sh) qemu-system-arm --version | sed -n 's/^QEMU emulator version \([0-9.]*\).*/QEMU \1/p' ;;
    esac
}

# configure_target <target>
configure_target() {
    local target=$1 compiler system launcher=()
    read -r -a compiler <<<"$(field "$target" compiler)"
    read -r -a system <<<"$(field "$target" system)"
    [[ ${system[0]} != Linux ]] || launcher+=(-DCMAKE_EXE_LINKER_FLAGS=-static)
    [[ ${system[0]} != Generic ]] || launcher+=(-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY)
    ! command -v ccache >/dev/null || launcher+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    cmake --preset target -B "build/$target" "${launcher[@]}" "-DASHLAR_WERROR=$strict" "-DCMAKE_SYSTEM_NAME=${system[0]}" \
        "-DCMAKE_SYSTEM_PROCESSOR=${system[1]}" "-DCMAKE_CXX_COMPILER=${compiler[0]}" "-DCMAKE_CXX_FLAGS=${compiler[*]:1}" \
        "-DASHLAR_TEST_LANES=$(field "$target" lanes)" \
        "-DASHLAR_TEST_PROGRAMS=$(programs_for "$target" | cut -d ' ' -f 1 | paste -s -d ';' -)" \
        "-DASHLAR_TEST_PROGRAMS_O2=$(programs_for "$target" | sed -n 's/ -O2.*//p' | paste -s -d ';' -)"
}

# build_programs <target> <layer/name...>: which of them could not be built, a line each; status 124 where the clock stopped it.
build_programs() {
    local target=$1 names=() name status
    shift
    for name in "$@"; do
        names+=("${name/\//_}_test")
    done
    set +e +o pipefail
    within_time 85 cmake --build "build/$target" --parallel "$jobs" --target "${names[@]}" -- -k 0 2>&1 | tee -a "build/$target.log" |
        { grep -vE '^\[[0-9]+/[0-9]+\] |getaddrinfo|: in function ' || true; } >&2
    status=${PIPESTATUS[0]}
    set -e -o pipefail
    ((status == 0)) && return
    # What an earlier run built must not count: it is what would be linked now.
    unbuilt "build/$target" "${names[@]}"
    return "$status"
}

# run_program <target> <layer/name> [option...]: adds to passed and tests, or to bad; 124 where the clock stopped it, 77 where
# the emulator does not know the processor.
run_program() {
    local target=$1 name=$2 emulator program limit ended=0 output without
    shift 2
    program=build/$target/tests/${name/\//_}_test
    [[ -e $program ]] || program+=.exe
    if [[ ! -e $program ]]; then
        bad=$((bad + 1)) failures+=("$target: $name is not there")
        return
    fi
    read -r -a emulator <<<"$(field "$target" emulator)"
    ((${#emulator[@]} > 0)) || { passed=$((passed + 1)); return; }
    without=$(field "$target" without)
    limit=$((deadline == 0 || deadline - SECONDS > 300 ? 300 : deadline - SECONDS > 0 ? deadline - SECONDS : 1))
    output=$(ASHLAR_TEST_STEP=100 GTEST_FILTER="*${without:+-$without}" timeout --kill-after=10 $limit "${emulator[@]}" "$program" \
        --gtest_brief=1 "$@" 2>&1) || ended=$?
    if ((ended == 0)) && [[ $output =~ PASSED[^0-9]*([1-9][0-9]*)\ test ]]; then
        tests=$((tests + BASH_REMATCH[1])) passed=$((passed + 1))
        return
    fi
    (((ended != 124 && ended != 137) || limit == 300)) || return 124
    ! grep -qE "unable to find CPU model|Property '.*' not found|Unsupported vector spec|unsupported machine type" <<<"$output" || return 77
    printf '%s\n' "$output" | tail -n 40
    bad=$((bad + 1)) failures+=("$target: $name")
}

# test_target <target>: where a clock is set, as many programs as there is time for, from another one on each day.
test_target() {
    local target=$1 packages programs emulator log=build/$1.log count first=0 size line name options status missing
    local tests=0 bad=0 ran=0 reason="" names=()
    read -r -a packages <<<"$(field "$target" packages)"
    read -r -a emulator <<<"$(field "$target" emulator)"
    if ! (need googletest "${packages[@]}"); then
        leave_out "$target" "its tools cannot be had"
        [[ $machines_may_lack_tools == yes ]] || { failed=$((failed + 1)) failures+=("$target: tools"); }
        return
    fi
    mapfile -t programs < <(programs_for "$target")
    count=${#programs[@]} size=$count
    if ((deadline > 0)); then
        first=$(($(day) / $(target_names | wc -l) * 2 % count)) size=$jobs
        programs=("${programs[@]:first}" "${programs[@]:0:first}")
    fi
    say "$target: building $count programs"
    rm -f "build/$target/row"
    if ! configure_target "$target" >"$log" 2>&1; then
        cat "$log" >&2
        failed=$((failed + 1)) failures+=("$target: configuration")
        return
    fi
    for ((first = 0; first < count && ${#reason} == 0; first += size)); do
        mapfile -t names < <(printf '%s\n' "${programs[@]:first:size}" | cut -d ' ' -f 1)
        status=0
        missing=$(build_programs "$target" "${names[@]}") || status=$?
        if ((status == 124)); then
            reason="the clock ran out while building"
            ((bad > 0)) || ! grep -q '^FAILED: ' "$log" || { bad=1 failures+=("$target: the build"); }
        elif ((status != 0)); then
            bad=$((bad + 1)) failures+=("$target: the build${missing:+ of $(paste -s -d ' ' - <<<"$missing")}")
        fi
        for line in "${programs[@]:first:size}"; do
            read -r name options <<<"$line"
            ! grep -qxF "${name/\//_}" <<<"$missing" || continue
            read -r -a options <<<"${options/-O2/}"
            status=0
            run_program "$target" "$name" "${options[@]}" || status=$?
            ((status != 124)) || { reason="the clock ran out while testing"; break; }
            ((status != 77)) || { reason="the emulator is too old"; break; }
            ran=$((ran + 1))
        done
    done
    failed=$((failed + bad))
    [[ -z $reason || $ran == "$count" ]] || leave_out "$target" "$reason, $ran of $count programs ran"
    ((bad == 0 && ran == count)) || return 0
    # What the page says of it.
    local compiler lanes registers
    read -r -a compiler <<<"$(field "$target" compiler)"
    lanes=$(field "$target" lanes) registers=$(field "$target" registers)
    ((lanes > 1)) || lanes="no registers"
    printf '| %s | %s | %s | %s | %s | %s |\n' "$target" "$(version_of "${compiler[0]}")" \
        "$(((${#emulator[@]} > 0)) && version_of "${emulator[0]}" || echo none)" "$lanes${registers:+, $registers}" \
        "$(((${#emulator[@]} > 0)) && echo "$tests in $count programs" || echo "$count programs compiled and linked")" \
        "$(field "$target" limits)" >"build/$target/row"
    sed 's/^/   /' "build/$target/row"
}

# write_targets_page <target...>: puts the rows of these into docs/targets.md, as far as they passed; others stay as they are,
# and rows without a section are removed.
write_targets_page() {
    local page=docs/targets.md rows=build/targets.rows target
    while read -r target; do
        if [[ " $* " == *" $target "* && -e build/$target/row ]]; then
            cat "build/$target/row"
        else
            grep -F "| $target |" "$page" || echo "| $target | | | | not run | $(field "$target" limits) |"
        fi
    done < <(target_names) >"$rows"
    awk -v rows="$rows" '
        /^<!-- targets -->$/ { print; print "| target | compiler | run by | lanes of float | tests passed | known limits |"
            print "|---|---|---|---|---|---|"; while ((getline line < rows) > 0) print line; inside = 1; next }
        /^<!-- \/targets -->$/ { inside = 0 }
        !inside' "$page" >"$rows.page"
    cp "$rows.page" "$page"
}

# test_targets <target...>
test_targets() {
    local target started
    mkdir -p build
    need cmake ninja-build ccache
    passed=0 failed=0 failures=() left_out=()
    for target in "$@"; do
        started=$SECONDS
        test_target "$target"
        echo "$target: $((SECONDS - started)) s"
    done
    if [[ $write_page == yes ]]; then
        write_targets_page "$@"
        say "what docs/targets.md says now"
        sed -n '/^<!-- targets -->/,/^<!-- .targets -->/ { /^<!--/!p }' docs/targets.md
    fi
    summarize
}
