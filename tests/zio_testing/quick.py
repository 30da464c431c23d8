# SPDX-License-Identifier: GPL-2.0-only
"""quick - judge a change in a minute

Usage: quick [OPTION]... [FILE]...

quick takes the files that have changed since its last green run, or else since HEAD.
FILEs stand in their place. It builds what they need, and runs what may see a fault:

  texts       the rules for comments, folders and versions
  KUnit       all suites, in User Mode Linux
  selftests   those that cover the files, each in a fresh machine that was saved
  programs    the tests of the programs and packages that cover the files

  --seconds S   leave out tests when the chosen ones take S seconds (default: 40)
  --list        show what would run
  --all         all tests that quick can run

The map from files to tests follows from coverage: see "coverage". The first run compiles
a kernel (UML, 4 minutes), and boots and saves a machine.

quick judges no race, and no other kernel, processor or sanitizer: "make check" does. The
last line is "N passed, N failed". The exit status is 0 if nothing failed, else 1.
"""

import argparse
import hashlib
import json
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import kernel, quick_build, quick_map, selftests, tap, uml
from .common import CACHE, ROOT, TESTING, Parser, Words, output_of, say, setup, tag_of
from .modules import built_modules
from .saved import SavedMachine, stop_all
from .tap import Results

PLACE = CACHE / "quick" / tag_of(ROOT)
GREEN = PLACE / "green.json"
KERNEL_FOLDERS = ("zio-core/", "buffers/", "triggers/", "drivers/", "include/")
# Programs that take seconds, and the files that they look at
TEXTS: dict[str, Callable[[str], bool]] = {
    "prose": lambda path: True,
    "layering": lambda path: path.endswith((".c", ".cpp", ".h", ".py")),
    "versions": lambda path: True,
    "litmus/run": lambda path: path.startswith(
        (*KERNEL_FOLDERS, "tests/litmus/")
    ),
    "host_test": lambda path: path.startswith("tests/zio_testing/"),
}
NOT_JUDGED = "races, sanitizers, other kernels: make check"


# --- what has changed -------------------------------------------------------------------


def list_files() -> list[str]:
    command = ["git", "-C", ROOT, "ls-files", "-coz", "--exclude-standard"]
    names = filter(None, output_of(command).split("\0"))
    return [name for name in names if (ROOT / name).is_file()]


def sums_of(names: list[str]) -> dict[str, str]:
    return {name: hashlib.sha1((ROOT / name).read_bytes()).hexdigest() for name in names}


def find_changed(sums: dict[str, str]) -> list[str]:
    """Return the files that differ from those of the last green run, or from HEAD."""
    if GREEN.exists():
        green = json.loads(GREEN.read_text())
        return [name for name, value in sums.items() if green.get(name) != value]
    git = ["git", "-C", ROOT]
    names = output_of([*git, "diff", "--name-only", "HEAD"]).split()
    names += output_of([*git, "ls-files", "-o", "--exclude-standard"]).split()
    return [name for name in names if name in sums]


# --- the progress -----------------------------------------------------------------------


class Progress:
    """The results so far, and a line on the terminal."""

    def __init__(self) -> None:
        self.begin = time.monotonic()
        self.sum = Results()
        self.doing: list[str] = []
        self.lock = threading.Lock()

    def run(self, what: str, job: Callable[[], Results]) -> None:
        with self.lock:
            self.doing.append(what)
            self._show()
        begin = time.monotonic()
        try:
            results = job()
        except Exception as error:
            results = Results()
            results.fail(f"{what}: {error}")
        with self.lock:
            self.doing.remove(what)
            self.sum.add(results)
            self._tell(what, results, time.monotonic() - begin)

    def _tell(self, what: str, results: Results, seconds: float) -> None:
        print(f"\r\033[K{what}: {results} ({seconds:.1f} s)", flush=True)
        print("".join(f"{line}\n" for line in results.text), end="", flush=True)
        self._show()

    def _show(self) -> None:
        seconds = time.monotonic() - self.begin
        print(f"\r\033[K# {seconds:.0f} s: {', '.join(self.doing)}", end="", flush=True)

    def end(self) -> int:
        print(f"\r\033[Kquick: {time.monotonic() - self.begin:.0f} s")
        print(f"quick: not judged: {NOT_JUDGED}")
        if not self.sum.passed + self.sum.failed:
            print("quick: nothing to judge")
        print(self.sum)
        return 1 if self.sum.failed else 0


# --- the jobs ---------------------------------------------------------------------------


@dataclass
class Job:
    """A part of the run: what the user sees, and the function."""

    what: str
    run: Callable[[], Results]


def run_text(name: str) -> Results:
    """Run a program that prints findings, or TAP."""
    done = subprocess.run([TESTING / name], capture_output=True, text=True)
    results = tap.read_program(done.stdout)
    if results.passed + results.failed == 0:
        results.passed += done.returncode == 0
    if done.returncode and not results.failed:
        results.fail(name)
    if results.failed:
        lines = done.stdout.splitlines()
        results.text += tap.indent([line for line in lines if not line.startswith("ok ")])
    return results


