# SPDX-License-Identifier: GPL-2.0-only
"""recipes - examine the syntax of the files in packaging/

Usage: recipes

Prints TAP. Nothing is built. rpmspec parses the spec, and make reads the makefile of
Buildroot. Each line of a recipe for Yocto must have a form that BitBake knows.
"""

import hashlib
import re
import subprocess
from pathlib import Path

from .common import ROOT, Words, setup

PACKAGING = ROOT / "packaging"
# Buildroot defines these; a stub makes the last lines of the file do nothing.
BUILDROOT = "kernel-module = \ngeneric-package = \ninclude {}\nall: ; @:\n"
BITBAKE = re.compile(
    r"""^(?:
    \#.* | \s* |
    (?:export\ )?[A-Za-z][\w:${}-]*(?:\[\w+\])?
        \ (?:=|\?=|\?\?=|:=|\+=|=\+|\.=|=\.)\ ".*" |
    (?:require|include|inherit)\ \S.*
    )$""",
    re.X,
)


def run(command: Words, text: str | None = None) -> str:
    """Return what a command says when it fails."""
    done = subprocess.run(
        command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.stdout or "no message" if done.returncode else ""


def check_spec() -> str:
    return run(["rpmspec", "--parse", PACKAGING / "rpm/zio.spec"])


def check_buildroot() -> str:
    makefile = PACKAGING / "buildroot/zio/zio.mk"
    command = ["make", "--warn-undefined-variables", "-f", "-", "all"]
    return run(command, BUILDROOT.format(makefile))


def faults_of_recipe(text: str) -> list[str]:
    """Functions of the shell go from "name() {" to "}" in the first column."""
    faults, function = [], ""
    for number, line in enumerate(text.replace("\\\n", "").splitlines(), 1):
        if function:
            function += f"{line}\n"
            if line == "}":
                said = run(["sh", "-n"], function)
                faults += [f"line {number}: {said}"] if said else []
                function = ""
        elif re.match(r"^[a-z_]+(:\w+)?\(\) \{$", line):
            function = f"{line}\n"
        elif not BITBAKE.match(line):
            faults.append(f"line {number}: {line}")
    return faults + (["a function has no end"] if function else [])


def check_checksum() -> str:
    """BitBake compares the file with the licence."""
    found = hashlib.md5((ROOT / "COPYING").read_bytes()).hexdigest()
    wanted = re.search(r"COPYING;md5=(\w+)", (PACKAGING / "yocto/zio.inc").read_text())
    good = wanted is not None and wanted[1] == found
    return "" if good else f"COPYING has {found}"


def recipes() -> dict[str, str]:
    """Return what is wrong with each file."""
    found = {"rpm/zio.spec": check_spec(), "buildroot/zio/zio.mk": check_buildroot()}
    found["yocto/zio.inc has the checksum of COPYING"] = check_checksum()
    for path in sorted(Path(PACKAGING / "yocto").iterdir()):
        found[f"yocto/{path.name}"] = "\n".join(faults_of_recipe(path.read_text()))
    return found


def main(words: list[str]) -> int:
    setup("packages")
    found = recipes()
    for number, (name, faults) in enumerate(found.items(), 1):
        print(f"{'not ok' if faults else 'ok'} {number} - packaging/{name}")
        print("".join(f"#   {line}\n" for line in faults.splitlines()), end="")
    print(f"1..{len(found)}")
    return 1 if any(found.values()) else 0
