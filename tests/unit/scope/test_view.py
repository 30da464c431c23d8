# SPDX-License-Identifier: GPL-2.0-only
from typing import Any

import pytest
from zio_scope.view import BadRequest, Trigger, View, parse_view


def test_defaults() -> None:
    assert parse_view({"type": "view"}) == View()


def test_all_fields() -> None:
    found = parse_view(
        {
            "serial": 4,
            "channels": ["a", "b", "a"],
            "width": 640,
            "blocks": 3,
            "range": [1, 2.5],
            "paused": True,
            "trigger": {
                "mode": "auto",
                "channel": "b",
                "level": -1,
                "slope": "falling",
            },
            "spectrum": {"channel": "a", "window": "hann"},
            "rate": 48000,
        }
    )
    trigger = Trigger("auto", "b", -1.0, "falling")
    wanted = View(
        4, ("a", "b"), 640, 3, (1.0, 2.5), True, trigger, ("a", "hann"), 48000.0
    )
    assert found == wanted


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("serial", -1),
        ("serial", 2**32),
        ("serial", True),
        ("channels", "a"),
        ("channels", [1]),
        ("channels", ["a"] * 9),
        ("channels", ["a" * 5000]),
        ("width", 15),
        ("width", 8193),
        ("width", 100.5),
        ("width", None),
        ("blocks", 0),
        ("blocks", 65),
        ("rate", 0),
        ("rate", "50000"),
        ("rate", float("nan")),
        ("range", [2, 1]),
        ("range", [1, 1]),
        ("range", [1]),
        ("range", [0, float("inf")]),
        ("range", [0, float("nan")]),
        ("range", [0, 10**400]),
        ("range", ["0", "1"]),
        ("paused", 1),
        ("trigger", []),
        ("trigger", {"mode": "on"}),
        ("trigger", {"level": None}),
        ("trigger", {"slope": ["rising"]}),
        ("spectrum", 1),
        ("spectrum", {"window": "none"}),
    ],
)
def test_bad_fields_are_named(field: str, value: Any) -> None:
    with pytest.raises(BadRequest, match=f"^view: {field}.*: use "):
        parse_view({field: value})
