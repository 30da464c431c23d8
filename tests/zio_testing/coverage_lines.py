# SPDX-License-Identifier: GPL-2.0-only
"""The lines that tests run, from gcov, kept as JSON. The tests that tell most."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The lines of each file
Lines = dict[str, set[int]]
# A file has at most so many tests in the map.
MOST = 8
# Each test costs so many seconds beside its own: a machine, or a build.
OVERHEAD = 2.0


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


def order_tests(covers: Lines, seconds: dict[str, float]) -> list[str]:
    """Return tests of a file: each adds the most lines for its time to those before."""
    order: list[str] = []
    left = set().union(*covers.values())
    while left and len(order) < MOST:
        best = max(sorted(covers), key=lambda t: len(covers[t] & left) / cost(seconds[t]))
        if not covers[best] & left:
            break
        order.append(best)
        left -= covers[best]
    return order


def cost(seconds: float) -> float:
    return OVERHEAD + seconds


def map_files(results: dict[str, Ran]) -> dict[str, list[str]]:
    """Return the tests of each file, the most telling first."""
    seconds = {name: result.seconds for name, result in results.items()}
    files: dict[str, list[str]] = {}
    for path in sorted(set().union(*(result.ran for result in results.values()))):
        covers = {name: result.ran.get(path, set()) for name, result in results.items()}
        # What each test runs tells nothing, such as the begin of a program.
        common = set.intersection(*covers.values())
        rest = {name: lines - common for name, lines in covers.items()}
        telling = {name: lines for name, lines in rest.items() if lines}
        if telling:
            files[path] = order_tests(telling, seconds)
    return files
