# SPDX-License-Identifier: BSL-1.0
"""Random small ONNX graphs of mixed types, with broadcasts, negative axes and scalars, for tests of tools/import_onnx.py."""
import math

import numpy as np
from onnx import TensorProto, helper, numpy_helper

KINDS = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "float64": TensorProto.DOUBLE, "int64": TensorProto.INT64,
         "int32": TensorProto.INT32, "uint8": TensorProto.UINT8, "bool": TensorProto.BOOL}
FLOATS, INTEGERS = ("float32", "float64"), ("int64", "int32")
MOST_ENTRIES = 2000


class RandomGraph:
    """A graph that grows by nodes whose operands are values before them; `values` are triples of a name, a type and a shape."""

    def __init__(self, choose):
        self.choose, self.nodes, self.weights, self.inputs, self.values = choose, [], [], [], []
        extents = [choose.randint(2, 5) for _ in range(3)]
        for i, kind in enumerate(choose.choices(["float32"] * 4 + ["float16", "int64", "int32", "bool"], k=3) + ["float32"]):
            shape = tuple(choose.choice([1, *extents[-j:]]) for j in range(choose.choice([0, 1, 2, 2, 3, 3]), 0, -1))
            self.inputs.append(helper.make_tensor_value_info(f"x{i}", KINDS[kind], shape))
            self.values.append((f"x{i}", kind, shape))

    def constant(self, array, kind="int64"):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(array, kind), name))
        return name

    def pick(self, *kinds, rank=0):
        """A value of one of the types, or None."""
        found = [v for v in self.values if v[1] in kinds and len(v[2]) >= rank]
        return self.choose.choice(found) if found else None

    def fitting(self, kind, shape):
        """A value of a type that broadcasts with a shape; a constant if there is none."""
        def fits(other):
            try:
                return math.prod(np.broadcast_shapes(shape, other)) <= MOST_ENTRIES
            except ValueError:
                return False

        found = [v for v in self.values if v[1] == kind and fits(v[2])]
        if found and self.choose.random() < 0.8:
            return self.choose.choice(found)
        kept = tuple(n if self.choose.random() < 0.6 else 1 for n in shape)[self.choose.randint(0, len(shape)):]
        return self.constant(self.numbers(kind, kept), kind), kind, kept

    def numbers(self, kind, shape):
        """Multiples of an eighth, or small integers."""
        count = math.prod(shape)
        drawn = [self.choose.randint(-16, 16) for _ in range(count)]
        array = np.array(drawn).reshape(shape)
        if kind == "bool":
            return array > 0
        return (abs(array) if kind == "uint8" else array / (8 if "float" in kind else 1)).astype(kind)

    def axis(self, rank):
        """One of the axes, often counted from the end."""
        return self.choose.randrange(-rank, rank)

    def add(self, op, inputs, kind, shape, outputs=1, **attributes):
        """Adds a node; its first result is a value."""
        names = [f"{op}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=names[0], **attributes))
        self.values.append((names[0], kind, tuple(int(n) for n in shape)))

    def grow(self):
        """Tries to add one node."""
        self.choose.choice([elementwise, elementwise, binary, binary, compared, logical, chosen, cast, reduced, reduced, extreme,
                            along, moved, reshaped, axes, joined, cut, gathered, repeated, padded, product, product, clipped,
                            gathered_by_entry, largest, hot, windowed, by_shape, parted, scattered, summed, triangle])(self)

    def model(self):
        """The graph whose outputs are the values that nothing reads."""
        read = {name for node in self.nodes for name in node.input}
        outputs = [helper.make_tensor_value_info(name, KINDS[kind], shape) for name, kind, shape in self.values
                   if name not in read and not name.startswith("x")]
        used = [v for v in self.inputs if v.name in read]
        graph = helper.make_graph(self.nodes, "random", used, outputs, self.weights)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)])
        made.ir_version = 8
        return made


