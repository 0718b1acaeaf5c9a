# SPDX-License-Identifier: BSD-3-Clause
"""Histograms: how often a queue's depth, a group's occupancy, a packet's latency fell into each bin.

10 bins unless said: the first below `min`, eight of size / 8, the last at and above min + size. min 960 B, size
12288 B: 0, 960, 2496, 4032, .. 11712, 13248. Depths are looked at at every multiple of `sample`, 0 among
them, before anything else of that instant; a latency is taken of every packet as it begins to leave.
"""
import unittest

from common import *

EDGES = [0] + [960 + 1536 * i for i in range(9)]


def depth_of(total, tc=3):
    """Packets, from 1 ns on, that hold so many bytes: as few as do, none below 60 B."""
    sizes = []
    while total:
        size = total if total <= 1500 else min(1500, total - 60)
        sizes.append(size)
        total -= size
    return [(1 + i, udp(*to("swp2"), size=size, dscp=tc)) for i, size in enumerate(sizes)]


class Histogram(Case):
    def run_one(self, histogram, packets, until, cell=1, rate="100G", events=None, **keys):
        """Returns the histogram as counters.json has it."""
        events = hold("swp2") if events is None else events
        description = switch(rate=rate, buffer={"cell": cell}, events=events,
                             qos={"histograms": [histogram]} | keys.pop("qos", {}), **keys)
        run = self.replay(description, {"swp1": packets}, "--until", until)
        run.assert_conserved()
        (one,) = run.switch.counters["histograms"]
        return one

    def bins(self, **counts):
        return [counts.get(f"b{i}", 0) for i in range(10)]

    def test_known_depths(self):
        """Depths 0, 959, 960, 2495, 13247, 13248 B belong to bins 0, 0, 1, 1, 8, 9. All is queued by 1 us; looked
        at at 0 (nothing there yet) and at 1024, 2048, .. 10240 ns: ten times. A group holds the same."""
        for depth, expected in ((0, 0), (959, 0), (960, 1), (2495, 1), (2496, 2), (13247, 8), (13248, 9), (60000, 9)):
            for kind, where in (("queue", "swp2.3"), ("group", "swp1.3")):
                with self.subTest(depth=depth, kind=kind):
                    one = self.run_one({kind: where, "min": "960B", "size": "12288B", "bins": 10}, depth_of(depth),
                                       "10241ns")
                    self.assertEqual((one["kind"], one["where"], one["min"], one["size"], one["edges"]),
                                     (kind, where, 960, 12288, EDGES))
                    counts = [0] * 10
                    counts[0] += 1
                    counts[expected] += 10
                    self.assertEqual(one["bins"], counts)

    def test_cells(self):
        """Depths are whole cells, and so are the bounds, rounded down. Cell 192: 960 = 5, 2496 = 13 and so on, all
        whole. Cell 128: 960 is 7.5 cells: 896; a bin of 1536 is 12. A packet is one cell: 4 and 5 (6 and 7), 12
        and 13 (18 and 19), 68 and 69 (102 and 103) of them."""
        for cell, rate, edges, depths in ((192, "100G", EDGES, ((4, 0), (5, 1), (12, 1), (13, 2), (68, 8), (69, 9))),
                                          (128, "400G", [0] + [896 + 1536 * i for i in range(9)],
                                           ((6, 0), (7, 1), (18, 1), (19, 2), (102, 8), (103, 9)))):
            for count, expected in depths:
                with self.subTest(cell=cell, count=count):
                    packets = [(1 + i, udp(*to("swp2"), size=cell, dscp=3)) for i in range(count)]
                    one = self.run_one({"queue": "swp2.3"}, packets, "2049ns", cell, rate)     # 0, 1024, 2048 ns
                    self.assertEqual(one["edges"], edges)
                    counts = [0] * 10
                    counts[0] += 1
                    counts[expected] += 2
                    self.assertEqual(one["bins"], counts)

    def test_before_anything_else(self):
        """A packet that arrives at the instant of a look is not seen by it, one that came 1 ns earlier is."""
        for at, seen in ((2048, 1), (2047, 2)):     # of the looks at 0, 1024, 2048, 3072 ns
            one = self.run_one({"queue": "swp2.3", "sample": "1024ns"}, [(at, udp(*to("swp2"), size=1000, dscp=3))],
                               "3073ns")
            self.assertEqual(one["bins"], self.bins(b0=4 - seen, b1=seen))

    def test_set_while_packets_wait(self):
        """Packets that wait when the histogram is set came when they came: 20 of 300 B each 200 ns from 60 us on, sent
        from 100 us on, each 25.92 ns: they stay 40 us down to 36.7 us. Bins of 8 us from 1 us on: the sixth."""
        events = hold("swp2", until="100us") + [{"at": "70us", "set": "switch.qos.histograms", "to":
                                                 "[{latency: swp2.3, min: 1us, size: 64us, bins: 10}]"}]
        run = self.replay(switch(events=events), {"swp1": stream(20, 3, 60000, 200)})
        self.assertEqual(run.switch.counters["histograms"][0]["bins"], self.bins(b5=20))

    def test_sample(self):
        """How often: 100 us of looks each so many ns."""
        for sample in (1024, 500, 10000, 33333):
            one = self.run_one({"queue": "swp2.3", "sample": f"{sample}ns"}, [], "100us")
            self.assertEqual(one["bins"], self.bins(b0=-(-100000 // sample)))

    def test_draining(self):
        """20 packets of 1000 B leave from 1 us on at 25G (slot 327.68 ns): k slots later 19 - k are queued. Looked
        at at every 100 ns: how long each depth stood, counted here by hand."""
        release, slot = 1000, slot_ps(1000, "25G")
        one = self.run_one({"queue": "swp2.3", "sample": "100ns"},
                           [(1 + i, udp(*to("swp2"), size=1000, dscp=3)) for i in range(20)], "20us",
                           rate="25G", events=hold("swp2", until=f"{release}ns"))
        expected = [0] * 10
        for at in range(0, 20000, 100):
            begun = 0 if at <= release else min(20, -(-(at - release) * 1000 // slot))
            depth = 0 if at == 0 else (20 - begun) * 1000
            expected[0 if depth < 960 else min(9, 1 + (depth - 960) // 1536)] += 1
        self.assertEqual(one["bins"], expected)
        self.assertEqual(sum(one["bins"]), 200)

    def test_latency(self):
        """From a packet's arrival to the start of its transmission. min 1 us, size 64 us: bins of 8 us. All are held
        until 100 us; packet k came at 100 us - L, for L at the bins' edges, and leaves k slots later."""
        for rate, cell in (("100G", 192), ("400G", 128), ("800G", 1)):
            with self.subTest(rate=rate):
                waits = [70_000, 65_000, 64_900, 57_000, 30_000, 9000, 8000, 1000, 500]     # ns, before its turn
                slot = slot_ps(300, rate)
                packets = [(100_000 - wait, udp(*to("swp2"), dscp=3)) for wait in waits]
                one = self.run_one({"latency": "swp2.3"}, packets, "200us", cell, rate, hold("swp2", until="100us"))
                self.assertEqual(one["edges"], [0] + [1000 + 8000 * i for i in range(9)])
                expected = [0] * 10
                for k, wait in enumerate(waits):
                    ps = wait * 1000 + k * slot
                    expected[0 if ps < 10**6 else min(9, 1 + (ps - 10**6) // (8 * 10**6))] += 1
                self.assertEqual(one["bins"], expected)
                self.assertEqual(expected[9], 2)

    def test_latency_of_other_queues(self):
        """Only that queue's packets count, and a packet that is dropped does not."""
        packets = [(1000 * (i + 1), udp(*to("swp2"), dscp=(0, 3)[i % 2])) for i in range(40)]
        one = self.run_one({"latency": "swp2.3", "min": "500ns", "size": "8us"}, packets, "1ms", 192, "100G", (),
                           qos={"pg": {3: {"alpha": "unlimited"}}})
        self.assertEqual(one["bins"], self.bins(b0=20))
        one = self.run_one({"latency": "swp2.0", "min": "500ns", "size": "8us"}, packets[::2], "1ms", 192, "100G",
                           hold("swp2", until="100us"), qos={"tc": {0: {"static": "1920B"}}})
        self.assertEqual(one["bins"], self.bins(b9=5))     # 5 of 20 had room

    def test_bins(self):
        """Three bins, and 64."""
        one = self.run_one({"queue": "swp2.3", "min": "1000B", "size": "1000B", "bins": 3}, depth_of(1500), "1025ns")
        self.assertEqual((one["edges"], one["bins"]), ([0, 1000, 2000], [1, 1, 0]))
        one = self.run_one({"queue": "swp2.3", "min": "0B", "size": "6200B", "bins": 64}, depth_of(3150), "1025ns")
        self.assertEqual(one["edges"], [0] + [100 * i for i in range(63)])
        self.assertEqual([i for i, count in enumerate(one["bins"]) if count], [1, 32])     # 0 B is at min: bin 1

    def test_several(self):
        """Several beside each other; without any there is nothing of the kind."""
        histograms = [{"queue": "swp2.3"}, {"queue": "swp2.0"}, {"group": "swp1.0"}, {"latency": "swp1.0"}]
        run = self.replay(switch(events=hold("swp2"), qos={"histograms": histograms}),
                          {"swp1": depth_of(5000, 0)}, "--until", "1025ns")
        run.assert_conserved()
        self.assertEqual([(one["kind"], one["where"], sum(one["bins"])) for one in run.switch.counters["histograms"]],
                         [("queue", "swp2.3", 2), ("queue", "swp2.0", 2), ("group", "swp1.0", 2),
                          ("latency", "swp1.0", 0)])
        self.assertEqual([one["bins"][0] for one in run.switch.counters["histograms"][:3]], [2, 1, 1])
        run = self.replay(switch(), {"swp1": []})
        self.assertNotIn("histograms", run.switch.counters)


if __name__ == "__main__":
    unittest.main()
