# SPDX-License-Identifier: BSD-3-Clause
"""Counters as objects: `run.port("swp2").queue(3).ecn_marked`.

The attributes of a port, priority, priority group, queue, pool or tenant are the fields of doc/counters.md, in the units of
that page. They come from the program (schema.py). A counter that a result does not mention has its initial value: 0, or -1
for an instant. `counters` of each object is a plain dict.
"""
import collections
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

from .errors import UnknownName, near
from .schema import PRIORITIES, Schema

HOLDERS = {"port": "port(...)", "priority": "port(...).priority(N)", "pg": "port(...).group(N)",
           "queue": "port(...).queue(N)", "pools": "node(...).pool(NAME)", "packets": "node(...).memory(KIND)",
           "tenants": "node(...).tenant(NAME)"}


class Object:
    """What has counters. `name` says where it is: "dut.swp2 queue 3"."""

    _scope = ""

    def __init__(self, state: "State", name: str, port: str, counters: dict[str, Any]) -> None:
        self._state, self._port, self.name, self.counters = state, port, name, counters

    def _value(self, name: str) -> Any:
        return self.counters.get(name)

    def __getattr__(self, name: str) -> int:
        __tracebackhide__ = True
        if name.startswith("_"):
            raise AttributeError(name)
        row = self._state.schema.rows[self._scope].get(name)
        if row is None:
            raise AttributeError(self._no_counter(name))
        value = self._value(name)
        if value is None and row.optional:
            raise AttributeError(f"{self.name}: {name} is absent: {row.help}")
        return row.initial if value is None else int(value) if row.kind != "boolean" else bool(value)

    def _no_counter(self, name: str) -> str:
        rows = self._state.schema.rows
        where = [HOLDERS[scope] for scope, known in rows.items() if name in known and scope in HOLDERS]
        hint = f"it is a counter of {' and '.join(where)}" if where else near(name, rows[self._scope])
        return f"{self.name}: no counter {name}; {hint}"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._state.schema.rows[self._scope]]

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def expect(self, **wanted: int) -> None:
        """Raises AssertionError unless the counters have these values. The message has the last events of the port, or of
        the node's ports: `run.port("swp2").expect(tx_packets=19)`."""
        __tracebackhide__ = True
        wrong = [f"{self.name}: {name} is {value}, expected {wish}" for name, wish in wanted.items()
                 for value in [getattr(self, name)] if value != wish]
        if wrong:
            raise AssertionError("\n".join([*wrong, *self._state.story(self._port)]))


class Priority(Object):
    """A priority of a port: pauses, received and sent."""
    _scope = "priority"

    def __init__(self, state: "State", name: str, port: str, counters: dict[str, Any], index: int) -> None:
        super().__init__(state, name, port, counters)
        self._index = index
        self.counters = {key: values[index] for key, values in counters.items() if key in state.schema.rows["priority"]}


class Group(Object):
    """A priority group of a port: the ingress side of its buffer."""
    _scope = "pg"


class Queue(Object):
    """A queue of a port."""
    _scope = "queue"


class Pool(Object):
    """A buffer pool of a switch."""
    _scope = "pools"


class Memory(Object):
    """A kind of packets in memory, of a switch of a live fabric."""
    _scope = "packets"


class Tenant(Object):
    """A tenant's traffic in a switch."""
    _scope = "tenants"


One = TypeVar("One", bound=Object)


class Each(Sequence[One], Generic[One]):
    """The eight priorities, groups or queues of a port. A counter of them is a list: `port.queues.packets`."""

    def __init__(self, ones: Sequence[One]) -> None:
        self._ones = ones

    @overload
    def __getitem__(self, index: int) -> One: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[One]: ...

    def __getitem__(self, index: int | slice) -> One | Sequence[One]:
        return self._ones[index]

    def __len__(self) -> int:
        return len(self._ones)

    def __getattr__(self, name: str) -> list[int]:
        if name.startswith("_"):
            raise AttributeError(name)
        return [getattr(one, name) for one in self._ones]

    def __repr__(self) -> str:
        return f"<{self._ones[0].name} to {len(self._ones) - 1}>"


