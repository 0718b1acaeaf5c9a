# SPDX-License-Identifier: BSD-3-Clause
"""Runs in virtual time: `roost replay` of one switch, `roost sim` of a fabric.

    with roost.replay("switch.yaml", {"swp1": packets}) as run:
        assert run.port("swp2").tx_packets == len(packets)

A run is a result as soon as replay() or sim() returns. Its files are in `run.directory`, which is temporary unless `out`
names one: leaving the `with` block removes it.
"""
import collections
import json
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from .captures import Packet, Packets, read_pcapng, write_pcap
from .config import Config, file_of
from .conservation import LOST_ON_WIRE, assert_conserved
from .counters import Node, Port, State
from .errors import RoostError, UnknownName, near
from .program import Done, PathLike, find, run
from .schema import POOLS, Schema, schema
from .tables import Row, Table, read_csv, table

Self = TypeVar("Self", bound="Run")


class Run:
    """What replay() and sim() have in common."""

    def __init__(self, directory: PathLike, done: Done | None = None, known: Schema | None = None,
                 temporary: bool = False) -> None:
        self.directory, self.done = Path(directory), done or Done([], 0, "", "")
        self._schema = known or schema()
        self._remove = weakref.finalize(self, shutil.rmtree, self.directory, True) if temporary else None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._remove is not None:
            self._remove()

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} in {self.directory}>"

    @cached_property
    def state(self) -> State:
        """The counters at the end of the run."""
        raise NotImplementedError

    @property
    def nodes(self) -> dict[str, Any]:
        """The counters at the end as plain dicts, in the form of counters.json (doc/counters.md)."""
        return self.state.nodes

    def node(self, name: str) -> Node:
        """A node at the end of the run: `run.node("leaf1").pool("headroom").used_max`."""
        return self.state.node(name)

    def port(self, name: str) -> Port:
        """A port at the end of the run: "leaf1.swp3", or "swp3" where there is one switch."""
        return self.state.port(name)

    @property
    def drops(self) -> collections.Counter[str]:
        """Dropped packets by reason."""
        return self.state.drops

    def assert_conserved(self) -> None:
        """Raises AssertionError unless every switch has sent, dropped or queued all that it received."""
        raise NotImplementedError

    def assert_no_drops(self) -> None:
        """Raises AssertionError if a packet was dropped; the message has the last events of the ports concerned."""
        __tracebackhide__ = True
        if self.drops:
            lines = [line for name, node in self.nodes.items() if any(port["drops"] for port in node["ports"].values())
                     for line in self.state.story(name)]
            raise AssertionError("\n".join(["packets were dropped", *lines]))


class Replay(Run):
    """What `roost replay` made of its input. Replay(DIR) reads what an earlier run has written.

    sent      {port: packets that left it, in order}
    dropped   dropped packets; `reason` says why
    counters  counters.json as a plain dict
    """

    def __init__(self, directory: PathLike, done: Done | None = None, known: Schema | None = None,
                 temporary: bool = False) -> None:
        super().__init__(directory, done, known, temporary)
        self.counters: dict[str, Any] = json.loads((self.directory / "counters.json").read_text())
        (self.name, node), = self.counters["nodes"].items()
        self.dropped = read_pcapng(self.directory / "drops.pcapng")
        self.sent: dict[str, list[Packet]] = {
            port: read_pcapng(self.directory / f"{port}.pcapng") for port in node["ports"]}

    @cached_property
    def state(self) -> State:
        """The counters at the end of the run."""
        return State(self.counters["nodes"], self._schema, self._events)

    @property
    def switch(self) -> Node:
        """The switch at the end of the run."""
        return self.node(self.name)

    def snapshot(self, at_ns: int) -> Node:
        """The switch as the `snapshot` event at this time (in ns) saw it."""
        for one in self.counters["snapshots"]:
            if one["at_ns"] == at_ns:
                return State(one["nodes"], self._schema).node(self.name)
        times = ", ".join(str(one["at_ns"]) for one in self.counters["snapshots"])
        raise UnknownName(f"no snapshot at {at_ns} ns; there are snapshots at {times or 'no time'}")

    def _events(self, port: str, count: int) -> list[str]:
        name = port.partition(".")[2]
        events = [(packet.ns, f"{len(packet.data)} bytes sent") for packet in self.sent[name][-count:]]
        events += [(packet.ns, f"{len(packet.data)} bytes dropped: {packet.comment}") for packet in self.dropped
                   if packet.field("port") == name][-count:]
        events += _logged(self.counters["log"], port)
        return [f"{ns} ns  {text}" for ns, text in sorted(events, key=lambda one: one[0])[-count:]]

    def assert_conserved(self) -> None:
        """Raises AssertionError unless the switch has sent, dropped or queued all that it received, in every snapshot
        too, and its captures agree with its counters."""
        for nodes in [self.nodes, *(one["nodes"] for one in self.counters["snapshots"])]:
            assert_conserved(nodes)
        told = collections.Counter(packet.reason for packet in self.dropped)
        if told != self.drops:
            raise AssertionError(f"drops.pcapng says {dict(told)}, counters.json {dict(self.drops)}")
        lost = sum(1 for packet in self.dropped if packet.reason in LOST_ON_WIRE)
        for name, packets in self.sent.items():
            if not 0 <= len(packets) - self.port(name).tx_packets + lost <= lost:
                raise AssertionError(f"{name}.pcapng has {len(packets)} packets, "
                                     f"tx_packets is {self.port(name).tx_packets}")


