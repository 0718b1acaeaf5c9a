# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that misbehave: a slow or stalling receiver, a pause storm, wrong marks, an MTU that does not fit. Links of
100G and 500 ns, frames of Ethernet; a byte takes 80 ps.
"""
import unittest

from common import *

DELAY = 500_000
SIZE = 10_000_000


def way(frame):
    """A frame through one leaf, alone."""
    return 2 * ((frame + 8 + 4) * 80 + DELAY)


class Misbehaviour(Case):
    def flows(self, *flows, **sections):
        sections.setdefault("switch", {"preset": "spectrum-x", "buffer": {"size": "2MB"}})
        workload = [flow(src, dst, f"{size}B") for src, dst, size in flows]
        return self.sim(fabric(1, 0, 4, workload=workload, stop="idle", **sections))

    def pfc(self, sim, node, port, priority=3):
        return sim.nodes[node]["ports"][port]["pfc_tx"][priority]

    def test_a_slow_receiver(self):
        """From its first packet on the receiver is never idle: 400 ps a byte at 20G. No packet is lost, the leaf and
        the sender are paused, and with them a flow to a host that is quick."""
        slow = {"h2": {"drain-rate": "20G"}}
        sim = self.flows(("h1", "h2", SIZE), **slow)
        frames = frame_sizes(SIZE, 4096, 4)
        self.assertEqual(sim.flows[0]["fct_ps"], way(frames[0]) + sum(frames) * 400 + way(ack_size(4)))
        self.assertEqual(sim.drops, {})
        self.assertGreater(self.pfc(sim, "h2", "eth1"), 0)
        sim = self.flows(("h1", "h2", SIZE), ("h1", "h3", SIZE), **slow)
        alone = self.flows(("h1", "h2", SIZE), ("h1", "h3", SIZE))
        self.assertEqual(sim.drops, {})
        self.assertGreater(self.pfc(sim, "leaf1", "swp1"), 0)
        self.assertGreater(sim.flows[1]["fct_ps"], 2 * alone.flows[1]["fct_ps"])

    def test_without_pfc_a_slow_receiver_loses(self):
        sim = self.flows(("h1", "h2", SIZE), h2={"drain-rate": "80G"},
                         switch={"preset": "lossy", "buffer": {"size": "16MB"}})
        self.assertEqual(set(sim.drops), {"receive-buffer"})
        assert_complete(self, sim)

    def test_a_receiver_that_stalls(self):
        """50 of every 100 us: what comes meanwhile is more than its buffer, but PFC is there. 1 MB of 10 are sent in
        between at the least, and each stall costs what it lasts at the most."""
        sim = self.flows(("h1", "h2", SIZE), h2={"stall": {"every": "100us", "for": "50us"}})
        alone = self.flows(("h1", "h2", SIZE)).flows[0]["fct_ps"]
        self.assertEqual(sim.drops, {})
        self.assertGreater(self.pfc(sim, "h2", "eth1"), 0)
        self.assertGreater(sim.flows[0]["fct_ps"], alone)
        self.assertLess(sim.flows[0]["fct_ps"], 2 * alone + 50_000_000)

    def test_a_pause_storm(self):
        """The leaf's port rests for as long as the storm, but for the packet it had begun."""
        quiet = self.flows(("h1", "h2", SIZE), switch={"preset": "spectrum-x"})
        sim = self.flows(("h1", "h2", SIZE), h2={"pause-storm": {"from": "100us", "to": "600us"}},
                         switch={"preset": "spectrum-x"})
        late = sim.flows[0]["fct_ps"] - quiet.flows[0]["fct_ps"]
        self.assertLessEqual(late, 500_000_000)
        self.assertGreater(late, 500_000_000 - (4154 + 24) * 80)
        # A pause of 65535 quanta of 5.12 ns is sent again at half: twice in 500 us; XON ends it.
        self.assertEqual(self.pfc(sim, "h2", "eth1"), 1 + 2 + 1)
        self.assertEqual(sim.drops, {})

    def test_data_in_another_class(self):
        """h1 marks its data with DSCP 0: in the incast it loses packets, h2 does not."""
        sim = self.sim(fabric(1, 0, 4, switch={"preset": "spectrum-x", "buffer": {"size": "2MB"}},
                              h1={"dscp": 0}, stop="idle",
                              workload=[{"kind": "incast", "to": "h3", "from": ["h1", "h2"], "size": "10MB"}]))
        lost = {f["src"]: f["retransmitted"] for f in sim.flows}
        self.assertGreater(lost["h1"], 0)
        self.assertEqual(lost["h2"], 0)
        self.assertEqual(set(sim.drops), {"ingress-pool"})

    def test_an_mtu_that_does_not_fit(self):
        """Nothing arrives: every packet that h1 sends drops where it would leave the leaf."""
        sim = self.sim(fabric(1, 0, 2, mtu=1500, hosts={"path-mtu": 4096}, stop="5ms",
                              workload=[flow("h1", "h2", "100KB")]))
        self.assertIsNone(sim.flows[0]["fct_ps"])
        self.assertEqual(set(sim.drops), {"mtu-exceeded"})
        self.assertEqual(sim.nodes["h2"]["ports"]["eth1"]["rx_packets"], 0)


if __name__ == "__main__":
    unittest.main()
