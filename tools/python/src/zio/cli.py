# SPDX-License-Identifier: LGPL-2.1-or-later
"""Command lines: the parser, complaints, exit statuses, and the completion of the shell.

sys.exit(zio.cli.run(make_parser(), sys.argv[1:], work))
"""

from __future__ import annotations

import argparse
import errno as codes
import io
import ipaddress
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from ._objects import devices, find, objects
from ._printable import printable

OK, FAILED, USAGE, CANNOT_OPEN = range(4)
BY_SIGNAL = 128
STOPS = (signal.SIGINT, signal.SIGTERM)
NO_ROOM = (codes.ENOSPC, codes.EDQUOT, codes.EFBIG)


class Failure(Exception):
    """Ends the program with `status`. The text names object, cause and remedy."""

    status = FAILED

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        if status is not None:
            self.status = status


def complain(program: str, text: object) -> None:
    """Print one line on standard error, whatever the names in it contain."""
    print(f"{program}: {printable(str(text))}", file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Print a result on standard output. Raise Failure if that fails."""
    try:
        print(text, flush=True)
    except OSError as error:
        # Python would write the rest at exit, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            raise
        raise Failure(f"standard output: {reason(error)}") from None


def reason(error: OSError) -> str:
    """Return why a file was not written, and the remedy."""
    return f"{error.strerror}{': make room' if error.errno in NO_ROOM else ''}"


def is_loopback(address: str) -> bool:
    """Tell whether no other machine can reach an address."""
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


# --- the parser -------------------------------------------------------------------------


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Formats options like the programs in C: "-o, --output=FILE"."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)

    def add_usage(
        self, usage: Any, actions: Any, groups: Any, prefix: Any = None
    ) -> None:
        """Begin with a capital letter."""
        super().add_usage(usage, actions, groups, prefix or "Usage: ")

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        text = ", ".join(action.option_strings)
        if action.option_strings[0].startswith("--"):
            text = f"    {text}"
        return f"{text}={action.metavar}" if action.metavar else text


class Parser(argparse.ArgumentParser):
    """The options of a program, or of a command of it.

    `operands` describes the words, such as "FILE", "FILE..." or "[NAME]...": only "..."
    allows more of them. The parser returns them as `names`. `epilog` ends the help. The
    metavar of an option or operand tells the completion what to offer: FILE, CHANNEL,
    SOURCE, NAME, or PATTERN.
    """

    def __init__(
        self,
        program: str,
        operands: str,
        description: str,
        epilog: str = "",
        usage: str = "",
    ) -> None:
        super().__init__(
            prog=program,
            usage=usage or f"{program} [OPTION]... {operands}",
            description=description,
            epilog=epilog,
            formatter_class=Formatter,
            add_help=False,
            allow_abbrev=False,
        )
        self.wanted = "" if operands.startswith("[") else operands.strip(".")
        """The operand that must be there."""
        self.most = None if "..." in operands else len(operands.split())
        self.add_argument(
            "names", nargs="*", metavar=operands.strip("[]."), help=argparse.SUPPRESS
        )

    def add_standard(self, version: str) -> Parser:
        """Add the options common to all programs after those of this one."""
        add, text = self.add_argument, f"{self.prog.split()[0]} {version}"
        add("-h", "--help", action="help", help="print this help and exit")
        add("--usage", action=_Usage, help="print a shorter help and exit")
        add("-V", "--version", action="version", version=text, help="print the version")
        return self

    def parse_words(self, words: list[str]) -> argparse.Namespace:
        """Parse options and operands in any order. All words after "--" are operands."""
        end = words.index("--") if "--" in words else len(words)
        options = self.parse_intermixed_args(words[:end])
        options.names = [*options.names, *words[end + 1 :]]
        if self.wanted and not options.names:
            self.error(f"the following arguments are required: {self.wanted}")
        if self.most is not None and len(options.names) > self.most:
            self.error(f"unrecognized arguments: {' '.join(options.names[self.most :])}")
        return options

    def error(self, message: str) -> NoReturn:
        """Complain about the command line and end the program."""
        complain(self.prog, message)
        print(f"Try '{self.prog} --help' for more information.", file=sys.stderr)
        sys.exit(USAGE)

    def _print_message(self, message: str, file: Any = None) -> None:
        say(message.rstrip("\n"))


class _Usage(argparse.Action):
    def __init__(self, option_strings: Any, dest: str, help: str) -> None:  # noqa: A002
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        parser._print_message(parser.format_usage())
        parser.exit()


def number(
    least: float,
    most: float,
    hint: str = "",
    read: Callable[[str], Any] = int,
    name: str = "number",
) -> Callable[[str], Any]:
    """Return a function that converts the word of an option to a number in a range.

    `read` makes the number; `name` is what to call it.
    """

    def convert(text: str) -> Any:
        value = read(text)
        if least <= value <= most:  # NaN is in no range.
            return value
        raise argparse.ArgumentTypeError(f"{text} is not from {least} to {most}{hint}")

    convert.__name__ = name
    return convert


# --- run --------------------------------------------------------------------------------


def run(
    parser: Parser,
    words: list[str],
    work: Callable[[argparse.Namespace], int],
    commands: Iterable[str] = (),
) -> int:
    """Parse the words, do the work, and return the exit status.

    "--complete WORD..." prints the candidates for the last word instead. The first word
    may be one of `commands`. Failure ends the work, and so do Ctrl-C and a closed reader
    of standard output.
    """
    _open_standard()
    try:
        if words[:1] == ["--complete"]:
            _say_lines(candidates(parser, words[1:], commands))
            return OK
        return work(parser.parse_words(words))
    except Failure as failure:
        complain(parser.prog.split()[0], failure)
        return failure.status
    except BrokenPipeError:
        return BY_SIGNAL + signal.SIGPIPE
    except KeyboardInterrupt:
        return BY_SIGNAL + signal.SIGINT


def _open_standard() -> None:
    """Open standard streams that the caller closed. Otherwise a file of the program would
    get the number of one, and Python would use None for the stream.

    Complaints then go nowhere, and reading standard input or writing a result fails.
    Standard output gets a buffer, because with $PYTHONUNBUFFERED Python drops the rest of
    a write() that a signal cut short.
    """
    for fd, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, mode)
    out = sys.stdout
    if out is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    elif isinstance(getattr(out, "buffer", None), io.RawIOBase):
        sys.stdout = os.fdopen(1, "w", -1, out.encoding, out.errors, closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)


# --- completion -------------------------------------------------------------------------


def _say_lines(texts: list[str]) -> None:
    """Print candidates with the bytes of their file names. One with a newline would
    become two.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="surrogateescape")
    say("\n".join(text for text in texts if "\n" not in text))


