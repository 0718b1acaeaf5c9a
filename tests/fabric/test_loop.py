# SPDX-License-Identifier: BSD-3-Clause
"""A routing loop and PFC: below the rate at which looping packets fill a link it runs for ever, above it the loop
deadlocks (Hu et al.: Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them, HotNets 2016), and the
watchdog frees it."""
from common import *

TTL = 16
CROSSINGS = TTL // 2            # of leaf1 to leaf2: sent on with a TTL of 15, 13, .. 1


class Loop(Case):
    """h1 - leaf1 - leaf2 - h2, where leaf2 sends what is for h2 back to leaf1."""

    def description(self, share, watchdog=None, milliseconds=200):
        # Of the link's time: 1024 B of it carry a packet of 1000 B.
        rate = share * 100e9 / CROSSINGS * 1000 / 1024
        qos = {"watchdog": watchdog} if watchdog else {}
        return {
            "fabric": {"topology": {"kind": "explicit", "nodes": ["leaf1", "leaf2", "h1", "h2"], "links": [
                {"a": "h1", "b": "leaf1.swp1"}, {"a": "h2", "b": "leaf2.swp1"},
                {"a": "leaf1.swp2", "b": "leaf2.swp2"}]}},
            "switch": {"preset": "spectrum-x", "buffer": {"size": "1MB"}, "qos": qos},
            "workload": [{"kind": "stream", "from": "h1", "to": "h2", "packet": "1000B", "ttl": TTL,
                          "rate": f"{rate / 1e6:.3f}M", "until": f"{milliseconds}ms"}],
            "events": [{"at": "0us", "node": "leaf2", "route": {"vrf": "default", "prefix": self.prefix, "via": ["leaf1"]}},
                       {"at": f"{milliseconds // 2}ms", "snapshot": "full"}],
            "stop": f"{milliseconds}ms"}

    @property
    def prefix(self):
        return "10.0.2.1/32"

    def crossed(self, nodes):
        return nodes["leaf1"]["ports"]["swp2"]["queue"][3]["packets"]

    def run_loop(self, share, **more):
        sim = self.sim(self.description(share, **more))
        half = self.crossed(sim.snapshots[0]["nodes"])
        return sim, half, self.crossed(sim.nodes)

    def test_below_it_runs_for_ever(self):
        sim, half, whole = self.run_loop(.98)
        # Each packet crosses 8 times and ends at leaf2, which finds a TTL of 1.
        self.assertEqual(set(sim.drops), {"ttl-expired"})
        self.assertEqual(set(drops({"leaf2": sim.nodes["leaf2"]})), {"ttl-expired"})
        sent = sim.nodes["h1"]["ports"]["eth1"]["tx_packets"]
        self.assertAlmostEqual(sim.drops["ttl-expired"] / sent, 1, delta=1e-4)
        self.assertAlmostEqual(whole / (CROSSINGS * sent), 1, delta=1e-4)
        self.assertAlmostEqual(whole / half, 2, delta=1e-3)

    def test_above_it_deadlocks(self):
        sim, half, whole = self.run_loop(1.02)
        # Both directions stand still, paused by each other, and the sender with them.
        self.assertEqual(whole, half)
        for leaf in ("leaf1", "leaf2"):
            self.assertTrue(sim.nodes[leaf]["ports"]["swp2"]["queue"][3]["paused"], leaf)
            self.assertGreater(sim.nodes[leaf]["ports"]["swp2"]["queue"][3]["depth"], 100_000)
        self.assertTrue(sim.nodes["h1"]["ports"]["eth1"]["queue"][3]["paused"])
        self.assertEqual(set(sim.drops), {"ttl-expired"})

    def test_the_watchdog_frees_it(self):
        sim, half, whole = self.run_loop(1.02, watchdog={"detect": "300us", "restore": "300us", "poll": "100us", "action": "drop"})
        self.assertIn("watchdog", sim.drops)
        self.assertGreater(whole, half * 1.5)

    def test_check_warns(self):
        path = self.file(self.description(.5))
        done = roost("check", path)
        self.assertEqual(done.status, 0)
        self.assertIn("loop", done.err)


if __name__ == "__main__":
    unittest.main()
