# SPDX-License-Identifier: GPL-2.0-only
"""A debug build of the modules, with a random delay beside each lettered barrier.

The letters (Documentation/architecture.md) stand in comments at the ends of lines. So
this file reads lines, not C: a delay follows a statement that ends on the line. It
precedes any other, such as an "if" whose condition has the letter."""

import re
from pathlib import Path

from .common import ROOT, TESTING
from .modules import built_modules

PARTS = ("zio-core", "buffers", "triggers", "drivers", "include")
# The owner of a phase looks at the set after this call: rule E.
IDLE = "make_idle(cset);"
LETTERS = re.compile(r"\s+\S.*/\* [A-Z](, [A-Z])* \*/$")
# A line before a statement ends so.
BETWEEN = (";", "{", "}", ":", "*/")
CALL = "zio_delay();"


def strip_comment(line: str) -> str:
    return re.sub(r"\s*/\*.*\*/\s*$", "", line)


def find_begin(lines: list[str]) -> int:
    """Return the index of the line where the statement of the last line begins."""
    i = len(lines) - 1
    while i > 0 and not strip_comment(lines[i - 1]).rstrip().endswith(BETWEEN):
        i -= 1
    return i


def add_call(lines: list[str], after: str) -> None:
    """Add a call behind the statement that ends on the last line, or before the one that
    contains this line. @after is the next line."""
    begin = find_begin(lines)
    ends = strip_comment(lines[-1]).endswith(";")
    leaves = lines[begin].strip().startswith("return")
    if ends and not leaves and not after.strip().startswith("else"):
        lines.append(CALL)
    else:
        lines.insert(begin, CALL)


def add_delays(text: str) -> str:
    """Return the source @text with calls."""
    lines = text.split("\n")
    result: list[str] = []
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        result.append(line)
        if line.strip() == IDLE or LETTERS.match(line):
            add_call(result, after)
    return "\n".join(result)


def source_files() -> list[Path]:
    paths = [path for part in PARTS for path in sorted((ROOT / part).rglob("*"))]
    wanted = [
        path for path in paths if path.name == "Kbuild" or path.suffix in (".c", ".h")
    ]
    paths = [path.relative_to(ROOT) for path in wanted if ".mod." not in path.name]
    return [path for path in paths if not str(path).startswith("zio-core/tests")]


def write_changed(path: Path, text: str) -> None:
    """Write a file only if it differs: make compiles files with a new time."""
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write_sources(directory: Path) -> None:
    header = (TESTING / "delays/zio-delays.h").read_text()
    write_changed(directory / "include/zio-delays.h", header)
    # A declaration may follow a delay.
    kbuild = (ROOT / "Kbuild").read_text().replace("-Werror", "")
    kbuild = kbuild.replace("zio-ccflags :=", "zio-ccflags := -include zio-delays.h")
    write_changed(directory / "Kbuild", kbuild)
    for path in source_files():
        write_changed(directory / path, add_delays((ROOT / path).read_text()))


def build_modules(tree: Path) -> Path:
    """Build the modules with delays for the kernel in @tree. Return their directory."""
    with built_modules(tree, "-delays", "SOURCES=", write=write_sources) as directory:
        return directory
