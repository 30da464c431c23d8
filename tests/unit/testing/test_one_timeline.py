# SPDX-License-Identifier: GPL-2.0-only
"""Times, rates and losses of blocks are those of zio_timeline. Nothing else in tools/
touches what they are made of, without a reason."""

import re
from collections.abc import Iterator

import pytest

from zio_testing.common import ROOT, output_of

LIBRARY = "tools/libzio/control/"
# What a file does with the time stamps of controls, beside giving them to a timeline
STAMPS = {
    "tools/languages/rust/src/shim.c": "time_ns() returns the stamp",
    "tools/languages/zioread.m": "no library: test_octave.py compares it with one",
    "tools/libzio/channel/write.c": "a block that is written gets the time",
    "tools/libzio/group/member.c": "a window pairs blocks by their stamps",
    "tools/libzio/group/plain.c": "blocks of one trigger have one stamp",
    "tools/libzio/zio.hpp": "time_ns() returns the stamp",
    "tools/programs/common/place.c": "a control without a possible time loses it",
    "tools/programs/dump/json.c": "prints the stamp as it is, too",
    "tools/programs/dump/text.c": "prints bins, which are no time",
    "tools/programs/kafka/check.c": "a block that comes again is no later; dates of gaps",
    "tools/programs/kafka/convert.c": "get --realtime writes stamps of another clock",
    "tools/programs/nexus/": "stamps beyond what its files hold",
    "tools/python/libzio.cdef": "declares it",
    "tools/python/src/zio/_account.py": "a control without a possible time loses it",
    "tools/python/src/zio/_block.py": "time_ns is the stamp",
    "tools/python/src/zio/_control.py": "the layout; stamps of arrays as they are",
    "tools/python/src/zio/_make.py": "a control that is made gets the time",
    "tools/python/src/zio/_sample.py": "the sample recording gets its times",
}
GAPS = {
    "tools/languages/zioread.m": "no library: test_octave.py compares it with one",
    "tools/libzio/group/event.c": "an event tells which channels lost a block",
    "tools/libzio/zio-info.h": "declares it",
    "tools/programs/kafka/check.c": "a number that goes back may be a block sent again",
}
TIMES = {
    "tools/programs/nexus/": "stamps beyond what its files hold",
    "tools/programs/pva/zio_pva/values.py": "tells a time that is none from no time",
    "tools/programs/root/zio2root": "a branch has the stamp",
    "tools/programs/scope/zio_scope/picture.py": "pairs blocks of one event",
    "tools/programs/scope/zio_scope/reader.py": "the pace of a file; no possible time",
}
RATES = {
    "tools/languages/zioread.m": "no library: test_octave.py compares it with one",
    "tools/programs/migrate/": "names of ZIO 1.x",
    "tools/python/libzio.cdef": "declares it for tests",
}
RULES = {
    r"\btstamp\b": STAMPS,
    r"\bblock\.time_ns\b": TIMES,
    r"\bzio_sequence_lost\b": GAPS,
    r"\bZIO_ATTR_MAXRATE\b": RATES,
}
KINDS = (".c", ".h", ".hpp", ".cdef", ".py", ".js", ".m", ".rs")


def sources() -> Iterator[str]:
    for name in output_of(["git", "-C", ROOT, "ls-files", "tools"]).split():
        path = ROOT / name
        is_program = not path.suffix and path.is_file() and not path.is_symlink()
        if "/tests/" not in name and (name.endswith(KINDS) or is_program):
            yield name


def users(pattern: str) -> set[str]:
    return {name for name in sources() if re.search(pattern, (ROOT / name).read_text())}


@pytest.mark.parametrize("pattern", RULES)
def test_no_other_file_makes_times(pattern: str) -> None:
    allowed = (LIBRARY, *RULES[pattern])
    others = [name for name in sorted(users(pattern)) if not name.startswith(allowed)]
    assert not others, f"take it from zio_timeline: {pattern} in {', '.join(others)}"


@pytest.mark.parametrize("pattern", RULES)
def test_no_reason_is_left_over(pattern: str) -> None:
    found = users(pattern)
    files = {name for name in RULES[pattern] if not name.endswith("/")}
    assert not files - found
