# SPDX-License-Identifier: BSD-3-Clause
"""Reads a directory that `roost sim -o DIR` wrote: result.json, and the CSV files that `record:` asks for.

The files may come from anywhere, so each value is checked. What is wrong raises Invalid, whose text names the file
and the line or the element.
"""
from __future__ import annotations

import json
import math
import os
import re
import stat
from array import array
from dataclasses import dataclass, field
from typing import Any, Iterator

LINE_BYTES_MAX = 1 << 20
TIME_PS_MAX = 1 << 63
NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
NOT_PRINTABLE = re.compile(rb"[^ -~]")


class Invalid(Exception):
    """A file is missing or holds what `roost sim` does not write."""


@dataclass
class Line:
    """Values over time, by name: a curve, or a row of a heat map."""
    name: str
    times: array = field(default_factory=lambda: array("d"))   # ns
    values: array = field(default_factory=lambda: array("d"))

    @property
    def peak(self) -> float:
        return max(self.values, default=0.0)

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values) if self.values else 0.0


class Lines(dict[str, Line]):
    """Lines by name, in the order in which the names first appear."""

    def add(self, name: str, time: float, value: float) -> None:
        line = self.get(name)
        if line is None:
            line = self[name] = Line(name)
        line.times.append(time)
        line.values.append(value)


# ---- result.json ----------------------------------------------------------------------------------------------------

def open_regular(path: str) -> Any:
    """Opens a file for reading; a FIFO or a device would never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    raise Invalid(f"{path}: not a regular file")


def refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice in one object")
    return found


def refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not a JSON number")


def parse_json(path: str, text: bytes) -> Any:
    try:
        return json.loads(text.decode(), object_pairs_hook=refuse_duplicates, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        raise Invalid(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from None
    except RecursionError:
        raise Invalid(f"{path}: nested too deeply") from None
    except ValueError as error:
        raise Invalid(f"{path}: {error}") from None


class Result:
    """result.json, and the directory that it stands in."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.path = os.path.join(directory, "result.json")
        try:
            with open_regular(self.path) as file:
                document = parse_json(self.path, file.read())
        except FileNotFoundError:
            raise Invalid(f"{self.path}: no such file; `roost sim FILE -o DIR` writes it") from None
        except OSError as error:
            raise Invalid(f"{self.path}: {error.strerror}") from None
        self.flows = self.list_of(document, "flows")
        self.links = self.list_of(document, "links")

    @property
    def name(self) -> str:
        """The run's name: that of its directory."""
        return os.path.basename(os.path.realpath(self.directory))

    def list_of(self, document: Any, key: str) -> list[dict[str, Any]]:
        found = document.get(key) if isinstance(document, dict) else None
        if not isinstance(found, list):
            raise Invalid(f"{self.path}: has no list of {key}; is it from `roost sim -o`?")
        for index, one in enumerate(found):
            if not isinstance(one, dict):
                raise self.invalid(key, index, "not an object")
        return found

    def invalid(self, key: str, index: int, what: str) -> Invalid:
        return Invalid(f"{self.path}: {key}[{index}]: {what}")

    def text(self, key: str, index: int, name: str) -> str:
        value = getattr(self, key)[index].get(name)
        if not isinstance(value, str):
            raise self.invalid(key, index, f"{name}: not a string")
        return value

    def time_ps(self, index: int, name: str, least: int) -> int:
        value = self.flows[index].get(name)
        if type(value) is not int or not least <= value < TIME_PS_MAX:
            raise self.invalid("flows", index, f"{name}: not a time in picoseconds")
        return value

    def load(self, index: int) -> float:
        value = self.links[index].get("load")
        if type(value) not in (int, float) or not 0 <= value < 1e18 or math.isnan(value):
            raise self.invalid("links", index, "load: not a share")
        return float(value)


# ---- CSV ------------------------------------------------------------------------------------------------------------

class Table:
    """A CSV file, read row by row: a heading, then rows with the same number of fields. Nothing is quoted."""

    def __init__(self, path: str, file: Any, heading: str, wide: bool) -> None:
        self.path, self.file, self.number = path, file, 0
        line = self.next_line()
        if line is None:
            raise self.invalid("the file is empty")
        if not (line.startswith(heading + ",") if wide else line == heading):
            raise self.invalid(f"the heading is not {heading}{',...' if wide else ''}")
        self.columns = line.split(",")

    def invalid(self, what: str) -> Invalid:
        return Invalid(f"{self.path}:{self.number}: {what}")

    def next_line(self) -> str | None:
        line = self.file.readline(LINE_BYTES_MAX + 1)
        self.number += 1
        if not line:
            return None
        if len(line) > LINE_BYTES_MAX:
            raise self.invalid(f"the line is longer than {LINE_BYTES_MAX} bytes")
        if line[-1:] != b"\n":
            raise self.invalid("the file ends within a line")
        strange = NOT_PRINTABLE.search(line, 0, len(line) - 1)
        if strange:
            raise self.invalid(f"byte 0x{strange.group()[0]:02x} is not allowed here")
        return line[:-1].decode("ascii")

    def rows(self) -> Iterator[list[str]]:
        while (line := self.next_line()) is not None:
            fields = line.split(",")
            if len(fields) != len(self.columns):
                raise self.invalid(f"{len(fields)} fields, but the heading has {len(self.columns)}")
            yield fields

    def timed_rows(self) -> Iterator[tuple[float, list[str]]]:
        """Rows with their time in ns, which stands in the first column and never decreases."""
        before = 0.0
        for fields in self.rows():
            time = self.value(fields, 0)
            if time < before:
                raise self.invalid("time_ns goes backwards")
            before = time
            yield time, fields

    def value(self, fields: list[str], column: int) -> float:
        """A number that is not negative."""
        text = fields[column]
        value = float(text) if NUMBER.fullmatch(text) else math.inf
        if value >= 1e18:
            raise self.invalid(f'{self.columns[column]}: "{text[:40]}" is not a number')
        return value if value >= 1e-9 else 0.0    # no axis has room for less


def open_table(directory: str, name: str, heading: str, wide: bool = False) -> Table | None:
    """Returns None if there is no such file."""
    path = os.path.join(directory, name)
    try:
        return Table(path, open_regular(path), heading, wide)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Invalid(f"{path}: {error.strerror}") from None
