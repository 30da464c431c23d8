# SPDX-License-Identifier: GPL-2.0-only
"""Read test results: TAP of programs and selftests, KTAP of KUnit in a kernel log."""

import re
import subprocess
from dataclasses import dataclass, field
from subprocess import PIPE, STDOUT

from .common import TESTING, Failure, Words

RESULT = re.compile(r"(?P<bad>not )?ok \d+(?: - | )?(?P<text>.*)")
PLAN = re.compile(r"1\.\.(\d+)")
STAMP = re.compile(r"\[ *\d+\.\d+\](?: *\[ *[TC]\d+\])? (.*)")
# The output of a selftest, and how it ended: empty if it did not end
SELFTEST = re.compile(r"^=== begin \S+.*?\n(.*?)(?:^=== end \S+ (\S+)|\Z)", re.M | re.S)
SUITE = re.compile(
    r"^    # Subtest: (.*?)\n(.*?)(?:^(not |)ok (?:\d+|- )|(?=^    # Subtest)|\Z)",
    re.M | re.S,
)
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclass
class Part:
    """One result of a test, and what the test has said since the one before."""

    name: str
    outcome: str
    said: str = ""


@dataclass
class Results:
    """The results of one or more tests."""

    parts: list[Part] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        return sum(part.outcome == outcome for part in self.parts)

    @property
    def failures(self) -> list[Part]:
        return [part for part in self.parts if part.outcome == FAILED]

    @property
    def ends_with_failure(self) -> bool:
        return bool(self.parts) and self.parts[-1].outcome == FAILED

    def __str__(self) -> str:
        return f"{self.count(PASSED)} passed, {self.count(FAILED)} failed"

    def fail(self, name: str, said: str = "") -> None:
        self.parts.append(Part(name, FAILED, said))


def read_program(text: str, complaint: str = "") -> Results:
    """Read the output of one program. @complaint says how the program as a whole failed,
    or is empty. The plan must be there, and fit."""
    results = Results()
    plan, said = None, []
    for line in text.split("\n"):
        found = RESULT.match(line)
        if not found:
            matched = PLAN.match(line)
            plan = int(matched[1]) if matched else plan
            said.append(line)
            # A remark explains the result before it, or the one after it.
            if line.startswith("#") and results.ends_with_failure:
                results.parts[-1].said += f"\n{line}"
            continue
        outcome = SKIPPED if "# SKIP" in found["text"] else PASSED
        outcome = FAILED if found["bad"] else outcome
        results.parts.append(Part(found["text"], outcome, "\n".join(said)))
        said = []
    rest, count = "\n".join(said[-80:]), len(results.parts)
    if plan is None:
        results.fail(f"ended without a plan ({complaint or 'status 0'})", rest)
    elif plan != count:
        results.fail(f"planned {plan}, ran {count} ({complaint or 'status 0'})", rest)
    elif complaint and not results.failures:
        results.fail(complaint, rest)
    elif not count:
        results.fail("tested nothing", rest)
    return results


def run_program(command: Words) -> Results:
    """Run a program of this machine that prints TAP."""
    done = subprocess.run(
        command, stdout=PIPE, stderr=STDOUT, text=True, errors="replace"
    )
    return read_program(
        done.stdout, f"status {done.returncode}" if done.returncode else ""
    )


def faults_in(log: str) -> tuple[str, bool]:
    """Return the faults in the log of a kernel, with some lines around each. Also tell if
    all of them are reports of watchdogs, which bite when the host stands still."""
    command = [TESTING / "machine/log-faults"]
    done = subprocess.run(command, input=log, capture_output=True, text=True)
    if done.returncode > 2:
        raise Failure(f"log-faults: {done.stderr}")
    return done.stdout, done.returncode == 2


def read_selftest(text: str) -> Results:
    """Read the output of zio-selftests for one test."""
    found = SELFTEST.search(text)
    if not found:
        results = Results()
        results.fail("did not begin", text)
        return results
    said, status = found[1].rstrip("\n"), found[2]
    if status == "0":
        return read_program(said)
    return read_program(said, f"status {status or 'of a machine that stopped'}")


def read_kunit(log: str) -> Results:
    """Read a kernel log with suites of KUnit."""
    lines = filter(None, map(STAMP.match, log.replace("\r", "").split("\n")))
    text = "\n".join(line[1] for line in lines)
    results = Results()
    for name, said, bad in SUITE.findall(text):
        said = re.sub("^    ", "", said.rstrip("\n"), flags=re.M)
        suite = read_program(said, "the suite itself" if bad else "")
        results.parts += [
            Part(f"{name}: {part.name}", part.outcome, part.said) for part in suite.parts
        ]
    return results
