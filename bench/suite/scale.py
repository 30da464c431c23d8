# SPDX-License-Identifier: GPL-2.0-only
"""What grows, and what does not: devices, channels, memory, registration."""

from .benchmark import Benchmark, load_core
from .plan import BENCH, DEVICES, ZIO_BENCH, Plan, Result, Row, cset_dir, node
from .table import Table, markdown, number, published

BOARD = f"{BENCH}/zio-zero.ko"
# One set, with one channel
SMALL = "ncset=1 nchan=1"


class ScaleDevices(Benchmark):
    name = "scale-devices"
    help = "cost of a block with 1 to 200 devices"
    counts = [1, 10, 50, 100, 200]

    def fill(self, plan: Plan) -> None:
        load_core(plan)
        for n in self.counts:
            plan.say(f"{n} devices")
            plan.load("zio-zero", parameters=f"ndev={n} {SMALL}")
            first, last = node("zzero", 0, 0, 0), node("zzero", n - 1, 0, 0)
            for device in sorted({0, n - 1}):
                plan.set_block_size(cset_dir("zzero", device), 16)
            key = {"size": 16, "count": n}
            plan.loop("read", 20000, first, method="read-first", **key)
            plan.loop("read", 20000, last, method="read-last", **key)
            plan.loop("ctrl+read", 20000, last, method="ctrl+read-last", **key)
            plan.run("rmmod zio-zero")

    def report(self, table: Table) -> dict[str, str]:
        head = ["devices", *map(str, self.counts)]
        rows = [
            [what, *(number(table.get(method, count=n)) for n in self.counts)]
            for what, method in (
                ("`read`, first device", "read-first"),
                ("`read`, last device", "read-last"),
                ("control and data, last device", "ctrl+read-last"),
            )
        ]
        return {"devices": markdown(head, rows)}


