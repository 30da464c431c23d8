# SPDX-License-Identifier: GPL-2.0-only
"""versions - compare all places that have the version of ZIO

Usage: versions [DIRECTORY]
       versions --set NUMBER

Kbuild has the version. The other files repeat it, because users or other programs read
it there. Prints the version, or a line for each place that has another one. The exit
status is 1 if there is such a place.

--set changes the number in all files but the map of symbols: a new number is a new node
there. In the lists of changes it changes the first entry.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from .common import ROOT, Failure, Usage

SOURCE = ("Kbuild", r"^zio-version := (\S+)")
# The first match counts.
REPEATS = {
    "tools/libzio/zio.h": r'^#define LIBZIO_VERSION "(.*)"',
    "debian/changelog": r"^zio \((.*?)\)",
    "CHANGELOG.md": r"^## (\S+)",
    "packaging/rpm/zio.spec": r"^Version: +(\S+)",
    "tools/languages/rust/Cargo.toml": r'^version = "(.*)\.0"',
}
MAP = "tools/libzio/libzio.map"
SONAME = ("tools/Makefile", r"^soname = libzio\.so\.(\S+)")
WANTED = "MODULE_VERSION(ZIO_MODULE_VERSION)"
MODULES = ("zio-core", "buffers", "triggers", "drivers")


def find(root: Path, name: str, pattern: str) -> str:
    path = root / name
    text = path.read_text() if path.exists() else ""
    found = re.search(pattern, text, re.M)
    return str(found[1]) if found else "none"


def newest_symbols(root: Path) -> str:
    """Return the version of the last node: a symbol that is added gets a new one."""
    nodes = re.findall(r"^LIBZIO_(\S+) \{", (root / MAP).read_text(), re.M)
    return str(nodes[-1]) if nodes else "none"


def modules_without(root: Path) -> Iterator[str]:
    """Yield the modules that modinfo shows with no version."""
    for path in sorted(path for part in MODULES for path in (root / part).rglob("*.c")):
        text = path.read_text()
        if "\nMODULE_LICENSE(" in text and f"\n{WANTED}" not in text:
            yield str(path.relative_to(root))


def check_tree(root: Path) -> list[str]:
    """Return the faults."""
    version = find(root, *SOURCE)
    found = {name: find(root, name, pattern) for name, pattern in REPEATS.items()}
    found[MAP] = newest_symbols(root)
    faults = [
        f"{name}: has version {other}, but {SOURCE[0]} has {version}"
        for name, other in found.items()
        if other != version
    ]
    soname = find(root, *SONAME)
    if soname != version.split(".")[0]:
        faults.append(f"{SONAME[0]}: has soname {soname}, but the version is {version}")
    faults += [f"{name}: has no {WANTED}" for name in modules_without(root)]
    return faults


def set_version(root: Path, version: str) -> None:
    for name, pattern in [SOURCE, *REPEATS.items()]:
        path = root / name
        text = path.read_text()
        found = re.search(pattern, text, re.M)
        if not found:
            raise Failure(f"{name} has no version")
        path.write_text(text[: found.start(1)] + version + text[found.end(1) :])


def main(words: list[str]) -> int:
    if words[:1] == ["--set"]:
        if len(words) != 2 or not re.fullmatch(r"\d+(\.\d+)+", words[1]):
            raise Usage("--set wants a number such as 1.3")
        set_version(ROOT, words[1])
        return 0
    if len(words) > 1:
        raise Usage("give one directory")
    root = Path(words[0]) if words else ROOT
    faults = check_tree(root)
    for fault in faults:
        print(f"not ok - {fault}")
    if not faults:
        print(find(root, *SOURCE))
    return 1 if faults else 0
