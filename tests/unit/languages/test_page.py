# SPDX-License-Identifier: GPL-2.0-only
"""Documentation/from-other-languages.md quotes the examples, which are short."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import EXAMPLES, PAGE, code_of, lines_of

NAMES = "peaks.cpp peaks.rs peaks.m peaks_root.py peaks.py peaks.js Peaks.java".split()
# The second has a page of its own, and a test beside a broker.
OTHERS = {"pyproject.toml", "kafka_reader.py"}
# Java needs a class, and a loop for the largest of some numbers.
MOST_LINES = {"Peaks.java": 14}


def test_all_examples_are_there() -> None:
    found = {path.name for path in EXAMPLES.iterdir()} - OTHERS
    assert found == set(NAMES)


@pytest.mark.parametrize(
    "path", [EXAMPLES / name for name in NAMES], ids=lambda path: path.name
)
def test_example(path: Path) -> None:
    assert f"\n{code_of(path).lstrip()}```\n" in PAGE.read_text()
    assert len(lines_of(path)) <= MOST_LINES.get(path.name, 10), lines_of(path)
