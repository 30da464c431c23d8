# SPDX-License-Identifier: GPL-2.0-only
"""modules - build the modules of this checkout, print the directory that has them

Usage: modules KERNEL

KERNEL is a name or a directory, as for kernel. Each checkout and kernel has a directory
in ~/.cache/zio/modules.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath

from . import kernel, kunit_module
from .common import CACHE, ROOT, Parser, copy_sources, locked, tag_of
from .progress import build
from .toolchain import Toolchain, toolchain_of

MODULES = CACHE / "modules"
# The cache keeps fewer headers than there are folders.
STRICT = ("W=1", "KCFLAGS=-Werror -Wno-error=missing-include-dirs")
TOOL_SOURCES = re.compile(r".*\.(c|cpp|h|fbs|mk|map|in|md)|Makefile")


def copy_modules(directory: Path, to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    for module in directory.rglob("*.ko"):
        shutil.copy(module, to)


@contextlib.contextmanager
def built_modules(
    tree: Path,
    kind: str = "",
    *words: str,
    write: Callable[[Path], None] = lambda directory: None,
) -> Iterator[Path]:
    """Build for the kernel in @tree. Yield the directory, which no other build changes
    before the block ends. Another @kind has a directory of its own, or sources that it
    writes there. @words are for make. A warning of the compiler of this machine is an
    error."""
    directory = MODULES / f"{tree.name}{kind}-{tag_of(ROOT, tree)}"
    toolchain = toolchain_of(tree)
    jobs = f"-j{os.cpu_count()}"
    make: list[str | Path] = ["make", jobs, "-C", ROOT, "--no-print-directory", *words]
    # A mutant sets KCFLAGS: it may leave an unused variable.
    if not (kind or toolchain.root or "KCFLAGS" in os.environ):
        make += STRICT
    make += [f"KDIR={toolchain.headers_of(tree)}", *toolchain.kernel_words]
    if suites := kunit_module.found(tree):
        make += ["ZIO_KUNIT=y", f"KBUILD_EXTRA_SYMBOLS={suites}/Module.symvers"]
    make += [f"BUILD={directory}", "modules"]
    with locked(Path(f"{directory}.lock")):
        directory.mkdir(exist_ok=True)
        write(directory)
        complaint = f"the modules{kind} do not build against {tree}/build"
        build(toolchain.run(*make), Path(f"{directory}.log"), complaint)
        yield directory


def build_tools(toolchain: Toolchain, *targets: str | PurePath) -> Path:
    """Build static tools outside of the checkout, or only these @targets. Return their
    folder "tools"."""
    words = toolchain.program_words
    # Objects of a newer suite do not link with the C library of an older one.
    root = [toolchain.root] if toolchain.root else []
    directory = CACHE / "static-tools" / tag_of(ROOT, *words, *root)
    with locked(directory.with_suffix(".lock")):
        folders = ("tools", "include/uapi")
        copy_sources(folders, TOOL_SOURCES, directory)
        goals = [*words, *map(str, targets or ["all"])]
        make = toolchain.run("make", "-C", directory / "tools", "STATIC=1", *goals)
        build(make, directory.with_suffix(".log"), "the tools do not build")
    return directory / "tools"


def install_python(root: Path) -> None:
    """Build the Python package in the checkout. Install it in @root, with the programs
    that are in Python, where Debian's packages have them."""
    (root / "usr/share/bash-completion/completions").mkdir(parents=True, exist_ok=True)
    make: list[str | Path] = ["make", "-C", ROOT / "tools", f"DESTDIR={root}"]
    make += ["PREFIX=/usr", "PYTHONDIR=/usr/lib/python3/dist-packages"]
    make += [
        f"install-{name}" for name in ("python", "commands", "selftest", "nexus", "scope")
    ]
    lock = CACHE / "python" / tag_of(ROOT)
    with locked(lock):
        log, complaint = lock.with_suffix(".log"), "the Python programs do not build"
        build(make, log, complaint)


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("kernel")
    with built_modules(kernel.prepare(parser.parse_args(words).kernel)) as directory:
        print(directory)
    return 0
