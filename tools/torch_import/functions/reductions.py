# SPDX-License-Identifier: BSL-1.0
"""Reductions, softmax and sums along an axis."""
import numpy as np

from onnx_import.errors import Uncovered
from onnx_import.graph import Value

from .registry import TABLE, axis_of, translates


def axes_of(dim, rank):
    if dim is None:
        return list(range(rank))
    return sorted(axis_of(int(n), rank) for n in ([dim] if isinstance(dim, int) else dim)) or list(range(rank))


def reduced(title):
    def translate(b, x, dim=None, keepdim=False, *, dtype=None):
        kind = b.result_dtype()
        return b.op(title, [b.cast(x, kind)], axes=axes_of(dim, len(x.shape)), keepdims=int(keepdim))

    return translate


for title, names in {"ReduceSum": "sum", "ReduceMean": "mean", "ReduceMax": "amax", "ReduceMin": "amin", "ReduceProd": "prod",
                     "ReduceLogSumExp": "logsumexp"}.items():
    translates(*names.split())(reduced(title))


def extreme(reduction, places, of_two):
    def translate(b, x, dim=None, keepdim=False):
        if isinstance(dim, Value):
            return TABLE[of_two](b, x, dim)
        if dim is None:
            return b.op(reduction, [x], axes=list(range(len(x.shape))), keepdims=0)
        values = b.op(reduction, [x], axes=axes_of(dim, len(x.shape)), keepdims=int(keepdim))
        return values, b.op(places, [x], axis=axis_of(dim, len(x.shape)), keepdims=int(keepdim))

    return translate


translates("max")(extreme("ReduceMax", "ArgMax", "maximum"))
translates("min")(extreme("ReduceMin", "ArgMin", "minimum"))


@translates("argmax", "argmin")
def arg_extreme(b, x, dim=None, keepdim=False):
    if dim is None:
        x, dim = b.reshape(x, [-1 if not x.shape else int(np.prod(x.shape))]), 0
    return b.op("ArgMax" if b.op_name == "argmax" else "ArgMin", [x], axis=axis_of(dim, len(x.shape)), keepdims=int(keepdim))


@translates("var", "std")
def variance(b, x, dim=None, unbiased=True, keepdim=False, *, correction=None):
    axes = axes_of(dim, len(x.shape))
    count = int(np.prod([x.shape[a] for a in axes]))
    correction = (1 if unbiased else 0) if correction is None else correction
    apart = b.op("Sub", [x, b.op("ReduceMean", [x], axes=axes, keepdims=1)])
    total = b.op("ReduceSumSquare", [apart], axes=axes, keepdims=int(keepdim))
    result = b.op("Div", [total, b.value(count - correction, x.dtype)])
    return b.op("Sqrt", [result]) if b.op_name == "std" else result


@translates("norm", "linalg_norm", "linalg_vector_norm", "vector_norm")
def norm(b, x, p=2, dim=None, keepdim=False, dtype=None, ord=None):
    p = ord if ord is not None else p
    if p not in (1, 2, None, "fro"):
        raise Uncovered(f"a norm of order {p}")
    return b.op("ReduceL1" if p == 1 else "ReduceL2", [x], axes=axes_of(dim, len(x.shape)), keepdims=int(keepdim))


@translates("normalize")
def normalize(b, x, p=2.0, dim=1, eps=1e-12, out=None):
    length = norm(b, x, int(p) if p in (1, 2) else p, dim, True)
    return b.op("Div", [x, b.op("Max", [length, b.value(eps, x.dtype)])])


@translates("softmax", "log_softmax")
def softmax(b, x, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        dim = 0 if len(x.shape) in (0, 1, 3) else 1
    return b.op("Softmax" if b.op_name == "softmax" else "LogSoftmax", [b.cast(x, b.result_dtype())],
                axis=axis_of(dim, len(x.shape)))


translates("softmin")(lambda b, x, dim=None, _stacklevel=3, dtype=None: b.op("Softmax", [b.op("Neg", [x])], axis=axis_of(dim, len(x.shape))))


@translates("cumsum")
def cumsum(b, x, dim, dtype=None):
    return b.op("CumSum", [b.cast(x, b.result_dtype()), np.array(dim)])


@translates("topk")
def topk(b, x, k, dim=-1, largest=True, sorted=True):
    axis = axis_of(dim, len(x.shape))
    arrays = [b.array(part) for part in b.wanted]
    if x.constant:
        raise Uncovered("of a constant")
    count = Value("k", np.array([k], np.int64), constant=True)
    return tuple(b.custom("TopK", "", [x, count], arrays, axis=axis, largest=int(largest)))