class Made(dict[str, Any]):
    """Makes what it does not have."""

    def __init__(self, make: Any) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: str) -> Any:
        self[key] = self._make()
        return self[key]


class Sim(Run):
    """What `roost sim` made of a fabric; doc/results.md explains the files. Sim(DIR) reads what an earlier run has written.

    result   result.json as a plain dict
    summary  its summary; `digest` tells whether two runs did the same
    """

    def __init__(self, directory: PathLike, done: Done | None = None, known: Schema | None = None,
                 temporary: bool = False) -> None:
        super().__init__(directory, done, known, temporary)
        self.result: dict[str, Any] = json.loads((self.directory / "result.json").read_text())
        self.summary: dict[str, Any] = self.result["summary"]

    @property
    def digest(self) -> str:
        """SHA-256 of the results: the same in two runs that did the same."""
        return str(self.summary["digest"])

    @cached_property
    def flows(self) -> Table:
        """One row for each flow, with the columns of flows.csv: `run.flows.where(item="incast")`."""
        return table(self._csv("flows.csv"))

    @cached_property
    def links(self) -> Table:
        """One row for each direction of a link, with the columns of links.csv."""
        return table(self._csv("links.csv"))

    @cached_property
    def counters(self) -> Table:
        """One row for each counter that differs from its initial value, with the columns of counters.csv."""
        return table(self._csv("counters.csv"))

    def flow(self, number: int) -> Row:
        """A flow by its `id`."""
        if not 0 <= number < len(self.flows):
            raise UnknownName(f"no flow {number}; there are {len(self.flows)}, from 0")
        return self.flows[number]

    def link(self, src: str) -> Row:
        """The direction of a link in which a port sends: "leaf1.swp5"."""
        for row in self.links:
            if row["src"] == src:
                return row
        raise UnknownName(f"no link from {src}; {near(src, [row['src'] for row in self.links])}")

    @cached_property
    def state(self) -> State:
        """The counters at the end of the run."""
        nodes = self._of_rows(self._csv("counters.csv"))
        for one in self.result["histograms"]:
            nodes[one["node"]].setdefault("histograms", []).append(
                {key: value for key, value in one.items() if key != "node"})
        return State(nodes, self._schema, self._events, [one["name"] for one in self.result["tenants"]])

    @cached_property
    def snapshots(self) -> list[dict[str, Any]]:
        """The snapshots of the run: `at_ns`, `digest`, and `nodes` as plain dicts, like those of the run."""
        rows: dict[int, list[dict[str, str]]] = collections.defaultdict(list)
        if self.result["snapshots"]:
            for row in self._csv("snapshots.csv"):
                rows[int(row["snapshot"])].append(row)
        return [one | {"nodes": self._of_rows(rows[number])} for number, one in enumerate(self.result["snapshots"])]

    def _csv(self, name: str) -> list[dict[str, str]]:
        if not self.directory.exists():
            raise RoostError(f"{name}: the files of this run are gone, because its `with` block has ended; "
                             f"read them inside the block, or keep them with out=DIR")
        return read_csv(self.directory, name)

    def _node(self) -> dict[str, Any]:
        initial = self._schema.initial
        return {"ports": Made(self._schema.port), "pools": {name: initial("pools") for name in POOLS},
                "tenants": Made(lambda: initial("tenants"))}

    def _of_rows(self, rows: list[dict[str, str]]) -> dict[str, Any]:
        """The nodes that rows of counters describe."""
        nodes = Made(self._node)
        for link in self.links:
            node, port = link["src"].split(".")
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
                port.setdefault("histograms", Made(dict))[row["object"]][int(row["index"])] = value
            else:
                port[scope][int(row["index"])][name] = value
        return {name: node | {"ports": dict(node["ports"])} for name, node in nodes.items()}

    def _events(self, port: str, count: int) -> list[str]:
        return [f"{ns} ns  {text}" for ns, text in _logged(self.result["log"], port)[-count:]]

    def assert_conserved(self) -> None:
        """Raises AssertionError unless every switch has sent, dropped or queued all that it received, in every snapshot too."""
        for nodes in [self.nodes, *(one["nodes"] for one in self.snapshots)]:
            assert_conserved(nodes)


