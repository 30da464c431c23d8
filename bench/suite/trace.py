# SPDX-License-Identifier: GPL-2.0-only
"""A trace of the emulator: which functions ran, and whether those ran that should."""

import bisect
import collections
import dataclasses
import pathlib
import re

from .machine import Failure

BURST = 32  # blocks of a stream per interrupt
SYSTEM_CALL = "entry_SYSCALL_64"


@dataclasses.dataclass(frozen=True)
class Way:
    """What a method of `profile` promises. Another function calls these by a pointer, or
    from another file: so they have their names with each compiler."""

    per: str = SYSTEM_CALL
    blocks: float = 1  # of each call of @per
    runs: tuple[str, ...] = ("zero_input",)  # for each block, or each call of @per
    rare: tuple[str, ...] = ()  # for many blocks
    never: tuple[str, ...] = ()


EVENT, COMPLETION = "zio_trigger_fire_at", "zio_channel_complete"
WAYS = {
    "read": Way(runs=("zero_input", "chardev_read_data_plain")),
    "ctrl": Way(runs=("zero_input", "chardev_read_ctrl_plain")),
    "ctrl+read": Way(blocks=1 / 2, runs=("zero_input", "chardev_read_ctrl_plain")),
    "poll+read": Way(blocks=1 / 2, runs=("zero_input", "zio_poll_data_in")),
    "write": Way(runs=("zero_output", "chardev_write_data")),
    "bulk": Way(per="zero_input"),
    "mmap": Way(runs=("zero_input", "chardev_read_ctrl_plain")),
    "batch": Way(per="zero_input"),
    "ring": Way(per="zero_input", rare=("ring_publish",)),
    "uring-batch": Way(per="zero_input"),
    "hrt-full": Way(per=EVENT, runs=("zio_channel_reclaim",), never=("zero_input",)),
    "hrt-read": Way(per=EVENT, runs=("zero_input", "chardev_read_data_plain")),
    "stream-ring": Way(per=COMPLETION, blocks=BURST, runs=("ring_publish",)),
    "stream-read": Way(per=COMPLETION, blocks=BURST, runs=(), never=("ring_publish",)),
}


class Symbols:
    """The functions of the kernel and its modules."""

    def __init__(self, text: str) -> None:
        pattern = r"^(f[0-9a-f]+) [tTwW] (\S+)(?:[ \t]+\[(\S+)\])?"
        found = re.findall(pattern, text, re.MULTILINE)
        self.modules = {name: module for _, name, module in found if module}
        self.at: dict[int, list[str]] = collections.defaultdict(list)
        for address, name, _ in found:
            self.at[int(address, 16)].append(name)
        self.starts = sorted(self.at)
        self.names = {name for _, name, _ in found}

    def name_of(self, address: int) -> str:
        i = bisect.bisect_right(self.starts, address) - 1
        return self.at[self.starts[i]][-1] if i >= 0 else "user space"


@dataclasses.dataclass
class Trace:
    """The instructions of each function, and its calls."""

    symbols: Symbols
    instructions: collections.Counter[str]
    calls: dict[str, int]

    def blocks_of(self, way: Way) -> float:
        """Returns how many blocks the trace has.

        Raises Failure if the machine has taken another way than @way.
        """
        for name in (way.per, *way.runs, *way.rare, *way.never):
            if name not in self.symbols.names:
                raise Failure(f"the kernel has no function {name}")
        n = self.calls.get(way.per, 0)
        if not n:
            raise Failure(f"there is no call of {way.per} in the trace")
        blocks = n * way.blocks
        least = dict.fromkeys(way.runs, 0.9 * min(n, blocks)) | dict.fromkeys(way.rare, 1)
        for name in (*least, *way.never):
            calls = self.calls.get(name, 0)
            if calls if name in way.never else calls < least[name]:
                what = f"{blocks:.0f} blocks, and {calls} calls of {name}"
                raise Failure(f"the machine did something else: {what}")
        return blocks


def count_addresses(path: pathlib.Path) -> collections.Counter[int]:
    """A line is "Trace 0: HOST [CS_BASE/ADDRESS/FLAGS/...] NAME"."""
    counts: collections.Counter[int] = collections.Counter()
    with path.open() as trace:
        for line in trace:
            if line.startswith("Trace"):
                counts[int(line.split("/", 2)[1], 16)] += 1
    return counts


def attribute(counts: collections.Counter[int], symbols: Symbols) -> Trace:
    instructions: collections.Counter[str] = collections.Counter()
    calls: dict[str, int] = {}
    for address, n in counts.items():
        instructions[symbols.name_of(address)] += n
        for name in symbols.at.get(address, []):
            calls[name] = n
    return Trace(symbols, instructions, calls)
