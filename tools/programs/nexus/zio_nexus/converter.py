# SPDX-License-Identifier: GPL-2.0-only
"""What the formats other than HDF5 have in common."""

import argparse
import os
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from zio import Change

from .blocks import NO_TIME, Array, Run
from .failure import Failure, say, storing
from .gaps import GapList
from .meaning import NUMBERS, line_of, parts_of, values_of
from .placing import Placer
from .source import Step
from .target import Part, Target
from .track import MEANING, Gap, Gaps, Piece, Rules, Track, count_of

# Bytes of a channel that are kept until its times tell the rate
MOST_BYTES = 64 << 20


class Converter(ABC):
    """Writes runs to files, which get their names when they are whole. Another file
    begins where samples cannot follow those before. Each has a number, from 1."""

    # In the format, the number of a sample is its time.
    paced: ClassVar[bool] = False
    # The format has a row for each block: events need no time.
    has_rows: ClassVar[bool] = False
    # The format has a time for each sample, and so for each shot of a block.
    has_times: ClassVar[bool] = False

    def __init__(
        self, values: argparse.Namespace, target: Target, placer: Placer
    ) -> None:
        self.values = values
        self.target = target
        self.placer = placer
        self.tracks: dict[str, Track] = {}
        # The number of the present file of each channel
        self.numbers: dict[str, int] = {}
        self.parts: list[Part] = []
        # The gaps in each file
        self.gaps: dict[str, list[Gap]] = {}
        self.lists: dict[str, GapList] = {}
        self.written = 0
        # Whether a block has come, also one that was written in part
        self.has_blocks = False
        # Blocks in files that are whole, and on the disk
        self.stored = 0
        self.is_ending = False

    @abstractmethod
    def write(self, run: Run, number: int) -> None:
        """Write blocks whose samples all stand for the same, to a file."""

    @abstractmethod
    def close(self) -> None:
        """Write what ends the files. They stay open."""

    def fill(self, run: Run, number: int, missing: int) -> None:
        """Write what stands for so many samples of each channel, before @run."""
        raise NotImplementedError

    def cuts(self) -> int:
        """Return the changes with which another file begins."""
        return Change.CLOCK | (
            Change.MASK | Change.UNIT if self.values.units else MEANING
        )

    def path_of(self, channel: str, number: int) -> str:
        """Return the path of the file that has the blocks of a channel."""
        return self.name("", number)

    def add(self, step: Step) -> None:
        for run in step.runs:
            self.has_blocks = True
            self.take(run)

    def take(self, run: Run) -> None:
        """Write the blocks of one channel."""
        if run.channel not in self.tracks:
            gaps = Gaps(self.values.gaps)
            rules = Rules(
                gaps, self.values.max_fill, self.cuts(), self.paced, self.has_rows
            )
            channel = run.channel
            self.tracks[channel] = Track(rules, lambda: self.placer.is_stream(channel))
            self.numbers[channel] = 1
        self._require_whole(run)
        with storing(str(self.target.path)):
            for piece in self.tracks[run.channel].pieces(run):
                self._write_piece(run.channel, piece)
                self.written += len(piece.run)

    def _require_whole(self, run: Run) -> None:
        """Complain about what only HDF5 can hold."""
        places = run.places
        scans = places["samples"].astype(np.int64) * count_of(run)
        if (scans != run.lengths).any():
            raise Failure(f"{run.channel}: a block has a part of a scan: use HDF5")
        if not self.has_times and (places["n_shots"] > 1).any():
            raise Failure(
                f"{run.channel}: a block has several shots, and so several times: use "
                "csv or HDF5"
            )

    def _write_piece(self, channel: str, piece: Piece) -> None:
        if piece.begins:
            self.numbers[channel] += 1
        number = self.numbers[channel]
        if piece.missing:
            self.fill(piece.run, number, piece.missing)
        for part in parts_of(piece.run):
            self.write(part, number)
        number = self.numbers[channel]
        if piece.gap and self.paced:
            self.gaps.setdefault(self.path_of(channel, number), []).append(piece.gap)
        if piece.begins:
            say(f"{channel}: {_why(piece)}: goes on in {self.path_of(channel, number)}")

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
        lists = []
        for path, beside in self.lists.items():
            gaps = self.gaps.get(path, [])
            lists += beside.publish(gaps)
            _say_filled(gaps, self.filler())
        for part in self.parts:
            part.publish()
            self.target.files.append(part.path)
        self.target.files += lists
        self._say_older()
        self.stored = self.written
        if not self.parts:
            say(f"{self.target.path}: no samples have come, so there is no file")

    def _say_older(self) -> None:
        """Name a file of an older recording that looks like the next one of this."""
        paths = {part.path for part in self.parts}
        for channel in ("", *self.tracks):
            number = 1
            while self.name(channel, number) in paths:
                number += 1
            older = self.name(channel, number)
            if number > 1 and os.path.exists(older):
                say(f"{older}: is of an older recording")

    def filler(self) -> str:
        """Return what stands for samples that are missing."""
        return "zero"

    def require_all(self) -> None:
        """Complain at the end if there are blocks that no file takes."""

    def give_up(self) -> None:
        """After an error: files leave nothing, they can be converted again. Blocks of a
        channel or a pipe come only once: keep those that were written."""
        self._keep_parts()
        for beside in self.lists.values():
            beside.discard()

    def _keep_parts(self) -> None:
        if all(map(os.path.isfile, self.values.names)) or not self.has_blocks:
            for part in self.parts:
                part.discard()
        elif self.is_ending or not (self.written and self._can_end()):
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
        """Return what stands for missing samples, for the summary: by the files."""
        return {
            path: {
                "samples": sum(gap.samples for gap in gaps),
                "gaps": [gap._asdict() for gap in gaps],
            }
            for path, gaps in self.gaps.items()
            if path in self.lists
        }

    def name(self, channel: str, number: int) -> str:
        """Return the name of one of several files."""
        path = self.target.path
        words = [path.stem, channel, f"{number:04d}" if number > 1 else ""]
        return str(Path(path.parent, "-".join(filter(None, words)) + path.suffix))

    def open_part(self, path: str, has_list: bool = False) -> Part:
        """Open a file; with @has_list, a list beside it tells of its gaps."""
        part = Part(path, self.target.force)
        self.parts.append(part)
        if has_list:
            self.lists[path] = GapList(path, self.target.force)
        return part

    def rename(self, part: Part, path: str) -> None:
        """Give a file, which has no name yet, another one: its list goes with it."""
        if beside := self.lists.pop(part.path, None):
            beside.rename(path)
            self.lists[path] = beside
        if part.path in self.gaps:
            self.gaps[path] = self.gaps.pop(part.path)
        part.rename(path)

    def times(self, run: Run) -> Array:
        """Return when the first samples of the blocks were taken, in ns; NO_TIME where
        nobody knows it."""
        places = run.places
        return np.where(places["has_time"], places["first"]["ns"], NO_TIME)

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
        return values_of(run)

    def line(self, run: Run) -> dict[str, Any]:
        """Return the unit of what samples() returns, and how its raw numbers become
        values."""
        factor, offset, unit = line_of(run.first_control())
        if self.values.units:
            return {"unit": unit}
        return {"unit": unit, "scaling_factor": factor, "offset": offset}


