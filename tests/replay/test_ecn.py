# SPDX-License-Identifier: BSD-3-Clause
"""ECN: at dequeue, on the depth of the queue in whole cells without the packet itself.

n packets of p cells are queued while swp2 is frozen. When packet k (from 1) leaves, n - k are behind it:
it is marked if (n - k) p cells are more than max, never at or below min, between by chance.
"""
import unittest

from common import *


def queued(count, size=1000, dscp=3, ecns=(2,), addresses=to("swp2")):
    return stream(count, dscp, 200, 200, addresses, size, ecns=ecns)


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
        counts = run.port("swp2").queues.ecn_marked
        self.assertEqual(counts, [sum(marked) if i == traffic_class else 0 for i in range(8)])
        self.assertEqual(run.port("swp2").counters["queue"][traffic_class]["ecn_marked_bytes"],
                         sum(len(before) for (_, before), one in zip(packets, marked) if one))
        return marked

    def test_codepoints(self):
        """min = max = 10 KB: of 200 packets those with more than 10 KB behind them would be marked,
        if they are ECT: not-ECT (0) stays, ECT(1) and ECT(0) (1, 2) become CE, CE (3) stays and is not
        counted. Cell 1: (200 - k) 1000 > 10000: k < 190. Cell 192: 6 cells of 52 (52.08): (200 - k) 6 > 52:
        k < 192 (191.3). Cell 128: 8 cells of 78: k <= 190 (190.25)."""
        for cell, last, rates in ((1, 189, ("25G", "100G")), (192, 191, ("25G", "100G")), (128, 190, ("400G",))):
            for addresses in (to("swp2"), to6("swp2")):
                for rate in rates:
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
        """min = max = 100 KB, 200 x 1000 B. Cell 1: (200 - k) 1000 > 100000: k < 100, 99 marked.
        Cell 192: 520 cells (520.8): (200 - k) 6 > 520: 200 - k >= 87: the first 113. Cell 128: 781 cells
        (781.25): (200 - k) 8 > 781: 200 - k >= 98: the first 102."""
        for cell, count, rates in ((1, 99, ("25G", "100G")), (192, 113, ("25G", "100G")), (128, 102, ("800G",))):
            for rate in rates:
                with self.subTest(cell=cell, rate=rate):
                    packets = queued(200)
                    run = self.replay(marking({"min": "100KB", "max": "100KB"}, cell, rate), {"swp1": packets})
                    self.assertEqual(self.marks(run, packets), [i < count for i in range(200)])
                    self.assertEqual(run.port("swp2").queue(3).depth_max, 200 * cells(1000, cell) * cell)

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
        anything is behind it. Lossy class 0 the same. Above 100 KB: as in test_step."""
        for cell, rate, count in ((1, "100G", 99), (128, "400G", 102), (192, "25G", 113)):
            packets = queued(200)
            run = self.replay(marking({"min": "20KB", "max": "100KB", "probability": "0%"}, cell, rate),
                              {"swp1": packets})
            self.assertEqual(self.marks(run, packets), [i < count for i in range(200)])
            run = self.replay(marking({"min": "0B", "max": "1B"}, cell, rate), {"swp1": packets})
            self.assertEqual(self.marks(run, packets), [i < 199 for i in range(200)])
            packets = queued(200, dscp=0)
            run = self.replay(marking({"min": "100KB", "max": "100KB"}, cell, rate, traffic_class=0),
                              {"swp1": packets})
            self.assertEqual(self.marks(run, packets, traffic_class=0), [i < count for i in range(200)])

    def test_preset(self):
        """spectrum-x: TC3 from 150 KB, all above 1500 KB at 100 %. 1600 x 1000 B, cell 1: never below:
        k >= 1450; always above: k < 100; half way (825 KB) one half. Cell 192, 6 each: 781 cells: k >= 1470
        (1469.8); 7812: k < 298. The line between: the sum of chances, and 4 sd of it."""
        for cell, rate, above, below in ((1, "100G", 99, 1449), (192, "400G", 297, 1469)):
            packets, p = queued(1600, dscp=26), cells(1000, cell)
            run = self.replay(switch(preset="spectrum-x", rate=rate, buffer={"cell": cell, "size": "16MB"},
                                     events=hold("swp2", until="400us")), {"swp1": packets})
            marked = self.marks(run, packets)
            self.assertTrue(all(marked[:above]))
            self.assertFalse(any(marked[below:]))
            low, high = 150_000 // cell, 1_500_000 // cell
            chances = [((1600 - k) * p - low) / (high - low) for k in range(above + 1, below + 1)]
            self.assertAlmostEqual(sum(marked[above:below]), sum(chances),
                                   delta=4 * sum(chance * (1 - chance) for chance in chances) ** 0.5)

    def levels(self, cell, size, first, step, count, each, ecn):
        """The queue is held at so many packets for `each` departures, then `step` more join it, `count` times:
        one packet comes halfway between two departures. Returns the marks at each level. At 10G."""
        slot = slot_ps(size, "10G")
        begin = 10**7       # ps: the first departure
        frame = udp(*to("swp2"), size=size, dscp=3, ecn=2)
        packets = [(100 + i, frame) for i in range(first + 1)]
        for i in range(count * each):
            at = (begin + i * slot + slot // 2) // 1000
            packets += [(at, frame)] * (1 + step if i % each == each - 1 else 1)
        events = [{"at": "0us", "port": "swp2", "tx": "off"}, {"at": f"{begin}ps", "port": "swp2", "tx": "on"}]
        run = self.replay(switch(rate="10G", buffer={"cell": cell}, events=events, qos={"tc": {3: {"ecn": ecn}}}),
                          {"swp1": packets})
        marked = self.marks(run, packets)
        return [sum(marked[i * each:(i + 1) * each]) for i in range(count)]

    def test_ramp(self):
        """Never at min, always above max, a line between: 12 levels, ten of them between, 100,000 packets in full.
        Cell 1, 100 B, min 2000, max 10000 B at 50 %: 20 packets behind each that leaves, then 28, 36, .. 100, then
        108: 0, 5 %, 10 %, .. 50 %, 100 %. Cell 192, 192 B, min 20, max 100 cells at 100 %: twice that. With
        np(1-p) as variance the ten levels between (nine, where max is 100 %) make a chi-square of as many degrees:
        29.6 (27.9) is passed once in a thousand. In full also cell 128 up to 1 %, by which DCQCN marks."""
        each = 10000 if FULL else 2000
        for cell, size, most, bound in ((1, 100, 0.5, 29.6), (192, 192, 1.0, 27.9), (128, 128, 0.01, 29.6))[:2 + FULL]:
            with self.subTest(cell=cell):
                ecn = {"min": f"{20 * size}B", "max": f"{100 * size}B", "probability": f"{most:.0%}"}
                seen = self.levels(cell, size, 20, 8, 12, each, ecn)
                self.assertEqual((seen[0], seen[11]), (0, each))
                chi = 0
                for i in range(1, 11):
                    p = most * i / 10
                    if p == 1:
                        self.assertEqual(seen[i], each)
                        continue
                    chi += (seen[i] - each * p) ** 2 / (each * p * (1 - p))
                self.assertLess(chi, bound, seen)
                self.assertGreater(chi, 1)      # too good a line would not be drawn at random


if __name__ == "__main__":
    unittest.main()
