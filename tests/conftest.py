# SPDX-License-Identifier: GPL-2.0-only
"""The front end of all tests: pytest.

A selftest is an item for each kernel where it runs. A program that prints TAP is an item.
Each of their results is a test of its own in the report. See Documentation/testing.md.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
sys.dont_write_bytecode = True

from zio_testing import items, steps  # noqa: E402
from zio_testing.common import seed_of_commit  # noqa: E402
from zio_testing.tap import Results  # noqa: E402

# All tests and their children have this environment. pytest reads the conftest.py of each
# folder before it calls a hook here. So what these import must be there now.
os.environ["ZIO_SEED"] = str(seed_of_commit())
os.environ.setdefault("ZIO_RUN", f"{os.getpid()}-{time.time()}")
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
if "PYTEST_XDIST_WORKER" not in os.environ:
    steps.prepare(sys.argv[1:])
    os.environ["PYTHONPATH"] = ":".join(map(str, steps.PYTHON_PATHS))
sys.path[1:1] = list(map(str, steps.PYTHON_PATHS))

# Not tests of this machine
collect_ignore = ["unit/python/guest", "unit/out"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--kernel", action="append", default=[], help="run the selftests on this kernel"
    )


def pytest_report_header() -> str:
    return f"ZIO_SEED={os.environ['ZIO_SEED']}"


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Selftests, and programs that print TAP"""
    return items.collect(file_path, parent)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that both processors are busy to the end."""
    items.sort(key=steps.rank)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from zio_testing.scheduler import Scheduler

    return Scheduler(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    items.finish(item, nextitem)


# --- the report -------------------------------------------------------------------------

_seconds: dict[str, float] = {}


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Count the results inside an item, and print a letter only for the item."""
    if getattr(report, "is_part", False):
        return report.outcome, "", ""
    return None


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if not getattr(report, "is_part", False):
        step = steps.step_of(report.nodeid)
        _seconds[step] = _seconds.get(step, 0) + report.duration


def pytest_terminal_summary(terminalreporter: Any) -> None:
    order = sorted(_seconds.items(), key=lambda pair: -pair[1])
    times = (f"{name} {spent:.0f}" for name, spent in order)
    terminalreporter.write_line(f"seconds: {', '.join(times)}")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line"""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not hasattr(config, "workerinput") and not config.option.collectonly:
        count = {name: len(reporter.stats.get(name, [])) for name in STATES}
        failed = count["failed"] + count["error"]
        if not count["passed"] + failed:
            failed = 1
        print(f"{count['passed']} passed, {failed} failed", flush=True)


STATES = ("passed", "failed", "error")


@pytest.fixture
def results(request: pytest.FixtureRequest) -> Callable[[Results], None]:
    """A function that adds the results of a program to those of the test."""

    def add(found: Results) -> None:
        items.report(request.node, found)
        if found.failures:
            names = ", ".join(part.name for part in found.failures)
            pytest.fail(f"{len(found.failures)} of its results: {names}", False)

    return add
