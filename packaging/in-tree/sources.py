# SPDX-License-Identifier: GPL-2.0-only
"""Find the files that modules need, and bring them into the form of one kernel."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from kbuild import ROOT, Refused

INCLUDE = re.compile(r'^#include (?:"(.*)"|<(linux/zio\b.*)>)', re.M)
VERSION = re.compile(r"KERNEL_VERSION\((\d+), (\d+), (\d+)\)")
# Linux 7.0 has kmalloc_obj(), and wants it.
ALLOC = re.compile(r"\b(kv?[mz]alloc)\(sizeof\((\*[\w>.-]+)\), ")
HEADERS = (ROOT / "include", ROOT / "include/uapi")


def find(name: str, places: Iterable[Path]) -> Path | None:
    return next((p / name for p in places if (p / name).exists()), None)


def with_headers(sources: Iterable[Path], includes: list[Path]) -> set[Path]:
    """Return these files, and all of the project that they include."""
    found: set[Path] = set()
    waiting = list(sources)
    while waiting:
        path = waiting.pop().resolve()
        if path in found:
            continue
        found.add(path)
        for local, public in INCLUDE.findall(path.read_text()):
            places = [path.parent, *includes] if local else HEADERS
            header = find(local or public, places)
            if not header:
                raise Refused(f"{path} includes {local or public}, which is not there")
            waiting.append(header)
    return found


def for_kernel(text: str, code: int) -> str:
    """Return a source file as it is for the kernel with the LINUX_VERSION_CODE @code."""
    if "LINUX_VERSION_CODE" in text:
        text = VERSION.sub(lambda found: str(number(found.groups())), text)
        text = unifdef(text, f"-DLINUX_VERSION_CODE={code}")
        text = text.replace("#include <linux/version.h>\n", "")
    if code >= number((7, 0, 0)):
        text = ALLOC.sub(r"\1_obj(\2, ", text)
    text = text.replace("MODULE_VERSION(ZIO_MODULE_VERSION);\n", "")
    return without_paths(text)


def without_paths(text: str) -> str:
    """The documents stay in the project: a path would name no file of the kernel."""
    return re.sub(r"\bDocumentation/([\w-]+\.md)", r"\1", text)


def number(parts: Iterable[str | int]) -> int:
    major, minor, patch = (int(part) for part in parts)
    return (major << 16) + (minor << 8) + min(patch, 255)


def unifdef(text: str, *words: str) -> str:
    command = ["unifdef", "-B", *words]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Refused("no unifdef here: apt-get install unifdef") from error
    if done.returncode > 1:
        raise Refused(f"unifdef: {done.stderr.strip()}")
    return done.stdout
