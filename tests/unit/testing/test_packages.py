# SPDX-License-Identifier: GPL-2.0-only
"""The directories of packages"""

from pathlib import Path

import pytest

from zio_testing import debian_root, package_build
from zio_testing.common import Failure


def test_other_files_are_refused(tmp_path: Path) -> None:
    for name in ("a.deb", "letter"):
        (tmp_path / name).touch()
    with pytest.raises(Failure) as refused:
        package_build.build(tmp_path)
    wanted = f"{tmp_path} has other files, such as letter: name an empty directory"
    assert str(refused.value) == wanted
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.deb", "letter"]


def test_old_packages_are_removed(tmp_path: Path) -> None:
    (tmp_path / "a.deb").touch()
    package_build.clear(tmp_path)
    assert not list(tmp_path.iterdir())


def test_no_other_user_enters_a_root(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    debian_root.make_private(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o700
