# SPDX-License-Identifier: GPL-2.0-only
"""The kernels of the selftests. route_test needs no special kernel. nth_calls_test cannot
run on distro."""

import re
import subprocess
from pathlib import Path

import pytest

from zio_testing import items, nightly
from zio_testing.common import ROOT
from zio_testing.selftests import KERNELS, SELFTESTS, find_all


def found(*places: str, names: str = "") -> set[str]:
    return {
        test.path.stem
        for test in find_all()
        if (not names or test.path.stem in names.split())
        and test.places(list(places), is_named=bool(names))
    }


def at(place: str) -> set[str]:
    return {test.path.stem for test in find_all() if place in test.places([], False)}


def test_each_test_runs() -> None:
    every = {test.path.stem for test in find_all()}
    at_night = {"nth_files_test"}
    commands = " ".join(sum((sum(step, []) for step in nightly.STEPS.values()), []))
    assert all(name in commands for name in at_night)
    assert set.union(*map(at, KERNELS)) == every - at_night


def test_each_file_with_tests_is_collected() -> None:
    """The name of library_test.c begins as those of lib.sh and lib-iio.sh."""
    kinds = {path: items.kind_of(path) for path in SELFTESTS.iterdir() if path.is_file()}
    with_tests = {path for path in kinds if '\nTEST("' in path.read_text()}
    assert with_tests
    assert all(kinds[path] for path in with_tests)
    assert not kinds[SELFTESTS / "lib.sh"]
    assert kinds[SELFTESTS / "basic.sh"]


def test_distro_when_the_test_asks_for_it() -> None:
    """Or when it asks for no kernel at all"""
    asking = {
        test.path.stem for test in find_all() if test.has("distro") or test.has("check")
    }
    others = set.union(*(at(place) for place in KERNELS if place != "distro"))
    assert at("distro") & others == asking & others
    assert asking <= at("distro")


def modules_of_the_product() -> set[str]:
    make = ["make", "-s", "-C", str(ROOT), "print-modules"]
    names = subprocess.run(make, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {Path(name).name for name in names.split()} - {"zio", "zio-gpio-lines"}


def test_check_has_each_module() -> None:
    """`make check` has a test that names each buffer, trigger and driver."""
    texts = "\n".join(test.text for test in find_all() if test.has("check"))
    texts += (SELFTESTS / "lib.sh").read_text() + (SELFTESTS / "board.h").read_text()
    missing = {
        name
        for name in modules_of_the_product()
        if not re.search(rf"\b({name}|{name.removeprefix('zio-')})\b", texts)
    }
    assert not missing


# Drivers without samples of an input
NO_SAMPLES = set("zio-board zio-fake-dtc zio-irq-tdc zio-play zio-s5933 zio-sps".split())


def test_sanitizers_have_each_input() -> None:
    """The core of a debug kernel finds memory that a driver has not written."""
    names = at("kasan") | at("leaks")
    texts = "\n".join(test.text for test in find_all() if test.path.stem in names)
    drivers = {path.stem for path in (ROOT / "drivers").glob("zio-*.c")}
    folders = filter(Path.is_dir, (ROOT / "drivers").iterdir())
    drivers |= {f"zio-{path.name}" for path in folders}
    drivers = (drivers | {"zio-s5933-mini"}) & modules_of_the_product() - NO_SAMPLES
    missing = {
        name
        for name in drivers
        if not re.search(rf"\b({name}|{name.removeprefix('zio-')})\b", texts)
    }
    assert not missing


def test_leaks_or_kasan() -> None:
    assert not at("leaks") & at("kasan")
    assert at("leaks")


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ("", {"route_test"}),
        ("route_test", {"route_test"}),
        ("nth_calls_test", {"nth_calls_test"}),
    ],
)
def test_named_place(names: str, wanted: set[str]) -> None:
    """The header of a test does not matter if the user has named it, too."""
    assert found("distro", names=names) & {"route_test", "nth_calls_test"} == wanted


def test_named_test() -> None:
    assert "share_end_test" not in at("distro")
    assert "distro" not in next(
        test.places([], is_named=True)
        for test in find_all()
        if test.path.stem == "share_end_test"
    )
