# SPDX-License-Identifier: GPL-2.0-only
"""zio plot: draw the newest blocks of one or several channels.

With other triggers than "user" the program opens a tap, which takes no block from other
programs. With "user" each read acquires a block, so the program reads only the blocks
that it draws. It drops what was queued before.
"""

from __future__ import annotations

import argparse
import errno as codes
import select
import signal
import time
from collections import deque
from contextlib import suppress
from fractions import Fraction

import zio
from zio import cli

from . import complain, run, seconds
from .gnuplot import Gnuplot, check_output
from .script import Kept, Script, file_terminal
from .snapshot import number, text
from .stop import Signals

SILENCE_S = 5
MOST_BLOCKS = 65536


def open_newest(name: str) -> zio.Channel:
    """Open a channel for its newest blocks. Raises Failure with status 3.

    A kernel module without taps has channels that can be read.
    """
    trigger = ""
    with suppress(zio.Error):
        cset = zio.find(zio.find(name).name.rpartition("/")[0])
        trigger = text(cset, "trigger/name")
        if text(cset, "direction") == "output":
            # No user can read an output, and the kernel only says that root may not.
            raise cli.Failure(
                f"{name} is an output, which cannot be read: plot an input, or the block "
                "file that it plays",
                cli.CANNOT_OPEN,
            )
    try:
        if trigger not in ("", "user"):
            try:
                return zio.open(name, tap=True, nonblock=True)
            except zio.Error as error:
                if error.errno != codes.ENOTTY:
                    raise
        channel = zio.open(name, nonblock=True)
    except (zio.Error, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise cli.Failure(str(reason), cli.CANNOT_OPEN) from None
    if not channel.is_file:
        with suppress(zio.Error):
            channel.flush()
    return channel


class Source:
    """A channel, and its newest blocks."""

    def __init__(self, name: str, script: Script, options: argparse.Namespace) -> None:
        self.name = name
        self.channel = open_newest(name)
        self.kept: deque[Kept] = deque(maxlen=options.blocks)
        self.news = 0
        """Blocks that came for the present picture."""
        self.is_over = False
        """No more blocks will come."""
        self._script, self._options = script, options
        self._timelines: dict[str, zio.Timeline] = {}

    def read(self) -> bool:
        """Keep the next block; False if there is none now. Raises Failure."""
        try:
            block = self.channel.read()
            if block is None:
                self.is_over = True
                return False
            timeline = self._timelines.setdefault(
                block.channel, zio.Timeline(self._options.rate)
            )
            kept = Kept(block.copy(), timeline.add(block))
        except (zio.WouldBlock, zio.Interrupted):
            return False
        except zio.Error as error:
            raise cli.Failure(str(error.strerror)) from None
        self._script.check(kept)
        self.kept.append(kept)
        self.news += 1
        return True

    def has_all(self) -> bool:
        """Tell whether it must not be read: it has all blocks of the picture, and a read
        would acquire one, or a file gets one picture."""
        if self.is_over or self.news < self._options.blocks:
            return self.is_over
        name = bytes(self.kept[-1].block.control["triggername"]).partition(b"\0")[0]
        return bool(self._options.output) or name == b"user"

    def has_enough(self) -> bool:
        """Tell whether a picture can be drawn."""
        return self.is_over or self.news >= self._options.blocks

    def tell_silence(self) -> None:
        """Say that no block comes. A tap acquires nothing, and blocks that nobody reads
        may leave no room for new ones."""
        if self.channel.is_file or self.channel.stats.blocks:
            return
        queued = None
        with suppress(zio.Error):
            queued = number(zio.find(self.name), "buffer/queued-buffer-len")
        hint = "old ones wait for a reader: does zio flush help?"
        hint = hint if queued else "does its trigger fire?"
        complain(f"{self.name}: no new block for {SILENCE_S} s ({hint})")

    def tell_account(self) -> None:
        """Say what is missing between the blocks, if anything is."""
        account = zio.TimelineAccount()
        for timeline in self._timelines.values():
            account.add(timeline.account())
        if self.channel.method == "tap":
            account.forget_taken()
        if not account.is_clean:
            stats = self.channel.stats
            what = f"{_count(stats.blocks, 'block')}, {_count(stats.bytes, 'byte')}"
            complain(f"{self.name}: {what}: {account}")


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


class Plot:
    """Reads blocks, and draws pictures of them."""

    def __init__(self, options: argparse.Namespace, sources: list[Source]) -> None:
        self.options, self.sources = options, sources
        self.signals = Signals(signal.SIGWINCH)
        self.script = Script(options)
        self.drawn = 0
        self._silence = time.monotonic() + SILENCE_S

    def is_over(self) -> bool:
        """Tell whether a signal came, or all channels have ended."""
        return bool(self.signals.stop) or all(s.is_over for s in self.sources)

    def run(self) -> int:
        """Draw until the end, and tell what was missing."""
        if self.options.output and not self.options.script:
            check_output(self.options.output)
        # gnuplot starts first: if it does not, the program has taken no block.
        gnuplot = Gnuplot(self.signals, self.options.script)
        failures = []
        try:
            self._draw_all(gnuplot)
        except cli.Failure as failure:
            failures = [str(failure)]
        finally:
            failures += filter(None, [gnuplot.end()])
        if not failures and not self.signals.stop:
            empty = [s.name for s in self.sources if not s.kept]
            failures = [f"plot: {name} has no block" for name in empty]
        for failure_text in failures:
            complain(failure_text)
        for source in self.sources:
            source.tell_account()
        return cli.FAILED if failures else self.signals.status()

    def _draw_all(self, gnuplot: Gnuplot) -> None:
        pictures = 1 if self.options.output else self.options.count
        while not self.is_over() and (not pictures or self.drawn < pictures):
            end = time.monotonic() + self.options.interval
            self._read_picture(end)
            if not self._news():
                return
            head = "" if self.drawn else self.script.head()
            series = [list(s.kept) for s in self.sources if s.kept]
            self.drawn += 1
            gnuplot.send(head + self.script.picture(series))
            if not self.is_over() and self.drawn != pictures:
                self.signals.sleep_until(end)

    def _news(self) -> int:
        return sum(source.news for source in self.sources)

    def _read_picture(self, end: float) -> None:
        """Read the blocks of a picture, and any others that come until `end`."""
        for source in self.sources:
            source.news = 0
        while not self.is_over():
            is_late = time.monotonic() >= end and self._news() > 0
            enough = Source.has_enough if is_late else Source.has_all
            if all(map(enough, self.sources)):
                return
            hungry = [s for s in self.sources if not s.has_all()]
            found = [source.read() for source in hungry]
            if any(found) or self.is_over():
                continue
            if is_late and not self.options.output:
                return
            self._wait(hungry, end)

    def _wait(self, sources: list[Source], end: float) -> None:
        if time.monotonic() >= self._silence:
            self._silence = float("inf")
            for source in self.sources:
                source.tell_silence()
        is_drawn_late = self._news() and not self.options.output
        until = end if is_drawn_late else self._silence
        left = None if until == float("inf") else until - time.monotonic()
        fds = {source.channel.fileno(): select.POLLIN for source in sources}
        self.signals.wait(fds, left)


def work(options: argparse.Namespace) -> int:
    """Open the channels, and draw."""
    script = Script(options)
    sources: list[Source] = []
    try:
        for name in options.names:
            sources.append(Source(name, script, options))
        return Plot(options, sources).run()
    finally:
        for source in sources:
            source.channel.close()


def _rate(word: str) -> Fraction:
    """Convert "48e3" or "1411200/29"."""
    above, slash, below = word.partition("/")
    hint = "above 0, up to 4294967295, or a fraction such as 1411200/29"
    try:
        rate = Fraction(float(above)) / (Fraction(float(below)) if slash else 1)
        zio.Timeline(rate)
    except (ArithmeticError, ValueError):
        raise argparse.ArgumentTypeError(f"{word}: not a number of Hz {hint}") from None
    return rate


def make_parser() -> cli.Parser:
    """Return the parser."""
    parser = cli.Parser(
        "zio plot",
        "CHANNEL...",
        "Draw the newest blocks of input channels, live until Ctrl-C, or once into a "
        "file.\nCHANNEL is a name such as zzero-0-1, or a node.",
    )
    add, count = parser.add_argument, cli.number(0, 2**64 - 1)
    # fmt: off
    add("-o", "--output", metavar="FILE",
        help="draw one picture into FILE (.png .svg .pdf), and exit")
    add("-b", "--blocks", metavar="N", type=cli.number(1, MOST_BLOCKS), default=1,
        help="draw N blocks in a picture (default 1)")
    add("-s", "--signed", action="store_true", help="draw samples as signed numbers")
    add("-u", "--units", action="store_true", help="draw values in their unit")
    add("--time", action="store_true",
        help="draw over time instead of the number of the sample")
    add("--rate", metavar="HZ", type=_rate,
        help="sample rate; --time needs it if a block has several samples, and its "
        "control no rate")
    add("-i", "--interval", metavar="SECONDS", type=seconds, default=0.1,
        help="wait at least SECONDS between pictures (default 0.1)")
    add("-n", "--count", metavar="N", type=count, default=0,
        help="exit after N pictures (0, the default: never)")
    add("--terminal", metavar="TERMINAL",
        help='terminal of gnuplot, with its options: "dumb size 79,20"')
    add("--script", action="store_true",
        help="print the script for gnuplot, and do not run it")
    # fmt: on
    return parser


def main() -> int:
    """Run the program."""
    parser = make_parser()

    def check(options: argparse.Namespace) -> int:
        output = options.output or ""
        if output and not options.terminal and not file_terminal(output):
            parser.error(
                f"{output}: ends in none of .png .svg .pdf: also give --terminal"
            )
        if "\n" in output:
            parser.error("--output: gnuplot has no name for a file with a newline in it")
        if options.rate and not options.time:
            parser.error("--rate needs --time")
        return work(options)

    return run(parser, check)
