# SPDX-License-Identifier: GPL-2.0-only
"""The tree that mutants change: read once, and copied to scratch directories."""

import hashlib
import subprocess

from .common import CACHE, ROOT, read_log
from .mutant_edit import Stale
from .mutant_patch import HOST, LITMUS, Mutant, Test
from .selftests import is_selftest

MUTANTS = CACHE / "mutants"
FOLDERS = ("zio-core/", "buffers/", "triggers/", "drivers/", "include/")
SOURCES = ("Makefile", "Kbuild", *FOLDERS)
# Directories of the cache that do not depend on the tree
SHARED = ("kernels", "qemu", "saved", "uml")

Tree = dict[str, tuple[bytes, int]]


def read_tree() -> Tree:
    """Return the content and mode of each file: the checkout may change later."""
    command = ["git", "-C", str(ROOT), "ls-files", "-coz", "--exclude-standard"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    tree = {}
    for name in filter(None, out.split("\0")):
        path = ROOT / name
        if path.is_file() and not name.startswith("tests/mutants.d/"):
            tree[name] = (path.read_bytes(), path.stat().st_mode & 0o777)
    return tree


def is_input(name: str, test: Test) -> bool:
    """Return true if the outcome of a test can depend on a file."""
    if name.startswith("tests/zio_testing/mutant"):
        return False
    if test.kind == LITMUS:
        others = ("tools/libzio/", "tests/litmus/")
        return name.startswith((*SOURCES, *others))
    if test.kind == HOST:
        return name.startswith(
            (
                "include/uapi/",
                "Documentation/",
                "examples/",
                "tools/",
                "tests/unit/",
                "tests/models/qemu/",
            )
        )
    if name.startswith("tests/selftests/"):
        base = name.rpartition("/")[2]
        is_shared = not is_selftest(base)
        return not test.is_kunit and (is_shared or test.is_written_in(name))
    if name.startswith(("tests/unit/", "tools/man/", "bench/", "tools/demo")):
        return False
    return name.startswith(
        (*SOURCES, "tools/", "Documentation/ABI/", "examples/porting/")
    )


def hash_inputs(tree: Tree, test: Test) -> str:
    digest = hashlib.sha256()
    for name in sorted(tree):
        if is_input(name, test):
            digest.update(name.encode() + b"\0" + tree[name][0] + b"\0")
    return digest.hexdigest()


class Scratch:
    """A copy of the tree, and its build results. One mutant at a time uses it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.root, self.cache = MUTANTS / "0/tree", MUTANTS / "0/cache"
        for name in SHARED:
            self.share(name)

    def share(self, name: str) -> None:
        (CACHE / name).mkdir(parents=True, exist_ok=True)
        link = self.cache / "zio" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to((CACHE / name).resolve())

    def reset(self) -> None:
        """Write only files that differ: make compiles files with a new time."""
        files = MUTANTS / "0/files"
        for name in set(filter(None, read_log(files).split("\0"))) - self.tree.keys():
            (self.root / name).unlink(missing_ok=True)
        for name, (content, mode) in self.tree.items():
            path = self.root / name
            if path.is_file() and path.read_bytes() == content:
                continue
            # An older build may have left a program where there is a folder now.
            if path.parent.is_file():
                path.parent.unlink()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)
        files.write_text("\0".join(self.tree))

    def check(self, mutant: Mutant) -> dict[str, str]:
        """Return the files that the mutant changes. Raise Stale if it does not fit."""
        texts: dict[str, str] = {}
        for edit in mutant.edits:
            if edit.file not in self.tree:
                raise Stale(f"no file {edit.file}")
            before = texts.get(edit.file) or self.tree[edit.file][0].decode()
            texts[edit.file] = edit.apply(before)
        return texts

    def apply(self, mutant: Mutant) -> None:
        """Put the bug into the copy."""
        texts = self.check(mutant)
        self.reset()
        for file, text in texts.items():
            (self.root / file).write_text(text)
