# SPDX-License-Identifier: BSL-1.0
# The meaning of words after ./run test: layers, test programs and other machines.

# The folders of tests/ that hold test programs.
layers() {
    local source
    for source in tests/*/*_test.cpp; do
        basename "$(dirname "$source")"
    done | uniq | paste -s -d ' ' -
}

# The machines that tests run on in addition to this one.
target_names() {
    sed -n 's/^\[\(.*\)\]$/\1/p' tests/targets/targets.ini 2>/dev/null || true
}

# The test programs that a word means, as <layer>/<name>: those of a layer, one file, the file of this name with or without
# _test, or else those whose names have the word in them.
programs_of() {
    local word=${1#"$PWD"/} source name meant=() alike=()
    word=${word#./}
    word=${word#tests/}
    word=${word%/}
    for source in tests/*/*_test.cpp; do
        name=${source#tests/}
        name=${name%.cpp}
        case ${word%.cpp} in
        "${name%/*}" | "$name" | "${name##*/}" | "${name%_test}") meant+=("$name") ;;
        *)
            [[ ${name##*/} != "${word}_test" ]] || meant+=("$name")
            [[ ${name##*/} != *"$word"* ]] || alike+=("$name")
            ;;
        esac
    done
    ((${#meant[@]} > 0)) || meant=("${alike[@]}")
    ((${#meant[@]} == 0)) || printf '%s\n' "${meant[@]}"
}
