# SPDX-License-Identifier: GPL-2.0-only
"""zio-migrate check: places, classes, unknown names, JSON, exit status"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from zio_testing.common import ROOT

from .conftest import EXAMPLES, Runner

SOURCE = """\
#include <linux/zio.h>
/* zio_register_driver() in a comment is no use */
#if 0
zio_unregister_driver(&old);
#endif
int probe(struct zio_device *zdev)
{
	struct board *board = zdev->cset->zdev->priv_d;

	spin_lock(&zdev->cset->lock);
	zio_frobnicate(board);
	return zio_own(board, "zio_find_device");
}
int zio_own(struct board *board, const char *name)
{
	return 0;
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "driver.c"
    path.write_text(SOURCE)
    return path


def test_places(migrate: Runner, source: Path) -> None:
    """Each line has file, line, symbol, class, and the section. A longer symbol wins."""
    lines = migrate("check", source.name, status=3).stdout.splitlines()
    heads = [" ".join(line.split(": ")[:3]) for line in lines]
    assert heads == [
        "driver.c:8 zdev->cset by hand",
        "driver.c:8 .zdev->priv_d by the patch",
        "driver.c:10 zdev->cset by hand",
        "driver.c:11 zio_frobnicate unknown",
    ]
    assert lines[1].endswith(
        "`zio_cset_priv(cset)` (driver-guide.md#reference-what-a-driver-calls)"
    )


def test_summary(migrate: Runner, source: Path) -> None:
    said = migrate("check", source.name, status=3).stderr
    assert said == "6 places: 1 by the patch, 2 by hand, 2 stay, 1 unknown\n"


def test_json(migrate: Runner, source: Path) -> None:
    found = json.loads(migrate("check", "--json", source.name, status=3).stdout)
    assert found["counts"]["hand"] == 2
    unknown = [place for place in found["places"] if place["class"] == "unknown"]
    assert unknown == [
        {
            "file": "driver.c",
            "line": 11,
            "symbol": "zio_frobnicate",
            "class": "unknown",
            "instead": None,
            "see": None,
        }
    ]


def test_program(migrate: Runner, tmp_path: Path) -> None:
    """In a program, the names of files in strings count."""
    (tmp_path / "tool.c").write_text(
        'open("/sys/zio/devices/x/cset0/trigger/ms-period");\n'
    )
    said = migrate("check", "--all", ".", status=3).stdout
    assert re.findall(r"1: (\S+): (stay|by hand)", said) == [
        ("/sys/zio/devices", "stay"),
        ("ms-period", "by hand"),
    ]


def test_ported_drivers_are_done(migrate: Runner) -> None:
    """The finished examples use nothing of 1.x."""
    finished = (EXAMPLES / "digitiser/digitiser.c", EXAMPLES / "tdc/tdc.c")
    assert migrate("check", *finished).stdout == ""


def test_faults(migrate: Runner) -> None:
    assert "there is no such file" in migrate("check", "missing.c", status=1).stderr
    assert migrate(status=2).stderr.startswith("zio-migrate: ")
    assert migrate("--help").stdout.count("PATH") >= 2


def test_completion(migrate: Runner, source: Path) -> None:
    assert migrate("--complete", "ch").stdout == "check\n"
    assert migrate("--complete", "check", "dr").stdout == "driver.c\n"
    assert "--in-place" in migrate("--complete", "convert", "--i").stdout


def test_manual(migrate: Runner) -> None:
    """The manual page has all options and commands."""
    page = (ROOT / "tools/man/zio-migrate.1.md").read_text().replace("\\-", "-")
    said = "".join(migrate(name, "--help").stdout for name in ("check", "convert"))
    for option in set(re.findall(r"--[a-z-]+", said)) - {"--help"}:
        assert f"\n**{option}**\n:" in page
    for name in ("check", "convert", "table"):
        assert f"**zio-migrate {name}**" in page


def test_shell_completion() -> None:
    """bash completes the program, whose candidates come from the program."""
    text = (ROOT / "tools/completion/zio").read_text()
    assert "zio-migrate" in text[text.index("complete -F _zio") :].split()
