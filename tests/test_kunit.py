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
    """User Mode Linux: seconds, one processor, no sanitizer but lockdep. Only quick and
    mutants run it; the machines judge the same, and more."""
    results(kunit.run([]))


PLACES = ("distro", "kunit")


@pytest.mark.parametrize("place", PLACES)
def test_machine(place: str, results: Add, pytestconfig: pytest.Config) -> None:
    """The distribution's kernel; one with KASAN and lockdep. --kernel names others, which
    stand for the second, such as kunit-leaks, which has kmemleak, too."""
    chosen = pytestconfig.getoption("--kernel")
    names = [place]
    if chosen:
        names = [name for name in chosen if (name == PLACES[0]) == (place == PLACES[0])]
    if not names:
        pytest.skip("--kernel names another")
    for name in names:
        name = "kunit" if name == "kasan" else name
        if not find_place(name).has_kunit:
            pytest.skip(f"{name} has no KUnit")
        results(runner.run_kunit(SavedMachine(name), find_place(name).leaks))