def elementwise(g):
    name, kind, shape = g.pick("float32", "float16")  # the last input is one
    op = g.choose.choice("Neg Abs Relu Sigmoid Tanh Floor Ceil Round Sign Erf HardSigmoid Softplus LeakyRelu Elu Softsign".split())
    g.add(op, [name], kind, shape)


def binary(g):
    name, kind, shape = g.pick(*FLOATS, *INTEGERS, "float16") or g.values[0]
    if kind in ("bool", "uint8"):
        return
    other = g.fitting(kind, shape)
    pair = [name, other[0]] if g.choose.random() < 0.5 else [other[0], name]
    ops = ["Add", "Sub", "Mul", "Max", "Min"]
    if kind in INTEGERS and not other[0].startswith("c"):
        pair, ops = [name, other[0]], ops
    elif kind in INTEGERS and not (np.asarray(numpy_helper.to_array(g.weights[-1])) == 0).any():
        pair, ops = [name, other[0]], ops + ["Div", "Mod"]
    g.add(g.choose.choice(ops), pair, kind, np.broadcast_shapes(shape, other[2]))


def compared(g):
    name, kind, shape = g.pick(*FLOATS, *INTEGERS) or g.values[0]
    if kind in ("bool", "float16"):
        return
    other = g.fitting(kind, shape)
    g.add(g.choose.choice("Less Greater Equal GreaterOrEqual LessOrEqual".split()), [name, other[0]], "bool",
          np.broadcast_shapes(shape, other[2]))


def logical(g):
    found = g.pick("bool")
    if not found:
        return
    if g.choose.random() < 0.4:
        return g.add("Not", [found[0]], "bool", found[2])
    other = g.fitting("bool", found[2])
    g.add(g.choose.choice(["And", "Or", "Xor"]), [found[0], other[0]], "bool", np.broadcast_shapes(found[2], other[2]))


def chosen(g):
    found = g.pick("bool")
    if not found:
        return
    kind = g.choose.choice(["float32", "int64"])
    a = g.fitting(kind, found[2])
    shape = np.broadcast_shapes(found[2], a[2])
    b = g.fitting(kind, shape)
    g.add("Where", [found[0], a[0], b[0]], kind, np.broadcast_shapes(shape, b[2]))


def cast(g):
    name, kind, shape = g.choose.choice(g.values)
    to = g.choose.choice(["float32", "float32", "int64", "int32", "float64", "float16", "bool"])
    g.add("Cast", [name], to, shape, to=KINDS[to])


def reduced_shape(shape, axes, keep):
    gone = {a % len(shape) for a in axes}
    return [1 if i in gone else n for i, n in enumerate(shape) if keep or i not in gone]


def reduced(g):
    found = g.pick(*FLOATS, *INTEGERS, rank=1)
    if not found:
        return
    name, kind, shape = found
    axes = list({a % len(shape): a for a in (g.axis(len(shape)) for _ in range(g.choose.randint(1, len(shape))))}.values())
    keep = g.choose.choice([0, 1])
    op = g.choose.choice(["Sum", "Max", "Min"] + (["Mean", "L1", "L2", "SumSquare", "LogSumExp"] if kind in FLOATS else []))
    whole = g.choose.random() < 0.2
    result = reduced_shape(shape, range(len(shape)) if whole else axes, keep)
    if op == "Sum":
        return g.add("ReduceSum", [name] if whole else [name, g.constant(axes)], kind, result, keepdims=keep)
    g.add(f"Reduce{op}", [name], kind, result, keepdims=keep, **({} if whole else {"axes": axes}))


def extreme(g):
    found = g.pick("float32", *INTEGERS, rank=1)
    if found:
        axis, keep = g.axis(len(found[2])), g.choose.choice([0, 1])
        g.add(g.choose.choice(["ArgMax", "ArgMin"]), [found[0]], "int64", reduced_shape(found[2], [axis], keep), axis=axis,
              keepdims=keep, select_last_index=g.choose.choice([0, 1]))


