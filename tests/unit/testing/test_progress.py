# SPDX-License-Identifier: GPL-2.0-only
"""A long build tells a user on a terminal how far it is."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from zio_testing.common import TESTING

PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from zio_testing.common import build
build(["sh", "-c", "echo '  CC [M]  a.o'; echo '  CC b.o'; read line <" + sys.argv[3]],
      Path(sys.argv[2]), "the modules do not build")
"""


def test_a_build_on_a_terminal(tmp_path: Path) -> None:
    fifo = tmp_path / "end"
    os.mkfifo(fifo)
    ours, theirs = pty.openpty()
    command: list[str | Path] = [
        sys.executable,
        "-c",
        PROGRAM,
        TESTING,
        tmp_path / "log",
        fifo,
    ]
    with subprocess.Popen(command, stderr=theirs) as process:
        os.close(theirs)
        said = ""
        while "2 files" not in said:
            said += os.read(ours, 1000).decode()
        fifo.write_text("end\n")
        assert process.wait() == 0
    os.close(ours)
    assert "building the modules: 2 files" in said
