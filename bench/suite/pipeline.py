# SPDX-License-Identifier: GPL-2.0-only
"""The pipeline in a loop inside one process."""

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import Plan, cset_dir, node, turns_for
from .table import Table, grid, markdown, number, published

SIZES = [16, 64, 256, 1024, 4096, 16384, 65536]
ZERO, RANDOM = node("zzero", 0, 0, 0), node("zzero", 0, 0, 1)
CSET, OUTPUT = cset_dir("zzero", 0), cset_dir("zzero", 0, 1)


class Pipeline(Benchmark):
    name = "pipeline"
    help = "read, control, poll, write of 16 to 65536 bytes, no tool"

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-zero", "nullpipe")
        for size in SIZES:
            plan.say(f"blocks of {size} bytes")
            plan.set_block_size(CSET, size)
            plan.set_block_size(OUTPUT, size)
            self.floors(plan, size)
            self.reads(plan, size)
            self.maps(plan, size)
            output = node("zzero", 0, 1, 0)
            plan.loop("write", turns_for(size, 1), output, size=size)
        plan.say("reads of 1 MiB")
        plan.set_block_size(CSET, 16)
        plan.enable_only(CSET, [0])
        plan.loop("bulk", 2, ZERO, size=16)

    def floors(self, plan: Plan, size: int) -> None:
        few, null_zero = turns_for(size, 1), "/dev/zio-null-zero"
        plan.loop("read", few, "/dev/zero", size=size, method="dev-zero")
        plan.loop("read", few, null_zero, size=size, method="null-zero")
        plan.loop("write", few, null_zero, size=size, method="null-write")

    def reads(self, plan: Plan, size: int) -> None:
        plan.enable_only(CSET, [0])
        for method in ("read", "ctrl", "ctrl+read", "poll+read"):
            plan.loop(method, turns_for(size, 1), ZERO, size=size)
        plan.enable_only(CSET, [1])
        turns = turns_for(size, 24)
        plan.loop("read", turns, RANDOM, size=size, method="read-random")

    def maps(self, plan: Plan, size: int) -> None:
        few = turns_for(size, 1)
        plan.enable_only(CSET, [0])
        plan.use_area(CSET, size, 80)
        for method in ("read", "mmap", "batch"):
            plan.loop(method, few, ZERO, size=size, method=f"vmalloc-{method}")
        plan.write(f"{CSET}/chan0/buffer/watermark", 64)
        plan.loop("ring", few, ZERO, size=size)
        plan.use_kmalloc(CSET)

    def figure(self, table: Table) -> Figure:
        bars = ["dev-zero", "null-zero", "bulk", "read", "read-random", "ctrl"]
        bars += ["ctrl+read", "poll+read", "write"]

        old = published("zio-1.1", "pipeline")
        now, was = (
            [(i, t.get(m, size=16) or 0) for i, m in enumerate(bars)]
            for t in (table, old)
        )
        left = Panel(
            "blocks of 16 bytes (no bar: not measured)", "", "instructions per block",
            [Curve("measured", now), Curve("ZIO 1.1", was, draw.RED)],
            bars=bars, yticks=draw.linear(5000, 1000),
        )  # fmt: skip
        old_read, old_both = old.curve("read"), old.curve("ctrl+read")
        right = Panel(
            "read meets the null pipe from 1k on", "block (bytes)",
            "instructions per block",
            [
                Curve("control + read", table.curve("ctrl+read"), draw.LIGHT),
                Curve("read", table.curve("read"), draw.BLUE),
                Curve("write", table.curve("write"), draw.GREEN),
                Curve("null pipe", table.curve("null-zero"), draw.PURPLE),
                Curve("/dev/zero", table.curve("dev-zero"), draw.GREY),
                Curve("read, ZIO 1.1", old_read, draw.RED, point=6, dash=2),
                Curve("control + read, ZIO 1.1", old_both, draw.ORANGE, point=6, dash=2),
            ],
            xlog=True, ylog=True, xticks=draw.sizes(SIZES),
            yticks=draw.decades(100, 100000),
        )  # fmt: skip
        return Figure("The pipeline: one channel, user trigger", [left, right], 2)

    def report(self, table: Table) -> dict[str, str]:
        return {"small": small_table(table), "large": large_table(table)}


SMALL = [
    # what, target, method, method of ZIO 1.1, method of the null pipe
    ("`read` of the data", 1100, "read", "read", "null-zero"),
    ("control and data by `read`", 1700, "ctrl+read", "ctrl+read", ""),
    ("`read` of 1 MiB, per block", 400, "bulk", "", ""),
    ("control by `read`, data mapped", None, "vmalloc-mmap", "mmap", ""),
    ("16 controls a `read`, data mapped", 1105, "vmalloc-batch", "mmap", ""),
    ("control ring, data mapped", 663, "ring", "mmap", ""),
    ("`poll` and `read`", None, "poll+read", "poll+read", ""),
    ("`write`", None, "write", "write", "null-write"),
    ("`read` of /dev/zero", None, "dev-zero", "dev-zero", ""),
]


def small_table(table: Table) -> str:
    old = published("zio-1.1", "pipeline")
    rows = []
    for what, target, method, was, null in SMALL:
        costs = target, table.get(method, size=16), old.get(was, size=16)
        rows.append([what, *map(number, costs), number(table.get(null, size=16))])
    return markdown(["", "target", "measured", "ZIO 1.1", "null pipe"], rows)


def large_table(table: Table) -> str:
    old = published("zio-1.1", "pipeline")
    columns = [
        table.column("null pipe", "null-zero"),
        table.column("read", "read"),
        old.column("ZIO 1.1", "read"),
        table.column("control + read", "ctrl+read"),
        old.column("ZIO 1.1", "ctrl+read"),
        table.column("mapped", "vmalloc-mmap"),
        table.column("16 controls", "vmalloc-batch"),
        table.column("ring", "ring"),
    ]
    return grid("bytes", SIZES, columns)
