# SPDX-License-Identifier: BSL-1.0
"""Writes GGUF files, element by element after ggml's docs/gguf.md and ggml-quants.c. It shares no code with the reader."""
import struct

import numpy as np

F32 = np.float32
KINDS = {"u8": (0, "<B"), "i8": (1, "<b"), "u16": (2, "<H"), "i16": (3, "<h"), "u32": (4, "<I"), "i32": (5, "<i"),
         "f32": (6, "<f"), "bool": (7, "<?"), "u64": (10, "<Q"), "i64": (11, "<q"), "f64": (12, "<d")}


def string(text):
    raw = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(raw)) + raw


def metadata_value(kind, value):
    """The type's number, and the bytes of a value. Arrays have kinds such as [u32]."""
    if kind == "str":
        return 8, string(value)
    if kind.startswith("["):
        parts = [metadata_value(kind[1:-1], v)[1] for v in value]
        number = metadata_value(kind[1:-1], value[0] if value else {"str": "", "bool": False}.get(kind[1:-1], 0))[0]
        return 9, struct.pack("<IQ", number, len(parts)) + b"".join(parts)
    number, form = KINDS[kind]
    return number, struct.pack(form, value)


def half_bytes(x):
    return np.float16(x).tobytes()


def stored_half(x):
    """A scale as a reader sees it."""
    return F32(np.float16(x))


def packed_nibbles(q):
    return bytes(q[j] | q[j + 16] << 4 for j in range(16))


def packed_fifth_bits(q):
    return struct.pack("<I", sum((v >> 4) << j for j, v in enumerate(q)))


def by_greatest(x, levels):
    """Q4_0 and Q5_0: the entry with the greatest magnitude becomes -levels. Integers and the scale."""
    greatest = x[int(np.argmax(np.abs(x)))]
    d = F32(greatest / F32(-levels))
    inverse = F32(1) / d if d else F32(0)
    return [min(2 * levels - 1, int(F32(v * inverse) + F32(levels + 0.5))) for v in x], d


def by_range(x, levels):
    """Q4_1 and Q5_1: least entry and steps above it."""
    least, d = x.min(), F32((x.max() - x.min()) / F32(levels))
    inverse = F32(1) / d if d else F32(0)
    return [min(levels, int(F32((v - least) * inverse) + F32(0.5))) for v in x], d, least


def q8_0(x):
    d = F32(np.abs(x).max() / F32(127))
    inverse = F32(1) / d if d else F32(0)
    q = [int(np.sign(v) * np.floor(np.abs(F32(v * inverse)) + F32(0.5))) for v in x]
    return half_bytes(d) + struct.pack("<32b", *q), [F32(v) * stored_half(d) for v in q]


def q4_0(x):
    q, d = by_greatest(x, 8)
    return half_bytes(d) + packed_nibbles(q), [F32(v - 8) * stored_half(d) for v in q]


def q5_0(x):
    q, d = by_greatest(x, 16)
    return (half_bytes(d) + packed_fifth_bits(q) + packed_nibbles([v & 15 for v in q]),
            [F32(v - 16) * stored_half(d) for v in q])


def q4_1(x):
    q, d, least = by_range(x, 15)
    return half_bytes(d) + half_bytes(least) + packed_nibbles(q), [F32(v) * stored_half(d) + stored_half(least) for v in q]


def q5_1(x):
    q, d, least = by_range(x, 31)
    return (half_bytes(d) + half_bytes(least) + packed_fifth_bits(q) + packed_nibbles([v & 15 for v in q]),
            [F32(v) * stored_half(d) + stored_half(least) for v in q])


# Blocks of 256: any bytes are a block, and this is the value of one element.

def half_at(block, at):
    return F32(np.frombuffer(block[at:at + 2], "<f2")[0])


def scale_and_min(s, i):
    if i < 4:
        return s[i] & 63, s[i + 4] & 63
    return s[i + 4] & 15 | (s[i - 4] >> 6) << 4, s[i + 4] >> 4 | (s[i] >> 6) << 4


