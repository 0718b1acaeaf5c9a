# SPDX-License-Identifier: BSD-3-Clause
"""The three kinds of drawing: lines over time, heat maps, and distributions."""
from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from typing import Iterable, Sequence

import draw
from draw import COLOURS, CURVES_MAX, FAINT, LABEL_SIZE, TICK_SIZE, Axis, Box, Drawing
from read import Line, Lines

BUCKETS = 600          # of time, in which a curve keeps its least and its most value
NAMED_OF_MANY = 6      # lines that keep their names where there are more than CURVES_MAX
ROWS_MAX = 64          # of a heat map over time
COLUMNS_MAX = 400
LEFT, RIGHT = 96, 24   # margins of lines over time and of distributions
SHADES = ("#e3e3e3", "#c4c4c4")


@dataclass
class Threshold:
    name: str
    value: float


@dataclass
class Panel:
    """Lines over time that share an axis. `largest`: which lines matter where there are too many to name all."""
    label: str
    lines: Lines
    limit: float = 0.0   # where the axis ends; 0: above the values
    largest: bool = True
    thresholds: list[Threshold] = field(default_factory=list)


def last_time(panels: Iterable[Panel]) -> float:
    return max((line.times[-1] for panel in panels for line in panel.lines.values()), default=0.0) or 1.0


# ---- lines over time ------------------------------------------------------------------------------------------------

