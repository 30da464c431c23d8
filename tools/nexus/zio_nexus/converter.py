# SPDX-License-Identifier: GPL-2.0-only
"""What the formats other than HDF5 have in common."""

import argparse
from abc import ABC, abstractmethod
from pathlib import Path

import numpy as np

from .blocks import SECOND, Array, Gaps, Run, lost_before
from .failure import Failure, say
from .scaling import NUMBERS, scaling_of
from .source import Step
from .target import Target, make_way


class Converter(ABC):
    """Writes runs to one file, or to one file for each channel."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        self.values = values
        self.target = target
        self.gaps: dict[str, Gaps] = {}

    @abstractmethod
    def write(self, run: Run) -> None:
        """Write blocks."""

    @abstractmethod
    def close(self) -> None:
        """End the file."""

    def add(self, step: Step) -> None:
        for run in step.runs:
            self.write(run)

    def flush(self) -> None:
        """Do nothing: most formats are readable at their end only."""

    def finish(self) -> None:
        self.close()

    def give_up(self) -> int:
        """Keep what was written."""
        self.close()
        return 0

    def lost_before(self, run: Run) -> Array:
        """Return how many blocks are missing before each block, shape (k,)."""
        return lost_before(run, self.gaps.setdefault(run.channel, Gaps()))

    def path_for(self, channel: str) -> str:
        """Return the path of one of several files, which does not exist."""
        path = self.target.path
        name = f"{path.stem}-{channel}{path.suffix}" if channel else path.name
        found = str(Path(path.parent, name))
        make_way(found, self.target.force)
        self.target.files.append(found)
        return found

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


def find_rate(values: argparse.Namespace, run: Run) -> float:
    """Return the samples per second: the option, or what the time stamps tell."""
    if values.rate:
        return float(values.rate)
    times = run.times
    span = int(times[-1] - times[0])
    count = int(run.lengths[:-1].sum())
    if span <= 0 or not count:
        raise Failure(f"{run.channel}: the times do not tell the rate: use --rate=HZ")
    rate = count * SECOND / span
    say(f"{run.channel}: {rate:.6g} samples per second, by the times of the blocks")
    return rate
