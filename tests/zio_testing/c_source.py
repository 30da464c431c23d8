# SPDX-License-Identifier: GPL-2.0-only
"""Find the names that a C file defines, declares, includes and uses; no preprocessor."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\s+|\\\n)|
    (?P<directive>^[ \t]*\#[ \t]*(?P<word>\w+)[ \t]*(?P<rest>(?:\\\n|[^\n])*))|
    (?P<name>[A-Za-z_]\w*)|(?P<other>->|.)""",
    re.S | re.M | re.X,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
FUNCTION = re.compile(r"(?!__|void\b)[a-z_]\w*")
MACRO = re.compile(r"([a-z_]\w*)\(([^)]*)\)")


@dataclass(frozen=True)
class Name:
    """A token and its line."""

    text: str
    line: int


@dataclass
class Source:
    """The names in a file, except the static functions of a .c file."""

    path: Path
    defined: dict[str, int] = field(default_factory=dict)
    declared: dict[str, int] = field(default_factory=dict)
    # Names of static functions: a use of them in this file is not a call of another
    own: set[str] = field(default_factory=set)
    used: list[Name] = field(default_factory=list)
    includes: list[Name] = field(default_factory=list)


def read_source(path: Path) -> Source:
    text = path.read_text()
    source = Source(path)
    for found in INCLUDE.finditer(text):
        source.includes.append(Name(found[1], text.count("\n", 0, found.start()) + 1))
    tokens = list(tokenize(text, source))
    source.used = [
        token
        for before, token in zip([Name("", 0), *tokens], tokens, strict=False)
        if re.match(r"[A-Za-z_]", token.text) and before.text not in ("->", ".")
    ]
    for statement, has_body in statements(tokens):
        note_function(source, statement, has_body)
    return source


def tokenize(text: str, source: Source, line: int = 1) -> Iterator[Name]:
    """Yield the tokens. A macro with arguments counts as a function, and its body counts
    as text of the file."""
    for found in TOKEN.finditer(text):
        if found["name"] or found["other"]:
            yield Name(found[0], line)
        elif found["word"] == "define":
            macro = MACRO.match(found["rest"])
            if macro and source.path.suffix == ".h":
                source.defined[macro[1]] = line
            body = found["rest"].partition(" ")[2] if not macro else ""
            body = found["rest"][macro.end() :] if macro else body
            yield Name(";", line)
            for token in tokenize(body, source, line):
                # Keep the body from being read as a statement of the file.
                if re.match(r"[A-Za-z_]", token.text):
                    yield token
                    yield Name(";", line)
        line += found[0].count("\n")


def statements(tokens: list[Name]) -> Iterator[tuple[list[Name], bool]]:
    """Yield the tokens outside of all braces, up to a semicolon or the body of a function.
    Yield with them whether there is a body."""
    statement: list[Name] = []
    depth = 0
    for token in tokens:
        if token.text == "{":
            if depth == 0 and is_function(statement):
                yield statement, True
                statement = []
            depth += 1
        elif token.text == "}":
            depth -= 1
        elif depth == 0:
            if token.text == ";":
                yield statement, False
                statement = []
            else:
                statement.append(token)


def is_function(statement: list[Name]) -> bool:
    texts = [token.text for token in statement]
    return "(" in texts and "=" not in texts


def note_function(source: Source, statement: list[Name], has_body: bool) -> None:
    """Note the first name before parentheses. Skip attributes, and macros, which have
    capital letters or stand alone."""
    texts = [token.text for token in statement]
    if not is_function(statement) or "typedef" in texts:
        return
    depth = 0
    for at, (token, after) in enumerate(zip(statement, texts[1:], strict=False)):
        depth += (token.text == "(") - (token.text == ")")
        if after == "(" and depth == 0 and at and FUNCTION.fullmatch(token.text):
            break
    else:
        return
    in_header = source.path.suffix == ".h"
    if "static" in texts[:at] and not in_header:
        source.own.add(token.text)
    elif has_body:
        source.defined.setdefault(token.text, token.line)
    else:
        source.declared.setdefault(token.text, token.line)
        source.used = [use for use in source.used if use != token]
