# SPDX-License-Identifier: BSL-1.0
"""Operators that move elements, and those that make constants."""
import numpy as np

from ..parameters import axis_of, slices_of
from .registry import check_size, evaluates

evaluates("Shape")(lambda node, x: np.array(x.shape[slice(node.attribute("start"), node.attribute("end"))], np.int64))
evaluates("Size")(lambda node, x: np.array(x.size, np.int64))
evaluates("Transpose")(lambda node, x: np.transpose(x, node.attribute("perm")))
evaluates("Concat")(lambda node, *x: np.concatenate(x, node.attribute("axis")))
evaluates("Gather")(lambda node, x, i: np.take(x, np.where(i < 0, i + x.shape[node.attribute("axis", 0)], i),
                                               node.attribute("axis", 0)))


@evaluates("Constant")
def constant(node):
    for name in ("value", "value_float", "value_floats", "value_int", "value_ints"):
        if name in node.attributes:
            given = node.attributes[name]
            if isinstance(given, np.ndarray):
                return given
            return np.array(given, np.float32 if "float" in name else np.int64)
    raise NotImplementedError("a constant of this kind")


@evaluates("ConstantOfShape")
def constant_of_shape(node, shape):
    value = node.attribute("value", np.zeros(1, np.float32))
    check_size(shape, value.dtype)
    return np.full([int(n) for n in shape], value.reshape(-1)[0], value.dtype)


@evaluates("Range")
def arange(node, first, last, step):
    check_size([max(0, int(np.ceil((last - first) / step)))], first.dtype)
    return np.arange(first, last, step, first.dtype)


@evaluates("EyeLike")
def eye_like(node, x):
    return np.eye(*x.shape, k=node.attribute("k", 0), dtype=node.attribute("to_dtype", x.dtype))


@evaluates("Reshape")
def reshape(node, x, shape=None):
    wanted = node.integers(1, "shape")
    if not node.attribute("allowzero", 0):
        wanted = [x.shape[i] if n == 0 else n for i, n in enumerate(wanted)]
    return x.reshape(wanted)


