# SPDX-License-Identifier: BSD-3-Clause
"""What remains of a full fabric when a spine or an uplink is gone, and who feels it."""
from common import *

LEAVES, HOSTS, SPINES = 4, 8, 10
RATE = 100e9 * 4154 / 4178 / 8          # bytes of frames a second on a full host link


class Remaining(Case):
    """8 hosts of 100G a leaf, 10 spines of 80G: uplinks carry exactly what hosts send, all of it to the next leaf."""

    def rates(self, events):
        """What each host receives, as shares of its link, before and after the events at 1 ms."""
        at = (200, 900, 1200, 1900)
        sim = self.sim(fabric(
            LEAVES, SPINES, HOSTS, fabric_link={"rate": "80G", "delay": "500ns"},
            switch={"preset": "spectrum-x", "routing": {"mode": "adaptive"}},
            hosts={"placement": "out-of-order", "ack-every": 64, "rto": "200us", "ack-dscp": 0},
            workload=[{"kind": "shift", "by": HOSTS, "size": "100MB"}],
            events=[{"at": f"{us}us", "snapshot": "full"} for us in at] + [{"at": "1ms"} | event for event in events],
            stop="1900us"))
        shots = [one["nodes"] for one in sim.snapshots]

        def received(shot):
            return [shot[f"h{n}"]["ports"]["eth1"]["rx_bytes"] for n in range(1, LEAVES * HOSTS + 1)]
        counts = [received(shot) for shot in shots]
        shares = [[(b - a) / (RATE * (last - first) / 1e6) for a, b in zip(counts[i], counts[i + 1])]
                  for i, (first, last) in ((0, at[:2]), (2, at[2:]))]
        return shots, *shares

    def mean(self, values):
        values = list(values)
        return sum(values) / len(values)

    def test_one_spine_of_ten(self):
        _, before, after = self.rates([{"link": f"leaf{leaf}-spine10", "state": "down"} for leaf in range(1, LEAVES + 1)])
        ratio = self.mean(after) / self.mean(before)
        self.assertAlmostEqual(ratio / .9, 1, delta=.02, msg=f"{ratio:.4f}")
        self.assertGreater(min(after) / max(after), .9)

    def test_one_uplink_of_a_leaf(self):
        shots, before, after = self.rates([{"link": "leaf2-spine10", "state": "down"}])
        ratios = [self.mean(after[leaf * HOSTS:(leaf + 1) * HOSTS]) / self.mean(before[leaf * HOSTS:(leaf + 1) * HOSTS])
                  for leaf in range(LEAVES)]
        # leaf1 sends to leaf2, leaf2 to leaf3: those two pairs have 9 ways of 10. By the leaf that receives:
        for leaf, (ratio, expected) in enumerate(zip(ratios, (1, .9, .9, 1)), 1):
            self.assertAlmostEqual(ratio / expected, 1, delta=.02, msg=f"to leaf{leaf}: {ratio:.4f}")
        # What leaf1 sends up to spine10 is nothing; the pairs that have nothing to do with leaf2 go on using it.
        soon, late = shots[2], shots[3]
        uplink = f"swp{HOSTS + 10}"

        def sent(shot, leaf):
            return shot[leaf]["ports"][uplink]["queue"][3]["packets"]
        self.assertEqual(sent(late, "leaf1"), sent(soon, "leaf1"))
        self.assertGreater(sent(late, "leaf3"), sent(soon, "leaf3") + 1000)
        self.assertGreater(sent(late, "leaf4"), sent(soon, "leaf4") + 1000)


if __name__ == "__main__":
    unittest.main()
