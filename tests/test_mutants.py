# SPDX-License-Identifier: GPL-2.0-only
"""Bugs that are put into the code, others for another commit: a test must see each"""

import pytest

from zio_testing import mutants
from zio_testing.common import locked
from zio_testing.mutant_tree import MUTANTS

# Only mutants that need no boot, or a short one
WORDS = ["--sample", "10", "--kind", "host", "--kind", "kunit", "--kind", "litmus"]
CHOSEN = {mutant.name: mutant for mutant in mutants.choose(mutants.parse_options(WORDS))}


@pytest.mark.parametrize("name", CHOSEN)
def test_mutant(name: str) -> None:
    with locked(MUTANTS / "lock"):
        results = mutants.run_all([CHOSEN[name]], verify=False)
    for mutant, result in results.items():
        assert result.verdict in mutants.GOOD, mutants.as_line(mutant, result)
