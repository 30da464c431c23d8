# SPDX-License-Identifier: GPL-2.0-only
"""What the formats other than HDF5 have in common."""

import argparse
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from .blocks import Array, Gaps, Run, lost_before
from .failure import Failure, say, storing
from .scaling import NUMBERS, scaling_of
from .source import Step
from .target import Part, Target


class Converter(ABC):
    """Writes runs to one file, or to one file for each channel. A file gets its name when
    it is whole."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        self.values = values
        self.target = target
        self.gaps: dict[str, Gaps] = {}
        self.parts: list[Part] = []
        self.written = 0
        # Blocks in files that are whole, and on the disk
        self.stored = 0
        self.is_ending = False

    @abstractmethod
    def write(self, run: Run) -> None:
        """Write blocks."""

    @abstractmethod
    def close(self) -> None:
        """Write what ends the files. They stay open."""

    def add(self, step: Step) -> None:
        for run in step.runs:
            with storing(str(self.target.path)):
                self.write(run)
            self.written += len(run)

    def flush(self) -> None:
        """Do nothing: a file is whole at its end only."""

    def finish(self) -> None:
        self.is_ending = True
        with storing(str(self.target.path)):
            self.close()
        for part in self.parts:
            part.publish()
            self.target.files.append(part.path)
        self.stored = self.written

    def give_up(self) -> None:
        """After an error: files leave nothing, they can be converted again. Blocks of a
        channel or a pipe come only once: keep those that were written."""
        if all(map(os.path.isfile, self.values.names)):
            self.discard()
            return
        try:
            if self.written and not self.is_ending:
                self.finish()
                return
        except Failure:
            pass
        for part in self.parts:
            say(f"{part.path}: cannot be ended: what was written is in {part.name}")

    def discard(self) -> None:
        for part in self.parts:
            part.discard()

    def notes(self) -> dict[str, Any]:
        """Return more for the summary."""
        return {}

    def lost_before(self, run: Run) -> Array:
        """Return how many blocks are missing before each block, shape (k,)."""
        return lost_before(run, self.gaps.setdefault(run.channel, Gaps()))

    def open_part(self, channel: str = "") -> Part:
        """Open one of several files."""
        path = self.target.path
        name = f"{path.stem}-{channel}{path.suffix}" if channel else path.name
        part = Part(str(Path(path.parent, name)), self.target.force)
        self.parts.append(part)
        return part

    def require_numbers(self, run: Run) -> None:
        if run.sample_size and run.sample_size not in NUMBERS:
            raise Failure(
                f"{run.channel}: {self.values.to} has no numbers of {run.sample_size} "
                "bytes: use HDF5"
            )

    def samples(self, run: Run) -> Array:
        """Return samples, in units if the user wants that."""
        if not self.values.units:
            return run.data
        self.require_numbers(run)
        return scaling_of(first_control(run)).values(run.data)


def first_control(run: Run) -> Array:
    """Return the control of the first block that has samples."""
    control: Array = run.controls[int(np.argmax(run.lengths > 0))]
    return control
