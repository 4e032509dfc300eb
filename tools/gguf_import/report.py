# SPDX-License-Identifier: BSL-1.0
"""What a file contains, as text: metadata, then tensors."""
import numpy as np

from .blocks import TYPES
from .file import shown

WIDEST = 60


def shown_value(value):
    if isinstance(value, (list, np.ndarray)):
        few = len(value) <= 8 and all(isinstance(v, (int, float, np.number)) for v in value)
        return str([v.item() if isinstance(v, np.number) else v for v in value]) if few else f"[{len(value):,} values]"
    text = shown(str(value))
    return text if len(text) <= WIDEST else text[:WIDEST] + "..."


def contents(file):
    rows = [(shown(key), shown_value(value)) for key, value in file.metadata.items()]
    width = max((len(key) for key, _ in rows), default=0)
    lines = [f"GGUF {file.version}: {len(file.tensors):,} tensors, {sum(len(t.data) for t in file.tensors):,} bytes"]
    lines += [f"{key:{width}}  {value}" for key, value in rows]
    names = [shown(t.name) for t in file.tensors]
    width = max(map(len, names), default=0)
    lines += [f"{name:{width}}  {TYPES[t.type].name:7}  {list(t.shape)}" for name, t in zip(names, file.tensors)]
    return "\n".join(lines)
