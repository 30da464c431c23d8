# SPDX-License-Identifier: GPL-2.0-only
"""The table of matrix, and the targets that a commit chooses"""

from pathlib import Path

import pytest

from zio_testing import kernel, matrix
from zio_testing.matrix import Row, Target

S390X = Target("s390x-6.12", words=("C=1",))


def test_skipped_target() -> None:
    """It is no failure, also if there is an old log."""
    assert matrix.columns_of(S390X, Row("skipped"))[4] == "skipped"


def test_a_machine_without_mounts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The reason of the skip says what to do."""
    monkeypatch.setattr(matrix, "LOGS", tmp_path)
    monkeypatch.setattr(kernel, "prepare_headers", lambda name: tmp_path)
    monkeypatch.setattr(matrix, "can_enter", lambda: False)
    with pytest.raises(matrix.Skipped, match="unshare --mount fails: be root, or"):
        matrix.compile_target(Target("distro", is_32=True))


def test_checks() -> None:
    programs = Target("distro", has_tools=True, is_32=True)
    assert matrix.checks_of(programs) == "tools (32 bits)"
    assert programs.place == "i386"
    assert matrix.checks_of(S390X) == "modules, sparse"
