# SPDX-License-Identifier: LGPL-2.1-or-later
"""zio selftest: measure a board, and report what is wrong with it.

This is the program zio-selftest; other programs call `run_tests()`.
"""

from __future__ import annotations

import errno as codes
import fcntl
import json
import os
import platform
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import cli, controls
from ._account import Account
from ._acquire import PERIODS, Acquisition, acquire
from ._block import Array, Block
from ._channel import Channel
from ._errors import Error, WouldBlock
from ._estimate import (
    LEAST_BLOCKS,
    Check,
    Record,
    judge_loop,
    judge_loss,
    judge_rate,
    judge_times,
)
from ._libzio import ffi, lib
from ._objects import Object, find
from ._removal import check_removal
from ._timeline import Place as BlockPlace

VERSION: str = ffi.string(lib.zio_version()).decode()
CLOCK_IDS = {name: number for number, name in controls.CLOCKS.items()}
# Errors of a set that does not accept the requested trigger
NO_TRIGGER = (codes.EINVAL, codes.ENOENT, codes.EOPNOTSUPP)
MOST_SAMPLES = 1 << 20
Report = dict[str, Any]
Heard = tuple[Record, int, int]
"""A record, and how many blocks and events were lost in the meantime"""

# --- a set ------------------------------------------------------------------------------


class Place:
    """A channel set, represented by one of its channels."""

    def __init__(self, cset: Object, channel: Object) -> None:
        self.cset, self.channel = cset, channel
        self.is_output = cset.text("direction") == "output"

    def describe(self) -> Report:
        """Return what the report says about the set."""
        names = ("direction", "current_trigger", "current_buffer", "ssize")
        about = {name: self.cset.text(name) for name in names if name in self.cset}
        return {"channel": self.channel.node, **about}


def find_places(name: str) -> list[Place]:
    """Return the sets that match a name, each with an enabled channel."""
    obj = find(name)
    if obj.kind == "channel":
        return [Place(find(obj.name.rpartition("/")[0]), obj)]
    if obj.kind not in ("device", "cset"):
        raise cli.Failure(f"{obj.name} is a {obj.kind}: name a device, set or channel")
    found = []
    for cset in obj.cset if obj.kind == "device" else [obj]:
        channels = cset.chan
        found.append(
            Place(
                cset, next((c for c in channels if c.text("enable") == "1"), channels[0])
            )
        )
    return found


def _ways(place: Place, period: float) -> Iterator[dict[str, Any]]:
    """Yield trigger settings, the best first. A trigger chosen by the user, or built into
    the board, is not replaced."""
    trigger = place.cset.trigger
    settings: dict[str, Any] = {"enable": 1} if trigger.is_writable("enable") else {}
    if place.cset.text("current_trigger") == "user":
        if "nshots" in trigger and trigger["nshots"] != 1:
            settings["trigger/nshots"] = 1
        for name in ("hrt", "timer"):
            yield {"trigger": name, "period": period, "settings": settings}
    yield {"settings": settings}


