#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Trains the model of examples/wake_word on speech that its program makes up.

  train_wake_word.py <program>           writes wake_word.safetensors (weights, 16-bit floating point) beside this file, and
                                         says how often the model is right; <program> is the built example
  train_wake_word.py <program> --check   looks whether these weights are right as often, and whether the program's scores are
                                         those of NumPy

Needs NumPy (Debian: python3-numpy). Sounds, first weights and batches come from seeds. A few minutes; the check, a second.
"""

import os
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "gestures"))
sys.dont_write_bytecode = True
from train_gestures import np, normalise, normalise_back, read_safetensors, write_safetensors  # ends with 77 without NumPy

CLASSES = ["-", "ashlar", "lintel", "mortar"]
FRAMES, BANDS, TOKENS, EMBED, HEADS, HIDDEN = 99, 32, 24, 32, 4, 64
ROWS = (FRAMES - 3) // 2 + 1


def record(program, seed, count):
    """Features [count, FRAMES, BANDS], classes, and the scores that the program computes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "windows")
        subprocess.run([program, "--features", str(seed), str(count), path], check=True)
        all_of_them = np.fromfile(path, np.float32).reshape(count, 1 + FRAMES * BANDS + len(CLASSES))
    x = all_of_them[:, 1 : 1 + FRAMES * BANDS].reshape(count, FRAMES, BANDS)
    return x, all_of_them[:, 0].astype(int), all_of_them[:, 1 + FRAMES * BANDS :]


def first_weights(random):
    w = {}
    for name, out, inputs in (("conv1", EMBED, 3 * BANDS), ("conv2", EMBED, 3 * EMBED),
                              ("layer.self_attn.in_proj", 3 * EMBED, EMBED), ("layer.self_attn.out_proj", EMBED, EMBED),
                              ("layer.linear1", HIDDEN, EMBED), ("layer.linear2", EMBED, HIDDEN),
                              ("classifier", len(CLASSES), EMBED)):
        dot = "_" if name.endswith("in_proj") else "."
        w[name + dot + "weight"] = random.normal(0, 1.4 if name.startswith("conv") else 1, (out, inputs)) / np.sqrt(inputs)
        w[name + dot + "bias"] = np.zeros(out)
    for name in ("layer.norm1", "layer.norm2"):
        w[name + ".weight"], w[name + ".bias"] = np.ones(EMBED), np.zeros(EMBED)
    w["positions.weight"] = 0.3 * random.normal(0, 1, (TOKENS, EMBED))
    return {name: value.astype(np.float32) for name, value in w.items()}


def windows(x):
    """Three rows side by side for each second row: [count, n, c] as [count, (n - 1) / 2, 3 c]."""
    n = (x.shape[1] - 3) // 2 + 1
    return np.concatenate([x[:, tap : tap + 2 * n - 1 : 2] for tap in range(3)], axis=2)


def windows_back(d, rows):
    """What `windows` does, for gradients."""
    n, c = d.shape[1], d.shape[2] // 3
    dx = np.zeros((len(d), rows, c), d.dtype)
    for tap in range(3):
        dx[:, tap : tap + 2 * n - 1 : 2] += d[:, :, tap * c : (tap + 1) * c]
    return dx


