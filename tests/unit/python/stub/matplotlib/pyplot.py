# SPDX-License-Identifier: LGPL-2.1-or-later
"""A window that is closed after two titles with "running". It prints the last one."""

from __future__ import annotations

from collections.abc import Sized

titles: list[str] = []
sizes: list[int] = []


class Line:
    """The line of a plot, and its axes."""

    @property
    def axes(self) -> Line:
        return self

    def relim(self) -> None:
        pass

    autoscale_view = relim

    def set_data(self, x: Sized, y: Sized) -> None:
        assert len(x) == len(y)
        sizes.append(len(y))


def plot(_data: Sized) -> list[Line]:
    return [Line()]


def fignum_exists(_number: int) -> bool:
    return not is_over()


def is_over() -> bool:
    return sum("running" in text for text in titles) == 2


def title(text: str) -> None:
    titles.append(text)


def pause(_seconds: float) -> None:
    if is_over():
        print(titles[-1], sizes[-1])
