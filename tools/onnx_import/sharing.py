# SPDX-License-Identifier: BSL-1.0
"""Which buffers of a program share memory: those of one element type that are not needed at the same time."""
import math
import re


def last_uses(lines, returned=""):
    """The last line that may read a buffer, by its name. Lazy expressions read when their readers are evaluated."""
    reached, last = {}, {}  # buffers that the expression of a name reads
    for number, line in enumerate(lines):
        found = set().union(*(reached.get(name, ()) for name in re.findall(r"[A-Za-z_]\w*", line.text)))
        for name in found:
            last[name] = max(last[name], math.inf if line.place in ("raw", "statement") else number)
        if line.place == "buffer":
            reached[line.name], last[line.name] = {line.name}, number
        elif line.name:
            reached[line.name] = found
    for name in re.findall(r"[A-Za-z_]\w*", returned):
        last.update({buffer: math.inf for buffer in reached.get(name, ())})
    return last


def size_of(line):
    return line.array.dtype.itemsize * line.array.size


def unused_bytes(slot, line):
    """What a buffer leaves unused in a slot. One that must grow for it comes after those that fit."""
    held, size = max(map(size_of, slot)), size_of(line)
    return held - size if held >= size else size + (size - held)


def shared_slots(lines, returned=""):
    """The lines of buffers as lists that share memory. The first line of a list writes first."""
    last, slots, ends = last_uses(lines, returned), [], []
    for number, line in enumerate(lines):
        if line.place in ("memory", "stub"):  # written by other lines, or by a person
            slots.append([line])
            ends.append(math.inf)
        if line.place != "buffer":
            continue
        free = [i for i, slot in enumerate(slots) if ends[i] < number and slot[0].array.dtype == line.array.dtype]
        best = min(free, key=lambda i: unused_bytes(slots[i], line), default=None)
        if best is None:
            slots.append([line])
            ends.append(last[line.name])
        else:
            slots[best].append(line)
            ends[best] = last[line.name]
    return slots


def slot_text(types, indent=" " * 8):
    """The member or the union of members of these pairs of a type and a name."""
    if len(types) == 1:
        return f"{indent}{types[0][0]} {types[0][1]}{{}};\n"
    members = [f"{indent}    {kind} {name}{'{}' if i == 0 else ''};\n" for i, (kind, name) in enumerate(types)]
    return f"{indent}union {{\n{''.join(members)}{indent}}};\n"
