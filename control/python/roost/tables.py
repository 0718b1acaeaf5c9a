# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a run: flows, links and counters, as rows or as a pandas DataFrame."""
import csv
import gzip
import importlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .errors import UnknownName, near

# Columns of flows.csv, links.csv and counters.csv that are text; all others are numbers.
TEXTS = {"item", "src", "dst", "tenant", "tier", "node", "port", "scope", "object", "counter"}


class Row(dict[str, Any]):
    """A row: a dict whose columns are attributes too: `row.fct_ps`. What is empty in the file is None."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(name if name.startswith("_") else f"no column {name}; {near(name, self)}")


class Table(list[Row]):
    """Rows in the order of the file."""

    def where(self, **columns: Any) -> "Table":
        """The rows that have these values: `run.flows.where(item="incast", dst="h1")`."""
        for name in columns:
            if self and name not in self[0]:
                raise UnknownName(f"no column {name}; {near(name, self[0])}")
        return Table(row for row in self if all(row[name] == value for name, value in columns.items()))

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the same columns. Needs pandas."""
        return importlib.import_module("pandas").DataFrame([dict(row) for row in self])


def read_csv(directory: str | os.PathLike[str], name: str) -> list[dict[str, str]]:
    """The rows of NAME in a directory, or of NAME.gz: all values as text."""
    path = Path(directory, name)
    with open(path, newline="") if path.exists() else gzip.open(f"{path}.gz", "rt", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def _value(column: str, text: str) -> Any:
    if text == "":
        return None
    return text if column in TEXTS else float(text) if "." in text or "e" in text else int(text)


def table(rows: Iterable[dict[str, str]]) -> Table:
    """Rows of text as a Table, numbers as numbers."""
    return Table(Row((column, _value(column, text)) for column, text in row.items()) for row in rows)
