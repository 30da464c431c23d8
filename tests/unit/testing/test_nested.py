# SPDX-License-Identifier: GPL-2.0-only
"""A pytest that a test starts, as those of mutants: it has an end of its own."""

import os
import subprocess
from pathlib import Path

from zio_testing.common import TESTING, Words


def test_a_run_within_a_worker_tells_its_own_end(tmp_path: Path) -> None:
    command: Words = [
        "/usr/bin/python3",
        "-B",
        "-m",
        "pytest",
        "-q",
        "--rootdir",
        TESTING,
    ]
    command = [*command, "-c", TESTING / "pyproject.toml", "-p", "no:cacheprovider"]
    command = [*command, TESTING / "unit/testing/test_double.py"]
    env = {**os.environ, "PYTEST_XDIST_WORKER": "gw0", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    last = done.stdout.splitlines()[-1]
    assert last.endswith(" passed, 0 failed") and last[0] != "0", done.stdout


def test_what_check_tells_its_pytest_goes_no_further() -> None:
    assert not {"ZIO_PREPARED", "ZIO_OUTCOME"} & set(os.environ)
