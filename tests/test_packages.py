# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages: built twice, installed in a small system of their own with DKMS
for two kernels, and in a virtual machine"""

from collections.abc import Callable

from zio_testing import tap
from zio_testing.common import TESTING
from zio_testing.tap import Results


def test_packages(results: Callable[[Results], None]) -> None:
    results(tap.run_program([TESTING / "packages", "test"]))
