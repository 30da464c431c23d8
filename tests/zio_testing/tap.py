# SPDX-License-Identifier: GPL-2.0-only
"""Read test results: TAP of programs and selftests, KTAP of KUnit in a kernel log."""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from .common import TESTING, Failure, read_log

# Results have a number, but not those of mutants.
RESULT = re.compile(r"(?P<bad>not )?ok (?:\d+|- )(?P<text>.*)")
PLAN = re.compile(r"1\.\.(\d+)")
STAMP = re.compile(r"\[ *\d+\.\d+\](?: *\[ *[TC]\d+\])? (.*)")
# The name, the output, and how it ended: empty if it did not end
SELFTEST = re.compile(
    r"^=== begin (\S+).*?\n(.*?)(?:^=== end \S+ (\S+)|(?=^=== begin )|\Z)", re.M | re.S
)
SUITE = re.compile(
    r"^    # Subtest: (.*?)\n(.*?)(?:^(not |)ok (?:\d+|- )|(?=^    # Subtest)|\Z)",
    re.M | re.S,
)
# Number of lines that are shown with a failure of a KUnit suite
SHOWN = 40


@dataclass
class Results:
    """The numbers of one or more tests, and a text with the failures."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    text: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed"

    def fail(self, what: str) -> None:
        self.failed += 1
        self.text.append(f"not ok - {what}")

    def add(self, other: "Results") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.text += other.text


def add_up(results: dict[str, Results]) -> Results:
    total = Results()
    for part in results.values():
        total.add(part)
    return total


def read_program(text: str) -> Results:
    """Count the results of one or more programs. Ignore plans."""
    found = [match for match in map(RESULT.match, text.split("\n")) if match]
    failed = sum(match["bad"] is not None for match in found)
    return Results(len(found) - failed, failed)


class Section:
    """One test: its results, its plan, and its output."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.results = Results()
        self.plan: int | None = None
        self.said: list[str] = []
        for line in text.split("\n"):
            self.said.append(line)
            self.read(line)

    def read(self, line: str) -> None:
        found = RESULT.match(line)
        if not found:
            plan = PLAN.match(line)
            self.plan = int(plan[1]) if plan else self.plan
        elif found["bad"]:
            self.fail(line)
        elif "# SKIP" in found["text"]:
            self.results.skipped += 1
        else:
            self.results.passed += 1

    def fail(self, why: str) -> None:
        self.results.fail(f"{self.name}: {why}")

    def end(self, complaint: str, without_plan: str = "") -> Results:
        """Judge the test as a whole. @complaint says how it failed, or is empty."""
        results = self.results
        count = results.passed + results.failed + results.skipped
        if self.plan is None:
            self.fail(f"ended without a plan{without_plan}")
        elif self.plan != count:
            self.fail(f"planned {self.plan}, ran {count}")
        elif complaint and not results.failed:
            self.fail(complaint)
        elif not count:
            self.fail("tested nothing")
        return results


def indent(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def faults_in(log: Path, begin: str = "") -> list[str]:
    """Return the faults in the log of a kernel after the words @begin, with some lines
    around each."""
    text = read_log(log).partition(begin)[2] if begin else read_log(log)
    command = [TESTING / "machine/log-faults"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode > 1:
        raise Failure(f"log-faults: {done.stderr}")
    return done.stdout.splitlines()


# --- selftests ------------------------------------------------------------------------


def read_selftests(text: str, where: str) -> dict[str, Results]:
    """Read the output of zio-selftests. Return the results of each test."""
    return {
        name: judge_selftest(Section(f"{where}: {name}", said.rstrip("\n")), status)
        for name, said, status in SELFTEST.findall(text)
    }


def judge_selftest(section: Section, status: str) -> Results:
    complaint = "" if status == "0" else f"exit status {status}"
    results = section.end(complaint, f" (status {status or 'of a machine that stopped'})")
    if results.failed:
        results.text += indent(section.said)
    return results


def sum_selftests(results: dict[str, Results], wanted: list[str], where: str) -> Results:
    """Add up the results. Each of @wanted must have run to its end."""
    total = add_up(results)
    for name in wanted:
        if name not in results:
            total.fail(f"{where}: {name}: did not run: the machine stopped before")
    return total


# --- KUnit ----------------------------------------------------------------------------


class Suite(Section):
    """A suite of KUnit. With a failure it shows the output since the last result."""

    def read(self, line: str) -> None:
        super().read(line)
        if RESULT.match(line):
            self.said.clear()

    def fail(self, why: str) -> None:
        super().fail(why)
        self.results.text += indent(self.said[-SHOWN:])


def read_kunit(log: str) -> dict[str, Results]:
    """Read a kernel log. Return the results of each suite."""
    lines = filter(None, map(STAMP.match, log.replace("\r", "").split("\n")))
    text = "\n".join(line[1] for line in lines)
    results = {}
    for name, said, bad in SUITE.findall(text):
        suite = Suite(
            f"KUnit: {name}", re.sub("^    ", "", said.rstrip("\n"), flags=re.M)
        )
        results[name] = suite.end("the suite itself" if bad else "")
    return results
