# SPDX-License-Identifier: GPL-2.0-only
"""Streams whose driver is a program: what a block costs beside the program's copy."""

from .benchmark import Benchmark, load_core
from .plan import Plan, zio_bench
from .table import Column, Table, grid, number, ratio

SIZES = [64, 4096, 65536]
DEPTHS = [1, 8, 64]
USES = ("floor", "none", "copy")


class UzioStream(Benchmark):
    name = "uzio-stream"
    help = "a block of a stream whose driver is a program"
    notes = {"count": "blocks that the program has at once"}

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-uzio")
        for depth in DEPTHS:
            for size in SIZES:
                plan.say(f"{depth} blocks of {size} bytes")
                for use in USES:
                    self.measure(plan, use, size, depth)

    def measure(self, plan: Plan, use: str, size: int, depth: int) -> None:
        blocks = max(2000, 20_000_000 // (1000 + size))
        command = zio_bench("uzio-stream", use=use, size=size, depth=depth, blocks=blocks)
        plan.measure(command, method=use, size=size, count=depth)

    def report(self, table: Table) -> dict[str, str]:
        columns: list[Column] = []
        for depth in DEPTHS:

            def beside(size: int, depth: int = depth) -> str:
                """What a block costs beside its copy."""
                match = {"size": size, "count": depth}
                cost, floor = (table.get(use, **match) for use in ("copy", "floor"))
                return "" if cost is None or floor is None else number(cost - floor)

            columns.append((f"{depth} at once", beside))

        def rate(size: int) -> str:
            match = {"size": size, "count": DEPTHS[-1]}
            return ratio(table.get("floor", **match), table.get("copy", **match))

        columns.append(table.column("the copy", "floor", count=DEPTHS[-1]))
        columns.append(("rate of the copy", rate))
        return {"costs": grid("bytes", SIZES, columns)}