class RatedConverter(Converter):
    """Keeps the first blocks of a channel until they tell the rate."""

    paced = True

    def __init__(
        self, values: argparse.Namespace, target: Target, placer: Placer
    ) -> None:
        super().__init__(values, target, placer)
        self.waiting: dict[str, list[Run]] = {}

    @abstractmethod
    def check(self, run: Run) -> None:
        """Complain if the format does not have samples like those of @run."""

    def add(self, step: Step) -> None:
        for run in step.runs:
            self.has_blocks = True
            self.check(run)
            if run.channel in self.tracks:
                self.take(run)
            elif run.data.size or run.channel in self.waiting:
                self.waiting.setdefault(run.channel, []).append(run.copy())
            else:
                self.written += len(run)
        # A channel may begin only when the placer and this have seen the same blocks.
        self._begin(is_last=False)

    def _begin(self, is_last: bool) -> None:
        """Write what waits, if it tells the rate, or if no more can wait. Channels begin
        in the order in which they came."""
        while self.waiting:
            channel, runs = next(iter(self.waiting.items()))
            size = sum(run.data.nbytes for each in self.waiting.values() for run in each)
            must = is_last or size > MOST_BYTES
            first = next(run for run in runs if run.data.size).first_place()
            if not first["rate_num"]:
                rate = self.placer.timeline(channel).rate
                is_known = rate.source == "control" or rate.scatter_ns is not None
                if not must and not (rate.value and is_known):
                    return
                if rate.value is None or channel in self.placer.unsure:
                    raise Failure(
                        f"{channel}: the times do not tell the rate: use --rate=HZ"
                    )
                self.placer.settle(channel, rate.value, runs)
                say(
                    f"{channel}: {float(rate.value):.6g} samples per second, by the "
                    "times of blocks"
                )
            del self.waiting[channel]
            for run in runs:
                self.take(run)

    def require_all(self) -> None:
        self._begin(is_last=True)


def _why(piece: Piece) -> str:
    """Tell why another file begins."""
    seq = piece.run.controls[0]["seq_num"]
    names = ", ".join(Change(piece.changes).names())
    cause = piece.gap.cause if piece.gap else "an event of its own"
    return f"block {seq}: {cause}{f' ({names})' if names else ''}"


def _say_filled(gaps: list[Gap], what: str) -> None:
    for channel in dict.fromkeys(gap.channel for gap in gaps if gap.samples):
        filled = [gap.samples for gap in gaps if gap.samples and gap.channel == channel]
        count, number = sum(filled), len(filled)
        samples = f"{count} sample{'s' if count > 1 else ''} of {what}"
        places = f"{number} gap{'s' if number > 1 else ''}"
        say(f"{channel}: {samples} in {places} keep the times of the others")
