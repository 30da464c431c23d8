# SPDX-License-Identifier: GPL-2.0-only
"""Run two jobs at a time: most boots keep one processor busy."""

import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from zio_testing.common import Words, stop

WIDTH = 2


@dataclass
class Job:
    """A command, the log of its output, and a function that takes both at the end."""

    log: Path
    command: Words
    finish: Callable[[Path, int], None]


def start(job: Job) -> subprocess.Popen[bytes]:
    with open(job.log, "wb") as out, open(f"{job.log}.err", "wb") as err:
        return subprocess.Popen(
            job.command, stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )


def run_jobs(jobs: Iterable[Callable[[], Job | None]]) -> None:
    """Prepare and run each job as soon as there is room."""
    running: dict[subprocess.Popen[bytes], Job] = {}
    try:
        for prepare in jobs:
            while len(running) >= WIDTH:
                finish_ended(running)
            if job := prepare():
                running[start(job)] = job
        while running:
            finish_ended(running)
    finally:
        for process in running:
            process.terminate()
        for process in running:
            stop(process)


def finish_ended(running: dict[subprocess.Popen[bytes], Job]) -> None:
    ended = [process for process in running if process.poll() is not None]
    for process in ended:
        job = running.pop(process)
        job.finish(job.log, process.returncode)
    if not ended:
        time.sleep(0.2)
