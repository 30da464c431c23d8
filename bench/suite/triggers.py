# SPDX-License-Identifier: GPL-2.0-only
"""Triggers: what an event costs, the highest rate, the jitter; beside IIO's hrtimer."""

import bisect
import math

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import BENCH, Plan, Result, Row, cset_dir, zio_bench
from .table import Table, markdown, number, plain_rows, published

CONFIG = "/sys/kernel/config"
SHARED = f"{CONFIG}/zio/triggers"
CLOCK, TICK = f"{SHARED}/hrt/clock0", f"{SHARED}/timer/tick0"
IIO_MODULES = ["industrialio-configfs", "industrialio-sw-device"]
IIO_MODULES += ["industrialio-sw-trigger", "iio-trig-hrtimer", "iio_dummy"]
IIO_DEVICES = "/sys/bus/iio/devices"


class Triggers(Benchmark):
    name = "triggers"
    help = "cost of an event, highest rate, jitter; IIO's hrtimer trigger"
    needs_iio = True
    kernel_modules = ("industrialio-triggered-buffer", "iio-trig-hrtimer", "iio_dummy")
    notes = {
        "count": "channel sets, each of a device of its own",
        "block": "an event; of rate-...: ns of the shortest period at which nothing is"
        " lost; of jitter-...: size is ns after the tick, blocks how many",
        "IIO": "hrtimer trigger, iio_dummy; a scan is 16 bits and a time. At most two"
        " devices a trigger",
    }

    def fill(self, plan: Plan) -> None:
        self.stretch = 1 if plan.mode == "icount" else 10
        load_core(plan, "zio-buf-vmalloc")
        plan.load("zio-zero", parameters="ncset=1 nchan=1")
        plan.load(*(f"zio-trig-{kind}" for kind in ("hrt", "timer", "sysfs", "chain")))
        for i in range(1, 101):
            directory = f"{CONFIG}/zio/devices/zzero/m{i}"
            plan.run(f"mkdir {directory}")
            plan.write(f"{directory}/id", i)
            plan.write(f"{directory}/csets", 1)
            plan.write(f"{directory}/channels", 1)
            plan.write(f"{directory}/live", 1)
        self.shared_hrt(plan)
        self.own_hrt(plan)
        self.timers(plan)
        self.fires(plan)
        self.rings(plan)
        self.whole_set(plan)
        self.iio(plan)

    # commands

    def give(self, plan: Plan, first: int, last: int, file: str, value: str) -> None:
        """Writes to a file of the sets of these devices."""
        for i in range(first, last + 1):
            plan.write(f"{cset_dir('zzero', i)}/{file}", value)

    def trig(self, plan: Plan, label: str, n: int, task: str, **options: object) -> None:
        """With 16 bytes a block. A failure leaves the row out, and is noted."""
        command = zio_bench("trig", task=task, count=n, **options)
        plan.attempt(command, method=label, size=16, count=n)

    def cost(
        self, plan: Plan, label: str, n: int, period: int, use: str, **more: object
    ) -> None:
        options = {"period": period * self.stretch, "events": 200 if n > 10 else 1000}
        self.trig(plan, f"{label}-{use}", n, "cost", first=1, use=use, **options, **more)

    def rate(self, plan: Plan, label: str, n: int, use: str, **more: object) -> None:
        options = {"period": (50000 + n * 8000) * self.stretch}
        options["time"] = 50 if n < 100 else 20
        label = f"rate-{label}-{use}"
        self.trig(plan, label, n, "rate", first=1, use=use, **options, **more)

    def jitter(self, plan: Plan, label: str, n: int, **options: object) -> None:
        self.trig(plan, f"jitter-{label}", n, "jitter", first=1, use="ring", **options)

    # the parts

    def shared_hrt(self, plan: Plan) -> None:
        plan.run(f"mkdir {CLOCK}")
        last = 0
        for n in (1, 2, 10, 100):
            plan.say(f"a shared hrt, {n} sets")
            self.give(plan, last + 1, n, "current_trigger", "clock0")
            last = n
            for use in ("full", "store", "read"):
                self.cost(plan, "hrt-shared", n, 20000 + n * 4000, use, trigger=CLOCK)
            self.rate(plan, "hrt-shared", n, "read", trigger=CLOCK)
            if n == 1:
                self.bursts(plan, "read")

    def bursts(self, plan: Plan, use: str) -> None:
        """Eight blocks of one sample at a tick: by eight events, and by one arming."""
        self.give(plan, 1, 1, "trigger/nsamples", "1")
        for burst, shots in ((8, 1), (1, 8)):
            plan.write(f"{CLOCK}/burst", burst)
            self.give(plan, 1, 1, "trigger/nshots", str(shots))
            options = {"trigger": CLOCK, "bytes": 1, "shots": shots, "burst": burst}
            self.rate(plan, f"hrt-shots{shots}", 1, use, **options)
        self.give(plan, 1, 1, "trigger/nshots", "1")
        self.give(plan, 1, 1, "trigger/nsamples", "16")

    def own_hrt(self, plan: Plan) -> None:
        """Only the sets that are measured have an hrt: it ticks before it is set."""
        self.give(plan, 1, 100, "current_trigger", "user")
        last = 0
        for n in (1, 10, 100):
            plan.say(f"{n} hrt")
            self.give(plan, last + 1, n, "current_trigger", "hrt")
            last = n
            period = 20000 + n * 8000
            for use in ("full", "store", "read"):
                self.cost(plan, "hrt-own", n, period, use)
            self.cost(plan, "hrt-spread", n, period, "store", spread=1)
            self.rate(plan, "hrt-own", n, "read")
        self.cost(plan, "hrt-own", 1, 100000, "sleeper")

    def timers(self, plan: Plan) -> None:
        plan.run(f"mkdir {TICK}")
        self.give(plan, 1, 100, "current_trigger", "tick0")
        for n in (1, 10, 100):
            plan.say(f"a shared timer, {n} sets")
            self.give(plan, 1, 100, "current_trigger", "user")
            self.give(plan, 1, n, "current_trigger", "tick0")
            options = {"source": "timer", "period": 4000000, "events": 100, "first": 1}
            options |= {"use": "store", "trigger": TICK}
            self.trig(plan, "timer-shared-store", n, "cost", **options)
        self.give(plan, 1, 100, "current_trigger", "user")

    def fires(self, plan: Plan) -> None:
        source = cset_dir("zzero", 0)
        own, shared = f"{source}/trigger", f"{SHARED}/sysfs/fire0"
        plan.write(f"{source}/current_trigger", "sysfs")
        self.trig(plan, "sysfs-own-full", 1, "fire", trigger=own)
        plan.run(f"mkdir {shared} {SHARED}/chain/chain0")
        plan.write(f"{SHARED}/chain/chain0/source", "zzero-0000/cset0")
        for n in (1, 10, 100):
            plan.say(f"sysfs and chain, {n} sets")
            options = {"first": 1, "events": 400, "use": "store"}
            for label, name, trigger in (
                ("sysfs", "fire0", shared),
                ("chain", "chain0", own),
            ):
                self.give(plan, 1, n, "current_trigger", name)
                label = f"{label}-shared-store"
                self.trig(plan, label, n, "fire", trigger=trigger, **options)

    def rings(self, plan: Plan) -> None:
        clock = {"trigger": CLOCK}
        tick = {"trigger": TICK, "source": "timer", "period": 4000000, "events": 100}
        self.give(plan, 1, 100, "current_buffer", "vmalloc")
        self.give(plan, 1, 100, "current_trigger", "user")
        for n in (1, 10, 100):
            plan.say(f"rings, {n} sets")
            self.give(plan, 1, n, "current_trigger", "clock0")
            for use in ("ring", "group", "group-asleep"):
                self.cost(plan, "hrt-shared", n, 20000 + n * 4000, use, **clock)
            self.rate(plan, "hrt-shared", n, "ring", **clock)
            if n == 1:
                self.bursts(plan, "ring")
            self.jitter(plan, "hrt-shared", n, period=200000, events=1000, **clock)
            self.give(plan, 1, n, "current_trigger", "tick0")
            self.jitter(plan, "timer-shared", n, **tick)
        self.give(plan, 1, 100, "current_trigger", "user")
        last = 0
        for n in (10, 100):
            plan.say(f"own triggers, rings, {n} sets")
            self.give(plan, last + 1, n, "current_trigger", "hrt")
            last = n
            self.rate(plan, "hrt-own", n, "ring")
            self.jitter(plan, "hrt-own", n, period=n * 10000 + 100000, events=200)

    def whole_set(self, plan: Plan) -> None:
        """A board of one set with 100 channels. configfs makes up to 64."""
        plan.say("one set of 100 channels")
        for i in range(1, 101):
            plan.run(f"rmdir {CONFIG}/zio/devices/zzero/m{i}")
        plan.run("rmmod zio-zero")
        plan.load("zio-zero", parameters="ncset=1 nchan=100")
        self.give(plan, 0, 0, "current_buffer", "vmalloc")
        self.give(plan, 0, 0, "current_trigger", "clock0")
        options = {"use": "set", "period": 420000 * self.stretch, "events": 200}
        command = zio_bench("trig", task="cost", count=1, trigger=CLOCK, **options)
        plan.attempt(command, method="hrt-set-ring", size=16, count=100)

    def iio(self, plan: Plan) -> None:
        for module in IIO_MODULES:
            file = f"{BENCH}/{module}.ko"
            load = f"insmod {file} || :; else modprobe {module} 2>/dev/null || :; fi"
            plan.run(f"if [ -e {file} ]; then {load}")
        hrtimer, dummy = f"{CONFIG}/iio/triggers/hrtimer", f"{CONFIG}/iio/devices/dummy"
        plan.run(f"if [ -d {hrtimer} ] && [ -d {dummy} ]; then")
        self.make_iio_dummies(plan, hrtimer, dummy)
        for n in (1, 2):
            plan.say(f"IIO, {n} devices")
            options = {"count": n, "period": 100000 * self.stretch}
            for use in ("full", "read", "store"):
                command = zio_bench("iio", task="cost", use=use, **options)
                plan.attempt(command, method=f"iio-hrtimer-{use}", size=16, count=n)
            command = zio_bench("iio", task="rate", **options)
            plan.attempt(command, method="rate-iio-hrtimer-read", size=16, count=n)
        plan.run("else say 'no hrtimer trigger of IIO: its rows are left out'; fi")

    def make_iio_dummies(self, plan: Plan, hrtimer: str, dummy: str) -> None:
        plan.run(f"mkdir {hrtimer}/clock0")
        for n in (0, 1):
            directory = f"{IIO_DEVICES}/iio:device{n}"
            plan.run(f"mkdir {dummy}/d{n}")
            plan.write(f"{directory}/trigger/current_trigger", "clock0")
            plan.write(f"{directory}/scan_elements/in_voltage0_en", 1)
            plan.write(f"{directory}/scan_elements/in_timestamp_en", 1)

    # results

    def rows(self, results: list[Result]) -> list[Row]:
        return plain_rows(r for r in results if not r.error)

    def remarks(self, results: list[Result]) -> dict[str, str]:
        return {
            f"missing {r.key['method']}, {r.key['count']}": r.error
            for r in results
            if r.error
        }

    def figure(self, table: Table) -> Figure:
        panels = [cost_panel(table), rate_panel(table)]
        panels += [hrt_jitter_panel(table), timer_jitter_panel(table)]
        return Figure("Triggers: 1 to 100 channel sets, blocks of 16 bytes", panels, 2)

    def report(self, table: Table) -> dict[str, str]:
        return {
            "costs": cost_table(table),
            "rates": rate_table(table),
            "bursts": burst_table(table),
        }


