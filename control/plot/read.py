# SPDX-License-Identifier: BSD-3-Clause
"""Reads a directory that `roost sim -o DIR` wrote: the tables of flows and links, and the series of `record:`.

The files may come from anywhere, so each value is checked. What is wrong raises Invalid, whose text names the file
and the line.
"""
from __future__ import annotations

import csv
import gzip
import math
import os
import re
import stat
import zlib
from array import array
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

LINE_BYTES_MAX = 1 << 20
TIME_PS_MAX = 1 << 63
FLOWS = "id,item,src,dst,tenant,bytes,start_ps,fct_ps,ideal_ps,retransmitted"    # what is read of flows.csv
LINKS = "src,dst,tier,load"
INTEGER = re.compile(r"0|[1-9][0-9]*")
NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
NOT_PRINTABLE = re.compile(rb"[^ -~]")


class Invalid(Exception):
    """A file is missing or holds what `roost sim` does not write."""


class Missing(Exception):
    """There is nothing to draw or to list: what, and why."""


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

    def join(self, name: str, times: array, values: array) -> None:
        """Adds many values. A line that is new keeps the arrays, of which others may share the times."""
        line = self.get(name)
        if line is None:
            self[name] = Line(name, times, values)
        else:
            line.times, line.values = line.times + times, line.values + values


# ---- CSV ------------------------------------------------------------------------------------------------------------

