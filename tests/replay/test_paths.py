# SPDX-License-Identifier: BSD-3-Clause
"""What bends the choice among uplinks swp2 to swp5: flowlets, weights, pins, what is eligible, how busy links
are, and corrupted frames. Packets come by swp1 at 400G."""
import math
import unittest

from common import *

UPLINKS = ["swp2", "swp3", "swp4", "swp5"]
COUNT = 1000


def uplinks(mode, weights=None, events=(), **routing):
    ports = {"swp1": {"rate": "400G"}} | {port: {"rate": "100G"} for port in UPLINKS}
    description = switch(ports, group=UPLINKS, events=events, routing={"mode": mode, "hash-seed": 7} | routing)
    if weights:
        for hop, weight in zip(description["switch"]["routes"][-1]["via"], weights):
            hop["weight"] = weight
    return description


def flow(count=COUNT, step_ns=1000, first_ns=1000, sport=49152, src="198.18.200.1", dst="203.0.113.9", size=1000, **options):
    """One queue pair's WRITEs, of so many bytes with headers."""
    options = {"dscp": 3, "payload": bytes(size - 14 - 20 - 8 - 12 - 16 - 4)} | options
    return [(first_ns + i * step_ns, roce(src, dst, sport=sport, psn=i, ident=i, **options)) for i in range(count)]


