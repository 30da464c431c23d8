# SPDX-License-Identifier: LGPL-2.1-or-later
# The compiled module; libzio.cdef has its declarations.
from typing import Any

ffi: Any
lib: Any
