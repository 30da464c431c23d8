# SPDX-License-Identifier: GPL-2.0-only
"""Comma-separated values: a line for each sample."""

import argparse

import numpy as np

from .blocks import Array, Run
from .converter import Converter, first_control
from .scaling import scaling_of
from .target import Target

HEAD = "channel,seq,time_ns,lost,sample,"


class CsvConverter(Converter):
    """A block without samples has a line without a sample."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        self.file = self.open_part().file
        self._put(HEAD + ("value,unit\n" if values.units else "raw\n"))

    def write(self, run: Run) -> None:
        lost = self.lost_before(run)
        unit = ""
        if self.values.units:
            unit = f",{scaling_of(first_control(run)).unit}"
        texts = _texts(self.samples(run))
        ends = np.cumsum(run.lengths)
        heads = zip(run.controls["seq_num"], run.times, lost, ends - run.lengths, ends)
        for seq, time, missing, begin, end in heads:
            head = f"{run.channel},{seq},{time},{missing},"
            lines = [f"{head}{i},{t}{unit}" for i, t in enumerate(texts[begin:end])]
            self._put("\n".join(lines or [f"{head},{unit}"]) + "\n")

    def _put(self, text: str) -> None:
        self.file.write(text.encode())

    def close(self) -> None:
        """Do nothing: a table has no end."""


def _texts(samples: Array) -> list[str]:
    if samples.dtype.kind == "V":
        return [bytes(sample).hex() for sample in samples]
    if samples.dtype.kind == "f":
        return [repr(value) for value in samples.tolist()]
    return [str(value) for value in samples.tolist()]
