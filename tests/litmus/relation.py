# SPDX-License-Identifier: GPL-2.0-only
"""
Sets of events, and relations between them. A set is a number, one bit for each event.
A relation is a tuple of such numbers: the events that each event is related to.
"""

from collections.abc import Callable, Iterator
from typing import Any

Relation = tuple[int, ...]


def bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def image(number: int, rel: Relation) -> int:
    """Return all events that the events of a set are related to."""
    out = 0
    for i in bits(number):
        out |= rel[i]
    return out


def compose(a: Relation, b: Relation) -> Relation:
    return tuple(image(row, b) for row in a)


def inverse(a: Relation) -> Relation:
    rows = [0] * len(a)
    for i, row in enumerate(a):
        for j in bits(row):
            rows[j] |= 1 << i
    return tuple(rows)


def closure(a: Relation) -> Relation:
    rows = list(a)
    for k in range(len(rows)):
        for i, row in enumerate(rows):
            if row >> k & 1:
                rows[i] |= rows[k]
    return tuple(rows)


def with_identity(a: Relation) -> Relation:
    return tuple(row | 1 << i for i, row in enumerate(a))


def restrict(number: int, size: int) -> Relation:
    """Return [S]: each event of the set is related to itself."""
    return tuple((number >> i & 1) << i for i in range(size))


def cross(a: int, b: int, size: int) -> Relation:
    return tuple(b if a >> i & 1 else 0 for i in range(size))


def domain(a: Relation) -> int:
    return sum(1 << i for i, row in enumerate(a) if row)


def span(a: Relation) -> int:
    out = 0
    for row in a:
        out |= row
    return out


def merge(a: Any, b: Any, how: Callable[[int, int], int]) -> Any:
    if isinstance(a, int):
        return how(a, b)
    return tuple(map(how, a, b))


def is_empty(a: int | Relation) -> bool:
    return not a if isinstance(a, int) else not any(a)


def is_irreflexive(a: Relation) -> bool:
    return not any(row >> i & 1 for i, row in enumerate(a))


CHECKS: dict[str, Callable[[Any], bool]] = {
    "acyclic": lambda a: is_irreflexive(closure(a)),
    "irreflexive": is_irreflexive,
    "empty": is_empty,
}
