# SPDX-License-Identifier: GPL-2.0-only
"""Events of the emulated S-LINK card: after the page of SLD (Nikhef, 2000)."""

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import Plan, Result, Row, cset_dir, zio_bench
from .table import Column, Table, grid, markdown, number, published

CSET = cset_dir("slink", 0)
CHANNEL = "/dev/zio/slink-0000-0-0"
SIZES = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000, 262144]
RUN_SIZES = [1000, 10000]  # of the three runs
LOAD_SIZES = [5, 10, 20, 50, 100, 200, 300, 400, 500]  # of the CPU load
POLL_SIZES = [5, 100, 200, 1000]
PAGE_SIZES = range(1016, 1045)
FIFO_WORDS = 4096  # so many words wait in the FIFO of the card, at most
WORD_NS = 25  # of the link: 40 MHz, as in 2000; a word into the chip takes 30 ns
MONITOR_S = 1  # from look to look; SLD had `vmstat 5`
READ_NS, WRITE_NS = 750, 150  # of the model's bus
SLD = published("sld-2000", "slink")
for row in SLD.rows:
    row["events_per_s"] = row["kb_per_s"] * 256 / row["size"]


class Slink(Benchmark):
    name = "slink"
    help = "events of an emulated S-LINK card, of 5 to 262144 words"
    devices = ("sspci",)
    notes = {
        "count": "blocks in the buffer",
        "size": "words of an event",
        "load": "raw, check and monitor: a bus that takes time; free: one that does not",
    }

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-s5933", "zio-slink")
        plan.run(
            "registers=$(grep -l 0x5933 /sys/bus/pci/devices/*/device)",
            "registers=${registers%/device}/resource0",
            f'until [ "$(cat {CSET}/link)" = 1 ]; do usleep 1000; done',
        )
        plan.run(f"slink-bench word-ns={WORD_NS}")
        self.page(plan)
        self.polling(plan)
        self.sizes(plan)
        self.three_runs(plan)
        self.cpu_load(plan)
        plan.run('[ "$(slink-bench faults)" = 0 ] || { say faults; exit 1; }')

    def set_events(self, plan: Plan, size: int, buffers: int, buffer: str) -> None:
        words = max(size, 1024) if buffer == "vmalloc" else 2048
        plan.run("slink-bench mode=stop")
        plan.write(f"{CSET}/current_buffer", buffer)
        plan.write(f"{CSET}/trigger/nsamples", 1024)
        if buffer == "vmalloc":
            plan.use_area(CSET, words * 4, buffers)
        plan.write(f"{CSET}/trigger/nsamples", words)
        plan.write(f"{CSET}/chan0/buffer/max-buffer-len", buffers)

    def events(
        self,
        plan: Plan,
        method: str,
        size: int,
        load: str = "raw",
        buffers: int = 100,
        buffer: str = "vmalloc",
        label: str = "",
        seconds: float = 0.06,
    ) -> None:
        """The queue is full before the clock starts, and read out after it stops."""
        n = max(8, round(seconds * 1e9 / (4000 + size * 33)))
        self.set_events(plan, size, buffers, buffer)
        more = 8 if size > 1024 else buffers + FIFO_WORDS // (size + 2) + 8
        warm = 8 if size > 1024 else buffers * 2
        plan.run(f"slink-bench event=0 size={size} count={warm + n + more}")
        options = {"bench": "$registers", "cset": CSET, "method": method, "size": size}
        options |= {"warm": warm, "events": n, "more": more}
        options["check"] = int("check" in load)
        plan.run(f"slink-bench bus-time={'free' if load == 'free' else 'pci'}")
        if "monitor" in load:
            look = f"zio list -j -i 0 'slink*' >/dev/null; sleep {MONITOR_S}"
            plan.run(f"while :; do {look}; done & monitor=$!")
        key = {"method": label or method, "load": load, "size": size, "count": buffers}
        plan.measure(zio_bench("slink", CHANNEL, **options), **key)
        if "monitor" in load:
            plan.run("kill $monitor; wait $monitor || :")

    def sizes(self, plan: Plan) -> None:
        for size in SIZES:
            plan.say(f"events of {size} words")
            self.events(plan, "ring", size, "free")
            for method in ("read", "ring"):
                self.events(plan, method, size)
                if size <= 1000:
                    self.events(plan, method, size, buffers=1000)
                elif old_buffers(size) > 4:
                    self.events(plan, method, size, buffers=old_buffers(size))

    def three_runs(self, plan: Plan) -> None:
        """Raw, with a monitor, with a monitor and a check. One look in each run."""
        for size in RUN_SIZES:
            for load in ("raw", "monitor", "monitor+check"):
                plan.say(f"events of {size} words, {load}")
                seconds = 0.2 if load == "raw" else 1.1 * MONITOR_S
                key = {"buffers": old_buffers(size), "label": "runs-ring"}
                self.events(plan, "ring", size, load, seconds=seconds, **key)

    def cpu_load(self, plan: Plan) -> None:
        """Longer runs: the kernel charges user and system time by ticks of 4 ms."""
        plan.say("CPU load")
        for size in LOAD_SIZES:
            self.events(plan, "ring", size, "check", label="load-ring", seconds=0.3)

    def page(self, plan: Plan) -> None:
        """Each block begins on a page, as the buffers of SLD do."""
        plan.say("events of 1016 to 1044 words")
        for size in PAGE_SIZES:
            for load in ("raw", "free"):
                key = {"buffer": "kmalloc", "label": "page-read"}
                self.events(plan, "read", size, load, **key)

    def polling(self, plan: Plan) -> None:
        """An interrupt, and then a look every so many microseconds."""
        plan.say("events that are polled for")
        for us in (20, 100):
            plan.write(f"{CSET}/poll-us", us)
            for size in POLL_SIZES:
                self.events(plan, "ring", size, label=f"poll{us}-ring")
        plan.write(f"{CSET}/poll-us", 0)

    def rows(self, results: list[Result]) -> list[Row]:
        rows = []
        for result in results:
            for found in result.objects():
                rows.append({**result.key, **event_row(result.key, found)})
        return rows

    def figure(self, table: Table) -> Figure:
        panels = [throughput_panel(table), rate_panel(table)]
        panels += [load_panel(table), page_panel(table)]
        return Figure("Events of an emulated S-LINK card, 100 blocks", panels, 2)

    def report(self, table: Table) -> dict[str, str]:
        return {
            "throughput": throughput_table(table),
            "runs": runs_table(table),
            "buffers": buffers_table(table),
            "bus": bus_table(table),
            "load": load_table(table),
            "costs-read": cost_table(table, "read"),
            "costs-ring": cost_table(table, "ring"),
            "polling": polling_table(table),
            "page": page_table(table),
        }


