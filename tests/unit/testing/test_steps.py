# SPDX-License-Identifier: GPL-2.0-only
"""The steps of check, and which tests one worker runs together"""

from types import SimpleNamespace

import pytest

from zio_testing import check, steps
from zio_testing.common import TESTING

# A test as pytest names it, its step, and its group; empty if that is the test
TESTS = [
    ("test_build.py::test_text[prose]", "build", ""),
    ("test_kernel.py::test_kasan", "kernel", ""),
    ("unit/abi_test.c::tap", "tools", ""),
    ("models/qemu/bench_test.c::tap", "tools", ""),
    ("unit/testing/test_tap.py::test_a", "testing", ""),
    ("unit/nexus/test_words.py::test_a", "nexus", "unit/nexus/test_words.py"),
    ("unit/kafka/test_flows.py::test_a", "kafka", "kafka"),
    ("unit/scope/test_view.py::test_a", "scope", "unit/scope/test_view.py"),
    ("unit/scope/browser/test_view.py::a", "scope", "unit/scope/browser/test_view.py"),
    ("unit/live/test_scope.py::test_a", "live", "live"),
    ("unit/docs/test_site.py::test_a", "docs", "docs"),
    ("selftests/basic.sh::kasan", "selftests-kasan", ""),
    ("elsewhere/test_a.py::test_b", "others", ""),
]


@pytest.mark.parametrize(("nodeid", "step", "group"), TESTS)
def test_step_and_group(nodeid: str, step: str, group: str) -> None:
    assert steps.step_of(nodeid) == step
    assert steps.group_of(nodeid) == (group or nodeid)


def test_steps_of_paths() -> None:
    def found(*names: str) -> set[str]:
        return steps.steps_in([str(TESTING / name) for name in names])

    assert found("unit/nexus/test_words.py::test_a", "selftests") == {
        "nexus",
        "selftests",
    }
    assert found("unit/abi_test.c") == {"tools"}
    assert found("") == set(steps.STEPS)


def test_command_has_no_other_steps() -> None:
    """A word of the command that is a folder would install what all its steps need."""
    words = check.pytest_command(["-n", "1", str(TESTING / "test_kunit.py")])
    assert steps.steps_in(list(map(str, words))) == {"kunit"}


def test_order() -> None:
    """Long tests of a kernel come first, after all other steps."""
    names = ["selftests/basic.sh::kasan", "selftests/fuzz.sh::kasan"]
    names += ["unit/abi_test.c::tap", "test_kernel.py::test_kasan"]
    ordered = sorted(names, key=lambda name: steps.rank(SimpleNamespace(nodeid=name)))
    assert ordered == [names[3], names[2], names[1], names[0]]


def test_each_step_has_its_tests() -> None:
    missing = [path for path, _ in steps.PATHS if not (TESTING / path).exists()]
    assert not missing
    undescribed = [name for name in steps.STEPS if f"\n  {name} " not in check.__doc__]
    assert not undescribed
