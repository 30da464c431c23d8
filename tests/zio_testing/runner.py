# SPDX-License-Identifier: GPL-2.0-only
"""Run one test in a machine, and judge it."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import tap
from .common import Failure
from .guest import DETACH, Outcome, Running, SavedMachine, environment
from .selftests import Selftest
from .tap import FAILED, PASSED, Part, Results

# Seconds of a processor that nobody else uses. A test that takes longer hangs. The
# slowest takes two minutes.
LIMIT = 900
# A host that gave the machine no processor for so long may have let its watchdogs bite.
STALL = 20


@dataclass
class Verdict:
    """The results of a test, and whether the host was too slow to judge it."""

    results: Results
    is_stall: bool = False


def judge(outcome: Outcome, results: Results, cards: list[str]) -> Verdict:
    """Judge the log of the kernel, and the time. Add failures to @results."""
    faults, only_late = tap.faults_in(outcome.log)
    if only_late:
        results.fail(
            f"a watchdog of the kernel bit; the host stalled for {outcome.stalled:.0f} s",
            faults,
        )
    elif faults:
        results.fail("the kernel reported a fault", faults)
    if cards:
        results.fail("the software used the card wrongly", "\n".join(cards))
    if outcome.status == 124:
        results.fail(
            f"no end after {outcome.seconds:.0f} s of the machine's own time; the host "
            f"stalled for {outcome.stalled:.0f} s more",
            f"{outcome.said[-1000:]}\n{outcome.log[-1000:]}",
        )
    is_late = only_late or (outcome.status == 124 and not faults)
    return Verdict(results, is_late and outcome.stalled > STALL)


def extra_seconds() -> int:
    """Return what variables of the environment add to the limit."""
    names = ("ZIO_STORM_SECONDS", "ZIO_FUZZ_SECONDS", "ZIO_NTH_SECONDS")
    return sum(int(os.environ.get(name) or 0) for name in names)


def run_in(running: Running, test: Selftest) -> Verdict:
    """Run a selftest in a machine."""
    limit = LIMIT + extra_seconds()
    if test.has("suspends"):
        running.run(DETACH, limit)
    # The host ends a test that hangs: it knows when the machine itself stood still.
    line = f"{environment()} zio-selftests /selftests {100 * limit} {test.name}"
    outcome = running.run(line, limit)
    return judge(outcome, tap.read_selftest(outcome.said), running.card_faults())


def run_selftest(machine: SavedMachine, test: Selftest) -> Verdict:
    """Run a selftest in a fresh machine. Run it once more if the host stalled."""
    for _ in range(2):
        with resumed(machine) as running:
            verdict = run_in(running, test)
        if not verdict.is_stall:
            break
    return verdict


@contextlib.contextmanager
def resumed(machine: SavedMachine) -> Iterator[Running]:
    with tempfile.TemporaryDirectory(prefix="zio-guest.") as work:
        running = machine.resume(Path(work))
        try:
            yield running
        finally:
            running.stop()


class LeakHunt:
    """Runs selftests one after the other in one machine, then looks for lost memory: that
    takes as long as several tests. A test that fails ends the machine."""

    def __init__(self, machine: SavedMachine) -> None:
        self.machine = machine
        self.tests: list[str] = []
        self.stack = contextlib.ExitStack()
        self.running: Running | None = None

    def run(self, test: Selftest) -> Verdict:
        for _ in range(2):
            if not self.running:
                self.running = self.stack.enter_context(resumed(self.machine))
            verdict = run_in(self.running, test)
            if verdict.results.failures:
                self.stop()
            if not verdict.is_stall:
                break
        self.tests.append(test.name)
        return verdict

    def stop(self) -> None:
        self.stack.close()
        self.running, self.tests = None, []

    def finish(self) -> Results:
        """Look for lost memory, and end the machine."""
        results = Results()
        if self.running:
            outcome = self.running.run("zio-leak-scan", LIMIT)
            name = f"no memory is lost after {', '.join(self.tests)}"
            results.parts.append(Part(name, PASSED))
            if outcome.status:
                results.parts[0] = Part(name, FAILED, outcome.log)
        self.stop()
        return results


def run_kunit(machine: SavedMachine, leaks: bool) -> Results:
    """Run all suites of KUnit in a fresh machine."""
    with resumed(machine) as running:
        return run_kunit_in(running, leaks)


def run_kunit_in(running: Running, leaks: bool) -> Results:
    line = "zio-load zio-buf-dma && zio-load zio-test"
    outcome = running.run(f"{line}{' && zio-leak-scan' * leaks}", 4 * LIMIT)
    results = tap.read_kunit(outcome.log)
    if not results.parts:
        raise Failure(f"no suite ran: {outcome.said}\n{outcome.log[-2000:]}")
    if outcome.status:
        results.fail(f"status {outcome.status}", outcome.said)
    return judge(outcome, results, []).results
