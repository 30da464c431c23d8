# SPDX-License-Identifier: GPL-2.0-only
"""The blocks of aligned events, and the table of the events."""

import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zio
from zio_nexus.checker import check_events
from zio_nexus.cli import main
from zio_nexus.hdf import Recording

from .makeblocks import PERIOD_NS, START, Kind, make_control, samples

KINDS = {"fake-0007-0-1": Kind(chan=1), "fake-0007-0-2": Kind(chan=2, nsamples=4)}
# Events in which a channel has no block
MISSING = {(5, "fake-0007-0-2"): "lost", (9, "fake-0007-0-1"): "late"}
COUNT = 2500


class FakeBlock:
    """A block as the package zio gives it."""

    def __init__(self, kind: Kind, seq: int) -> None:
        self.control = make_control(kind, seq, kind.nsamples)
        self.data = np.frombuffer(samples(seq, kind.nsamples, kind.ssize), "u2")


class FakeEvent:
    """An event of two channels."""

    def __init__(self, seq: int) -> None:
        self.time_ns = START * 10**9 + seq * PERIOD_NS
        self.missing = {name: why for (n, name), why in MISSING.items() if n == seq}
        self.seq = seq

    def __getitem__(self, name: str) -> FakeBlock | None:
        return None if name in self.missing else FakeBlock(KINDS[name], self.seq)


class FakeGroup:
    """A group that has no event for a while, now and then."""

    def __init__(self) -> None:
        self.seq = 0
        self.idle = 0

    def next(self, timeout: float) -> FakeEvent | None:
        assert timeout > 0
        if self.seq == 1500 and self.idle < 3:
            # A collector that has waited for so long must still take the next event.
            time.sleep(timeout * 1.1)
            self.idle += 1
            raise BlockingIOError
        self.seq += 1
        return FakeEvent(self.seq - 1) if self.seq <= COUNT else None

    def close(self) -> None:
        assert self.seq > COUNT


@pytest.fixture
def fake_group(monkeypatch: pytest.MonkeyPatch) -> None:
    def group(names: list[str], **_: Any) -> FakeGroup:
        assert names == list(KINDS)
        return FakeGroup()

    monkeypatch.setattr(zio, "group", group, raising=False)


@pytest.fixture
def recorded(fake_group: None, tmp_path: Path) -> Path:
    path = tmp_path / "a.nxs"
    assert main(["--group", *KINDS, "-o", str(path), "-q"]) == 4
    return path


def test_common_indices(recorded: Path) -> None:
    """Each event leads to the block of each channel, or to the reason why not."""
    with h5py.File(recorded) as file:
        events = file["entry/events"]
        assert list(events.attrs["channels"]) == list(KINDS)
        assert len(events["time"]) == COUNT
        for column, name in enumerate(KINDS):
            rows = events["block"][:, column]
            seq = file["entry"][name]["control"]["seq_num"]
            there = [n for n in range(COUNT) if (n, name) not in MISSING]
            assert seq[rows[there]].tolist() == there
            reasons = list(events["missing"].attrs["reasons"])
            for n, other in MISSING:
                if other == name:
                    assert rows[n] == -1
                    assert reasons[events["missing"][n, column]] == MISSING[n, name]


def test_verify(recorded: Path) -> None:
    recording = Recording(str(recorded))
    assert check_events(recording) == []
    recording.close()
    with h5py.File(recorded, "r+") as file:
        file["entry/events/block"][7, 0] = -1
    recording = Recording(str(recorded))
    assert len(check_events(recording)) == 2
    recording.close()


def test_files_end_between_events(fake_group: None, tmp_path: Path) -> None:
    """A file has all blocks of its events, also if it was full after one channel."""
    assert main(
        ["--group", *KINDS, "-o", str(tmp_path / "a.nxs"), "--rotate-size=64k", "-q"]
    ) in (0, 4)
    paths = sorted(tmp_path.glob("a-*.nxs"))
    assert len(paths) > 1
    numbers = []
    for path in paths:
        with h5py.File(path) as file:
            events = file["entry/events/block"][()]
            for column, name in enumerate(KINDS):
                assert events[:, column].max() + 1 == len(file["entry"][name]["control"])
                rows = events[:, column][events[:, column] >= 0]
                assert rows.tolist() == list(range(len(rows)))
            numbers += [len(events)]
        recording = Recording(str(path))
        assert check_events(recording) == []
        recording.close()
    assert sum(numbers) == COUNT


def test_no_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if hasattr(zio, "group"):
        pytest.skip("the package has groups")
    assert main(["--group", "a", "b", "-o", str(tmp_path / "a.nxs")]) == 3
    assert "no groups" in capsys.readouterr().err
