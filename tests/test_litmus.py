# SPDX-License-Identifier: GPL-2.0-only
"""Each lettered barrier, against the kernel's memory model"""

from collections.abc import Callable

from zio_testing import common, tap
from zio_testing.tap import Results


def test_litmus(results: Callable[[Results], None]) -> None:
    common.setup("debug-kernel")
    results(tap.run_program([common.TESTING / "litmus/run"]))
