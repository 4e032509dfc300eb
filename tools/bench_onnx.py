#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Times ONNX Runtime beside us on a BERT-style encoder (384 wide, 12 heads, 1536, gelu) and on one attention.

    tools/bench_onnx.py --onnxruntime node_modules/onnxruntime-node [--rows 128,32,16] [--capacity 128] [--rounds 10] [--markdown FILE]

One process and one core: the C library of ONNX Runtime is loaded beside a library compiled from tools/bench_onnx.cpp, both
get the same weights, their results are compared, and then they take turns. Minima count. ONNX Runtime gets all graph
optimizations, one thread, and memory for inputs and outputs that stays where it is. Its graph is written in three ways:
with the operators that PyTorch's exporter writes, and with the two forms of fused operators that its own tool for
transformers puts in their place. Each is timed; the fastest counts. Shares of peak are those of multiply-adds, as
bench_ashlar's.

Each number of rows has a model of its own on either side, with fixed shapes; with --capacity one serves them all: ours is
compiled once for so many rows and told by keys_below(n) and rows_below(n) how many count, ONNX Runtime's graph has a
dynamic length.

Needs numpy (Debian: python3-numpy), a C++ compiler ($CXX, else g++), xsimd (a build tree has it, else --xsimd), and
libonnxruntime.so of version 1.15 or later: --onnxruntime is that file or a folder above it. It is in the archives of its
releases, and in the npm package onnxruntime-node (npm install --ignore-scripts onnxruntime-node is enough). What is absent
is named, and nothing measured.
"""
import argparse
import ctypes
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess

from onnxruntime_peer import ROOT, OnnxRuntime, SessionCall, find_onnxruntime, find_xsimd, skip

try:
    import numpy
except ImportError:
    skip("numpy is absent (Debian: apt-get install python3-numpy)")

WIDTH, HEADS, HIDDEN, EPSILON, OPSET = 384, 12, 1536, 1e-12, 17
FLOAT, INT64 = 1, 7  # of onnx.TensorProto


# A model as protobuf: the few fields of onnx.proto that a graph of ours has, so that the onnx package need not be there.
def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, list):
        return field(1, name) + b"".join(field(8, v) for v in value) + field(20, 7)
    return field(1, name) + (field(2, value) + field(20, 1) if isinstance(value, float) else field(3, value) + field(20, 2))


class Graph:
    """Collects nodes and constants; add() returns the name of a node's result."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def add(self, kind, *inputs, outputs=1, domain="", **attributes):
        names = [f"v{self.count + i}" for i in range(outputs)]
        self.count += outputs
        node = b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in names) + field(4, kind)
        self.nodes.append(node + b"".join(field(5, attribute(k, v)) for k, v in attributes.items()) + field(7, domain))
        return names[0]

    def fused(self, kind, *inputs, **attributes):
        return self.add(kind, *inputs, domain="com.microsoft", **attributes)

    def constant(self, values):
        values = numpy.ascontiguousarray(values)
        self.count += 1
        name = f"c{self.count}"
        kind = INT64 if values.dtype == numpy.int64 else FLOAT
        self.constants.append(b"".join(field(1, n) for n in values.shape) + field(2, kind) + field(8, name)
                              + field(9, values.tobytes()))
        return name

    def ints(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def scalar(self, value):
        return self.constant(numpy.float32(value).reshape(()))

    def model(self, inputs, output, shape):
        """A name in place of an extent stands for one that is known when the graph runs."""
        def value(name):
            dims = b"".join(field(1, field(2 if isinstance(n, str) else 1, n)) for n in shape)
            return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, dims)))

        self.nodes.append(field(1, output) + field(2, "out") + field(4, "Identity"))
        graph = (b"".join(field(1, n) for n in self.nodes) + field(2, "encoder") + b"".join(field(5, c) for c in self.constants)
                 + b"".join(field(11, value(i)) for i in inputs) + field(12, value("out")))
        opsets = field(8, field(2, OPSET)) + field(8, field(1, "com.microsoft") + field(2, 1))
        return field(1, 8) + field(7, graph) + opsets


