# SPDX-License-Identifier: GPL-2.0-only
"""Copied, dropped or mapped: after D. Gilbert, 1999."""

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import Plan, cset_dir, node
from .table import Table, markdown, number, published

CSET, NODE = cset_dir("zzero", 0), node("zzero", 0, 0, 0)
MIB = 1 << 20
VOLUME = 200 * MIB
OLD_SIZES = [4096 << i for i in range(7)] + [488 << 10]  # 488 KB: the disk's maximum
SIZES = sorted([*OLD_SIZES, *(MIB >> 1 << i for i in range(4))])
METHODS = [
    # method, in words, colour
    ("read-touch", "read, every byte used", draw.RED),
    ("mmap-touch", "mapped, every byte used", draw.PURPLE),
    ("read", "read", draw.ORANGE),
    ("mmap", "mapped, control by read", draw.BLUE),
    ("ring", "mapped, control ring", draw.LIGHT),
    ("drop", "control by read, data dropped", draw.GREY),
]
OLD = [
    ("to_user_space", "1999, to user space", draw.RED),
    ("to_kernel", "1999, to the kernel", draw.GREY),
]


class Indirect(Benchmark):
    name = "indirect-1999"
    help = "200 MiB in blocks of 4 KiB to 4 MiB: copied, dropped, mapped"

    def fill(self, plan: Plan) -> None:
        if plan.mode == "icount":
            plan.repeat = 1
        load_core(plan, "zio-buf-vmalloc", "zio-zero")
        plan.enable_only(CSET, [0])
        plan.use_area(CSET, 4 * MIB, 2)
        for size in SIZES:
            plan.say(f"blocks of {size} bytes")
            plan.set_block_size(CSET, size)
            for method, _, _ in METHODS:
                self.take(plan, method, size)

    def take(self, plan: Plan, method: str, size: int) -> None:
        command = "ctrl" if method == "drop" else method.removesuffix("-touch")
        touch = method.endswith("-touch")
        turns = -(-VOLUME // size)
        plan.loop(command, turns, NODE, size=size, method=method, touch=touch)

    def figure(self, table: Table) -> Figure:
        axis = {"xlog": True, "xticks": draw.sizes([4096 << 2 * i for i in range(6)])}
        rates = [
            Curve(title, [(s, rate_of(s, ns)) for s, ns in costs], colour)
            for method, title, colour in METHODS
            if (costs := table.curve(method))
        ]
        for method, title, colour in OLD:
            points = [(s, VOLUME / MIB / t) for s, t in old_times(method)]
            rates.append(Curve(title, points, colour, point=4, dash=2))
        left = Panel(
            "1 insn = 1 ns; mapped and dropped coincide, ring from 256k on",
            "block (bytes)",
            "MB/s (2^20 bytes)", rates,
            ylog=True, yticks=draw.decades(1, 10000), **axis,
        )  # fmt: skip
        each = [
            Curve(title, [(s, n / s * 1024) for s, n in table.curve(method)], colour)
            for method, title, colour in METHODS
        ]
        right = Panel(
            "mapped and dropped coincide, ring from 256k on", "block (bytes)",
            "instructions per KiB", each, yticks=draw.linear(1600, 200), **axis,
        )  # fmt: skip
        title = "200 MiB of zeros in blocks: copied, dropped, mapped"
        return Figure(title, [left, right], 2)

    def report(self, table: Table) -> dict[str, str]:
        return {"rates": rate_table(table), "fit": fit_table(table)}


def rate_of(size: float, ns: float | None) -> float | None:
    """MB/s, where a megabyte is 2^20 bytes, as in 1999."""
    return size / MIB / ns * 1e9 if ns else None


def old_times(method: str) -> list[tuple[float, float]]:
    return published("gilbert-1999", "indirect-1999").curve(method, y="s")


def rate_table(table: Table) -> str:
    old = {method: dict(old_times(method)) for method, _, _ in OLD}
    methods = ["read", "drop", "mmap", "ring", "read-touch", "mmap-touch"]
    rows = []
    for size in SIZES:
        row: list[object] = [draw.binary(size)]
        for times in old.values():
            seconds = times.get(size)
            rate = VOLUME / MIB / seconds if seconds else None
            row += [number(seconds, 2), number(rate, 1)]
        row += [number(rate_of(size, table.get(method, size=size))) for method in methods]
        rows.append(row)
    head = ["block", "1999: to user, s", "MB/s", "to kernel, s", "MB/s", "`read`"]
    head += ["dropped", "mapped", "ring", "`read`, used", "mapped, used"]
    return markdown(head, rows)


def fit(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Fits what the volume takes to so much per block; returns that, and per KiB."""
    data = [(VOLUME / size, cost * VOLUME / size) for size, cost in points]
    n = len(data)
    sx, sy = sum(x for x, _ in data), sum(y for _, y in data)
    sxx, sxy = sum(x * x for x, _ in data), sum(x * y for x, y in data)
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return slope, (sy - slope * sx) / n / VOLUME * 1024


def fit_table(table: Table) -> str:
    rows = []
    for method, title, _ in METHODS:
        if points := table.curve(method):
            block, kib = fit(points)
            row = [title, number(block), number(kib, 1)]
            for size in (65536, MIB) if table.has_plain() else ():
                row.append(number(table.get(method, "us", size=size, mode="plain"), 1))
            rows.append(row)
    for method, title, _ in OLD:
        times = old_times(method)
        block, kib = fit([(s, t / VOLUME * s * 1e9) for s, t in times])
        rows.append([f"{title}, ns", number(block), number(kib)])
    head = ["", "per block", "per KiB"]
    if table.has_plain():
        head += ["plain us, block of 64 KiB", "of 1 MiB"]
    return markdown(head, [row + [""] * (len(head) - len(row)) for row in rows])
