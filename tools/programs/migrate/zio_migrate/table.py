# SPDX-License-Identifier: GPL-2.0-only
"""The table of ZIO 1.x symbols, for check and the documents."""

import re
from dataclasses import dataclass
from pathlib import Path

from .source import Token, tokens_of

FILE = Path(__file__).with_name("table.tsv")
# The classes of rows, and their names in summaries and pages
CLASSES = {
    "patch": "by the patch",
    "vanishes": "vanish",
    "hand": "by hand",
    "none": "not available",
    "same": "stay",
}
# Names of 1.x and of this version
NAME = re.compile(r"\b(?:to_zio|_*(?:zio|ZIO))_\w+")


@dataclass(frozen=True)
class Row:
    """A symbol of 1.x: a name, the end of an expression (cset->lock), a header, or a file
    in quotation marks."""

    symbol: str
    kind: str
    instead: str
    see: str
    section: str

    @property
    def words(self) -> tuple[str, ...]:
        """The symbol as words of C. "." and "->" are the same."""
        return words_of(tokens_of(self.symbol.removesuffix(")")))


def words_of(tokens: list[Token]) -> tuple[str, ...]:
    return tuple("." if token.text == "->" else token.text for token in tokens)


def load(path: Path = FILE) -> list[Row]:
    rows, section = [], ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("## "):
            section = line[3:]
        elif line and not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) != 4 or cells[1] not in CLASSES:
                raise ValueError(f"{path.name}:{number}: a row has four cells")
            rows.append(Row(cells[0], cells[1], cells[2], cells[3], section))
    return rows


def known_names(rows: list[Row], headers: Path | None) -> set[str]:
    """Return the names in the table and in this version's headers."""
    texts = [f"{row.symbol} {row.instead}" for row in rows]
    if headers:
        texts += [path.read_text() for path in sorted(headers.rglob("zio*.h"))]
    return set(NAME.findall("\n".join(texts)))


def escape(text: str) -> str:
    return text.replace("|", "\\|")


def link(see: str, folder: str) -> str:
    """Return a link to a section, for a page in a subfolder of Documentation."""
    page, _, at = see.partition("#")
    name = page.removesuffix(".md")
    return f"[{name}]({folder}{page}{'#' + at if at else ''})" if page else ""


def markdown(rows: list[Row], folder: str = "../") -> str:
    """Return the table in Markdown: a heading and a table for each section."""
    parts: list[str] = []
    for section in dict.fromkeys(row.section for row in rows):
        parts.append(
            f"### {section}\n\n| ZIO 1.x | what happens | now | see |\n|---|---|---|---|"
        )
        parts += [
            f"| `{escape(row.symbol)}` | {CLASSES[row.kind]} | {escape(row.instead)} "
            f"| {link(row.see, folder)} |"
            for row in rows
            if row.section == section
        ]
        parts.append("")
    return "\n".join(parts)
