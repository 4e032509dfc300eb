#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Converts small GGUF files by tools/read_gguf.py and compares arrays; a program loads a model and computes its scores.

    tests/tools/read_gguf_test.py --compiler g++ -- -Iinclude -mavx2

Exits with 77 (skipped) if NumPy is missing.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from tool_checks import ROOT, called, expect, finished, options, skip_without

skip_without("numpy")
import numpy as np  # noqa: E402
import gguf_writer as writer  # noqa: E402
import read_gguf  # noqa: E402
from gguf_llama import TOKENS, Llama  # noqa: E402
from gguf_refusals import check_refusals  # noqa: E402

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "i1", "I16": "<i2", "I32": "<i4", "I64": "<i8"}


def run_tool(*arguments):
    """Exit status, output and errors."""
    return called(read_gguf.main, *arguments)


def read_safetensors(path):
    """Names to pairs of dtype and array."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header, data = json.loads(raw[8:8 + size]), raw[8 + size:]
    arrays = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        arrays[name] = entry["dtype"], np.frombuffer(data[first:last], DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def converted(folder, raw, *options):
    source, target = folder / "x.gguf", folder / "x.safetensors"
    source.write_bytes(raw)
    status, _, errors = run_tool(source, "--safetensors", target, *options)
    expect(status == 0, f"the file is converted: {errors}")
    return read_safetensors(target) if status == 0 else {}


def same(pair, dtype, values):
    return pair is not None and pair[0] == dtype and pair[1].shape == values.shape and pair[1].tobytes() == values.tobytes()


def check_types(folder):
    """Every type against the writer's own values, bit by bit, with zeros and rows of one block and of several."""
    random, tensors, expected = np.random.default_rng(7), {}, {}
    for name in [*writer.QUANTIZERS, *writer.PLAIN, "BF16"]:
        array = random.normal(size=(3, 5, 64)) * np.exp(random.normal(size=(3, 5, 1)))
        array[1, 2] = 0
        array[0, 0, 3] = -array[0, 0].max() * 1.5  # the greatest magnitude is negative
        tensors[name], expected[name] = writer.quantized(name, array if name[0] != "I" else np.rint(array * 9))
    for name in writer.SUPER_BLOCKS:
        tensors[name], expected[name] = writer.random_super_blocks(name, (2, 3, 512), random)
    for version in 2, 3:
        arrays = converted(folder, writer.gguf_bytes({}, tensors, version), "--names", "gguf")
        for name, values in expected.items():
            dtype = name if name in DTYPES else "F32"
            if name == "BF16":
                values = np.frombuffer(tensors[name][2], "<u2").reshape(values.shape)
            expect(same(arrays.get(name), dtype, values), f"version {version}: {name}")
    # Wide elements first: io::load reads arrays where they are.
    arrays = converted(folder, writer.gguf_bytes({"general.alignment": ("u32", 8)}, tensors, alignment=8), "--names", "gguf")
    expect(list(arrays)[0] == "F64" and len(arrays) == len(tensors), "another alignment; wide elements come first")
    shapes = {f"t{n}": writer.quantized("F32", np.arange(2.0 ** n).reshape((2,) * n)) for n in range(5)}
    arrays = converted(folder, writer.gguf_bytes({}, {n: t for n, (t, _) in shapes.items()}), "--names", "gguf")
    expect(all(same(arrays.get(n), "F32", v) for n, (_, v) in shapes.items()), "no axis to four axes")


def check_rounding(folder):
    near = np.array([1, 1 + 2.0 ** -8, 1 + 3 * 2.0 ** -8, 1 + 2.0 ** -8 + 2.0 ** -20, -3e38, np.inf, np.nan, 0, 0], np.float32)
    near.view(np.uint32)[-1] = 0x7FFFFFFF  # a NaN that becomes -0 where it is rounded as a number
    tensor, _ = writer.quantized("F32", near)
    arrays = converted(folder, writer.gguf_bytes({}, {"x": tensor}), "--names", "gguf", "--dtype", "BF16")
    bits = arrays["x"][1].tolist()
    expect(arrays["x"][0] == "BF16" and bits[:6] == [0x3F80, 0x3F80, 0x3F82, 0x3F81, 0xFF62, 0x7F80] and bits[7] == 0
           and bits[6] & 0x7FFF > 0x7F80 and bits[8] & 0x7FFF > 0x7F80, f"to bf16, ties to even: {[hex(b) for b in bits]}")
    q8, values = writer.quantized("Q8_0", np.linspace(-2, 2, 64).reshape(1, 64))
    arrays = converted(folder, writer.gguf_bytes({}, {"x": q8}), "--names", "gguf", "--dtype", "F16")
    expect(same(arrays.get("x"), "F16", values.astype(np.float16)), "blocks to F16")
    narrow, _ = writer.quantized("BF16", np.array([3.0, 1e-3]))
    arrays = converted(folder, writer.gguf_bytes({}, {"x": narrow}), "--names", "gguf", "--dtype", "F32")
    expect(same(arrays.get("x"), "F32", writer.quantized("BF16", np.array([3.0, 1e-3]))[1]), "bf16 to F32")


