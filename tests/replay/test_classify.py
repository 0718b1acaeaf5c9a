# SPDX-License-Identifier: BSD-3-Clause
"""Which priority, priority group and queue a packet gets, and what routing leaves of it.

64 packets, one for each DSCP, 1 us apart: none ever waits, so they leave in the order they came.
"""
import itertools
import unittest

from common import *

RUNS = [(1, "25G"), (192, "100G"), (128, "400G"), (192, "800G")]
SAME = {i: i for i in range(8)}


class Classify(Case):
    def each_dscp(self, description, addresses=to("swp2"), **options):
        frames = [udp(*addresses, dscp=i, ecn=i % 4, ident=i, **options) for i in range(64)]
        run = self.replay(description, {"swp1": [(i * 1000, frame) for i, frame in enumerate(frames)]})
        run.assert_conserved()
        self.assertEqual(len(run.sent["swp2"]), 64)
        return run, frames

    def counts(self, run, queues, groups):
        self.assertEqual(run.port("swp2").queues.packets, queues)
        self.assertEqual(run.port("swp2").queues.bytes, [300 * n for n in queues])
        self.assertEqual(run.port("swp1").groups.packets, groups)
        self.assertEqual(run.port("swp1").groups.bytes, [300 * n for n in groups])

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
            self.assertEqual(packet.data[15], i << 2 | i % 4)
            self.assertEqual((frame[22], packet.data[22]), (64, 63))
            self.assertTrue(header_valid(packet.data), f"DSCP {i}")
            self.assertEqual(packet.data.hex(), routed(frame).hex())

    def test_spectrum_x(self):
        """Priority is DSCP / 8. 3 -> TC3, 6 -> TC6, the other six -> TC0: 8, 8, 48. Group 3 is priority
        3's alone: 8 and 56."""
        for cell, rate in RUNS:
            with self.subTest(cell=cell, rate=rate):
                run, _ = self.each_dscp(switch(preset="spectrum-x", rate=rate, buffer={"cell": cell}))
                self.counts(run, [48, 0, 0, 8, 0, 0, 8, 0], [56, 0, 0, 8, 0, 0, 0, 0])

    def test_spectrum_x_strict(self):
        """All 64 wait until swp2 may send, then TC6 (DSCP 48..55), which is strict, goes before all others."""
        for cell, rate in RUNS:
            with self.subTest(cell=cell, rate=rate):
                description = switch(preset="spectrum-x", rate=rate, buffer={"cell": cell},
                                     events=hold("swp2", until="100us"))
                run, _ = self.each_dscp(description)
                order = [dscp_of(packet.data) for packet in run.sent["swp2"]]
                self.assertEqual(order[:8], list(range(48, 56)))
                self.assertEqual(sorted(order), list(range(64)))
                for low, high in ((24, 32), (0, 24), (32, 48), (56, 64)):   # within a queue: as they came
                    self.assertEqual([d for d in order if low <= d < high], list(range(low, high)))

    def test_lossy(self):
        """The same maps as spectrum-x, without a lossless group: nobody is ever paused."""
        for cell, rate in RUNS:
            run, _ = self.each_dscp(switch(preset="lossy", rate=rate, buffer={"cell": cell}))
            self.counts(run, [48, 0, 0, 8, 0, 0, 8, 0], [56, 0, 0, 8, 0, 0, 0, 0])

    def queues(self, description, frames):
        """Bytes in each queue of swp2; frames 1 us apart."""
        run = self.replay(description, {"swp1": [(1000 * (i + 1), frame) for i, frame in enumerate(frames)]})
        run.assert_conserved()
        self.assertEqual(run.drops, {})
        return run.port("swp2").queues.bytes

    def expect(self, **sizes):
        """Bytes by queue: q3=300."""
        return [sizes.get(f"q{i}", 0) for i in range(8)]

    def test_trust(self):
        """What is trusted, in its order, decides by the first that the packet carries: every IP packet has a
        DSCP, only a tagged one a PCP; with neither it is the port's priority. A tagged packet of 300 B with
        PCP p and DSCP d, an untagged one of 200 B with DSCP d. First set of maps: PCP 5 -> 2, DSCP 26 -> 3,
        port 7; second: PCP 1 -> 6, DSCP 63 -> 4, port 1."""
        for pcp, of_pcp, dscp, of_dscp, of_port, cell, rate in ((5, 2, 26, 3, 7, 192, "100G"),
                                                                (1, 6, 63, 4, 1, 128, "400G")):
            maps = {"dscp-to-priority": {dscp: of_dscp}, "pcp-to-priority": {pcp: of_pcp}, "port-priority": of_port,
                    "priority-to-tc": SAME}
            cases = [(["dscp", "pcp"], of_dscp, of_dscp), (["pcp", "dscp"], of_pcp, of_dscp),
                     (["dscp"], of_dscp, of_dscp), (["pcp"], of_pcp, of_port), ([], of_port, of_port)]
            for trust, tagged, untagged in cases:
                for addresses in (to("swp2"), to6("swp2")):
                    with self.subTest(trust=trust, addresses=addresses, rate=rate):
                        expected = [0] * 8
                        expected[tagged] += 300
                        expected[untagged] += 200
                        description = switch(rate=rate, buffer={"cell": cell}, qos=maps | {"trust": trust})
                        self.assertEqual(self.queues(description, [
                            udp(*addresses, dscp=dscp, vlan=100, pcp=pcp),
                            udp(*addresses, dscp=dscp, size=200)]), expected)

    def test_each_pcp(self):
        """Unlisted: PCP itself, or what `default` says; 3 -> 3 stands in the default map already, and maps merge.
        VLAN 0 (a priority tag) carries a PCP like any other."""
        frames = [udp(*to("swp2"), vlan=7 * (pcp % 2), pcp=pcp) for pcp in range(8)]
        for (pcps, expected), (cell, rate) in itertools.product(
                (({3: 5}, [1, 1, 1, 0, 1, 2, 1, 1]), ({0: 1, 1: 0}, [1] * 8),
                 ({5: 4, 6: 4, "default": 2}, [0, 0, 5, 1, 2, 0, 0, 0])), RUNS):
            with self.subTest(pcps=pcps, cell=cell, rate=rate):
                qos = {"trust": ["pcp"], "pcp-to-priority": pcps, "priority-to-tc": SAME}
                self.assertEqual(self.queues(switch(rate=rate, buffer={"cell": cell}, qos=qos), frames),
                                 [300 * count for count in expected])

    def test_two_tags(self):
        """The outer tag's PCP counts, of both types that it can have; both tags stay, and the packet inside is routed."""
        for outer, inner in itertools.product((0x8100, 0x88A8), (0x8100, 0x88A8)):
            frames = [stack_tag(stack_tag(udp(*addresses, dscp=dscp), 7, 7 - pcp, inner), 100, pcp, outer)
                      for addresses in (to("swp2"), to6("swp2")) for pcp in range(8) for dscp in (0, 26)]
            with self.subTest(outer=outer, inner=inner):
                qos = {"trust": ["pcp", "dscp"], "pcp-to-priority": {3: 3, "default": 0}, "priority-to-tc": SAME}
                run = self.replay(switch(qos=qos, buffer={"cell": 192}),
                                  {"swp1": [(1000 * (i + 1), frame) for i, frame in enumerate(frames)]})
                run.assert_conserved()
                self.assertEqual(run.drops, {})
                self.assertEqual([packet.data for packet in run.sent["swp2"]], [routed(frame) for frame in frames])
                self.assertEqual([run.port("swp2").counters["queue"][tc]["packets"] for tc in (0, 3)], [28, 4])
        three = stack_tag(stack_tag(udp(*to("swp2"), vlan=1), 2), 3)
        self.assertEqual(self.replay(switch(), {"swp1": [(1000, three)]}).drops, {"not-ip": 1})

    def test_presets_and_tags(self):
        """spectrum-x trusts DSCP, then PCP: an IP packet's tag does not matter. sonic trusts DSCP alone."""
        frames = [udp(*to("swp2"), vlan=7, pcp=3, dscp=0), udp(*to("swp2"), vlan=7, pcp=0, dscp=26, size=200)]
        for cell, rate in RUNS:
            common = {"rate": rate, "buffer": {"cell": cell}}
            self.assertEqual(self.queues(switch(preset="spectrum-x", **common), frames), self.expect(q0=300, q3=200))
            # AZURE: DSCP 0 and 26 are both "everything else": 1.
            self.assertEqual(self.queues(switch(preset="sonic", **common), frames), self.expect(q1=500))

    def test_not_ip(self):
        """A router has no use for what is not IP: whatever is trusted, tagged or not, it is a named drop and
        counts for no group or queue; the good packet beside it goes its way."""
        arp = bytes(46)
        for trust, (cell, rate) in itertools.product((["dscp", "pcp"], ["pcp"], []), RUNS):
            frames = [ethernet(arp, 0x0806), ethernet(arp, 0x0806, vlan=100, pcp=5), ethernet(arp, 0x88CC, vlan=1)]
            run = self.replay(switch(rate=rate, buffer={"cell": cell}, qos={"trust": trust}),
                              {"swp1": [(1000 * (i + 1), frame) for i, frame in
                                        enumerate(frames + [udp(*to("swp2"))])]})
            run.assert_conserved()
            self.assertEqual(run.drops, {"not-ip": 3})
            self.assertEqual([packet.data for packet in run.dropped], frames)
            self.assertEqual(sum(group["packets"] for group in run.port("swp1").counters["pg"]), 1)
            self.assertEqual(sum(queue["packets"] for queue in run.port("swp2").counters["queue"]), 1)


if __name__ == "__main__":
    unittest.main()