def old_buffers(size: int) -> int:
    """So many events fit into 100 buffers of 4 KiB, which an event may span."""
    return 100 // -(-size // 1024)


def shares(ns: int, user_ns: int, idle_ns: int) -> Row:
    """Return per cents of the time. Ticks that come in step with the events charge all
    time to the program: then there is no share of the program and of the system."""
    parts = {"user": user_ns, "system": ns - idle_ns - user_ns, "idle": idle_ns}
    if parts["system"] <= 0:
        parts = {"idle": idle_ns}
    return {name: round(part / ns * 100, 1) for name, part in parts.items()}


def event_row(key: Row, found: Row) -> Row:
    """Per event, and in percent. Time is that of the clock of the card."""
    n, ns, words = found["events"], found["card_ns"], key["size"]
    busy, wait = ns - found["idle_ns"], found["wait_ns"]
    row: Row = {"blocks": n, "ns": ns, "us": round(ns / n / 1000, 4)}
    row["insn"] = round((busy - wait) / n, 1)
    row["bus_us"] = round(wait / n / 1000, 3)
    row["kb_per_s"] = round(n * words * 4 / 1024 / ns * 1e9, 1)
    row["events_per_s"] = round(n / ns * 1e9)
    row["interrupts_per_s"] = round(found["interrupts"] / ns * 1e9)
    row |= shares(ns, found["user_ns"], found["idle_ns"])
    row["switches"] = round(found["switches"] / n, 3)
    for name in ("interrupts", "polls", "cpu_words", "transfers", "reads", "writes"):
        # The driver is ahead of the program.
        row[name] = round(found[name] / found["driver_events"], 3)
    row["clock_error"] = round(ns / found["ns"] - 1, 6)
    return row


