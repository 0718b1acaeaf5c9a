# SPDX-License-Identifier: BSD-3-Clause
"""How traffic spreads over paths: what a per-packet spray does to flows that place packets as they come, and to those
that go back."""
import math

from common import *

LINE = 100 * 4096 / 4178         # Gb/s of payload on a 100G link, in packets of 4096 B
LEAVES, HOSTS = 16, 8


def permutation(spines, size, placement="out-of-order", events=(), **hosts):
    return fabric(LEAVES, spines, HOSTS, switch={"preset": "spectrum-x", "routing": {"mode": "adaptive"}},
                  hosts={"placement": placement, "ack-every": 16} | hosts,
                  workload=[{"kind": "permutation", "size": size}], events=list(events))


class Spray(Case):
    """128 hosts of 100G, 16 leaves."""

    def test_out_of_order_placement_fills_the_links(self):
        # 10 spines: load 0.8 on links between switches. An acknowledgement for 16 packets costs
        # 86 / (16 x 4178) = 0.13 % of the opposite direction.
        at = (100, 300)
        sim = self.sim(permutation(10, "4MB", events=[{"at": f"{us}us", "snapshot": "full"} for us in at]))
        assert_complete(self, sim)
        assert_drained(sim, LEAVES, 10, HOSTS)
        summary = sim.summary
        self.assertEqual([summary[key] for key in ("drops", "pfc_tx", "retransmitted")], [0, 0, 0])
        self.assertGreater(summary["out_of_order"], 10000)
        self.assertLessEqual(summary["slowdown_p99"], 1.02)

        def payload(snapshot):
            # All that hosts have received, in data frames of 4154 B and ACKs of 62 B.
            ports = [snapshot["nodes"][f"h{host}"]["ports"]["eth1"] for host in range(1, LEAVES * HOSTS + 1)]
            return sum(port["rx_bytes"] - 62 * port["rx_packets"] for port in ports) / (4154 - 62) * 4096
        first, last = map(payload, sim.snapshots)
        rate = (last - first) * 8 / ((at[1] - at[0]) * 1e3) / (LEAVES * HOSTS)
        self.assertGreater(rate, 0.98 * LINE)
        # Of a flow's 331.5 us alone 5 are delay: 98.5 % is the most that all of it may come to.
        self.assertGreater(summary["goodput_gbps"] / (LEAVES * HOSTS), 0.965 * LINE)

    def test_a_load_of_exactly_one(self):
        # 8 spines: queues grow as random walks do, the longest to some 7 % of the flow's time; more
        # would mean that choices stick to paths.
        summary = self.sim(permutation(8, "4MB")).summary
        self.assertEqual([summary[key] for key in ("completed", "drops", "pfc_tx", "retransmitted")], [128, 0, 0, 0])
        self.assertLess(summary["slowdown_p99"], 1.12)

    def test_in_order_placement_collapses(self):
        # The same with go-back-N: every packet that overtakes another is a loss.
        size = "1MB" if SANITIZED else "4MB"
        sprayed = self.sim(permutation(10, size, "in-order"))
        placed = self.sim(permutation(10, size))
        assert_complete(self, sprayed)
        self.assertLess(sprayed.summary["goodput_gbps"], placed.summary["goodput_gbps"] / 2)
        self.assertEqual((sprayed.summary["drops"], placed.summary["retransmitted"]), (0, 0))
        self.assertGreater(sprayed.summary["retransmitted"], 128 * 4e6 / 4096 if size == "4MB" else 128)

    def test_in_order_placement_is_fine_on_one_path(self):
        sim = self.sim(permutation(10, "400KB", "in-order") | {
            "switch": {"preset": "spectrum-x", "routing": {"mode": "ecmp"}}})
        assert_complete(self, sim)
        self.assertEqual([sim.summary[key] for key in ("out_of_order", "retransmitted", "drops_lossless")], [0, 0, 0])

    def one_flow(self, mode, events=()):
        """1000 packets over 4 uplinks, and a stream to another UDP port: packets by uplink of the data, of
        the ACKs on their way back, and of the stream."""
        sim = self.sim(fabric(2, 4, 1, switch={"preset": "spectrum-x", "routing": {"mode": mode}}, events=list(events),
                              hosts={"placement": "out-of-order", "ack-dscp": 0},
                              workload=[flow("h1", "h2", f"{1000 * 4096}B"),
                                        {"kind": "stream", "from": "h1", "to": "h2", "rate": "1G", "packet": "500B",
                                         "priority": 6, "until": "100us"}]))
        assert_complete(self, sim)
        self.assertEqual((sim.summary["drops"], sim.summary["retransmitted"]), (0, 0))
        leaf1, leaf2 = ([sim.nodes[leaf]["ports"][f"swp{up}"]["queue"] for up in range(2, 6)]
                        for leaf in ("leaf1", "leaf2"))
        return [[queue[tc]["packets"] for queue in leaf] for leaf, tc in ((leaf1, 3), (leaf2, 0), (leaf1, 6))]

    def test_only_what_is_eligible_is_sprayed(self):
        # About 250 each (3 sigma: 41) or, in turn, exactly. ACKs and what is no RoCEv2 keep to one path;
        # 100 us x 1G / 500 B = 25 packets.
        for mode in ("adaptive", "random", "spray"):
            with self.subTest(mode=mode):
                data, acks, stream = self.one_flow(mode)
                self.assertEqual(sum(data), 1000)
                for packets in data:
                    self.assertLessEqual(abs(packets - 250), 0 if mode == "spray" else 3 * math.sqrt(1000 * .25 * .75))
                self.assertEqual((sorted(acks), sorted(stream)), ([0, 0, 0, 1000], [0, 0, 0, 25]))

    def test_hashed_flows_keep_to_one_path(self):
        for mode in ("ecmp", "ecmp-qp"):
            with self.subTest(mode=mode):
                self.assertEqual([sorted(one) for one in self.one_flow(mode)],
                                 [[0, 0, 0, 1000], [0, 0, 0, 1000], [0, 0, 0, 25]])

    def test_a_paused_uplink_gets_none(self):
        # PFC stops one uplink from the start, for the 335.5 us that 65535 quanta last at 100G: the flow is
        # done in 340 us, so that a few packets at its end may take it.
        pause = {"at": "0us", "port": "leaf1.swp4", "pfc": {"priorities": [3], "quanta": 65535}}
        for mode in ("adaptive", "random", "spray"):
            with self.subTest(mode=mode):
                data, *_ = self.one_flow(mode, [pause])
                self.assertLess(data[2], 10)
                self.assertGreater(min(data[:2] + data[3:]), 250)
                self.assertEqual(sum(data), 1000)

    def test_the_queue_pair_in_the_hash(self):
        # ecmp-qp tells queue pairs apart that ecmp cannot: with all packets of 64 flows between one pair of
        # hosts hashed, the two modes choose differently.
        def loads(mode):
            sim = self.sim(fabric(2, 4, 1, switch={"preset": "spectrum-x", "routing": {"mode": mode}},
                                  workload=[flow("h1", "h2", "64KB", qps=64)]))
            return [sim.nodes["leaf1"]["ports"][f"swp{up}"]["queue"][3]["packets"] for up in range(2, 6)]
        hashed, with_qp = loads("ecmp"), loads("ecmp-qp")
        self.assertEqual((sum(hashed), sum(with_qp)), (64, 64))
        self.assertNotEqual(hashed, with_qp)


if __name__ == "__main__":
    unittest.main()
