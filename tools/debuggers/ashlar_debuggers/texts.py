# SPDX-License-Identifier: BSL-1.0
"""Texts and plans: what explain(e) returns, and the numbers of plan<E>."""
from __future__ import annotations

from .errors import NotUnderstood, Unreadable
from .type_name import TypeName, integer
from .value import Value, all_known, read_at, text_of_bytes


def elements_of_std_array(array: Value) -> Value:
    """The C array in a std::array, of libstdc++ or of libc++."""
    try:
        return array.member("_M_elems")
    except NotUnderstood:
        return array.member("__elems_")


def fixed_text(value: Value, name: TypeName) -> str:
    """The characters of a fixed_text."""
    capacity, length = integer(name.arguments[0]), int(value.member("length").number())
    shown = min(max(length, 0), capacity)
    numbers = read_at(elements_of_std_array(value.member("characters")).array(), list(range(shown)))
    if not all_known(numbers):
        raise Unreadable("optimized out")
    note = "" if shown == length else f"<length {length}, more than the capacity>\n"
    return note + text_of_bytes(numbers)


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def count_of(value: Value, member: str) -> int:
    return int(value.member(member).number())


def plan_step(value: Value) -> str:
    """A plan_step, with the words of explain."""
    rows, tile = count_of(value, "rows"), count_of(value, "tile_rows")
    loops = count_of(value, "batch_loops")
    batch = read_at(elements_of_std_array(value.member("batch")).array(), list(range(min(max(loops, 0), 8))))
    keys = value.member("keys")
    parts = [f"{count_of(value, 'flops'):,} flops, {count_of(value, 'scratch_bytes'):,} B of scratch a tile"]
    parts[0] += ", the result" if count_of(value, "writes_result") else ""
    parts += [f"for every of {extent:,}" for extent in batch if extent is not None]
    parts.append(f"for every {tile:,} of {plural(rows, 'row')}" if rows != 1 else "once")
    products = count_of(value, "products")
    stages = plural(count_of(value, "stages"), "stage")
    stages += f", {plural(products, 'product')} of them" if products else ""
    lanes = [axis for axis in ("rows", "columns", "depth") if count_of(value, f"{axis}_in_lanes")]
    parts.append(stages + (f", lanes: {', '.join(lanes)}" if lanes else ""))
    for noun in ("barrier", "store"):
        if count_of(value, f"{noun}s"):
            parts.append(plural(count_of(value, f"{noun}s"), noun))
    total = count_of(keys, "total")
    if total:
        skipped, mixed, full = (count_of(keys, k) for k in ("skipped", "mixed", "full"))
        undecided = count_of(keys, "undecided")
        late = f", {undecided:,} decided at run time" if undecided else ""
        parts.append(f"of {plural(total, 'tile')} of keys: {skipped:,} skipped, {mixed:,} masked, {full:,} full{late}")
    return "\n".join([parts[0], *("  " + part for part in parts[1:])])


def plan_summary(value: Value, name: TypeName) -> str:
    """A plan_summary, with the words of explain."""
    count = integer(name.arguments[0])
    lines = [
        f"plan: {plural(count, 'step')}, {count_of(value, 'flops'):,} flops, "
        f"{count_of(value, 'scratch_bytes'):,} B of scratch, "
        f"{plural(count_of(value, 'barrier_count'), 'barrier')} of {count_of(value, 'barrier_bytes'):,} B"
    ]
    steps = elements_of_std_array(value.member("steps")) if count else None
    for i in range(count):
        lines.append(f"step {i + 1}: " + plan_step(steps.array_at(i)))
    return "\n".join(lines)
