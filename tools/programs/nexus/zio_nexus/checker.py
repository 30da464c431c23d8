# SPDX-License-Identifier: GPL-2.0-only
"""Check the channels of a file.

The checker reads everything, so that HDF5 verifies the checksums. It places the blocks
again, and compares what it finds between them with what the recorder stored.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import zio
from zio._libzio import lib
from zio.controls import channel_name, has_trigger_attribute, is_readable

from .blocks import LAST_SECOND, SECOND, Array, Run, is_late
from .breaks import BREAK, COUNTS, count_breaks, find_breaks
from .failure import SourceFailure
from .hdf import DAMAGE, ChannelReader, Place, Recording, count_rows, text_of_unread
from .layout import FLAT, ROWS, SERIES
from .placing import Placer
from .schema import BREAKS, EVENTS, RATE, SEQUENCES
from .source import REASONS
from .writer import last_rate

TABLES = {ROWS: ("time",), SERIES: ("value", "time"), FLAT: ("cue_timestamp_zero",)}
# Causes of a break that one control and the block before are enough to tell
TIMELESS = np.uint32(
    zio.Break.LOST
    | zio.Break.MISSED
    | zio.Break.TAKEN
    | zio.Break.OUTAGE
    | zio.Break.CHANGE
)
LENGTHS = ("outage_ns", "pause_ns")


class History:
    """What lies before a file. @recording places the blocks as the recorder did since it
    was started; @all places the blocks of several recordings one after the other.
    @is_whole: no earlier part of the recording is missing.
    """

    def __init__(self) -> None:
        self.recording = self.all = Placer()
        self.is_whole = True
        self.last: Place | None = None

    def follow(self, file: Place) -> bool:
        """Continue with a file. Return False if earlier parts are missing."""
        last, self.last = self.last, file
        if file.part == 1:
            if last:
                self.recording = Placer()
            self.is_whole = True
            return True
        if last and (last.begin, last.part + 1) == (file.begin, file.part):
            return True
        self.recording = self.all = Placer()
        self.is_whole = False
        return False

    def place(self, run: Run) -> Run:
        """Place the blocks of @run. Return them as placed after all others."""
        self.recording.place(run)
        if self.all is self.recording:
            return run
        other = replace(run)
        self.all.place(other)
        return other


class Verdict:
    """The result for one channel of one file: its counts, the account of what lies
    between its blocks, and its faults. @kernel_start and @kernel_end are the kernel's
    counts of blocks and lost blocks.
    """

    def __init__(self, reader: ChannelReader) -> None:
        self.faults: list[str] = []
        self.counts = {"blocks": 0, "samples": 0, "bytes": 0}
        self.account = zio.TimelineAccount()
        # Blocks that the recorder knows it lost
        self.lost = 0
        stored = reader.counts
        self.kernel_start = (stored["kernel_blocks_start"], stored["kernel_lost_start"])
        self.kernel_end = (stored["kernel_blocks"], stored["kernel_lost"])

    def fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)

    def report(self) -> dict[str, Any]:
        counts = {name: getattr(self.account, name) for name in COUNTS}
        text = str(self.account)
        return {**self.counts, **counts, "account": text, "faults": self.faults}


class Checker:
    """Reads the blocks of one channel. @history has the files before this one."""

    def __init__(
        self, reader: ChannelReader, history: History, is_complete: bool
    ) -> None:
        self.reader = reader
        self.history = history
        self.is_complete = is_complete
        self.verdict = Verdict(reader)
        self.found: list[Array] = []
        self.sequence: list[int] = []
        self.samples = 0
        self.changed = 0
        self.rate = (0, 0, 0)
        for placer in (history.recording, history.all):
            placer.learn(reader.name, reader.given)

    def check(self) -> Verdict:
        before = self._account()
        try:
            self._check_tables()
            self.stored = self._stored_breaks()
            for run in self.reader.runs():
                self._check_run(run)
        except (*DAMAGE, SourceFailure) as error:
            first = self.verdict.counts["blocks"]
            self.verdict.fault(f"cannot read the blocks from {first} on: {error}")
            self._sum_up(before)
            return self.verdict
        if text := text_of_unread(self.reader):
            self.verdict.fault(text)
        else:
            self._check_breaks()
            self._check_counts()
        self._sum_up(before)
        return self.verdict

    def _account(self) -> dict[str, int]:
        account = self.history.all.account(self.reader.name)
        return {name: getattr(account, name) for name in ("blocks", *COUNTS, *LENGTHS)}

    def _stored_breaks(self) -> Array:
        """Return the table of breaks of the blocks that count. An older file has only
        gaps in the numbers, without their cause.
        """
        stored = self.reader.breaks()
        if stored is None:
            losses = self.reader.losses()
            stored = np.zeros(len(losses), BREAK)
            stored["block"], stored["lost"] = losses["block"], losses["lost"]
            stored["first_seq"] = losses["first_seq"]
            stored["cause"] = zio.Break.LOST
        if not self.is_complete:
            stored = stored[stored["block"] < self.reader.blocks]
        return stored

    def _sum_up(self, before: dict[str, int]) -> None:
        """Make the account of this file. Without the earlier files, trust the file about
        what lies before its first block.
        """
        counts = {name: now - before[name] for name, now in self._account().items()}
        stored = getattr(self, "stored", np.zeros(0, BREAK))
        self.verdict.lost = int(stored["lost"].sum())
        first = stored[stored["block"] == 0]
        if not self.history.is_whole and len(first) and not before["blocks"]:
            for name, count in count_breaks(first).items():
                counts[name] += count
            self.changed |= int(first["changes"][0])
        self.verdict.account = zio.TimelineAccount(**counts, changed=self.changed)

    def _check_tables(self) -> None:
        """Each table has one row per block. After an interruption it may have more."""
        wanted = self.reader.blocks
        names = ["control", "order", *TABLES[self.reader.kind]]
        names.append("cue_index" if self.reader.kind == FLAT else self.reader.value.name)
        for name in names:
            rows = count_rows(self.reader.group[name])
            if rows < wanted or (rows > wanted and self.is_complete):
                table = name.rpartition("/")[2]
                self.verdict.fault(f"{table} has {rows} rows for {wanted} blocks")

    def _check_run(self, run: Run) -> None:
        counts = self.verdict.counts
        # Unreadable blocks before this run are rows, too.
        missing = sum(part.end - part.begin for part in self.reader.unread)
        first = counts["blocks"] + missing
        self._check_controls(run, first)
        in_all = self.history.place(run)
        self.changed |= int(np.bitwise_or.reduce(in_all.places["changes"]))
        self._check_places(run, first)
        self._check_times(run, first)
        self.found.append(find_breaks(run, first, run.times))
        self.sequence += [int(run.controls["seq_num"][i]) for i in (0, -1)]
        self.rate = last_rate(run, self.reader.given_by) or self.rate
        counts["blocks"] += len(run)
        counts["samples"] += int(run.lengths.sum())
        counts["bytes"] += run.data.nbytes

    def _check_controls(self, run: Run, first: int) -> None:
        controls = run.controls
        sizes = np.where(run.lengths > 0, controls["ssize"], self.reader.sample_size)
        known, native = is_readable(controls)
        for good, text in (
            (known, "another version"),
            (native, "another byte order"),
            (sizes == self.reader.sample_size, "another size of samples"),
        ):
            self._require(good, first, f"has {text}")
        for address in {address.tobytes() for address in controls["addr"]}:
            found = np.frombuffer(address, controls.dtype["addr"])[0]
            if channel_name(found) != self.reader.name:
                self.verdict.fault("a control has the address of another channel")

    def _require(self, good: Any, first: int, text: str) -> None:
        if not good.all():
            self.verdict.fault(
                f"the control of block {first + int(np.argmin(good))} {text}"
            )

    def _check_places(self, run: Run, first: int) -> None:
        """Check that the samples of each block are where the controls say."""
        if self.reader.kind != FLAT:
            length = run.data.size // len(run)
            self._require(run.lengths == length, first, "has another number of samples")
            return
        begins = self.samples + np.cumsum(run.lengths) - run.lengths
        index = self.reader.group["cue_index"][first : first + len(run)]
        self._require(index == begins, first, "does not fit cue_index")
        self.samples += int(run.lengths.sum())
        if int(run.lengths.sum()) != run.data.size:
            self.verdict.fault("the number of samples differs from the controls")

    def _check_times(self, run: Run, first: int) -> None:
        """Check the table of times against the placer. An older recording has time stamps
        instead, which are not times of samples if the control has FIRST.
        """
        name = TABLES[self.reader.kind][-1]
        try:
            times = self.reader.group[name][first : first + len(run)]
        except DAMAGE as error:
            self.verdict.fault(f"cannot read {name} of block {first} and others: {error}")
            return
        if BREAKS in self.reader.group:
            self._require(times == run.times, first, f"does not fit {name}")
            return
        late, events = is_late(run.controls), run.places["event"]["ns"]
        has_first = has_trigger_attribute(run.controls, lib.ZIO_ATTR_TRIG_FIRST_LOW)
        wanted = np.where(late, LAST_SECOND * SECOND, events)
        self._require((times == wanted) | has_first, first, f"does not fit {name}")

    def _check_breaks(self) -> None:
        found = np.concatenate(self.found) if self.found else np.zeros(0, BREAK)
        stored = self.stored
        if BREAKS not in self.reader.group:
            found, stored = _as_before(found), _as_before(stored)
        if not self.history.is_whole:
            found, stored = _without_times(found), _without_times(stored)
        if not np.array_equal(found, stored):
            self.verdict.fault(
                f"the blocks have {_text(found)}, but the table of breaks has "
                f"{_text(stored)}"
            )

    def _check_counts(self) -> None:
        counts = {**self.verdict.counts, **count_breaks(self.stored)}
        if self.sequence:
            ends = (self.sequence[0], self.sequence[-1])
            counts.update(zip(SEQUENCES, ends))
        if self.history.is_whole:
            counts.update(zip(RATE, self.rate))
        for name, count in counts.items():
            if self.reader.counts.get(name, count) != count:
                self.verdict.fault(
                    f"the statistics have {self.reader.counts[name]} as {name}, "
                    f"the file has {count}"
                )


def _as_before(breaks: Array) -> Array:
    """Return what an older recording tells of breaks: gaps in the numbers."""
    known = np.zeros(len(breaks), BREAK)
    known["block"], known["first_seq"] = breaks["block"], breaks["first_seq"]
    known["lost"] = breaks["lost"] + breaks["taken"]
    return known[known["lost"] > 0]


def _without_times(breaks: Array) -> Array:
    """Return what is known without the blocks of earlier files."""
    known = breaks[(breaks["block"] > 0) & (breaks["cause"] & TIMELESS > 0)].copy()
    known["cause"] &= TIMELESS
    known["time"] = known["length_ns"] = 0
    return known


def _text(breaks: Array) -> str:
    number = len(breaks)
    account = zio.TimelineAccount(**count_breaks(breaks))
    return f"{number} break{'' if number == 1 else 's'} ({account})"


def check_events(recording: Recording) -> list[str]:
    """Return the faults of the table of events, which must refer to existing blocks."""
    if EVENTS not in recording.entry:
        return []
    try:
        return _check_events(recording, recording.entry[EVENTS])
    except DAMAGE as error:
        return [f"cannot read the table of events: {error}"]


def _check_events(recording: Recording, table: Any) -> list[str]:
    faults = []
    sizes = {count_rows(table[name]) for name in ("time", "block", "missing")}
    if len(sizes) > 1 and recording.is_complete:
        faults.append("the columns of the table of events differ in length")
    count = min(sizes)
    blocks, missing = table["block"][:count], table["missing"][:count]
    if ((blocks < 0) != (missing > 0)).any() or (missing >= len(REASONS)).any():
        faults.append("an event has neither a block nor a reason, or both")
    if recording.is_complete:
        for column, name in enumerate(table.attrs["channels"]):
            reader = recording.channels.get(name)
            rows = blocks[:, column][blocks[:, column] >= 0]
            count = reader.blocks if reader else 0
            is_whole = recording.text("part") != "1" or len(rows) == count
            is_there = not len(rows) or rows[-1] < count
            if not (is_whole and is_there) or (np.diff(rows) != 1).any():
                faults.append(f"{name}: the events do not have each block once")
    return faults
