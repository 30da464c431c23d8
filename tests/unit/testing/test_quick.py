# SPDX-License-Identifier: GPL-2.0-only
"""quick: the tests that judge each file, and the choice among them"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from zio_testing import judges, quick, quick_map
from zio_testing.common import TESTING
from zio_testing.judges import KUNIT, Map
from zio_testing.steps import WIDTH

PRODUCT = re.compile(r"(zio-core|buffers|triggers|drivers|include|tools)/")
# Programs of users in the product that no test runs
ALLOWED = {
    "tools/demo",
    "tools/programs/kafka/bench/plain.c",
    "tools/programs/nexus/bench",
}
FIRST = {
    "zio-core/engine/engine.c": KUNIT,
    "zio-core/channel/poll.c": KUNIT,
    "zio-core/config/sysfs-trigger.c": "selftests/triggers.sh",
    "zio-core/lib/platform.c": "selftests/basic_test.c",
    "drivers/slink/sps-send.c": "selftests/slink-faults.sh",
    "drivers/slink/slink.h": "selftests/slink.sh",
    "drivers/s5933/nvram.c": "selftests/slink-dma.sh",
    "drivers/xdma/engine.c": "selftests/xdma_test.c",
    "drivers/zio-loop.c": "selftests/loop_test.c",
    "triggers/zio-trig-irq.c": "selftests/irq_test.c",
    "tools/libzio/channel/ring.c": "unit/ring_test.c",
    "tools/libzio/channel/slot.h": "unit/ring_test.c",
    "tools/libzio/zio-group.h": "unit/group_test.c",
    "tools/programs/zio/zio_commands/save.py": "unit/save_test.sh",
    "tools/programs/nexus/zio_nexus/verify.py": "unit/nexus/test_verify.py",
    "tools/programs/pva/zio_pva/attributes.py": "unit/pva/test_attributes.py",
    "tools/programs/scope/zio_scope/page/store.js": "unit/scope/browser/test_page.py",
    "tools/programs/kafka/spool.c": "unit/kafka/test_spools.py",
    "tools/python/src/zio/_group.py": "unit/python/test_group.py",
    "tests/selftests/slink-send.c": "selftests/slink-dma.sh",
    "tests/selftests/zio.sh": "selftests/zio.sh",
    "tests/unit/fake.c": "unit/ahead_test.c",
    "tests/zio_testing/tap.py": "unit/testing/test_tap.py",
    "zio-core/tests/ring_test.c": KUNIT,
}


def programs() -> list[str]:
    return list(filter(judges.is_code, judges.list_files()))


# --- which test judges which file -------------------------------------------------------


def test_each_program_is_judged() -> None:
    """A new file brings its test, or stands in the list, which says what judges it."""
    unknown = [path for path in programs() if not judges.elsewhere(path)]
    assert not [path for path in unknown if not judges.tests_of(path)]


@pytest.mark.parametrize("path", ["drivers/zio-new.c", "triggers/zio-trig-new.c"])
def test_new_program_without_a_test(path: str) -> None:
    assert not judges.tests_of(path)


def test_product_is_judged_in_a_minute() -> None:
    product = set(filter(PRODUCT.match, programs()))
    assert {path for path in product if not judges.tests_of(path)} == ALLOWED


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


# --- the order --------------------------------------------------------------------------


@pytest.mark.parametrize("path", FIRST)
def test_first(path: str) -> None:
    assert judges.tests_of(path)[0] == FIRST[path]


def test_namesakes_follow_the_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no mutant decides among tests of the name, the map does."""
    path = "drivers/slink/sps-send.c"
    monkeypatch.setattr(judges, "list_killers", dict)
    seen = ["selftests/slink-view.sh", "unit/abi_test.c"]
    monkeypatch.setattr(judges, "read_map", lambda: Map({path: seen}, {}))
    assert judges.by_name_or_mutants(path)[0] == "selftests/slink-view.sh"


def test_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name, the mutants, and then the map: however many it kills, and however fast it
    is, a test does not come before the namesake."""
    path = "tools/libzio/channel/share.c"
    near, many, few, seen = (
        f"unit/{name}_test.c" for name in ("ring", "unit", "set", "abi")
    )
    monkeypatch.setattr(judges, "namesakes", lambda path: [near])
    monkeypatch.setattr(
        judges, "list_killers", lambda: {path: Counter({few: 1, many: 2})}
    )
    monkeypatch.setattr(
        judges, "read_map", lambda: Map({path: [seen, many]}, {seen: 0.1})
    )
    assert judges.own_tests.__wrapped__(path) == (near, many, few, seen)


def test_namesake_that_kills_most_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    path = "drivers/slink/sps-send.c"
    killers = {path: Counter({"selftests/slink-view.sh": 2, "unit/abi_test.c": 3})}
    monkeypatch.setattr(judges, "list_killers", lambda: killers)
    found = judges.by_name_or_mutants(path)
    assert found[0] == "selftests/slink-view.sh"
    assert found[-1] == "unit/abi_test.c"


# --- the choice -------------------------------------------------------------------------


@pytest.fixture
def two_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files whose tests take a second each, but for the first one: it takes 100."""
    tests = {"a.c": ("a1", "both", "a3"), "b.c": ("b1", "both"), "new.c": ()}
    seconds = {name: 1.0 for name in ("both", "a3", "b1")} | {"a1": 100.0}
    monkeypatch.setattr(judges, "is_code", lambda path: path != "README.md")
    monkeypatch.setattr(judges, "tests_of", tests.get)
    monkeypatch.setattr(judges, "read_map", lambda: Map({}, seconds))
    return ["a.c", "b.c"]


