# SPDX-License-Identifier: LGPL-2.1-or-later
# The compiled module; buffer.c explains it.
from typing import Any

class Memory:
    views: int
    def __new__(cls, address: int, size: int, owner: Any) -> Memory: ...

class Exporter: ...
