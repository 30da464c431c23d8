# SPDX-License-Identifier: GPL-2.0-only
"""Candidates for the last word of a command line, for the completion of the shell."""

import os
from collections.abc import Iterable

from .commands import COMMANDS, RECORD
from .options import Command, Option


def complete(words: list[str]) -> list[str]:
    """Return the candidates for the last of @words, which follow the program."""
    words = words or [""]
    last = words[-1]
    command = COMMANDS.get(words[0], RECORD) if len(words) > 1 else RECORD
    if last.startswith("--") and "=" in last:
        return _values(command, last)
    if last.startswith("-"):
        return sorted(_match(_names(command), last))
    names = _files(last)
    if len(words) == 1:
        names += _match([*COMMANDS, "help"], last)
    if command is RECORD:
        names += _match(_channels(), last)
    return sorted(set(names))


def _names(command: Command) -> Iterable[str]:
    for option in command.options:
        yield f"--{option.name}" + ("=" if option.meta else "")
    yield from ("--help", "--usage", "--version")


def _values(command: Command, last: str) -> list[str]:
    name, _, begin = last[2:].partition("=")
    option = next((option for option in command.options if option.name == name), None)
    if option is None:
        return []
    values = _values_of(option, begin)
    return [f"--{name}={value}" for value in values if value.startswith(begin)]


def _values_of(option: Option, begin: str) -> Iterable[str]:
    return _files(begin) if option.meta == "FILE" else option.choices


def _match(names: Iterable[str], begin: str) -> list[str]:
    return [name for name in names if name.startswith(begin)]


def _files(begin: str) -> list[str]:
    directory, _, start = begin.rpartition("/")
    place = directory + "/" if "/" in begin else ""
    try:
        entries = list(os.scandir(place or "."))
    except OSError:
        return []
    return [
        place + entry.name + ("/" if entry.is_dir() else "")
        for entry in entries
        if entry.name.startswith(start) and not (entry.name[0] == "." and not start)
    ]


def _channels() -> list[str]:
    """Return the names of inputs, by the nodes in the directories of nodes."""
    places = os.environ.get("ZIO_DEV_PATH") or "/dev/zio"
    names = []
    for place in places.split(":"):
        if os.path.isdir(place):
            nodes = [name for name in os.listdir(place) if name.endswith("-data")]
            names += [name.removesuffix("-data") for name in nodes]
    return names
