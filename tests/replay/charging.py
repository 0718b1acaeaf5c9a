# SPDX-License-Identifier: BSD-3-Clause
"""The charging rule once more, from its description, to walk through what a replay's captures tell.

It knows nothing of schedulers or clocks: arrivals are what went in, departures are what came out. It says
what must have been dropped, why, when XOFF and XON were due, and what every counter of the buffer shows at
any instant.

A packet of p cells is charged to its group and to its queue; each side tries, in order, its tenant's
guarantee, its own space within its limit, and for a lossless group headroom. It is given back when its
transmission starts: a guarantee's to the guarantee, else headroom first, then own.
"""
from dataclasses import dataclass, field

INGRESS, EGRESS = ("ingress-lossless", "ingress-lossy"), ("egress-lossless", "egress-lossy")


@dataclass
class Packet:
    ident: int
    arrival: int
    port: str
    out: str
    pg: int
    tc: int
    size: int
    tenant: str = None
    start: int = None       # of its transmission
    place: str = None       # on the ingress side
    granted: bool = False   # a guarantee's on the egress side


@dataclass
class Limit:
    """What a group or queue may take: in cells; alpha None: static."""
    pool: str
    alpha: float = None
    static: int = 1 << 40
    reserved: int = 0
    lossless: bool = False
    headroom: int = 0
    xon: int = 0
    xon_offset: int = None


@dataclass
class User:
    """A group or queue."""
    limit: Limit
    own: int = 0
    guaranteed: int = 0
    headroom: int = 0
    xoff: bool = False
    used_max: int = 0
    shared_max: int = 0
    headroom_max: int = 0
    packets: int = 0
    dropped: int = 0

    @property
    def used(self):
        return self.own + self.guaranteed + self.headroom

    def shared(self, more=0):
        return max(0, self.own + more - self.limit.reserved)

    def note(self):
        self.used_max = max(self.used_max, self.used)
        self.shared_max = max(self.shared_max, self.shared())
        self.headroom_max = max(self.headroom_max, self.headroom)


@dataclass
class Pool:
    size: int               # cells; None: unlimited
    shared_size: int = 0
    users: list = field(default_factory=list)
    used_max: int = 0

    @property
    def use(self):
        return sum(user.shared() for user in self.users)

    @property
    def used(self):
        return sum(user.own + user.guaranteed for user in self.users)


@dataclass
class Tenant:
    guaranteed: int = 0     # cells, in every pool
    share: float = None     # of a pool's shared size
    used: dict = field(default_factory=dict)     # by pool
    granted: dict = field(default_factory=dict)  # by pool
    used_max: int = 0