def check_names(folder):
    random = np.random.default_rng(5)
    gpt2 = {"wte.weight": "token_embd.weight", "wpe.weight": "position_embd.weight", "ln_f.bias": "output_norm.bias",
            "h.0.attn.c_attn.weight": "blk.0.attn_qkv.weight", "h.0.attn.c_attn.bias": "blk.0.attn_qkv.bias",
            "h.0.attn.c_proj.weight": "blk.0.attn_output.weight", "h.11.mlp.c_fc.weight": "blk.11.ffn_up.weight",
            "h.11.mlp.c_proj.weight": "blk.11.ffn_down.weight", "h.11.ln_2.weight": "blk.11.ffn_norm.weight"}
    made = {}
    for other in gpt2.values():
        shape = (6,) if "norm" in other or "bias" in other else (6, 4)
        made[other] = writer.quantized("F32", random.normal(size=shape))
    raw = writer.gguf_bytes({"general.architecture": ("str", "gpt2")}, {n: t for n, (t, _) in made.items()})
    arrays = converted(folder, raw)
    expect(sorted(arrays) == sorted(gpt2), f"names of GPT-2: {sorted(arrays)}")
    for name, other in gpt2.items():
        values = made[other][1]
        is_turned = name[:2] == "h." and values.ndim == 2
        expect(same(arrays.get(name), "F32", values.T.copy() if is_turned else values), f"GPT-2: {name}")
    qwen = {"blk.0.attn_q.weight": (8, 6), "blk.0.attn_q.bias": (8,), "blk.0.attn_k.bias": (4,), "blk.0.ffn_gate.weight": (3, 6)}
    made = {n: writer.quantized("F32", random.normal(size=s)) for n, s in qwen.items()}
    raw = writer.gguf_bytes({"general.architecture": ("str", "qwen2")}, {n: t for n, (t, _) in made.items()})
    arrays = converted(folder, raw)
    names = ["self_attn.q_proj.weight", "self_attn.q_proj.bias", "self_attn.k_proj.bias", "mlp.gate_proj.weight"]
    for name, (other, (_, values)) in zip(names, made.items()):
        expect(same(arrays.get(f"model.layers.0.{name}"), "F32", values), f"Qwen 2 keeps the order of rows: {other}")


def check_list(folder):
    q8, _ = writer.quantized("Q8_0", np.ones((2, 64)))
    metadata = {"general.architecture": ("str", "llama"), "llama.rope.freq_base": ("f32", 10000.0),
                "x.flags": ("[bool]", [True, False]), "x.nested": ("[[u8]]", [[1], [2, 3]]), "a\nb": ("i64", -5),
                "general.name": ("str", "a\nb"), "tokenizer.ggml.tokens": ("[str]", ["a"] * 9)}
    path = folder / "list.gguf"
    path.write_bytes(writer.gguf_bytes(metadata, {"w\x1b[2J": q8, "unread": (20, (32,), bytes(18))}))
    status, text, _ = run_tool(path, "--list")
    lines = text.splitlines()
    expect(status == 0 and lines[0] == "GGUF 3: 2 tensors, 154 bytes", f"--list: {text}")
    expect([line.split()[-1] for line in lines[1:3]] == ["llama", "10000.0"], f"metadata: {text}")
    expect(r"a\nb                   -5" in lines and r"general.name           a\nb" in lines, f"one line each: {text}")
    expect(r"w\x1b[2J  Q8_0     [2, 64]" in lines and "unread    IQ4_NL   [32]" in lines, f"tensors: {text}")


