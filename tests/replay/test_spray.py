# SPDX-License-Identifier: BSD-3-Clause
"""Which of four equal uplinks, swp2 to swp5, a packet takes. Packets come by swp1 at 400G."""
import unittest

from common import *

UPLINKS = ["swp2", "swp3", "swp4", "swp5"]
COUNT = 1000


def fabric_side(mode, rate="100G", cell=192, events=(), **routing):
    ports = {"swp1": {"rate": "400G"}} | {port: {"rate": rate} for port in UPLINKS}
    return switch(ports, group=UPLINKS, events=events, buffer={"cell": cell},
                  routing={"mode": mode, "hash-seed": 7} | routing)


def flow(count=COUNT, step_ns=1000, sport=49152, first_ns=1000, **options):
    """One queue pair's WRITEs, 1000 B with headers, PSN as identification."""
    size = 1000 - 14 - 20 - 8 - 12 - 16 - 4
    options = {"dscp": 3, "payload": bytes(size)} | options
    return [(first_ns + i * step_ns, roce("198.18.200.1", "203.0.113.9", sport=sport, psn=i, ident=i, **options))
            for i in range(count)]


def plain(count=COUNT, step_ns=1000, sport=49152, dport=7):
    return [(1000 + i * step_ns, udp("198.18.200.1", "203.0.113.9", dscp=3, sport=sport, dport=dport, ident=i))
            for i in range(count)]