class Model:
    def __init__(self, cell, ports, groups, queues, pools, tenants=None):
        """groups, queues: {number: Limit} of every port; pools: {name: cells or None}; tenants: {name: Tenant}."""
        self.cell, self.tenants = cell, tenants or {}
        self.groups = {(port, i): User(limit) for port in ports for i, limit in groups.items()}
        self.queues = {(port, i): User(limit) for port in ports for i, limit in queues.items()}
        self.pools = {name: Pool(size) for name, size in pools.items()}
        for user in [*self.groups.values(), *self.queues.values()]:
            self.pools[user.limit.pool].users.append(user)
        guarantees = sum(tenant.guaranteed for tenant in self.tenants.values())
        for pool in self.pools.values():
            aside = sum(user.limit.reserved for user in pool.users) + guarantees
            pool.shared_size = 1 << 40 if pool.size is None else pool.size - aside
        self.dropped = []    # (packet, reason)
        self.pause = []      # (time, port, group, XOFF?)

    def cells(self, packet):
        return -(-packet.size // self.cell)

    def bound(self, user):
        """A user's limit as it stands."""
        pool = self.pools[user.limit.pool]
        if user.limit.alpha is None:
            return user.limit.static
        return int(user.limit.alpha * max(0, pool.shared_size - pool.use))

    def try_side(self, user, packet, full):
        """Returns ("guarantee" or "own", None), or (None, reason)."""
        p, pool = self.cells(packet), self.pools[user.limit.pool]
        tenant = self.tenants.get(packet.tenant) if pool.size is not None else None
        name = user.limit.pool
        if tenant and tenant.granted.get(name, 0) + p <= tenant.guaranteed:
            return "guarantee", None
        if user.shared(p) == 0:
            return "own", None
        if user.shared(p) > self.bound(user) or pool.use + user.shared(p) - user.shared() > pool.shared_size:
            return None, full
        if tenant and tenant.share is not None:
            beyond = tenant.used.get(name, 0) - tenant.granted.get(name, 0) + p
            if beyond > int(tenant.share * pool.shared_size):
                return None, "tenant-share"
        return "own", None

    def arrive(self, packet, now):
        """Admits or drops a packet."""
        group, queue = self.groups[packet.port, packet.pg], self.queues[packet.out, packet.tc]
        p = self.cells(packet)
        group.packets += 1
        place, reason = self.try_side(group, packet, "ingress-pool")
        if place is None and group.limit.lossless:
            if not group.xoff:
                group.xoff = True
                self.pause.append((now, packet.port, packet.pg, True))
            place, reason = ("headroom", None) if group.headroom + p <= group.limit.headroom else (None, "headroom")
        if place is None:
            group.dropped += 1
            self.dropped.append((packet, reason))
            return
        out, reason = self.try_side(queue, packet, "egress-pool")
        if out is None:
            queue.dropped += 1
            self.dropped.append((packet, reason))
            return
        packet.place, packet.granted = place, out == "guarantee"
        self.take(group, packet, place, p)
        self.take(queue, packet, out, p)

    def take(self, user, packet, place, p):
        name = user.limit.pool
        attribute = {"guarantee": "guaranteed"}.get(place, place)
        setattr(user, attribute, getattr(user, attribute) + p)
        self.count_tenant(user, packet, place, p)
        user.note()
        self.pools[name].used_max = max(self.pools[name].used_max, self.pools[name].used)

    def count_tenant(self, user, packet, place, p):
        """Gives the tenant p cells more (less) of a pool that knows tenants."""
        tenant, name = self.tenants.get(packet.tenant), user.limit.pool
        if tenant is None or self.pools[name].size is None:
            return
        tenant.used[name] = tenant.used.get(name, 0) + p
        if place == "guarantee":
            tenant.granted[name] = tenant.granted.get(name, 0) + p
        tenant.used_max = max(tenant.used_max, sum(tenant.used.get(pool, 0) for pool in INGRESS))

    def leave(self, packet, now):
        """Gives a packet's cells back; its transmission starts."""
        group, queue = self.groups[packet.port, packet.pg], self.queues[packet.out, packet.tc]
        p = self.cells(packet)
        out = "guarantee" if packet.granted else "own"
        self.count_tenant(queue, packet, out, -p)
        self.count_tenant(group, packet, packet.place, -p)
        if packet.granted:
            queue.guaranteed -= p
        else:
            queue.own -= p
        if packet.place == "guarantee":
            group.guaranteed -= p
        else:
            from_headroom = min(p, group.headroom)
            group.headroom -= from_headroom
            group.own -= p - from_headroom
        if group.xoff and self.may_xon(group):
            group.xoff = False
            self.pause.append((now, packet.port, packet.pg, False))

    def may_xon(self, group):
        limit = group.limit
        bound = limit.xon
        if limit.xon_offset is not None:
            bound = max(bound, self.bound(group) - limit.xon_offset)
        return group.headroom == 0 and group.shared() <= bound

    def check(self, test, node):
        """Fails unless a node's counters of its buffer are the model's."""
        for (port, i), user in self.groups.items():
            shown = node["ports"][port]["pg"][i]
            for name in ("used", "headroom", "used_max", "shared_max", "headroom_max"):
                test.assertEqual(shown[name], getattr(user, name) * self.cell, f"{port} group {i} {name}")
            test.assertEqual(shown["shared"], user.shared() * self.cell, f"{port} group {i} shared")
            test.assertEqual((shown["packets"], shown["dropped"]), (user.packets, user.dropped), f"{port} group {i}")
        for (port, i), user in self.queues.items():
            shown = node["ports"][port]["queue"][i]
            test.assertEqual(shown["depth"], user.used * self.cell, f"{port} queue {i} depth")
            test.assertEqual(shown["depth_max"], user.used_max * self.cell, f"{port} queue {i} depth_max")
            test.assertEqual(shown["dropped"], user.dropped, f"{port} queue {i} dropped")
        for name, pool in self.pools.items():
            shown = node["pools"][name]
            test.assertEqual((shown["used"], shown["used_max"]),
                             (pool.used * self.cell, pool.used_max * self.cell), name)
        for name, tenant in self.tenants.items():
            used = sum(tenant.used.get(pool, 0) for pool in INGRESS)
            shown = node["tenants"][name]
            test.assertEqual((shown["used"], shown["used_max"]), (used * self.cell, tenant.used_max * self.cell), name)
