# SPDX-License-Identifier: BSD-3-Clause
"""Which priority, priority group and queue a packet gets, and what routing leaves of it.

64 packets, one for each DSCP, 1 us apart: none ever waits, so they leave in the order they came.
"""
import unittest

from common import *

RUNS = [(cell, rate) for cell in (1, 192) for rate in ("25G", "100G")]


class Classify(Case):
    def each_dscp(self, description, addresses=to("swp2"), **options):
        frames = [udp(*addresses, dscp=i, ecn=i % 4, ident=i, **options) for i in range(64)]
        run = self.replay(description, {"swp1": [(i * 1000, frame) for i, frame in enumerate(frames)]})
        run.assert_conserved()
        self.assertEqual(len(run.sent["swp2"]), 64)
        return run, frames

    def counts(self, run, queues, groups):
        self.assertEqual([queue["packets"] for queue in run.port("swp2")["queue"]], queues)
        self.assertEqual([queue["bytes"] for queue in run.port("swp2")["queue"]], [300 * n for n in queues])
        self.assertEqual([group["packets"] for group in run.port("swp1")["pg"]], groups)
        self.assertEqual([group["bytes"] for group in run.port("swp1")["pg"]], [300 * n for n in groups])

    def test_sonic(self):
        """DSCP_TO_TC_MAP AZURE: 8 -> 0, 5 -> 2, 3, 4, 46 -> 5, 48 -> 6, all 58 others -> 1; queues are
        priorities. Groups: 3, 4 and 7 their own, all others 0: 64 - 2 = 62."""
        for cell, rate in RUNS:
            with self.subTest(cell=cell, rate=rate):
                description = switch(preset="sonic", rate=rate, buffer={"cell": cell})
                run, frames = self.each_dscp(description)
                self.counts(run, [1, 58, 1, 1, 1, 1, 1, 0], [62, 0, 0, 1, 1, 0, 0, 0])
                self.rewritten(run, frames, rate)
        run, frames = self.each_dscp(switch(preset="sonic"), to6("swp2"))
        self.counts(run, [1, 58, 1, 1, 1, 1, 1, 0], [62, 0, 0, 1, 1, 0, 0, 0])

    def rewritten(self, run, frames, rate):
        """New MACs, TTL one less, a checksum that holds; everything else as it was."""
        for i, (packet, frame) in enumerate(zip(run.sent["swp2"], frames)):
            self.assertEqual(packet.ns, i * 1000 + frame_ps(300, rate) // 1000)
            self.assertEqual(packet.data[:14], mac(next_hop_mac("swp2")) + mac(SWITCH_MAC) + b"\x08\x00")
            self.assertEqual(packet.data[15], i << 2 | i % 4)
            self.assertEqual((frame[22], packet.data[22]), (64, 63))
            self.assertTrue(header_valid(packet.data), f"DSCP {i}")
            self.assertEqual(packet.data[14:22], frame[14:22])
            self.assertEqual(packet.data[26:], frame[26:])

    def test_spectrum_x(self):
        """Priority is DSCP / 8. 3 -> TC3, 6 -> TC6, the other six -> TC0: 8, 8, 48. Group 3 is priority
        3's alone: 8 and 56."""
        for cell, rate in RUNS:
            with self.subTest(cell=cell, rate=rate):
                run, _ = self.each_dscp(switch(preset="spectrum-x", rate=rate, buffer={"cell": cell}))
                self.counts(run, [48, 0, 0, 8, 0, 0, 8, 0], [56, 0, 0, 8, 0, 0, 0, 0])

    def test_spectrum_x_strict(self):
        """All 64 wait until swp2 may send, then TC6 (DSCP 48..55), which is strict, goes before all others."""
        description = switch(preset="spectrum-x", events=[{"at": "0ns", "port": "swp2", "tx": "off"},
                                                          {"at": "100us", "port": "swp2", "tx": "on"}])
        run, _ = self.each_dscp(description)
        order = [dscp_of(packet.data) for packet in run.sent["swp2"]]
        self.assertEqual(order[:8], list(range(48, 56)))
        self.assertEqual(sorted(order), list(range(64)))
        for low, high in ((24, 32), (0, 24), (32, 48), (56, 64)):   # within a queue: as they came
            self.assertEqual([d for d in order if low <= d < high], list(range(low, high)))

    def test_lossy(self):
        """The same maps as spectrum-x, without a lossless group: nobody is ever paused."""
        run, _ = self.each_dscp(switch(preset="lossy"))
        self.counts(run, [48, 0, 0, 8, 0, 0, 8, 0], [56, 0, 0, 8, 0, 0, 0, 0])

    def test_trust(self):
        """A frame tagged PCP 5 with DSCP 26, an untagged one with DSCP 26; maps: PCP 5 -> 2, DSCP 26 -> 3,
        port 7. The first of what is trusted that the packet carries decides."""
        maps = {"dscp-to-priority": {26: 3}, "pcp-to-priority": {5: 2}, "port-priority": 7,
                "priority-to-tc": {i: i for i in range(8)}}
        cases = [(["dscp", "pcp"], 3, 3), (["pcp", "dscp"], 2, 3), (["dscp"], 3, 3), (["pcp"], 2, 7),
                 ([], 7, 7)]
        for trust, tagged, untagged in cases:
            for addresses in (to("swp2"), to6("swp2")):
                with self.subTest(trust=trust, addresses=addresses):
                    run = self.replay(switch(qos=maps | {"trust": trust}),
                                      {"swp1": [(1000, udp(*addresses, dscp=26, vlan=100, pcp=5)),
                                                (2000, udp(*addresses, dscp=26, size=200))]})
                    run.assert_conserved()
                    sizes = [queue["bytes"] for queue in run.port("swp2")["queue"]]
                    expected = [0] * 8
                    expected[tagged] += 300
                    expected[untagged] += 200
                    self.assertEqual(sizes, expected)

    def test_each_pcp(self):
        """Unlisted: PCP itself."""
        qos = {"trust": ["pcp"], "pcp-to-priority": {3: 5}, "priority-to-tc": {i: i for i in range(8)}}
        run = self.replay(switch(qos=qos),
                          {"swp1": [(i * 1000, udp(*to("swp2"), vlan=7, pcp=i)) for i in range(8)]})
        self.assertEqual([queue["packets"] for queue in run.port("swp2")["queue"]], [1, 1, 1, 0, 1, 2, 1, 1])


if __name__ == "__main__":
    unittest.main()
