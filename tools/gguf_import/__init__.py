# SPDX-License-Identifier: BSL-1.0
"""Reads GGUF files of llama.cpp: the package behind tools/read_gguf.py."""
