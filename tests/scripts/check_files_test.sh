#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Proves that check_files.sh accepts a sound tree and finds each kind of violation.
set -euo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# Writes a header of two lines at the top and the given ones below.
header() {
    local path=$tree/include/ashlar/$1
    shift
    mkdir -p "$(dirname "$path")"
    printf '%s\n' '// SPDX-License-Identifier: BSL-1.0' '#pragma once' "$@" >"$path"
}

# finds <text>: the check must fail and say the text; the tree is sound again afterwards.
finds() {
    local output
    if output=$("$scripts/check_files.sh" "$tree" 2>&1); then
        echo "not found: $1"
        failures=$((failures + 1))
    elif [[ $output != *"$1"* ]]; then
        printf 'expected: %s\ngot: %s\n' "$1" "$output"
        failures=$((failures + 1))
    fi
    sound_tree
}

sound_tree() {
    rm -rf "$tree"/*
    header core/config.hpp '#include <cstddef>' '#define ASHLAR_VERSION_MAJOR 1' '#define ASHLAR_VERSION_MINOR 2' \
        'namespace ashlar::inline v1_2::detail {'
    header kernel/simd.hpp '#include <ashlar/core/config.hpp>' '#include <xsimd/xsimd.hpp>'
    header kernel/xsimd.hpp '#include <ashlar/kernel/simd.hpp>' '#define XSIMD_WITH_EMULATED 1' '#include <xsimd/xsimd.hpp>'
    header kernel/simd/hidden_macros.hpp '#pragma push_macro("near")' '#undef near'
    header kernel/simd/restored_macros.hpp '#pragma pop_macro("near")'
    header interop/eigen.hpp '#include <Eigen/Core>' '#include <vector>' '#include <ashlar/core/config.hpp>'
    header core/names.hpp '// T may be a word in a comment' 'const char* x = "T near"; auto y = 1.0L + (max)(2, 3) + max<>(2, 3); char z = '"'T'"';'
    header tensor/print.hpp '#include <ostream>' '#include <ashlar/core/config.hpp>'
    header nn/layers/linear.hpp '#include <ashlar/eval/eval.hpp>' 'template <linear_options Options>' \
        'static constexpr double eps = Options.eps;' 'linear<{Options.in, 2 * Options.out}> w; norm<Options.kind, {Options.in}, float> n; x = options.eps;'
    header ashlar.hpp '#include <ashlar/core/config.hpp>'
    header nn.hpp '#include <ashlar/ashlar.hpp>' '#include <ashlar/nn/layers/linear.hpp>'
}

sound_tree
"$scripts/check_files.sh" "$tree" >/dev/null || { echo "a sound tree is refused"; failures=1; }

header expr/nodes.hpp '#include <ashlar/kernel/simd.hpp>'
finds "include/ashlar/expr/nodes.hpp:3: <ashlar/kernel/simd.hpp>: expr may include expr tensor core only"
header nn/layers/linear.hpp '#include <ashlar/plan/plan.hpp>'
finds "nn may include"
header plan/plan.hpp '#include <xsimd/xsimd.hpp>'
finds "the only doors to xsimd"
header tensor/view.hpp '  #  define ASHLAR_Y 1'
finds "macro ASHLAR_Y"
header core/config.hpp '#define OTHER 1'
finds "macro OTHER does not start with ASHLAR_"
header tensor/view.hpp 'namespace ashlar {'
finds "include/ashlar/tensor/view.hpp:3: the namespace of this version is ashlar::inline v1_2"
header tensor/view.hpp 'namespace ashlar::inline v1_20::detail {'
finds "the namespace of this version is ashlar::inline v1_2"
header eval/eval.hpp '#include <vector>'
finds "<vector>: a hosted header"
header eval/eval.hpp '#include "eval.hpp"'
finds "angle brackets"
header ashlar.hpp '#include <ashlar/nn/layers/linear.hpp>'
finds "ashlar.hpp may include"
header nn/layers/norm.hpp '#include <ashlar/interop/eigen.hpp>'
finds "nn may include"
header interop/mdspan.hpp '#include <Eigen/Core>'
finds "<Eigen/Core>: no library but the standard one and xsimd"
header nn/layers/norm.hpp 'template <norm_options Options>' 'x = layer_norm(x, Options.eps);'
finds "include/ashlar/nn/layers/norm.hpp:4: a member of a template argument"
header nn/layers/norm.hpp 'template <class Type, norm_options Given, class Other>' 'norm<{Given.size}> n; x = layer_norm(x, Given.eps);'
finds "include/ashlar/nn/layers/norm.hpp:4: a member of a template argument"
header core/letter.hpp 'template <class T>'
finds "include/ashlar/core/letter.hpp:3: 'T' is a name of users' macros"
header core/near.hpp 'constexpr int far = 1, near = 2;'
finds "'near' is a name of users' macros"
header core/extreme.hpp 'auto x = std::max(1, 2);'
finds "write (max)(...)"
header kernel/simd/restored_macros.hpp
finds "macro near is not pushed, undefined and popped"
header kernel/simd/hidden_macros.hpp '#pragma push_macro("near")'
finds "macro near is not pushed, undefined and popped"
header expr/linear.hpp
finds "another file has this name: include/ashlar/expr/linear.hpp"
header detail/x.hpp
finds "'detail' is no layer"
printf '#pragma once\n' >"$tree/include/ashlar/core/bare.hpp"
finds "SPDX"
printf '// SPDX-License-Identifier: BSL-1.0\n' >"$tree/include/ashlar/core/open.hpp"
finds "#pragma once is missing"
mkdir -p "$tree/tools"
printf '%s\n' '#!/usr/bin/env bash' '# SPDX-License-Identifier: BSL-1.0' >"$tree/tools/tool.sh"
finds "tools/tool.sh:1: it begins with #!, but is not executable"
: >"$tree/model.json"
finds "model.json:1: it is empty"
mapfile -t long < <(yes '//' | head -n 450)
header core/long.hpp "${long[@]}"
finds "452 lines, more than 450"

((failures == 0)) && echo "every violation is found"
exit "$failures"
