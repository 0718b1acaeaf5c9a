# SPDX-License-Identifier: BSD-3-Clause
"""The whole switch and the order of its events. At one instant: what the file orders, in its order; timers
(histograms' samples, the watchdog, refreshes); arrivals by port number; departures by port number."""
from .buffer import Buffer
from .histogram import Histograms
from .port import Port
from .report import report
from .settings import Settings
from .watchdog import Watchdog

ECT1, ECT0, CE = 1, 2, 3


class Switch:
    """arrivals: {port: [packet or pause, ...]}, in order; events: [(ps, function of this switch)]."""

    def __init__(self, settings, arrivals, events):
        self.settings, self.now = settings, 0
        self.buffer = Buffer(settings)
        self.ports = {name: Port(self, name) for name in settings.ports}
        for port in self.ports.values():
            port.adopt(0)
        self.watchdog, self.histograms = Watchdog(self), Histograms(self)
        self.arrivals = {name: list(arrivals.get(name, ())) for name in self.ports}
        self.events = list(events)
        self.decapsulated = 0
        self.dropped = []              # (ps, packet, reason, depth of its queue)
        self.snapshots = []
        self.tenants = {name: {"packets": 0, "bytes": 0, "dropped": 0, "ecn_marked": 0} for name in settings.tenants}

    # ---- time

    def timers(self):
        yield from (at for port in self.ports.values() for at in port.sender.refresh_at.values())
        yield from (one.due for one in self.histograms.all if one.due is not None)
        if self.watchdog.due is not None:
            yield self.watchdog.due

    def next_of(self):
        """The first thing that happens: (instant, kind, port number, what)."""
        found = []
        if self.events:
            found.append((self.events[0][0], 0, 0, self.take_event))
        timer = min(self.timers(), default=None)
        if timer is not None:
            found.append((max(self.now, timer), 1, 0, self.take_timers))
        for i, (name, port) in enumerate(self.ports.items()):
            if self.arrivals[name]:
                found.append((self.arrivals[name][0].at + self.settings.latency, 2, i,
                              lambda name=name: self.arrive(name)))
            due = port.due(self.now)
            if due is not None:
                found.append((due, 3, i, lambda port=port: port.depart(self.now)))
        return min(found, key=lambda one: one[:3]) if found else None

    def run(self, until):
        while (found := self.next_of()) and found[0] < until:
            self.now = found[0]
            found[3]()
        self.now = until

    # ---- events and timers

    def take_event(self):
        self.events.pop(0)[1](self)

    def take_timers(self):
        self.histograms.sample(self.now)
        self.watchdog.poll(self.now)
        for port in self.ports.values():
            port.sender.refresh(self.now)

    def snapshot(self):
        self.snapshots.append((self.now, report(self)))

    def set_tx(self, name, queues, on):
        frozen = self.ports[name].frozen
        self.ports[name].frozen = frozen - set(queues) if on else frozen | set(queues)

    def set_key(self, description):
        """New settings: what is held stays held and follows them."""
        for port in self.ports.values():
            port.pauses.expire(self.now)
        self.settings = self.buffer.settings = Settings(description, self.settings.auto_headroom)
        for port in self.ports.values():
            port.requeue()
        self.buffer.note_peaks()
        for port in self.ports.values():
            self.watchdog.mute(port)
            port.adopt(self.now)
        self.watchdog.adopt(self.now)
        self.histograms.adopt(self.now)

    # ---- packets

    def arrive(self, name):
        what, port = self.arrivals[name].pop(0), self.ports[name]
        port.rx_packets += 1
        port.rx_bytes += what.size
        if what.kind == "packet":
            what.port = name
            self.admit(what)
            return
        port.control_rx += 1
        if what.kind == "pfc":
            port.pauses.receive_pfc(what.quanta, self.now)
        else:
            port.pauses.receive_pause(what.quanta, self.now)

    def released(self, packet):
        pool = self.buffer.group(packet.port, packet.pg).limit.pool
        for port in self.ports.values():
            port.sender.pool_fell(pool, self.now)

    def drop(self, packet, reason):
        drops = self.ports[packet.port].drops
        drops[reason] = drops.get(reason, 0) + 1
        if packet.tenant is not None:
            self.tenants[packet.tenant]["dropped"] += 1
        self.dropped.append((self.now, packet, reason, self.buffer.queue(packet.out, packet.tc).used))

    def count_marked(self, packet):
        if packet.tenant is not None:
            self.tenants[packet.tenant]["ecn_marked"] += 1

    def classify(self, packet):
        settings = self.settings
        packet.arrived = self.now
        packet.came_with = settings.marks(packet)
        packet.priority = settings.priority(packet)
        packet.pg, packet.tc = settings.group_of(packet), settings.tc[packet.priority]
        packet.tenant = settings.ports[packet.port].tenant
        packet.cells = settings.up(packet.size)
        if packet.tenant is not None:
            self.tenants[packet.tenant]["packets"] += 1
            self.tenants[packet.tenant]["bytes"] += packet.size

    def admit(self, packet):
        self.classify(packet)
        if packet.fate is not None:
            self.drop(packet, packet.fate)
            return
        group = self.buffer.group(packet.port, packet.pg)
        group.packets += 1
        group.bytes += packet.size
        if self.watchdog.refuses(packet):
            self.drop(packet, "watchdog")
            return
        reason, by_group, pressed = self.buffer.ask(packet)
        if pressed:
            self.ports[packet.port].sender.xoff(packet.pg, self.now)
        if reason is not None and not (not by_group and self.trim(packet, group)):
            (group if by_group else self.buffer.queue(packet.out, packet.tc)).drop(packet)
            self.drop(packet, reason)
            return
        self.buffer.charge(packet)
        if packet.outer is not None:
            self.decapsulate(packet)
        self.remark(packet)
        self.enqueue(packet)

    def trim(self, packet, group):
        """Whether a packet that its queue refused goes on, trimmed, by another: it is charged anew."""
        trim = self.settings.trim
        if trim is None or packet.tc not in trim["eligible"] or group.limit.lossless or packet.cnp or \
                packet.outer is not None or packet.size <= trim["size"]:
            return False
        if self.watchdog.drops(packet.out) and \
                trim["tc"] in self.ports[packet.out].pauses.ignored:
            return False
        before = packet.size, packet.cells, packet.tc
        packet.size, packet.cells, packet.tc = trim["size"], self.settings.up(trim["size"]), trim["tc"]
        if self.buffer.ask(packet)[0] is not None:
            packet.size, packet.cells, packet.tc = before
            return False
        self.ports[packet.out].trimmed[before[2]] += 1
        packet.trimmed, packet.dscp = True, trim["dscp"]
        return True

    def decapsulate(self, packet):
        """What leaves is the packet inside, untagged; its cells stay those of what came. RFC 6040, figure 4, without
        the one case that drops: traffic.py draws none."""
        outer, settings = packet.outer, self.settings.ipip
        packet.size, packet.pcp = packet.inside(), None
        if not settings.pipe:
            packet.dscp = outer.dscp
        if settings.copy_ecn or outer.ecn == CE or (packet.ecn, outer.ecn) == (ECT0, ECT1):
            packet.ecn = outer.ecn
        self.decapsulated += 1

    def remark(self, packet):
        """On the way out, by priority. A trimmed packet keeps the DSCP that says so."""
        port = self.settings.ports[packet.out]
        if not packet.trimmed:
            packet.dscp = port.remark_dscp.get(packet.priority, packet.dscp)
        if packet.pcp is not None:
            packet.pcp = port.remark_pcp.get(packet.priority, packet.pcp)

    def enqueue(self, packet):
        """A port at which nothing is due now, and whose transmitter is free, begins at once."""
        port = self.ports[packet.out]
        idle = port.tx_free <= self.now and port.due(self.now) != self.now
        port.queues[packet.tc].push(packet)
        if idle:
            port.depart(self.now)
