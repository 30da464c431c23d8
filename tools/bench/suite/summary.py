# SPDX-License-Identifier: GPL-2.0-only
"""The targets beside what was measured."""

from __future__ import annotations

from collections.abc import Callable

from . import share
from .table import Reference, Table, markdown

Value = Callable[["Tables"], "float | None"]
Line = tuple[str, str, "float | None", object, int, Value]


class Tables:
    """The tables of all benchmarks, and the figures of others."""

    def __init__(self, tables: dict[str, Table], reference: Reference) -> None:
        self.tables = tables
        self.reference = reference

    def get(self, bench: str, method: str, field: str = "insn", **match: object):
        return self.table(bench).get(method, field, **match)

    def table(self, bench: str) -> Table:
        return self.tables.get(bench, Table([]))

    def text(self) -> str:
        rows = [row for line in LINES if (row := self.row(*line))]
        head = ["what", "unit", "target", "measured", "ZIO 1.1", "met"]
        return (
            "# Target, measured, reference\n\n"
            "Instruction counts (QEMU -icount), beside ZIO 1.1 on the same kernel.\n\n"
            + markdown(head, rows)
            + "\n"
        )

    def row(
        self,
        what: str,
        unit: str,
        target: float | None,
        was: object,
        digits: int,
        value: Value,
    ) -> list[str] | None:
        """What was not measured is left out."""
        measured = value(self)
        if measured is None:
            return None
        if target is None:
            limit = met = "-"
        else:
            limit = f"<= {target}"
            met = "yes" if round(measured, 4) <= target else "NO"
        old = was(self) if callable(was) else was
        text = "-" if old is None else f"{old:g}" if isinstance(old, float) else str(old)
        return [what, unit, limit, f"{measured:.{digits}f}", text, met]


def quotient(a: float | None, b: float | None) -> float | None:
    return a / b if a is not None and b else None


def pipeline(
    what: str, method: str, target: float | None = None, old: str = "", size: int = 16
) -> Line:
    def was(tables: Tables) -> float | None:
        return tables.reference.get("zio-1.1", "pipeline", method=old, size=size)

    text = f"{what}, {size} bytes"
    return text, "insn", target, was, 1, lambda t: t.get("pipeline", method, size=size)


def wiki(what: str, method: str, target: float | None, old: str) -> Line:
    def was(t: Tables) -> float | None:
        old_costs = (
            t.reference.get("zio-1.1", "wiki", method=m, size=16)
            for m in (old, "dd-urandom")
        )
        ratio = quotient(*old_costs)
        return round(ratio, 2) if ratio else None

    def value(t: Tables) -> float | None:
        return t.get("wiki", method, "ratio", size=16)

    return f"{what}, 16 bytes", "x urandom", target, was, 3, value


def spread(what: str, method: str) -> Line:
    def value(t: Tables) -> float | None:
        costs = [cost for _, cost in t.table("scale-devices").curve(method, "count")]
        return max(costs) / min(costs) if costs else None

    return f"{what}, 1 to 200 devices: most / least", "ratio", 1.05, "-", 3, value


def channels(t: Tables) -> float | None:
    many, one = (t.get("scale-channels", "read-all", count=n) for n in (16, 1))
    return quotient(many, one)


def beside_blocks(t: Tables) -> float | None:
    channel, block = (t.get("memory", m, "kib") for m in ("channel", "block"))
    depth = t.get("memory", "block", "count")
    return channel - block * depth if channel and block and depth else None


def register_cost(t: Tables, first: int, last: int) -> float | None:
    """Thousand instructions of each of these devices."""
    few, many = (t.get("register", "insmod", "ns", count=n) for n in (first, last))
    return (many - few) / (last - first) / 1000 if few and many else None


def aio(what: str, method: str, block: int) -> Line:
    def value(t: Tables) -> float | None:
        match = {"size": 65536, "count": block}
        return t.get("aio-2001", method, "percent_over_read", **match)

    text = f"{what} over read, 64 KiB, blocks of {block >> 10} KiB"
    return text, "%", 1, "-", 2, value


def triggers(method: str, n: int = 1, field: str = "insn") -> Value:
    return lambda t: t.get("triggers", method, field, count=n)


def slink(method: str) -> Line:
    """SLD had 54 800 such events a second, with 1000 buffers."""
    match = {"size": 5, "count": 100, "load": "raw"}
    text = f"S-LINK, event of 5 words, 100 buffers, {method}"
    return text, "us", 18.25, "-", 2, lambda t: t.get("slink", method, "us", **match)


