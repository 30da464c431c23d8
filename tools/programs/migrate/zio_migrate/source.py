# SPDX-License-Identifier: GPL-2.0-only
"""The words of C sources, with their line numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".cc")
COMMENT = re.compile(
    r"""/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""", re.S
)
UNUSED = re.compile(
    r"^[ \t]*#[ \t]*if[ \t]+0\b.*?^[ \t]*#[ \t]*(?:endif|else)\b", re.S | re.M
)
TOKEN = re.compile(
    r"""(?P<include><[\w./-]+\.h>)|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<other>'(?:\\.|[^'\\\n])*'|->|[^\s])"""
)
# The definition of a function or a macro
DEFINED = re.compile(
    r"\b(\w+)[ \t\n]*\([^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*\)\s*\{"
    r"|^[ \t]*#[ \t]*define[ \t]+(\w+)",
    re.M,
)


class Failure(Exception):
    """The reason of a failure, for the user."""


@dataclass(frozen=True)
class Token:
    """A word of C, and its line."""

    text: str
    line: int
    kind: str


def blank(found: re.Match[str]) -> str:
    """Replace a comment by a space and its newlines; keep strings."""
    if found.lastindex:
        return found[0]
    return " " + "\n" * found[0].count("\n")


def without_comments(text: str) -> str:
    """Return the code of a source, in the same lines, without the text after #if 0."""
    code = COMMENT.sub(blank, text)
    return UNUSED.sub(lambda found: "\n" * found[0].count("\n"), code)


def tokens_of(text: str) -> list[Token]:
    code = without_comments(text)
    found, line, at = [], 1, 0
    for token in TOKEN.finditer(code):
        line += code.count("\n", at, token.start())
        at = token.start()
        found.append(Token(token[0], line, token.lastgroup or "other"))
    return found


def defined_in(text: str) -> set[str]:
    """Return the functions and macros that a source defines."""
    code = without_comments(text)
    return {name for found in DEFINED.finditer(code) for name in found.groups() if name}


def find_sources(paths: list[Path]) -> Iterator[Path]:
    """Yield the C sources: files in @paths, and those below directories."""
    for path in paths:
        if path.is_dir():
            below = (file for file in path.rglob("*") if file.suffix in SUFFIXES)
            yield from sorted(file for file in below if ".mod." not in file.name)
        elif path.exists():
            yield path
        else:
            raise Failure(f"{path}: there is no such file")


def read(path: Path) -> str:
    """Return the text of a source. Old sources may have Latin-1 bytes: keep them."""
    try:
        return path.read_text(errors="surrogateescape")
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
