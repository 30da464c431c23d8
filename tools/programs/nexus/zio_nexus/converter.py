# SPDX-License-Identifier: GPL-2.0-only
"""What the formats other than HDF5 have in common."""

import argparse
import os
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from .blocks import Array, Gaps, Run, late_text
from .failure import Failure, say, storing
from .gaps import SUFFIX, GapList
from .meaning import (
    NUMBERS,
    Meaning,
    line_of,
    meaning_of,
    parts_of,
    scaling_of,
    text_of,
)
from .source import Step
from .target import Part, Target
from .timeline import Timeline


class Converter(ABC):
    """Writes runs to one file, or to one file for each channel. A file gets its name when
    it is whole."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        self.values = values
        self.target = target
        self.gaps: dict[str, Gaps] = {}
        self.meanings: dict[str, Meaning] = {}
        # Channels of which the user knows that their samples change
        self.told: set[str] = set()
        # Channels of which the user knows that a time does not fit
        self.late: set[str] = set()
        self.parts: list[Part] = []
        # Lists of gaps, and where they are
        self.lists: list[tuple[GapList, list[Timeline]]] = []
        self.written = 0
        # Whether a block has come, also one that was written in part
        self.has_blocks = False
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
            for part in parts_of(run):
                self._add_part(part)

    def _add_part(self, run: Run) -> None:
        """Write blocks whose samples all stand for the same."""
        if run.data.size:
            self._check_meaning(run)
        self.has_blocks = True
        with storing(str(self.target.path)):
            self.write(run)
        self.written += len(run)

    def _check_meaning(self, run: Run) -> None:
        """Complain if the file cannot tell that the samples stand for something else."""
        meaning = meaning_of(run.first_control())
        first = self.meanings.setdefault(run.channel, meaning)
        if found := meaning.difference(first, self.fixed()):
            text = text_of(run, found)
            raise Failure(f"{text}: {self.values.to} has one for all: use HDF5")
        found = meaning.difference(first, self.unsaid())
        if found and run.channel not in self.told:
            self.told.add(run.channel)
            say(f"{text_of(run, found)}: use --units, or HDF5")

    def fixed(self) -> tuple[str, ...]:
        """Return what a channel of the file has once, by the names of Meaning."""
        if self.values.units:
            return ("channels", "unit")
        return ("type", "channels")

    def unsaid(self) -> tuple[str, ...]:
        """Return what the file does not tell, but the user must know."""
        return () if self.values.units else ("bits", "unit", "scale")

    def flush(self) -> None:
        """Do nothing: a file is whole at its end only."""

    def finish(self) -> None:
        with storing(str(self.target.path)):
            self.require_all()
        self._end()

    def _end(self) -> None:
        self.is_ending = True
        with storing(str(self.target.path)):
            self.close()
        for part in self.parts:
            part.publish()
            self.target.files.append(part.path)
        for beside, timelines in self.lists:
            gaps = [gap for timeline in timelines for gap in timeline.gaps]
            self.target.files += beside.publish(gaps)
        self.stored = self._count_written()
        if not self.parts:
            say(f"{self.target.path}: no samples have come, so there is no file")

    def require_all(self) -> None:
        """Complain at the end if there are blocks that no file takes."""

    def waiting_blocks(self) -> int:
        """Return how many blocks have come that no file has."""
        return 0

    def _count_written(self) -> int:
        return self.written - self.waiting_blocks()

    def give_up(self) -> None:
        """After an error: files leave nothing, they can be converted again. Blocks of a
        channel or a pipe come only once: keep those that were written."""
        self._keep_parts()
        for beside, _ in self.lists:
            beside.discard()

    def _keep_parts(self) -> None:
        if all(map(os.path.isfile, self.values.names)) or not self.has_blocks:
            for part in self.parts:
                part.discard()
        elif self.is_ending or not (self._count_written() and self._can_end()):
            for part in self.parts:
                self._keep(part)

    def _can_end(self) -> bool:
        """Try to end the files. There was an error, so there may be any other."""
        try:
            self._end()
        except Exception as error:
            say(str(error))
            return False
        return True

    def _keep(self, part: Part) -> None:
        """Keep a file that cannot be ended, if programs can read it."""
        if not os.path.exists(part.name):
            return
        with suppress(OSError):
            if self.salvage(part):
                text = f"what was written is in {part.name}"
                say(f"{part.path}: cannot be ended: {text}")
                return
        part.discard()
        say(f"{part.path}: cannot be ended: its blocks are lost: convert to csv or HDF5")

    def salvage(self, part: Part) -> bool:
        """Make a file that has no end readable, with no more room; return whether it
        is."""
        return False

    def notes(self) -> dict[str, Any]:
        """Return more for the summary."""
        return {}

    def lost_before(self, run: Run) -> Array:
        """Return how many blocks are missing before each block, shape (k,)."""
        gaps = self.gaps.setdefault(run.channel, Gaps())
        return gaps.lost(run.controls).astype(np.int64)

    def open_part(self, channel: str = "") -> Part:
        """Open one of several files."""
        path = self.target.path
        name = f"{path.stem}-{channel}{path.suffix}" if channel else path.name
        part = Part(str(Path(path.parent, name)), self.target.force)
        self.parts.append(part)
        return part

    def name_part(self, part: Part, channel: str) -> None:
        """Let a file, which has no name yet, be one of several: its list goes with it."""
        path = self.target.path
        new = str(path.with_name(f"{path.stem}-{channel}{path.suffix}"))
        for beside, _ in self.lists:
            if beside.part.path == part.path + SUFFIX:
                beside.part.rename(new + SUFFIX)
        part.rename(new)

    def list_gaps(self, part: Part, timelines: list[Timeline]) -> None:
        """Let a list beside @part tell of the gaps, as the format does not."""
        beside = GapList(part.path, self.target.force)
        self.lists.append((beside, timelines))

    def times(self, run: Run) -> Array:
        """Return the times of the blocks, in 64 bits."""
        if run.channel not in self.late and (text := late_text(run)):
            self.late.add(run.channel)
            say(text)
        return run.times

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
        if not run.data.size:
            return np.empty(0)
        self.require_numbers(run)
        return scaling_of(run.first_control()).values(run.data)

    def line(self, run: Run) -> dict[str, Any]:
        """Return the unit of what samples() returns, and how its raw numbers become
        values."""
        factor, offset, unit = line_of(run.first_control())
        if self.values.units:
            return {"unit": unit}
        return {"unit": unit, "scaling_factor": factor, "offset": offset}
