# SPDX-License-Identifier: GPL-2.0-only
"""The commands of the program, and their options."""

import importlib
from argparse import Namespace

from zio.cli import Parser

from . import PROGRAM
from .convert import FORMATS
from .layout import AUTO, FILTERS, KINDS
from .options import chunk, count, level, method, milliseconds, rate, seconds, size
from .track import Gaps

USAGE = f"""{PROGRAM} [OPTION]... SOURCE...
       {PROGRAM} verify [OPTION]... FILE...
       {PROGRAM} cat [OPTION]... FILE...
       {PROGRAM} repair [OPTION]... FILE..."""
METHODS = ("auto", "ring", "read")
RECORD_STATUSES = """\
Exit status: 0 success; 1 a source failed, or the format cannot store the samples; 2
usage; 3 a source or file cannot be opened, or the file exists; 4 blocks are missing, or
there is another break; 5 not all blocks are on the disk; 130, 143 interrupted,
terminated."""
VERIFY_STATUSES = """\
Exit status: 0 no fault, no block is missing; 1 a fault, or with --live, the kernel
counts other blocks; 2 usage; 3 a file cannot be opened; 4 no fault, but blocks are
missing, or there is another break."""
CAT_STATUSES = """\
Exit status: 0 success; 1 the blocks of a file cannot be read; 2 usage; 3 a file cannot
be opened, or the output exists; 5 not all blocks are on the disk."""
REPAIR_STATUSES = """\
Exit status: 0 success; 1 the head of a file is damaged; 2 usage; 3 a file cannot be
opened."""


def _command(
    name: str, operands: str, description: str, statuses: str, usage: str = ""
) -> Parser:
    return Parser(f"{PROGRAM} {name}", operands, description, statuses, usage)


def _add_force(parser: Parser) -> None:
    text = "replace files that exist"
    parser.add_argument("-f", "--force", action="store_true", help=text)


def _add_json(parser: Parser) -> None:
    text = "print the result as JSON on standard output"
    parser.add_argument("-j", "--json", action="store_true", help=text)


def make_record() -> Parser:
    description = (
        "Record the blocks of channels, block files, or standard input (-) in an HDF5 "
        f'file.\n"{PROGRAM} COMMAND --help" lists the options of verify, cat and repair.'
        '\nIf a source has the name of a command, write "record" before it.'
    )
    parser = _command("record", "SOURCE...", description, RECORD_STATUSES, USAGE)
    add, formats = parser.add_argument, ("hdf5", *FORMATS)
    # fmt: off
    add("-o", "--output", metavar="FILE", help="the file to write")
    add("--to", metavar="FORMAT", choices=formats,
        help="write this format; the default follows from the name of FILE")
    _add_force(parser)
    add("-n", "--count", metavar="N", type=count, default=0,
        help="stop after N blocks; 0: never")
    add("-d", "--duration", metavar="TIME", type=seconds, default=0.0,
        help="stop after TIME, such as 90 or 15m")
    add("--queued", action="store_true",
        help="begin with the blocks queued in the channels instead of dropping them")
    add("-g", "--group", action="store_true", help="align the events of all channels")
    add("--window", metavar="NS", type=count, default=1000,
        help="group: maximum time difference within an event")
    add("--limit", metavar="MS", type=milliseconds, default=1000,
        help="group: milliseconds to wait for a slow channel")
    add("--method", metavar="METHOD", type=method, choices=METHODS, default="auto",
        help="how to read channels")
    add("--layout", metavar="LAYOUT", choices=(AUTO, *KINDS), default=AUTO,
        help="rows, series, flat or auto; see the manual")
    add("--compress", metavar="FILTER", choices=FILTERS, default="none",
        help="none (the default), lzf or gzip")
    add("--level", metavar="LEVEL", type=level, default=4, help="level of gzip, 0 to 9")
    add("--shuffle", action="store_true", help="reorder bytes before the compression")
    add("--no-checksum", action="store_true", help="store no checksums of the data")
    add("--chunk", metavar="N", type=chunk, default=0,
        help="blocks in a chunk of the file")
    add("--flush", metavar="TIME", type=seconds, default=1.0,
        help="make blocks readable after this time (1 s)")
    add("--rotate-size", metavar="SIZE", type=size, default=0,
        help="begin another file at this size, such as 2G")
    add("--rotate-time", metavar="TIME", type=seconds, default=0.0,
        help="begin another file after this time")
    add("--rate", metavar="HZ", type=rate, default=0.0,
        help="samples per second of the channel, in Hz")
    add("--gaps", metavar="WAY", choices=[way.value for way in Gaps], default="auto",
        help="where samples are missing: fill, split, refuse or auto; see the manual")
    add("--max-fill", metavar="TIME", type=seconds, default=60.0,
        help="longest gap to fill, such as 10s (60 s); longer ones split the file")
    add("-u", "--units", action="store_true",
        help="csv, npy, npz, parquet: values in physical units")
    add("--logic", action="store_true", help="sr: treat the bits of a sample as lines")
    add("--title", metavar="TEXT", default="", help="a title, stored in the file")
    add("--progress", action="store_true",
        help="print the progress even if stderr is not a terminal")
    add("-q", "--quiet", action="store_true", help="do not print progress and totals")
    # fmt: on
    _add_json(parser)
    return parser


def make_verify() -> Parser:
    description = "Check files: blocks, breaks, times, checksums, statistics."
    parser = _command("verify", "FILE...", description, VERIFY_STATUSES)
    text = "compare with the current counts of the kernel"
    parser.add_argument("--live", action="store_true", help=text)
    _add_json(parser)
    return parser


def make_cat() -> Parser:
    description = "Write the blocks in HDF5 files as a block file."
    parser = _command("cat", "FILE...", description, CAT_STATUSES)
    add = parser.add_argument
    text = "the block file; - is standard output"
    add("-o", "--output", metavar="FILE", default="-", help=text)
    add("-c", "--channel", metavar="NAME", default="", help="only this channel")
    _add_force(parser)
    return parser


def make_repair() -> Parser:
    description = "Clear the marks left by a writer that was killed."
    return _command("repair", "FILE...", description, REPAIR_STATUSES)


# The parser of each command, and the module that runs it, imported only then.
COMMANDS = {
    "record": (make_record, "run"),
    "verify": (make_verify, "verify"),
    "cat": (make_cat, "cat"),
    "repair": (make_repair, "repair"),
}


def run(name: str, values: Namespace) -> int:
    """Run a command; return the exit status."""
    module = importlib.import_module(f".{COMMANDS[name][1]}", __package__)
    status: int = getattr(module, f"run_{name}")(values)
    return status
