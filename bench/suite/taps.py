# SPDX-License-Identifier: GPL-2.0-only
"""What a tap costs the reader of the channel."""

from .benchmark import Benchmark, load_core
from .plan import Plan, cset_dir, node
from .table import Table, markdown, number

CSET, NODE = cset_dir("zzero", 0), node("zzero", 0, 0, 0)
OTHER = node("zzero", 0, 2, 0)
TURNS = 20000
# The tap, in words, and the commands that start it. A tap that does not read is stopped.
TAPS = {
    "none": ("no tap", ""),
    "unread": ("a tap that does not read", f"zio-dump --tap -c {NODE}"),
    "other": ("a tap of another channel", f"zio-dump --tap -c {OTHER}"),
    "all": ("a tap that reads as fast as it can", f"zio-dump --tap -d {NODE}"),
}
WAYS = {
    "read, kmalloc": "read",
    "read, vmalloc": "read",
    "ring, vmalloc": "ring",
}


class Taps(Benchmark):
    name = "taps"
    help = "what a tap costs the reader of the channel"

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-zero")
        plan.enable_only(CSET, [0])
        plan.set_block_size(CSET, 16)
        # A second after the last tap the core still looks whether a block has one: so the
        # rows without a tap come first.
        for tap, (text, command) in TAPS.items():
            plan.say(text)
            for way, method in WAYS.items():
                plan.write(f"{CSET}/current_buffer", way.split(", ")[1])
                self.take(plan, way, method, tap, command)

    def take(self, plan: Plan, way: str, method: str, tap: str, command: str) -> None:
        if command:
            start_tap(plan, tap, command)
        plan.loop(method, TURNS, NODE, size=16, method=method, way=way, tap=tap)
        if command:
            plan.run("kill -9 $tap", "wait $tap || :")

    def report(self, table: Table) -> dict[str, str]:
        rows = []
        for tap, (text, _) in TAPS.items():
            cells = [table.get(method, way=way, tap=tap) for way, method in WAYS.items()]
            rows.append([text, *(number(cell) for cell in cells)])
        return {"costs": markdown(["", *WAYS], rows)}


def start_tap(plan: Plan, tap: str, command: str) -> None:
    cset = cset_dir("zzero", 0, 2) if tap == "other" else CSET
    plan.run(f"{command} >/dev/null & tap=$!")
    plan.run(f'until [ "$(cat {cset}/chan0/statistics/taps)" = 1 ]; do :; done')
    if tap != "all":
        plan.run("kill -STOP $tap")
