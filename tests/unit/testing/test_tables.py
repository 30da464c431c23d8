# SPDX-License-Identifier: GPL-2.0-only
"""The documents that bench fills, and the length of those that a newcomer reads"""

import re
import subprocess

import pytest

from zio_testing.common import ROOT

FILLED = ("Documentation/performance.md", "bench/report.md")
MOST_LINES = {"README.md": 149, "Documentation/performance.md": 320}
MARK = re.compile(r"^<!-- (?:table (?P<bench>[\w-]+) (?P<table>[\w-]+)|end) -->$", re.M)


def marks_of(name: str) -> list[re.Match[str]]:
    return list(MARK.finditer((ROOT / name).read_text()))


@pytest.mark.parametrize("name", FILLED)
def test_each_table_has_an_end(name: str) -> None:
    kinds = [mark["table"] is not None for mark in marks_of(name)]
    assert kinds and kinds == [True, False] * (len(kinds) // 2)


def test_each_table_stands_once() -> None:
    tables = [mark[0] for name in FILLED for mark in marks_of(name) if mark["table"]]
    assert len(tables) == len(set(tables)) > 30


def test_each_benchmark_has_a_table() -> None:
    words = ["/usr/bin/python3", str(ROOT / "bench/bench"), "--list"]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    benchmarks = {line.split()[0] for line in listed.splitlines()}
    used = {mark["bench"] for name in FILLED for mark in marks_of(name)} - {None}
    assert used == benchmarks


def test_each_figure_is_shown() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "Documentation").glob("*.md")]
    text = "".join(page.read_text() for page in [*pages, ROOT / "bench/report.md"])
    figures = {path.name for path in (ROOT / "Documentation/figures").iterdir()}
    assert figures == set(re.findall(r"figures/([\w.-]+)\)", text))


@pytest.mark.parametrize("name", MOST_LINES)
def test_length(name: str) -> None:
    assert len((ROOT / name).read_text().splitlines()) <= MOST_LINES[name]
