# SPDX-License-Identifier: GPL-2.0-only
"""Streams: what a block costs when each interrupt completes several."""

from .benchmark import Benchmark, load_core
from .plan import Plan, Row, cset_dir, zio_bench
from .table import Table, markdown, number

CONFIG = "/sys/kernel/config/zio/devices"
BURSTS = [1, 8, 32]
SIZE = 16
LEN = 8192  # blocks of the buffer
USES = {
    "store": "driver and engine, no reader",
    "ring": "the same, and a program with the ring",
    "read": "the same, and reads of 64 KiB",
}
PLAYS = {
    "play-store": "an output: driver and engine, no writer",
    "play-write": "the same, and writes of 64 KiB",
}


class Streaming(Benchmark):
    name = "streaming"
    help = "a block of a stream, with 1, 8 and 32 blocks per interrupt"
    notes = {
        "block": f"{SIZE} bytes, vmalloc, {LEN} blocks",
        "count": "blocks per tick",
    }

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-zero", "zio-play")
        for i, burst in enumerate(BURSTS, 1):
            self.make(plan, "zzero", i, {"pattern": "zero", "stream": burst})
            self.make(plan, "zplay", i, {"burst": burst})
            for method in [*USES, *PLAYS]:
                plan.say(f"{burst} blocks per tick: {method}")
                self.measure(plan, method, i, burst)

    def measure(self, plan: Plan, method: str, i: int, burst: int) -> None:
        options = {"device": i, "ticks": min(400, LEN // (2 * burst))}
        if method in PLAYS:
            command = zio_bench("play", use=method.removeprefix("play-"), **options)
        else:
            command = zio_bench("stream", use=method, burst=burst, **options)
        plan.measure(command, method=method, size=SIZE, count=burst)

    def make(self, plan: Plan, device: str, i: int, values: Row) -> None:
        directory = f"{CONFIG}/{device}/stream{i}"
        plan.run(f"mkdir {directory}")
        values = {"id": i, "channels": 1, "nsamples": SIZE, **values, "live": 1}
        for file, value in values.items():
            plan.write(f"{directory}/{file}", value)
        cset = cset_dir(device, i)
        plan.write(f"{cset}/trigger/enable", 0)
        plan.write(f"{cset}/current_buffer", "vmalloc")
        plan.write(f"{cset}/chan0/buffer/max-buffer-kb", LEN * SIZE // 1024 + 4)
        plan.write(f"{cset}/chan0/buffer/max-buffer-len", LEN)

    def report(self, table: Table) -> dict[str, str]:
        rows = []
        for method, text in {**USES, **PLAYS}.items():
            cost = [table.get(method, count=burst) for burst in BURSTS]
            rows.append([text, *map(number, cost), number(further(cost))])
        head = ["blocks per interrupt", *map(str, BURSTS), "each further block"]
        return {"costs": markdown(head, rows)}


def further(cost: list[float | None]) -> float | None:
    """The cost of a block less its part of the interrupt."""
    one, many = cost[0], cost[-1]
    if one is None or many is None:
        return None
    return (many * BURSTS[-1] - one) / (BURSTS[-1] - 1)
