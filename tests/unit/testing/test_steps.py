# SPDX-License-Identifier: GPL-2.0-only
"""The steps of check"""

from zio_testing import check, steps
from zio_testing.common import TESTING


def test_command_has_no_other_steps() -> None:
    """A word of the command that is a folder would install what all its steps need."""
    words = check.pytest_command(["-n", "1", str(TESTING / "test_kunit.py")])
    assert steps.steps_in(list(map(str, words))) == {"kunit"}


def test_each_step_has_its_tests() -> None:
    missing = [path for path, _ in steps.PATHS if not (TESTING / path).exists()]
    assert not missing
    undescribed = [name for name in steps.STEPS if f"\n  {name} " not in check.__doc__]
    assert not undescribed
