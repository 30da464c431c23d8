# SPDX-License-Identifier: GPL-2.0-only
"""The tests that judge a file, the most telling first. A test has the name by which
pytest knows it in the folder tests.

Tests of the name of a file come first: verify.py has test_verify.py, and drivers/slink
has slink*.sh. Those that kill its mutants follow, and then those that coverage has seen
in it. A header also has the tests of the files that include it. A file that has none of
these has the tests of its folder, or else those of the files that use it."""

import functools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from .common import ROOT, TESTING, output_of
from .mutant_patch import HOST, LITMUS, QUICK, Test, read_mutants
from .selftests import Selftest, is_selftest

MAP = TESTING / "map.json"
# What runs the suites of zio-core/tests
KUNIT = "test_kunit.py::test_uml"
BARRIERS = "test_litmus.py"

# --- the files --------------------------------------------------------------------------

PROGRAM = re.compile(r".*\.(c|h|cpp|hpp|py|sh|js|rs|java|m|mk)|(.*/)?(Kbuild|Makefile)")
COMMENT = re.compile(r'\s*(#[^!]|//|/\*|\*|""".*"""$|$)')


@functools.cache
def list_files() -> tuple[str, ...]:
    """Return all files of the checkout. The commands in tests are links to one."""
    command = ["git", "-C", ROOT, "ls-files", "-coz", "--exclude-standard"]
    names = sorted(filter(None, output_of(command).split("\0")))
    paths = {name: ROOT / name for name in names}
    return tuple(
        n for n, path in paths.items() if path.is_file() and not path.is_symlink()
    )


@functools.cache
def text_of(path: str) -> str:
    return (ROOT / path).read_text(errors="replace")


def is_code(path: str) -> bool:
    """Return true for a program, or a part of one. An __init__.py may be empty."""
    if not PROGRAM.fullmatch(path):
        return text_of(path).startswith("#!")
    return not all(map(COMMENT.match, text_of(path).split("\n")))


# --- the tests --------------------------------------------------------------------------

SUITE = re.compile(r"zio-core/tests/\w+_test\.c")
# These build a site, or start machines and browsers, for minutes. Those in guest run in a
# selftest.
LONG = re.compile(r"tests/unit/(live|docs)/|.*/guest/")
ON_HOST = re.compile(
    r"tests/unit/.*\btest_\w+\.py|tests/(unit|models/qemu)/\w+_test\.(c|sh)"
)


def is_test(path: str) -> bool:
    """Return true for a file whose tests quick can run."""
    if PurePath(path).parent == PurePath("tests/selftests"):
        is_one = is_selftest(PurePath(path).name)
        return is_one and Selftest(ROOT / path).can_run_on("distro")
    return bool(ON_HOST.fullmatch(path)) and not LONG.match(path)


@functools.cache
def list_tests() -> dict[str, str]:
    """Return the files with tests, and the name of the test of each. All suites of KUnit
    are one test."""
    tests = {path: KUNIT for path in list_files() if SUITE.fullmatch(path)}
    tests |= {path: path.removeprefix("tests/") for path in filter(is_test, list_files())}
    return tests | {f"tests/{BARRIERS}": BARRIERS}


# --- those of the same name -------------------------------------------------------------

