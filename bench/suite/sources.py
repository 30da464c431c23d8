# SPDX-License-Identifier: GPL-2.0-only
"""Devices of other frameworks as ZIO devices, beside what the framework does itself.

Each framework is a part with a method that fills the plan, and a table in the report.
"""

from .benchmark import Benchmark, load_core
from .plan import BENCH, Plan, cset_dir, zio_bench
from .table import Table, markdown, number, ratio

IIO = "/sys/bus/iio/devices/iio:device0"
ZIIO = "/sys/kernel/config/zio/devices/ziio/bench"
CSET = cset_dir("ziio", 0)
FILL = 65536  # bytes that zio-bench peer acquires at a time
CHANNELS = (1, 8, 64)  # of 8 bits
SCANS = (1, 4, 16, 64, 256)  # of a block, or of a read of IIO


class Sources(Benchmark):
    name = "sources"
    help = "devices of IIO by way of ZIO, and by themselves"
    kernel_modules = ("industrialio-triggered-buffer",)
    notes = {
        "IIO": "iiopeer, 8-bit channels; read() and kfifo, or zio-iio. The device pushes"
        f" the scans of {FILL} bytes, then the program reads them",
    }

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-iio")
        plan.run(f"insmod {BENCH}/iiopeer.ko || :", f"if [ -e {IIO} ]; then")
        for channels in CHANNELS:
            self.iio(plan, channels)
            self.zio_iio(plan, channels)
        plan.run("else say 'no IIO in this kernel: its rows are left out'; fi")

    def iio(self, plan: Plan, channels: int) -> None:
        plan.say(f"IIO, scans of {channels}")
        for channel in range(max(CHANNELS)):
            on = int(channel < channels)
            plan.write(f"{IIO}/scan_elements/in_voltage{channel}_en", on)
        plan.write(f"{IIO}/buffer/length", FILL // channels)
        plan.write(f"{IIO}/buffer/enable", 1)
        self.peer(plan, "iio", channels, SCANS)
        plan.write(f"{IIO}/buffer/enable", 0)

    def zio_iio(self, plan: Plan, channels: int) -> None:
        plan.say(f"ZIO over IIO, scans of {channels}")
        names = ",".join(f"voltage{channel}" for channel in range(channels))
        plan.run(f"mkdir {ZIIO}")
        plan.write(f"{ZIIO}/iio", "iiopeer")
        # A text of configfs has less than 512 bytes: all channels have no list.
        plan.write(f"{ZIIO}/channels", names if channels < max(CHANNELS) else "")
        plan.write(f"{ZIIO}/live", 1)
        for scans in SCANS:
            plan.write(f"{CSET}/trigger/nsamples", scans)
            blocks = FILL // (channels * scans)
            plan.write(f"{CSET}/chan0/buffer/max-buffer-len", blocks)
            self.peer(plan, "ziio", channels, (scans,))
        plan.run(f"rmdir {ZIIO}")

    def peer(
        self, plan: Plan, method: str, channels: int, all_scans: tuple[int, ...]
    ) -> None:
        """@size is that of a block, @count the channels of a scan."""
        for scans in all_scans:
            size = channels * scans
            options = {"method": method, "size": size, "scan": channels}
            command = zio_bench("peer", **options, repeat=plan.repeat)
            plan.measure(command, method=method, size=size, count=channels)

    def report(self, table: Table) -> dict[str, str]:
        return {"iio": iio_table(table)}


def iio_table(table: Table) -> str:
    rows = []
    for channels in CHANNELS:
        for scans in SCANS:
            size = channels * scans
            costs = [table.get(m, count=channels, size=size) for m in ("iio", "ziio")]
            each = [cost / size if cost else None for cost in costs]
            rows.append(
                [number(channels), number(scans), *(number(cost) for cost in costs)]
                + [ratio(costs[1], costs[0]), *(number(cost, 1) for cost in each)]
            )
    head = ["channels", "scans of a block", "IIO, block", "ZIO, block", "ZIO / IIO"]
    return markdown([*head, "IIO, sample", "ZIO, sample"], rows)
