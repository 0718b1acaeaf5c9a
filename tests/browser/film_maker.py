# SPDX-License-Identifier: BSD-3-Clause
"""Writes films by doc/film.md without running a fabric: any shape and size, also damaged ones.

The traffic is a fluid: flows fill queues, a queue that holds too much of what one port sent pauses that
port. It is meant to be looked at, and to know what the page must show; it is no model of a switch.

	python3 -B film_maker.py FILE [--leaves N] [--spines N] [--hosts N] [--intervals N] [--incast N]
"""
import argparse
import json
import random
import struct
import zlib

INTERVAL = 10_000       # ns
RATE = 100_000_000_000
XOFF, XON = 150_000, 120_000
PRIORITY = 3
CHUNK = 64
COLUMNS = [("tx_bytes", "port", "sum", "bytes"), ("tx_packets", "port", "sum", "packets"), ("down", "port", "level", ""),
           ("paused", "priority", "sum", "ns"), ("pausing", "priority", "sum", "ns"), ("depth", "queue", "level", "bytes"),
           ("depth_max", "queue", "peak", "bytes"), ("marked", "queue", "sum", "packets"),
           ("used", "group", "level", "bytes"), ("drops", "drop", "sum", "packets"),
           ("pool_used", "pool", "level", "bytes"), ("tenant_bytes", "tenant", "sum", "bytes"),
           ("tenant_used", "tenant", "level", "bytes")]


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def series(values):
    out, last, same = bytearray(), 0, 0
    for value in values:
        if value == last:
            same += 1
            continue
        if same:
            out += b"\0" + varint(same)
            same = 0
        delta = value - last
        out += varint(2 * delta if delta > 0 else -2 * delta - 1)
        last = value
    if same:
        out += b"\0" + varint(same)
    return bytes(out)


def block(kind, data=b"", first=0, count=0):
    data = zlib.compress(data) if data else b""
    return kind.encode() + struct.pack("<III", len(data), first, count) + data


