# SPDX-License-Identifier: GPL-2.0-only
"""coverage - find the lines that the tests run

Usage: coverage [--map] [--table] [TEST]...

Compiles a kernel and the modules with counters (gcov), once. Runs KUnit and each selftest
that quick can run, in fresh machines that were saved. Reads the counters. Then runs the
tests of the programs, with counters, too. This takes an hour. A TEST is the name
of a selftest, such as basic_test, or "kunit", or "programs". It can also be a file of the
folder tests, such as unit/abi_test.c. By default all run.

  --map    write tests/map.json, by which quick chooses tests
  --table  write the table of Documentation/testing.md: the lines of each file of zio-core
           that KUnit runs, that selftests run, and that any test runs

With --map or --table alone, nothing runs: the results of the last runs are taken, which
are in ~/.cache/zio/coverage.
"""

import argparse
import base64
import contextlib
import datetime
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import coverage_programs, judges, kernel, runner, selftests
from .common import CACHE, ROOT, Failure, Parser, output_of, say, setup
from .coverage_lines import Lines, Ran, add_gcov, keep, load, map_files
from .guest import Running, SavedMachine, stop_all
from .modules import built_modules
from .tap import Results

PLACE = CACHE / "coverage"
DOCUMENT = ROOT / "Documentation/testing.md"
KUNIT, PROGRAMS = "kunit", "programs"
# A module that is gone leaves its counters.
COLLECT = (
    "mkdir /counters; cd /sys/kernel/debug/gcov && "
    "find . -name '*.gcda' | while read -r f; do "
    "mkdir -p /counters/${f%/*}; cat $f >/counters/$f; done; "
    "tar -c -C /counters . | gzip | base64"
)


def unpack(text: str, place: Path) -> list[Path]:
    """Unpack what COLLECT has printed. Return the files."""
    archive = base64.b64decode(text)
    subprocess.run(["tar", "-xz", "-C", place], input=archive, check=True)
    return list(place.rglob("*.gcda"))


def can_run(test: selftests.Selftest) -> bool:
    return test.can_run_on("distro")


class Runner:
    """Runs tests on the modules with counters, which are in the directory @built."""

    def __init__(self, built: Path) -> None:
        self.built = built
        place = selftests.Place("gcov", has_kunit=True, modules=built)
        selftests.PLACES["gcov"] = place
        self.machine = SavedMachine("gcov")

    def run(self, name: str, test: Callable[[Running], Results]) -> None:
        """Run a test in a fresh machine, and keep the lines that ran."""
        with runner.resumed(self.machine) as running:
            begin = time.monotonic()
            results = test(running)
            seconds = time.monotonic() - begin
            counters = running.run(COLLECT, runner.LIMIT)
        if counters.status:
            raise Failure(f"{name}: the machine gave no counters: {counters.said[-500:]}")
        keep(PLACE / f"{name}.json", Ran(seconds, *self.read(counters.said)))
        for part in results.failures:
            say(f"{name}: {part.name}\n{part.said[-2000:]}")
        print(f"{'not ok' if results.failures else 'ok'} - {name}", flush=True)

    def read(self, said: str) -> tuple[Lines, Lines]:
        ran: Lines = {}
        known: Lines = {}
        with tempfile.TemporaryDirectory(prefix="zio-coverage.") as name:
            place = Path(name)
            counters = unpack(said, place)
            for file in counters:
                notes = Path("/", file.relative_to(place)).with_suffix(".gcno")
                file.with_suffix(".gcno").symlink_to(notes)
            add_gcov(counters, self.built.resolve(), ran, known)
        return ran, known

    def run_kunit(self) -> None:
        self.run(KUNIT, lambda running: runner.run_kunit_in(running, False))

    def run_selftest(self, test: selftests.Selftest) -> None:
        try:
            name = f"selftests+{test.path.name}"
            self.run(name, lambda running: runner.run_in(running, test).results)
        except Failure as failure:
            say(str(failure))


