# SPDX-License-Identifier: BSL-1.0
"""Operators of ATen whose names or arguments are not those of the functions in torch. Graphs of torch.export have them."""
import numpy as np

from .elementwise import to
from .products import batch_norm, group_norm, layer_norm
from .registry import TABLE, translates


def name_of(operator):
    """The name of an operator in the table: one with the prefix goes first."""
    schema = getattr(operator, "_schema", None)
    if schema is None:
        return getattr(operator, "__name__", str(operator))
    name = schema.name.rpartition(":")[2]
    return f"aten.{name}" if f"aten.{name}" in TABLE else name


@translates("aten.embedding")
def look_up(b, weight, indices, *_, **__):
    return TABLE["embedding"](b, indices, weight)


@translates("aten.layer_norm")
def layers(b, x, shape, weight=None, bias=None, eps=1e-5, *_):
    return layer_norm(b, x, shape, weight, bias, eps)


@translates("aten.group_norm")
def groups(b, x, count, weight=None, bias=None, eps=1e-5, *_):
    return group_norm(b, x, count, weight, bias, eps)


@translates("aten._native_batch_norm_legit_no_training")
def batches(b, x, weight, bias, mean, variance, momentum, eps):
    b.wanted = b.wanted[0]
    return (batch_norm(b, x, mean, variance, weight, bias, False, momentum, eps),)


@translates("aten.instance_norm")
def instances(b, x, weight, bias, mean, variance, use_input_stats, momentum, eps, *_):
    return TABLE["instance_norm"](b, x, mean, variance, weight, bias, use_input_stats, momentum, eps)


@translates("aten.slice")
def cut(b, x, dim=0, start=None, end=None, step=1):
    count = x.shape[dim]
    first, last, step = slice(start, end, step).indices(count)
    return x if (first, last, step) == (0, count, 1) else b.slice(x, dim % len(x.shape), first, last, step)


@translates("aten.index")
def index(b, x, indices):
    return TABLE["getitem"](b, x, tuple(slice(None) if place is None else place for place in indices))


def upsampling(mode):
    if mode == "nearest":
        return lambda b, x, size=None, scales=None: TABLE["interpolate"](b, x, size, scales, mode)
    return lambda b, x, size=None, align=None, scales=None: TABLE["interpolate"](b, x, size, scales, mode, align)


for _name, _mode in {"nearest1d": "nearest", "nearest2d": "nearest", "nearest3d": "nearest", "linear1d": "linear",
                     "bilinear2d": "bilinear", "bicubic2d": "bicubic", "trilinear3d": "trilinear"}.items():
    translates(f"aten.upsample_{_name}")(upsampling(_mode))


# What assignments to entries become.


@translates("aten.slice_scatter")
def with_slice(b, x, source, dim=0, start=None, end=None, step=1):
    """x with other entries along one axis."""
    count = x.shape[dim]
    places = range(*slice(start, end, step).indices(count))
    pieces, kept = [], 0
    for i, place in enumerate(places) if step != 1 else [(None, places.start)] if places else []:
        pieces += [cut(b, x, dim, kept, place)] if place > kept else []
        pieces.append(source if i is None else cut(b, source, dim, i, i + 1))
        kept = places.stop if i is None else place + 1
    pieces += [cut(b, x, dim, kept, count)] if kept < count else []
    return TABLE["cat"](b, pieces, dim) if len(pieces) > 1 else pieces[0]


@translates("aten.select_scatter")
def with_entry(b, x, source, dim, index):
    shape = list(x.shape)
    dim, index = dim % len(shape), index % shape[dim]
    shape[dim] = 1
    return with_slice(b, x, b.reshape(source, shape), dim, index, index + 1)


@translates("aten.copy", "aten.fill")
def copied(b, x, source, *_):
    return b.cast(b.op("Expand", [b.value(source, None if hasattr(source, "dtype") else x.dtype), np.array(x.shape, np.int64)]), x.dtype)


translates("aten._to_copy", "aten.alias", "aten.lift_fresh_copy")(to)
translates("aten._softmax")(TABLE["softmax"])
translates("aten._log_softmax")(TABLE["log_softmax"])
translates("aten._unsafe_view")(TABLE["view"])