def q2_k(b, e):
    half, part, l = e // 128, e % 128 // 32, e % 32
    s, q = b[e // 16], b[16 + 32 * half + l] >> 2 * part & 3
    return half_at(b, 80) * F32(s & 15) * F32(q) - half_at(b, 82) * F32(s >> 4)


def q3_k(b, e):
    half, part, l, i = e // 128, e % 128 // 32, e % 32, e // 16
    q = (b[32 + 32 * half + l] >> 2 * part & 3) - (0 if b[l] >> e // 32 & 1 else 4)
    s = (b[96 + i % 8] >> 4 * (i // 8) & 15 | (b[104 + i % 4] >> 2 * (i // 4) & 3) << 4) - 32
    return half_at(b, 108) * F32(s) * F32(q)


def q4_k(b, e):
    s, m = scale_and_min(b[4:16], e // 32)
    q = b[16 + 32 * (e // 64) + e % 32] >> 4 * (e // 32 % 2) & 15
    return half_at(b, 0) * F32(s) * F32(q) - half_at(b, 2) * F32(m)


def q5_k(b, e):
    s, m = scale_and_min(b[4:16], e // 32)
    q = b[48 + 32 * (e // 64) + e % 32] >> 4 * (e // 32 % 2) & 15 | (b[16 + e % 32] >> e // 32 & 1) << 4
    return half_at(b, 0) * F32(s) * F32(q) - half_at(b, 2) * F32(m)


def q6_k(b, e):
    half, part, l = e // 128, e % 128 // 32, e % 32
    low = b[64 * half + l + 32 * (part % 2)] >> 4 * (part // 2) & 15
    q = (low | (b[128 + 32 * half + l] >> 2 * part & 3) << 4) - 32
    s = struct.unpack("b", b[192 + e // 16:193 + e // 16])[0]
    return half_at(b, 208) * F32(s) * F32(q)


QUANTIZERS = {"Q4_0": (2, q4_0), "Q4_1": (3, q4_1), "Q5_0": (6, q5_0), "Q5_1": (7, q5_1), "Q8_0": (8, q8_0)}
# number, bytes of a block, where its scales of 16 bits are, element
SUPER_BLOCKS = {"Q2_K": (10, 84, (80, 82), q2_k), "Q3_K": (11, 110, (108,), q3_k), "Q4_K": (12, 144, (0, 2), q4_k),
                "Q5_K": (13, 176, (0, 2), q5_k), "Q6_K": (14, 210, (208,), q6_k)}
PLAIN = {"F32": (0, "<f4"), "F16": (1, "<f2"), "F64": (28, "<f8"), "I8": (24, "i1"), "I16": (25, "<i2"), "I32": (26, "<i4"),
         "I64": (27, "<i8")}


def random_super_blocks(name, shape, random):
    """The tensor and its values."""
    number, size, halves, element = SUPER_BLOCKS[name]
    raw, values = b"", []
    for _ in range(int(np.prod(shape)) // 256):
        block = bytearray(random.integers(0, 256, size, dtype=np.uint8).tobytes())
        for at in halves:
            block[at:at + 2] = half_bytes(random.normal())
        raw += block
        values += [element(bytes(block), e) for e in range(256)]
    return (number, shape, raw), np.array(values, F32).reshape(shape)


def quantized(name, array):
    """A tensor of rounded values, and what it then contains."""
    if name in PLAIN:
        raw = array.astype(PLAIN[name][1])
        return (PLAIN[name][0], array.shape, raw.tobytes()), raw
    if name == "BF16":
        raw = (array.astype("<f4").view("<u4") >> 16).astype("<u2")
        return (30, array.shape, raw.tobytes()), (raw.astype("<u4") << 16).view("<f4")
    number, block = QUANTIZERS[name]
    blocks = [block(x) for x in array.astype(F32).reshape(-1, 32)]
    return (number, array.shape, b"".join(b for b, _ in blocks)), np.array([v for _, v in blocks], F32).reshape(array.shape)


def gguf_bytes(metadata, tensors, version=3, alignment=32):
    """`metadata` maps keys to (kind, value), `tensors` names to (type number, shape, bytes)."""
    out = [b"GGUF", struct.pack("<IQQ", version, len(tensors), len(metadata))]
    for key, (kind, value) in metadata.items():
        number, raw = metadata_value(kind, value)
        out += [string(key), struct.pack("<I", number), raw]
    data = b""
    for name, (number, shape, raw) in tensors.items():
        out += [string(name), struct.pack("<I", len(shape)), b"".join(struct.pack("<Q", n) for n in reversed(shape))]
        out += [struct.pack("<IQ", number, len(data))]
        data += raw + bytes(-len(raw) % alignment)
    header = b"".join(out)
    return header + bytes(-len(header) % alignment) + data
