# SPDX-License-Identifier: GPL-2.0-only
"""Which files of the tools each of their tests runs: C by gcov, Python by coverage."""

import json
import re
import subprocess
from pathlib import Path

from .common import (
    CACHE,
    ROOT,
    Failure,
    Words,
    output_of,
    read_log,
    run_logged,
    say,
    setup,
)
from .coverage_lines import Lines, Ran, add_gcov, keep

PLACE = CACHE / "coverage-programs"
TREE = PLACE / "tree"
PACKAGES = ("python", "nexus", "scope")
# The package is tested where it is built.
BUILT, SOURCE = "tools/python/build/lib/zio/", "tools/python/src/zio/"
# Each interpreter of a test begins to count.
STARTUP = "import coverage\ncoverage.process_startup()\n"
SETTINGS = """\
[run]
parallel = True
data_file = {place}/data/part
source = {tree}/tools
"""


def copy_tree() -> None:
    """Copy the files of the checkout; the tests read documents, too."""
    PLACE.mkdir(parents=True, exist_ok=True)
    names = output_of(["git", "-C", ROOT, "ls-files", "-coz", "--exclude-standard"])
    command: Words = ["rsync", "-a", "--delete", "--from0", "--files-from=-"]
    command = [*command, f"{ROOT}/", TREE]
    subprocess.run(command, input=names, text=True, check=True)
    # Some tests ask git for the files.
    subprocess.run(["git", "init", "-q", TREE], check=True)


def run_pytest(test: str, **settings: str) -> float:
    """Run one file of tests in the copy, which builds what it needs. Return the seconds
    of the tests alone."""
    tests = TREE / "tests"
    options = ["--rootdir", tests, "-c", tests / "pyproject.toml"]
    options += ["-o", f"cache_dir={PLACE}/pytest", "-q"]
    command: Words = ["/usr/bin/python3", "-B", "-m", "pytest", *options, tests / test]
    words = [f"{name}={value}" for name, value in settings.items()]
    run_logged(["env", *words, *command], PLACE / "log")
    found = re.findall(r" in ([\d.]+)s", read_log(PLACE / "log"))
    if not found:
        raise Failure(f"{test}: pytest ran nothing, see {PLACE / 'log'}")
    return float(found[-1])


def keep_result(name: str, seconds: float, ran: Lines) -> None:
    """Keep what a test ran, without the tests themselves. A name is that of a file."""
    own = {
        path: lines for path, lines in ran.items() if not path.startswith("tests/unit/")
    }
    file = PLACE / f"{name.replace('/', '+')}.json"
    keep(file, Ran(seconds, own, {}))


# --- C ----------------------------------------------------------------------------------


def c_tests() -> list[str]:
    """Return the programs and scripts that print TAP, below tests."""
    tests = TREE / "tests"
    files = [*tests.glob("unit/*_test.*"), *tests.glob("models/qemu/*_test.*")]
    return [str(path.relative_to(tests)) for path in sorted(files)]


def run_c_test(test: str) -> None:
    seconds = run_pytest(test, COVERAGE="--coverage")
    ran: Lines = {}
    counters = list((TREE / "tests/unit/out").rglob("*.gcda"))
    add_gcov(counters, TREE.resolve(), ran, {})
    for file in counters:
        file.unlink()
    keep_result(test, seconds, ran)


# --- Python -----------------------------------------------------------------------------


def python_tests() -> list[str]:
    folders = [TREE / "tests/unit" / package for package in PACKAGES]
    files = [path for folder in folders for path in sorted(folder.glob("test_*.py"))]
    return [str(path.relative_to(TREE / "tests")) for path in files]


def python_environ() -> dict[str, str]:
    base = PLACE / "user"
    version = output_of(["/usr/bin/python3", "-V"]).split()[1].rpartition(".")[0]
    site = base / f"lib/python{version}/site-packages"
    site.mkdir(parents=True, exist_ok=True)
    (site / "usercustomize.py").write_text(STARTUP)
    settings = PLACE / "coveragerc"
    settings.write_text(SETTINGS.format(place=PLACE, tree=TREE))
    return {"PYTHONUSERBASE": str(base), "COVERAGE_PROCESS_START": str(settings)}


def run_python_test(test: str) -> None:
    data = PLACE / "data"
    subprocess.run(["rm", "-rf", data], check=True)
    data.mkdir()
    seconds = run_pytest(test, **python_environ())
    rc = f"--rcfile={PLACE}/coveragerc"
    cover = ["/usr/bin/python3", "-m", "coverage"]
    subprocess.run([*cover, "combine", "-q", rc], cwd=data, capture_output=True)
    subprocess.run(
        [*cover, "json", "-q", rc, "-o", PLACE / "lines"], cwd=data, capture_output=True
    )
    ran: Lines = {}
    if (PLACE / "lines").exists():
        for file, entry in json.loads((PLACE / "lines").read_text())["files"].items():
            path = str(Path("/", file)).removeprefix(f"{TREE}/").replace(BUILT, SOURCE)
            ran.setdefault(path, set()).update(entry["executed_lines"])
        (PLACE / "lines").unlink()
    keep_result(test, seconds, ran)


# ----------------------------------------------------------------------------------------


def run(tests: list[str]) -> None:
    """Run files of tests, or all."""
    setup("pytest", "python-lib", "nexus", "coverage")
    copy_tree()
    for test in tests or [*c_tests(), *python_tests()]:
        say(test)
        try:
            (run_python_test if test.endswith(".py") else run_c_test)(test)
        except Failure as failure:
            say(str(failure))
