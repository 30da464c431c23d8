# SPDX-License-Identifier: GPL-2.0-only
"""A list of words, and a place in it. Both parsers use it."""

import re


class Cursor:
    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self.tokens: list[str] = []
        self.at = 0
        for match in pattern.finditer(text):
            if match["bad"]:
                raise SyntaxError(f"strange character {match['bad']!r}")
            if match["token"]:
                self.tokens.append(match["token"])

    def peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else ""

    def next(self, wanted: str | None = None) -> str:
        token = self.peek()
        if wanted and token != wanted:
            raise SyntaxError(f"{token!r} in place of {wanted!r}")
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True
