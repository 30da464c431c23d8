# SPDX-License-Identifier: GPL-2.0-only
"""The front end of all tests: pytest.

A selftest is an item for each kernel where it runs. A program that prints TAP is an item.
Each of their results is a test of its own in the report. See Documentation/testing.md.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
sys.dont_write_bytecode = True

from zio_testing import items, limits, outcome, steps, unsteady  # noqa: E402
from zio_testing.common import seed_of_commit  # noqa: E402
from zio_testing.progress import Ticker, notes  # noqa: E402
from zio_testing.tap import Results  # noqa: E402

# A script starts a job in the background with SIGINT ignored. The tests and the programs
# that they start must end by it.
with contextlib.suppress(ValueError):  # not the main thread
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

# All tests and their children have this environment. pytest reads the conftest.py of each
# folder before it calls a hook here. So what these import must be there now.
os.environ["ZIO_SEED"] = str(seed_of_commit())
os.environ.setdefault("ZIO_RUN", f"{os.getpid()}-{time.time()}")
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
# check tells these to its own pytest. One that a test starts must not have them.
OUTCOME = os.environ.pop("ZIO_OUTCOME", "")
IS_PREPARED = os.environ.pop("ZIO_PREPARED", "")
if "PYTEST_XDIST_WORKER" not in os.environ:
    # check has prepared its tests already, as pytest hides what is printed here.
    if not IS_PREPARED:
        steps.prepare(sys.argv[1:])
    os.environ["PYTHONPATH"] = ":".join(map(str, steps.PYTHON_PATHS))
sys.path[1:1] = list(map(str, steps.PYTHON_PATHS))

# Not tests of this machine
collect_ignore = ["unit/out", *map(str, HERE.glob("unit/*/guest"))]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--kernel", action="append", default=[], help="run the selftests on this kernel"
    )
    parser.addoption(
        "--tier", choices=["check", "all"], help="make check, or what it leaves out"
    )


def pytest_report_header() -> str:
    return f"ZIO_SEED={os.environ['ZIO_SEED']}"


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Selftests, and programs that print TAP"""
    return items.collect(file_path, parent)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Begin with what takes long, so that both processors are busy to the end."""
    if tier := config.getoption("--tier"):
        in_check = [item for item in items if is_in_check(item)]
        others = {item for item in items if item.nodeid not in steps.TWINS}
        chosen = set(in_check) if tier == "check" else others - set(in_check)
        config.hook.pytest_deselected(items=[i for i in items if i not in chosen])
        items[:] = [item for item in items if item in chosen]
    items.sort(key=steps.rank)
    for item in items:
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(limits.of(item.nodeid)))


def is_in_check(item: pytest.Item) -> bool:
    test = getattr(item, "test", None)
    return steps.is_in_check(item.nodeid, bool(test and test.has("check")))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from zio_testing.scheduler import Scheduler

    return Scheduler(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    items.finish(item, nextitem)


# --- the report -------------------------------------------------------------------------


class Report:
    """Prints a line at the end of each step, and at least each ten seconds."""

    def __init__(self) -> None:
        self.left: Counter[str] = Counter()
        self.total: Counter[str] = Counter()
        self.seconds: dict[str, float] = {}
        self.outcomes: dict[str, Counter[str]] = {}
        self.running: dict[str, float] = {}
        self.done: set[str] = set()
        # Beside a test, pytest takes what goes to standard output.
        self.ticker = Ticker(self.status, os.fdopen(os.dup(1), "w"))

    def add(self, nodeids: list[str]) -> None:
        self.total = Counter(map(steps.step_of, nodeids))
        self.left = Counter(self.total)

    def status(self) -> str:
        now = time.monotonic()
        running = [
            f"{name.rpartition('/')[2].removesuffix('::tap')} {now - begin:.0f} s"
            for name, begin in list(self.running.items())
        ]
        done = f"{len(self.done)} of {self.total.total()}"
        return "; ".join([done, *running, *notes()])

    def begin(self, nodeid: str) -> None:
        self.running[nodeid] = time.monotonic()

    def count(self, report: pytest.TestReport) -> None:
        step = steps.step_of(report.nodeid)
        outcomes = self.outcomes.setdefault(step, Counter())
        is_part = getattr(report, "is_part", False)
        if report.failed or report.when == "call" or report.skipped:
            outcomes[report.outcome] += 1
        if report.failed:
            failed = unsteady.Failed(report.nodeid, report.longreprtext)
            self.ticker.say(f"FAILED {failed.nodeid}: {failed.message}")
        if not is_part:
            self.seconds[step] = self.seconds.get(step, 0) + report.duration

    def end(self, nodeid: str) -> None:
        step = steps.step_of(nodeid)
        self.running.pop(nodeid, None)
        if nodeid in self.done:
            return
        self.done.add(nodeid)
        self.left[step] -= 1
        if not self.left[step]:
            found = self.outcomes.get(step, Counter())
            counts = [f"{found['passed']} passed", f"{found['failed']} failed"]
            counts += [f"{found['skipped']} skipped"] * bool(found["skipped"])
            text = f"{step:22} {self.seconds[step]:5.0f} s  {', '.join(counts)}"
            self.ticker.say(text)


_report: Report
# A pytest that a test starts has the variables of a worker, and is none.
_is_worker = False


def pytest_configure(config: pytest.Config) -> None:
    global _report, _is_worker
    _report, _is_worker = Report(), hasattr(config, "workerinput")


def pytest_collection_finish(session: pytest.Session) -> None:
    if not _is_worker and session.items:
        _report.add([item.nodeid for item in session.items])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    if not _report.total:
        _report.add(ids)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop() -> Iterator[None]:
    if _is_worker:
        yield
        return
    with _report.ticker:
        yield


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Count the results inside an item. The lines of the steps stand for letters."""
    is_result = report.when == "call" or not report.passed
    return (report.outcome if is_result else "", "", "")


def pytest_runtest_logstart(nodeid: str) -> None:
    _report.begin(nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if not _is_worker:
        _report.count(report)


def pytest_runtest_logfinish(nodeid: str) -> None:
    if not _is_worker:
        _report.end(nodeid)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    order = sorted(_report.seconds.items(), key=lambda pair: -pair[1])
    times = (f"{name} {spent:.0f}" for name, spent in order)
    terminalreporter.write_line(f"seconds: {', '.join(times)}")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Print the last line, or leave it to check."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not reporter or _is_worker or config.option.collectonly:
        return
    bad = [*reporter.stats.get("failed", []), *reporter.stats.get("error", [])]
    found = outcome.Outcome(
        passed=len(reporter.stats.get("passed", [])),
        total=_report.total.total(),
        missing=_report.total.total() - len(_report.done),
        failures=[(report.nodeid, report.longreprtext) for report in bad],
    )
    if OUTCOME:
        found.write(Path(OUTCOME))
    else:
        print(found.last_line(), flush=True)


@pytest.fixture
def results(request: pytest.FixtureRequest) -> Callable[[Results], None]:
    """A function that adds the results of a program to those of the test."""

    def add(found: Results) -> None:
        items.report(request.node, found)
        if found.failures:
            names = ", ".join(part.name for part in found.failures)
            pytest.fail(f"{len(found.failures)} of its results: {names}", False)

    return add