class Port(Object):
    """A port of a node."""
    _scope = "port"

    def queue(self, index: int) -> Queue:
        """Queue 0 to 7."""
        return self._at(Queue, "queue", index, self.counters["queue"])

    def group(self, index: int) -> Group:
        """Priority group 0 to 7."""
        return self._at(Group, "group", index, self.counters["pg"])

    def priority(self, index: int) -> Priority:
        """Priority 0 to 7."""
        self._check("priority", "priorities", index)
        return Priority(self._state, f"{self.name} priority {index}", self._port, self.counters, index)

    def _check(self, word: str, words: str, index: int) -> None:
        if not 0 <= index < PRIORITIES:
            raise UnknownName(f"{self.name}: no {word} {index}; {words} are 0 to {PRIORITIES - 1}")

    def _at(self, make: type[One], word: str, index: int, values: Sequence[dict[str, Any]]) -> One:
        self._check(word, f"{word}s", index)
        return make(self._state, f"{self.name} {word} {index}", self._port, values[index])

    @property
    def queues(self) -> Each[Queue]:
        """All queues: `port.queues.packets` is a list of eight."""
        return Each([self.queue(i) for i in range(PRIORITIES)])

    @property
    def groups(self) -> Each[Group]:
        """All priority groups."""
        return Each([self.group(i) for i in range(PRIORITIES)])

    @property
    def priorities(self) -> Each[Priority]:
        """All priorities."""
        return Each([self.priority(i) for i in range(PRIORITIES)])

    @property
    def drops(self) -> collections.Counter[str]:
        """Packets that came in by the port and were dropped, by reason."""
        return collections.Counter(self.counters["drops"])

    @property
    def answers(self) -> collections.Counter[str]:
        """What the switch answered to packets of this port, by kind (doc/answers.md)."""
        return collections.Counter(self.counters.get("answers", {}))

    def story(self, count: int = 10) -> list[str]:
        """What is known of the port, for people: drops, pauses and the last `count` events."""
        return self._state.story(self._port, count)

    def assert_no_drops(self) -> None:
        """Raises AssertionError, with the last events, if a packet that came in here was dropped."""
        __tracebackhide__ = True
        if self.drops:
            raise AssertionError("\n".join([f"{self.name}: packets were dropped: {text_of(self.drops)}", *self.story()]))


