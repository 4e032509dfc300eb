# SPDX-License-Identifier: BSL-1.0
"""Products, attention and norms."""
import numpy as np

from onnx_import.errors import Uncovered

from .registry import translates


@translates("matmul", "bmm", "mm", "mv", "dot")
def matmul(b, x, y):
    return b.op("MatMul", b.common(x, y))


@translates("linear")
def linear(b, x, weight, bias=None):
    y = b.op("MatMul", [x, b.transpose(weight, [1, 0])])
    return y if bias is None else b.op("Add", [y, bias])


@translates("addmm", "baddbmm")
def addmm(b, x, y, z, *, beta=1, alpha=1):
    product = b.op("MatMul", [y, z])
    product = product if alpha == 1 else b.op("Mul", [product, b.value(alpha, x.dtype)])
    return b.op("Add", [x if beta == 1 else b.op("Mul", [x, b.value(beta, x.dtype)]), product])


@translates("einsum")
def einsum(b, equation, *operands):
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    return b.op("Einsum", list(operands), equation=equation)


@translates("outer")
def outer(b, x, y):
    return b.op("Mul", [b.reshape(x, x.shape + (1,)), y])


@translates("scaled_dot_product_attention")
def attention(b, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    rank = len(query.shape)
    if rank not in (3, 4) or enable_gqa:
        raise Uncovered("attention of other than three or four axes, or of groups of heads")
    heads = [query, key, value] if rank == 4 else [b.reshape(x, (x.shape[0], 1, *x.shape[1:])) for x in (query, key, value)]
    if rank == 3 and attn_mask is not None and len(attn_mask.shape) == 3:
        attn_mask = b.reshape(attn_mask, (attn_mask.shape[0], 1, *attn_mask.shape[1:]))
    y = b.op("Attention", heads + ([attn_mask] if attn_mask is not None else []), is_causal=int(is_causal), scale=scale)
    return y if rank == 4 else b.reshape(y, (y.shape[0], *y.shape[2:]))


# One step of a recurrent layer: the gates are those of nn.LSTM, nn.GRU and nn.RNN.


def gates(b, x, weight, bias, count):
    """[batch, hidden] for each gate."""
    y = linear(b, x, weight, bias)
    size = y.shape[1] // count
    return [b.slice(y, 1, i * size, (i + 1) * size) for i in range(count)]


@translates("lstm_cell")
def lstm_cell(b, x, state, w_ih, w_hh, b_ih=None, b_hh=None):
    h, c = state
    summed = [b.op("Add", pair) for pair in zip(gates(b, x, w_ih, b_ih, 4), gates(b, h, w_hh, b_hh, 4))]
    i, f, o = (b.op("Sigmoid", [summed[k]]) for k in (0, 1, 3))
    c = b.op("Add", [b.op("Mul", [f, c]), b.op("Mul", [i, b.op("Tanh", [summed[2]])])])
    return b.op("Mul", [o, b.op("Tanh", [c])]), c


@translates("gru_cell")
def gru_cell(b, x, h, w_ih, w_hh, b_ih=None, b_hh=None):
    of_x, of_h = gates(b, x, w_ih, b_ih, 3), gates(b, h, w_hh, b_hh, 3)
    r, z = (b.op("Sigmoid", [b.op("Add", [of_x[k], of_h[k]])]) for k in (0, 1))
    n = b.op("Tanh", [b.op("Add", [of_x[2], b.op("Mul", [r, of_h[2]])])])
    return b.op("Add", [n, b.op("Mul", [z, b.op("Sub", [h, n])])])


def rnn_cell(title):
    return lambda b, x, h, w_ih, w_hh, b_ih=None, b_hh=None: b.op(
        title, [b.op("Add", [linear(b, x, w_ih, b_ih), linear(b, h, w_hh, b_hh)])])


translates("rnn_tanh_cell")(rnn_cell("Tanh"))
translates("rnn_relu_cell")(rnn_cell("Relu"))


@translates("layer_norm")
def layer_norm(b, x, normalized_shape, weight=None, bias=None, eps=1e-5):
    ones = weight if weight is not None else np.ones(list(normalized_shape), x.dtype)
    parts = [x, ones] + ([bias] if bias is not None else [])
    return b.op("LayerNormalization", parts, axis=len(x.shape) - len(normalized_shape), epsilon=float(eps))


@translates("rms_norm")
def rms_norm(b, x, normalized_shape, weight=None, eps=None):
    ones = weight if weight is not None else np.ones(list(normalized_shape), x.dtype)
    eps = float(np.finfo(x.dtype).eps) if eps is None else float(eps)
    return b.op("RMSNormalization", [x, ones], axis=len(x.shape) - len(normalized_shape), epsilon=eps)


@translates("batch_norm")
def batch_norm(b, x, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    if training or running_mean is None:
        raise Uncovered("statistics of the batch, as in training")
    channels = x.shape[1]
    weight = weight if weight is not None else np.ones(channels, x.dtype)
    bias = bias if bias is not None else np.zeros(channels, x.dtype)
    return b.op("BatchNormalization", [x, weight, bias, running_mean, running_var], epsilon=float(eps))


@translates("group_norm")
def group_norm(b, x, num_groups, weight=None, bias=None, eps=1e-5):
    channels = x.shape[1]
    weight = weight if weight is not None else np.ones(channels, x.dtype)
    bias = bias if bias is not None else np.zeros(channels, x.dtype)
    return b.op("GroupNormalization", [x, weight, bias], num_groups=int(num_groups), epsilon=float(eps))


@translates("instance_norm")
def instance_norm(b, x, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5):
    if not use_input_stats:
        return batch_norm(b, x, running_mean, running_var, weight, bias, eps=eps)
    return group_norm(b, x, x.shape[1], weight, bias, eps)
