# SPDX-License-Identifier: BSD-3-Clause
"""`roost report`: one HTML file of a result's directory, for a ticket or an appendix.

    python3 report.py OUT VERSION DIR FILM

`roost report` checks the command line and runs this. FILM is DIR/film, or a smaller one that was made of it. The HTML file
refers to nothing outside itself, and its policy forbids a browser to ask for anything. It runs no code but the viewer of films, in a frame that can do nothing else.
"""
from __future__ import annotations

import base64
import hashlib
import os
import sys
from xml.sax.saxutils import escape

import draw
import film_sections
import sections
from document import read_document
from draw import QUOTE
from film import Film, draw_film, film_bytes
from files import FAILED, USAGE, check_place, fail, naming, prepare, remove, say, write_temporary
from markup import Markup, duration, element, join
from plot import draw_one
from read import Invalid, Missing, Result, open_regular

COMMAND = "roost report"
HEAD = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="roost report">'
VIEWER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "web", "report.html")
DATA = "<!--ROOST-DATA-->"
TABLE_BYTES_MAX = 24 << 20     # of a table that is read: it takes two seconds
REPORT_BYTES_MAX = 5 << 20     # with a player of the film: trackers of tickets and mail servers refuse larger files

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #222222; --faint: #5f5f5f; --rule: #cccccc; --notice: #fff1d6; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 0 auto; padding: 1.5rem;
  max-width: 62rem; }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--rule); }
a { color: inherit; } nav ul { columns: 3 12rem; padding-left: 1.2rem; }
table { border-collapse: collapse; font-size: 0.87rem; } caption { text-align: left; color: var(--faint); padding: 0.3rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.2rem 0.9rem 0.2rem 0; border-bottom: 1px solid var(--rule);
  overflow-wrap: anywhere; }
