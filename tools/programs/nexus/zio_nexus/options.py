# SPDX-License-Identifier: GPL-2.0-only
"""Parse the words of options: counts, sizes, times."""

from argparse import ArgumentTypeError
from collections.abc import Mapping

from zio.cli import number

SUFFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
# The largest count in C that the options reach
MOST = (1 << 63) - 1


def _scaled(text: str, units: Mapping[str, float]) -> float:
    """Read a number followed by one of @units."""
    digits = text.rstrip("".join(units))
    unit = text[len(digits) :]
    if unit not in units:
        raise ValueError(text)
    return float(digits) * units[unit]


def _bytes(text: str) -> float:
    return _scaled(text, SUFFIXES)


def _seconds(text: str) -> float:
    return _scaled(text, UNITS)


def size(text: str) -> int:
    """Read a size, such as 500M."""
    return int(_size(text))


def method(text: str) -> str:
    """Refuse a method of older versions."""
    if text == "mmap":
        raise ArgumentTypeError("the method mmap is gone: use ring, or leave it out")
    return text


_size = number(0, MOST, read=_bytes)
count = number(0, MOST)
milliseconds = number(0, (1 << 31) - 1)
level = number(0, 9)
chunk = number(0, 1 << 20)
# Such as 10, 2.5s, 30m or 1h
seconds = number(0, 10**10, read=_seconds, name="time")
# In Hz, in the range of a control.
rate = number(1e-9, (1 << 32) - 1, read=float)
