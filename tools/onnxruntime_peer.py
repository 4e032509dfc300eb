# SPDX-License-Identifier: BSL-1.0
"""ONNX Runtime's C library in this process: sessions on one thread, timed by a function of ours."""
import ctypes
import pathlib
import platform
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ELEMENT_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
                 "float64": 11, "uint32": 12, "uint64": 13}  # of onnx.TensorProto


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


class OnnxRuntime:
    """Its C interface, whose table of functions only ever grows: these numbers are those of its first version."""
    ERROR_MESSAGE, CREATE_ENV, CREATE_SESSION, RUN, CREATE_OPTIONS = 2, 3, 8, 9, 10
    OPTIMIZATION_LEVEL, THREADS, CREATE_TENSOR, CREATE_MEMORY_INFO = 23, 24, 49, 69
    ALL_OPTIMIZATIONS, ERRORS, ARENA, VERSION = 99, 3, 1, 15

    class Base(ctypes.Structure):
        _fields_ = [("get_api", ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32)),
                    ("get_version", ctypes.CFUNCTYPE(ctypes.c_char_p))]

    def __init__(self, path):
        library = ctypes.CDLL(str(path))
        library.OrtGetApiBase.restype = ctypes.POINTER(self.Base)
        base = library.OrtGetApiBase().contents
        self.version = base.get_version().decode()
        self.api = base.get_api(self.VERSION)
        if not self.api:
            skip(f"ONNX Runtime {self.version} is too old")
        self.env = self.made(self.CREATE_ENV, ctypes.c_int(self.ERRORS), b"bench")
        self.memory = self.made(self.CREATE_MEMORY_INFO, ctypes.c_int(self.ARENA), ctypes.c_int(0))
        self.options = self.made(self.CREATE_OPTIONS)
        self.call(self.OPTIMIZATION_LEVEL, self.options, ctypes.c_int(self.ALL_OPTIMIZATIONS))
        self.call(self.THREADS, self.options, ctypes.c_int(1))

    def check(self, status):
        if status:
            message = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(self.api[self.ERROR_MESSAGE])(status)
            raise SystemExit(f"ONNX Runtime: {message.decode()}")

    def call(self, function, *arguments):
        self.check(ctypes.CFUNCTYPE(ctypes.c_void_p)(self.api[function])(*arguments))

    def made(self, function, *arguments):
        out = ctypes.c_void_p()
        self.call(function, *arguments, ctypes.byref(out))
        return out

    def session(self, model):
        return self.made(self.CREATE_SESSION, self.env, model, ctypes.c_size_t(len(model)), self.options)

    def tensor(self, values):
        shape = (ctypes.c_int64 * values.ndim)(*values.shape)
        return self.made(self.CREATE_TENSOR, self.memory, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes), shape,
                         ctypes.c_size_t(values.ndim), ctypes.c_int(ELEMENT_TYPES[values.dtype.name]))


class SessionCall:
    """A session and the arrays that it reads and writes, by name. The arrays must be contiguous.

    time() is that of the fastest of some turns, in nanoseconds. `clock` is time_session of tools/bench_turns.hpp.
    """

    def __init__(self, runtime, clock, session, inputs, outputs):
        self.runtime, self.clock, self.session, self.kept = runtime, clock, session, (inputs, outputs)
        clock.restype = ctypes.c_double
        self.names, self.inputs = self.arrays(inputs)
        self.output_names, self.outputs = self.arrays(outputs)

    def arrays(self, values):
        return ((ctypes.c_char_p * len(values))(*(name.encode() for name in values)),
                (ctypes.c_void_p * len(values))(*(self.runtime.tensor(v) for v in values.values())))

    def time(self, turns, calls):
        status = ctypes.c_void_p()
        best = self.clock(ctypes.c_void_p(self.runtime.api[self.runtime.RUN]), self.session, self.names, self.inputs,
                          ctypes.c_size_t(len(self.inputs)), self.output_names, ctypes.c_size_t(len(self.outputs)), self.outputs,
                          turns, calls, ctypes.byref(status))
        self.runtime.check(status.value)
        return best


def find_onnxruntime(given):
    place = pathlib.Path(given)
    if place.is_file():
        return place
    other = "x64" if platform.machine() == "aarch64" else "arm64"  # the npm package has both
    found = [p for p in sorted(place.rglob("libonnxruntime.so*")) if p.is_file() and other not in p.parts]
    return found[0] if found else skip(f"no libonnxruntime.so below {given}; --onnxruntime says where it is")


def find_xsimd():
    places = (p / s for p in ROOT.glob("build/deps/xsimd-*") for s in ("usr/include", "include"))
    return next((p for p in places if (p / "xsimd/xsimd.hpp").exists()), None)
