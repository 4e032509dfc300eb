# SPDX-License-Identifier: BSL-1.0
"""For `source` in gdb: printers for ashlar's tensors, views, matrices of weights, expressions and plans."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from ashlar_debuggers import gdb_printers  # noqa: E402

del sys.path[0]
gdb_printers.register(None)
