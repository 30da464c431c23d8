# SPDX-License-Identifier: GPL-2.0-only
"""Paths, messages, locks, children and exit status, for all programs."""

import argparse
import contextlib
import fcntl
import functools
import os
import re
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

TESTING = Path(__file__).resolve().parent.parent
ROOT = TESTING.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "zio"

# Strings and paths
Words = Sequence[Any]
Process = subprocess.Popen[bytes]


class Failure(Exception):
    """The program itself failed. Exit status 125 tells this from a failed test."""


class Usage(Exception):
    """The command line is wrong."""


class Parser(argparse.ArgumentParser):
    """A command line. The doc string of the program is the help."""

    def __init__(self) -> None:
        super().__init__(add_help=False)

    def error(self, message: str) -> None:  # type: ignore[override]
        raise Usage(message)


def say(text: str) -> None:
    print(f"{sys.argv[0]}: {text}", file=sys.stderr, flush=True)


def end(number: int, frame: FrameType | None) -> None:
    sys.exit(130 if number == signal.SIGINT else 143)


def handle_signals(handler: Any = end) -> None:
    """Set the handler of the signals that end a program. A signal that the parent
    ignores, as nohup does, stays ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def run_program(program: ModuleType, name: str, words: list[str]) -> int:
    """Return the exit status of main() in @program."""
    sys.argv = [name]
    # The builds of the tests must not take over options of `make -j2 check`.
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(variable, None)
    handle_signals()
    try:
        options = words[: words.index("--")] if "--" in words else words
        status = 0
        if "--help" in options:
            print((program.__doc__ or "").strip())
        else:
            status = int(program.main(words))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Python would write the rest at its end, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except Usage as error:
        say(f"{error} (try --help)")
        return 2
    except Failure as error:
        say(str(error))
        return 125


def number(text: str) -> int:
    """A type of arguments."""
    if int(text) < 1:
        raise ValueError
    return int(text)


def seed_of_commit() -> int:
    """Return ZIO_SEED, or a number that follows from the commit: each run of one commit
    takes the same random decisions and samples. It is 1 where there is no commit."""
    if given := os.environ.get("ZIO_SEED"):
        return int(given)
    commit = output_of(["git", "-C", ROOT, "rev-parse", "HEAD"])
    return int(commit[:6], 16) if commit else 1


# --- other programs ---------------------------------------------------------------


def output_of(command: Words) -> str:
    """Return the standard output of @command; empty if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


@functools.cache
def setup(*words: str) -> None:
    """Install the packages of these jobs. setup writes to standard error alone."""
    if subprocess.run([TESTING / "setup", *words]).returncode:
        raise Failure(f"setup {' '.join(words)} failed")


def wait(process: Process, seconds: float) -> int | None:
    """Wait for the end of @process, at most @seconds. Return its status."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode


def stop(process: Process, seconds: float = 60) -> None:
    """End @process and wait for it. Kill it if it takes longer than @seconds."""
    if process.poll() is None:
        process.terminate()
    if wait(process, seconds) is None:
        process.kill()
        process.wait()


# The children that run now, in any thread
_children: set[Process] = set()


def stop_children() -> None:
    """End the children that other threads wait for."""
    for process in list(_children):
        process.terminate()


@contextlib.contextmanager
def running(process: Process) -> Iterator[Process]:
    """End @process when the block ends, also by an exception."""
    _children.add(process)
    try:
        yield process
    finally:
        stop(process)
        _children.discard(process)


def start_logged(command: Words, log: Path, err: Path | None = None) -> Process:
    """Start @command with its output in @log, and its errors in @err or there, too."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as out, open(err or os.devnull, "wb") as errors:
        said, nothing = errors if err else out, subprocess.DEVNULL
        return subprocess.Popen(command, stdin=nothing, stdout=out, stderr=said)


def run_logged(command: Words, log: Path, err: Path | None = None) -> int:
    """Run @command as start_logged() does. Return its status."""
    with running(start_logged(command, log, err)) as process:
        return process.wait()


# --- files --------------------------------------------------------------------------


def copy_sources(parts: Words, names: re.Pattern[str], to: Path) -> None:
    """Copy the files of these @names in these @parts of ROOT, if they are newer than
    those in @to."""
    paths = [path for p in parts for path in [ROOT / p, *(ROOT / p).rglob("*")]]
    files = [path.relative_to(ROOT) for path in paths if names.fullmatch(path.name)]
    to.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-pu", "--parents", *files, to], cwd=ROOT, check=True)


def tag_of(*parts: str | Path) -> str:
    """Return a checksum of these words, for the name of a directory."""
    return str(zlib.crc32(" ".join(map(str, parts)).encode()))


def read_log(file: Path) -> str:
    """Return a log without carriage returns; empty if there is none."""
    if not file.exists():
        return ""
    return file.read_text(errors="replace").replace("\r", "")


def read_end(file: Path, lines: int) -> list[str]:
    """Return the last lines of a log."""
    return read_log(file).split("\n")[-lines - 1 :]


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
