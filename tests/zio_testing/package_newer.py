# SPDX-License-Identifier: GPL-2.0-only
"""Make packages of another version of those that were built. Programs stay the same; the
modules of the other version are compiled in the root that gets them."""

import re
import shutil
from pathlib import Path

from .common import Failure
from .debian_root import Root
from .package_build import VERSION
from .trial import run

NEW, OLD = f"{VERSION}+new", f"{VERSION}~old"
UPGRADED = ("libzio", "zio-dkms", "zio-tools")
# The modules of the version after: an emulated DKMS takes three seconds for each.
MODULES = "zio-core/zio zio-core/configfs/zio-configfs buffers/zio-buf-kmalloc".split()
MODULES += ["triggers/zio-trig-timer", "drivers/zero/zio-zero"]
# What DKMS runs when the modules lie beside their sources
COMPILED = "MAKE[0]=true\nCLEAN=true\n"


def unpack(package: Path, version: str, work: Path) -> Path:
    """Return a directory with the files of a package, which has @version there."""
    tree = work / package.stem
    run("dpkg-deb", "-R", package, tree)
    files = [tree / "DEBIAN" / name for name in ("control", "postinst", "prerm")]
    for source in tree.glob(f"usr/src/zio-{VERSION}"):
        source = source.rename(source.with_name(f"zio-{version}"))
        files += [source / "dkms.conf", source / "Kbuild"]
    for file in filter(Path.exists, files):
        number = rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])"
        file.write_text(re.sub(number, version, file.read_text()))
    return tree


def pack(tree: Path, version: str, directory: Path) -> Path:
    """Make a package of @tree, and remove it."""
    target = directory / f"{tree.name.replace(VERSION, version, 1)}.deb"
    run("dpkg-deb", "--build", "-Znone", tree, target)
    shutil.rmtree(tree)
    return target


def make_older(package: Path, directory: Path, work: Path) -> Path:
    return pack(unpack(package, OLD, work), OLD, directory)


def compile_modules(root: Root, release: str, source: Path) -> None:
    """Compile MODULES of @source in the root, as an emulated compiler would take minutes.
    DKMS then finds nothing to compile, and does the rest."""
    place = root.directory / "root" / source.name
    shutil.copytree(source, place)
    files = [f"{module}.ko" for module in MODULES]
    make = f"make -j2 -C /lib/modules/{release}/build M=$PWD {' '.join(files)}"
    script = f"cd /root/{source.name} && {make} && strip -g {' '.join(files)}"
    status, said = root.run("sh", "-c", script)
    if status:
        raise Failure(f"the modules of {source.name} do not build\n{said}")
    for file in ("Module.symvers", *files):
        shutil.copy(place / file, source / file)
    shutil.rmtree(place)
    conf = source / "dkms.conf"
    chosen = f"zio_module in {' '.join(MODULES)};"
    conf.write_text(re.sub("zio_module in .*;", chosen, conf.read_text()) + COMPILED)


def make_newer(
    root: Root, packages: list[Path], release: str, directory: Path, work: Path
) -> None:
    """Put the packages of the version after into @directory, which is new: those that the
    modules and the recorder are in, and what must have their version."""
    directory.mkdir()
    for package in packages:
        if not package.name.startswith(UPGRADED):
            continue
        tree = unpack(package, NEW, work)
        for source in tree.glob("usr/src/zio-*"):
            compile_modules(root, release, source)
        pack(tree, NEW, directory)
