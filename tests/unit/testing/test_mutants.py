# SPDX-License-Identifier: GPL-2.0-only
"""The edits of mutants"""

import pytest

from zio_testing.common import ROOT
from zio_testing.mutant_edit import Edit, Stale
from zio_testing.mutant_patch import read_mutants

# Two functions with the same line, which a comment and a string have as well
TWO = """\
/* int other(void)
{ */
static int one(int x)
{
\tlog("f(x);");
\tf(x);
}

struct a b = {
\t.c = one,
};

int two(int x)
{
\tif (x)
\t\tf(x);	/* why */
\treturn 0;
}
"""
GO = "\tif (x)\n\t\tf(x);\t/* why */\n"
# The function, the old and the new text, and what becomes of it, or the complaint
EDITS: dict[str, tuple[str, str, str | None, str]] = {
    "in a function": ("two", "f(x);", "g(x);", TWO.replace("\t\tf(x)", "\t\tg(x)")),
    "lines that go": ("two", "if (x)\n\t\tf(x);", None, TWO.replace(GO, "")),
    "in no function": ("", ".c = one", ".c = two", TWO.replace("= one", "= two")),
    "a text that is not there": ("two", "h(x);", None, "two has 0 times h(x);"),
    "a text that is there twice": ("one", "f(x);", None, "one has 2 times f(x);"),
    "a function in a comment": ("other", "int", None, "no function other in a.c"),
}


def edited(text: str, function: str, old: str, new: str | None) -> str:
    try:
        return Edit("a.c", function, old, new).apply(text)
    except Stale as error:
        return str(error)


@pytest.mark.parametrize("what", EDITS)
def test_edit(what: str) -> None:
    function, old, new, wanted = EDITS[what]
    assert edited(TWO, function, old, new) == wanted


def test_each_edit_fits() -> None:
    stale = {}
    for mutant in read_mutants():
        texts = {file: (ROOT / file).read_text() for file in mutant.files}
        try:
            for edit in mutant.edits:
                texts[edit.file] = edit.apply(texts[edit.file])
        except Stale as error:
            stale[mutant.name] = str(error)
    assert not stale
