# SPDX-License-Identifier: BSD-3-Clause
"""Queues of random arrivals wait as queueing theory says: M/D/1."""
import csv

from common import *

HOSTS, SERVICE_NS = 16, 1024 * 8 / 100          # 1000 B of frame with FCS, preamble and gap, at 100G


class OnePort(Case):
    """Poisson streams of many fast hosts into one slower port: arrivals there are as good as Poisson (two packets of one
    host come an eighth of a service time apart at least), services are equal."""

    def depth(self, load, milliseconds):
        nodes = ["leaf1"] + [f"h{n}" for n in range(1, HOSTS + 2)]
        links = [{"a": f"h{n}", "b": f"leaf1.swp{n}", "rate": "100G" if n == HOSTS + 1 else "800G", "delay": "500ns"}
                 for n in range(1, HOSTS + 2)]
        # The load is of the link's time: 1024 B of it carry 1000 B.
        rate = load * 100e9 * 1000 / 1024 / HOSTS
        sim = self.sim({
            "fabric": {"topology": {"kind": "explicit", "nodes": nodes, "links": links}},
            "switch": {"preset": "lossy", "buffer": {"cell": 1000}, "routing": {"mode": "ecmp"}},
            "workload": [{"kind": "stream", "from": f"h{n}", "to": f"h{HOSTS + 1}", "packet": "1000B", "priority": 0,
                          "rate": f"{rate / 1e6:.3f}M", "arrivals": "poisson", "until": f"{milliseconds}ms"}
                         for n in range(1, HOSTS + 1)],
            "record": {"interval": "1us", "queues": [f"leaf1.swp{HOSTS + 1}.0"]}})
        self.assertEqual(sim.summary["drops"], 0)
        sent = sim.nodes["leaf1"]["ports"][f"swp{HOSTS + 1}"]["tx_packets"]
        self.assertAlmostEqual(sent * SERVICE_NS / (milliseconds * 1e6), load, delta=.005 * load)
        with open(sim.directory / "queues.csv") as file:
            samples = [int(row[1]) // 1000 for row in list(csv.reader(file))[1:]]
        return sum(samples) / len(samples)

    def check(self, load, milliseconds):
        # The packet in service counts in no depth: L = lambda W, so the wait in service times is L / load.
        wait = self.depth(load, milliseconds) / load
        self.assertAlmostEqual(wait / (load / (2 * (1 - load))), 1, delta=.02, msg=f"{wait:.3f} service times")

    def test_half(self):
        self.check(.5, 40)

    def test_four_fifths(self):
        self.check(.8, 120)

    def test_nine_tenths(self):
        self.check(.9, 500)


if __name__ == "__main__":
    unittest.main()
