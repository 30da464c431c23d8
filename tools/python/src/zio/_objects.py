# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices, sets, channels, triggers, and their attributes."""

from __future__ import annotations

import errno as codes
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, ClassVar, Union

from ._errors import Error, make_error, new_error, raise_error
from ._libzio import ffi, lib

Value = Union[str, int, bool]

KINDS: dict[int, str] = {
    lib.ZIO_OBJECT_DEVICE: "device",
    lib.ZIO_OBJECT_CSET: "cset",
    lib.ZIO_OBJECT_CHANNEL: "channel",
    lib.ZIO_OBJECT_TRIGGER: "trigger",
    lib.ZIO_OBJECT_BUFFER: "buffer",
    lib.ZIO_OBJECT_PART: "part",
    lib.ZIO_OBJECT_SHARED_TRIGGER: "shared trigger",
    lib.ZIO_OBJECT_CONFIG_DEVICE: "config device",
    lib.ZIO_OBJECT_TRIGGER_TYPE: "trigger type",
    lib.ZIO_OBJECT_DRIVER: "driver",
    lib.ZIO_OBJECT_BUS: "bus",
}
OF_CONFIGFS = ("shared trigger", "config device", "trigger type", "driver")
NUMBERS = {name: number for number, name in KINDS.items()}


def _text(pointer: Any) -> str:
    return str(ffi.string(pointer).decode(errors="surrogateescape")) if pointer else ""


def encode(text: str) -> bytes:
    """Encode a name for the library."""
    if "\0" in text:  # C would stop there.
        raise ValueError(f"{text!r} has a null byte")
    return text.encode(errors="surrogateescape")


class Object(MutableMapping[str, Value]):
    """A device, set, channel, trigger or buffer: a mapping of its attributes.

    `obj["nsamples"]` is an int, or a str if the text is not a number. `obj["nsamples"] =
    64` sets it, checked by the kernel. Both raise `zio.Error`, or `KeyError` if there is
    no such attribute. A name may lead to a part: `cset["trigger/nsamples"]`.
    """

    # Set by _open.py, because channels are a layer above objects.
    opener: ClassVar[Callable[..., Any]]

    def __init__(self, pointer: Any, owner: Any = None) -> None:
        self._object = pointer
        self._owner = owner  # the library's list that owns the memory

    def open(self, **how: Any) -> Any:
        """Open a channel, with the arguments of `zio.open()`."""
        return Object.opener(self.node, **how)

    @property
    def node(self) -> str:
        """The name of a channel for `zio.open()`, such as "zzero-0000-0-1".

        Raises `Error` with EINVAL if the object is not a channel.
        """
        found = re.fullmatch(r"([^/]+)/cset(\d+)/chan(\d+)", self.name)
        if not found or self.kind != "channel":
            raise make_error(
                codes.EINVAL, f"{self.name} is not a channel: it has no node"
            )
        return "-".join(found.groups())

    @property
    def name(self) -> str:
        """The full name, such as "zzero-0000/cset0/chan1"."""
        return _text(lib.zio_object_name(self._object))

    @property
    def path(self) -> str:
        """The directory in sysfs or configfs."""
        return _text(lib.zio_object_path(self._object))

    @property
    def kind(self) -> str:
        """What it is: "device", "cset", "channel", "trigger", "buffer" and so on."""
        return KINDS.get(lib.zio_object_kind(self._object), "other")

    @property
    def type(self) -> str:
        """The type of a shared trigger, the driver of a configfs device, or ""."""
        return _text(lib.zio_object_type(self._object))

    # --- its parts --------------------------------------------------------------------

    @property
    def cset(self) -> list[Object]:
        """The channel sets of a device."""
        return objects("cset", self)

    @property
    def chan(self) -> list[Object]:
        """The channels of a device or set."""
        return objects("channel", self)

    @property
    def trigger(self) -> Object:
        """The trigger of a set."""
        return _find(self._object, "trigger")

    @property
    def buffer(self) -> Object:
        """The buffer of a channel."""
        return _find(self._object, "buffer")

    @property
    def statistics(self) -> Object:
        """The counters of a set or channel."""
        return _find(self._object, "statistics")

    # --- its attributes ---------------------------------------------------------------

    def _read(self, read: Callable[..., int], attribute: str) -> str:
        err = new_error()
        text = ffi.new("char[]", lib.ZIO_TEXT_SIZE)
        if read(self._object, encode(attribute), text, lib.ZIO_TEXT_SIZE, err):
            raise_error(err)
        return _text(text)

    def text(self, attribute: str) -> str:
        """Return the text of an attribute, without its newline."""
        return self._read(lib.zio_attr_get, attribute)

    def accepted(self, attribute: str) -> str:
        """Return what an attribute accepts: words "rising falling both"; a range
        "[1 1 65536]": smallest, step, largest; or a kind of text, "<channel>"."""
        return self._read(lib.zio_attr_accepted, attribute)

    def __getitem__(self, attribute: str) -> Value:
        if attribute not in self and "/" not in attribute:
            raise KeyError(f"{self.name} has no attribute {attribute}")
        text = self.text(attribute)
        try:
            return int(text)
        except ValueError:
            return text

    def __setitem__(self, attribute: str, value: Value) -> None:
        if attribute not in self and "/" not in attribute:
            raise KeyError(f"{self.name} has no attribute {attribute}")
        err = new_error()
        text = str(int(value)) if isinstance(value, bool) else str(value)
        if lib.zio_attr_set(self._object, encode(attribute), encode(text), err):
            raise_error(err)

    def __delitem__(self, attribute: str) -> None:
        raise TypeError(f"{self.name}: an attribute cannot be deleted")

    def _attributes(self) -> list[tuple[str, bool, bool]]:
        err = new_error()
        entries = lib.zio_attr_list(self._object, err)
        if not entries:
            raise_error(err)
        found = []
        try:
            i = 0
            while entries[i].name:
                entry = entries[i]
                found.append((_text(entry.name), entry.readable, entry.writable))
                i += 1
        finally:
            lib.zio_attr_list_free(entries)
        return found

    def __iter__(self) -> Iterator[str]:
        """Iterate over readable attributes: a command has no value."""
        return iter([name for name, readable, _ in self._attributes() if readable])

    def __len__(self) -> int:
        return sum(readable for _, readable, _ in self._attributes())

    def __contains__(self, attribute: object) -> bool:
        return any(name == attribute for name, _, _ in self._attributes())

    def destroy(self) -> None:
        """Remove a shared trigger, or unplug and remove a configfs device.

        Raises `Error`: EBUSY a set uses the trigger; EINVAL the object is neither.
        """
        err = new_error()
        if lib.zio_destroy(self._object, err):
            raise_error(err)

    def commands(self) -> list[str]:
        """Return the write-only attributes."""
        return [name for name, readable, _ in self._attributes() if not readable]

    def settings(self) -> list[str]:
        """Return the attributes that are both readable and writable."""
        return [name for name, read, write in self._attributes() if read and write]

    def check(self, attribute: str) -> None:
        """Raise the `Error` of setting an attribute, possibly of a part, if it does not
        exist or its mode forbids it. The driver may have other reasons to refuse.
        """
        err = new_error()
        if lib.zio_attr_check(self._object, encode(attribute), err):
            raise_error(err)

    def is_writable(self, attribute: str) -> bool:
        """Tell whether the mode of an attribute allows writing."""
        return any(n == attribute and writable for n, _, writable in self._attributes())

    def __repr__(self) -> str:
        return f"<zio.Object {self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Object) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)


