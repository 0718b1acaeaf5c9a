# SPDX-License-Identifier: BSD-3-Clause
"""At any instant, per port, group, queue, pool and tenant, received = sent + dropped + queued; and
the buffer holds exactly what the charging rule says.

Random packets cross a switch with far too little buffer. Ports run at 8 Gb/s, so that a byte is 1 ns, every
start and end is a whole ns, and captures tell all of them exactly. What the captures tell is walked through
the charging rule (charging.py); the two must agree on every drop and its reason, every PFC frame, and every
counter of the buffer at instants drawn at random.
"""
import random
import unittest

from common import *
from charging import INGRESS, Limit, Model, Packet, Tenant

GBIT["8G"] = 8
PORTS = ["swp1", "swp2", "swp3", "swp4"]
CLASSES = {3: (3, 3), 4: (4, 4), 0: (0, 0), 46: (0, 5)}     # DSCP: (group, queue); queue 5 is strict
END = 900000    # ns: the last arrival


class Setup:
    """A switch by its numbers, in bytes, for the file and, in cells, for the model."""

    def __init__(self, cell, groups, queues, pools, tenants=None, settings=None):
        self.cell, self.groups, self.queues, self.pools = cell, groups, queues, pools
        self.tenants, self.settings = tenants or {}, settings or {}

    @staticmethod
    def alpha(text):
        if text == "unlimited":
            return None
        above, _, below = str(text).partition("/")
        return int(above) / int(below or 1)

    def limit(self, pool, alpha=None, static=None, reserved=0, lossless=False, headroom=0, xon=0, offset=9216):
        down, up = (lambda size: size // self.cell), (lambda size: cells(size, self.cell))
        fixed = down(static) if static is not None else 1 << 40
        return Limit(pool, self.alpha(alpha) if static is None else None, fixed, up(reserved), lossless,
                     up(headroom), down(xon), None if offset is None else down(offset))

    def model(self):
        tenants = {name: Tenant(cells(guaranteed, self.cell), share)
                   for name, (guaranteed, share) in self.tenants.items()}
        return Model(self.cell, PORTS, {i: self.limit(**one) for i, one in self.groups.items()},
                     {i: self.limit(**one) for i, one in self.queues.items()},
                     {name: size if size is None else size // self.cell for name, size in self.pools.items()}, tenants)

    def file(self, events):
        def written(one, ingress):
            said = {"pool": one["pool"], "reserved": f"{one.get('reserved', 0)}B"}
            said |= {"static": f"{one['static']}B"} if "static" in one else {"alpha": one["alpha"]}
            if ingress:
                offset = one.get("offset", 9216)
                said |= {"lossless": one.get("lossless", False), "headroom": f"{one.get('headroom', 0)}B",
                         "xon": f"{one.get('xon', 0)}B", "xon-offset": "none" if offset is None else f"{offset}B"}
            return said

        names = list(self.tenants)
        ports = {port: {"tenant": names[i % len(names)]} if names else {} for i, port in enumerate(PORTS)}
        qos = {"dscp-to-priority": {3: 3, 4: 4, 46: 5}, "priority-to-pg": {3: 3, 4: 4},
               "priority-to-tc": {3: 3, 4: 4, 5: 5}, "pfc": {"priorities": [3, 4]},
               "pg": {i: written(one, True) for i, one in self.groups.items()},
               "tc": {i: written(one, False) | {"scheduler": "strict" if i == 5 else "dwrr", "ecn": "off"}
                      for i, one in self.queues.items()}}
        pools = {name: {"size": "unlimited" if size is None else f"{size}B"} for name, size in self.pools.items()}
        tenants = {name: {"buffer": {"guaranteed": f"{guaranteed}B"} | ({"share": f"{share:.0%}"} if share else {})}
                   for name, (guaranteed, share) in self.tenants.items()}
        extra = {"tenants": tenants} if tenants else {}
        buffer = {"cell": self.cell, "pools": pools}
        return switch(ports, "8G", events, qos=qos, buffer=buffer, **extra, **self.settings)

    def tenant_of(self, port):
        names = list(self.tenants)
        return names[PORTS.index(port) % len(names)] if names else None


LOSSLESS = {"lossless": True, "pool": "ingress-lossless"}
QUEUES = {3: {"pool": "egress-lossless", "alpha": "unlimited"}, 4: {"pool": "egress-lossless", "alpha": "unlimited"},
          0: {"pool": "egress-lossy", "alpha": "1"}, 5: {"pool": "egress-lossy", "alpha": "1/2"}}
DYNAMIC = dict(
    groups={3: {**LOSSLESS, "alpha": "1/4", "headroom": 1200, "offset": 500},
            4: {**LOSSLESS, "alpha": "1/2", "headroom": 1500, "reserved": 1000, "xon": 1500, "offset": None},
            0: {"pool": "ingress-lossy", "alpha": "1/4", "reserved": 700}},
    queues=QUEUES,
    pools={"ingress-lossless": 14000, "ingress-lossy": 12000, "egress-lossless": None, "egress-lossy": 10000})
STATIC = dict(
    groups={3: {**LOSSLESS, "static": 3456, "headroom": 2500, "xon": 1500, "offset": 500},
            4: {**LOSSLESS, "static": 2999, "headroom": 0, "offset": None},
            0: {"pool": "ingress-lossy", "static": 3000}},
    queues={**QUEUES, 3: {"pool": "egress-lossless", "static": 9000, "reserved": 1000},
            0: {"pool": "egress-lossy", "static": 4000}},
    pools={"ingress-lossless": 20000, "ingress-lossy": 15000, "egress-lossless": 20000, "egress-lossy": 9000})


class Conservation(Case):
    def traffic(self, seed):
        """Packets that follow each other on each port, no two of them at one instant, half of them for swp2;
        some that no route or a spent TTL drops before they count for any buffer. They come in bursts."""
        draw = random.Random(seed)
        taken, packets, inputs = set(), {}, {port: [] for port in PORTS}
        ident = 0
        for port in PORTS:
            at = 1000
            while at < END:
                size = draw.choice((60, 64, 100, 191, 192, 193, 300, 577, 1000, 1500))
                at += slot_ps(size, "8G") // 1000 + (draw.randrange(2000) if draw.random() < 0.2 else 0)
                if at % 60000 >= 20000:     # bursts, so that queues drain between them
                    at += 40000
                while at in taken:
                    at += 1
                taken.add(at)
                out = draw.choice(["swp2"] * 6 + [other for other in PORTS if other != "swp2"])
                dscp, bad = draw.choice(list(CLASSES)), draw.random()
                ttl = 1 if bad < 0.01 else 64
                addresses = ("198.18.200.1", "8.8.8.8") if bad > 0.99 else to(out)
                frame = udp(*addresses, size=size, dscp=dscp, ident=ident, ttl=ttl)
                inputs[port].append((at, frame))
                if 0.01 <= bad <= 0.99:
                    packets[ident] = Packet(ident, at, port, out, *CLASSES[dscp], size)
                ident += 1
        return packets, inputs

    def instants(self, seed):
        draw = random.Random(seed + 1000)
        return sorted(draw.sample(range(1000, END + 20000), 40)) + [END + 300000]

    def walk(self, model, packets, instants, run):
        """Takes everything in the order of its time: snapshots first, then arrivals, then departures."""
        shots = list(instants)
        for packet in packets.values():
            packet.start = None
        for port, sent in run.sent.items():
            for one in without_pfc(sent):
                self.assertEqual(one.length, packets[ip_ident(one.data)].size)
                packets[ip_ident(one.data)].start = one.ns - frame_ps(one.length, "8G") // 1000
        arrivals = sorted(packets.values(), key=lambda packet: packet.arrival)
        departures = sorted((packet for packet in arrivals if packet.start is not None),
                            key=lambda packet: (packet.start, PORTS.index(packet.out)))
        gone = set()
        times = sorted({packet.arrival for packet in arrivals} | {packet.start for packet in departures} | set(shots))
        waiting = {port: 0 for port in PORTS}
        for now in times:
            if shots and now == shots[0]:
                self.snapshot(model, packets, run, shots.pop(0))
            while arrivals and arrivals[0].arrival == now:
                packet = arrivals.pop(0)
                before = len(model.dropped)
                idle = waiting[packet.out] == 0
                model.arrive(packet, now)
                if len(model.dropped) == before:
                    waiting[packet.out] += 1
                    if idle and packet.start == now:    # an idle port starts at once
                        model.leave(packet, now)
                        gone.add(packet.ident)
                        waiting[packet.out] -= 1
            while departures and departures[0].start == now:
                packet = departures.pop(0)
                if packet.ident not in gone:
                    model.leave(packet, now)
                    gone.add(packet.ident)
                    waiting[packet.out] -= 1
        return gone

    def snapshot(self, model, packets, run, at):
        """What captures say has been received, dropped and sent before an instant is what counters say; the
        rest is queued."""
        node = run.snapshot(at)
        assert_switch_conserved("dut", node)
        model.check(self, node)
        told = [packet for packet in run.dropped if packet.ns < at]
        for port in PORTS:
            shown = node["ports"][port]
            self.assertEqual(shown["rx_packets"], sum(1 for ns, _ in self.inputs[port] if ns < at), port)
            self.assertEqual(shown["rx_bytes"], sum(len(frame) for ns, frame in self.inputs[port] if ns < at), port)
            self.assertEqual(sum(shown["drops"].values()), sum(1 for one in told if one.field("port") == port), port)
            begun = [packet for packet in packets.values()
                     if packet.out == port and packet.start is not None and packet.start < at]
            pauses = shown["tx_packets"] - len(begun)
            self.assertEqual(pauses, shown["control_tx"])
            self.assertEqual(shown["tx_bytes"], sum(packet.size for packet in begun) + 60 * pauses)
            for tc in range(8):
                mine = [packet for packet in begun if packet.tc == tc]
                self.assertEqual((shown["queue"][tc]["packets"], shown["queue"][tc]["bytes"]),
                                 (len(mine), sum(packet.size for packet in mine)))

    def compare(self, setup, seed, loss=True):
        packets, self.inputs = self.traffic(seed)
        for packet in packets.values():
            packet.tenant = setup.tenant_of(packet.port)
        instants = self.instants(seed)
        events = [{"at": f"{at}ns", "snapshot": "full"} for at in instants]
        events += [{"at": "65us", "port": "swp4", "tx": "off"}, {"at": "80us", "port": "swp4", "tx": "on"}]
        run = self.replay(setup.file(events), self.inputs, "--until", f"{END + 400000}ns")
        run.assert_conserved()
        model = setup.model()
        gone = self.walk(model, packets, instants, run)
        model.check(self, run.node)
        expected = {packet.ident: reason for packet, reason in model.dropped}
        shown = {ip_ident(one.data): one.field("reason") for one in run.dropped if ip_ident(one.data) in packets}
        self.assertEqual(shown, expected)
        self.assertEqual(len(gone) + len(expected), len(packets))
        self.pauses(model, run)
        self.tenants(setup, packets, expected, run)
        if loss:
            self.assertGreater(len(expected), 30)
            self.assertGreater(len(model.pause), 10)
        return expected

    def pauses(self, model, run):
        """XOFF and XON of each priority in the order and, but for a packet that was being sent, at the time."""
        for port in PORTS:
            for pg in (3, 4):
                due = {}    # the last word of an instant is the one that is sent
                for now, at, group, xoff in model.pause:
                    if (at, group) == (port, pg):
                        due[now] = xoff
                sent = [frame for frame in pfc_frames(run.sent[port]) if frame.vector >> pg & 1]
                self.assertEqual([frame.quanta[pg] == 65535 for frame in sent], list(due.values()), (port, pg))
                for frame, now in zip(sent, due):
                    late = frame.ns - now - frame_ps(60, "8G") // 1000
                    busy = (slot_ps(1500, "8G") + 2 * slot_ps(60, "8G")) // 1000    # other groups' frames, too
                    self.assertTrue(0 <= late <= busy, (frame, now))

    def tenants(self, setup, packets, expected, run):
        """received = sent + dropped (nothing is queued any more)."""
        for name in setup.tenants:
            mine = [packet for packet in packets.values() if packet.tenant == name]
            shown = run.node["tenants"][name]
            sent = sum(1 for packet in mine if packet.start is not None)
            self.assertEqual(shown["packets"], sent + shown["dropped"], name)
            ports = [port for port in PORTS if setup.tenant_of(port) == name]
            self.assertEqual(shown["dropped"], sum(sum(run.port(port)["drops"].values()) for port in ports), name)
            self.assertEqual(shown["bytes"], sum(run.port(port)["rx_bytes"] for port in ports), name)

    def test_dynamic(self):
        for seed, cell in ((1, 192), (2, 1), (3, 80)):
            with self.subTest(seed=seed, cell=cell):
                self.compare(Setup(cell, **DYNAMIC), seed)

    def test_static(self):
        for seed, cell in ((4, 192), (5, 1), (9, 128)):
            with self.subTest(seed=seed, cell=cell):
                reasons = set(self.compare(Setup(cell, **STATIC), seed).values())
                self.assertEqual(reasons, {"headroom", "ingress-pool", "egress-pool"})

    def test_tenants(self):
        """red has swp1 and swp3, blue swp2 and swp4; guarantees and shares of every pool with an end."""
        for seed, cell in ((6, 192), (7, 1)):
            with self.subTest(seed=seed, cell=cell):
                tenants = {"red": (3000, 0.5), "blue": (2000, 0.25)}
                reasons = set(self.compare(Setup(cell, **DYNAMIC, tenants=tenants), seed).values())
                self.assertIn("tenant-share", reasons)

    def test_latency(self):
        """A fixed pipeline latency shifts everything but the stamps of what comes in."""
        packets, inputs = self.traffic(8)
        setup = Setup(192, **DYNAMIC)
        plain = self.replay(setup.file([]), inputs)
        setup.settings = {"latency": "700ns"}
        late = self.replay(setup.file([]), inputs)
        late.assert_conserved()
        self.assertEqual([(packet.ns - 700, packet.data) for packet in late.sent["swp2"]],
                         [(packet.ns, packet.data) for packet in plain.sent["swp2"]])
        self.assertEqual([packet.comment for packet in late.dropped], [packet.comment for packet in plain.dropped])


if __name__ == "__main__":
    unittest.main()
