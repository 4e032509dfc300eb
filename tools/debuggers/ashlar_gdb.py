# SPDX-License-Identifier: BSL-1.0
"""For `source` in gdb: printers for ashlar's tensors, views, matrices of weights, expressions and plans. In a file that gdb
loads with a program, they are for that program."""
import os
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from ashlar_debuggers import gdb_printers  # noqa: E402

del sys.path[0]
gdb_printers.register(gdb.current_objfile())
