# SPDX-License-Identifier: GPL-2.0-only
"""The modules compile for Debian's newest kernel, for 32 bits"""

import pytest

from zio_testing import matrix


def test_compiles() -> None:
    try:
        for target in matrix.choose([matrix.SAMPLE]):
            matrix.compile_target(target)
    except matrix.Skipped as reason:
        pytest.skip(str(reason))
