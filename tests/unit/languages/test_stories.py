# SPDX-License-Identifier: GPL-2.0-only
"""Octave and uproot find each sample of a recording, with its value and its time.

The recordings and the judge are those of unit/nexus/test_truth.py. One process reads all
files, as these programs take long to start."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
from zio import Break

from zio_testing.common import ROOT

from ..nexus import conftest  # noqa: F401  finds zio_nexus
from ..nexus.stories import SECOND_PS, Story, stories
from ..nexus.test_formats import given_recordings
from ..nexus.test_truth import LOST, OK, causes_of, check_paced, convert
from .conftest import Run
from .test_octave import read

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