# Figures

WORDS = draw.labels([5, 20, 100, 500, 2000, 10000, 50000, 262144])
WORDS_AXIS = {"xlog": True, "xticks": WORDS}


def throughput_panel(table: Table) -> Panel:
    match = {"y": "kb_per_s", "unit": 1024, "count": 100}
    curves = [
        Curve("ring", table.curve("ring", load="raw", **match)),
        Curve("read", table.curve("read", load="raw", **match), draw.ORANGE, point=6),
        Curve("ring, free bus", table.curve("ring", load="free", **match), draw.LIGHT),
        Curve(
            "SLD 2000, PIII 700 MHz", SLD.curve("raw", **match), draw.GREY, "points", 5
        ),
    ]
    return Panel(
        "a read of a register takes 750 ns; free bus: 0", "words of an event",
        "MB/s (2^20 bytes)", curves, yticks=draw.linear(140, 20), **WORDS_AXIS,
    )  # fmt: skip


def rate_panel(table: Table) -> Panel:
    match = {"y": "events_per_s", "count": 100}
    few, many = (SLD.curve("raw", y="events_per_s", count=n) for n in (100, 1000))
    curves = [
        Curve("ring", table.curve("ring", load="raw", **match)),
        Curve("read", table.curve("read", load="raw", **match), draw.ORANGE, point=6),
        Curve("ring, free bus", table.curve("ring", load="free", **match), draw.LIGHT),
        Curve("SLD, 100 buffers", few, draw.GREY, "points", 5),
        Curve("SLD, 1000 buffers", many, draw.GREY, "points", 4),
    ]
    return Panel(
        "100 blocks", "words of an event",
        "events per second", curves, ylog=True, yticks=draw.decades(100, 1e6),
        **WORDS_AXIS,
    )  # fmt: skip


def load_panel(table: Table) -> Panel:
    colours = {"system": draw.RED, "user": draw.GREEN, "idle": draw.BLUE}
    curves = [Curve(f, table.curve("load-ring", y=f), c) for f, c in colours.items()]
    interrupts = table.curve("load-ring", y="interrupts_per_s", unit=1000)
    curves.append(
        Curve("interrupts (right)", interrupts, draw.ORANGE, point=6, right=True)
    )
    return Panel(
        "CPU load, every word checked", "words of an event", "percent",
        curves,
        xticks=draw.linear(500, 100), yticks=draw.linear(100, 20),
        y2label="1000 interrupts per second", y2ticks=draw.linear(100, 20),
    )  # fmt: skip


def page_panel(table: Table) -> Panel:
    words, transfers, interrupts = (
        table.curve("page-read", load="raw", y=y)
        for y in ("cpu_words", "transfers", "interrupts")
    )
    rate, free = (
        table.curve("page-read", load=load, y="kb_per_s", unit=1024)
        for load in ("raw", "free")
    )
    curves = [
        Curve("words by the CPU", words, draw.PURPLE),
        Curve("transfers", transfers),
        Curve("interrupts", interrupts, draw.ORANGE, point=6),
        Curve("MB/s (right)", rate, draw.GREY, point=5, right=True),
        Curve("MB/s, free bus (right)", free, draw.PALE, point=4, right=True),
    ]
    return Panel(
        "end of a page; the CPU takes words 1025 to 1032", "words of an event",
        "per event", curves,
        xticks=list(range(1016, 1045, 4)), yticks=draw.linear(12, 2),
        y2label="MB/s (2^20 bytes)", y2ticks=draw.linear(120, 20),
    )  # fmt: skip


# Tables


def throughput_table(table: Table) -> str:
    columns = [SLD.column("SLD", "raw", "kb_per_s", count=100)]
    for method in ("read", "ring"):
        columns.append(table.column(method, method, "kb_per_s", count=100, load="raw"))

        def few(size: int, method: str = method) -> str:
            match = {"size": size, "count": old_buffers(size), "load": "raw"}
            return number(table.get(method, "kb_per_s", **match)) if size > 1024 else ""

        columns.append((f"{method}, 400 KB", few))
    match = {"count": 100, "load": "free"}
    columns.append(table.column("ring, free bus", "ring", "kb_per_s", **match))
    return grid("words", SIZES, columns)


