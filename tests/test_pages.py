# SPDX-License-Identifier: GPL-2.0-only
"""The blocks of documents, on a system that has the packages and nothing prepared. The
commit chooses most pages; "packages documents" runs all."""

from collections.abc import Callable

from zio_testing import documents, tap, unsteady
from zio_testing.common import TESTING, seed_of_commit
from zio_testing.tap import Results


def test_pages(results: Callable[[Results], None]) -> None:
    base = unsteady.base_of()
    changed = documents.changed_since(base) if base else []
    names = documents.sample(seed_of_commit(), changed)
    results(tap.run_program([TESTING / "packages", "documents", *names]))