SETS = [1, 2, 10, 100]
SETS_AXIS = {"xlog": True, "xticks": SETS}


def cost_panel(table: Table) -> Panel:
    curves = [
        ("hrt-own-store", "each its own hrt", draw.RED, 7),
        ("hrt-shared-read", "one shared hrt, and reads", draw.LIGHT, 7),
        ("hrt-shared-store", "one shared hrt", draw.BLUE, 7),
        ("iio-hrtimer-store", "IIO, hrtimer and dummy", draw.ORANGE, 6),
    ]
    return Panel(
        "cost; own and reads meet at 100 sets", "channel sets", "instructions per event",
        [Curve(t, table.curve(m, "count"), c, point=p) for m, t, c, p in curves],
        ylog=True, yticks=draw.decades(1000, 1e6), **SETS_AXIS,
    )  # fmt: skip


def rate_panel(table: Table) -> Panel:
    def rates(method: str) -> list[tuple[float, float]]:
        return [(n, 1e9 / ns) for n, ns in table.curve(method, "count", "ns")]

    old = published("zio-1.1", "triggers").get("rate-hrt-shared-read", "ns")
    curves = [
        Curve("shared hrt, rings", rates("rate-hrt-shared-ring"), draw.GREEN),
        Curve("shared hrt, reads", rates("rate-hrt-shared-read"), draw.LIGHT),
        Curve("each its own, reads", rates("rate-hrt-own-read"), draw.RED),
        Curve("IIO, reads", rates("rate-iio-hrtimer-read"), draw.ORANGE, point=6),
        Curve("ZIO 1.1", [(1, 1e9 / old)] if old else [], draw.GREY, "points", point=6),
    ]
    return Panel(
        "highest rate without loss; own and rings coincide", "channel sets",
        "events per second", curves, ylog=True, yticks=draw.decades(1000, 1e6),
        **SETS_AXIS,
    )  # fmt: skip


