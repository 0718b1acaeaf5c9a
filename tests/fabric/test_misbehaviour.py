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

    MARKING = {"preset": "spectrum-x", "qos": {"tc": {3: {"ecn": {"min": "1KB", "max": "1KB"}}}}}

    def cnps_by_class(self, dscp):
        """Of an incast to h3 in which all packets but the last are marked, queue by queue: {(node, port): [...]}."""
        description = fabric(1, 0, 3, switch=self.MARKING, h3={"cnp": {"dscp": dscp}}, stop="idle",
                             workload=[{"kind": "incast", "to": "h3", "from": ["h1", "h2"], "size": f"{489 * 4096}B"}])
        sim = self.sim(description)
        told = roost("check", self.file(description)).err
        # h3 takes 978 packets of 335.52 ns without a pause: 328 us, a CNP for each sender at first and every 50 us.
        self.assertEqual(sim.summary["cnps"], 2 * (1 + 328 // 50))
        self.assertEqual(sim.drops, {})
        return told, {where: [queue["packets"] for queue in sim.nodes[where[0]]["ports"][where[1]]["queue"]]
                      for where in (("h3", "eth1"), ("leaf1", "swp1"), ("leaf1", "swp2"))}

    def test_cnps_in_another_class(self):
        """DSCP 4 is priority 0: CNPs go with lossy data, in class 0 and not in 6; no PFC holds them there. DSCP 26 puts
        them among the data that PFC pauses, which is warned of."""
        acks = 489
        for dscp, queue in ((48, 6), (4, 0), (26, 3)):
            with self.subTest(dscp=dscp):
                told, queues = self.cnps_by_class(dscp)
                for where, flows in ((("h3", "eth1"), 2), (("leaf1", "swp1"), 1), (("leaf1", "swp2"), 1)):
                    expected = [0, 0, 0, flows * acks, 0, 0, 0, 0]
                    expected[queue] += flows * 7
                    self.assertEqual(queues[where], expected, where)
                self.assertEqual("hosts.cnp.dscp: CNPs (DSCP 26 of h3) are priority 3" in told, dscp == 26, told)
                self.assertEqual(told == "", dscp != 26, told)

    def test_cnps_behind_lossy_data(self):
        """Two streams to h1 at line rate are queued in class 0 for as long as they have lasted when a CNP comes: so long
        it waits there, and in class 6 for the packet that is being sent at most."""
        def waits(dscp):
            streams = [{"kind": "stream", "from": host, "to": "h1", "priority": 0, "rate": "100G", "until": "30us"}
                       for host in ("h4", "h5")]
            incast = {"kind": "incast", "to": "h3", "from": ["h1", "h2"], "size": "8192B", "at": "20us"}
            sim = self.sim(fabric(1, 0, 5, switch=self.MARKING, h3={"cnp": {"dscp": dscp}}, stop="idle",
                                  workload=[*streams, incast], record={"pcap": ["leaf1.swp1", "leaf1.swp3"]}))
            came, went = ([packet.ns for packet in read_pcapng(sim.directory / f"leaf1.{port}.pcapng")
                           if packet.data[42] == 0x81 and packet.data[30:34] == bytes((10, 0, 1, 1))]
                          for port in ("swp3", "swp1"))
            self.assertEqual((len(came), len(went), sim.drops), (1, 1, {}))
            return came[0], went[0] - came[0]
        _, wait = waits(48)
        self.assertLessEqual(wait, 1024 * 80 // 1000 + 1)
        came, wait = waits(4)
        first = (1000 + 12) * 80 // 1000 + 500    # of both streams, at the leaf
        self.assertAlmostEqual(wait, came - first, delta=2 * 1024 * 80 // 1000)

    def test_an_mtu_that_does_not_fit(self):
        """Nothing arrives: every packet that h1 sends drops where it would leave the leaf."""
        sim = self.sim(fabric(1, 0, 2, mtu=1500, hosts={"path-mtu": 4096}, stop="5ms",
                              workload=[flow("h1", "h2", "100KB")]))
        self.assertIsNone(sim.flows[0]["fct_ps"])
        self.assertEqual(set(sim.drops), {"mtu-exceeded"})
        self.assertEqual(sim.nodes["h2"]["ports"]["eth1"]["rx_packets"], 0)


if __name__ == "__main__":
    unittest.main()
