# SPDX-License-Identifier: BSL-1.0
"""Formats ashlar's values for gdb and lldb: the package behind ashlar_gdb.py and ashlar_lldb.py."""
