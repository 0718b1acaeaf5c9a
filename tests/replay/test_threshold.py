# SPDX-License-Identifier: BSD-3-Clause
"""Where groups and queues that all want more than they get come to rest.

By a dynamic threshold each may hold alpha times what is free: k equal ones settle at alpha B / (1 + k alpha)
each and leave B / (1 + k alpha) free (Choudhury, Hahne: Dynamic Queue Length Thresholds for Shared-Memory
Packet Switches, 1998). With a level per port above, each at alpha a times what p times the free cells leave of
its port's share.
"""
import unittest
from fractions import Fraction

from common import *

POOL = 1_000_000


def at_rest(alpha, k, pool=POOL):
    return Fraction(alpha) * pool / (1 + k * Fraction(alpha))


class Dynamic(Case):
    # alpha: what each of 1, 2, 4 holds of 1,000,000 B
    KNOWN = {"1": (500000, 333333, 200000), "8": (888889, 470588, 242424), "1/4": (200000, 166667, 125000)}

    def groups(self, alpha, k, size, lossless, cell=1, rate="100G"):
        """k ports' groups fill by turns from a frozen swp9. Returns what each holds of the pool."""
        name = "ingress-lossless" if lossless else "ingress-lossy"
        settings = {"alpha": alpha} | ({"headroom": "100KB"} if lossless else {})
        description = switch({f"swp{i + 1}": {} for i in range(k)} | {"swp9": {}}, rate, hold("swp9"),
                             buffer={"cell": cell, "pools": {name: {"size": f"{POOL}B"}}},
                             qos={"pg": {3 if lossless else 0: settings}})
        dscp = 3 if lossless else 0
        frames = [(f"swp{i + 1}", udp(*to("swp9"), size=size, dscp=dscp)) for i in range(k)]
        each = int(at_rest(alpha, k)) // (cells(size, cell) * cell)
        run = self.replay(description, by_turns(frames, each + 20), "--until", "10ms")
        run.assert_conserved()
        groups = [run.port(port).group(dscp).counters for port, _ in frames]
        for group in groups:
            over = each + 20 - group["shared"] // (cells(size, cell) * cell)
            self.assertGreater(over, 10)
            self.assertEqual((group["dropped"], group["headroom"] // (cells(size, cell) * cell)),
                             (0, over) if lossless else (over, 0))
        self.assertEqual(run.drops, {} if lossless else {"ingress-pool": sum(group["dropped"] for group in groups)})
        return [group["shared"] for group in groups]

    def test_groups(self):
        """1, 2 and 4 groups: what is known, to one packet; all four alike, to one packet. Lossless groups go on
        in their headroom, lossy ones drop."""
        for alpha, known in self.KNOWN.items():
            for k, expected in zip((1, 2, 4), known):
                for lossless, size in ((True, 1000), (False, 300)):
                    with self.subTest(alpha=alpha, k=k, lossless=lossless):
                        self.assertAlmostEqual(float(at_rest(alpha, k)), expected, delta=0.5)
                        for held in self.groups(alpha, k, size, lossless):
                            self.assertLessEqual(abs(held - expected), size)

    def test_groups_in_cells(self):
        """1,000,000 B are 5208 cells of 192 or 7812 of 128; a packet of 1000 B takes 6, or 8."""
        for cell, rate in ((192, "400G"), (128, "800G")):
            for alpha, k in (("1", 1), ("1", 4), ("8", 2), ("1/2", 3), ("64", 2), ("1/128", 1)):
                with self.subTest(cell=cell, alpha=alpha, k=k):
                    expected = at_rest(alpha, k, POOL // cell) * cell
                    for held in self.groups(alpha, k, 1000, True, cell, rate):
                        self.assertLessEqual(abs(held - expected), cells(1000, cell) * cell)

    def test_queues(self):
        """The same on the way out: k frozen ports' queues share the lossy pool; what is beyond is dropped there."""
        for cell in (1, 192):
            for alpha, k in (("1", 1), ("1", 4), ("8", 2), ("1/4", 3)):
                with self.subTest(cell=cell, alpha=alpha, k=k):
                    ports = [f"swp{i + 2}" for i in range(k)]
                    description = switch(k + 1, events=hold(*ports), qos={"tc": {0: {"alpha": alpha}}}, buffer={
                        "cell": cell, "pools": {"egress-lossy": {"size": f"{POOL}B"}}})
                    packet, expected = cells(1000, cell) * cell, at_rest(alpha, k, POOL // cell) * cell
                    count = int(expected) // packet + 20
                    frames = [("swp1", udp(*to(port), size=1000)) for port in ports]
                    run = self.replay(description, by_turns(frames, count), "--until", "10ms")
                    run.assert_conserved()
                    for port in ports:
                        queue = run.port(port).queue(0).counters
                        self.assertLessEqual(abs(queue["depth"] - expected), packet)
                        self.assertEqual(queue["dropped"], count - queue["depth"] // packet)
                    self.assertEqual(run.port("swp1").drops, {"egress-pool": run.drops["egress-pool"]})

    def test_settles(self):
        """One lossy group has filled its half alone (alpha 1; 8/9 with alpha 8) when a second begins, both
        offering 400G to 100G: the first is held off until both are alike, at a third (8/17) each, and there they
        stay, to two packets: what is being sent is in no group any more. 1000 B every 20 ns from 1 us on."""
        for cell, alpha in ((1, "1"), (192, "8")):
            with self.subTest(cell=cell, alpha=alpha):
                pool = POOL // 4
                shots = [{"at": at, "snapshot": "full"} for at in ("24us", "100us", "110us", "120us")]
                description = switch({"swp1": {"rate": "400G"}, "swp2": {"rate": "400G"}, "swp3": {}}, events=shots,
                                     qos={"pg": {0: {"alpha": alpha}}},
                                     buffer={"cell": cell, "pools": {"ingress-lossy": {"size": f"{pool}B"}}})
                frame = udp(*to("swp3"), size=1000)
                run = self.replay(description, {"swp1": [(1000 + 20 * i, frame) for i in range(6000)],
                                                "swp2": [(25000 + 20 * i, frame) for i in range(4800)]})
                run.assert_conserved()
                packet = cells(1000, cell) * cell
                held = {shot["at_ns"]: [shot["nodes"]["dut"]["ports"][port]["pg"][0]["shared"]
                                        for port in ("swp1", "swp2")] for shot in run.counters["snapshots"]}
                alone, both = (at_rest(alpha, k, pool // cell) * cell for k in (1, 2))
                self.assertLessEqual(abs(held[24000][0] - alone), 2 * packet)
                for at in (100000, 110000, 120000):
                    for one in held[at]:
                        self.assertLessEqual(abs(one - both), 2 * packet, at)

    def test_ends(self):
        """alpha 0 gives nothing beyond what is reserved, 3000 B: 3 packets of 1000 B, or 16 cells of 192: 2
        packets of 6. `unlimited` takes the pool to its end: 20000 B: 20, or 104 cells: 17. A static limit
        of 5000 B: 5, or 26 cells: 4."""
        for settings, counts in (({"alpha": 0, "reserved": "3000B"}, (3, 2)), ({"alpha": "unlimited"}, (20, 17)),
                                 ({"static": "5000B"}, (5, 4)), ({"alpha": 0}, (0, 0))):
            for cell, count in zip((1, 192), counts):
                with self.subTest(settings=settings, cell=cell):
                    description = switch(events=hold("swp2"), qos={"pg": {0: settings}},
                                         buffer={"cell": cell, "pools": {"ingress-lossy": {"size": "20000B"}}})
                    run = self.replay(description, by_turns([("swp1", udp(*to("swp2"), size=1000))], 30))
                    run.assert_conserved()
                    self.assertEqual(run.port("swp1").group(0).used, count * cells(1000, cell) * cell)
                    self.assertEqual(run.drops, {"ingress-pool": 30 - count})


class Lossy(Case):
    def test_edge(self):
        """A lossy queue of threshold E packets: E are kept, the next is lost, for want of room in the queue
        (static, at egress) or in the group (at ingress); lossy traffic never makes PFC. 10 KB: 10000 / 300 = 33;
        52 cells of 192 at 2: 26; 78 cells of 128 at 3: 26."""
        for cell, rate, edge in ((1, "25G", 33), (192, "100G", 26), (128, "400G", 26), (192, "800G", 26)):
            for side, reason in (({"tc": {0: {"static": "10KB"}}}, "egress-pool"),
                                 ({"pg": {0: {"static": "10KB"}}}, "ingress-pool")):
                for count in (edge - 1, edge, edge + 1, edge + 7):
                    with self.subTest(cell=cell, rate=rate, reason=reason, count=count):
                        run = self.replay(switch(rate=rate, events=hold("swp2"), buffer={"cell": cell}, qos=side),
                                          {"swp1": [(1000 * i, udp(*to("swp2"), ident=i)) for i in range(count)]})
                        run.assert_conserved()
                        lost = max(0, count - edge)
                        self.assertEqual(run.drops, {reason: lost} if lost else {})
                        self.assertEqual([ip_ident(packet.data) for packet in run.dropped], list(range(edge, count)))
                        self.assertEqual(run.port("swp2").queue(0).depth,
                                         (count - lost) * cells(300, cell) * cell)
                        counted = [run.port("swp2").queue(0).dropped, run.port("swp1").group(0).dropped]
                        self.assertEqual(counted, [lost, 0] if reason == "egress-pool" else [0, lost])
                        self.assertEqual([run.sent["swp1"], run.port("swp1").priorities.pfc_tx], [[], [0] * 8])


class Modes(Case):
    """What the modes of `nv set qos roce` make of 4 MB: lossy traffic (alpha 8) takes 8/9 of its pool before
    lossless traffic (alpha 1) comes."""

    def lossless_after_lossy(self, mode, cell, rate):
        description = switch(3, rate, hold("swp3"), preset="spectrum-x", **{"preset-mode": mode},
                             buffer={"cell": cell, "size": "4MB"}, mtu=1500)
        lossy = [(100 * (i + 1), udp(*to("swp3"), size=1500)) for i in range(3000)]
        late = [(400_000 + 100 * i, udp(*to("swp3"), size=1500, dscp=26)) for i in range(1500)]
        run = self.replay(description, {"swp1": lossy, "swp2": late}, "--until", "1ms")
        run.assert_conserved()
        pool = run.switch.pool("ingress-lossless").size
        aside = run.switch.pool("headroom").size
        return run, pool, (4_000_000 - aside) // cell * cell

    def test_pools(self):
        """lossless: half each, and the lossless group has half of its half whatever lossy traffic holds.
        lossless-single-pool: one pool of all, of which lossy traffic, held by its own limit or the queue's (both
        alpha 8), leaves 1/9 at the least; half of what is left is the lossless group's."""
        for cell, rate in ((192, "100G"), (128, "400G")):
            with self.subTest(cell=cell):
                packet = cells(1500, cell) * cell
                run, pool, whole = self.lossless_after_lossy("lossless", cell, rate)
                self.assertLessEqual(abs(pool - whole / 2), cell)
                self.assertLessEqual(abs(run.port("swp2").group(3).shared - pool / 2), packet)
                run, pool, whole = self.lossless_after_lossy("lossless-single-pool", cell, rate)
                self.assertLessEqual(abs(pool - whole), cell)
                left = pool - run.port("swp1").group(0).used
                self.assertGreater(run.port("swp1").group(0).dropped + run.port("swp3").queue(0).dropped, 100)
                self.assertLess(left, pool * 0.6)
                self.assertLessEqual(abs(run.port("swp2").group(3).shared - left / 2), packet)
                self.assertEqual(run.switch.pool("ingress-lossy").size, 0)

    def test_lossy(self):
        """Mode lossy: all of the ingress side is one lossy pool, and nobody is paused."""
        for cell, rate in ((192, "100G"), (128, "400G")):
            run, pool, _ = self.lossless_after_lossy("lossy", cell, rate)
            self.assertEqual((pool, run.switch.pool("ingress-lossy").size), (0, 4_000_000 // cell * cell))
            self.assertEqual((run.sent["swp1"], run.sent["swp2"]), ([], []))
            self.assertEqual(set(run.drops) - {"ingress-pool", "egress-pool"}, set())
            self.assertGreater(sum(run.drops.values()), 100)


class PortLevel(Case):
    """Packets of one cell fill a group until it refuses, then the next group, then the next port's. A group of a
    port whose groups hold `occ` of a pool of B gets x with x <= a (p (B - occ - x) - occ - x) at rest, that is
    ceil((a p (B - occ) - a occ) / (1 + a p + a)) cells; the next port's groups see B less what this one holds."""

    @staticmethod
    def known(a, p, pool, occ):
        exact = (a * p * (pool - occ) - a * occ) / (1 + a * p + a)
        return max(0, -(-exact.numerator // exact.denominator))

    def fill(self, cell, a, p, pool, order, rate="100G"):
        """order: [(port, priority)], each offered more than it can get. Returns how many packets each kept."""
        lossy = {"lossless": "false", "pool": "ingress-lossy", "alpha": a}
        inputs, now = {}, 0
        for port, priority in order:
            for _ in range(pool + 10):
                now += 100
                inputs.setdefault(port, []).append((now, udp(*to("swp9"), size=cell, dscp=priority)))
        pools = {"ingress-lossy": {"size": f"{pool * cell}B", "port-alpha": p}}
        description = switch({port: {} for port, _ in order} | {"swp9": {}}, rate, hold("swp9"),
                             buffer={"cell": cell, "pools": pools},
                             qos={"pg": {0: {"alpha": a}, 3: lossy, 4: lossy}, "flow-control": "none",
                                  "priority-to-pg": {3: 3, 4: 4}})
        run = self.replay(description, inputs, "--until", "10ms")
        run.assert_conserved()
        return [run.port(port).group(priority).used // cell for port, priority in order]

    def test_known(self):
        """To the cell where a and p are whole, to one cell where products are rounded down."""
        for cell, pool, rate in ((192, 1000, "100G"), (128, 777, "400G")):
            for a, p in (("1", "1"), ("8", "1"), ("1", "8"), ("8", "16"), ("2", "1/4"), ("1/4", "2"), ("1/8", "1/2")):
                with self.subTest(cell=cell, a=a, p=p):
                    order = [("swp1", 3), ("swp1", 4), ("swp1", 0), ("swp2", 3), ("swp3", 4)]
                    kept = self.fill(cell, a, p, pool, order, rate)
                    left, occ, before = pool, 0, "swp1"
                    for (port, _), count in zip(order, kept):
                        if port != before:
                            left, occ, before = left - occ, 0, port
                        expected = self.known(Fraction(a), Fraction(p), left, occ)
                        self.assertLessEqual(abs(count - expected), 1 if "/" in a + p else 0, (port, count, expected))
                        occ += count

    def test_whole_port(self):
        """p 1, one group of alpha 8: 8 (B - 2 x) >= x: ceil(8 x 1000 / 17) = 471 of 1000 cells, where without a
        level per port it is 889 (8 x 1000 / 9 = 888.9)."""
        self.assertEqual(self.fill(192, "8", "1", 1000, [("swp1", 3)]), [471])
        self.assertEqual(self.fill(192, "8", "none", 1000, [("swp1", 3)]), [889])

    def test_egress(self):
        """Queues likewise: three of swp2's in turn, then one of swp3's; alpha 8 under 1: 471 of 1000, then
        ceil((8 (1000 - 471) - 8 x 471) / 17) = 28, then ceil((8 x 501 - 8 x 499) / 17) = 1, 500 in all: half; of
        the other 500 the next port's gets ceil(8 x 500 / 17) = 236."""
        order = [("swp2", 0), ("swp2", 3), ("swp2", 4), ("swp3", 0)]
        lossy = {"scheduler": "dwrr", "pool": "egress-lossy", "alpha": 8}
        pools = {"egress-lossy": {"size": f"{1000 * 192}B", "port-alpha": 1}}
        frames = [udp(*to(port), size=192, dscp=priority) for port, priority in order for _ in range(700)]
        description = switch(3, events=hold("swp2", "swp3"), buffer={"pools": pools},
                             qos={"tc": {0: {"alpha": 8}, 3: lossy, 4: lossy},
                                  "priority-to-tc": {3: 3, 4: 4}})
        run = self.replay(description, {"swp1": [(100 * (i + 1), frame) for i, frame in enumerate(frames)]})
        run.assert_conserved()
        self.assertEqual([run.port(port).queue(queue).depth // 192 for port, queue in order],
                         [471, 28, 1, 236])


class Sonic(Case):
    def test_lossy_overflow(self):
        """As SONiC's LossyQueueTest: one stream, the packet whose drop the configuration predicts, and where it counts. A queue
        of alpha 8 takes 8 x (S - U) of its pool; n packets of 8 cells fit while 8n <= 8 (S - 8 (n - 1)). The ingress pool is
        larger, so the queue comes first; of pools of one size, the group is asked first."""
        frames = [(1000 + 200 * i, udp(*to("swp2"), size=1500)) for i in range(1400)]
        for size, reason, group, queue in ((None, "egress-pool", 0, 1), ("100%", "ingress-pool", 1, 0)):
            with self.subTest(size):
                pools = {"pools": {"egress-lossy": {"size": size}}} if size else {}
                run = self.replay(switch(preset="sonic", events=hold("swp2"), buffer={"size": "2MB"} | pools),
                                  {"swp1": frames})
                run.assert_conserved()
                sizes = [run.switch.pool(name).size for name in ("ingress-lossless", "ingress-lossy", "egress-lossy")]
                self.assertEqual(sizes[1], 0)
                self.assertAlmostEqual(sizes[2] / sizes[0], 1 if size else 0.85, places=3)
                lost = len(frames) - (sizes[2] // 192 + 8) // 9
                self.assertEqual(run.drops, {reason: lost})
                self.assertEqual((run.port("swp1").counters["pg"][0]["dropped"], run.port("swp2").counters["queue"][1]["dropped"]),
                                 (group * lost, queue * lost))
                self.assertEqual((run.port("swp1").counters["rx_discards"], run.port("swp2").counters["tx_discards"]),
                                 (group * lost, queue * lost))


if __name__ == "__main__":
    unittest.main()
