# SPDX-License-Identifier: LGPL-2.1-or-later
"""One thread closes what another thread uses: no crash, no leak, and an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("case", CASES)
def test_close_while_another_thread_uses_it(case: str, tmp_path: Path) -> None:
    """The other thread is told each time."""
    command = [sys.executable, "-X", "faulthandler", str(CHILD), case, str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "60\n"
