#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Checks that every C++ file is formatted as .clang-format says; prints file:line for what is not.
set -euo pipefail

cd "${1:?usage: check_format.sh <repository> <clang-format>}"
formatter=${2:?usage: check_format.sh <repository> <clang-format>}
if [[ $("$formatter" --version 2>/dev/null) != *"version 19."* ]]; then
    echo "$formatter is not clang-format 19, whose layout this is: the formatting is not tested"
    exit 77
fi
find include tests examples bench -type f \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
    xargs -0 -P 2 -n 60 "$formatter" --dry-run -Werror
