# SPDX-License-Identifier: GPL-2.0-only
"""Run the documents as a reader would, on a system that has the packages only.

The system boots from a disk, and is saved. Each page begins in this saved state, in an
empty directory. So does the upgrade to newer packages, while a board records."""

import base64
import contextlib
import functools
import re
import shutil
import struct
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from .boot import FAULT, NO_END, TIMED_OUT
from .common import ROOT, Failure, Words, output_of, read_log, say, setup
from .debian_root import Root
from .disk import TRIAL, Disk, add_trial
from .document import Block, encode, run_page
from .guest import Running
from .machine import SOUND, Machine, qemu_command
from .package_build import VERSION, built, packages_in
from .package_install import install
from .package_newer import NEW, make_newer
from .suite import NO_MOUNTS, can_enter
from .system import BASIC, kernel_of_suite, kernel_packages, make_initial
from .tap import faults_in
from .toolchain import ARCHES
from .trial import Trial

# What the pages tell the reader to have, beside the packages: compilers come with DKMS
ASKED = (
    "gnuplot-nox jq python3-matplotlib python3-xarray libc6-dev pkg-config curl".split()
)
ASKED += "bsdextrautils alsa-utils hdf5-tools coccinelle git i2c-tools".split()
ASKED += "openssh-server iproute2 iputils-ping trace-cmd".split()
# What a newcomer reads first
FIRST = ("README.md", "first-steps.md", "tutorial.md", "recording.md")
PARTS = 8
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
FIGURES, SIZE = ROOT / "results/figures", (720, 320)
READY = "zio-guest: ready"
BOOT_LIMIT, BLOCK_LIMIT, UPGRADE_LIMIT = 900, 300, 1200
RECIPES = ("recipe-lib", "upgrade-recipe")
# A sound card, and a network card that reaches nothing but QEMU
DEVICES = f"{SOUND} -nic user,restrict=on,model=e1000"
# The other machines of the pages are this one, with a network of their own.
MACHINES = """Host frontend lab store
	ProxyCommand unshare --net sh -c "ip link set lo up; exec /usr/sbin/sshd -i"
	StrictHostKeyChecking no
	LogLevel ERROR
"""
LOGIN = """cd && mkdir -pm 700 .ssh && ssh-keygen -q -N '' -f .ssh/id_rsa &&
cp .ssh/id_rsa.pub .ssh/authorized_keys"""


def pages() -> list[Path]:
    """Return all pages for readers, the README first."""
    folders = ("Documentation", "Documentation/*", "tools/man")
    found = [path for folder in folders for path in sorted(ROOT.glob(f"{folder}/*.md"))]
    return [ROOT / "README.md", *found]


def changed_since(commit: str) -> list[str]:
    """Return the names of the pages that have other blocks than at this commit."""
    git: Words = ["git", "-C", ROOT, "show"]
    found = []
    for page in pages():
        before = output_of([*git, f"{commit}:{page.relative_to(ROOT)}"])
        if FENCED.findall(before) != FENCED.findall(page.read_text()):
            found.append(page.name)
    return found


def sample(seed: int, changed: list[str]) -> list[str]:
    """Return the names of the pages that check runs: those that a newcomer reads first,
    those that have @changed, and an eighth of the others, which the seed chooses."""
    some = {*FIRST, *changed}
    others = sorted({path.name for path in pages()} - some)
    return [*sorted(some), *others[seed % PARTS :: PARTS]]


def chosen(names: list[str]) -> list[Path]:
    """Return the pages with these names, or all. The upgrade is no page."""
    found = [path for path in pages() if not names or path.name in names]
    missing = set(names) - {path.name for path in found} - {"upgrade"}
    if missing:
        raise Failure(f"no page {min(missing)} in README.md, Documentation and tools/man")
    return found


# --- the system -------------------------------------------------------------------------


def add_machines(root: Root) -> tuple[int, str]:
    """Let root log in to the other machines by ssh."""
    (root.directory / "etc/ssh/ssh_config.d/machines.conf").write_text(MACHINES)
    return root.run("sh", "-c", LOGIN)


