# SPDX-License-Identifier: LGPL-2.1-or-later
"""One thread closes what another thread uses: no crash, no leak, and an error."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import zio

from .conftest import FakeBoard, Maker

CHILD = Path(__file__).parent / "close_child.py"
CASES = [
    "blocks",
    "batches",
    "waiting read",
    "wait",
    "attributes",
    "group",
    "waiting group",
    "ring's block",
    "ring's batch",
]


@pytest.mark.parametrize("kind", ["read", "wait", "write", "batches", "flush", "group"])
def test_another_thread_uses_it(board: FakeBoard, kind: str) -> None:
    """One thread waits for a block; the call of another one is refused."""
    if kind == "group":
        source: Any = zio.group(["zzero-0-2"])
        calls: Any = {"group": source.next}
        waits = source.next
    else:
        source = zio.open("zzero-0-2")
        calls = {
            "read": source.read,
            "wait": lambda: source.wait(0),
            "write": lambda: source.write(b"a"),
            "batches": lambda: next(source.batches()),
            "flush": source.flush,
        }
        waits = source.read
    with source:
        thread = threading.Thread(target=waits)
        thread.start()
        while not source._user.is_there:
            thread.join(0.001)
        for _ in range(2):
            with pytest.raises(ValueError, match="another thread"):
                calls[kind]()
        board.put(2, 0)
        board.put(2, 1)
        thread.join()
        if kind != "group":
            assert source.read().seq == 1


def test_each_block_goes_to_one_thread(block_file: Maker) -> None:
    """Four threads read, also without a global lock: calls at one time are refused."""
    counts: list[int] = []
    begin = threading.Barrier(4)
    with zio.open(block_file(range(2000))) as ch:

        def work() -> None:
            got, block = 0, True
            begin.wait()
            while block:
                with contextlib.suppress(ValueError):
                    block = ch.read() is not None
                    got += block
            counts.append(got)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(counts) == ch.stats.blocks == 2000


def run_child(case: str, folder: Path) -> str:
    command = [sys.executable, "-X", "faulthandler", str(CHILD), case, str(folder)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("case", CASES)
def test_close_while_another_thread_uses_it(case: str, tmp_path: Path) -> None:
    """The other thread is told each time."""
    assert run_child(case, tmp_path) == "60\n"


def test_close_at_each_line_of_times(tmp_path: Path) -> None:
    """The memory of a ring stays until the call ends."""
    assert run_child("times", tmp_path) == ""
