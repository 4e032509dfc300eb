# SPDX-License-Identifier: BSL-1.0
"""What the tools say if this Python lacks one of their packages: one line instead of a traceback."""
import sys
from pathlib import Path
from typing import NoReturn

DEBIAN = {"matplotlib": "python3-matplotlib", "numpy": "python3-numpy", "onnx": "python3-onnx"}


def stop(missing: ModuleNotFoundError) -> NoReturn:
    """Ends the program with 1. Packages of apt are those of /usr/bin/python3 alone."""
    package = DEBIAN.get((missing.name or "").partition(".")[0])
    advice = f"; on Debian: apt install {package}, then /usr/bin/python3 {sys.argv[0]}" if package else ""
    sys.exit(f"{Path(sys.argv[0]).stem}: {missing} for {sys.executable}{advice}")
