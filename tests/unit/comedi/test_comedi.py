# SPDX-License-Identifier: GPL-2.0-only
"""zio-comedi without a card. selftests/comedi.sh has one."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from zio_testing import common
from zio_testing.common import ROOT

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def run() -> Run:
    common.setup("build", "comedi")
    subprocess.run(["make", "-s", "-C", ROOT / "tools", "comedi"], check=True)

    def do(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(ROOT / "tools/bin/zio-comedi"), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=480)

    return do


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([], 2, "Usage: zio-comedi [OPTION...] FILE"),
        (["/dev/null", "/dev/null"], 2, "/dev/null: one card at a time"),
        (["--aref=north", "/dev/null"], 2, "north"),
        (["--rate=fast", "/dev/null"], 2, "fast"),
        (["/nowhere"], 3, "/nowhere: cannot open it: No such file or directory"),
        (["/dev/null"], 3, "/dev/null: cannot open it: "),
    ],
)
def test_refusals(run: Run, words: list[str], status: int, said: str) -> None:
    done = run(*words)
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert done.stdout == ""
