# SPDX-License-Identifier: GPL-2.0-only
"""zio top: print the rates and losses of each channel repeatedly."""

from __future__ import annotations

import argparse
import json
import re
import select
import signal
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

from zio import cli

from . import run, seconds
from .snapshot import Channel, Snapshot
from .stop import Signals
from .terminal import Terminal, has_terminal

TITLES = "DIR TRIGGER TRIG/S BLOCKS/S BYTES/S LOST/S QUEUED LOST".split()
OTHER_WIDTHS = 55  # of the columns of fixed width, with the spaces between all
TRIGGER_WIDTH = 11
KEYS = (
    "n b y l u t: sort by name, blocks, bytes, lost, queued, trigger; r: reverse; q: quit"
)


@dataclass
class Row:
    """A channel, and its rates in the last interval; an unknown rate is None."""

    channel: Channel
    blocks: float | None = None
    bytes: float | None = None
    lost: float | None = None
    fired: float | None = None

    def as_json(self) -> dict[str, object]:
        """Return the members that zio(1) lists."""
        channel, cset = self.channel, self.channel.cset
        found: dict[str, object] = {"channel": channel.address, "path": channel.path}
        found |= {"state": channel.state, "enable": channel.is_enabled, **channel.counts}
        found |= {"blocks_per_s": _round(self.blocks), "bytes_per_s": _round(self.bytes)}
        found |= {"lost_per_s": _round(self.lost)}
        if channel.source:
            found["source"] = channel.source
        found |= {"direction": cset.direction, "trigger": cset.trigger}
        lost = cset.counts["lost_triggers"]
        return found | {"fired_per_s": _round(self.fired), "lost_triggers": lost}


def _round(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 3)


def _rate(now: int | None, then: int | None, interval: float) -> float | None:
    """If the counter is lower than before, it has restarted at 0."""
    if now is None or then is None or interval <= 0:
        return None
    return (now if now < then else now - then) / interval


def make_rows(new: Snapshot, old: Snapshot, patterns: list[str]) -> list[Row]:
    """Return the matching channels of the new snapshot, by address. Those that are also
    in the old one have rates."""
    interval = new.seconds - old.seconds
    before = {c.identity: c for cset in old.csets for c in cset.channels}
    rows = []
    for channel in sorted(new.choose(patterns), key=lambda c: c.address):
        row = Row(channel)
        was = before.get(channel.identity)
        if was and was.address == channel.address:
            for key in ("blocks", "bytes", "lost"):
                rate = _rate(channel.counts[key], was.counts[key], interval)
                setattr(row, key, rate)
            counts = channel.cset.counts["fired"], was.cset.counts["fired"]
            row.fired = _rate(*counts, interval)
        rows.append(row)
    return rows


# --- order ------------------------------------------------------------------------------


def _by_name(row: Row) -> list[tuple[int, str]]:
    parts = re.findall(r"\d+|\D+", row.channel.address)
    return [(int(p) if p.isdecimal() else -1, p) for p in parts]


def _least(value: float | None) -> float:
    """A value that is not known sorts last."""
    return -1 if value is None else value


SORTS: dict[str, tuple[str, Callable[[Row], tuple[float, ...]]]] = {
    "name": ("n", lambda row: ()),
    "blocks": ("b", lambda row: (_least(row.blocks),)),
    "bytes": ("y", lambda row: (_least(row.bytes),)),
    "lost": ("l", lambda row: (_least(row.lost), _least(row.channel.counts["lost"]))),
    "queued": ("u", lambda row: (_least(row.channel.counts["queued"]),)),
    "trigger": ("t", lambda row: (_least(row.fired),)),
}


def sort_rows(rows: list[Row], key: str, is_reverse: bool) -> list[Row]:
    """Return rows in order: names from the first, and else the largest first."""
    rows = sorted(rows, key=_by_name, reverse=is_reverse and key == "name")
    return sorted(rows, key=SORTS[key][1], reverse=not is_reverse)


# --- text -------------------------------------------------------------------------------


def scaled(value: float | None) -> str:
    """Return a number with a unit: "1.5k"; "-" if it is unknown."""
    if value is None:
        return "-"
    units = iter("kMGTPE")
    unit = ""
    while value >= 999.95 and (more := next(units, "")):
        value, unit = value / 1000, more
    return f"{value:.0f}" if not unit and value == int(value) else f"{value:.1f}{unit}"


def _format(words: list[str], address: int, trigger: int) -> str:
    name, direction, source, *numbers = words
    head = f"{name:<{address}} {direction[:3]:<3} {source[:trigger]:<{trigger}}"
    widths = (6, 8, 7, 6, 11, 6)
    return " ".join([head, *(f"{n:>{w}}" for n, w in zip(numbers, widths))])


def _words_of(row: Row) -> list[str]:
    counts, cset = row.channel.counts, row.channel.cset
    queued = "-" if counts["queued"] is None else counts["queued"]
    length = -1 if counts["length"] is None else counts["length"]
    return [
        row.channel.address,
        cset.direction,
        cset.trigger,
        scaled(row.fired),
        scaled(row.blocks),
        scaled(row.bytes),
        scaled(row.lost),
        f"{queued}/{length}",
        scaled(counts["lost"]),
    ]


