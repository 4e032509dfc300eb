# SPDX-License-Identifier: BSL-1.0
"""Constants, functions that move elements, and those that choose entries by indices."""
import numpy as np
import torch

from onnx_import.errors import Uncovered
from onnx_import.graph import Value

from .registry import axis_of, ints, translates


@translates("zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full", "new_empty", "new_tensor", "empty_like")
def filled(b, *_, **__):
    if b.op_name.endswith("empty") or b.op_name.startswith("empty"):
        raise Uncovered("its entries have no value")
    return Value(b.name, b.wanted_array, constant=True)


@translates("view", "reshape", "view_as", "reshape_as", "squeeze", "unsqueeze", "squeeze_", "unsqueeze_", "flatten", "unflatten")
def reshape(b, x, *_, **__):
    if _ and isinstance(_[0], torch.dtype):
        raise Uncovered("a view of the bits as another type")
    return b.reshape(x, b.wanted.shape)


@translates("expand", "expand_as", "broadcast_to")
def expand(b, x, *_, **__):
    shape = tuple(b.wanted.shape)
    return x if x.shape == shape else b.op("Expand", [x, np.array(shape, np.int64)])


@translates("permute")
def permute(b, x, *dims):
    return b.transpose(x, [axis_of(n, len(x.shape)) for n in ints(dims)])


@translates("transpose", "transpose_", "swapaxes", "swapdims")
def transpose(b, x, dim0, dim1):
    order = list(range(len(x.shape)))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return b.transpose(x, order)


translates("t", "T", "numpy_T")(lambda b, x: b.transpose(x, range(len(x.shape))[::-1]))
translates("mT", "adjoint")(lambda b, x: transpose(b, x, -1, -2))


@translates("movedim", "moveaxis")
def movedim(b, x, source, destination):
    numbered = torch.empty(*range(1, 1 + len(x.shape)), device="meta")
    return b.transpose(x, [n - 1 for n in torch.movedim(numbered, source, destination).shape])


@translates("cat", "concat", "concatenate")
def cat(b, tensors, dim=0):
    kept = [t for t in b.common_all(tensors) if 0 not in t.shape]
    return kept[0] if len(kept) == 1 else b.op("Concat", kept, axis=axis_of(dim, len(kept[0].shape)))


@translates("stack")
def stack(b, tensors, dim=0):
    tensors = b.common_all(tensors)
    axis = axis_of(dim, len(tensors[0].shape) + 1)
    shape = list(tensors[0].shape)
    shape.insert(axis, 1)
    return b.op("Concat", [b.reshape(t, shape) for t in tensors], axis=axis)


@translates("chunk", "split", "tensor_split", "split_with_sizes")
def split(b, x, *args, dim=0, **more):
    axis = axis_of(args[1] if len(args) > 1 else dim, len(x.shape))
    parts, first = [], 0
    for part in b.wanted:
        parts.append(b.slice(x, axis, first, first + part.shape[axis]))
        first += part.shape[axis]
    return tuple(parts)


@translates("unbind")
def unbind(b, x, dim=0):
    axis = axis_of(dim, len(x.shape))
    return tuple(select(b, x, axis, i) for i in range(x.shape[axis]))


@translates("select")
def select(b, x, dim, index):
    axis = axis_of(dim, len(x.shape))
    index %= x.shape[axis]
    return b.reshape(b.slice(x, axis, index, index + 1), x.shape[:axis] + x.shape[axis + 1:])


@translates("narrow")
def narrow(b, x, dim, start, length):
    return b.slice(x, axis_of(dim, len(x.shape)), start, start + length)


@translates("flip")
def flip(b, x, *dims):
    for axis in ints(dims):
        axis = axis_of(axis, len(x.shape))
        x = b.slice(x, axis, x.shape[axis] - 1, -x.shape[axis] - 1, -1)
    return x


@translates("roll")
def roll(b, x, shifts, dims=None):
    if dims is None or dims == ():
        raise Uncovered("a roll without axes")
    for shift, axis in zip(ints(shifts), ints(dims)):
        axis = axis_of(axis, len(x.shape))
        cut = -shift % x.shape[axis]
        if cut:
            x = b.op("Concat", [b.slice(x, axis, cut, x.shape[axis]), b.slice(x, axis, 0, cut)], axis=axis)
    return x


