# SPDX-License-Identifier: GPL-2.0-only
"""What an armed block costs whose driver is a program, beside one of zio-zero."""

from collections.abc import Callable

from .benchmark import Benchmark, load_core
from .plan import Plan, cset_dir, node, turns_for, zio_bench
from .table import Table, grid, number

SIZES = [16, 1024, 65536]
METHODS = {"read": "data", "ctrl+read": "control and data"}
ZERO, USER = "zero", "program"
OURS = node("ubench", 0, 0, 0)


class Uzio(Benchmark):
    name = "uzio"
    help = "an armed block whose driver is a program"
    notes = {"zero": "zio-zero with the same buffer, vmalloc, and the trigger user"}

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-zero", "zio-uzio")
        plan.measure(zio_bench("uzio", pipes=20000), method="pipes")
        zero = cset_dir("zzero", 0)
        plan.enable_only(zero, [0])
        plan.write(f"{zero}/current_buffer", "vmalloc")
        for size in SIZES:
            plan.say(f"{size} bytes")
            plan.set_block_size(zero, size)
            self.take(plan, ZERO, size, node("zzero", 0, 0, 0))
            plan.run(f"driver=$({zio_bench('uzio', size=size)})")
            self.take(plan, USER, size, OURS)
            plan.run("kill -9 $driver", f"while [ -e {OURS} ]; do :; done")

    def take(self, plan: Plan, driver: str, size: int, path: str) -> None:
        for method in METHODS:
            plan.loop(method, turns_for(size, 2), path, size=size, driver=driver)

    def report(self, table: Table) -> dict[str, str]:
        columns = []
        for method, text in METHODS.items():
            zero = table.column(f"{text}: zio-zero", method, driver=ZERO)
            user = table.column("program", method, driver=USER)
            columns += [zero, user, ("more", more_of(table, method))]
        columns.append(("two pipes", lambda _: number(table.get("pipes"))))
        return {"costs": grid("bytes", SIZES, columns)}


def more_of(table: Table, method: str) -> Callable[[int], str]:
    """Return the cell of what a block costs more than one of zio-zero."""

    def cell(size: int) -> str:
        zero, user = (table.get(method, size=size, driver=d) for d in (ZERO, USER))
        return number(None if zero is None or user is None else user - zero)

    return cell
