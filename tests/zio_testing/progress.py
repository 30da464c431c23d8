# SPDX-License-Identifier: GPL-2.0-only
"""What long work says of itself, so that nobody watches a silent program.

A program that compiles or downloads notes how far it is. On its own it prints that: on a
terminal it writes over the line, elsewhere it adds a line every ten seconds. Within a run
of the tests, which ZIO_RUN names, it writes a file, and the run prints one line for all
that goes on."""

import contextlib
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from .common import CACHE, Failure, Words, read_log, running, start_logged

SECONDS = 10.0
Text = Callable[[], str]


def _place() -> Path | None:
    run = os.environ.get("ZIO_RUN")
    return CACHE / "progress" / run if run else None


class _Line:
    """Progress that this program prints itself"""

    def __init__(self) -> None:
        self.last = time.monotonic()
        self.is_terminal = sys.stderr.isatty()

    def show(self, text: str) -> None:
        if self.is_terminal:
            print(f"\r\033[K# {text}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.last >= SECONDS:
            self.last = time.monotonic()
            print(f"# {text}", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.is_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class _File:
    """Progress that the run of the tests prints"""

    def __init__(self, place: Path) -> None:
        self.path = place / f"{os.getpid()}.{threading.get_ident()}"
        place.mkdir(parents=True, exist_ok=True)

    def show(self, text: str) -> None:
        self.path.write_text(text)

    def end(self) -> None:
        self.path.unlink(missing_ok=True)


@contextlib.contextmanager
def shown(what: str, so_far: Text = lambda: "") -> Iterator[None]:
    """Show @what goes on in this block, for how long, and how far it is."""
    begin, ended, place = time.monotonic(), threading.Event(), _place()
    line: _File | _Line = _File(place) if place else _Line()

    def follow() -> None:
        while not ended.wait(0.5):
            parts = [f"{time.monotonic() - begin:.0f} s", so_far()]
            line.show(f"{what}: {', '.join(filter(None, parts))}")

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        line.end()


def notes() -> list[str]:
    """Return what the programs of this run have noted."""
    place, found = _place(), []
    for path in sorted(place.iterdir()) if place and place.is_dir() else []:
        with contextlib.suppress(OSError):
            found.append(path.read_text())
    return [text for text in found if text]


class Ticker:
    """Prints a line when nothing else was printed for ten seconds."""

    def __init__(self, text: Text, out: TextIO = sys.stdout) -> None:
        self.text, self.out, self.begin = text, out, time.monotonic()
        self.last, self.ended = self.begin, threading.Event()
        self.thread = threading.Thread(target=self._follow, daemon=True)

    def say(self, text: str) -> None:
        self.last = time.monotonic()
        print(f"{self.last - self.begin:5.0f} s  {text}", file=self.out, flush=True)

    def _follow(self) -> None:
        while not self.ended.wait(0.5):
            if time.monotonic() - self.last >= SECONDS - 0.5:
                self.say(self.text())

    def __enter__(self) -> "Ticker":
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        if place := _place():
            shutil.rmtree(place, ignore_errors=True)


COMPILED = re.compile(r"^(?: +(?:CC|CXX|AS|LD|AR)\b|\S*(?:cc|\+\+) .* -c )", re.M)


def build(command: Words, log: Path, complaint: str) -> None:
    """Run a compiler. Show how many files it has compiled, and its output if it fails.
    @complaint begins with what it builds: "the modules do not build"."""

    def count() -> str:
        return f"{len(COMPILED.findall(read_log(log)))} files"

    what = "building " + complaint.partition(" do")[0]
    with running(start_logged(command, log)) as process, shown(what, count):
        status = process.wait()
    if status:
        sys.stderr.write(read_log(log))
        raise Failure(complaint)
