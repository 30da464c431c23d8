# SPDX-License-Identifier: GPL-2.0-only
"""The parts of the page, and the library uPlot, which draws the curves."""

from __future__ import annotations

import os
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "page"
UPLOT_VERSION = "1.6.32"
UPLOT_FILES = ("uPlot.esm.js", "uPlot.min.css")
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
TYPES[".svg"] = "image/svg+xml"


class Missing(Exception):
    """A part of the page is not on this machine. The text tells how to get it."""


def uplot_directories() -> list[Path]:
    """Return where uPlot may be: in the package, or in the cache of fetch-uplot."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return [PAGE / "uplot", Path(cache) / "zio" / f"uplot-{UPLOT_VERSION}"]


def _uplot(name: str) -> bytes:
    for directory in uplot_directories():
        if (directory / name).is_file():
            return (directory / name).read_bytes()
    raise Missing(
        f"{name} of uPlot {UPLOT_VERSION} is in none of "
        f"{', '.join(map(str, uplot_directories()))}: run tools/scope/fetch-uplot"
    )


def load() -> dict[str, tuple[str, bytes]]:
    """Return the type and the contents of each file by its name in the URL."""
    found = {}
    for path in PAGE.iterdir():
        if path.suffix in TYPES:
            found[path.name] = (TYPES[path.suffix], path.read_bytes())
    for name in UPLOT_FILES:
        found[f"uplot/{name}"] = (TYPES[Path(name).suffix], _uplot(name))
    return found
