# SPDX-License-Identifier: GPL-2.0-only
"""The recipe of the ZIO wiki of 2012: a random channel beside /dev/urandom."""

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import Plan, Result, Row, cset_dir, node
from .table import Table, markdown, number, published

SIZES = [16 << i for i in range(12)]
VOLUME = 16 << 20  # for each size, as in the recipe
FIRST = 1000000  # blocks of 16 bytes of the first measurement of the page
CSET, NODE = cset_dir("zzero", 0), node("zzero", 0, 0, 1)
RECIPE = [
    # what, method, first measurement or sweep
    ("`dd` of `/dev/urandom`, 1 000 000 blocks", "first-urandom"),
    ("`dd` of the channel", "first-zio"),
    ("`dd` of `/dev/urandom`, 1 048 576 blocks", "dd-urandom"),
    ("`zio-cat-file`, kmalloc", "zio-cat-file"),
    ("`zio-cat-file`, vmalloc", "cat-vmalloc"),
]


class Wiki(Benchmark):
    name = "wiki"
    picture = "wiki-sweep"
    help = "the recipe of 2012: dd and zio-cat-file against urandom"

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-zero", "nullpipe")
        plan.enable_only(CSET, [1])
        plan.set_block_size(CSET, 16)
        plan.say(f"{FIRST} blocks of 16 bytes")
        self.dd(plan, "first-urandom", 16, FIRST, "/dev/urandom")
        self.dd(plan, "first-zio", 16, FIRST, NODE)
        for size in SIZES:
            plan.say(f"blocks of {size} bytes")
            plan.set_block_size(CSET, size)
            self.sweep(plan, size)

    def sweep(self, plan: Plan, size: int) -> None:
        """The recipe takes the whole volume; what is beside it, less."""
        n = VOLUME // size
        few = 300_000_000 // (3000 + size * 24)
        self.dd(plan, "dd-urandom", size, n, "/dev/urandom")
        self.cat(plan, "zio-cat-file", size, n)
        self.dd(plan, "dd-zio", size, few, NODE)
        self.dd(plan, "dd-null-random", size, few, "/dev/zio-null-random")
        self.dd(plan, "dd-zero", size, few, "/dev/zero")
        plan.use_area(CSET, size, 80)
        self.cat(plan, "cat-vmalloc", size, few)
        self.dd(plan, "dd-vmalloc", size, few, NODE)
        plan.use_kmalloc(CSET)

    def tool(self, plan: Plan, command: str, method: str, size: int, n: int) -> None:
        for _ in range(1 if plan.mode == "icount" else 3):
            plan.measure(command, method=method, size=size, blocks=n)

    def dd(self, plan: Plan, method: str, size: int, n: int, path: str) -> None:
        command = f"dd of=/dev/null bs={size} count={n} if={path} 2>&1"
        self.tool(plan, command, method, size, n)

    def cat(self, plan: Plan, method: str, size: int, n: int) -> None:
        command = f"zio-cat-file {NODE} {n} 2>&1 >/dev/null"
        self.tool(plan, command, method, size, n)

    def rows(self, results: list[Result]) -> list[Row]:
        """The least of the runs, and its ratio to dd of /dev/urandom."""
        rows: dict[tuple[object, object], Row] = {}
        for result in results:
            if "method" not in result.key:
                continue
            key = (result.key["method"], result.key["size"])
            ns = round(result.seconds() * 1e9)
            if key not in rows or ns < rows[key]["ns"]:
                rows[key] = {**result.key, "ns": ns}
        for row in rows.values():
            base = rows["dd-urandom", row["size"]]
            cost = row["ns"] / row["blocks"] * base["blocks"]
            row["ratio"] = round(cost / base["ns"], 3)
        return list(rows.values())

    def figure(self, table: Table) -> Figure:
        axis = {"xlog": True, "xticks": draw.sizes(SIZES[::2] + SIZES[-1:])}
        left = Panel(
            "all but dd /dev/zero meet from 1k on; dd zio is at the null pipe",
            "block (bytes)",
            "microseconds per block (1 us = 1000 instructions)",
            [Curve(title, table.curve(m, y="us"), colour) for m, title, colour in CURVES],
            ylog=True, yticks=draw.decades(1, 1000), **axis,
        )  # fmt: skip
        ratios = [
            Curve(title, table.curve(m, y="ratio"), colour)
            for m, title, colour in CURVES
            if m != "dd-zero"
        ]
        for method, colour in (("zio-cat-file", draw.GREY), ("dd-zio", draw.RED)):
            old = [(s, r) for s, r in old_ratios(method) if s <= SIZES[-1]]
            title = f"{method}, ZIO 1.1 on 6.1"
            ratios.append(Curve(title, old, colour, point=6, dash=2))
        old = published("wiki-2012", "wiki")
        for method, title in (("zio-cat-file", "kmalloc"), ("cat-vmalloc", "vmalloc")):
            was = old.get(method, "s") / old.get("dd-urandom", "s")
            curve = Curve(f"2012, {title}", [(16, was)], draw.BLACK, "points")
            curve.point = 5 if title == "kmalloc" else 9
            ratios.append(curve)
        right = Panel(
            "all meet from 2k on", "block (bytes)", "time / time of dd if=/dev/urandom",
            ratios,
            yticks=draw.linear(2.0, 0.5), **axis,
        )  # fmt: skip
        title = "The recipe of the 2012 wiki: a random channel, dd and zio-cat-file"
        return Figure(title, [left, right], 2)

    def report(self, table: Table) -> dict[str, str]:
        tables = {"recipe": recipe_table(table), "sweep": sweep_table(table, "icount")}
        if table.has_plain():
            tables["plain"] = sweep_table(table, "plain")
        return tables


