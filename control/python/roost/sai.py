# SPDX-License-Identifier: BSD-3-Clause
"""Access to a live switch by the names of SAI (Switch Abstraction Interface, the headers of opencomputeproject/SAI), so that a test
client written for SAI needs only a thin layer:

    import roost.sai

    with roost.live("lab.yaml") as fabric:
        switch = roost.sai.Switch(fabric, "leaf1")
        port = switch.port("swp2")
        switch.set_port_attribute(port, "SAI_PORT_ATTR_PKT_TX_ENABLE", False)
        switch.get_queue_stats(switch.queue(port, 3), ["SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES"])

Objects have IDs, which are integers, as in SAI. Statistics and attributes have SAI's names, as text. PORT_STATS, QUEUE_STATS,
GROUP_STATS and POOL_STATS say which counters of doc/counters.md each statistic comes from. Octets of a port include the FCS (RFC
3635); bytes of queues and groups do not. Frames to a multicast or broadcast MAC address, such as pauses, count as not unicast, and
all others as unicast. Frames with errors (a wrong FCS, runts, truncated frames) count in IF_IN_ERRORS and IF_IN_OCTETS alone.

Clearing a count affects only that Switch object: it subtracts the old value from then on. Clearing a watermark affects all clients,
and resets all watermarks of that object. A Switch object notices when its fabric has started again, and then forgets what it has
cleared and set. Setting PKT_TX_ENABLE or a scheduler profile overrides what `roost transmit` has set at that port.
"""
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from .counters import Node, Port
from .errors import RoostError, UnknownName, near, some
from .fabric import Fabric
from .schema import PRIORITIES

FCS_BYTES = 4
LEAST_RATE = 10_000_000 // 8     # bytes per second: the lowest max-rate that Roost has; what is slower stops the transmitter
TYPES = {"port": 1, "queue": 21, "scheduler": 22, "pool": 24, "group": 26}    # sai_object_type_t
TYPE_SHIFT = 48
POOLS = ("ingress-lossless", "ingress-lossy", "egress-lossless", "egress-lossy")


class Stat(NamedTuple):
    """What stands behind a statistic: a function of the object, and whether it is a count, a level, or a watermark."""
    read: Callable[[Any], Any]
    kind: str = "count"


def _field(name: str, kind: str = "count") -> Stat:
    return Stat(lambda of: getattr(of, name), kind)


def _errors(port: Port) -> int:
    return sum(port.drops[reason] for reason in ("bad-fcs", "runt", "truncated"))


