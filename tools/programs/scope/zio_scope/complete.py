# SPDX-License-Identifier: GPL-2.0-only
"""Candidates for the completion of bash: zio-scope --complete WORD..."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        for name in action.option_strings:
            if name.startswith("--"):
                takes_value = action.nargs is None and action.metavar is not None
                yield f"{name}=" if takes_value else name


def _channels() -> Iterator[str]:
    # The import takes a while; a word that begins with "-" does not need it.
    from .machine import input_sets

    for state in input_sets():
        for channel in state.channels:
            yield channel.name


def _files(prefix: str) -> Iterator[str]:
    directory = os.path.dirname(prefix)
    try:
        entries = sorted(os.scandir(directory or "."), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = os.path.join(directory, entry.name)
        if path.startswith(prefix) and (prefix or not entry.name.startswith(".")):
            yield f"{path}/" if entry.is_dir() else path


def candidates(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """Return what may follow, for the last of @words."""
    word = words[-1] if words else ""
    option, equals, value = word.partition("=")
    if equals and option in ("--tls-cert", "--tls-key", "--token-file"):
        return [f"{option}={path}" for path in _files(value)]
    if word.startswith("-"):
        return [name for name in _options(parser) if name.startswith(word)]
    names = [name for name in _channels() if name.startswith(word)]
    return names + (list(_files(word)) if word else [])
