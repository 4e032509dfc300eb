# SPDX-License-Identifier: BSL-1.0
"""GGUF files that are wrong: each gives one line of error, and nothing is written."""
import os
import struct

import gguf_writer as writer
import numpy as np

LLAMA = {"general.architecture": ("str", "llama"), "llama.attention.head_count": ("u32", 2)}
F32 = (0, (2, 4), bytes(32))


def with_tensor(name, tensor, **metadata):
    return writer.gguf_bytes({**LLAMA, **metadata}, {name: tensor})


def header(tensors=0, entries=0, rest=b"", version=3):
    return b"GGUF" + struct.pack("<IQQ", version, tensors, entries) + rest


def info(name, kind=0, extents=(4,), offset=0):
    return writer.string(name) + struct.pack(f"<I{len(extents)}QIQ", len(extents), *extents, kind, offset)


def one_tensor(*arguments, data=bytes(64), **options):
    head = header(1, 0, info("x", *arguments, **options))
    return head + bytes(-len(head) % 32) + data


def two_tensors(offsets, names=("x", "y")):
    head = header(2, 0, info(names[0], offset=offsets[0]) + info(names[1], offset=offsets[1]))
    return head + bytes(-len(head) % 32) + bytes(128)


def entry(key, kind, raw):
    return header(0, 1, writer.string(key) + struct.pack("<I", kind) + raw)


def deep(levels):
    return struct.pack("<IQ", 9, 1) * levels + struct.pack("<IQ", 4, 0)


def cases():
    """What is wrong, the file, a part of the error, and options."""
    gguf = ("--names", "gguf")
    good = writer.gguf_bytes(LLAMA, {"token_embd.weight": F32})
    twice = writer.string("k") + struct.pack("<II", 4, 1)
    large = np.array([1e6, 1])
    yield "empty", b"", "empty"
    yield "magic", b"GGML" + good[4:], "no GGUF file"
    yield "three bytes", b"GGU", "no GGUF file"
    yield "version 1", header(version=1), "version 1"
    yield "version 4", header(version=4), "version 4"
    yield "big-endian", header(version=3 << 24), "big-endian"
    yield "many tensors", header(tensors=2 ** 63), "9,223,372,036,854,775,808 tensors"
    yield "many entries", header(entries=2 ** 40), "metadata entries"
    yield "long string", header(0, 1, struct.pack("<Q", 2 ** 62) + bytes(16)), "cut"
    yield "long value", entry("k", 8, struct.pack("<Q", 2 ** 62)), "k needs 4,611,686,018,427,387,904 bytes"
    yield "many elements", entry("k", 9, struct.pack("<IQ", 10, 2 ** 61)), "elements of k"
    yield "many strings", entry("k", 9, struct.pack("<IQ", 8, 2 ** 61)), "elements of k"
    yield "unknown metadata type", entry("k", 13, bytes(8)), "unknown type 13"
    yield "unknown element of an array", entry("k", 9, struct.pack("<IQ", 99, 1) + bytes(8)), "unknown type 99"
    yield "bool of 2", entry("k", 7, b"\2"), "bool"
    yield "arrays in arrays", entry("k", 9, deep(5000)), "deep"
    yield "key of no bytes", entry("", 4, bytes(4)), "0 bytes"
    yield "key that is no UTF-8", entry(b"\xff\n", 4, bytes(4)), r"\xff\n"
    yield "key twice", header(0, 2, twice + twice), "twice"
    yield "alignment of 0", entry("general.alignment", 4, struct.pack("<I", 0)), "power of two"
    yield "alignment of 24", entry("general.alignment", 4, struct.pack("<I", 24)), "power of two"
    yield "alignment of text", entry("general.alignment", 8, writer.string("32")), "power of two"
    yield "five axes", one_tensor(0, (1,) * 5), "5 axes"
    yield "many axes", header(1, 0, writer.string("x") + struct.pack("<I", 2 ** 31) + bytes(16)), "axes"
    yield "unknown type", one_tensor(77), "unknown type 77"
    yield "removed type", one_tensor(4), "unknown type 4"
    yield "part of a block", one_tensor(8, (33,)), "multiple of Q8_0's 32"
    yield "huge shape", one_tensor(0, (2 ** 63, 2 ** 63, 2 ** 63, 2 ** 63)), "of a file of"
    yield "offset behind the end", one_tensor(offset=96), "of a file of"
    yield "offset of 2^64", one_tensor(offset=2 ** 64 - 32), "of a file of"
    yield "offset between", one_tensor(offset=4), "alignment"
    yield "overlap", two_tensors((0, 0)), "x and y overlap"
    yield "name twice", two_tensors((0, 32), ("x", "x")), "two tensors"
    yield "type that is not read", one_tensor(20, (32,)), "IQ4_NL is not supported", gguf
    yield "one part of several", with_tensor("token_embd.weight", F32, **{"split.count": ("u16", 3)}), "llama-gguf-split"
    yield "no architecture", writer.gguf_bytes({}, {"x": F32}), "general.architecture"
    yield "architecture of a number", writer.gguf_bytes({"general.architecture": ("u32", 1)}, {"x": F32}), "int instead of str"
    yield "other architecture", writer.gguf_bytes({"general.architecture": ("str", "rwkv\n7")}, {"x": F32}), r"rwkv\n7"
    yield "unknown weight", with_tensor("blk.0.ffn_gate_exps.weight", F32), "no such weight"
    yield "unknown weight around", with_tensor("blk.-1.attn_q.weight", F32), "no such weight"
    yield "no heads", writer.gguf_bytes({"general.architecture": ("str", "llama")}, {"blk.0.attn_q.weight": F32}), "head_count"
    yield "heads of a block that has none", writer.gguf_bytes(
        {**LLAMA, "llama.attention.head_count_kv": ("[u32]", [1])}, {"blk.1.attn_k.weight": F32}), "block 1"
    yield "odd width of heads", with_tensor("blk.0.attn_q.weight", (0, (6, 4), bytes(96))), "no matrix of 2 heads"
    yield "vector to transpose", writer.gguf_bytes({"general.architecture": ("str", "gpt2")},
                                                   {"blk.0.ffn_up.weight": (0, (4,), bytes(16))}), "no matrix"
    yield "too large", with_tensor("token_embd.weight", writer.quantized("F32", large)[0]), "too large for F16", ("--dtype", "F16")
    yield "no vocabulary", good, "tokenizer.ggml.model", ("--tokenizer", "tokenizer.bin")
    tokenizer = ("--tokenizer", "tokenizer.bin")
    yield "other vocabulary", writer.gguf_bytes({**LLAMA, "tokenizer.ggml.model": ("str", "gpt2")}, {}), "SentencePiece", tokenizer
    yield "scores of other tokens", writer.gguf_bytes(
        {"tokenizer.ggml.model": ("str", "llama"), "tokenizer.ggml.tokens": ("[str]", ["a"]),
         "tokenizer.ggml.scores": ("[f32]", [0, 1])}, {}), "1 tokens, but 2 scores", tokenizer


