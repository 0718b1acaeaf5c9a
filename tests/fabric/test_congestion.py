# SPDX-License-Identifier: BSD-3-Clause
"""Congestion control in whole fabrics: DCQCN's mean queue against an independent model, and times in closed form."""
import csv
import re
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

    def incast(self, senders, size, **rtt):
        """So many flows of so many bytes through one port of 10G, in packets of 1024 B. The receiver acknowledges
        every sixteenth packet, or what is requested."""
        receiver = senders + 1
        return self.sim(fabric(
            1, 0, receiver, switch={"preset": "spectrum-x", "buffer": {"size": "64MB"}},
            host_link={"rate": "10G", "delay": "1us"}, record={"interval": "5us", "queues": [f"leaf1.swp{receiver}.3"]},
            hosts={"congestion": "rtt", "rtt": rtt, "path-mtu": 1024, "ack-every": 16, "start-jitter": "5us"},
            workload=[{"kind": "incast", "to": f"h{receiver}", "from": [f"h{i}" for i in range(1, receiver)],
                       "size": f"{size}B"}]))

    def assert_unhindered(self, sim):
        summary = sim.summary
        self.assertEqual(summary["completed"], summary["flows"])
        self.assertEqual([summary[what] for what in ("drops", "pfc_tx", "retransmitted")], [0, 0, 0])

    def test_round_trip_times_settle_at_the_target(self):
        """N flows share a queue. Together their windows w are what the port sends in the round trip that the target
        allows such a window: N w = C T(w), with T(w) = base + 20 us + a / sqrt(w) + b (Swift, section 3.5), here
        20 us more at a tenth of a packet and none at 100. What waits is C (T - base). Windows are 4 packets with 8
        flows, and less than one from 40 on."""
        wire, framed, capacity = 1024 + 58, 1024 + 58 + 24, 10e9 / 8
        base = (2 * (wire + 12) + 2 * (ack_size(4) + 12)) / capacity + 4e-6
        a = 20e-6 / (0.1 ** -0.5 - 0.1)
        for flows in (8, 16, 32, 64, 128):
            with self.subTest(flows=flows):
                low, high = 0.001, 1000
                for _ in range(100):
                    window = (low * high) ** 0.5
                    target = base + 20e-6 + a / window ** 0.5 - 0.1 * a
                    low, high = (low, window) if flows * window * framed > capacity * target else (window, high)
                waits = (target - base) * capacity * wire / framed
                sim = self.incast(flows, 7_500_000 // flows, increase="1/16")
                self.assert_unhindered(sim)
                with open(sim.directory / "queues.csv", encoding="ascii") as lines:
                    rows = [row for row in csv.reader(lines) if row[0][0].isdigit()]
                depths = [float(depth) for time, depth in rows if 2e6 <= float(time) < 5e6]
                self.assertGreater(len(depths), 590)
                self.assertAlmostEqual(sum(depths) / len(depths) / waits, 1, delta=0.1)

    def test_round_trip_times_share_alike(self):
        """Sixteen flows keep the port busy to the end, and each has its sixteenth of it."""
        sim = self.incast(16, 468_750, increase="1/16")
        self.assert_unhindered(sim)
        times = [flow["fct_ps"] for flow in sim.flows]
        busy = 16 * sum(frame + 24 for frame in frame_sizes(468_750, 1024, 4)) * 800
        self.assertLess(max(times), 1.01 * busy)
        self.assertGreater(min(times), 0.9 * busy)

    def exchange(self, **hosts):
        """The exchange of conf/exchange/rtt.yaml with a quarter of the hosts, 1 MB a pair."""
        path = SOURCE / "conf/exchange/rtt.yaml"
        text = path.read_text()
        for old, new in (("leaves: 8, spines: 8, hosts-per-leaf: 16", "leaves: 4, spines: 4, hosts-per-leaf: 8"),
                         ("size: 64MB", "size: 32MB")):
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        for key, value in hosts.items():
            text, count = re.subn(rf"^  {key}: .*$", f"  {key}: {value}", text, flags=re.M)
            self.assertEqual(count, 1, key)
        return self.sim(text)

    @unittest.skipIf(SANITIZED, "a sanitizer takes two minutes for it")
    def test_an_exchange_is_as_fast_as_its_links(self):
        """The uplinks are the bottleneck: a leaf sends 8 x 24 pairs' data through four of them, and as many
        acknowledgements for what it gets. Nothing goes again and no port is paused, as all are without control."""
        frames = frame_sizes(1_000_000, 1000, 4)
        bound = 8 * 24 * sum(frame + 24 + ack_size(4) + 24 for frame in frames) * 20
        sim = self.exchange()
        self.assert_unhindered(sim)
        [collective] = sim.result["collectives"]
        self.assertLess(collective["step_ps"], bound / 0.95)
        self.assertGreater(self.exchange(congestion="none").summary["pfc_tx"], 1000)


if __name__ == "__main__":
    unittest.main()