def check_llama(folder, compiler, flags):
    """Two programs' orders of rotary pairs, from one file: both compute the scores of the reference."""
    model = Llama(np.random.default_rng(11))
    path = folder / "llama.gguf"
    path.write_bytes(writer.gguf_bytes(model.metadata(), model.tensors))
    outputs = [folder / "huggingface.safetensors", folder / "llama2c.safetensors"]
    for names, output in zip(("huggingface", "llama2c"), outputs):
        status, _, errors = run_tool(path, "--safetensors", output, "--names", names, "--tokenizer", folder / "tokenizer.bin")
        expect(status == 0, f"Llama: {errors}")
    expect((folder / "tokenizer.bin").read_bytes() == model.tokenizer_bytes(), "the vocabulary")
    program = folder / "scores"
    built = subprocess.run([compiler, "-std=c++20", "-O0", "-DASHLAR_UNOPTIMIZED", *flags, f"-I{ROOT}",
                            str(ROOT / "tests/tools/read_gguf_scores.cpp"), "-o", str(program)], check=False)
    expect(built.returncode == 0, "the program compiles")
    if built.returncode:
        return
    expected = model.scores(TOKENS)
    for mode, output in zip(("halves", "interleaved"), outputs):
        done = subprocess.run([str(program), mode, str(output), *map(str, TOKENS)], capture_output=True, text=True, check=False)
        scores = np.array(done.stdout.split(), np.float64)
        close = scores.size == expected.size and np.abs(scores - expected.ravel()).max() < 1e-5 * np.abs(expected).max()
        expect(done.returncode == 0 and close, f"scores of {mode}: {done.stderr}")


def check_trained(folder, compiler, flags):
    """The trained model of ASHLAR_MODELS, written as llama.cpp would write it and converted back."""
    models = Path(os.environ.get("ASHLAR_MODELS", "")) / "stories260k"
    if "ASHLAR_MODELS" not in os.environ or not models.exists():
        return
    original = read_safetensors(models / "stories260K.safetensors")
    names = {"tok_embeddings": "token_embd.weight", "norm": "output_norm.weight"}
    of_block = {"attention_norm": "attn_norm", "wq": "attn_q", "wk": "attn_k", "wv": "attn_v", "wo": "attn_output",
                "ffn_norm": "ffn_norm", "w1": "ffn_gate", "w2": "ffn_down", "w3": "ffn_up"}
    names |= {f"layers.{i}.{a}": f"blk.{i}.{b}.weight" for i in range(5) for a, b in of_block.items()}
    raw = writer.gguf_bytes({"general.architecture": ("str", "llama")},
                            {other: writer.quantized("F32", original[name][1])[0] for name, other in names.items()})
    arrays = converted(folder, raw, "--names", "llama2c")
    expect(sorted(arrays) == sorted(names) and all(same(arrays[n], "F32", original[n][1]) for n in names), "the trained model")
    check_story(folder, models, {other: original[name][1] for name, other in names.items()}, compiler, flags)


# What llama.cpp 0.5 tells from the same file: 199 tokens by llama_decode, each the likeliest.
STORY = """Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, \
red ball. She wanted to play with it, but it was too high.
Lily's mom said, "Lily, let's go to the park." Lily was sad and didn't know what to do. She said, "I want to play with my \
ball." Her mom said, "I want to play with you, Lily. We can't find it."
Lily was sad and didn't know what to do. She said, "I'm sorry, Lily. I didn't know what to do."
"""


def check_story(folder, models, arrays, compiler, flags):
    """examples/stories tells what llama.cpp tells from Q8_0. Rows of 172 are no whole blocks: llama.cpp keeps them in F16."""
    kinds = {n: "F32" if a.ndim == 1 else "F16" if a.shape[1] % 32 else "Q8_0" for n, a in arrays.items()}
    raw = writer.gguf_bytes({"general.architecture": ("str", "llama")},
                            {n: writer.quantized(kinds[n], a)[0] for n, a in arrays.items()})
    (folder / "story.gguf").write_bytes(raw)
    status, _, errors = run_tool(folder / "story.gguf", "--safetensors", folder / "stories260K.safetensors", "--names", "llama2c")
    expect(status == 0, f"Q8_0: {errors}")
    shutil.copy(models / "tok512.bin", folder)
    built = subprocess.run([compiler, "-std=c++20", "-O1", *flags, str(ROOT / "examples/stories/main.cpp"), "-o",
                            str(folder / "stories")], check=False)
    expect(built.returncode == 0, "examples/stories compiles")
    if built.returncode == 0:
        told = subprocess.run([str(folder / "stories"), "--model", str(folder), "--steps", "199"], capture_output=True,
                              text=True, check=False).stdout
        expect(told.startswith(STORY.rstrip("\n")), f"the story from Q8_0: {told}")


def main():
    given = options(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        check_types(folder)
        check_rounding(folder)
        check_names(folder)
        check_list(folder)
        check_refusals(folder, expect, run_tool)
        check_llama(folder, given.compiler, given.flags)
        check_trained(folder, given.compiler, given.flags)
    return finished()


if __name__ == "__main__":
    sys.exit(main())
