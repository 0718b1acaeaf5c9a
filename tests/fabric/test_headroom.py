# SPDX-License-Identifier: BSD-3-Clause
"""Headroom on a real cable: what a group is given for rate, cable and MTU takes all that still arrives once it has
asked its peer to pause; what the model needs at the least does, too, and a part of that does not.
"""
import unittest

from common import *

SENDERS = 3


class Headroom(Case):
    def incast(self, rate, cable, mtu, headroom):
        """Three hosts send to a fourth; a group asks for a pause with its first packet that waits."""
        link = {"rate": rate, "cable": cable}
        settings = {"preset": "spectrum-x", "buffer": {"size": "64MB"},
                    "qos": {"pg": {3: {"alpha": 0, "headroom": headroom}}, "tc": {3: {"ecn": "off"}}}}
        return self.sim(fabric(1, 0, SENDERS + 1, switch=settings, mtu=mtu, host_link=link, workload=[
            {"kind": "incast", "to": f"h{SENDERS + 1}", "from": [f"h{i + 1}" for i in range(SENDERS)], "size": "2MB"}]))

    def groups(self, sim):
        return [sim.nodes["leaf1"]["ports"][f"swp{i + 1}"]["pg"][3] for i in range(SENDERS)]

    def test_enough(self):
        for rate, cable, mtu in (("25G", "5m", 1500), ("100G", "40m", 4200), ("400G", "300m", 9100),
                                 ("800G", "300m", 4200)):
            with self.subTest(rate=rate, cable=cable):
                told = roost("headroom", rate, cable, mtu, "-o", "json").json
                sim = self.incast(rate, cable, mtu, "auto")
                assert_complete(self, sim)
                self.assertEqual((sim.drops, sim.summary["retransmitted"]), ({}, 0))
                most = max(group["headroom_max"] for group in self.groups(sim))
                self.assertGreater(sim.summary["pfc_tx"], 10)
                # What is needed at the least is for packets of the worst size; these fill cells better, and the
                # bound is no idle one all the same.
                self.assertLessEqual(most, told["needed"])
                self.assertGreater(most, told["needed"] / 5)
                sim = self.incast(rate, cable, mtu, f"{told['needed']}B")
                self.assertEqual(sim.drops, {})
                sim = self.incast(rate, cable, mtu, f"{most - 192}B")
                self.assertEqual(set(sim.drops), {"headroom"})
                self.assertEqual(sim.summary["drops_lossless"], sum(group["dropped"] for group in self.groups(sim)))


if __name__ == "__main__":
    unittest.main()
