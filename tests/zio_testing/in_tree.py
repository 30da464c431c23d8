# SPDX-License-Identifier: GPL-2.0-only
"""The sources of kernels that packaging/in-tree puts ZIO into, in the cache.

The sources and what is built of them stay there: a second run compiles only what has
changed. A source takes 2 GB, and what UML needs of it 1 GB."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import kernel_compiled, suite
from .common import (
    CACHE,
    ROOT,
    TESTING,
    Failure,
    Words,
    locked,
    output_of,
    run_logged,
    say,
    setup,
)
from .kernel_suite import SID

PLACE = CACHE / "in-tree"
PROGRAM = ROOT / "packaging/in-tree/in-tree"


@dataclass(frozen=True)
class Tree:
    """The source of a kernel, and a directory for what is built of it."""

    source: Path
    built: Path
    # What the program says
    said: str

    def make(self, part: str, *words: str | Path) -> Words:
        """Return a command that builds in a directory of its own."""
        return ["make", "-C", self.source, f"O={self.built / part}", *words]

    def run(self, name: str, command: Words) -> str:
        """Run @command in the source. Return its output, which the cache keeps."""
        log = self.built / f"{name}.log"
        if run_logged(["env", "-C", self.source, *command], log):
            raise Failure(f"{name} fails\n{log.read_text(errors='replace')[-8000:]}")
        return log.read_text(errors="replace")

    @property
    def files(self) -> list[str]:
        """The files of ZIO alone."""
        parts = ["drivers/zio", "Documentation/devicetree/bindings/zio"]
        parts += ["tools/testing/selftests/drivers/zio"]
        found = [path for part in parts for path in (self.source / part).rglob("*")]
        for pattern in ("include/**/zio*.h", "Documentation/ABI/testing/*zio*"):
            found += self.source.glob(pattern)
        names = [str(path.relative_to(self.source)) for path in found if path.is_file()]
        return sorted(names)


def archive_of(name: str, new: Path) -> tuple[str, Path]:
    """Return the version of a source of Debian, and its archive: that of this machine, or
    of the newest suite, which comes to @new."""
    if name == "6.1":
        setup("debug-kernel")
        archive = Path(f"/usr/src/{kernel_compiled.SOURCE}.tar.xz")
        return kernel_compiled.source_version(), archive
    suite.prepare(SID)
    asked = output_of([*suite.apt(SID), "apt-cache", "depends", "linux-source"])
    found = re.search(r"Depends: (linux-source-\S+)", asked)
    if not found:
        raise Failure(f"{SID.name} has no linux-source")
    policy = output_of([*suite.apt(SID), "apt-cache", "policy", found[1]])
    version = re.search(r"Candidate: (\S+)", policy)
    return version[1] if version else "unknown", new / f"usr/src/{found[1]}.tar.xz"


def unpack(name: str) -> Path:
    """Return the directory of a kernel, with its source."""
    new = PLACE / f".new-{name}"
    shutil.rmtree(new, ignore_errors=True)
    version, archive = archive_of(name, new)
    place = PLACE / f"{name}-{version}"
    if place.is_dir():
        return place
    (new / "source").mkdir(parents=True)
    if not archive.exists():
        say(f"downloading {archive.name}")
        suite.download(SID, [archive.name.removesuffix(".tar.xz")], new)
        suite.unpack(list(new.glob("*.deb")), new)
    say(f"unpacking {archive.name}, once")
    tar: Words = ["tar", "-xf", archive, "-C", new / "source", "--strip-components=1"]
    subprocess.run(tar, check=True)
    shutil.rmtree(new / "usr", ignore_errors=True)
    for old in PLACE.glob(f"{name}-*/"):
        shutil.rmtree(old)
    return new.rename(place)


@contextmanager
def prepared(name: str) -> Iterator[Tree]:
    """Put ZIO into the source of a kernel. All checkouts share it."""
    setup("in-tree")
    with locked(PLACE / f"{name}.lock"):
        place = unpack(name)
        command: Words = ["make", "-C", ROOT, "--no-print-directory", "in-tree"]
        command = [*command, f"KERNEL={place / 'source'}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"make in-tree fails\n{done.stderr}")
        yield Tree(place / "source", place, done.stdout + done.stderr)


def options() -> str:
    """Return all options of ZIO as modules, and what they need."""
    text = (ROOT / "packaging/in-tree/files/Kconfig").read_text()
    names = re.findall(r"^(?:menu)?config (\w+)\n\ttristate \"", text, re.M)
    fragment = (TESTING / "machine/configs/in-tree.config").read_text()
    return fragment + "".join(f"CONFIG_{name}=m\n" for name in names)
