# SPDX-License-Identifier: GPL-2.0-only
"""Which files of the tools each of their tests runs: C by gcov, Python by coverage."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

from .common import CACHE, ROOT, output_of, say, setup
from .coverage_lines import Lines, Ran, add_gcov, keep

PLACE = CACHE / "coverage-programs"
TREE = PLACE / "tree"
PACKAGES = ("python", "nexus", "scope")
COUNTERS = "COVERAGE=--coverage"
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
    command = ["rsync", "-a", "--delete", "--from0", "--files-from=-", f"{ROOT}/", TREE]
    subprocess.run(command, input=names, text=True, check=True)
    # Some tests ask git for the files.
    subprocess.run(["git", "init", "-q", TREE], check=True)


def make(*words: str) -> None:
    command = ["make", "-s", "-C", TREE / "tools", *words]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


# --- C ----------------------------------------------------------------------------------


def c_tests() -> list[str]:
    """Return the names of the programs and scripts that "make check" runs."""
    said = output_of(["make", "-n", "-C", TREE / "tools", "check"])
    recipe = said[said.rfind("unit/run ") :]
    found = re.findall(r"(?:[\s'/])(\w+_test(?:\.sh)?)(?=[\s'])", recipe)
    return list(dict.fromkeys(found))


def run_c_test(name: str) -> None:
    begin = time.monotonic()
    make("check", f"ONLY={name}", COUNTERS)
    ran: Lines = {}
    counters = list((TREE / "tests/unit/out").rglob("*.gcda"))
    add_gcov(counters, TREE.resolve(), ran, {})
    for file in counters:
        file.unlink()
    keep_result(name, begin, ran)


def keep_result(name: str, begin: float, ran: Lines) -> None:
    """Keep what a test ran, without the tests themselves. A name is that of a file."""
    own = {
        path: lines for path, lines in ran.items() if not path.startswith("tests/unit/")
    }
    file = PLACE / f"program:{name.replace('/', '+')}.json"
    keep(file, Ran(time.monotonic() - begin, own, {}))


# --- Python -----------------------------------------------------------------------------


def python_tests() -> list[str]:
    """Return the files of pytest, as the folder tools names them."""
    found = []
    for package in PACKAGES:
        files = sorted((TREE / "tests/unit" / package).glob("test_*.py"))
        found += [str(file.relative_to(TREE / "tests/unit")) for file in files]
    return found


def python_environ() -> dict[str, str]:
    base = PLACE / "user"
    version = output_of(["/usr/bin/python3", "-V"]).split()[1].rpartition(".")[0]
    site = base / f"lib/python{version}/site-packages"
    site.mkdir(parents=True, exist_ok=True)
    (site / "usercustomize.py").write_text(STARTUP)
    settings = PLACE / "coveragerc"
    settings.write_text(SETTINGS.format(place=PLACE, tree=TREE))
    return {"PYTHONUSERBASE": str(base), "COVERAGE_PROCESS_START": str(settings)}


def python_command(name: str) -> str:
    """Return the line of the shell by which make runs a file of pytest, alone."""
    package = name.split("/")[0]
    words = [
        "make",
        "-n",
        "-C",
        TREE / "tools",
        f"check-{package}",
        f"FILES={TREE}/tests/unit/{name}",
    ]
    found = re.findall(r"'([^']* -m pytest [^']*)'", output_of(words))
    return next((line for line in found if line.endswith(name)), "true")


def run_python_test(name: str) -> None:
    data = PLACE / "data"
    subprocess.run(["rm", "-rf", data], check=True)
    data.mkdir()
    begin = time.monotonic()
    subprocess.run(
        ["sh", "-c", python_command(name)],
        cwd=TREE / "tools",
        env={**os.environ, **python_environ()},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
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
    keep_result(name, begin, ran)


# --------------------------------------------------------------------------------------


def run_all() -> None:
    setup("python-lib", "nexus", "coverage")
    copy_tree()
    make("check-ready", "python", COUNTERS)
    for name in c_tests():
        say(name)
        run_c_test(name)
    for name in python_tests():
        say(name)
        run_python_test(name)
