# SPDX-License-Identifier: GPL-2.0-only
"""The targets beside what was measured: targets.csv has the lines."""

import functools
import operator

from . import share
from .table import HERE, Table, markdown, published, read_csv

Tables = dict[str, Table]
HEAD = """# Target, measured, reference

Instruction counts (QEMU -icount), beside ZIO 1.1 on the same kernel.

"""


def spread(tables: Tables, method: str) -> float:
    costs = [cost for _, cost in tables["scale-devices"].curve(method, "count")]
    return max(costs) / min(costs)


def beside_blocks(tables: Tables) -> float | None:
    channel, block = (tables["memory"].get(m, "kib") for m in ("channel", "block"))
    depth = tables["memory"].get("block", "count")
    return channel - block * depth if channel and block and depth else None


def register_cost(tables: Tables, first: str, last: str) -> float | None:
    """Thousand instructions of each of these devices."""
    counts = int(first), int(last)
    few, many = (tables["register"].get("insmod", "ns", count=n) for n in counts)
    return (many - few) / (counts[1] - counts[0]) / 1000 if few and many else None


def cheapest_copy(tables: Tables, size: str) -> float | None:
    return share.cheapest_copy(tables["share"], int(size))


FUNCTIONS = {
    "spread": spread,
    "beside-blocks": beside_blocks,
    "register-cost": register_cost,
    "cheapest-copy": cheapest_copy,
}


def value_of(tables: Tables, text: str) -> float | None:
    """@text has the words BENCHMARK METHOD FIELD [KEY=VALUE]..., or a function and its
    arguments. Two such texts with a slash between are a ratio."""
    values = []
    for words in (part.split() for part in text.split(" / ")):
        if words[0] in FUNCTIONS:
            values.append(FUNCTIONS[words[0]](tables, *words[1:]))
            continue
        bench, method, field, *match = words
        keys = dict(word.split("=") for word in match)
        wanted = {key: int(v) if v.isdigit() else v for key, v in keys.items()}
        values.append(tables[bench].get(method, field, **wanted))
    return None if None in values else functools.reduce(operator.truediv, values)


def line(tables: Tables, row: dict[str, object]) -> list[str] | None:
    """What was not measured is left out."""
    try:
        measured = value_of(tables, str(row["measured"]))
    except (KeyError, ValueError):
        return None
    if measured is None:
        return None
    target, was = row.get("target"), row.get("zio-1.1", "-")
    if str(was).startswith("@"):
        text = str(was)[1:]
        old = value_of({text.split()[0]: published("zio-1.1", text.split()[0])}, text)
        was = "-" if old is None else f"{round(old, 2):g}"
    met = "-" if target is None else "yes" if round(measured, 4) <= target else "NO"
    limit = "-" if target is None else f"<= {target}"
    cells = [row["what"], row["unit"], limit, f"{measured:.{row['digits']}f}", was, met]
    return [str(cell) for cell in cells]


def summary(tables: Tables) -> str:
    lines = [line(tables, row) for row in read_csv(HERE / "targets.csv")]
    head = ["what", "unit", "target", "measured", "ZIO 1.1", "met"]
    return HEAD + markdown(head, [cells for cells in lines if cells]) + "\n"
