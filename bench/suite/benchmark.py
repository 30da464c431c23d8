# SPDX-License-Identifier: GPL-2.0-only
"""What each benchmark has: plans, a table, a figure, a report."""

from .draw import Figure
from .plan import Plan, Result, Row
from .table import Table, plain_rows


class Benchmark:
    """A benchmark. The subclasses are in the modules beside this one."""

    name = ""
    help = ""
    picture = ""  # its name in Documentation/figures, if that is another one
    devices: tuple[str, ...] = ()  # of `vm --device`
    kernel_modules: tuple[str, ...] = ()  # loaded when the kernel has them
    kernels: tuple[str, ...] = ("distro",)  # each boots, unless the user names one
    modes: tuple[str, ...] = ()  # if not those that the user chooses
    programs: tuple[str, ...] = ()  # of this host, which the machine needs
    needs_iio = False  # the modules of IIO that Debian does not ship
    notes: dict[str, str] = {}  # for machine.txt

    def plans(self, mode: str) -> list[Plan]:
        """Each plan is a boot."""
        plan = Plan(mode)
        self.fill(plan)
        return [plan]

    def fill(self, plan: Plan) -> None:
        raise NotImplementedError

    def before(self, program: str, mode: str) -> list[Result]:
        """Measures on the host, before the boot. @program is the path of zio-bench."""
        return []

    def rows(self, results: list[Result]) -> list[Row]:
        return plain_rows(results)

    def remarks(self, results: list[Result]) -> dict[str, str]:
        """More notes, of what was measured."""
        return {}

    def figure(self, table: Table) -> Figure | None:
        return None

    def report(self, table: Table) -> dict[str, str]:
        """Tables in Markdown, by name."""
        return {}


def load_core(plan: Plan, *modules: str) -> None:
    plan.load("zio", "zio-configfs", "zio-buf-kmalloc", *modules)
