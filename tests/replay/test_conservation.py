# SPDX-License-Identifier: BSD-3-Clause
"""At any instant, per port, group, queue, pool and tenant: received = sent + dropped by reason + queued, and both
sides of the buffer hold what is queued.

Switches, traffic, pauses and live changes are drawn by tests/model. Who is admitted is not predicted here: what came
in is known, captures tell what was dropped and what left, when and as how many bytes; the rest is queued. Every
counter of every snapshot must say the same. At the end all ports are free, and everything has left or been dropped.
"""
import collections
import unittest

from common import *
from model.compare import Trial
from model.happenings import Happening
from model.settings import EGRESS, FCS, INGRESS, PREAMBLE, Settings, bytes_ps, rate_of
from model.traffic import ident_of

SEEDS = 100 if FULL else 24
DRAIN_PS = 40 * 10**9       # the slowest rates have sent all by then
UNROUTED = {"no-route", "ttl-expired"}      # dropped before they count for any group
BY_GROUP, BY_QUEUE = {"ingress-pool", "headroom"}, {"egress-pool", "red"}    # others may be by either
CLASSIFY = {"trust", "port-priority", "dscp-to-priority", "pcp-to-priority", "priority-to-tc", "trim"}
SEEN = {*BY_GROUP, *BY_QUEUE, *UNROUTED, "tenant-share", "watchdog", "trimmed", "queued", "change"}


class Known:
    """What is known of a packet from outside: when it came, where to, and what became of it."""

    def __init__(self, packet, port, latency):
        packet.port, packet.came_with = port, (packet.dscp, packet.pcp)
        self.packet, self.port, self.at = packet, port, packet.at + latency
        self.out, self.size, self.left = packet.out, packet.size, packet.size    # left: bytes, if it was trimmed
        self.dropped = None     # (ns, reason)

    def classify(self, settings):
        """By the settings of its instant."""
        priority = settings.priority(self.packet)
        self.group, self.tenant = (self.port, settings.pg[priority]), settings.ports[self.port].tenant
        self.asked = self.queue = (self.out, settings.tc[priority])
        if self.trimmed:
            self.queue = (self.out, settings.trim["tc"])
        self.cells = settings.up(self.left)

    @property
    def trimmed(self):
        return self.left < self.size

    @property
    def reason(self):
        return self.dropped and self.dropped[1]


