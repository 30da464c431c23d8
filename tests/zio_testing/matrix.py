# SPDX-License-Identifier: GPL-2.0-only
"""matrix - compile for all kernels and processors, boot most, and print a table

Usage: matrix [--compile] [--sample] [TARGET]...

Compiles the modules for each TARGET (all by default) with all warnings on, and for some
with sparse or with the tools, too. Then boots those that can boot, with a few selftests
in each. --compile leaves out the boots. --sample takes the newest kernel, for 64 and for
32 bits. The commit chooses one of the other targets.

The targets are the names of kernels (see kernel), and clang-6.12, the same kernel with
clang in place of gcc. i386 has programs of 32 bits for the kernel distro. What is
already compiled and has not changed is not compiled again.
The headers, compilers and images come from the Debian archive that apt has here. They are
unpacked in ~/.cache/zio/suites and ~/.cache/zio/kernels (4 GB); nothing is installed but
QEMU for ARM.

The last line is "N passed, N failed". The logs are kept in ~/.cache/zio/matrix.
"""

import argparse
import hashlib
import os
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from . import check_boots, kernel
from .common import (
    CACHE,
    ROOT,
    Failure,
    Parser,
    Usage,
    read_log,
    run_logged,
    say,
    seed_of_commit,
    setup,
    tag_of,
)
from .kernel_cache import release_of
from .modules import build_tools
from .pool import run_jobs
from .report import Report
from .selftests import PLACES, find_place
from .suite import can_enter
from .tap import Results
from .toolchain import toolchain_of

LOGS = CACHE / "matrix"
SOURCES = ("Makefile", "Kbuild", "zio-core", "buffers", "triggers", "drivers", "include")
TESTS = ["basic", "basic_test", "map", "map_test", "triggers", "loop", "loop_test"]
TESTS += ["share", "share_test"]

# Debian's headers are configured for gcc. These settings would give clang options that
# only gcc has.
CLANG = (
    "LLVM=1 CC=clang CONFIG_CC_IS_GCC= CONFIG_CC_IS_CLANG=y CONFIG_GCC_VERSION=0 "
    "CONFIG_CLANG_VERSION=190107 CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough "
    "CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= CONFIG_FTRACE_MCOUNT_USE_CC= "
    # The kernel's own headers repeat an address space.
    "KCFLAGS=-Wno-duplicate-decl-specifier"
).split()


@dataclass(frozen=True)
class Target:
    """A kernel, and what to do with it."""

    kernel: str
    compiler: str = "gcc"
    words: tuple[str, ...] = ()
    has_tools: bool = False
    boots: bool = True
    # Only programs are compiled: of 32 bits, for a kernel of 64.
    is_32: bool = False

    @property
    def name(self) -> str:
        if self.is_32:
            return self.place
        return self.kernel if self.compiler == "gcc" else f"clang-{self.kernel}"

    @property
    def place(self) -> str:
        """The place of the selftests."""
        return "i386" if self.is_32 else self.kernel

    @property
    def directory(self) -> Path:
        # One for each tree: only newer files are copied.
        return LOGS / f"build-{self.name}-{tag_of(ROOT)}"


SPARSE = ("C=1",)
TARGETS = [
    Target("distro"),
    Target("rt"),
    Target("6.12"),
    Target("6.12", "clang", tuple(CLANG), boots=False),
    Target("newest"),
    Target("arm64-6.1", has_tools=True, boots=False),
    Target("arm64-6.12", has_tools=True),
    Target("arm64-newest"),
    Target("arm64-16k"),
    Target("armhf-6.12", words=SPARSE, has_tools=True),
    Target("armhf-newest"),
    Target("s390x-6.12", words=SPARSE, boots=False),
    Target("distro", has_tools=True, is_32=True),
]

# The newest kernel changes most often, and 32 bits are the least like amd64.
ALWAYS = ("newest", "armhf-newest")
# check compiles for these two anyway.
NEVER_IN_SAMPLE = ("distro", "rt")


def sample(seed: int) -> list[Target]:
    """Return the targets that check compiles for with a seed."""
    others = [t for t in TARGETS if t.name not in ALWAYS + NEVER_IN_SAMPLE]
    return [*choose(list(ALWAYS)), others[seed % len(others)]]


# --- compile --------------------------------------------------------------------------


def compile_target(report: Report, target: Target) -> bool:
    """Compile the modules and the tools for @target, unless nothing has changed."""
    try:
        tree = kernel.prepare_headers(target.kernel)
    except Failure as error:
        report.skip(f"{target.name}: the archive has no headers: {error}")
        return False
    if (toolchain_of(tree).root or target.is_32) and not can_enter():
        report.skip(f"{target.name}: no mounts here: unshare --mount fails")
        return False
    what = f"{target.name}: Linux {release_of(tree)} compiles"
    if not target.is_32 and not compile_changed(report, target, tree, what):
        return False
    if target.has_tools:
        try:
            build_tools(check_boots.compilers_for(target.place, tree))
        except Failure as error:
            report.fail(f"{target.name}: {error}")
            return False
    report.ok(what)
    return True


