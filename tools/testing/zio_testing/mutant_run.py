# SPDX-License-Identifier: GPL-2.0-only
"""Run the tests of mutants: within a limit of time, in a scratch copy of the tree."""

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from types import FrameType

from zio_testing.common import end, handle_signals
from zio_testing.mutant_patch import HOST, KUNIT_LEAKS, LITMUS, Test
from zio_testing.mutant_tree import Scratch


@dataclass
class Run:
    """How a command ended. The status is None if it did not end within the limit."""

    status: int | None
    output: str
    seconds: float


class Runner:
    """Runs commands, and ends them all after a signal."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.number: int = signal.SIGTERM
        handle_signals(self.stop)

    def stop(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        self.stopped.set()

    def check(self) -> None:
        if self.stopped.is_set():
            end(self.number)

    def run(
        self, command: list[str], scratch: Scratch, limit: float, **extra: str
    ) -> Run:
        env = dict(os.environ, XDG_CACHE_HOME=str(scratch.cache), **extra)
        begin = time.monotonic()
        self.check()
        child = subprocess.Popen(
            command,
            cwd=scratch.root,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        output, status = self.wait(child, begin + limit)
        self.check()
        return Run(status, output, time.monotonic() - begin)

    def wait(
        self, child: subprocess.Popen[str], deadline: float
    ) -> tuple[str, int | None]:
        while True:
            try:
                return child.communicate(timeout=0.5)[0], child.returncode
            except subprocess.TimeoutExpired:
                if self.stopped.is_set() or time.monotonic() > deadline:
                    end_session(child)
                    return child.communicate()[0], None


def end_session(child: subprocess.Popen[str]) -> None:
    """End the child and its children. Nothing else is in its session."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            pass


def run_tests(
    runner: Runner, scratch: Scratch, kind: str, names: list[str], limit: float
) -> Run:
    """Run tests of one kind, in one boot if they need a machine."""
    check = "tools/testing/check"
    if kind == HOST:
        command = ["make", "-C", "tools", "check"]
        return runner.run(command, scratch, limit, ONLY=" ".join(names))
    if kind == LITMUS:
        return runner.run(["tools/testing/litmus/run", *names], scratch, limit)
    if Test(kind, "").is_kunit:
        return runner.run(
            [check, "--only", "kunit", "--kernel", "kasan"],
            scratch,
            limit,
            ZIO_KUNIT_SUITES=",".join(names),
            ZIO_KUNIT_LEAKS="yes" if kind == KUNIT_LEAKS else "no",
        )
    return runner.run([check, "--kernel", kind, *names], scratch, limit)