def split(x):
    return x.reshape(len(x), TOKENS, HEADS, EMBED // HEADS).swapaxes(1, 2)


def merge(x):
    return x.swapaxes(1, 2).reshape(len(x), TOKENS, EMBED)


def scores_of(w, x, keep=None):
    """Scores of the classes, [count, classes]; what a step back needs is put into `keep`."""
    linear = lambda name, a: (a.reshape(-1, a.shape[-1]) @ w[name + "weight"].T).reshape(*a.shape[:-1], -1) + w[name + "bias"]
    w1 = windows(x)
    r1 = np.maximum(linear("conv1.", w1), 0)
    w2 = windows(r1)
    r2 = np.maximum(linear("conv2.", w2), 0)
    h = r2 + w["positions.weight"]
    a = "layer.self_attn."
    q, k, v = map(split, np.split(linear(a + "in_proj_", h), 3, axis=2))
    s = q @ k.swapaxes(2, 3) / np.float32(np.sqrt(EMBED // HEADS))
    p = np.exp(s - s.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    heads = merge(p @ v)
    n1, f1 = normalise(h + linear(a + "out_proj.", heads))
    y1 = n1 * w["layer.norm1.weight"] + w["layer.norm1.bias"]
    hidden = np.maximum(linear("layer.linear1.", y1), 0)
    n2, f2 = normalise(y1 + linear("layer.linear2.", hidden))
    mean = (n2 * w["layer.norm2.weight"] + w["layer.norm2.bias"]).mean(1)
    if keep is not None:
        keep.update(w1=w1, r1=r1, w2=w2, r2=r2, h=h, q=q, k=k, v=v, p=p, heads=heads, n1=n1, f1=f1, y1=y1, hidden=hidden,
                    n2=n2, f2=f2, mean=mean)
    return linear("classifier.", mean)


def gradients(w, x, labels):
    """Of the mean cross entropy with respect to every weight."""
    z, g = {}, {}
    scores = scores_of(w, x, z)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    p[np.arange(len(p)), labels] -= 1

    def back(name, dy, inputs):
        flat = dy.reshape(-1, dy.shape[-1])
        g[name + "weight"], g[name + "bias"] = flat.T @ inputs.reshape(-1, inputs.shape[-1]), flat.sum(0)
        return (flat @ w[name + "weight"]).reshape(*dy.shape[:-1], -1)

    def norm_back(name, dy, y, factor):
        g[name + "weight"], g[name + "bias"] = (dy * y).sum((0, 1)), dy.sum((0, 1))
        return normalise_back(dy * w[name + "weight"], y, factor)

    d_mean = back("classifier.", p / np.float32(len(p)), z["mean"])
    d = norm_back("layer.norm2.", np.repeat(d_mean[:, None, :] / np.float32(TOKENS), TOKENS, axis=1), z["n2"], z["f2"])
    d_hidden = back("layer.linear2.", d, z["hidden"]) * (z["hidden"] > 0)
    d = norm_back("layer.norm1.", d + back("layer.linear1.", d_hidden, z["y1"]), z["n1"], z["f1"])
    a = "layer.self_attn."
    d_heads = split(back(a + "out_proj.", d, z["heads"]))
    d_p = d_heads @ z["v"].swapaxes(2, 3)
    d_s = z["p"] * (d_p - (d_p * z["p"]).sum(-1, keepdims=True)) / np.float32(np.sqrt(EMBED // HEADS))
    d_qkv = [d_s @ z["k"], d_s.swapaxes(2, 3) @ z["q"], z["p"].swapaxes(2, 3) @ d_heads]
    d = d + back(a + "in_proj_", np.concatenate([merge(m) for m in d_qkv], axis=2), z["h"])
    g["positions.weight"] = d.sum(0)
    d = windows_back(back("conv2.", d * (z["r2"] > 0), z["w2"]), ROWS)
    back("conv1.", d * (z["r1"] > 0), z["w1"])
    return g


def train(w, x, labels, random, steps, batch=64, rate=3e-3):
    """Adam, whose rate falls to nothing."""
    mean, square = ({name: np.zeros_like(v) for name, v in w.items()} for _ in range(2))
    for step in range(1, steps + 1):
        chosen = random.randint(0, len(x), batch)
        now = rate * min(1, step / 50) * (1 - (step - 1) / steps)
        for name, g in gradients(w, x[chosen], labels[chosen]).items():
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.99 * square[name] + 0.01 * g * g
            w[name] = w[name] - now * (mean[name] / (1 - 0.9**step)) / (np.sqrt(square[name] / (1 - 0.99**step)) + 1e-6)
            w[name] = w[name].astype(np.float32)


def as_in_pytorch(w):
    """Weights of convolutions as [out, in, taps]."""
    return {name: value.reshape(EMBED, 3, -1).swapaxes(1, 2) if name.startswith("conv") and name.endswith("weight") else value
            for name, value in w.items()}


def as_products(w):
    return {name: value.swapaxes(1, 2).reshape(EMBED, -1) if value.ndim == 3 else value for name, value in w.items()}


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    program, path = os.path.abspath(sys.argv[1]), os.path.join(FOLDER, "wake_word.safetensors")
    check = len(sys.argv) == 3
    if not check:
        x, labels, _ = record(program, 1_000_000, 16_000)
        w = first_weights(np.random.RandomState(2))
        train(w, x, labels, np.random.RandomState(3), 3_000)
        write_safetensors(path, {name: value.astype(np.float16) for name, value in as_in_pytorch(w).items()})

    w = {name: value.astype(np.float32) for name, value in as_products(read_safetensors(path)).items()}
    x, labels, found = record(program, 1, 600 if check else 3_000)
    scores = scores_of(w, x)
    right = scores.argmax(1) == labels
    for c, name in enumerate(CLASSES):
        print(f"{name:8} {100 * right[labels == c].mean():5.1f} %")
    print(f"{100 * right.mean():.1f} % of {len(x)} windows that were not trained on")
    wrong = [] if right.mean() > 0.95 else ["the model is right too rarely"]
    if check and np.abs(scores - found).max() > 1e-3:
        wrong.append(f"scores of the program differ by {np.abs(scores - found).max():.3g}")
    for line in wrong:
        print("FAILED: " + line)
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
