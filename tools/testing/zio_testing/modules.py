# SPDX-License-Identifier: GPL-2.0-only
"""modules - build the modules of this checkout, print the directory that has them

Usage: modules KERNEL

KERNEL is a name or a directory, as for kernel. Each checkout and kernel has a directory
in ~/.cache/zio/modules.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from zio_testing import kernel
from zio_testing.common import CACHE, ROOT, Command, Usage, build, locked, tag_of


def copy_modules(directory: Path, to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    for module in directory.rglob("*.ko"):
        shutil.copy(module, to)


def build_modules(tree: Path, then: Callable[[Path], None] | None = None) -> Path:
    """Build for the kernel in @tree, call @then with the directory, and return it.
    The lock keeps another build from changing the directory before @then is done."""
    directory = CACHE / "modules" / f"{tree.name}-{tag_of(ROOT, tree)}"
    command: Command = ["make", "-C", ROOT, "--no-print-directory", f"BUILD={directory}"]
    command += [f"KDIR={tree}/build", "modules"]
    with locked(Path(f"{directory}.lock")):
        directory.mkdir(exist_ok=True)
        complaint = f"the modules do not build against {tree}/build"
        build(command, Path(f"{directory}.log"), complaint)
        if then:
            then(directory)
    return directory


def main(words: list[str]) -> int:
    if len(words) != 1:
        raise Usage("give one kernel")
    print(build_modules(kernel.prepare(words[0])))
    return 0
