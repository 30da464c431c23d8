# SPDX-License-Identifier: GPL-2.0-only
"""From one board to another: each mode of zio-copy, a route. After D. Gilbert, 2007."""

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import NODES, Plan, Result, Row, cset_dir, zio_bench
from .table import Column, Table, grid, markdown, number, published, ratio

SOURCE = cset_dir("zzero", 0)
SIZES = [512, 1024, 2048, 4096, 8192, 16384, 65536, 262144, 1048576]
MODES = ["rw", "mmap-in", "share"]
OUTPUTS = [1, 2, 4, 8]
# 50 copies of a disk of 8 MiB, which is what scsi_debug makes if it is not told
OLD_BLOCKS = 50 * 8 * 1024 // 8
PAIRS = [
    # mode of today, modes of 2007 that copy a byte as often by the CPU
    ("rw", ["dd indirect", "sg_dd indirect"]),
    ("mmap-in", ["mmap read, indirect write"]),
    ("share", ["mmap read, shared write"]),
    ("route", []),
    ("drop", []),
    ("", ["dd direct", "sg_dd direct", "mmap read, direct write"]),
]


def output(n: int) -> str:
    return cset_dir("zzero", n, 1)


def statistics(n: int) -> str:
    return f"{output(n)}/chan0/statistics"


