# SPDX-License-Identifier: BSD-3-Clause
"""The counters that there are, from what `roost schema --counters` prints; doc/counters.md explains them."""
import re
from functools import cache
from typing import Any, NamedTuple

from .program import PathLike, find, run

POOLS = ("ingress-lossless", "ingress-lossy", "egress-lossless", "egress-lossy", "headroom")
PRIORITIES = 8
SCOPE = re.compile(r".*\(`(\w+)`\)|A (port|priority)\b")


class Row(NamedTuple):
    """A counter."""
    name: str
    kind: str   # "counter", "gauge", "boolean" or "instant"
    unit: str
    help: str

    @property
    def initial(self) -> int:
        """Its value as long as nothing has happened; the same if a result does not mention the counter."""
        return -1 if self.kind == "instant" else False if self.kind == "boolean" else 0

    @property
    def optional(self) -> bool:
        """Whether absence does not mean the initial value."""
        return "absent if" in self.help


class Schema:
    """`rows[scope][name]`: the scopes are "port", "priority", "pg", "queue", "pools", "packets" and "tenants", as in
    counters.json."""

    def __init__(self, markdown: str) -> None:
        self.rows: dict[str, dict[str, Row]] = {}
        for section in re.split(r"^### ", markdown, flags=re.M)[1:]:
            found = SCOPE.match(section.splitlines()[0])
            if found:
                scope = found.group(1) or found.group(2)
                self.rows[scope] = {cells[0]: Row(*cells) for cells in
                                    re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*?) ?\| (.*) \|$", section, re.M)}

    def initial(self, scope: str) -> dict[str, Any]:
        """The initial values of a scope's counters."""
        return {row.name: row.initial for row in self.rows[scope].values() if not row.optional}

    def port(self) -> dict[str, Any]:
        """A port to which nothing has happened, as counters.json has it."""
        made = {name: value for name, value in self.initial("port").items() if not name.startswith("reorder_")}
        made.update((name, [value] * PRIORITIES) for name, value in self.initial("priority").items())
        for scope in ("pg", "queue"):
            made[scope] = [self.initial(scope) for _ in range(PRIORITIES)]
        made["drops"] = {}
        return made


@cache
def _schema(program: str) -> Schema:
    return Schema(run(program, "schema", "--counters").out)


def schema(program: PathLike | None = None) -> Schema:
    """The schema of a program; it is asked once."""
    return _schema(find(program))
