# SPDX-License-Identifier: GPL-2.0-only
"""The command "verify": is a file consistent, and is anything missing?"""

import argparse
import json
from typing import Any

import zio

from .breaks import COUNTS
from .checker import Checker, History, Verdict, check_events
from .failure import CANNOT_OPEN, FAILED, LOST, OK, OpenFailure, say, tell
from .guard import guard
from .hdf import Recording, in_order
from .schema import BREAKS, UNKNOWN


class FileReport:
    """What was found in a file. @history has the earlier files."""

    def __init__(self, path: str, history: History) -> None:
        self.path = path
        self.faults: list[str] = []
        self.channels: dict[str, Verdict] = {}
        self.notes: list[str] = []
        recording = Recording(path)
        try:
            self._check(recording, history)
        finally:
            recording.close()

    def _check(self, recording: Recording, history: History) -> None:
        self.is_complete = recording.is_complete
        self.begin = recording.place().begin
        if not recording.is_complete:
            self.notes.append("the recording was interrupted, or is still running")
        if not history.follow(recording.place()):
            self.notes.append("earlier parts of the recording are not given")
        readers = recording.channels.values()
        if any(BREAKS not in reader.group for reader in readers):
            self.notes.append(
                "recorded by an older version: only the controls tell what was "
                "missed, taken or paused"
            )
        for reader in readers:
            checker = Checker(reader, history, recording.is_complete)
            self.channels[reader.name] = checker.check()
        self.faults += check_events(recording)

    def count_faults(self) -> int:
        return len(self.faults) + sum(len(v.faults) for v in self.channels.values())

    def report(self) -> dict[str, Any]:
        return {
            "file": self.path,
            "complete": self.is_complete,
            "good": not self.count_faults(),
            "notes": self.notes,
            "faults": self.faults,
            "channels": {
                name: verdict.report() for name, verdict in self.channels.items()
            },
        }

    def print(self) -> None:
        for note in self.notes:
            _print(f"{self.path}: {note}")
        for fault in self.faults:
            _print(f"{self.path}: FAULT: {fault}")
        for name, verdict in self.channels.items():
            counts = verdict.counts
            _print(
                f"{self.path}: {name}: {counts['blocks']} blocks, "
                f"{counts['bytes']} bytes, {verdict.account}"
            )
            for fault in verdict.faults:
                _print(f"{self.path}: {name}: FAULT: {fault}")


class Total:
    """The sum over all channels of all files."""

    def __init__(self, reports: list[FileReport]) -> None:
        self.account = zio.TimelineAccount()
        self.files = len(reports)
        self.faults = sum(report.count_faults() for report in reports)
        self.counts = {"blocks": 0, "samples": 0, "bytes": 0}
        for report in reports:
            for verdict in report.channels.values():
                self.account.add(verdict.account)
                for name in self.counts:
                    self.counts[name] += verdict.counts[name]

    def report(self) -> dict[str, Any]:
        counts = {name: getattr(self.account, name) for name in COUNTS}
        text = str(self.account)
        return {**self.counts, **counts, "account": text, "faults": self.faults}

    def __str__(self) -> str:
        counts = self.counts
        text = f"{_number(self.files, 'file')}: {_number(counts['blocks'], 'block')}, "
        text += f"{counts['bytes']} bytes, {self.account}"
        return text + (f", {_number(self.faults, 'fault')}" if self.faults else "")


def _number(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def _print(line: str) -> None:
    """Print one line, whatever a name in a file contains."""
    tell(zio.printable(line))


def compare_kernel(reports: list[FileReport], is_live: bool) -> dict[str, dict[str, Any]]:
    """Compare the files of the last recording with the counts of the kernel, from its end
    or current.
    """
    result: dict[str, dict[str, Any]] = {}
    reports = [report for report in reports if report.begin == reports[-1].begin]
    for name in sorted({name for report in reports for name in report.channels}):
        verdicts = [r.channels[name] for r in reports if name in r.channels]
        start, end = verdicts[0].kernel_start, verdicts[-1].kernel_end
        if is_live:
            end = zio.kernel_counts(name) or (UNKNOWN, UNKNOWN)
        if UNKNOWN in (*start, *end):
            if is_live:
                result[name] = {"agrees": False, "why": "no counts of the kernel"}
            continue
        kernel = [now - before for before, now in zip(start, end)]
        blocks = sum(verdict.counts["blocks"] for verdict in verdicts)
        lost = sum(verdict.lost for verdict in verdicts)
        result[name] = {
            "blocks": kernel[0],
            "lost": kernel[1],
            "stored_blocks": blocks,
            "stored_lost": lost,
            "agrees": kernel == [blocks, lost],
        }
    return result


def _print_kernel(kernel: dict[str, dict[str, Any]]) -> None:
    for name, found in kernel.items():
        if "why" in found:
            _print(f"{name}: FAULT: {found['why']}: is this another machine?")
            continue
        _print(
            f"{name}: the kernel counts {found['blocks']} blocks and {found['lost']} "
            f"lost; stored are {found['stored_blocks']} and {found['stored_lost']}: "
            + ("they agree" if found["agrees"] else "they differ")
        )
        if found["stored_blocks"] < found["blocks"]:
            _print(
                f"{name}: blocks may still be queued, or another program has read them"
            )
        if found["stored_blocks"] > found["blocks"]:
            _print(f"{name}: blocks were queued when the recording began")


def _order(names: list[str]) -> list[str]:
    """Return the files that can be opened: recordings sorted by the time of their first
    block, and the parts of a recording in order.
    """
    places, starts = [], {}
    for path in names:
        try:
            recording = Recording(path)
            starts[path] = recording.start()
            places.append(recording.place())
            recording.close()
        except OpenFailure as failure:
            say(str(failure))
    recordings = in_order(places)
    recordings.sort(key=lambda parts: starts[parts[0].path])
    return [place.path for parts in recordings for place in parts]


def run_verify(values: argparse.Namespace) -> int:
    return guard(lambda: _verify(values), ", ".join(values.names))


def _verify(values: argparse.Namespace) -> int:
    history = History()
    names = _order(values.names)
    reports = [FileReport(path, history) for path in names]
    kernel = compare_kernel(reports, values.live)
    total = Total(reports)
    if values.json:
        files = [report.report() for report in reports]
        result = {"files": files, "kernel": kernel, "all": total.report()}
        tell(json.dumps(result, indent=2))
    else:
        for report in reports:
            report.print()
        _print_kernel(kernel)
        if reports:
            _print(str(total))
    if len(names) < len(values.names):
        return CANNOT_OPEN
    differs = values.live and not all(found["agrees"] for found in kernel.values())
    if differs or total.faults:
        return FAILED
    return OK if total.account.is_clean else LOST
