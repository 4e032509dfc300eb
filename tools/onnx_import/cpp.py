# SPDX-License-Identifier: BSL-1.0
"""Types, numbers and names as C++ writes them."""
import re

import numpy as np

from .errors import ModelError

LICENSE = "SPDX-License-Identifier: 0BSD"  # of what is written
TYPES = {"float32": "float", "float64": "double", "float16": "f16", "bool": "bool"}
KEYWORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
virtual void volatile wchar_t while xor xor_eq main std ashlar model members buffers scratch memory steps step
values self visit n now alive in forget keep_part reset fresh result v w
kept most destination operator_of each_step""".split()
FUNCTIONS = """abs all any argmax argmin avg_pool axis broadcast_to cast ceil clamp concat cos cumsum dot einsum elu erf eval
evaluate exp fast flip floor full
gelu gelu_tanh hard_sigmoid hard_swish identity index iota isnan keep_dims layer_norm leaky_relu let log
log_softmax logsumexp map masked matmul max max_pool mean min mish norm normalize outer pack pad permute pow prod relu reshape
rms_norm roll round row rsqrt sigmoid silu sin slice softmax softplus split sqrt squeeze stack store sum take tanh tensor topk
transpose unsqueeze upsample variance view_of where windows zeros f16 bf16 shape scale softcap bias causal plan keep keep_finite
keys_below ignore attention nn packed quantized smoothed unscaled workspace workspace_bytes""".split()

MACROS = """assert errno far i386 interface linux major makedev minor near offsetof small stderr stdin stdout unix
EOF INFINITY NAN NULL""".split()  # of headers and compilers; Names has no others without lower-case letters


def check_name(name):
    if not name.isidentifier() or not name.isascii():
        raise ModelError(f"--name {name}: a name of C++ is needed")
    if name in (*KEYWORDS, *FUNCTIONS, *MACROS, "state", "imported"):
        raise ModelError(f"--name {name}: this name has a meaning of its own; choose another one")


def ctype(dtype):
    """A type of C++ for an element type of NumPy."""
    dtype = np.dtype(dtype)
    return TYPES.get(dtype.name) or f"std::{dtype.name}_t"


def tensor_type(dtype, shape):
    return "tensor<" + ", ".join([ctype(dtype), *map(str, shape)]) + ">"


def literal(number, dtype):
    """A number of an element type; numbers of f16 are floats."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return "true" if number else "false"
    if dtype.kind in "iu":
        number = int(number)
        if abs(number) < 1 << 31:
            return str(number)
        if number == -(1 << 63):
            return f"std::numeric_limits<{ctype(dtype)}>::min()"
        return f"{number}u" if dtype.kind == "u" else str(number)
    kind = "double" if dtype.name == "float64" else "float"
    number = np.float64(number) if kind == "double" else np.float32(number)
    if np.isnan(number):
        return f"std::numeric_limits<{kind}>::quiet_NaN()"
    if np.isinf(number):
        return ("-" if number < 0 else "") + f"std::numeric_limits<{kind}>::infinity()"
    text = repr(float(number)) if kind == "double" else str(number)
    if not re.search("[.e]", text):
        text += ".0"
    return text if kind == "double" else text + "f"


def words(name):
    """A name of the graph with nothing but letters, digits and single underscores."""
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", name)).strip("_")


def shared_prefix(names):
    """The longest beginning, up to an underscore, of more than three quarters of the names; it tells nothing about one."""
    counts = {}
    names = {words(name) for name in names}
    for name in names:
        for end in (i + 1 for i, c in enumerate(name) if c == "_"):
            counts[name[:end]] = counts.get(name[:end], 0) + 1
    return max((prefix for prefix, count in counts.items() if len(names) > 3 and 4 * count > 3 * len(names)), key=len, default="")


class Names:
    """Names of C++ for names of the graph, each once, without the prefix that most of them share."""

    def __init__(self, taken=(), prefix=""):
        self.taken, self.prefix = set(KEYWORDS) | set(FUNCTIONS) | set(MACROS) | set(taken), prefix

    def make(self, name):
        base = words(name).removeprefix(self.prefix) or words(name) or "value"
        base = ("x" + base if base[0].isdigit() else base)[:80]
        if base.isupper():
            base = base.lower()  # it may be a macro, such as NAN, M_PI or I
        found, count = base, 0
        while found in self.taken:
            count += 1
            found = f"{base}_{count}"
        self.taken.add(found)
        return found
