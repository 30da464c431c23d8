# SPDX-License-Identifier: GPL-2.0-only
"""Figures: panels of curves, drawn by gnuplot."""

import dataclasses
import math
import pathlib
import subprocess

BLUE, LIGHT, ORANGE, GREY = "#0b6e99", "#7cc3e0", "#d9730d", "#8a8a8a"
GREEN, PURPLE, RED, PALE = "#448361", "#6940a5", "#c0392b", "#c8c8c8"
BROWN, GOLD, BLACK = "#7b4b2a", "#c9a400", "#000000"

Points = list[tuple[float, float]]


@dataclasses.dataclass
class Curve:
    title: str
    points: Points
    colour: str = BLUE
    style: str = "linespoints"  # lines, points, steps
    point: int = 7  # of gnuplot: 7 a disc, 6 a circle, 5 a square
    dash: int = 1
    right: bool = False  # on the axis at the right


@dataclasses.dataclass
class Panel:
    """One plot. `xticks` and `yticks` are (label, place), or places alone."""

    title: str
    xlabel: str
    ylabel: str
    curves: list[Curve]
    xlog: bool = False
    ylog: bool = False
    xticks: list[object] | None = None
    yticks: list[object] | None = None
    y2label: str = ""
    y2ticks: list[object] | None = None
    key_columns: int = 2
    bars: list[str] | None = None  # labels: the curves are groups of bars


@dataclasses.dataclass
class Figure:
    title: str
    panels: list[Panel]
    columns: int = 1


TERMINALS = {
    "svg": 'svg size {0},{1} dynamic noenhanced font "DejaVu Sans,13" background "white"',
    "png": 'pngcairo size {2},{3} noenhanced font "DejaVu Sans,15" linewidth 1.5',
}


def binary(size: float) -> str:
    """A number of bytes, as on an axis: 512, 4k, 2M."""
    for unit, name in ((1 << 20, "M"), (1 << 10, "k")):
        if size >= unit and size % unit == 0:
            return f"{int(size) // unit}{name}"
    return f"{int(size)}"


def sizes(values: list[int]) -> list[object]:
    return [(binary(value), value) for value in values]


def labels(values: list[float]) -> list[object]:
    """Ticks with numbers of one format: blanks in all if one is large; as many digits."""
    digits = max(len(f"{value:.10g}".partition(".")[2]) for value in values)
    large = max(values) >= 10000
    texts = [
        f"{value:,.{digits}f}".replace(",", " " if large else "") for value in values
    ]
    return list(zip(texts, values, strict=True))


def decades(low: float, high: float) -> list[object]:
    """Ticks at powers of ten from low to high."""
    powers = range(round(math.log10(low)), round(math.log10(high)) + 1)
    small = [(f"{10.0**power:g}", 10.0**power) for power in powers if power < 0]
    return small + labels([10**power for power in powers if power >= 0])


def linear(high: float, step: float, low: float = 0) -> list[object]:
    n = round((high - low) / step)
    return labels([low + i * step for i in range(n + 1)])


def quote(text: str) -> str:
    return '"' + text.replace('"', "'") + '"'


def ticks(axis: str, places: list[object] | None) -> list[str]:
    if places is None:
        return []
    texts = [
        f"{quote(str(p[0]))} {p[1]}" if isinstance(p, tuple) else f"{p}" for p in places
    ]
    return [f"set {axis}tics ({', '.join(texts)})"]


def span(axis: str, places: list[object] | None) -> list[str]:
    """An axis ends at its first and its last tick."""
    if places is None:
        return [f"set {axis}range [*:*]"]
    values = [p[1] if isinstance(p, tuple) else p for p in places]
    # Rounded, a tick at the very end could be outside.
    return [f"set {axis}range [{min(values) * 0.9999}:{max(values) * 1.0001}]"]


def plot_line(i: int, curve: Curve) -> str:
    style = f"with {curve.style} linecolor rgb {quote(curve.colour)}"
    style += f" dashtype {curve.dash}" if "lines" in curve.style else ""
    if "points" in curve.style:
        style += f" pointtype {curve.point}"
    axes = "axes x1y2 " if curve.right else ""
    title = f"title {quote(curve.title)}" if curve.title else "notitle"
    return f"$data{i} using 1:2 {axes}{title} {style}"


def bar_lines(panel: Panel) -> list[str]:
    labels = ", ".join(f"{quote(t)} {i}" for i, t in enumerate(panel.bars or []))
    width = 0.8 / len(panel.curves)
    plots = [
        f"$data{i} using ($1+{(i - (len(panel.curves) - 1) / 2) * width}):2:({width}) "
        f"with boxes fill solid 0.85 noborder linecolor rgb {quote(c.colour)} "
        f"title {quote(c.title)}"
        for i, c in enumerate(panel.curves)
    ]
    n = len(panel.bars or [])
    return [
        f"set xtics rotate by -30 left ({labels})",
        f"set xrange [-0.6:{n - 0.4}]",
        "plot " + ", \\\n  ".join(plots),
    ]


def data_lines(panel: Panel) -> list[str]:
    lines = []
    for i, curve in enumerate(panel.curves):
        rows = [f"{x} {y}" for x, y in curve.points] or ["NaN NaN"]
        lines += [f"$data{i} << EOD", *rows, "EOD"]
    return lines


def panel_lines(panel: Panel, key_rows: int) -> list[str]:
    lines = [
        "reset",
        f"set bmargin {key_rows + 3.5}",
        f"set title {quote(panel.title)}",
        f"set xlabel {quote(panel.xlabel)}",
        f"set ylabel {quote(panel.ylabel)}",
        'set grid linetype 1 linecolor "#e4e4e4"',
        "set tics nomirror",
        f"set border {11 if panel.y2label else 3} back",
        "set tics back",
        'set key below center horizontal Left reverse samplen 2 font ",12"',
        f"set key maxcols {panel.key_columns}",
    ]
    lines += ["set logscale x"] if panel.xlog else []
    lines += ["set logscale y"] if panel.ylog else []
    lines += ticks("x", panel.xticks) + span("x", panel.xticks)
    lines += ticks("y", panel.yticks) + span("y", panel.yticks)
    if panel.y2label:
        lines += [f"set y2label {quote(panel.y2label)}"]
        lines += ticks("y2", panel.y2ticks) + span("y2", panel.y2ticks)
    lines += data_lines(panel)
    if panel.bars is not None:
        return lines + bar_lines(panel)
    plots = [plot_line(i, curve) for i, curve in enumerate(panel.curves)]
    return lines + ["plot " + ", \\\n  ".join(plots)]


def gnuplot_script(figure: Figure, picture: pathlib.Path) -> str:
    rows = -(-len(figure.panels) // figure.columns)
    width, height = 500 * figure.columns + 100, 460 * rows + 60
    terminal = TERMINALS[picture.suffix[1:]].format(
        width, height, round(width * 1.5), round(height * 1.5)
    )
    lines = [
        "set encoding utf8",
        f"set terminal {terminal}",
        f"set output {quote(str(picture))}",
        f"set multiplot layout {rows},{figure.columns} title {quote(figure.title)}",
    ]
    key_rows = max(-(-len(p.curves) // p.key_columns) for p in figure.panels)
    for panel in figure.panels:
        lines += panel_lines(panel, key_rows)
    return "\n".join([*lines, "unset multiplot", ""])


def draw(figure: Figure, stem: pathlib.Path) -> None:
    for kind in TERMINALS:
        script = gnuplot_script(figure, stem.with_suffix(f".{kind}"))
        subprocess.run(
            ["gnuplot", "-"],
            input=script,
            text=True,
            check=True,
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
        )
