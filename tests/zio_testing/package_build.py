# SPDX-License-Identifier: GPL-2.0-only
"""Build the Debian packages: on this machine, or with cross compilers in a root."""

import os
import shutil
import tempfile
from pathlib import Path

from .common import ROOT, Failure, Words, locked, run_logged, setup
from .debian_root import Root
from .progress import shown
from .stage import PLACE
from .trial import SHOWN
from .versions import SOURCE, find

LEFT_OUT = (
    ".git results *.o *.d *.a *.so* *.ko *.mod* *.cmd build *.egg-info bin out "
    ".link-mode .tmp* __pycache__ Module.symvers"
).split()
VERSION = find(ROOT, *SOURCE)
# What a build leaves
RESULTS = ("build.log", "*.deb", "*.changes", "*.buildinfo", "*.dsc", "*.tar.*")


def copy_checkout(to: Path) -> None:
    """Copy the checkout without what was built in it."""
    ignore = shutil.ignore_patterns(*LEFT_OUT)
    shutil.copytree(ROOT, to, symlinks=True, ignore=ignore)


def clear(directory: Path) -> None:
    """Remove the results of an earlier build. Refuse a directory with another file."""
    directory.mkdir(parents=True, exist_ok=True)
    files = sorted(directory.iterdir())
    others = [path.name for path in files if not any(map(path.match, RESULTS))]
    if others:
        what = f"{directory} has other files, such as {others[0]}"
        raise Failure(f"{what}: name an empty directory")
    for path in files:
        path.unlink()


def run_build(copy: Path, kind: str, log: Path) -> None:
    """Build @copy. The results lie beside it."""
    # The options of another build must not reach this one.
    command: Words = ["env", "-C", copy, "DEB_BUILD_OPTIONS=nocheck parallel=2"]
    command = [*command, "dpkg-buildpackage", "-us", "-uc", kind]
    with shown("building the packages"):
        status = run_logged(command, log)
    if status:
        print(*log.read_text(errors="replace").splitlines()[-SHOWN:], sep="\n")
        raise Failure(f"the packages do not build: see {log}")


def build(directory: Path, kind: str = "-b") -> list[Path]:
    """Put the packages into @directory. Return them; those with debug symbols are last.
    With -F for @kind, build the source package, too."""
    clear(directory)
    setup("packages")
    with tempfile.TemporaryDirectory(prefix="zio-packages.") as work:
        copy = Path(work, f"zio-{VERSION}")
        copy_checkout(copy)
        run_build(copy, kind, directory / "build.log")
        for path in filter(Path.is_file, Path(work).iterdir()):
            shutil.move(path, directory)
    return packages_in(directory)


def built() -> Path:
    """Return a directory with the packages and the source package, which one run of the
    tests (ZIO_RUN) builds once."""
    run = os.environ.get("ZIO_RUN", str(os.getpid()))
    directory = PLACE / "packages"
    stamp = PLACE / "packages.run"
    with locked(PLACE / "packages.lock"):
        if not stamp.exists() or stamp.read_text() != run:
            stamp.unlink(missing_ok=True)
            build(directory, "-F")
            stamp.write_text(run)
    return directory


def packages_in(directory: Path) -> list[Path]:
    """Return the packages in @directory; those with debug symbols are last."""
    return sorted(directory.glob("*.deb"), key=lambda path: ("dbgsym" in path.name, path))


# --- for another processor --------------------------------------------------------------

BUILD = """set -e
export DEB_BUILD_OPTIONS='nocheck parallel=2' DEB_BUILD_PROFILES='cross nocheck'
cd /build/zio-{version}
dpkg-buildpackage -us -uc -b -a {arch}
"""


def expect(found: tuple[int, str], what: str) -> None:
    if found[0]:
        raise Failure(f"{what} failed\n{found[1]}")


def build_for(arch: str, work: Path) -> list[Path]:
    """Return the packages. The root has the suite of this machine, and its programs run
    without an emulator."""
    root = Root(work / "cross")
    place = root.directory / "build"
    copy_checkout(place / f"zio-{VERSION}")
    expect(
        root.run("dpkg", "--add-architecture", arch), f"dpkg --add-architecture {arch}"
    )
    expect(root.run("apt-get", "-qq", "update"), "apt-get update")
    needed = ("build-essential", f"crossbuild-essential-{arch}")
    expect(root.apt("install", *needed), f"apt-get install {' '.join(needed)}")
    source = f"/build/zio-{VERSION}"
    words = ("build-dep", "-P", "cross,nocheck", "-a", arch, source)
    expect(root.apt(*words), f"apt-get build-dep -a {arch}")
    script = BUILD.format(version=VERSION, arch=arch)
    expect(root.run("sh", "-c", script), f"dpkg-buildpackage -a {arch}")
    return sorted(place.glob("*.deb"))
