# SPDX-License-Identifier: LGPL-2.1-or-later
"""Block files that the tests make."""

from __future__ import annotations

import itertools
import mmap
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio

FLAGS = 0x01000001 if sys.byteorder == "little" else 0x02000002


def make_control(seq: int, nsamples: int, ssize: int) -> np.void:
    control: np.void = np.zeros((), zio.control_dtype)[()]
    control["major_version"], control["minor_version"] = 1, 4
    control["seq_num"], control["nsamples"], control["ssize"] = seq, nsamples, ssize
    control["nbits"] = 8 * ssize
    control["flags"] = FLAGS
    control["addr"]["devname"] = b"fake"
    control["addr"]["dev_id"], control["addr"]["cset"], control["addr"]["chan"] = 7, 1, 2
    control["tstamp"]["secs"], control["tstamp"]["ticks"] = 1_700_000_000 + seq, 5
    return control


def make_samples(seq: int, nsamples: int, ssize: int) -> np.ndarray[Any, Any]:
    """Return samples that no other block has."""
    return (np.arange(nsamples) + 1000 * seq).astype(f"u{ssize}")


def make_block(seq: int, nsamples: int = 16, ssize: int = 4) -> bytes:
    samples = make_samples(seq, nsamples, ssize)
    return make_control(seq, nsamples, ssize).tobytes() + samples.tobytes()


Maker = Callable[..., str]


@pytest.fixture
def block_file(tmp_path: Path) -> Maker:
    """Return a function that makes a file of blocks, and returns its path."""

    def make(numbers: Iterable[int], nsamples: int = 16, ssize: int = 4) -> str:
        path = tmp_path / "blocks"
        path.write_bytes(b"".join(make_block(n, nsamples, ssize) for n in numbers))
        return str(path)

    return make


class FakeRing:
    """Files that stand for the nodes of a ring, and the part of the kernel."""

    SLOTS = 16
    PAGE = mmap.PAGESIZE
    DATA = 4 * mmap.PAGESIZE

    def __init__(self, directory: Path) -> None:
        self.name = str(directory / "ring-0000-0-1")
        self.control = self._map("ctrl", self.PAGE + self.SLOTS * 512)
        self.data = self._map("data", self.DATA)
        header = np.frombuffer(self.control, "u4", 6)
        header[:6] = [0x5A494F52, 1, self.PAGE, 512, self.SLOTS, 0]
        np.frombuffer(self.control, "u8", 1, 24)[0] = self.DATA
        self._head = np.frombuffer(self.control, "u4", 1, 64)
        self._tail = np.frombuffer(self.control, "u4", 1, 128)
        self.used = 0

    def _map(self, part: str, size: int) -> mmap.mmap:
        with open(f"{self.name}-{part}", "w+b") as file:
            file.truncate(size)
            return mmap.mmap(file.fileno(), size)

    @property
    def head(self) -> int:
        return int(self._head[0])

    @property
    def tail(self) -> int:
        return int(self._tail[0])

    def put(self, seq: int, nsamples: int = 16, ssize: int = 4) -> bool:
        """Make a block as the kernel does. Return False if the program has the slot, or
        the memory, which is a ring as well: as many blocks fit."""
        size = nsamples * ssize
        if self.head - self.tail >= min(self.SLOTS, self.DATA // max(size, 1)):
            return False
        if self.used + size > self.DATA // max(size, 1) * max(size, 1):
            self.used = 0
        control = make_control(seq, nsamples, ssize)
        control["mem_offset"] = self.used
        samples = make_samples(seq, nsamples, ssize).tobytes()
        self.data[self.used : self.used + size] = samples
        self.used += size
        at = self.PAGE + self.head % self.SLOTS * 512
        self.control[at : at + 512] = control.tobytes()
        self._head[0] += 1
        return True


@pytest.fixture
def ring(tmp_path: Path) -> FakeRing:
    return FakeRing(tmp_path)


class FakeBoard:
    """Directories and FIFOs that stand for a board with a set of three channels."""

    NAME = "zzero-0000"

    def __init__(self, directory: Path) -> None:
        self.sysfs, self.nodes = directory / "sysfs", directory / "nodes"
        self.device = self.sysfs / "bus/zio/devices" / self.NAME
        self._descriptors: list[int] = []
        trigger = {"enable": 1, "nsamples": 16, "period-ns": 10**9, "slack-ns": 0}
        cset = {"enable": 1, "current_trigger": "user", "current_buffer": "kmalloc"}
        self._put("cset0", {**cset, "direction": "input"})
        self._put("cset0/trigger", {"name": "hrt", **trigger})
        for n in range(3):
            self._put(f"cset0/chan{n}", {"enable": 1, "address": f"{self.NAME}-0-{n}"})
            self._put(f"cset0/chan{n}/buffer", {"max-buffer-len": 16})
        self._make_nodes()

    def _put(self, part: str, attributes: dict[str, Any]) -> None:
        (self.device / part).mkdir(parents=True, exist_ok=True)
        for name, value in attributes.items():
            (self.device / part / name).write_text(f"{value}\n")

    def _make_nodes(self) -> None:
        self.nodes.mkdir()
        for channel, part in itertools.product(range(3), ("ctrl", "data")):
            node = self.nodes / f"{self.NAME}-0-{channel}-{part}"
            os.mkfifo(node)
            self._descriptors.append(os.open(node, os.O_RDWR))

    def plug_again(self) -> None:
        """Take the board away, and put it back at once."""
        self.close()
        shutil.rmtree(self.nodes)
        self._make_nodes()

    def put(
        self, channel: int, seq: int, nsamples: int = 16, ssize: int = 4, alarms: int = 0
    ) -> None:
        """Make a block of a channel."""
        block = bytearray(make_block(seq, nsamples, ssize))
        block[2] = alarms
        os.write(self._descriptors[2 * channel + 1], block[512:])
        os.write(self._descriptors[2 * channel], block[:512])

    def control(self, channel: int) -> int:
        """Return the descriptor of a control node."""
        return self._descriptors[2 * channel]

    def put_volts(self, channel: int, samples: Iterable[int], scale: float) -> None:
        """Make a block in volts."""
        array = np.array(samples, np.uint32)
        control = zio.make_control(f"zzero-0-{channel}", unit="V", scale=scale)
        control["nsamples"], control["ssize"], control["nbits"] = array.size, 4, 32
        os.write(self._descriptors[2 * channel + 1], array.tobytes())
        os.write(self._descriptors[2 * channel], control.tobytes())

    def settings(self) -> dict[str, str]:
        """Return the texts of all attributes."""
        files = sorted(path for path in self.device.rglob("*") if path.is_file())
        return {str(f.relative_to(self.device)): f.read_text().strip() for f in files}

    def close(self) -> None:
        for fd in self._descriptors:
            os.close(fd)
        self._descriptors.clear()


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBoard]:
    """Give a board whose channels and attributes `zio` finds."""
    board = FakeBoard(tmp_path)
    monkeypatch.setenv("ZIO_SYSFS", str(board.sysfs))
    monkeypatch.setenv("ZIO_DEV_PATH", str(board.nodes))
    yield board
    board.close()
