#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Writes tests/io/corpus/archive: weight files, right and wrong, from which fuzzing begins and which tests replay."""

import io
import json
import pathlib
import struct
import zipfile

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus/archive"


def f32(*values):
    return struct.pack(f"<{len(values)}f", *values)


def write(name, content):
    (CORPUS / name).write_bytes(content)


def safetensors(header, data=b"", length=None, raw=None):
    """A file of a header (a dictionary, or raw bytes), perhaps with a wrong length before it."""
    text = json.dumps(header, separators=(",", ":")).encode() if raw is None else raw
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entries(arrays):
    """Header and data of arrays, (name, dtype, shape, bytes) each."""
    header, data = {}, b""
    for name, dtype, shape, content in arrays:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    return header, data


def changed(header, name, **fields):
    copy = json.loads(json.dumps(header))
    copy[name].update(fields)
    return copy


def npy(descr, shape, data, order="False", version=1):
    size = 10 if version == 1 else 12
    text = f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape}, }}"
    text += " " * (63 - (size + len(text)) % 64) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode() + data


def npz(members, method=zipfile.ZIP_STORED, comment=b"", zip64=True):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            with archive.open(info, "w", force_zip64=zip64) as member:  # as NumPy does
                member.write(content)
        archive.comment = comment
    return out.getvalue()


def patched(content, at, format_, value):
    out = bytearray(content)
    struct.pack_into(format_, out, at, value)
    return bytes(out)


def safetensors_files():
    good = [
        ("weight", "F32", [3, 2], f32(*range(6))),
        ("in_proj", "BF16", [2, 3], bytes(12)),
        ("bias", "F64", [3], struct.pack("<3d", 1, 2, 3)),
        ("ids", "I64", [2], struct.pack("<2q", 5, -6)),
        ("flags", "BOOL", [3], b"\1\0\2"),
    ]
    header, data = entries(good)
    write("good.safetensors", safetensors(header, data))
    pieces = [("weight", "F16", [3, 2], struct.pack("<6e", *range(6)))]
    pieces += [(f"proj.{i}", "F32", [1, 3], f32(1, 2, 3)) for i in range(2)]
    other, other_data = entries(pieces + good[2:])
    other["__metadata__"] = {"format": "pt", "a": '\u00e9\U0001f600"'}
    write("metadata_separate.safetensors", safetensors(other, other_data))
    strange = [('w\u00e9"\\\U0001f600', "F32", [2], f32(1, 2)), ("e", "U8", [0, 3], b""), ("scalar", "F32", [], f32(1))]
    write("escapes_empty_scalar.safetensors", safetensors(*entries(strange)))
    write("empty.safetensors", safetensors({}))
    write("nothing", b"")
    write("truncated_data.safetensors", safetensors(header, data)[:-5])
    write("truncated_header.safetensors", safetensors(header, data)[:60])
    write("header_too_large.safetensors", safetensors({}, length=1 << 40))
    write("header_beyond_file.safetensors", safetensors({}, length=1000))
    write("overlapping.safetensors", safetensors(changed(header, "bias", data_offsets=[0, 24]), data))
    write("out_of_range.safetensors", safetensors(changed(header, "bias", data_offsets=[1 << 50, (1 << 50) + 24]), data))
    write("offset_overflow.safetensors", safetensors(changed(header, "bias", data_offsets=[(1 << 64) - 25, (1 << 64) - 1]), data))
    write("shape_overflow.safetensors", safetensors(changed(header, "bias", shape=[1 << 32, 1 << 32, 3]), data))
    write("nine_axes.safetensors", safetensors(changed(header, "bias", shape=[1] * 9), data))
    write("gap.safetensors", safetensors(header, data + bytes(8)))
    entry = b'{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'
    write("duplicate.safetensors", safetensors(None, f32(1), raw=b'{"a":%b,"a":%b}' % (entry, entry)))
    write("duplicate_escaped.safetensors", safetensors(None, f32(1), raw=b'{"a":%b,"\\u0061":%b}' % (entry, entry)))
    malformed = [
        b'{"a":%b,}' % entry,
        b'{"a":[1]}',
        b'{"a":{}}',
        b'{"a\x01":1}',
        b"[]",
        b'{"\\ud800":1}',
        b'{"\\ud83d\\ude0',
        b'{"\xff":1}',
        b'{"__metadata__":{"a":1}}',
        b'{"__metadata__":{},"__metadata__":{}}',
        entry.replace(b"[1]", b"[-1]").join([b'{"a":', b"}"]),
        entry.replace(b"[1]", b"[1e0]").join([b'{"a":', b"}"]),
        entry.replace(b"[1]", b"[01]").join([b'{"a":', b"}"]),
        entry.replace(b"[1]", b"[99999999999999999999]").join([b'{"a":', b"}"]),
        entry.replace(b"F32", b"F4").join([b'{"a":', b"}"]),
        entry.replace(b"[0,4]", b"[4,0]").join([b'{"a":', b"}"]),
        entry.replace(b'"shape":[1]', b'"dtype":"F32"').join([b'{"a":', b"}"]),
    ]
    for i, raw in enumerate(malformed):
        write(f"malformed_{i:02}.safetensors", safetensors(None, f32(1), raw=raw))


