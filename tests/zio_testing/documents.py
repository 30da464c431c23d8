# SPDX-License-Identifier: GPL-2.0-only
"""Run the documents as a reader would, on a system that has the packages only.

The system boots from a disk, and QEMU saves it. Each page begins in this saved state, in
an empty directory."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .boot import FAULT, NO_END, TIMED_OUT
from .common import ROOT, TESTING, Failure, read_log, say, setup
from .debian_root import Root
from .disk import TRIAL, WANTS, Disk
from .document import Block, encode, run_page
from .guest import Running
from .machine import Machine, qemu_command
from .package_build import build
from .package_install import install
from .suite import NO_MOUNTS, can_enter
from .system import BASIC, choose_modules, kernel_of_suite, kernel_packages
from .tap import faults_in
from .toolchain import ARCHES
from .trial import Trial

# What the pages tell the reader to have, beside the packages: compilers come with DKMS
ASKED = (
    "gnuplot-nox jq python3-matplotlib python3-xarray libc6-dev pkg-config curl".split()
)
ASKED += ["bsdextrautils", "alsa-utils", "hdf5-tools"]
SERVICE = "zio-documents.service"
READY = "zio-guest: ready"
BOOT_LIMIT, BLOCK_LIMIT = 900, 300
# A sound card, and what makes the state of a machine
DEVICES = "-audiodev none,id=sound -device intel-hda -device hda-duplex,audiodev=sound"


def pages() -> list[Path]:
    """Return all pages for readers, the README first."""
    folders = ("Documentation", "Documentation/*", "tools/man")
    found = [path for folder in folders for path in sorted(ROOT.glob(f"{folder}/*.md"))]
    return [ROOT / "README.md", *found]


def add_shell(root: Path) -> None:
    """Add the service that runs commands, and the file systems."""
    (root / TRIAL).mkdir(parents=True)
    guest, units = TESTING / "machine/guest", root / "etc/systemd/system"
    shutil.copy(guest / "documents-shell", root / TRIAL)
    shutil.copy(guest / SERVICE, units)
    (root / WANTS).mkdir(exist_ok=True)
    (root / WANTS / SERVICE).symlink_to(f"../{SERVICE}")
    (root / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n")
    (root / "etc/hostname").write_text("lab\n")


def make_disk(trial: Trial, packages: list[Path], work: Path) -> Disk:
    """Install the packages in an empty system with a kernel, and make a disk of it."""
    root = Root(work / "root")
    root.update()
    release = kernel_of_suite(root, "amd64")
    say(f"installing systemd, Linux {release} and the packages")
    found = root.apt("install", *BASIC, *kernel_packages(release), *ASKED)
    trial.command(f"Linux {release} installs", found)
    trial.command("the packages install", install(root, packages))
    choose_modules(root)
    words = ("env", "INITRD=Yes", "update-initramfs", "-c", "-k", release)
    trial.command("an initial file system is made", root.run(*words))
    add_shell(root.directory)
    disk = Disk(root.directory, release, work)
    shutil.rmtree(root.directory)
    return disk


class Reader:
    """A machine of the disk, which stays as it is."""

    def __init__(self, image: Path, tree: Path, work: Path) -> None:
        drive = f"file={image},format=raw,if=virtio,snapshot=on"
        machine = Machine(
            memory=1024,
            qemu_words=["-drive", drive, *DEVICES.split()],
            arguments=["root=/dev/vda", "rw"],
        )
        command = qemu_command(machine, tree, work)
        for name in ("port", "monitor"):
            at = f"socket,id={name},path={work}/{name},server=on,wait=off"
            command += ["-chardev", at]
        command += ARCHES["amd64"].port.format("port").split()
        command += ["-mon", "chardev=monitor,mode=control"]
        self.running = Running(command, [], work)

    def wait_until_ready(self) -> None:
        if READY not in self.running.read_until(READY, BOOT_LIMIT)[0]:
            end = read_log(self.running.log)[-2000:]
            raise Failure(f"the system did not boot:\n{end}")

    def monitor(self, words: str) -> None:
        """Give a command to the monitor for people: QMP cannot save a machine."""
        command: Any = {"command-line": words}
        answer = self.running.monitor.ask("human-monitor-command", **command)
        if answer:
            raise Failure(f"QEMU: {words}: {answer}")

    def run(self, commands: str) -> tuple[int, str]:
        outcome = self.running.run(encode(commands), BLOCK_LIMIT)
        faults = faults_in(outcome.log)[0]
        said = f"{outcome.said}{faults}"
        if outcome.status in (TIMED_OUT, NO_END):
            raise Failure(f"no end after {BLOCK_LIMIT} seconds:\n{commands}\n{said}")
        return FAULT if faults else outcome.status, said

    def drop_output(self) -> None:
        """Forget what commands of the page before have printed since."""
        assert self.running.port
        self.running.port.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while self.running.port.recv(1 << 16):
                pass

    def read(self, page: Path) -> Iterator[Block]:
        self.monitor("loadvm ready")
        self.drop_output()
        yield from run_page(page, self.run)


def chosen(names: list[str]) -> list[Path]:
    """Return the pages with these names, or all."""
    found = [path for path in pages() if not names or path.name in names]
    missing = set(names) - {path.name for path in found}
    if missing:
        raise Failure(f"no page {min(missing)} in README.md, Documentation and tools/man")
    return found


def show(trial: Trial, name: str, block: Block) -> None:
    where = f"{name}:{block.line} {block.language}"
    if block.result == "skip":
        where += f" # SKIP {block.said}"
    trial.result(where, block.result != "not ok", block.said)


def read_page(trial: Trial, reader: Reader, page: Path) -> None:
    """Run a page. A block that does not end is its last one."""
    name, results = str(page.relative_to(ROOT)), []
    try:
        for block in reader.read(page):
            show(trial, name, block)
            results.append(block.result)
    except Failure as error:
        trial.result(f"{name} ends", False, str(error))
    good, left = results.count("ok"), results.count("skip")
    print(f"# {name}: {good} of {len(results)} blocks ran well, {left} are marked")


def read_pages(
    trial: Trial, disk: Path, tree: Path, work: Path, names: list[str]
) -> None:
    reader = Reader(disk, tree, work)
    try:
        reader.wait_until_ready()
        reader.monitor("savevm ready")
        for page in chosen(names):
            read_page(trial, reader, page)
    finally:
        reader.running.stop()


def test(work: Path, names: list[str], system: Path | None) -> int:
    """Run the pages with these names, or all. Keep the disk in the directory @system, or
    take it from there."""
    trial, place = Trial(), system or work
    setup("vm")
    if not can_enter():
        trial.result(f"the documents run # SKIP {NO_MOUNTS}", True)
        return trial.end()
    chosen(names)
    if not (place / "disk").exists():
        place.mkdir(parents=True, exist_ok=True)
        say("building the packages")
        packages = [
            path for path in build(work / "packages") if "dbgsym" not in path.name
        ]
        make_disk(trial, packages, place)
    tree = next(path.parent for path in place.glob("*/vmlinuz"))
    shutil.copy(place / "initrd", work) if place != work else None
    read_pages(trial, place / "disk", tree, work, names)
    return trial.end()
