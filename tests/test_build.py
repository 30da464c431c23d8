# SPDX-License-Identifier: GPL-2.0-only
"""Compilers and checkers have nothing to say."""

import hashlib
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from zio_testing import kernel, tap
from zio_testing.common import CACHE, ROOT, TESTING, Words, copy_sources
from zio_testing.modules import built_modules
from zio_testing.tap import Results

MODULES = ("zio-core", "buffers", "triggers", "drivers", "include")
STYLED = (*MODULES, "tests/machine/provoke", "tests/models")
# The kernel counts the memory of a user (struct user_struct) only with one of these.
ABSENT = (
    "NET IO_URING PERF_EVENTS BPF_SYSCALL SECRETMEM IOMMUFD VFIO_PCI_ZDEV_KVM".split()
)
SOURCE = re.compile(r".*\.[ch]|Makefile|Kbuild")
CHECKPATCH = (
    "--no-tree --strict --terse --show-types --no-summary --ignore FILE_PATH_CHANGES,"
    "LINUX_VERSION_CODE,CONSTANT_COMPARISON,EXPORT_SYMBOL,MACRO_ARG_REUSE -f"
).split()
CHECKED = CACHE / "checkpatch"
COMPLAINT = re.compile(r"(warning|error): ")
# The folders with Python, and what mypy looks at in each
PYTHON: dict[str, Words] = {
    "tests": ["zio_testing", "unit/testing", *sorted(TESTING.glob("*.py"))],
    "tools/python": [],
    "examples/python": ["."],
    "packaging/in-tree": ["in-tree", "."],
    "tools/programs/nexus": ["zio_nexus"],
    "tools/programs/scope": ["zio_scope"],
    "tools/programs/pva": ["zio_pva"],
    "tools/programs/devices": ["zio_devices"],
    "tools/programs/migrate": ["zio_migrate"],
    "tools/programs/visa": ["zio_visa"],
    "tools/programs/root": ["zio2root"],
    "tools/programs/zio": ["zio_commands"],
    "examples/languages": ["."],
}


def output_of(command: Words) -> str:
    """Return what a program prints, which must not fail."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.stdout.decode(errors="replace")
    assert done.returncode == 0, said[-8000:]
    return said


def test_modules() -> None:
    """A warning of the compiler is an error. The packages have each module."""
    packed = output_of(["make", "-s", "-C", ROOT, "print-modules"]).split()
    with built_modules(kernel.prepare("distro")) as directory:
        said = Path(f"{directory}.log").read_text()
        assert not COMPLAINT.search(said), said
        found = directory.rglob("*.ko")
        built = {str(file.relative_to(directory).with_suffix("")) for file in found}
    assert {name for name in built if "/tests/" not in name} == set(packed)


def test_sparse() -> None:
    """These builds take a warning of the compiler for an error."""
    with built_modules(kernel.prepare("kasan")):
        pass
    with built_modules(kernel.prepare("distro"), "", "C=2") as directory:
        said = Path(f"{directory}.log").read_text()
        assert not COMPLAINT.search(said), said


def test_nodes_compile_for_small_kernel(tmp_path: Path) -> None:
    """A kernel without sockets, io_uring, perf and BPF. Link nothing: the kernel here has
    these parts."""
    copy_sources(("Kbuild", "zio-core", "include"), SOURCE, tmp_path)
    header = tmp_path / "absent.h"
    header.write_text("".join(f"#undef CONFIG_{name}\n" for name in ABSENT))
    nodes = sorted((ROOT / "zio-core/channel").glob("*.c"))
    build = kernel.prepare("distro") / "build"
    command = ["make", f"-j{os.cpu_count()}", "-C", build, f"M={tmp_path}"]
    command += [f"KCFLAGS=-include {header}"]
    command += [f"{path.relative_to(ROOT).with_suffix('.o')}" for path in nodes]
    assert not COMPLAINT.search(output_of(command))


def test_make_without_a_goal() -> None:
    """The tools do not need what zio-kafka, zio-sigrok and zio-comedi need."""
    said = output_of(["make", "-C", ROOT / "tools", "--dry-run", "--always-make"])
    assert "-o bin/zio\n" in said and not re.search("kafka|sigrok|comedi", said)


def stamps_of(paths: list[Path], script: Path) -> dict[Path, Path]:
    """Return a file for each path. It exists when checkpatch, with these rules and lists
    of words, has nothing to say about the contents under this name."""
    rules = hashlib.sha256(str(CHECKPATCH).encode())
    for name in (script.name, "spelling.txt", "const_structs.checkpatch"):
        file = script.with_name(name)
        rules.update(file.read_bytes() if file.exists() else b"")
    found = {}
    for path in paths:
        digest = rules.copy()
        digest.update(f"{path}\n".encode() + (ROOT / path).read_bytes())
        found[path] = CHECKED / digest.hexdigest()
    return found


@pytest.mark.parametrize("part", STYLED)
def test_checkpatch(part: str) -> None:
    """Give relative paths: checkpatch has other rules for files in include/uapi. The
    devices of QEMU are no code of the kernel."""
    paths = [path.relative_to(ROOT) for path in sorted((ROOT / part).rglob("*.[ch]"))]
    files = [
        path for path in paths if ".mod." not in path.name and "qemu" not in path.parts
    ]
    script = kernel.prepare("kasan") / "build/scripts/checkpatch.pl"
    stamps = stamps_of(files, script)
    unseen = [path for path, stamp in stamps.items() if not stamp.exists()]
    if unseen:
        command = ["env", "-C", ROOT, "perl", script, *CHECKPATCH, *unseen]
        assert not output_of(command)
    CHECKED.mkdir(parents=True, exist_ok=True)
    for path in unseen:
        stamps[path].touch()


@pytest.mark.parametrize("name", ["layering", "prose", "versions"])
def test_text(name: str) -> None:
    output_of([TESTING / name])


def test_recipes(results: Callable[[Results], None]) -> None:
    results(tap.run_program([TESTING / "recipes"]))


@pytest.mark.parametrize("folder", PYTHON)
def test_python_style(folder: str, results: Callable[[Results], None]) -> None:
    types = f"MYPYPATH={ROOT}/tools/python/build/lib"
    command = [
        "env",
        types,
        TESTING / "unit/python/style",
        ROOT / folder,
        *PYTHON[folder],
    ]
    results(tap.run_program(command))


@pytest.mark.parametrize(
    ("unit", "most"),
    [
        ("kafka/zio-kafka@", 2.0),
        ("pva/zio-pva@", 2.0),
        ("devices/zio-replay@", 1.5),
        ("devices/zio-generate@", 1.5),
        ("visa/zio-visa@", 2.0),
        ("sigrok/zio-sigrok@", 2.0),
        ("comedi/zio-comedi@", 1.0),
        ("zio/zio", 3.5),
    ],
)
def test_exposure(unit: str, most: float) -> None:
    """What faces the network, or runs as root at boot, can do little else."""
    file = ROOT / f"tools/programs/{unit}.service"
    command = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(file)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    level = re.search(r"exposure level for .*: ([0-9.]+)", said)
    assert level and float(level[1]) <= most, said
