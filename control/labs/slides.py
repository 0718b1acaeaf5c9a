# SPDX-License-Identifier: BSD-3-Clause
"""Slides as one HTML file, which refers to nothing outside itself: the texts of a deck with the values of its runs, drawings of
these runs by control/plot, and pictures of the labs.

Every value stands in an element <data> with its formula as title, so that a teacher sees where it comes from.
"""
from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import charts
import draw
import markup
import results
from markup import Markup, element, join
from read import Invalid, Lines, Missing, Result
from report import DARK

from deck import Bars, Chart, Deck, Results, Slide
from formula import FormulaError, evaluate
from lab import FORMULA, LabError, whole

HERE = Path(__file__).resolve().parent
CHART_WIDTH = 540      # of a drawing beside text, in its own units: on a slide, they are larger than pixels
PLOT_HEIGHT = 262
MATRIX_WIDTH = 880
TITLE_HEIGHT = 40      # of a drawing: the slide has a title of its own
ALT = r"!\[([^\]]*)\]\({}\)"
SHOWN_MAX = 1e100
LAB_NUMBER = re.compile(r"0*([0-9]+)-")


# ---- values ---------------------------------------------------------------------------------------------------------

def shown(value: float) -> str:
    """A value as a reader far away wants it: 1,536; 0.62."""
    value = whole(float(f"{value:.4g}") if abs(value) < 1000 else float(round(value)))
    return f"{value:,}"


def data(formula: str, names: Results, where: str) -> tuple[Markup, float]:
    """The value of a formula as an element, and as a number, which is 0 for a text such as a setting."""
    try:
        value = evaluate(formula, names)
    except FormulaError as error:
        raise LabError(f"{where}: {formula}: {error}") from None
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise LabError(f"{where}: {formula}: neither a number nor a text")
    if not isinstance(value, str) and not abs(value) <= SHOWN_MAX:     # infinite, or no number at all
        raise LabError(f"{where}: {formula}: no number that can be shown")
    if isinstance(value, str):
        return element("data", value, value=value, title=formula), 0
    return element("data", shown(value), value=f"{value:.12g}", title=formula), value


def plain(text: str) -> list[Markup]:
    """A text without values; what stands between backquotes is what one types."""
    return [element("code", one) if i % 2 else markup.text(one) for i, one in enumerate(text.split("`"))]


def rich(text: str, names: Results, where: str) -> Markup:
    """A text with values where it has ${formula}."""
    parts: list[Markup] = []
    at = 0
    for match in FORMULA.finditer(text):
        parts += [*plain(text[at:match.start()]), data(match[1], names, where)[0]]
        at = match.end()
    return Markup("".join([*parts, *plain(text[at:])]))


# ---- what a slide shows ---------------------------------------------------------------------------------------------

def queue_panel(chart: Chart, names: Results) -> charts.Panel:
    lines = Lines()
    for label, run in chart.of.items():
        found = results.queue_lines(Result(str(names[run].directory)))
        for name, line in found.items():
            if chart.only in ("", name):
                shown_name = label if chart.only else f"{label} {name}".strip()
                lines.join(shown_name, line.times, line.values)
                lines[shown_name].name = shown_name
    if not lines:
        raise Missing(f"no queue {chart.only} was recorded")
    return charts.Panel(f"depth / {results.in_bytes(lines)}", lines)


def draw_queues(chart: Chart, names: Results) -> draw.Drawing:
    return charts.lines_over_time("queues.svg", "", [queue_panel(chart, names)], PLOT_HEIGHT)


def draw_rates(chart: Chart, names: Results) -> draw.Drawing:
    """Without targets and alphas."""
    (run,) = chart.of.values()
    return charts.lines_over_time("rates.svg", "", results.rate_panels(Result(str(names[run].directory)))[:1], PLOT_HEIGHT)


def draw_times(chart: Chart, names: Results) -> draw.Drawing:
    completion = results.Completion()
    for label, run in chart.of.items():
        completion.add(Result(str(names[run].directory)), label)
    return charts.distributions("times.svg", "", completion.times, "completion time / us", "flows done / %", PLOT_HEIGHT)


def draw_uplinks(chart: Chart, names: Results) -> draw.Drawing:
    """What leaves send up, of two runs beside each other."""
    pair = []
    for label, run in chart.of.items():
        rows = list(results.loads_of(Result(str(names[run].directory)), "leaf-spine", up=True).items())
        pair.append(charts.Matrix(label, "uplink, by spine", dict(rows[:chart.rows or len(rows)])))
    return charts.matrix_pair("uplinks.svg", "", (pair[0], pair[1]))


DRAWINGS: dict[str, Callable[[Chart, Results], draw.Drawing]] = {
    "queues": draw_queues, "rates": draw_rates, "times": draw_times, "uplinks": draw_uplinks}


def drawn(slide: Slide, chart: Chart, names: Results) -> Markup:
    draw.WIDTH = MATRIX_WIDTH if chart.kind == "uplinks" else CHART_WIDTH
    try:
        drawing = DRAWINGS[chart.kind](chart, names)
    except (Invalid, Missing, ValueError) as error:
        raise LabError(f"{slide.where}: chart: {error}") from None
    drawing.title, drawing.file = slide.title, f"slide{int(slide.minute * 60)}.svg"
    return element("figure", Markup(drawing.inline(TITLE_HEIGHT)), class_="chart")