def along(g):
    found = g.pick("float32", rank=1)
    if not found:
        return
    axis = g.axis(len(found[2]))
    if g.choose.random() < 0.3:
        return g.add("CumSum", [found[0], g.constant(axis)], "float32", found[2], exclusive=g.choose.choice([0, 1]),
                     reverse=g.choose.choice([0, 1]))
    g.add(g.choose.choice(["Softmax", "LogSoftmax", "Hardmax"]), [found[0]], "float32", found[2], axis=axis)


def moved(g):
    name, kind, shape = g.choose.choice(g.values)
    order = g.choose.sample(range(len(shape)), len(shape))
    if shape:
        g.add("Transpose", [name], kind, [shape[i] for i in order], perm=order)


def reshaped(g):
    name, kind, shape = g.choose.choice(g.values)
    count, result = math.prod(shape), []
    while count > 1 and len(result) < 3:
        result.append(g.choose.choice([n for n in range(1, count + 1) if count % n == 0]))
        count //= result[-1]
    result += [count] if count > 1 or g.choose.random() < 0.3 else []
    given = list(result)
    if given:
        given[g.choose.randrange(len(given))] = -1
    elif g.choose.random() < 0.5:
        return g.add("Flatten", [name], kind, (1, 1)) if not shape else None
    g.add("Reshape", [name, g.constant(np.array(given, np.int64))], kind, result)


def axes(g):
    name, kind, shape = g.choose.choice(g.values)
    ones = [i for i, n in enumerate(shape) if n == 1]
    if ones and g.choose.random() < 0.5:
        axis = g.choose.choice(ones)
        return g.add("Squeeze", [name, g.constant([axis - len(shape) if g.choose.random() < 0.5 else axis])], kind,
                     shape[:axis] + shape[axis + 1:])
    if len(shape) < 4:
        axis = g.axis(len(shape) + 1)
        place = axis % (len(shape) + 1)
        g.add("Unsqueeze", [name, g.constant([axis])], kind, shape[:place] + (1,) + shape[place:])


def joined(g):
    name, kind, shape = g.choose.choice(g.values)
    if not shape or math.prod(shape) * 3 > MOST_ENTRIES:
        return
    axis = g.axis(len(shape))
    place = axis % len(shape)
    parts, total = [name], shape[place]
    for v in g.values:
        if v[1] == kind and len(v[2]) == len(shape) and v[2][:place] + v[2][place + 1:] == shape[:place] + shape[place + 1:] and len(parts) < 3:
            parts.append(v[0])
            total += v[2][place]
    if g.choose.random() < 0.2:  # a part without entries
        parts.insert(g.choose.randint(0, 1), g.constant(np.zeros(shape[:place] + (0,) + shape[place + 1:]), kind))
    g.add("Concat", parts, kind, shape[:place] + (total,) + shape[place + 1:], axis=axis)


def cut(g):
    name, kind, shape = g.choose.choice(g.values)
    if not shape:
        return
    axis = g.axis(len(shape))
    place = axis % len(shape)
    first, last, step = g.choose.randint(-6, 5), g.choose.choice([-1, 3, 1000, -1000]), g.choose.choice([1, 1, 2, -1, -2])
    count = len(range(*slice(first, last, step).indices(shape[place])))
    if count or g.choose.random() < 0.05:
        g.add("Slice", [name, *(g.constant([n]) for n in (first, last, axis, step))], kind, shape[:place] + (count,) + shape[place + 1:])


def gathered(g):
    name, kind, shape = g.choose.choice(g.values)
    if not shape:
        return
    axis = g.axis(len(shape))
    place = axis % len(shape)
    of = g.choose.choice([(), (2,), (3, 2)])
    indices = np.array([g.choose.randrange(-shape[place], shape[place]) for _ in range(math.prod(of))]).reshape(of)
    g.add("Gather", [name, g.constant(indices)], kind, shape[:place] + of + shape[place + 1:], axis=axis)