class Node:
    """A switch, or a host's NIC."""

    def __init__(self, state: "State", name: str, counters: dict[str, Any]) -> None:
        self._state, self.name, self.counters = state, name, counters

    def port(self, name: str) -> Port:
        """A port by its name: "swp2"."""
        values = _named(self.counters["ports"], name, f"{self.name}: no port")
        path = f"{self.name}.{name}"
        self._state.looked_at[path] = None
        return Port(self._state, path, path, values)

    @property
    def ports(self) -> Mapping[str, Port]:
        """All ports by name."""
        return Ports(self)

    def pool(self, name: str) -> Pool:
        """A buffer pool: "ingress-lossless", "ingress-lossy", "egress-lossless", "egress-lossy" or "headroom"."""
        return self._of(Pool, "pools", "pool", name)

    def tenant(self, name: str) -> Tenant:
        """A tenant by its name."""
        return self._of(Tenant, "tenants", "tenant", name, self._state.tenants)

    def memory(self, kind: str) -> Memory:
        """Packets in memory, of a live fabric: "small", "large" or "device"."""
        return self._of(Memory, "packets", "memory", kind)

    def _of(self, make: type[One], key: str, word: str, name: str, others: Sequence[str] = ()) -> One:
        values = _named({one: {} for one in others} | self.counters.get(key, {}), name, f"{self.name}: no {word}")
        return make(self._state, f"{self.name} {word} {name}", self.name, values)

    @property
    def drops(self) -> collections.Counter[str]:
        """Dropped packets by reason."""
        return drops({self.name: self.counters})

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Ports(Mapping[str, Port]):
    """The ports of a node by name."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def __getitem__(self, name: str) -> Port:
        if name not in self._node.counters["ports"]:
            raise KeyError(name)
        return self._node.port(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._node.counters["ports"])

    def __len__(self) -> int:
        return len(self._node.counters["ports"])


class State:
    """Counters of all nodes at one instant. `nodes` are plain dicts, as counters.json has them; `tenants` are those that there
    are, with or without counters that differ from zero."""

    def __init__(self, nodes: dict[str, Any], schema: Schema,
                 events: Callable[[str, int], list[str]] = lambda port, count: [], tenants: Sequence[str] = ()) -> None:
        self.nodes, self.schema, self._events, self.tenants = nodes, schema, events, tenants
        self.looked_at: dict[str, None] = {}    # ports that were asked for, the last one last

    def node(self, name: str) -> Node:
        """A node by its name: "leaf1"."""
        return Node(self, name, _named(self.nodes, name, "no node"))

    def port(self, name: str) -> Port:
        """A port: "leaf1.swp3", or "swp3" where there is one node."""
        node, dot, port = name.partition(".")
        if not dot:
            if len(self.nodes) != 1:
                raise UnknownName(f"{name}: which node? write NODE.{name}, such as {next(iter(self.nodes), 'leaf1')}.{name}")
            node, port = next(iter(self.nodes)), name
        self.looked_at.pop(f"{node}.{port}", None)
        return self.node(node).port(port)

    @property
    def drops(self) -> collections.Counter[str]:
        """Dropped packets by reason, over all nodes."""
        return drops(self.nodes)

    def story(self, place: str, count: int = 10) -> list[str]:
        """Lines about a port ("leaf1.swp3"), or about the ports of a node: drops, pauses, the last `count` events."""
        node, dot, port = place.partition(".")
        ports = self.nodes[node]["ports"]
        names = [port] if dot else [name for name in ports if ports[name]["drops"]][:4]
        lines: list[str] = []
        others = {name: values["drops"] for name, values in ports.items() if name not in names and values["drops"]}
        for name in names:
            lines += self._facts(f"{node}.{name}", ports[name])
            last = self._events(f"{node}.{name}", count)
            lines += [f"last events of {node}.{name}:", *(f"  {one}" for one in last)] if last else []
        return lines + [f"{node}.{name} dropped {text_of(reasons)}" for name, reasons in others.items()]

    def _facts(self, name: str, port: dict[str, Any]) -> Iterator[str]:
        yield f"{name}: received {port['rx_packets']} packets, sent {port['tx_packets']}, " \
              f"dropped {text_of(port['drops']) if port['drops'] else 'none'}"
        waiting = [f"queue {i} {queue['depth']} bytes" for i, queue in enumerate(port["queue"]) if queue["depth"]]
        if waiting:
            yield f"{name}: waiting: {', '.join(waiting)}"
        for direction, words in (("rx", "was paused"), ("tx", "paused the other side")):
            for i, paused in enumerate(port[f"pfc_{direction}_pause_ns"]):
                if paused:
                    yield f"{name}: priority {i} {words} for {paused} ns, last from " \
                          f"{port[f'pfc_{direction}_last_start_ns'][i]} ns"


def text_of(counts: Mapping[str, int]) -> str:
    """"no-route 3, ttl-expired 1", the most first."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def drops(nodes: Mapping[str, Any]) -> collections.Counter[str]:
    """Drops by reason, over all ports of some nodes."""
    return _over_ports(nodes, "drops")


def answers(nodes: Mapping[str, Any]) -> collections.Counter[str]:
    """Answers by kind (doc/answers.md), over all ports of some nodes."""
    return _over_ports(nodes, "answers")


def _over_ports(nodes: Mapping[str, Any], key: str) -> collections.Counter[str]:
    total: collections.Counter[str] = collections.Counter()
    for node in nodes.values():
        for port in node["ports"].values():
            total.update(port.get(key, {}))
    return total


def _named(values: Mapping[str, Any], name: str, what: str) -> Any:
    __tracebackhide__ = True
    if name not in values:
        raise UnknownName(f"{what} {name}; {near(name, values)}")
    return values[name]
