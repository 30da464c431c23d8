# SPDX-License-Identifier: GPL-2.0-only
"""The command line of zio-visa: list, check, try, or serve."""

from __future__ import annotations

import argparse
import dataclasses
from contextlib import closing
from pathlib import Path

import zio
from zio import cli
from zio.cli import FAILED, OK, Failure, say

from .device import serve
from .fields import Fault
from .instrument import Instrument, ScpiError, open_manager
from .knobs import read_knobs
from .model import Model, read_all, read_model
from .options import COMMANDS, PROGRAM, complete, find_file, make_parser, places


def complain(text: object) -> None:
    cli.complain(PROGRAM, text)


def known_models() -> list[Model]:
    """Return the models that are found. Complain about wrong files, and go on."""
    models = []
    for found in read_all(places()):
        if isinstance(found, Fault):
            complain(found)
        else:
            models.append(found)
    return models


def named_model(name: str) -> Model:
    file = find_file(name)
    try:
        return read_model(file)
    except Fault as fault:
        raise Failure(str(fault)) from fault
    except OSError as error:
        raise Failure(f"{file}: {error.strerror}") from error


def match(identity: str, models: list[Model]) -> Model | None:
    return next((m for m in models if m.match.fullmatch(identity)), None)


def model_of(instrument: Instrument, name: str | None) -> Model:
    """Return the model to use: that of --model, or the first whose pattern fits."""
    if name:
        return named_model(name)
    identity = instrument.identify()
    model = match(identity, known_models())
    if not model:
        remedy = "name one with --model, or describe it in ~/.config/zio/visa"
        raise Failure(f"{instrument.resource}: no model matches {identity!r}: {remedy}")
    return model


def narrow(model: Model, channels: list[str]) -> Model:
    """Return the model with these channels only; with all if there are none."""
    if not channels:
        return model
    known = {channel for cset in model.sets for channel in cset.channels}
    for name in channels:
        if name not in known:
            raise Failure(f"{name}: {model.file} has {', '.join(sorted(known))}")
    sets = (
        dataclasses.replace(s, channels=tuple(c for c in s.channels if c in channels))
        for s in model.sets
    )
    return dataclasses.replace(model, sets=tuple(s for s in sets if s.channels))


# --- commands ---------------------------------------------------------------------------


def list_resources(options: argparse.Namespace) -> int:
    """Print each resource, what it says that it is, and its model."""
    manager = open_manager(options.backend)
    models = known_models()
    for resource in manager.list_resources("?*"):
        try:
            instrument = Instrument(manager, resource)
            with closing(instrument):
                said = instrument.identify()
        except Failure as failure:
            name, said = "-", str(failure)
        else:
            model = match(said, models)
            name = model.file.stem if model else "-"
        say("\t".join(map(zio.printable, (resource, name, said))))
    return OK


def check(options: argparse.Namespace) -> int:
    status = OK
    for name in options.names[1:]:
        try:
            model = read_model(Path(name))
        except Fault as fault:
            complain(fault)
            status = FAILED
        except OSError as error:
            complain(f"{name}: {error.strerror}")
            status = FAILED
        else:
            sets = ", ".join(f"{s.name} ({len(s.channels)} channels)" for s in model.sets)
            say(f"{name}: {model.device}: {sets}")
    return status


def try_once(instrument: Instrument, model: Model) -> int:
    """Print the settings, acquire once by each set, and print the extent of what has come."""
    for knob in read_knobs(instrument, model):
        pairs = zip(knob.channels, knob.values)
        values = ", ".join(f"{channel} {value}".lstrip() for channel, value in pairs)
        say(f"{knob.setting.name}: {values}")
    for cset in model.sets:
        rate = instrument.rate(cset)
        instrument.arm(cset, cset.nsamples, lambda: True)
        say(f"{cset.name}: {f'{rate:g} samples per second' if rate else 'rate unknown'}")
        for channel in cset.channels:
            found, _ = instrument.read(cset, channel, cset.nsamples)
            step = cset.resolution if cset.scale is None else cset.scale
            low, high = (
                float(each) * step + (0 if cset.scale is None else cset.offset)
                for each in (found.samples.min(), found.samples.max())
            )
            clipped = ", some out of range" if found.is_clipped else ""
            count = len(found.samples)
            say(f"  {channel}: {count} samples, {low:g} to {high:g} {cset.unit}{clipped}")
    return OK


def run(options: argparse.Namespace) -> int:
    instrument = Instrument(open_manager(options.backend), options.names[0])
    try:
        model = narrow(model_of(instrument, options.model), options.channels)
        instrument.use(model)
        if options.is_trial:
            return try_once(instrument, model)
        name = options.device or model.device
        return serve(instrument, model, name, options.idle_check)
    except ScpiError as error:
        raise Failure(f"{instrument.resource}: {error.strerror}") from error
    finally:
        instrument.close()


def main(words: list[str]) -> int:
    parser = make_parser()

    def work(options: argparse.Namespace) -> int:
        complete(parser, options)
        does = {"list": list_resources, "check": check}
        return does.get(options.names[0], run)(options)

    return cli.run(parser, words, work, COMMANDS)
