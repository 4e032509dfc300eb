#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Passes arrays to NumPy and back by DLPack, without copies: values, element types, owners, and what is refused.

    tests/interop/numpy/dlpack_numpy_test.py --compiler g++ -- -Iinclude

Exits with 77 (skipped) without NumPy 1.22, which has from_dlpack.
"""
import ctypes
import gc
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/tools"))
from tool_checks import expect, finished, options, skip_without  # noqa: E402

skip_without("numpy")
import numpy as np  # noqa: E402

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
FRESH, USED = b"dltensor", b"used_dltensor"  # a capsule keeps the address of its name
CODES = {"dtype": 4, "shape": 6, "strides": 7}  # of dlpack_error


class Given:
    """What a function of the library gives, for numpy.from_dlpack."""

    def __init__(self, function):
        function.restype = ctypes.c_void_p
        self.address = function()

    def __dlpack__(self, **_):
        return api.PyCapsule_New(self.address, FRESH, None)

    def __dlpack_device__(self):
        return 1, 0


def managed(array):
    """The address of NumPy's DLManagedTensor, which the caller now owns."""
    capsule = array.__dlpack__()
    address = api.PyCapsule_GetPointer(capsule, FRESH)
    api.PyCapsule_SetName(capsule, USED)
    return address


def check(library):
    for name, expected in (("f64", np.array([[0.0, 1.0], [2.0, 3.0]])), ("i8", np.array([-1, 2, 3], np.int8)),
                           ("f16", np.array([0.5, -2.0], np.float16)), ("scalar", np.array(2.5, np.float32))):
        array = np.from_dlpack(Given(getattr(library, f"give_{name}")))
        expect(array.dtype == expected.dtype and array.shape == expected.shape and (array == expected).all(), f"give_{name}: {array!r}")
    array = np.from_dlpack(Given(library.give_counted))
    row = array[2]
    del array
    gc.collect()
    expect(library.living() == 1 and row.tolist() == [8, 9, 10, 11], f"a part keeps the owner: {library.living()} {row}")
    del row
    gc.collect()
    expect(library.living() == 0, f"NumPy releases the owner: {library.living()}")

    library.take.restype = ctypes.c_float
    library.take.argtypes = library.double_columns.argtypes = [ctypes.c_void_p]
    numbers = np.arange(12, dtype=np.float32).reshape(3, 4)
    before = sys.getrefcount(numbers)
    expect(library.take(managed(numbers)) == 66, "the sum of NumPy's array")
    expect(library.take(managed(numbers[:, ::-1][:, ::-1])) == 66, "the sum of a part that is dense")
    for what, array in (("dtype", numbers.astype(np.float64)), ("shape", numbers.reshape(4, 3)), ("strides", np.asfortranarray(numbers))):
        expect(library.take(managed(array)) == -CODES[what], f"another {what}: {library.take(managed(array))}")
    expect(sys.getrefcount(numbers) == before, "NumPy's array is released, also after an error")
    columns = np.asfortranarray(numbers)
    expect(library.double_columns(managed(columns)) == 0 and (columns == 2 * numbers).all(), f"writes columns in place: {columns}")


def main():
    arguments = options(__doc__.splitlines()[0]).parse_args()
    if not hasattr(np, "from_dlpack"):
        print(f"skipped: NumPy {np.__version__} has no from_dlpack")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "arrays.so"
        subprocess.run([arguments.compiler, "-std=c++20", "-O1", "-DASHLAR_UNOPTIMIZED", "-shared", "-fPIC", *arguments.flags,
                        str(Path(__file__).with_name("arrays.cpp")), "-o", str(library)], check=True)  # fmt: skip
        check(ctypes.CDLL(str(library)))
    return finished()


if __name__ == "__main__":
    sys.exit(main())