# A folder, and its tests. If no other rule finds a test for a file there, all of them
# judge it. A star in the second column stands for what the first has in parentheses.
OWN = (
    (r"zio-core/(tests)/", r"zio-core/*/"),
    (r"drivers/s5933/", r"tests/selftests/slink"),  # the bridge on the S-LINK cards
    (r"drivers/(\w+)/", r"tests/selftests/*[-_.]"),
    (r"include/driver.mk", r"tests/selftests/porting"),
    (r"tools/programs/(nexus|scope|pva|kafka|migrate|devices)/", r"tests/unit/*/"),
    (r"tools/programs/(visa|sigrok|comedi)/", r"tests/unit/*/"),
    (r"tools/programs/root/|tests/unit/fetch-venv", r"tests/unit/languages/test_root"),
    (r"tools/programs/(selftest)/", r"tests/unit/python/test_*"),
    (r"tools/(udev|completion)/", r"tests/unit/*_test"),
    (r"tools/(languages)/", r"tests/unit/*/"),
    (r"examples/(python|c)/", r"tests/unit/(python/test_)?examples"),
    (r"examples/languages/kafka_reader", r"tests/unit/kafka/test_targets"),
    (r"examples/(languages)/", r"tests/unit/*/"),
    (r"examples/(porting)/", r"tests/selftests/*"),
    (r"packaging/in-tree/", r"tests/unit/testing/test_in_tree"),
    (r"bench/suite/(jitter)", r"tests/unit/testing/test_*"),
    (r"tests/(litmus)/", r"tests/test_*"),
    (r"tests/models/qemu/sspci-qemu|tests/machine/qemu-sspci", r"tests/selftests/slink"),
    (r"tests/models/qemu/(xdma)-qemu", r"tests/selftests/*"),
    (r"tests/machine/uml/|tests/zio_testing/(uml|kunit)", r"zio-core/tests/"),
    (r"tests/machine/log-faults", r"tests/unit/testing/test_tap"),
    (r"tests/machine/guest/(document)s-shell", r"tests/unit/testing/test_*.py"),
    (r"tests/machine/guest/zio-host", r"tests/selftests/(nexus|python)"),
    (r"tests/machine/guest/python-command", r"tests/selftests/(commands|save)"),
    (r"tests/unit/(python|devices)/(guest/|tap_plugin)", r"tests/selftests/*"),
    (r"tests/unit/(visa|sigrok|comedi)/guest/", r"tests/selftests/*"),
    (r"tests/unit/(visa)/__init__", r"tests/unit/*/"),
    (r"tests/unit/fake-configfs", r"tests/unit/(save|zio)_test"),
    (r"tests/unit/(\w+)/(conftest|fetch-|style|\w+_fuzz|stub/)", r"tests/unit/*/"),
)
# A folder, and the tests where the name of a file in it counts
SHARED = (
    (
        r"(zio-core|buffers|triggers|drivers|include)/",
        r"tests/selftests/|zio-core/|tests/unit/testing/test_double",
    ),
    (r"tools/(programs|libzio)/", r"tests/unit/\w+_test\."),
    (r"tools/(python)/", r"tests/unit/*/"),
    (r"tests/(zio_testing)/", r"tests/unit/testing/"),
    (r"tests/(models/qemu)/", r"tests/*/"),
)
# Words in names that tell nothing
EMPTY_WORDS = ("zio", "trig", "buf")


def words_of(name: str) -> list[str]:
    """Return the words in a name, without a plural. If all are empty, they count."""
    words = re.split(r"[-_.]+", name.removesuffix("_test").removeprefix("test_"))
    telling = [word for word in words if word and word not in EMPTY_WORDS]
    return [word.rstrip("s") for word in telling or words]


def nearness(name: list[str], test: list[str]) -> int:
    """Return how near the name of a test is to that of a file, or 0."""
    if name == test:
        return 4
    if test[: len(name)] == name:
        return 3
    if name[: len(test)] == test:
        return 2
    return int(name[-len(test) :] == test)


def files_in(rows: tuple[tuple[str, str], ...], path: str) -> list[str]:
    """Return the files with tests that the first row which fits has for a file."""
    for folder, tests in rows:
        if found := re.match(folder, path):
            name = next(filter(None, found.groups()), "")
            pattern = re.compile(tests.replace("*", name))
            return [file for file in list_tests() if pattern.match(file)]
    return []


def namesakes(path: str) -> list[str]:
    """Return the tests that have the name of a file, or else that of its folder."""
    files = files_in((*OWN, *SHARED), path)
    # A folder at the top, such as drivers, has many subjects.
    *_, folder = ["", *PurePath(path).parts[1:-1]]
    for name in filter(None, (PurePath(path).stem, folder)):
        near = {f: nearness(words_of(name), words_of(PurePath(f).stem)) for f in files}
        if found := sorted(filter(near.get, files), key=lambda f: (-near[f], f)):
            return [list_tests()[file] for file in found]
    return []


# --- those that have failed, and those that coverage has seen ---------------------------


def tests_of_mutant(test: Test) -> list[str]:
    """Return the name of a test of a mutant, if quick runs it. A test for kasan sees most
    on distro, too."""
    if test.is_kunit:
        return [KUNIT]
    if test.kind == LITMUS:
        return [BARRIERS]
    folders = {HOST: ("unit", "models/qemu"), "kasan": ("selftests",)}
    folders |= {kind: ("selftests",) for kind in (QUICK, "distro")}
    names = [f"{folder}/{test.name}" for folder in folders.get(test.kind, ())]
    known = list_tests().values()
    return [n for name in names for n in (name, f"{name}.c") if n in known]