def _find(parent: Any, name: str) -> Object:
    err = new_error()
    found = lib.zio_find(parent, encode(name), ffi.NULL, err)
    if not found:
        raise_error(err)
    return Object(ffi.gc(found, lib.zio_object_free))


def objects(kind: str, parent: Object | None = None) -> list[Object]:
    """Return the objects of a `kind`, such as "shared trigger", sorted by name: those in
    `parent`, or all of the machine. Without configfs, the list of a kind that configfs
    makes is empty.

    Raises `Error` with ENOENT if the module zio is not loaded, or `parent` is gone.
    """
    err = new_error()
    inside = ffi.NULL if parent is None else parent._object
    found = lib.zio_list(inside, NUMBERS[kind], err)
    if not found:
        if err.code == codes.ENOENT and kind in OF_CONFIGFS:
            return []
        raise_error(err)
    found = ffi.gc(found, lib.zio_list_free)
    entries = (found[i] for i in itertools.count())
    return [Object(entry, found) for entry in itertools.takewhile(bool, entries)]


def find(name: str) -> Object:
    """Return the object of a name.

    Names are "zzero-0000", "zzero" (the device with id 0), "zzero/cset0", "zzero/0/1",
    "zzero-0-1", "zzero/0/trigger", "trigger:clock0", "device:rack1", "bus:". Raises
    `Error` with ENOENT if there is no such object. $ZIO_SYSFS and $ZIO_CONFIGFS replace
    /sys and /sys/kernel/config.
    """
    return _find(ffi.NULL, name)


def find_node(name: str) -> str | None:
    """Return the name for the nodes of a channel; None if there is no such channel."""
    try:
        return find(name).node
    except Error:
        return None


def create(kind: str, type: str, name: str) -> Object:  # noqa: A002
    """Make a "shared trigger" of a type, or a "config device" of a driver, in configfs.

    Make a device live with `device["live"] = 1`. Raises `Error`: EEXIST the name is
    taken; ENOENT no such type or driver is loaded; and the errors of mkdir(2).
    """
    err = new_error()
    made = lib.zio_create(NUMBERS[kind], encode(type), encode(name), err)
    if not made:
        raise_error(err)
    return Object(ffi.gc(made, lib.zio_object_free))


class Devices(Mapping[str, Object]):
    """The devices of the machine by name, as of the call of `devices()`."""

    def __init__(self, objects: list[Object]) -> None:
        self._objects = {obj.name: obj for obj in objects}

    def __getitem__(self, name: str) -> Object:
        return self._objects[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._objects)

    def __len__(self) -> int:
        return len(self._objects)

    def __repr__(self) -> str:
        return f"<zio.Devices {', '.join(self) or 'none'}>"


def devices() -> Devices:
    """Return the devices of the machine: `devices()["zzero-0000"].cset[0]`.

    Raises `Error` with ENOENT if the module zio is not loaded.
    """
    return Devices(objects("device"))
