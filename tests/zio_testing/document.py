# SPDX-License-Identifier: GPL-2.0-only
"""Run the blocks of a document in the order of the page. Sybil, of PyPI, reads them.

These languages run; all others are shown only:
  sh       commands; the block ends, and fails, at the first one that fails
  console  commands after "$ " or "# ", each with the output that the reader would see
  python   a program
A block of these whose first line is "# not run here: REASON" does not run.
"""

import base64
import doctest
import functools
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .common import TESTING, output_of

LANGUAGES = ("sh", "console", "python")
ESCAPE = re.compile(r"\r|\x1b\[[\d;]*[A-Za-z]")
NOT_RUN = re.compile(r"# not run here: (.*)")
PROGRAM = "cat >/tmp/program.py <<'END OF PROGRAM'\n{}END OF PROGRAM\n"
# A recording on a page may lack blocks, and zio.load() warns of that.
PROGRAM += "python3 -W error -W default::UserWarning /tmp/program.py\n"
PROMPT = re.compile(r"^[$#] ", re.M)
LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# Runs commands of the shell, and returns their status and output
Shell = Callable[[str], tuple[int, str]]


class Wrong(Exception):
    """A block did not do what the page tells."""


class NotRun(Exception):
    """The page tells that the block does not run here."""


@dataclass
class Block:
    """A block and its result: ok, not ok, or skip, with what it has said"""

    line: int
    language: str
    result: str = ""
    said: str = ""


def encode(commands: str) -> str:
    """Return the line for documents-shell."""
    return base64.b64encode(commands.encode()).decode()


def blur(text: str) -> str:
    """Let all numbers of six and more digits look alike, unless they are round: times
    differ, and settings do not. Nobody sees what moves the cursor."""
    return re.sub(r"\d{6,}(?!\d)(?<!00000)", "N", ESCAPE.sub("", text))


def commands_of(source: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block, and its output. In both, a line that ends
    with a backslash continues in the next one. A command also continues after "> "."""
    first, *parts = PROMPT.split(source.replace("\\\n", " "))
    if first.strip():
        raise Wrong(f"no command has printed this:\n{first}")
    for part in parts:
        found = re.fullmatch(r"(?P<command>.*\n(?:> .*\n)*)(?P<output>(?:.*\n)*)", part)
        assert found
        yield re.sub("^> ", "", found["command"], flags=re.M), found["output"]


def run_commands(shell: Shell, commands: str) -> None:
    status, said = shell(commands)
    if status:
        raise Wrong(f"status {status}\n{said}")


def run_console(shell: Shell, source: str) -> None:
    """Compare what each command prints. Its status is free: a page can show errors."""
    check = doctest.OutputChecker().check_output
    for command, wanted in commands_of(source):
        said = shell(command)[1]
        if not check(blur(wanted), blur(said), LIKE):
            raise Wrong(f"$ {command}\nthe page tells:\n{wanted}it printed:\n{said}")


def run_block(shell: Shell, language: str, source: str) -> None:
    if found := NOT_RUN.match(source):
        raise NotRun(found[1])
    if language == "console":
        run_console(shell, source)
    elif language == "python":
        run_commands(shell, PROGRAM.format(source))
    else:
        run_commands(shell, source)


@functools.cache
def find_sybil() -> None:
    """Let Python find the packages of documents.requirements, which come once."""
    requirements = TESTING / "documents.requirements"
    venv = Path(output_of([TESTING / "venv", requirements]).strip())
    sys.path.append(str(next(venv.glob("lib/python3*/site-packages"))))


def read_blocks(page: Path, shell: Shell) -> Iterator[tuple[Block, Callable[[], None]]]:
    """Yield all blocks of the page, and what runs each."""
    find_sybil()
    from sybil import Sybil
    from sybil.parsers.markdown import CodeBlockParser

    def parser(language: str) -> Any:
        def evaluate(example: Any) -> None:
            run_block(shell, language, str(example.parsed))

        return CodeBlockParser(language=language, evaluator=evaluate)

    found = Sybil([parser(language) for language in LANGUAGES]).parse(page)
    for example in found.examples():
        language = page.read_text()[example.start :].split("\n")[0].strip("` ")
        yield Block(example.line, language), example.evaluate


def run_page(page: Path, shell: Shell) -> Iterator[Block]:
    """Run the blocks of a page. A block that failed does not end the page."""
    for block, evaluate in read_blocks(page, shell):
        block.result = "ok"
        try:
            evaluate()
        except Wrong as error:
            block.result, block.said = "not ok", str(error)
        except NotRun as reason:
            block.result, block.said = "skip", str(reason)
        yield block
