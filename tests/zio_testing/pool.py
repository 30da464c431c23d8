# SPDX-License-Identifier: GPL-2.0-only
"""Run two jobs at a time: most of them keep one processor busy."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .common import Process, Words, start_logged, stop

WIDTH = 2


@dataclass
class Job:
    """A command, the log of its output, and a function that takes both at the end."""

    log: Path
    command: Words
    finish: Callable[[Path, int], None]
    begin: float = field(default_factory=time.monotonic)


Preparation = Callable[[], Job]
Running = list[tuple[Job, Process]]


def run_jobs(jobs: Iterable[Preparation]) -> dict[str, float]:
    """Prepare and run each job as soon as there is room. Return the seconds that each
    took, by the name of its log."""
    running: Running = []
    seconds: dict[str, float] = {}
    try:
        for prepare in jobs:
            finish_until(running, WIDTH - 1, seconds)
            job = prepare()
            process = start_logged(job.command, job.log, Path(f"{job.log}.err"))
            running.append((job, process))
        finish_until(running, 0, seconds)
        return seconds
    finally:
        for _, process in running:
            process.terminate()
        for _, process in running:
            stop(process)


def finish_until(running: Running, left: int, seconds: dict[str, float]) -> None:
    """Finish the jobs that end until @left are running."""
    while len(running) > left:
        for job, process in list(running):
            if process.poll() is not None:
                running.remove((job, process))
                job.finish(job.log, process.returncode)
                seconds[job.log.name] = time.monotonic() - job.begin
        time.sleep(0.2)
