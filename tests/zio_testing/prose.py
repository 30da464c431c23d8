# SPDX-License-Identifier: GPL-2.0-only
"""prose - the mechanical part of the rules for comments and documents

Usage: prose [--count] [PATH]...

With no path, prose reads all files that git knows. --count prints the number of findings
in each folder, not the findings.

  actor         "who" without a noun before it: name the actor
  pronoun       "he", "his", "him" for code: it is "it"
  without       a sentence that starts with "Without": say what happens first
  nobody but    an inverted sentence, "Nobody ... but": say it directly
  kernel-doc    a description of a function without "Context:", or without "Return:" if
                the function returns a value
  long line     a line of a document with over 90 columns. Tables, links, and blocks of
                code may be longer

In C, shell, Python, Make and litmus tests, prose reads only comments and doc strings. It
prints FILE:LINE, the rule, and the text. The exit status is 1 if there is any finding.
With no path, prose does not read the files in EXEMPT.
"""

import io
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .common import ROOT, Parser

WIDTH = 90
# Files, and folders, that prose reads only when they are named
EXEMPT = ("tests/mutants.d",)  # text of other files
NOT_NOUNS = (
    "and or but if when as to for of by with than that so it is are was be not only no "
    "then also tells asks knows sees says see tell ask know"
).split()
RULES = {
    "actor": re.compile(
        rf"(?:^|[.,;:!?(\"-]|\b(?:{'|'.join(NOT_NOUNS)}))\s*\b[Ww]ho\b|\bWho\b"
    ),
    "pronoun": re.compile(r"\b(?:[Hh]e|[Hh]is|[Hh]im)\b"),
    "without": re.compile(r"(?:^|[.!?:]\s+)Without\b(?! (?:it|them),)"),
    "nobody but": re.compile(r"\b(?:Nobody|Nothing|None)\b[^.]*\bbut\b"),
}
C_SUFFIXES = (".c", ".h", ".S")
HASH_SUFFIXES = (".sh", ".awk", ".config", ".gp", ".mk", ".rules")
HASH_NAMES = ("Makefile", "Kbuild", "Kconfig")
COMMENT = re.compile(
    r"""/\*(?P<block>.*?)\*/|//(?P<line>[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.S,
)

KERNEL_DOC = re.compile(
    r"^/\*\*\n \* (?P<name>\w+)\(\) - (?P<doc>.*?)\*/\n(?P<head>[^;{]*)", re.S | re.M
)
VOID = re.compile(r"(?:[\w ]+ )?void \w|#define")


class Line(NamedTuple):
    """A line of prose. @starts: it does not continue the line before it."""

    number: int
    text: str
    starts: bool = False


# --- the prose of a file ----------------------------------------------------------------


def c_comments(text: str) -> Iterator[Line]:
    for found in COMMENT.finditer(text):
        first = text.count("\n", 0, found.start()) + 1
        body = found["block"] or found["line"] or ""
        for number, line in enumerate(body.split("\n"), first):
            line = re.sub(r"^\s*\*+ ?", "", line)
            yield Line(number, line.strip(), number == first)


def hash_comments(text: str) -> Iterator[Line]:
    for number, line in enumerate(text.split("\n"), 1):
        found = re.match(r"\s*#+(?: (?!CONFIG_\w+ is not set)(.*)|$)", line)
        if found:
            yield Line(number, found[1] or "")


def python_comments(text: str) -> Iterator[Line]:
    """Yield the comments and the doc strings."""
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            after_code = not token.line.lstrip().startswith("#")
            yield Line(token.start[0], token.string.lstrip("# "), after_code)
            continue
        starts_statement = before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.STRING and starts_statement:
            for number, line in enumerate(token.string.split("\n"), token.start[0]):
                line = line.replace('"""', "").strip()
                yield Line(number, line, number == token.start[0])
        if token.type != tokenize.NL:
            before = token.type


def litmus_comments(text: str) -> Iterator[Line]:
    """Yield the head of a litmus test, but not the lines that its program reads."""
    for number, line in enumerate(text.partition("\n *)")[0].split("\n"), 1):
        if found := re.match(r" \*(?: (?!(?:at|code|order|weaken)\b)(.*)|$)", line):
            yield Line(number, found[1] or "")


def document_lines(path: Path, text: str) -> Iterator[Line]:
    """Yield the lines outside of blocks of code. Files in Documentation/ABI have none:
    their prose is indented."""
    is_code, code = False, ("    ", "\t") if path.suffix else ()
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith(code):
            yield Line(number, line)


def prose_of(path: Path, text: str) -> Iterator[Line]:
    name, first = path.name, text.partition("\n")[0]
    if name.endswith(C_SUFFIXES):
        yield from c_comments(text)
    elif name.endswith(".py") or ("python" in first and first.startswith("#!")):
        yield from python_comments(text)
    elif name.endswith(HASH_SUFFIXES) or name in HASH_NAMES or first.startswith("#!"):
        yield from hash_comments(text)
    elif name.endswith(".litmus"):
        yield from litmus_comments(text)
    elif is_document(path):
        yield from document_lines(path, text)


def is_document(path: Path) -> bool:
    return path.suffix in (".md", ".rst") or "Documentation/ABI" in str(path)


# --- the rules --------------------------------------------------------------------------


def joined(lines: list[Line]) -> Iterator[tuple[int, str, bool]]:
    """Yield the lines, and whether a line continues the sentence of the line before. Such
    a line gets the last word of that line in front."""
    last, before = 0, ""
    for number, line, starts in lines:
        follows = number == last + 1 and not starts
        goes_on = follows and re.search(r"[\w,;()'\"-]$", before) is not None
        word = before.rpartition(" ")[2] if goes_on else ""
        yield number, f"{word} {line}".strip(), goes_on
        last, before = number, line


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
    lines = list(prose_of(path, text))
    for number, line, goes_on in joined(lines):
        bare = re.sub(r"`[^`]*`|\"[^\"]*\"", "X", line)
        for rule, pattern in RULES.items():
            found = pattern.search(bare)
            # A line that continues a sentence does not begin one.
            if found and not (goes_on and found.start() == 0):
                yield number, rule, line
    for number, line, _ in kernel_doc_faults(text) if path.suffix in (".c", ".h") else ():
        yield number, "kernel-doc", line
    if is_document(path):
        for number, line, _ in lines:
            if is_long(line):
                yield number, "long line", line[:60]


def known_files() -> list[Path]:
    out = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True
    ).stdout
    names = [name for name in out.split("\0") if name and not name.startswith(EXEMPT)]
    return [ROOT / name for name in names if not (ROOT / name).is_symlink()]


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
