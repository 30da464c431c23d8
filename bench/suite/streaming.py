# SPDX-License-Identifier: GPL-2.0-only
"""Streams: what a block costs when each interrupt completes several."""

from .benchmark import Benchmark, load_core
from .plan import Plan, cset_dir, zio_bench
from .table import Table, markdown, number

CONFIG = "/sys/kernel/config/zio/devices/zzero"
BURSTS = [1, 8, 32]
SIZE = 16
LEN = 8192  # blocks of the buffer
USES = {
    "store": "driver and engine, no reader",
    "ring": "the same, and a program with the ring",
    "read": "the same, and reads of 64 KiB",
}


class Streaming(Benchmark):
    name = "streaming"
    help = "a block of a stream, with 1, 8 and 32 blocks per interrupt"
    notes = {"block": f"{SIZE} bytes, vmalloc, {LEN} blocks", "count": "blocks per tick"}

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-zero")
        for i, burst in enumerate(BURSTS, 1):
            self.make(plan, i, burst)
            for use in USES:
                plan.say(f"{burst} blocks per tick: {use}")
                options = {"use": use, "device": i, "burst": burst}
                options["ticks"] = min(400, LEN // (2 * burst))
                command = zio_bench("stream", **options)
                plan.measure(command, method=use, size=SIZE, count=burst)

    def make(self, plan: Plan, i: int, burst: int) -> None:
        directory = f"{CONFIG}/stream{i}"
        plan.run(f"mkdir {directory}")
        values = {"id": i, "channels": 1, "pattern": "zero", "nsamples": SIZE}
        for file, value in {**values, "stream": burst, "live": 1}.items():
            plan.write(f"{directory}/{file}", value)
        cset = cset_dir("zzero", i)
        plan.write(f"{cset}/trigger/enable", 0)
        plan.write(f"{cset}/current_buffer", "vmalloc")
        plan.write(f"{cset}/chan0/buffer/max-buffer-kb", LEN * SIZE // 1024 + 4)
        plan.write(f"{cset}/chan0/buffer/max-buffer-len", LEN)

    def report(self, table: Table) -> dict[str, str]:
        rows = []
        for use, text in USES.items():
            cost = [table.get(use, count=burst) for burst in BURSTS]
            rows.append([text, *map(number, cost), number(further(cost))])
        head = ["blocks per interrupt", *map(str, BURSTS), "each further block"]
        return {"costs": markdown(head, rows)}


def further(cost: list[float | None]) -> float | None:
    """The cost of a block less its part of the interrupt."""
    one, many = cost[0], cost[-1]
    if one is None or many is None:
        return None
    return (many * BURSTS[-1] - one) / (BURSTS[-1] - 1)
