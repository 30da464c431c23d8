# SPDX-License-Identifier: GPL-2.0-only
"""A system that has the version before is upgraded from the repository while it records,
and all packages are purged. The recorder reads its blocks from a pipe: the root has no
kernel of its own."""

import shutil
import struct
import subprocess
import threading
from pathlib import Path

from .common import Process, running, say
from .debian_root import Root
from .package_apt import REPOSITORY, SOURCE, UPDATE, add_packages, add_source, shown
from .package_build import VERSION
from .package_newer import OLD, make_older
from .trial import Trial

RECORDING = "/root/run7.zio"
SAMPLE = "usr/lib/python3/dist-packages/zio/sample.zio"
# One block of the sample recording: its control, and 1000 samples of 2 bytes
BLOCK, SEQ_NUM, PERIOD = 512 + 2000, 4, 0.002
# What apt and dpkg note
NOTES = (
    "/var/cache/",
    "/var/log/",
    "/var/lib/apt/",
    "/var/lib/dpkg/",
    "/etc/ld.so.cache",
)


class Recorder:
    """zio-copy in the root, and what feeds it with numbered blocks."""

    def __init__(self, root: Root) -> None:
        self.file = root.directory / RECORDING[1:]
        self.block = bytearray((root.directory / SAMPLE).read_bytes()[:BLOCK])
        self.count, self.ended = 0, threading.Event()
        command = root.words("zio-copy", "if=-", f"of={RECORDING}")
        self.process: Process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.feeder = threading.Thread(target=self._feed)
        self.feeder.start()

    def _feed(self) -> None:
        assert self.process.stdin
        while not self.ended.wait(PERIOD):
            struct.pack_into("<I", self.block, SEQ_NUM, self.count)
            self.process.stdin.write(self.block)
            self.process.stdin.flush()
            self.count += 1

    def grows(self, blocks: int) -> bool:
        """Wait for so many more blocks in the recording. Tell if the recorder lives."""
        wanted = self.size() + blocks * BLOCK
        while self.size() < wanted and self.process.poll() is None:
            self.ended.wait(PERIOD)
        return self.process.poll() is None

    def size(self) -> int:
        return self.file.stat().st_size if self.file.exists() else 0

    def end(self) -> tuple[int, str]:
        self.ended.set()
        self.feeder.join()
        said = self.process.communicate()[1].decode()
        return self.process.returncode, said


def names_of(packages: list[Path]) -> list[str]:
    return [path.name.partition("_")[0] for path in packages]


def test_versions(trial: Trial, root: Root, names: list[str], version: str) -> None:
    said = root.run("dpkg-query", "-W", "-f", "${Version}\n", *names)[1].split()
    trial.result(f"all have the version {version}", set(said) == {version}, f"{said}")


def test_upgrade(trial: Trial, root: Root, packages: list[Path], work: Path) -> None:
    """No block may be missing, and the new programs read what the old one has stored."""
    recorder = Recorder(root)
    with running(recorder.process):
        trial.result("the recorder runs", recorder.grows(100))
        add_packages(trial, root, packages, work)
        trial.command("apt-get update", root.run("apt-get", "-qq", "update", *UPDATE))
        trial.command("apt-get upgrade", root.apt("upgrade"))
        trial.result("the recording goes on", recorder.grows(100))
        status, said = recorder.end()
    told = f"zio-copy: {recorder.count} blocks," in said
    trial.result(f"the recorder has {recorder.count} blocks", status == 0 and told, said)
    record = f"zio-nexus -q {RECORDING} -o {RECORDING}.nxs"
    status, said = root.run("sh", "-c", f"{record} && zio-nexus verify {RECORDING}.nxs")
    good = (
        status == 0 and f": {recorder.count} blocks," in said and "nothing lost" in said
    )
    trial.result("the recording has each of them", good, said)


def test_purge(trial: Trial, root: Root, names: list[str], before: set[str]) -> None:
    """The user's settings and recordings stay."""
    settings = root.directory / "etc/zio"
    settings.mkdir(exist_ok=True)
    (settings / "lab.conf").write_text("")
    trial.command("the packages can be purged", root.apt("purge", *names))
    shutil.rmtree(root.directory / REPOSITORY)
    kept = {"/etc/zio", "/etc/zio/lab.conf", RECORDING, f"{RECORDING}.nxs", SOURCE}
    left = root.files("zio") - before - kept
    left = {path for path in left if not path.startswith(NOTES)}
    there = all((root.directory / path[1:]).exists() for path in kept)
    trial.result(
        "the user's data is left, and nothing else", there and not left, f"{left}"
    )


def test_all(trial: Trial, packages: list[Path], work: Path) -> None:
    say("upgrading the version before while it records")
    root, old = Root(work / "upgrade"), work / "old"
    old.mkdir()
    before, names = root.files("zio"), names_of(packages)
    older = [make_older(package, old, work) for package in packages]
    said = add_packages(trial, root, older, work)
    with shown(root) as url:
        said = said.replace(f"file://{root.directory / REPOSITORY}", url)
        trial.command("apt takes the list by http", add_source(root, said))
        trial.command("the version before installs", root.apt("install", *names))
        test_versions(trial, root, names, OLD)
        test_upgrade(trial, root, packages, work)
    test_versions(trial, root, names, VERSION)
    test_purge(trial, root, names, before)
    shutil.rmtree(root.directory)