def _logged(log: list[dict[str, Any]], port: str) -> list[tuple[int, str]]:
    """The entries of a log about "leaf1.swp3"."""
    node, _, name = port.partition(".")
    return [(int(one["at_ns"]), f"{one['what']}: {one['message']}") for one in log if one["node"] == node and
            name in ((one["queue"] or "").rpartition(".")[0], one.get("port"))]


def _directory(out: PathLike | None, kind: str) -> Path:
    return Path(out) if out is not None else Path(tempfile.mkdtemp(prefix=f"roost-{kind}-"))


def replay(config: Config, packets: Mapping[str, Packets | PathLike], *options: object, until: str | None = None,
           pace: str | None = None, gap_ns: int = 1000, out: PathLike | None = None, roost: PathLike | None = None,
           timeout: float = 120) -> Replay:
    """Plays packets into the ports of one switch, in virtual time.

    config   the file of the switch, or its YAML as text or dicts
    packets  {port: packets}: scapy packets, bytes, or (time in ns, either), in the order of time, or the path of a capture.
             A time is when the last bit arrives. Packets without a time come gap_ns after each other; see captures.timed()
    until    the fabric time at which the run ends: "1ms"
    pace     "line": times are ignored, packets come at line rate
    out      a directory for the files of the run (default: a temporary one)
    roost    the program (default: program.find())
    timeout  in seconds
    options  further words of the command

    Raises CommandError if Roost refuses the configuration or the packets.
    """
    program, directory = find(roost), _directory(out, "replay")
    words: list[object] = []
    try:
        for port, content in packets.items():
            path = Path(content) if isinstance(content, (str, Path)) else \
                write_pcap(directory / f"{port}-in.pcap", content, gap_ns)     # type: ignore[arg-type]
            words += ["--in", f"{port}={path}"]
        words += [*(["--until", until] if until else []), *(["--pace", pace] if pace else []), *options]
        done = run(program, "replay", file_of(config, directory), *words, "--out", directory, timeout=timeout)
        return Replay(directory, done, schema(program), out is None)
    except BaseException:
        if out is None:
            shutil.rmtree(directory, ignore_errors=True)
        raise


def sim(config: Config, *options: object, until: str | None = None, seed: int | None = None, threads: int | None = None,
        out: PathLike | None = None, roost: PathLike | None = None, status: int = 0, timeout: float = 600) -> Sim:
    """Runs a fabric in virtual time.

    config   the file of the fabric, or its YAML as text or dicts
    until    the fabric time at which the run ends: "1ms"
    seed     replaces the seed of the file
    threads  how many (default: as `roost sim` chooses)
    out      a directory for the results (default: a temporary one)
    roost    the program (default: program.find())
    status   the exit status that the command must have: 1 if the run is to stall
    timeout  in seconds
    options  further words of the command

    Raises CommandError if Roost refuses the configuration.
    """
    program, directory = find(roost), _directory(out, "sim")
    words = [*(["--until", until] if until else []), *(["--seed", seed] if seed is not None else []),
             *(["-j", threads] if threads else []), *options]
    try:
        done = run(program, "sim", file_of(config, directory), *words, "-o", directory, status=status, timeout=timeout)
        return Sim(directory, done, schema(program), out is None)
    except BaseException:
        if out is None:
            shutil.rmtree(directory, ignore_errors=True)
        raise
