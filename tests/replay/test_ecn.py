# SPDX-License-Identifier: BSD-3-Clause
"""ECN: at dequeue, on the depth of the queue in whole cells without the packet itself.

n packets of p cells are queued while swp2 is frozen. When packet k (from 1) leaves, n - k are behind it:
it is marked if (n - k) p cells are more than max, never at or below min, between by chance.
"""
import unittest

from common import *


def queued(count, size=1000, dscp=3, ecns=(2,), addresses=to("swp2")):
    return [((i + 1) * 200, udp(*addresses, size=size, dscp=dscp, ecn=ecns[i % len(ecns)])) for i in range(count)]


def marking(ecn, cell=192, rate="100G", traffic_class=3, **keys):
    """Releases what swp2 has gathered at 200 us."""
    events = [{"at": "0us", "port": "swp2", "tx": "off"}, {"at": "200us", "port": "swp2", "tx": "on"}]
    return switch(rate=rate, buffer={"cell": cell}, events=events, qos={"tc": {traffic_class: {"ecn": ecn}}}, **keys)


class Ecn(Case):
    def marks(self, run, packets, traffic_class=3):
        """Which packets left with CE; ecn_marked and every checksum must agree."""
        run.assert_conserved()
        sent = run.sent["swp2"]
        self.assertEqual((len(sent), run.drops), (len(packets), {}))
        marked = [ecn_of(after.data) != ecn_of(before) for (_, before), after in zip(packets, sent)]
        for (_, before), after in zip(packets, sent):
            self.assertEqual(dscp_of(after.data), dscp_of(before))
            if after.data[12:14] == b"\x08\x00":
                self.assertTrue(header_valid(after.data))
            else:   # hop limit and ECN are all that a router changes
                self.assertEqual(after.data[14:21], bytes([before[14], before[15] & 0xCF | ecn_of(after.data) << 4]) +
                                 before[16:21])
                self.assertEqual((after.data[21], after.data[22:]), (63, before[22:]))
        counts = [queue["ecn_marked"] for queue in run.port("swp2")["queue"]]
        self.assertEqual(counts, [sum(marked) if i == traffic_class else 0 for i in range(8)])
        return marked

    def test_codepoints(self):
        """Check 15. min = max = 10 KB: of 200 packets those with more than 10 KB behind them would be marked,
        if they are ECT: not-ECT (0) stays, ECT(1) and ECT(0) (1, 2) become CE, CE (3) stays and is not
        counted. Cell 1: (200 - k) 1000 > 10000: k < 190. Cell 192: 6 cells of 52 (52.08): (200 - k) 6 > 52:
        k < 192 (191.3)."""
        for cell, last in ((1, 189), (192, 191)):
            for addresses in (to("swp2"), to6("swp2")):
                for rate in ("25G", "100G"):
                    with self.subTest(cell=cell, addresses=addresses, rate=rate):
                        packets = queued(200, ecns=(0, 1, 2, 3), addresses=addresses)
                        run = self.replay(marking({"min": "10KB", "max": "10KB"}, cell, rate), {"swp1": packets})
                        marked = self.marks(run, packets)
                        for i, packet in enumerate(run.sent["swp2"]):
                            congested = i + 1 <= last
                            was = i % 4
                            self.assertEqual(ecn_of(packet.data), 3 if was in (1, 2) and congested else was, i)
                        self.assertEqual(sum(marked), sum(1 for i in range(last) if i % 4 in (1, 2)))

    def test_step(self):
        """Check 16. min = max = 100 KB, 200 x 1000 B. Cell 1: (200 - k) 1000 > 100000: k < 100, 99 marked.
        Cell 192: 520 cells (520.8): (200 - k) 6 > 520: 200 - k >= 87: the first 113. Tagged packets count
        their tag: 1000 B all the same."""
        for cell, count in ((1, 99), (192, 113)):
            for rate in ("25G", "100G"):
                with self.subTest(cell=cell, rate=rate):
                    packets = queued(200)
                    run = self.replay(marking({"min": "100KB", "max": "100KB"}, cell, rate), {"swp1": packets})
                    self.assertEqual(self.marks(run, packets), [i < count for i in range(200)])
                    self.assertEqual(run.port("swp2")["queue"][3]["depth_max"], 200 * (1000 if cell == 1 else 1152))

    def test_other_sizes(self):
        """300 B, cell 192: 2 cells. max = min = 3839 B = 19 cells (19.99): (50 - k) 2 > 19: k <= 40. At
        3840 B = 20 cells: k <= 39. 192 B are 1 cell: 3900 B = 20 cells (20.3): 50 - k > 20: k <= 29.
        Cell 1, 3900 B: (50 - k) 300 > 3900: k <= 36 (37: 3900 is not more)."""
        for cell, edge, size, count in ((192, "3839B", 300, 40), (192, "3840B", 300, 39), (192, "3900B", 192, 29),
                                        (1, "3900B", 300, 36), (1, "3899B", 300, 37)):
            packets = queued(50, size=size)
            run = self.replay(marking({"min": edge, "max": edge}, cell), {"swp1": packets})
            self.assertEqual(self.marks(run, packets), [i < count for i in range(50)])

    def test_band(self):
        """Probability 0 %: never between min and max, always above max. 100 %, min 0, max 1 B: whenever
        anything is behind it. Lossy class 0 the same."""
        packets = queued(200)
        run = self.replay(marking({"min": "20KB", "max": "100KB", "probability": "0%"}, 1), {"swp1": packets})
        self.assertEqual(self.marks(run, packets), [i < 99 for i in range(200)])
        run = self.replay(marking({"min": "0B", "max": "1B"}, 1), {"swp1": packets})
        self.assertEqual(self.marks(run, packets), [i < 199 for i in range(200)])
        packets = queued(200, dscp=0)
        run = self.replay(marking({"min": "100KB", "max": "100KB"}, 1, traffic_class=0), {"swp1": packets})
        self.assertEqual(self.marks(run, packets, traffic_class=0), [i < 99 for i in range(200)])

    def test_preset(self):
        """spectrum-x: TC3 from 150 KB, all above 1500 KB at 100 %. 1600 x 1000 B, cell 1: never below:
        k >= 1450; always above: k < 100; half way (825 KB) one half."""
        events = [{"at": "0us", "port": "swp2", "tx": "off"}, {"at": "400us", "port": "swp2", "tx": "on"}]
        packets = queued(1600, dscp=26)
        run = self.replay(switch(preset="spectrum-x", buffer={"cell": 1, "size": "16MB"}, events=events),
                          {"swp1": packets})
        marked = self.marks(run, packets)
        self.assertTrue(all(marked[:99]))
        self.assertFalse(any(marked[1449:]))
        # The line: sum over k of (depth - 150) / 1350 = 675 of the 1350 between; sd at most sqrt(1350 / 4) = 18.
        self.assertAlmostEqual(sum(marked[99:1449]), 675, delta=4 * 18)

    def test_ramp(self):
        """Constant depth: with 2000 packets queued and one arriving as one leaves, every departure sees the
        same 30000 B (29 x 1000 behind + the one coming). Between 20 KB and 60 KB at 80 %: (29 - 20) / 40 x 0.8
        = 0.18 of n = 20000, to 4 sigma (sqrt(.18 x .82 / n) = 0.0027)."""
        slot = slot_ps(1000, "100G")    # 81.92 ns
        first = [(i + 1, frame) for i, (_, frame) in enumerate(queued(30))]
        begin = 10**6                   # ps: the first departure
        count = 20000
        # Each comes halfway between two departures: 30 wait then, 29 behind the next to go.
        later = [((begin + i * slot + slot // 2) // 1000, first[0][1]) for i in range(count)]
        events = [{"at": "0us", "port": "swp2", "tx": "off"}, {"at": f"{begin}ps", "port": "swp2", "tx": "on"}]
        run = self.replay(switch(buffer={"cell": 1}, events=events,
                                 qos={"tc": {3: {"ecn": {"min": "20KB", "max": "60KB", "probability": "80%"}}}}),
                          {"swp1": first + later})
        marked = self.marks(run, first + later)
        self.assertAlmostEqual(sum(marked[:count]) / count, 0.18, delta=4 * 0.0027)


if __name__ == "__main__":
    unittest.main()
