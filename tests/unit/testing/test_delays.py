# SPDX-License-Identifier: GPL-2.0-only
"""The modules with random delays"""

import pytest

from zio_testing import delays
from zio_testing.common import ROOT

DELAYED = {
    "behind a statement": ("\ta();\t/* A */\n\tb();", "\ta();\t/* A */\nC\n\tb();"),
    "before a return": (
        "{\n\treturn a();\t/* A, B */",
        "{\nC\n\treturn a();\t/* A, B */",
    ),
    "before a condition": (
        "\tx();\n\tif (a &&\n\t    b)\t/* A */\n\t\tc();",
        "\tx();\nC\n\tif (a &&\n\t    b)\t/* A */\n\t\tc();",
    ),
    "not between if and else": (
        "{\n\tif (a)\n\t\tb();\t/* A */\n\telse",
        "{\nC\n\tif (a)\n\t\tb();\t/* A */\n\telse",
    ),
    "behind the end of a phase": ("\tmake_idle(cset);", "\tmake_idle(cset);\nC"),
    "none beside words": (" * A barrier /* A */ in a text, (A)", None),
}


@pytest.mark.parametrize("what", DELAYED)
def test_delay(what: str) -> None:
    text, wanted = DELAYED[what]
    assert delays.add_delays(text).replace(delays.CALL, "C") == (wanted or text)


def test_each_letter_of_the_source_has_one() -> None:
    texts = [(ROOT / path).read_text() for path in delays.source_files()]
    lines = [line for text in texts for line in text.split("\n")]
    letters = sum(delays.LETTERS.match(line) is not None for line in lines)
    calls = sum(delays.add_delays(text).count(delays.CALL) for text in texts)
    assert 0 < letters <= calls