def peaks(line: Line) -> list[tuple[float, float]]:
    """The least and the most of each bucket of points, in their order, so that no peak is lost."""
    step = -(-len(line.times) // BUCKETS)
    points = []
    for begin in range(0, len(line.times), step):
        values = line.values[begin:begin + step]
        at = sorted({begin + values.index(min(values)), begin + values.index(max(values))})
        points += [(line.times[i], line.values[i]) for i in at]
    return points


def split_named(panel: Panel) -> tuple[list[Line], list[Line]]:
    """The lines that are drawn with a name, those that matter first, and the others."""
    lines = list(panel.lines.values())
    if len(lines) <= CURVES_MAX:
        return lines, []
    lines.sort(key=lambda line: -line.peak if panel.largest else line.mean)
    return lines[:NAMED_OF_MANY], lines[NAMED_OF_MANY:]


@dataclass
class Spread:
    """Where lines lie at an instant."""
    time: float
    least: float
    lower: float   # a quarter of the lines lies below
    upper: float   # a quarter of the lines lies above
    most: float


def spread(lines: list[Line], last: float) -> list[Spread]:
    """Where many lines lie over time. The least and the most are those of a whole bucket."""
    buckets: list[list[tuple[float, float, float]]] = [[] for _ in range(BUCKETS)]
    for line in lines:
        begin = 0
        for index in range(BUCKETS):
            end = bisect.bisect_right(line.times, last * (index + 1) / BUCKETS, begin)
            if end > begin:
                values = line.values[begin:end]
                buckets[index].append((min(values), sum(values) / len(values), max(values)))
            begin = end
    found = []
    for index, bucket in enumerate(buckets):
        if bucket:
            means = sorted(mean for _, mean, _ in bucket)
            found.append(Spread(last * (index + 0.5) / BUCKETS, min(one[0] for one in bucket),
                                means[len(means) // 4], means[-1 - len(means) // 4], max(one[2] for one in bucket)))
    return found


def spread_names(panel: Panel) -> list[str]:
    count = len(split_named(panel)[1])
    return [f"{count} others, least to most", "middle half of them"] if count else []


def draw_spread(out: Drawing, bands: list[Spread], names: list[str], x: Axis, y: Axis) -> None:
    sides = (("least", "most"), ("lower", "upper"))
    for name, (low, high), shade in zip(names, sides, SHADES):
        above = [(x.place(one.time), y.place(getattr(one, high))) for one in bands]
        below = [(x.place(one.time), y.place(getattr(one, low))) for one in bands]
        out.begin("band", name)
        out.path(above + below[::-1], f'fill="{shade}" stroke="none"')
        out.end()


def draw_threshold(out: Drawing, threshold: Threshold, x: Axis, y: Axis, free: float) -> float:
    """Returns how far to the right the label of a threshold just above may reach."""
    at = y.place(threshold.value)
    out.begin("threshold", threshold.name)
    out.line(x.begin, at, x.end, at, 'stroke="#222222" stroke-width="1.6" stroke-dasharray="3,4"')
    out.text(free, at - 5, threshold.name, anchor="end", halo=True)
    out.end()
    return free - draw.text_width(threshold.name, TICK_SIZE) - 16


def draw_thresholds(out: Drawing, thresholds: list[Threshold], x: Axis, y: Axis) -> None:
    before, free = None, x.end - 6
    for one in sorted(thresholds, key=lambda one: one.value):
        near = before is not None and before - y.place(one.value) < TICK_SIZE + 4
        free = draw_threshold(out, one, x, y, free if near else x.end - 6)
        before = y.place(one.value)


def panel_top(panel: Panel) -> tuple[float, list[Threshold], list[Threshold]]:
    """Where the axis ends, the thresholds below that, and those so far above that lines would be flat."""
    peak = max((line.peak for line in panel.lines.values()), default=0.0)
    near = [one for one in panel.thresholds if one.value <= 4 * peak or peak == 0]
    far = [one for one in panel.thresholds if one not in near]
    return panel.limit or draw.axis_top(max([peak] + [one.value * 1.05 for one in near])), near, far


def panel_entries(panel: Panel) -> list[tuple[str, str]]:
    """What the legend holds."""
    named, _ = split_named(panel)
    entries = [(line.name, draw.curve_style(index)) for index, line in enumerate(named)]
    return entries + [(name, f'fill="{shade}"') for name, shade in zip(spread_names(panel), SHADES)]


def draw_panel(out: Drawing, panel: Panel, box: Box, last: float, x_label: str) -> None:
    top, near, far = panel_top(panel)
    unit, ns = draw.time_unit(last)
    x = Axis(0, last / ns, box.left, box.right)
    y = Axis(0, top, box.bottom, box.top)
    out.axis_x(x, box, x_label and f"{x_label} / {unit}")
    out.axis_y(y, box, panel.label)
    named, others = split_named(panel)
    in_unit = Axis(0, last, box.left, box.right)
    if others:
        draw_spread(out, spread(others, last), spread_names(panel), in_unit, y)
    for index, line in enumerate(named):
        out.begin("curve", line.name)
        out.path(((in_unit.place(time), y.place(min(value, top))) for time, value in peaks(line)),
                 f'fill="none" stroke-width="2" stroke-linejoin="round" {draw.curve_style(index)}')
        out.end()
    draw_thresholds(out, near, x, y)
    if far:
        out.text(box.right - 6, box.top + 14, "far above: " + ", ".join(one.name for one in far), anchor="end",
                 colour=FAINT, halo=True)


def lines_over_time(file: str, title: str, panels: Sequence[Panel], plot: int = 0) -> Drawing:
    """plot: the height of each panel; 0: as suits their number."""
    legends = [panel_entries(panel) for panel in panels]
    heights = [draw.legend_height(LEFT, [name for name, _ in one]) for one in legends]
    # The same lines in every panel need one legend.
    if all(one == legends[0] for one in legends):
        heights[1:] = [0.0] * (len(panels) - 1)
    plot = plot or (320 if len(panels) == 1 else 230)
    out = Drawing(file, title, 44 + sum(heights) + len(panels) * (plot + 44) + 28)
    top, last = 48.0, last_time(panels)
    for panel, legend, height in zip(panels, legends, heights):
        if height:
            out.legend(LEFT, top, legend)
        box = Box(LEFT, top + height + 8, draw.WIDTH - RIGHT, top + height + 8 + plot)
        draw_panel(out, panel, box, last, "time" if panel is panels[-1] else "")
        top = box.bottom + 36
    return out


# ---- heat maps ------------------------------------------------------------------------------------------------------

def draw_scale(out: Drawing, label: str) -> None:
    """What the colours mean, beside the title's line."""
    left, top, width = draw.WIDTH - 274, 50, 200
    for percent in range(0, 100, 2):
        out.rect(left + percent * width / 100, top, width / 50 + 0.3, 14, draw.heat_colour(percent + 1))
    out.text(left - 30, top + 12, f"{label} / %", anchor="end")
    out.text(left - 8, top + 12, "0", anchor="end")
    out.text(left + width + 8, top + 12, "100")


def draw_cells(out: Drawing, name: str, percents: Sequence[float], places: Sequence[float], top: float,
               height: float) -> None:
    """A row: a cell from each place to the next, neighbours of one colour as one, all of a colour as one element."""
    out.begin("cells", name)
    begin = 0
    colours = [draw.heat_colour(one) for one in percents]
    cells: dict[str, list[tuple[float, float]]] = {}
    for index, colour in enumerate(colours):
        if index + 1 == len(colours) or colours[index + 1] != colour:
            cells.setdefault(colour, []).append((places[begin], places[index + 1]))
            begin = index + 1
    for colour, ends in cells.items():
        out.cells(ends, top + height / 2, height, colour)
    out.end()


def most_loaded(lines: Lines) -> list[Line]:
    """The rows with the largest sums, in their order."""
    kept = sorted(lines.values(), key=lambda line: -sum(line.values))[:ROWS_MAX]
    names = {line.name for line in kept}
    return [line for line in lines.values() if line.name in names]


def columns_of(line: Line, last: float, columns: int) -> list[float]:
    """The mean of the samples in each column. A sample is of the interval that ends with it."""
    means, begin = [], 0
    for index in range(columns):
        end = bisect.bisect_right(line.times, last * (index + 1) / columns * (1 + 1e-12), begin)
        values = line.values[begin:end]
        means.append(sum(values) / len(values) if values else 0.0)
        begin = end
    return means


def heat_over_time(file: str, title: str, panels: Sequence[Panel]) -> Drawing:
    rows = [most_loaded(panel.lines) for panel in panels]
    last = last_time(panels)
    # A sample at 0 ends no interval.
    most = max(sum(time > 0 for time in line.times) for panel in rows for line in panel)
    columns = min(max(most, 1), COLUMNS_MAX)
    row_height = 16 if max(map(len, rows)) > 24 else 22
    left = 20 + max(draw.text_width(line.name, TICK_SIZE) for panel in rows for line in panel)
    left = min(left, draw.WIDTH / 3)
    heights = [max(len(panel), 2) * row_height + 96 for panel in rows]
    out = Drawing(file, title, 72 + sum(heights))
    draw_scale(out, "share of the time")
    top = 76.0
    for panel, lines, height in zip(panels, rows, heights):
        out.text(left, top + 18, panel.label, LABEL_SIZE)
        box = Box(left, top + 28, draw.WIDTH - 40, top + 28 + len(lines) * row_height)
        draw_heat(out, lines, box, last, columns)
        top += height
    return out


def draw_heat(out: Drawing, lines: list[Line], box: Box, last: float, columns: int) -> None:
    unit, ns = draw.time_unit(last)
    places = [box.left + (box.right - box.left) * index / columns for index in range(columns + 1)]
    height = (box.bottom - box.top) / len(lines)
    out.axis_x(Axis(0, last / ns, box.left, box.right), box, f"time / {unit}")
    for index, line in enumerate(lines):
        top = box.top + index * height
        out.text(box.left - 8, top + height / 2 + 5, draw.shorten(line.name, TICK_SIZE, box.left - 16), anchor="end")
        draw_cells(out, line.name, columns_of(line, last, columns), places, top + 0.5, height - 1)


# ---- loads of uplinks -----------------------------------------------------------------------------------------------

@dataclass
class Matrix:
    """Loads in percent, a row a switch."""
    title: str
    x_label: str
    rows: dict[str, list[float]]


def uplink_row_height(rows: int) -> int:
    return 26 if rows <= 24 else 16 if rows <= 64 else 5


def matrix_pair(file: str, title: str, pair: tuple[Matrix, Matrix]) -> Drawing:
    """Two matrices with the same rows beside each other."""
    names = list(pair[0].rows)
    row = uplink_row_height(len(names))
    label = max(draw.text_width(name, TICK_SIZE) for name in names) + 16
    label = min(label, draw.WIDTH / 6)
    width = (draw.WIDTH - 40 - 2 * label - 24) / 2
    out = Drawing(file, title, 112 + row * len(names) + 64)
    draw_scale(out, "load over the run")
    for index, matrix in enumerate(pair):
        left = 16 + label + index * (label + width + 24)
        draw_matrix(out, matrix, Box(left, 112, left + width, 112 + row * len(names)), row)
    return out


def draw_matrix(out: Drawing, matrix: Matrix, box: Box, row: int) -> None:
    columns = max(map(len, matrix.rows.values()))
    step = -(-columns // 16)
    width = (box.right - box.left) / columns
    places = [box.left + width * index for index in range(columns + 1)]
    every = -(-TICK_SIZE // row)
    out.text(box.left, box.top - 10, matrix.title, LABEL_SIZE)
    for index, (name, loads) in enumerate(matrix.rows.items()):
        top = box.top + index * row
        if index % every == 0:
            out.text(box.left - 8, top + row / 2 + 5, draw.shorten(name, TICK_SIZE, draw.WIDTH / 6 - 16), anchor="end")
        gap = 1 if row > 10 else 0
        for column, load in enumerate(loads):
            draw_cells(out, f"{name}, {column + 1}: {load:.1f} %", [load], [places[column] + gap, places[column + 1]],
                       top, row - gap)
            if width >= 30 and row >= 20:
                out.text((places[column] + places[column + 1]) / 2, top + row / 2 + 4, f"{load:.0f}", 13,
                         anchor="middle", colour="#ffffff" if load < 60 else "#000000")
    for column in range(0, columns, step):
        out.text((places[column] + places[column + 1]) / 2, box.bottom + 20, str(column + 1), anchor="middle")
    out.text((box.left + box.right) / 2, box.bottom + 44, matrix.x_label, LABEL_SIZE, anchor="middle")


# ---- distributions --------------------------------------------------------------------------------------------------

OTHERS = "all others"
CURVE_POINTS = 1000


def merge_small(curves: dict[str, list[float]]) -> dict[str, list[float]]:
    """The largest curves keep their names; the others become one."""
    if len(curves) <= CURVES_MAX:
        return curves
    large = set(sorted(curves, key=lambda name: -len(curves[name]))[:CURVES_MAX - 1])
    kept = {name: values for name, values in curves.items() if name in large}
    kept[OTHERS] = [value for name, values in curves.items() if name not in large for value in values]
    return kept


def steps(values: Sequence[float]) -> list[tuple[float, float]]:
    """Of sorted values, each with the percentage that is at most as large; the two ends in full."""
    step, count = len(values) // CURVE_POINTS + 1, len(values)
    return [(values[0], 0.0)] + [(value, 100 * (i + 1) / count) for i, value in enumerate(values)
                                 if i % step == 0 or i < 10 or i + 10 >= count]


def corners(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """A staircase: right along the old share, then up."""
    path = [points[0]]
    for (_, share), (value, more) in zip(points, points[1:]):
        path += [(value, share), (value, more)]
    return path


def distributions(file: str, title: str, curves: dict[str, list[float]], x_label: str, y_label: str, plot: int = 400) -> Drawing:
    curves = {name: sorted(values) for name, values in merge_small(curves).items()}
    names = [f"{name} ({len(values)})" for name, values in curves.items()]
    legend = draw.legend_height(LEFT, names)
    out = Drawing(file, title, 56 + legend + plot + 60)
    box = Box(LEFT, 56 + legend, draw.WIDTH - RIGHT, 56 + legend + plot)
    x = Axis(min(one[0] for one in curves.values()) / 1.02, max(one[-1] for one in curves.values()) * 1.02,
             box.left, box.right, log=True)
    y = Axis(0, 100, box.bottom, box.top)
    out.legend(LEFT, 48, [(name, draw.curve_style(index)) for index, name in enumerate(names)])
    out.axis_x(x, box, f"{x_label}, log scale")
    out.axis_y(y, box, y_label)
    for index, (name, values) in enumerate(zip(names, curves.values())):
        out.begin("curve", name)
        out.path(((x.place(value), y.place(share)) for value, share in corners(steps(values))),
                 f'fill="none" stroke-width="2.2" {draw.curve_style(index)}')
        out.end()
    return out