@translates("repeat", "tile")
def repeat(b, x, *sizes):
    sizes = ints(sizes)
    sizes = [1] * (len(x.shape) - len(sizes)) + sizes
    x = b.reshape(x, (1,) * (len(sizes) - len(x.shape)) + x.shape)
    return b.op("Tile", [x, np.array(sizes, np.int64)])


@translates("repeat_interleave")
def repeat_interleave(b, x, repeats, dim=None):
    if not isinstance(repeats, int) or dim is None:
        raise Uncovered("repeats that are no number, or no axis")
    axis = axis_of(dim, len(x.shape))
    places = np.repeat(np.arange(x.shape[axis]), repeats)
    return b.op("Gather", [x, places], axis=axis)


@translates("tril", "triu")
def triangle(b, x, diagonal=0):
    return b.op("Trilu", [x, np.array(diagonal)], upper=int(b.op_name == "triu"))


@translates("pixel_shuffle")
def pixel_shuffle(b, x, upscale_factor):
    return b.op("DepthToSpace", [x], blocksize=int(upscale_factor), mode="CRD")


@translates("pad")
def pad(b, x, pad, mode="constant", value=None):
    rank = len(x.shape)
    if mode == "constant" and any(n < 0 for n in pad) or len(pad) % 2:
        raise Uncovered("a negative padding")
    before, behind = [0] * rank, [0] * rank
    for i in range(len(pad) // 2):
        before[rank - 1 - i], behind[rank - 1 - i] = int(pad[2 * i]), int(pad[2 * i + 1])
    kind = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]
    return b.op("Pad", [x, np.array(before + behind, np.int64), b.value(value or 0, x.dtype)], mode=kind)


@translates("getitem", "__getitem__")
def getitem(b, x, key):
    if isinstance(x, (tuple, list)):
        return x[key]
    keys = list(key) if isinstance(key, tuple) else [key]
    indexed = [k for k in keys if isinstance(k, (Value, list))]
    if len(indexed) > 1 or any(isinstance(k, Value) and k.dtype.kind not in "iu" for k in indexed):
        raise Uncovered("an index of bools, or several tensors as indices")
    taken = sum(k is not None and k is not Ellipsis for k in keys)
    if Ellipsis in [k if k is Ellipsis else None for k in keys]:
        place = next(i for i, k in enumerate(keys) if k is Ellipsis)
        keys[place:place + 1] = [slice(None)] * (len(x.shape) - taken)
    keys += [slice(None)] * (len(x.shape) - sum(k is not None for k in keys))
    axis, shape, gathered = 0, [], None
    for k in keys:
        if k is None:
            shape.append(1)
            continue
        if isinstance(k, slice):
            first, last, step = k.indices(x.shape[axis])
            count = len(range(first, last, step))
            if (first, count, step) != (0, x.shape[axis], 1):
                x = b.slice(x, axis, first, last, step)
            shape.append(count)
        elif isinstance(k, (Value, list)):
            index = b.value(k if isinstance(k, Value) else np.array(k, np.int64))
            gathered = (axis, index, len(shape))
            shape += [None]
        elif isinstance(k, bool):
            raise Uncovered("a bool as an index")
        else:
            k = int(k) % x.shape[axis]
            x = b.slice(x, axis, k, k + 1)
        axis += 1
    if gathered:
        axis, index, place = gathered
        x = b.op("Gather", [x, index], axis=axis)
        shape[place:place + 1] = index.shape
    return b.reshape(x, shape)


@translates("index_select")
def index_select(b, x, dim, index):
    return b.op("Gather", [x, index], axis=axis_of(dim, len(x.shape)))


@translates("gather")
def gather(b, x, dim, index, sparse_grad=False):
    return b.op("GatherElements", [x, index], axis=axis_of(dim, len(x.shape)))


@translates("embedding")
def embedding(b, indices, weight, padding_idx=None, max_norm=None, *_, **__):
    if max_norm is not None:
        raise Uncovered("max_norm")
    return b.op("Gather", [weight, indices], axis=0)


@translates("one_hot")
def one_hot(b, x, num_classes=-1):
    if num_classes < 0:
        raise Uncovered("num_classes must be given")
    return b.op("OneHot", [x, np.array(num_classes), np.array([0, 1], np.int64)], axis=-1)
