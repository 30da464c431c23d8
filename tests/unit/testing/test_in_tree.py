# SPDX-License-Identifier: GPL-2.0-only
"""make in-tree, on a small tree that has what the program looks at"""

import difflib
import re
import subprocess
from pathlib import Path

import pytest

from zio_testing import common
from zio_testing.in_tree import PROGRAM

VERSION = "VERSION = {}\nPATCHLEVEL = {}\nSUBLEVEL = {}\nEXTRAVERSION ={}\n"
VENDORS = "Documentation/devicetree/bindings/vendor-prefixes.yaml"
TARGETS = "tools/testing/selftests/Makefile"
# The files of others that get lines, and a part of each that stays behind these
OTHERS = {
    "drivers/Kconfig": 'menu "Drivers"\n\nsource "drivers/hte/Kconfig"\n\nendmenu\n',
    "drivers/Makefile": "obj-y += gpio/\n",
    "MAINTAINERS": "List\n\n3C59X NETWORK DRIVER\nS:\tOrphan\n\n"
    "ZONEFS FILESYSTEM\nS:\tOrphan\n\nTHE REST\nS:\tAll\n",
    VENDORS: '  "^zinitix,.*":\n    description: A\n'
    '  "^zte,.*":\n    description: B\n',
    TARGETS: "TARGETS += drivers/net\nTARGETS += exec\n",
}


def make_tree(place: Path, version: tuple[int, int, int], extra: str = "") -> Path:
    files = {"Makefile": VERSION.format(*version, extra), "scripts/checkpatch.pl": ""}
    for name, text in {**files, **OTHERS, "include/linux/zorro.h": "z\n"}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    return place


def run(*words: str | Path) -> str:
    """Run the program. Return its complaint."""
    common.setup("in-tree")
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert bool(done.returncode) == bool(done.stderr)
    return done.stderr


def state_of(tree: Path) -> dict[Path, tuple[str, int]]:
    files = [path for path in tree.rglob("*") if path.is_file()]
    return {path: (path.read_text(), path.stat().st_mtime_ns) for path in files}


@pytest.mark.parametrize("version", [(6, 1, 192), (6, 12, 3), (7, 2, 13)])
def test_no_version_is_left(version: tuple[int, int, int], tmp_path: Path) -> None:
    tree = make_tree(tmp_path, version)
    assert not run(tree)
    for path, (text, _) in state_of(tree).items():
        for word in ("LINUX_VERSION", "KERNEL_VERSION", "linux/version.h", "ZIO_TEST)"):
            allowed = word == "ZIO_TEST)" and version < (6, 2, 0)
            assert allowed or word not in text, f"{path} has {word}"
    compat = (tree / "drivers/zio/core/compat.h").read_text()
    assert "ZIO_BUS_CONST" not in compat
    bus = (tree / "drivers/zio/core/config/bus.c").read_text()
    assert ("const struct bus_type *bus" in bus) == (version >= (6, 4, 0))


def test_files_of_others_get_lines_once(tmp_path: Path) -> None:
    tree = make_tree(tmp_path, (6, 12, 3))
    assert not run(tree)
    first = state_of(tree)
    assert not run(tree)
    assert state_of(tree) == first
    for name, text in OTHERS.items():
        new = (tree / name).read_text()
        assert new.count("zio") and new != text
        changes = difflib.ndiff(text.splitlines(), new.splitlines())
        assert not [line for line in changes if line.startswith("- ")]
    titles = re.findall(r"^[A-Z0-9]{2}.*$", (tree / "MAINTAINERS").read_text(), re.M)
    assert titles == sorted(titles[:-1]) + ["THE REST"]
    vendors = re.findall(r"\^(\w+),", (tree / VENDORS).read_text())
    assert vendors == ["zinitix", "zio", "zte"]
    assert (tree / "include/linux/zorro.h").read_text() == "z\n"


def test_old_files_go(tmp_path: Path) -> None:
    """What the program does not write any more goes. What the kernel built stays."""
    tree = make_tree(tmp_path, (6, 12, 3))
    assert not run(tree)
    old = [tree / "drivers/zio/core/old.c", tree / "include/linux/zio-old.h"]
    built = [tree / "drivers/zio/core/main.o", tree / "drivers/zio/core/zio.mod.c"]
    for path in [*old, *built]:
        path.write_text("")
    assert not run(tree)
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in built)


def test_each_driver_has_its_tests_alone(tmp_path: Path) -> None:
    tree = make_tree(tmp_path, (6, 12, 3))
    assert not run(tree)
    makefile = (tree / "drivers/zio/core/tests/Makefile").read_text()
    assert "queue_test.o" in makefile
    assert "uart_frame_test.o" not in makefile
    assert not (tree / "drivers/zio/drivers/uart").exists()
    described = (tree / "Documentation/ABI/testing/zio-drivers").read_text()
    assert "zgpio/DIR/in" in described
    assert "zuart" not in described
    assert "ad788" not in described


@pytest.mark.parametrize(("extra", "wanted"), [("", "6.13"), (" -rc3", "6.12")])
def test_next_version(extra: str, wanted: str, tmp_path: Path) -> None:
    tree = make_tree(tmp_path, (6, 12, 0), extra)
    assert not run(tree)
    text = (tree / "Documentation/ABI/testing/dev-zio").read_text()
    assert set(re.findall("KernelVersion:\t(.*)", text)) == {wanted}
    dates, contacts = text.count("\nDate:"), text.count("\nContact:")
    assert dates == contacts > 5


def test_refusals(tmp_path: Path) -> None:
    assert "make in-tree KERNEL=DIR" in run("")
    assert "it has no Makefile" in run(tmp_path)
    old = make_tree(tmp_path, (5, 10, 3))
    before = state_of(old)
    assert "needs 6.1" in run(old)
    assert state_of(old) == before
    (make_tree(tmp_path, (6, 12, 0)) / "MAINTAINERS").unlink()
    assert "it has no MAINTAINERS" in run(tmp_path)
