# SPDX-License-Identifier: GPL-2.0-only
"""Repair the superblock of an HDF5 file whose writer was killed.

Such a writer leaves its mark, and programs such as h5dump refuse the file. `h5clear -s`
also clears the mark.
"""

import os
from typing import BinaryIO

from . import PROGRAM
from .failure import Failure

SIGNATURE = b"\x89HDF\r\n\x1a\n"
VERSION_AT, SIZES_AT, FLAGS_AT = 8, 9, 11
# The version, two sizes, the flags, and then 8-byte offsets; one is the end of file
FIXED, OFFSET, OFFSETS, END = 12, 8, 4, 2
SIZE = FIXED + OFFSETS * OFFSET
MASK = 0xFFFFFFFF


def is_hdf(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


def _rotate(value: int, bits: int) -> int:
    return (value << bits | value >> (32 - bits)) & MASK


def _mix(a: int, b: int, c: int) -> tuple[int, int, int]:
    for bits in (4, 6, 8, 16, 19, 4):
        a = (a - c & MASK) ^ _rotate(c, bits)
        c = c + b & MASK
        a, b, c = b, c, a
    return a, b, c


def _final(a: int, b: int, c: int) -> int:
    for bits in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - _rotate(b, bits)) & MASK
        a, b, c = b, c, a
    return b


def checksum(data: bytes) -> int:
    """Return the checksum of HDF5's metadata: Bob Jenkins's lookup3, in 4-byte words."""
    a = b = c = (0xDEADBEEF + len(data)) & MASK
    at = 0
    while len(data) - at > 12:
        words = [int.from_bytes(data[at + i : at + i + 4], "little") for i in (0, 4, 8)]
        a, b, c = (part + word & MASK for part, word in zip((a, b, c), words))
        a, b, c = _mix(a, b, c)
        at += 12
    tail = data[at:].ljust(12, b"\0")
    words = [int.from_bytes(tail[i : i + 4], "little") for i in (0, 4, 8)]
    a, b, c = (part + word & MASK for part, word in zip((a, b, c), words))
    return _final(a, b, c)


def _read_head(file: BinaryIO, path: str) -> bytearray:
    head = bytearray(file.read(SIZE + 4))
    if head[:8] != SIGNATURE or head[VERSION_AT] != 3 or head[SIZES_AT] != OFFSET:
        raise Failure(
            f"{path}: not a file of {PROGRAM}: it has no superblock of version 3"
        )
    if int.from_bytes(head[SIZE : SIZE + 4], "little") != checksum(bytes(head[:SIZE])):
        raise Failure(f"{path}: the superblock is damaged")
    return head


def _end_of(head: bytearray) -> int:
    at = FIXED + END * OFFSET
    return int.from_bytes(head[at : at + OFFSET], "little")


def cut_rest(fd: int, path: str) -> None:
    """Cut off the room after the end of the data. @fd stays open."""
    with open(fd, "r+b", buffering=0, closefd=False) as file:
        file.seek(0)
        file.truncate(_end_of(_read_head(file, path)))


def repair(path: str) -> bool:
    """Clear the marks of a writer in @path; return whether anything needed repair.

    Extend a file that is shorter than its superblock says, because HDF5 refuses it
    otherwise. Blocks up to the last flush are not in that part. Raise Failure if the
    superblock is damaged.
    """
    with open(path, "r+b", buffering=0) as file:
        head = _read_head(file, path)
        end = _end_of(head)
        is_short = os.fstat(file.fileno()).st_size < end
        if is_short:
            _grow(file, end)
        if not head[FLAGS_AT]:
            return is_short
        head[FLAGS_AT] = 0
        head[SIZE:] = checksum(bytes(head[:SIZE])).to_bytes(4, "little")
        file.seek(0)
        file.write(head)
        os.fsync(file.fileno())
    return True


def _grow(file: BinaryIO, end: int) -> None:
    """Extend the file by a hole. A file size limit may forbid it now but not later."""
    try:
        file.truncate(end)
    except OSError:
        pass
