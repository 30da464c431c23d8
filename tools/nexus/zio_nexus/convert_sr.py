# SPDX-License-Identifier: GPL-2.0-only
"""The sessions of sigrok, version 2: a zip archive that PulseView opens."""

import argparse
import zipfile

import numpy as np

from .blocks import Array, Run
from .converter import Converter, find_rate, first_control
from .failure import Failure
from .scaling import scaling_of
from .target import Target

VERSION = "2"
WRITER = "0.5.2"
# Samples in a part of the archive
PART = 1 << 20


class _Probe:
    """A channel: @index is its number in the archive, @parts the parts of it so far."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.parts = 0
        self.waiting: list[Array] = []
        self.count = 0

    def take(self) -> Array:
        data = np.concatenate(self.waiting)
        self.waiting, self.count = [], 0
        self.parts += 1
        return data


class SigrokConverter(Converter):
    """Channels are analog, in their units; with --logic the bits of one are lines."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        file = self.open_part().file
        self.archive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self.archive.writestr("version", VERSION)
        self.probes: dict[str, _Probe] = {}
        self.rate = 0.0
        self.lines = 0

    def write(self, run: Run) -> None:
        if not run.data.size:
            return
        self.require_numbers(run)
        probe = self.probes.get(run.channel) or self._begin(run)
        data = run.data
        if not self.lines:
            values = scaling_of(first_control(run)).values(data)
            data = values.astype("<f4")
        probe.waiting.append(data.copy())
        probe.count += len(data)
        if probe.count >= PART:
            self._put(probe)

    def _begin(self, run: Run) -> _Probe:
        if self.probes and self.values.logic:
            raise Failure(f"{run.channel}: with --logic there is one channel only")
        self.rate = self.rate or find_rate(self.values, run)
        if self.values.logic:
            self.lines = 8 * run.sample_size
        self.probes[run.channel] = _Probe(len(self.probes) + 1)
        return self.probes[run.channel]

    def _put(self, probe: _Probe) -> None:
        data = probe.take()
        stem = "logic-1" if self.lines else f"analog-1-{probe.index}"
        self.archive.writestr(f"{stem}-{probe.parts}", data.tobytes())

    def close(self) -> None:
        for probe in self.probes.values():
            if probe.count:
                self._put(probe)
        self.archive.writestr("metadata", self.metadata())
        self.archive.close()

    def metadata(self) -> str:
        lines = ["[global]", f"sigrok version={WRITER}", "", "[device 1]"]
        if self.lines:
            lines += ["capturefile=logic-1", f"total probes={self.lines}"]
        else:
            lines += ["total probes=0"]
        lines += [f"samplerate={max(1, round(self.rate))} Hz"]
        if self.lines:
            lines += [f"probe{i + 1}=D{i}" for i in range(self.lines)]
            lines += [f"unitsize={self.lines // 8}", "total analog=0"]
        else:
            lines += [f"total analog={len(self.probes)}"]
            lines += [f"analog{p.index}={name}" for name, p in self.probes.items()]
        return "\n".join(lines) + "\n"
