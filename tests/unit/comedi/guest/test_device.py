# SPDX-License-Identifier: GPL-2.0-only
"""The card of comedi_test becomes a device. selftests/comedi.sh runs this.

Channel 0 of the card is a sawtooth, channel 1 a square wave of 1 V, both with a period of
0.1 s; the other six are 0.
"""

from __future__ import annotations

import errno
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zio

TREE = Path(os.environ["ZIO_TREE"])
PROGRAM = TREE / "tools/bin/zio-comedi"
NEXUS = TREE / "tools/programs/nexus/zio-nexus"
CARD = "/dev/comedi0"
RATE = 10_000
# Only a hang reaches it.
SECONDS = 300.0


def in_guest(*command: str) -> str:
    """Return what a program of the virtual machine prints, which must not fail."""
    words = ["chroot", "/proc/1/root", *command]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def wait_until(found: Callable[[], Any]) -> None:
    limit = time.monotonic() + SECONDS
    while not found():
        assert time.monotonic() < limit, "never true"
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _loaded() -> None:
    in_guest("modprobe", "-a", "zio-buf-vmalloc", "zio-uzio", "comedi_test")
    wait_until(Path(CARD).exists)


@contextmanager
def serving(*words: str, rate: int = RATE) -> Iterator[subprocess.Popen[str]]:
    command = [str(PROGRAM), f"--rate={rate}", "--channels=0,1", *words, CARD]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdout
        line = program.stdout.readline()
        if not line:
            pytest.fail(program.communicate()[1])
        assert line == (f"comedi-0000: {CARD}, 2 channels, {rate} samples per second\n")
        wait_until(Path("/dev/zio/comedi-0000-0-1-data").exists)
        try:
            yield program
        finally:
            program.terminate()


def end(program: subprocess.Popen[str]) -> tuple[int, str]:
    """Return the exit status after a signal, and the complaints."""
    program.terminate()
    _, said = program.communicate(timeout=SECONDS)
    return program.returncode, said


def is_square(volts: Any) -> bool:
    """Tell whether these are 1 V and -1 V, to a step of the card, for 50 ms each."""
    edges = np.flatnonzero(np.diff(volts) != 0)
    periods = np.diff(edges)
    return bool((abs(abs(volts) - 1) < 1e-3).all()) and bool(
        (abs(periods - 500) <= 1).all()
    )


def test_list() -> None:
    done = subprocess.run([PROGRAM, "list"], capture_output=True, text=True, check=True)
    assert f"{CARD}\tcomedi_test\tcomedi_test\tsubdevice 0: 8 channels\n" in done.stdout


def test_refusals() -> None:
    for words, said in (
        (["--range=99"], f"{CARD}: channel 0 has 2 ranges, no range 99"),
        (["--channels=0,8"], f"{CARD}: --channels=0,8: give numbers from 0 to 7"),
        (["--subdevice=1"], f"{CARD}: subdevice 1 has no analog inputs with commands"),
    ):
        done = subprocess.run([PROGRAM, *words, CARD], capture_output=True, text=True)
        assert done.returncode == 3 and said in done.stderr, done.stderr


def test_event_by_event() -> None:
    with serving() as program:
        zio.find("comedi/0")["trigger/nsamples"] = 2500
        with zio.open("comedi-0-1") as channel:
            before = time.time_ns()
            for _ in range(2):
                block = channel.read()
                assert block is not None and len(block.data) == 2500
                assert block.unit == "V" and block.rate == RATE
                assert is_square(block.values())
                assert before - 10**7 < block.time_ns < time.time_ns()
                assert block.time_ns > before
        assert end(program) == (143, "")


def test_range() -> None:
    """Range 1 is -5 to 5 V: the same volts by other samples."""
    raw = []
    for number in ("0", "1"):
        with serving(f"--range={number}"), zio.open("comedi-0-1") as channel:
            block = channel.read()
            assert block is not None
            assert abs(abs(block.values()) - 1).max() < 1e-3
            raw.append(int(block.data.max()))
    assert raw[0] != raw[1]


def test_continuous() -> None:
    """No sample is missing between two blocks."""
    with serving("--continuous") as program:
        with zio.open("comedi-0-1") as channel:
            blocks = [block.copy() for block in channel.take(6)]
        assert is_square(np.concatenate([block.values() for block in blocks]))
        steps = np.diff([block.time_ns for block in blocks])
        assert (steps == 1000 * 10**9 // RATE).all(), steps
        assert end(program) == (143, "")


def test_overrun() -> None:
    """The reader pauses until the buffer of the driver is full: the loss is told."""
    with serving("--continuous", rate=100_000) as program:
        with zio.open("comedi-0-1") as channel:
            begin, pause = channel.read(), 1.0
            assert begin is not None and begin.alarms == ()
            first = begin.time_ns
            while (block := channel.read()) is not None and not block.alarms:
                if time.time_ns() - block.time_ns < 10**8:
                    # The reader has caught up, and nothing was lost: pause longer.
                    time.sleep(pause)
                    pause *= 2
            assert block is not None and block.alarms == ("lost-block",)
            lost = block.lost
            # The clock of the machine tells the same: a block has 10 ms.
            passed = (block.time_ns - first) / 10**7
            assert 1 <= lost <= passed
            assert is_square(block.values())
        assert end(program) == (143, "")


def test_other_programs(tmp_path: Path) -> None:
    file = tmp_path / "run.nxs"
    with serving():
        said = in_guest("zio-dump", "-u", "-n", "1", "comedi-0-1")
        assert " V" in said, said[:500]
        command = [NEXUS, "-q", "-n", "2", "-o", file, "comedi-0-0", "comedi-0-1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
    found: dict[str, Any] = {}
    with h5py.File(file) as content:
        content.visititems(
            lambda name, item: found.update({name: item.attrs.get("units")})
        )
    assert "V" in found.values(), found


def test_abort() -> None:
    with serving(rate=100) as program:
        cset = zio.find("comedi/0")
        cset["trigger/nsamples"] = 10_000
        with zio.open("comedi-0-0", nonblock=True) as channel:
            with pytest.raises(zio.Error) as caught:
                channel.read()
            assert caught.value.errno == errno.EAGAIN
            cset["enable"] = 0
            cset["trigger/nsamples"] = 10
            cset["enable"] = 1
        with zio.open("comedi-0-0") as channel:
            block = channel.read()
            assert block is not None and len(block.data) == 10
            assert block.lost == 0 and block.alarms == ()
        assert end(program) == (143, "")