@functools.cache
def list_killers() -> dict[str, Counter[str]]:
    """Return how many mutants of a file each test kills."""
    killers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for mutant in read_mutants():
        for file in mutant.files:
            for test in mutant.tests:
                killers[file].update(tests_of_mutant(test))
    return killers


@dataclass(frozen=True)
class Map:
    """Tests of files, which "coverage" finds, and the seconds of tests, which "coverage"
    and "quick --learn" find."""

    files: dict[str, list[str]]
    seconds: dict[str, float]


@functools.cache
def read_map() -> Map:
    return Map(**json.loads(MAP.read_text()))


def map_lines(part: Mapping[str, object]) -> str:
    """Return a line of JSON for each entry."""
    return ",\n".join(f"  {json.dumps(key)}: {json.dumps(part[key])}" for key in part)


def write_map(new: Map) -> None:
    seconds = dict(sorted(new.seconds.items()))
    text = f' "files": {{\n{map_lines(new.files)}\n }},\n'
    MAP.write_text(f'{{\n{text} "seconds": {{\n{map_lines(seconds)}\n }}\n}}\n')


# --- those of the files that use it -----------------------------------------------------

INCLUDE = re.compile(r'^\s*#\s*include\s+["<](?:\.+/)*([^">]+)', re.M)
IMPORT = re.compile(r"^\s*(?:from|import)\s+.*(?:\([^)]*\))?", re.M)
WORD = re.compile(r"\w[\w.-]*")
BUILDS = re.compile(r".*/(Kbuild|Makefile|\w+\.mk)")
# Tests name what they call.
CALLED = re.compile(r"tests/(selftests|models|unit)/")
ZIO_TESTING = PurePath("tests/zio_testing")


def names_in(path: str) -> set[str]:
    """Return the names of the headers that a file includes, and of the modules that it
    imports; for a test also all words in it, but for other headers."""
    text = text_of(path)
    names = set(INCLUDE.findall(text))
    if path.endswith(".py"):
        imports = " ".join(IMPORT.findall(text))
        names |= {f"{word}.py" for word in re.findall(r"\w+", imports)}
    words = WORD.findall(text) if path in list_tests() else ()
    return names | {word for word in words if not word.endswith(".h")}


@functools.cache
def list_users() -> defaultdict[str, set[str]]:
    """Return the files that use each name."""
    users: defaultdict[str, set[str]] = defaultdict(set)
    for path in filter(is_code, list_files()):
        for name in names_in(path):
            users[name].add(path)
    return users


def uses(user: str, path: str) -> bool:
    """Decide about a file that uses the name of another. Two may have the same name."""
    folder, home = PurePath(path).parent, PurePath(user).parent
    if folder == home:
        return user != path
    if path.endswith(".py"):
        return folder == ZIO_TESTING and user in list_users()["zio_testing.py"]
    return not (ROOT / home / PurePath(path).name).exists()


@functools.cache
def users_of(path: str) -> set[str]:
    """Return the files that use a file. A header stands for the C file of its name, and
    all in a folder use what builds them."""
    name = PurePath(path)
    header = name.with_suffix(".h")
    if BUILDS.fullmatch(path):
        return {file for file in list_files() if PurePath(file).parent == name.parent}
    if name.suffix == ".py":
        return {user for user in list_users()[name.name] if uses(user, path)}
    if name.suffix in (".h", ".hpp"):
        # <linux/zio.h> is not "zio.h".
        first = 1 if path.startswith("include/") else 0
        ends = ["/".join(name.parts[at:]) for at in range(len(name.parts) - first)]
        return {user for end in ends for user in list_users()[end] if uses(user, path)}
    if not CALLED.match(path):
        return set()
    if (ROOT / header).exists():
        return users_of(str(header)) - {path}
    return {u for word in (name.name, name.stem) for u in list_users()[word] if u != path}


# ----------------------------------------------------------------------------------------

