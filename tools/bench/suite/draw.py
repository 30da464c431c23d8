# SPDX-License-Identifier: GPL-2.0-only
"""Figures: panels of curves, drawn by gnuplot."""

import dataclasses
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
    xrange: tuple[float, float] | None = None
    yrange: tuple[float, float] | None = None
    y2label: str = ""
    y2range: tuple[float, float] | None = None
    key_columns: int = 2
    lines: list[str] = dataclasses.field(default_factory=list)
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


def decimal(value: float) -> str:
    """A number as on an axis, blanks in large ones: 0.01, 1000, 10 000."""
    text = f"{value:,.10f}".rstrip("0").rstrip(".")
    return text.replace(",", " " if value >= 10000 else "")


def decades(low: float, high: float) -> list[object]:
    """Ticks at powers of ten from low to high."""
    ticks, value = [], low
    while value <= high * 1.001:
        ticks.append((decimal(value), value))
        value *= 10
    return ticks


def linear(high: float, step: float, low: float = 0) -> list[object]:
    n = round((high - low) / step)
    return [(decimal(low + i * step), low + i * step) for i in range(n + 1)]


def quote(text: str) -> str:
    return '"' + text.replace('"', "'") + '"'


def ticks(axis: str, places: list[object] | None) -> list[str]:
    if places is None:
        return []
    texts = [
        f"{quote(str(p[0]))} {p[1]}" if isinstance(p, tuple) else f"{p}" for p in places
    ]
    return [f"set {axis}tics ({', '.join(texts)})"]


def span(axis: str, limits: tuple[float, float] | None, places: object) -> list[str]:
    """An axis ends at its first and its last tick unless it is told otherwise."""
    if limits is None and isinstance(places, list):
        values = [p[1] if isinstance(p, tuple) else p for p in places]
        # Rounded, a tick at the very end could be outside.
        limits = (min(values) * 0.9999, max(values) * 1.0001)
    if limits is None:
        return [f"set {axis}range [*:*]"]
    return [f"set {axis}range [{limits[0]}:{limits[1]}]"]


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
        f"set border {11 if panel.y2label else 3}",
        'set key below center horizontal Left reverse samplen 2 font ",12"',
        f"set key maxcols {panel.key_columns}",
    ]
    lines += ["set logscale x"] if panel.xlog else []
    lines += ["set logscale y"] if panel.ylog else []
    lines += ticks("x", panel.xticks) + span("x", panel.xrange, panel.xticks)
    lines += ticks("y", panel.yticks) + span("y", panel.yrange, panel.yticks)
    if panel.y2label:
        lines += [f"set y2label {quote(panel.y2label)}", "set y2tics"]
        lines += span("y2", panel.y2range, None)
    lines += panel.lines + data_lines(panel)
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
