# SPDX-License-Identifier: BSL-1.0
"""Operators that choose entries by indices."""
import numpy as np

from ..errors import Uncovered
from ..numpy_ops.resize import plan_of
from ..parameters import axis_of
from .registry import translates

MOST_TAPS = 4  # that are added one by one: those of cubic weights


def chosen(s, place, extent):
    """Indices from 0 on: of constants at once, of others where they are negative."""
    value = s.node.inputs[place]
    if value.constant:
        wrapped = np.where(value.array < 0, value.array + extent, value.array)
        return s.x(place) if (wrapped == value.array).all() else s.constant("places", wrapped)
    return s.buffer("places", f"where({s.memory(place)} < 0, {s.x(place)} + {extent}, {s.x(place)})", value.dtype, value.shape)


@translates("Gather", uses="`take`, `slice`")
def gather(s):
    axis = axis_of(s.attribute("axis", 0), s.rank)
    extent, indices = s.shapes[0][axis], s.node.inputs[1]
    if indices.constant and indices.array.size == 1:
        first = int(indices.array.reshape(-1)[0]) % extent
        return s.reshape(s.out.shape, f"slice<{axis}, {first}, {first + 1}>({s.x()})")
    return f"take<{axis}>({s.x()}, {chosen(s, 1, extent)})"


def flat_take(s, places):
    """Entries by their positions in row-major order: `places` is an array."""
    flat = s.reshape([int(np.prod(s.shapes[0]))], s.memory(), s.shapes[0])
    return f"take<0>({flat}, {s.constant('places', places.astype(np.int64))})"


def positions(shape):
    return np.arange(int(np.prod(shape))).reshape(shape)


@translates("GatherElements", uses="`take`")
def gather_elements(s):
    axis, value = axis_of(s.attribute("axis", 0), s.rank), s.node.inputs[1]
    extent, stride = s.shapes[0][axis], int(np.prod(s.shapes[0][axis + 1:]))
    if value.constant:
        wrapped = np.where(value.array < 0, value.array + extent, value.array)
        return flat_take(s, np.take_along_axis(positions(s.shapes[0]), wrapped, axis))
    cut = tuple(slice(0, 1 if i == axis else n) for i, n in enumerate(value.shape))
    offsets = s.constant("offsets", np.broadcast_to(positions(s.shapes[0])[cut], value.shape).astype(value.dtype))
    places = s.buffer("flat", f"{chosen(s, 1, extent)} * {stride} + {offsets}", value.dtype, value.shape)
    return f"take<0>({s.reshape([int(np.prod(s.shapes[0]))], s.memory(), s.shapes[0])}, {places})"


@translates("GatherND", uses="`take`")
def gather_nd(s):
    batch = s.attribute("batch_dims", 0)
    indices = s.node.constant(1, "the indices")
    shape = s.shapes[0]
    where = positions(shape)
    flat = where.reshape((-1,) + shape[batch:])
    rows = indices.reshape((flat.shape[0], -1, indices.shape[-1]))
    found = np.stack([np.stack([flat[b][tuple(i)] for i in rows[b]]) for b in range(flat.shape[0])])
    return flat_take(s, found.reshape(s.out.shape))


def scattered(s, places):
    """The operand with updates at flat positions: entries of both, one after the other, are chosen by constants."""
    if s.attribute("reduction", "none") != "none":
        raise Uncovered(f"the reduction {s.attribute('reduction')}")
    size = int(np.prod(s.shapes[0]))
    source = np.arange(size)
    source[places.reshape(-1)] = size + np.arange(places.size)
    flat = [s.reshape([int(np.prod(s.shapes[i]))], s.memory(i), s.shapes[i]) for i in (0, 2)]
    both = s.buffer("both", f"concat<0>({flat[0]}, {flat[1]})", s.dtype, [size + places.size])
    return f"take<0>({both}, {s.constant('places', source.reshape(s.out.shape).astype(np.int64))})"


@translates("ScatterElements", "Scatter", uses="`concat`, `take`")
def scatter_elements(s):
    indices = s.node.constant(1, "the indices")
    axis = axis_of(s.attribute("axis", 0), s.rank)
    grid = list(np.indices(indices.shape))
    grid[axis] = np.where(indices < 0, indices + s.shapes[0][axis], indices)
    return scattered(s, positions(s.shapes[0])[tuple(grid)])


@translates("ScatterND", uses="`concat`, `take`")
def scatter_nd(s):
    indices = s.node.constant(1, "the indices")
    return scattered(s, positions(s.shapes[0])[tuple(indices[..., k] for k in range(indices.shape[-1]))])


