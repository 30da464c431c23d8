# SPDX-License-Identifier: GPL-2.0-only
"""Run the tests of mutants: within a limit of time, in a scratch copy of the tree."""

import time
from dataclasses import dataclass

from .common import read_log, run_logged
from .mutant_patch import HOST, KUNIT_LEAKS, LITMUS, Test
from .mutant_tree import Scratch


@dataclass
class Run:
    """How a command ended. The status is None if it did not end within the limit."""

    status: int | None
    output: str
    seconds: float


def run(scratch: Scratch, limit: float, command: list[str], **extra: str) -> Run:
    """Let timeout(1) end the command with its children, which are a process group."""
    begin = time.monotonic()
    settings = {"XDG_CACHE_HOME": str(scratch.cache), **extra}
    env = ["env", "-C", str(scratch.root), *(f"{k}={v}" for k, v in settings.items())]
    log = scratch.cache / "log"
    found = run_logged(["timeout", "--kill-after=20", str(limit), *env, *command], log)
    status = None if found in (124, 137, -9) else found
    return Run(status, read_log(log), time.monotonic() - begin)


def run_tests(scratch: Scratch, kind: str, names: list[str], limit: float) -> Run:
    """Run tests of one kind, in one boot if they need a machine."""
    check = "tests/check"
    if kind == HOST:
        make = ["make", "-C", "tools", "check"]
        return run(scratch, limit, make, ONLY=" ".join(names))
    if kind == LITMUS:
        return run(scratch, limit, ["tests/litmus/run", *names])
    if Test(kind, "").is_kunit:
        suites = {"ZIO_KUNIT_SUITES": ",".join(names)}
        suites["ZIO_KUNIT_LEAKS"] = "yes" if kind == KUNIT_LEAKS else "no"
        kunit = [check, "--only", "kunit", "--kernel", "kasan"]
        return run(scratch, limit, kunit, **suites)
    return run(scratch, limit, [check, "--kernel", kind, *names])