def compile_changed(report: Report, target: Target, tree: Path, what: str) -> bool:
    """Compile the modules unless nothing has changed since they compiled."""
    log, good = LOGS / target.name, LOGS / f"{target.name}.good"
    key = key_of(target, tree)
    if good.exists() and good.read_text() == key:
        return True
    say(f"compiling for {target.name}")
    if not compile_modules(target, tree, log):
        report.fail(what, log)
        return False
    good.write_text(key)
    return True


def key_of(target: Target, tree: Path) -> str:
    """Return a checksum of all that the result depends on."""
    found = hashlib.sha256(f"{target} {tree} {release_of(tree)}".encode())
    paths = [path for p in SOURCES for path in [ROOT / p, *(ROOT / p).rglob("*")]]
    for path in sorted(paths):
        if path.suffix in (".c", ".h") or path.name in ("Makefile", "Kbuild"):
            found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()


def compile_modules(target: Target, tree: Path, log: Path) -> bool:
    toolchain = toolchain_of(tree)
    make = ["make", f"-j{os.cpu_count()}", "-C", ROOT, "--no-print-directory", "W=1"]
    make += [f"BUILD={target.directory}", f"KDIR={toolchain.headers_of(tree)}"]
    make += [*toolchain.kernel_words, *target.words, "modules"]
    status = run_logged(toolchain.run(*make), log)
    is_built = any(target.directory.glob("zio-core/zio.ko"))
    if status or not is_built or re.search(r"(warning|error): ", read_log(log)):
        # What has a warning is compiled again the next time.
        shutil.rmtree(target.directory, ignore_errors=True)
        return False
    return True


def compile_all(report: Report, targets: list[Target]) -> list[Target]:
    """Return the targets that compile."""
    LOGS.mkdir(parents=True, exist_ok=True)
    return [target for target in targets if compile_target(report, target)]


# --- boot -----------------------------------------------------------------------------


class Boots(Report):
    """Keeps the results of each kernel, for the table."""

    def __init__(self, logs: Path) -> None:
        super().__init__(logs)
        self.results: dict[str, Results] = {}
        self.failed: set[str] = set()
        # Targets that were not compiled
        self.skipped: set[str] = set()

    def skip(self, what: str) -> None:
        super().skip(what)
        self.skipped.add(what.partition(":")[0])

    def add(self, what: str, results: Results) -> None:
        super().add(what, results)
        self.results[what] = results

    def fail(self, what: str, log: Path | None = None) -> None:
        super().fail(what, log)
        self.failed.add(what.partition(":")[0])

    def result_of(self, name: str) -> str:
        what = f"selftests on {name}"
        results = self.results.get(what)
        if not results:
            return "not run"
        text = f"{results.passed} passed"
        text += f", {results.failed} failed" if results.failed else ""
        text += f", {results.skipped} skipped" if results.skipped else ""
        return text + (", machine failed" if what in self.failed else "")


def boot_all(report: Boots, targets: list[Target]) -> None:
    booting = [target for target in targets if target.boots]
    for target in booting:
        # The tests run everywhere, in the machine with the modules that are compiled.
        place = replace(find_place(target.place), is_special=False)
        if not target.is_32:
            words = (*place.options, "--modules", str(target.directory))
            place = replace(place, options=words)
        PLACES[target.place] = place
    if booting:
        names = [target.place for target in booting]
        options = argparse.Namespace(kernel=names, tests=TESTS)
        run_jobs(check_boots.selftest_jobs(report, options))


# --- the table ------------------------------------------------------------------------


def columns_of(report: Boots, target: Target, compiled: list[Target]) -> list[str]:
    if target.name in report.skipped:
        return [target.name, "", "", target.compiler, "skipped", ""]
    tree = kernel.prepare_headers(target.kernel)
    done = checks_of(target) if target in compiled else "fails"
    boots = report.result_of(target.place) if target.boots else ""
    arch = toolchain_of(tree).arch.name
    return [target.name, arch, release_of(tree), target.compiler, done, boots]


def checks_of(target: Target) -> str:
    found = [] if target.is_32 else ["modules"]
    found += ["sparse"] if "C=1" in target.words else []
    found += ["tools"] if target.has_tools else []
    return ", ".join(found) + (" (32 bits)" if target.is_32 else "")


def print_table(report: Boots, targets: list[Target], compiled: list[Target]) -> None:
    heads = ["target", "processor", "Linux", "compiler", "compiles", "selftests"]
    rows = [heads, ["---"] * len(heads)]
    rows += [columns_of(report, target, compiled) for target in targets]
    print()
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print()
    for target in targets:
        boot = f" {LOGS}/selftests-{target.place}" if target.boots else ""
        print(f"{target.name}: {LOGS}/{target.name}{boot}")


def choose(names: list[str]) -> list[Target]:
    known = {target.name: target for target in TARGETS}
    for name in names:
        if name not in known:
            raise Usage(f"no such target: {name}: {', '.join(known)}")
    return [known[name] for name in names] or TARGETS


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args(words)
    if options.sample and options.targets:
        raise Usage("--sample chooses the targets: name none")
    targets = sample(seed_of_commit()) if options.sample else choose(options.targets)
    setup("build", "vm-arm")
    report = Boots(LOGS)
    compiled = compile_all(report, targets)
    if not options.compile:
        boot_all(report, compiled)
    print_table(report, targets, compiled)
    return report.end()
