# SPDX-License-Identifier: BSD-3-Clause
"""What PFC alone does to flows that share ports, and what DCQCN mends (Zhu et al.: Congestion Control for Large-Scale
RDMA Deployments, SIGCOMM 2015, section 2.2: the parking lot problem)."""
from common import *

SENDERS = ("h1", "h2", "h3", "h4")


class ParkingLot(Case):
    """h1, h2, h3 on leaf1 with two uplinks, h4 on leaf2; all send to h5 on leaf2."""

    def shares(self, pins, window, hosts=None, qos=None):
        first, last = window
        nodes = ["leaf1", "leaf2", "spine1", "spine2"] + [f"h{n}" for n in range(1, 6)]
        links = [{"a": f"h{n}", "b": f"leaf1.swp{n}"} for n in (1, 2, 3)]
        links += [{"a": f"h{n}", "b": f"leaf2.swp{n - 3}"} for n in (4, 5)]
        links += [{"a": f"leaf{leaf}.swp{3 + spine}", "b": f"spine{spine}.swp{leaf}"} for leaf in (1, 2) for spine in (1, 2)]
        sim = self.sim({
            "fabric": {"topology": {"kind": "explicit", "nodes": nodes, "links": links}},
            "switch": {"preset": "spectrum-x", "buffer": {"size": "64MB"}, "qos": qos or {"tc": {3: {"ecn": "off"}}},
                       "routing": {"mode": "pinned", "pinned": [
                           {"src": host, "dst": "h5", "via": spine} for host, spine in zip(SENDERS, pins)]}},
            "hosts": hosts or {},
            "workload": [flow(host, "h5", "10GB") for host in SENDERS],
            "events": [{"at": f"{ms}ms", "snapshot": "full"} for ms in window], "stop": f"{last}ms"})
        self.assertEqual(sim.summary["drops"], 0)
        ports = ("leaf1", "swp1"), ("leaf1", "swp2"), ("leaf1", "swp3"), ("leaf2", "swp1")
        before, after = (one["nodes"] for one in sim.snapshots)
        received = [after[leaf]["ports"][port]["rx_bytes"] - before[leaf]["ports"][port]["rx_bytes"] for leaf, port in ports]
        # h4 also receives nothing and h5's acknowledgements are too few to count. The link to h5 is full throughout.
        line = (last - first) * 1e6 * 100 / 8 * 4154 / 4178
        self.assertAlmostEqual(sum(received) / line, 1, delta=.01)
        pauses = [sum(sum(port["pfc_tx"]) for node in one["nodes"].values() for port in node["ports"].values())
                  for one in sim.snapshots]
        return [one / sum(received) for one in received], pauses[1] - pauses[0]

    def close(self, shares, expected):
        for host, share, want in zip(SENDERS, shares, expected):
            self.assertAlmostEqual(share / want, 1, delta=.01, msg=f"{host}: {share:.4f}, expected {want:.4f}")

    def test_flows_that_share_an_uplink_share_its_turn(self):
        shares, pauses = self.shares(("spine1", "spine2", "spine2"), (20, 60))
        self.close(shares, (1 / 3, 1 / 6, 1 / 6, 1 / 3))
        self.assertGreater(pauses, 0)

    def test_all_on_one_uplink(self):
        shares, _ = self.shares(("spine1", "spine1", "spine1"), (20, 60))
        self.close(shares, (1 / 6, 1 / 6, 1 / 6, 1 / 2))

    def test_dcqcn_is_fair_without_pauses(self):
        shares, pauses = self.shares(("spine1", "spine2", "spine2"), (100, 200), hosts={"congestion": "dcqcn"}, qos={
            "tc": {3: {"ecn": {"min": "5KB", "max": "200KB", "probability": "1%"}}}})
        jain = sum(shares) ** 2 / (len(shares) * sum(share * share for share in shares))
        self.assertGreaterEqual(jain, .99, shares)
        self.assertEqual(pauses, 0)


if __name__ == "__main__":
    unittest.main()