class Paths(Case):
    def shares(self, description, packets):
        """How many packets each uplink got; none is lost."""
        run = self.replay(description, {"swp1": packets})
        run.assert_conserved()
        self.assertEqual((run.drops, run.port("swp1").rx_packets), ({}, len(packets)))
        return [len(run.sent[port]) for port in UPLINKS]

    def even(self, shares, parts=(1, 1, 1, 1)):
        """Each within 3 standard errors of its part."""
        for share, part in zip(shares, parts):
            p = part / sum(parts)
            self.assertAlmostEqual(share, sum(shares) * p, delta=3 * math.sqrt(sum(shares) * p * (1 - p)))

    def test_flowlet_gap(self):
        """Packets exactly the gap apart are one flowlet: one uplink. 1 ns more and each is one of its own: all are
        tied, so each uplink gets a quarter to 3 sigma."""
        for gap_us in (10, 256):
            with self.subTest(gap=gap_us):
                options = {"flowlet-gap": f"{gap_us}us"}
                self.assertEqual(sorted(self.shares(uplinks("flowlet", **options), flow(step_ns=gap_us * 1000))),
                                 [0, 0, 0, COUNT])
                self.even(self.shares(uplinks("flowlet", **options), flow(step_ns=gap_us * 1000 + 1)))

    def test_flowlet_is_not_for_all(self):
        """What is not eligible keeps its uplink however long it rests."""
        for packets in (flow(100, 20000, opcode=ACKNOWLEDGE, payload=b""),
                        [(1000 + 20000 * i, udp("198.18.200.1", "203.0.113.9", dscp=3)) for i in range(100)]):
            self.assertEqual(sorted(self.shares(uplinks("flowlet", **{"flowlet-gap": "1us"}), packets)), [0, 0, 0, 100])

    def test_flowlets_follow_the_load(self):
        """Two flows of 80 Gb/s each: of flowlets chosen anew none goes where the other's packets are queued."""
        step = 100                                  # 1000 B every 100 ns: 82 Gb/s with their frames
        burst = [packet for i in range(20) for sport in (1, 2)
                 for packet in flow(100, step, 1000 + i * 40000, sport)]
        shares = self.shares(uplinks("flowlet", **{"flowlet-gap": "2us"}, grades=["500B", "1KB", "2KB", "4KB"]),
                             sorted(burst, key=lambda packet: packet[0]))
        self.assertEqual([share % 100 for share in shares], [0] * 4)

    def test_weights_in_turn(self):
        """Mode spray: exactly as the weights say, and no member twice in a row that need not be."""
        for weights, expected in (((1, 2, 3, 4), [100, 200, 300, 400]), ((2, 2, 2, 2), [250] * 4),
                                  ((10, 20, 30, 40), [100, 200, 300, 400]), ((1, 1, 1, 7), [100, 100, 100, 700])):
            self.assertEqual(self.shares(uplinks("spray", weights), flow()), expected)
        run = self.replay(uplinks("spray", (1, 1, 1, 3)), {"swp1": flow(600)})
        idents = sorted(ip_ident(packet.data) for packet in run.sent["swp5"])
        self.assertEqual({b - a for a, b in zip(idents, idents[1:])}, {2})

    def test_weights_by_chance(self):
        """Ties of adaptive, mode random, and 2000 flows by hash: 1 : 2 : 3 : 4 to 3 sigma."""
        for mode in ("adaptive", "random"):
            self.even(self.shares(uplinks(mode, (1, 2, 3, 4)), flow()), (1, 2, 3, 4))
        packets = [packet for i in range(2000) for packet in flow(1, sport=49152 + i, first_ns=1000 + 500 * i)]
        for mode in ("ecmp", "ecmp-qp"):
            self.even(self.shares(uplinks(mode, (1, 2, 3, 4)), packets), (1, 2, 3, 4))

    def test_weights_beyond_the_slots(self):
        """1000 : 1 : 1 : 1 does not fit 256 slots: 253 : 1 : 1 : 1, and a warning says so."""
        description = uplinks("spray", (1000, 1, 1, 1))
        self.assertEqual(self.shares(description, flow(512)), [506, 2, 2, 2])
        self.assertIn("the weights of a route's next hops need more than 256 slots",
                      roost("check", self.file(description)).err)

    def test_weight_mistakes(self):
        for via, message in (([{"port": "swp2", "weight": 0}], "0 is out of range"),
                             ([{"weight": 2}], 'needs "port", "node" or "vtep"'),
                             ([{"port": "swp2", "node": "spine1"}], "port and node exclude each other"),
                             ([{"port": "swp2"}], "swp2 needs `mac:`")):
            description = uplinks("spray")
            description["switch"]["routes"][-1]["via"] = via
            self.assert_refused(message, "check", self.file(description))

    def test_pins(self):
        """Pinned flows have their uplink in every mode, the rest goes by the mode: by hash in mode pinned."""
        pins = [{"src": "198.18.200.1", "dst": "203.0.113.9", "via": "swp4"},
                {"src": "198.18.200.2", "dst": "203.0.113.9", "via": "swp2"}]
        for mode in ("pinned", "ecmp", "ecmp-qp", "flowlet", "spray", "random", "adaptive"):
            with self.subTest(mode=mode):
                description = uplinks(mode, pinned=pins)
                self.assertEqual(self.shares(description, flow(100)), [0, 0, 100, 0])
                self.assertEqual(self.shares(description, flow(100, opcode=CNP, payload=b"")), [0, 0, 100, 0])
                self.assertEqual(self.shares(description, flow(100, src="198.18.200.2")), [100, 0, 0, 0])
                if mode == "spray":
                    self.assertEqual(self.shares(description, flow(100, src="198.18.200.3")), [25] * 4)
        self.assertEqual(self.shares(uplinks("pinned", pinned=pins), flow(100, src="198.18.200.3")),
                         self.shares(uplinks("ecmp"), flow(100, src="198.18.200.3")))

    def test_pins_that_cannot_be(self):
        """Out of a port that the route does not use: as if there were no pin."""
        pins = [{"src": "198.18.200.1", "dst": "203.0.113.9", "via": "swp1"}]
        self.assertEqual(self.shares(uplinks("spray", pinned=pins), flow()), [250] * 4)

    def test_pin_mistakes(self):
        good = {"src": "198.18.200.1", "dst": "203.0.113.9", "via": "swp2"}
        for wrong, message in (({"src": "h1"}, "h1 is not an address"), ({"via": "swp9"}, "there is no port swp9"),
                               ({"via": "spine1"}, "there is no port spine1")):
            self.assert_refused(message, "check", self.file(uplinks("ecmp", pinned=[good | wrong])))

    def test_eligible(self):
        """By DSCP, by priority, by bits that a NIC sets in the BTH; what is not eligible keeps to one uplink."""
        marked = [(ns, frame[:46] + b"\x21" + frame[47:]) for ns, frame in flow()]   # the BTH's byte 4
        for eligible, packets, spread in (({"dscp": [3, 4]}, flow(), True), ({"dscp": [4]}, flow(), False),
                                          ({"priorities": [3]}, flow(), True), ({"priorities": [0]}, flow(), False),
                                          ({"dscp": 3, "priorities": [0]}, flow(), False),
                                          ({"bth-reserved": 33}, marked, True), ({"bth-reserved": 1}, marked, True),
                                          ({"bth-reserved": 33}, flow(), False), ({"bth-reserved": 2}, marked, False)):
            with self.subTest(eligible=eligible):
                shares = self.shares(uplinks("spray", eligible=eligible), packets)
                self.assertEqual(sorted(shares), [250] * 4 if spread else [0, 0, 0, COUNT])

    def test_busy_links(self):
        """swp2 carries 82 Gb/s of other packets, one every 100 ns, and nothing is ever queued there. With
        link-utilisation on (70 %) it ranks a grade worse: looked at every second window it is at 0.82 x 3/4, then
        x 15/16 = 77 %, and gets no eligible packet from then on. Off, or with a higher threshold, it gets its
        quarter."""
        other = [(1050 + 100 * i, udp("198.18.200.1", "198.18.2.9", size=1000, dscp=3)) for i in range(10000)]
        packets = merged(flow(), other)
        for utilisation, avoided in (("on", True), ("75%", True), ("off", False), ("95%", False)):
            with self.subTest(utilisation=utilisation):
                run = self.replay(uplinks("adaptive", **{"link-utilisation": utilisation}), {"swp1": packets})
                run.assert_conserved()
                self.assertEqual(run.drops, {})
                shares = [len([p for p in run.sent[port] if p.data[36:38] == b"\x12\xb7" and p.ns > 8000])
                          for port in UPLINKS]
                if avoided:
                    self.assertEqual(shares[0], 0)
                    self.even(shares[1:], (1, 1, 1))
                else:
                    self.even(shares)


if __name__ == "__main__":
    unittest.main()
