# SPDX-License-Identifier: GPL-2.0-only
"""Record the blocks of a source in one or more HDF5 files."""

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from zio import Change, full_name, kernel_counts, printable

from .blocks import Array, Run, join
from .breaks import text_of
from .failure import BrokenFile, Failure, StoreFailure, remedy, say
from .layout import FLAT, Given, Layout, Options, choose
from .meaning import parts_of
from .placing import Placer
from .source import Events, Source, Step
from .superblock import repair
from .survey import Found
from .target import Target
from .track import MEANING
from .writer import FileWriter, now

# Blocks, or bytes, to collect before writing them
FULL_BLOCKS = 1000
FULL_BYTES = 1 << 20
# Minimum bytes per channel, and bytes of all channels together
LEAST_BYTES = 64 << 10
ALL_BYTES = 64 << 20
# How long, or up to which size, to keep blocks while some channels are still silent.
SETTLE_SECONDS = 2.0
SETTLE_BYTES = 64 << 20
# Changes that invalidate the attributes of a file.
OF_FILES = MEANING | Change.RATE | Change.CLOCK
# What h5py raises when HDF5 cannot write
WRITE_ERRORS = (OSError, RuntimeError, ValueError)


@dataclass
class Limits:
    """When to begin the next file; 0: never."""

    bytes: int = 0
    seconds: float = 0.0


@dataclass
class Pending:
    """Blocks of one channel not written yet."""

    runs: list[Run] = field(default_factory=list)
    blocks: int = 0
    bytes: int = 0

    def add(self, run: Run) -> None:
        self.runs.append(run.copy())
        self.blocks += len(run)
        self.bytes += run.nbytes

    def fits(self, run: Run) -> bool:
        """Return whether @run has the type of these blocks. Without samples, any type
        fits.
        """
        types = {part.data.dtype for part in (*self.runs, run) if part.data.size}
        return len(types) <= 1

    def take(self) -> Run:
        run = join(self.runs)
        self.runs, self.blocks, self.bytes = [], 0, 0
        return run