class Fabric:
    """Leaves, spines and hosts, and what goes on among them."""

    def __init__(self, leaves, spines, hosts_per_leaf, tenants=("blue", "green")):
        self.nodes, self.ports = [], []
        names = [("leaf", f"leaf{i + 1}") for i in range(leaves)] + [("spine", f"spine{i + 1}") for i in range(spines)]
        hosts = leaves * hosts_per_leaf
        names += [("host", f"h{i + 1}") for i in range(hosts)]
        self.tenants = list(tenants)
        widths = {"leaf": hosts_per_leaf + spines, "spine": leaves, "host": 1}
        for index, (role, name) in enumerate(names):
            first = len(self.ports)
            self.nodes.append({"name": name, "role": role, "row": {"host": 0, "leaf": 1, "spine": 2}[role],
                               "plane": 0, "first_port": first, "ports": widths[role]})
            if role != "host":
                self.nodes[-1]["pools"] = [12_000_000]
            for k in range(widths[role]):
                self.ports.append({"node": index, "name": f"{'eth' if role == 'host' else 'swp'}{k + 1}",
                                   "rate_bps": RATE, "peer": None, "tenant": None, "device": False,
                                   "profile": None if role == "host" else 0})
        for leaf in range(leaves):
            at = self.nodes[leaf]["first_port"]
            for k in range(hosts_per_leaf):
                host = leaves + spines + leaf * hosts_per_leaf + k
                self.join(at + k, self.nodes[host]["first_port"])
                tenant = None
                if tenants:
                    tenant = (leaf * hosts_per_leaf + k) * len(tenants) // hosts
                self.ports[at + k]["tenant"] = self.ports[self.nodes[host]["first_port"]]["tenant"] = tenant
            for spine in range(spines):
                self.join(at + hosts_per_leaf + spine, self.nodes[leaves + spine]["first_port"] + leaf)
        self.leaves, self.spines, self.hosts_per_leaf, self.hosts = leaves, spines, hosts_per_leaf, hosts
        self.flows = []

    def join(self, a, b):
        self.ports[a]["peer"], self.ports[b]["peer"] = b, a

    def host(self, h):
        return self.leaves + self.spines + h

    def add_flow(self, src, dst, start, end, share, spine):
        """`src` and `dst` from 0; from interval `start` to `end`, with a share of the NIC's rate."""
        a, b = src // self.hosts_per_leaf, dst // self.hosts_per_leaf
        path = [self.nodes[self.host(src)]["first_port"]]
        if a != b:
            path += [self.nodes[a]["first_port"] + self.hosts_per_leaf + spine,
                     self.nodes[self.leaves + spine]["first_port"] + b]
        path += [self.nodes[b]["first_port"] + dst % self.hosts_per_leaf]
        self.flows.append({"id": len(self.flows) + 1, "item": 0, "src": self.host(src), "dst": self.host(dst),
                           "tenant": None, "bytes": int((end - start) * share * RATE * INTERVAL / 8e9),
                           "start_ns": start * INTERVAL, "end_ns": end * INTERVAL, "path": path,
                           "share": share, "from": start, "to": end})

    def incast(self, sources, target, start, end):
        for k, source in enumerate(sources):
            self.add_flow(source, target, start, end, 1.0, k % self.spines)

    def background(self, intervals, flows, seed=1):
        draw = random.Random(seed)
        for _ in range(flows):
            src, dst = draw.sample(range(self.hosts), 2)
            start = draw.randrange(intervals)
            self.add_flow(src, dst, start, min(intervals, start + draw.randrange(10, 90)), draw.choice([.1, .2, .3, .5]),
                          draw.randrange(self.spines))

    def run(self, intervals):
        """Returns the values: {column: {place: [one an interval]}}."""
        out = {name: {} for name, *_ in COLUMNS}

        def put(column, place, i, value):
            if value:
                out[column].setdefault(place, [0] * intervals)[i] = int(value)

        capacity = RATE * INTERVAL / 8e9 * 1100 / 1124
        queue = [dict() for _ in self.ports]     # of each port: (flow, hop) -> bytes
        held = [0] * len(self.ports)             # bytes that came in by a port and wait
        pausing = [False] * len(self.ports)
        first_host = self.leaves + self.spines
        for i in range(intervals):
            for index, flow in enumerate(self.flows):
                if flow["from"] <= i < flow["to"]:
                    at = queue[flow["path"][0]]
                    at[index, 0] = min(at.get((index, 0), 0) + flow["share"] * capacity, 2 * capacity)
            moved, sent = [], [0] * len(self.ports)
            for p, waiting in enumerate(queue):
                if not waiting:
                    continue
                peer = self.ports[p]["peer"]
                room = 0 if pausing[peer] else capacity
                total = sum(waiting.values())
                share = min(1, room / total) if total else 0
                if pausing[peer]:
                    put("paused", p * 9 + PRIORITY, i, INTERVAL)
                for key, amount in list(waiting.items()):
                    go = amount * share
                    waiting[key] -= go
                    if waiting[key] < 1:
                        del waiting[key]
                    if go:
                        moved.append((p, key, go))
                        sent[p] += go
            for p, (index, hop), amount in moved:
                path = self.flows[index]["path"]
                if hop:
                    held[self.ports[path[hop - 1]]["peer"]] -= amount
                if hop + 1 < len(path):
                    q = queue[path[hop + 1]]
                    q[index, hop + 1] = q.get((index, hop + 1), 0) + amount
                    held[self.ports[p]["peer"]] += amount
            pool = [0] * len(self.nodes)
            for p, port in enumerate(self.ports):
                put("tx_bytes", p, i, sent[p])
                put("tx_packets", p, i, sent[p] / 1100)
                if port["node"] >= first_host:
                    continue
                depth = sum(queue[p].values())
                put("depth", p * 8 + PRIORITY, i, depth)
                put("depth_max", p * 8 + PRIORITY, i, depth * 1.05)
                if depth > 150_000:
                    put("marked", p * 8 + PRIORITY, i, sent[p] / 1100)
                put("used", p * 8 + PRIORITY, i, max(0, held[p]))
                pool[port["node"]] += max(0, held[p])
                if held[p] > XOFF:
                    pausing[p] = True
                elif held[p] < XON:
                    pausing[p] = False
                if pausing[p]:
                    put("pausing", p * 9 + PRIORITY, i, INTERVAL)
                if depth > 5_000_000:
                    put("drops", p * 2, i, 3)
            for node, used in enumerate(pool):
                put("pool_used", node, i, used)
        return out

    def meta(self):
        widths = {"port": ("ports", 1), "priority": ("ports", 9), "queue": ("ports", 8), "group": ("ports", 8),
                  "drop": ("ports", 2), "pool": ("nodes", 1), "tenant": ("nodes", max(1, len(self.tenants)))}
        return {
            "name": "incast", "kind": "sim", "version": "0.1.0", "interval_ns": INTERVAL, "overhead_bytes": 24,
            "nodes": self.nodes, "ports": self.ports,
            "profiles": [{"queues": [{"tc": PRIORITY, "priorities": [3], "ecn_min": 150_000, "ecn_max": 1_500_000}],
                          "groups": [{"pg": PRIORITY, "priorities": [3], "xoff": XOFF, "xon": XON}]}],
            "tenants": self.tenants, "pools": ["lossless"],
            "drops": [{"name": "no-buffer", "advice": "The buffer was full: use a lossless priority, or larger pools."},
                      {"name": "no-route", "advice": "Check the routes with roost show route."}],
            "scopes": {name: {"list": what, "width": width} for name, (what, width) in widths.items()},
            "columns": [{"name": name, "scope": scope, "kind": kind, "unit": unit, "help": ""}
                        for name, scope, kind, unit in COLUMNS],
            "flows": [{key: flow[key] for key in ("id", "item", "src", "dst", "tenant", "bytes", "start_ns", "end_ns", "path")}
                      for flow in self.flows],
            "ended": {"at_ns": 0, "why": "end"},
            "events": [{"at_ns": 20 * INTERVAL, "node": None, "queue": None, "what": "start", "message": "16 senders begin"}],
        }


