# SPDX-License-Identifier: BSL-1.0
"""What is shown of the variables of session.cpp beside their numbers; addresses are written as 0x."""
import re

HEADERS = {
    "q": "tensor of float [seq 4, head 6]",
    "view": "view of float [seq 4, head 6] at 0x",
    "columns": "view of float [head 6, seq 4] by strides [1, 6] at 0x",
    "part": "view of float [2, head 6] at 0x",
    "some": "view of float [seq 4, 3] by strides [6, 2] at 0x",
    "backwards": "view of float [seq 4, head 6] by strides [-6, 1] at 0x",
    "row_view": "view of float [head 6] at 0x",
    "repeated": "view of const float [head 6, 3] by strides [1, 0] at 0x",
    "named": "tensor of float [ä, \"b> 2, 2]",
    "scalar": "tensor of float []",
    "doubles": "tensor of double [3]",
    "longs": "tensor of long double [2]",
    "bools": "tensor of bool [2, 2]",
    "halves": "tensor of f16 [2, 3]",
    "brains": "tensor of bf16 [2, 3]",
    "tiny": "tensor of signed char [3]",
    "octets": "tensor of unsigned char [3]",
    "wide": "tensor of long [2]",
    "widest": "tensor of unsigned long [1]",
    "specials": "tensor of float [6]",
    "whole": "tensor of float [12]",
    "wrapped": "tensor of float [30]",
    "cube": "tensor of float [2, 2, 3]",
    "large": "tensor of float [40, 5, 7]",
    "weights": "tensor of float [70, 18]",
    "packed_weights": "packed matrix of float [70, 18] in panels of 16",
    "packed_brains": "packed matrix of bf16 [5, 20] in panels of 16",
    "bytes": "quantized matrix of float in 8 bits [70, 18]",
    "smooth": "quantized matrix of float in 8 bits, smoothed [96, 18]",
    "nibbles": "quantized matrix of float in 4 bits [70, 34]",
    "table": "tensor of int [2, 3]",
    "both.weight": "tensor of float [2, 2]",
    "both.bias": "tensor of bf16 [2]",
}
# For objects with static storage no variable of the frame is found: see `waiting`.
EXPRESSIONS = {
    "attend": """lazy float [seq 4, head 6]:
  matmul [seq 4, head 6]
    softmax<1> [seq 4, seq 4]
      masked(causal) [seq 4, seq 4]
        * [seq 4, seq 4]
          matmul [seq 4, seq 4]
            q: view of const float [seq 4, head 6] at 0x
            k: view of const float [head 6, seq 4] by strides [1, 6] at 0x
          0.408248
    q: view of const float [seq 4, head 6] at 0x""",
    "stored": """lazy float [seq 4, seq 4]:
  store into seen: view of float [seq 4, seq 4] at 0x
    softmax<1> [seq 4, seq 4]
      masked(causal && sliding_window<2, 0>) [seq 4, seq 4]
        matmul [seq 4, seq 4]
          q: view of const float [seq 4, head 6] at 0x
          k: view of const float [head 6, seq 4] by strides [1, 6] at 0x""",
    "chain": """lazy double [seq 4]:
  cast<double> [seq 4]
    sum<1> [seq 4]
      + [seq 4, head 6]
        cubed [seq 4, head 6]
          q: view of const float [seq 4, head 6] at 0x
        where [seq 4, head 6]
          > [seq 4, head 6]
            q: view of const float [seq 4, head 6] at 0x
            0
          k: view of const float [seq 4, head 6] at 0x
          1.5""",
    "twice": """lazy float [seq 4, head 6]:
  let [seq 4, head 6]
    exp [seq 4, head 6]
      q: view of const float [seq 4, head 6] at 0x
    / [seq 4, head 6]
      let_value [seq 4, head 6]
      + [seq 4, head 6]
        1
        let_value [seq 4, head 6]""",
    "solved": """lazy float [seq 4, head 6]:
  * [seq 4, head 6]
    det []
      seen: view of const float [seq 4, seq 4] at 0x
    solve_spd [seq 4, head 6]
      seen: view of const float [seq 4, seq 4] at 0x
      q: view of const float [seq 4, head 6] at 0x""",
    "by_bytes": """lazy float [2, 18]:
  matmul [2, 18]
    tensor of float [2, 70]
    bytes: quantized matrix of float in 8 bits [70, 18] at 0x""",
}
WAITING = """lazy float [2, 3]:
  relu [2, 3]
    * [2, 3]
      gains: view of const float [2, 3] at 0x
      0.5"""
# Tiles, lanes and scratch depend on the processor that the program is for.
PLAN = re.compile(
    r"plan: 1 step, [\d,]+ flops, [\d,]+ B of scratch, 0 barriers of 0 B\n"
    r"step 1: [\d,]+ flops, [\d,]+ B of scratch a tile, the result\n"
    r"  for every 4 of 4 rows\n"
    r"  [34] stages, 2 products of them, lanes: (rows|columns|depth)(, (columns|depth))*\n"
    r"  of 1 tile of keys: 0 skipped, 1 masked, 0 full\n?"
)
CORRUPTED = {
    "lost": r"view of float \[2, 2\] at 0x: <.*\b(access|read).*>",
    "no_bools": r"view of bool \[3\] at 0x: \[false,  true,     7\]",
    "overlong": r"<length 4000, more than the capacity>\nplan(\0)*",
    "dead": r"lazy float \[2, 2\]:\n  \* \[2, 2\]\n    exp \[2, 2\]\n      view of const float \[2, 2\] at 0x\n    2",
}
