# SPDX-License-Identifier: GPL-2.0-only
"""The kernel modules of ZIO and their parameters."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAME = re.compile(r"zio[a-z0-9_-]*")
RAW: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape"}
"""How to open a file so that its bytes round-trip, as in the package zio."""
PARAMETER = re.compile(r"([a-z0-9_]+)=(.*)")


def place(module: str) -> Path:
    """Return the directory of a loaded module, such as zio-zero."""
    root = os.environ.get("ZIO_SYSFS") or "/sys"
    return Path(root, "module", module.replace("-", "_"))


def parameter(module: str, name: str) -> str:
    """Return the value of a parameter; "" if it cannot be read."""
    try:
        with open(place(module) / "parameters" / name, **RAW) as file:
            text: str = file.readline().rstrip("\n")
    except OSError:
        return ""
    # The kernel prints this for a text that was not given.
    return "" if text == "(null)" else text


def list_loads() -> Iterator[str]:
    """Yield a line "load MODULE [PARAMETER=VALUE]..." for each loaded module."""
    top = place("")
    for name in sorted(os.listdir(top)) if top.is_dir() else ():
        if name.startswith("zio"):
            folder = top / name / "parameters"
            names = sorted(os.listdir(folder)) if folder.is_dir() else []
            found = ((word, parameter(name, word)) for word in names)
            words = [f"{w}={v}" for w, v in found if v and not re.search(r"[ \t\"']", v)]
            # modprobe takes a hyphen for an underscore.
            yield " ".join(["load", name.replace("_", "-"), *words])
