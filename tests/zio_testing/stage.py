# SPDX-License-Identifier: GPL-2.0-only
"""What the machines of a place have beside their kernel: the modules, the tools, and the
selftests. It is a directory of this machine, which they mount."""

import os
import shutil
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from . import delays, kernel, selftests, suite
from .common import CACHE, ROOT, TESTING, Failure, Words, locked, setup, tag_of
from .image import Image
from .kernel_suite import PROGRAMS_32
from .machine import qemu_sspci
from .modules import build_tools, built_modules
from .progress import build, shown
from .selftests import Selftest, asked_for, find_place
from .toolchain import I386, Toolchain, toolchain_of

PLACE = CACHE / "tests" / tag_of(ROOT)
# Commands of zio that are Python
COMMANDS = ("export", "plot", "restore", "save", "top")


def tree_of(place: str) -> Path:
    return kernel.prepare(find_place(place).kernel)


def compilers_for(place: str, tree: Path | None = None) -> Toolchain:
    """Return the compilers for programs that run with the kernel in @tree."""
    if find_place(place).is_32:
        return Toolchain(I386, suite.prepare(PROGRAMS_32, "i386"))
    return toolchain_of(tree or tree_of(place)).programs


def is_newer(target: Path, sources: list[Path]) -> bool:
    if not target.exists():
        return False
    made = target.stat().st_mtime
    return all(source.stat().st_mtime <= made for source in sources)


def is_wanted(file: Path) -> bool:
    """Tell if this run needs a program. `make check` runs some of the tests only."""
    is_test = selftests.is_selftest(file.name)
    in_check = os.environ.get("ZIO_TIER") == "check"
    return not (is_test and in_check) or Selftest(file).has("check")


