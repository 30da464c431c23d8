# SPDX-License-Identifier: GPL-2.0-only
"""Octave and uproot find each sample of a recording, with its value and its time.

The recordings and the judge are those of unit/nexus/test_truth.py. One process reads all
files, as these programs take long to start."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
from zio import Break

from zio_testing.common import ROOT

from ..nexus import conftest  # noqa: F401  finds zio_nexus
from ..nexus.stories import SECOND_PS, Story, stories
from ..nexus.test_formats import given_recordings
from ..nexus.test_truth import LOST, OK, Found, causes_of, check_paced, convert
from .conftest import Run, run
from .test_octave import HERE, OCTAVE, read

# In picoseconds: a time of a block, and one of a sample in it, are rounded to whole ns.
ROUNDED = Fraction(2001)
SHOW = """
import json, sys
from importlib.machinery import SourceFileLoader
import uproot
program = SourceFileLoader("zio2root", sys.argv[1]).load_module()
for source in sys.argv[2:]:
    target = source.replace(".zio", ".root")
    status = program.main([source, target])
    with uproot.open(target) as file:
        (tree,) = file.values()
        found = {name: tree[name].array().tolist() for name in tree.keys()}
    print(json.dumps({"status": status, **found}))
"""


def write_stories(place: Path, suffix: str) -> list[Story]:
    """Write random recordings as block files with numbers for names, and convert them."""
    found: list[Story] = []

    @given_recordings(stories())
    def write(story: Story) -> None:
        found.append(story)
        path = place / f"{len(found) - 1}.{suffix}"
        if suffix == "zio":
            story.write(path)
        else:
            convert(story, path)

    write()
    return found


def test_zioread(tmp_path: Path) -> None:
    told = write_stories(tmp_path, "zio")
    paths = [tmp_path / f"{number}.zio" for number in range(len(told))]
    files = read(paths)
    for story, path in zip(told, paths, strict=True):
        (channel,) = files[path.name]
        begin_ps = channel["time_ns"][0] * 1000
        check_paced(
            story,
            [
                (begin_ps + Fraction(time) * SECOND_PS, int(value))
                for time, value in zip(channel["time"], channel["values"], strict=True)
                if not np.isnan(value)
            ],
            ROUNDED,
        )
        for name in "lost", "taken", "missed":
            assert sum(channel[name]) == story.counts()[name]
        assert sum(channel["outage"]) == story.counts()["outages"]


def in_octave(story: Story, text: str) -> Found:
    """Return the samples that Octave has found. It reads no attributes of HDF5: the rate
    of a log is that of the story."""
    rows = [line.split() for line in text.splitlines()]
    channel = {name: list(map(Fraction, words)) for name, *words in rows}
    values = channel.get("data") or channel["value"]
    if "time" in channel:
        times = channel["time"]
        lengths = [len(values) // len(times)] * len(times)
    else:
        times = channel["cue_timestamp_zero"]
        lengths = np.diff([*map(int, channel["cue_index"]), len(values)]).tolist()
    within = channel.get("sample_time") or [
        k * Fraction(10**9) / story.rate for k in range(max(lengths))
    ]
    each = [time + within[k] for time, n in zip(times, lengths) for k in range(n)]
    return [(time * 1000, int(value)) for time, value in zip(each, values, strict=True)]


def test_hdf5_in_octave(tmp_path: Path) -> None:
    told = write_stories(tmp_path, "nxs")
    paths = [tmp_path / f"{number}.nxs" for number in range(len(told))]
    said = run(*OCTAVE, HERE / "show_hdf5.m", *paths)
    files = re.findall(r"^file .*\n((?:(?!file ).*\n)*)", said, re.M)
    for story, text in zip(told, files, strict=True):
        check_paced(story, in_octave(story, text), ROUNDED)


def test_uproot(python: Run, tmp_path: Path) -> None:
    told = write_stories(tmp_path, "zio")
    paths = [tmp_path / f"{number}.zio" for number in range(len(told))]
    said = python("-c", SHOW, ROOT / "tools/programs/root/zio2root", *paths).stdout
    for story, line in zip(told, said.splitlines(), strict=True):
        tree = json.loads(line)
        assert tree["status"] == (LOST if story.breaks else OK)
        check_paced(
            story,
            [
                (Fraction(first) * 1000 + k * Fraction(period) * 1000, int(value))
                for first, period, values in zip(
                    tree["first_ns"], tree["period_ns"], tree["values"], strict=True
                )
                for k, value in enumerate(values)
            ],
            ROUNDED,
        )
        causes = {
            at: Break(bits).names() for at, bits in enumerate(tree["breaks"]) if bits
        }
        wanted = enumerate(causes_of(story))
        assert causes == {at: (cause,) for at, cause in wanted if cause}
