# SPDX-License-Identifier: GPL-2.0-only
"""zio export: print the statistics in the text format of Prometheus."""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator

from zio import cli

from . import complain, run
from .modules import RAW
from .snapshot import Channel, Cset, Snapshot

Rows = Iterable[tuple[dict[str, str], "int | None"]]
# The key among the counts; name, type and help
METRICS = {
    "blocks": ("zio_channel_blocks_total", "counter", "Blocks of the channel."),
    "bytes": ("zio_channel_bytes_total", "counter", "Bytes of their samples."),
    "lost": ("zio_channel_lost_blocks_total", "counter", "Blocks that were lost."),
    "queued": ("zio_channel_queued_blocks", "gauge", "Blocks in the queue of an input."),
    "length": ("zio_channel_max_queued_blocks", "gauge", "Blocks that the buffer holds."),
    "alarms": ("zio_channel_alarms", "gauge", "Bits of the alarms that are set."),
}
ON = (
    "zio_channel_on",
    "gauge",
    "1 if the channel, its set and its trigger are enabled.",
)
CSET_METRICS = {
    "fired": ("zio_cset_fired_total", "counter", "Events that the set has taken."),
    "lost_triggers": (
        "zio_cset_lost_triggers_total",
        "counter",
        "Events that came while the set was still armed.",
    ),
    "io_errors": ("zio_cset_io_errors_total", "counter", "Errors of the driver."),
}
INFO = ("zio_cset_info", "gauge", "How the set is set up.")
ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def _labels(cset: Cset, channel: Channel | None = None) -> dict[str, str]:
    device, _, number = cset.path.partition("/cset")
    labels = {"device": device, "cset": number}
    if channel:
        labels["channel"] = channel.path.rpartition("/chan")[2]
    return {**labels, "direction": cset.direction}


def _metric(name: str, kind: str, text: str, rows: Rows) -> Iterator[str]:
    """Yield the lines of a metric, without unknown counts."""
    yield f"# HELP {name} {text}\n# TYPE {name} {kind}\n"
    for labels, value in rows:
        words = (f'{key}="{word.translate(ESCAPES)}"' for key, word in labels.items())
        if value is not None:
            yield f"{name}{{{','.join(words)}}} {value}\n"


def format_metrics(csets: list[Cset], channels: list[Channel]) -> Iterator[str]:
    """Yield all lines."""
    for key, metric in METRICS.items():
        yield from _metric(
            *metric, ((_labels(c.cset, c), c.counts[key]) for c in channels)
        )
    is_on = ((_labels(c.cset, c), int(c.state == "on")) for c in channels)
    yield from _metric(*ON, is_on)
    for key, metric in CSET_METRICS.items():
        yield from _metric(*metric, ((_labels(c), c.counts[key]) for c in csets))
    yield from _metric(*INFO, ((_labels(c) | _setup(c), 1) for c in csets))


def _setup(cset: Cset) -> dict[str, str]:
    labels = {"name": cset.name, "trigger": cset.trigger}
    return {**labels, "trigger_type": cset.type, "buffer": cset.buffer}


def _write_file(name: str, text: str) -> None:
    """Replace a file at once, as another program reads it at any time.

    The name of the new one has no suffix .prom, by which collectors look for files.
    """
    place, base = os.path.split(name)
    temporary = ""
    try:
        fd, temporary = tempfile.mkstemp(prefix=f"{base}.", dir=place or ".")
        with os.fdopen(fd, "w", **RAW) as file:
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(fd, 0o666 & ~mask)
            file.write(text)
            file.flush()
            os.fsync(fd)
        os.rename(temporary, name)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        hint = (
            " (its directory does not exist)" if not os.path.isdir(place or ".") else ""
        )
        raise cli.Failure(f"export: {name}: {cli.reason(error)}{hint}") from None


def work(options: argparse.Namespace) -> int:
    """Print or write the statistics."""
    snapshot = Snapshot()
    missing = [name for name in options.names if not snapshot.choose([name])]
    for name in missing:
        complain(f"nothing matches '{name}'")
    if missing:
        return cli.FAILED
    channels = snapshot.choose(options.names)
    chosen = {channel.cset for channel in channels}
    csets = [c for c in snapshot.csets if c in chosen or not options.names]
    text = "".join(format_metrics(csets, channels))
    if options.output:
        _write_file(options.output, text)
    else:
        cli.say(text.rstrip("\n"))
    return cli.OK


def main() -> int:
    """Run the program."""
    parser = cli.Parser(
        "zio export",
        "[PATTERN]...",
        "Print statistics of the channels that match (see 'zio list') for a program.",
    )
    add = parser.add_argument
    add("--prometheus", action="store_true", help="print the text format of Prometheus, "
        "which is the only one")  # fmt: skip
    add("-o", "--output", metavar="FILE", help="write to FILE, and replace it only when "
        "all is written")  # fmt: skip
    return run(parser, work)
