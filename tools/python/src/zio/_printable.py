# SPDX-License-Identifier: LGPL-2.1-or-later
"""Text from block files and devices, made harmless for a terminal, a page or a log."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return `text` with "?" for each character that a terminal may obey.

    These are control characters such as ESC and newline, and surrogates of bytes that are
    no UTF-8. So are characters that change the direction of the text, and all spaces but
    " ". Letters of any language stay. The programs in C replace such characters, too.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)
