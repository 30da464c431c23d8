# SPDX-License-Identifier: GPL-2.0-only
"""The lines that tests run, from gcov, kept as JSON. The tests that tell most."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# The lines of each file
Lines = dict[str, set[int]]
# A file has at most so many tests in the map.
MOST = 3


@dataclass
class Ran:
    """What one test ran, and in how many seconds."""

    seconds: float
    ran: Lines
    # All lines of these files, if they are known
    known: Lines


def add_gcov(counters: list[Path], root: Path, ran: Lines, known: Lines) -> None:
    """Add the lines of the files below @root that gcov finds in @counters."""
    if not counters:
        return
    done = subprocess.run(
        ["gcov", "--json-format", "--stdout", *sorted(counters)],
        capture_output=True,
        text=True,
    )
    for line in filter(None, done.stdout.splitlines()):
        data = json.loads(line)
        for file in data["files"]:
            path = Path(data["current_working_directory"], file["file"]).resolve()
            if path.is_relative_to(root):
                add_file(str(path.relative_to(root)), file["lines"], ran, known)


def add_file(path: str, lines: list[dict[str, int]], ran: Lines, known: Lines) -> None:
    known.setdefault(path, set()).update(line["line_number"] for line in lines)
    counted = {line["line_number"] for line in lines if line["count"]}
    if counted:
        ran.setdefault(path, set()).update(counted)


def keep(path: Path, result: Ran) -> None:
    parts = {"ran": result.ran, "known": result.known}
    data = {key: {f: sorted(n) for f, n in part.items()} for key, part in parts.items()}
    path.write_text(json.dumps({"seconds": round(result.seconds, 1), **data}))


def load(place: Path) -> dict[str, Ran]:
    """Return what was kept in @place, by the names of the files."""
    results = {}
    for path in sorted(place.glob("*.json")):
        data = json.loads(path.read_text())
        ran = {file: set(lines) for file, lines in data["ran"].items()}
        known = {file: set(lines) for file, lines in data["known"].items()}
        results[path.stem.replace("+", "/")] = Ran(data["seconds"], ran, known)
    return results


def order_tests(covers: Lines, left: set[int]) -> list[str]:
    """Return tests that run lines @left: each adds the most to those before."""
    order: list[str] = []
    while left and len(order) < MOST:
        best = max(sorted(covers), key=lambda test: len(covers[test] & left))
        if not covers[best] & left:
            break
        order.append(best)
        left = left - covers[best]
    return order


def map_files(
    results: dict[str, Ran], known: Callable[[str], list[str]]
) -> dict[str, list[str]]:
    """Return tests of each file, the most telling first. They run lines that those tests
    do not run which are @known for the file."""
    files: dict[str, list[str]] = {}
    for path in sorted(set().union(*(result.ran for result in results.values()))):
        covers = {name: result.ran.get(path, set()) for name, result in results.items()}
        # What each test runs tells nothing, such as the begin of a program.
        common = set.intersection(*covers.values())
        done = common.union(*(covers.get(name, set()) for name in known(path)))
        if order := order_tests(covers, set().union(*covers.values()) - done):
            files[path] = order
    return files