def open_regular(path: str) -> Any:
    """Opens a file for reading; a FIFO or a device would never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    raise Invalid(f"{path}: not a regular file")


class Compressed:
    """A gzip file, whose errors name it."""

    def __init__(self, path: str, file: Any) -> None:
        self.path, self.file = path, gzip.GzipFile(fileobj=file)

    def __enter__(self) -> Compressed:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        self.file.fileobj.close()

    def readline(self, size: int) -> bytes:
        try:
            return self.file.readline(size)
        except (EOFError, OSError, zlib.error) as error:
            raise Invalid(f"{self.path}: {error}") from None


class Table:
    """A CSV file, read row by row: a heading, then rows with the same number of fields.

    With `names` its texts may be any that a user has chosen, in quotes where they need them, and the heading may have
    more columns than are wanted: rows() gives the wanted ones. Without `names`, no text may be in quotes. Of a file that
    is larger than `most` bytes, a reader would wait too long: Missing.
    """

    def __init__(self, path: str, file: Any, heading: str, wide: bool = False, names: bool = False,
                 most: float = math.inf) -> None:
        self.path, self.file, self.number, self.names, self.most, self.read = path, file, 0, names, most, 0
        line = self.next_line()
        if line is None:
            raise self.invalid("the file is empty")
        self.columns = line.split(",")
        self.wanted = list(range(len(self.columns)))
        if names:
            self.want(heading.split(","))
        elif not (line.startswith(heading + ",") if wide else line == heading):
            raise self.invalid(f"the heading is not {heading}{',...' if wide else ''}")

    def invalid(self, what: str) -> Invalid:
        shown = "".join(one if one.isprintable() else "?" for one in what)
        return Invalid(f"{self.path}:{self.number}: {shown}")

    def too_large(self) -> Missing:
        return Missing(f"{os.path.basename(self.path)} has more than {self.most / (1 << 20):.0f} MB")

    def want(self, names: list[str]) -> None:
        for name in names:
            if self.columns.count(name) != 1:
                raise self.invalid(f"the heading has no column {name}, or several")
        self.wanted = [self.columns.index(name) for name in names]

    def next_line(self) -> str | None:
        line = self.file.readline(LINE_BYTES_MAX + 1)
        self.number += 1
        if not line:
            return None
        self.read += len(line)
        if self.read > self.most:
            raise self.too_large()
        if len(line) > LINE_BYTES_MAX:
            raise self.invalid(f"the line is longer than {LINE_BYTES_MAX} bytes")
        if line[-1:] != b"\n":
            raise self.invalid("the file ends within a line")
        strange = NOT_PRINTABLE.search(line, 0, len(line) - 1)
        if strange and not self.names:
            raise self.invalid(f"byte 0x{strange.group()[0]:02x} is not allowed here")
        try:
            return line[:-1].decode()
        except UnicodeDecodeError:
            raise self.invalid("not UTF-8") from None

    def lines(self) -> Iterator[str]:
        while (line := self.next_line()) is not None:
            yield line + "\n"

    def split(self) -> Iterator[list[str]]:
        if not self.names:
            for line in self.lines():
                yield line[:-1].split(",")
            return
        try:
            yield from csv.reader(self.lines(), strict=True)
        except csv.Error as error:
            raise self.invalid(str(error)) from None

    def rows(self) -> Iterator[list[str]]:
        for fields in self.split():
            if len(fields) != len(self.columns):
                raise self.invalid(f"{len(fields)} fields, but the heading has {len(self.columns)}")
            yield [fields[column] for column in self.wanted] if self.names else fields

    def timed_rows(self) -> Iterator[tuple[float, list[str]]]:
        """Rows with their time in ns, which stands in the first column and never decreases."""
        before = 0.0
        for fields in self.rows():
            time = self.value(fields, 0)
            if time < before:
                raise self.invalid("time_ns goes backwards")
            before = time
            yield time, fields

    def name_of(self, column: int) -> str:
        return self.columns[self.wanted[column]]

    def value(self, fields: list[str], column: int) -> float:
        """A number that is not negative."""
        text = fields[column]
        value = float(text) if NUMBER.fullmatch(text) else math.inf
        if value >= 1e18:
            raise self.invalid(f'{self.name_of(column)}: "{text[:40]}" is not a number')
        return value if value >= 1e-9 else 0.0    # no axis has room for less


    def integer(self, fields: list[str], column: int, least: int = 0) -> int:
        text = fields[column]
        if not INTEGER.fullmatch(text[:20]) or not least <= int(text[:20]) < TIME_PS_MAX:
            raise self.invalid(f'{self.name_of(column)}: "{text[:40]}" is not an integer of at least {least}')
        return int(text)


def no_directory(path: str) -> Invalid:
    return Invalid(f"{path} is not a directory: name one that `roost sim FILE -o DIR` wrote")


def open_table(directory: str, name: str, heading: str, wide: bool = False, names: bool = False,
               most: float = math.inf) -> Table | None:
    """Opens NAME, or NAME.gz. Returns None if there is neither."""
    path = os.path.join(directory, name)
    for path in (path, f"{path}.gz"):
        try:
            file = open_regular(path)
        except FileNotFoundError:
            continue
        except NotADirectoryError:
            raise no_directory(directory) from None
        except OSError as error:
            raise Invalid(f"{path}: {error.strerror}") from None
        table = Table(path, Compressed(path, file) if path.endswith(".gz") else file, heading, wide, names, most)
        if os.fstat(file.fileno()).st_size > most:    # before its rows are read
            file.close()
            raise table.too_large()
        return table
    return None


# ---- the result -----------------------------------------------------------------------------------------------------

@dataclass(slots=True)
class Flow:
    item: str
    src: str
    dst: str
    tenant: str             # "": none
    bytes: int
    start_ps: int | None    # None: not started
    fct_ps: int | None      # None: not complete
    ideal_ps: int           # 0: unknown
    retransmitted: int


@dataclass
class Link:
    sender: tuple[str, str]     # the node and its port
    receiver: tuple[str, str]
    tier: str
    load: float


class Result:
    """The flows and links of a run, and the directory that they stand in.

    Of a table that is larger than `most` bytes nothing is kept: `no_flows` and `no_links` say so.
    """

    def __init__(self, directory: str, most: float = math.inf) -> None:
        self.directory, self.most = directory, most
        self.flows: dict[int, Flow] = {}
        self.links: list[Link] = []
        self.no_flows = self.unless_large(self.read_flows)
        self.no_links = self.unless_large(self.read_links)
        if self.no_flows:
            self.flows.clear()
        if self.no_links:
            self.links.clear()

    @staticmethod
    def unless_large(read: Callable[[], None]) -> str:
        try:
            read()
        except Missing as why:
            return str(why)
        return ""

    @property
    def name(self) -> str:
        """The run's name: that of its directory."""
        return os.path.basename(os.path.realpath(self.directory))

    def need_table(self, name: str, heading: str) -> Table:
        table = open_table(self.directory, name, heading, names=True, most=self.most)
        if table is None:
            raise Invalid(f"{os.path.join(self.directory, name)}: no such file; `roost sim FILE -o DIR` writes it")
        return table

    def read_flows(self) -> None:
        table = self.need_table("flows.csv", FLOWS)
        with table.file:
            for fields in table.rows():
                flow = Flow(fields[1], fields[2], fields[3], fields[4], table.integer(fields, 5),
                            table.integer(fields, 6) if fields[6] else None,
                            table.integer(fields, 7, 1) if fields[7] else None, table.integer(fields, 8),
                            table.integer(fields, 9))
                self.flows[table.integer(fields, 0)] = flow

    def read_links(self) -> None:
        table = self.need_table("links.csv", LINKS)
        with table.file:
            for fields in table.rows():
                ends = [tuple(fields[column].split(".")) for column in (0, 1)]
                for column, end in enumerate(ends):
                    if len(end) != 2 or not all(end):
                        raise table.invalid(f'{table.name_of(column)}: "{fields[column][:40]}" is not a port')
                self.links.append(Link(ends[0], ends[1], fields[2], table.value(fields, 3)))
