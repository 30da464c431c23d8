# SPDX-License-Identifier: GPL-2.0-only
"""versions, on a small tree"""

from pathlib import Path

import pytest

from zio_testing import versions

# A tree whose files agree. The last is a module.
SAME = {
    "Kbuild": "zio-version := 2.1\n",
    "tools/libzio/zio.h": '#define LIBZIO_VERSION "2.1"\n',
    "tools/libzio/libzio.map": "LIBZIO_2 {\n};\nLIBZIO_2.1 {\n} LIBZIO_2;\n",
    "tools/Makefile": "soname = libzio.so.2\n",
    "debian/changelog": "zio (2.1) unstable\n\nzio (1.0) unstable\n",
    "CHANGELOG.md": "# Changes\n## 2.1\n## 1.0\n",
    "packaging/rpm/zio.spec": "Version:        2.1\n",
    "tools/languages/rust/Cargo.toml": 'version = "2.1.0"\n',
    "drivers/a.c": '\nMODULE_VERSION(ZIO_MODULE_VERSION);\nMODULE_LICENSE("GPL");\n',
}


def faults_in(place: Path, files: dict[str, str], number: str = "") -> list[str]:
    """Return the files with faults, after --set @number."""
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    if number:
        versions.set_version(place, number)
    return [fault.split(":")[0] for fault in versions.check_tree(place)]


def test_all_agree(tmp_path: Path) -> None:
    assert not faults_in(tmp_path, SAME)


def test_set_leaves_the_map(tmp_path: Path) -> None:
    assert faults_in(tmp_path, SAME, "2.2") == ["tools/libzio/libzio.map"]


@pytest.mark.parametrize("name", list(SAME)[1:])
def test_another_version(name: str, tmp_path: Path) -> None:
    other = SAME[name].replace("2.1", "2.2").replace("so.2", "so.1")
    other = other.replace("MODULE_VERSION", "MODULE_OTHER")
    assert faults_in(tmp_path, {**SAME, name: other}) == [name]
