# SPDX-License-Identifier: GPL-2.0-only
"""The description of the interfaces as the kernel wants it."""

import re
from pathlib import Path

from sources import without_paths


def entries_of(text: str) -> tuple[str, list[str]]:
    """Return what comes before the first entry, and the entries."""
    head, *parts = re.split(r"(?m)^(?=What:)", text)
    entries: list[str] = []
    for part in parts:
        # Several files have one description.
        if entries and "\nDescription:" not in entries[-1]:
            entries[-1] += part
        else:
            entries.append(part)
    return head, entries


def is_wanted(entry: str, names: set[str]) -> bool:
    """An entry with a path in a directory of a driver is for that driver."""
    driver = re.match(r"What:\t+([a-z]\w+)[/:-]", entry)
    return not driver or driver[1] in names


def convert(text: str, names: set[str], version: str, contact: str) -> str:
    """Leave out the drivers that have none of these names. Add what the kernel asks of
    each entry."""
    head, entries = entries_of(text)
    lines = rf"\1KernelVersion:\t{version}\nContact:\t{contact}\n"
    kept = [
        re.sub(r"(?m)^(Date:.*\n)", lines, entry)
        for entry in entries
        if is_wanted(entry, names)
    ]
    return without_paths(head + "".join(kept)).rstrip("\n") + "\n"


def names_in(sources: list[Path]) -> set[str]:
    """Return the names of devices and directories of these drivers."""
    text = "".join(path.read_text() for path in sources)
    return set(re.findall(r'\bname = "(\w+)"', text))
