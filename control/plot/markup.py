# SPDX-License-Identifier: BSD-3-Clause
"""HTML whose texts are escaped unless they are HTML already, and values as a reader wants them."""
from __future__ import annotations

from typing import Iterable, Sequence
from xml.sax.saxutils import escape

from draw import QUOTE, clean


class Markup(str):
    """Text that is HTML."""


def text(value: str) -> Markup:
    return value if isinstance(value, Markup) else Markup(escape(clean(value), QUOTE))


def element(name: str, *content: str, **attributes: str) -> Markup:
    """An element. A trailing _ of an attribute's name is left out, any other is a hyphen: class_, aria_label."""
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(clean(value), QUOTE)}"'
                    for key, value in attributes.items())
    return Markup(f"<{name}{words}>{''.join(map(text, content))}</{name}>")


def join(parts: Iterable[str]) -> Markup:
    return Markup("\n".join(map(text, parts)))


def table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """A table whose first column names its rows. The name of a column of numbers begins with #."""
    right = [{"class_": "number"} if one.startswith("#") else {} for one in columns]
    head = element("tr", *(element("th", one.lstrip("#"), scope="col", **kind) for one, kind in zip(columns, right)))
    body = [element("tr", *(element("td", one, **kind) if index else element("th", one, scope="row", **kind)
                            for index, (one, kind) in enumerate(zip(row, right)))) for row in rows]
    made = element("table", element("caption", caption), element("thead", head),
                   element("tbody", Markup("\n"), join(body)))
    # A table that is wider than the window is scrolled, also by keys.
    return element("div", made, class_="wide", role="region", tabindex="0", aria_label=caption)


# ---- values ---------------------------------------------------------------------------------------------------------

def scaled(value: float, units: Sequence[str]) -> str:
    index = 0
    while index + 1 < len(units) and value >= 1000:
        value, index = value / 1000, index + 1
    return f"{value:.4g} {units[index]}"


DASH = "\u2013"     # no value


def duration(ps: int | None) -> str:
    return DASH if ps is None else scaled(ps, ("ps", "ns", "us", "ms", "s"))


def size(count: int) -> str:
    return scaled(count, ("B", "KB", "MB", "GB", "TB"))


def count(number: int) -> str:
    return f"{number:,}"


def ratio(value: float | None) -> str:
    return DASH if value is None else f"{value:.3f}"
