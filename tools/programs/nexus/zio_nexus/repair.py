# SPDX-License-Identifier: GPL-2.0-only
"""The command "repair": make the file of a killed writer readable for all programs."""

import argparse

from .failure import OK, OpenFailure, say
from .superblock import repair


def run_repair(values: argparse.Namespace) -> int:
    for path in values.names:
        try:
            was_marked = repair(path)
        except OSError as error:
            raise OpenFailure(f"{path}: {error.strerror}") from None
        say(f"{path}: {'repaired' if was_marked else 'does not need repair'}")
    return OK
