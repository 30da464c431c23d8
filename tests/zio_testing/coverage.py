# SPDX-License-Identifier: GPL-2.0-only
"""coverage - find the lines that the tests run

Usage: coverage [--map] [--table] [TEST]...

Compiles a kernel and the modules with counters (gcov), once. Runs KUnit and each selftest
that quick can run, in fresh machines that were saved. Reads the counters. Then runs the
tests of the programs, with counters, too. This takes an hour. TESTs are names of
selftests, such as basic_test, or "kunit", or "programs"; by default all run.

  --map    write tests/map.json, by which quick chooses tests
  --table  write the table of Documentation/testing.md: the lines of each file of zio-core
           that KUnit runs, that selftests run, and that any test runs

With --map or --table alone, nothing runs: the results of the last runs are taken, which
are in ~/.cache/zio/coverage.
"""

import argparse
import datetime
import json
import re
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import coverage_programs, quick_build, quick_map, selftests
from .common import CACHE, ROOT, Failure, Parser, say, setup
from .coverage_lines import Lines, Ran, add_gcov, keep, load, map_files
from .modules import built_modules
from .saved import SavedMachine

PLACE = CACHE / "coverage"
DOCUMENT = ROOT / "Documentation/testing.md"
KUNIT, PROGRAMS = "kunit", "programs"
COLLECT = (
    "mkdir /counters; cd /sys/kernel/debug/gcov && "
    "find . -name '*.gcda' | while read -r f; do "
    "mkdir -p /counters/${f%/*}; cat $f >/counters/$f; done; "
    "tar -c -C /counters . | "
    "dd of=/dev/vda bs=1M iflag=fullblock conv=sync oflag=direct 2>/dev/null"
)


class Runner:
    """Runs tests on the modules with counters."""

    def __init__(self, tests: list[selftests.Selftest]) -> None:
        self.machine = SavedMachine("gcov", quick_map.kernel_modules("gcov"))
        self.machine.prepare()
        PLACE.mkdir(parents=True, exist_ok=True)
        counted = built_modules(self.machine.tree, "-counted", "GCOV_PROFILE=y")
        with counted as self.built:
            self.stage = quick_build.stage(self.machine.tree, tests, PLACE, self.built)

    def run(self, name: str, archive: Path, command: str) -> None:
        """Run a line of the machine's shell, and keep the lines that ran."""
        back = PLACE / f"{name}.tar"
        begin = time.monotonic()
        said, status = self.machine.run(
            archive, f"({command}); {COLLECT}", 900, PLACE / f"{name}.kernel", back
        )
        if status:
            raise Failure(f"{name}: the machine gave no counters: {said[-500:]}")
        seconds = time.monotonic() - begin
        keep(PLACE / f"{name}.json", Ran(seconds, *self._read(back)))
        back.unlink()
        failed = re.search(r"^not ok ", said, re.M)
        print(f"{'not ok' if failed else 'ok'} - {name}", flush=True)

    def _read(self, archive: Path) -> tuple[Lines, Lines]:
        ran: Lines = {}
        known: Lines = {}
        with tempfile.TemporaryDirectory(prefix="zio-coverage.") as name:
            place = Path(name)
            subprocess.run(["tar", "-xf", archive, "-C", place], check=False)
            counters = list(place.rglob("*.gcda"))
            for file in counters:
                notes = Path("/", file.relative_to(place)).with_suffix(".gcno")
                file.with_suffix(".gcno").symlink_to(notes)
            add_gcov(counters, self.built.resolve(), ran, known)
        return ran, known


def run_kunit(runner: Runner) -> None:
    runner.run(KUNIT, runner.stage, "modprobe zio-buf-dma; modprobe zio-test")


def run_selftest(runner: Runner, test: selftests.Selftest) -> None:
    try:
        archive = quick_build.archive_for(test, runner.stage, PLACE)
        command = f"ZIO_SEED=1 zio-selftests /selftests 600 {test.name}"
        runner.run(test.path.stem, archive, command)
    except Failure as failure:
        say(str(failure))


def run_in_machines(names: list[str]) -> None:
    tests = list(filter(quick_map.can_run, selftests.find_all()))
    if names:
        tests = [test for test in tests if test.path.stem in names]
    runner = Runner(tests)
    with ThreadPoolExecutor(2) as pool:
        if not names or KUNIT in names:
            pool.submit(run_kunit, runner)
        list(pool.map(lambda test: run_selftest(runner, test), tests))


# --- the results ------------------------------------------------------------------------


def write_map() -> None:
    results = load(PLACE)
    results.pop(KUNIT, None)
    results = {f"selftest:{name}": result for name, result in results.items()}
    programs = load(coverage_programs.PLACE)
    files = {**map_files(results), **map_files(programs)}
    wanted = {path: tests for path, tests in files.items() if (ROOT / path).is_file()}
    used = {test for tests in wanted.values() for test in tests}
    seconds = {
        name: result.seconds
        for name, result in sorted({**results, **programs}.items())
        if name in used
    }
    text = json.dumps({"files": wanted, "seconds": seconds}, indent=1)
    quick_map.MAP.write_text(f"{text}\n")


def share(part: set[int], whole: set[int]) -> str:
    return f"{100 * len(part) / len(whole):.0f} %" if whole else "-"


def is_in_core(path: str) -> bool:
    return path.startswith("zio-core/") and not path.startswith("zio-core/tests/")


def make_rows(results: dict[str, Ran]) -> list[str]:
    """Return the rows of the table, and one for all files."""
    known: Lines = {}
    unit: Lines = {}
    ran: Lines = {}
    for name, result in results.items():
        part = unit if name == KUNIT else ran
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
    date = datetime.date.today().isoformat()
    lines = ["<!-- coverage -->", f"Measured on {date}.", "", *head]
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
    names = [name for name in options.tests if name != PROGRAMS]
    is_all = not (options.tests or options.map or options.table)
    if names or is_all:
        setup("build", "vm", "debug-kernel", "check")
        run_in_machines(names)
    if PROGRAMS in options.tests or is_all:
        coverage_programs.run_all()
    if options.map:
        write_map()
    if options.table:
        write_table()
    return 0
