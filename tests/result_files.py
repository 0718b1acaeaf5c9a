# SPDX-License-Identifier: BSD-3-Clause
"""Reads the directory that `roost sim -o` wrote: result.json and the tables beside it, as one dictionary.

    result = Result(directory, Counters(markdown))
    result["flows"][0]["fct_ps"], result["links"][0]["load"]
    result["nodes"]["leaf1"]["ports"]["swp1"]["queue"][3]["depth_max"]

"nodes" has the counters as counters.json has them; a counter without a row has its initial value. Each element of
"snapshots" has its "nodes", likewise.
"""
import csv
import gzip
import json
import re

POOLS = ("ingress-lossless", "ingress-lossy", "egress-lossless", "egress-lossy", "headroom")
SCOPES = {"A port": "port", "A priority of a port: arrays of 8": "priority", "A priority group (`pg`)": "pg",
          "A queue (`queue`)": "queue", "A pool (`pools`)": "pool", "A tenant (`tenants`)": "tenant"}


class Made(dict):
    """Makes what it does not have."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def __missing__(self, key):
        self[key] = self.make()
        return self[key]


class Counters:
    """The counters that there are, from what `roost schema --counters` prints: initial values by scope."""

    def __init__(self, markdown):
        self.of = {scope: {} for scope in SCOPES.values()}
        for section in markdown.split("### ")[1:]:
            fields = self.of.get(SCOPES.get(section.splitlines()[0]), {})
            for name, kind in re.findall(r"^\| `(\w+)` \| (\w+)", section, re.M):
                fields[name] = -1 if kind == "instant" else False if kind == "boolean" else 0
        for name in [name for name in self.of["port"] if name.startswith("reorder_")]:
            del self.of["port"][name]   # only of ports that have them

    def port(self):
        made = dict(self.of["port"], drops={})
        made.update((name, [value] * 8) for name, value in self.of["priority"].items())
        for kind in ("pg", "queue"):
            made[kind] = [dict(self.of[kind]) for _ in range(8)]
        return made

    def node(self):
        return {"ports": Made(self.port), "pools": {name: dict(self.of["pool"]) for name in POOLS},
                "tenants": Made(lambda: dict(self.of["tenant"]))}


def table(directory, name):
    """The rows of NAME, or of NAME.gz, as dictionaries."""
    path = directory / name
    with open(path, newline="") if path.exists() else gzip.open(f"{path}.gz", "rt", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def number(text):
    return float(text) if "." in text or "e" in text else int(text)


class Snapshot(dict):
    """An element of "snapshots"; its "nodes" are read when they are first asked for."""

    def __init__(self, result, number, said):
        super().__init__(said)
        self.result, self.number = result, number

    def __missing__(self, key):
        if key != "nodes":
            raise KeyError(key)
        self[key] = self.result.of_rows(row for row in table(self.result.directory, "snapshots.csv")
                                        if int(row["snapshot"]) == self.number)
        return self[key]


class Result(dict):
    """result.json; "flows", "links", "nodes" and the nodes of snapshots are read when they are first asked for."""

    def __init__(self, directory, counters):
        super().__init__(json.loads((directory / "result.json").read_text()))
        self.directory, self.counters = directory, counters
        self["snapshots"] = [Snapshot(self, number, one) for number, one in enumerate(self["snapshots"])]

    def __missing__(self, key):
        readers = {"flows": self.flows, "links": self.links, "nodes": self.nodes}
        if key not in readers:
            raise KeyError(key)
        self[key] = readers[key]()
        return self[key]

    def flows(self):
        words = ("item", "src", "dst")
        return [{key: value if key in words else value or None if key == "tenant" else
                 None if value == "" else number(value) for key, value in row.items()}
                for row in table(self.directory, "flows.csv")]

    def links(self):
        names = {"src": "from", "dst": "to", "tier": "tier"}
        return [{names.get(key, key): value if key in names else number(value) for key, value in row.items()}
                for row in table(self.directory, "links.csv")]

    def of_rows(self, rows):
        """The nodes that rows of counters describe."""
        nodes = Made(self.counters.node)
        for link in self["links"]:
            node, port = link["from"].split(".")
            nodes[node]["ports"][port]      # is made
        for row in rows:
            node, scope, name, value = row["node"], row["scope"], row["counter"], int(row["value"])
            if scope in ("pool", "tenant"):
                nodes[node]["pools" if scope == "pool" else "tenants"][row["object"]][name] = value
                continue
            port = nodes[node]["ports"][row["port"]]
            if scope in ("drops", "answers"):
                port.setdefault(scope, {})[name] = value
            elif scope == "port":
                port[name] = value
            elif scope == "priority":
                port[name][int(row["index"])] = value
            elif scope == "histograms":
                one = port.setdefault("histograms", Made(dict))[row["object"]]
                one[int(row["index"])] = value
            else:
                port[scope][int(row["index"])][name] = value
        return {name: node | {"ports": dict(node["ports"])} for name, node in nodes.items()}

    def nodes(self):
        nodes = self.of_rows(table(self.directory, "counters.csv"))
        for one in self["histograms"]:
            nodes[one["node"]].setdefault("histograms", []).append(
                {key: value for key, value in one.items() if key != "node"})
        return nodes
