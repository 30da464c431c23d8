# SPDX-License-Identifier: GPL-2.0-only
"""The blocks of a page run in order, and what is wrong in them is seen."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from zio_testing.document import run_page

SHELL = "cd {}; trap 'exit $?' ERR; {}"


def results(tmp_path: Path, text: str) -> list[tuple[int, str, str]]:
    """Return line, language and result of each block of a page."""
    page = tmp_path / "page.md"
    page.write_text(text)

    def shell(commands: str) -> tuple[int, str]:
        words = ["bash", "-c", SHELL.format(tmp_path, commands)]
        done = subprocess.run(words, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    return [(b.line, b.language, b.result) for b in run_page(page, shell)]


def test_blocks_run_in_order(tmp_path: Path) -> None:
    text = "A file:\n\n```sh\necho 7 >a\n```\n\n```console\n$ cat a\n7\n```\n"
    text += "```text\nno commands\n```\n"
    found = results(tmp_path, text)
    assert found == [(3, "sh", "ok"), (7, "console", "ok")]


def test_reason_is_a_skip(tmp_path: Path) -> None:
    text = "```sh\n# not run here: needs a board\nfalse\n```\n"
    assert results(tmp_path, text) == [(1, "sh", "skip")]


@pytest.mark.parametrize(
    "block",
    [
        "sh\nfalse\ntrue",
        "sh\nzio-of-no-package",
        "console\n$ echo 7\n8",
        "console\n$ echo 7",
        "console\n$ true\n7",
        "console\n7\n$ true",
        "console\nno command",
        # Sizes and settings count, and so does a time that is none.
        "console\n$ echo 8192\n4096",
        "console\n$ echo 20000000\n10000000",
        "console\n$ echo 20000000\n1795293991",
        "console\n$ echo no time\n1795293991",
        "python\nraise ValueError",
    ],
)
def test_wrong_block(tmp_path: Path, block: str) -> None:
    (found,) = results(tmp_path, f"```{block}\n```\n")
    assert found[2] == "not ok"


@pytest.mark.parametrize(
    "block",
    [
        # Times differ.
        "$ echo at 1795293991.000553070 of 2\nat 1800000123.123456789 of 2",
        "$ echo a; echo b\na\n...",
        # Lines that the page breaks
        "$ echo a \\\n    b\na \\\n    b",
        "$ for i in 1 2; do\n>     echo $i\n> done\n1\n2",
        # Commands that fail with the message that the page shows
        "# ls nothing\nls: cannot access 'nothing': No such file or directory",
    ],
)
def test_right_console(tmp_path: Path, block: str) -> None:
    (found,) = results(tmp_path, f"```console\n{block}\n```\n")
    assert found[2] == "ok"
