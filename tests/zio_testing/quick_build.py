# SPDX-License-Identifier: GPL-2.0-only
"""What quick builds: only what has changed since its last run."""

import contextlib
import os
import shutil
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import kernel, selftests
from .common import ROOT, TESTING, Failure, Words
from .image import is_executable
from .kernel_cache import release_of
from .modules import build_tools, built_modules
from .toolchain import NATIVE, toolchain_of


def is_newer(target: Path, sources: list[Path]) -> bool:
    if not target.exists():
        return False
    made = target.stat().st_mtime
    return all(source.stat().st_mtime <= made for source in sources)


def compile_changed(library: Path, programs: dict[Path, list[Path]]) -> None:
    """Compile the programs that are older than their files, or than a header."""
    headers = [*selftests.SELFTESTS.rglob("*.h"), *(ROOT / "include/uapi").rglob("*.h")]
    old = {
        to: files
        for to, files in programs.items()
        if not is_newer(to, [*files, *headers, library])
    }
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(selftests.compile_program, NATIVE, library, to, files)
            for to, files in old.items()
        ]
        for job in jobs:
            job.result()


def build_models(tree: Path, names: list[str], place: Path) -> list[Path]:
    """Build the modules that emulate devices."""
    if not names:
        return []
    directory = place / "models"
    directory.mkdir(parents=True, exist_ok=True)
    sources = [path for path in (TESTING / "models").iterdir() if path.is_file()]
    subprocess.run(["cp", "-pu", *sources, directory], check=True)
    make: Words = ["make", "-C", toolchain_of(tree).headers_of(tree), f"M={directory}"]
    done = subprocess.run([*make, "modules"], capture_output=True, text=True)
    if done.returncode:
        raise Failure(
            f"the models do not build\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return [directory / f"{name}.ko" for name in names]


def stage(
    tree: Path,
    tests: list[selftests.Selftest],
    place: Path,
    built: Path | None = None,
) -> Path:
    """Build all that @tests need. Return an archive of the part that they share: the
    modules, from @built or built, the tools, the scripts and the programs that these
    call."""
    root = place / "stage"
    shutil.rmtree(root, ignore_errors=True)
    with ThreadPoolExecutor(2) as pool:
        tools = pool.submit(build_tools, toolchain_of(tree).programs)
        add_modules(tree, root, built)
        folder = tools.result()
    add_tools(folder, root)
    add_scripts(root)
    programs = selftests.programs_of(place / "programs")
    (place / "programs/bin").mkdir(parents=True, exist_ok=True)
    wanted = {test.path.stem for test in tests}
    chosen = {
        to: files
        for to, files in programs.items()
        if to.parent.name == "bin" or to.name in wanted
    }
    compile_changed(folder / "libzio/libzio.a", chosen)
    shutil.copytree(place / "programs/bin", root / "selftests/bin")
    build_models(tree, selftests.asked_for("model", tests), place)
    with tarfile.open(place / "stage.tar", "w") as archive:
        archive.add(root, arcname=".")
    return place / "stage.tar"


def add_modules(tree: Path, root: Path, built: Path | None) -> None:
    target = root / "lib/modules" / release_of(tree) / "zio"
    target.mkdir(parents=True)
    with contextlib.nullcontext(built) if built else built_modules(tree) as directory:
        for module in directory.rglob("*.ko"):
            command = ["strip", "-g", "-o", target / module.name, module]
            subprocess.run(command, check=True)


def add_tools(folder: Path, root: Path) -> None:
    (root / "usr/bin").mkdir(parents=True)
    for tool in filter(is_executable, (folder / "bin").iterdir()):
        shutil.copy(tool, root / "usr/bin")


def add_scripts(root: Path) -> None:
    (root / "usr/sbin").mkdir(parents=True)
    for script in (TESTING / "machine/guest").glob("zio-*"):
        shutil.copy(script, root / "usr/sbin")
    (root / "selftests").mkdir()
    for script in selftests.SELFTESTS.glob("*.sh"):
        shutil.copy(script, root / "selftests")
    shutil.copytree(ROOT / "Documentation/ABI/testing", root / "selftests/ABI")


def archive_for(test: selftests.Selftest, shared: Path, place: Path) -> Path:
    """Return the archive of one test: the shared part, its program and its models."""
    files = [place / "programs" / test.path.stem] if test.path.suffix == ".c" else []
    files += [place / f"models/{name}.ko" for name in test.asks_for("model")]
    for name in test.asks_for("kernel-file"):
        files += kernel_files(name)
    target = place / f"{test.path.stem}.tar"
    shutil.copy(shared, target)
    with tarfile.open(target, "a") as archive:
        for file in files:
            archive.add(file, arcname=f"selftests/{file.name}")
    return target


def kernel_files(name: str) -> list[Path]:
    return list((kernel.prepare("distro") / "lib/modules").glob(f"*/**/{name}.ko"))
