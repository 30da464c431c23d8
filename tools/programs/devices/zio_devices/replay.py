# SPDX-License-Identifier: GPL-2.0-only
"""zio-replay: make a recording a device again."""

from __future__ import annotations

import argparse
import math
import os
import stat
from collections.abc import Sequence

from zio import cli
from zio.cli import CANNOT_OPEN, Failure

from .blocks import File, open_recording
from .event import SECOND, Source
from .options import MOST_SAMPLES, add_device, run_program, serve
from .pace import ByClock
from .quantity import quantity
from .recording import begin_of, period_of
from .wav import Sound, is_sound

DESCRIPTION = """\
Make a recording a ZIO device again: programs read it as they read the board. FILE is a
block file, an HDF5 file of zio-nexus, or a sound file (WAV, FLAC)."""
EPILOG = """\
  zio-replay run.zio                 as it was recorded, beginning at the first read
  zio-replay --speed=10 run.zio      ten times faster; max: as fast as programs read
  zio-replay --by-trigger run.zio    each event of the trigger gets the next block
  zio-replay --loop run.zio          again and again

Unit, scale, rate, sizes, losses and alarms are those of the recording. The time of a
block is that of the recording, moved to the present. See zio-replay(1)."""

HOUR = 3600 * SECOND


def make_parser() -> cli.Parser:
    """Return the parser."""
    parser = cli.Parser("zio-replay", "FILE", DESCRIPTION, EPILOG)
    add = parser.add_argument
    # fmt: off
    add("--loop", action="store_true", help="begin again at the end")
    add("--times", choices=("now", "original"), default="now",
        help="times of the blocks: moved to the present (now), or original")
    add("--samples", type=cli.number(1, MOST_SAMPLES), default=1024, metavar="N",
        help="sound file: samples in a block, until the trigger wants others (1024)")
    add("--full-scale", type=quantity("", 1e-12, 1e12), default=1.0, metavar="VALUE",
        help="sound file: what its largest sample means (1)")
    add("--unit", default="", metavar="UNIT",
        help="sound file: the unit of VALUE, such as V")
    # fmt: on
    add_device(parser, "replay")
    return parser


def main() -> int:
    """Run the program."""
    return run_program(make_parser(), replay)


def replay(options: argparse.Namespace) -> int:
    """Serve the device."""
    path = options.names[0]
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise Failure(f"{path}: is no file: record to a file first", CANNOT_OPEN)
    if is_sound(path):
        sound = Sound(
            path,
            "set0",
            options.samples,
            options.unit,
            options.full_scale,
            is_endless=options.loop,
        )
        pace = ByClock(options.speed, keeps_times=options.times == "original")
        return serve(options, [sound], pace, lambda: _clip_notes(sound))
    file = open_recording(path)
    _require_times(file, options)
    if not options.by_trigger:
        for text in long_waits(file, options.speed):
            cli.complain("zio-replay", text)
    begin, period = begin_of(file.plans), period_of(file.plans)
    sources: list[Source] = file.sources(max(period, 1) if options.loop else 0)
    pace = ByClock(options.speed, begin, options.times == "original")
    return serve(options, sources, pace, lambda: _notes(file))


def _require_times(file: File, options: argparse.Namespace) -> None:
    """Without times, only the trigger can tell when a block comes."""
    parts = [part for plan in file.plans for part in plan.parts]
    name = next((part.name for part in parts if not part.has_times), None)
    if name and not options.by_trigger:
        raise Failure(
            f"{file.path}: {name}: some blocks have no time: use --by-trigger, which "
            "gives them the time of the trigger"
        )


def long_waits(file: File, speed: float) -> list[str]:
    """Say where nothing comes for long, in real time, and where times go back. The clock
    of a board that was set during the recording makes both."""
    if math.isinf(speed):
        return []
    found = []
    for part in (part for plan in file.plans for part in plan.parts):
        hours, back = part.longest_ns / HOUR, part.back_ns / SECOND
        if hours / speed > 1:
            found.append(
                f"{part.name}: nothing comes for {hours:.0f} hours between two blocks, "
                "as in the recording: use --speed=max not to wait"
            )
        if back > 1:
            found.append(
                f"{part.name}: its times go back by {back:.0f} s: the blocks behind "
                "that come at once"
            )
    return [f"{file.path}: {text}" for text in found]


def _notes(file: File) -> Sequence[str]:
    """Return what the device cannot tell."""
    notes = []
    for plan in file.plans:
        for part in plan.parts:
            if part.missed:
                notes.append(f"{part.name}: {part.missed} missed events are not replayed")
            if part.blocks > plan.events:
                notes.append(
                    f"{part.name}: {part.blocks - plan.events} blocks at the end are of "
                    "events that are not complete"
                )
    return notes


def _clip_notes(sound: Sound) -> Sequence[str]:
    return [f"{sound.clipped} samples beyond full scale are cut"] if sound.clipped else []