class Account:
    """What captures of a trial tell, and what its counters have to say at some instant."""

    def __init__(self, case, trial):
        self.case, self.trial, self.run = case, trial, trial.run
        self.seen = collections.Counter()
        self.settings = self.settings_of(trial.description)
        arrivals = [(one, port) for port, came in trial.arrivals.items() for one in came]
        self.packets = {one.ident: Known(one, port, self.settings.latency)
                        for one, port in arrivals if one.kind == "packet"}
        self.frames = [(one.at + self.settings.latency, port, one.size)
                       for one, port in arrivals if one.kind != "packet"]
        for one in self.run.dropped:
            packet = self.packets[ident_of(one.data)]
            packet.dropped, packet.left = (one.ns, one.field("reason")), one.length
        self.read_sent()
        self.classify()

    def settings_of(self, description):
        return Settings(description, self.trial.headroom_of_auto())

    def read_sent(self):
        """In the order in which they left: [(earliest and latest start in ps, Known or None)] of each port."""
        self.sent = {}
        for port, captured in self.run.sent.items():
            rate = rate_of(self.trial.description["ports"][port]["rate"])
            self.sent[port] = []
            for one in captured:
                packet = None if one.data[12:14] == b"\x88\x08" else self.packets[ident_of(one.data)]
                if packet is not None:
                    self.case.assertIsNone(packet.dropped, "sent and dropped")
                    packet.left = one.length
                start = one.ns * 1000 - bytes_ps(rate, PREAMBLE + one.length + FCS)
                self.sent[port].append((start, start + 999, packet))

    def classify(self):
        """Each packet by the settings of its arrival; what is ordered for that instant comes before it."""
        events = [one for one in self.trial.happenings if one.description is not None]
        settings = self.settings_of(self.trial.description)
        for packet in sorted(self.packets.values(), key=lambda packet: packet.at):
            while events and events[0].at <= packet.at:
                settings = self.settings_of(events.pop(0).description)
            packet.classify(settings)
            self.seen.update([packet.reason, "trimmed" if packet.trimmed else None])

    def walk(self):
        """Every snapshot in its turn among the events, and the end."""
        shots = iter(self.run.counters["snapshots"])
        for event in self.trial.happenings:
            if event.description is not None:
                self.settings = self.settings_of(event.description)
                self.seen["change"] += 1
            if "snapshot" in event.said:
                shot = next(shots)
                self.case.assertEqual(shot["at_ns"], event.at // 1000)
                self.check(event.at, shot["nodes"]["dut"])
        self.check(self.trial.until, self.run.switch.counters)
        self.case.assertEqual(self.queued, [])

    def check(self, at, node):
        """What a switch shows at an instant."""
        came = [packet for packet in self.packets.values() if packet.at < at]
        self.lost = [packet for packet in came if packet.dropped and packet.dropped[0] < at // 1000]
        self.gone = [packet for port in self.sent for packet in self.begun(at, port, node["ports"][port])]
        away = {id(packet) for packet in (*self.lost, *self.gone)}
        self.queued = [packet for packet in came if id(packet) not in away]
        self.case.assertEqual(len(came), len(self.lost) + len(self.gone) + len(self.queued))
        self.seen["queued"] += len(self.queued)
        self.check_ports(at, came, node["ports"])
        self.check_groups(came, node["ports"])
        self.check_queues(came, node["ports"])
        self.check_pools(node)
        self.check_tenants(came, node["tenants"])

    def begun(self, at, port, shown):
        """Packets that have begun to leave: as many of each queue as it says. It must be those, to the ns that
        stamps tell. Control frames likewise."""
        found = []
        for tc, count in (*enumerate(queue["packets"] for queue in shown["queue"]), (None, shown["control_tx"])):
            mine = [one for one in self.sent[port] if (one[2] and one[2].queue[1]) == tc]
            for earliest, _, _ in mine[count - 1:count]:
                self.case.assertLessEqual(earliest, at, (port, tc))
            for _, latest, _ in mine[count:count + 1]:
                self.case.assertGreaterEqual(latest, at, (port, tc))
            found += [packet for _, _, packet in mine[:count] if packet]
        return found

    # ---- equalities

    def equal(self, what, shown, **expected):
        self.case.assertEqual({name: shown[name] for name in expected}, expected, what)

    def bytes_of(self, packets):
        return sum(packet.cells for packet in packets) * self.settings.cell

    def check_ports(self, at, came, ports):
        for name, shown in ports.items():
            frames = [size for ready, port, size in self.frames if port == name and ready < at]
            mine = [packet.size for packet in came if packet.port == name]
            left = [packet.left for packet in self.gone if packet.out == name]
            reasons = collections.Counter(packet.reason for packet in self.lost if packet.port == name)
            self.equal(name, shown, rx_packets=len(mine) + len(frames), rx_bytes=sum(mine) + sum(frames),
                       control_rx=len(frames), drops=dict(reasons), tx_packets=len(left) + shown["control_tx"],
                       tx_bytes=sum(left) + 60 * shown["control_tx"])

    @staticmethod
    def by(key, packets):
        """{group or queue: packets}, of those that got so far."""
        found = collections.defaultdict(list)
        for packet in packets:
            if packet.reason not in UNROUTED:
                found[getattr(packet, key)].append(packet)
        return found

    def check_groups(self, came, ports):
        came, lost, queued = (self.by("group", packets) for packets in (came, self.lost, self.queued))
        for one in ((name, pg) for name in ports for pg in range(8)):
            shown = ports[one[0]]["pg"][one[1]]
            self.equal(one, shown, packets=len(came[one]), bytes=sum(packet.size for packet in came[one]),
                       used=self.bytes_of(queued[one]))
            self.between(one, shown, lost[one], BY_GROUP, BY_QUEUE)

    def check_queues(self, came, ports):
        asked, lost, gone, queued = (self.by(key, packets) for key, packets in (
            ("asked", came), ("queue", self.lost), ("queue", self.gone), ("queue", self.queued)))
        for one in ((name, tc) for name in ports for tc in range(8)):
            shown = ports[one[0]]["queue"][one[1]]
            self.equal(one, shown, packets=len(gone[one]), bytes=sum(packet.left for packet in gone[one]),
                       depth=self.bytes_of(queued[one]), trimmed=sum(packet.trimmed for packet in asked[one]),
                       trim_sent=sum(packet.trimmed for packet in gone[one]))
            self.between(one, shown, lost[one], BY_QUEUE, BY_GROUP)
        self.case.assertEqual(total(ports, "pg", "dropped") + total(ports, "queue", "dropped"),
                              sum(packet.reason not in UNROUTED for packet in self.lost))

    def between(self, what, shown, lost, own, others):
        """Some reasons are only of one side of the buffer."""
        self.case.assertGreaterEqual(shown["dropped"], sum(packet.reason in own for packet in lost), what)
        self.case.assertLessEqual(shown["dropped"], sum(packet.reason not in others for packet in lost), what)

    def check_pools(self, node):
        """Each pool holds what its groups or queues do, but for headroom, which has its own."""
        for kind, held, pools in (("pg", "used", INGRESS), ("queue", "depth", EGRESS)):
            sums = dict.fromkeys(pools, 0)
            for name, port in node["ports"].items():
                limits = self.settings.ports[name].groups if kind == "pg" else self.settings.ports[name].classes
                for i, shown in enumerate(port[kind]):
                    sums[limits[i].pool] += shown[held] - shown.get("headroom", 0)
            self.case.assertEqual({pool: node["pools"][pool]["used"] for pool in pools}, sums)
        self.case.assertEqual(node["pools"]["headroom"]["used"], total(node["ports"], "pg", "headroom"))

    def check_tenants(self, came, tenants):
        """A tenant holds what its queued packets take, in whatever pool."""
        for name, shown in tenants.items():
            mine = [packet for packet in came if packet.tenant == name]
            self.equal(name, shown, packets=len(mine), bytes=sum(packet.size for packet in mine),
                       dropped=sum(packet.tenant == name for packet in self.lost),
                       used=self.bytes_of(one for one in self.queued if one.tenant == name))


def settled(happenings):
    """Without changes from the first one on that would give waiting packets to other queues: when exactly a packet
    left its queue captures do not tell."""
    names = [set(one.said.get("set", "").split(".")) for one in happenings]
    first = next((i for i, words in enumerate(names) if words & CLASSIFY), len(names))
    return [one for i, one in enumerate(happenings) if i < first or "set" not in one.said]


class Conservation(Case):
    def account(self, seed, **options):
        """Runs a seed, with all ports free in the end; returns what was seen."""
        trial = Trial(seed, self.directory / str(seed), ipip=False, **options)     # accounts know no tunnels
        trial.happenings = settled(trial.happenings) + [Happening(trial.until, {"port": port, "tx": "on"}, None)
                                                        for port in trial.description["ports"]]
        trial.until += DRAIN_PS
        trial.replay()
        account = Account(self, trial)
        account.walk()
        trial.remove()
        return account.seen

    def test_random(self):
        seen = collections.Counter()
        for seed in range(10000, 10000 + SEEDS):
            with self.subTest(seed=seed):
                seen += self.account(seed, snapshots=12)
        self.assertEqual(SEEN - set(seen), set())

    def test_long(self):
        """Many packets, looked at often."""
        for seed in range(11000, 11002):
            with self.subTest(seed=seed):
                self.account(seed, packets=3000, snapshots=40)


if __name__ == "__main__":
    unittest.main()
