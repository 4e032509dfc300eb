# SPDX-License-Identifier: BSL-1.0
"""Imports an ONNX model as one C++ header of ashlar: the package behind tools/import_onnx.py."""
