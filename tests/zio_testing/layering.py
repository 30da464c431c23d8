# SPDX-License-Identifier: GPL-2.0-only
"""layering - the folders of zio-core call only what is below them

Usage: layering [DIRECTORY]

DIRECTORY is zio-core, or a tree with the same folders. From top to bottom:

  device > config > share > channel, trigger > buffer > engine

A folder may call and include the folders to the right of it. channel and trigger stand
on one floor and may not call each other. lib, which helps drivers, main.c and tests stand
above all folders: they may use each folder, and no folder may use them. tests may use lib
and main.c, too. zio-core.h and compat.h stand below all folders: every file may use them.

  upward      a call or an include goes up, or stays on the floor
  private     a folder uses a function of another one that the folder's headers do not
              declare: the header with its name, and those that this one includes
  unused      these headers declare a function that no other folder uses; tests do not
              count, as they may include internal.h

Prints FILE:LINE, the rule, and what to do. The exit status is 1 if there is anything.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .c_source import Source, read_source
from .common import ROOT, Usage

FLOORS = [
    ["engine"],
    ["buffer"],
    ["channel", "trigger"],
    ["share"],
    ["config"],
    ["device"],
]
FOLDERS = [folder for floor in FLOORS for folder in floor]
BELOW_ALL, TOP, LIB, TESTS = "zio-core.h", "main.c", "lib", "tests"
RANK = {folder: rank for rank, floor in enumerate(FLOORS) for folder in floor}
RANK.update({BELOW_ALL: -1, LIB: 90, TOP: 90, TESTS: 99})


def may_use(user: str, used: str) -> bool:
    return user == used or RANK[user] > RANK[used]


class Tree:
    """The files of zio-core, and the folder that defines each function."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sources: dict[Path, Source] = {}
        for path in sorted(root.rglob("*.[ch]")):
            if not path.name.endswith(".mod.c"):
                self.sources[path] = read_source(path)
        public = sorted((root.parent / "include/linux").glob("*.h"))
        self.public = {name for path in public for name in read_source(path).declared}
        self.home = {
            name: self.folder_of(path)
            for path, source in self.sources.items()
            for name in source.defined
        }

    def folder_of(self, path: Path) -> str:
        parts = path.relative_to(self.root).parts
        if len(parts) > 1:
            return parts[0]
        return TOP if path.suffix == ".c" else BELOW_ALL

    def header_of(self, folder: str) -> Path:
        return self.root / folder / f"{folder}.h"

    def headers_of(self, folder: str) -> list[Path]:
        """Return the header of a folder, and those of the folder that it includes."""
        header = self.header_of(folder)
        if header not in self.sources:
            return []
        names = [include.text for include in self.sources[header].includes]
        there = [self.root / name for name in names]
        return [header, *(path for path in there if self.is_in(path, folder))]

    def is_in(self, path: Path, folder: str) -> bool:
        return path in self.sources and self.folder_of(path) == folder

    def declared_by(self, folder: str) -> dict[str, tuple[Path, int]]:
        """Return the names that the headers of a folder declare, and the places."""
        return {
            name: (path, line)
            for path in self.headers_of(folder)
            for found in (self.sources[path].declared, self.sources[path].defined)
            for name, line in found.items()
        }

    def used_inline(self, folder: str) -> set[str]:
        """Return the names of these that the folder's inline functions use."""
        headers = [self.sources[path] for path in self.headers_of(folder)]
        count = Counter(use.text for header in headers for use in header.used)
        defined = {name for header in headers for name in header.defined}
        return {name for name in count if count[name] > (name in defined)}

    def offered_by(self, folder: str) -> set[str]:
        """Return the names that other folders may use: exported functions, and those in
        its header. Return all names of the base."""
        if folder == BELOW_ALL:
            return set(self.home)
        return self.public | self.declared_by(folder).keys()

    def calls(self) -> Iterator[tuple[Path, int, str, str]]:
        """Yield the first use in each file of each function of another folder: the
        file, the line, the function, and the folder that defines it."""
        for path, source in self.sources.items():
            here, seen = self.folder_of(path), set(source.own)
            for use in source.used:
                home = self.home.get(use.text)
                if home and home != here and use.text not in seen:
                    seen.add(use.text)
                    yield path, use.line, use.text, home

    def includes(self) -> Iterator[tuple[Path, int, Path]]:
        """Yield each include of a file of another folder."""
        for path, source in self.sources.items():
            for include in source.includes:
                for place in (path.parent, self.root):
                    target = (place / include.text).resolve()
                    if target in self.sources:
                        if self.folder_of(target) != self.folder_of(path):
                            yield path, include.line, target
                        break


def check_calls(tree: Tree) -> Iterator[str]:
    for path, line, name, home in tree.calls():
        here, at = tree.folder_of(path), f"{path.relative_to(tree.root.parent)}:{line}"
        if not may_use(here, home):
            yield (
                f"{at}: upward: {here} calls {name}() of {home}: let {home} install an "
                "operation or a notifier, or move the function down"
            )
        elif here != TESTS and name not in tree.offered_by(home):
            yield (
                f"{at}: private: {here} calls {name}() of {home}, which "
                f"{home}/{home}.h does not declare: declare it there"
            )


def check_includes(tree: Tree) -> Iterator[str]:
    for path, line, target in tree.includes():
        here, there = tree.folder_of(path), tree.folder_of(target)
        at, name = f"{path.relative_to(tree.root.parent)}:{line}", target.name
        if not may_use(here, there):
            yield f"{at}: upward: {here} includes {there}/{name}: {there} is not below it"
        elif (
            here not in (TESTS, there)
            and there != BELOW_ALL
            and (target != tree.header_of(there))
        ):
            yield (
                f"{at}: private: {here} includes {there}/{name}: include "
                f"{there}/{there}.h, and declare there what is needed"
            )


def check_unused(tree: Tree) -> Iterator[str]:
    used = {
        (name, home)
        for path, _, name, home in tree.calls()
        if tree.folder_of(path) != TESTS
    }
    for folder in FOLDERS:
        inline = tree.used_inline(folder)
        for name, (path, line) in tree.declared_by(folder).items():
            header = path.relative_to(tree.root.parent)
            if (name, folder) not in used and name not in inline:
                yield (
                    f"{header}:{line}: unused: no other folder uses {name}(): declare it "
                    f"in {folder}/internal.h, or make it static"
                )


def check_folders(tree: Tree) -> Iterator[str]:
    known = {*FOLDERS, LIB, TESTS}
    there = {path.name for path in tree.root.iterdir() if path.is_dir()}
    for name in sorted(there - known):
        yield f"zio-core/{name}: has no place among the layers: add it to FLOORS"
    for name in sorted(set(FOLDERS) - there):
        yield f"zio-core/{name}: is missing: remove it from FLOORS"


def has_folders(root: Path) -> bool:
    return any((root / folder).is_dir() for folder in FOLDERS)


def check_tree(root: Path) -> list[str]:
    root = root.resolve()
    if not has_folders(root):
        return []
    tree = Tree(root)
    faults = list(check_folders(tree))
    if faults:
        return faults
    faults += [*check_includes(tree), *check_calls(tree), *check_unused(tree)]
    return faults


def main(words: list[str]) -> int:
    if len(words) > 1:
        raise Usage("give one directory")
    root = Path(words[0]) if words else ROOT / "zio-core"
    faults = check_tree(root)
    print(*faults, sep="\n", end="\n" if faults else "")
    if not has_folders(root.resolve()):
        print("no layers here: all files stand in one folder")
    return 1 if faults else 0
