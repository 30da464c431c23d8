# SPDX-License-Identifier: GPL-2.0-only
"""Candidates for the completion of bash: zio-pva --complete WORD..."""

import argparse
import glob
from collections.abc import Iterator

import zio


def _channels() -> Iterator[str]:
    try:
        for device in zio.devices().values():
            for channel in device.chan:
                yield channel.text("address")
    except OSError:
        return


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        end = "=" if action.metavar and action.nargs is None else ""
        yield from (f"{name}{end}" for name in action.option_strings if name[1] == "-")


def candidates(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """Return what may follow, for the last of @words."""
    word = words[-1] if words else ""
    if word.startswith("--group="):
        begin = word[: max(word.rfind(","), word.rfind("=")) + 1]
        return [f"{begin}{name}" for name in _channels() if begin != "--group="]
    if word.startswith("-"):
        return [name for name in _options(parser) if name.startswith(word)]
    files = glob.glob(f"{glob.escape(word)}*") if word else []
    return [name for name in (*_channels(), *files) if name.startswith(word)]
