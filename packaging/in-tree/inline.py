# SPDX-License-Identifier: GPL-2.0-only
"""Put the bodies of macros of compat headers where the macros are used: for one kernel
they are only other names."""

import re
from dataclasses import dataclass

HEADERS = re.compile(r"(.*/)?(zio-)?compat\.h")
# Those inside of another condition stay. So do guards, which end in _H.
DEFINE = re.compile(
    r"^#define (?P<name>\w+)(?P<call>\((?P<args>[\w, ]*)\))?"
    r"(?P<body>[ \t]+(?:.*\\\n)?.*)?\n",
    re.M,
)
CONDITION = re.compile(r"^#if(?!ndef \w+_H$)[\s\S]*?^#endif.*\n", re.M)


@dataclass
class Macro:
    name: str
    # None: no function
    args: list[str] | None
    body: str
    text: str

    @property
    def use(self) -> re.Pattern[str]:
        if self.args is None:
            # Nothing in place of a word takes the blank behind it, too.
            return re.compile(rf"\b{self.name}\b" + ("" if self.body else " ?"))
        return re.compile(rf"\b{self.name}\(([^()]*)\)")

    def expand(self, found: re.Match[str]) -> str:
        if not self.args:
            return self.body
        values = dict(zip(self.args, re.split(r",\s*", found[1])))
        return re.sub(r"\w+", lambda word: values.get(word[0], word[0]), self.body)


def macros_of(text: str) -> list[Macro]:
    found = []
    for match in DEFINE.finditer(CONDITION.sub("", body_of(text))):
        name = match["name"]
        if name.endswith("_H"):
            continue
        args = match["args"].split(", ") if match["args"] else []
        body = re.sub(r"\s*\\\n\s*", " ", match["body"] or "").strip()
        found.append(Macro(name, args if match["call"] else None, body, match[0]))
    return found


def body_of(text: str) -> str:
    """Return a header without its guard, which is a condition, too."""
    return re.sub(r"(?m)^#ifndef \w+_H\n|^#endif /\* \w+_H \*/\n", "", text)


def inline(files: dict[str, str]) -> None:
    """A macro with a use that is no plain one stays."""
    for header in [name for name in files if HEADERS.fullmatch(name)]:
        for macro in macros_of(files[header]):
            rest = files[header].replace(macro.text, "")
            others = {**files, header: rest}
            new = {
                name: macro.use.sub(macro.expand, text) for name, text in others.items()
            }
            if not any(re.search(rf"\b{macro.name}\b", text) for text in new.values()):
                files.update(new)
        # Comments of what is gone, and blank lines
        text = re.sub(r"(?m)^/\*.*\*/\n(?=\n)", "", files[header])
        first, rest = text.split("\n", 1)
        files[header] = first + "\n" + re.sub(r"\n{3,}", "\n\n", rest)