@contextmanager
def _alone(device: Object) -> Iterator[None]:
    """Lock out other selftests of the board: each would restore settings that the other
    still uses, or has made."""
    fd = os.open(device.path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = f"{device.name}: another zio selftest is running: wait until it ends"
            raise cli.Failure(text, cli.CANNOT_OPEN) from None
        yield
    finally:
        os.close(fd)


class Bench(NamedTuple):
    """What a run measures."""

    device: Object
    places: list[Place]
    loop: Place | None
    """The output that a cable connects to the inputs."""


@contextmanager
def prepared(name: str, loop: str | None) -> Iterator[Bench]:
    """Find what to measure, and lock out other selftests."""
    places = find_places(name)
    output = _find_output(loop) if loop else None
    names = [place.cset.name.partition("/")[0] for place in (places[0], output) if place]
    devices = [find(name) for name in dict.fromkeys(names)]
    with ExitStack() as stack:
        for device in devices:
            stack.enter_context(_alone(device))
        yield Bench(devices[0], places, output)


def _find_output(name: str) -> Place:
    for place in find_places(name):
        if place.is_output:
            return place
    raise cli.Failure(f"{name}: this is not an output: name a channel of one")


@contextmanager
def acquiring(place: Place, period: float) -> Iterator[Channel]:
    """Open the channel, with a periodic trigger if the set accepts one."""
    with ExitStack() as stack:
        yield _enter(stack, place, period)


def _enter(stack: ExitStack, place: Place, period: float) -> Channel:
    node, output = place.channel.node, place.is_output
    fault: Error | None = None
    for way in _ways(place, period):
        acquisition: Acquisition = acquire(node, nonblock=True, output=output, **way)
        try:
            return stack.enter_context(acquisition)
        except ValueError as error:
            # The trigger cannot represent the period.
            raise cli.Failure(str(error), cli.USAGE) from None
        except Error as error:
            fault = error
            if error.errno not in NO_TRIGGER or "trigger" not in way:
                break
    assert fault is not None
    raise fault


def wanted_period(
    cset: Object, frames: int = 0, rate: float | None = None
) -> float | None:
    """Return the nanoseconds between two blocks according to the settings, if they say
    so. `rate` is in samples per second and channel, `frames` in samples per block."""
    trigger = cset.trigger
    for name, parts in PERIODS.items():
        if name in trigger:
            return int(trigger.text(name)) * 1e9 / parts
    # The requested rate: the control may have a rate that the driver measured.
    if "rate" in cset:
        rate = float(cset.text("rate"))
    return frames / rate * 1e9 if rate and frames else None


# --- blocks -----------------------------------------------------------------------------


class Losses:
    """Counts what the kernel lost since the last look."""

    def __init__(self, place: Place) -> None:
        self.account = Account(place.channel.node)
        self._statistics = place.cset.statistics
        self._before = (0, 0)
        self.look()

    def look(self) -> tuple[int, int]:
        """Return how many blocks of the channel, and events of its set, were lost."""
        name = "lost_triggers"
        events = int(self._statistics.text(name)) if name in self._statistics else 0
        now = self.account.look().lost, events
        before, self._before = self._before, now
        return now[0] - before[0], now[1] - before[1]


class Rivals:
    """Counts blocks taken by other readers: their numbers are missing, but no control
    reports them as lost.

    The queue may contain a gap from before the measurement, so counting begins with the
    first block after the queue was empty.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self._acquired = account.acquired
        self._taken = 0
        self._was_empty = self._counts = False

    def add(self, place: BlockPlace) -> None:
        """Count what was taken before a block."""
        if self._counts:
            self._taken += place.taken
        self._counts = self._was_empty

    def note_empty(self) -> None:
        """Begin to count: the queue was read to its end."""
        self._was_empty = True

    def take(self, count: int) -> int:
        """Return how many blocks others took while `count` were read. If few were read,
        the gaps say too little, so use the kernel's count."""
        before, self._acquired = self._acquired, self._account.acquired
        others = self._acquired - before - count
        taken, self._taken = self._taken, 0
        if count < LEAST_BLOCKS <= others:
            self._counts = False
            return others
        return taken


class Listener:
    """Reads a channel, and records the number and times of each block."""

    def __init__(self, place: Place, channel: Channel) -> None:
        self.channel, self.losses = channel, Losses(place)
        self._rivals = Rivals(self.losses.account)
        self.frames = 0
        self.rate: float | None = None
        self._number = 0

    def listen(self, seconds: float, use: Callable[[Block], None] | None = None) -> Heard:
        """Read for `seconds`; return the record, and what was lost in the meantime."""
        record = Record()
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if (block := self._read()) is not None:
                self._add(record, block)
                if use:
                    use(block)
            else:
                self._rivals.note_empty()
                self.channel.wait(left)
        losses = self.losses.look()
        record.taken = self._rivals.take(len(record.numbers))
        return record, *losses

    def _read(self) -> Block | None:
        try:
            block = self.channel.read()
        except WouldBlock:
            return None
        if block is None:
            raise cli.Failure(
                f"{self.channel.path}: the device is gone: plug it in again"
            )
        return block

    def _add(self, record: Record, block: Block) -> None:
        arrival = time.monotonic_ns()
        if not self.losses.account.blocks:
            # The first block also reports what a full queue lost before.
            self.losses.look()
        place = self.losses.account.add(block)
        if not record.clock:
            record.clock = controls.clock(block.control)
            told = place.rate if place.rate_source == "control" else None
            self.frames, self.rate = place.samples, float(told) if told else None
        clock = CLOCK_IDS.get(record.clock)
        stamp = place.event_ns or 0
        latency = None if clock is None else time.clock_gettime_ns(clock) - stamp
        self._number += 1 + place.lost + place.taken
        record.restarts += "outage" in place.breaks
        self._rivals.add(place)
        record.add(self._number, stamp, arrival, latency)


class Player:
    """Writes blocks to an output, and records when each one is accepted."""

    def __init__(self, place: Place, channel: Channel) -> None:
        cset = place.cset
        self.channel, self.losses = channel, Losses(place)
        self.width = (
            bin(int(cset.text("channels"), 0)).count("1") if "channels" in cset else 1
        )
        self.frames = int(cset.text("trigger/nsamples"))
        self.size = int(cset.text("ssize"))
        self.is_signed = "signed" in place.channel and place.channel["signed"] == 1
        self.sent: list[Array] = []

    def put(self, frames: Array | None = None) -> bool:
        """Write these frames, or zeros. Return False if there is no room."""
        values = np.zeros(self.frames, np.int64) if frames is None else frames
        data = np.repeat(values, self.width).astype(f"u{self.size}")
        try:
            self.channel.write(data)
        except WouldBlock:
            return False
        if frames is not None:
            self.sent.append(values)
        return True

    def noise(self, rng: np.random.Generator) -> Array:
        """Return frames of noise with a quarter of the range."""
        most = 1 << (8 * self.size - 3)
        middle = 0 if self.is_signed else 4 * most
        frames: Array = rng.integers(-most, most, self.frames) + middle
        return frames

    def play(self, seconds: float) -> Heard:
        """Write for `seconds`. The record begins once the queue is full."""
        while self.channel.wait(0) and self.put():
            pass
        record = Record("monotonic")
        self.losses.look()
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self.channel.wait(left):
            if self.put():
                now = time.monotonic_ns()
                record.add(len(record.numbers), now, now, None)
        return record, *self.losses.look()


@contextmanager
def load() -> Iterator[int]:
    """Keep all processors busy, and yield how many there are.

    The children end with their parent, even if it is killed.
    """
    parent, count = os.getpid(), os.cpu_count() or 1
    children: list[int] = []
    try:
        for _ in range(count):
            child = os.fork()
            if not child:
                _spin(parent)
            children.append(child)
        yield count
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _spin(parent: int) -> None:
    """Be busy. Do not run exit handlers of the parent: they restore its settings."""
    try:
        for stop in (*cli.STOPS, signal.SIGHUP):
            signal.signal(stop, signal.SIG_IGN)
        while os.getppid() == parent:
            pass
    finally:
        os._exit(0)


# --- the checks -------------------------------------------------------------------------


def check_input(place: Place, options: Namespace) -> Iterator[Check]:
    """Measure an input: its rate and times, and its losses without load and with it."""
    with acquiring(place, options.period) as channel:
        listener = Listener(place, channel)
        heard = listener.listen(options.seconds)
        wanted = wanted_period(place.cset, listener.frames, listener.rate)
        yield judge_rate(heard[0], wanted, options.tolerance / 100)
        yield judge_times(heard[0])
        yield judge_loss(*heard, "without load")
        with load() as count:
            busy = listener.listen(options.seconds)
        yield judge_loss(*busy, f"with {count} processors busy")


def check_output(place: Place, options: Namespace) -> Iterator[Check]:
    """Measure how fast an output takes blocks of zeros, if the user allows it."""
    if not options.play:
        text = "an output: --play writes zeros to it"
        yield Check("rate", "skipped", text, {})
        return
    with acquiring(place, options.period) as channel:
        player = Player(place, channel)
        heard = player.play(options.seconds)
        wanted = wanted_period(place.cset, player.frames)
        yield judge_rate(heard[0], wanted, options.tolerance / 100)
        yield judge_loss(*heard, "without load")
        with load() as count:
            busy = player.play(options.seconds)
        yield judge_loss(*busy, f"with {count} processors busy")


def check_loop(place: Place, output: Place, options: Namespace) -> Iterator[Check]:
    """Play noise on an output, and look for it in the input that a cable leads to."""
    rng = np.random.default_rng()
    heard: list[Array] = []
    with ExitStack() as stack:
        listener = Listener(place, _enter(stack, place, options.period))
        player = Player(output, _enter(stack, output, options.period))

        def keep(block: Block) -> None:
            heard.append(block.data[:: max(block.scaling.n_channels, 1)].copy())

        end = time.monotonic() + options.seconds
        while time.monotonic() < end and sum(map(len, heard)) < MOST_SAMPLES:
            if player.channel.wait(0):
                player.put(player.noise(rng))
            listener.listen(0.005, keep)
    if not heard or not player.sent:
        text = "no block came, or none was taken: see that both sets are enabled"
        yield Check("loop", "failed", text, {})
        return
    yield judge_loop(np.concatenate(player.sent), np.concatenate(heard))


def check_place(place: Place, loop: Place | None, options: Namespace) -> Iterator[Check]:
    """Yield all checks of a set. `loop`: the output that a cable connects to inputs."""
    yield from (check_output if place.is_output else check_input)(place, options)
    if loop and not place.is_output:
        yield from check_loop(place, loop, options)


# --- the report -------------------------------------------------------------------------


def _line(path: str, begin: str = "") -> str:
    """Return the line of a file that begins so; "" if there is none."""
    try:
        lines = Path(path).read_text(errors="replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith(begin)), "")


def about_machine() -> Report:
    """Return what the report says of the machine."""
    dmi = "/sys/class/dmi/id"
    product = f"{_line(f'{dmi}/sys_vendor')} {_line(f'{dmi}/product_name')}".strip()
    cpu = _line("/proc/cpuinfo", "model name").partition(":")[2].strip()
    flags = _line("/proc/cpuinfo", "flags").split()
    return {
        "product": product or _line("/proc/device-tree/model").strip("\0"),
        "processor": cpu or platform.machine(),
        "processors": os.cpu_count(),
        "is_virtual": "hypervisor" in flags or "QEMU" in product,
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "zio": find("bus:").text("version"),
    }


def about_board(device: Object) -> Report:
    """Return what the report says of the board: its driver, and what its bus tells."""
    parent = Path(os.path.realpath(device.path)).parent
    driver = parent / "driver"
    about = {"name": device.name, "hardware": str(parent)}
    if driver.exists():
        about["driver"] = os.path.basename(os.path.realpath(driver))
    for name in ("modalias", "vendor", "device", "manufacturer", "product"):
        if text := _line(str(parent / name)):
            about[name] = text
    return about


def run_tests(
    name: str, options: Namespace, tell: Callable[[str], None] = lambda _: None
) -> Report:
    """Measure a device, set or channel, and return the report.

    `tell` gets each line of the text. Raises `Error` and `cli.Failure` if something keeps
    the tests from running. Each attribute that they change goes back.
    """
    with prepared(name, options.loop) as bench:
        return _measure(bench, options, tell)


def _measure(bench: Bench, options: Namespace, tell: Callable[[str], None]) -> Report:
    device, places = bench.device, bench.places
    report: Report = {
        "program": f"zio selftest {VERSION}",
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": about_machine(),
        "board": about_board(device),
        "sets": [],
    }
    _tell_head(report, tell)
    for place in places:
        about = place.describe()
        tell(" ".join([place.cset.name, *(f"{k}={v}" for k, v in about.items())]))
        checks = _collect(check_place(place, bench.loop, options), tell)
        report["sets"].append({**about, "checks": checks})
    report["removal"] = _collect(_removal(device, places, options), tell)
    report["result"] = _result(report)
    tell(f"result: {report['result']}")
    return report


def _removal(device: Object, places: list[Place], options: Namespace) -> Iterator[Check]:
    if options.removal:
        node = next((p.channel.node for p in places if not p.is_output), "")
        if node:
            yield check_removal(device, node)
            return
    text = "--removal unplugs the board and plugs it back in"
    yield Check("removal", "skipped", text, {})


def _collect(checks: Iterator[Check], tell: Callable[[str], None]) -> list[Report]:
    done = []
    for check in checks:
        tell(f"  {check.name:<8} {check.verdict:<8} {check.text}")
        done.append(check._asdict())
    return done


def _result(report: Report) -> str:
    verdicts = [c["verdict"] for part in report["sets"] for c in part["checks"]]
    verdicts += [check["verdict"] for check in report["removal"]]
    if "failed" in verdicts:
        return "failed"
    return "passed" if "passed" in verdicts else "nothing was measured"


def _tell_head(report: Report, tell: Callable[[str], None]) -> None:
    machine, board = report["machine"], report["board"]
    tell(f"{report['program']}: {board['name']}, {report['date']}")
    virtual = " (a virtual machine)" if machine["is_virtual"] else ""
    tell(f"machine: {machine['product']}{virtual}, {machine['processors']} x "
         f"{machine['processor']}")  # fmt: skip
    tell(f"kernel: {machine['kernel']}, ZIO {machine['zio']}")
    tell("board: " + ", ".join(f"{k} {v}" for k, v in board.items()))


# --- the program ------------------------------------------------------------------------


def make_parser() -> cli.Parser:
    """Return the options of zio-selftest."""
    parser = cli.Parser(
        "zio-selftest",
        "DEVICE",
        "Measure a board: rate, times, losses. DEVICE may be a set, or a channel.",
        "No other program should read the board meanwhile. Exit status: 0 passed; 1 a "
        "check failed,\nnothing was measured, or FILE cannot be written; 2 usage; 3 the "
        "device cannot be\nopened.",
    )
    add, positive = parser.add_argument, cli.number(1e-6, 86400, read=float)
    options: list[tuple[str, str, str, float, str]] = [
        ("-s", "--seconds", "N", 5.0, "how long each measurement takes (5)"),
        ("-p", "--period", "S", 0.01, "seconds between events of hrt or timer (0.01)"),
        ("-t", "--tolerance", "PERCENT", 1.0, "maximum difference of rates (1)"),
    ]
    for short, name, what, value, text in options:
        add(short, name, metavar=what, type=positive, default=value, help=text)
    add("--play", action="store_true", help="write zeros to outputs")
    text = "play noise on this output, which a cable connects to the input"
    add("--loop", metavar="CHANNEL", help=text)
    text = "unplug the board and plug it back in"
    add("--removal", action="store_true", help=text)
    add("-j", "--json", action="store_true", help="print the report as JSON")
    add("-o", "--output", metavar="FILE", help="write the report as JSON to a file")
    return parser


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Name the file in errors of writing it."""
    try:
        yield
    except OSError as error:
        raise cli.Failure(f"cannot write {path}: {cli.reason(error)}") from None


def work(options: Namespace) -> int:
    """Run the tests, print and write the report, and return the exit status."""
    if len(options.names) != 1:
        raise cli.Failure("one DEVICE at a time", cli.USAGE)
    tell = (lambda _: None) if options.json else cli.say
    with ExitStack() as stack:
        bench = stack.enter_context(prepared(options.names[0], options.loop))
        if options.output:
            # Fail before the measurement if the file cannot be opened.
            with _naming(options.output):
                file = stack.enter_context(open(options.output, "w"))
        report = _measure(bench, options, tell)
        if options.json:
            cli.say(json.dumps(report))
        if options.output:
            with _naming(options.output), file:
                print(json.dumps(report, indent=1), file=file)
    return cli.OK if report["result"] == "passed" else cli.FAILED


def _work(options: Namespace) -> int:
    try:
        return work(options)
    except OSError as error:
        text = error.strerror if isinstance(error, Error) else str(error)
        raise cli.Failure(str(text), cli.CANNOT_OPEN) from None


def main(words: list[str] | None = None) -> int:
    """Run the program. SIGTERM and SIGHUP also restore the settings, like Ctrl-C."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda n, _: sys.exit(cli.BY_SIGNAL + n))
    words = sys.argv[1:] if words is None else words
    return cli.run(make_parser().add_standard(VERSION), words, _work)
