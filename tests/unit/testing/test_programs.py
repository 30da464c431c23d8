# SPDX-License-Identifier: GPL-2.0-only
"""The programs, as users call them"""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from zio_testing.common import ROOT, TESTING

LINKED = sorted(path for path in TESTING.iterdir() if path.is_symlink())
OTHERS = "tests/litmus/run packaging/in-tree/in-tree tools/programs/nexus/bench".split()
PROGRAMS = [*LINKED, *(ROOT / name for name in OTHERS)]


@pytest.mark.parametrize("program", PROGRAMS, ids=[path.name for path in PROGRAMS])
def test_reader_of_the_help_that_has_gone(program: Path) -> None:
    """As `tests/mutants --help | head -1`"""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as out:
        done = subprocess.run([program, "--help"], stdout=out, stderr=subprocess.PIPE)
    assert not done.stderr
    assert done.returncode in (128 + signal.SIGPIPE, -signal.SIGPIPE)
