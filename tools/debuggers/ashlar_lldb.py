# SPDX-License-Identifier: BSL-1.0
"""For `command script import` in lldb: formatters for ashlar's tensors, views, matrices, expressions and plans."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from ashlar_debuggers import lldb_formatters  # noqa: E402

del sys.path[0]
summary = lldb_formatters.summary


def __lldb_init_module(debugger, _internal_dict):
    lldb_formatters.register(debugger, f"{__name__}.summary")
