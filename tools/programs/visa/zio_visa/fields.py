# SPDX-License-Identifier: GPL-2.0-only
"""Read YAML with the place of each value, so that a complaint can name the line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import yaml

NAME = re.compile(r"[a-z][a-z0-9_-]*")


class Fault(Exception):
    """What is wrong in a file: the text names file, line, field and cause."""


class Field:
    """A value of a file, where it stands, and its name, such as sets[0].query."""

    def __init__(self, file: Path, node: yaml.Node, name: str) -> None:
        self.file, self.node, self.name = file, node, name

    def fault(self, cause: str) -> Fault:
        name = f"{self.name}: " if self.name else ""
        return Fault(f"{self.file}:{self.node.start_mark.line + 1}: {name}{cause}")

    # --- parts ------------------------------------------------------------------------

    def is_mapping(self) -> bool:
        return isinstance(self.node, yaml.MappingNode)

    def entries(self) -> list[tuple[Field, Field]]:
        """Return the keys and values of a mapping. Refuse double ones."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.fault("write a mapping here, such as 'name: value'")
        found: dict[str, tuple[Field, Field]] = {}
        for key, value in self.node.value:
            name = f"{self.name}.{key.value}".lstrip(".")
            field = Field(self.file, key, name)
            if field.text() in found:
                raise field.fault("given twice")
            found[field.text()] = field, Field(self.file, value, name)
        return list(found.values())

    def parts(self, known: Iterable[str], needed: Iterable[str] = ()) -> dict[str, Field]:
        """Return the fields of a mapping. Refuse unknown, double and missing ones."""
        found: dict[str, Field] = {}
        for key, value in self.entries():
            if key.text() not in known:
                near = difflib.get_close_matches(key.text(), known, 1)
                hint = f": did you mean {near[0]}?" if near else ""
                raise key.fault(f"no such field{hint}")
            found[key.text()] = value
        for name in needed:
            if name not in found:
                raise self.fault(f"{name} is missing")
        return found

    def items(self) -> list[Field]:
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.fault("write a list here, such as [A, B]")
        return [
            Field(self.file, node, f"{self.name}[{at}]")
            for at, node in enumerate(self.node.value)
        ]

    # --- values -----------------------------------------------------------------------

    def is_number(self) -> bool:
        return self.node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")

    def text(self) -> str:
        if not isinstance(self.node, yaml.ScalarNode):
            raise self.fault("write a text here")
        return str(self.node.value)

    def identifier(self, most: int) -> str:
        """Return a name for the kernel, with up to `most` characters."""
        text = self.text()
        if not NAME.fullmatch(text) or len(text) > most:
            raise self.fault(
                f"{text} is not a name: use 1 to {most} of a-z, 0-9, _ and -, a letter"
                " first"
            )
        return text

    def number(self, least: float, most: float) -> float:
        # YAML 1.1 takes 1e-6, without a point, for a text.
        try:
            value = float(self.text())
        except ValueError:
            raise self.fault(f"{self.text()} is not a number") from None
        if not least <= value <= most:
            raise self.fault(f"{value:g} is not from {least:g} to {most:g}")
        return value

    def whole(self, least: int, most: int) -> int:
        value = self.number(least, most)
        if value != int(value):
            raise self.fault(f"{value:g} is not a whole number")
        return int(value)

    def choice(self, known: Iterable[str]) -> str:
        if self.text() not in known:
            raise self.fault(f"{self.text()} is none of {', '.join(known)}")
        return self.text()

    def pattern(self) -> re.Pattern[str]:
        try:
            return re.compile(self.text())
        except (re.error, OverflowError, RecursionError) as error:
            raise self.fault(f"not a regular expression: {error}") from None

    def command(self, words: Iterable[str] = ()) -> str:
        """Return a command of the instrument, which may name these words in braces."""
        text = self.text()
        if not text:
            raise self.fault("empty command")
        for word in re.findall(r"\{([^}]*)\}", text):
            if word not in words:
                allowed = " and ".join(f"{{{each}}}" for each in words) or "none"
                raise self.fault(f"{{{word}}} is unknown here: there is {allowed}")
        return text

    def commands(self, words: Iterable[str] = ()) -> tuple[str, ...]:
        return tuple(each.command(words) for each in self.items())


def read_file(file: Path) -> Field:
    """Return the contents of a file. Raise Fault if it is not YAML, or OSError."""
    try:
        node = yaml.compose(file.read_text(), yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise Fault(f"{file}: not UTF-8: {error.reason}") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise Fault(f"{file}:{line}: not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise Fault(f"{file}: not YAML: {error}") from None
    except RecursionError:
        raise Fault(f"{file}: not YAML: it is nested too deeply") from None
    if node is None:
        raise Fault(f"{file}: the file is empty")
    return Field(file, node, "")


def expand(command: str, **words: object) -> str:
    """Replace words in braces."""
    replace: Callable[[re.Match[str]], str] = lambda found: str(words[found[1]])  # noqa: E731
    return re.sub(r"\{(\w+)\}", replace, command)
