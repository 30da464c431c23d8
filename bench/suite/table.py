# SPDX-License-Identifier: GPL-2.0-only
"""Tables: rows of measurements in a CSV file, and text for a document."""

import csv
import functools
import pathlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .plan import Result, Row

HERE = pathlib.Path(__file__).resolve().parent.parent
Column = tuple[str, Callable[[Any], str]]  # its head, and a cell for each row
FIRST_COLUMNS = ["mode", "method", "size", "count", "blocks", "ns", "insn", "us"]


def parse_value(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def read_csv(path: pathlib.Path) -> list[Row]:
    with path.open(newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return [
            {name: parse_value(text) for name, text in row.items() if text != ""}
            for row in csv.DictReader(lines)
        ]


def write_csv(path: pathlib.Path, rows: list[Row]) -> None:
    columns = list(FIRST_COLUMNS)
    for row in rows:
        columns += [name for name in row if name not in columns]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def plain_rows(results: Iterable[Result]) -> list[Row]:
    """A row for each object that a command has printed."""
    return [
        {**result.key, **found}
        for result in results
        if "method" in result.key
        for found in result.objects()
    ]


def add_costs(rows: list[Row], mode: str) -> None:
    """Adds the mode, and the cost of a block, to rows that have blocks and ns."""
    for row in rows:
        row["mode"] = mode
        if "ns" in row:
            each = row["ns"] / row["blocks"]
            row.setdefault("us", round(each / 1000, 4))
            row.setdefault("insn", round(each, 1))
        if mode != "icount":
            row.pop("insn", None)


class Table:
    """The measurements of one benchmark."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def select(self, method: str, mode: str = "icount", **match: object) -> list[Row]:
        match = {**match, "method": method, "mode": mode}
        return [
            row for row in self.rows if all(row.get(k) == v for k, v in match.items())
        ]

    def get(self, method: str, field: str = "insn", **match: object) -> float | None:
        for row in self.select(method, **match):
            if field in row:
                return float(row[field])  # type: ignore[arg-type]
        return None

    def curve(
        self,
        method: str,
        x: str = "size",
        y: str = "insn",
        unit: int = 1,
        **match: object,
    ) -> list[tuple[float, float]]:
        """The field @y, in units of @unit, by the field @x."""
        return sorted(
            (row[x], row[y] / unit if unit > 1 else row[y])
            for row in self.select(method, **match)
            if x in row and y in row
        )

    def column(
        self,
        head: str,
        method: str,
        field: str = "insn",
        digits: int = 0,
        key: str = "size",
        **match: object,
    ) -> Column:
        """A column of a document: the field in the row whose key has a value."""

        def cell(value: object) -> str:
            return number(self.get(method, field, **{key: value}, **match), digits)

        return head, cell

    def has_plain(self) -> bool:
        return any(row["mode"] == "plain" for row in self.rows)


@functools.cache
def read_references() -> list[Row]:
    """The unit is the name of the field. Rows get the microseconds of a block, too."""
    rows = read_csv(HERE / "reference.csv")
    for row in rows:
        row |= {row["unit"]: row["value"], "mode": "icount"}
        if row["unit"] == "insn":
            row["us"] = row["insn"] / 1000
        elif row["unit"] == "s" and "count" in row:
            row["us"] = row["s"] / row["count"] * 1e6
    return rows


def published(source: str, bench: str) -> Table:
    """Figures of others: ZIO 1.1, and the authors of earlier experiments."""
    rows = read_references()
    return Table([r for r in rows if (r["source"], r["bench"]) == (source, bench)])


# Text


def number(value: float | None, digits: int = 0) -> str:
    """A number for a document: empty if there is none, blanks from 10 000 on."""
    if value is None:
        return ""
    text = f"{round(value, digits) if digits < 0 else value:,.{max(digits, 0)}f}"
    return text.replace(",", " " if abs(value) >= 9999.5 else "")


def ratio(a: float | None, b: float | None, digits: int = 2) -> str:
    return number(a / b, digits) if a is not None and b else ""


def grid(head: str, values: Iterable[Any], columns: Sequence[Column]) -> str:
    """A table whose rows are, say, sizes."""
    rows = ([number(value), *(cell(value) for _, cell in columns)] for value in values)
    return markdown([head, *(name for name, _ in columns)], rows)


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)
