# SPDX-License-Identifier: GPL-2.0-only
"""How late the events of hrt come: kernels, an idle machine, a loaded one; references."""

import shlex
import subprocess
from collections.abc import Iterable

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import ZIO_BENCH, Plan, Result, Row, cset_dir, zio_bench
from .table import Table, markdown, number

EVENTS = 100_000
# Plain, the machine emulates some 30 us for each event of each method.
PERIODS = {"icount": 50_000, "plain": 1_000_000}  # ns
# Each method has its ticks in another part of the period.
PARTS = {"hrt": 0, "bare": 4, "sleep": 8}  # sixteenths
LOADS = ("idle", "loaded")
STRESS = "stress-ng --cpu 1 --vm 1 --vm-bytes 32m --pipe 1 --fork 1 --temp-path /tmp"
LAST_STRESSOR = "stress-ng-fork"
OUT = "/tmp/bench"
SHOWN = [("p50", 5_000), ("p99", 9_900), ("p99.99", 9_999), ("max", 10_000)]
METHODS = {
    "hrt": "`hrt`",
    "bare": "bare timer",
    "sleep": "program that sleeps",
    "host": "program on the host",
}
Histogram = list[tuple[int, int]]  # ns late, events


def percentile(histogram: Histogram, parts: int) -> int:
    """The least lateness that @parts of 10 000 events do not exceed."""
    wanted = -(-sum(events for _, events in histogram) * parts // 10_000)
    for late, events in sorted(histogram):
        wanted -= events
        if wanted <= 0:
            return late
    raise ValueError("no events")


def survivors(histogram: Histogram) -> draw.Points:
    """Microseconds, and the fraction of events that are at least so late."""
    left = total = sum(events for _, events in histogram)
    points = []
    for late, events in sorted(histogram):
        points.append((max(late, 1) / 1000, left / total))
        left -= events
    return points


def idle_share(before: str, after: str) -> float:
    """Per cent of the time between two looks at the first line of /proc/stat."""
    looks = [[int(word) for word in line.split()[1:9]] for line in (before, after)]
    spent = [b - a for a, b in zip(*looks, strict=True)]
    return float(100 * spent[3] / sum(spent))


class Jitter(Benchmark):
    name = "jitter"
    help = "lateness of hrt: idle, under stress-ng; 6.1, 6.12, RT; beside a bare timer"
    kernels = ("distro", "6.12", "rt")
    modes = ("icount", "plain")
    programs = ("stress-ng",)
    notes = {
        "method": "hrt; bare: a timer of the kernel alone; sleep: a program that sleeps"
        " until each tick; host: such a program on the host, before the boot, with the"
        " priority of QEMU",
        "period": ", ".join(f"{mode} {ns} ns" for mode, ns in PERIODS.items()),
        "load": STRESS,
    }

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc")
        plan.load("zio-zero", parameters="ncset=1 nchan=1")
        plan.load("zio-trig-hrt", "baretimer")
        cset = cset_dir("zzero", 0)
        plan.use_area(cset, 16, 4096)
        plan.write(f"{cset}/current_trigger", "hrt")
        plan.say("idle")
        self.take_all(plan, "idle")
        plan.say("under load")
        plan.run(f"{STRESS} >{OUT}/stress 2>&1 & load=$!")
        plan.run(f"until grep -qsx {LAST_STRESSOR} /proc/[0-9]*/comm; do")
        plan.run(f"kill -0 $load || {{ cat {OUT}/stress >&2; exit 1; }}; done")
        self.take_all(plan, "loaded")
        # This fails if the load has ended before.
        plan.run("kill -INT $load", "wait $load || :")

    def take_all(self, plan: Plan, load: str) -> None:
        """All methods at once, so that they meet the same load."""
        plan.measure("grep '^cpu ' /proc/stat", stat="before", load=load)
        plan.run("running=")
        for method, part in PARTS.items():
            command = take(ZIO_BENCH, method, plan.mode, part)
            plan.run(f'{command} >{OUT}/{method} & running="$running $!"')
        plan.run("for job in $running; do wait $job; done")
        plan.measure("grep '^cpu ' /proc/stat", stat="after", load=load)
        for method in PARTS:
            plan.measure(f"cat {OUT}/{method}", method=method, load=load)

    def before(self, program: str, mode: str) -> list[Result]:
        if mode != "plain":
            return []
        command = shlex.split(take(program, "normal", mode, 0))
        done = subprocess.run(command, capture_output=True, text=True)
        text = done.stdout if done.returncode == 0 else f"!{done.stderr}"
        return [Result({"method": "host", "load": "idle"}, text.splitlines())]

    def rows(self, results: list[Result]) -> list[Row]:
        rows: list[Row] = [
            {**result.key, **found}
            for result in results
            if "method" in result.key
            for found in result.objects()
        ]
        stats = {
            (r.key["load"], r.key["stat"]): r.lines[0] for r in results if "stat" in r.key
        }
        for load in LOADS:
            share = idle_share(stats[load, "before"], stats[load, "after"])
            rows.append({"method": "cpu", "load": load, "idle": round(share, 1)})
        return rows

    def remarks(self, results: list[Result]) -> dict[str, str]:
        return {f"missing {r.key['method']}": r.error for r in results if r.error}

    def figure(self, table: Table) -> Figure:
        panels = [panel(table, "icount", "instructions as time: the code alone")]
        panels.append(panel(table, "plain", "the clock: with the emulator and the host"))
        return Figure("Lateness of hrt", panels)

    def report(self, table: Table) -> dict[str, str]:
        return {mode: percentiles(table, mode) for mode in self.modes}


def take(program: str, method: str, mode: str, part: int) -> str:
    period = PERIODS[mode]
    options = {"period": period, "phase": period * part // 16, "events": EVENTS}
    return zio_bench("jitter", method=method, program=program, **options)


def histogram(table: Table, mode: str, **match: object) -> Histogram:
    rows = table.select(str(match.pop("method")), mode, **match)
    return [
        (int(str(row["late_ns"])), int(str(row["events"])))
        for row in rows
        if "late_ns" in row
    ]


def kernels_of(table: Table) -> list[object]:
    """In the order of the table. A CSV file has 6.12 as a number."""
    return list(dict.fromkeys(row["kernel"] for row in table.rows))


def microseconds(ns: int) -> str:
    """Three digits; a lateness has no more."""
    return number(ns / 1000, 2 if ns < 10_000 else 1 if ns < 100_000 else 0)


def line(table: Table, mode: str, load: str, match: Row) -> list[str] | None:
    found = histogram(table, mode, **match)
    if not found:
        return None
    method, kernel = str(match["method"]), str(match["kernel"])
    cells = [microseconds(percentile(found, parts)) for _, parts in SHOWN]
    missed = table.get(method, "missed", mode=mode, load=load, kernel=match["kernel"])
    idle = table.get("cpu", "idle", mode=mode, load=load, kernel=match["kernel"])
    of_machine = "" if method == "host" else number(idle)
    return [KERNELS.get(kernel, kernel), load, METHODS[method], *cells,
            number(missed), of_machine]  # fmt: skip


KERNELS = {"distro": "6.1", "rt": "6.1 RT"}


def percentiles(table: Table, mode: str) -> str:
    head = ["kernel", "machine", "events of", *(name for name, _ in SHOWN)]
    lines: Iterable[list[str] | None] = (
        line(table, mode, load, {"method": method, "kernel": kernel, "load": load})
        for load in LOADS
        for kernel in kernels_of(table)
        for method in METHODS
    )
    return markdown([*head, "missed", "idle %"], (cells for cells in lines if cells))


COLOURS = [draw.BLUE, draw.GREEN, draw.RED]


def panel(table: Table, mode: str, title: str) -> Panel:
    curves = []
    for load, dash in zip(LOADS, (1, 2), strict=True):
        for kernel, colour in zip(kernels_of(table), COLOURS, strict=False):
            match: Row = {"method": "hrt", "kernel": kernel, "load": load}
            points = survivors(histogram(table, mode, **match))
            name = f"{KERNELS.get(str(kernel), str(kernel))}, {load}"
            curves.append(Curve(name, points, colour, "lines", dash=dash))
    return Panel(
        title, "us late", "fraction of events later", curves, xlog=True, ylog=True,
        xticks=draw.decades(0.1, 1e5), yticks=draw.decades(1e-5, 1),
    )  # fmt: skip
