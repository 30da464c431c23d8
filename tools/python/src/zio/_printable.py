# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make text from block files and devices harmless for a terminal, a page or a log."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return `text` with "?" for each character that a terminal may act on.

    These are control characters such as ESC and newline, surrogates of bytes that are not
    UTF-8, characters that change the direction of the text, and all spaces but " ".
    Letters of any language stay. The programs in C replace the same kind of characters.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)