def make_lines(rows: list[Row], columns: int | None = None) -> list[str]:
    """Return the titles and the rows. The losses in the last columns must stay visible,
    so cut the names of triggers before them."""
    address = max([len("CHANNEL"), *(len(row.channel.address) for row in rows)])
    room = TRIGGER_WIDTH if columns is None else columns - OTHER_WIDTHS - address
    trigger = min(max(room, 4), TRIGGER_WIDTH)
    words = [["CHANNEL", *TITLES], *map(_words_of, rows)]
    return [_format(line, address, trigger) for line in words]


# --- the program ------------------------------------------------------------------------


class Top:
    """What is shown, and the keys that change it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.sort: str = options.sort
        self.is_reverse: bool = options.reverse
        self.is_over = False
        self.snapshot = Snapshot()
        self.interval = 0.0
        self.rows: list[Row] = []
        self.terminal = None if options.json or not has_terminal() else Terminal()
        others = (signal.SIGWINCH, signal.SIGTSTP) if self.terminal else ()
        self.signals = Signals(*others)

    def run(self) -> int:
        """Print rates until the end."""
        with self.terminal or nullcontext():
            printed, end = 0, time.monotonic()
            while not self.options.count or printed < self.options.count:
                end = max(end + self.options.interval, time.monotonic())
                self._wait_until(end)
                if self.is_over or self.signals.stop:
                    break
                self._look()
                self._print()
                printed += 1
        return self.signals.status()

    def _look(self) -> None:
        old, self.snapshot = self.snapshot, Snapshot()
        self.interval = self.snapshot.seconds - old.seconds
        self.rows = make_rows(self.snapshot, old, self.options.names)

    def _wait_until(self, end: float) -> None:
        keys = {0: select.POLLIN} if self.terminal else {}
        while not self.is_over and not self.signals.stop:
            left = end - time.monotonic()
            if left <= 0:
                return
            has_key = self.signals.wait(keys, left)
            if self.terminal and (has_key or self.signals.caught):
                self._handle(self.terminal, has_key)

    def _handle(self, terminal: Terminal, has_key: bool) -> None:
        """Handle a key, or signals."""
        if signal.SIGTSTP in self.signals.caught:
            terminal.suspend()
        self.signals.caught.clear()
        if has_key:
            key = terminal.read_key()
            self.is_over |= key in ("q", "Q", "")
            self.is_reverse ^= key == "r"
            chosen = [name for name, (letter, _) in SORTS.items() if letter == key]
            self.sort = chosen[0] if chosen else self.sort
        if not self.is_over and self.interval:
            self._print_screen(terminal)

    def _print(self) -> None:
        if self.options.json:
            found: dict[str, object] = {"time": round(time.time(), 3)}
            found["interval"] = round(self.interval, 6)
            found["channels"] = [row.as_json() for row in self.rows]
            cli.say(json.dumps(found, separators=(",", ":")))
        elif self.terminal:
            self._print_screen(self.terminal)
        else:
            rows = sort_rows(self.rows, self.sort, self.is_reverse)
            cli.say("\n".join([*make_lines(rows), ""]))

    def _print_screen(self, terminal: Terminal) -> None:
        columns, lines = terminal.size()
        rows = sort_rows(self.rows, self.sort, self.is_reverse)
        shown = rows[: max(lines - 3, 0)]
        head = f"zio top: {len(rows)} channels"
        if len(shown) < len(rows):
            head += f" ({len(shown)} shown)"
        order = f"{self.sort}{', reversed' if self.is_reverse else ''}"
        titles, *texts = (line[:columns] for line in make_lines(rows, columns))
        end = "\033[K\r\n"
        text = f"\033[H{f'{head}, by {order}; {KEYS}'[:columns]}{end}"
        text += f"\033[7m{titles}{end}\033[0m"
        for row, line in zip(shown, texts):
            text += f"{chr(27)}[31m" if row.lost else ""
            text += f"{line}{end}\033[0m"
        print(text, end="\033[J", flush=True)


def work(options: argparse.Namespace) -> int:
    """Print rates."""
    return Top(options).run()


def _interval(text: str) -> float:
    if seconds(text) < 0.01:
        raise argparse.ArgumentTypeError(f"{text}: less than 0.01 s")
    return seconds(text)


def main() -> int:
    """Run the program."""
    parser = cli.Parser(
        "zio top",
        "[PATTERN]...",
        "Show rates and losses of the channels that match (see 'zio list').",
        epilog="On a terminal: n b y l u t sort by name, blocks, bytes, lost, queued, "
        "trigger\nrate; r reverses; q quits.",
    )
    add = parser.add_argument
    # fmt: off
    add("-i", "--interval", metavar="SECONDS", type=_interval, default=1.0,
        help="length of an interval (default 1)")
    add("-n", "--count", metavar="N", type=cli.number(0, 2**64 - 1), default=0,
        help="exit after N intervals (0, the default: never)")
    add("-s", "--sort", metavar="KEY", choices=SORTS, default="name",
        help="sort by name (default); or, largest first, by blocks, bytes, lost, queued, "
        "trigger")
    add("-r", "--reverse", action="store_true", help="sort in reverse order")
    add("-j", "--json", action="store_true",
        help="print a JSON object in one line per interval")
    # fmt: on
    return run(parser, work)
