# SPDX-License-Identifier: BSD-3-Clause
"""Headroom on a real cable: what a group is given for rate, cable and MTU takes all that still arrives once it has
asked its peer to pause; what the model needs at the least does, too, and a part of that does not.
"""
import re
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

    def test_refresh_behind_the_longest_frame(self):
        """Six senders are paused by ports that are busy with the other direction. Each refresh waits for a frame of 4214 B,
        339 ns. Pauses of 60 quanta last 307 ns, so they run out, and what comes in between is too much. Those that `auto`
        accepts never do."""
        incast = {"kind": "incast", "to": "h13", "from": [f"h{i + 1}" for i in range(6)], "size": "200KB"}
        back = [flow(f"h{i + 7}", f"h{i + 1}", "1200KB") for i in range(6)]

        def file(pfc):
            return fabric(1, 0, 13, mtu=4200, host_link={"rate": "100G", "cable": "5m"}, workload=[incast, *back], switch={
                "preset": "spectrum-x", "qos": {"pfc": pfc, "pg": {3: {"alpha": 0}}, "tc": {3: {"ecn": "off"}}}})

        sim = self.sim(file({"quanta": 60, "refresh": "153600ps"}))
        self.assertEqual(set(sim.drops), {"headroom"})
        self.assertGreater(sim.drops["headroom"], 100)
        refused = roost("sim", self.file(to_yaml(file({"quanta": 60}))), status=2)
        least = int(re.search(r"at least (\d+) quanta", refused.err).group(1))
        self.assertEqual(least, 71)   # 4242 B, a pause of 84 B, and two more: 4494 B
        sim = self.sim(file({"quanta": least}))
        assert_complete(self, sim)
        self.assertEqual(sim.drops, {})


if __name__ == "__main__":
    unittest.main()
