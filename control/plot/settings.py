# SPDX-License-Identifier: BSD-3-Clause
"""The `settings` of result.json as YAML again: a file that `roost sim` runs as the one they come from."""
from __future__ import annotations

import json
import re
from typing import Any

from draw import clean

LINE = 110         # characters of a list or map on one line
PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./%+-]*")
OTHER = {"null", "Null", "NULL", "true", "false", "yes", "no"}    # words that other readers of YAML do not take as texts


def word(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str) and not (PLAIN.fullmatch(value) and value not in OTHER):
        return clean(json.dumps(value, ensure_ascii=False))
    return str(value)


def flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{word(key)}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return word(value)


def lines(value: Any, indent: int) -> list[str]:
    """A list or map in lines of its own."""
    found = []
    for key, one in value.items() if isinstance(value, dict) else ((None, one) for one in value):
        head = " " * indent + ("-" if key is None else f"{word(key)}:")
        short = flow(one)
        if not isinstance(one, (dict, list)) or not one or (indent > 0 and len(head) + len(short) < LINE):
            found.append(f"{head} {short}")
        else:
            inner = lines(one, indent + 2)
            # A dash stands on the line of what follows it.
            found += [f"{head} {inner[0].lstrip()}", *inner[1:]] if key is None else [head, *inner]
    return found


def yaml_text(settings: dict[str, Any]) -> str:
    return "\n".join(lines(settings, 0))
