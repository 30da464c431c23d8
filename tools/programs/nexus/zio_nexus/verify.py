# SPDX-License-Identifier: GPL-2.0-only
"""The command "verify": is what a file says consistent, and is nothing missing?"""

import argparse
import json
from typing import Any

import zio

from .blocks import Gaps
from .checker import Checker, Verdict, check_events
from .failure import CANNOT_OPEN, FAILED, LOST, OK, OpenFailure, say, tell
from .guard import guard
from .hdf import Recording, in_order
from .schema import UNKNOWN


class FileReport:
    """What was found in a file. @gaps continues from the file before it."""

    def __init__(self, path: str, gaps: dict[str, Gaps]) -> None:
        self.path = path
        self.faults: list[str] = []
        self.channels: dict[str, Verdict] = {}
        self.notes: list[str] = []
        recording = Recording(path)
        try:
            self._check(recording, gaps)
        finally:
            recording.close()

    def _check(self, recording: Recording, gaps: dict[str, Gaps]) -> None:
        self.is_complete = recording.is_complete
        if not recording.is_complete:
            self.notes.append("the recording was interrupted, or still runs")
        part = recording.place().part
        for name, reader in recording.channels.items():
            is_first = part == 1 or name not in gaps
            finder = gaps.setdefault(name, Gaps())
            checker = Checker(
                reader, finder, recording.is_complete, is_first and part > 1
            )
            self.channels[name] = checker.check()
        self.faults += check_events(recording)

    def is_good(self) -> bool:
        return not self.faults and not any(v.faults for v in self.channels.values())

    def lost(self) -> int:
        return sum(verdict.counts["lost"] for verdict in self.channels.values())

    def report(self) -> dict[str, Any]:
        return {
            "file": self.path,
            "complete": self.is_complete,
            "good": self.is_good(),
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
            if changes := verdict.scaling_changes:
                _print(
                    f"{self.path}: {name}: {changes} changes of the scale, the valid "
                    "bits or the channels: see the controls"
                )
            counts = verdict.counts
            _print(
                f"{self.path}: {name}: {counts['blocks']} blocks, "
                f"{counts['bytes']} bytes, lost {counts['lost']}{_in_gaps(counts)}"
            )
            for fault in verdict.faults:
                _print(f"{self.path}: {name}: FAULT: {fault}")


def _print(line: str) -> None:
    """Print a line; a name in a file cannot make another one of it."""
    tell(zio.printable(line))


def compare_kernel(reports: list[FileReport], is_live: bool) -> dict[str, dict[str, Any]]:
    """Compare the files of one recording with the counts of the kernel: those at its
    end, or the present ones."""
    result: dict[str, dict[str, Any]] = {}
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
        stored = [sum(v.counts[key] for v in verdicts) for key in ("blocks", "lost")]
        result[name] = {
            "blocks": kernel[0],
            "lost": kernel[1],
            "stored_blocks": stored[0],
            "stored_lost": stored[1],
            "agrees": kernel == stored,
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
                f"{name}: blocks may be queued still, or another program has read them"
            )
        if found["stored_blocks"] > found["blocks"]:
            _print(f"{name}: blocks were queued when the recording began")


def _order(names: list[str]) -> list[str]:
    """Return the files that can be opened, the parts of a recording in their order."""
    places = []
    for path in names:
        try:
            recording = Recording(path)
            places.append(recording.place())
            recording.close()
        except OpenFailure as failure:
            say(str(failure))
    return [place.path for parts in in_order(places) for place in parts]


def run_verify(values: argparse.Namespace) -> int:
    return guard(lambda: _verify(values), ", ".join(values.names))


def _verify(values: argparse.Namespace) -> int:
    gaps: dict[str, Gaps] = {}
    names = _order(values.names)
    reports = [FileReport(path, gaps) for path in names]
    kernel = compare_kernel(reports, values.live)
    if values.json:
        files = [report.report() for report in reports]
        tell(json.dumps({"files": files, "kernel": kernel}, indent=2))
    else:
        for report in reports:
            report.print()
        _print_kernel(kernel)
    if len(names) < len(values.names):
        return CANNOT_OPEN
    differs = values.live and not all(found["agrees"] for found in kernel.values())
    if differs or not all(report.is_good() for report in reports):
        return FAILED
    return LOST if any(report.lost() for report in reports) else OK


def _in_gaps(counts: dict[str, Any]) -> str:
    """Say in how many gaps the blocks were lost, if any were."""
    number = counts["gaps"]
    return f" in {number} gap{'' if number == 1 else 's'}" if number else ""
