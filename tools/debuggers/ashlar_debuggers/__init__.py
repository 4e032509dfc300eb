# SPDX-License-Identifier: BSL-1.0
"""What gdb and lldb show of ashlar's values: the package behind ashlar_gdb.py and ashlar_lldb.py."""