def encode(meta, values, intervals, index=True, final=INTERVAL):
    """The bytes of a film, whose last interval has another length."""
    for name, _, kind, _ in COLUMNS:
        for of_place in values[name].values() if kind == "sum" else ():
            of_place[-1] = of_place[-1] * final // INTERVAL
    out = bytearray(block("FILM", first=1))
    blocks = [[len(out), "META", 0, 0]]
    out += block("META", json.dumps(meta).encode())
    names = [column["name"] for column in meta["columns"]]
    for first in range(0, intervals, CHUNK):
        count = min(CHUNK, intervals - first)
        data = bytearray(varint(first * INTERVAL) + series([INTERVAL] * (count - 1) + [final if first + count == intervals else INTERVAL]))
        for number, name in enumerate(names):
            places = sorted((place, all_of[first:first + count]) for place, all_of in values[name].items()
                            if any(all_of[first:first + count]))
            if not places:
                continue
            data += varint(number) + varint(len(places))
            last = 0
            for place, part in places:
                data += varint(place - last) + series(part)
                last = place
        blocks.append([len(out), "CHNK", first, count])
        out += block("CHNK", bytes(data), first, count)
    if index:
        kinds = {column["name"]: column["kind"] for column in meta["columns"]}
        overview, peaks = {"every": 1}, {}
        for name in names:
            rows = list(zip(*values[name].values())) if values[name] else [(0,)] * intervals
            overview[name] = [sum(row) if kinds[name] == "sum" else max(row) for row in rows]
            peaks[name] = max(max(row) for row in rows)
        offset = len(out)
        out += block("INDX", json.dumps({"blocks": blocks, "overview": overview, "peaks": peaks}).encode())
        out += block("TAIL", first=offset & 0xffffffff, count=offset >> 32)
    return bytes(out)


def make(leaves=4, spines=2, hosts_per_leaf=4, intervals=300, incast=12, flows=40, index=True, final=INTERVAL, **meta):
    """`meta`: more of the description, or other than it would be."""
    fabric = Fabric(leaves, spines, hosts_per_leaf)
    target = fabric.hosts - 1
    sources = [h for h in range(fabric.hosts) if h // hosts_per_leaf != target // hosts_per_leaf]
    step = max(1, len(sources) // max(1, incast))
    fabric.incast(sources[::step][:incast], target, 20, min(intervals, 90))
    if flows:
        fabric.background(intervals, flows)
    return encode(fabric.meta() | meta, fabric.run(intervals), intervals, index, final)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    for name, default in (("leaves", 4), ("spines", 2), ("hosts-per-leaf", 4), ("intervals", 300), ("incast", 12), ("flows", 40)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = vars(parser.parse_args())
    file = given.pop("file")
    with open(file, "wb") as out:
        out.write(make(**given))
