# SPDX-License-Identifier: BSD-3-Clause
"""Films, read by the program that doc/film.md shows."""
import json
import re
import types

from support import SOURCE

PAGE = SOURCE / "doc/film.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)

reader = types.ModuleType("film")
exec(compile(PROGRAMS[0], "doc/film.md", "exec"), reader.__dict__)

# A column of the film by the scope and name of its counter.
COUNTERS = {("port", "tx_bytes"): "tx_bytes", ("port", "tx_packets"): "tx_packets",
            ("priority", "pfc_rx_pause_ns"): "paused", ("priority", "pfc_tx_pause_ns"): "pausing",
            ("priority", "credit_wait_ns"): "paused",     # of links with credits
            ("queue", "ecn_marked"): "marked", ("queue", "dropped"): "refused", ("queue", "depth_max_persistent"): "depth_max",
            ("tenant", "bytes"): "tenant_bytes", ("tenant", "dropped"): "tenant_dropped",
            ("tenant", "ecn_marked"): "tenant_marked"}
OF_SWITCHES = {"marked", "refused", "depth_max"}


class Film:
    """The blocks of a film: `meta`, `index` (None without one), `ends` in ns, and `values`: {(column, node, port, index):
    a list with a value for each interval}."""

    def __init__(self, path):
        self.meta, self.index, self.values, self.kinds, self.ends, events = {}, None, {}, [], [], []
        for kind, first, count, data in reader.blocks(path):
            self.kinds.append(kind)
            if kind == "META":
                self.meta |= json.loads(data)
                events += self.meta["events"] if "events" in json.loads(data) else []
            elif kind == "INDX":
                self.index = json.loads(data)
            elif kind == "CHNK":
                self.add(first, count, data)
        self.meta["events"] = events
        for values in self.values.values():
            values += [0] * (len(self.ends) - len(values))

    def add(self, first, count, data):
        begin, lengths, found = reader.chunk(data, count)
        assert first == len(self.ends), (first, len(self.ends))
        assert begin == (self.ends[-1] if self.ends else begin)
        self.begin = begin if not self.ends else self.begin
        for (number, place), values in found.items():
            assert len(values) == count
            column = self.meta["columns"][number]
            had = self.values.setdefault((column["name"], *self.place(column, place)), [])
            had += [0] * (first - len(had)) + values
        for length in lengths:
            begin += length
            self.ends.append(begin)

    def place(self, column, place):
        scope = self.meta["scopes"][column["scope"]]
        place, index = divmod(place, scope["width"])
        if scope["list"] == "nodes":
            return self.meta["nodes"][place]["name"], "", index
        port = self.meta["ports"][place]
        return self.meta["nodes"][port["node"]]["name"], port["name"], index

    def of(self, column, port, index=0):
        """The values of a column at "leaf1.swp3"."""
        return self.values.get((column, *port.split("."), index), [0] * len(self.ends))

    def totals(self):
        """{(column, node, port, index): its sum, or peak}, without zeros and levels."""
        kinds = {column["name"]: column["kind"] for column in self.meta["columns"]}
        found = {key: sum(values) if kinds[key[0]] == "sum" else max(values) for key, values in self.values.items()
                 if kinds[key[0]] != "level" and not key[0].startswith("rx_")}
        return {key: value for key, value in found.items() if value}

    def overview(self, every):
        """What INDX must have, with so many intervals a point, without zeros: {column: its points}, {column: its peak}."""
        points, peaks = {}, {}
        for column in self.meta["columns"]:
            join = sum if column["kind"] == "sum" else max
            rows = [values for (name, *_), values in self.values.items() if name == column["name"]]
            if any(map(any, rows)):
                points[column["name"]] = [join(value for row in rows for value in row[at:at + every])
                                          for at in range(0, len(self.ends), every)]
                peaks[column["name"]] = max(map(max, rows))
        return points, peaks

    def assert_overview(self, case):
        """That INDX has it."""
        overview, peaks = self.index["overview"], self.index["peaks"]
        wanted = self.overview(overview["every"])
        case.assertEqual(({name: points for name, points in overview.items() if name != "every" and points},
                          {name: peak for name, peak in peaks.items() if peak}), wanted)
        case.assertEqual(list(peaks), [column["name"] for column in self.meta["columns"]])

    def wanted(self, rows):
        """What totals() must be by the rows of counters.csv."""
        found = {}
        for row in rows:
            column, index = COUNTERS.get((row["scope"], row["counter"])), row["index"]
            if row["scope"] == "drops":
                column, index = "drops", [one["name"] for one in self.meta["drops"]].index(row["counter"])
            elif row["scope"] == "tenant":
                index = self.meta["tenants"].index(row["object"])
            role = next(one["role"] for one in self.meta["nodes"] if one["name"] == row["node"])
            if column is not None and not (role == "host" and column in OF_SWITCHES):
                found[column, row["node"], row["port"], int(index or 0)] = int(row["value"])
        return found
