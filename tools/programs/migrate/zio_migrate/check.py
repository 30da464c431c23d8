# SPDX-License-Identifier: GPL-2.0-only
"""check: find each place in a source that uses ZIO 1.x, and its row of the table."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .source import Token, defined_in, find_sources, read, tokens_of
from .table import CLASSES, NAME, Row, known_names, words_of

UNKNOWN = "unknown"
# Macros of both versions, with their number of arguments in 1.x
ARGUMENTS = {"ZIO_ATTR_EXT": 4}
OPENING, CLOSING = set("({["), set(")}]")


@dataclass(frozen=True)
class Place:
    """A use of a symbol. @row is None for an unknown name."""

    file: Path
    line: int
    symbol: str
    row: Row | None

    @property
    def kind(self) -> str:
        return self.row.kind if self.row else UNKNOWN

    def as_text(self) -> str:
        where = f"{self.file}:{self.line}: {self.symbol}"
        if not self.row:
            return f"{where}: {UNKNOWN}: neither ZIO 1.x nor this version has this name"
        see = f" ({self.row.see})" if self.row.see else ""
        return f"{where}: {CLASSES[self.kind]}: {self.row.instead}{see}"

    def as_object(self) -> dict[str, object]:
        return {
            "file": str(self.file),
            "line": self.line,
            "symbol": self.symbol,
            "class": self.kind,
            "instead": self.row.instead if self.row else None,
            "see": self.row.see if self.row else None,
        }


def count_arguments(words: tuple[str, ...], at: int) -> int:
    """Return the number of arguments of the call whose name is at @at."""
    depth, n = 0, 1
    for word in words[at + 1 :]:
        depth += (word in OPENING) - (word in CLOSING)
        n += word == "," and depth == 1
        if depth <= 0:
            break
    return n


class Finder:
    """Finds the symbols of the table in sources."""

    def __init__(self, rows: list[Row], known: set[str]) -> None:
        self.known = known
        self.files = {
            row.symbol.strip('"'): row for row in rows if row.symbol.startswith('"')
        }
        names = "|".join(
            sorted((re.escape(name) for name in self.files), key=len, reverse=True)
        )
        self.in_strings = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])")
        self.by_first: dict[str, list[tuple[tuple[str, ...], Row]]] = defaultdict(list)
        for row in rows:
            if not row.symbol.startswith('"'):
                self.by_first[row.words[0]].append((row.words, row))
        for found in self.by_first.values():
            found.sort(key=lambda pair: -len(pair[0]))

    def longest(self, words: tuple[str, ...], at: int) -> tuple[int, Row | None]:
        """Return the number of words of the longest symbol at @at, and its row."""
        for symbol, row in self.by_first.get(words[at], ()):
            if words[at : at + len(symbol)] == symbol:
                wanted = ARGUMENTS.get(row.symbol)
                is_old = not wanted or count_arguments(words, at) == wanted
                return len(symbol), row if is_old else None
        return 1, None

    def places(self, file: Path, tokens: list[Token], own: set[str]) -> Iterator[Place]:
        words = words_of(tokens)
        at = 0
        while at < len(tokens):
            token = tokens[at]
            n, row = self.longest(words, at)
            if row:
                yield Place(file, token.line, row.symbol, row)
            elif token.kind == "string":
                for found in self.in_strings.finditer(token.text):
                    yield Place(file, token.line, found[0], self.files[found[0]])
            elif NAME.fullmatch(token.text) and token.text not in self.known | own:
                yield Place(file, token.line, token.text, None)
            at += n


def find_places(paths: list[Path], rows: list[Row], headers: Path | None) -> list[Place]:
    texts = {path: read(path) for path in find_sources(paths)}
    own = set().union(*map(defined_in, texts.values()))
    finder = Finder(rows, known_names(rows, headers))
    return [
        place
        for path, text in texts.items()
        for place in finder.places(path, tokens_of(text), own)
    ]


def summarise(places: list[Place]) -> str:
    """Return a line such as "143 places: 97 by the patch, 40 vanish, 6 by hand"."""
    counts = Counter(place.kind for place in places)
    parts = [f"{counts[kind]} {text}" for kind, text in CLASSES.items() if counts[kind]]
    if counts[UNKNOWN]:
        parts.append(f"{counts[UNKNOWN]} {UNKNOWN}")
    n = len(places)
    return f"{n} place{'' if n == 1 else 's'}{': ' if parts else ''}{', '.join(parts)}"


def print_text(places: list[Place], show_all: bool) -> None:
    for place in places:
        if show_all or place.kind != "same":
            print(place.as_text())


def print_json(places: list[Place]) -> None:
    counts = Counter(place.kind for place in places)
    result = {"counts": counts, "places": [place.as_object() for place in places]}
    print(json.dumps(result, indent=1))
