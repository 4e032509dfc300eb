#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes two networks of MLPerf Tiny as ONNX models with random weights: the keyword spotter and the anomaly detector.

    tools/make_tiny_models.py folder

Shapes are those of the benchmark's reference models, with batch normalisation folded into the layer before it, as
converters do it. Source: Banbury et al., MLPerf Tiny Benchmark, arXiv:2106.07597.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Network:
    """A chain of layers that ends in `value`."""

    def __init__(self, name: str, shape: list[int]) -> None:
        self.name = name
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.input = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
        self.value = "x"
        self.random = np.random.default_rng(1)

    def weight(self, name: str, shape: list[int], inputs: int) -> str:
        """A random array by which values keep their size."""
        values = self.random.normal(0, np.sqrt(2 / inputs), shape)
        self.weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def add(self, kind: str, name: str, *operands: str, **attributes: object) -> None:
        self.nodes.append(helper.make_node(kind, [self.value, *operands], [name], name, **attributes))
        self.value = name

    def conv(self, name: str, shape: list[int], pads: list[int], strides: list[int], group: int = 1) -> None:
        inputs = shape[1] * shape[2] * shape[3]
        operands = [self.weight(f"{name}.weight", shape, inputs), self.weight(f"{name}.bias", shape[:1], 100)]
        self.add("Conv", name, *operands, kernel_shape=shape[2:], pads=pads, strides=strides, group=group)
        self.add("Relu", f"{name}.relu")

    def dense(self, name: str, inputs: int, outputs: int, relu: bool = True) -> None:
        operands = [self.weight(f"{name}.weight", [inputs, outputs], inputs), self.weight(f"{name}.bias", [outputs], 100)]
        self.add("Gemm", name, *operands)
        if relu:
            self.add("Relu", f"{name}.relu")

    def save(self, folder: Path, shape: list[int]) -> None:
        output = helper.make_tensor_value_info(self.value, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, self.name, [self.input], [output], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        onnx.checker.check_model(model)
        onnx.save(model, str(folder / f"{self.name}.onnx"))


def keyword_spotter(folder: Path) -> None:
    """DS-CNN: 49 frames of 10 coefficients, 12 words; 2.66 million multiply-adds."""
    channels = 64
    net = Network("keyword_spotter", [1, 1, 49, 10])
    net.conv("stem", [channels, 1, 10, 4], [4, 1, 5, 1], [2, 2])
    for block in range(4):
        net.conv(f"depthwise{block}", [channels, 1, 3, 3], [1, 1, 1, 1], [1, 1], channels)
        net.conv(f"pointwise{block}", [channels, channels, 1, 1], [0, 0, 0, 0], [1, 1])
    net.add("GlobalAveragePool", "pool")
    net.add("Flatten", "flat")
    net.dense("words", channels, 12, relu=False)
    net.add("Softmax", "probability", axis=1)
    net.save(folder, [1, 12])


def anomaly_detector(folder: Path) -> None:
    """Dense autoencoder: five frames of 128 bands; 0.26 million multiply-adds."""
    widths = [640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640]
    net = Network("anomaly_detector", [1, widths[0]])
    for layer, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        net.dense(f"dense{layer}", inputs, outputs, relu=layer + 2 < len(widths))
    net.save(folder, [1, widths[-1]])


def main() -> None:
    parser = argparse.ArgumentParser(description="writes the networks of MLPerf Tiny with random weights")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    keyword_spotter(folder)
    anomaly_detector(folder)


if __name__ == "__main__":
    main()
