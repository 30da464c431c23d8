# SPDX-License-Identifier: GPL-2.0-only
"""One volume by several interfaces: after B. LaHaise, 2001."""

import math

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import Plan, Result, Row, cset_dir, node
from .table import Table, grid, plain_rows, published

CSET, NODE = cset_dir("zzero", 0), node("zzero", 0, 0, 0)
VOLUME = 8 << 20
OLD_VOLUME = 700_000_000
METHODS = [
    # method, in words, colour, point, whether the request is done by another thread
    ("read", "read", draw.BLUE, 7, False),
    ("preadv2", "preadv2", draw.RED, 6, False),
    ("poll+read", "poll + read", draw.GREEN, 7, False),
    ("uring", "io_uring READ", draw.LIGHT, 7, False),
    ("uring-fixed", "READ_FIXED", draw.ORANGE, 6, False),
    ("uring-batch", "16 READ at once", draw.GOLD, 6, False),
    ("libaio", "libaio", draw.GREY, 7, False),
    ("uring-async", "io_uring, forced on a worker", draw.PURPLE, 7, True),
    ("posix-aio", "glibc aio_read", draw.BROWN, 7, True),
]
SIZES = [512, 4096, 16384, 65536, 262144, 1048576, 8388608]


class Aio(Benchmark):
    name = "aio-2001"
    help = "a fixed volume by read, libaio, io_uring, and glibc's aio_read"
    notes = {
        "bytes read per row": str(VOLUME),
        "count": "bytes of a block; a request goes on over the end of a block",
    }

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-zero", "nullpipe")
        plan.enable_only(CSET, [0])
        plan.set_block_size(CSET, 4096)
        for power in range(9, 24):
            self.requests(plan, power, 4096)
        plan.say("blocks of 64 KiB")
        plan.set_block_size(CSET, 65536)
        self.requests(plan, 16, 65536)

    def requests(self, plan: Plan, power: int, block: int) -> None:
        """A run shorter than a tick of the clock is repeated, to have one without it."""
        plan.say(f"requests of 2^{power} bytes")
        plan.repeat = 1 if plan.mode == "icount" and power <= 13 else 3
        turns, key = VOLUME >> power, {"size": 1 << power, "count": block}
        for method, *_ in METHODS:
            plan.loop(method, turns, NODE, **key)
        if power <= 20:
            plan.loop("read", turns, "/dev/zio-null-zero", method="null-zero", **key)

    def rows(self, results: list[Result]) -> list[Row]:
        rows = plain_rows(results)
        read = {(r["size"], r["count"]): r["ns"] for r in rows if r["method"] == "read"}
        for row in rows:
            plain = read[row["size"], row["count"]]
            row["percent_over_read"] = round((row["ns"] / plain - 1) * 100, 2)
        return rows

    def figure(self, table: Table) -> Figure:
        panels = [
            volume_panel(
                table, "all; without threads they meet from 17 on", True, (1e5, 1e8)
            ),
            volume_panel(
                table,
                "without threads; all but READ_FIXED meet from 17 on",
                False,
                (1e5, 1e7),
            ),
            percent_panel(table),
        ]
        title = "One volume from zio-zero, blocks of 4096 bytes, by several interfaces"
        return Figure(title, panels, 3)

    def report(self, table: Table) -> dict[str, str]:
        tables = {
            "percent": percent_table(table),
            "microseconds": time_table(table, "icount"),
        }
        if table.has_plain():
            tables["plain"] = time_table(table, "plain")
        return tables


def log_points(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(math.log2(size), value) for size, value in points]


LOG2_AXIS = {"xticks": list(range(9, 24, 2)), "ylog": True}


def volume_panel(
    table: Table, title: str, threads: bool, yrange: tuple[float, float]
) -> Panel:
    """What the volume takes, as in 2001. Computed of the time of a request."""
    curves = [
        Curve(text, log_points(
            [(s, us * OLD_VOLUME / s) for s, us in table.curve(m, y="us", count=4096)]
        ), colour, point=point)
        for m, text, colour, point, thread in METHODS
        if threads or not thread
    ]  # fmt: skip
    return Panel(
        title, "log2 of the request (bytes)", "us to read 700 MB (1 us = 1000 insn)",
        curves, yticks=draw.decades(*yrange), **LOG2_AXIS,
    )  # fmt: skip


def percent_panel(table: Table) -> Panel:
    curves = []
    for m, text, colour, point, _ in METHODS[1:]:
        points = table.curve(m, y="percent_over_read", count=4096)
        # A logarithmic axis has no place for nothing.
        shown = [(s, percent) for s, percent in points if percent >= 0.01]
        curves.append(Curve(text, log_points(shown), colour, point=point))
    old = log_points(published("lahaise-2001", "aio-2001").curve("aio", y="percent"))
    curves.append(Curve("LaHaise 2001, aio", old, draw.BLACK, "points", point=5))
    goal = [(16, 1), (23, 1)]
    curves.append(Curve("goal: 1 %", goal, draw.RED, "lines", dash=2))
    return Panel(
        "over read (below 0.01 %: not drawn)", "log2 of the request (bytes)", "percent",
        curves, yticks=draw.decades(0.01, 10000), **LOG2_AXIS,
    )  # fmt: skip


def percent_table(table: Table) -> str:
    columns = [
        table.column(text, method, "percent_over_read", 1, count=4096)
        for method, text, *_ in METHODS[1:]
    ]
    old = published("lahaise-2001", "aio-2001")
    columns.append(old.column("LaHaise 2001, aio", "aio", "percent"))
    return grid("bytes", SIZES, columns)


def time_table(table: Table, mode: str) -> str:
    columns = [
        table.column(text, method, "us", 2, count=4096, mode=mode)
        for method, text, *_ in METHODS
    ]
    return grid("bytes", SIZES, columns)
