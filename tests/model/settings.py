# SPDX-License-Identifier: BSD-3-Clause
"""What the keys of a switch's file mean, in cells and picoseconds.

A description is what the file says, as dicts; every key that matters here is written in it. Sizes, limits, xon
and alpha products are rounded down to whole cells, reserved space, guarantees and headroom up.
"""
from dataclasses import dataclass, field
from fractions import Fraction

PRIORITIES = range(8)
INGRESS = ("ingress-lossless", "ingress-lossy")
EGRESS = ("egress-lossless", "egress-lossy")
ENDLESS = 1 << 40     # more than anything that is compared with it
PREAMBLE, FCS, GAP = 8, 4, 12
SMALLEST_QUANTUM = 4608   # bytes a round of the least weight: every turn takes a packet of 4096 B
MTU, ETHERNET, TAG = 9216, 14, 4


class Refused(Exception):
    """Settings that no switch can have."""


def number(text, units):
    """"150KB" as a whole number of the least unit."""
    text = str(text)
    for unit, factor in sorted(units.items(), key=lambda one: -len(one[0])):
        if text.endswith(unit):
            return int(Fraction(text[:-len(unit)]) * factor)
    raise ValueError(text)


def size_of(text):
    return number(text, {"B": 1, "KB": 1000, "MB": 1000000})


def time_of(text):
    return number(text, {"ps": 1, "ns": 1000, "us": 10**6, "ms": 10**9, "s": 10**12})


def rate_of(text):
    return None if text in (None, "none") else number(text, {"G": 10**9, "M": 10**6})


def alpha_of(text):
    return None if text in (None, "unlimited", "none") else Fraction(str(text))


def instead(general, own):
    """The keys of a group or of the watchdog with those of one port in their place."""
    gone = {"alpha": "static", "static": "alpha", "detect": "robustness", "robustness": "detect"}
    return {key: value for key, value in general.items() if key not in (gone.get(one) for one in own)} | own


def truth(value):
    return value is True or value in ("true", "on")


def bytes_ps(rate, size):
    """How long so many bytes take at a rate, rounded down."""
    return 8 * 10**12 * size // rate


@dataclass
class Limit:
    """What a group or a queue may take of its pool."""
    pool: str = None
    reserved: int = 0
    alpha: Fraction = None    # None: `fixed`
    fixed: int = ENDLESS


@dataclass
class Group(Limit):
    lossless: bool = False
    headroom: int = 0
    xon: int = 0
    xon_offset: int = None    # None: xon alone decides


@dataclass
class Class(Limit):
    strict: bool = False
    quantum: int = 0
    ecn: tuple = None         # (min, max, whether always marked between them)
    red: bool = False
    fair: bool = False
    min_rate: int = None
    max_rate: int = None


@dataclass
class Pool:
    size: int = None          # cells; None: no end
    shared: int = ENDLESS
    port_alpha: Fraction = None


@dataclass
class Tenant:
    guaranteed: int = 0
    share: object = None      # None, ("part", Fraction) of the shared size, ("alpha", Fraction) of what is free


@dataclass
class Ipip:
    """IP-in-IP that ends here."""
    pipe: bool
    copy_ecn: bool
    dscp: dict                # of the outer DSCP to a priority; None: the port's map
    pg: dict


@dataclass
class Port:
    name: str
    rate: int
    tenant: str
    trust: list
    port_priority: int
    dscp: dict
    pcp: dict
    remark_dscp: dict
    remark_pcp: dict
    max_rate: int
    told: frozenset           # priorities that XOFF may carry
    obeyed: frozenset         # priorities whose received PFC counts
    watchdog: dict            # None: off
    groups: dict = field(default_factory=dict)
    classes: dict = field(default_factory=dict)


