# SPDX-License-Identifier: LGPL-2.1-or-later
"""A plugin of pytest that prints the Test Anything Protocol."""

from __future__ import annotations

import os
import sys

import pytest

# pytest captures standard output later.
out = os.fdopen(os.dup(1), "w", buffering=1)


class Tap:
    """Counts and prints the results."""

    def __init__(self) -> None:
        self.count = 0

    def result(self, text: str, name: str) -> None:
        self.count += 1
        out.write(f"{text} {self.count} - {name}\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print a line for each test, and what a failed one says."""
        name = report.nodeid.replace("#", "_")
        if report.failed:
            self.result("not ok", name)
            out.writelines(f"# {line}\n" for line in str(report.longrepr).splitlines())
        elif report.skipped:
            self.result("ok", f"{name} # SKIP {report.longrepr}")
        elif report.when == "call":
            self.result("ok", name)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Print files that cannot be read."""
        if report.failed:
            self.result("not ok", report.nodeid)
            out.writelines(f"# {line}\n" for line in str(report.longrepr).splitlines())

    def pytest_sessionfinish(self) -> None:
        """Print the plan."""
        out.write(f"1..{self.count}\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the usual output that the texts of assertions ask for."""
    parser.addoption("--verbose", dest="verbose", default=0)


def pytest_configure(config: pytest.Config) -> None:
    """Replace the usual output."""
    config.pluginmanager.register(Tap())
    sys.dont_write_bytecode = True
