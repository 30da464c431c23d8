# SPDX-License-Identifier: GPL-2.0-only
"""The options of zio-visa, and its commands."""

import argparse
import os
from pathlib import Path

import zio
from zio.cli import Failure, Parser, number

PROGRAM = "zio-visa"
COMMANDS = ("list", "check")
DESCRIPTION = """\
Make a ZIO device of an instrument that speaks SCPI, such as an oscilloscope or a
multimeter. Each event of the trigger of the device starts an acquisition.

RESOURCE is a name of VISA, such as TCPIP::192.0.2.7::INSTR, TCPIP::192.0.2.7::5025::SOCKET,
USB0::0x1AB1::0x04CE::DS1ZA1::INSTR, ASRL/dev/ttyUSB0::INSTR or GPIB0::7::INSTR.

Commands:

  zio-visa list             print the instruments that VISA finds, and their models
  zio-visa check FILE...    look for errors in descriptions of models"""
EPILOG = """\
A model is a file in YAML. zio-visa looks for it in ~/.config/zio/visa, in /etc/zio/visa,
and among those that come with it, and takes the first whose pattern matches the
identification of the instrument. See zio-visa(1)."""


def make_parser() -> Parser:
    parser = Parser(PROGRAM, "[RESOURCE]...", DESCRIPTION, EPILOG)
    parser.usage = (
        f"{PROGRAM} [OPTION]... RESOURCE\n"
        f"       {PROGRAM} [--backend=NAME] list\n"
        f"       {PROGRAM} check FILE..."
    )
    add = parser.add_argument
    # fmt: off
    add("-m", "--model", metavar="FILE",
        help="use this model, a file or the name of one that is found")
    add("-c", "--channels", metavar="LIST",
        help="only these channels of the instrument, such as CHAN1,CHAN2")
    add("-d", "--device", metavar="TEXT",
        help="name of the device (default: that of the model)")
    add("--try", action="store_true", dest="is_trial",
        help="make no device: acquire once, and print what has come")
    add("--idle-check", type=number(0, 86400, read=float), default=10.0, metavar="SECONDS",
        help="ask an idle instrument whether it is still there (default 10; 0: never)")
    add("--backend", default="@py", metavar="NAME",
        help="library of VISA (default @py; @ivi: that of the vendor)")
    # fmt: on
    return parser.add_standard(zio.__version__)


def places() -> list[Path]:
    """Return the directories with models. The first ones count most."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    shipped = os.environ.get("ZIO_VISA_MODELS") or Path(__file__).parents[1] / "models"
    return [Path(home) / "zio/visa", Path("/etc/zio/visa"), Path(shipped)]


def find_file(name: str) -> Path:
    """Return the file that --model names."""
    if "/" in name or Path(name).exists():
        return Path(name)
    for place in places():
        file = place / f"{name.removesuffix('.yaml')}.yaml"
        if file.exists():
            return file
    raise Failure(f"{name}: no such model in {', '.join(map(str, places()))}")


def complete(parser: Parser, options: argparse.Namespace) -> None:
    """Check what the words of the command line have to do with each other."""
    if not options.names:
        parser.error("name a resource, such as TCPIP::192.0.2.7::INSTR, or try list")
    first, *more = options.names
    if first == "check" and not more:
        parser.error("check: name a file")
    if first != "check" and more:
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    options.channels = [c for c in (options.channels or "").split(",") if c]