CURVES = [
    ("zio-cat-file", "zio-cat-file, kmalloc", draw.LIGHT),
    ("cat-vmalloc", "zio-cat-file, vmalloc", draw.RED),
    ("dd-zio", "dd zio", draw.BLUE),
    ("dd-null-random", "dd null pipe", draw.PURPLE),
    ("dd-urandom", "dd /dev/urandom", draw.GREEN),
    ("dd-zero", "dd /dev/zero", draw.GREY),
]


def old_ratios(method: str) -> list[tuple[float, float]]:
    old = published("zio-1.1", "wiki")
    base = dict(old.curve("dd-urandom"))
    return [(size, cost / base[size]) for size, cost in old.curve(method)]


def three_cells(count: int, each: float | None, base: float | None) -> list[str]:
    """Seconds of the run, the ratio to urandom, more microseconds of a block."""
    if each is None or base is None:
        return ["", "", ""]
    more = number(each - base, 3) if each != base else ""
    return [number(each * count / 1e6, 3), number(each / base, 2), more]


def recipe_table(table: Table) -> str:
    """Each run beside the dd of /dev/urandom before it: 2012, ZIO 1.1, now."""
    sources = [*(published(name, "wiki") for name in ("wiki-2012", "zio-1.1")), table]
    rows = []
    for what, method in RECIPE:
        first = method.startswith("first")
        base, count = ("first-urandom", FIRST) if first else ("dd-urandom", VOLUME // 16)
        row: list[object] = [what]
        for source in sources:
            costs = (source.get(m, "us", size=16) for m in (method, base))
            row += three_cells(count, *costs)
        rows.append(row)
    head = [""]
    for source in ("2012", "ZIO 1.1 on 6.1", "now"):
        head += [f"{source}: s", "ratio", "more, us"]
    return markdown(head, rows)


def sweep_table(table: Table, mode: str) -> str:
    """ZIO 1.1 has counts of instructions alone."""
    old = {}
    if mode == "icount":
        old = {method: dict(old_ratios(method)) for method in ("dd-zio", "zio-cat-file")}
    rows = []
    for size in SIZES:
        us = table.get("dd-urandom", "us", size=size, mode=mode)
        row: list[object] = [size, number(us, 3)]
        for method in ("dd-zio", "zio-cat-file", "cat-vmalloc"):
            row.append(number(table.get(method, "ratio", size=size, mode=mode), 2))
            if method in old:
                row.append(number(old[method].get(size), 2))
        rows.append(row)
    was = ["ZIO 1.1"] if old else []
    head = ["bytes", "urandom, us", "dd", *was, "zio-cat-file", *was]
    return markdown([*head, "vmalloc"], rows)
