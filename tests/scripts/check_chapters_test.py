#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Proves that tools/chapters.py finds errors, plans and values that differ from the compiler's, and wrong lines that are right."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.dont_write_bytecode = True
import chapters  # noqa: E402

PAGE = """# A page

## 1. A chapter

```cpp
const auto x = iota<float, 2, 3>();
const auto y = x * 2.0f;
```

<!-- output: y -->
```txt

```

```cpp nocompile
const auto z = matmul(x, x);
```

<!-- error -->
```txt

```

<!-- plan: y -->
```txt

```
"""


def outcome(page: Path, update: bool) -> tuple[int, str]:
    """The status of chapters.py for a folder with one page, and the page behind it."""
    options = [word for word in sys.argv[1:] if word != "--"]
    flags = options.index(next(word for word in options if word.startswith("-std=")))
    sys_argv, sys.argv = sys.argv, ["chapters.py", str(page.parent), str(page.parent / "work"), *options[:flags],
                                    *(["--update"] if update else []), "--", *options[flags:]]  # fmt: skip
    try:
        return chapters.main(), page.read_text(encoding="utf-8")
    finally:
        sys.argv = sys_argv


def main() -> int:
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.md"
        page.write_text(PAGE, encoding="utf-8")
        status, written = outcome(page, update=True)
        if status == chapters.UNSUITABLE:
            return status
        for text in ("[[ 0.,  2.,  4.]", "error: static assertion failed: ashlar: matmul: ", "note: 'matmul_inner_axes<3, 2>::agree'",
                     "plan of float [2, 3]: 1 step"):  # fmt: skip
            if status or text not in written:
                failures.append(f"--update wrote no {text!r}")

        # Each of these changes alone is found. All but the last concern the text, so one compilation serves them.
        read = chapters.read_page(page)
        shown = {number: block.code for number, block in enumerate(read.blocks) if block.kind in ("error", "plan", "output")}
        for name, before, after in (("another value", "2.,  4.", "2.,  5."), ("another error", "matmul: the", "matmul: a"),
                                    ("another plan", "6 flops", "7 flops"), ("no wrong line", "cpp nocompile", "text"),
                                    ("a chapter without code", "# A page", "# A page\n\n## 0. Nothing")):  # fmt: skip
            changed = written.replace(before, after, 1)
            page.write_text(changed, encoding="utf-8")
            if changed == written or not chapters.problems_of(chapters.read_page(page), shown):
                failures.append(f"{name} is not found")
        page.write_text(written.replace("matmul(x, x)", "matmul(x, transpose(x))"), encoding="utf-8")
        if outcome(page, update=True)[0] != 1:
            failures.append("a wrong line that compiles is not found")
    print("\n".join(failures) or "all violations are found")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
