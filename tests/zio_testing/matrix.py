# SPDX-License-Identifier: GPL-2.0-only
"""matrix - compile for all kernels and processors, boot most, and print a table

Usage: matrix [--compile] [TARGET]...

Compiles the modules for each TARGET (all by default) with all warnings on, and for some
with sparse or with the tools, too. Then boots those that can boot, with a few selftests
in each. --compile leaves out the boots.

The targets are the names of kernels (see kernel), and clang-6.12, the same kernel with
clang in place of gcc. i386 has programs of 32 bits for the kernel distro. What is
already compiled and has not changed is not compiled again.
The headers, compilers and images come from the Debian archive that apt has here. They are
unpacked in ~/.cache/zio/suites and ~/.cache/zio/kernels (4 GB); nothing is installed but
QEMU for ARM.

The last line is "N passed, N failed". The logs are kept in ~/.cache/zio/matrix.
"""

import hashlib
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from . import kernel
from .common import (
    CACHE,
    ROOT,
    Failure,
    Parser,
    Usage,
    read_end,
    read_log,
    run_logged,
    say,
    setup,
    tag_of,
)
from .guest import SavedMachine
from .kernel_cache import release_of
from .modules import build_tools
from .runner import run_selftest
from .selftests import PLACES, find_all, find_place
from .stage import compilers_for
from .suite import NO_MOUNTS, can_enter
from .tap import FAILED, Results
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

# check compiles for this one: the newest kernel changes most often, and 32 bits are the
# least like amd64.
SAMPLE = "armhf-newest"


# --- compile --------------------------------------------------------------------------


class Skipped(Exception):
    """A target cannot be compiled here."""


def compile_target(target: Target) -> None:
    """Compile the modules and the tools for @target, unless nothing has changed."""
    LOGS.mkdir(parents=True, exist_ok=True)
    try:
        tree = kernel.prepare_headers(target.kernel)
    except Failure as error:
        raise Skipped(f"{target.name}: the archive has no headers: {error}") from error
    if (toolchain_of(tree).root or target.is_32) and not can_enter():
        raise Skipped(f"{target.name}: {NO_MOUNTS}")
    if not target.is_32:
        compile_changed(target, tree)
    if target.has_tools:
        build_tools(compilers_for(target.place, tree))


def compile_changed(target: Target, tree: Path) -> None:
    """Compile the modules unless nothing has changed since they compiled."""
    log, good = LOGS / target.name, LOGS / f"{target.name}.good"
    key = key_of(target, tree)
    if good.exists() and good.read_text() == key:
        return
    say(f"compiling for {target.name}")
    if not compile_modules(target, tree, log):
        end = "\n".join(read_end(log, 100))
        raise Failure(f"{target.name}: the modules do not compile\n{end}")
    good.write_text(key)


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
    make: list[str | Path] = ["make", f"-j{os.cpu_count()}", "-C", ROOT, "W=1"]
    make += ["--no-print-directory"]
    make += [f"BUILD={target.directory}", f"KDIR={toolchain.headers_of(tree)}"]
    make += [*toolchain.kernel_words, *target.words, "modules"]
    status = run_logged(toolchain.run(*make), log)
    is_built = any(target.directory.glob("zio-core/zio.ko"))
    if status or not is_built or re.search(r"(warning|error): ", read_log(log)):
        # What has a warning is compiled again the next time.
        shutil.rmtree(target.directory, ignore_errors=True)
        return False
    return True


# --- boot -----------------------------------------------------------------------------


@dataclass
class Row:
    """What has become of a target."""

    compiles: str = ""
    boots: str = ""
    failed: int = 0


def try_target(target: Target, row: Row) -> None:
    try:
        compile_target(target)
        row.compiles = checks_of(target)
        print(f"ok - {target.name} compiles", flush=True)
    except Skipped as reason:
        row.compiles = "skipped"
        print(f"skip - {reason}", flush=True)
    except Failure as error:
        row.compiles, row.failed = "fails", 1
        print(f"not ok - {error}", flush=True)


def boot(target: Target, row: Row) -> None:
    """Run the tests with the modules that were compiled."""
    place = replace(find_place(target.place), is_special=False)
    if not target.is_32:
        place = replace(place, modules=target.directory)
    PLACES[target.place] = place
    results = Results()
    try:
        tests = [test for test in find_all() if test.path.stem in TESTS]
        machine = SavedMachine(target.place, tests, only=True)
        with ThreadPoolExecutor(2) as pool:
            for verdict in pool.map(lambda test: run_selftest(machine, test), tests):
                results.parts += verdict.results.parts
    except Failure as error:
        results.fail(f"{target.name}: {error}")
    for part in results.failures:
        print(f"not ok - {target.name}: {part.name}\n{part.said}", flush=True)
    row.boots = str(results)
    row.failed += results.count(FAILED)


def columns_of(target: Target, row: Row) -> list[str]:
    if row.compiles == "skipped":
        return [target.name, "", "", target.compiler, "skipped", ""]
    tree = kernel.prepare_headers(target.kernel)
    arch = toolchain_of(tree).arch.name
    release = release_of(tree)
    return [target.name, arch, release, target.compiler, row.compiles, row.boots]


def checks_of(target: Target) -> str:
    found = [] if target.is_32 else ["modules"]
    found += ["sparse"] if "C=1" in target.words else []
    found += ["tools"] if target.has_tools else []
    return ", ".join(found) + (" (32 bits)" if target.is_32 else "")


def print_table(rows: dict[Target, Row]) -> None:
    heads = ["target", "processor", "Linux", "compiler", "compiles", "selftests"]
    lines = [heads, ["---"] * len(heads)]
    lines += [columns_of(target, row) for target, row in rows.items()]
    print()
    for line in lines:
        print(f"| {' | '.join(line)} |")
    print()


def choose(names: list[str]) -> list[Target]:
    known = {target.name: target for target in TARGETS}
    for name in names:
        if name not in known:
            raise Usage(f"no such target: {name}: {', '.join(known)}")
    return [known[name] for name in names] or TARGETS


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args(words)
    targets = choose(options.targets)
    setup("build", "vm-arm", "check")
    rows = {target: Row() for target in targets}
    for target, row in rows.items():
        try_target(target, row)
    for target, row in rows.items():
        if target.boots and not options.compile and not row.failed and row.compiles:
            boot(target, row)
    print_table(rows)
    passed = sum(not row.failed and row.compiles != "skipped" for row in rows.values())
    failed = sum(row.failed for row in rows.values())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