def numpy_files():
    four = f32(1, 2, 3, 4)
    write("good.npy", npy("<f4", "(2, 2)", four))
    write("fortran_big.npy", npy(">f8", "(2, 2)", struct.pack(">4d", 1, 2, 3, 4), "True"))
    write("version2.npy", npy("<f2", "(2, 2)", struct.pack("<4e", 1, 2, 3, 4), version=2))
    write("scalar.npy", npy("|b1", "()", b"\1"))
    write("truncated.npy", npy("<f4", "(2, 2)", four[:-4]))
    write("trailing.npy", npy("<f4", "(2, 2)", four + f32(5)))
    write("object.npy", npy("|O", "(2, 2)", b"xxxx"))
    write("overflow.npy", npy("<f4", "(4294967296, 4294967296)", f32(1)))
    write("short.npy", b"\x93NUMPY\1\0")

    six = f32(*range(6))
    members = [
        ("weight.npy", npy("<f4", "(3, 2)", six)),
        ("in_proj.npy", npy("<f4", "(2, 3)", six, "True")),
        ("bias.npy", npy("<f8", "(3,)", struct.pack("<3d", 1, 2, 3))),
        ("ids.npy", npy("<i8", "(2,)", struct.pack("<2q", 1, 2))),
        ("flags.npy", npy("|b1", "(3,)", b"\1\0\1")),
    ]
    good = npz(members)
    end = good.rindex(b"PK\5\6")
    directory = struct.unpack_from("<I", good, end + 16)[0]
    second = good.index(b"PK\1\2", directory + 4)
    write("good.npz", good)
    write("comment.npz", npz(members[:2], comment=b"PK\5\6 comment", zip64=False))
    write("compressed.npz", npz(members, zipfile.ZIP_DEFLATED))
    write("empty.npz", npz([]))
    write("truncated.npz", good[:-30])
    write("bad_crc.npz", good.replace(six, f32(*range(1, 7)), 1))
    write("not_npy.npz", npz([("a.txt", b"hello")]))
    write("overlapping.npz", patched(good, second + 42, "<I", 0))
    write("bad_directory.npz", patched(good, end + 16, "<I", directory + 1000))
    write("bad_local.npz", patched(good, directory + 42, "<I", 0xFFFFFFF0))
    write("encrypted.npz", patched(good, directory + 8, "<B", 1))
    # zipfile warns of a second member of one name, so the name is changed afterwards.
    write("duplicate.npz", npz([("a.npy", members[0][1]), ("b.npy", members[0][1])]).replace(b"b.npy", b"a.npy"))


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    safetensors_files()
    numpy_files()


if __name__ == "__main__":
    main()
