# SPDX-License-Identifier: BSD-3-Clause
"""Congestion control in whole fabrics: DCQCN's mean queue against an independent model, and times in closed form."""
import csv
import unittest

from common import *

ONE_PERCENT = {"preset": "spectrum-x", "buffer": {"size": "64MB", "cell": 1},
               "qos": {"tc": {3: {"ecn": {"min": "5KB", "max": "200KB", "probability": "1%"}}}}}
BARE = {"preamble": "0B", "fcs": "0B", "gap": "0B"}


class Congestion(Case):
    def mean_queue(self, senders, congestion="dcqcn", stop="600ms", begin_ns=200e6):
        """Bytes in the queue of the one port that so many senders share at 40G, 1000 B a packet."""
        receiver = senders + 1
        sim = self.sim(fabric(
            1, 0, receiver, switch=ONE_PERCENT, host_link={"rate": "40G", "delay": "1us"}, framing=BARE, stop=stop,
            hosts={"congestion": congestion, "header-bytes": "48B", "ack-bytes": "60B", "path-mtu": 952,
                   "start-jitter": "1us", "ack-every": 64, "rto": "100ms"},
            record={"interval": "10us", "queues": [f"leaf1.swp{receiver}.3"]},
            workload=[{"kind": "incast", "to": f"h{receiver}", "from": [f"h{i}" for i in range(1, receiver)],
                       "size": "20GB"}]))
        with open(sim.directory / "queues.csv", encoding="ascii") as lines:
            rows = [row for row in csv.reader(lines) if row[0][0].isdigit()]
        depths = [float(depth) for time, depth in rows if float(time) >= begin_ns]
        self.assertGreater(len(depths), 1000)
        return sum(depths) / len(depths)

    def test_dcqcn_settles_where_an_independent_model_does(self):
        """DCQCN as published, CNPs every 50 us at most. A packet-level model in another language, of other hands, has
        24.5, 53.5, 115 and 187 KB for 2, 4, 8 and 16 flows; what is beyond Kmin (5 KB) grows by 2.4 and 5.8."""
        means = {n: self.mean_queue(n) for n in (2, 4, 8, 16)}
        for n, expected in {2: 24.5e3, 4: 53.5e3, 8: 115e3, 16: 187e3}.items():
            self.assertAlmostEqual(means[n] / expected, 1, delta=0.1, msg=f"{n} flows: {means}")
        for n, expected in {4: 2.4, 8: 5.8}.items():
            self.assertAlmostEqual((means[n] - 5e3) / (means[2] - 5e3) / expected, 1, delta=0.1, msg=f"{means}")

    def test_without_marks_it_changes_nothing(self):
        """A flow alone is never marked: the same times to the picosecond, whatever the algorithm."""
        times = {congestion: self.sim(fabric(1, 0, 2, hosts={"congestion": congestion}, workload=[
            flow("h1", "h2", "1MB")])).flows[0]["fct_ps"] for congestion in ("none", "dcqcn", "dcqcn-mlx")}
        self.assertEqual(len(set(times.values())), 1, times)

    def test_a_window_of_one_packet(self):
        """Each packet waits for the acknowledgement of the one before."""
        sim = self.sim(fabric(1, 0, 2, hosts={"congestion": "window", "window": {"size": "1KB"}},
                              workload=[flow("h1", "h2", "1MB")]))
        there, back = (lambda frame: 2 * ((frame + 12) * 80 + 500_000)), 2 * ((ack_size(4) + 12) * 80 + 500_000)
        self.assertEqual(sim.flows[0]["fct_ps"], sum(there(f) + back for f in frame_sizes(1_000_000, 4096, 4)))

    def test_a_window_bounds_the_queue(self):
        """Eight senders, each with 64 KiB of payload in flight at most, in frames of 4154 B for 4096."""
        senders = [f"h{i}" for i in range(1, 9)]
        sim = self.sim(fabric(1, 0, 9, switch={"preset": "spectrum-x", "buffer": {"size": "64MB", "cell": 1}},
                              hosts={"congestion": "window", "window": {"size": "64KiB"}},
                              workload=[{"kind": "incast", "to": "h9", "from": senders, "size": "4MB"}]))
        peak = sim.nodes["leaf1"]["ports"]["swp9"]["queue"][3]["depth_max"]
        self.assertLessEqual(peak, 8 * 16 * 4170)
        self.assertGreater(peak, 0.8 * 8 * 16 * 4154)


if __name__ == "__main__":
    unittest.main()