@evaluates("Flatten")
def flatten(node, x):
    axis = node.attribute("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return x.reshape(int(np.prod(x.shape[:axis])), -1)


@evaluates("Squeeze")
def squeeze(node, x, axes=None):
    axes = node.integers(1, "axes")
    return np.squeeze(x, None if axes is None else tuple(axes))


@evaluates("Unsqueeze")
def unsqueeze(node, x, axes=None):
    axes = node.integers(1, "axes")
    rank = x.ndim + len(axes)
    places = {axis_of(axis, rank) for axis in axes}
    rest = iter(x.shape)
    return x.reshape([1 if i in places else next(rest) for i in range(rank)])


@evaluates("Slice")
def slice_(node, x, *_):
    for axis, (first, step, count) in enumerate(slices_of(node, x.shape)):
        x = np.take(x, first + step * np.arange(count), axis)
    return x


@evaluates("Split")
def split(node, x, sizes=None):
    axis = node.attribute("axis", 0)
    parts = node.integers(1, "split")
    if parts is None:
        count = node.attribute("num_outputs", len(node.outputs))
        each = -(-x.shape[axis] // count)
        parts = [each] * (x.shape[axis] // each) + ([x.shape[axis] % each] if x.shape[axis] % each else [])
    if min(parts) < 0 or sum(parts) != x.shape[axis]:
        raise ValueError(f"parts of {', '.join(map(str, parts))} entries do not make {x.shape[axis]}")
    return tuple(np.split(x, np.cumsum(parts)[:-1], axis))


@evaluates("Expand")
def expand(node, x, shape):
    wanted = np.broadcast_shapes(x.shape, tuple(int(n) for n in shape))
    check_size(wanted, x.dtype)
    return np.broadcast_to(x, wanted)


@evaluates("Tile")
def tile(node, x, repeats, axis=None):
    check_size([n * r for n, r in zip(x.shape, repeats.reshape(-1))], x.dtype)
    return np.tile(x, repeats)


@evaluates("Pad")
def pad(node, x, pads=None, value=None, axes=None):
    given = node.integers(1, "pads")
    places = [axis_of(a, x.ndim) for a in node.integers(3, "") or range(x.ndim)]
    pairs = [(0, 0)] * x.ndim
    for i, axis in enumerate(places):
        pairs[axis] = (given[i], given[i + len(places)])
    mode = node.attribute("mode", "constant")
    check_size([n + a + b for n, (a, b) in zip(x.shape, pairs)], x.dtype)
    cut = tuple(slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(x.shape, pairs))
    x, pairs = x[cut], [(max(0, a), max(0, b)) for a, b in pairs]
    if mode == "constant":
        fill = node.attribute("value", 0) if value is None else value.reshape(-1)[0]
        return np.pad(x, pairs, constant_values=x.dtype.type(fill))
    return np.pad(x, pairs, mode=mode)


@evaluates("GatherElements")
def gather_elements(node, x, indices):
    axis = axis_of(node.attribute("axis", 0), x.ndim)
    indices = np.where(indices < 0, indices + x.shape[axis], indices)
    grid = list(np.indices(indices.shape))
    grid[axis] = indices
    return x[tuple(grid)]


@evaluates("GatherND")
def gather_nd(node, x, indices):
    batch = node.attribute("batch_dims", 0)
    grid = [g[..., 0] for g in np.indices(indices.shape)[:batch]]
    return x[tuple(grid + [indices[..., k] for k in range(indices.shape[-1])])]


def scatter_into(result, places, updates, kind):
    function = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}.get(kind)
    if function is None:
        result[places] = updates
    else:
        function.at(result, places, updates)
    return result


@evaluates("ScatterElements", "Scatter")
def scatter_elements(node, x, indices, updates):
    axis = axis_of(node.attribute("axis", 0), x.ndim)
    grid = list(np.indices(indices.shape))
    grid[axis] = np.where(indices < 0, indices + x.shape[axis], indices)
    return scatter_into(np.array(x), tuple(grid), updates, node.attribute("reduction", "none"))


@evaluates("ScatterND")
def scatter_nd(node, x, indices, updates):
    places = tuple(indices[..., k] for k in range(indices.shape[-1]))
    return scatter_into(np.array(x), places, updates, node.attribute("reduction", "none"))


@evaluates("OneHot")
def one_hot(node, indices, depth, values):
    depth, axis = int(depth.reshape(-1)[0]), node.attribute("axis", -1)
    axis = axis_of(axis, indices.ndim + 1)
    check_size(indices.shape + (depth,), values.dtype)
    hot = np.where(indices < 0, indices + depth, indices)[..., None] == np.arange(depth)  # none for an index outside
    return np.moveaxis(np.where(hot, values[1], values[0]), -1, axis)


@evaluates("Trilu")
def trilu(node, x, k=None):
    offset = 0 if k is None else int(k)
    return np.triu(x, offset) if node.attribute("upper", 1) else np.tril(x, offset)


@evaluates("DepthToSpace")
def depth_to_space(node, x):
    b, (n, c, h, w) = node.attribute("blocksize"), x.shape
    if node.attribute("mode", "DCR") == "DCR":
        y = x.reshape(n, b, b, c // b**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        y = x.reshape(n, c // b**2, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, c // b**2, h * b, w * b)


@evaluates("SpaceToDepth")
def space_to_depth(node, x):
    b, (n, c, h, w) = node.attribute("blocksize"), x.shape
    return x.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)


@evaluates("ReverseSequence")
def reverse_sequence(node, x, lengths):
    time, batch = node.attribute("time_axis", 0), node.attribute("batch_axis", 1)
    steps = np.arange(x.shape[time])
    source = np.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)  # [batch, time]
    grid = list(np.indices(x.shape))
    grid[time] = source[grid[batch], grid[time]]
    return x[tuple(grid)]


@evaluates("Compress")
def compress(node, x, condition):
    axis = node.attribute("axis")
    return np.compress(condition, x if axis is not None else x.reshape(-1), axis or 0)


evaluates("NonZero")(lambda node, x: np.array(np.nonzero(x), np.int64))
