# SPDX-License-Identifier: BSD-3-Clause
"""What every drawing shares: SVG elements, text, units, axes, legends and colours.

The same input gives the same bytes: there is no clock, no random number and no font file in it.
"""
from __future__ import annotations

import math
from typing import Iterable, NamedTuple, Sequence
from xml.sax.saxutils import escape

WIDTH = 960          # of every drawing; the text of a narrower one is larger on a page of the same width
TITLE_SIZE, LABEL_SIZE, TICK_SIZE = 20, 16, 14
INK, FAINT, GRID = "#222222", "#777777", "#dddddd"
LEGEND_ROW = 24
QUOTE = {'"': "&quot;"}
# Okabe and Ito chose these so that people who see few colours can tell them apart. The second six are dashed.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
CURVES_MAX = 2 * len(COLOURS)
# Viridis grows brighter evenly, so it also prints well without colour.
VIRIDIS = ("#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725")


# ---- text and numbers -----------------------------------------------------------------------------------------------

def clean(text: str) -> str:
    """Text without what XML cannot hold."""
    return "".join(one if one.isprintable() else "?" for one in text)


def text_width(text: str, size: float) -> float:
    """Roughly how wide a sans-serif font draws it; rather too wide than too narrow."""
    narrow = sum(one in " .,:;|'()[]!/iljtfrI" for one in text)
    return size * (0.62 * (len(text) - narrow) + 0.36 * narrow)


def shorten(text: str, size: float, width: float) -> str:
    """Text that fits, without its middle if it is too long: a name's end tells it from others."""
    if text_width(text, size) <= width:
        return text
    keep = max(int(width / (0.62 * size)) - 1, 2)
    return f"{text[:keep - keep // 2]}\u2026{text[-(keep // 2):]}"


