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

# The target whose turn it is today, of those that passed once: continuous integration has no time for all.
target_in_turn() {
    local names
    mapfile -t names < <(target_names | grep -vxFf <(sed -n 's/^| \([^ ]*\) |.*| not run |.*/\1/p' docs/targets.md))
    ((${#names[@]} == 0)) || echo "${names[$(date +%s) / 86400 % ${#names[@]}]}"
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

# test_target <target>
test_target() {
    local target=$1 packages programs=() emulator log name status=0 output tests=0 missing=0 bad=0 line options limit ended
    log=build/$target.log
    read -r -a packages <<<"$(field "$target" packages)"
    read -r -a emulator <<<"$(field "$target" emulator)"
    if ! (need googletest "${packages[@]}"); then
        leave_out "$target" "its tools cannot be had"
        [[ $machines_may_lack_tools == yes ]] || { failed=$((failed + 1)) failures+=("$target: tools"); }
        return
    fi
    mapfile -t programs < <(programs_for "$target")
    say "$target: building ${#programs[@]} programs"
    rm -f "build/$target/row"
    if ! configure_target "$target" >"$log" 2>&1; then
        cat "$log" >&2
        failed=$((failed + 1)) failures+=("$target: configuration")
        return
    fi
    set +e +o pipefail
    within_time 85 cmake --build "build/$target" --parallel "$jobs" -- -k 0 2>&1 | tee -a "$log" |
        { grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking)|getaddrinfo|::MakeConnection' || true; }
    status=${PIPESTATUS[0]}
    set -e -o pipefail
    if ((status != 0 && status != 124)); then
        failed=$((failed + 1)) failures+=("$target: the build")
    fi

    for line in "${programs[@]}"; do
        read -r name options <<<"$line"
        read -r -a options <<<"${options/-O2/}"
        local program=build/$target/tests/${name/\//_}_test
        [[ -e $program ]] || program+=.exe
        if [[ ! -e $program ]]; then
            missing=$((missing + 1))
            continue
        fi
        ((${#emulator[@]} > 0)) || { passed=$((passed + 1)); continue; }
        limit=$((deadline == 0 || deadline - SECONDS > 300 ? 300 : deadline - SECONDS > 0 ? deadline - SECONDS : 1))
        ended=0
        output=$(ASHLAR_TEST_STEP=100 timeout --kill-after=10 $limit "${emulator[@]}" "$program" --gtest_brief=1 "${options[@]}" 2>&1) ||
            ended=$?
        if (((ended == 124 || ended == 137) && limit < 300)); then
            leave_out "$target" "the clock ran out while testing"
            missing=$((missing + 1))
            break
        fi
        if ((ended == 0)) && [[ $output =~ PASSED[^0-9]*([1-9][0-9]*)\ test ]]; then
            tests=$((tests + BASH_REMATCH[1])) passed=$((passed + 1))
        else
            printf '%s\n' "$output" | tail -n 40
            bad=$((bad + 1)) failures+=("$target: $name")
        fi
    done
    failed=$((failed + bad))
    ((status != 124)) || leave_out "$target" "the clock ran out while building, $missing programs are missing"
    ((status == 0 && bad + missing == 0)) || return 0
    # What the page says of it.
    local compiler lanes registers
    read -r -a compiler <<<"$(field "$target" compiler)"
    lanes=$(field "$target" lanes) registers=$(field "$target" registers)
    ((lanes > 1)) || lanes="no registers"
    printf '| %s | %s | %s | %s | %s | %s |\n' "$target" "$(version_of "${compiler[0]}")" \
        "$(((${#emulator[@]} > 0)) && version_of "${emulator[0]}" || echo none)" "$lanes${registers:+, $registers}" \
        "$(((${#emulator[@]} > 0)) && echo "$tests in ${#programs[@]} programs" || echo "${#programs[@]} programs compiled and linked")" \
        "$(field "$target" limits)" >"build/$target/row"
    sed 's/^/   /' "build/$target/row"
}

# Puts the rows of what ran into docs/targets.md; others stay as they are, and what has no section goes.
write_targets_page() {
    local page=docs/targets.md target row
    local rows=build/targets.rows
    while read -r target; do
        if [[ -e build/$target/row ]]; then
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
    if (($# > 1)); then
        write_targets_page
        say "what docs/targets.md says now"
        sed -n '/^<!-- targets -->/,/^<!-- .targets -->/ { /^<!--/!p }' docs/targets.md
    fi
    summarize
}