class Share(Benchmark):
    name = "share"
    help = "from one board to another: each mode of zio-copy, a route"
    notes = {"count": "outputs, each of a board of its own"}

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc")
        plan.load("zio-zero", parameters="ndev=9")
        plan.enable_only(SOURCE, [0])
        for size in SIZES:
            plan.say(f"blocks of {size} bytes")
            self.set_sizes(plan, size, 1)
            self.input_alone(plan, size)
            for mode in MODES:
                self.copy(plan, mode, size, 1)
            self.route(plan, size, 1)
        for n in OUTPUTS[1:]:
            plan.say(f"{n} outputs")
            self.set_sizes(plan, 8192, n)
            for mode in MODES:
                self.copy(plan, mode, 8192, n)
            self.route(plan, 8192, n)

    def set_sizes(self, plan: Plan, size: int, outputs: int) -> None:
        """An area cannot be made smaller than a block: the block is small first."""
        blocks = 20 if size < 262144 else 6
        for cset in [SOURCE, *(output(n + 1) for n in range(outputs))]:
            plan.set_block_size(cset, 512)
            plan.use_area(cset, size, blocks)
            plan.set_block_size(cset, size)

    def counters(self, plan: Plan, name: str, outputs: int, when: str) -> None:
        files = " ".join(f"{statistics(n + 1)}/{name}" for n in range(outputs))
        plan.measure(f"cat {files}", counter=name, when=when)

    def input_alone(self, plan: Plan, size: int) -> None:
        """The controls are read, and the blocks dropped."""
        turns = 20_000_000 // (3000 + size)
        data = f"{NODES}/zzero-0000-0-0-data"
        plan.loop("ctrl", turns, data, size=size, method="drop", count=1)

    def blocks_of(self, size: int, outputs: int) -> int:
        if size == 8192 and outputs == 1:
            return OLD_BLOCKS
        return max(40, min(5000, 150_000_000 // (6000 + size * outputs)))

    def copy(self, plan: Plan, mode: str, size: int, outputs: int) -> None:
        """The first, short run warms the memory up for the second."""
        ends = " ".join(f"of=zzero-{n + 1:04x}-1-0" for n in range(outputs))
        command = f"zio-copy if=zzero-0000-0-0 {ends} mode={mode}"
        plan.run(f"{command} count=20 2>/dev/null")
        self.counters(plan, "copied-bytes", outputs, "before")
        count = self.blocks_of(size, outputs)
        key = {"method": mode, "size": size, "count": outputs}
        plan.measure(f"{command} -j count={count}", **key)
        self.counters(plan, "copied-bytes", outputs, "after")

    def route(self, plan: Plan, size: int, outputs: int) -> None:
        for n in range(1, outputs + 1):
            plan.write(f"{output(n)}/chan0/buffer/source", "zzero-0000-0-0")
        for name in ("copied-bytes", "route-lost"):
            self.counters(plan, name, outputs, "before")
        key = {"method": "route", "size": size, "count": outputs}
        plan.measure(zio_bench("route", statistics(1), time=200), **key)
        for n in range(1, outputs + 1):
            plan.write(f"{output(n)}/chan0/buffer/source", "none")
        for name in ("copied-bytes", "route-lost"):
            self.counters(plan, name, outputs, "after")

    # results

    def rows(self, results: list[Result]) -> list[Row]:
        rows: list[Row] = []
        before: dict[object, int] = {}
        for result in results:
            if "method" in result.key:
                rows.append({**result.key, **found_of(result)})
            elif "counter" in result.key:
                name, total = result.key["counter"], sum(result.numbers())
                if result.key["when"] == "before":
                    before[name] = total
                else:
                    column = "lost" if name == "route-lost" else "copied_bytes"
                    rows[-1][column] = total - before[name]
        for row in rows:
            row["copies"] = copies_of(row)
        return rows

    def figure(self, table: Table) -> Figure:
        some = [
            ("rw", "read, write", draw.RED, 7),
            ("mmap-in", "mapped input, write", draw.ORANGE, 7),
            ("share", "shared", draw.BLUE, 7),
            ("route", "route in the kernel", draw.LIGHT, 7),
            ("drop", "input alone", draw.PALE, 6),
        ]
        left = Panel(
            "one output; copies meet at 1M, route and input from 64k on", "block (bytes)",
            "instructions per block",
            [Curve(t, table.curve(m, count=1), c, point=p) for m, t, c, p in some],
            xlog=True, ylog=True,
            xticks=draw.sizes([512, 2048, 8192, 32768, 131072, 1048576]),
            yticks=draw.decades(1000, 1e6),
        )  # fmt: skip
        fan = [s for s in some if s[0] in ("rw", "mmap-in", "share", "route")]
        right = Panel(
            "blocks of 8 KiB", "outputs", "instructions per block and output",
            [Curve(t, per_output(table, m), c, point=p) for m, t, c, p in fan],
            xlog=True, xticks=OUTPUTS, yticks=draw.linear(8000, 2000),
        )  # fmt: skip
        title = "From one board to another: a block of zeros, made, moved, played"
        return Figure(title, [left, right], 2)

    def report(self, table: Table) -> dict[str, str]:
        return {
            "modes": mode_table(table),
            "sizes": size_table(table),
            "outputs": output_table(table),
        }


def found_of(result: Result) -> Row:
    """What zio-copy, `zio-bench loop` or `route` told of a run."""
    found = result.objects()[0]
    if "seconds" not in found:
        return {"lost": 0, **found}
    return {
        "blocks": found["blocks"],
        "ns": round(float(str(found["seconds"])) * 1e9),
        "user_s": found["user"],
        "system_s": found["system"],
        "lost": found["lost"],
    }


def copies_of(row: Row) -> float:
    """Copies of each byte: by design; where blocks are shared, as the kernel counts."""
    method, outputs = row["method"], row["count"]
    if method in ("share", "route"):
        return round(row["copied_bytes"] / (row["blocks"] * row["size"]), 3)
    return {"drop": 0, "rw": 1 + outputs}.get(method, outputs)


def per_output(table: Table, method: str) -> list[tuple[float, float]]:
    return [(n, cost / n) for n, cost in table.curve(method, "count", size=8192)]


def cheapest_copy(table: Table, size: int) -> float | None:
    ways = [mode for mode in MODES if mode != "share"]
    costs = [table.get(mode, size=size, count=1) for mode in ways]
    return min((cost for cost in costs if cost), default=None)


def now_cells(table: Table, mode: str) -> list[object]:
    """Instructions, ms of user and system time, ratio to shared, copies."""
    match = {"size": 8192, "count": 1}
    cost, shared = (table.get(m, **match) for m in (mode, "share"))
    if cost is None:
        return [""] * 5
    times = (table.get(mode, field, **match) for field in ("user_s", "system_s"))
    cells = [number(s * 1000 if s is not None else None) for s in times]
    copies = number(table.get(mode, "copies", **match))
    return [number(cost), *cells, ratio(cost, shared), copies]


def old_cells(mode: str | None) -> list[object]:
    """Seconds real, user, system; microseconds of a block; ratio to shared."""
    if mode is None:
        return [""] * 6

    old = published("gilbert-2007", "share")
    real = old.get(mode, "real s")
    cells = [number(old.get(mode, unit), 3) for unit in ("real s", "user s", "system s")]
    each = number(real / OLD_BLOCKS * 1e6 if real else None, 1)
    shared = old.get("mmap read, shared write", "real s")
    return [mode, *cells, each, ratio(real, shared)]


def mode_table(table: Table) -> str:
    rows = []
    for mode, old in PAIRS:
        for i, name in enumerate(old or [None]):
            now = [f"`{mode}`", *now_cells(table, mode)] if mode and not i else [""] * 6
            rows.append([*now, *old_cells(name)])
    head = ["mode", "instructions", "user, ms", "system, ms", "to shared", "copies"]
    head += ["2007", "real, s", "user, s", "system, s", "us of a block", "to shared"]
    return markdown(head, rows)


def size_table(table: Table) -> str:
    def copied(size: int) -> float | None:
        return cheapest_copy(table, size)

    columns = [
        table.column("shared", "share", count=1),
        ("cheapest copy", lambda size: number(copied(size))),
        ("ratio", lambda s: ratio(table.get("share", size=s, count=1), copied(s))),
        table.column("route", "route", count=1),
        table.column("input alone", "drop", count=1),
    ]
    return grid("bytes", SIZES, columns)


def output_table(table: Table) -> str:
    columns: list[Column] = []
    for head, method in (("shared", "share"), ("route", "route")):

        def each(n: int, method: str = method) -> str:
            return ratio(table.get(method, size=8192, count=n), n, 0)

        columns.append(table.column(head, method, key="count", size=8192))
        columns.append(("for each", each))
    return grid("outputs, 8 KiB", OUTPUTS, columns)
