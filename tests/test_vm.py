# SPDX-License-Identifier: GPL-2.0-only
"""vm, and log-faults, which looks for faults in a kernel log"""

from collections.abc import Callable

from zio_testing import tap
from zio_testing.common import TESTING
from zio_testing.tap import Results


def test_vm(results: Callable[[Results], None]) -> None:
    results(tap.run_program([TESTING / "vm_test"]))
