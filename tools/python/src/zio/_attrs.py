# SPDX-License-Identifier: LGPL-2.1-or-later
"""The attributes in a control by name, and the values of a block to write."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ._errors import new_error, raise_error
from ._libzio import ffi, lib
from ._objects import Object

CHANNEL: int = lib.ZIO_ATTR_OF_CHANNEL


@lru_cache(maxsize=64)
def _names_of(control: bytes) -> Any:
    """Return the names from the kernel; NULL if it has none."""
    head = ffi.from_buffer("struct zio_control *", control)
    names = lib.zio_names_open(head, ffi.NULL, ffi.NULL)
    return ffi.gc(names, lib.zio_names_close) if names else ffi.NULL


def _find_names(control: Any) -> Any:
    """Return the names for a control, which depend on its address and trigger."""
    head = ffi.new("struct zio_control *")
    head.addr, head.triggername = control.addr, control.triggername
    return _names_of(bytes(ffi.buffer(head)))


def attributes(control: Any, is_live: bool) -> dict[str, int]:
    """Return the attributes of the channel in a control, including the values of the
    block.

    The kernel knows the names for a block that `is_live`.
    """
    values = ffi.new("struct zio_attr_value[]", lib.ZIO_MAX_ATTRS)
    names = _find_names(control) if is_live else ffi.NULL
    count = lib.zio_control_attrs(control, names, CHANNEL, values)
    return {ffi.string(v.name).decode(): int(v.value) for v in values[0:count]}


def put_values(control: Any, channel: Object, values: Mapping[str, int]) -> None:
    """Set values of the block described by a control, by name."""
    err = new_error()
    names = lib.zio_names_of(channel._object, err)
    if not names:
        raise_error(err)
    names = ffi.gc(names, lib.zio_names_close)
    for name, value in values.items():
        if lib.zio_control_set_value(control, names, name.encode(), value, err):
            raise_error(err)
