# SPDX-License-Identifier: GPL-2.0-only
"""The command "cat": convert HDF5 back to a block file, byte for byte."""

import argparse
import sys
from typing import BinaryIO

import numpy as np

from .blocks import CONTROL_SIZE, Run
from .failure import OK, OpenFailure, UsageFailure, storing
from .hdf import Recording, in_order, raise_unread, runs_in_order
from .target import Part, sync_directory


def run_cat(values: argparse.Namespace) -> int:
    if values.output == "-":
        _check_terminal(values.force)
        # With $PYTHONUNBUFFERED, sys.stdout.buffer may write only part of the bytes.
        with storing("standard output"), open(1, "wb", closefd=False) as file:
            recordings = _copy(values, file)
        raise_unread(recordings)
        return OK
    part = Part(values.output, values.force)
    try:
        with storing(values.output):
            recordings = _copy(values, part.file)
        part.publish()
        with storing(values.output):
            sync_directory(values.output)
    finally:
        part.discard()
    raise_unread(recordings)
    return OK


def _check_terminal(force: bool) -> None:
    if sys.stdout.isatty() and not force:
        raise UsageFailure("cat: standard output is a terminal: use --output or --force")


def _copy(values: argparse.Namespace, file: BinaryIO) -> list[Recording]:
    """Copy all readable blocks. Return the recordings."""
    recordings = [Recording(path) for path in values.names]
    names = {name for recording in recordings for name in recording.channels}
    if values.channel and values.channel not in names:
        known = ", ".join(sorted(names)) or "none"
        raise OpenFailure(
            f"{values.names[0]}: no channel {values.channel}: it has {known}"
        )
    files = {recording.path: recording for recording in recordings}
    for places in in_order([recording.place() for recording in recordings]):
        parts = [files[place.path] for place in places]
        for run in runs_in_order(parts, values.channel):
            write_run(file, run)
    file.flush()
    return recordings


def write_run(file: BinaryIO, run: Run) -> None:
    """Write each control, followed by its samples."""
    if run.length is not None:
        controls = np.ascontiguousarray(run.controls).view(np.uint8)
        size = run.data.nbytes // len(run)
        table = np.empty((len(run), CONTROL_SIZE + size), np.uint8)
        table[:, :CONTROL_SIZE] = controls.reshape(len(run), CONTROL_SIZE)
        if size:
            samples = np.ascontiguousarray(run.data).view(np.uint8)
            table[:, CONTROL_SIZE:] = samples.reshape(len(run), size)
        file.write(table.data)
        return
    for control, samples in zip(run.controls, run.blocks()):
        file.write(control.tobytes())
        file.write(samples.tobytes())
