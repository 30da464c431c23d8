# SPDX-License-Identifier: GPL-2.0-only
"""Seconds after which a test has hung, on a host that is ten times slower than usual."""

from .steps import step_of

USUAL = 1200
# A machine has a limit of its own, which leaves out the time when the host stood still.
MACHINE = 4000
# One test of these is a whole run of other programs.
LONG = {"packages": 4000, "pages": 5000, "kernel": 5000, "intree": 8000, "build": 4000}
# The first one compiles a kernel and all modules.
LONG |= {"mutants": 4000}


def of(nodeid: str) -> int:
    step = step_of(nodeid)
    is_machine = step.startswith(("selftests", "kunit", "vm", "live", "matrix"))
    return LONG.get(step, MACHINE if is_machine else USUAL)