class Recorder:
    """Collects blocks, chooses layouts, and begins a new file when needed."""

    def __init__(
        self,
        source: Source,
        target: Target,
        options: Options,
        limits: Limits,
        texts: Mapping[str, str],
        known: Mapping[str, Found],
        placer: Placer,
    ) -> None:
        """@known are the channels of files on disk. @placer knows rates that the controls
        lack.
        """
        self.source = source
        self.target = target
        self.options = options
        self.limits = limits
        self.texts = texts
        self.writer: FileWriter | None = None
        self.layouts: dict[str, Layout] = {}
        self.placer = placer
        # How often the meaning of the samples of a channel has changed
        self.meanings: defaultdict[str, int] = defaultdict(int)
        self.pending: dict[str, Pending] = {}
        self.events: list[Events] = []
        # For each column of the table of events, the row of the file's first block
        self.first_rows: dict[int, int] = {}
        # Blocks in closed files
        self.closed = 0
        self.begin = self.file_begin = time.monotonic()
        self.kernel = _kernel_of(source)
        for channel, found in known.items():
            layout = self._choose(found.run(), found.is_varying)
            brings = {"blocks": found.blocks, "samples": found.samples}
            self.layouts[channel] = replace(layout, **brings)

    def _choose(self, run: Run, is_varying: bool = False) -> Layout:
        rate = self.placer.given(run.channel)
        given = Given(rate, "given" if self.placer.rate else "estimated")
        layout = choose(run, self.options, is_varying, given)
        return replace(layout, meaning=self.meanings[run.channel])

    @property
    def stored(self) -> int:
        """Return the number of blocks on the disk."""
        return self.closed + (self.writer.stored if self.writer else 0)

    def notes(self) -> dict[str, Any]:
        """Add nothing to the summary: the files have tables of breaks."""
        return {}

    # --- incoming blocks --------------------------------------------------------------

    def add(self, step: Step) -> None:
        for run in step.runs:
            self._add_run(run)
        if step.events is not None:
            self.events.append(step.events)
        # A file of a group ends between two steps, so that it has all blocks of its
        # events.
        if self.source.group and self._is_file_full():
            self.flush()

    def _add_run(self, run: Run) -> None:
        for part, changes in parts_of(run, OF_FILES):
            if changes:
                self._begin_meaning(part, changes)
            self._collect(part)

    def _begin_meaning(self, run: Run, changes: int) -> None:
        """The attributes of the current file do not apply to @run and later blocks."""
        self._write_pending(run.channel)
        self.meanings[run.channel] += 1
        if self.writer and run.channel in self.writer.channels:
            number = run.controls["seq_num"][0]
            say(
                f"{run.channel}: block {number} has {text_of(changes)}: "
                "a new file begins"
            )

    def _collect(self, run: Run) -> None:
        pending = self.pending.setdefault(run.channel, Pending())
        if not pending.fits(run):
            self._write_pending(run.channel)
        if not pending.runs and self.writer and self._is_full(len(run), run.nbytes):
            self._write(run)
            return
        pending.add(run)
        if self._is_full(pending.blocks, pending.bytes) and self._may_begin():
            self._write_pending(run.channel)

    def _is_full(self, blocks: int, size: int) -> bool:
        """Return whether this many blocks are worth a write."""
        share = ALL_BYTES // len(self.pending)
        return blocks >= FULL_BLOCKS or size >= max(LEAST_BYTES, min(FULL_BYTES, share))

    def _may_begin(self) -> bool:
        """Return whether the file may begin because its channels are known."""
        if self.writer or not self.source.is_live():
            return True
        known = self.source.group or [full_name(name) for name in self.source.names]
        if set(known) <= set(self.pending):
            return True
        size = sum(pending.bytes for pending in self.pending.values())
        waited = time.monotonic() - self.begin
        return waited >= SETTLE_SECONDS or size >= SETTLE_BYTES

    def _write_pending(self, channel: str) -> None:
        pending = self.pending[channel]
        if pending.runs:
            self._write(pending.take())

    # --- files ------------------------------------------------------------------------

    def _write(self, run: Run) -> None:
        if not self.writer:
            self._begin_file(run)
        assert self.writer
        if not self._takes(run):
            self._change_layout(run)
        self._append(run)
        if not self.source.group and self._is_file_full():
            self.end_file()

    def _append(self, run: Run) -> None:
        assert self.writer
        _reserve(self.writer, run)
        _guard(self.writer, "append", run)

    def _takes(self, run: Run) -> bool:
        """Return whether the current file takes @run."""
        assert self.writer
        layout = self.layouts.get(run.channel)
        is_same = layout and layout.meaning == self.meanings[run.channel]
        return bool(is_same) and self.writer.takes(run)

    def _begin_file(self, first: Run | None = None) -> None:
        waiting = [join(p.runs) for p in self.pending.values() if p.runs]
        for run in [*waiting, *([first] if first is not None else [])]:
            layout = self.layouts.get(run.channel)
            if layout is None:
                self.layouts[run.channel] = self._choose(run)
            elif layout.meaning != self.meanings[run.channel] or not layout.takes(run):
                self.layouts[run.channel] = self._next_layout(layout, run)
        path = self.target.next_path()
        texts = {**self.texts, "part": str(len(self.target.files))}
        self.writer = self._create(path, texts)
        self.file_begin = time.monotonic()
        self.first_rows = {}
        self._put_kernel(is_start=True)

    def _next_layout(self, old: Layout, run: Run) -> Layout:
        """Return the layout of a channel whose blocks change at @run."""
        layout = self._choose(run)
        is_one_type = old.dtype == layout.dtype
        if old.kind == FLAT or (is_one_type and old.length != run.length):
            layout = replace(layout, kind=FLAT, length=0)
        return replace(layout, blocks=old.blocks, samples=old.samples)

    def _create(self, path: str, texts: Mapping[str, str]) -> FileWriter:
        """Create a file. Remove one that cannot begin, because it has no block."""
        words = (self.layouts, self.options, texts, self.source.group)
        try:
            return FileWriter(path, *words, self.target.force)
        except Failure:
            self.target.files.remove(path)
            raise
        except WRITE_ERRORS as error:
            self.target.files.remove(path)
            advice = f": {remedy(error)}" if isinstance(error, OSError) else ""
            raise BrokenFile(f"{path}: cannot create the file: {error}{advice}") from None

    def _change_layout(self, run: Run) -> None:
        """Continue in a new file that has a place for blocks like @run."""
        assert self.writer
        old = self.layouts.get(run.channel)
        if old is None:
            say(f"{run.channel}: blocks of another channel: a new file begins")
        elif old.meaning == self.meanings[run.channel]:
            what = "length" if not run.data.size or old.dtype == run.data.dtype else ""
            what = what or "type of samples"
            say(f"{run.channel}: blocks of another {what}: a new file begins")
        for channel, pending in self.pending.items():
            is_other = channel != run.channel and pending.runs
            if is_other and all(map(self._takes, pending.runs)):
                self._append(pending.take())
        self.end_file()
        self._begin_file(run)

    def _is_file_full(self) -> bool:
        if not self.writer:
            return False
        if (
            self.limits.seconds
            and time.monotonic() - self.file_begin >= self.limits.seconds
        ):
            return True
        if not self.limits.bytes or self.writer.size() < self.limits.bytes:
            return False
        if self.options.compression != "none":
            _guard(self.writer, "flush")
        return self.writer.size() >= self.limits.bytes

    def flush(self) -> None:
        """Make everything received so far readable."""
        if not self._may_begin() or not (self.writer or self._has_pending()):
            return
        for channel in list(self.pending):
            self._write_pending(channel)
        if self.writer:
            self._write_events()
            _guard(self.writer, "flush")
            if self._is_file_full():
                self.end_file()

    def _has_pending(self) -> bool:
        return any(pending.runs for pending in self.pending.values())

    def _write_events(self) -> None:
        if self.events and self.writer:
            parts = [np.concatenate(part) for part in zip(*self.events)]
            self.events = []
            self._count_from_file(parts[1])
            _guard(self.writer, "append_events", *parts)

    def _count_from_file(self, rows: Array) -> None:
        """The source counts blocks from the beginning of the recording, a file from its
        first block of the channel.
        """
        for column in range(rows.shape[1]):
            there = rows[:, column] >= 0
            if there.any():
                first = self.first_rows.setdefault(column, rows[there, column][0])
                rows[there, column] -= first

    def end_file(self) -> None:
        """Close the file; the next block begins another one."""
        if self.writer:
            self._write_events()
            self._put_kernel(is_start=False)
            _guard(self.writer, "close")
            self.closed += self.writer.stored
            self.writer = None

    def finish(self) -> None:
        """Write the rest and close the file, which exists even without a block."""
        self.begin -= SETTLE_SECONDS
        self.flush()
        if not self.target.files:
            self._begin_file()
        self.end_file()

    def give_up(self) -> None:
        """After an error, close the file with what it has."""
        self.end_file()

    # --- the kernel -------------------------------------------------------------------

    def _put_kernel(self, is_start: bool) -> None:
        """Store the kernel's counts from the start of the recording and from now."""
        assert self.writer
        for name, start in self.kernel.items():
            channel = self.writer.channels.get(name)
            if channel is None:
                continue
            counts = {"kernel_blocks_start": start[0], "kernel_lost_start": start[1]}
            if not is_start:
                end = kernel_counts(name) or (-1, -1)
                counts = {"kernel_blocks": end[0], "kernel_lost": end[1]}
            channel.put_kernel(counts)


