# SPDX-License-Identifier: GPL-2.0-only
"""Names of strangers do not reach a terminal as they are."""

import sys
import unicodedata
from pathlib import Path

import pytest
import zio


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("zzero-0000-0-1", "zzero-0000-0-1"),
        ("Messung 1 µV 温度", "Messung 1 µV 温度"),
        ("\x1b]0;owned\x07", "?]0;owned?"),
        ("a\nb\r\tc\x00\x7f\x9b", "a?b??c???"),
        (b"\xff\xfe".decode(errors="surrogateescape"), "??"),
        ("a\u202eb\u2066c\u200fd\ufeff", "a?b?c?d?"),
        ("a\u2028b\u2029c\u00a0d", "a?b?c?d"),
        ("", ""),
    ],
)
def test_printable(text: str, wanted: str) -> None:
    assert zio.printable(text) == wanted


def test_all_characters() -> None:
    """Nothing that is left controls, formats, or fails to be encoded."""
    text = zio.printable("".join(map(chr, range(sys.maxunicode + 1))))
    assert len(text) == sys.maxunicode + 1
    kinds = {unicodedata.category(letter) for letter in set(text)}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert text.encode()


def test_block_is_shown(tmp_path: Path) -> None:
    """A prompt of Python prints it."""
    with zio.open(str(tmp_path / "f"), create=True) as out:
        out.write(b"ab", zio.make_control("\x1b]0;a\x07-0-1"))
    with zio.open(str(tmp_path / "f")) as ch:
        assert repr(ch.read()) == "<zio.Block ?]0;a?-0000-0-1 seq 0, 2 bytes>"
