# SPDX-License-Identifier: GPL-2.0-only
"""The modules compile for Debian's newest kernel, and for one that the commit chooses"""

import pytest

from zio_testing import matrix
from zio_testing.common import seed_of_commit

TARGETS = {target.name: target for target in matrix.sample(seed_of_commit())}


@pytest.mark.parametrize("name", TARGETS)
def test_compiles(name: str) -> None:
    try:
        matrix.compile_target(TARGETS[name])
    except matrix.Skipped as reason:
        pytest.skip(str(reason))