def make_recorder(
    values: argparse.Namespace,
    source: Source,
    target: Target,
    placer: Placer,
    known: Mapping[str, Found],
) -> Recorder:
    options = Options(
        values.layout,
        values.chunk,
        values.compress,
        values.level,
        values.shuffle,
        not values.no_checksum,
        bool(values.rate),
    )
    texts = {
        "title": values.title,
        "command": " ".join(sys.argv[1:]),
        "host": os.uname().nodename,
        "begin": now(),
        "sources": " ".join(values.names),
    }
    # HDF5 needs UTF-8, which a word of the command line may not be.
    texts = {name: printable(text) for name, text in texts.items()}
    limits = Limits(values.rotate_size, values.rotate_time)
    return Recorder(source, target, options, limits, texts, known, placer)


def _kernel_of(source: Source) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for name in source.names if source.is_live() else []:
        if found := kernel_counts(name):
            counts[full_name(name)] = found
    return counts


def _reserve(writer: FileWriter, run: Run) -> None:
    try:
        writer.reserve(run)
    except OSError as error:
        raise StoreFailure(
            f"{writer.path}: no room for more blocks: {error.strerror}: {remedy(error)}"
        ) from None


def _guard(writer: FileWriter, method: str, *words: Any) -> None:
    """Call a method of @writer. After an error the file ends with the last flush: its
    structure on the disk is intact, but HDF5 cannot close it.
    """
    try:
        getattr(writer, method)(*words)
    except WRITE_ERRORS as error:
        with suppress(OSError, Failure):
            repair(writer.path)
        raise BrokenFile(
            f"{writer.path}: cannot write: {error}: the file has the blocks up to the "
            "last flush"
        ) from None
