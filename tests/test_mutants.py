# SPDX-License-Identifier: GPL-2.0-only
"""Bugs that are put into the code, others for another commit: a test must see each"""

import pytest

from zio_testing import mutant_patch, mutants
from zio_testing.common import locked
from zio_testing.mutant_tree import MUTANTS

# Only mutants that need no boot
WORDS = ["--sample", "5", "--kind", "host", "--kind", "uml", "--kind", "litmus"]
SAMPLE = mutant_patch.choose(mutants.parse_options(WORDS))
CHOSEN = {mutant.name: mutant for mutant in SAMPLE}


@pytest.mark.parametrize("name", CHOSEN)
def test_mutant(name: str) -> None:
    with locked(MUTANTS / "lock"):
        results = mutants.run_all([CHOSEN[name]], verify=False)
    for mutant, result in results.items():
        assert result.verdict in mutants.GOOD, mutants.as_line(mutant, result)
