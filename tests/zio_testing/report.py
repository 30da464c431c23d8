# SPDX-License-Identifier: GPL-2.0-only
"""Print the results of check: its own tests, failures in full, and the sum."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from .common import read_end, read_log, say
from .tap import Results, indent, read_program

SHOWN = 200


class Report:
    """The sum of all tests."""

    def __init__(self, logs: Path) -> None:
        self.logs = logs
        self.sum = Results()
        # How long each step or boot took
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Note the seconds that the block takes."""
        begin = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - begin
        say(f"{name} took {self.seconds[name]:.0f} s")

    def ok(self, what: str) -> None:
        self.sum.passed += 1
        print(f"ok - {what}", flush=True)

    def fail(self, what: str, log: Path | None = None) -> None:
        """Count a failure. Show the end of @log."""
        self.sum.failed += 1
        print(f"not ok - {what}", flush=True)
        if log:
            print(*indent(read_end(log, SHOWN)), sep="\n", flush=True)

    def skip(self, what: str) -> None:
        self.sum.skipped += 1
        print(f"skip - {what}", flush=True)

    def add(self, what: str, results: Results) -> None:
        """Add the results of a boot."""
        if results.text:
            print(*results.text, sep="\n", flush=True)
        self.sum.add(results)
        say(f"{what}: {results}, {results.skipped} skipped")

    def add_program(self, what: str, log: Path, status: int) -> None:
        """Add the TAP in @log of programs that ended with @status."""
        results = read_program(read_log(log))
        self.sum.add(results)
        say(f"{what}: {results}")
        if results.failed:
            print(*read_end(log, SHOWN), sep="\n", flush=True)
        elif status or not results.passed:
            log.write_text(read_log(log) + read_log(Path(f"{log}.err")))
            self.fail(f"{what} ended with status {status}", log)

    def end(self) -> int:
        """Print the seconds of each step, and the sum. Return the exit status."""
        if self.seconds:
            times = (f"{name} {spent:.0f}" for name, spent in self.seconds.items())
            say(f"seconds: {', '.join(times)}")
        if self.sum.skipped:
            say(f"{self.sum.skipped} skipped")
        if not self.sum.passed + self.sum.failed:
            self.fail("nothing ran")
        print(self.sum)
        return 1 if self.sum.failed else 0