def shared(size: int) -> Line:
    def value(t: Tables) -> float | None:
        table = t.table("share")
        cost = table.get("share", size=size, count=1)
        return quotient(cost, share.cheapest_copy(table, size))

    return f"a shared block / the cheapest copy, {size} bytes", "ratio", 1, "-", 3, value


def route(size: int) -> Line:
    def value(t: Tables) -> float | None:
        costs = (t.get("share", m, size=size, count=1) for m in ("route", "share"))
        return quotient(*costs)

    return f"a route / a shared block, {size} bytes", "ratio", 1, "-", 3, value


LINES: list[Line] = [
    pipeline("read of /dev/zero (the floor)", "dev-zero", None, "dev-zero"),
    pipeline("null pipe", "null-zero"),
    pipeline("read", "read", 1100, "read"),
    pipeline("control + read", "ctrl+read", 1700, "ctrl+read"),
    pipeline("poll + read", "poll+read", None, "poll+read"),
    pipeline("write", "write", None, "write"),
    pipeline("read of 1 MiB over blocks, each", "bulk", 400),
    pipeline("read", "read", None, "read", 4096),
    pipeline("read", "read", None, "read", 65536),
    pipeline("ring (a fifth of ZIO 1.1)", "ring", 663, "mmap"),
    pipeline("mapped, 16 controls a read (a third)", "vmalloc-batch", 1105, "mmap"),
    pipeline("mapped, a control a read", "vmalloc-mmap", None, "mmap"),
    pipeline("read of data, vmalloc", "vmalloc-read", None, "vmalloc-read"),
    wiki("dd of zio", "dd-zio", 1.15, "dd-zio"),
    wiki("zio-cat-file", "zio-cat-file", 1.3, "zio-cat-file"),
    wiki("zio-cat-file by ring", "cat-ring", None, "cat-mmap"),
    spread("read", "read-last"),
    spread("control + read", "ctrl+read-last"),
    ("cost per block, 16 channels / 1 channel", "ratio", 1, "-", 3, channels),
    ("idle device of one channel", "KiB", None, 38, 1,
     lambda t: t.get("memory", "device", "kib")),
    ("further channel", "KiB", None, 20, 1, lambda t: t.get("memory", "channel", "kib")),
    ("further channel beside its blocks", "KiB", 8, "-", 2, beside_blocks),
    ("register a device, 11th to 110th", "k insn", None, "312 (2nd to 10th)", 1,
     lambda t: register_cost(t, 10, 110)),
    ("register a device, 901st to 1000th", "k insn", None, "360 (101st to 1000th)", 1,
     lambda t: register_cost(t, 900, 1000)),
    ("register: the 1000th / the first", "ratio", 1.05, 1.15, 3,
     lambda t: quotient(register_cost(t, 900, 1000), register_cost(t, 10, 110))),
    aio("io_uring READ_FIXED", "uring-fixed", 4096),
    aio("io_uring READ, 16 at once", "uring-batch", 4096),
    aio("io_uring READ", "uring", 4096),
    aio("io_uring READ", "uring", 65536),
    aio("libaio", "libaio", 4096),
    ("a shared hrt over 100 sets / 100 hrt of their own", "ratio", 0.333, "-", 3,
     lambda t: quotient(triggers("hrt-shared-store", 100)(t),
                        triggers("hrt-own-store", 100)(t))),
    ("hrt, an event, one set, no reader", "insn", None, "-", 1,
     triggers("hrt-shared-store")),
    ("hrt to a reader asleep", "insn", 9400, "9400 to 10300", 1,
     triggers("hrt-own-sleeper")),
    ("hrt, shortest period without loss, one set, reads", "ns", 5405, 5405, 0,
     triggers("rate-hrt-shared-read", 1, "ns")),
    ("the same by IIO", "ns", None, "-", 0, triggers("rate-iio-hrtimer-read", 1, "ns")),
    slink("read"),
    slink("ring"),
    *(shared(size) for size in (4096, 65536, 1048576)),
    ("bytes copied of those shared, 8 KiB", "bytes", 0, "-", 0,
     lambda t: t.get("share", "share", "copied_bytes", size=8192, count=1)),
    *(route(size) for size in share.SIZES),
]  # fmt: skip