def candidates(
    parser: Parser, words: list[str], commands: Iterable[str] = ()
) -> list[str]:
    """Return the completions of the last of `words`."""
    *before, word = words or [""]
    name, equals, begin = word.partition("=")
    options = {text: a for a in parser._actions for text in a.option_strings}
    if equals and name in options:
        return [f"{name}={value}" for value in _values(options[name], begin)]
    if word.startswith("-"):
        texts = [f"{t}=" if a.metavar else t for t, a in options.items() if t[1] == "-"]
        return _match(texts, word)
    last = options.get(before[-1]) if before else None
    if last is not None and last.metavar:
        return _values(last, word)
    operand = next(action for action in parser._actions if not action.option_strings)
    return [*_match(() if before else commands, word), *_values(operand, word)]


def _match(names: Iterable[str], begin: str) -> list[str]:
    return [name for name in names if name.startswith(begin)]


def _values(action: argparse.Action, begin: str) -> list[str]:
    """Return the possible values of an option or operand."""
    kind = str(action.metavar)
    if action.choices:
        return _match(action.choices, begin)
    offers = {"PATTERN": _objects(begin), "CHANNEL": _channels()}
    if kind in offers and not action.option_strings:
        return _match(offers[kind], begin)
    if "CHANNEL" in kind:
        head = begin[: max(begin.rfind(","), begin.rfind("=")) + 1]
        return _match([head + name for name in _channels()], begin) if head else []
    if kind == "FILE":
        return sorted(_files(begin))
    if kind in ("NAME", "SOURCE") and not action.option_strings:
        return [*_match(_channels(), begin), *sorted(_files(begin))]
    return []


def _channels() -> Iterator[str]:
    """Yield the names of the inputs of this machine."""
    try:
        for device in devices().values():
            for cset in device.cset:
                if cset.text("direction") == "input":
                    yield from (channel.node for channel in cset.chan)
    except OSError:
        return


def _objects(begin: str) -> Iterator[str]:
    """Yield the names of devices and channels, or of the contents of the object before
    "/".
    """
    above, slash, _ = begin.rpartition("/")
    try:
        if slash:
            parent = find(above)
            kind = "cset" if parent.kind == "device" else "channel"
            for found in objects(kind, parent):
                yield f"{above}/{os.path.basename(found.name)}"
        else:
            yield from devices()
            yield from (channel.node for channel in objects("channel"))
    except OSError:
        return


def _files(begin: str) -> Iterator[str]:
    place = begin[: begin.rfind("/") + 1]
    try:
        entries = list(os.scandir(place or "."))
    except OSError:
        return
    for entry in entries:
        name = f"{place}{entry.name}{'/' if _is_directory(entry) else ''}"
        is_hidden = entry.name.startswith(".") and begin == place
        if name.startswith(begin) and not is_hidden:
            yield name


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # such as a link to itself
        return False