def _priority(index: int, name: str, divisor: int = 1) -> Stat:
    return Stat(lambda port: getattr(port.priority(index), name) // divisor)


PORT_STATS: Mapping[str, Stat] = {
    "SAI_PORT_STAT_IF_IN_OCTETS": Stat(lambda port: port.rx_bytes + FCS_BYTES * port.rx_packets),
    "SAI_PORT_STAT_IF_IN_UCAST_PKTS": Stat(lambda port: port.rx_packets - _errors(port) - port.rx_multicast),
    "SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS": _field("rx_multicast"),
    "SAI_PORT_STAT_IF_IN_DISCARDS": Stat(lambda port: port.rx_discards - _errors(port)),
    "SAI_PORT_STAT_IF_IN_ERRORS": Stat(_errors),
    "SAI_PORT_STAT_IN_DROPPED_PKTS": Stat(lambda port: sum(port.groups.dropped)),
    "SAI_PORT_STAT_IF_OUT_OCTETS": Stat(lambda port: port.tx_bytes + FCS_BYTES * port.tx_packets),
    "SAI_PORT_STAT_IF_OUT_UCAST_PKTS": Stat(lambda port: port.tx_packets - port.tx_multicast),
    "SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS": _field("tx_multicast"),
    "SAI_PORT_STAT_IF_OUT_DISCARDS": _field("tx_discards"),
    "SAI_PORT_STAT_IF_OUT_QLEN": Stat(lambda port: sum(port.queues.depth), "level"),
    "SAI_PORT_STAT_OUT_DROPPED_PKTS": _field("tx_discards"),
    "SAI_PORT_STAT_ECN_MARKED_PACKETS": Stat(lambda port: sum(port.queues.ecn_marked)),
    "SAI_PORT_STAT_WRED_DROPPED_PACKETS": Stat(lambda port: sum(port.queues.red_dropped)),
    "SAI_PORT_STAT_TRIM_PACKETS": Stat(lambda port: sum(port.queues.trimmed)),
    "SAI_PORT_STAT_PAUSE_RX_PKTS": _field("pause_rx"),
    "SAI_PORT_STAT_PAUSE_TX_PKTS": _field("pause_tx"),
    **{f"SAI_PORT_STAT_PFC_{index}_{direction.upper()}_{sai}": _priority(index, f"pfc_{direction}{own}", divisor)
       for index in range(PRIORITIES) for direction in ("rx", "tx")
       for sai, own, divisor in (("PKTS", "", 1), ("PAUSE_DURATION_US", "_pause_ns", 1000))},
}
QUEUE_STATS: Mapping[str, Stat] = {
    "SAI_QUEUE_STAT_PACKETS": _field("packets"),
    "SAI_QUEUE_STAT_BYTES": _field("bytes"),
    "SAI_QUEUE_STAT_DROPPED_PACKETS": _field("dropped"),
    "SAI_QUEUE_STAT_DROPPED_BYTES": _field("dropped_bytes"),
    "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS": _field("red_dropped"),
    "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS": _field("ecn_marked"),
    "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES": _field("ecn_marked_bytes"),
    "SAI_QUEUE_STAT_TRIM_PACKETS": _field("trimmed"),
    "SAI_QUEUE_STAT_TX_TRIM_PACKETS": _field("trim_sent"),
    "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES": _field("depth", "level"),
    "SAI_QUEUE_STAT_WATERMARK_BYTES": _field("depth_max", "watermark"),
    "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": _field("shared_max", "watermark"),
}
GROUP_STATS: Mapping[str, Stat] = {f"SAI_INGRESS_PRIORITY_GROUP_STAT_{name}": stat for name, stat in {
    "PACKETS": _field("packets"),
    "BYTES": _field("bytes"),
    "DROPPED_PACKETS": _field("dropped"),
    "CURR_OCCUPANCY_BYTES": _field("used", "level"),
    "SHARED_CURR_OCCUPANCY_BYTES": _field("shared", "level"),
    "XOFF_ROOM_CURR_OCCUPANCY_BYTES": _field("headroom", "level"),
    "WATERMARK_BYTES": _field("used_max", "watermark"),
    "SHARED_WATERMARK_BYTES": _field("shared_max", "watermark"),
    "XOFF_ROOM_WATERMARK_BYTES": _field("headroom_max", "watermark"),
}.items()}
# The room for XOFF of all groups is one pool, which SAI has as a part of the ingress pool: see Switch.get_buffer_pool_stats().
POOL_STATS: Mapping[str, Stat] = {f"SAI_BUFFER_POOL_STAT_{name}": stat for name, stat in {
    "CURR_OCCUPANCY_BYTES": _field("used", "level"),
    "WATERMARK_BYTES": _field("shared_max", "watermark"),
    "XOFF_ROOM_CURR_OCCUPANCY_BYTES": _field("used", "level"),
    "XOFF_ROOM_WATERMARK_BYTES": _field("used_max", "watermark"),
}.items()}
STATS = {"port": PORT_STATS, "queue": QUEUE_STATS, "group": GROUP_STATS, "pool": POOL_STATS}


SCHEDULING = {"SAI_SCHEDULING_TYPE_STRICT": "strict", "SAI_SCHEDULING_TYPE_DWRR": "dwrr"}


class Scheduler(NamedTuple):
    """A scheduler profile. `max_rate`: bytes per second; 0: no limit. `scheduling_type`, `weight`: None: as configured."""
    max_rate: int
    scheduling_type: str | None = None
    weight: int | None = None

    @property
    def stops(self) -> bool:
        """Whether a port or queue with this profile transmits nothing."""
        return 0 < self.max_rate < LEAST_RATE


def make_id(kind: str, index: int) -> int:
    """An object id: its type in the upper 16 bits, as many SAI implementations have it."""
    return TYPES[kind] << TYPE_SHIFT | index


class Switch:
    """A switch of a live fabric.

    fabric   a roost.Fabric, or its name
    node     the switch; None: the only one of the fabric

    Raises UnknownName for objects, statistics and attributes that do not exist, RoostError for what Roost does not support,
    ApiError if the fabric refuses. One thread uses it at a time.
    """

    def __init__(self, fabric: Fabric | str, node: str | None = None) -> None:
        self.fabric = Fabric(fabric) if isinstance(fabric, str) else fabric
        switches = [one["name"] for one in self.fabric.call("topology")["nodes"] if one["role"] != "nic"]
        self._alone = len(switches) == 1
        if node is None and not self._alone:
            raise UnknownName(f"the fabric has several switches: name one of {some(switches)}")
        if node is not None and node not in switches:
            raise UnknownName(f"{self.fabric.name}: no switch {node}; {near(node, switches)}")
        self.node = node if node is not None else switches[0]
        self._schedulers: dict[int, Scheduler] = {}
        self._made = 0
        self._started: tuple[int, int] | None = None        # process and time of the fabric's start
        self.names = list(self._counters().ports)

    def _forget(self) -> None:
        self._bound: dict[int, int] = {}                    # scheduler of a port or queue
        self._disabled: frozenset[int] = frozenset()        # ports with PKT_TX_ENABLE false
        self._own: dict[str, str | None] = {}               # keys of ports before a profile set them; None: not written
        self._offsets: dict[tuple[int, str], int] = {}      # what a count was when it was cleared

    # ---- objects ------------------------------------------------------------------------------

    def port(self, name: str) -> int:
        """The id of a port: "swp2"."""
        if name not in self.names:
            raise UnknownName(f"{self.node}: no port {name}; {near(name, self.names)}")
        return make_id("port", self.names.index(name) + 1)

    def queue(self, port: int, index: int) -> int:
        """The id of a queue of a port."""
        return self._part("queue", port, index)

    def ingress_priority_group(self, port: int, index: int) -> int:
        """The id of a priority group of a port."""
        return self._part("group", port, index)

    def buffer_pool(self, name: str) -> int:
        """The id of a pool: "ingress-lossless", "ingress-lossy", "egress-lossless" or "egress-lossy"."""
        if name not in POOLS:
            raise UnknownName(f"{self.node}: no pool {name}; {near(name, POOLS)}")
        return make_id("pool", POOLS.index(name) + 1)

    @property
    def ports(self) -> list[int]:
        """The ids of all ports, SAI_SWITCH_ATTR_PORT_LIST."""
        return [self.port(name) for name in self.names]

    def name_of(self, oid: int) -> str:
        """The name of an object, as errors and commands have it: "leaf1.swp2 queue 3"."""
        kind, index = self._split(oid)
        if kind == "port":
            return f"{self.node}.{self.names[index - 1]}"
        if kind in ("queue", "group"):
            return f"{self.node}.{self.names[index // PRIORITIES - 1]} {'pg' if kind == 'group' else kind} {index % PRIORITIES}"
        return f"{self.node} pool {POOLS[index - 1]}" if kind == "pool" else f"{kind} {index}"

    # ---- statistics ---------------------------------------------------------------------------

    def get_port_stats(self, port: int, names: Iterable[str] | None = None) -> dict[str, int]:
        """Statistics of a port by name; all of PORT_STATS by default."""
        return self._get("port", port, names)

    def get_queue_stats(self, queue: int, names: Iterable[str] | None = None) -> dict[str, int]:
        """Statistics of a queue by name; all of QUEUE_STATS by default."""
        return self._get("queue", queue, names)

    def get_ingress_priority_group_stats(self, group: int, names: Iterable[str] | None = None) -> dict[str, int]:
        """Statistics of a priority group by name; all of GROUP_STATS by default."""
        return self._get("group", group, names)

    def get_buffer_pool_stats(self, pool: int, names: Iterable[str] | None = None) -> dict[str, int]:
        """Statistics of a pool by name; all of POOL_STATS by default. XOFF_ROOM of "ingress-lossless" is the headroom of all
        groups; the other pools have none."""
        return self._get("pool", pool, names)

    def clear_port_stats(self, port: int, names: Iterable[str] | None = None) -> None:
        """Resets statistics of a port to 0."""
        self._clear("port", port, names)

    def clear_queue_stats(self, queue: int, names: Iterable[str] | None = None) -> None:
        """Resets counts of a queue to 0, and watermarks to what the queue holds now."""
        self._clear("queue", queue, names)

    def clear_ingress_priority_group_stats(self, group: int, names: Iterable[str] | None = None) -> None:
        """Resets counts of a priority group to 0, and watermarks to what the group holds now."""
        self._clear("group", group, names)

    def clear_buffer_pool_stats(self, pool: int, names: Iterable[str] | None = None) -> None:
        """Resets watermarks of a pool to what the pool holds now."""
        self._clear("pool", pool, names)

    def clear_all_stats(self) -> None:
        """Clears every statistic of every port, queue, group and pool of the switch."""
        self.fabric.call("clear", what="watermarks", node=None if self._alone else self.node)
        node = self._counters()
        for port in self.ports:
            for oid in (port, *(self._part(kind, port, index) for kind in ("queue", "group") for index in range(PRIORITIES))):
                self._keep(node, oid, None)

    # ---- attributes ---------------------------------------------------------------------------

    def get_switch_attribute(self, name: str) -> Any:
        """SAI_SWITCH_ATTR_PORT_LIST, SAI_SWITCH_ATTR_NUMBER_OF_ACTIVE_PORTS or SAI_SWITCH_ATTR_NUMBER_OF_QUEUES."""
        return _one_of(name, {"SAI_SWITCH_ATTR_PORT_LIST": lambda: self.ports,
                              "SAI_SWITCH_ATTR_NUMBER_OF_ACTIVE_PORTS": lambda: len(self.names),
                              "SAI_SWITCH_ATTR_NUMBER_OF_QUEUES": lambda: PRIORITIES})()

    def get_port_attribute(self, port: int, name: str) -> Any:
        """An attribute of a port. Speeds are in Mb/s. SAI_PORT_ATTR_ADMIN_STATE is the state that `roost link` or an event
        has set. SAI_PORT_ATTR_PKT_TX_ENABLE is what this object has set, at first True."""
        self._notice_restart()
        self._index("port", port)
        return _one_of(name, {
            "SAI_PORT_ATTR_ADMIN_STATE": lambda: "state" not in self._interface(port).get("link", {}).get("changed", {}),
            "SAI_PORT_ATTR_OPER_STATUS":
                lambda: f"SAI_PORT_OPER_STATUS_{'UP' if self._interface(port)['state'] == 'up' else 'DOWN'}",
            "SAI_PORT_ATTR_SPEED": lambda: self._interface(port)["rate_bps"] // 1_000_000,
            "SAI_PORT_ATTR_PKT_TX_ENABLE": lambda: port not in self._disabled,
            "SAI_PORT_ATTR_QOS_NUMBER_OF_QUEUES": lambda: PRIORITIES,
            "SAI_PORT_ATTR_QOS_QUEUE_LIST": lambda: [self.queue(port, index) for index in range(PRIORITIES)],
            "SAI_PORT_ATTR_NUMBER_OF_INGRESS_PRIORITY_GROUPS": lambda: PRIORITIES,
            "SAI_PORT_ATTR_INGRESS_PRIORITY_GROUP_LIST":
                lambda: [self.ingress_priority_group(port, index) for index in range(PRIORITIES)],
            "SAI_PORT_ATTR_QOS_SCHEDULER_PROFILE_ID": lambda: self._bound.get(port, 0),
        })()

    def set_port_attribute(self, port: int, name: str, value: Any) -> None:
        """Sets SAI_PORT_ATTR_PKT_TX_ENABLE, SAI_PORT_ATTR_ADMIN_STATE (bool), SAI_PORT_ATTR_QOS_SCHEDULER_PROFILE_ID (an id of
        create_scheduler_profile(), or 0 for none) or SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL (bit per priority)."""
        self._notice_restart()
        self._index("port", port)
        _one_of(name, {
            "SAI_PORT_ATTR_PKT_TX_ENABLE": lambda: self._enable(port, bool(value)),
            "SAI_PORT_ATTR_ADMIN_STATE": lambda: self.fabric.call("link", link=self.name_of(port), state="up" if value else "down"),
            "SAI_PORT_ATTR_QOS_SCHEDULER_PROFILE_ID": lambda: self._bind(port, value),
            "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL": lambda: self._set_flow_control(port, value),
        })()

    def get_queue_attribute(self, queue: int, name: str) -> Any:
        """SAI_QUEUE_ATTR_INDEX, SAI_QUEUE_ATTR_PORT, SAI_QUEUE_ATTR_SCHEDULER_PROFILE_ID or SAI_QUEUE_ATTR_PAUSE_STATUS."""
        self._notice_restart()
        index = self._index("queue", queue)
        return _one_of(name, {
            "SAI_QUEUE_ATTR_INDEX": lambda: index % PRIORITIES,
            "SAI_QUEUE_ATTR_PORT": lambda: make_id("port", index // PRIORITIES),
            "SAI_QUEUE_ATTR_SCHEDULER_PROFILE_ID": lambda: self._bound.get(queue, 0),
            "SAI_QUEUE_ATTR_PAUSE_STATUS": lambda: bool(self._read(self._counters(), queue).paused),
        })()

    def set_queue_attribute(self, queue: int, name: str, value: int) -> None:
        """Sets SAI_QUEUE_ATTR_SCHEDULER_PROFILE_ID: a profile without a limit, one so slow that it stops the queue, or 0. A
        scheduling type and a weight become those of this queue of the port."""
        self._notice_restart()
        self._index("queue", queue)
        _one_of(name, {"SAI_QUEUE_ATTR_SCHEDULER_PROFILE_ID": lambda: self._bind(queue, value)})()

    def create_scheduler_profile(self, max_rate: int = 0, scheduling_type: str | None = None, weight: int | None = None) -> int:
        """A scheduler profile; returns its id. `max_rate`: SAI_SCHEDULER_ATTR_MAX_BANDWIDTH_RATE in bytes per second, 0 for no
        limit. Less than 1.25 MB/s (10 Mb/s, the lowest rate of Roost) stops the port or queue, as tests of SONiC mean it.
        `scheduling_type`: "SAI_SCHEDULING_TYPE_STRICT" or "SAI_SCHEDULING_TYPE_DWRR", and `weight`: for profiles of queues."""
        if max_rate < 0:
            raise RoostError(f"max_rate is {max_rate}; use 0 (no limit) or a positive number")
        if scheduling_type is not None:
            _one_of(scheduling_type, SCHEDULING)
        self._made += 1
        oid = make_id("scheduler", self._made)
        self._schedulers[oid] = Scheduler(max_rate, scheduling_type, weight)
        return oid

    def remove_scheduler_profile(self, scheduler: int) -> None:
        """Removes a profile that no port or queue uses any more."""
        self._profile(scheduler)
        users = [self.name_of(oid) for oid, used in self._bound.items() if used == scheduler]
        if users:
            raise RoostError(f"{self.name_of(scheduler)} is in use: {', '.join(users)}")
        del self._schedulers[scheduler]

    # ---- inside -------------------------------------------------------------------------------

    def _counters(self) -> Node:
        self._notice_restart()
        return self.fabric.state(self.node).node(self.node)

    def _notice_restart(self) -> None:
        """Another fabric of the same name has counts of its own, and nothing of what was set before."""
        status = self.fabric.call("status")
        started = status["pid"], status["since"]
        if started != self._started:
            self._started = started
            self._forget()

    def _split(self, oid: int) -> tuple[str, int]:
        kinds = {number: kind for kind, number in TYPES.items()}
        kind, index = kinds.get(oid >> TYPE_SHIFT, ""), oid & ((1 << TYPE_SHIFT) - 1)
        parts = PRIORITIES * (len(self.names) + 1) - 1
        last = {"port": len(self.names), "pool": len(POOLS), "scheduler": self._made}.get(kind, parts)
        if not kind or not (PRIORITIES if kind in ("queue", "group") else 1) <= index <= last:
            raise UnknownName(f"{self.node}: no object {oid:#x}")
        return kind, index

    def _index(self, wanted: str, oid: int) -> int:
        kind, index = self._split(oid)
        if kind != wanted:
            raise UnknownName(f"{self.name_of(oid)} is a {kind}, not a {wanted}")
        return index

    def _part(self, kind: str, port: int, index: int) -> int:
        if not 0 <= index < PRIORITIES:
            raise UnknownName(f"{self.name_of(port)}: no {kind} {index}; {kind}s are 0 to {PRIORITIES - 1}")
        return make_id(kind, PRIORITIES * self._index("port", port) + index)

    def _read(self, node: Node, oid: int) -> Any:
        kind, index = self._split(oid)
        port = node.port(self.names[(index if kind == "port" else index // PRIORITIES) - 1])
        return port if kind == "port" else getattr(port, kind)(index % PRIORITIES)

    def _pool_of(self, oid: int, name: str) -> str | None:
        """The pool of Roost behind a statistic of a pool. None: there is none, and the statistic is 0."""
        pool = POOLS[self._index("pool", oid) - 1]
        if "XOFF_ROOM" not in name:
            return pool
        return "headroom" if pool == "ingress-lossless" else None

    def _value(self, node: Node, oid: int, name: str, stat: Stat) -> int:
        if self._split(oid)[0] != "pool":
            return int(stat.read(self._read(node, oid)))
        pool = self._pool_of(oid, name)
        return int(stat.read(node.pool(pool))) if pool else 0

    def _wanted(self, kind: str, oid: int, names: Iterable[str] | None) -> dict[str, Stat]:
        self._index(kind, oid)
        return {name: _one_of(name, STATS[kind]) for name in (STATS[kind] if names is None else names)}

    def _get(self, kind: str, oid: int, names: Iterable[str] | None) -> dict[str, int]:
        wanted, node = self._wanted(kind, oid, names), self._counters()
        return {name: max(self._value(node, oid, name, stat) - self._offsets.get((oid, name), 0), 0)
                for name, stat in wanted.items()}

    def _clear(self, kind: str, oid: int, names: Iterable[str] | None) -> None:
        wanted = self._wanted(kind, oid, names)
        for where in {self._watermarks_of(oid, name) for name, stat in wanted.items() if stat.kind == "watermark"}:
            if where:
                self.fabric.call("clear", what="watermarks", **dict(where))
        self._keep(self._counters(), oid, wanted)

    def _keep(self, node: Node, oid: int, names: Iterable[str] | None) -> None:
        for name, stat in self._wanted(self._split(oid)[0], oid, names).items():
            if stat.kind == "count":
                self._offsets[oid, name] = self._value(node, oid, name, stat)

    def _watermarks_of(self, oid: int, name: str) -> tuple[tuple[str, Any], ...]:
        """Parameters of the API's `clear`; none if there is nothing to clear."""
        kind, index = self._split(oid)
        if kind == "pool":
            pool = self._pool_of(oid, name)
            return (("pool", pool), *(() if self._alone else (("node", self.node),))) if pool else ()
        return ("port", f"{self.node}.{self.names[index // PRIORITIES - 1]}"), \
            ("pg" if kind == "group" else kind, index % PRIORITIES)

    def _interface(self, port: int) -> dict[str, Any]:
        shown: dict[str, Any] = self.fabric.call("show", what="interface", port=self.name_of(port))["nodes"][self.node]["ports"]
        return next(iter(shown.values()))

    def _transmit(self, port: int, disabled: frozenset[int], bound: Mapping[int, int]) -> None:
        """Stops and releases queues of a port. A queue is stopped if the port is disabled, or if the scheduler profile of the
        port or of the queue stops it."""
        stopped = {oid for oid, scheduler in bound.items() if self._profile(scheduler).stops} | disabled
        wanted = [not stopped.isdisjoint((port, self.queue(port, index))) for index in range(PRIORITIES)]
        now = self._read(self._counters(), port).queues.tx_off
        changed: list[int | None] = [index for index in range(PRIORITIES) if wanted[index] != now[index]]
        if changed and len(set(wanted)) == 1:
            changed = [None]    # all queues at the same instant
        for queue in changed:
            self.fabric.call("transmit", port=self.name_of(port), state="off" if wanted[queue or 0] else "on", queue=queue)

    def _enable(self, port: int, on: bool) -> None:
        disabled = self._disabled - {port} if on else self._disabled | {port}
        self._transmit(port, disabled, self._bound)
        self._disabled = disabled

    def _profile(self, scheduler: int) -> Scheduler:
        if scheduler not in self._schedulers:
            raise UnknownName(f"{self.node}: no scheduler profile {scheduler:#x}")
        return self._schedulers[scheduler]

    def _bind(self, oid: int, scheduler: int) -> None:
        """Binds a scheduler profile to a port or queue, and applies it. 0: unbinds the one that is bound."""
        profile = self._profile(scheduler) if scheduler else Scheduler(0)
        limits = not profile.stops and profile.max_rate > 0
        kind, index = self._split(oid)
        if limits and kind == "queue":
            raise RoostError(f"{self.name_of(oid)}: Roost has no rate for a single queue of a port. Use a rate below {LEAST_RATE} "
                             "bytes per second to stop the queue, or set switch.qos.tc.N.max-rate for all ports")
        if limits:
            self._check_alone(oid, "a rate", "max-rate")
        bound = {other: used for other, used in self._bound.items() if other != oid} | ({oid: scheduler} if scheduler else {})
        port = oid if kind == "port" else make_id("port", index // PRIORITIES)
        if kind == "port":
            self._write(port, "max-rate", f"{8 * profile.max_rate / 1000:.3f}K" if limits else None)
        else:
            self._schedule(port, index % PRIORITIES, profile)
        self._transmit(port, self._disabled, bound)
        self._bound = bound

    def _check_alone(self, oid: int, what: str, key: str) -> None:
        if not self._alone:
            raise RoostError(f"{self.name_of(oid)}: {what} for one port needs a fabric with one switch; "
                             f"switch.qos.ports.swpN.{key} would apply to swpN of all switches")

    def _schedule(self, port: int, queue: int, profile: Scheduler) -> None:
        """Schedules one queue of a port as a profile says, or as configured."""
        if profile.scheduling_type is not None or profile.weight is not None:
            self._check_alone(port, "a scheduler", f"tc.{queue}")
        kind = None if profile.scheduling_type is None else SCHEDULING[profile.scheduling_type]
        self._write(port, f"tc.{queue}.scheduler", kind)
        self._write(port, f"tc.{queue}.weight", None if profile.weight is None else str(profile.weight))

    def _set_flow_control(self, port: int, priorities: int) -> None:
        self._check_alone(port, "flow control", "pfc.priorities")
        chosen = ", ".join(str(index) for index in range(PRIORITIES) if priorities >> index & 1)
        self.fabric.set(f"switch.{self._key(port, 'pfc.priorities')}", f"[{chosen}]")

    def _key(self, port: int, name: str) -> str:
        return f"qos.ports.{self.name_of(port).rpartition('.')[2]}.{name}"

    def _write(self, port: int, name: str, value: str | None) -> None:
        """Sets a key of a port. None: has the port follow the configuration again, as it was before."""
        key = self._key(port, name)
        if value is not None:
            if key not in self._own:
                values = self.fabric.call("show", what="config")["nodes"][self.node]["values"]
                self._own[key] = values[key]["value"] if key in values else None
            self.fabric.set(f"switch.{key}", value)
        elif key in self._own:
            own = self._own[key]
            if own is None:
                self.fabric.call("edit", edits=[{"kind": "unset", "key": f"switch.{key}"}])
            else:
                self.fabric.set(f"switch.{key}", own)
            del self._own[key]


def _one_of(name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise UnknownName(f"no {name}; {near(name, known)}")
    return known[name]
