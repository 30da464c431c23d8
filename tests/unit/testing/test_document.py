# SPDX-License-Identifier: GPL-2.0-only
"""The blocks of a page run in order, and what is wrong in them is seen."""

from __future__ import annotations

import os
import pty
import subprocess
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from zio_testing.common import TESTING
from zio_testing.document import encode, run_page

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


# --- the shell of the machine -----------------------------------------------------------


@pytest.fixture
def documents_shell(tmp_path: Path) -> Iterator[int]:
    """Start documents-shell at a terminal, and yield our side of it."""
    ours, its = pty.openpty()
    tty.setraw(its)
    program = (TESTING / "machine/guest/documents-shell").read_text()
    program = program.replace("/dev/ttyS1", os.ttyname(its))
    program = program.replace("/run/block", f"{tmp_path}/block")
    (tmp_path / "shell").write_text(program)
    for name in ("systemctl", "udevadm"):
        (tmp_path / name).symlink_to("/bin/true")
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    with subprocess.Popen(["bash", tmp_path / "shell"], env=env) as process:
        read_until(ours, "ready\n")
        yield ours
        process.kill()
    os.close(ours)
    os.close(its)


def read_until(port: int, end: str) -> str:
    text = ""
    while end not in text or not text.endswith("\n"):
        text += os.read(port, 4096).decode()
    return text


@pytest.mark.parametrize(
    "block, status",
    [
        ("true", 0),
        ("false\ntrue", 1),
        ("cat nothing | wc -l", 1),
        ("seq 1000000 | head -n 1\ntrue", 0),
        ("seq 1000000 | head -n 1", 0),
        ("f() { false; true; }\nf", 1),
        ("(false; true)\ntrue", 1),
        ("seq 3 | while read -r a; do false; true; done", 1),
        ("false || true\nuntil true; do false; done", 0),
    ],
)
def test_status_of_a_block(documents_shell: int, block: str, status: int) -> None:
    os.write(documents_shell, f"{encode(block)}\n".encode())
    said = read_until(documents_shell, "zio-guest: end ")
    assert said.endswith(f"zio-guest: end {status}\n")
