# SPDX-License-Identifier: BSL-1.0
"""Models in which a Reshape merges an open axis with others, for tools/import_onnx.py --capacity."""
import import_onnx_graphs as graphs
from graph_body import HEADS, WIDTH, Body
from onnx import helper


def merged_rows():
    """Products of all rows of a batch at once, as exporters write GPT-2's: batch and tokens merged, split again, an open batch
    merged with a fixed axis behind it, and tokens merged with a fixed axis before them."""
    b = Body(23)
    extents = b.extent("x", 0), b.extent("x", 1)
    rows = b("Reshape", f"x {b.constant([-1, WIDTH])}")
    wide = b("Gemm", f"{rows} {b.weight(WIDTH, 3 * WIDTH)} {b.weight(3 * WIDTH)}")
    split = b("Reshape", f"{wide} {b('Concat', f'{extents[0]} {extents[1]} {b.constant([3 * WIDTH])}', axis=0)}")
    b.nodes.append(helper.make_node("Split", [split], ["q", "k", "v"], axis=2))
    heads = b("Concat", f"{extents[0]} {extents[1]} {b.constant([HEADS])} {b.constant([WIDTH // HEADS])}", axis=0)
    q, k, v = (b("Transpose", b("Reshape", f"{x} {heads}"), perm=p)
               for x, p in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])))
    mixed = b("MatMul", f"{b('Softmax', b('MatMul', f'{q} {k}'), axis=-1)} {v}")
    rows = b("Reshape", f"{b('Transpose', mixed, perm=[0, 2, 1, 3])} {b.constant([-1, WIDTH])}")  # the width of a row is merged too
    rows = b("Gemm", f"{b.norm(rows)} {b.weight(WIDTH, WIDTH)} {b.weight(WIDTH)}")
    b.nodes.append(helper.make_node("Reshape", [rows, b("Shape", "x")], ["y"]))
    fixed = b("MatMul", f"{b('Flatten', 'z', axis=2)} {b.weight(4, 4)}")  # [batch * 5, 4], whose first rows count
    b.nodes.append(helper.make_node("Reshape", [fixed, b.constant([-1, 5, 4])], ["of_batch"]))
    behind = b("Softmax", b("Reshape", f"{b('Transpose', 'z', perm=[1, 0, 2])} {b.constant([-1, 2, 2])}"), axis=-1)  # [5 * batch, 2, 2]
    b.nodes.append(helper.make_node("Reshape", [behind, b("Concat", f"{b.constant([5])} {extents[0]} {b.constant([4])}", axis=0)],
                                    ["in_front"]))
    return graphs.model(b.nodes, [graphs.value("x", ["batch", "tokens", WIDTH]), graphs.value("z", ["batch", 5, 4])],
                        [graphs.value("y", ["batch", "tokens", WIDTH]), graphs.value("of_batch", ["batch", 5, 4]),
                         graphs.value("in_front", [5, "batch", 4])], b.weights, opset=17)


def merged_output():
    """All rows of two sentences in one axis that the caller gets."""
    b = Body(24)
    b.nodes.append(helper.make_node("Reshape", ["x", b.constant([-1, 4])], ["y"]))
    return graphs.model(b.nodes, [graphs.value("x", [2, "tokens", 4])], [graphs.value("y", [None, 4])], b.weights)