# Each test in a machine runs these.
IN_MACHINE = "selftests/basic_test.c"
RUN_BY_ALL = re.compile(
    r"Kbuild|zio-core/lib/platform\.c|tests/conftest\.py|"
    r"tests/machine/guest/(init|modprobe|zio-(load|unload|links|selftests|mount-host))"
)
# Programs that no test judges in a minute, by what does
ELSEWHERE = {
    "tests/check --kernel icount": (r"tests/selftests/load_test\.c",),
    "tests/check --only shell": (
        r"tests/machine/guest/(apt-get|udevadm|zio-merge-host)",
        r"tests/(test_shell|zio_testing/reader)\.py",
    ),
    "make bench, which measures": (
        r"bench/(?!suite/jitter).*",
        r"tools/programs/.*/bench(/.*)?",
        r"tests/zio_testing/kafka_bench\.py",
        r"tests/unit/scope/cost\.py",
    ),
    "tests/check --only packages --only pages --only wheels": (
        r"debian/.*",
        r"packaging/(apt|dkms|wheels)/.*",
        r"tests/machine/guest/(\w+-recipe|unit-boot)",
        r"tests/zio_testing/(autopkgtest|disk|system|trial|packages)\.py",
        r"tests/zio_testing/package_(?!build).*",
        r"tests/test_(packages|pages|wheels)\.py",
        r"tests/venv",
    ),
    "tests/check --only intree": (
        r"packaging/in-tree/files/.*",
        r"tests/test_in_tree\.py",
    ),
    "tests/check --only live --only docs": (
        r"tests/unit/(live|docs)/.*",
        r"tests/site/.*",
        r"tests/zio_testing/docs\.py",
    ),
    "tests/check, on other kernels": (
        r"tests/fuzz/.*",
        r"tests/delays/.*",
        r"tests/selftests/(fail-nth|foreign|fuzz|hardirq|nth|uzio_fuzz|uzio_nth).*",
        r"tests/machine/(guest/zio-leak-scan|tsc\.c)",
    ),
    "tests/check, in a step of its own": (
        r"tests/test_(build|kernel|kunit|matrix|mutants|vm)\.py",
        r"tests/machine/provoke/.*",
        r"tests/zio_testing/(recipes|vm|kernel_[cr]\w+)\.py",
    ),
    "tests/check --only matrix": (r"tests/zio_testing/matrix\.py",),
    "each command of tests/, which begins there": (
        r"tests/(launch|setup|zio_testing/__main__\.py)",
    ),
    "make nightly": (r"tests/zio_testing/(coverage\w*|feedback|nightly)\.py",),
    "no test at all": (
        r"\.ci/run",
        r"Makefile",
        r"tools/demo",
        r"tests/machine/demo-recipe",
        r"tests/zio_testing/kafka_demo\.py",
        r"tests/common\.sh",
        r"tests/selftests/dtc-pulses\.c",
        r"tests/unit/scope/browser/picture\.py",
    ),
}


def by_name_or_mutants(path: str) -> list[str]:
    if path in list_tests():
        return [list_tests()[path]]
    kills = list_killers().get(path, Counter())
    seen = [*read_map().files.get(path, []), *namesakes(path)]
    near = sorted(namesakes(path), key=lambda test: (-kills[test], seen.index(test)))
    return list(dict.fromkeys([*near, *(test for test, _ in kills.most_common())]))


@functools.cache
def own_tests(path: str) -> tuple[str, ...]:
    tests = [*by_name_or_mutants(path), *read_map().files.get(path, [])]
    if tests and path.startswith("zio-core/"):
        tests.append(KUNIT)
    return tuple(dict.fromkeys(tests))


def tests_of_users(path: str) -> list[str]:
    """Return the tests of the files that use a file, and then those of the files that use
    these. Those that most of them have come first."""
    tests: dict[str, None] = {}
    seen = users = {path}
    while users:
        users = set().union(*map(users_of, users)) - seen
        seen = seen | users
        votes = Counter(test for user in sorted(users) for test in own_tests(user))
        tests |= dict.fromkeys(test for test, _ in votes.most_common())
    return [*tests, *[IN_MACHINE] * any(map(RUN_BY_ALL.match, seen))]


def elsewhere(path: str) -> str:
    """Return what judges a file that no test does in a minute, if that is known."""
    for by, patterns in ELSEWHERE.items():
        if any(re.fullmatch(pattern, path) for pattern in patterns):
            return by
    return ""


@functools.cache
def tests_of(path: str) -> tuple[str, ...]:
    """Return the tests that judge a file."""
    if elsewhere(path):
        return ()
    tests = list(own_tests(path))
    if path.endswith(".h"):
        tests += tests_of_users(path)
    tests = tests or [list_tests()[file] for file in files_in(OWN, path)]
    return tuple(dict.fromkeys(tests or tests_of_users(path)))
