# SPDX-License-Identifier: BSD-3-Clause
"""Two tenants on four leaves: red floods its lossless class by an incast of 16, blue's 15 hosts each send to
one other, message after message. What blue notices of it, with a priority of its own, with the same one,
and where they share nothing but a leaf's buffer.

Packets are sprayed and may come in any order. Nothing is ever lost, so no NIC has to give anything up for
lost: the reorder and retransmission timeouts are out of the way, and what is measured is the switches'.
"""
import unittest

from common import *

LEAVES, SPINES, PER_LEAF = 4, 8, 8


def places(leaf, first, last):
    return [f"h{(leaf - 1) * PER_LEAF + place}" for place in range(first, last + 1)]


RED = places(1, 1, 2) + places(2, 1, 5) + places(3, 1, 5) + places(4, 1, 5)   # to h1, from the 16 others
BLUE = places(1, 3, 8) + places(2, 6, 8) + places(3, 6, 8) + places(4, 6, 8)
HOSTS = {"placement": "out-of-order", "reorder-timeout": "100ms", "rto": "1s"}
GUARANTEED = 64000

# (rate of all links in Gb/s, cell, buffer, bytes of blue's messages, of red's, rounds)
CASES = [(100, 192, "16MB", 1_000_000, 4_000_000, 45), (400, 128, "32MB", 4_000_000, 10_000_000, 30)]
if SANITIZED:    # every switch is recounted after every window, which takes minutes for each
    del CASES[1:]


def switches(cell, buffer, alpha=1):
    """Priorities 3 and 4 are lossless with queues and groups of their own; 4 is served first."""
    lossless = {"lossless": True, "pool": "ingress-lossless", "alpha": alpha}
    return {"preset": "spectrum-x", "buffer": {"size": buffer, "cell": cell}, "routing": {"mode": "adaptive"},
            "qos": {"priority-to-pg": {3: 3, 4: 4, "default": 0}, "priority-to-tc": {3: 3, 4: 4, 6: 6, "default": 0},
                    "pg": {3: lossless, 4: lossless}, "pfc": {"priorities": [3, 4]},
                    "tc": {3: {"ecn": "off"}, 4: {"scheduler": "strict", "pool": "egress-lossless",
                                                  "alpha": "unlimited", "ecn": "off"}}}}


def tenants(red, blue):
    return {"red": {"hosts": RED, "buffer": {"guaranteed": f"{GUARANTEED}B"} | ({"share": red} if red else {})},
            "blue": {"hosts": BLUE, "buffer": {"guaranteed": f"{GUARANTEED}B"} | ({"share": blue} if blue else {})}}


def incast(size):
    return {"kind": "incast", "name": "red", "tenant": "red", "priority": 3, "to": "h1", "size": f"{size}B",
            "from": [host for host in RED if host != "h1"]}


def rounds(priority, size, gbit, count):
    """Every blue host sends a message to the host 6 to 9 places on, another in each round, on another leaf;
    rounds begin so often that its link is used to 84 %."""
    every_ps = round(size / 4096 * 4178 * 8000 / gbit / 0.84)
    return [flow(src, BLUE[(i + 6 + number % 4) % len(BLUE)], f"{size}B", name="blue", tenant="blue",
                 priority=priority, at=f"{number * every_ps}ps")
            for number in range(count) for i, src in enumerate(BLUE)]