def repeats(taps, extent):
    """How often each entry of an axis is repeated; 0 if a resize does something else."""
    places, factors = taps
    times = len(places) // extent
    same = times * extent == len(places) and (factors == 1).all() and (places == np.arange(extent).repeat(times)[:, None]).all()
    return times if same else 0


def weighted(s, text, axis, places, factors):
    """Weighted sums of entries of an axis. Few rows are chosen and added, others multiplied by a matrix that has zeros."""
    if axis < s.rank - 1 and factors.shape[1] <= MOST_TAPS:
        text = s.memory() if text == s.x() else text
        along = [len(places)] + [1] * (s.rank - 1 - axis)
        return " + ".join(f"take<{axis}>({text}, {s.constant(f'places{axis}_{k}', places[:, k])}) * "
                          f"{s.constant(f'factors{axis}_{k}', factors[:, k].reshape(along).astype(s.dtype))}"
                          for k in range(factors.shape[1]))
    matrix, letters = np.zeros((len(places), s.shapes[0][axis])), "abcdefgh"[:s.rank]
    np.add.at(matrix, (np.arange(len(places))[:, None], places), factors)
    row = letters.replace(letters[axis], "z")
    return f'einsum<"{letters},z{letters[axis]}->{row}">({text}, {s.constant(f"factors{axis}", matrix.astype(s.dtype))})'


@translates("Resize", "Upsample", uses="`upsample`, `take`, `einsum` with a constant", heavy=True)
def resize(s):
    for place in range(1, len(s.node.inputs)):
        s.node.constant(place, "scales and sizes")
    text, shape = s.x(), list(s.shapes[0])
    plan = [(axis, taps) for axis, taps in enumerate(plan_of(s.node, s.shapes[0])) if taps is not None]
    times = {axis: repeats(taps, shape[axis]) for axis, taps in plan}
    if times and all(times.values()) and min(times) >= s.rank - 2 >= 0:
        return f"upsample<{{.factor = {{{times.get(s.rank - 2, 1)}, {times.get(s.rank - 1, 1)}}}}}>({text})"
    beyond = np.zeros([1] * s.rank, bool)
    for count, (axis, (places, factors)) in enumerate(plan):
        beyond = beyond | (places[:, 0] < 0).reshape([-1 if i == axis else 1 for i in range(s.rank)])
        places = places.clip(0)
        shape[axis] = len(places)
        if factors.shape[1] == 1:
            text = f"take<{axis}>({text}, {s.constant(f'places{axis}', places[:, 0])})"
        else:
            text = weighted(s, text, axis, places, factors)
            if count + 1 < len(plan) or beyond.any():
                text = s.buffer(f"axis{axis}", text, s.dtype, shape)
    if beyond.any():
        value = s.literal(s.attribute("extrapolation_value", 0.0))
        return f"where({s.constant('beyond', np.broadcast_to(beyond, s.out.shape))}, {value}, {text})"
    return text


@translates("Compress", uses="`take`")
def compress(s):
    kept = s.node.constant(1, "the condition")
    if s.attribute("axis") is None:
        return flat_take(s, np.compress(kept, positions(s.shapes[0]).reshape(-1)))
    return flat_take(s, np.compress(kept, positions(s.shapes[0]), s.attribute("axis")))


@translates("ReverseSequence", uses="`take`")
def reverse_sequence(s):
    lengths = s.node.constant(1, "the lengths of the sequences")
    batch, time = s.attribute("batch_axis", 1), s.attribute("time_axis", 0)
    where = np.moveaxis(positions(s.shapes[0]), (batch, time), (0, 1)).copy()
    for b, length in enumerate(lengths):
        where[b, :length] = where[b, :length][::-1]
    return flat_take(s, np.moveaxis(where, (0, 1), (batch, time)))


@translates("OneHot", uses="comparison with `iota`, `where`")
def one_hot(s):
    depth = int(s.node.constant(1, "the depth").reshape(-1)[0])
    s.node.constant(2, "the values")
    off, on = s.node.inputs[2].array.reshape(-1)
    axis = axis_of(s.attribute("axis", -1), s.rank + 1)
    wide = list(s.shapes[0])
    wide.insert(axis, 1)
    along = [1] * len(wide)
    along[axis] = depth
    index = s.reshape(wide, f"cast<std::int64_t>({s.memory()})")
    places = s.reshape(along, f"iota<std::int64_t, {depth}>()", [depth])
    wrapped = s.buffer("index", f"where({index} < 0, {index} + {depth}, {index})", np.int64, wide)
    if s.dtype.kind == "b":
        return f"{wrapped} == {places}" if on else f"{wrapped} != {places}"
    hot = f"cast<{s.type}>({wrapped} == {places})"
    if (off, on) == (0, 1):
        return hot
    return f"{hot} * {s.literal(on - off)} + {s.literal(off)}"
