# SPDX-License-Identifier: GPL-2.0-only
"""Look at the controls in a block file on disk, to know its channels in advance."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import zio
from zio.controls import addresses, block_of, channel_name, of_file

from .blocks import Array, Run

# Blocks that are looked at in one step
STEP = 4096


@dataclass
class Found:
    """A channel in the file. @control is that of the first block with samples."""

    control: Any
    length: int
    is_varying: bool = False

    def run(self) -> Run:
        """Return a run as an example of the blocks."""
        lengths = np.array([self.length])
        data = np.zeros(self.length, block_of(self.control).data.dtype)
        controls = np.array([self.control], zio.control_dtype)
        name = channel_name(self.control["addr"])
        return Run(name, controls, data, lengths, np.zeros(1, int))


def survey(path: str) -> dict[str, Found]:
    """Return the channels in @path; none if it is no regular file. The survey ends where
    the file is damaged."""
    if path == "-" or not stat.S_ISREG(os.stat(path).st_mode):
        return {}
    found: dict[str, Found] = {}
    with suppress(OSError):
        for controls in of_file(path, STEP):
            for control in _examples(controls):
                _note(found, control)
    return found


def _examples(controls: Array) -> Array:
    """Return one of the controls of each channel and length, in their order."""
    keys = np.column_stack((addresses(controls), controls["nsamples"]))
    if (keys == keys[0]).all():
        return controls[:1]
    _, first = np.unique(keys, axis=0, return_index=True)
    return np.asarray(controls[np.sort(first)])


def _note(found: dict[str, Found], control: Any) -> None:
    name, length = channel_name(control["addr"]), int(control["nsamples"])
    known = found.setdefault(name, Found(control, length))
    if length != known.length:
        known.is_varying = True
    if length and not int(known.control["nsamples"]):
        known.control = control
