# SPDX-License-Identifier: BSL-1.0
"""The formulas of transformers in NumPy, in double: what the tests of imported checkpoints compare with.

Weights have the names of PyTorch's layers, as in the written file: `layers.0.self_attn.in_proj_weight`.
"""
import numpy as np

from onnx_import.numpy_ops.elementwise import erf, sigmoid

ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * 0.5 * (1 + erf(x / np.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))),
    "silu": lambda x: x * sigmoid(x),
    "tanh": np.tanh,
}


class Weights:
    """The arrays of a module, in double; `at` is the module inside."""

    def __init__(self, arrays, path=""):
        self.arrays, self.path = arrays, path

    def at(self, name):
        return Weights(self.arrays, f"{self.path}{name}.")

    def __getitem__(self, name):
        return self.arrays[self.path + name].astype(np.float64)

    def get(self, name):
        return self[name] if self.path + name in self.arrays else None


def linear(w, x):
    y = x @ w["weight"].T
    return y if w.get("bias") is None else y + w["bias"]


def layer_norm(w, x, eps):
    y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * w["weight"]
    return y if w.get("bias") is None else y + w["bias"]


def rms_norm(w, x, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * w["weight"]


def heads_of(x, heads):
    return np.moveaxis(x.reshape(*x.shape[:-1], heads, -1), -2, -3)


def attend(q, k, v, heads, kept=None, scale=None, bias=0, kv_heads=None, turn=None):
    """Attention of projected rows [..., T, heads * width]. `kept` is true where a query sees a key."""
    kv_heads = kv_heads or heads
    q, k, v = heads_of(q, heads), heads_of(k, kv_heads), heads_of(v, kv_heads)
    if turn is not None:
        q, k = turn(q), turn(k)
    k, v = (np.repeat(x, heads // kv_heads, -3) for x in (k, v))
    scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale) + bias
    if kept is not None:
        scores = np.where(kept, scores, -np.inf)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    y = np.moveaxis(scores / scores.sum(-1, keepdims=True) @ v, -3, -2)
    return y.reshape(*y.shape[:-2], -1)


def projected(w, x, memory):
    """Queries, keys and values by one stacked matrix."""
    inner = w["in_proj_weight"].shape[0] // 3
    biases = np.zeros(3 * inner)
    if w.get("in_proj_bias") is not None:
        biases = w["in_proj_bias"]
    elif w.get("q_proj_bias") is not None:
        biases = np.concatenate([w["q_proj_bias"], np.zeros(inner), w["v_proj_bias"]])
    return [rows @ w["in_proj_weight"][i * inner:(i + 1) * inner].T + biases[i * inner:(i + 1) * inner]
            for i, rows in enumerate((x, memory, memory))]


def attention(w, x, heads, memory=None, **options):
    return linear(w.at("out_proj"), attend(*projected(w, x, x if memory is None else memory), heads, **options))


def feed_forward(w, x, activation, gated=False):
    function = ACTIVATIONS[activation]
    if gated:
        return linear(w.at("down_proj"), function(linear(w.at("gate_proj"), x)) * linear(w.at("up_proj"), x))
    return linear(w.at("linear2"), function(linear(w.at("linear1"), x)))


def layer(w, x, options, memory=None, own=None, cross=None):
    """A layer of an encoder, or with `memory` of a decoder. `own` and `cross` are the options of the attentions."""
    def norm(name, rows):
        return (rms_norm if options.get("rms") else layer_norm)(w.at(name), rows, options["eps"])

    parts = [lambda rows: attention(w.at("self_attn"), rows, options["heads"], **(own or {}))]
    if memory is not None:
        parts.append(lambda rows: attention(w.at("multihead_attn"), rows, options["heads"], memory, **(cross or {})))
    parts.append(lambda rows: feed_forward(w, rows, options["activation"], options.get("gated", False)))
    for i, part in enumerate(parts):
        name = f"norm{i + 1}"
        x = x + part(norm(name, x)) if options["norm_first"] else norm(name, x + part(x))
    return x


def stack(w, x, options, count, final_norm=False, **more):
    for i in range(count):
        x = layer(w.at(f"layers.{i}"), x, options, **more)
    if final_norm:
        x = (rms_norm if options.get("rms") else layer_norm)(w.at("norm"), x, options["eps"])
    return x


def causal(rows):
    return np.tril(np.ones((rows, rows), bool))


def rotation(width, base):
    """Rotates heads [..., T, width] by their positions: an entry of the first half with one of the second."""
    def turn(x):
        angles = np.arange(x.shape[-2])[:, None] * base ** (-np.arange(0, width, 2) / width)
        cosines, sines = (np.concatenate([part, part], -1) for part in (np.cos(angles), np.sin(angles)))
        first, second = x[..., :width // 2], x[..., width // 2:]
        return x * cosines + np.concatenate([-second, first], -1) * sines

    return turn


def llama_layer(w, x, options):
    attn, mlp, turn = w.at("self_attn"), w.at("mlp"), rotation(options["width"], options["base"])
    h = rms_norm(w.at("input_layernorm"), x, options["eps"])
    y = attend(*(linear(attn.at(f"{name}_proj"), h) for name in "qkv"), options["heads"], kv_heads=options["kv_heads"],
               kept=causal(x.shape[-2]), turn=turn)
    x = x + linear(attn.at("o_proj"), y)
    h = rms_norm(w.at("post_attention_layernorm"), x, options["eps"])
    return x + linear(mlp.at("down_proj"), ACTIVATIONS["silu"](linear(mlp.at("gate_proj"), h)) * linear(mlp.at("up_proj"), h))


def relative_buckets(queries, keys, buckets, distance, bidirectional):
    """T5's numbers of distances, [queries, keys]."""
    apart = np.arange(keys)[None, :] - np.arange(queries)[:, None]
    found = np.zeros(apart.shape, np.int64)
    if bidirectional:
        buckets //= 2
        found += (apart > 0) * buckets
        apart = np.abs(apart)
    else:
        apart = np.maximum(-apart, 0)
    exact = buckets // 2
    with np.errstate(divide="ignore"):
        far = exact + np.log(apart / exact) / np.log(distance / exact) * (buckets - exact)
    far = np.minimum(np.where(np.isfinite(far), far + 1e-9, 0).astype(np.int64), buckets - 1)  # a power of its base reaches it
    return found + np.where(apart < exact, apart, far)


def relative_bias(table, queries, keys, bidirectional, distance=128):
    """[heads, queries, keys] of a table [buckets, heads]."""
    return np.moveaxis(table.astype(np.float64)[relative_buckets(queries, keys, table.shape[0], distance, bidirectional)], -1, 0)


def convolution(w, x, stride):
    """A convolution of [..., in, T] with a kernel of three and a padding of one."""
    padded = np.concatenate([np.zeros_like(x[..., :1]), x, np.zeros_like(x[..., :1])], -1)
    count = (padded.shape[-1] - 3) // stride + 1
    taps = [padded[..., i:i + (count - 1) * stride + 1:stride] for i in range(3)]
    return sum(np.einsum("oi,...it->...ot", w["weight"][..., i], tap) for i, tap in enumerate(taps)) + w["bias"][:, None]
