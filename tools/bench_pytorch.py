#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Times PyTorch (and ONNX Runtime where it is installed) on the attention cases, by turns with bench_ashlar.

    tools/bench_pytorch.py [--program build/bench/bench/bench_ashlar] [--rounds 3] [--markdown FILE]

One thread each. Processes cannot share a round, so whole runs alternate: ours, theirs, ours, ... and minima count.
Debian: apt-get install python3-torch libopenblas0; without the latter its products are the reference BLAS's.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

SHAPES = [(16, 16), (32, 32), (64, 64), (128, 64), (512, 64), (1024, 64)]


def torch_attention(rows, depth):
    import torch

    torch.set_num_threads(1)
    q, k, v = (torch.rand(1, 1, rows, depth) * 2 - 1 for _ in range(3))
    fused = getattr(torch.nn.functional, "scaled_dot_product_attention", None)

    def written_out():
        return torch.softmax(q @ k.transpose(-1, -2) * depth ** -0.5, -1) @ v

    if fused and not torch.allclose(fused(q, k, v), written_out(), atol=1e-5):
        raise SystemExit(f"PyTorch's fused attention is wrong at {rows}x{depth}")
    return torch.inference_mode()(lambda: fused(q, k, v) if fused else written_out())


def onnx_attention(rows, depth):
    import numpy
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper

    shape = [rows, depth]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in "qkv"]
    scale = helper.make_tensor("scale", TensorProto.FLOAT, [1], [depth ** -0.5])
    nodes = [helper.make_node("Transpose", ["k"], ["kt"], perm=[1, 0]), helper.make_node("MatMul", ["q", "kt"], ["s"]),
             helper.make_node("Mul", ["s", "scale"], ["t"]), helper.make_node("Softmax", ["t"], ["p"], axis=-1),
             helper.make_node("MatMul", ["p", "v"], ["o"])]
    output = helper.make_tensor_value_info("o", TensorProto.FLOAT, shape)
    model = helper.make_model(helper.make_graph(nodes, "attention", inputs, [output], [scale]))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    random = numpy.random.default_rng(1)
    feed = {n: random.uniform(-1, 1, shape).astype("float32") for n in "qkv"}
    return lambda: session.run(None, feed)


def best_ns(call, seconds):
    call()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        for _ in range(8):
            call()
        best = min(best, (time.perf_counter_ns() - start) / 8)
    return best


def ours_ns(program, name, seconds):
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory) / "out.json"
        subprocess.run([program, f"--benchmark_filter=^{name}/iterations", "--peers=none", f"--seconds={seconds}",
                        f"--benchmark_out={out}", f"--table={directory}/out.md"], check=True, stdout=subprocess.DEVNULL)
        entry = json.loads(out.read_text())["benchmarks"][0]
        return entry["real_time"] if entry["time_unit"] == "ns" else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/bench/bench/bench_ashlar")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--markdown")
    given = parser.parse_args()
    peers = {}
    for name, make in {"pytorch": torch_attention, "onnxruntime": onnx_attention}.items():
        try:
            make(4, 4)()
            peers[name] = make
        except ImportError as error:
            print(f"{name} is absent: {error}")
    lines = ["| case | ashlar, ns |" + "".join(f" {p} |" for p in peers), "|---|---:|" + "---:|" * len(peers)]
    for rows, depth in SHAPES:
        calls = {name: make(rows, depth) for name, make in peers.items()}
        ours, best = float("inf"), dict.fromkeys(peers, float("inf"))
        for _ in range(given.rounds):
            ours = min(ours, ours_ns(given.program, f"attention/{rows}x{depth}", given.seconds))
            for name, call in calls.items():
                best[name] = min(best[name], best_ns(call, given.seconds))
        lines.append(f"| attention/{rows}x{depth} | {ours:.0f} |" + "".join(f" {best[p] / ours:.2f}× |" for p in peers))
    print("\n".join(lines))
    if given.markdown:
        pathlib.Path(given.markdown).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