class Spray(Case):
    def shares(self, description, packets, *options):
        """How many packets each uplink got; none is lost."""
        run = self.replay(description, {"swp1": packets}, *options)
        run.assert_conserved()
        self.assertEqual((run.drops, run.port("swp1").rx_packets), ({}, len(packets)))
        return [run.port(port).queue(3).packets + run.port(port).queue(0).packets for port in UPLINKS], run

    def test_round_robin(self):
        """Mode spray: 1000 / 4 = 250 each, in turn, whatever rate and cell are; 998 packets: 250, 250, 249, 249
        in some order."""
        for rate, cell in (("100G", 192), ("25G", 1)):
            for count in (COUNT, 998):
                shares, run = self.shares(fabric_side("spray", rate, cell), flow(count))
                self.assertEqual(sorted(shares), sorted(count // 4 + (i < count % 4) for i in range(4)))
                for port in UPLINKS:
                    idents = [ip_ident(packet.data) for packet in run.sent[port]]
                    self.assertEqual(idents, list(range(idents[0], count, 4)))

    def test_round_robin_by_group(self):
        """Two flows by turns, each to a group of its own: each group has its own turn, so both are even."""
        for rate, cell in (("100G", 192), ("400G", 128)):
            description = fabric_side("spray", rate, cell)
            description["switch"]["routes"].append(
                {"prefix": "192.0.2.0/24", "via": [{"port": port, "mac": next_hop_mac(port)} for port in UPLINKS[:2]]})
            second = [(ns + 500, roce("198.18.200.1", "192.0.2.9", dscp=3, psn=i)) for i, (ns, _) in enumerate(flow())]
            shares, _ = self.shares(description, merged(flow(), second))
            self.assertEqual(shares, [750, 750, 250, 250])

    def test_adaptive_empty(self):
        """Nothing is queued: ties, each uplink with probability 1/4: sd sqrt(1000 x 1/4 x 3/4) = 13.7, 3 sd = 41.
        (Four draws within 3 sd of a good generator; seeds are fixed.) Another seed, another outcome."""
        self.even_by_chance("adaptive")

    def test_random(self):
        """Mode random: the same, whatever is queued."""
        self.even_by_chance("random")

    def even_by_chance(self, mode):
        outcomes = []
        for seed, rate, cell in ((1, "100G", 192), (2, "400G", 128)):
            description = fabric_side(mode, rate, cell)
            description["switch"]["seed"] = seed
            shares, run = self.shares(description, flow())
            for share in shares:
                self.assertAlmostEqual(share, 250, delta=41)
            outcomes.append([ip_ident(packet.data) for packet in run.sent["swp2"]])
            again, run = self.shares(description, flow())
            self.assertEqual(outcomes[-1], [ip_ident(packet.data) for packet in run.sent["swp2"]])
        self.assertNotEqual(outcomes[0], outcomes[1])

    def test_adaptive_level(self):
        """1000 B every 20 ns, 400 Gb/s, into 4 x 25G: 300 Gb/s are queued. 120 packets in 2.4 us are 30 each,
        of which 25G has carried 7.5 (40G: 12): some 22 (18) x 6 cells = 25 (20) KB are left. The depths then differ
        by no more than a grade, 2000 B, and a packet; the number taken by no more than three."""
        grades = [f"{2 * i}KB" for i in range(1, 16)]
        end = 1000 + 20 * 120
        for rate, cell, least in (("25G", 192, 22000), ("40G", 128, 16000)):
            description = fabric_side("adaptive", rate, cell, [{"at": f"{end}ns", "snapshot": "full"}], grades=grades)
            shares, run = self.shares(description, flow(120, step_ns=20))
            depths = [run.snapshot(end).port(port).queue(3).depth for port in UPLINKS]
            self.assertLessEqual(max(depths) - min(depths), 2000 + cells(1000, cell) * cell)
            self.assertGreater(min(depths), least)
            self.assertLessEqual(max(shares) - min(shares), 3)

    def test_adaptive_default_grades(self):
        """The same to 48 KB deep with the grades that a file need not write: 14, 18, 24, 32, 48 KB: the
        uplinks are within the widest of them, 16 KB, and a packet."""
        end = 1000 + 20 * 240
        description = fabric_side("adaptive", "25G", events=[{"at": f"{end}ns", "snapshot": "full"}])
        _, run = self.shares(description, flow(240, step_ns=20))
        depths = [run.snapshot(end).port(port).queue(3).depth for port in UPLINKS]
        self.assertLessEqual(max(depths) - min(depths), 16000 + 1152)
        self.assertGreater(sum(depths), 4 * 40000)

    def test_all_frozen(self):
        """When all four are held the least filled is taken: 250 each, exactly."""
        for mode in ("adaptive", "spray"):
            for rate, cell in (("100G", 192), ("400G", 128)):
                shares, _ = self.shares(fabric_side(mode, rate, cell, hold(*UPLINKS, until="2ms")), flow())
                self.assertEqual(shares, [250] * 4)

    def test_one_paused(self):
        """swp3 is paused by PFC for most of the time: it gets none, the others all, and nothing is lost. When the
        last pause ends, 300 us + 65535 quanta (636 us at 100G, 384 us at 400G), it is used again."""
        for mode, rate, cell in (("spray", "100G", 192), ("adaptive", "100G", 192), ("random", "100G", 192),
                                 ("spray", "400G", 128), ("adaptive", "400G", 128)):
            for event in (False, True):
                with self.subTest(mode=mode, rate=rate, event=event):
                    pauses = [0, 75000, 150000, 225000, 300000]
                    end = 300000 + quanta_ps(65535, rate) // 1000
                    description = fabric_side(mode, rate, cell, events=[
                        {"at": f"{ns}ns", "port": "swp3", "pfc": {"priorities": [3], "quanta": 65535}}
                        for ns in pauses if event])
                    inputs = {"swp1": flow()}
                    if not event:
                        inputs["swp3"] = [(ns, pfc({3: 65535})) for ns in pauses]
                    run = self.replay(description, inputs)
                    run.assert_conserved()
                    self.assertEqual(run.drops, {})
                    paused = [packet for packet in run.sent["swp3"] if packet.ns < end]
                    self.assertEqual(paused, [])
                    self.assertEqual(sum(len(run.sent[port]) for port in UPLINKS), COUNT)
                    others = sum(1 for port in UPLINKS for packet in run.sent[port] if packet.ns < end)
                    self.assertEqual(others, end // 1000)
                    self.assertAlmostEqual(len(run.sent["swp3"]), (COUNT - end // 1000) / 4,
                                           delta=1 if mode == "spray" else 3 * 11)    # sqrt(617 x 3 / 16) = 10.8

    def test_other_priority_paused(self):
        """A pause of priority 4 does not keep priority 3's packets away."""
        description = fabric_side("spray")
        description["switch"] = merge(description["switch"], {"qos": {"pfc": {"priorities": [3, 4]}}})
        run = self.replay(description, {"swp1": flow(), "swp3": [(0, pfc({4: 65535}))]})
        self.assertEqual([len(run.sent[port]) for port in UPLINKS], [250] * 4)

    def test_not_eligible(self):
        """ACKs, CNPs and UDP to other ports keep to the hash: exactly one uplink. So do all in mode ecmp."""
        cases = [("spray", flow(opcode=ACKNOWLEDGE, payload=b"")), ("spray", flow(opcode=CNP, payload=b"")),
                 ("spray", plain()), ("adaptive", flow(opcode=ACKNOWLEDGE, payload=b"")), ("adaptive", plain()),
                 ("random", plain()), ("ecmp", flow()), ("ecmp", plain()), ("ecmp-qp", flow())]
        for mode, packets in cases:
            for rate, cell in (("100G", 192), ("400G", 1)):
                with self.subTest(mode=mode, rate=rate):
                    shares, _ = self.shares(fabric_side(mode, rate, cell), packets)
                    self.assertEqual(sorted(shares), [0, 0, 0, COUNT])

    def test_eligible_by_the_file(self):
        """Another port, any port, or all opcodes: what is eligible then is spread evenly."""
        ack = flow(opcode=ACKNOWLEDGE, payload=b"")
        for eligible, packets, spread in (({"udp-dport": 7}, plain(), True), ({"udp-dport": 7}, flow(), False),
                                          ({"udp-dport": "any"}, plain(), True), ({"opcodes": "all"}, ack, True),
                                          ({"opcodes": "data"}, ack, False)):
            with self.subTest(eligible=eligible):
                shares, _ = self.shares(fabric_side("adaptive", eligible=eligible), packets)
                if spread:
                    self.assertTrue(all(abs(share - 250) <= 41 for share in shares), shares)
                else:
                    self.assertEqual(sorted(shares), [0, 0, 0, COUNT])

    def test_many_flows_hash(self):
        """ecmp: 2000 flows by their source port, one packet each: 500 each, sd sqrt(2000 x 3 / 16) = 19.4. The
        seed changes who goes where."""
        packets = [packet for i in range(2000) for packet in flow(1, sport=49152 + i, first_ns=1000 + 500 * i)]
        shares, run = self.shares(fabric_side("ecmp"), packets)
        self.assertTrue(all(abs(share - 500) <= 4 * 19.4 for share in shares), shares)
        first = [packet.data[34:36] for packet in run.sent["swp2"]]
        _, run = self.shares(fabric_side("ecmp", **{"hash-seed": 8}), packets)
        self.assertNotEqual(first, [packet.data[34:36] for packet in run.sent["swp2"]])

    def test_queue_pairs_hash(self):
        """Queue pairs of one 5-tuple: one uplink in mode ecmp. In ecmp-qp 1000
        queue pairs, each twice, are 250 x 2 each, 4 sd 4 x 13.7 x 2 = 110, and each keeps to one uplink."""
        packets = [packet for i in range(2000) for packet in flow(1, qp=i % 1000 + 5, first_ns=1000 + 500 * i)]
        shares, _ = self.shares(fabric_side("ecmp"), packets)
        self.assertEqual(sorted(shares), [0, 0, 0, 2000])
        shares, run = self.shares(fabric_side("ecmp-qp"), packets)
        self.assertTrue(all(abs(share - 500) <= 110 for share in shares), shares)
        pairs = [{packet.data[47:50] for packet in run.sent[port]} for port in UPLINKS]
        self.assertEqual(sum(len(one) for one in pairs), 1000)


if __name__ == "__main__":
    unittest.main()