def make_weights(layers, random):
    """A state dict of PyTorch's nn.TransformerEncoder."""
    def uniform(bound, *shape):
        return random.uniform(-bound, bound, shape).astype("float32")

    weights = {}
    for i in range(layers):
        def add(name, outputs, inputs):
            weights[f"layers.{i}.{name}weight"] = uniform(inputs ** -0.5, outputs, inputs)
            weights[f"layers.{i}.{name}bias"] = uniform(0.1, outputs)

        add("self_attn.in_proj_", 3 * WIDTH, WIDTH)
        add("self_attn.out_proj.", WIDTH, WIDTH)
        add("linear1.", HIDDEN, WIDTH)
        add("linear2.", WIDTH, HIDDEN)
        for norm in ("norm1", "norm2"):
            weights[f"layers.{i}.{norm}.weight"] = 1 + uniform(0.1, WIDTH)
            weights[f"layers.{i}.{norm}.bias"] = uniform(0.1, WIDTH)
    return weights


def safetensors(weights):
    header, data = {}, b""
    for name, w in weights.items():
        header[name] = {"dtype": "F32", "shape": list(w.shape), "data_offsets": [len(data), len(data) + w.nbytes]}
        data += w.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def exported_layer(g, x, w, rows):
    """What PyTorch's exporter makes of BertLayer."""
    count = -1 if isinstance(rows, str) else rows

    def linear(y, name):
        return g.add("Add", g.add("MatMul", y, g.constant(w[name + "weight"].T)), g.constant(w[name + "bias"]))

    def heads(y, *order):
        return g.add("Transpose", g.add("Reshape", y, g.ints(1, count, HEADS, WIDTH // HEADS)), perm=list(order))

    def norm(y, name):
        return g.add("LayerNormalization", y, g.constant(w[name + ".weight"]), g.constant(w[name + ".bias"]), epsilon=EPSILON)

    packed, bias = w["self_attn.in_proj_weight"], w["self_attn.in_proj_bias"]
    q, k, v = ({"weight": m, "bias": b} for m, b in zip(numpy.split(packed, 3), numpy.split(bias, 3)))
    q, k, v = (g.add("Add", g.add("MatMul", x, g.constant(p["weight"].T)), g.constant(p["bias"])) for p in (q, k, v))
    scores = g.add("MatMul", heads(q, 0, 2, 1, 3), heads(k, 0, 2, 3, 1))
    weights = g.add("Softmax", g.add("Div", scores, g.scalar((WIDTH // HEADS) ** 0.5)), axis=-1)
    mixed = g.add("Transpose", g.add("MatMul", weights, heads(v, 0, 2, 1, 3)), perm=[0, 2, 1, 3])
    h = norm(g.add("Add", linear(g.add("Reshape", mixed, g.ints(1, count, WIDTH)), "self_attn.out_proj."), x), "norm1")
    up = linear(h, "linear1.")
    erf = g.add("Add", g.add("Erf", g.add("Div", up, g.scalar(2 ** 0.5))), g.scalar(1))
    gelu = g.add("Mul", g.add("Mul", up, erf), g.scalar(0.5))
    return norm(g.add("Add", linear(gelu, "linear2."), h), "norm2")


def fused_layer(g, x, w, multihead):
    """What onnxruntime.transformers.optimizer makes of it: attention, biases, gelu, residuals and norms fused."""
    def product(y, matrix):
        return g.add("MatMul", y, g.constant(matrix.T))

    def skip_norm(y, residual, name, bias):
        return g.fused("SkipLayerNormalization", y, residual, g.constant(w[name + ".weight"]), g.constant(w[name + ".bias"]),
                       g.constant(w[bias]), epsilon=EPSILON)

    packed, bias = w["self_attn.in_proj_weight"], g.constant(w["self_attn.in_proj_bias"])
    if multihead:
        mixed = g.fused("MultiHeadAttention", *(product(x, m) for m in numpy.split(packed, 3)), bias, num_heads=HEADS)
    else:
        mixed = g.fused("Attention", x, g.constant(packed.T), bias, num_heads=HEADS)
    h = skip_norm(product(mixed, w["self_attn.out_proj.weight"]), x, "norm1", "self_attn.out_proj.bias")
    up = g.fused("BiasGelu", product(h, w["linear1.weight"]), g.constant(w["linear1.bias"]))
    return skip_norm(product(up, w["linear2.weight"]), h, "norm2", "linear2.bias")


FORMS = {"exported": exported_layer,
         "Attention": lambda g, x, w, rows: fused_layer(g, x, w, False),
         "MultiHeadAttention": lambda g, x, w, rows: fused_layer(g, x, w, True)}


def encoder_model(form, weights, layers, rows):
    g, x = Graph(), "in0"
    for i in range(layers):
        prefix = f"layers.{i}."
        x = FORMS[form](g, x, {k[len(prefix):]: w for k, w in weights.items() if k.startswith(prefix)}, rows)
    return g.model(["in0"], x, [1, rows, WIDTH])


def attention_model(rows, depth):
    g = Graph()
    scores = g.add("MatMul", "in0", g.add("Transpose", "in1", perm=[0, 2, 1]))
    mixed = g.add("MatMul", g.add("Softmax", g.add("Mul", scores, g.scalar(depth ** -0.5)), axis=-1), "in2")
    return g.model(["in0", "in1", "in2"], mixed, [1, rows, depth])


def pointer(values):
    return ctypes.c_void_p(values.ctypes.data)


def compile_ours(rows, is_capacity, xsimd, directory):
    """Our library for a number of rows, or for all up to it, as the benchmarks are compiled; kept until a header changes."""
    library, source = directory / f"encoder_{'up_to_' if is_capacity else ''}{rows}.so", ROOT / "tools/bench_onnx.cpp"
    newest = max(p.stat().st_mtime for p in [source, ROOT / "tools/bench_turns.hpp", *ROOT.glob("bench/support/*.hpp"), *ROOT.glob("include/**/*.hpp")])
    if not library.exists() or library.stat().st_mtime < newest:
        compiler = os.environ.get("CXX", "g++")
        if not shutil.which(compiler):
            skip(f"there is no compiler {compiler}; set CXX")
        directory.mkdir(parents=True, exist_ok=True)
        command = [compiler, "-std=c++20", "-O2", "-DNDEBUG", "-march=native", "-shared", "-fPIC", f"-DASHLAR_BENCH_ROWS={rows}",
                   f"-DASHLAR_BENCH_IS_CAPACITY={int(is_capacity)}",
                   f"-I{ROOT / 'include'}", f"-I{ROOT}", *(["-isystem", str(xsimd)] if xsimd else []), str(source), "-o", str(library)]
        subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def measure(name, library, ours, theirs, results, rounds, turns, calls):
    """The best rate of multiply-adds, our best time and the best of each form; they are only timed if they agree."""
    for contestant, result in zip([ours, *theirs.values()], results):
        result.fill(math.nan)
        contestant(1, 1)
    scale = numpy.abs(results[0]).max()
    for form, result in zip(theirs, results[1:]):
        difference = numpy.abs(result - results[0]).max() / scale
        if not difference <= 1e-5:
            raise SystemExit(f"{name}: {form} and ours differ by {difference:.1e} of the largest value")
    best, peak = {"": math.inf, **dict.fromkeys(theirs, math.inf)}, 0
    for _ in range(rounds):
        peak = max(peak, library.measure_peak())
        for form, contestant in {"": ours, **theirs}.items():
            best[form] = min(best[form], contestant(turns, calls))
    return peak, best.pop(""), best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onnxruntime", default="node_modules/onnxruntime-node", help="libonnxruntime.so, or a folder above it")
    parser.add_argument("--xsimd", default=find_xsimd(), help="the folder that has xsimd/xsimd.hpp")
    parser.add_argument("--build", default=ROOT / "build/bench_onnx", type=pathlib.Path, help="where our libraries are kept")
    parser.add_argument("--rows", default="128,32,16", help="tokens, a list")
    parser.add_argument("--capacity", type=int, help="the rows of the one model that serves all; without it each has its own")
    parser.add_argument("--layers", default="1,6", help="1, 6 or both")
    parser.add_argument("--attention", action=argparse.BooleanOptionalAction, default=True, help="64×64, too")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--huge-pages", action="store_true", help="ask for them for our model")
    parser.add_argument("--cpu", type=int, default=0, help="the core to run on")
    parser.add_argument("--markdown")
    given = parser.parse_args()
    row_counts = [int(r) for r in given.rows.split(",")]
    if given.capacity is not None and not all(0 < rows <= given.capacity for rows in row_counts):
        parser.error(f"--rows must be from 1 to the capacity, {given.capacity}")
    path = find_onnxruntime(given.onnxruntime)
    if given.capacity is None:
        libraries = {rows: compile_ours(rows, False, given.xsimd, given.build) for rows in row_counts}
    else:
        libraries = dict.fromkeys(row_counts, compile_ours(given.capacity, True, given.xsimd, given.build))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {given.cpu})
    runtime = OnnxRuntime(path)
    print(f"ONNX Runtime {runtime.version}")
    lines = ["| case | ashlar, µs | share of peak |" + "".join(f" {f} |" for f in FORMS) + " share of peak | ONNX Runtime / ashlar |",
             "|---|---:|---:|" + "---:|" * len(FORMS) + "---:|---:|"]

    def report(name, flops, peak, ours, theirs):
        cells, fastest = "".join(f" {theirs[f] / 1000:.1f} |" if f in theirs else " |" for f in FORMS), min(theirs.values())
        lines.append(f"| {name} | {ours / 1000:.1f} | {flops / ours / peak:.0%} |{cells} {flops / fastest / peak:.0%} | {fastest / ours:.2f}× |")
        print(lines[-1], flush=True)

    random = numpy.random.default_rng(1)
    for library in libraries.values():
        for function in (library.time_layers_1, library.time_layers_6, library.time_attention, library.measure_peak):
            function.restype = ctypes.c_double
    for layers in (int(n) for n in given.layers.split(",")):
        weights = make_weights(layers, random)
        file = safetensors(weights)
        sessions = {}
        for rows, library in libraries.items():
            if getattr(library, f"load_{layers}")(file, ctypes.c_size_t(len(file)), int(given.huge_pages)) != 0:
                raise SystemExit("the weights could not be loaded")
            if given.capacity is None or not sessions:
                sessions = {form: runtime.session(encoder_model(form, weights, layers, rows if given.capacity is None else "tokens"))
                            for form in FORMS}
            capacity = given.capacity or rows
            x = random.uniform(-1, 1, (1, capacity, WIDTH)).astype("float32")
            ours = numpy.empty_like(x)
            results = [ours[:, :rows], *(numpy.empty((1, rows, WIDTH), "float32") for _ in FORMS)]
            function = getattr(library, f"time_layers_{layers}")
            theirs = {form: SessionCall(runtime, library.time_session, sessions[form], {"in0": numpy.ascontiguousarray(x[:, :rows])},
                                        {"out": result}).time
                      for form, result in zip(FORMS, results[1:])}
            name = f"{layers} {'layer' if layers == 1 else 'layers'}, {rows} tokens" + (f" of {capacity}" if given.capacity else "")
            flops = layers * rows * (2 * (4 * WIDTH * WIDTH + 2 * WIDTH * HIDDEN) + 4 * rows * WIDTH)
            report(name, flops, *measure(name, library, lambda turns, calls: function(pointer(x), pointer(ours), rows, turns, calls),
                                         theirs, results, given.rounds, 5, 1))
    if given.attention:
        library = libraries[row_counts[0]]
        x = random.uniform(-1, 1, (3, 1, 64, 64)).astype("float32")
        results = [numpy.empty_like(x[0]) for _ in range(2)]
        theirs = {"exported": SessionCall(runtime, library.time_session, runtime.session(attention_model(64, 64)),
                                          {f"in{i}": part for i, part in enumerate(x)}, {"out": results[1]}).time}
        report("attention 64×64", 4 * 64 ** 3,
               *measure("attention", library, lambda turns, calls: library.time_attention(pointer(x), pointer(results[0]), turns, calls),
                        theirs, results, given.rounds, 20, 10))
    if given.markdown:
        pathlib.Path(given.markdown).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
