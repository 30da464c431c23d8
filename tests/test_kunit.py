# SPDX-License-Identifier: GPL-2.0-only
"""The KUnit suites, which are beside the core: zio-core/tests"""

from collections.abc import Callable

import pytest

from zio_testing import kunit, runner
from zio_testing.guest import SavedMachine
from zio_testing.selftests import find_place
from zio_testing.tap import Results

Add = Callable[[Results], None]


def test_uml(results: Add) -> None:
    """User Mode Linux: seconds, one processor, no sanitizer but lockdep"""
    results(kunit.run([]))


@pytest.mark.parametrize("place", ["kunit"])
def test_machine(place: str, results: Add, pytestconfig: pytest.Config) -> None:
    """A kernel with KASAN, lockdep and kmemleak, or those of --kernel that have KUnit"""
    chosen = pytestconfig.getoption("--kernel") or [place]
    for name in chosen:
        name = "kunit" if name == "kasan" else name
        if not find_place(name).has_kunit:
            pytest.skip(f"{name} has no KUnit")
        results(runner.run_kunit(SavedMachine(name), find_place(name).leaks))
