# SPDX-License-Identifier: GPL-2.0-only
"""What zio-core/config/double.c says of fractions

It makes the integer digits * 2**bits // 10**exp. The dropped fraction decides when the
upper 54 bits are a middle between two doubles, and all others are 0. A number is 1e-280
at least, so these are bits - 984 at least. If they are more than 65, Legendre's theorem
holds: the middle / digits is a convergent of 2**bits / 10**exp / 2**zeros.
"""

import re
from collections.abc import Iterator

from zio_testing.common import ROOT


def convergents(a: int, b: int) -> Iterator[tuple[int, int]]:
    """Return the continued fractions of a / b with a denominator below 2**64."""
    p, q, last_p, last_q = 1, 0, 0, 1
    while b and q < 2**64:
        whole, rest = divmod(a, b)
        p, q, last_p, last_q = whole * p + last_p, whole * q + last_q, p, q
        a, b = b, rest
        if 0 < q < 2**64 and p:
            yield p, q


def digits_that_need_the_fraction(bits: int, exp: int) -> list[int]:
    """Return the digits of one of them for each number of bits."""
    found = []
    size = (2**bits // 10**exp).bit_length()
    for zeros in range(max(bits - 984, size - 54), size + 64 - 54 + 1):
        a, b = 2**bits, 10**exp << zeros
        for p, q in convergents(a, b):
            times = -(-(2**53) // p)
            is_middle = times * p < 2**54 and times * q < 2**64
            if is_middle and 0 < times * (q * a - p * b) < 10**exp:
                found.append(times * q)
    return found


def test_no_number_needs_its_fraction() -> None:
    text = (ROOT / "zio-core/config/double.c").read_text()
    limbs = re.search(r"^#define SHIFT_DOWN\s+(\d+)$", text, re.M)
    assert limbs
    bits = 32 * int(limbs[1])
    assert not [n for e in range(1, 300) for n in digits_that_need_the_fraction(bits, e)]
