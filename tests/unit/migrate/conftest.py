# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of zio-migrate share"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from zio_testing.common import ROOT, setup

MIGRATE = ROOT / "tools/programs/migrate"
EXAMPLES = ROOT / "examples/porting"
sys.path.insert(0, str(MIGRATE))

Done = subprocess.CompletedProcess[str]
Runner = Callable[..., Done]


@pytest.fixture(scope="session")
def spatch() -> None:
    setup("migrate")


@pytest.fixture
def migrate(tmp_path: Path) -> Runner:
    """Return a function that runs the program in a directory of the test."""

    def run(*words: object, status: int = 0, **more: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-B", str(MIGRATE / "zio-migrate"), *map(str, words)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env=more or None,
        )
        assert done.returncode == status, done.stderr
        return done

    return run
