# SPDX-License-Identifier: GPL-2.0-only
"""A long build tells how far it is: on a terminal, in a pipe, and in a run of tests."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from zio_testing import progress
from zio_testing.common import TESTING

PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from zio_testing.progress import build
build(["sh", "-c", "echo '  CC [M]  a.o'; echo '  CC b.o'; read line <" + sys.argv[3]],
      Path(sys.argv[2]), "the modules do not build")
"""


def alone() -> dict[str, str]:
    """Return the environment of a program that no run of the tests has started."""
    return {name: value for name, value in os.environ.items() if name != "ZIO_RUN"}


def test_a_build_on_a_terminal(tmp_path: Path) -> None:
    fifo = tmp_path / "end"
    os.mkfifo(fifo)
    ours, theirs = pty.openpty()
    command: list[str | Path] = [
        sys.executable,
        "-c",
        PROGRAM,
        TESTING,
        tmp_path / "log",
        fifo,
    ]
    with subprocess.Popen(command, stderr=theirs, env=alone()) as process:
        os.close(theirs)
        said = ""
        while "2 files" not in said:
            said += os.read(ours, 1000).decode()
        fifo.write_text("end\n")
        assert process.wait() == 0
    os.close(ours)
    assert re.search("building the modules: [0-9]+ s, 2 files", said)


FOLLOWED = """
import sys
sys.path.insert(0, sys.argv[1])
from zio_testing import progress
progress.SECONDS = 0.1
with progress.shown("the work", lambda: "3 files"):
    sys.stdin.readline()
"""


def test_work_in_a_pipe() -> None:
    command: list[str | Path] = [sys.executable, "-c", FOLLOWED, TESTING]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=alone()
    ) as process:
        assert process.stdin and process.stderr
        assert re.search(rb"the work: \d+ s, 3 files\n", process.stderr.readline())
        process.stdin.close()


def test_work_in_a_run_of_the_tests(tmp_path: Path) -> None:
    """The run prints what its workers have noted."""
    env = {**os.environ, "ZIO_RUN": "a", "XDG_CACHE_HOME": str(tmp_path)}
    command: list[str | Path] = [sys.executable, "-c", FOLLOWED, TESTING]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=env) as process:
        assert process.stdin
        while not (found := list(tmp_path.glob("zio/progress/a/*"))):
            assert process.poll() is None
        while "3 files" not in found[0].read_text():
            assert process.poll() is None
        process.stdin.close()
        process.wait()
    assert not found[0].exists()


def test_a_ticker_speaks_when_nobody_else_does() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as out, os.fdopen(reader) as lines:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(progress, "SECONDS", 0.6)
            patch.delenv("ZIO_RUN", raising=False)
            with progress.Ticker(lambda: "still at it", out) as ticker:
                ticker.say("a step has ended")
                assert "a step has ended" in lines.readline()
                assert "still at it" in lines.readline()
