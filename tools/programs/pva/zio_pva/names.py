# SPDX-License-Identifier: GPL-2.0-only
"""Names of channels"""

import os
import re

SHORT = re.compile(
    r"(?P<device>.+?)(?P<id>-[0-9a-f]{4})?(?P<rest>-\d+-\d+)(-ctrl|-data)?"
)


def full_name(name: str) -> str:
    """Return the name of a channel or node as blocks have it: zzero-0000-0-1."""
    found = SHORT.fullmatch(os.path.basename(name))
    if not found:
        return name
    return f"{found['device']}{found['id'] or '-0000'}{found['rest']}"


def is_channel(name: str) -> bool:
    """Tell whether a name could be that of a channel, also of one that is not there."""
    return SHORT.fullmatch(os.path.basename(name)) is not None
