# SPDX-License-Identifier: GPL-2.0-only
"""Common to all formats other than HDF5."""

import argparse
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import zio
from zio import Change

from .blocks import NO_TIME, Array, Run
from .failure import Failure, say, storing
from .meaning import NUMBERS, line_of, parts_of, values_of
from .output import Output, State
from .placing import Placer, say_estimate
from .source import Source, Step
from .survey import Found
from .target import Target, sync_directory
from .track import MEANING, Gap, Gaps, Piece, Rules, Track, count_of

# How many bytes of a channel to keep until its times tell the rate
MOST_BYTES = 64 << 20


class Converter(ABC):
    """Writes runs to files, which get their names when all are complete. Another file
    begins where samples cannot continue those before. Files are numbered from 1.
    """

    # The format derives the time of a sample from its number.
    paced: ClassVar[bool] = False
    # The format has a row for each block, so events need no time.
    has_rows: ClassVar[bool] = False
    # The format has a time for each sample, and therefore for each shot of a block.
    has_times: ClassVar[bool] = False

    def __init__(
        self,
        values: argparse.Namespace,
        source: Source,
        target: Target,
        placer: Placer,
        known: dict[str, Found],
    ) -> None:
        self.values = values
        self.target = target
        self.placer = placer
        # The channels known to deliver samples later
        if source.is_live():
            self.expected = set(map(zio.full_name, source.names))
        else:
            self.expected = {name for name, found in known.items() if found.samples}
        self.tracks: dict[str, Track] = {}
        # The number of the current file of each channel, and of channels that come later
        self.numbers: dict[str, int] = {}
        self.first = 1
        self.outputs: list[Output] = []
        # Files that take blocks
        self.open: list[Output] = []
        # Blocks that are in no file because they have no samples
        self.outside = 0
        # Whether there was a block, even if it was written only in part
        self.has_blocks = False
        # Blocks in files that are complete and on the disk
        self.stored = 0

    @abstractmethod
    def write(self, run: Run, number: int) -> Output | None:
        """Write blocks, whose samples all have the same meaning, to a file. Return the
        file; None if they have no samples and no file takes them.
        """

    def fill(self, run: Run, number: int, missing: int) -> None:
        """Before @run, write the stand-ins for this many samples of each channel."""
        raise NotImplementedError

    def cuts(self) -> int:
        """Return the changes that begin another file."""
        return Change.CLOCK | (
            Change.MASK | Change.UNIT if self.values.units else MEANING
        )

    def path_of(self, channel: str, number: int) -> str:
        """Return the path of the file with the blocks of a channel."""
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
            self.numbers[channel] = self.first
        self._require_whole(run)
        with storing(str(self.target.path)):
            for piece in self.tracks[run.channel].pieces(run):
                self._write_piece(run.channel, piece)

    def _require_whole(self, run: Run) -> None:
        """Raise a failure for what only HDF5 can hold."""
        places = run.places
        scans = places["samples"].astype(np.int64) * count_of(run)
        if (scans != run.lengths).any():
            raise Failure(f"{run.channel}: a block has an incomplete scan: use HDF5")
        if not self.has_times and (places["n_shots"] > 1).any():
            raise Failure(
                f"{run.channel}: a block has several shots, and so several times: use "
                "csv or HDF5"
            )

    def _write_piece(self, channel: str, piece: Piece) -> None:
        if piece.begins:
            self.numbers[channel] += 1
        try:
            self._write_parts(channel, piece)
        except OSError:
            for output in self.open:
                is_other = output.channel not in ("", channel)
                if output.number == self.numbers[channel] and not is_other:
                    output.tear()
            raise
        if piece.begins:
            path = self.path_of(channel, self.numbers[channel])
            say(f"{channel}: {_why(piece)}: goes on in {path}")
            self.end_passed()

    def _write_parts(self, channel: str, piece: Piece) -> None:
        if piece.missing:
            self.fill(piece.run, self.numbers[channel], piece.missing)
        gap = piece.gap if self.paced else None
        for part, _ in parts_of(piece.run, MEANING):
            output = self.write(part, self.numbers[channel])
            if not output:
                self.outside += len(part)
                continue
            output.blocks += len(part)
            if gap:
                output.gaps.append(gap)
                gap = None

    def end_passed(self) -> None:
        """End the files that no channel writes to any more. This completes them, whatever
        comes, and frees their memory.
        """
        is_all = self.expected <= self.numbers.keys()
        first = min(self.numbers.values()) if is_all else 1
        for output in list(self.open):
            passed = self.numbers[output.channel] if output.channel else first
            if output.number < passed:
                output.end()
                self.open.remove(output)
                if not output.channel:
                    self.first = max(self.first, output.number + 1)

    def flush(self) -> None:
        """Do nothing: a file is complete only at its end."""

    def finish(self) -> None:
        """End all files, then name them."""
        with storing(str(self.target.path)):
            self.require_all()
            self.drain()
        for output in self.open:
            output.end()
        lists = []
        for output in self.outputs:
            lists += self._publish(output)
        self.target.files += lists
        self._count_stored()
        self._say_older()
        if not self.outputs:
            say(f"{self.target.path}: there were no samples, so there is no file")

    def _count_stored(self) -> None:
        """Count the blocks of the named files once the names are on the disk."""
        path = str(self.target.path)
        with storing(path):
            sync_directory(path)
        named = [output for output in self.outputs if output.state is State.NAMED]
        self.stored = self.outside + sum(output.blocks for output in named)

    def _publish(self, output: Output) -> list[str]:
        """Name a file; return the path of its list, if it has one."""
        beside = output.publish()
        self.target.files.append(output.path)
        _say_filled(output.gaps, self.filler())
        return beside

    def _say_older(self) -> None:
        """Warn about an older recording whose file looks like the next one of this."""
        paths = {output.path for output in self.outputs}
        for channel in ("", *self.tracks):
            number = 1
            while self.name(channel, number) in paths:
                number += 1
            older = self.name(channel, number)
            if number > 1 and os.path.exists(older):
                say(f"{older}: is of an older recording")

    def filler(self) -> str:
        """Return the stand-in for missing samples."""
        return "zero"

    def require_all(self) -> None:
        """Complain at the end about blocks that no file takes."""

    def drain(self) -> None:
        """Write blocks without samples that wait for a file."""

    def give_up(self) -> None:
        """After an error, remove everything if the sources are files, which can be
        converted again. Blocks of a channel or pipe come only once, so keep what was
        written.
        """
        if not self.has_blocks or all(map(os.path.isfile, self.values.names)):
            self._discard_all()
            return
        with _telling():
            self.drain()
        lists = []
        for output in self.outputs:
            lists += self._keep(output)
        self.target.files += lists
        with _telling():
            self._count_stored()

    def _discard_all(self) -> None:
        begun = [output for output in self.outputs if output.state is not State.NAMED]
        for output in begun:
            output.discard()
        if len(begun) > 1:
            sources = ", ".join(self.values.names)
            say(
                f"{self.target.path}: the {len(begun)} files that were begun are "
                f"removed: all blocks are still in {sources}"
            )

    def _keep(self, output: Output) -> list[str]:
        """Keep a file; name it if it can be completed. Return the path of its list."""
        with _telling():
            if output.blocks:
                output.end()
            if output.state is State.ENDED:
                return self._publish(output)
        output.discard_list()
        if output.is_readable():
            text = f"what was written is in {output.part.name}"
            say(f"{output.path}: cannot be completed: {text}")
            return []
        output.discard()
        say(
            f"{output.path}: cannot be completed: its blocks are lost: "
            "convert to csv or HDF5"
        )
        return []

    def notes(self) -> dict[str, Any]:
        """Return, for the summary, what stands in for missing samples in each file."""
        return {
            output.path: {
                "samples": sum(gap.samples for gap in output.gaps),
                "gaps": [gap._asdict() for gap in output.gaps],
            }
            for output in self.outputs
            if output.gaps
        }

    def name(self, channel: str, number: int) -> str:
        """Return the name of one of several files."""
        path = self.target.path
        words = [path.stem, channel, f"{number:04d}" if number > 1 else ""]
        return str(Path(path.parent, "-".join(filter(None, words)) + path.suffix))

    def open_output(
        self, path: str, number: int, channel: str = "", has_list: bool = False
    ) -> Output:
        """Begin a file; with @has_list, with a list of its gaps beside it."""
        output = Output(path, self.target.force, number, channel)
        self.outputs.append(output)
        self.open.append(output)
        if has_list:
            output.add_list()
        return output

    def times(self, run: Run) -> Array:
        """Return when the first samples of the blocks were taken, in ns; NO_TIME where
        unknown.
        """
        places = run.places
        return np.where(places["has_time"], places["first"]["ns"], NO_TIME)

    def require_numbers(self, run: Run) -> None:
        if run.sample_size and run.sample_size not in NUMBERS:
            raise Failure(
                f"{run.channel}: {self.values.to} has no numbers of {run.sample_size} "
                "bytes: use HDF5"
            )

    def samples(self, run: Run) -> Array:
        """Return samples, in units if the user wants them."""
        if not self.values.units:
            return run.data
        if not run.data.size:
            return np.empty(0)
        self.require_numbers(run)
        return values_of(run)

    def line(self, run: Run) -> dict[str, Any]:
        """Return the unit of what samples() returns, and how to convert raw numbers to
        values.
        """
        factor, offset, unit = line_of(run.first_control())
        if self.values.units:
            return {"unit": unit}
        return {"unit": unit, "scaling_factor": factor, "offset": offset}


