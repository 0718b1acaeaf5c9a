# SPDX-License-Identifier: BSD-3-Clause
"""Three tiers and topology files with real packets: exact times over six links, one thing said in two ways, and
links that lose."""
from common import *

FAT_TREE = {"kind": "fat-tree", "k": 4}
CLOS3 = {"kind": "clos3", "pods": 4, "leaves": 2, "spines": 2, "super-spines": 4, "hosts-per-leaf": 2}


def described(topology, workload, links=None, **sections):
    place = {"topology": topology} | ({"links": links} if links else {})
    return {"fabric": place, "switch": {"preset": "spectrum-x"}, "workload": workload} | sections


class Topologies(Case):
    def test_six_links(self):
        """h1 to h16 of a fat-tree: host, leaf, spine, super, spine, leaf, host, the links of three kinds."""
        links = {"host": {"rate": "100G", "delay": "1us"}, "fabric": {"rate": "200G", "delay": "2us"},
                 "super-spine": {"rate": "400G", "delay": "7us"}}
        sim = self.sim(described(FAT_TREE, [flow("h1", "h16", "1MB")], links))
        path = [Hop(100 * 10**9, 10**6), Hop(200 * 10**9, 2 * 10**6), Hop(400 * 10**9, 7 * 10**6)]
        [one] = sim.flows
        self.assertEqual(one["fct_ps"], completion(10**6, path + path[::-1]))
        self.assertEqual(one["ideal_ps"], one["fct_ps"])

    def test_a_fat_tree_is_a_clos(self):
        workload = [{"kind": "permutation", "size": "256KB"}]
        one, other = (self.sim(described(topology, workload)) for topology in (FAT_TREE, CLOS3))
        assert_complete(self, one)
        self.assertEqual(one.summary["digest"], other.summary["digest"])

    def test_supers_have_settings_of_their_own(self):
        """What a super's own section says holds there and nowhere else."""
        workload = [flow("h1", "h16", "1MB")]
        plain, late = (self.sim(described(FAT_TREE, workload, **sections))
                       for sections in ({}, {"super-spine": {"latency": "3us"}}))
        # There, and the last acknowledgement back.
        self.assertEqual(late.flows[0]["fct_ps"] - plain.flows[0]["fct_ps"], 2 * 3 * 10**6)

    def simulators_file(self, error):
        (self.directory / "t.txt").write_text(
            "5 2 4\n3 4\n0 3 100Gbps 1000ns 0\n1 4 100Gbps 0.001ms 0\n2 4 100Gbps 1us 0\n"
            f"3 4 100Gbps 1us {error}\n")
        return self.sim(described({"kind": "file", "file": "t.txt", "format": "hpcc"},
                                  [flow("h0", "h1", "4MB")], hosts={"rto": "100us"}))

    def test_a_simulators_file(self):
        sim = self.simulators_file("0.000000")
        [one] = sim.flows
        self.assertEqual(one["fct_ps"], completion(4 * 10**6, [Hop(100 * 10**9, 10**6)] * 3))
        self.assertEqual(sim.summary["retransmitted"], 0)

    def test_a_link_that_loses(self):
        """1 % of the packets either way: each loss is repaired, and costs time."""
        sim = self.simulators_file("0.010000")
        assert_complete(self, sim)
        self.assertGreater(sim.summary["retransmitted"], 5)


if __name__ == "__main__":
    unittest.main()
