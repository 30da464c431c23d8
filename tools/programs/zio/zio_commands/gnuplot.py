# SPDX-License-Identifier: GPL-2.0-only
"""The program gnuplot, or standard output instead."""

from __future__ import annotations

import errno as codes
import os
import select
import subprocess

from zio import cli

from .stop import Signals

NO_GNUPLOT = (
    "plot: there is no gnuplot: apt-get install gnuplot-nox (gnuplot-qt for a window), "
    "or draw elsewhere: zio plot --script CHANNEL | ssh HOST gnuplot -persist"
)

# After a signal, so long may gnuplot read nothing
PATIENCE_S = 1.0


def check_output(name: str) -> None:
    """Raise Failure unless a file can be written: gnuplot would use standard output."""
    is_new = not os.path.lexists(name)
    try:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o666))
    except OSError as error:
        if error.errno == codes.ENXIO:  # a FIFO without a reader
            return
        hint = " (its directory does not exist)" if error.errno == codes.ENOENT else ""
        raise cli.Failure(f"plot: {name}: {error.strerror}{hint}") from None
    if is_new:
        os.unlink(name)


class Gnuplot:
    """Runs a script. Raises Failure if that is not possible."""

    def __init__(self, signals: Signals, is_script: bool) -> None:
        self._signals = signals
        self._process: subprocess.Popen[bytes] | None = None
        self._fd = 1
        self._is_killed = False
        if is_script:
            return
        try:
            # In a session of its own, gnuplot does not get Ctrl-C: this program ends it.
            self._process = subprocess.Popen(
                ["gnuplot", "-"], stdin=subprocess.PIPE, start_new_session=True
            )
        except FileNotFoundError:
            raise cli.Failure(NO_GNUPLOT) from None
        except OSError as error:
            text = f"plot: cannot run gnuplot: {error.strerror}"
            raise cli.Failure(text) from None
        assert self._process.stdin
        self._fd = self._process.stdin.fileno()

    def send(self, script: str) -> None:
        """Write the script. After a signal, kill a gnuplot that does not read, so the
        user need not wait."""
        data = memoryview(script.encode(errors="surrogateescape"))
        while data:
            # PIPE_BUF bytes fit whenever there is room: a write never blocks.
            seconds = PATIENCE_S if self._signals.stop else None
            if self._signals.wait({self._fd: select.POLLOUT}, seconds):
                data = data[self._write(data[: select.PIPE_BUF]) :]
            elif self._signals.stop:
                if self._process:
                    self._process.kill()
                    self._is_killed = True
                return

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._fd, data)
        except OSError as error:
            if self._process:
                raise cli.Failure("plot: gnuplot has ended") from None
            raise cli.Failure(f"standard output: {cli.reason(error)}") from None

    def end(self) -> str:
        """Wait until gnuplot is done. Return an error message, or ""."""
        if not self._process:
            return ""
        os.close(self._fd)
        status = self._process.wait()
        if self._is_killed or not status:
            return ""
        if status > 0:
            return f"plot: gnuplot failed (status {status})"
        return f"plot: gnuplot was ended by signal {-status}"
