# SPDX-License-Identifier: GPL-2.0-only
"""The command line of zio-migrate."""

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

from . import check, convert, table
from .source import Failure

HERE = Path(__file__).resolve().parent
# The headers of this version: in the tree, or installed
HEADERS = (HERE.parents[3] / "include", HERE.parents[2] / "share/zio")
DESCRIPTION = """
Help to move a driver or a program from ZIO 1.x to this version.

  check PATH...    list each place that uses ZIO 1.x, and what to do there
  convert PATH...  print the changes that follow a rule, as a diff
  table            print the whole table, as in the page porting/table.md

A PATH is a C source, or a directory with sources. The guide is porting/plan.md of the
documents.
"""
STATUS = """
Exit status: 0 success, for check: nothing to do; 1 a failure; 2 a wrong command line;
3 for check: there are places to change.
"""
COMMANDS = ("check", "convert", "table")
HAS_PLACES = 3


class Parser(argparse.ArgumentParser):
    """Prints one line for a wrong command line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"zio-migrate: {message}: see zio-migrate --help\n")


def make_parser() -> Parser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = Parser(
        "zio-migrate", description=DESCRIPTION, epilog=STATUS, formatter_class=raw
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        commands.add_parser(name, epilog=STATUS, formatter_class=raw)
    add = commands.choices["check"].add_argument
    add("paths", metavar="PATH", nargs="+", type=Path)
    add("--json", action="store_true", help="print an object with counts and places")
    add("--all", action="store_true", help="also list names that stay as they are")
    add = commands.choices["convert"].add_argument
    add("paths", metavar="PATH", nargs="+", type=Path)
    add(
        "--in-place",
        action="store_true",
        help="change the files instead of printing a diff",
    )
    add(
        "--force",
        action="store_true",
        help="also change files whose text git does not have",
    )
    return parser


def find_headers() -> Path | None:
    return next((path for path in HEADERS if (path / "linux/zio.h").exists()), None)


def run_check(options: argparse.Namespace) -> int:
    places = check.find_places(options.paths, table.load(), find_headers())
    if options.json:
        check.print_json(places)
    else:
        check.print_text(places, options.all)
        print(check.summarise(places), file=sys.stderr)
    is_done = all(place.kind == "same" for place in places)
    return 0 if is_done else HAS_PLACES


def run_convert(options: argparse.Namespace) -> int:
    n = convert.convert_paths(options.paths, options.in_place, options.force)
    verb = "changed" if options.in_place else "would change"
    print(f"{n} file{'' if n == 1 else 's'} {verb}", file=sys.stderr)
    return 0


def run_table(_: argparse.Namespace) -> int:
    print(table.markdown(table.load()), end="")
    return 0


def complete(words: list[str]) -> None:
    """Print the candidates for the last word, for the shell's completion."""
    last = words[-1] if words else ""
    candidates = list(COMMANDS) if len(words) < 2 else ["--help"]
    options = {"check": ["--json", "--all"], "convert": ["--in-place", "--force"]}
    candidates += options.get(words[0], []) if len(words) > 1 else ["--help"]
    if len(words) > 1 and not last.startswith("-"):
        folder = Path(os.path.dirname(last) or ".")
        paths = folder.iterdir() if folder.is_dir() else ()
        head = os.path.dirname(last) + "/" if "/" in last else ""
        candidates += [f"{head}{path.name}{'/' * path.is_dir()}" for path in paths]
    print("\n".join(word for word in candidates if word.startswith(last)))


def main(words: list[str]) -> int:
    if words[:1] == ["--complete"]:
        complete(words[1:])
        return 0
    options = make_parser().parse_args(words)
    run = {"check": run_check, "convert": run_convert, "table": run_table}
    try:
        return run[options.command](options)
    except Failure as failure:
        print(f"zio-migrate: {failure}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
