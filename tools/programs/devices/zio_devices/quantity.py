# SPDX-License-Identifier: GPL-2.0-only
"""Numbers on the command line: 1k, 2.5MHz, 10us."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Callable

PREFIXES = {
    "": 1.0,
    "p": 1e-12,
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
}
NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([pnumkMG]?)(\D*)")


def read_quantity(text: str, unit: str) -> float:
    """Return a number with one of PREFIXES, and perhaps the unit behind it."""
    found = NUMBER.fullmatch(text)
    if not found or found[3] not in ("", unit):
        raise ArgumentTypeError(f"{text} is not a number, such as 2.5 or 10k{unit}")
    return float(found[1]) * PREFIXES[found[2]]


def quantity(unit: str, least: float, most: float) -> Callable[[str], float]:
    """Return a function that reads the word of an option, which has a range."""

    def convert(text: str) -> float:
        value = read_quantity(text, unit)
        if least <= value <= most:
            return value
        raise ArgumentTypeError(
            f"{text} is not from {least:g} to {most:g} {unit}".strip()
        )

    return convert