thead th { overflow-wrap: normal; } tbody th { font-weight: normal; } .number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; } th:not(.number), td:not(.number) { min-width: 4.5em; }
.wide { overflow-x: auto; margin: 0.8rem 0; } figure { margin: 1.4rem 0; } figcaption { color: var(--faint); }
figure svg { display: block; width: 100%; height: auto; }
iframe { width: 100%; height: 44rem; border: 1px solid var(--rule); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--rule); padding: 0.8rem; font-size: 0.85rem; }
.notice { background: var(--notice); padding: 0.6rem 0.9rem; font-weight: bold; } .faint { color: var(--faint); }
:focus-visible { outline: 2px solid #0072b2; outline-offset: 2px; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ground: #181a1d; --ink: #e6e6e6; --faint: #a8a8a8; --rule: #43474d; --notice: #4a3511; }
DARK}
@media print {
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 10pt; } nav, .screen { display: none; } .wide { overflow: visible; }
  table { font-size: 7.5pt; } th, td { padding-right: 0.4rem; } thead { display: table-header-group; } tr, figure { break-inside: avoid; } h2, h3 { break-after: avoid; }
  figure svg { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
# What drawings have on white, on black. Colours of data stay as they are.
DARK = ((f'[fill="{draw.INK}"]', "fill: var(--ink)"), (f'[stroke="{draw.INK}"]', "stroke: var(--ink)"),
        (f'[fill="{draw.FAINT}"]', "fill: var(--faint)"), (f'[stroke="{draw.FAINT}"]', "stroke: var(--faint)"),
        (f'[stroke="{draw.GRID}"]', "stroke: #35393e"), ('[stroke="#eeeeee"]', "stroke: #272a2e"),
        ('> rect[fill="#ffffff"]', "fill: var(--ground)"), ('[stroke="#ffffff"]', "stroke: var(--ground)"),
        ('[fill="#e3e3e3"]', "fill: #33373c"), ('[fill="#c4c4c4"]', "fill: #4d5259"))


def style() -> str:
    return STYLE.replace("DARK", "".join(f"  svg {selector} {{ {rule}; }}\n" for selector, rule in DARK))


def policy(script: str) -> Markup:
    """Nothing is fetched, and no script runs but the viewer's."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"; script-src 'sha256-{digest}'" if script else ""
    return Markup('<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'; '
                  f'img-src data:; base-uri \'none\'; form-action \'none\'{allowed}">')


# ---- the film -------------------------------------------------------------------------------------------------------

def read_viewer() -> tuple[str, str] | None:
    """The page that shows films, if it was built: what stands before its script, and the script."""
    try:
        with open(VIEWER, encoding="utf-8") as file:
            before, _, after = file.read().partition(DATA)
    except FileNotFoundError:
        return None
    script = after.strip().removeprefix("<script>")
    return before, script[:script.index("</script>")]


def viewer(name: str, data: bytes, page: tuple[str, str]) -> Markup:
    before, script = page
    film = element("script", Markup(base64.b64encode(data).decode()), type="application/x-roost-film", data_name=name)
    inner = escape(f"{before}{film}<script>{script}</script></body></html>", QUOTE)
    # Of an origin of its own, it can do nothing but show the film.
    return Markup(f'<iframe title="the film" sandbox="allow-scripts" srcdoc="{inner}"></iframe>')


def resolution(film: Film) -> Markup:
    """How fine the drawings and the player are."""
    own, many = duration(film.own_interval * 1000), film.every * film.reduced
    drawn = (f"Drawn at a resolution of {duration(film.interval * film.every * 1000)}, which is {many} intervals of the film."
             if many > 1 else f"Drawn at a resolution of {own}, which is one interval of the film.")
    if film.reduced > 1:
        drawn += (f" The film is too large to include in full: each interval in this report stands for {film.reduced} intervals "
                  f"of {own}. `roost web DIR` shows the film in full.")
    return element("p", drawn, class_="faint")


def read_film(directory: str, path: str) -> tuple[bytes | None, Film | None, str]:
    """The film, if a report can show it, or why not."""
    try:
        data = film_bytes(path)
        if data is None:
            return None, None, "Not recorded: record.film writes one."
        return data, Film(os.path.join(directory, "film"), data), ""
    except Missing as why:
        return None, None, f"Not drawn: {why}."


def drawn_film(film: Film, name: str) -> Markup:
    return join((resolution(film), sections.drawings(draw_film(film, name))))


def add_player(parts: dict[str, Markup], name: str, data: bytes | None) -> str:
    """Adds a player of the film if the report stays small enough. Returns its script."""
    page = read_viewer() if data is not None else None
    if page is None:
        return ""
    played = viewer(name, data, page)
    fits = len(played) + sum(map(len, parts.values())) <= REPORT_BYTES_MAX
    shown = join((element("h3", "Play it"), played)) if fits else element(
        "p", f"No player: with it, the report would be larger than {REPORT_BYTES_MAX >> 20} MB. `roost web DIR` plays the film.")
    parts["Film"] = join((parts["Film"], element("div", shown, class_="screen")))
    return page[1] if fits else ""


# ---- the document ---------------------------------------------------------------------------------------------------

def film_alone(directory: str) -> bool:
    """Whether the directory has a film, as of a live fabric, and no results of a run."""
    has_result, has_film = (os.path.lexists(os.path.join(directory, name)) for name in ("result.json", "film"))
    return has_film and not has_result


def make_report(directory: str, version: str, path: str) -> str:
    """path: of the film."""
    name = os.path.basename(os.path.realpath(directory))
    data, film, why = read_film(directory, path)
    film_part = drawn_film(film, name) if film else element("p", why)
    if film_alone(directory):
        if film is None:
            raise Invalid(f"{os.path.join(directory, 'film')}: too large for a report, and there is no result.json; "
                          "`roost web DIR` shows it")
        parts = film_sections.parts_of(film, directory, version, film_part)
    else:
        parts = parts_of_result(directory, version, film_part)
    return make_page(name, parts, add_player(parts, name, data))


def parts_of_result(directory: str, version: str, film: Markup) -> dict[str, Markup]:
    document, result = read_document(directory), Result(directory, TABLE_BYTES_MAX)
    missing: list[str] = []
    drawn = draw_one(result, missing)
    summary = document.object("summary")
    plots = [sections.drawings(drawn)]
    if missing:
        plots.append(element("p", "Not drawn: ", "; ".join(missing), ".", class_="faint"))
    return {
        "Summary": join((sections.notices(summary), sections.figures(document))),
        "What to look at": sections.look_at(document),
        "Workload": sections.groups(document, "items", "workload item"),
        "Tenants": sections.groups(document, "tenants", "tenant"),
        "Collectives": sections.collectives(document),
        "Steps": sections.steps(document),
        "Slowest flows": sections.slowest_flows(result),
        "Drops": sections.drops(document, result),
        "Plots": join(plots),
        "Film": film,
        "Log": sections.log(document, "log", "result.json"),
        "Configuration": sections.configuration(document),
        "Versions": sections.versions(document, version),
    }


def make_page(name: str, parts: dict[str, Markup], script: str) -> str:
    title = f"Roost: {name}"
    head = join((Markup(HEAD), policy(script),
                 Markup('<meta name="viewport" content="width=device-width">'), element("title", title),
                 element("style", Markup(style())), Markup("</head>")))
    contents = element("nav", element("ul", *(element("li", element("a", name, href=f"#section-{anchor(name)}")) for name in parts)),
                       aria_label="Contents")
    body = element("body", element("header", element("h1", title)), Markup("\n"), contents,
                   element("main", *(element("section", element("h2", name, id=f"section-{anchor(name)}"), Markup("\n"), part,
                                             aria_labelledby=f"section-{anchor(name)}") for name, part in parts.items())))
    return f"{head}\n{body}</html>\n"


def anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


# ---- the program ----------------------------------------------------------------------------------------------------

def check_report(path: str) -> None:
    """Only an earlier report is replaced: a slip of -o must not cost a file."""
    check_place(path)
    try:
        with open_regular(path) as file:
            earlier = file.read(len(HEAD)) == HEAD.encode()
    except FileNotFoundError:
        return
    if not earlier:
        raise Invalid(f"{path}: exists and is not a report; remove it, or choose another name")


def write_report(path: str, text: str) -> None:
    with naming(path):
        temporary = write_temporary(path, text)
        try:
            os.replace(temporary, path)
        except BaseException:
            remove(temporary)
            raise


def main(arguments: list[str]) -> int:
    out, version, directory, film = arguments
    try:
        check_report(out)
        write_report(out, make_report(directory, version, film))
    except Invalid as error:
        return fail(COMMAND, str(error), USAGE)
    except OSError as error:
        return fail(COMMAND, f"{error.filename or out}: {error.strerror}", FAILED)
    except MemoryError:
        return fail(COMMAND, "out of memory: the result is too large for a report", FAILED)
    return say(COMMAND, [out])


if __name__ == "__main__":
    prepare()
    sys.exit(main(sys.argv[1:]))
