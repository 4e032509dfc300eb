# SPDX-License-Identifier: BSL-1.0
"""Compares the compiled attention with NumPy's, and checks that wrong arrays are ValueErrors."""

import sys
import time

import numpy as np


def expected(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Causal attention in double precision."""
    scores = q.astype(np.float64) @ k.astype(np.float64).T / np.sqrt(q.shape[1])
    scores[np.triu_indices(len(q), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


def refused(text: str, call) -> None:
    """The call must raise a ValueError with the text."""
    try:
        call()
    except ValueError as error:
        assert text in str(error), f"{error!s} lacks {text!r}"
    else:
        raise AssertionError(f"no ValueError with {text!r}")


def main(folder: str) -> None:
    """Runs all checks on the module in a folder."""
    sys.path.insert(0, folder)
    import scorer

    random = np.random.default_rng(1)
    q, k, v = (random.standard_normal((64, 32), dtype=np.float32) for _ in range(3))
    out = np.zeros_like(q)
    address = out.ctypes.data
    scorer.attend(q, k, v, out)
    assert out.ctypes.data == address
    assert np.abs(out - expected(q, k, v)).max() < 1e-5
    refused("q has shape (32, 64), the model needs (64, 32)", lambda: scorer.attend(q.reshape(32, 64), k, v, out))
    refused("v has shape (64,), the model needs (64, 32)", lambda: scorer.attend(q, k, v[:, 0].copy(), out))
    refused("k has another dtype", lambda: scorer.attend(q, k.astype(np.float64), v, out))
    refused("q is not C-contiguous", lambda: scorer.attend(np.asfortranarray(q), k, v, out))
    out.flags.writeable = False
    refused("out is read-only", lambda: scorer.attend(q, k, v, out))
    out.flags.writeable = True
    best = min(timed(scorer.attend, q, k, v, out) for _ in range(20))
    print(f"{best * 1e6:.1f} us a call")


def timed(function, *arguments) -> float:
    """Seconds of one call, the mean of 1,000."""
    start = time.perf_counter()
    for _ in range(1000):
        function(*arguments)
    return (time.perf_counter() - start) / 1000


if __name__ == "__main__":
    main(sys.argv[1])
