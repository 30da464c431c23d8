# SPDX-License-Identifier: LGPL-2.1-or-later
"""Start the programs of a package installed by pip."""

from __future__ import annotations

import importlib
import signal
import sys

from .cli import FAILED, complain


def scope() -> int:
    """Run zio-scope."""
    return run("scope")


def nexus() -> int:
    """Run zio-nexus. Until a command starts its work, Ctrl-C ends it immediately."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run("nexus")


def pva() -> int:
    """Run zio-pva."""
    return run("pva")


def run(name: str) -> int:
    """Return the exit status of a program, which may need further packages."""
    try:
        program = importlib.import_module(f"zio_{name}.cli")
        return int(program.main(sys.argv[1:]))
    except ImportError as error:
        complain(f"zio-{name}", f"{error}: pip install 'zio-daq[{name}]'")
        return FAILED