class ScaleChannels(Benchmark):
    name = "scale-channels"
    help = "cost of an event with 1 to 16 channels"
    counts = [1, 2, 4, 8, 16]

    def fill(self, plan: Plan) -> None:
        load_core(plan)
        plan.load("zio-zero", parameters="ncset=1 nchan=16 pattern=channel")
        cset = cset_dir("zzero", 0)
        plan.set_block_size(cset, 16)
        for n in self.counts:
            plan.say(f"{n} channels")
            plan.enable_only(cset, range(n), of=16)
            nodes = [node("zzero", 0, 0, channel) for channel in range(n)]
            plan.loop("read", 20000 // n, *nodes, method="read-all", size=16, count=n)

    def report(self, table: Table) -> dict[str, str]:
        head = ["channels", *map(str, self.counts)]
        costs = [number(table.get("read-all", count=n)) for n in self.counts]
        return {"channels": markdown(head, [["instructions per block", *costs]])}


class Memory(Benchmark):
    name = "memory"
    help = "KiB of an idle device, channel, block"
    # How many there are more than one, and the parameter of zio-zero for them
    added = {
        "device": (400, "ndev"),
        "channel": (400, "nchan"),
        "channel-100": (100, "nchan"),
        "channel-1000": (1000, "nchan"),
    }

    def plans(self, mode: str) -> list[Plan]:
        """A boot each: half empty pages that one leaves would serve the other."""
        plans = {what: Plan(mode) for what in self.added}
        for what, (n, parameter) in self.added.items():
            self.grow(plans[what], what, n, parameter)
        self.grow_blocks(plans["channel"])
        return list(plans.values())

    def free(self, plan: Plan, what: str, when: str, **more: object) -> None:
        plan.measure(f"{ZIO_BENCH} free", what=what, when=when, **more)

    def grow(self, plan: Plan, what: str, n: int, parameter: str) -> None:
        load_core(plan)
        plan.load("zio-zero", parameters=f"ndev=1 {SMALL} {parameter}=1")
        self.free(plan, what, "before", count=1)
        plan.measure("cat /proc/slabinfo", slabs=what)
        plan.run("rmmod zio-zero")
        plan.load("zio-zero", parameters=f"ndev=1 {SMALL} {parameter}={n + 1}")
        self.free(plan, what, "after", count=n + 1)
        plan.measure("cat /proc/slabinfo", slabs=what)

    def grow_blocks(self, plan: Plan) -> None:
        """Three times as many blocks more in every buffer."""
        self.free(plan, "block", "before")
        lengths = f"{DEVICES}/zzero-*/cset0/chan*/buffer/max-buffer-len"
        plan.measure(f"cat {lengths}", lengths=True)
        plan.run(f"for file in {lengths}; do echo $(($(cat $file) * 4)) >$file; done")
        self.free(plan, "block", "after")

    def rows(self, results: list[Result]) -> list[Row]:
        free = {(r.key["what"], r.key["when"]): r for r in results if "what" in r.key}
        lengths = next(r for r in results if "lengths" in r.key).numbers()
        added = {what: (n, n + 1) for what, (n, _) in self.added.items()}
        added["block"] = (3 * sum(lengths), lengths[0])
        return [
            {"method": what, "blocks": n, "count": count, "kib": self.each(free, what, n)}
            for what, (n, count) in added.items()
        ]

    def each(self, free: dict[tuple[object, object], Result], what: str, n: int) -> float:
        before, after = (
            int(str(free[what, when].objects()[0]["kib"])) for when in ("before", "after")
        )
        return round((before - after) / n, 4)

    def remarks(self, results: list[Result]) -> dict[str, str]:
        return {
            f"slabs of 400 more {what}s, KiB": grown_slabs(
                *(r.lines for r in results if r.key.get("slabs") == what)
            )
            for what in ("device", "channel")
        }

    def report(self, table: Table) -> dict[str, str]:
        old = published("zio-1.1", "memory")
        device, channel = table.get("device", "kib"), table.get("channel", "kib")
        block, depth = table.get("block", "kib"), table.get("block", "count")
        blocks = block * depth if block and depth else None
        rows = [
            [
                "device, one channel, 16 blocks",
                "",
                number(device, 1),
                number(old.get("device", "kib")),
            ],
            [
                "further channel with 16 blocks",
                "",
                number(channel, 1),
                number(old.get("channel", "kib")),
            ],
            *(
                [f"the same beside its blocks, {n} more", goal, beside(kib, blocks), ""]
                for n, goal, kib in (
                    (100, "", table.get("channel-100", "kib")),
                    (400, 6, channel),
                    (1000, "", table.get("channel-1000", "kib")),
                )
            ),
        ]
        return {"memory": markdown(["KiB", "target", "measured", "ZIO 1.1"], rows)}


def beside(channel: float | None, blocks: float | None) -> str:
    return number(channel - blocks if channel and blocks else None, 1)


def slab_kib(lines: list[str]) -> dict[str, float]:
    """KiB of each slab cache: objects times their size."""
    cells = (line.split() for line in lines[2:])
    return {c[0]: int(c[2]) * int(c[3]) / 1024 for c in cells if len(c) > 3}


def grown_slabs(before: list[str], after: list[str]) -> str:
    old = slab_kib(before)
    grown = {name: kib - old.get(name, 0) for name, kib in slab_kib(after).items()}
    most = sorted(grown.items(), key=lambda item: -item[1])[:12]
    return ", ".join(f"{name} {kib:.0f}" for name, kib in most if kib > 0)


class Register(Benchmark):
    name = "register"
    help = "instructions to register 1 to 1000 devices"
    counts = [1, 10, 100, 110, 500, 900, 1000]

    def fill(self, plan: Plan) -> None:
        load_core(plan)
        plan.load("zio-zero", parameters=f"ndev=20 {SMALL}")
        plan.run("rmmod zio-zero")
        for n in self.counts:
            plan.say(f"{n} devices")
            key = {"blocks": n, "count": n}
            insmod = f"insmod {BOARD} ndev={n} {SMALL}"
            plan.measure(f"{ZIO_BENCH} run {insmod}", method="insmod", **key)
            plan.measure(f"{ZIO_BENCH} run rmmod zio-zero", method="rmmod", **key)

    def report(self, table: Table) -> dict[str, str]:
        def millions(ns: float | None) -> str:
            return number(ns / 1e6 if ns else None, 1)

        old = published("zio-1.1", "register")
        rows = [
            [what, *(millions(t.get(method, field, count=n)) for n in self.counts)]
            for what, t, method, field in (
                ("insmod", table, "insmod", "ns"),
                ("rmmod", table, "rmmod", "ns"),
                ("insmod, ZIO 1.1", old, "insmod", "insn"),
            )
        ]
        head = ["devices; million instructions", *map(str, self.counts)]
        return {"register": markdown(head, rows)}
