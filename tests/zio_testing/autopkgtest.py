# SPDX-License-Identifier: GPL-2.0-only
"""Run Debian's autopkgtest on the packages, in a root that is thrown away.

Its runner "null" tests the system that it runs in. The tests of DKMS break that system,
so it refuses them; here they may.
"""

import re
import shutil
from pathlib import Path

from .common import say
from .debian_root import Root
from .package_build import build
from .trial import Trial

NEEDED = ("autopkgtest", "autodep8", "linux-headers-amd64")
COMMAND = "cd /tmp && autopkgtest --ignore-restrictions=breaks-testbed -B"
COMMAND += " -o /artifacts /src/*.deb /src/*.dsc -- null"


def test(work: Path) -> int:
    trial = Trial()
    build(work / "packages", "-F")
    root = Root(work / "root")
    (root.directory / "src").mkdir()
    for file in filter(Path.is_file, (work / "packages").iterdir()):
        shutil.copy(file, root.directory / "src")
    root.update()
    trial.command("autopkgtest installs", root.apt("install", *NEEDED))
    say("autopkgtest")
    status, said = root.run("sh", "-c", COMMAND)
    summary = root.directory / "artifacts/summary"
    results = summary.read_text() if summary.exists() else ""
    for name, result in re.findall(r"^(\S+) +([A-Z]+)", results, re.M):
        trial.result(f"autopkgtest {name}", result == "PASS", said)
    trial.result("autopkgtest ends, and has skipped nothing", status == 0, said)
    return trial.end()
