# SPDX-License-Identifier: GPL-2.0-only
"""What the virtual machine does in one boot, and what came out of it.

A plan is a flat list of shell commands: the host has computed all sizes and counts.
The machine has the shell of busybox and zio-bench, but no Python.
"""

import dataclasses
import json
import re
from collections.abc import Iterable

NODES = "/dev/zio"
DEVICES = "/sys/bus/zio/devices"
BENCH = "/bench"  # where the host puts programs and modules
ZIO_BENCH = f"{BENCH}/zio-bench"

Row = dict[str, object]

PROLOGUE = f"""\
set -eu
cd {BENCH}
mkdir -p /tmp/bench
say() {{ echo "guest: $*" >&2; }}
"""
# What machine.txt tells of the machine
MACHINE = {
    "kernel": "uname -r",
    "kernel version": "uname -v",
    "kernel command line": "cat /proc/cmdline",
    "cpu": "grep -m1 'model name' /proc/cpuinfo",
    "cpus": "grep -c ^processor /proc/cpuinfo",
    "memory": "grep MemTotal /proc/meminfo",
    "clocksource": "cat /sys/devices/system/clocksource/*0/current_clocksource",
}


@dataclasses.dataclass
class Result:
    """The lines that one command has printed."""

    key: Row
    lines: list[str] = dataclasses.field(default_factory=list)

    @property
    def error(self) -> str:
        """What a command said that was allowed to fail, and failed."""
        return " ".join(line[1:] for line in self.lines if line.startswith("!"))

    def objects(self) -> list[Row]:
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    def numbers(self) -> list[int]:
        return [int(line) for line in self.lines if line.strip().isdigit()]

    def seconds(self) -> float:
        """The time that dd or zio-cat-file tells."""
        found = re.findall(r"[ ,](\d+\.\d*) *s", "\n".join(self.lines))
        if not found:
            raise ValueError(f"{self.key}: no seconds in {self.lines}")
        return float(found[-1])


class Plan:
    """The commands of one boot."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.repeat = 3 if mode == "icount" else 7
        self.lines: list[str] = []
        self.keys: list[Row] = []

    def run(self, *lines: str) -> None:
        self.lines += lines

    def say(self, text: str) -> None:
        self.run(f"say '{text}'")

    def load(self, *modules: str, parameters: str = "") -> None:
        for module in modules:
            self.run(f"insmod {BENCH}/{module}.ko {parameters}".rstrip())

    def write(self, path: str, value: object) -> None:
        self.run(f"echo {value} >{path}")

    def enable_only(self, cset: str, channels: Iterable[int], of: int = 3) -> None:
        keep = set(channels)
        for chan in range(of):
            self.write(f"{cset}/chan{chan}/enable", int(chan in keep))

    def set_block_size(self, cset: str, size: int) -> None:
        samples = f"$(({size} / $(cat {cset}/ssize)))"
        self.write(f"{cset}/trigger/nsamples", samples)

    def use_area(self, cset: str, size: int, blocks: int) -> None:
        """Gives each channel of a set an area for so many blocks."""
        kib = max(size * blocks // 1024 + 4, 128)
        self.write(f"{cset}/current_buffer", "vmalloc")
        self.run(
            f"for file in {cset}/chan*/buffer/max-buffer-kb; do echo {kib} >$file; done"
        )

    def use_kmalloc(self, cset: str) -> None:
        self.write(f"{cset}/current_buffer", "kmalloc")

    # commands that measure

    def measure(self, command: str, **key: object) -> None:
        self.run(f"echo @{len(self.keys)}", command)
        self.keys.append(key)

    def attempt(self, command: str, **key: object) -> None:
        """As measure(), but the command may fail."""
        self.measure(
            f'{command} 2>/tmp/bench/said || echo "!$(cat /tmp/bench/said)"', **key
        )

    def loop(self, method: str, turns: int, /, *nodes: str, **key: object) -> None:
        """Takes blocks of the key's size by `zio-bench loop`."""
        options = {"method": method, "turns": turns, "repeat": self.repeat}
        options |= {"size": key.get("size"), "touch": int(bool(key.pop("touch", 0)))}
        key.setdefault("method", method)
        self.measure(zio_bench("loop", *nodes, **options), **key)

    # the script, and its output

    def describe_machine(self) -> None:
        for info, command in MACHINE.items():
            self.measure(command, info=info)

    def script(self) -> str:
        return PROLOGUE + "\n".join(self.lines) + "\n"

    def parse(self, output: str) -> list[Result]:
        results: list[Result] = []
        for line in output.splitlines():
            if line.startswith("@"):
                results.append(Result(self.keys[int(line[1:])]))
            elif results:
                results[-1].lines.append(line)
        return results


def zio_bench(
    command: str, *words: str, program: str = ZIO_BENCH, **options: object
) -> str:
    """The command line; options that are 0 or nothing are left out."""
    given = [f"{key}={value}" for key, value in options.items() if value]
    return " ".join([program, command, *given, *words])


def turns_for(size: int, per_byte: int) -> int:
    """So many turns as make some 60 million instructions."""
    return min(20000, 60_000_000 // (3000 + size * per_byte))


def node(name: str, device: int, cset: int, channel: int) -> str:
    return f"{NODES}/{name}-{device:04x}-{cset}-{channel}-data"


def cset_dir(name: str, device: int, cset: int = 0) -> str:
    return f"{DEVICES}/{name}-{device:04x}/cset{cset}"
