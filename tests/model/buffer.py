# SPDX-License-Identifier: BSD-3-Clause
"""The charging rule. Nothing is kept but what each group and queue holds and the list of packets held: sums are
taken when they are asked for.

A packet of p cells is charged to its group and to its queue. Each side tries, in order, its tenant's
guarantee, its own space within its limit, and for a lossless group headroom. It is given back when its
transmission starts: a guarantee's to the guarantee, else headroom first, then own.
"""
from .settings import EGRESS, INGRESS

GUARANTEE, OWN, HEADROOM = "guarantee", "own", "headroom"


class Peak:
    """A maximum since the last clear, and another since the last clear of the persistent ones."""

    def __init__(self):
        self.user = self.persistent = 0

    def note(self, value):
        self.user, self.persistent = max(self.user, value), max(self.persistent, value)

    def clear(self, persistent, value):
        """The one that is cleared starts from what is held now, and the other has seen it too."""
        self.note(value)
        if persistent:
            self.persistent = value
        else:
            self.user = value


class User:
    """A group or a queue of a port, and what it holds in cells."""

    def __init__(self, buffer, port, index, ingress):
        self.buffer, self.port, self.index, self.ingress = buffer, port, index, ingress
        self.own = self.guaranteed = self.headroom = 0
        self.used_max, self.shared_max, self.headroom_max = Peak(), Peak(), Peak()
        self.packets = self.bytes = self.dropped = self.dropped_bytes = 0

    @property
    def limit(self):
        port = self.buffer.settings.ports[self.port]
        return (port.groups if self.ingress else port.classes)[self.index]

    @property
    def used(self):
        return self.own + self.guaranteed + self.headroom

    def shared(self, more=0):
        return max(0, self.own + more - self.limit.reserved)

    def drop(self, packet):
        self.dropped += 1
        self.dropped_bytes += packet.size

    def peaks(self):
        return (self.used_max, self.used), (self.shared_max, self.shared()), (self.headroom_max, self.headroom)

    def note(self):
        for peak, value in self.peaks():
            peak.note(value)


