# SPDX-License-Identifier: BSD-3-Clause
"""Maps and queues change while packets wait: none overtakes an earlier one of its flow, none is lost, and what is
counted of them is right at once."""
import collections
import random
import unittest

from common import *

# Classes 4 and 5 beside ROOMY's: as roomy, one of them strict.
CLASSES = {4: {"scheduler": "dwrr", "weight": 20, "pool": "egress-lossless", "alpha": "unlimited", "ecn": "off"},
           5: {"scheduler": "strict", "pool": "egress-lossy", "alpha": "unlimited", "ecn": "off"}}
FLOWS = {3: 3, 4: 3, 26: 0, 0: 0, 10: 0, 48: 6}    # DSCP: its queue in the beginning
PACKETS, STEP = 100, 40                           # of a flow; ns between two of them: they pile up
CHANGES = {"priority-to-tc": ["{3: 4, default: 0}", "{3: 3, 0: 3, 1: 5, 6: 6, default: 4}", "{default: 6}",
                              "{3: 0, 0: 3, 6: 5, default: 4}"],
           "priority-to-tc.3": ["4", "6", "3", "0", "5"], "priority-to-tc.0": ["4", "3", "5", "0"],
           "dscp-to-priority": ["{3: 3, 26: 0}", "{3: 0, 4: 6, 0: 3, 48: 3}", "{default: 3}"],
           "dscp-to-priority.26": ["3", "0", "6"], "trust": ["[]", "[dscp]", "[pcp, dscp]"],
           "port-priority": ["0", "3"], "ports": ["{swp1: {trust: []}}", "{swp3: {dscp-to-priority: {0: 6}}}", "{}"],
           "tc.3.fairness": ["tenant", "none"], "tc.4.fairness": ["tenant", "none"],
           "tc.4.max-rate": ["10G", "none"], "tc.3.scheduler": ["strict", "dwrr"]}


class Order(Case):
    def flows(self, ports=("swp1", "swp3")):
        """From each port a flow of each DSCP to swp2: {port: [(ns, frame)]}. The source port is the flow's."""
        return {port: sorted((100 + STEP * i + 6 * k, udp(*to("swp2"), size=300, dscp=dscp, ident=i,
                                                          sport=1000 * (1 + number) + dscp))
                             for k, dscp in enumerate(FLOWS) for i in range(PACKETS))
                for number, port in enumerate(ports)}

    def assert_in_order(self, packets, flows):
        idents = collections.defaultdict(list)
        for packet in packets:
            idents[packet.data[34:36]].append(ip_ident(packet.data))
        self.assertEqual(len(idents), flows)
        for flow, seen in idents.items():
            self.assertEqual(seen, list(range(PACKETS)), f"flow {int.from_bytes(flow, 'big')}")

    def test_random_changes(self):
        """12 flows of 100 packets in 4 us; 100G carries them away in about 31 us. 30 changes meanwhile."""
        ports = {"swp1": {"tenant": "red"}, "swp2": {}, "swp3": {}}
        for seed in range(40 if FULL else 12):
            with self.subTest(seed=seed):
                draw = random.Random(seed)
                events = []
                for at in sorted(draw.sample(range(200, 30000), 30)):
                    key = draw.choice(list(CHANGES))
                    events.append({"at": f"{at}ns", "set": f"switch.qos.{key}", "to": draw.choice(CHANGES[key])})
                description = switch(ports, "100G", events, qos={"tc": CLASSES})
                description["tenants"] = {"red": {"buffer": {"guaranteed": "20KB"}} if seed % 2 else {}}
                run = self.replay(description, self.flows())
                self.assert_in_order(run.sent["swp2"], 2 * len(FLOWS))
                self.assertEqual(run.drops, {})

    def test_moved_at_once(self):
        """100 packets wait in queue 3 when priority 3 is given to queue 6: they wait there, and leave by it. A packet
        of 300 B is 2 cells of 192 B."""
        events = hold("swp2", until="20us") + [
            {"at": "10us", "set": "switch.qos.priority-to-tc.3", "to": "6"}, {"at": "11us", "snapshot": "full"}]
        run = self.replay(switch(2, "100G", events), {"swp1": stream(PACKETS, dscp=3, first=100, step=40)})
        shown = run.snapshot(11000).counters
        queues, pools = shown["ports"]["swp2"]["queue"], shown["pools"]
        self.assertEqual((queues[3]["depth"], queues[3]["depth_max"]), (0, PACKETS * 384))
        self.assertEqual((queues[6]["depth"], queues[6]["depth_max"]), (PACKETS * 384, PACKETS * 384))
        self.assertEqual((pools["egress-lossless"]["used"], pools["egress-lossy"]["used"]), (0, PACKETS * 384))
        self.assertEqual(pools["egress-lossy"]["used_max"], PACKETS * 384)
        self.assertEqual(run.port("swp2").queues.packets, [0, 0, 0, 0, 0, 0, PACKETS, 0])

    def test_lossless_wait_is_not_left_behind(self):
        """Priority 3 is paused with 50 packets waiting. Given to queue 0, which it then holds, they and 50 more wait;
        the far side ends the pause and all leave in their order."""
        events = [{"at": "50ns", "port": "swp2", "pfc": {"priorities": [3], "quanta": 65535}},
                  {"at": "2us", "set": "switch.qos.priority-to-tc.3", "to": "0"},
                  {"at": "8us", "snapshot": "full"},
                  {"at": "9us", "port": "swp2", "pfc": {"priorities": [3], "quanta": 0}}]
        run = self.replay(switch(2, "100G", events), {"swp1": stream(PACKETS, dscp=3, first=100, step=40)})
        queues = run.snapshot(8000).counters["ports"]["swp2"]["queue"]
        self.assertEqual([one["depth"] for one in queues[:4]], [PACKETS * 384, 0, 0, 0])
        self.assertTrue(queues[0]["paused"])
        self.assertFalse(queues[3]["paused"])
        self.assertEqual([ip_ident(packet.data) for packet in run.sent["swp2"]], list(range(PACKETS)))
        self.assertEqual(starts(run.sent["swp2"], "100G")[0], 9000)


if __name__ == "__main__":
    unittest.main()
