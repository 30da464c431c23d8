# SPDX-License-Identifier: GPL-2.0-only
"""The output of a machine that runs is read up to the end of a command"""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from zio_testing.guest import Running


@pytest.fixture
def ends(tmp_path: Path) -> Iterator[tuple[Running, socket.socket]]:
    """A machine whose port the test has in its hand."""
    ours, theirs = socket.socketpair()
    running = Running.__new__(Running)
    running.work, running.log, running.left = tmp_path, tmp_path / "log", b""
    running.log.touch()
    running.port = theirs
    running.process = subprocess.Popen(["sleep", "infinity"])
    yield running, ours
    running.process.kill()
    running.process.wait()
    ours.close()
    theirs.close()


def test_a_job_speaks_after_the_end(ends: tuple[Running, socket.socket]) -> None:
    running, port = ends
    port.sendall(b"one\r\nzio-guest: end 3\r\n\x1b[Kjob\r\n")
    outcome = running.run("first", 10)
    assert (outcome.said, outcome.status) == ("one\n", 3)
    port.sendall(b"two\r\nzio-guest: end 0\r\n")
    outcome = running.run("second", 10)
    assert (outcome.said, outcome.status) == ("\x1b[Kjob\ntwo\n", 0)


def test_much_output_in_many_parts(ends: tuple[Running, socket.socket]) -> None:
    running, port = ends
    many = b"x" * 10000 + b"zio-guest: en"
    if not os.fork():
        for part in (many, b"d 7", b"\r", b"\n"):
            port.sendall(part)
        os._exit(0)
    outcome = running.run("line", 10)
    os.wait()
    assert (len(outcome.said), outcome.status) == (10000, 7)
