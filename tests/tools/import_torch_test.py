#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Imports PyTorch modules by tools/import_torch.py, compiles what it writes in one program and runs it.

    tests/tools/import_torch_test.py --compiler g++ -- -Iinclude -mavx2

Exits with 77 (skipped) if NumPy is missing, or, once what needs no PyTorch has passed, if PyTorch is.
tests/tools/import_checkpoint_test.py needs NumPy alone.
"""
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from tool_checks import ROOT, called, expect, failures, finished, options, skip_without

skip_without("numpy")
from import_torch_orders import check_orders  # noqa: E402

check_orders(expect)
if failures:
    sys.exit(finished())
skip_without("torch")
import numpy as np  # noqa: E402
import torch  # noqa: E402
import import_torch  # noqa: E402
import import_torch_functions as functions  # noqa: E402
import import_torch_modules as modules  # noqa: E402
from import_torch_refusals import check_refusals  # noqa: E402
from imported_program import compile_and_run  # noqa: E402
from onnx_import.errors import ModelError  # noqa: E402
from onnx_import.safetensors import write_safetensors  # noqa: E402
from torch_import.page import covered_rows  # noqa: E402
from torch_import.part import NetTranslation, snake  # noqa: E402
from torch_import.run import RECORDERS, check_outputs, import_module, run_module  # noqa: E402
from torch_import.safetensors import read_safetensors  # noqa: E402
from torch_import.scope import Scope  # noqa: E402
from torch_import.source import samples_for  # noqa: E402
from torch_import.trace import Recorder, tensors_in  # noqa: E402


def check_names():
    expect([snake(n) for n in ("ResNetBlock", "MLP", "GPT2Block", "block")] == ["res_net_block", "mlp", "gpt2_block", "block"],
           "names of types")


def check_page():
    page = (ROOT / "docs/import_torch.md").read_text()
    expect(all(row in page for row in covered_rows()), "docs/import_torch.md lists the tables; run tools/torch_import/page.py")


def check_functions():
    """Each function alone: what is recorded gives the numbers of torch. The C++ of the operators is tested elsewhere.

    torch.export also has assignments to entries, and functions that it decomposes.
    """
    for recorder in RECORDERS:
        for title, module, inputs in functions.cases(recorder is not Recorder):
            problems = []
            try:
                with torch.no_grad():
                    scope = Scope(module, inputs, {}, "", problems, recorder)
                check_outputs(scope, run_module(module, inputs, {}))
                problems += NetTranslation(scope, "n").problems
            except ModelError as failure:
                problems.append(failure)
            expect(not problems, f"{title} by {recorder.__name__}: {str(problems)[:300]}")


def check_command(folder):
    """The whole command, with weights from a file: the outputs are those of the module with these weights."""
    (folder / "perceptron.py").write_text("from import_torch_modules import Perceptron\n")
    module = modules.randomise(modules.Perceptron())
    x = torch.randn(2, 16)
    torch.save({"state_dict": module.state_dict()}, folder / "weights.pt")
    np.save(folder / "x.npy", x.numpy())
    command = [sys.executable, str(ROOT / "tools/import_torch.py"), f"{folder}/perceptron.py:Perceptron", "--name", "by_command",
               "--state", str(folder / "weights.pt"), "--input", f"{folder}/x.npy", "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={"PYTHONPATH": str(Path(__file__).resolve().parent), "PATH": ""})
    expect(done.returncode == 0, f"the command imports a module: {done.stdout}{done.stderr}")
    if done.returncode == 0:
        found = read_safetensors(folder / "by_command_test.safetensors")["output.y"]
        expect(np.array_equal(found, module(x).detach().numpy()), "the weights are those of --state")
    write_safetensors(folder / "weights.safetensors", [(n, t.numpy()) for n, t in module.state_dict().items()])
    status, _, _ = called(import_torch.main, "import_torch_modules:Perceptron", "--state", folder / "weights.safetensors",
                          "--name", "by_package", "--input", folder / "x.npy", "--out", folder)
    expect(status == 0, "a module of a package is imported")
    expect((folder / "by_package_test.safetensors").read_bytes() == (folder / "by_command_test.safetensors").read_bytes(),
           "weights of a safetensors file are those of a file by torch.save")
    wrapped = {f"module.{n}": t for n, t in module.state_dict().items()}
    for name, state in {"model_state_dict": {"epoch": 3, "average": {"w": x}, "model_state_dict": module.state_dict()},
                        "only": {"net": wrapped, "losses": []}, "wrapped": wrapped}.items():
        torch.save(state, folder / "weights.pt")
        called(import_torch.main, "import_torch_modules:Perceptron", "--state", folder / "weights.pt", "--name", name, "--input",
               folder / "x.npy", "--out", folder)
        written = folder / f"{name}_test.safetensors"
        expect(written.exists() and written.read_bytes() == (folder / "by_command_test.safetensors").read_bytes(),
               f"weights of a file with {name}")
    return ["by_command"]


def check_samples():
    """A tuple of inputs, and integers below the entries of the smallest table."""
    args, _ = samples_for(modules.Steps(), ["3,2,4", "2,2,3+2,2,6"])
    expect(isinstance(args[1], tuple) and [tuple(t.shape) for t in args[1]] == [(2, 2, 3), (2, 2, 6)], "a tuple of inputs")
    args, _ = samples_for(modules.Nested(), ["2,200:int64"])
    expect(args[0].dtype == torch.int64 and int(args[0].max()) < 32, "integers below the entries of the smallest table")


def check_uncovered(folder):
    """What is not covered is listed with its path, all at once; the header has a stub, and the status is 1."""
    class Inner(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.inv(x)

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return torch.fft.fft(self.inner(x)).real + x

    complete, text = import_module(Outer(), [torch.randn(4, 4)], {}, "uncovered", folder)
    named = all(part in text for part in ("inner: linalg_inv", "fft_fft", "real"))
    expect(not complete and named, f"what is missing is listed: {text}")
    expect("TODO" in (folder / "uncovered.hpp").read_text(), "the header has stubs")


def check_assertion(folder):
    """What an assertion compares is no control flow."""
    complete, text = import_module(modules.Asserting(), [torch.randn(3, 4)], {}, "asserting", folder, through_onnx=False)
    expect(complete and "all_1" not in (folder / "asserting.hpp").read_text(), f"an assertion is left out: {text}")


def check_fallback(folder):
    """Operators that the tables lack are imported through ONNX, if it has them; the report says so."""
    try:
        import onnx  # noqa: F401
    except ImportError as missing:
        print(f"the way through ONNX is not tested: {missing}")
        return []
    x = torch.randn(2, 5)
    complete, text = import_module(modules.Exported(), [x], {}, "exported", folder)
    expect(complete and "through ONNX, because" in text and "scatter" in text, f"the way through ONNX: {text}")
    complete, text = import_module(modules.Exported(), [x], {}, "forbidden", folder, through_onnx=False)
    expect(not complete and "ONNX" not in text, f"not through ONNX if that is forbidden: {text}")
    complete, text = import_module(modules.randomise(modules.Perceptron()), [torch.randn(2, 16)], {}, "asked", folder,
                                   through_onnx=True)
    expect(complete and "through ONNX." in text, f"through ONNX if that is asked for: {text}")
    return ["exported", "asked"]


def check_saved(folder, name, module, inputs):
    """A file of torch.export gives the outputs of its module, without the code of the module. Returns the header."""
    modules.randomise(module)
    path = folder / f"{name}.pt2"
    torch.export.save(torch.export.export(module, tuple(inputs), strict=False), path)
    status, text, errors = called(import_torch.main, path, "--name", f"saved_{name}", "--out", folder)
    expect(status == 0, f"{name}.pt2: {text}{errors}")
    if status == 0:
        found = read_safetensors(folder / f"saved_{name}_test.safetensors")
        outputs = run_module(module, inputs, {})
        expect(len(found) == len(tensors_in(inputs)) + len(outputs), f"{name}.pt2: its inputs and outputs")
        for (output, array), tensor in zip(((n, a) for n, a in found.items() if n.startswith("output.")), outputs):
            expect(np.allclose(array, tensor.numpy(), 1e-5, 1e-5), f"{name}.pt2: {output} is that of the module")
    return (folder / f"saved_{name}.hpp").read_text() if status == 0 else ""


def check_export(folder):
    """Files of torch.export, and what it does not record."""
    if len(RECORDERS) == 1:
        print(f"torch.export is not tested: it needs PyTorch 2.6, this is {torch.__version__}")
        return []
    complete, text = import_module(modules.Changed(), [torch.randn(3, 4)], {}, "changed", folder, through_onnx=False)
    expect(complete and "recorded by torch.fx, because" in text, f"a module that torch.export does not record: {text}")
    cases = {name: (module, inputs) for name, module, inputs, _ in modules.cases()}
    for name in ("perceptron", "cnn", "residual", "tagger"):
        same = check_saved(folder, name, *cases[name]).replace(f"saved_{name}", name)
        header = (folder / f"{name}.hpp").read_text()
        expect(same.splitlines()[2:] == header.splitlines()[2:], f"{name}.pt2: its header is that of the module")
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    cases["layers"] = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), [torch.randn(2, 5, 16)]
    for name, part in {"cells": "nn::lstm<{.in = 4, .hidden = 6, .layers = 2, .projection = 3", "parts": "struct split_1 {",
                       "layers": "nn::multihead_attention<{.embed = 16, .heads = 2}> self_attn{};"}.items():
        expect(part in check_saved(folder, name, *cases[name]), f"{name}.pt2: its header has {part}")
    return ["saved_parts", "saved_layers"]


def main():
    given = options(__doc__).parse_args()
    warnings.simplefilter("ignore")
    check_names()
    check_page()
    check_samples()
    check_functions()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        names = check_command(folder) + check_fallback(folder)
        check_uncovered(folder)
        check_assertion(folder)
        check_refusals(folder)
        for name, module, inputs, texts in modules.cases():
            try:
                complete, text = import_module(modules.randomise(module), inputs, {}, name, folder, through_onnx=False)
                expect(complete and "torch.fx" not in text, f"{name}: {text}")
                header = (folder / f"{name}.hpp").read_text()
                for part in texts:
                    expect(part in header, f"{name}: its header has {part}")
                names.append(name)
            except ModelError as failure:
                expect(False, f"{name}: {failure}")
        names += check_export(folder)
        compile_and_run(names, folder, given.compiler, given.flags, most=4)
    return finished()


if __name__ == "__main__":
    sys.exit(main())
