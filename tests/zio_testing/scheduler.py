# SPDX-License-Identifier: GPL-2.0-only
"""How two workers of pytest share the tests."""

from xdist.scheduler import LoadScopeScheduling

from . import steps


class Scheduler(LoadScopeScheduling):  # type: ignore[misc]
    """Each worker takes the next group as soon as it has nothing else."""

    def _split_scope(self, nodeid: str) -> str:
        return steps.group_of(nodeid)
