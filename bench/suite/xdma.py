# SPDX-License-Identifier: GPL-2.0-only
"""Packets of the emulated FPGA card with AMD's XDMA: their cost, and the dead time."""

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import Plan, Result, Row, cset_dir, zio_bench
from .table import Table, grid, markdown, number

CSET = cset_dir("xdma", 0)
OUTPUT = CSET.replace("cset0", "cset2")  # the first H2C set
CHANNEL = "/dev/zio/xdma-0000-0-0"
OUTPUT_CHANNEL = "/dev/zio/xdma-0000-2-0"
SIZES = [64, 256, 1024, 4096, 16384, 65536, 262144, 1048576]
METHODS = ["ring", "read"]
MEMORY = 8 << 20  # bytes of all blocks
KIB_NS = 160  # of the card: 6.4 GB/s
EVENT = 64  # bytes of a packet whose misses are counted
PERIODS = [1000, 1500, 2000, 3000, 5000, 10000, 20000, 50000]  # ns from event to event
DEPTHS = {1: "one block armed", 64: "64 blocks ahead"}


class Xdma(Benchmark):
    name = "xdma"
    help = "packets of an emulated FPGA card (XDMA), of 64 bytes to 1 MiB"
    devices = ("xdma",)
    notes = {
        "size": "bytes of a packet, which is a block; buffer dma",
        "count": "blocks that the card has ahead, at most",
        "period": "ns from packet to packet; dead-ring: uniform from 0 to twice that",
        "bus": "read of a register 900 ns, posted write 50 ns, descriptor 900 ns, "
        "1 KiB 160 ns, write-back and message 300 ns",
    }

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-buf-dma", "zio-xdma")
        plan.run(
            "user=$(grep -l 0x10ee /sys/bus/pci/devices/*/vendor)",
            "user=${user%/vendor}/resource0",
        )
        for cset in CSET, OUTPUT:
            plan.write(f"{cset}/current_buffer", "dma")
        for size in SIZES:
            self.costs(plan, size)
        self.use_blocks(plan, CSET, EVENT)
        for period in PERIODS:
            self.dead_time(plan, period)

    def use_blocks(self, plan: Plan, cset: str, size: int) -> None:
        blocks = max(8, min(1024, MEMORY // size))
        # Another size is a new area: a block then begins at a multiple of its size.
        kib = max(size * blocks // 1024, 64) + size // 1024
        plan.write(f"{cset}/trigger/enable", 0)
        if cset == CSET:
            plan.write(f"{cset}/chan0/flush", 1)
        plan.write(f"{cset}/trigger/nsamples", 16)
        plan.write(f"{cset}/chan0/buffer/max-buffer-len", 8)
        plan.write(f"{cset}/chan0/buffer/max-buffer-kb", kib)
        plan.write(f"{cset}/trigger/nsamples", size // 4)
        plan.write(f"{cset}/chan0/buffer/max-buffer-len", blocks)
        plan.write(f"{cset}/trigger/enable", 1)

    def take(self, plan: Plan, key: Row, **options: object) -> None:
        method = str(key["method"]).removeprefix("dead-")
        plan.write(f"{CSET}/chan0/flush", 1)
        words = {"user": "$user", "method": method, "size": key["size"], **options}
        channel = OUTPUT_CHANNEL if method == "write" else CHANNEL
        command = zio_bench("xdma", channel, **words)
        plan.measure(f"{command} || {{ dmesg | tail -n 4 >&2; exit 1; }}", **key)

    def costs(self, plan: Plan, size: int) -> None:
        """The card always has a packet: its source is twice as fast as its DMA."""
        plan.say(f"packets of {size} bytes")
        self.use_blocks(plan, CSET, size)
        self.use_blocks(plan, OUTPUT, size)
        for method in [*METHODS, "write"]:
            key: Row = {"method": method, "size": size, "count": 64}
            period = max(100, size * KIB_NS // 2048)
            blocks = max(64, min(20000, 60_000_000 // (1000 + size)))
            self.take(plan, key, period=period, blocks=blocks)

    def dead_time(self, plan: Plan, period: int) -> None:
        """The card keeps one event. What comes before it was written is missed."""
        plan.say(f"events of {EVENT} bytes every {period} ns")
        for depth in DEPTHS:
            plan.write(f"{CSET}/queue-depth", depth)
            key: Row = {"method": "dead-ring", "size": EVENT, "count": depth}
            key["period"] = period
            options = {"random": 1, "fifo": EVENT // 4, "blocks": 5000}
            self.take(plan, key, period=period, **options)

    def rows(self, results: list[Result]) -> list[Row]:
        return [
            {**result.key, **packet_row(result.key, found)}
            for result in results
            for found in result.objects()
        ]

    def figure(self, table: Table) -> Figure:
        panels = [cost_panel(table), rate_panel(table)]
        panels += [interrupt_panel(table), missed_panel(table)]
        return Figure("Packets of an emulated FPGA card (XDMA)", panels, 2)

    def report(self, table: Table) -> dict[str, str]:
        costs, output = cost_table(table, METHODS), cost_table(table, ["write"])
        return {"costs": costs, "output": output, "dead": dead_table(table)}


def packet_row(key: Row, found: Row) -> Row:
    """Per block, and in percent."""
    n, ns, wait = found["blocks"], found["ns"], found["wait_ns"]
    row: Row = {"blocks": n, "ns": ns}
    row["insn"] = round((ns - found["idle_ns"] - wait) / n, 1)
    row["us"] = round(ns / n / 1000, 4)
    row["bus_ns"] = round(wait / n, 1)
    row["idle"] = round(found["idle_ns"] / ns * 100, 1)
    row["blocks_per_s"] = round(n / ns * 1e9)
    row["mb_per_s"] = round(n * key["size"] / ns * 1e9 / (1 << 20), 1)
    row["per_interrupt"] = round(n / max(1, found["interrupts"]), 2)
    row["reads"] = round(found["reads"] / n, 3)
    row["writes"] = round(found["writes"] / n, 3)
    row["missed"] = round(found["dropped"] / max(1, found["made"]) * 100, 2)
    row["starved_ns"] = round(found["starved_ns"] / n)
    return row


# Figures

SIZE_AXIS = {"xlog": True, "xticks": draw.sizes(SIZES)}
COLOURS = {"ring": (draw.BLUE, 7), "read": (draw.ORANGE, 6)}


def curves_of(table: Table, field: str) -> list[Curve]:
    return [
        Curve(method, table.curve(method, y=field), colour, point=point)
        for method, (colour, point) in COLOURS.items()
    ]


def cost_panel(table: Table) -> Panel:
    return Panel(
        "interrupt, driver, engine, reader", "bytes of a packet",
        "instructions per block", curves_of(table, "insn"), ylog=True,
        yticks=draw.decades(100, 1e6), **SIZE_AXIS,
    )  # fmt: skip


def rate_panel(table: Table) -> Panel:
    return Panel(
        "the card moves at most 6.4 GB/s", "bytes of a packet",
        "MB/s (2^20 bytes)", curves_of(table, "mb_per_s"), ylog=True,
        yticks=draw.decades(10, 1e4), **SIZE_AXIS,
    )  # fmt: skip


def interrupt_panel(table: Table) -> Panel:
    return Panel(
        "at most 64 blocks are ahead", "bytes of a packet",
        "blocks per interrupt", curves_of(table, "per_interrupt"),
        yticks=draw.linear(70, 10), **SIZE_AXIS,
    )  # fmt: skip


def missed_panel(table: Table) -> Panel:
    colours = dict(zip(DEPTHS, (draw.GREY, draw.BLUE), strict=True))
    curves = [
        Curve(text, missed_curve(table, depth), colours[depth])
        for depth, text in DEPTHS.items()
    ]
    return Panel(
        f"{EVENT} bytes, random intervals, the card keeps one", "events per second",
        "percent missed", curves, xlog=True,
        xticks=draw.decades(1e4, 1e6), yticks=draw.linear(100, 20),
    )  # fmt: skip


def missed_curve(table: Table, depth: int) -> draw.Points:
    points = table.curve("dead-ring", x="period", y="missed", count=depth)
    return sorted((1e9 / period, missed) for period, missed in points)


# Tables


def cost_table(table: Table, methods: list[str]) -> str:
    columns = []
    for method in methods:
        for head, field, digits in (
            ("instructions", "insn", 0),
            ("blocks/s", "blocks_per_s", 0),
            ("MB/s", "mb_per_s", 0),
            ("per interrupt", "per_interrupt", 1),
            ("ns for the bus", "bus_ns", 0),
        ):
            name = f"{method}: {head}"
            columns.append(table.column(name, method, field, digits))
    return grid("bytes", SIZES, columns)


def dead_table(table: Table) -> str:
    rows = []
    for period in PERIODS:
        cells = [number(1e9 / period)]
        for field, digits in (("missed", 1), ("starved_ns", 0), ("per_interrupt", 1)):
            for depth in DEPTHS:
                match = {"period": period, "count": depth}
                cells.append(number(table.get("dead-ring", field, **match), digits))
        rows.append(cells)
    heads = ["missed %", "wait for a descriptor, ns", "blocks per interrupt"]
    names = [f"{head}: {text}" for head in heads for text in DEPTHS.values()]
    return markdown(["events/s", *names], rows)
