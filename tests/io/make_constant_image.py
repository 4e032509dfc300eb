#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Writes tests/io/fixtures/constant_image.hpp: an encoder layer of PyTorch as an image, an input and its output.

The layout, fixtures/constant_encoder.layout, is what ashlar::io::save_layout<ashlar::test::constant_encoder> writes;
tests/io/export_pytorch_test.cpp compares it with the model's and says when it has to be written again.
"""

import pathlib
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
import export_pytorch  # noqa: E402


def array(kind, name, values, per_row, text):
    rows = [",".join(map(text, values[i:i + per_row])) for i in range(0, len(values), per_row)]
    return f"{kind} {name}[{len(values)}]{{\n" + ",\n".join(rows) + "};\n"


def main():
    torch.manual_seed(123)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 24, batch_first=True).double()
    with torch.no_grad():
        for parameter in layer.parameters():  # biases and norms are constants at first, which would hide mistakes
            parameter.copy_((parameter + 0.1 * torch.randn_like(parameter)).float())
    layer.train()  # without the fused path of inference; dropout is switched off below
    for module in layer.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    layer.self_attn.dropout = 0.0
    x = torch.randn(5, 8).float()
    y = layer(x.double()[None])[0].detach().float()

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "image")
        export_pytorch.save_image(layer, HERE / "fixtures/constant_encoder.layout", path)
        image = path.read_bytes()
    text = (
        "// SPDX-License-Identifier: BSL-1.0\n"
        "// A model image, an input and PyTorch's output. Made by tests/io/make_constant_image.py; do not edit.\n"
        "#pragma once\n\n// clang-format off\nnamespace ashlar::test {\n\n"
        + array("alignas(64) inline constexpr unsigned char", "constant_image", image, 30, str) + "\n"
        + array("inline constexpr float", "constant_input", x.flatten().tolist(), 5, lambda v: float.hex(v) + "f") + "\n"
        + array("inline constexpr float", "constant_output", y.flatten().tolist(), 5, lambda v: float.hex(v) + "f")
        + "\n}  // namespace ashlar::test\n"
    )
    (HERE / "fixtures/constant_image.hpp").write_text(text)


if __name__ == "__main__":
    main()
