# SPDX-License-Identifier: BSD-3-Clause
"""Reads a film (doc/film.md) and draws it: loads, pauses, queues and drops over time.

Intervals are added up to at most COLUMNS_MAX columns of a drawing while the film is read. `roost report` hands over a large
film with fewer intervals, each of which stands for `every` of the film's own.
"""
from __future__ import annotations

import json
import os
import struct
import zlib
from array import array
from itertools import accumulate
from typing import Any, Callable, Iterator

from charts import COLUMNS_MAX, ROWS_MAX, Panel, heat_over_time, lines_over_time
from document import Fields
from draw import Drawing
from markup import DASH
from read import Invalid, Lines, Missing, no_directory, open_regular
from results import in_bytes

FILM_BYTES_MAX = 16 << 20      # of the file: more takes too long to read
META_BYTES_MAX = 64 << 20      # decompressed, together
CHUNKS_BYTES_MAX = 12 << 20    # decompressed, together: a byte can be a value, and a second is a few MB
VALUES_MAX = 32 << 20          # in memory
HEAD = struct.Struct("<4sIII")
PEAKS = {"depth_max"}          # the highest of several intervals counts, not their sum
COLUMNS = {"tx_bytes", "tx_packets", "paused", "pausing", "drops"} | PEAKS
PRIORITIES, CLASSES = 9, 8


def film_bytes(path: str) -> bytes | None:
    """A film; None without one."""
    try:
        with open_regular(path) as file:
            data = file.read(FILM_BYTES_MAX + 1)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise no_directory(os.path.dirname(path)) from None
    except OSError as error:
        raise Invalid(f"{path}: {error.strerror}") from None
    if len(data) > FILM_BYTES_MAX:
        raise too_large()
    return data


def too_large() -> Missing:
    return Missing("the film is too large; `roost web DIR` shows it")


