# SPDX-License-Identifier: BSD-3-Clause
"""A drawing of one figure over the points of a sweep: the median of the seeds, with a bar from the least to the most."""
from __future__ import annotations

from draw import COLOURS, TICK_SIZE, WIDTH, Axis, Box, Drawing, axis_top, legend_height, number, shorten
from figures import Figure, median, scale
from plan import Point

LEFT, RIGHT, HEIGHT = 96, 24, 360
CAP = 5     # half the width of a bar's end


def figure_over(figure: Figure, points: list[Point], values: dict[Point, list[float]]) -> Drawing:
    """The values of the last key that varies along the axis, a curve for each combination of the others."""
    varying = [key for key in points[0].columns if len({point.columns[key] for point in points}) > 1]
    along = varying[-1] if varying else ""
    places = list(dict.fromkeys(point.columns.get(along, "") for point in points))
    curves: dict[str, list[Point]] = {}
    for point in points:
        name = " ".join(f"{key}={point.columns[key]}" for key in varying[:-1]) or figure.title
        curves.setdefault(name, []).append(point)
    unit, factor = scale(figure, max((value for one in values.values() for value in one), default=0))
    top = axis_top(max((value / factor for one in values.values() for value in one), default=0))
    legend = legend_height(LEFT, list(curves)) if len(curves) > 1 else 0
    out = Drawing(f"{figure.key}.svg", f"{figure.title}: median of the seeds, least to most", 56 + legend + HEIGHT + 60)
    box = Box(LEFT, 56 + legend, WIDTH - RIGHT, 56 + legend + HEIGHT)
    if len(curves) > 1:
        out.legend(LEFT, 48, [(name, f'stroke="{COLOURS[i % len(COLOURS)]}"') for i, name in enumerate(curves)])
    y = Axis(0, top, box.bottom, box.top)
    out.axis_y(y, box, f"{figure.title}{f', {unit}' if unit else ''}")
    out.line(box.left, box.bottom, box.right, box.bottom, 'stroke="#777777"')
    step = (box.right - box.left) / len(places)
    for i, name in enumerate(places):
        out.text(box.left + (i + 0.5) * step, box.bottom + 20, shorten(name, TICK_SIZE, step), anchor="middle")
    out.text((box.left + box.right) / 2, box.bottom + 44, along, 16, anchor="middle")
    for i, (name, curve) in enumerate(curves.items()):
        shift = (i - (len(curves) - 1) / 2) * min(12, step / (len(curves) + 1))
        _curve(out, i, name, [(box.left + (places.index(point.columns.get(along, "")) + 0.5) * step + shift, values[point])
                              for point in curve if values.get(point)], y, factor)
    return out


def _curve(out: Drawing, index: int, name: str, points: list[tuple[float, list[float]]], y: Axis, factor: float) -> None:
    colour = COLOURS[index % len(COLOURS)]
    out.begin("curve", name)
    if len(points) > 1:
        out.path([(x, y.place(median(values) / factor)) for x, values in points],
                 f'fill="none" stroke="{colour}" stroke-width="1.6" stroke-opacity="0.6"')
    for x, values in points:
        low, high = y.place(min(values) / factor), y.place(max(values) / factor)
        style = f'stroke="{colour}" stroke-width="2"'
        out.line(x, low, x, high, style)
        out.line(x - CAP, low, x + CAP, low, style)
        out.line(x - CAP, high, x + CAP, high, style)
        at = number(y.place(median(values) / factor))
        out.parts.append(f'<circle cx="{number(x)}" cy="{at}" r="4.5" fill="{colour}"/>')
    out.end()
