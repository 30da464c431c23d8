# SPDX-License-Identifier: GPL-2.0-only
"""Debian's patches for PREEMPT_RT. The package linux-source lacks them. They come from
the source package, without its 140 MB of Linux."""

import re
import shutil
import subprocess
from pathlib import Path

from .common import Failure, output_of, read_end, say, setup

PATCHES = "debian/patches-rt"


def apply(new: Path, source: Path) -> None:
    """Download the patches to @new, and apply them to @source."""
    setup("mutants")
    subprocess.run(["tar", "-xf", download(new / "rt"), "-C", new, PATCHES], check=True)
    series = (new / PATCHES / "series").read_text()
    for name in re.findall(r"^[^#\s]\S*", series, re.M):
        command = ["patch", "-p1", "-f", "-s", "-d", source, "-i", new / PATCHES / name]
        with open(new / "log", "ab") as log:
            if subprocess.run(command, stdout=log, stderr=log).returncode:
                text = "\n".join(read_end(new / "log", 10))
                raise Failure(f"{name} does not apply\n{text}")
    shutil.rmtree(new / "rt")
    shutil.rmtree(new / "debian")


def download(place: Path) -> Path:
    """Return the archive of the newest source package that the archive still has: its
    lists also name older ones and newer ones."""
    apt = write_settings(place)
    subprocess.run([*apt, "apt-get", "-qq", "update"], check=True)
    shown = output_of([*apt, "apt-cache", "showsrc", "linux"])
    versions = re.findall(r"^Version: (6\.1\.\S+)", shown, re.M)
    for version in sorted(versions, key=numbers_of, reverse=True):
        command = [*apt, "apt-get", "-qq", "source", "--download-only", "--diff-only"]
        subprocess.run([*command, f"linux={version}"], cwd=place, capture_output=True)
        if found := list(place.glob("linux_*.debian.tar.xz")):
            say(f"patches of PREEMPT_RT from linux {version}")
            return found[0]
    raise Failure("the archive has no source package of linux 6.1")


def numbers_of(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def write_settings(place: Path) -> list[str]:
    """Let apt know the source packages of the suites that the machine has. Return how a
    command of apt begins."""
    for part in ("lists/partial", "cache/archives/partial", "sources"):
        (place / part).mkdir(parents=True, exist_ok=True)
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)"]
    shown = output_of([*command, "Created-By: Packages", "Origin: Debian"])
    lines = sorted({f"deb-src {line} main\n" for line in shown.splitlines()})
    (place / "sources/linux.list").write_text("".join(lines))
    (place / "apt.conf").write_text(f"""\
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "{place}/sources";
Dir::State::Lists "{place}/lists";
Dir::Cache "{place}/cache";
APT::Sandbox::User "";
Acquire::Retries "3";
Debug::NoLocking "yes";
""")
    return ["env", f"APT_CONFIG={place}/apt.conf"]
