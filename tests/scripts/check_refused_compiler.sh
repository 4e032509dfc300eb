#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# A compiler or a language standard that is too old: the first error says so, and no others hide it. 77 means skipped.
set -euo pipefail

usage='usage: check_refused_compiler.sh <header> <text of the error> <most errors> <compiler> [flag...]'
header=${1:?$usage}
text=${2:?$usage}
most=${3:?$usage}
compiler=${4:?$usage}
shift 4

command -v "$compiler" >/dev/null || { echo "skipped: there is no $compiler"; exit 77; }
if output=$(printf '#include <%s>\n' "$header" | "$compiler" -fsyntax-only "$@" -x c++ - 2>&1); then
    echo "$compiler $* compiles <$header>"
    exit 1
fi
mapfile -t errors < <(grep -E '(^|: )(fatal )?error:' <<<"$output")
printf '%s\n' "${errors[@]}"
if [[ ${errors[0]} != *"$text"* ]]; then
    echo "the first error does not say: $text"
    exit 1
fi
if ((${#errors[@]} > most)); then
    echo "${#errors[@]} errors, more than $most"
    exit 1
fi