def text_jobs(changed: list[str]) -> list[Job]:
    chosen = [name for name, sees in TEXTS.items() if any(map(sees, changed))]
    return [Job(name, partial(run_text, name)) for name in chosen]


def run_kunit() -> Results:
    tree = kernel.prepare("uml")
    with built_modules(tree) as directory:
        return tap.add_up(uml.run_kunit(tree, directory, PLACE / "kunit.log"))


class Selftests:
    """Runs selftests in machines that continue from one that was saved."""

    def __init__(self, names: list[str]) -> None:
        known = {test.path.stem: test for test in selftests.find_all()}
        self.tests = [known[name] for name in names if name in known]
        self.machine = SavedMachine("distro", quick_map.kernel_modules())
        self.stage: Future[Path] | None = None

    def prepare(self) -> Path:
        """Make what all machines unpack."""
        self.machine.prepare()
        return quick_build.stage(self.machine.tree, self.tests, PLACE)

    def run_one(self, test: selftests.Selftest) -> Results:
        assert self.stage
        if self.stage.exception():
            return Results()
        archive = quick_build.archive_for(test, self.stage.result(), PLACE)
        log = PLACE / f"{test.path.stem}.kernel"
        command = f"ZIO_SEED=1 zio-selftests /selftests 600 {test.name}"
        said, status = self.machine.run(archive, command, quick_map.LIMIT, log)
        results = tap.read_selftests(said, "quick")
        total = tap.sum_selftests(results, [test.name], "quick")
        if status == 124:
            total.fail(f"{test.name}: the host was too slow, or the test hangs")
        self._judge_log(test, log, total)
        return total

    def _judge_log(self, test: selftests.Selftest, log: Path, total: Results) -> None:
        if faults := tap.faults_in(log):
            total.fail(f"{test.name}: the kernel reported a fault, see {log}")
            total.text += tap.indent(faults[:40])

    def wait_for_build(self) -> Results:
        """Tell the user once what does not build."""
        if self.stage:
            self.stage.result()
        return Results()

    def jobs(self) -> list[Job]:
        if not self.tests:
            return []
        build = Job("the machine and the build", self.wait_for_build)
        return [build] + [
            Job(test.path.stem, partial(self.run_one, test)) for test in self.tests
        ]


def run_make(words: Words) -> Results:
    """Run tests of the programs, which make builds."""
    command = ["make", "-s", "-C", ROOT / "tools", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    results = tap.read_program(done.stdout)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("ok ")]
    if done.returncode and not results.failed:
        results.fail(f"make {words[0]}: exit status {done.returncode}")
        lines += done.stderr.splitlines()[-30:]
    if results.failed:
        results.text += tap.indent(lines)
    return results


def program_jobs(names: list[str]) -> list[Job]:
    """Return the jobs for programs of tests/unit, and for files of pytest, which have a
    slash in their names: one for each package."""
    jobs = []
    if plain := [name for name in names if "/" not in name]:
        words = ["check", f"ONLY={' '.join(plain)}"]
        jobs.append(Job(" ".join(plain), partial(run_make, words)))
    files = [name for name in names if "/" in name]
    for package in dict.fromkeys(name.split("/")[0] for name in files):
        own = [name for name in files if name.startswith(f"{package}/")]
        paths = " ".join(f"{TESTING}/unit/{name}" for name in own)
        words = [f"check-{package}", f"FILES={paths}"]
        jobs.append(Job(" ".join(own), partial(run_make, words)))
    return jobs


# --------------------------------------------------------------------------------------


def parse_options(words: list[str]) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("files", nargs="*")
    return parser.parse_args(words)


def run_all(changed: list[str], chosen: quick_map.Chosen) -> int:
    """Build beside the short jobs, and run two machines at a time."""
    progress = Progress()
    touches_kernel = any(path.startswith(KERNEL_FOLDERS) for path in changed)
    jobs = text_jobs(changed)
    tests = Selftests(chosen.selftests)
    builder, pool = ThreadPoolExecutor(1), ThreadPoolExecutor(2)
    try:
        if tests.tests:
            tests.stage = builder.submit(tests.prepare)
        if touches_kernel:
            jobs.insert(0, Job("KUnit in UML", run_kunit))
        jobs += tests.jobs()
        jobs += program_jobs(chosen.programs)
        for future in [pool.submit(progress.run, job.what, job.run) for job in jobs]:
            future.result()
    except BaseException:
        stop_all()
        raise
    finally:
        for each in (builder, pool):
            each.shutdown(cancel_futures=True)
    return progress.end()


def main(words: list[str]) -> int:
    options = parse_options(words)
    sums = sums_of(list_files())
    changed = options.files or (list(sums) if options.all else find_changed(sums))
    chosen = quick_map.choose(changed, float("inf") if options.all else options.seconds)
    if options.list:
        print("\n".join([*chosen.selftests, *chosen.programs]))
        return 0
    say(f"{len(changed)} changed files: {' '.join(changed[:6])}")
    setup("build", "vm", "debug-kernel", "check")
    PLACE.mkdir(parents=True, exist_ok=True)
    status = run_all(changed, chosen)
    if status == 0 and not options.files:
        GREEN.write_text(json.dumps(sums))
    return status
