# SPDX-License-Identifier: GPL-2.0-only
"""One virtual machine, and one browser, for the tests of this folder"""

from collections.abc import Iterator
from typing import Any

import pytest

from unit.live.guest import Guest
from unit.scope.browser.conftest import driver, page

__all__ = ["page"]


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    with driver() as one:
        yield one


@pytest.fixture(scope="package")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """Boot a machine for the first test that needs it."""
    one = Guest(tmp_path_factory.mktemp("guest") / "log")
    yield one
    one.stop()