def make_disk(trial: Trial, packages: list[Path], place: Path, newer: bool) -> None:
    """Install the packages in an empty system with a kernel, and make a disk of it."""
    root = Root(place / "root")
    root.update()
    release = kernel_of_suite(root, "amd64")
    say(f"installing systemd, Linux {release} and the packages")
    found = root.apt("install", *BASIC, *kernel_packages(release), *ASKED)
    trial.command(f"Linux {release} installs", found)
    before = "".join(f"{path}\n" for path in sorted(root.files("zio")))
    trial.command("the packages install", install(root, packages))
    trial.command("other machines are there", add_machines(root))
    make_initial(trial, root, release)
    add_trial(root.directory, "zio-documents.service", "documents-shell", *RECIPES)
    (root.directory / TRIAL / "before").write_text(before)
    if newer:
        say(f"making packages of the version {NEW}, with modules for Linux {release}")
        make_newer(root, packages, release, root.directory / TRIAL / "newer", place)
    Disk(root.directory, release, place)
    shutil.rmtree(root.directory)


class Reader:
    """A machine of the disk in @place. Its other files are in @work."""

    def __init__(self, place: Path, work: Path, drive: str, *words: str) -> None:
        """Start it. @drive has options of the disk; @words are more words for QEMU."""
        disk = f"file={place}/disk,format=raw,if=virtio{drive}"
        machine = Machine(
            memory=1024,
            qemu_words=["-drive", disk, *DEVICES.split(), *words],
            arguments=["root=/dev/vda", "rw"],
            # Debian's matplotlib wants more than the oldest processor has.
            arch=replace(ARCHES["amd64"], cpu="max"),
        )
        tree = next(path.parent for path in place.glob("*/vmlinuz"))
        command = qemu_command(machine, tree, place)
        command = [word.replace(f"{place}/log", f"{work}/log") for word in command]
        for name in ("port", "monitor"):
            at = f"socket,id={name},path={work}/{name},server=on,wait=off"
            command += ["-chardev", at]
        command += machine.arch.port.format("port").split()
        command += ["-mon", "chardev=monitor,mode=control"]
        for old in ("port", "monitor", "log"):
            (work / old).unlink(missing_ok=True)
        self.running = Running(command, [], work)

    def save(self, state: Path) -> None:
        """Wait until it has booted, and save it. Its disk is as it left it."""
        if READY not in self.running.read_until(READY, BOOT_LIMIT)[0]:
            end = read_log(self.running.log)[-2000:]
            raise Failure(f"the system did not boot:\n{end}")
        monitor = self.running.monitor
        monitor.ask("stop")
        monitor.ask("migrate", uri=f"exec:cat >{state}.new")
        monitor.wait_until("query-migrate", "completed")
        Path(f"{state}.new").rename(state)

    def run(self, commands: str, limit: int = BLOCK_LIMIT) -> tuple[int, str]:
        outcome = self.running.run(encode(commands), limit)
        faults, are_watchdogs = faults_in(outcome.log)
        said = f"{outcome.said}{faults}"
        if outcome.status in (TIMED_OUT, NO_END):
            raise Failure(f"no end after {limit} seconds:\n{commands}\n{said}")
        # Watchdogs bite when the host stands still.
        return FAULT if faults and not are_watchdogs else outcome.status, said

    def pictures(self) -> Iterator[bytes]:
        """Yield the pictures that the page has saved, step1.png first."""
        for name in self.run("ls ~/page | grep '^step[1-9].png$' || true")[1].split():
            yield base64.b64decode(self.run(f"base64 ~/page/{name}")[1])


