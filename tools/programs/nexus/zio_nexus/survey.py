# SPDX-License-Identifier: GPL-2.0-only
"""Look at the controls in a block file on disk, to know its channels in advance."""

import mmap
import os
import stat
from dataclasses import dataclass
from typing import Any

import numpy as np
import zio

from .blocks import CONTROL_SIZE, ENDIAN_MARKS, NATIVE, Array, Run, channel_name
from .scaling import sample_type

# Blocks that are looked at in one step
STEP = 4096
SAME = ("nsamples", "ssize", "addr")


@dataclass
class Found:
    """A channel in the file. @control is that of the first block with samples."""

    control: Any
    length: int
    is_varying: bool = False

    def run(self) -> Run:
        """Return a run as an example of the blocks."""
        lengths = np.array([self.length])
        data = np.zeros(self.length, sample_type(self.control))
        controls = np.array([self.control], zio.control_dtype)
        return Run(channel_name(self.control), controls, data, lengths, np.zeros(1, int))


def survey(path: str) -> dict[str, Found]:
    """Return the channels in @path; none if it is no regular file. The survey ends where
    the file is damaged."""
    if (
        path == "-"
        or not stat.S_ISREG(os.stat(path).st_mode)
        or not os.path.getsize(path)
    ):
        return {}
    found: dict[str, Found] = {}
    with open(path, "rb") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            memory = np.frombuffer(view, np.uint8)
            _walk(memory, found)
            del memory
    return found


def _walk(memory: Array, found: dict[str, Found]) -> None:
    at = 0
    while at + CONTROL_SIZE <= len(memory):
        control = memory[at : at + CONTROL_SIZE].view(zio.control_dtype)[0].copy()
        if int(control["flags"]) & ENDIAN_MARKS != NATIVE:
            return
        size = CONTROL_SIZE + int(control["nsamples"]) * int(control["ssize"])
        _note(found, control)
        at += size * _count_alike(memory, at, size, control)


def _count_alike(memory: Array, at: int, size: int, control: Any) -> int:
    """Return how many blocks from @at on are of one channel and size, at least 1."""
    count = min(STEP, (len(memory) - at) // size)
    if count < 2:
        return 1
    rows = memory[at : at + count * size].reshape(count, size)[:, :CONTROL_SIZE]
    alike = np.ones(count, bool)
    for name in SAME:
        place = _place_of(name)
        alike &= (rows[:, place] == rows[0, place]).all(axis=1)
    return count if alike.all() else int(np.argmin(alike))


def _place_of(name: str) -> slice:
    """Return the bytes of a field of a control."""
    fields = zio.control_dtype.fields
    assert fields
    dtype, offset = fields[name][:2]
    return slice(offset, offset + dtype.itemsize)


def _note(found: dict[str, Found], control: Any) -> None:
    name, length = channel_name(control), int(control["nsamples"])
    known = found.setdefault(name, Found(control, length))
    if length != known.length:
        known.is_varying = True
    if length and not int(known.control["nsamples"]):
        known.control = control
