# SPDX-License-Identifier: BSL-1.0
"""Imports a PyTorch module or a checkpoint as one C++ header of ashlar: the package behind tools/import_torch.py."""
