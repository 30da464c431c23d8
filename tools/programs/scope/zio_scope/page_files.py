# SPDX-License-Identifier: GPL-2.0-only
"""The files of the page, including the library uPlot, which draws the curves."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "page"
UPLOT_VERSION = "1.6.32"
# SHA-256 of each file
UPLOT_FILES = {
    "uPlot.esm.js": "5dd9b3281aa64b461b42d9945f6adb2649d346502b12281a9ae0d46599a80eba",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
TYPES[".svg"] = "image/svg+xml"


class Missing(Exception):
    """A file of the page is missing on this machine. The text says how to get it."""


def uplot_directories() -> list[Path]:
    """Return where uPlot may be: the package, or the cache of fetch-uplot."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return [PAGE / "uplot", Path(cache) / "zio" / f"uplot-{UPLOT_VERSION}"]


def _uplot(name: str) -> bytes:
    for directory in uplot_directories():
        if (directory / name).is_file():
            return _checked(directory / name)
    raise Missing(
        f"{name} of uPlot {UPLOT_VERSION} is missing in "
        f"{', '.join(map(str, uplot_directories()))}: run "
        "tools/programs/scope/fetch-uplot"
    )


def _checked(path: Path) -> bytes:
    """Return the contents, checked: other programs of the user can write to the cache."""
    body = path.read_bytes()
    if hashlib.sha256(body).hexdigest() != UPLOT_FILES[path.name]:
        raise Missing(
            f"{path}: not the file of uPlot {UPLOT_VERSION}: remove {path.parent} and "
            "run tools/programs/scope/fetch-uplot"
        )
    return body


def load() -> dict[str, tuple[str, bytes]]:
    """Return type and contents of each file by its name in the URL."""
    found = {}
    for path in PAGE.iterdir():
        if path.suffix in TYPES:
            found[path.name] = (TYPES[path.suffix], path.read_bytes())
    for name in UPLOT_FILES:
        found[f"uplot/{name}"] = (TYPES[Path(name).suffix], _uplot(name))
    return found
