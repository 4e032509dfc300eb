# SPDX-License-Identifier: BSL-1.0
"""Modules and options that tools/import_torch.py must refuse: each with one line of error and without any file."""
import io
import itertools
import json
import os
import warnings
import zipfile

import import_torch
import torch
from tool_checks import expect, expect_refusal
from torch_import import exported

SOURCE = '''
import torch
from torch import nn


class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Branch()

    def forward(self, x):
        return self.inner(x)


class Branch(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


class Counts(nn.Module):
    def forward(self, x):
        return x[:int(x.abs().max())]


class Item(nn.Module):
    def forward(self, x):
        return x * x.sum().item()


class Assigns(nn.Module):
    def forward(self, x):
        y = x + 1
        if y.mean() > 0:
            y[0] = 0
        return y


class Random(nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x)


class Undefined(nn.Module):
    def forward(self, x):
        return torch.log(-x.abs())


class Complex(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("turns", torch.ones(4) * 1j)

    def forward(self, x):
        return (x * self.turns).real


class Fails(nn.Module):
    def __init__(self):
        super().__init__()
        raise RuntimeError("no such weights")


class Wide(nn.Module):
    def __init__(self, width):
        super().__init__()


class Nothing(nn.Module):
    def forward(self, x):
        return 3


class Count(nn.Module):
    def forward(self, x):
        return (x > 0).nonzero()


def number():
    return 3


value = 3
'''


