# SPDX-License-Identifier: GPL-2.0-only
"""The selftests: their kernels, their needs, and their compilation."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import PIPE, STDOUT

from .common import CACHE, ROOT, TESTING, Failure, Words, run_logged, setup
from .common import build as build_logged
from .kernel_suite import FLAVOURS
from .modules import build_tools
from .toolchain import Toolchain, toolchain_of

SELFTESTS = TESTING / "selftests"
COMPILE = (
    "-std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -O2 -static -pthread "
    "-Wall -Wextra -Werror"
)


@dataclass(frozen=True)
class Place:
    """A kernel and the way it is booted."""

    kernel: str
    options: tuple[str, ...] = ()
    # Only tests with a line "# PLACE" run here.
    is_special: bool = False
    has_kunit: bool = False
    # The tests are programs of 32 bits.
    is_32: bool = False
    # The modules have random delays: see delays.py.
    has_delays: bool = False


NO_KUNIT = ("--append", "kunit.enable=0")
PLACES = {
    "distro": Place("distro"),
    "kasan": Place("kasan", NO_KUNIT, has_kunit=True),
    "delays": Place("kasan", NO_KUNIT, is_special=True, has_delays=True),
    "leaks": Place("kasan", (*NO_KUNIT, "--leaks"), is_special=True),
    "single": Place("distro", ("--cpus", "1"), is_special=True),
    "rt": Place("rt", is_special=True),
    "preempt": Place("distro", ("--append", "preempt=full"), is_special=True),
    "swiotlb": Place("distro", ("--append", "swiotlb=force"), is_special=True),
    "iommu": Place(
        "distro",
        ("--append", "intel_iommu=on", "--qemu", "-machine q35 -device intel-iommu"),
        is_special=True,
    ),
    "icount": Place("distro", ("--icount",), is_special=True),
    "i386": Place("distro", is_32=True),
    **{name: Place(name) for name in ("arm64", "armhf")},
    **{flavour.name: Place(flavour.name) for flavour in FLAVOURS},
}


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
        if find_place(place).is_special:
            return self.has(place)
        return not self.has(f"not {place}: ..*")

    def runs_on(self, place: str) -> bool:
        """Return true if the test runs there although nobody has named the place. A test
        that the sanitizers have judged runs on distro only when it asks for that."""
        if place == "kasan" and self.has("leaks"):
            return False
        if place == "distro" and self.can_run_on("kasan"):
            return self.has("distro")
        return self.can_run_on(place)


def find_all() -> list[Selftest]:
    paths = [path for path in SELFTESTS.glob("*.sh") if not path.name.startswith("lib")]
    # Other C files, and directories, are programs that tests call.
    return list(map(Selftest, sorted(paths) + sorted(SELFTESTS.glob("*_test.c"))))


def choose(place: str, names: list[str], forced: bool) -> list[Selftest]:
    """Return the tests of @names, or all, that run at @place. If the user named both the
    test and the place (@forced), the header of the test does not matter. If the user
    named the place alone, all tests run that can run there."""
    tests = find_all()
    if not names:
        can_run = Selftest.can_run_on if forced else Selftest.runs_on
        return [test for test in tests if can_run(test, place)]
    wanted = {Path(name).stem for name in names}
    named = [test for test in tests if test.path.stem in wanted]
    return [test for test in named if forced or test.runs_on(place)]


def asked_for(what: str, tests: list[Selftest]) -> list[str]:
    return sorted(set().union(*(test.asks_for(what) for test in tests)))


# --- what the tests need ----------------------------------------------------------------


def machine_options(tests: list[Selftest], tree: Path, models: Path) -> list[str]:
    """Return the options of vm for what the tests ask for. Omit modules that the
    kernel in @tree does not have: tests skip those parts."""
    options = []
    for name in asked_for("kernel-module", tests):
        if any((tree / "lib/modules").glob(f"*/**/{name}.ko*")):
            options += ["--module", name]
    # A module that the test loads by itself, with parameters
    for name in asked_for("kernel-file", tests):
        for file in (tree / "lib/modules").glob(f"*/**/{name}.ko"):
            options += ["--add", f"{file}:/selftests/{name}.ko"]
    for name in asked_for("model", tests):
        options += ["--add", f"{models}/{name}.ko:/selftests/{name}.ko"]
    for name in asked_for("device", tests):
        options += ["--device", name]
    for words in asked_for("qemu", tests):
        options += [f"--qemu={words}"]
    if any(test.has("host-root") for test in tests):
        build_package()
        options += ["--host-root", "--mem", "1024"]
    return options


def build_package() -> None:
    """Build the Python package in the checkout, where programs of the host find it."""
    setup("python-lib")
    complaint = "the Python package does not build"
    log = CACHE / "check/python.build"
    build_logged(["make", "-C", ROOT / "tools", "python"], log, complaint)


def build_models(tree: Path, directory: Path) -> int:
    """Build the modules that emulate devices for the drivers. Return the status."""
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(TESTING / "models", directory)
    toolchain = toolchain_of(tree)
    make = ["make", "-C", toolchain.headers_of(tree), f"M={directory}"]
    make += toolchain.kernel_words
    return run_logged(toolchain.run(*make, "modules"), Path(f"{directory}.log"))


def run_compiler(command: Words) -> None:
    done = subprocess.run(command, stdout=PIPE, stderr=STDOUT, text=True)
    if done.returncode:
        raise Failure(done.stdout)


def compile_program(
    toolchain: Toolchain, library: Path, to: Path, files: list[Path]
) -> None:
    """Link the libraries whose headers the program includes."""
    text = "".join(file.read_text() for file in files)
    libraries = set(re.findall(r"^#include <lib(uring|aio)\.h>$", text, re.M))
    command = [toolchain.gcc, *COMPILE.split(), f"-I{ROOT}/include/uapi"]
    command += [f"-I{ROOT}/tools", "-o", to, *files, library]
    command += [f"-l{name}" for name in sorted(libraries)]
    run_compiler(toolchain.run(*command))


def programs_of(directory: Path) -> dict[Path, list[Path]]:
    """Return the files of each program: one C file, or all of a directory."""
    programs = {}
    for file in SELFTESTS.glob("*.c"):
        place = directory if file.stem.endswith("_test") else directory / "bin"
        programs[place / file.stem] = [file]
    programs[directory / "bin/fuzz"] = sorted((TESTING / "fuzz").glob("*.c"))
    return programs


def build(directory: Path, toolchain: Toolchain) -> None:
    """Fill @directory, which the machines have as /selftests."""
    shutil.rmtree(directory, ignore_errors=True)
    (directory / "bin").mkdir(parents=True)
    library = build_tools(toolchain) / "libzio/libzio.a"
    for script in SELFTESTS.glob("*.sh"):
        shutil.copy(script, directory)
    shutil.copytree(ROOT / "Documentation/ABI/testing", directory / "ABI")
    programs = programs_of(directory)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        compile_one = partial(compile_program, toolchain, library)
        list(pool.map(compile_one, programs.keys(), programs.values()))