def note_revision() -> None:
    """Note the date and the commit of the results, for the table."""
    commit = output_of(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"]).strip()
    date = datetime.date.today().isoformat()
    (PLACE / "revision").write_text(f"{date}, revision {commit}\n")


def counted_modules() -> contextlib.AbstractContextManager[Path]:
    """Build the modules that count how often each line runs."""
    return built_modules(kernel.prepare("gcov"), "-counted", "GCOV_PROFILE=y")


def run_in_machines(names: list[str]) -> None:
    tests = list(filter(can_run, selftests.find_all()))
    if names:
        tests = [test for test in tests if test.path.stem in names]
    PLACE.mkdir(parents=True, exist_ok=True)
    if not names:
        note_revision()
    with counted_modules() as built, ThreadPoolExecutor(2) as pool:
        counting = Runner(built)
        jobs = [pool.submit(counting.run_selftest, test) for test in tests]
        if not names or KUNIT in names:
            jobs.append(pool.submit(counting.run_kunit))
        try:
            for job in jobs:
                job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop_all()
            raise


# --- the results ------------------------------------------------------------------------


def write_map() -> None:
    """Write the tests that neither their names nor mutants tell, and all times. Those of
    tests that have not run stay."""
    there = set(judges.list_tests().values())
    every = {**load(PLACE), **load(coverage_programs.PLACE)}
    results = {name: result for name, result in every.items() if name in there}
    files = map_files(results, judges.by_name_or_mutants)
    wanted = {path: tests for path, tests in files.items() if (ROOT / path).is_file()}
    seconds = {n: s for n, s in judges.read_map().seconds.items() if n in there}
    seconds |= {name: result.seconds for name, result in results.items()}
    judges.write_map(judges.Map(wanted, seconds))


def share(part: set[int], whole: set[int]) -> str:
    return f"{100 * len(part) / len(whole):.0f} %" if whole else "-"


def is_in_core(path: str) -> bool:
    is_test = path.startswith("zio-core/tests/")
    return path.startswith("zio-core/") and not is_test and (ROOT / path).is_file()


def make_rows(results: dict[str, Ran]) -> list[str]:
    """Return the rows of the table, and one for all files."""
    known: Lines = {}
    unit: Lines = {}
    ran: Lines = {}
    for name, result in results.items():
        part = unit if name == KUNIT else ran
        # A file of an older result may have gone.
        for path in filter(is_in_core, result.known):
            known.setdefault(path, set()).update(result.known[path])
            part.setdefault(path, set()).update(result.ran.get(path, set()))
    rows = []
    for path in sorted(known):
        one, other = unit.get(path, set()), ran.get(path, set())
        shares = [share(part, known[path]) for part in (one, other, one | other)]
        rows.append(f"| `{path}` | {len(known[path])} | {' | '.join(shares)} |")
    return [*rows, row_of_all(known, unit, ran)]


def row_of_all(known: Lines, unit: Lines, ran: Lines) -> str:
    pairs = [
        {(path, line) for path in known for line in lines.get(path, set())}
        for lines in (known, unit, ran)
    ]
    whole, one, other = pairs
    parts = [len(part) / max(1, len(whole)) for part in (one, other, one | other)]
    return (
        f"| all | {len(whole)} | {' | '.join(f'{100 * part:.0f} %' for part in parts)} |"
    )


def write_table() -> None:
    head = ["| file | lines | KUnit | selftests | any |", "|---|---|---|---|---|"]
    revision = PLACE / "revision"
    if not revision.exists():
        raise Failure(
            "no run of all tests has noted its revision: coverage, without a TEST"
        )
    measured = revision.read_text().strip()
    lines = ["<!-- coverage -->", f"Measured on {measured}.", "", *head]
    lines += [*make_rows(load(PLACE)), "<!-- end -->"]
    text = DOCUMENT.read_text()
    old = re.compile("<!-- coverage -->.*?<!-- end -->", re.S)
    DOCUMENT.write_text(old.sub(lambda _: "\n".join(lines), text))


def parse_options(words: list[str]) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("--map", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("tests", nargs="*")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    options = parse_options(words)
    files = [name for name in options.tests if "/" in name]
    names = [name for name in options.tests if name not in (*files, PROGRAMS)]
    is_all = not (options.tests or options.map or options.table)
    os.environ.setdefault("ZIO_SEED", "1")
    if names or is_all:
        setup("build", "vm", "debug-kernel", "check")
        run_in_machines(names)
    if files or PROGRAMS in options.tests or is_all:
        coverage_programs.run(files)
    if options.map:
        write_map()
    if options.table:
        write_table()
    return 0
