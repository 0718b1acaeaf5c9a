# SPDX-License-Identifier: BSD-3-Clause
"""Trimming across a fabric: where a lossy queue is full, packets are trimmed and their headers arrive in their place.
A NIC knows them by an IP packet shorter than its UDP length says, and has no use for the rest.
"""
import unittest

from common import *

SHAPE = (2, 2, 4)


class Trim(Case):
    def incast(self, trim, seed=1):
        """Seven hosts send to the eighth in a class of 100 packets' depth; trimmed packets go to a strict class."""
        lossy = {"pool": "egress-lossy", "ecn": "off"}
        settings = {"preset": "lossy", "buffer": {"size": "16MB"}, "routing": {"mode": "ecmp"}, "qos": {
            "priority-to-tc": {3: 3, 4: 4, 6: 6, "default": 0}, "trim": trim,
            "tc": {3: {"static": "400KB"} | lossy, 4: {"scheduler": "strict", "alpha": "unlimited"} | lossy}}}
        return self.sim(fabric(*SHAPE, switch=settings, seed=seed, hosts={"rto": "200us"}, stop="100ms", workload=[
            {"kind": "incast", "to": "h8", "from": [f"h{i}" for i in range(1, 8)], "size": "1MB"}]))

    def test_incast(self):
        """Without trimming packets are dropped in switches; with it none is: each that was refused left as 256 B,
        and the receiver's NIC has counted it. Messages complete either way."""
        for seed in (1, 2):
            sim = self.incast("off", seed)
            assert_complete(self, sim)
            self.assertEqual(set(sim.drops), {"egress-pool"})
            sim = self.incast({"size": "256B", "dscp": 11, "tc": 4, "eligible-tc": [3]}, seed)
            sim.assert_conserved()
            assert_complete(self, sim)
            switches = [node["ports"] for name, node in sim.nodes.items() if not name.startswith("h")]
            trimmed = sum(total(ports, "queue", "trimmed") for ports in switches)
            self.assertGreater(trimmed, 50)
            self.assertEqual(sum(total(ports, "queue", "dropped") for ports in switches), 0)
            self.assertEqual(sim.drops, {"trimmed": trimmed})
            self.assertEqual(drops({"h8": sim.nodes["h8"]}), {"trimmed": trimmed})
            self.assertEqual(sum(total(ports, "queue", "trim_sent") for ports in switches), trimmed)


if __name__ == "__main__":
    unittest.main()