def build_programs(toolchain: Toolchain, library: Path) -> Path:
    """Compile the selftests that are older than their files, or than a header. Return
    their directory."""
    place = PLACE / f"programs-{toolchain.arch.name}"
    (place / "bin").mkdir(parents=True, exist_ok=True)
    (place / "include").mkdir(exist_ok=True)
    link = place / "include/zio"  # as it is installed
    link.unlink(missing_ok=True)
    link.symlink_to(ROOT / "tools/libzio")
    headers = (selftests.SELFTESTS, TESTING / "harness", ROOT / "include/uapi")
    shared = [path for folder in headers for path in folder.rglob("*.h")]
    shared += [library, Path(selftests.__file__)]
    programs = selftests.programs_of(place)
    for path in [*place.iterdir(), *(place / "bin").iterdir()]:
        if path.is_file() and path not in programs:
            path.unlink()
    old = {
        to: files
        for to, files in programs.items()
        if is_wanted(files[0]) and not is_newer(to, [*files, *shared])
    }
    jobs: list[Future[None]] = []

    def count() -> str:
        return f"{sum(job.done() for job in jobs)} of {len(old)} programs"

    with (
        shown("compiling the selftests", count),
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        for to, files in old.items():
            compile_one = selftests.compile_program
            words = (toolchain, library, to, files, link.parent)
            jobs.append(pool.submit(compile_one, *words))
        for job in jobs:
            job.result()
    return place


def build_models(tree: Path, names: list[str]) -> list[Path]:
    """Build the modules that emulate devices, and the drivers of the guide to porting,
    which use symbols of the core. Return those of these @names."""
    if not names:
        return []
    directory = PLACE / f"models-{tree.name}"
    directory.mkdir(parents=True, exist_ok=True)
    sources = [path for path in (TESTING / "models").iterdir() if path.is_file()]
    subprocess.run(["cp", "-pu", *sources, directory], check=True)
    subprocess.run(["cp", "-rpu", ROOT / "examples/porting", directory], check=True)
    toolchain = toolchain_of(tree)
    words: Words = ["make", "-C", toolchain.headers_of(tree), f"M={directory}"]
    words = [*words, f"ZIO_TREE={ROOT}", *toolchain.kernel_words, "modules"]
    with built_modules(tree) as modules:
        words.append(f"KBUILD_EXTRA_SYMBOLS={modules}/Module.symvers")
        make = toolchain.run(*words)
        build(make, Path(f"{directory}.log"), "the models do not build")
    return [directory / f"{name}.ko" for name in names]


def build_package() -> None:
    """Build the Python package in the checkout, where programs of the host find it."""
    setup("python-lib")
    log = PLACE / "python.build"
    make: Words = ["make", "-C", ROOT / "tools", "python"]
    build(make, log, "the Python package does not build")


def build_bridge(name: str) -> None:
    """Build a program that is the driver of devices, such as zio-visa, in the checkout,
    and install what it needs. One in Python has no target."""
    setup(name)
    if (ROOT / "tools/programs" / name / "main.c").exists():
        make: Words = ["make", "-C", ROOT / "tools", name]
        build(make, PLACE / f"{name}.build", f"zio-{name} does not build")


def modules_of(place: str, tree: Path) -> Path | None:
    """Return the directory of modules that are not the usual ones, or None."""
    if find_place(place).has_delays:
        return delays.build_modules(tree)
    return find_place(place).modules


def kernel_modules(tree: Path, tests: list[Selftest]) -> list[str]:
    """Return the modules of the kernel that @tests ask for. Omit those that it does not
    have: tests skip those parts."""
    asked = asked_for("kernel-module", tests)
    return [
        name for name in asked if any((tree / "lib/modules").glob(f"*/**/{name}.ko*"))
    ]


def add_selftests(image: Image, place: str, tree: Path, tests: list[Selftest]) -> None:
    toolchain = compilers_for(place, tree)
    tools = build_tools(toolchain)
    target = image.at("/selftests")
    shutil.copytree(build_programs(toolchain, tools / "libzio/libzio.a"), target)
    for script in selftests.SELFTESTS.glob("*.sh"):
        shutil.copy(script, target)
    shutil.copytree(ROOT / "Documentation/ABI/testing", target / "ABI")
    files = build_models(tree, asked_for("model", tests))
    for name in asked_for("kernel-file", tests):
        files += (tree / "lib/modules").glob(f"*/**/{name}.ko")
    for file in files:
        shutil.copy(file, target)
    for tool in (tools / "bin").iterdir():
        shutil.copy(tool, image.at("/usr/bin"))
    for name in COMMANDS:
        command = TESTING / "machine/guest/python-command"
        shutil.copy(command, image.at(f"/usr/bin/zio-{name}"))


def fill(root: Path, place: str, tests: list[Selftest]) -> None:
    tree = tree_of(place)
    image = Image(root, toolchain_of(tree).programs)
    image.add_modules(tree, modules_of(place, tree), kernel_modules(tree, tests))
    for module in image.at("/lib/modules").glob("*/zio/*.ko"):
        subprocess.run(["strip", "-g", module], stderr=subprocess.DEVNULL)
    for script in (TESTING / "machine/guest").glob("zio-*"):
        shutil.copy(script, image.at("/usr/sbin"))
    add_selftests(image, place, tree, tests)
    if asked_for("device", tests):
        shutil.copy(qemu_sspci("--tool"), image.at("/usr/bin/slink-bench"))
    if any(test.has("host-root") for test in tests):
        build_package()
    for name in asked_for("bridge", tests):
        build_bridge(name)


def prepare(place: str, tests: list[Selftest]) -> Path:
    """Return the directory for the machines of @place. One run of the tests, which
    ZIO_RUN names, fills it once: machines may have it while another process asks."""
    root, run = PLACE / f"stage-{place}", os.environ.get("ZIO_RUN", str(os.getpid()))
    with locked(PLACE / f"stage-{place}.lock"):
        stamp = PLACE / f"stage-{place}.run"
        if stamp.exists() and stamp.read_text().startswith(f"{run}\n"):
            if error := stamp.read_text().partition("\n")[2]:
                raise Failure(error)
            return root
        shutil.rmtree(root, ignore_errors=True)
        try:
            fill(root, place, tests)
            stamp.write_text(f"{run}\n")
        except Failure as error:
            stamp.write_text(f"{run}\n{error}")
            raise
    return root
