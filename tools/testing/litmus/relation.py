# SPDX-License-Identifier: GPL-2.0-only
"""
Sets of events, and relations between them. A set is a number, one bit for each event.
A relation is a tuple of such numbers: the events that each event is related to.
"""


def bits(number):
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def image(number, rel):
    """All that the events of a set are related to."""
    out = 0
    for i in bits(number):
        out |= rel[i]
    return out


def compose(a, b):
    return tuple(image(row, b) for row in a)


def inverse(a):
    rows = [0] * len(a)
    for i, row in enumerate(a):
        for j in bits(row):
            rows[j] |= 1 << i
    return tuple(rows)


def closure(a):
    rows = list(a)
    for k in range(len(rows)):
        for i, row in enumerate(rows):
            if row >> k & 1:
                rows[i] |= rows[k]
    return tuple(rows)


def with_identity(a):
    return tuple(row | 1 << i for i, row in enumerate(a))


def restrict(number, size):
    """[S]: each event of the set is related to itself."""
    return tuple((number >> i & 1) << i for i in range(size))


def cross(a, b, size):
    return tuple(b if a >> i & 1 else 0 for i in range(size))


def domain(a):
    return sum(1 << i for i, row in enumerate(a) if row)


def span(a):
    out = 0
    for row in a:
        out |= row
    return out


def merge(a, b, how):
    if isinstance(a, int):
        return how(a, b)
    return tuple(map(how, a, b))


def is_empty(a):
    return not a if isinstance(a, int) else not any(a)


def is_irreflexive(a):
    return not any(row >> i & 1 for i, row in enumerate(a))


CHECKS = {
    'acyclic': lambda a: is_irreflexive(closure(a)),
    'irreflexive': is_irreflexive,
    'empty': is_empty,
}
