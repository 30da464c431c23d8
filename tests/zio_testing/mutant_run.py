# SPDX-License-Identifier: GPL-2.0-only
"""Run the tests of mutants: within a limit of time, in a scratch copy of the tree."""

import time
from dataclasses import dataclass

from .common import read_log, run_logged
from .mutant_patch import ALL, HOST, LITMUS, QUICK, UML, Test
from .mutant_tree import Scratch

# Two do, on an idle host.
UML_SECONDS = "45"


@dataclass
class Run:
    """How a command ended. The status is None if it did not end within the limit."""

    status: int | None
    output: str
    seconds: float


def run(scratch: Scratch, limit: float, command: list[str], **extra: str) -> Run:
    """Let timeout(1) end the command with its children, which are a process group."""
    begin = time.monotonic()
    settings = {"XDG_CACHE_HOME": str(scratch.cache), "KCFLAGS": "", **extra}
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
    if kind == UML:
        kunit = ["tests/kunit", "--seconds", UML_SECONDS]
        return run(scratch, limit, kunit + ([] if ALL in names else names))
    if kind == QUICK:
        words = [word for name in names for word in name.split(",")]
        return run(scratch, limit, [check, "-n", "1", "--kernel", "distro", *words])
    if kind == LITMUS:
        return run(scratch, limit, ["tests/litmus/run", *names])
    if Test(kind, "").is_kunit:
        suites = {"ZIO_KUNIT_SUITES": ",".join(names)}
        boot = [check, "--only", "kunit", "-k", "machine", "--kernel", kind]
        return run(scratch, limit, boot, **suites)
    return run(scratch, limit, [check, "-n", "1", "--kernel", kind, *names])