def numbers(data: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in data:
        value, shift = value | (byte & 127) << shift, shift + 7
        if byte < 128:
            yield value
            value = shift = 0
        elif shift > 63:
            raise ValueError("a number is too long")


def runs(stream: Iterator[int], total: int) -> Iterator[tuple[int, int, int]]:
    """The values of a series that are not 0: the first interval, the one behind the last, the value."""
    at = value = 0
    while at < total:
        change = next(stream)
        value += change // 2 if change % 2 == 0 else -(change + 1) // 2
        many = next(stream) if change == 0 else 1
        if not 0 < many <= total - at or not 0 <= value < 1 << 63:
            raise ValueError("a series does not fit its chunk")
        if value:
            yield at, at + many, value
        at += many


class Film:
    """What is drawn of a film: `values` by column and place, each in as many columns as `ends` has instants."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.meta = path, Fields(path, "", {})
        self.values: dict[tuple[str, int], array] = {}
        self.totals: dict[tuple[str, int], int] = {}    # by column and place: the sum, or the highest value
        self.room = {b"META": META_BYTES_MAX, b"CHNK": CHUNKS_BYTES_MAX}
        self.columns: list[str] = []
        self.lost = self.begin = self.end = 0    # intervals, ns, ns
        try:
            blocks = list(self.blocks(data))
            total = max((first + count for kind, first, count, _ in blocks if kind == b"CHNK"), default=0)
            if total == 0:
                raise ValueError("it has no intervals")
            self.total = total
            self.every = -(-total // COLUMNS_MAX)
            self.lengths = [0] * -(-total // self.every)    # of the columns, ns
            self.add_blocks(blocks)
            self.lost += self.meta.count("lost") if self.meta.has("lost") else 0
        except (ValueError, StopIteration, RecursionError, zlib.error) as error:
            raise Invalid(f"{path}: not a valid film: {error or 'a chunk ends too early'}") from None
        self.ends = array("d", accumulate(self.lengths))

    def blocks(self, data: bytes) -> Iterator[tuple[bytes, int, int, bytes]]:
        """A film that was cut off is valid up to there."""
        at = 0
        while at + HEAD.size <= len(data):
            kind, length, first, count = HEAD.unpack_from(data, at)
            if at == 0 and (kind, first) != (b"FILM", 1):
                raise ValueError("it does not begin as a film of version 1")
            at += HEAD.size
            if at + length > len(data):
                return
            yield kind, first, count, data[at:at + length]
            at += length

    def decompress(self, kind: bytes, data: bytes) -> bytes:
        decoder = zlib.decompressobj()
        found = decoder.decompress(data, self.room[kind] + 1)
        self.room[kind] -= len(found)
        if self.room[kind] < 0:
            raise too_large()
        if not decoder.eof:
            raise ValueError("a block is incomplete")
        return found

    def add_blocks(self, blocks: list[tuple[bytes, int, int, bytes]]) -> None:
        at = 0
        for kind, first, count, data in blocks:
            if kind == b"META":
                earlier = self.meta.value.get("events")
                found = Fields(self.path, "", json.loads(self.decompress(kind, data)))
                self.meta = Fields(self.path, "", self.meta.value | found.value)
                if found.has("events") and earlier:
                    self.meta.value["events"] = earlier + found.list("events")
                self.describe()
            elif kind == b"CHNK":
                if first < at:
                    raise ValueError(f"interval {first} comes twice")
                self.add_chunk(at, first, count, self.decompress(kind, data))
                at = first + count

    def describe(self) -> None:
        """What the places of columns are."""
        nodes = [one.text("name") for one in self.meta.objects("nodes")]
        ports = list(self.meta.objects("ports"))
        if any(one.count("node") >= len(nodes) for one in ports):
            raise ValueError("a port is of no node")
        self.ports = [f"{nodes[one.count('node')]}.{one.text('name')}" for one in ports]
        self.peers = [one.time("peer") for one in ports]
        self.rates = [one.count("rate_bps") for one in ports]
        self.reasons = [one.text("name") for one in self.meta.objects("drops")]
        self.advice = [one.text("advice") for one in self.meta.objects("drops")]
        self.nodes, self.tenants = nodes, self.meta.list("tenants")
        self.live = self.meta.text("kind") == "live"
        self.overhead = self.meta.count("overhead_bytes")
        self.reduced = self.meta.count("every") if self.meta.has("every") else 1
        self.interval = self.meta.count("interval_ns")
        if self.reduced == 0:
            raise ValueError("every is 0")
        self.own_interval = self.interval // self.reduced
        columns = [one.text("name") for one in self.meta.objects("columns")]
        if self.totals and columns != self.columns:
            raise ValueError("its columns change")
        self.columns = columns
        self.credits = self.meta.has("credits")
        self.sums = {one.text("name") for one in self.meta.objects("columns") if one.text("kind") == "sum"}
        scopes = self.meta.object("scopes")
        # More than there are names, in a live film: it has room for tenants that come later.
        self.widths = {one.text("name"): scopes.object(one.text("scope")).count("width") or 1
                       for one in self.meta.objects("columns")}
        self.places = {"paused": PRIORITIES * len(ports), "pausing": PRIORITIES * len(ports),
                       "depth_max": CLASSES * len(ports), "drops": len(self.reasons) * len(ports),
                       "tx_bytes": len(ports), "tx_packets": len(ports)}

    def skip(self, first: int, behind: int, begin: int) -> None:
        """Intervals before a chunk that begins at `begin`: a live film that could not keep up lost them."""
        if first == 0:
            self.begin = self.end = begin
        if begin < self.end:
            raise ValueError("its times go backwards")
        if behind > first:
            each, rest = divmod(begin - self.end, behind - first)
            self.spread(self.lengths, first, behind, each)
            self.spread(self.lengths, behind - 1, behind, rest)
            self.lost += behind - first
        self.end = begin

    def add_chunk(self, before: int, at: int, total: int, data: bytes) -> None:
        stream = numbers(data)
        self.skip(before, at, next(stream))
        for begin, end, length in runs(stream, total):
            self.spread(self.lengths, at + begin, at + end, length)
            self.end += length * (end - begin)
        for column in stream:
            name = self.columns[column] if column < len(self.columns) else ""
            place = 0
            for _ in range(next(stream)):
                place += next(stream)
                values = self.values_at(name, place) if name in COLUMNS else None
                total_here = self.totals.get((name, place), 0)
                for begin, end, value in runs(stream, total):
                    total_here = total_here + value * (end - begin) if name in self.sums else max(total_here, value)
                    if values is not None:
                        self.spread(values, at + begin, at + end, value, name in PEAKS)
                if name and total_here:
                    self.totals[name, place] = total_here
            if len(self.totals) > VALUES_MAX:
                raise too_large()

    def values_at(self, name: str, place: int) -> array:
        if place >= self.places[name]:
            raise ValueError(f"{name} has no place {place}")
        values = self.values.get((name, place))
        if values is None:
            if (len(self.values) + 1) * len(self.lengths) > VALUES_MAX:
                raise too_large()
            values = self.values[name, place] = array("d", bytes(8 * len(self.lengths)))
        return values

    def spread(self, values: Any, begin: int, end: int, value: int, peak: bool = False) -> None:
        """Adds a value of some intervals to their columns."""
        while begin < end:
            column = begin // self.every
            behind = min(end, (column + 1) * self.every)
            values[column] = max(values[column], value) if peak else values[column] + value * (behind - begin)
            begin = behind

    def of(self, name: str) -> Iterator[tuple[int, array]]:
        """The places of a column that have values, in their order, as the configuration names them."""
        return ((place, values) for (column, place), values in sorted(self.values.items(), key=lambda one: one[0])
                if column == name)

    def sum(self, name: str) -> int:
        return sum(value for (column, _), value in self.totals.items() if column == name)

    def totals_of(self, name: str, index: int) -> Iterator[int]:
        """What one index of a column comes to at each port or node."""
        return (value for (column, place), value in self.totals.items()
                if column == name and place % self.widths[name] == index)

    def largest(self, name: str) -> tuple[int, int]:
        """The first place of a column with the largest total, and that."""
        found = [(-value, place) for (column, place), value in self.totals.items() if column == name]
        value, place = min(found, default=(0, 0))
        return place, -value

    def peer_of(self, port: int) -> str | None:
        """The port behind a port's link."""
        peer = self.peers[port]
        return self.ports[peer] if peer is not None and peer < len(self.ports) else None

    def name_of(self, names: list[Any], of: Fields, key: str) -> str:
        number = of.count(key)
        if number >= len(names):
            raise of.invalid(key, "not in its list")
        return names[number] if isinstance(names[number], str) else DASH    # a tenant that has been removed

    def lines(self, name: str, label: Callable[[int], str], share: Callable[[int], float]) -> Lines:
        """Values in percent of what `share` says is full for each ns."""
        found = Lines()
        for place, values in self.of(name):
            full = share(place)
            percents = array("d", (min(100 * value / (full * length), 100.0) if full and length else 0.0
                                   for length, value in zip(self.lengths, values)))
            found.join(label(place), self.ends, percents)
        return found


def most(label: str, lines: Lines) -> str:
    return label if len(lines) <= ROWS_MAX else f"{label}: the {ROWS_MAX} of {len(lines)} with most"


def draw_loads(film: Film, run: str) -> list[Drawing]:
    for place, packets in film.of("tx_packets"):
        sent = film.values.get(("tx_bytes", place))
        for index, value in enumerate(packets if sent is not None else ()):
            sent[index] += value * film.overhead
    lines = film.lines("tx_bytes", lambda place: film.ports[place], lambda place: film.rates[place] / 8e9)
    if not lines:
        return []
    label = most("share of the time in which the port sends", lines)
    return [heat_over_time("film-loads.svg", f"{run}: film: loads of all links, by sending port", [Panel(label, lines)])]


def draw_pauses(film: Film, run: str) -> list[Drawing]:
    def label(place: int) -> str:
        priority = place % PRIORITIES
        return f"{film.ports[place // PRIORITIES]}, {'link' if priority == PRIORITIES - 1 else priority}"

    panels = []
    title = "waits for credit, by port and lane" if film.credits else "pauses, by port and priority"
    held = "this port has packets and waits for credit" if film.credits else "received: the other side pauses this port"
    for name, what in (("paused", held), ("pausing", "sent: this port pauses the other side")):
        lines = film.lines(name, label, lambda _: 1.0)
        if lines:
            panels.append(Panel(most(what, lines), lines))
    return [heat_over_time("film-pauses.svg", f"{run}: film: {title}", panels)] if panels else []


def draw_queues(film: Film, run: str) -> list[Drawing]:
    lines = Lines()
    for place, values in film.of("depth_max"):
        lines.join(f"{film.ports[place // CLASSES]}.{place % CLASSES}", film.ends, values)
    if not lines:
        return []
    return [lines_over_time("film-queues.svg", f"{run}: film: the most that waited in each queue",
                            [Panel(f"depth / {in_bytes(lines)}", lines)])]


def draw_drops(film: Film, run: str) -> list[Drawing]:
    sums: dict[str, array] = {}
    for place, values in film.of("drops"):
        reason = film.reasons[place % len(film.reasons)]
        had = sums.setdefault(reason, array("d", bytes(8 * len(values))))
        for index, value in enumerate(values):
            had[index] += value
    lines = Lines()
    for reason, values in sums.items():
        lines.join(reason, film.ends, values)
    if not lines:
        return []
    many = film.every * film.reduced
    per = "an interval" if many == 1 else f"{many} intervals"
    return [lines_over_time("film-drops.svg", f"{run}: film: drops, by reason", [Panel(f"packets in {per}", lines)])]


def draw_film(film: Film, name: str) -> list[Drawing]:
    return [one for draw in (draw_loads, draw_pauses, draw_queues, draw_drops) for one in draw(film, name)]
