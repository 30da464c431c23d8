# SPDX-License-Identifier: GPL-2.0-only
"""Results of tests that run commands, as TAP."""

import re
import subprocess
import textwrap
from pathlib import Path

SHOWN = 40


class Trial:
    """Prints a line of TAP for each result, and what a failed command said."""

    def __init__(self) -> None:
        self.count = self.failed = 0

    def result(self, what: str, good: bool, said: str = "") -> bool:
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}", flush=True)
        if not good:
            end = "\n".join(said.splitlines()[-SHOWN:])
            print(textwrap.indent(end, "# "), flush=True)
        return good

    def command(self, what: str, found: tuple[int, str]) -> bool:
        return self.result(what, found[0] == 0, found[1])

    def program(self, what: str, status: int, said: str) -> None:
        """Add the results of a program: lines that begin with "ok - " or "not ok - ", and
        "the end"."""
        for good, text in re.findall(r"^(not ok|ok) - (.*)", said, re.M):
            self.result(f"{what}: {text}", good == "ok", said)
        ended = status == 0 and "the end" in said.splitlines()
        self.result(f"{what}: it ends", ended, said)

    def end(self) -> int:
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def run(*command: str | Path) -> tuple[int, str]:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout
