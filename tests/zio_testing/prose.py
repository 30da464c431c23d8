# SPDX-License-Identifier: GPL-2.0-only
"""prose - check the kernel-doc of functions and the width of documents

Usage: prose [--count] [PATH]...

With no path, prose reads all files that git knows. --count prints the number of findings
in each folder, not the findings.

  kernel-doc    a description of a function without "Context:", or without "Return:" if
                the function returns a value
  long line     a line of a document with over 90 columns. Tables, links, and blocks of
                code may be longer

prose prints FILE:LINE, the rule, and the text. The exit status is 1 if there is any
finding.
"""

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .common import ROOT, Parser

WIDTH = 90
C_SUFFIXES = (".c", ".h")
KERNEL_DOC = re.compile(
    r"^/\*\*\n \* (?P<name>\w+)\(\) - (?P<doc>.*?)\*/\n(?P<head>[^;{]*)", re.S | re.M
)
VOID = re.compile(r"(?:[\w ]+ )?void \w|#define")


class Line(NamedTuple):
    number: int
    text: str


# --- the rules --------------------------------------------------------------------------


def document_lines(path: Path, text: str) -> Iterator[Line]:
    """Yield the lines outside of blocks of code. Files in Documentation/ABI have none:
    their prose is indented."""
    is_code, code = False, ("    ", "\t") if path.suffix else ()
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith(code):
            yield Line(number, line)


def is_document(path: Path) -> bool:
    return path.suffix in (".md", ".rst") or "Documentation/ABI" in str(path)


def kernel_doc_faults(text: str) -> Iterator[Line]:
    for found in KERNEL_DOC.finditer(text):
        wanted = ["Context:"] if VOID.match(found["head"]) else ["Context:", "Return:"]
        for part in wanted:
            if f" * {part}" not in found["doc"]:
                number = text.count("\n", 0, found.start("name")) + 1
                yield Line(number, f"{found['name']}() lacks {part}")


def is_long(line: str) -> bool:
    if len(line.expandtabs(8)) <= WIDTH or line.lstrip().startswith(("|", "[", "<", "!")):
        return False
    # A link cannot be broken.
    return "](" not in line and "://" not in line


def findings_in(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, rule and text."""
    try:
        text = path.read_text()
    except (UnicodeDecodeError, IsADirectoryError):
        return
    if path.suffix in C_SUFFIXES:
        for number, line in kernel_doc_faults(text):
            yield number, "kernel-doc", line
    if is_document(path):
        for number, line in document_lines(path, text):
            if is_long(line):
                yield number, "long line", line[:60]


def known_files() -> list[Path]:
    out = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True
    ).stdout
    paths = [ROOT / name for name in out.split("\0") if name]
    return [path for path in paths if not path.is_symlink()]


def folder_of(path: Path) -> str:
    parts = path.parent.parts
    depth = 3 if parts[:2] == ("tests", "unit") else 2
    return "/".join(parts[:depth]) or "."


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("--count", action="store_true")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args(words)
    count: Counter[str] = Counter()
    for path in [Path(name).resolve() for name in options.paths] or known_files():
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        for line, rule, text in findings_in(path):
            count[folder_of(shown)] += 1
            if not options.count:
                print(f"{shown}:{line}: {rule}: {text}")
    if options.count:
        for folder, number in sorted(count.items()):
            print(f"{number:5} {folder}")
    return 1 if count else 0