def histogram(points: list[tuple[float, float]], edges: list[float]) -> draw.Points:
    """Steps: how many are between two edges. Half a one is the bottom of the axis."""
    counts = [0.0] * len(edges)
    for ns, n in points:
        # zio-bench tells the begin of 100 ns; their middle is inside of a bin.
        counts[max(bisect.bisect_right(edges, (ns + 50) / 1000) - 1, 0)] += n
    return [(edge, max(n, 0.5)) for edge, n in zip(edges, counts, strict=True)]


SHARED_BY = [(1, "1 set", draw.BLUE), (10, "10 share one", draw.GREEN)]
SHARED_BY += [(100, "100 share one", draw.PURPLE)]


def jitter_panel(
    table: Table, title: str, lines: list[tuple], edges: list[float], **axes: object
) -> Panel:
    curves = []
    for method, n, text, colour in lines:
        stamps = table.curve(f"jitter-{method}", "size", "blocks", count=n)
        curves.append(Curve(text, histogram(stamps, edges), colour, "steps"))
    return Panel(title, "us", "blocks", curves, ylog=True, **axes)


def hrt_jitter_panel(table: Table) -> Panel:
    lines = [("hrt-shared", *line) for line in SHARED_BY]
    lines.append(("hrt-own", 100, "100, each its own", draw.RED))
    edges = [10 ** (i / 10) for i in range(math.floor(10 * math.log10(0.3)), 31)]
    title = "time stamp after the tick of an hrt; ten bins a decade"
    xticks = [0.3, *draw.decades(1, 1000)]
    yticks = [("none", 0.5), *draw.decades(1, 1e6)]
    axes = {"xlog": True, "xticks": xticks, "yticks": yticks}
    return jitter_panel(table, title, lines, edges, **axes)


