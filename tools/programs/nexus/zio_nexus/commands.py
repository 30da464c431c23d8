# SPDX-License-Identifier: GPL-2.0-only
"""The commands of the program, and their options."""

from . import PROGRAM
from .cat import run_cat
from .convert import FORMATS
from .layout import AUTO, FILTERS, KINDS
from .options import (
    Command,
    Option,
    chunk,
    level,
    milliseconds,
    number,
    rate,
    seconds,
    size,
)
from .repair import run_repair
from .run import run_record
from .verify import run_verify

METHODS = ("auto", "ring", "mmap", "read")
RECORD_STATUSES = """\
Exit status: 0 success; 1 a source failed, or the format does not take the samples; 2
wrong usage; 3 a source or a file cannot be opened, or exists; 4 blocks are missing; 5 the
disk has not taken all blocks; 130, 143 Ctrl-C, or terminated."""
VERIFY_STATUSES = """\
Exit status: 0 no fault, no block is missing; 1 a fault, or the counts of the kernel
differ (--live); 2 wrong usage; 3 a file cannot be opened; 4 blocks are missing, and there
is no fault."""
CAT_STATUSES = """\
Exit status: 0 success; 1 the blocks of a file cannot be read; 2 wrong usage; 3 a file
cannot be opened, or exists; 5 the disk has not taken all blocks."""
REPAIR_STATUSES = """\
Exit status: 0 success; 1 the head of a file is damaged; 2 wrong usage; 3 a file cannot be
opened."""

FORCE = Option("force", "replace files that exist", short="f")
JSON = Option("json", "print the result as JSON on standard output", short="j")

RECORD = Command(
    "record",
    "SOURCE...",
    "Record the blocks of channels, block files, or standard input (-) in an HDF5 file.",
    (
        Option("output", "the file to write", "o", "FILE"),
        Option(
            "to",
            "write this format; the default is that of the name of FILE",
            meta="FORMAT",
            choices=("hdf5", *FORMATS),
        ),
        FORCE,
        Option("count", "stop after N blocks; 0: no end", "n", "N", number, default=0),
        Option(
            "duration",
            "stop after TIME, such as 90 or 15m",
            "d",
            "TIME",
            seconds,
            default=0.0,
        ),
        Option("group", "align the events of all channels", "g"),
        Option(
            "window",
            "group: largest difference of time in an event",
            meta="NS",
            convert=number,
            default=1000,
        ),
        Option(
            "limit",
            "group: milliseconds to wait for a slow channel",
            meta="MS",
            convert=milliseconds,
            default=1000,
        ),
        Option(
            "method",
            "how to read channels",
            meta="METHOD",
            choices=METHODS,
            default="auto",
        ),
        Option(
            "layout",
            "rows, series, flat or auto, see the manual",
            meta="LAYOUT",
            choices=(AUTO, *KINDS),
            default=AUTO,
        ),
        Option(
            "compress",
            "none (the default), lzf or gzip",
            meta="FILTER",
            choices=FILTERS,
            default="none",
        ),
        Option("level", "level of gzip, 0 to 9", meta="LEVEL", convert=level, default=4),
        Option("shuffle", "reorder bytes before the compression"),
        Option("no-checksum", "store no checksums of the data"),
        Option(
            "chunk", "blocks in a chunk of the file", meta="N", convert=chunk, default=0
        ),
        Option(
            "flush",
            "make blocks readable after this time (1 s)",
            meta="TIME",
            convert=seconds,
            default=1.0,
        ),
        Option(
            "rotate-size",
            "begin another file at this size, such as 2G",
            meta="SIZE",
            convert=size,
            default=0,
        ),
        Option(
            "rotate-time",
            "begin another file after this time",
            meta="TIME",
            convert=seconds,
            default=0.0,
        ),
        Option(
            "rate",
            "samples per second of the channel, in Hz",
            meta="HZ",
            convert=rate,
            default=0.0,
        ),
        Option("units", "csv, npy, npz, parquet: values in physical units", "u"),
        Option("logic", "sr: the bits of a sample are lines"),
        Option("title", "a title, stored in the file", meta="TEXT", default=""),
        Option("progress", "print the progress even if stderr is no terminal"),
        Option("quiet", "print no progress and no totals", "q"),
        JSON,
    ),
    run_record,
    RECORD_STATUSES,
)
VERIFY = Command(
    "verify",
    "FILE...",
    "Check files: blocks, gaps, times, checksums, statistics.",
    (Option("live", "compare with the present counts of the kernel"), JSON),
    run_verify,
    VERIFY_STATUSES,
)
CAT = Command(
    "cat",
    "FILE...",
    "Write the blocks in HDF5 files as a block file.",
    (
        Option(
            "output", "the block file; - is standard output", "o", "FILE", default="-"
        ),
        Option("channel", "only this channel", "c", "NAME", default=""),
        FORCE,
    ),
    run_cat,
    CAT_STATUSES,
)
REPAIR = Command(
    "repair",
    "FILE...",
    "Clear the marks that a writer leaves when it is killed.",
    (),
    run_repair,
    REPAIR_STATUSES,
)
COMMANDS = {command.name: command for command in (RECORD, VERIFY, CAT, REPAIR)}
USAGE_TEXT = "\n".join(
    f"{'Usage:' if command is RECORD else '      '} {command.usage()}"
    for command in COMMANDS.values()
)
HELP = f"""{USAGE_TEXT}

{RECORD.help().partition(chr(10))[2]}

"{PROGRAM} COMMAND --help" has the options of verify, cat and repair. The name of a source
that is also the name of a command needs "record" before it."""
