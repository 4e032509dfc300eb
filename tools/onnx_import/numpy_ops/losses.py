# SPDX-License-Identifier: BSL-1.0
"""Losses of classes."""
import numpy as np

from .reductions import log_softmax_along
from .registry import evaluates


@evaluates("NegativeLogLikelihoodLoss")
def likelihood_loss(node, x, target, weight=None):
    ignored = node.attribute("ignore_index")
    kept = np.ones(target.shape, bool) if ignored is None else target != ignored
    safe = np.where(kept, target, 0)
    picked = -np.take_along_axis(x, np.expand_dims(safe, 1), 1).squeeze(1)
    factors = np.where(kept, 1 if weight is None else weight[safe], 0).astype(x.dtype)
    loss = picked * factors
    kind = node.attribute("reduction", "mean")
    if kind == "none":
        return loss.astype(x.dtype)
    return np.asarray(loss.sum() if kind == "sum" else loss.sum() / factors.sum()).astype(x.dtype)


@evaluates("SoftmaxCrossEntropyLoss")
def cross_entropy(node, x, target, weight=None):
    logarithms = log_softmax_along(x, (1,))
    return likelihood_loss(node, logarithms, target, weight), logarithms