def picture(path: Path) -> Markup:
    """A picture of a lab, with the words that the lab's page has for it."""
    try:
        content, page = path.read_bytes(), (path.parent / "page.md").read_text()
    except (OSError, UnicodeError) as error:
        raise LabError(f"{path}: {error}") from None
    words = re.search(ALT.format(re.escape(path.name)), page)
    data = base64.b64encode(content).decode()
    image = f'<img src="data:image/svg+xml;base64,{data}" alt="{markup.text(words[1] if words else "")}">'
    return element("figure", Markup(image), class_="picture")


def bars(slide: Slide, of: Bars, names: Results) -> Markup:
    values = [data(formula, names, slide.where) for _, formula in of.rows]
    most = max(value for _, value in values) or 1
    best = {"least": min(value for _, value in values), "most": most}.get(of.best)
    rows = []
    for (label, _), (told, value) in zip(of.rows, values):
        bar = element("i", class_="best" if value == best else "bar", style=f"width: {100 * value / most:.2f}%")
        rows.append(element("div", element("span", rich(label, names, slide.where)), element("span", bar, class_="track"),
                            element("span", told, f" {of.unit}".rstrip(), class_="value")))
    return element("figure", join(rows), class_="bars")


def table(slide: Slide, names: Results) -> Markup:
    assert slide.table is not None
    head = element("tr", *(element("th", one, scope="col") for one in slide.table.columns))
    rows = []
    for first, *rest in slide.table.rows:
        rows.append(element("tr", element("th", rich(first, names, slide.where), scope="row"),
                            *(element("td", rich(one, names, slide.where)) for one in rest)))
    return element("figure", element("table", element("thead", head), element("tbody", join(rows))), class_="table")


def text(slide: Slide, names: Results) -> Markup:
    """Lines that begin with "- " are a list; the others are paragraphs."""
    parts: list[Markup] = []
    items: list[Markup] = []
    for one in slide.text:
        if one.startswith("- "):
            items.append(element("li", rich(one[2:], names, slide.where)))
        else:
            parts.append(element("p", rich(one, names, slide.where)))
    return element("div", *parts, *([element("ul", *items)] if items else []), class_="text")


# ---- the document ---------------------------------------------------------------------------------------------------

def lab_number(name: str) -> str:
    """ "6" of 06-victim; of a lab whose name has no number, all of it."""
    number = LAB_NUMBER.match(name)
    return number[1] if number else name


def section(deck: Deck, index: int, names: Results, lab_folder: Path) -> Markup:
    slide = deck.slides[index]
    names.used.clear()
    parts = [text(slide, names)] if slide.text else []
    if slide.picture:
        parts.append(picture(lab_folder / slide.picture))
    if slide.chart:
        names.used.update(slide.chart.of.values())
        parts.append(drawn(slide, slide.chart, names))
    if slide.bars:
        parts.append(bars(slide, slide.bars, names))
    if slide.table:
        parts.append(table(slide, names))
    notes = [element("p", rich(one, names, slide.where)) for one in slide.notes]
    files = list(dict.fromkeys(run.shown for run in deck.runs if run.name in names.used))
    made = f"{files[0]} and {len(files) - 1} more" if len(files) > 2 else " and ".join(files)
    footer = element("footer", element("span", f"made by roost sim of {made}" if files else ""),
                     element("span", f"lab {lab_number(slide.lab)}" if slide.lab else ""),
                     element("span", f"{index + 1} / {len(deck.slides)}"))
    kind = "first" if index == 0 else "beside" if slide.chart and slide.chart.kind != "uplinks" else "wide"
    return element("section", element("h2", slide.title), element("div", *parts, class_=f"body {kind}"), footer,
                   element("aside", *notes, class_="notes"), id=f"slide-{index + 1}", tabindex="-1",
                   data_minute=f"{slide.minute:g}", aria_label=f"{index + 1}: {slide.title}")


def style() -> str:
    """The dark theme is chosen by a key, so it is no question to the browser alone."""
    dark = "".join(f":root[data-theme=dark] .chart svg {selector} {{ {rule}; }}\n" for selector, rule in DARK)
    return (HERE / "slides.css").read_text() + f"@media screen {{\n{dark}}}\n"


def make(deck: Deck, names: Results, lab_folder: Path, version: str) -> str:
    """The document. Raises LabError."""
    script = (HERE / "slides.js").read_text()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
              f"script-src 'sha256-{digest}'")
    head = join((Markup(f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="{markup.text(version)}">'),
                 Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
                 Markup('<meta name="viewport" content="width=device-width">'),
                 Markup(f'<meta name="description" content="{markup.text(deck.about)}">'), element("title", deck.title),
                 element("style", Markup(style())), Markup("</head>")))
    keys = "arrows: next, back \u00b7 n: notes \u00b7 w: second window \u00b7 d: dark, light \u00b7 f: full screen \u00b7 Home, End"
    body = element("body", element("main", join(section(deck, i, names, lab_folder) for i in range(len(deck.slides))),
                                   data_minutes=f"{deck.minutes:g}"),
                   element("div", element("div", id="said"), element("p", id="clock"), id="notes", hidden=""),
                   element("p", keys, id="keys"), element("script", Markup(script)))
    return f"{head}\n{body}</html>\n"