def runs_table(table: Table) -> str:
    rows = []
    for size in RUN_SIZES:
        for load in ("raw", "monitor", "monitor+check"):
            now = table.select("runs-ring", size=size, load=load)[:1]
            cells = [number(r.get(f), 1) for r in now for f in ("user", "system", "idle")]
            rate = number(now[0]["kb_per_s"] if now else None)
            old = number(SLD.get(load, "kb_per_s", size=size))
            rows.append([number(size), load, old, rate, *(cells or [""] * 3)])
    head = ["words", "run", "SLD, KB/s", "ring, KB/s", "user %", "system %", "idle %"]
    return markdown(head, rows)


def buffers_table(table: Table) -> str:
    columns = [
        t.column(f"{name}, {n}", method, "events_per_s", digits, count=n, **match)
        for t, name, method, digits, match in (
            (table, "read", "read", 0, {"load": "raw"}),
            (table, "ring", "ring", 0, {"load": "raw"}),
            (SLD, "SLD", "raw", -2, {}),
        )
        for n in (100, 1000)
    ]
    return grid("words", [size for size in SIZES if size <= 1000], columns)


def bus_table(table: Table) -> str:
    """What was measured, and a sum in which the CPU waits for each write, too."""
    rows = []
    for method in ("read", "ring"):
        for count in (100, 1000):
            match = {"size": 5, "count": count, "load": "raw"}
            fields = ("reads", "writes", "insn", "bus_us", "events_per_s")
            reads, writes, insn, bus, rate = (
                table.get(method, field, **match) for field in fields
            )
            if not rate:
                continue
            summed = 1e9 / (insn + reads * READ_NS + writes * WRITE_NS)
            cells = [number(reads, 2), number(writes, 2), number(insn), number(bus, 2)]
            name = f"{method}, {count} blocks"
            rows.append([name, *cells, number(rate), number(summed, -2)])
    for count in (100, 1000):
        rate = SLD.get("raw", "events_per_s", size=5, count=count)
        name = f"SLD, {count} buffers"
        rows.append([name, "", "", "", "", number(rate, -2), ""])
    head = ["5 words", "reads", "writes", "instructions", "us for the bus"]
    return markdown([*head, "events/s", "sum"], rows)


def some_columns(
    table: Table, method: str, *fields: tuple[str, str, int]
) -> list[Column]:
    match = {"count": 100, "load": "check" if method == "load-ring" else "raw"}
    return [table.column(head, method, field, n, **match) for field, head, n in fields]


def load_table(table: Table) -> str:
    fields = [("user", "user %", 1), ("system", "system %", 1), ("idle", "idle %", 1)]
    fields += [("interrupts_per_s", "interrupts a second", 0), ("kb_per_s", "KB/s", 0)]
    return grid("words", LOAD_SIZES, some_columns(table, "load-ring", *fields))


RATE, COST = ("kb_per_s", "KB/s", 0), ("insn", "instructions", 0)
SWITCHES = ("switches", "switches", 3)
COUNTS = [
    ("interrupts", "interrupts", 3),
    ("cpu_words", "words by CPU", 3),
    ("transfers", "transfers", 3),
]
ACCESSES = [("reads", "reads", 3), ("writes", "writes", 3)]
BUS = ("bus_us", "us for the bus", 2)


def cost_table(table: Table, method: str) -> str:
    fields = [COST, BUS, ("idle", "idle %", 1), SWITCHES, *COUNTS, *ACCESSES]
    return grid(f"words, by {method}", SIZES, some_columns(table, method, *fields))


def polling_table(table: Table) -> str:
    columns = []
    for us, method in (("none", "ring"), ("20", "poll20-ring"), ("100", "poll100-ring")):
        columns += [
            (f"{us}: {head}", cell)
            for head, cell in some_columns(table, method, RATE, COST, SWITCHES)
        ]
    return grid("words", POLL_SIZES, columns)


def page_table(table: Table) -> str:
    sizes = [PAGE_SIZES[0], *range(1024, 1037), PAGE_SIZES[-1]]
    columns = some_columns(table, "page-read", RATE, *COUNTS, *ACCESSES, BUS)
    columns.append(
        table.column("KB/s, free bus", "page-read", "kb_per_s", 0, count=100, load="free")
    )
    return grid("words", sizes, columns)
