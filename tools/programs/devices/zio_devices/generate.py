# SPDX-License-Identifier: GPL-2.0-only
"""zio-generate: a signal generator, as a device or on an output."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from zio import cli
from zio.cli import Failure

from .knobs import Knobs
from .options import MOST_SAMPLES, add_device, run_program, serve
from .output import Output, Writer, open_output
from .pace import ByClock
from .quantity import quantity
from .serve import say_tally
from .signal_source import Converter, Signals
from .wav import open_sound
from .waves import MOST_PULSES, WAVES, Settings, SoundWave, Wave

DESCRIPTION = """\
Generate a signal: a ZIO device that programs read as they read a board, or samples for
an output. SIGNAL is sine, square, noise, pulses, or a sound file (WAV, FLAC)."""
EPILOG = """\
  zio-generate sine --frequency=50 --amplitude=325 --range=400
  zio-generate pulses --pulse-rate=2k --decay=50us --rate=1M
  zio-generate noise --seed=1 --channels=4
  zio-generate sine --frequency=1k --to=zloop/0/0 --rate=48k

A number may have a prefix and its unit: 10us, 2.5k, 1MHz. See zio-generate(1)."""
BITS = {8: "i1", 16: "i2", 32: "i4"}
RATE = Fraction(48000)
OF_DEVICE = "channels name by_trigger trigger period linger background".split()


def make_parser() -> cli.Parser:
    """Return the parser."""
    parser = cli.Parser("zio-generate", "SIGNAL", DESCRIPTION, EPILOG)
    add, hertz = parser.add_argument, quantity("Hz", 1e-6, 4e9)
    # fmt: off
    add("--frequency", type=hertz, default=1000.0, metavar="HZ",
        help="sine, square: periods per second (1k)")
    add("--amplitude", type=quantity("V", 0, 1e12), default=1.0, metavar="VALUE",
        help="largest value; noise: standard deviation; pulses: height of one (1)")
    add("--offset", type=quantity("V", -1e12, 1e12), default=0.0, metavar="VALUE",
        help="added to all values (0)")
    add("--duty", type=quantity("", 0, 1), default=0.5, metavar="PART",
        help="square: part of a period with the larger value (0.5)")
    add("--pulse-rate", type=hertz, default=1000.0, metavar="HZ",
        help="pulses: mean number per second, at random times (1k)")
    add("--decay", type=quantity("s", 1e-12, 3600), default=1e-4, metavar="TIME",
        help="pulses: time constant of their decay (100us)")
    add("--seed", type=cli.number(0, 2**63 - 1), default=None, metavar="N",
        help="noise, pulses: the same N gives the same samples")
    add("--rate", type=hertz, default=None, metavar="HZ",
        help="samples per second (48k, or that of the file or output)")
    add("--unit", default="V", metavar="UNIT", help="unit of the values (V)")
    add("--range", type=quantity("V", 1e-12, 1e12), default=10.0, metavar="VALUE",
        help="the samples reach from -VALUE to VALUE (10)")
    add("--bits", type=int, choices=sorted(BITS), default=16, metavar="N",
        help="bits of a sample: 8, 16 or 32 (16)")
    add("--channels", type=cli.number(1, 1024), default=1, metavar="N",
        help="number of channels (1; a sound file has its own)")
    add("--samples", type=cli.number(1, MOST_SAMPLES), default=1024, metavar="N",
        help="samples in a block, until the trigger wants others (1024)")
    add("--blocks", type=cli.number(0, 2**63 - 1), default=0, metavar="N",
        help="end after N blocks of each channel")
    add("--to", metavar="CHANNEL", default="",
        help="write to this output, such as zloop/0/0, instead of making a device")
    # fmt: on
    add_device(parser, "generate")
    parser.set_defaults(speed=None)
    return parser


def main() -> int:
    """Run the program."""
    return run_program(make_parser(), generate)


def generate(options: argparse.Namespace) -> int:
    """Serve the device, or write to the output."""
    if options.to:
        _require_none_of_device(options)
        return write(options, open_output(options.to))
    waves, rate = make_waves(options, None, options.channels)
    knobs = Knobs(waves, options.range, options.unit)
    try:
        knobs.check()
    except ValueError as error:
        raise Failure(f"{options.names[0]}: {error}") from None
    scale = options.range / 2 ** (options.bits - 1)
    converter = Converter(np.dtype(BITS[options.bits]), options.bits, scale)
    signals = Signals(
        waves, converter, rate, options.unit, options.samples, options.blocks
    )
    pace = ByClock(1.0 if options.speed is None else options.speed, runs_on=True)
    return serve(options, [signals], pace, lambda: _notes(converter), knobs)


def _require_none_of_device(options: argparse.Namespace) -> None:
    parser = make_parser()
    given = [
        f"--{name.replace('_', '-')}"
        for name in OF_DEVICE
        if getattr(options, name) != parser.get_default(name)
    ]
    if given:
        verb, them = ("is", "it") if len(given) == 1 else ("are", "them")
        raise Failure(
            f"{', '.join(given)} {verb} of a device, and --to makes none: leave {them} "
            "out",
            cli.USAGE,
        )


def write(options: argparse.Namespace, output: Output) -> int:
    """Write to the output until a signal comes, or all blocks are written."""
    with output.channel:
        waves, rate = make_waves(options, output.rate, 1)
        speed = math.inf if options.speed is None else options.speed
        writer = Writer(output, waves[0], rate, speed)
        try:
            return writer.run(options.blocks)
        finally:
            notes = _notes(output.converter)
            say_tally(options.to, writer.tally, notes, options.json)


def make_waves(
    options: argparse.Namespace, known: Fraction | None, channels: int
) -> tuple[Sequence[Wave], Fraction]:
    """Return a wave for each channel, and the rate. An output has a `known` rate, unless
    its driver does not tell."""
    name = options.names[0]
    is_file = name not in WAVES
    if is_file:
        if not os.path.exists(name):
            names = ", ".join(WAVES)
            raise Failure(f"{name}: is neither a signal ({names}) nor a file", cli.USAGE)
        with open_sound(name) as sound:
            of_file, channels = Fraction(sound.samplerate), sound.channels
    rate = Fraction(options.rate) if options.rate else known
    rate = rate or (of_file if is_file else RATE)
    settings = Settings(
        rate=float(rate),
        amplitude=options.amplitude,
        offset=options.offset,
        frequency=options.frequency,
        duty=options.duty,
        pulse_rate=options.pulse_rate,
        decay=options.decay,
    )
    if name == "pulses" and options.pulse_rate > MOST_PULSES * rate:
        raise Failure(
            f"{name}: {options.pulse_rate / float(rate):g} in a sample, more than "
            f"{MOST_PULSES}: use a smaller --pulse-rate, or a larger --rate"
        )
    if is_file:
        return [SoundWave(settings, name, column) for column in range(channels)], rate
    seeds = np.random.SeedSequence(options.seed).spawn(channels)
    return [WAVES[name](settings, np.random.default_rng(seed)) for seed in seeds], rate


def _notes(converter: Converter) -> list[str]:
    if not converter.clipped:
        return []
    return [f"{converter.clipped} samples beyond the range are cut: use a larger --range"]
