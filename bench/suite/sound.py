# SPDX-License-Identifier: GPL-2.0-only
"""A sound card as a ZIO device, beside arecord."""

from .benchmark import Benchmark, load_core
from .plan import ZIO_BENCH, Plan, Result, Row, cset_dir, node, zio_bench
from .table import Table, markdown, number, ratio

ZALSA = "/sys/kernel/config/zio/devices/zalsa/bench"
CSET, NODE = cset_dir("zalsa", 0), node("zalsa", 0, 0, 0)
RATE, PERIOD = 48000, 1024
SIZE = PERIOD * 2 * 4  # two channels of 32 bits
CONF = "/tmp/bench/asound.conf"
ARECORD = (
    f"env ALSA_CONFIG_PATH={CONF} arecord -q -D bench -t raw -f S32_LE -c 2 -r {RATE}"
    f" --period-size={PERIOD} --buffer-size={16 * PERIOD} /dev/null"
)
METHODS = {
    "arecord": "arecord, to /dev/null",
    "read": "zio-alsa, read()",
    "ring": "zio-alsa, mapped, control ring",
}


class Sound(Benchmark):
    name = "sound"
    help = "periods of a sound card by way of ZIO, and by arecord"
    kernel_modules = ("snd-aloop",)
    programs = ("arecord",)
    modes = ("icount",)
    notes = {
        "sound": f"snd-aloop, {RATE} Hz, two channels of 32 bits, periods of {PERIOD}"
        " frames. What is left of the processor for a loop tells the cost, interrupts"
        " included",
    }

    def fill(self, plan: Plan) -> None:
        load_core(plan, "zio-buf-vmalloc", "zio-alsa")
        self.take(plan, "nothing", "")
        plan.run(f"printf 'pcm.bench {{ type hw card Loopback device 1 }}\\n' >{CONF}")
        self.take(plan, "arecord", ARECORD)
        plan.run(f"mkdir {ZALSA}")
        for file, value in [("pcm", "hw:Loopback,1"), ("format", "S32"), ("live", 1)]:
            plan.write(f"{ZALSA}/{file}", value)
        for method in ("read", "ring"):
            if method == "ring":
                plan.use_area(CSET, SIZE, 16)
            command = zio_bench(
                "loop", NODE, method=method, turns=1000, repeat=1, size=SIZE
            )
            self.take(plan, method, command)
        plan.run(f"rmdir {ZALSA}")

    def take(self, plan: Plan, method: str, command: str) -> None:
        plan.say(f"a period: {method}")
        for _ in range(plan.repeat):
            plan.measure(f"{ZIO_BENCH} busy {command}", method=method)

    def rows(self, results: list[Result]) -> list[Row]:
        """The cost of a period, in ns. The machine alone is what remains at most."""
        rates: dict[str, list[float]] = {}
        for result in results:
            for found in result.objects():
                rate = float(found["turns"]) / float(found["ns"])  # type: ignore
                rates.setdefault(str(result.key["method"]), []).append(rate)
        alone = max(rates.pop("nothing"))
        period_ns = PERIOD * 1e9 / RATE
        return [
            {"method": method, "size": SIZE, "blocks": 1, "ns": cost}
            for method, all_rates in rates.items()
            for cost in [round((1 - max(all_rates) / alone) * period_ns)]
        ]

    def report(self, table: Table) -> dict[str, str]:
        base = table.get("arecord", size=SIZE)
        rows = [
            [title, number(cost), ratio(cost, base)]
            for method, title in METHODS.items()
            if (cost := table.get(method, size=SIZE))
        ]
        head = ["method", "instructions of a period", "beside arecord"]
        return {"sound": markdown(head, rows)}
