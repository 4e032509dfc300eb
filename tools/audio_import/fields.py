# SPDX-License-Identifier: BSL-1.0
"""Reads JSON files and checks everything before use."""
from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
from onnx_import.errors import ModelError

MOST_WIDTH = 4096  # of channels
MOST_REACH = 1 << 22  # of samples that a layer remembers


def not_finite(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def read_json(path: Path) -> Fields:
    """The object in a file."""
    try:
        entries = json.loads(path.read_text(), parse_constant=not_finite)
    except OSError as failure:
        raise ModelError(f"{path}: {failure.strerror}") from None
    except (ValueError, RecursionError) as failure:
        raise ModelError(f"{path}: no JSON: {failure}") from None
    if not isinstance(entries, dict):
        raise ModelError(f"{path}: no JSON object")
    return Fields(entries, "")


def shown(value: object) -> str:
    """A value of a file on one line, cut where it is long."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


class Fields:
    """An object of the file. Its members are checked when they are read; what is absent and has no default is an error."""

    def __init__(self, entries: dict, where: str) -> None:
        self.entries, self.where = entries, where

    def has(self, name: str) -> bool:
        return self.entries.get(name) is not None

    def named(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name

    def wrong(self, name: str, what: str) -> ModelError:
        return ModelError(f"{self.named(name)}: {what}")

    def any(self, name: str, default: object = None) -> object:
        found = self.entries.get(name)
        if found is None:
            found = default
        if found is None:
            raise self.wrong(name, "it is missing")
        return found

    def of_type(self, name: str, kind: str, what: str, default: object = None) -> object:
        found = self.any(name, default)
        if not isinstance(found, kind):
            raise self.wrong(name, f"{shown(found)} is no {what}")
        return found

    def text(self, name: str, default: object = None) -> str:
        return self.of_type(name, str, "text", default)

    def flag(self, name: str, default: object = None) -> bool:
        return self.of_type(name, bool, "true or false", default)

    def list(self, name: str, default: object = None) -> list:
        return self.of_type(name, list, "list", default)

    def number(self, name: str, default: object = None, most: int = MOST_WIDTH) -> int:
        """A positive integer."""
        return positive(self.any(name, default), self.named(name), most)

    def numbers(self, name: str, most: int = MOST_WIDTH) -> list[int]:
        return [positive(n, f"{self.named(name)}[{i}]", most) for i, n in enumerate(self.list(name))]

    def real(self, name: str, default: object = None) -> float:
        found = self.any(name, default)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not is_float(found):
            raise self.wrong(name, f"{shown(found)} is no number of 32 bits")
        return float(found)

    def fields(self, name: str) -> Fields:
        return Fields(self.of_type(name, dict, "object"), self.named(name))

    def objects(self, name: str) -> list[Fields]:
        """The objects of a list."""
        found = self.list(name)
        for i, entry in enumerate(found):
            if not isinstance(entry, dict):
                raise self.wrong(f"{name}[{i}]", f"{shown(entry)} is no object")
        return [Fields(entry, f"{self.named(name)}[{i}]") for i, entry in enumerate(found)]


def positive(found: object, where: str, most: int) -> int:
    if isinstance(found, bool) or not isinstance(found, int) or not 0 < found <= most:
        raise ModelError(f"{where}: {shown(found)} is no integer from 1 to {most}")
    return found


def is_float(number: float) -> bool:
    """Whether a number is finite as a float of 32 bits."""
    try:
        return math.isfinite(number) and abs(float(number)) <= float(np.finfo(np.float32).max)
    except OverflowError:
        return False


def check_reach(kernel: int, dilation: int, where: str) -> int:
    """(kernel - 1) * dilation, or an error if the state would be too large."""
    reach = (kernel - 1) * dilation
    if reach > MOST_REACH:
        raise ModelError(f"{where}: a kernel of {kernel} with dilation {dilation} remembers {reach:,} samples; {MOST_REACH:,} are the most")
    return reach


def array_of(found: object, shape: tuple, where: str) -> np.ndarray:
    """Nested lists of numbers as an array of this shape."""
    try:
        array = np.array(found, dtype=object)
        if any(type(number) not in (int, float) for number in array.flat):
            raise ValueError
        array = array.astype(np.float64)
    except (ValueError, OverflowError):
        raise ModelError(f"{where}: it is no array of numbers") from None
    if array.shape != tuple(shape):
        raise ModelError(f"{where}: the shape is {list(array.shape)}, but {list(shape)} fits")
    if not np.isfinite(array).all() or (np.abs(array) > np.finfo(np.float32).max).any():
        raise ModelError(f"{where}: a number is not finite as a float of 32 bits")
    return array.astype(np.float32).astype(np.float64)


class NumberList:
    """A flat list of weights, taken from front to back."""

    def __init__(self, found: object, where: str) -> None:
        self.numbers, self.where, self.at = array_of(found, (len(found),), where), where, 0

    def take(self, what: str, *shape: int) -> np.ndarray:
        count = math.prod(shape)
        if self.at + count > self.numbers.size:
            raise ModelError(f"{self.where}: it has {self.numbers.size:,} numbers, but {what} needs those up to {self.at + count:,}")
        self.at += count
        return self.numbers[self.at - count:self.at].reshape(shape)

    def finish(self) -> None:
        if self.at != self.numbers.size:
            raise ModelError(f"{self.where}: it has {self.numbers.size:,} numbers, but the layers need {self.at:,}")
