# SPDX-License-Identifier: GPL-2.0-only
"""A simulated oscilloscope becomes a device. selftests/visa.sh runs this."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zio
from oscilloscope import Scope

TREE = Path(os.environ["ZIO_TREE"])
PROGRAM = TREE / "tools/programs/visa/zio-visa"
NEXUS = TREE / "tools/programs/nexus/zio-nexus"
NODES = Path("/dev/zio")
# Only a hang reaches it.
SECONDS = 300.0
# The samples in microvolts: (sample - yorigin - yreference) * yincrement
WAVE = (np.arange(1200) % 256 - 117) * 40_000


def in_guest(*command: str) -> str:
    """Return what a program of the virtual machine prints, which must not fail."""
    words = ["chroot", "/proc/1/root", *command]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return done.stdout


def wait_until(found: Callable[[], Any]) -> None:
    limit = time.monotonic() + SECONDS
    while not found():
        assert time.monotonic() < limit, "never true"
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _loaded() -> None:
    in_guest("modprobe", "-a", "zio-buf-vmalloc", "zio-uzio")


@pytest.fixture
def scope() -> Iterator[Scope]:
    with Scope() as server:
        yield server
        server.shutdown()


@contextmanager
def serving(scope: Scope, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run zio-visa; the device has the channels CHAN1 and CHAN2."""
    command = [sys.executable, str(PROGRAM), "--channels=CHAN1,CHAN2", *words]
    with subprocess.Popen(
        [*command, scope.resource],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout
        line = program.stdout.readline()
        if not line:
            pytest.fail(program.communicate()[1])
        assert line == f"rigol-0000: {scope.resource}, rigol-scope\n"
        wait_until((NODES / "rigol-0000-0-1-data").exists)
        try:
            yield program
        finally:
            program.terminate()


def words_of(program: subprocess.Popen[str]) -> str:
    """Return what the program has complained about, once it ends."""
    program.terminate()
    _, said = program.communicate(timeout=SECONDS)
    return said


def test_blocks(scope: Scope) -> None:
    with serving(scope) as program:
        with zio.open("rigol-0000-0-1") as channel:
            for _ in range(3):
                block = channel.read()
                assert block is not None
                assert block.values() == pytest.approx(WAVE * 1e-6)
                assert block.unit == "V"
                assert block.rate == pytest.approx(1e6)
                assert int(block.control["zio_alarms"]) == 0
        assert words_of(program) == ""
        assert program.returncode == 143
    assert scope.said.count(":SING") >= 3


def test_dump(scope: Scope) -> None:
    """In units, and as JSON."""
    with serving(scope):
        said = in_guest("zio-dump", "-u", "-j", "-n", "1", "rigol-0000-0-0")
        block = json.loads(said.splitlines()[0])
        assert block["data"] == pytest.approx(WAVE * 1e-6) and block["unit"] == "V"
        said = in_guest("zio-dump", "-u", "-n", "1", "rigol-0000-0-0")
        assert "-4.68" in said and " V" in said, said[:500]


def test_nexus(scope: Scope, tmp_path: Path) -> None:
    file = tmp_path / "run.nxs"
    with serving(scope):
        command = [NEXUS, "-q", "-n", "2", "-o", file, "rigol-0000-0-0"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
    found: dict[str, Any] = {}
    with h5py.File(file) as content:
        content.visititems(
            lambda name, item: found.update({name: item.attrs.get("units")})
        )
    assert "V" in found.values(), found


def test_errors_reach_the_reader(scope: Scope) -> None:
    with serving(scope) as program:
        with zio.open("rigol-0000-0-0") as channel:
            assert channel.read() is not None
            scope.errors.append('-222,"Data out of range"')
            wait_until(lambda: not scope.errors or not advance(channel))
        assert "-222: Data out of range" in words_of(program)


def advance(channel: zio.Channel) -> bool:
    """Return false if the channel has failed with ERANGE."""
    try:
        channel.read()
    except zio.Error as error:
        assert error.errno == errno.ERANGE
        return False
    return True


def test_abort(scope: Scope) -> None:
    """The instrument waits for a trigger that never comes; the set is disabled."""
    scope.triggers_at = 10**9
    with serving(scope) as program:
        with zio.open("rigol-0000-0-0", nonblock=True) as channel:
            with pytest.raises(zio.Error):
                channel.read()
            wait_until(lambda: scope.questions > 2)
            zio.find("rigol-0000/cset0")["enable"] = 0
            wait_until(lambda: ":STOP" in scope.said)
        assert words_of(program) == ""


def refusal_of(*words: str) -> str:
    """Return what `zio set` says of a value, which must be refused."""
    command = ["chroot", "/proc/1/root", "zio", "set", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, done
    return done.stderr


def test_settings(scope: Scope) -> None:
    """The value is that which the instrument has taken, and so is the refusal."""
    scope.settings[":CHAN1:COUP"] = "AC"
    with serving(scope) as program:
        channel = Path(zio.find("rigol-0000").path) / "cset0/chan1"
        assert (channel.parent / "chan0/coupling").read_text() == "1\n"
        assert (channel / "coupling").read_text() == "0\n"
        in_guest("zio", "set", "rigol-0-1", "coupling=2", "probe=20")
        assert scope.settings[":CHAN2:COUP"] == "GND"
        assert float(scope.settings[":CHAN2:PROB"]) == 10
        assert (channel / "probe").read_text() == "10\n"
        said = refusal_of("rigol-0-1", "probe=1000")
        assert "-222: Data out of range" in said, said
        refusal = channel.parents[1] / "refusal"
        assert refusal.read_text() == (
            "cset0/chan1/probe=1000: -222: Data out of range\n"
        )
        assert (channel / "probe").read_text() == "10\n"
        count = len(scope.said)
        assert "it accepts one of: 0 1 2" in refusal_of("rigol-0-1", "coupling=3")
        assert len(scope.said) == count
        in_guest("zio", "set", "rigol-0000", "timebase=1000000000")
        assert float(scope.settings[":TIM:MAIN:SCAL"]) == 1
        assert words_of(program) == ""


def test_values_that_the_model_does_not_list(scope: Scope) -> None:
    """One from the start is accepted; another that the instrument takes is refused."""
    scope.settings[":CHAN1:PROB"] = "3"
    with serving(scope) as program:
        probe = Path(zio.find("rigol-0000").path) / "cset0/chan0/probe"
        assert probe.read_text() == "3\n"
        in_guest("zio", "set", "rigol-0-0", "probe=10")
        in_guest("zio", "set", "rigol-0-0", "probe=3")
        scope.taken = "15"
        assert "the instrument has taken 15" in refusal_of("rigol-0-0", "probe=20")
        assert probe.read_text() == "3\n"
        assert words_of(program) == ""


def test_setting_while_the_instrument_waits(scope: Scope) -> None:
    """A setting may be what the trigger waits for."""
    scope.triggers_at = 10**9
    with serving(scope) as program:
        with zio.open("rigol-0000-0-0", nonblock=True) as channel:
            with pytest.raises(zio.Error):
                channel.read()
            wait_until(lambda: scope.questions > 2)
            in_guest("zio", "set", "rigol-0-0", "coupling=1")
            assert scope.settings[":CHAN1:COUP"] == "AC"
            assert scope.said.count(":SING") == 1
            scope.triggers_at = 3
            assert channel.wait(SECONDS) and channel.read() is not None
        assert words_of(program) == ""


def test_rate_changes(scope: Scope) -> None:
    """One acquisition fails, and later blocks have the new rate."""
    with serving(scope) as program:
        with zio.open("rigol-0000-0-0") as channel:
            assert channel.read() is not None
            scope.period = "2e-6"
            with pytest.raises(zio.Error) as caught:
                while channel.read() is not None:
                    pass
            assert caught.value.errno == errno.EIO
            block = channel.read()
            assert block is not None and block.rate == pytest.approx(5e5)
        said = words_of(program)
        assert said.count("500000 samples per second instead of 1e+06: later bl") == 1


def test_connection_ends(scope: Scope) -> None:
    with serving(scope) as program:
        with zio.open("rigol-0000-0-0") as channel:
            assert channel.read() is not None
            scope.ends_at = ":WAV:DATA?"
            with pytest.raises(zio.Error) as caught:
                while channel.read() is not None:
                    pass
            assert caught.value.errno == errno.ENODEV
        assert program.wait(SECONDS) == 1
        assert program.stderr
        assert f"zio-visa: {scope.resource}: the" in program.stderr.read()


def test_idle_instrument_is_looked_after(scope: Scope) -> None:
    scope.ends_at = "*IDN?"
    scope.lives = 2
    with serving(scope, "--idle-check=0.1") as program:
        assert program.wait(SECONDS) == 1
