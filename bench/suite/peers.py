# SPDX-License-Identifier: GPL-2.0-only
"""Zeros by way of ZIO, of IIO and of Comedi."""

import errno
import os

from . import draw
from .benchmark import Benchmark, load_core
from .draw import Curve, Figure, Panel
from .plan import BENCH, Plan, Result, Row, cset_dir, node, turns_for, zio_bench
from .table import Table, markdown, number, plain_rows

CSET, NODE = cset_dir("zzero", 0), node("zzero", 0, 0, 0)
IIO = "/sys/bus/iio/devices/iio:device0"
SIZES = [16, 1024, 65536]


class Peers(Benchmark):
    name = "peers"
    help = "a block by way of IIO and of Comedi, where the kernel has them"
    kernel_modules = ("industrialio-triggered-buffer", "comedi_test")
    notes = {
        "IIO": "iiopeer, 8-bit channels, kfifo; count: samples of a scan. It acquires"
        " scan by scan, ZIO a block at once",
        "Comedi": "comedi_test, one channel of 16 bits, a sample each microsecond",
        "loss in ZIO": "it goes on; a gap in the sequence numbers, an alarm in the next"
        " control, a count in statistics/",
    }

    def fill(self, plan: Plan) -> None:
        self.zio(plan)
        plan.run(f"insmod {BENCH}/iiopeer.ko || :", f"if [ -e {IIO} ]; then")
        for scan in (1, 64):
            self.set_scan(plan, scan)
            self.peer(plan, f"iio-{scan}", "iio", scan)
            self.peer(plan, f"iio-trigger-{scan}", "iio-trigger", scan)
        self.overrun(plan, "IIO", "iio", 64)
        plan.run("else say 'no IIO in this kernel: its rows are left out'; fi")
        plan.run("if [ -e /dev/comedi0 ]; then")
        self.peer(plan, "comedi", "comedi", 2)
        self.overrun(plan, "Comedi", "comedi", 2)
        plan.run("else say 'no comedi_test in this kernel: its rows are left out'; fi")

    def zio(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-zero", "nullpipe")
        plan.enable_only(CSET, [0])
        plan.say("ZIO")
        for size in SIZES:
            plan.set_block_size(CSET, size)
            few = turns_for(size, 1)
            plan.loop("read", few, NODE, size=size, method="zio")
            plan.loop("ctrl+read", few, NODE, size=size, method="zio-ctrl")
            plan.loop("read", few, "/dev/zio-null-zero", size=size, method="null-zero")
            plan.use_area(CSET, size, 80)
            plan.write(f"{CSET}/chan0/buffer/watermark", 64)
            plan.loop("ring", few, NODE, size=size, method="zio-ring")
            plan.use_kmalloc(CSET)

    def set_scan(self, plan: Plan, channels: int) -> None:
        """So many channels of 8 bits, and room for 65536 bytes."""
        plan.say(f"IIO, scans of {channels}")
        plan.write(f"{IIO}/buffer/enable", 0)
        for channel in range(64):
            on = int(channel < channels)
            plan.write(f"{IIO}/scan_elements/in_voltage{channel}_en", on)
        plan.write(f"{IIO}/buffer/length", 65536 // channels)
        plan.write(f"{IIO}/buffer/enable", 1)

    def peer(self, plan: Plan, label: str, method: str, scan: int) -> None:
        for size in SIZES:
            if size >= scan:
                options = {"method": method, "size": size, "scan": scan}
                command = zio_bench("peer", **options, repeat=plan.repeat)
                plan.measure(command, method=label, size=size, count=scan)

    def overrun(self, plan: Plan, name: str, method: str, scan: int) -> None:
        options = {"method": method, "size": 1024, "scan": scan, "overrun": 1}
        plan.measure(zio_bench("peer", **options), loss=name)

    def rows(self, results: list[Result]) -> list[Row]:
        """A second row for the reading alone."""
        rows = plain_rows(results)
        for row in list(rows):
            if "read_ns" in row:
                read = {**row, "method": f"{row['method']}-read", "ns": row["read_ns"]}
                rows.append(read)
        return rows

    def remarks(self, results: list[Result]) -> dict[str, str]:
        return {f"loss in {r.key['loss']}": told(r) for r in results if "loss" in r.key}

    def figure(self, table: Table) -> Figure:
        curves = [
            ("iio-trigger-1", "IIO, a trigger for each sample", draw.RED, 6),
            ("iio-1", "IIO, a scan for each sample", draw.ORANGE, 6),
            ("comedi", "Comedi, comedi_test (16 bits)", draw.PURPLE, 7),
            ("iio-trigger-64", "IIO, a trigger for each 64 samples", draw.RED, 7),
            ("iio-64", "IIO, scans of 64 samples", draw.ORANGE, 7),
            ("zio-ctrl", "ZIO, control + data", draw.LIGHT, 7),
            ("zio", "ZIO, data", draw.BLUE, 7),
            ("zio-ring", "ZIO, ring", draw.GREEN, 7),
            ("null-zero", "null pipe (just below ZIO, data)", draw.GREY, 6),
        ]
        panel = Panel(
            "the null pipe and ZIO but for the ring meet at 64k", "block (bytes)",
            "instructions per block",
            [Curve(t, table.curve(m), c, point=p) for m, t, c, p in curves],
            xlog=True, ylog=True, xticks=draw.sizes(SIZES),
            yticks=draw.decades(100, 1e8),
        )  # fmt: skip
        title = "Zeros by way of other frameworks: acquisition and read of a block"
        return Figure(title, [panel])

    def report(self, table: Table) -> dict[str, str]:
        rows = []
        for what, method in LINES:
            row = [what, *(number(table.get(method, size=s)) for s in SIZES)]
            if table.has_plain():
                plain = (table.get(method, "us", size=s, mode="plain") for s in SIZES)
                row += [number(us, 1) for us in plain]
            rows.append(row)
        head = ["", "16 bytes", "1 KiB", "64 KiB"]
        if table.has_plain():
            head += ["plain us: 16 bytes", "1 KiB", "64 KiB"]
        return {"peers": markdown(head, rows)}


LINES = [
    ("null pipe", "null-zero"),
    ("ZIO, data", "zio"),
    ("ZIO, control and data", "zio-ctrl"),
    ("ZIO, ring", "zio-ring"),
    ("IIO, scans of one sample", "iio-1"),
    ("IIO, the same, with its trigger", "iio-trigger-1"),
    ("IIO, scans of 64 samples", "iio-64"),
    ("IIO, the same, with its trigger", "iio-trigger-64"),
    ("Comedi, samples of 16 bits", "comedi"),
]


def told(result: Result) -> str:
    found = result.objects()[0]
    code = int(str(found["errno"]))
    end = f"read() fails with {errno.errorcode[code]}" if code else "read() returns 0"
    text = os.strerror(code) if code else "end of file"
    return f"{found['read']} of {found['acquired']} bytes come; then {end} ({text})"
