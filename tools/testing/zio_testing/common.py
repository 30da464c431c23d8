# SPDX-License-Identifier: GPL-2.0-only
"""Paths, messages, locks, children and exit status, for all programs."""

import contextlib
import fcntl
import functools
import getopt
import os
import re
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType, ModuleType

TESTING = Path(__file__).resolve().parent.parent
ROOT = TESTING.parent.parent
HOME = Path(os.environ.get("HOME") or "/root")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or HOME / ".cache") / "zio"

Words = Sequence[str | Path]
Command = list[str | Path]


class Failure(Exception):
    """The program itself failed. Exit status 125 distinguishes this from a failed test."""


class Usage(Exception):
    """The command line is wrong."""


class Interrupted(BaseException):
    """A signal ends the program."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 130 if number == signal.SIGINT else 143


def say(text: str) -> None:
    print(f"{sys.argv[0]}: {text}", file=sys.stderr, flush=True)


def interrupt(number: int, frame: FrameType | None) -> None:
    raise Interrupted(number)


def handle_signals(handler: signal.Handlers | None = None) -> None:
    """Let the signals that end a program raise Interrupted, or call @handler. A signal
    that the parent ignores, as nohup does, stays ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt if handler is None else handler)


def run_program(program: ModuleType, name: str, words: list[str]) -> int:
    """Return the exit status of main() in @program."""
    sys.argv = [name]
    # The builds of the tests must not take over options of `make -j2 check`.
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(variable, None)
    handle_signals()
    try:
        options = words[: words.index("--")] if "--" in words else words
        if "--help" in options:
            print((program.__doc__ or "").strip())
            return 0
        return int(program.main(words))
    except Usage as error:
        say(f"{error} (try --help)")
        return 2
    except getopt.GetoptError as error:
        say(f"{error} (try --help)")
        return 2
    except Failure as error:
        say(str(error))
        return 125
    except Interrupted as error:
        return error.status


def number(text: str, what: str) -> int:
    if not re.fullmatch("[1-9][0-9]*", text):
        raise Usage(f"{what} wants a number")
    return int(text)


# --- other programs ---------------------------------------------------------------


def output_of(command: Words, **options: str | Path) -> str:
    """Return the standard output of @command; empty if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, **options)  # type: ignore
    return done.stdout if done.returncode == 0 else ""


@functools.cache
def setup(*words: str) -> None:
    """Install the packages of these jobs. setup writes to standard error alone."""
    if subprocess.run([TESTING / "setup", *words]).returncode:
        raise Failure(f"setup {' '.join(words)} failed")


def stop(process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    """End @process and wait for it. Kill it if it takes longer than @seconds."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


@contextlib.contextmanager
def running(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """End @process when the block ends, also by an exception."""
    try:
        yield process
    finally:
        stop(process)


def run_logged(command: Words, log: Path, err: Path | None = None) -> int:
    """Run @command with its output in @log, and its errors in @err or there, too."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as out, open(err or os.devnull, "wb") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors if err else subprocess.STDOUT,
        )
        with running(process):
            return process.wait()


# --- files --------------------------------------------------------------------------


def tag_of(*parts: str | Path) -> str:
    """Return a checksum of these words, for the name of a directory."""
    return str(zlib.crc32(" ".join(map(str, parts)).encode()))


def read_end(file: Path, lines: int) -> list[str]:
    """Return the last lines of a log, without carriage returns."""
    try:
        return (
            file.read_text(errors="replace").replace("\r", "").split("\n")[-lines - 1 :]
        )
    except FileNotFoundError:
        return []


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock @path. Tell the user before waiting for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another run that holds {path.name}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