class Settings:
    """auto_headroom: bytes of `headroom: auto`, where the file has it."""

    def __init__(self, switch, auto_headroom=None):
        self.switch, self.auto_headroom = switch, auto_headroom
        self.qos, self.cell = switch["qos"], switch["buffer"]["cell"]
        self.latency = time_of(switch.get("latency", "0ns"))
        self.pg = self.whole_map("priority-to-pg", 0)
        self.tc = self.whole_map("priority-to-tc", 0)
        self.read_flow_control()
        self.read_ipip()
        self.read_ports()
        self.read_pools()
        self.read_tenants()
        self.take_aside()
        self.read_watchdog()
        self.read_trim()
        self.histograms = [self.histogram(one) for one in self.qos.get("histograms", [])]

    def whole_map(self, key, other):
        said = self.qos.get(key, {})
        return {priority: said.get(priority, said.get("default", other)) for priority in PRIORITIES}

    def down(self, size):
        return size // self.cell

    def up(self, size):
        return -(-size // self.cell)

    def read_flow_control(self):
        """link_pause: 802.3x in the place of PFC."""
        self.link_pause = self.qos["flow-control"] == "pause"
        self.quanta = self.qos["pfc"]["quanta"]

    def pfc_of(self, own):
        """What a port tells and obeys; own: what it has for itself."""
        mode, said = self.qos["flow-control"], frozenset((self.qos["pfc"] | own.get("pfc", {}))["priorities"])
        told = said if mode in ("pfc", "pfc-asymmetric") else frozenset()
        return told, frozenset(PRIORITIES) if mode == "pfc-asymmetric" else told

    def limit(self, kind, said):
        limit = kind(pool=said["pool"], reserved=self.up(size_of(said.get("reserved", "0B"))))
        if "static" in said:
            limit.fixed = self.down(size_of(said["static"]))
        else:
            limit.alpha = alpha_of(said["alpha"])
        return limit

    def group(self, said):
        group = self.limit(Group, said)
        group.lossless = truth(said.get("lossless", False))
        if group.lossless:
            headroom = said.get("headroom", "auto")
            group.headroom = self.up(self.auto_headroom if headroom == "auto" else size_of(headroom))
            group.xon = self.down(size_of(said.get("xon", "0B")))
            offset = said.get("xon-offset", "9216B")
            group.xon_offset = None if offset == "none" else self.down(size_of(offset))
        return group

    def traffic_class(self, said):
        one = self.limit(Class, said)
        one.strict = said["scheduler"] == "strict"
        ecn = said.get("ecn", "off")
        if ecn != "off":
            always = ecn.get("probability", "100%") == "100%"
            one.ecn = (self.down(size_of(ecn["min"])), self.down(size_of(ecn["max"])), always)
        one.red = truth(said.get("red", "off"))
        if one.red and one.ecn is None:
            raise Refused("red without ecn")
        one.fair = said.get("fairness", "none") == "tenant"
        one.min_rate, one.max_rate = rate_of(said.get("min-rate")), rate_of(said.get("max-rate"))
        if one.min_rate and one.max_rate and one.min_rate > one.max_rate:
            raise Refused("min-rate above max-rate")
        return one

    def read_ipip(self):
        said = self.switch.get("ipip", "off")
        self.ipip = None
        if said != "off":
            groups = said.get("priority-to-pg", {})
            self.ipip = Ipip(said["dscp"] == "pipe", said["ecn"] == "copy-from-outer", said.get("dscp-to-priority"),
                             {one: groups.get(one, groups.get("default", self.pg[one])) for one in PRIORITIES})

    def read_ports(self):
        self.ports = {}
        for name, said in self.switch["ports"].items():
            own = self.qos.get("ports", {}).get(name, {})
            qos = self.qos | own
            remark = qos.get("remark", {})
            remark = {} if remark == "none" else remark
            shaped = own["max-rate"] if "max-rate" in own else self.qos.get("port", {}).get("max-rate")
            port = Port(name, rate_of(said["rate"]), said.get("tenant"), qos["trust"], qos["port-priority"],
                        qos["dscp-to-priority"], qos.get("pcp-to-priority", {}),
                        remark.get("dscp", {}), remark.get("pcp", {}), rate_of(shaped), *self.pfc_of(own),
                        self.watchdog_of(own.get("watchdog", {})))
            port.groups = {pg: self.group(instead(one, own.get("pg", {}).get(pg, {})))
                           for pg, one in self.qos["pg"].items()}
            classes = {tc: one | own.get("tc", {}).get(tc, {}) for tc, one in self.qos["tc"].items()}
            port.classes = {tc: self.traffic_class(one) for tc, one in classes.items()}
            self.set_quanta(port.classes, classes)
            promised = sum(one.min_rate or 0 for one in port.classes.values())
            if promised > min(port.rate, port.max_rate or port.rate):
                raise Refused("more is promised than there is")
            self.ports[name] = port

    @staticmethod
    def set_quanta(classes, said):
        """Rounds stand to each other as the weights do; the least is SMALLEST_QUANTUM or just above."""
        weights = {tc: said.get(tc, {}).get("weight", 50) for tc in PRIORITIES
                   if tc not in classes or not classes[tc].strict}
        if not weights:
            return
        divisor = 0
        for weight in weights.values():
            a, b = weight, divisor
            while b:
                a, b = b, a % b
            divisor = a
        least = min(weights.values()) // divisor
        unit = -(-SMALLEST_QUANTUM // least)
        for tc, one in classes.items():
            if tc in weights:
                one.quantum = weights[tc] // divisor * unit

    def read_pools(self):
        """Percentages are of what headroom, or the headroom pool, leaves of the buffer."""
        said = self.switch["buffer"]
        self.all_headroom = sum(group.headroom for port in self.ports.values() for group in port.groups.values())
        aside = size_of(said.get("headroom-pool", {}).get("size", "0B"))
        self.headroom_pool = self.down(aside) if aside else None
        room = size_of(said["size"]) - (aside or self.all_headroom * self.cell)
        if room < 0:
            raise Refused("headroom")
        self.pools = {name: self.pool(said["pools"][name], room) for name in (*INGRESS, *EGRESS)}
        for side in (INGRESS, EGRESS):
            self.check_side([said["pools"][name]["size"] for name in side], room)

    def pool(self, said, room):
        if said["size"] == "unlimited":
            return Pool()
        return Pool(self.down(self.pool_bytes(said["size"], room)), None, alpha_of(said.get("port-alpha")))

    @staticmethod
    def pool_bytes(said, room):
        if said == "unlimited":
            return 0
        return room * int(said[:-1]) // 100 if said.endswith("%") else size_of(said)

    def check_side(self, said, room):
        parts = [one for one in said if one.endswith("%")]
        if sum(int(one[:-1]) for one in parts) > 100:
            raise Refused("over 100 %")
        if len(parts) < 2 and sum(self.pool_bytes(one, room) for one in said) > room:
            raise Refused("oversubscribed")

    def read_tenants(self):
        self.tenants = {}
        here = {port.tenant for port in self.ports.values()}
        for name, said in self.switch.get("tenants", {}).items():
            said = said.get("buffer", {}) if name in here else {}
            share = said.get("share", "none")
            if share.endswith("%"):
                share = ("part", Fraction(int(share[:-1]), 100))
            else:
                share = None if alpha_of(share) is None else ("alpha", alpha_of(share))
            self.tenants[name] = Tenant(self.up(size_of(said.get("guaranteed", "0B"))), share)
        self.tenants_count = any("buffer" in said and name in here
                                 for name, said in self.switch.get("tenants", {}).items())

    def take_aside(self):
        """What reservations and guarantees leave of each pool is shared."""
        guarantees = sum(tenant.guaranteed for tenant in self.tenants.values())
        users = [user for port in self.ports.values() for user in (*port.groups.values(), *port.classes.values())]
        reserved = {name: sum(user.reserved for user in users if user.pool == name) for name in self.pools}
        for name, pool in self.pools.items():
            if pool.size is None:
                continue
            pool.shared = pool.size - guarantees - reserved[name]
            if pool.shared < 0:
                raise Refused(f"{name} is too small for what is set aside in it")
        said = self.switch["buffer"]
        room = size_of(said["size"])
        aside = size_of(said.get("headroom-pool", {}).get("size", "0B")) or self.all_headroom * self.cell
        for side, other in ((INGRESS, aside), (EGRESS, 0)):
            if sum(reserved[name] for name in side) * self.cell > room - other:
                raise Refused("more is set aside than there is")

    def excess(self):
        """Cells of pools and headroom beyond the buffer: a live change may not add to them."""
        headroom = self.all_headroom if self.headroom_pool is None else self.headroom_pool
        whole = max(headroom + sum(self.pools[name].size or 0 for name in side) for side in (INGRESS, EGRESS))
        return max(0, whole - size_of(self.switch["buffer"]["size"]) // self.cell)

    def refresh(self, port):
        """`auto` leaves time to wait for the largest frame, tagged, and the refreshes of all groups of the port."""
        said = self.qos["pfc"].get("refresh", "auto")
        if said != "auto":
            return time_of(said)
        telling = [pg for pg, group in port.groups.items()
                   if group.lossless and any(self.pg[priority] == pg for priority in port.told)]
        around, pauses = PREAMBLE + FCS + GAP, 1 if self.link_pause else max(len(telling), 1)
        wait = MTU + ETHERNET + 2 * TAG + around + pauses * (60 + around)
        return bytes_ps(port.rate, min(self.quanta * 64 // 2, self.quanta * 64 - wait))

    def watchdog_of(self, own):
        """Of a port; own: what it has for itself. The poll is the same for all."""
        said = self.qos.get("watchdog", "off")
        said = {"enabled": "off"} if said == "off" else {"enabled": "on"} | said
        own = {"enabled": own} if own in ("on", "off") else {"enabled": "on"} | own if own else {}
        merged = instead(said, own)
        if "poll" not in merged:
            return None
        detect = merged["robustness"] * time_of(merged["poll"]) if "robustness" in merged else time_of(merged["detect"])
        found = {"detect": detect, "restore": time_of(merged["restore"]), "action": merged["action"],
                 "flush": truth(merged.get("flush", "on")), "ingress": truth(merged.get("ingress", "off"))}
        if time_of(merged["poll"]) > min(detect, found["restore"]):
            raise Refused("looks too seldom")
        return found if truth(merged["enabled"]) else None

    def read_watchdog(self):
        """poll: None where it is off at all ports."""
        said = self.qos.get("watchdog", "off")
        self.poll = time_of(said["poll"]) if any(port.watchdog for port in self.ports.values()) else None

    def read_trim(self):
        said = self.qos.get("trim", "off")
        self.trim = None
        if said != "off":
            everywhere = [{pg: self.group(one) for pg, one in self.qos["pg"].items()},
                          *(port.groups for port in self.ports.values())]
            self.trim = {"size": size_of(said["size"]), "dscp": said["dscp"], "tc": said["tc"],
                         "eligible": frozenset(said["eligible-tc"])}
            lossless = any(self.tc[one] == said["tc"] and groups[self.pg[one]].lossless
                           for one in PRIORITIES for groups in everywhere)
            if said["tc"] in said["eligible-tc"] or lossless or \
                    self.qos["tc"][said["tc"]]["pool"] == "egress-lossless":
                raise Refused("trim's class")

    def histogram(self, said):
        """Bounds of depths are rounded down to whole cells."""
        kind = next(one for one in ("queue", "group", "latency") if one in said)
        port, index = said[kind].split(".")
        parse, unit = (time_of, 1) if kind == "latency" else (size_of, self.cell)
        width = parse(said["size"]) // (said["bins"] - 2) // unit * unit
        if width == 0:
            raise Refused("bins of less than a cell")
        one = {"kind": kind, "port": port, "index": int(index), "bins": said["bins"], "width": width,
               "min": parse(said["min"]) // unit * unit}
        return one if kind == "latency" else one | {"sample": time_of(said["sample"])}

    def marks(self, packet):
        """The DSCP and PCP that count: `pipe` hides the outer DSCP, unless the tunnel has a map for it."""
        if packet.outer is None or (self.ipip.pipe and self.ipip.dscp is None):
            return packet.dscp, packet.pcp
        return packet.outer.dscp, packet.pcp

    def group_of(self, packet):
        return (self.pg if packet.outer is None else self.ipip.pg)[packet.priority]

    def priority(self, packet):
        """By the first of the trusted markings that the packet came in with; by the map of its tunnel before all."""
        port, (dscp, pcp) = self.ports[packet.port], packet.came_with
        if packet.outer is not None and self.ipip.dscp is not None:
            return self.ipip.dscp.get(dscp, self.ipip.dscp.get("default", dscp // 8))
        for mark in port.trust:
            if mark == "pcp" and pcp is not None:
                return port.pcp.get(pcp, port.pcp.get("default", pcp))
            if mark == "dscp":
                return port.dscp.get(dscp, port.dscp.get("default", dscp // 8))
        return port.port_priority