def repeated(g):
    name, kind, shape = g.choose.choice(g.values)
    if g.choose.random() < 0.5 and shape and math.prod(shape) * 4 < MOST_ENTRIES:
        times = [g.choose.choice([1, 1, 2]) for _ in shape]
        return g.add("Tile", [name, g.constant(times)], kind, [n * t for n, t in zip(shape, times)])
    wanted = [n if n > 1 or g.choose.random() < 0.5 else g.choose.randint(1, 4) for n in (1,) * g.choose.randint(0, 1) + shape]
    if math.prod(wanted) <= MOST_ENTRIES and len(wanted) < 5:
        g.add("Expand", [name, g.constant(np.array(wanted, np.int64))], kind, np.broadcast_shapes(shape, tuple(wanted)))


def padded(g):
    found = g.pick("float32", "int64", rank=1)
    if not found:
        return
    name, kind, shape = found
    mode = g.choose.choice(["constant", "constant", "edge", "reflect"])
    most = [min(2, n - 1) if mode == "reflect" else 2 for n in shape]
    before, after = ([g.choose.randint(0, m) for m in most] for _ in range(2))
    value = [g.constant(3, kind)] if mode == "constant" and g.choose.random() < 0.5 else []
    g.add("Pad", [name, g.constant(before + after), *value], kind, [n + a + b for n, a, b in zip(shape, before, after)], mode=mode)


def product(g):
    found = g.pick("float32", rank=1)
    if not found:
        return
    name, _, shape = found
    columns = g.choose.choice([(), (3,), (17,)])
    batch = g.choose.choice([(), (), shape[:-2], (2, 1) if len(shape) < 4 else ()]) if columns else ()
    weights = g.constant(g.numbers("float32", batch + (shape[-1],) + columns), "float32")
    try:
        result = np.matmul(np.zeros(shape), np.zeros(batch + (shape[-1],) + columns)).shape
    except ValueError:
        return
    if math.prod(result) <= MOST_ENTRIES:
        g.add("MatMul", [name, weights], "float32", result)


def clipped(g):
    found = g.pick("float32", "int64", "int32")
    if found:
        low, high = g.choose.choice([("", 1), (-1, ""), (-1, 2)])
        bounds = [n if n == "" else g.constant(n, found[1]) for n in (low, high)]
        g.add("Clip", [found[0], *bounds], found[1], found[2])


def gathered_by_entry(g):
    name, kind, shape = g.choose.choice(g.values)
    if shape:
        axis = g.axis(len(shape))
        indices = np.array([g.choose.randrange(-shape[axis], shape[axis]) for _ in range(math.prod(shape))]).reshape(shape)
        g.add("GatherElements", [name, g.constant(indices)], kind, shape, axis=axis)


def largest(g):
    found = g.pick("float32", rank=1)
    if found:
        axis = g.axis(len(found[2]))
        place, count = axis % len(found[2]), g.choose.randint(1, found[2][axis])
        g.add("TopK", [found[0], g.constant([count])], "float32", found[2][:place] + (count,) + found[2][place + 1:], outputs=2, axis=axis,
              largest=g.choose.choice([0, 1]))


def hot(g):
    found = g.pick("int64")
    if found and len(found[2]) < 4 and math.prod(found[2]) * 5 < MOST_ENTRIES:
        axis = g.axis(len(found[2]) + 1)
        place = axis % (len(found[2]) + 1)
        g.add("OneHot", [found[0], g.constant(5), g.constant([-1, 2], "float32")], "float32", found[2][:place] + (5,) + found[2][place:],
              axis=axis)