class Buffer:
    def __init__(self, settings):
        self.settings = settings
        self.groups, self.queues = {}, {}
        self.held = []      # packets
        self.guarantees = dict.fromkeys((*INGRESS, *EGRESS), 0)    # packets that were ever charged to one
        self.pool_max = {name: Peak() for name in (*INGRESS, *EGRESS, "headroom")}
        self.pool_shared_max = {name: Peak() for name in (*INGRESS, *EGRESS)}
        self.tenant_max = {name: Peak() for name in settings.tenants}

    def group(self, port, pg):
        return self.groups.setdefault((port, pg), User(self, port, pg, True))

    def queue(self, port, tc):
        return self.queues.setdefault((port, tc), User(self, port, tc, False))

    # ---- sums

    def users(self, pool, port=None):
        side = self.groups if pool in INGRESS else self.queues
        return [user for user in side.values() if user.limit.pool == pool and port in (None, user.port)]

    def shared_use(self, pool, port=None):
        return sum(user.shared() for user in self.users(pool, port))

    def used(self, pool):
        if pool == "headroom":
            return sum(group.headroom for group in self.groups.values())
        return sum(user.own + user.guaranteed for user in self.users(pool))

    def pool_peaks(self, pool):
        shared = [(self.pool_shared_max[pool], self.shared_use(pool))] if pool in self.pool_shared_max else []
        return [(self.pool_max[pool], self.used(pool)), *shared]

    def note_pool(self, pool):
        for peak, value in self.pool_peaks(pool):
            peak.note(value)

    def free(self, pool):
        return max(0, self.settings.pools[pool].shared - self.shared_use(pool))

    def places(self, packet):
        """(user, how it was charged) on either side."""
        return ((self.group(packet.port, packet.pg), packet.place_in),
                (self.queue(packet.out, packet.tc), packet.place_out))

    def tenant_use(self, tenant, pool, place=None):
        """Cells of a tenant's packets in a pool; place: only those charged so."""
        if not self.settings.tenants_count or self.settings.pools[pool].size is None:
            return 0
        return sum(packet.cells for packet in self.held if packet.tenant == tenant
                   for user, how in self.places(packet) if user.limit.pool == pool and place in (None, how))

    def tenant_held(self, tenant):
        return sum(packet.cells for packet in self.held if packet.tenant == tenant)

    # ---- the rule

    def port_limit(self, pool):
        """The most that a port may use of a pool, or None."""
        alpha = self.settings.pools[pool].port_alpha
        return None if alpha is None else int(alpha * self.free(pool))

    def bound(self, user):
        """A user's limit as it stands."""
        limit = user.limit
        if limit.alpha is None:
            return limit.fixed
        free = self.free(limit.pool)
        if self.port_limit(limit.pool) is not None:
            free = max(0, self.port_limit(limit.pool) - self.shared_use(limit.pool, user.port))
        return int(limit.alpha * free)

    def knows(self, tenant, pool):
        return self.settings.tenants_count and tenant is not None and self.settings.pools[pool].size is not None

    def within_share(self, tenant, pool, p):
        share = self.settings.tenants[tenant].share
        if share is None:
            return True
        kind, factor = share
        most = int(factor * (self.settings.pools[pool].shared if kind == "part" else self.free(pool)))
        return self.tenant_use(tenant, pool) - self.tenant_use(tenant, pool, GUARANTEE) + p <= most

    def within_guarantee(self, tenant, pool, p):
        return self.tenant_use(tenant, pool, GUARANTEE) + p <= self.settings.tenants[tenant].guaranteed

    def try_side(self, user, packet, full):
        """Returns (GUARANTEE or OWN, None), or (None, why not)."""
        p, pool = packet.cells, user.limit.pool
        known = self.knows(packet.tenant, pool)
        if known and self.within_guarantee(packet.tenant, pool, p):
            return GUARANTEE, None
        if user.shared(p) == 0:
            return OWN, None
        more = user.shared(p) - user.shared()
        if user.shared(p) > self.bound(user) or \
                self.shared_use(pool) + more > self.settings.pools[pool].shared:
            return None, full
        most = self.port_limit(pool)
        if most is not None and self.shared_use(pool, user.port) + more > most:
            return None, full
        if known and not self.within_share(packet.tenant, pool, p):
            return None, "tenant-share"
        return OWN, None

    def fits_headroom(self, group, p):
        pool = self.settings.headroom_pool
        return group.headroom + p <= group.limit.headroom and \
            (pool is None or self.used("headroom") + p <= pool)

    def ask(self, packet):
        """Whether a packet is to be admitted: fills in how, or returns why not. Also returns whether its group's
        own space (or guarantee) had no room."""
        group, queue = self.group(packet.port, packet.pg), self.queue(packet.out, packet.tc)
        packet.place_in, reason = self.try_side(group, packet, "ingress-pool")
        pressed = packet.place_in is None and group.limit.lossless
        if pressed:
            packet.place_in, reason = (HEADROOM, None) if self.fits_headroom(group, packet.cells) \
                else (None, "headroom")
        if packet.place_in is None:
            return reason, True, pressed
        packet.place_out, reason = self.try_side(queue, packet, "egress-pool")
        return reason, False, pressed

    def charge(self, packet):
        self.held.append(packet)
        for user, place in self.places(packet):
            name = {GUARANTEE: "guaranteed"}.get(place, place)
            setattr(user, name, getattr(user, name) + packet.cells)
            self.guarantees[user.limit.pool] += place == GUARANTEE
            user.note()
            self.note_pool(user.limit.pool)
        self.note_pool("headroom")
        if packet.tenant is not None:
            self.tenant_max[packet.tenant].note(self.tenant_held(packet.tenant))

    def release(self, packet):
        self.held.remove(packet)
        for user, place in self.places(packet):
            if place == GUARANTEE:
                user.guaranteed -= packet.cells
                continue
            from_headroom = min(packet.cells, user.headroom)
            user.headroom -= from_headroom
            user.own -= packet.cells - from_headroom

    def move(self, packet, tc):
        """A packet goes to another queue of its port, and what it holds on that side with it."""
        name = "guaranteed" if packet.place_out == GUARANTEE else OWN
        for queue, sign in ((self.queue(packet.out, packet.tc), -1), (self.queue(packet.out, tc), 1)):
            setattr(queue, name, getattr(queue, name) + sign * packet.cells)
        packet.tc = tc

    def note_peaks(self):
        """After a change of settings: what is held may count for more than there ever was."""
        for user in (*self.groups.values(), *self.queues.values()):
            user.note()
        for name in self.pool_max:
            self.note_pool(name)
        for name, peak in self.tenant_max.items():
            peak.note(self.tenant_held(name))

    def may_xon(self, group):
        """Whether all that a group holds, headroom too, would fit its own space and leave the hysteresis."""
        if group.headroom == 0:
            return self.leaves_hysteresis(group)
        if self.settings.tenants_count:
            return False
        own, headroom, shared = group.own, group.headroom, group.shared()
        group.own, group.headroom = own + headroom, 0
        may = self.leaves_hysteresis(group) and (group.shared() == shared or self.fits(group))
        group.own, group.headroom = own, headroom
        return may

    def leaves_hysteresis(self, group):
        bound = group.limit.xon
        if group.limit.xon_offset is not None:
            bound = max(bound, self.bound(group) - group.limit.xon_offset)
        return group.shared() <= bound

    def fits(self, group):
        pool = group.limit.pool
        most = self.port_limit(pool)
        return group.shared() <= self.bound(group) and \
            self.shared_use(pool) <= self.settings.pools[pool].shared and \
            (most is None or self.shared_use(pool, group.port) <= most)

    def empty_headroom(self, group):
        """At XON what a group holds in headroom becomes its own."""
        group.own, group.headroom = group.own + group.headroom, 0
        group.note()
        self.note_pool(group.limit.pool)

    def clear_peaks(self, persistent, port=None, pg=None, queue=None, pool=None):
        """Of the whole switch, or only of a port, of a group or queue of it, or of a pool."""
        for user in (*self.groups.values(), *self.queues.values()):
            one, other = (pg, queue) if user.ingress else (queue, pg)
            if pool is not None or other is not None or port not in (None, user.port) or one not in (None, user.index):
                continue
            for peak, value in user.peaks():
                peak.clear(persistent, value)
        if port is not None:
            return
        for name in self.pool_max:
            if pool in (None, name):
                for peak, value in self.pool_peaks(name):
                    peak.clear(persistent, value)
        for name, peak in self.tenant_max.items():
            if pool is None:
                peak.clear(persistent, self.tenant_held(name))