class RatedConverter(Converter):
    """Keeps the first blocks of a channel until they tell the rate."""

    paced = True

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        self.waiting: dict[str, list[Run]] = {}

    @abstractmethod
    def check(self, run: Run) -> None:
        """Raise a failure if the format cannot hold samples like those of @run."""

    def add(self, step: Step) -> None:
        for run in step.runs:
            self.has_blocks = True
            self.check(run)
            if run.channel in self.tracks:
                self.take(run)
            elif run.data.size or run.channel in self.waiting:
                self.waiting.setdefault(run.channel, []).append(run.copy())
            else:
                self.outside += len(run)
        # A channel may begin only when placer and converter have seen the same blocks.
        self._begin(is_last=False)

    def _begin(self, is_last: bool) -> None:
        """Write what waits once it tells the rate, or if there is no room for more.
        Channels begin in the order in which they came.
        """
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
                say_estimate(channel, rate)
            del self.waiting[channel]
            for run in runs:
                self.take(run)

    def require_all(self) -> None:
        self._begin(is_last=True)

    def end_passed(self) -> None:
        """Do not end a file in which a waiting channel may begin."""
        if not self.waiting:
            super().end_passed()


@contextmanager
def _telling() -> Iterator[None]:
    """Report an error and go on. This follows another error, so expect any."""
    try:
        yield
    except Exception as error:
        say(str(error))


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
