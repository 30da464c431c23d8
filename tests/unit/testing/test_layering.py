# SPDX-License-Identifier: GPL-2.0-only
"""layering, on small trees"""

import re
import subprocess
from pathlib import Path

import pytest

from zio_testing import layering
from zio_testing.common import ROOT, Words

# A tree with a use of each kind that is allowed
GOOD = {
    "zio-core/engine/engine.h": "int fire(int x);\n",
    "zio-core/engine/internal.h": '#include "engine.h"\nint inner(void);\n',
    "zio-core/engine/a.c": '#include "internal.h"\nint inner(void) { return fire(1); }\n',
    "zio-core/engine/b.c": "int fire(int x) { return x; }\n",
    "zio-core/buffer/buffer.h": "int buf(void);\n",
    "zio-core/buffer/a.c": '#include "engine/engine.h"\n'
    "int buf(void) { return fire(0); }\n",
    "zio-core/channel/a.c": '#include "buffer/buffer.h"\n'
    "int chan(void) { return buf(); }\n",
    "zio-core/trigger/a.c": '#include "buffer/buffer.h"\n'
    "int trig(void) { return buf(); }\n",
    "tools/programs/nexus/zio_nexus/a.py": "from . import b\nfrom zio import c\n",
    "tools/programs/nexus/zio_nexus/b.py": "import zio.c\n",
    "tools/python/src/zio/c.py": "",
    "tools/python/src/zio/_d.py": "",
    "tools/programs/pva/zio_pva/a.py": "",
    "tools/libzio/zio.h": "int zio(void);\n",
    "tools/libzio/base/base.h": "int base(void);\n",
    "tools/libzio/base/a.c": "int base(void) { return 0; }\n",
    "tools/libzio/group/a.c": '#include "libzio/base/base.h"\n'
    "int zio(void) { return base(); }\n",
    "tools/programs/zio/a.c": '#include "libzio/zio.h"\n'
    "int main(void) { return zio(); }\n",
}
# The file that gets a line, the line, and a fault
BAD = {
    "a call goes up": (
        "zio-core/engine/a.c",
        "int e(void) { extern int buf(void); return buf(); }",
        "zio-core/engine/a.c: upward: to zio-core/buffer/a.c: buf",
    ),
    "an include goes up": (
        "zio-core/engine/internal.h",
        '#include "../buffer/buffer.h"',
        "zio-core/engine/a.c: upward: to zio-core/buffer/buffer.h: #include",
    ),
    "a private header": (
        "zio-core/buffer/a.c",
        '#include "engine/internal.h"',
        "zio-core/buffer/a.c: private: zio-core/engine/internal.h of zio-core/engine: "
        "#include",
    ),
    "a function for nobody": (
        "zio-core/engine/engine.h",
        "int inner(void);",
        "zio-core/engine/engine.h: unused: no other folder uses inner()",
    ),
    "a circle": (
        "zio-core/engine/b.c",
        "int inner(void); int c(void) { return inner(); }",
        "  zio-core/engine/b.c -> zio-core/engine/a.c: inner",
    ),
    "a circle of headers": (
        "zio-core/engine/engine.h",
        '#pragma once\n#include "internal.h"',
        "zio-core/engine: engine.h internal.h: circle",
    ),
    "a circle of modules": (
        "tools/programs/nexus/zio_nexus/b.py",
        "def f():\n    from .a import g",
        "tools/programs/nexus/zio_nexus: a b: circle",
    ),
    "a private module": (
        "tools/programs/nexus/zio_nexus/b.py",
        "import zio._d",
        "tools/programs/nexus/zio_nexus/b.py: private: tools/python/src/zio/_d.py of "
        "tools/python/src/zio: import",
    ),
}


def faults_in(root: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    sources = layering.find_sources(root)
    objects = layering.find_objects(sources, root, root / "tools")
    for name, to in objects.items():
        includes = [f"-I{folder}" for folder in ("zio-core", "tools", "tools/programs")]
        command: Words = ["gcc", "-w", *includes, "-c", name, "-o", to]
        subprocess.run(command, cwd=root, check=True)
    return layering.judge(root, sources, objects)[1]


def bad_tree(what: str) -> dict[str, str]:
    name, line, _ = BAD[what]
    return {**GOOD, name: f"{GOOD[name]}{line}\n"}


def test_good_tree(tmp_path: Path) -> None:
    assert not faults_in(tmp_path, GOOD)


@pytest.mark.parametrize("what", BAD)
def test_bad_tree(what: str, tmp_path: Path) -> None:
    assert BAD[what][2] in faults_in(tmp_path, bad_tree(what))


def test_folder_without_a_floor(tmp_path: Path) -> None:
    found = faults_in(tmp_path, {"zio-core/x/a.c": ""})
    assert [line.split(": ")[1] for line in found] == ["absent"]


def test_page_has_the_floors() -> None:
    """A row of the first table of userspace.md is a floor."""
    page = (ROOT / "Documentation/userspace.md").read_text()
    rows = re.findall(r"^\| (`.*?) \|", page.partition("## A channel")[0], re.M)
    floors = [line for line in layering.FLOORS.split("\n") if "tools/" in line]
    assert [re.findall(r"`(.*?)`", row) for row in rows] == [
        [name.removeprefix("tools/") for name in floor.split()] for floor in floors
    ]
