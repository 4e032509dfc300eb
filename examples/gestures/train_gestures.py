#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Trains the model of examples/gestures on synthetic recordings of an accelerometer and a gyroscope.

  train_gestures.py             writes gestures.safetensors (weights, 16-bit floating point) and
                                gesture_recordings.safetensors (recordings that were not trained on, with their gesture and
                                the scores that NumPy computes) beside this file, and says how often the model is right
  train_gestures.py --check     trains again and compares with these files, which must be the same but for rounding

Needs NumPy (Debian: python3-numpy). Recordings, first weights and batches come from seeds. A minute at most.
"""

import json
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums in one order, and no cores that others compute on

try:
    import numpy as np
except ModuleNotFoundError:
    print("skipped: needs NumPy (Debian: python3-numpy)")
    sys.exit(77)

FOLDER = os.path.dirname(os.path.abspath(__file__))
CLASSES = ["rest", "tap", "swipe left", "swipe right", "circle", "shake"]
STEPS, CHANNELS, RATE = 64, 6, 50.0  # readings of a recording, and how many a second
COUNTS = 4096.0  # of the sensor for 1 g, and for 250 degrees a second
STEPS_PER_TOKEN = 4
TOKENS, FEATURES = STEPS // STEPS_PER_TOKEN, STEPS_PER_TOKEN * CHANNELS
EMBED, HEADS, HIDDEN, EPS = 32, 4, 64, 1e-5


def rotations(random, count, most):
    """Matrices of small turns about three axes."""
    angles = random.uniform(-most, most, (count, 3))
    turned = np.broadcast_to(np.eye(3), (count, 3, 3))
    for axis in range(3):
        c, s = np.cos(angles[:, axis]), np.sin(angles[:, axis])
        m = np.zeros((count, 3, 3))
        i, j = (axis + 1) % 3, (axis + 2) % 3
        m[:, axis, axis] = 1
        m[:, i, i], m[:, i, j], m[:, j, i], m[:, j, j] = c, -s, s, c
        turned = turned @ m
    return turned


def record(random, count):
    """Recordings as 16-bit counts [count, STEPS, CHANNELS], and their classes."""
    labels = random.randint(0, len(CLASSES), count)
    t = np.arange(STEPS) / RATE
    at = lambda low, high: random.uniform(low, high, (count, 1))
    start, length, strength = at(0.1, 0.5), at(0.4, 0.75), at(0.6, 1.6)
    u = (t - start) / length
    inside = (u > 0) & (u < 1)
    fade = np.where(inside, np.sin(np.pi * u) ** 2, 0)
    swing = np.where(inside, np.sin(2 * np.pi * u), 0)
    direction = np.where(random.randint(0, 2, (count, 1)) == 0, -1.0, 1.0)
    phase, since = at(0, 2 * np.pi), np.maximum(t - start, 0)
    ringing = np.where(t > start, np.exp(-since / 0.08) * np.sin(2 * np.pi * at(12, 20) * since), 0)
    trembling = np.sin(2 * np.pi * at(4, 7) * t + phase)
    force, turn = np.zeros((count, STEPS, 3)), np.zeros((count, STEPS, 3))
    of = lambda name: (labels == CLASSES.index(name))[:, None]
    side = np.where(of("swipe left"), -1.0, 1.0)
    swipe = of("swipe left") | of("swipe right")
    force[:, :, 0] = np.where(swipe, side * swing, 0) + np.where(of("shake"), 1.2 * trembling, 0)
    turn[:, :, 2] = np.where(swipe, -side * 0.5 * fade, 0)
    circling = 2 * np.pi * direction * u
    force[:, :, 0] += np.where(of("circle"), 0.8 * fade * np.cos(circling + phase), 0)
    force[:, :, 1] = np.where(of("circle"), 0.8 * fade * np.sin(circling + phase), 0)
    turn[:, :, 1] = np.where(of("shake"), 0.4 * trembling, 0) + np.where(of("circle"), 0.3 * fade * np.sin(circling), 0)
    force[:, :, 2] = np.where(of("tap"), 2.2 * ringing, 0)
    turn[:, :, 0] = np.where(of("tap"), 0.4 * ringing, 0)
    force, turn = force * strength[:, :, None], turn * strength[:, :, None]
    # What a hand adds: gravity, from wherever it comes, slow movements, and noise.
    force[:, :, 2] += 1
    slow = np.sin(2 * np.pi * at(0.2, 1.2)[:, :, None] * t[None, :, None] + random.uniform(0, 2 * np.pi, (count, 1, 6)))
    hand = np.swapaxes(rotations(random, count, 0.6), 1, 2)
    values = np.concatenate([force @ hand, turn @ hand], axis=2)
    values += slow * random.uniform(0, 0.2, (count, 1, 6)) + random.normal(0, 0.06, values.shape)
    return np.clip(np.rint(values * COUNTS), -32768, 32767).astype(np.int16), labels


def tokens_of(counts):
    return counts.astype(np.float64).reshape(len(counts), TOKENS, FEATURES) / COUNTS


def first_weights(random):
    w = {}
    for name, out, inputs in (("embedding", EMBED, FEATURES), ("layer.self_attn.in_proj", 3 * EMBED, EMBED),
                              ("layer.self_attn.out_proj", EMBED, EMBED), ("layer.linear1", HIDDEN, EMBED),
                              ("layer.linear2", EMBED, HIDDEN), ("classifier", len(CLASSES), EMBED)):
        dot = "_" if name.endswith("in_proj") else "."
        w[name + dot + "weight"] = random.normal(0, 1, (out, inputs)) / np.sqrt(inputs)
        w[name + dot + "bias"] = np.zeros(out)
    for name in ("layer.norm1", "layer.norm2"):
        w[name + ".weight"], w[name + ".bias"] = np.ones(EMBED), np.zeros(EMBED)
    w["positions.weight"] = 0.3 * random.normal(0, 1, (TOKENS, EMBED))
    return w


def normalise(x):
    centred = x - x.mean(-1, keepdims=True)
    factor = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + EPS)
    return centred * factor, factor


def normalise_back(dy, y, factor):
    return factor * (dy - dy.mean(-1, keepdims=True) - y * (dy * y).mean(-1, keepdims=True))


def split(x):
    return x.reshape(len(x), TOKENS, HEADS, EMBED // HEADS).swapaxes(1, 2)


def merge(x):
    return x.swapaxes(1, 2).reshape(len(x), TOKENS, EMBED)


def scores_of(w, x, keep=None):
    """Scores of the classes, [count, classes]; what a step back needs is put into `keep`."""
    linear = lambda name, a: a @ w[name + ".weight"].T + w[name + ".bias"]
    h = linear("embedding", x) + w["positions.weight"]
    a = "layer.self_attn."
    q, k, v = map(split, np.split(h @ w[a + "in_proj_weight"].T + w[a + "in_proj_bias"], 3, axis=2))
    s = q @ k.swapaxes(2, 3) / np.sqrt(EMBED // HEADS)
    p = np.exp(s - s.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    heads = merge(p @ v)
    n1, f1 = normalise(h + linear(a + "out_proj", heads))
    y1 = n1 * w["layer.norm1.weight"] + w["layer.norm1.bias"]
    hidden = np.maximum(linear("layer.linear1", y1), 0)
    n2, f2 = normalise(y1 + linear("layer.linear2", hidden))
    mean = (n2 * w["layer.norm2.weight"] + w["layer.norm2.bias"]).mean(1)
    if keep is not None:
        keep.update(x=x, h=h, q=q, k=k, v=v, p=p, heads=heads, n1=n1, f1=f1, y1=y1, hidden=hidden, n2=n2, f2=f2, mean=mean)
    return linear("classifier", mean)


def gradients(w, x, labels):
    """Of the mean cross entropy with respect to every weight."""
    z, g = {}, {}
    scores = scores_of(w, x, z)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    p[np.arange(len(p)), labels] -= 1

    def back(weight, bias, dy, inputs):
        flat = dy.reshape(-1, dy.shape[-1])
        g[weight], g[bias] = flat.T @ inputs.reshape(-1, inputs.shape[-1]), flat.sum(0)
        return dy @ w[weight]

    def norm_back(name, dy, y, factor):
        g[name + ".weight"], g[name + ".bias"] = (dy * y).sum((0, 1)), dy.sum((0, 1))
        return normalise_back(dy * w[name + ".weight"], y, factor)

    linear_back = lambda name, dy, inputs: back(name + ".weight", name + ".bias", dy, inputs)
    d_mean = linear_back("classifier", p / len(p), z["mean"])
    d = norm_back("layer.norm2", np.repeat(d_mean[:, None, :] / TOKENS, TOKENS, axis=1), z["n2"], z["f2"])
    d_hidden = linear_back("layer.linear2", d, z["hidden"]) * (z["hidden"] > 0)
    d = norm_back("layer.norm1", d + linear_back("layer.linear1", d_hidden, z["y1"]), z["n1"], z["f1"])
    a = "layer.self_attn."
    d_heads = split(linear_back(a + "out_proj", d, z["heads"]))
    d_p = d_heads @ z["v"].swapaxes(2, 3)
    d_s = z["p"] * (d_p - (d_p * z["p"]).sum(-1, keepdims=True)) / np.sqrt(EMBED // HEADS)
    d_qkv = [d_s @ z["k"], d_s.swapaxes(2, 3) @ z["q"], z["p"].swapaxes(2, 3) @ d_heads]
    d = d + back(a + "in_proj_weight", a + "in_proj_bias", np.concatenate([merge(m) for m in d_qkv], axis=2), z["h"])
    g["positions.weight"] = d.sum(0)
    linear_back("embedding", d, z["x"])
    return g


def train(w, x, labels, random, steps=800, batch=64, rate=4e-3):
    """Adam, whose rate falls to nothing."""
    mean, square = ({name: np.zeros_like(v) for name, v in w.items()} for _ in range(2))
    for step in range(1, steps + 1):
        chosen = random.randint(0, len(x), batch)
        now = rate * min(1, step / 30) * (1 - (step - 1) / steps)
        for name, g in gradients(w, x[chosen], labels[chosen]).items():
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.99 * square[name] + 0.01 * g * g
            # Far above rounding, which would else decide where a gradient is zero but for it: biases of keys.
            w[name] = w[name] - now * (mean[name] / (1 - 0.9**step)) / (np.sqrt(square[name] / (1 - 0.99**step)) + 1e-6)


def write_safetensors(path, arrays):
    kinds = {"float16": "F16", "float32": "F32", "int16": "I16", "int32": "I32"}
    header, at, parts = {}, 0, []
    for name, value in sorted(arrays.items()):
        parts.append(np.ascontiguousarray(value).tobytes())
        header[name] = {"dtype": kinds[str(value.dtype)], "shape": list(value.shape), "data_offsets": [at, at + len(parts[-1])]}
        at += len(parts[-1])
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(parts))


def read_safetensors(path):
    kinds = {"F16": np.float16, "F32": np.float32, "I16": np.int16, "I32": np.int32}
    with open(path, "rb") as file:
        content = file.read()
    size = int.from_bytes(content[:8], "little")
    arrays = {}
    for name, of in json.loads(content[8 : 8 + size]).items():
        begin, end = of["data_offsets"]
        arrays[name] = np.frombuffer(content[8 + size + begin : 8 + size + end], kinds[of["dtype"]]).reshape(of["shape"])
    return arrays


def differences(name, made, kept):
    """What is wrong with a file: names, shapes, or values beyond rounding."""
    if made.keys() != kept.keys():
        return [f"{name}: other arrays: {sorted(made.keys() ^ kept.keys())}"]
    wrong = []
    for key, value in made.items():
        if value.shape != kept[key].shape or value.dtype != kept[key].dtype:
            wrong.append(f"{name}: {key} is {value.dtype} {value.shape}, in the file {kept[key].dtype} {kept[key].shape}")
            continue
        apart = np.abs(value.astype(np.float64) - kept[key].astype(np.float64))
        allowed = 0 if value.dtype.kind == "i" else 2e-3 * np.maximum(np.abs(value.astype(np.float64)), 0.5)
        if (apart > allowed).any():
            wrong.append(f"{name}: {key} differs by {apart.max():.3g}")
    return wrong


def main():
    x, labels = record(np.random.RandomState(1), 6000)
    w = first_weights(np.random.RandomState(2))
    train(w, tokens_of(x), labels, np.random.RandomState(3))
    weights = {name: value.astype(np.float16) for name, value in w.items()}
    rounded = {name: value.astype(np.float64) for name, value in weights.items()}

    x, labels = record(np.random.RandomState(4), 3000)
    scores = scores_of(rounded, tokens_of(x))
    right = scores.argmax(1) == labels
    for c, name in enumerate(CLASSES):
        print(f"{name:12} {100 * right[labels == c].mean():5.1f} %")
    print(f"{100 * right.mean():.1f} % of {len(x)} recordings that were not trained on")
    chosen = np.array([np.flatnonzero(labels == c)[i] for i in range(2) for c in range(len(CLASSES))])
    recordings = {"counts": x[chosen], "labels": labels[chosen].astype(np.int32), "scores": scores[chosen].astype(np.float32)}

    files = {"gestures.safetensors": weights, "gesture_recordings.safetensors": recordings}
    wrong = [] if right.mean() > 0.95 else ["the model is right too rarely"]
    for name, arrays in files.items():
        path = os.path.join(FOLDER, name)
        if sys.argv[1:] == ["--check"]:
            wrong += differences(name, arrays, read_safetensors(path))
        else:
            write_safetensors(path, arrays)
    for line in wrong:
        print("FAILED: " + line)
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