def quantile(values, share):
    """The smallest value that this share of them do not pass."""
    ordered = sorted(values)
    return ordered[-(-len(ordered) * share // 100) - 1]


def own_port(host):
    """Where a host meets its leaf."""
    index = int(host[1:]) - 1
    return f"leaf{index // PER_LEAF + 1}", f"swp{index % PER_LEAF + 1}"


class TenantIsolation(Case):
    def run_with(self, case, priority, red=True):
        gbit, cell, buffer, size, flood, count = case
        link = {"rate": f"{gbit}G", "delay": "500ns"}
        sim = self.sim(fabric(LEAVES, SPINES, PER_LEAF, switch=switches(cell, buffer), hosts=HOSTS,
                              host_link=link, fabric_link=link, tenants=tenants("25%", "50%"),
                              workload=rounds(priority, size, gbit, count) + ([incast(flood)] if red else [])))
        assert_drained(sim, LEAVES, SPINES, PER_LEAF)
        assert_complete(self, sim)
        self.assertEqual((sim.drops, sim.summary["retransmitted"]), ({}, 0))
        if red:
            self.flood_is_one(sim, case)
        return sim

    def flood_is_one(self, sim, case):
        """The receiver's link is the bottleneck and never idle: what 16 senders have, at 4096 B in 4178 on
        the wire, 1 % for the first packets' way and blue's ACKs; and it lasts nearly as long as blue sends."""
        gbit, _, _, size, flood, count = case
        need = 16 * flood / 4096 * 4178 * 8000 / gbit
        last = max(one["fct_ps"] for one in sim.flows if one["item"] == "red")
        self.assertGreater(last, need)
        self.assertLess(last, 1.01 * need)
        self.assertGreater(last, 0.9 * count * size / 4096 * 4178 * 8000 / gbit / 0.84)

    def blue(self, sim):
        return [one["fct_ps"] for one in sim.flows if one["item"] == "blue"]

    def pauses(self, sim, hosts, priority):
        """XOFFs and XONs that leaves sent to these hosts."""
        return sum(sim.nodes[leaf]["ports"][port]["pfc_tx"][priority] for leaf, port in map(own_port, hosts))

    def report(self, title, case, alone, beside, sim):
        gbit, _, _, size, *_ = case
        times = [(quantile(of, 50) / 1e6, quantile(of, 99) / 1e6) for of in (alone, beside)]
        print(f"{title}, {gbit}G, {size // 1000} KB messages: completion median {times[0][0]:.1f} us alone, "
              f"{times[1][0]:.1f} us beside the incast; 99 % {times[0][1]:.1f} and {times[1][1]:.1f} us; "
              f"PFC frames {sim.summary['pfc_tx']}, of them to blue's hosts "
              f"{sum(self.pauses(sim, BLUE, priority) for priority in range(8))}", flush=True)

    def test_priorities_of_their_own(self):
        """Red's pauses reach spines and its own hosts, blue's priority is never paused anywhere. At a shared
        link a blue packet waits at most for the red one that is being sent; blue's links have room for that."""
        for case in CASES:
            with self.subTest(case=case):
                alone = self.blue(self.run_with(case, 4, red=False))
                sim = self.run_with(case, 4)
                beside = self.blue(sim)
                self.report("Own priority", case, alone, beside, sim)
                self.assertLessEqual(quantile(beside, 99), 1.02 * quantile(alone, 99))
                self.assertLessEqual(sum(beside), 1.01 * sum(alone))    # its throughput
                self.assertLessEqual(max(beside), 1.03 * max(alone))
                for node in sim.nodes.values():
                    for port in node["ports"].values():
                        self.assertEqual((port["pfc_tx"][4], port["pfc_rx_pause_ns"][4]), (0, 0))
                spines = sum(port["pfc_tx"][3] for name, node in sim.nodes.items() if name.startswith("spine")
                             for port in node["ports"].values())
                self.assertGreater(spines, 0)
                self.assertGreater(self.pauses(sim, RED, 3), 0)

    def test_one_priority(self):
        """The same but for blue's priority: still nothing is lost, but PFC stops a priority of a link, whoever's
        packets those are. Blue's messages take many times as long, and its own ports are paused."""
        for case in CASES:
            with self.subTest(case=case):
                alone = self.blue(self.run_with(case, 3, red=False))
                sim = self.run_with(case, 3)
                beside = self.blue(sim)
                self.report("One priority", case, alone, beside, sim)
                self.assertGreater(quantile(beside, 50), 5 * quantile(alone, 50))
                self.assertGreater(quantile(beside, 99), 10 * quantile(alone, 99))
                self.assertGreater(self.pauses(sim, BLUE, 3), 0)
                self.assertGreater(self.pauses(sim, RED, 3), 0)

    def leaves_alone(self, case, share, red=True):
        """Blue stays within leaves: on leaves 2, 3 and 4 two of its hosts send 600 KB each to the third, at once,
        in red's priority but over none of its links. Groups of leaves may take all that is free (alpha 8),
        spines pass the incast's pauses on soon (1/16)."""
        gbit, cell, buffer, _, flood, _ = case
        link = {"rate": f"{gbit}G", "delay": "500ns"}
        every_ps = 2 * 600_000 * 8000 // gbit * 3
        work = [flow(src, dst, "600KB", name="blue", tenant="blue", priority=3, at=f"{number * every_ps}ps")
                for number in range(20) for leaf in (2, 3, 4)
                for one, two, dst in [places(leaf, 6, 8)] for src in (one, two)]
        sim = self.sim(fabric(LEAVES, SPINES, PER_LEAF, switch=switches(cell, buffer, alpha="1/16"), hosts=HOSTS,
                              leaf={"qos": {"pg": {3: {"alpha": 8}}}}, host_link=link, fabric_link=link,
                              tenants=tenants(share, None), workload=work + ([incast(flood)] if red else [])))
        assert_drained(sim, LEAVES, SPINES, PER_LEAF)
        self.assertEqual((sim.drops, sim.summary["retransmitted"]), ({}, 0))
        return sim

    def test_shares_of_a_leaf(self):
        """Red's packets fill the leaves of its senders up to its share, 25 % of what guarantees leave of the
        pool, and then its own hosts are paused, what is on its way going to their headroom. Blue's bursts,
        some 600 KB in the buffer at most, find room: its hosts are not paused, as without red. Where red has
        no share it takes nearly all, and blue's hosts are."""
        for case in CASES:
            cell = case[1]
            with self.subTest(case=case):
                sim = self.leaves_alone(case, "25%")
                for leaf in ("leaf2", "leaf3", "leaf4"):
                    node = sim.nodes[leaf]
                    guaranteed = -(-GUARANTEED // cell)
                    share = (node["pools"]["ingress-lossless"]["size"] // cell - 2 * guaranteed) // 4
                    at_most = (share + guaranteed) * cell
                    red = [node["ports"][f"swp{place}"] for place in range(1, 6)]
                    self.assertGreater(node["tenants"]["red"]["used_max"], at_most - 2 * 4200)
                    self.assertLessEqual(node["tenants"]["red"]["used_max"],
                                         at_most + sum(port["pg"][3]["headroom_max"] for port in red))
                    for port in red:
                        self.assertGreater(port["pfc_tx"][3], 0)
                self.assertEqual(self.pauses(sim, BLUE, 3), 0)
                beside = self.blue(sim)
                self.assertEqual(beside, self.blue(self.leaves_alone(case, "25%", red=False)))
                sim = self.leaves_alone(case, None)
                self.assertGreater(self.pauses(sim, BLUE, 3), 0)


if __name__ == "__main__":
    unittest.main()