class Evil:
    """A pickle of it makes a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch '{self.path}'",)


def cases(folder):
    """Tuples of a title, the source, options, and what the error names."""
    (folder / "nets.py").write_text(SOURCE)
    (folder / "broken.py").write_text("import no_such_package\n")
    (folder / "bad.pt").write_bytes(b"no weights at all")
    (folder / "cut.safetensors").write_bytes(b"\xff\0\0\0\0\0\0\0{}")
    good = torch.nn.Linear(4, 2).state_dict()
    states = {"missing": {"fc.weight": good["weight"]}, "shape": {"fc.weight": good["weight"].t(), "fc.bias": good["bias"]},
              "more": {"fc.weight": good["weight"], "fc.bias": good["bias"], "gate": good["bias"]}, "object": {"fc": Evil(folder / "ran")},
              "number": {"fc.weight": 3}, "whole": torch.nn.Linear(4, 2), "two": {"ours": good, "theirs": good}}
    for name, state in states.items():
        torch.save(state, folder / f"{name}.pt")
    here, one = f"{folder}/nets.py:", ["--input", "3,4"]
    yield "no file", f"{folder}/none.py:Net", one, "no such file"
    yield "no class", f"{here}None_", one, "has no None_"
    yield "no colon", f"{folder}/nets.py", one, "no folder of a checkpoint"
    yield "broken file", f"{folder}/broken.py:Net", one, "no_such_package"
    yield "no package", "no_such_package.models:Net", one, "no_such_package"
    yield "fails", f"{here}Fails", one, "no such weights"
    yield "needs arguments", f"{here}Wide", one, "without arguments"
    yield "makes a number", f"{here}number", one, "no torch.nn.Module"
    yield "is a number", f"{here}value", one, "no torch.nn.Module"
    yield "no input", f"{here}Linear", [], "--input"
    yield "too many inputs", f"{here}Linear", one * 2, "does not take these inputs"
    yield "unknown input", f"{here}Linear", ["--input", "z=3,4"], "does not take these inputs"
    yield "wrong shape", f"{here}Linear", ["--input", "3,5"], "[3, 5] fails"
    yield "no shape", f"{here}Linear", ["--input", "a,b"], "integers"
    yield "empty shape", f"{here}Linear", ["--input", "0,4"], "no entries"
    yield "huge shape", f"{here}Linear", ["--input", "9999999999,4"], "too large"
    yield "unknown type", f"{here}Linear", ["--input", "3,4:complex64"], "complex64"
    yield "no sample", f"{here}Linear", ["--input", f"{folder}/none.npy"], "none.npy"
    yield "a branch", f"{here}Branch", one, "control flow that depends on data"
    yield "an index", f"{here}Counts", one, "depends on the inputs"
    yield "a number of the data", f"{here}Item", one, "item"
    yield "assignment", f"{here}Assigns", one, "control flow"
    yield "random numbers", f"{here}Random", one, "random numbers"
    yield "no numbers", f"{here}Undefined", one, "Undefined gives NaN"
    yield "complex numbers", f"{here}Complex", one, "turns: elements of torch.complex64"
    yield "no tensors", f"{here}Nothing", one, "no tensors"
    for name, text in {"missing": "fc.bias is missing", "shape": "fc.weight: the module needs [2, 4], the file has [4, 2]",
                       "more": "no gate", "object": "no file of weights alone", "number": "no tensor",
                       "whole": "no file of weights alone: Unsupported", "two": "ours is no tensor",
                       "bad": "no file of weights alone", "none": "no such file"}.items():
        yield f"state {name}", f"{here}Linear", one + ["--state", f"{folder}/{name}.pt"], text
    yield "cut state", f"{here}Linear", one + ["--state", f"{folder}/cut.safetensors"], "no safetensors file"
    config = {"model_type": "gpt2", "n_embd": 4, "n_head": 2, "n_layer": 1, "vocab_size": 5, "n_positions": 9}
    for name, weights, text in (("object", states["object"], "no file of weights alone"), ("missing", {"a": good["bias"]}, "missing")):
        (folder / f"checkpoint_{name}").mkdir()
        (folder / f"checkpoint_{name}/config.json").write_text(json.dumps(config))
        torch.save(weights, folder / f"checkpoint_{name}/pytorch_model.bin")
        yield f"checkpoint with {name}", f"{folder}/checkpoint_{name}", ["--input", "3", "--context", "8"], text
    yield "keyword", f"{here}Linear", one + ["--name", "while"], "--name while"
    yield "no name", f"{here}Linear", one + ["--name", "2x"], "--name 2x"
    yield "context", f"{here}Linear", one + ["--context", "9"], "--context is for checkpoints"
    yield "output is a file", f"{here}Linear", one + ["--out", f"{folder}/bad.pt"], "cannot write"


def programs(folder):
    """Files of torch.export that must be refused, as `cases`."""
    if not exported.IS_THERE:
        (folder / "any.pt2").write_bytes(b"")
        yield "old PyTorch", f"{folder}/any.pt2", [], "needs PyTorch 2.6"
        return
    good, rows = folder / "good.pt2", torch.export.Dim("rows", min=2, max=9)
    torch.export.save(torch.export.export(torch.nn.Linear(4, 2), (torch.randn(3, 4),)), good)
    torch.export.save(torch.export.export(torch.nn.Linear(4, 2), (torch.randn(3, 4),), dynamic_shapes=({0: rows},)), folder / "open.pt2")
    (folder / "cut.pt2").write_bytes(good.read_bytes()[:-200])
    (folder / "text.pt2").write_bytes(b"no program at all")
    weights = io.BytesIO()
    torch.save({"weight": torch.zeros(2, 4)}, weights)
    code = io.BytesIO()
    torch.save({"weight": Evil(folder / "ran")}, code)
    changed = {"evil": {"state_dict.pt": code.getvalue()}, "missing": {"state_dict.pt": weights.getvalue()},
               "cut_weights": {"state_dict.pt": weights.getvalue()[:-300]}, "no_graph": {"program.json": b"{}"},
               "deep": {"program.json": b"[" * 100_000}, "evil_inputs": {"example_inputs.pt": code.getvalue()}}
    for name, parts in changed.items():
        with zipfile.ZipFile(good) as old, zipfile.ZipFile(folder / f"{name}.pt2", "w") as new:
            for part in old.namelist():
                new.writestr(part, next((data for end, data in parts.items() if part.endswith(end)), old.read(part)))
        yield f"{name}.pt2", f"{folder}/{name}.pt2", [], "no program of torch.export, or damaged"
    yield "cut.pt2", f"{folder}/cut.pt2", [], "no program of torch.export, or damaged"
    yield "text.pt2", f"{folder}/text.pt2", [], "no program of torch.export, or damaged"
    yield "open.pt2", f"{folder}/open.pt2", [], "without a fixed extent"
    yield "none.pt2", f"{folder}/none.pt2", [], "no such file"
    yield "weights beside a program", str(good), ["--state", f"{folder}/more.pt"], "--state is for modules"
    yield "a wrong input of a program", str(good), ["--input", "5,4"], "does not run"
    yield "an input with a name", str(good), ["--input", "x=3,4"], "no names"


def check_refusals(folder):
    folder = folder / "refused"
    folder.mkdir()
    for title, source, options, text in itertools.chain(cases(folder), programs(folder)):
        out = folder / "out"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expect_refusal(title, import_torch.main, [source, "--out", out, *options], out, text)
    expect(not (folder / "ran").exists(), "no code of a file runs")
