# SPDX-License-Identifier: GPL-2.0-only
"""The table, the semantic patch and the page agree."""

from __future__ import annotations

import re

import pytest

from zio_testing.common import ROOT

from .conftest import EXAMPLES, MIGRATE, Runner

PAGE = ROOT / "Documentation/porting/table.md"
PATCH = MIGRATE / "zio_migrate/migrate.cocci"


def rows() -> list[tuple[str, str, str, str]]:
    text = (MIGRATE / "zio_migrate/table.tsv").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [tuple(line.split("\t")) for line in lines]  # type: ignore[misc]


def test_page(migrate: Runner) -> None:
    """The page has the table as "zio-migrate table" prints it."""
    assert migrate("table").stdout.strip() in PAGE.read_text()


def test_summaries(migrate: Runner) -> None:
    """The guide has the summaries of the examples."""
    page = (PAGE.parent / "example.md").read_text()
    for name in ("digitiser", "tdc"):
        file = EXAMPLES / name / f"{name}-1x.c"
        said = migrate("check", file, status=3).stderr
        assert f"    {file.name}: {said}" in page


def test_no_symbol_twice() -> None:
    symbols = [row[0] for row in rows()]
    assert len(symbols) == len(set(symbols))


def test_patch_has_rows() -> None:
    """What the patch removes is in the table, as a symbol of the patch."""
    removed = re.findall(r"^- .*$", PATCH.read_text(), re.M)
    names = re.findall(r"\b(?:to_zio|(?:zio|ZIO|chan_for)_)\w+", "\n".join(removed))
    # Names that stay, in lines that change
    kept = {"zio_cset", "zio_channel"}
    by_patch = {row[0] for row in rows() if row[1] == "patch"}
    assert set(names) - kept <= by_patch


@pytest.mark.usefixtures("spatch")
def test_rows_have_patch(migrate: Runner) -> None:
    """What the table calls a symbol of the patch is gone from the converted examples."""
    files = sorted(EXAMPLES.glob("*/*-converted.c"))
    said = migrate("check", *files, status=3).stdout
    left = {
        line.split(": ")[1] for line in said.splitlines() if ": by the patch:" in line
    }
    # A function that finds the board for all objects, and the table of a trigger
    assert left == {"to_zio_cset", "ZIO_ATTR", "ZIO_RW_PERM"}
