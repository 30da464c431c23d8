# SPDX-License-Identifier: GPL-2.0-only
"""Change the text of a C file, in a function that is named."""

import re
from dataclasses import dataclass

# Comments and literals: what is in them is no code.
NO_CODE = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S
)
FUNCTION = re.compile(
    r"^(?=[A-Za-z_])[^;{}#=]*?\b(?!__|void\b)(?P<name>[a-z]\w*)\([^;{}]*\)[^;{}()=]*\{",
    re.M,
)


class Stale(Exception):
    """An edit fits no more."""


def blank(text: str) -> str:
    """Return @text with spaces in place of comments and literals."""
    return NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def functions(text: str) -> dict[str, tuple[int, int]]:
    """Return where each function of a C file begins and ends. A function ends with the
    first brace that begins a line, or on the line where its body begins."""
    found, code, at = {}, blank(text), 0
    while head := FUNCTION.search(code, at):
        line = code.index("\n", head.end())
        at = line
        if "}" not in code[head.end() : line]:
            at = code.find("\n}", head.end()) + 2
        found[head["name"]] = (head.start(), at)
    return found


@dataclass(frozen=True)
class Edit:
    """Text of a file, or of one function in it, that gives way to another."""

    file: str
    function: str
    old: str
    # Nothing: the lines with the old text go as a whole.
    new: str | None

    def apply(self, text: str) -> str:
        begin, end = 0, len(text)
        if self.function:
            known = functions(text)
            if self.function not in known:
                raise Stale(f"no function {self.function} in {self.file}")
            begin, end = known[self.function]
        count = text.count(self.old, begin, end)
        if count != 1:
            place = self.function or self.file
            line = self.old.partition("\n")[0].strip()
            raise Stale(f"{place} has {count} times {line}")
        begin = text.index(self.old, begin)
        end = begin + len(self.old)
        if self.new is None:
            begin = text.rindex("\n", 0, begin) + 1
            end = text.index("\n", end) + 1
        return text[:begin] + (self.new or "") + text[end:]
