# SPDX-License-Identifier: GPL-2.0-only
"""The blocks of all documents, on a system that has the packages and nothing prepared"""

from collections.abc import Callable

from zio_testing import tap
from zio_testing.common import TESTING
from zio_testing.tap import Results


def test_pages(results: Callable[[Results], None]) -> None:
    results(tap.run_program([TESTING / "packages", "documents"]))
