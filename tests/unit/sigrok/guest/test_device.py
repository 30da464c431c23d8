# SPDX-License-Identifier: GPL-2.0-only
"""The demo instrument of libsigrok becomes a device. selftests/sigrok.sh runs this."""

from __future__ import annotations

import errno
import json
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
PROGRAM = TREE / "tools/bin/zio-sigrok"
NEXUS = TREE / "tools/programs/nexus/zio-nexus"
DEMO = "demo:analog_channels=2:logic_channels=12"
SETTINGS = (
    "samplerate=1M",
    "Logic/pattern=incremental",
)
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


@contextmanager
def serving(*words: str) -> Iterator[subprocess.Popen[str]]:
    in_guest("modprobe", "-a", "zio-buf-vmalloc", "zio-uzio")
    settings = [f"--config={setting}" for setting in SETTINGS]
    command = [str(PROGRAM), *settings, *words, DEMO]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdout
        line = program.stdout.readline()
        if not line:
            pytest.fail(program.communicate()[1])
        assert line == "demo-0000: demo, 2 sets\n"
        wait_until(Path("/dev/zio/demo-0000-1-0-data").exists)
        try:
            yield program
        finally:
            program.terminate()


def end(program: subprocess.Popen[str]) -> tuple[int, str]:
    """Return the exit status after a signal, and the complaints."""
    program.terminate()
    _, said = program.communicate(timeout=SECONDS)
    return program.returncode, said


def test_analog() -> None:
    with serving() as program:
        with zio.open("demo-0-0") as channel:
            for _ in range(3):
                block = channel.read()
                assert block is not None
                assert len(block.data) == 1000 and block.unit == "V"
                assert block.rate == pytest.approx(1e6)
                # Exact: a multiple of a decimal step
                assert set(np.round(block.values(), 9)) == {-10.0, 10.0}
        assert end(program) == (143, "")


def test_logic() -> None:
    """12 bits in two bytes; the pattern counts up by one from byte to byte."""
    with serving():
        zio.find("demo/1")["trigger/nsamples"] = 300
        with zio.open("demo-0000-1-0") as channel:
            block = channel.read()
            assert block is not None and block.rate == pytest.approx(1e6)
            assert int(block.control["nbits"]) == 12
            low = np.frombuffer(block.data.tobytes(), "<u2") & 0xFF
            assert len(low) == 300
            assert (np.diff(low.astype(int)) % 256 == 2).all()


def test_other_programs(tmp_path: Path) -> None:
    file = tmp_path / "run.nxs"
    with serving():
        said = in_guest("zio-dump", "-u", "-n", "1", "demo-0-0")
        assert " V" in said and "-10" in said, said[:500]
        block = json.loads(
            in_guest("zio-dump", "-j", "-n", "1", "demo-0000-1-0").splitlines()[0]
        )
        assert len(block["data"]) == 1000
        command = [NEXUS, "-q", "-n", "2", "-o", file, "demo-0-0"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
    found: dict[str, Any] = {}
    with h5py.File(file) as content:
        content.visititems(
            lambda name, item: found.update({name: item.attrs.get("units")})
        )
    assert "V" in found.values(), found


def test_one_channel_only() -> None:
    """A disabled channel is not acquired, and gets no block."""
    with serving():
        zio.find("demo/0").chan[0]["enable"] = 0
        with zio.open("demo-0-1") as channel:
            block = channel.read()
            assert block is not None and len(block.data) == 1000


def test_abort() -> None:
    """A set that is disabled during a long acquisition is free again."""
    with serving("--config=samplerate=100") as program:
        cset = zio.find("demo/0")
        cset["trigger/nsamples"] = 10_000
        with zio.open("demo-0-0", nonblock=True) as channel:
            with pytest.raises(zio.Error) as caught:
                channel.read()
            assert caught.value.errno == errno.EAGAIN
            cset["enable"] = 0
            cset["trigger/nsamples"] = 10
            cset["enable"] = 1
        with zio.open("demo-0-0") as channel:
            block = channel.read()
            assert block is not None and len(block.data) == 10
        assert end(program) == (143, "")


def test_killed() -> None:
    with serving() as program:
        with zio.open("demo-0-0") as channel:
            assert channel.read() is not None
            program.kill()
            with pytest.raises(zio.Error) as caught:
                while channel.read() is not None:
                    pass
            assert caught.value.errno == errno.ENODEV