def test_first_test_of_each_file_is_chosen(two_files: list[str]) -> None:
    chosen = quick_map.choose(two_files, 0)
    assert chosen.tests == ["a1", "b1"]
    assert chosen.left_out == ["both", "a3"]


def test_others_are_chosen_while_they_fit(two_files: list[str]) -> None:
    assert quick_map.choose(two_files, 51).tests == ["a1", "b1", "both"]
    assert quick_map.choose(two_files, 60).tests == ["a1", "b1", "both", "a3"]


def test_namesake_is_chosen() -> None:
    """For each file, whatever the others take"""
    for path in programs():
        if (own := judges.namesakes(path)) and not judges.elsewhere(path):
            wanted = [judges.list_tests()[path]] if path in judges.list_tests() else own
            assert set(quick_map.choose([path], 0).tests) & set(wanted), path


def test_documents_need_no_test(two_files: list[str]) -> None:
    assert quick_map.choose(["README.md"], 60).not_judged == []


RESULTS = """<testsuites><testsuite>
<testcase classname="selftests.loop_test.c" name="distro" time="7.04" />
<testcase classname="selftests.loop_test.c" name="kasan" time="90" />
<testcase classname="unit.nexus.test_words" name="test_a" time="0.5" />
<testcase classname="unit.nexus.test_words" name="test_b[1]" time="1.25" />
<testcase classname="unit.nexus.test_load" name="test_a" time="0"><skipped /></testcase>
<testcase classname="elsewhere" name="test_b" time="1" />
</testsuite></testsuites>"""


def test_times_of_a_run(tmp_path: Path) -> None:
    """Those of the kernel that quick boots, summed over a file"""
    file = tmp_path / "junit.xml"
    file.write_text(RESULTS)
    assert quick_map.seconds_in(file) == {
        "selftests/loop_test.c": 7.0,
        "unit/nexus/test_words.py": 1.8,
    }


def test_times_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, results = tmp_path / "map.json", tmp_path / "junit.xml"
    results.write_text(RESULTS)
    monkeypatch.setattr(judges, "MAP", file)
    old = Map({"a.c": ["unit/abi_test.c"]}, {"unit/abi_test.c": 3.0})
    monkeypatch.setattr(judges, "read_map", lambda: old)
    assert quick.main(["--learn", str(results)]) == 0
    new = Map(**json.loads(file.read_text()))
    assert new.files == old.files
    assert new.seconds["unit/abi_test.c"] == 3
    assert new.seconds["selftests/loop_test.c"] == 7


def test_each_answer_comes_in_a_minute() -> None:
    """The tests of each file of the product, on two processors, by their times"""
    for path in filter(PRODUCT.match, programs()):
        tests = quick_map.choose([path], quick.SECONDS).tests
        took = [quick_map.seconds_of(test) for test in tests]
        assert max([*took, sum(took) / WIDTH]) <= 60, path


# --- what a user sees -------------------------------------------------------------------


def listed(capsys: pytest.CaptureFixture[str], *files: str) -> tuple[int, list[str]]:
    status = quick.main(["--list", *files])
    return status, capsys.readouterr().out.splitlines()


def test_file_that_no_test_judges(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = listed(capsys, "bench/trig.c", "drivers/zio-loop.c")
    assert status == 1
    assert said[0] == "selftests/loop_test.c"
    assert said[-1] == "not judged: bench/trig.c (make bench, which measures)"


def test_file_that_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = listed(capsys, "drivers/zio-loop.c", "README.md")
    assert status == 0
    assert not [line for line in said if line.startswith("not judged")]


@pytest.mark.parametrize(("path", "status"), [("new.c", 1), ("a.c", 0)])
def test_status_of_a_run(
    two_files: list[str],
    path: str,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All tests pass. If none of them judges a file, the next run says so again."""
    monkeypatch.setattr(quick, "run", lambda tests, more: 0)
    monkeypatch.setattr(quick, "setup", lambda *words: None)
    monkeypatch.setattr(quick, "find_changed", lambda sums: [path])
    monkeypatch.setattr(quick, "GREEN", tmp_path / "green")
    assert quick.main([]) == status
    assert ("not judged: new.c\n" in capsys.readouterr().out) == bool(status)
    assert (tmp_path / "green").exists() == (status == 0)
