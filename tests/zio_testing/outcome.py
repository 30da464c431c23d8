# SPDX-License-Identifier: GPL-2.0-only
"""How a run of pytest has ended, and the last line that tells it."""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Outcome:
    passed: int = 0
    # Tests that were chosen, and those of them that did not run
    total: int = 0
    missing: int = 0
    # Test and text of each result that failed
    failures: list[tuple[str, str]] = field(default_factory=list)

    def last_line(self, unsteady: frozenset[str] = frozenset()) -> str:
        """Return the last line. That of a run that did not end must not read as that of
        one that passed."""
        failed = self.failed(unsteady)
        if self.missing:
            return (
                f"incomplete: {self.missing} of {self.total} tests did not run; "
                f"results of the others: {self.passed} good, {failed} bad"
            )
        return f"{self.passed} passed, {failed} failed"

    def failed(self, unsteady: frozenset[str] = frozenset()) -> int:
        """Return how many results failed, but not those of @unsteady tests. A run that
        tested nothing has failed."""
        found = sum(name not in unsteady for name, _ in self.failures)
        return found if self.passed + len(self.failures) else 1

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(dataclasses.asdict(self)))


def read(path: Path) -> Outcome:
    """Return the outcome; that of a run that has written none is incomplete."""
    if not path.exists():
        return Outcome(missing=1, total=1)
    found = json.loads(path.read_text())
    found["failures"] = [(name, text) for name, text in found["failures"]]
    return Outcome(**found)
