# SPDX-License-Identifier: GPL-2.0-only
from collections.abc import Iterator

import pytest

from .oscilloscope import Scope


@pytest.fixture
def scope() -> Iterator[Scope]:
    with Scope() as server:
        yield server
        server.shutdown()