def number(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def figure(value: float) -> str:
    """A value as a reader wants it: three digits, or more where they are whole."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def unit_of(most: float, units: Sequence[str]) -> tuple[str, float]:
    """The unit for values up to `most`, and how many of the first unit it holds."""
    factor, index = 1.0, 0
    while index + 1 < len(units) and most / factor > 2000:
        factor, index = factor * 1000, index + 1
    return units[index], factor


def time_unit(most_ns: float) -> tuple[str, float]:
    return unit_of(most_ns, ("ns", "us", "ms", "s"))


def bytes_unit(most: float) -> tuple[str, float]:
    return unit_of(most, ("B", "KB", "MB", "GB"))


# ---- ticks ----------------------------------------------------------------------------------------------------------

def even_step(span: float, count: int) -> float:
    """The step 1, 2 or 5 times a power of ten that divides `span` into at most `count` parts."""
    power = 10.0 ** math.floor(math.log10(span / count))
    return next(step for step in (power, 2 * power, 5 * power, 10 * power) if span / step <= count * (1 + 1e-9))


def even_ticks(least: float, most: float, count: int = 7) -> list[float]:
    step = even_step(most - least, count)
    first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def log_ticks(least: float, most: float) -> list[float]:
    """1, 2 and 5 of each power of ten; powers alone over many; even steps within less than one."""
    if most / least < 8:
        return even_ticks(least, most)
    inner = (1, 2, 5) if most / least < 1000 else (1,)
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    ticks = [10.0 ** power * factor for power in range(first, last + 1) for factor in inner]
    return [one for one in ticks if least * (1 - 1e-9) <= one <= most * (1 + 1e-9)]


def minor_ticks(least: float, most: float) -> list[float]:
    """The whole multiples of each power of ten: their uneven distances show that an axis is logarithmic."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    ticks = [10.0 ** power * factor for power in range(first, last + 1) for factor in range(1, 10)]
    return [one for one in ticks if least <= one <= most]


class Axis:
    """Maps values to places between two coordinates, evenly or by their logarithm."""

    def __init__(self, least: float, most: float, begin: float, end: float, log: bool = False) -> None:
        if log and most < least * 1.02:   # one value: room on both sides
            least, most = least / 1.1, most * 1.1
        self.least, self.most, self.log = least, most, log
        self.begin, self.end = begin, end
        self.ticks = log_ticks(least, most) if log else even_ticks(least, most)

    def place(self, value: float) -> float:
        if self.log:
            share = math.log(value / self.least) / math.log(self.most / self.least)
        else:
            share = (value - self.least) / (self.most - self.least)
        return self.begin + share * (self.end - self.begin)


def axis_top(most: float) -> float:
    """Where an axis from 0 ends: at a tick."""
    if most <= 0:
        return 1.0
    step = even_step(most, 6)
    return step * math.ceil(most / step - 1e-9)


# ---- colours --------------------------------------------------------------------------------------------------------

def curve_style(index: int) -> str:
    dash = ' stroke-dasharray="9,4"' if index >= len(COLOURS) else ""
    return f'stroke="{COLOURS[index % len(COLOURS)]}"{dash}'


def heat_colour(percent: float) -> str:
    """The colour of a share, in whole percent."""
    at = min(max(round(percent), 0), 100) / 100 * (len(VIRIDIS) - 1)
    low = min(int(at), len(VIRIDIS) - 2)
    pairs = ((int(VIRIDIS[low][i:i + 2], 16), int(VIRIDIS[low + 1][i:i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * (at - low)):02x}" for a, b in pairs)


# ---- the drawing ----------------------------------------------------------------------------------------------------

class Box(NamedTuple):
    """Where a panel's data is drawn."""
    left: float
    top: float
    right: float
    bottom: float


class Drawing:
    def __init__(self, file: str, title: str, height: float) -> None:
        self.file, self.title, self.height = file, clean(title), round(height)
        self.parts: list[str] = []
        self.groups = 0
        self.text(20, 32, shorten(self.title, TITLE_SIZE, WIDTH - 40), TITLE_SIZE, weight="bold")

    def text(self, x: float, y: float, text: str, size: float = TICK_SIZE, *, anchor: str = "start",
             colour: str = INK, weight: str = "", halo: bool = False, turned: bool = False) -> None:
        more = f' font-weight="{weight}"' if weight else ""
        more += ' stroke="#ffffff" stroke-width="4" paint-order="stroke"' if halo else ""
        more += f' transform="rotate(-90 {number(x)} {number(y)})"' if turned else ""
        self.parts.append(f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" text-anchor="{anchor}" '
                          f'fill="{colour}"{more}>{escape(clean(text))}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str = f'stroke="{GRID}"') -> None:
        self.parts.append(f'<path d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}" fill="none" {style}/>')

    def rect(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self.parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
                          f'height="{number(height)}" fill="{fill}"/>')

    def cells(self, ends: Iterable[tuple[float, float]], y: float, height: float, colour: str) -> None:
        """Rectangles of one row, from x to x, as wide lines: thousands of elements of their own would be a large file."""
        places = "".join(f"M{number(begin)} {number(y)}H{number(end)}" for begin, end in ends)
        self.parts.append(f'<path d="{places}" fill="none" stroke="{colour}" stroke-width="{number(height)}"/>')

    def path(self, points: Iterable[tuple[float, float]], style: str) -> None:
        """A line through points. The first is where the path begins."""
        places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.parts.append(f'<polyline points="{places}" {style}/>')

    def begin(self, kind: str, name: str) -> None:
        """Begins a group with a name, which viewers show beside the pointer: a curve, a threshold, cells."""
        self.groups += 1
        crisp = ' shape-rendering="crispEdges"' if kind == "cells" else ""   # no seams between neighbours
        self.parts.append(f'<g id="{kind}_{self.groups}"{crisp}><title>{escape(clean(name))}</title>')

    def end(self) -> None:
        self.parts.append("</g>")

    def axis_x(self, axis: Axis, box: Box, label: str) -> None:
        for tick in minor_ticks(axis.least, axis.most) if axis.log else ():
            self.line(axis.place(tick), box.top, axis.place(tick), box.bottom, 'stroke="#eeeeee"')
        for tick in axis.ticks:
            x = axis.place(tick)
            self.line(x, box.top, x, box.bottom)
            self.text(x, box.bottom + 20, f"{tick:.6g}", anchor="middle")
        self.line(box.left, box.bottom, box.right, box.bottom, f'stroke="{FAINT}"')
        if label:
            self.text((box.left + box.right) / 2, box.bottom + 44, label, LABEL_SIZE, anchor="middle")

    def axis_y(self, axis: Axis, box: Box, label: str) -> None:
        for tick in axis.ticks:
            y = axis.place(tick)
            self.line(box.left, y, box.right, y)
            self.text(box.left - 8, y + 5, f"{tick:.6g}", anchor="end")
        self.line(box.left, box.top, box.left, box.bottom, f'stroke="{FAINT}"')
        self.text(24, (box.top + box.bottom) / 2, label, LABEL_SIZE, anchor="middle", turned=True)

    def legend(self, left: float, top: float, entries: list[tuple[str, str]]) -> None:
        """Names beside what stands for each, in rows above a plot."""
        for (x, y), (name, sample) in zip(legend_places(left, [name for name, _ in entries]), entries):
            y += top + 16
            if sample.startswith("fill"):
                self.parts.append(f'<rect x="{number(x)}" y="{number(y - 11)}" width="26" height="12" {sample}/>')
            else:
                self.line(x, y - 5, x + 26, y - 5, f'{sample} stroke-width="3"')
            self.text(x + 32, y, legend_name(name))

    def svg(self) -> str:
        """The drawing as a file."""
        return ('<?xml version="1.0" encoding="utf-8"?>\n'
                + self.element('xmlns="http://www.w3.org/2000/svg"', f"<title>{escape(self.title)}</title>\n", self.parts))

    def inline(self, top: int = 0) -> str:
        """The drawing as part of an HTML document, with identifiers that no other drawing has, without what is above `top`."""
        stem = self.file.partition(".")[0]
        parts = [one.replace('<g id="', f'<g id="{stem}_', 1) if one.startswith('<g id="') else one for one in self.parts]
        return self.element(f'role="img" aria-label="{escape(self.title, QUOTE)}"', "", parts, top)

    def element(self, attributes: str, title: str, parts: list[str], top: int = 0) -> str:
        height = self.height - top
        return (f'<svg {attributes} width="{WIDTH}" height="{height}" '
                f'viewBox="0 {top} {WIDTH} {height}" font-family="sans-serif">\n{title}'
                f'<rect width="{WIDTH}" height="{self.height}" fill="#ffffff"/>\n'
                + "\n".join(parts) + "\n</svg>\n")


def legend_name(name: str) -> str:
    return shorten(clean(name), TICK_SIZE, WIDTH - 180)


def legend_places(left: float, names: list[str]) -> list[tuple[float, float]]:
    """Where each entry goes: in one row, or in as few rows as hold them, in columns of one width."""
    widths = [32 + text_width(legend_name(name), TICK_SIZE) + 24 for name in names]
    if left + sum(widths) <= WIDTH + 14:
        return [(left + sum(widths[:index]), 0.0) for index in range(len(widths))]
    width = max(widths)
    rows = -(-len(names) // max(int((WIDTH + 14 - left) // width), 1))
    columns = -(-len(names) // rows)
    return [(left + index % columns * width, float(index // columns * LEGEND_ROW)) for index in range(len(names))]


def legend_height(left: float, names: list[str]) -> float:
    return legend_places(left, names)[-1][1] + LEGEND_ROW if names else 0.0
