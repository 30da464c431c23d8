# SPDX-License-Identifier: GPL-2.0-only
"""The selftests: their kernels, their needs, and their compilation."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, STDOUT

from .common import ROOT, TESTING, Failure, Words
from .kernel_suite import FLAVOURS
from .toolchain import Toolchain

SELFTESTS = TESTING / "selftests"
COMPILE = (
    "-std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -O2 -static -pthread "
    "-Wall -Wextra -Werror"
)


@dataclass(frozen=True)
class Place:
    """A kernel and the way it is booted."""

    kernel: str
    # Arguments of the kernel, and words of QEMU
    arguments: tuple[str, ...] = ()
    qemu: str = ""
    cpus: int = 2
    # Time counts instructions.
    icount: bool = False
    # Look for lost memory.
    leaks: bool = False
    # Only tests with a line "# PLACE" run here.
    is_special: bool = False
    has_kunit: bool = False
    # The tests are programs of 32 bits.
    is_32: bool = False
    # The modules have random delays: see delays.py.
    has_delays: bool = False
    # Modules that were built elsewhere
    modules: Path | None = None


NO_KUNIT = ("kunit.enable=0",)
IOMMU = "-machine q35 -device intel-iommu"
PLACES = {
    "distro": Place("distro", has_kunit=True),
    "kasan": Place("kasan", NO_KUNIT, has_kunit=True),
    "kunit": Place("kasan", is_special=True, has_kunit=True),
    "kunit-leaks": Place("kasan", leaks=True, is_special=True, has_kunit=True),
    "delays": Place("kasan", NO_KUNIT, is_special=True, has_delays=True),
    "leaks": Place("kasan", NO_KUNIT, leaks=True, is_special=True),
    "single": Place("distro", cpus=1, is_special=True),
    "rt": Place("rt", is_special=True),
    "rt-debug": Place("rt-debug", is_special=True, has_kunit=True),
    "foreign": Place("distro", is_special=True),
    "preempt": Place("distro", ("preempt=full",), is_special=True),
    "swiotlb": Place("distro", ("swiotlb=force",), is_special=True),
    "iommu": Place("distro", ("intel_iommu=on",), IOMMU, is_special=True),
    "icount": Place("distro", cpus=1, icount=True, is_special=True),
    "i386": Place("distro", is_32=True),
    **{name: Place(name) for name in ("arm64", "armhf")},
    **{flavour.name: Place(flavour.name) for flavour in FLAVOURS},
}
# Those of make check, which has only distro, and of make check-all
KERNELS = (
    "kasan leaks delays rt preempt distro single swiotlb iommu foreign icount".split()
)


def find_place(name: str) -> Place:
    """Return an entry of the table. Any other kernel is a place of its own."""
    return PLACES.get(name, Place(name, NO_KUNIT, has_kunit=True))


class Selftest:
    """TEST.sh or TEST_test.c, and the requests in its header. A request is a line that
    begins with "# " in a script and with " * # " in a C program."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name.removesuffix(".c")
        self.text = path.read_text()

    def has(self, line: str) -> bool:
        return re.search(rf"^(?: \* )?# {line}$", self.text, re.M) is not None

    def asks_for(self, what: str) -> set[str]:
        return set(re.findall(rf"^(?: \* )?# {what}: (.*)$", self.text, re.M))

    def can_run_on(self, place: str) -> bool:
        if place == "rt-debug":
            return any(map(self.has, ("rt", "kasan", "leaks")))
        if find_place(place).is_special:
            return self.has(place)
        return not self.has(f"not {place}: ..*")

    def runs_on(self, place: str) -> bool:
        """Return true if the test runs there although nobody has named the place. A test
        that runs on another kernel runs on distro only when it asks for that. One that
        asks for none, and cannot run on distro, runs at night."""
        if place != "distro":
            return self.has(place)
        if not self.can_run_on(place):
            return False
        others = (name for name in KERNELS if name != place)
        return self.has("check") or self.has(place) or not any(map(self.has, others))

    def places(self, chosen: list[str], is_named: bool) -> list[str]:
        """Return where the test runs: if the user has @chosen places, where it can. If
        the user also named the test, its header does not matter."""
        if not chosen:
            return [place for place in KERNELS if self.runs_on(place)]
        return [place for place in chosen if is_named or self.can_run_on(place)]


def is_selftest(name: str) -> bool:
    """Return true for a test. A file lib*.sh has functions for several tests; other C
    files, and directories, are programs that tests call."""
    is_script = name.endswith(".sh") and not name.startswith("lib")
    return is_script or name.endswith("_test.c")


def find_all() -> list[Selftest]:
    """Return the scripts, and then the tests in C."""
    files = sorted(SELFTESTS.iterdir(), key=lambda file: (file.suffix == ".c", file))
    return [Selftest(file) for file in files if is_selftest(file.name)]


def asked_for(what: str, tests: list[Selftest]) -> list[str]:
    return sorted(set().union(*(test.asks_for(what) for test in tests)))


def run_compiler(command: Words) -> None:
    done = subprocess.run(command, stdout=PIPE, stderr=STDOUT, text=True)
    if done.returncode:
        raise Failure(done.stdout)


def compile_program(
    toolchain: Toolchain, library: Path, to: Path, files: list[Path], *more: Path
) -> None:
    """Link the libraries whose headers the program includes. @more has headers, too."""
    text = "".join(file.read_text() for file in files)
    libraries = set(re.findall(r"^#include <lib(uring|aio)\.h>$", text, re.M))
    command: list[str | Path] = [toolchain.gcc, *COMPILE.split()]
    folders = ("include/uapi", "tools", "tools/programs")
    command += [f"-I{ROOT / folder}" for folder in folders]
    command += [f"-I{directory}" for directory in more]
    command += ["-iquote", TESTING / "harness", "-o", to, *files, library]
    command += [f"-l{name}" for name in sorted(libraries)]
    run_compiler(toolchain.run(*command))


def programs_of(directory: Path) -> dict[Path, list[Path]]:
    """Return the files of each program: one C file, or all of a directory."""
    programs = {}
    for file in SELFTESTS.glob("*.c"):
        place = directory if file.stem.endswith("_test") else directory / "bin"
        programs[place / file.stem] = [file]
    for file in (ROOT / "examples/c").glob("*.c"):
        programs[directory / "bin" / file.stem] = [file]
    programs[directory / "bin/fuzz"] = sorted((TESTING / "fuzz").glob("*.c"))
    return programs
