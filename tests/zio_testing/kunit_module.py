# SPDX-License-Identifier: GPL-2.0-only
"""KUnit as a module of the distribution's kernel, which has none.

The kernel's own source package has KUnit: five files, which compile as a module. Two
things differ. A static pointer stands for `current->kunit_test`, since a task has no
such field there. And the module zio-test starts its suites itself: see suites.c there."""

import re
import subprocess
from pathlib import Path

from .common import CACHE, Failure, Words, locked, setup
from .kernel_cache import release_of
from .progress import build, shown

SOURCE = "linux-source-6.1"
PARTS = "test assert resource string-stream try-catch".split()
KBUILD = f"""\
obj-m := kunit.o
kunit-y := {" ".join(f"{part}.o" for part in PARTS)}
ccflags-y := -DCONFIG_KUNIT_DEFAULT_ENABLED
"""
# Compiled so, test.c does not look for suites in modules that come.
DIFFERENCE = "\n#undef CONFIG_MODULES\nstatic struct kunit *kunit_current;\n"
LAST_INCLUDE = '#include "try-catch-impl.h"'


def place_of(tree: Path) -> Path:
    return CACHE / "kunit" / release_of(tree)


def found(tree: Path) -> Path | None:
    """Return the directory of the module for the kernel in @tree, if it was made."""
    place = place_of(tree)
    return place if (place / "kunit.ko").exists() else None


def make(tree: Path) -> Path:
    """Make the module for the kernel in @tree. Return its directory."""
    setup("kunit")
    place = place_of(tree)
    with locked(place.with_suffix(".lock")):
        if not found(tree):
            unpack(place)
            words = ["make", "-C", tree / "build", f"M={place}", "modules"]
            build(words, place / "log", "KUnit does not build")
    return place


def unpack(place: Path) -> None:
    """Take KUnit from the source package, which is compressed as a whole."""
    folder = f"{SOURCE}/lib/kunit"
    names = [f"{folder}/{part}.c" for part in PARTS]
    names += [f"{folder}/{part}.h" for part in ("debugfs", "string-stream")]
    names.append(f"{folder}/try-catch-impl.h")
    place.mkdir(parents=True, exist_ok=True)
    archive = f"/usr/src/{SOURCE}.tar.xz"
    command: Words = ["tar", "-xf", archive, "-C", place, "--strip-components=3"]
    with shown("unpacking KUnit"):
        done = subprocess.run([*command, "--occurrence=1", *names])
    if done.returncode:
        raise Failure(f"{archive} has no KUnit")
    test = place / "test.c"
    text = test.read_text().replace("current->kunit_test", "kunit_current")
    text, count = re.subn(re.escape(LAST_INCLUDE), LAST_INCLUDE + DIFFERENCE, text)
    if count != 1:
        raise Failure(f"{archive} has another KUnit than this program knows")
    test.write_text(text)
    (place / "Kbuild").write_text(KBUILD)
