# SPDX-License-Identifier: GPL-2.0-only
"""Check the channels of a file.

The checker reads everything, so HDF5 checks its checksums. It counts blocks and gaps
again, and compares them with what the recorder has stored.
"""

from typing import Any

import numpy as np
from zio.controls import channel_name, is_readable

from .blocks import LOSS, Array, Gaps, Run
from .hdf import DAMAGE, ChannelReader, Recording, count_rows
from .layout import FLAT, ROWS, SERIES
from .schema import EVENTS, REASONS, SEQUENCES

TABLES = {ROWS: ("time",), SERIES: ("value", "time"), FLAT: ("cue_timestamp_zero",)}


class Verdict:
    """The result for one channel of one file. @kernel_start and @kernel_end are blocks
    and lost blocks, as the kernel counted them."""

    def __init__(self, reader: ChannelReader) -> None:
        self.faults: list[str] = []
        self.counts = {"blocks": 0, "samples": 0, "bytes": 0, "lost": 0, "gaps": 0}
        stored = reader.counts
        self.kernel_start = (stored["kernel_blocks_start"], stored["kernel_lost_start"])
        self.scaling_changes = stored["scaling_changes"]
        self.kernel_end = (stored["kernel_blocks"], stored["kernel_lost"])

    def fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)

    def report(self) -> dict[str, Any]:
        counts = {**self.counts, "scaling_changes": self.scaling_changes}
        return {**counts, "faults": self.faults}


class Checker:
    """Reads the blocks of one channel.

    @gaps knows the sequence up to this file. @may_begin_lost: blocks may be missing
    before the first one, in a file that is not given.
    """

    def __init__(
        self, reader: ChannelReader, gaps: Gaps, is_complete: bool, may_begin_lost: bool
    ) -> None:
        self.reader = reader
        self.gaps = gaps
        self.is_complete = is_complete
        self.may_begin_lost = may_begin_lost
        self.verdict = Verdict(reader)
        self.found: list[Array] = []
        self.sequence: list[int] = []
        self.samples = 0

    def check(self) -> Verdict:
        try:
            self._check_tables()
            for run in self.reader.runs():
                self._check_run(run)
        except DAMAGE as error:
            first = self.verdict.counts["blocks"]
            self.verdict.fault(f"cannot read the blocks from {first} on: {error}")
            return self.verdict
        self._check_losses()
        self._check_counts()
        return self.verdict

    def _check_tables(self) -> None:
        """Each table has a row for each block. After an interruption it may have more."""
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
        first = counts["blocks"]
        self._check_controls(run, first)
        self._check_places(run, first)
        self._check_times(run, first)
        self.found.append(self.gaps.find(run.controls, first, run.times))
        self.sequence += [int(run.controls["seq_num"][i]) for i in (0, -1)]
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
        """The samples of each block are where the controls tell."""
        if self.reader.kind != FLAT:
            length = run.data.size // len(run)
            self._require(run.lengths == length, first, "has another number of samples")
            return
        begins = self.samples + np.cumsum(run.lengths) - run.lengths
        index = self.reader.group["cue_index"][first : first + len(run)]
        self._require(index == begins, first, "does not fit cue_index")
        self.samples += int(run.lengths.sum())
        if int(run.lengths.sum()) != run.data.size:
            self.verdict.fault("the samples are not as many as the controls tell")

    def _check_times(self, run: Run, first: int) -> None:
        """The table of times repeats what the controls have."""
        name = TABLES[self.reader.kind][-1]
        times = self.reader.group[name][first : first + len(run)]
        self._require(times == run.times, first, f"does not fit {name}")

    def _check_losses(self) -> None:
        counts = self.verdict.counts
        found = np.concatenate(self.found) if self.found else np.zeros(0, LOSS)
        stored = self.reader.losses
        if not self.is_complete:
            stored = stored[stored["block"] < self.reader.blocks]
        if self.may_begin_lost and len(stored) > len(found) and not stored["block"][0]:
            found = np.concatenate((stored[:1], found))
        counts["lost"], counts["gaps"] = int(found["lost"].sum()), len(found)
        if not np.array_equal(found, stored):
            lost = int(stored["lost"].sum())
            self.verdict.fault(
                f"{counts['lost']} blocks are missing in {len(found)} gaps, but the "
                f"table of losses has {lost} in {len(stored)}"
            )

    def _check_counts(self) -> None:
        counts = dict(self.verdict.counts)
        if self.sequence:
            ends = (self.sequence[0], self.sequence[-1])
            counts.update(zip(SEQUENCES, ends))
        for name, count in counts.items():
            if self.reader.counts[name] != count:
                self.verdict.fault(
                    f"the statistics have {self.reader.counts[name]} as {name}, "
                    f"the file has {count}"
                )


def check_events(recording: Recording) -> list[str]:
    """Return the faults of the table of events: it refers to blocks that are there."""
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
