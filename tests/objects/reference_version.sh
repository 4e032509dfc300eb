# SPDX-License-Identifier: BSL-1.0
# What tests of object code have to know about a compiler; to be sourced.

# Sets family (gcc or clang), and reference_version to whether it is the version that promises are about: what others
# make of the same source is nobody's promise. Exits as skipped where the compiler's objects cannot be looked at.
identify_compiler() { # <compiler>
    local machine version
    machine=$("$1" -dumpmachine)
    [[ $machine == x86_64-* ]] || { echo "skipped: the object code of $machine is not looked at"; exit 77; }
    command -v objdump >/dev/null && command -v nm >/dev/null || { echo "skipped: there is no objdump and nm"; exit 77; }
    version=$("$1" -dumpversion)
    case $("$1" --version) in
    *clang*) family=clang reference_version=$([[ ${version%%.*} == 19 ]] && echo yes || echo no) ;;
    *) family=gcc reference_version=$([[ ${version%%.*} == 12 ]] && echo yes || echo no) ;;
    esac
}

# Says what it does and does it; the folder of the object need not be there.
compile_object() { # <source> <object> <compiler> [flag...]
    local source_file=$1 object=$2
    shift 2
    mkdir -p "$(dirname "$object")"
    echo "$* -c $source_file"
    "$@" -c "$source_file" -o "$object"
}

# Ends a check that failed: with another version than that of the promise it counts as skipped.
fail_reference() {
    [[ $reference_version == yes ]] && exit 1
    echo "skipped: the promise is about another version of $family"
    exit 77
}