def timer_jitter_panel(table: Table) -> Panel:
    lines = [("timer-shared", *line) for line in SHARED_BY]
    title = "time stamp after the jiffy of a timer; bins of 0.1 us"
    yticks = [("none", 0.5), *draw.decades(1, 1e5)]
    axes = {"xticks": draw.linear(2.5, 0.5), "yticks": yticks}
    return jitter_panel(table, title, lines, [i / 10 for i in range(26)], **axes)


COSTS = [
    ("one shared `hrt`, room in the buffers", "hrt-shared-store"),
    ("the same, buffers full: each block is lost, and counted", "hrt-shared-full"),
    ("the same, each block read", "hrt-shared-read"),
    ("one shared `hrt`, rings, each read", "hrt-shared-ring"),
    ("the same, by one group of libzio", "hrt-shared-group"),
    ("the same, which sleeps before each event", "hrt-shared-group-asleep"),
    ("one set of 100 channels, by a group with the ring of the set", "hrt-set-ring"),
    ("an `hrt` for each set, at the same ticks", "hrt-own-store"),
    ("the same, one tick after the other", "hrt-spread-store"),
    ("`sysfs`, shared: write to `fire`, with the system call", "sysfs-shared-store"),
    ("`sysfs` of one set, and a shared `chain` that follows", "chain-shared-store"),
    ("`timer`, shared, of 4 ms", "timer-shared-store"),
    ("IIO, hrtimer trigger and `iio_dummy`, room in the buffer", "iio-hrtimer-store"),
    ("the same, each scan read", "iio-hrtimer-read"),
]


def cost_table(table: Table) -> str:
    rows = []
    for what, method in COSTS:
        cost = {n: table.get(method, count=n) for n in SETS}
        most = max((n for n in SETS if cost[n]), default=1)
        further = (cost[most] - cost[1]) / (most - 1) if most > 1 and cost[1] else None
        two = number(cost[2]) if "iio" in method else ""
        cells = [number(cost[1]), two, number(cost[10]), number(cost[100])]
        rows.append([what, *cells, number(further)])
    return markdown(["channel sets", "1", "2", "10", "100", "per further set"], rows)


RATES = [
    ("one shared `hrt`, reads, kmalloc, 16 blocks", "rate-hrt-shared-read"),
    ("one shared `hrt`, rings, vmalloc, 256 blocks", "rate-hrt-shared-ring"),
    ("an `hrt` for each set, reads", "rate-hrt-own-read"),
    ("an `hrt` for each set, rings", "rate-hrt-own-ring"),
    ("IIO, reads", "rate-iio-hrtimer-read"),
]


def rate_cell(ns: float | None) -> str:
    return f"{ns / 1000:.1f} us: {1e6 / ns:.1f} k/s" if ns else ""


def rate_table(table: Table) -> str:
    rows = [
        [what, *(rate_cell(table.get(method, "ns", count=n)) for n in SETS)]
        for what, method in RATES
    ]
    return markdown(["channel sets", *map(str, SETS)], rows)


BURSTS = [
    ("`burst` 8: eight events", 8, "rate-hrt-shots1"),
    ("`nshots` 8: one arming", 8, "rate-hrt-shots8"),
]


def burst_table(table: Table) -> str:
    rows = []
    for what, samples, method in BURSTS:
        for use, how in (("read", "reads, kmalloc"), ("ring", "ring, vmalloc")):
            ns = table.get(f"{method}-{use}", "ns", count=1)
            cells = [f"{ns / 1000:.2f} us", number(1e9 / ns * samples)] if ns else ["", ""]
            rows.append([what, how, *cells])
    return markdown(["8 blocks at a tick", "reader", "ticks", "blocks/s"], rows)