class Saved(contextlib.ExitStack):
    """A machine that goes on from the saved state, with a copy of the disk. It starts
    with its first command: a page whose blocks are all marked needs none."""

    def __init__(self, place: Path, work: Path, state: Path) -> None:
        super().__init__()
        self.place, self.work, self.state = place, work, state

    @functools.cached_property
    def reader(self) -> Reader:
        words = ("-incoming", f"exec:cat {self.state}")
        reader = Reader(self.place, self.work, ",snapshot=on", *words)
        self.callback(reader.running.stop)
        reader.running.monitor.wait_until("query-status", "paused")
        reader.running.monitor.ask("cont")
        return reader

    def run(self, commands: str) -> tuple[int, str]:
        return self.reader.run(commands)


# --- results ----------------------------------------------------------------------------


def is_picture(data: bytes) -> bool:
    """Tell if @data is a picture of the size that a page has room for."""
    return data.startswith(b"\x89PNG") and struct.unpack(">2I", data[16:24]) == SIZE


def keep_pictures(trial: Trial, saved: Saved, page: Path) -> None:
    """Put the pictures that a page draws into results/figures, under the names by which
    the page shows them."""
    names = re.findall(rf"\(figures/({page.stem}-\d.png)\)", page.read_text())
    drawn = list(saved.reader.pictures()) if names else []
    for name, picture in zip(names, drawn):
        FIGURES.mkdir(parents=True, exist_ok=True)
        (FIGURES / name).write_bytes(picture)
    if names:
        good = len(drawn) == len(names) and all(map(is_picture, drawn))
        trial.result(f"{page.name} draws its {len(names)} pictures", good)


def show(trial: Trial, name: str, block: Block) -> None:
    where = f"{name}:{block.line} {block.language}"
    if block.result == "skip":
        where += f" # SKIP {block.said}"
    trial.result(where, block.result != "not ok", block.said)


def read_page(trial: Trial, saved: Saved, page: Path) -> None:
    """Run a page. A block that does not end is its last one."""
    name, results, begin = str(page.relative_to(ROOT)), [], time.monotonic()
    try:
        for block in run_page(page, saved.run):
            show(trial, name, block)
            results.append(block.result)
        keep_pictures(trial, saved, page)
    except Failure as error:
        trial.result(f"{name} ends", False, str(error))
    good, left = results.count("ok"), results.count("skip")
    seconds = f"{time.monotonic() - begin:.0f} s"
    said = f"{good} of {len(results)} blocks ran well, {left} are marked"
    print(f"# {name}: {said}, {seconds}")


def upgrade(trial: Trial, saved: Saved) -> None:
    """The packages are upgraded while a board records, and purged."""
    say(f"upgrading from {VERSION} to {NEW} while a board records")
    recipe = f"cd /{TRIAL} && sh upgrade-recipe {VERSION} {NEW}"
    trial.program("upgrade", *saved.reader.run(recipe, UPGRADE_LIMIT))


def save(place: Path, work: Path) -> Path:
    """Boot the system, and return its saved state."""
    state = place / "state"
    if not state.exists():
        say("booting and saving the system, once")
        reader = Reader(place, work, "")
        try:
            reader.save(state)
        finally:
            reader.running.stop()
    return state


def test(work: Path, names: list[str], system: Path | None) -> int:
    """Run the pages with these names, or all pages. With the name upgrade, run that. Keep
    the disk in the directory @system, or take it from there. Each page and the upgrade
    have a machine that goes on from the saved state, and changes a copy of the disk."""
    trial, place = Trial(), system or work
    setup("vm")
    if not can_enter():
        trial.result(f"the documents run # SKIP {NO_MOUNTS}", True)
        return trial.end()
    chosen(names)
    if not (place / "disk").exists():
        place.mkdir(parents=True, exist_ok=True)
        say("building the packages")
        found = packages_in(built())
        found = [path for path in found if "dbgsym" not in path.name]
        make_disk(trial, found, place, "upgrade" in names)
    state = save(place, work)
    for page in chosen(names):
        with Saved(place, work, state) as saved:
            read_page(trial, saved, page)
    if "upgrade" in names:
        with Saved(place, work, state) as saved:
            upgrade(trial, saved)
    return trial.end()
