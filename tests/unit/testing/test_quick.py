# SPDX-License-Identifier: GPL-2.0-only
"""quick: the tests that judge each file, and the choice among them"""

import re

import pytest

from zio_testing import judges, quick, quick_map
from zio_testing.common import TESTING
from zio_testing.steps import WIDTH

PRODUCT = re.compile(r"(zio-core|buffers|triggers|drivers|include|tools)/")
# Programs of users in the product that no test runs
ALLOWED = {
    "tools/demo",
    "tools/programs/kafka/bench/plain.c",
    "tools/programs/nexus/bench",
}


def programs() -> list[str]:
    return list(filter(judges.is_code, judges.list_files()))


# --- which test judges which file -------------------------------------------------------


def test_each_program_is_judged() -> None:
    """A new file brings its test, or stands in the list, which says what judges it."""
    unknown = [path for path in programs() if not judges.elsewhere(path)]
    assert not [path for path in unknown if not judges.tests_of(path)]


def test_product_is_judged_in_a_minute() -> None:
    product = set(filter(PRODUCT.match, programs()))
    assert {path for path in product if not judges.tests_of(path)} == ALLOWED


@pytest.mark.parametrize("path", ["drivers/zio-new.c", "triggers/zio-trig-new.c"])
def test_new_program_without_a_test(path: str) -> None:
    assert not judges.tests_of(path)


@pytest.mark.parametrize("by", judges.ELSEWHERE)
def test_each_line_of_the_list_is_wanted(by: str) -> None:
    for pattern in judges.ELSEWHERE[by]:
        assert any(re.fullmatch(pattern, path) for path in programs()), pattern


def test_each_judge_is_there() -> None:
    known = judges.read_map()
    mapped = {test for tests in known.files.values() for test in tests}
    every = {test for path in programs() for test in judges.tests_of(path)}
    names = every | mapped | set(known.seconds)
    assert not [
        name for name in names if not (TESTING / name.partition("::")[0]).exists()
    ]
    assert not set(known.files) - set(judges.list_files())


# --- the choice -------------------------------------------------------------------------


def test_namesake_is_chosen() -> None:
    """For each file, whatever the others take"""
    for path in programs():
        if (own := judges.namesakes(path)) and not judges.elsewhere(path):
            wanted = [judges.list_tests()[path]] if path in judges.list_tests() else own
            assert set(quick_map.choose([path], 0).tests) & set(wanted), path


def test_each_answer_comes_in_a_minute() -> None:
    """The tests of each file of the product, on two processors, by their times"""
    for path in filter(PRODUCT.match, programs()):
        tests = quick_map.choose([path], quick.SECONDS).tests
        took = [quick_map.seconds_of(test) for test in tests]
        assert max([*took, sum(took) / WIDTH]) <= 60, path
