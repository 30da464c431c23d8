# SPDX-License-Identifier: GPL-2.0-only
"""A reader of the documents types their commands into the shell of `tests/vm`."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time

from .common import ROOT, TESTING, Failure, Words, running
from .document import encode

BOOT_LIMIT, BLOCK_LIMIT = 1800, 900
PROMPT = "zio:~# "
READY, END = "zio-reader: ready", "zio-reader: end"
# No command appears beside its output. A block ends at the first command that fails.
BEGIN = rf"""stty -echo; set +o emacs +o history; PS2=; PS1='{READY}\n'
mkdir page; cd page
set -E -o pipefail
trap '_s=$?; ((_s == 141 || ${{#BASH_SOURCE[@]}} == 0)) || return $_s' ERR
"""
# What the shell tells of its jobs
JOB = re.compile(r"^\[\d+\][-+ ] .*\n", re.M)
BLOCK = 'base64 -d <<<{} >/run/block; . /run/block; echo "{} $?"\n'


class Reader:
    """A terminal, and the machine that `tests/vm` starts there."""

    def __init__(self, *words: str) -> None:
        self.terminal, theirs = pty.openpty()
        self.said = ""
        command: Words = ["setsid", "-c", TESTING / "vm", *words]
        env = {**os.environ, "TERM": "dumb"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=env, stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)

    def __enter__(self) -> Reader:
        begin = time.monotonic()
        self.banner = self.read_until(PROMPT, BOOT_LIMIT)
        self.seconds = time.monotonic() - begin
        self.type(BEGIN)
        for _ in BEGIN.splitlines():
            self.read_until(f"{READY}\n", BOOT_LIMIT)
        return self

    def __exit__(self, *_: object) -> None:
        with running(self.process):
            pass
        os.close(self.terminal)

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def read_until(self, words: str, limit: int) -> str:
        """Return what the terminal shows up to these words, which are left out. The limit
        is for seconds in which it shows nothing, while this program runs."""
        silent = 0
        while words not in self.said:
            if not select.select([self.terminal], [], [], 1)[0]:
                silent += 1
                if silent > limit:
                    raise Failure(f"no '{words.strip()}' in {limit} s:\n{self.said}")
                continue
            silent = 0
            try:
                part = os.read(self.terminal, 1 << 16)
            except OSError as error:
                raise Failure(f"the terminal has closed:\n{self.said}") from error
            self.said += part.decode(errors="replace").replace("\r", "")
        before, _, self.said = self.said.partition(words)
        return before

    def run(self, commands: str) -> tuple[int, str]:
        """Type commands. Return their status and what they have shown."""
        self.type(BLOCK.format(encode(commands), END))
        said = self.read_until(f"{READY}\n", BLOCK_LIMIT)
        said, _, status = said.partition(f"{END} ")
        if not (found := re.match(r"\d+", status)):
            raise Failure(f"no status after:\n{commands}\n{said}")
        return 0 if found[0] == "141" else int(found[0]), JOB.sub("", said)
