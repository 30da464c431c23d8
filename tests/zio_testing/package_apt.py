# SPDX-License-Identifier: GPL-2.0-only
"""The apt repository of the packages: a system takes it if the signature is right."""

import re
import shlex
import shutil
from pathlib import Path

from .common import ROOT
from .debian_root import Root
from .trial import Trial, run

PROGRAM = ROOT / "packaging/apt/repository"
REPOSITORY = "srv/zio"
# Debian's own lists stay as they are, also without a network.
UPDATE = "-o Dir::Etc::SourceList=/dev/null -o APT::Get::List-Cleanup=0".split()
SOURCE = ("/etc/apt/keyrings/zio.asc", "/etc/apt/sources.list.d/zio.sources")


def add_packages(trial: Trial, root: Root, packages: list[Path], work: Path) -> str:
    """Put packages into the repository. Return what the program says to users."""
    place = root.directory / REPOSITORY
    found = run("env", f"XDG_DATA_HOME={work}/data", PROGRAM, place, *packages)
    trial.command(f"the repository takes {packages[0].name} and the others", found)
    return found[1]


def add_source(root: Root, said: str) -> tuple[int, str]:
    """Type what the program says for users of this machine."""
    lines = said.partition("as root:\n")[2].partition("\nTo use it elsewhere")[0]
    script = re.sub("^    ", "", lines.replace(f"{root.directory}/", "/"), flags=re.M)
    update = shlex.join(["apt-get", "update", *UPDATE])
    return root.run("sh", "-ec", script.replace("apt-get update", update))


def test_signature(trial: Trial, root: Root, said: str) -> None:
    """First with a change in the list that the signature covers, then without."""
    signed = root.directory / REPOSITORY / "dists/zio/InRelease"
    good = signed.read_text()
    signed.write_text(good.replace("Label: ZIO", "Label: OIZ"))
    status, refused = add_source(root, said)
    signed.write_text(good)
    why = "The following signatures were invalid"
    trial.result("apt refuses a list whose signature does not match", why in refused)
    trial.result("its packages cannot be had", status != 0, refused)
    trial.command("apt takes the list as it was", add_source(root, said))


def remove_source(root: Root) -> None:
    """The next root must not know the repository."""
    shutil.rmtree(root.directory / REPOSITORY)
    lists = root.directory.glob("var/lib/apt/lists/_srv_zio*")
    for path in (*(root.directory / path[1:] for path in SOURCE), *lists):
        path.unlink()


def test_all(trial: Trial, root: Root, packages: list[Path], work: Path) -> None:
    test_signature(trial, root, add_packages(trial, root, packages, work))
    status, said = run(PROGRAM, "--key", "nobody", root.directory / REPOSITORY, *packages)
    trial.result("a key must be there", status != 0 and "'nobody'" in said, said)
    remove_source(root)
