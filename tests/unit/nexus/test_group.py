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

from .makeblocks import (
    PERIOD_NS,
    START,
    Kind,
    make_block,
    make_control,
    make_file,
    samples,
)

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
        pass


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


def test_count(fake_group: None, tmp_path: Path) -> None:
    """The last event is whole, and there is none behind it."""
    path = tmp_path / "a.nxs"
    words = ["--group", *KINDS, "-o", str(path), "-q", "-n"]
    # Event 5 has one block, so 11 blocks are six events; a twelfth one needs a seventh.
    for number, count, blocks in ((11, 6, 11), (12, 7, 13), (13, 7, 13)):
        assert main([*words, str(number), "--force"]) in (0, 4)
        with h5py.File(path) as file:
            rows = file["entry/events/block"][()]
            assert len(rows) == count and (rows >= 0).sum() == blocks
            for column, name in enumerate(KINDS):
                stored = len(file["entry"][name]["control"])
                assert rows[:, column].max() == stored - 1
        recording = Recording(str(path))
        assert check_events(recording) == []
        recording.close()


def make_files(tmp_path: Path) -> list[Kind]:
    kinds = [Kind(device=b"one"), Kind(device=b"two", chan=3, nsamples=4)]
    for kind, name in zip(kinds, ("1.zio", "2.zio")):
        make_file(tmp_path / name, kind, range(20))
    return kinds


def test_group_of_files(nexus: Any, tmp_path: Path) -> None:
    """The columns have the names of the channels in the files."""
    make_files(tmp_path)
    nexus("--group", "1.zio", "2.zio", "-o", "a.nxs")
    assert "FAULT" not in nexus("verify", "a.nxs").stdout
    names = ["one-0007-0-1", "two-0007-0-3"]
    with h5py.File(tmp_path / "a.nxs") as file:
        events = file["entry/events"]
        assert list(events.attrs["channels"]) == names
        assert events["block"][()].tolist() == [[n, n] for n in range(20)]
        for name in names:
            assert file["entry"][name]["control"]["seq_num"].tolist() == list(range(20))


@pytest.mark.parametrize("number", [6, 7])
def test_count_of_files(nexus: Any, tmp_path: Path, number: int) -> None:
    make_files(tmp_path)
    nexus("--group", "1.zio", "2.zio", "-o", "a.nxs", "-n", number)
    nexus("verify", "a.nxs")
    with h5py.File(tmp_path / "a.nxs") as file:
        assert len(file["entry/events/time"]) == (number + 1) // 2


def test_files_that_are_no_group(nexus: Any, tmp_path: Path) -> None:
    """A file with several channels, or none, and two files of one channel"""
    kinds = make_files(tmp_path)
    content = b"".join(make_block(kind, seq) for seq in range(20) for kind in kinds)
    (tmp_path / "both.zio").write_bytes(content)
    (tmp_path / "empty.zio").touch()
    make_file(tmp_path / "more.zio", kinds[0], range(20, 40))
    for name, text in (
        ("both.zio", "both.zio: has 2 channels, but an event has one block of a source"),
        ("empty.zio", "empty.zio: has no blocks"),
        ("more.zio", "1.zio, more.zio: both have one-0007-0-1"),
        ("-", "-: its channel is still unknown"),
    ):
        said = nexus("--group", "1.zio", name, "-o", "a.nxs", status=2).stderr
        assert text in said
    assert not (tmp_path / "a.nxs").exists()


def test_file_with_a_control_that_contradicts_itself(nexus: Any, tmp_path: Path) -> None:
    """The events end with it, and refer to no block that is not there."""
    kinds = make_files(tmp_path)
    controls = [make_control(kinds[1], seq, 4) for seq in range(20)]
    controls[10]["attr_trigger"]["std_mask"] |= np.uint16(
        1 << zio.lib.ZIO_ATTR_TRIG_RATE_NUM
    )
    content = b"".join(c.tobytes() + samples(0, 4, 2) for c in controls)
    (tmp_path / "2.zio").write_bytes(content)
    said = nexus("--group", "1.zio", "2.zio", "-o", "a.nxs", status=1).stderr
    assert "block 10: its control has" in said
    assert "FAULT" not in nexus("verify", "a.nxs").stdout