def windowed(g):
    """A convolution or a pool of [batch, channels, rows]."""
    found = next((v for v in reversed(g.values) if v[1] == "float32" and len(v[2]) == 3 and v[2][2] > 1), None)
    if not found:
        return
    name, kind, (batch, channels, rows) = found
    stride, pads = g.choose.randint(1, 2), [g.choose.randint(0, 1), g.choose.randint(0, 1)]
    count = (rows + sum(pads) - 2) // stride + 1
    options = {"strides": [stride], "pads": pads, "kernel_shape": [2]}
    op = g.choose.choice(["Conv", "MaxPool", "AveragePool"])
    if op != "Conv":
        more = {"count_include_pad": g.choose.randint(0, 1)} if op == "AveragePool" else {}
        return g.add(op, [name], kind, (batch, channels, count), **options, **more)
    groups, of_group = g.choose.choice([1, channels]), g.choose.randint(1, 3)
    weights = g.constant(g.numbers(kind, (groups * of_group, channels // groups, 2)), kind)
    g.add("Conv", [name, weights], kind, (batch, groups * of_group, count), group=groups, **options)


def by_shape(g):
    """The extents of a value as shape of another one, as exporters write it."""
    name, kind, shape = g.choose.choice(g.values)
    if not shape or not g.choose.choice([True, False]):
        return
    place = g.axis(len(shape))
    start = len(g.nodes)
    g.nodes += [helper.make_node("Shape", [name], [f"Shape{start}"]),
                helper.make_node("Gather", [f"Shape{start}", g.constant([place])], [f"Extent{start}"]),
                helper.make_node("Concat", [f"Extent{start}", g.constant([-1])], [f"Both{start}"], axis=-1)]
    g.add("Reshape", [name, f"Both{start}"], kind, (shape[place], math.prod(shape) // shape[place]))


def parted(g):
    name, kind, shape = g.choose.choice(g.values)
    axis = g.axis(len(shape)) if shape else 0
    if shape and shape[axis] > 1:
        first = g.choose.randint(1, shape[axis] - 1)
        place = axis % len(shape)
        g.add("Split", [name, g.constant([first, shape[axis] - first])], kind, shape[:place] + (first,) + shape[place + 1:], 2, axis=axis)


def scattered(g):
    """Other entries at the first places along an axis, in reverse order."""
    name, kind, shape = g.choose.choice(g.values)
    if shape and kind in ("float32", "int64"):
        axis = g.axis(len(shape))
        places = np.broadcast_to(-1 - np.arange(shape[axis]).reshape((-1,) + (1,) * (len(shape) - axis % len(shape) - 1)), shape)
        g.add("ScatterElements", [name, g.constant(places), g.constant(g.numbers(kind, shape), kind)], kind, shape, axis=axis)


def summed(g):
    found = next((v for v in reversed(g.values) if v[1] == "float32" and len(v[2]) == 2), None)
    if found:
        name, kind, (rows, columns) = found
        if g.choose.random() < 0.5:
            return g.add("Einsum", [name, g.constant(g.numbers(kind, (3, columns)), kind)], kind, (3, rows), equation="ab,cb->ca")
        turned = g.choose.randint(0, 1)
        bias = [g.constant(g.numbers(kind, g.choose.choice([(), (3,), (1, 3)])), kind)]
        g.add("Gemm", [name, g.constant(g.numbers(kind, (rows if turned else columns, 3)), kind), *bias], kind,
              (columns if turned else rows, 3), transA=turned, alpha=0.5, beta=-2.0)


def triangle(g):
    found = g.pick("float32", "int64", rank=2)
    if found:
        g.add("Trilu", [found[0], g.constant(g.choose.randint(-2, 2))], *found[1:], upper=g.choose.randint(0, 1))


def random_graph(choose):
    """A model of 5 to 15 nodes."""
    g, nodes = RandomGraph(choose), choose.randint(5, 15)
    while len(g.nodes) < nodes:
        g.grow()
    return g.model()