def check_refusals(folder, expect, run_tool):
    folder = folder / "refused"
    folder.mkdir()
    source, target = folder / "in.gguf", folder / "out.safetensors"

    def refused(what, part, *options):
        status, out, errors = run_tool(source, "--safetensors", target, *options)
        expect(status == 2 and out == "" and errors.count("\n") == 1 and part in errors, f"{what}: {status} {errors}")
        expect(sorted(os.listdir(folder)) in (["in.gguf"], []), f"{what}: nothing is written: {os.listdir(folder)}")

    for what, raw, part, *options in cases():
        source.write_bytes(raw)
        more = [str(folder / o) if o.endswith(".bin") else o for o in (options[0] if options else ())]
        refused(what, part, *more)
    # Every prefix of a good file is refused, or has all its bytes.
    whole = writer.gguf_bytes({**LLAMA, "k": ("[str]", ["a", "b"]), "f": ("f64", 1.5)}, {"token_embd.weight": F32})
    for size in range(len(whole)):
        source.write_bytes(whole[:size])
        refused(f"cut to {size} bytes", "")
    # One wrong byte gives an error of one line or another file, never a traceback.
    random = np.random.default_rng(3)
    for at in range(len(whole)):
        source.write_bytes(whole[:at] + bytes([whole[at] ^ int(random.integers(1, 256))]) + whole[at + 1:])
        status, _, errors = run_tool(source, "--safetensors", target)
        expect(status in (0, 2) and errors.count("\n") == (status == 2), f"byte {at}: {errors}")
        target.unlink(missing_ok=True)
    source.write_bytes(whole)
    target.write_bytes(b"old")
    status, _, _ = run_tool(source, "--safetensors", target, "--names", "llama2c", "--dtype", "F16")
    expect(status == 0 and target.read_bytes() != b"old", "a file is replaced")
    target.unlink()
    status, _, errors = run_tool(source, "--safetensors", folder / "none" / "out")
    expect(status == 2 and errors.count("\n") == 1 and "none/out: No such file" in errors, f"no folder: {errors}")
    source.unlink()
    refused("no file", "no such file")
    os.mkfifo(source)
    refused("a pipe", "regular file")
    source.unlink()
