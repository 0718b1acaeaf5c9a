# SPDX-License-Identifier: BSD-3-Clause
"""Remarking on the way out: DSCP and PCP by the packet's priority, and what each port maps and remarks of its own.

ECN bits stay, the IPv4 checksum holds, the ICRC of RoCEv2 does not cover what is changed, and a PCP is written
only where there is a tag.
"""
import unittest

from common import *

SAME = {i: i for i in range(8)}
NUMBERS = [(192, "100G"), (1, "25G"), (128, "400G"), (192, "800G")]


def tos(frame):
    return dscp_of(frame), ecn_of(frame)


def tag(frame):
    """(PCP, rest of the tag), or None."""
    if frame[12:14] != b"\x81\x00":
        return None
    value, = struct.unpack_from(">H", frame, 14)
    return value >> 13, value & 0x1FFF


class Remark(Case):
    def sent(self, description, frames, port="swp2"):
        """What leaves, in the order that the frames came: 1 us apart, so none waits."""
        run = self.replay(description, {"swp1": [(1000 * (i + 1), frame) for i, frame in enumerate(frames)]})
        run.assert_conserved()
        self.assertEqual((run.drops, len(run.sent[port])), ({}, len(frames)))
        return [packet.data for packet in run.sent[port]]

    def only(self, before, after, dscp, pcp=None):
        """Nothing has changed but MACs, TTL, DSCP, PCP and the checksum, which is right."""
        self.assertEqual(after.hex(), routed(before, dscp, pcp=pcp).hex())

    def test_each_dscp(self):
        """Priority is DSCP / 8; priorities 3, 0 and 7 get DSCP 26, 0 and 63, the others keep theirs, whatever the ECN
        bits are; IPv4 and IPv6, plain and RoCEv2."""
        new = {3: 26, 0: 0, 7: 63}
        qos = {"dscp-to-priority": {3: 0, 4: 0, 26: 3, 48: 6}, "priority-to-tc": SAME, "remark": {"dscp": new}}
        for cell, rate in NUMBERS:
            for make, addresses in ((udp, to), (udp, to6), (roce, to), (roce, to6)):
                with self.subTest(rate=rate, make=make.__name__, addresses=addresses.__name__):
                    frames = [make(*addresses("swp2"), dscp=i, ecn=i % 4, ident=i) for i in range(64)]
                    for i, (before, after) in enumerate(zip(frames, self.sent(
                            switch(rate=rate, buffer={"cell": cell}, qos=qos), frames))):
                        self.only(before, after, new.get(i // 8, i))
                        self.assertEqual(tos(after), (new.get(i // 8, i), i % 4))
                        if make is roce:
                            self.assertTrue(icrc_valid(after))

    def test_pcp(self):
        """Trusted: PCP, priority = PCP. 3 -> 5 and 6 -> 0 in the tag, VLAN and DEI as they were; untagged frames
        (priority 0, which would be 7) get no tag."""
        new = {3: 5, 6: 0, 0: 7}
        qos = {"trust": ["pcp"], "pcp-to-priority": {3: 3}, "priority-to-tc": SAME, "remark": {"pcp": new}}
        for cell, rate in NUMBERS[:2]:
            frames = [udp(*addresses("swp2"), vlan=100 + pcp, pcp=pcp, dscp=9 + pcp) for pcp in range(8)
                      for addresses in (to, to6)]
            frames = [frame[:14] + bytes([frame[14] | (i % 3 == 0) << 4]) + frame[15:]   # DEI of each third
                      for i, frame in enumerate(frames)]
            plain = [udp(*to("swp2"), dscp=30), udp(*to6("swp2"), dscp=31)]
            sent = self.sent(switch(rate=rate, buffer={"cell": cell}, qos=qos), frames + plain)
            for i, (before, after) in enumerate(zip(frames, sent)):
                self.only(before, after, 9 + i // 2, new.get(i // 2, i // 2))
                self.assertEqual(tag(after), (new.get(i // 2, i // 2), 100 + i // 2 | (i % 3 == 0) << 12))
            for before, after in zip(plain, sent[-2:]):
                self.only(before, after, tos(before)[0])

    def test_both_with_ecn(self):
        """DSCP and PCP in one frame, and CE set on the way out: all three stand, and the checksum. The packet keeps
        its queue: remarking is no classification."""
        qos = {"remark": {"dscp": {3: 63}, "pcp": {3: 1}}, "tc": {3: {"ecn": {"min": "1KB", "max": "1KB"}}}}
        for cell, rate in NUMBERS:
            frames = [udp(*addresses("swp2"), dscp=3, ecn=2, vlan=7, pcp=4)
                      for _ in range(10) for addresses in (to, to6)]
            run = self.replay(switch(rate=rate, buffer={"cell": cell}, qos=qos, events=hold("swp2", until="50us")),
                              {"swp1": [(1000 * (i + 1), frame) for i, frame in enumerate(frames)]})
            run.assert_conserved()
            marks = [tos(packet.data) for packet in run.sent["swp2"]]
            behind = 3 if cell == 1 else 2      # more than 1000 B: 4 x 300; 5 cells of 192, 7 of 128: 3 packets
            marked = 20 - 1 - behind
            self.assertEqual(marks, [(63, 3)] * marked + [(63, 2)] * (20 - marked))
            self.assertEqual({tag(packet.data) for packet in run.sent["swp2"]}, {(1, 7)})
            self.assertEqual(run.port("swp2").queue(3).packets, 20)
            for packet in run.sent["swp2"]:
                if packet.data[18] >> 4 == 4:
                    self.assertEqual(checksum(packet.data[18:38]), 0)

    def test_none(self):
        """Without `remark` (every preset) DSCP and PCP pass as they are."""
        for preset in ("sonic", "spectrum-x", "lossy"):
            frames = [udp(*to("swp2"), dscp=i, ecn=i % 4, vlan=9, pcp=i % 8) for i in range(64)]
            for before, after in zip(frames, self.sent(switch(preset=preset), frames)):
                self.assertEqual((tos(after), tag(after)), (tos(before), tag(before)))

    def test_live(self):
        """Set while packets pass: those that leave later carry the new value, and none is lost."""
        events = [{"at": "50500ns", "set": "switch.qos.remark", "to": "{dscp: {3: 26}}"},
                  {"at": "80500ns", "set": "switch.qos.remark.dscp", "to": "none"}]
        run = self.replay(switch(events=events),
                          {"swp1": [(1000 * (i + 1), udp(*to("swp2"), dscp=3)) for i in range(100)]})
        run.assert_conserved()
        self.assertEqual([dscp_of(packet.data) for packet in run.sent["swp2"]], [3] * 50 + [26] * 30 + [3] * 20)


class Ports(Case):
    """What `qos.ports` says of one port goes before what `qos` says of all."""

    def queues(self, description, frames):
        """Bytes in swp3's queues by the port that the packets came by."""
        seen = {}
        for port in ("swp1", "swp2"):
            run = self.replay(description, {port: [(1000 * (i + 1), frame) for i, frame in enumerate(frames)]})
            run.assert_conserved()
            self.assertEqual(run.drops, {})
            seen[port] = run.port("swp3").queues.packets
        return seen

    def test_dscp_map(self):
        """swp1's own map: 26 -> 5 and 10 -> 2, the others DSCP / 8: what the switch's map lists does not hold there."""
        for cell, rate in NUMBERS[:3]:
            qos = {"dscp-to-priority": {3: 3, 4: 4, 26: 3, 48: 6, 10: 7}, "priority-to-tc": SAME,
                   "ports": {"swp1": {"dscp-to-priority": {26: 5, 10: 2}}}}
            seen = self.queues(switch(3, rate, buffer={"cell": cell}, qos=qos),
                               [udp(*to("swp3"), dscp=i) for i in range(64)])
            expected = [8] * 8
            expected[3] -= 1    # 26 is 5, 10 (of 1) is 2
            expected[5] += 1
            expected[1] -= 1
            expected[2] += 1
            self.assertEqual(seen["swp1"], expected)
            other = [8] * 8     # 3 and 4 out of 0; 10 out of 1 is 7; 26 and 48 are where DSCP / 8 has them
            other[0] -= 2
            other[3] += 1
            other[4] += 1
            other[1] -= 1
            other[7] += 1
            self.assertEqual(seen["swp2"], other)

    def test_trust_and_priority(self):
        """swp1 trusts nothing and is of priority 5; swp2 trusts DSCP, as the switch says."""
        qos = {"priority-to-tc": SAME, "ports": {"swp1": {"trust": [], "port-priority": 5}}}
        seen = self.queues(switch(3, qos=qos), [udp(*to("swp3"), dscp=8 * i) for i in range(8)])
        self.assertEqual(seen, {"swp1": [0, 0, 0, 0, 0, 8, 0, 0], "swp2": [1] * 8})

    def test_pcp_map(self):
        """Both trust PCP; swp1 maps 1 -> 6, the others as they are; swp2 has the switch's 3 -> 3, 1 -> 0."""
        qos = {"trust": ["pcp"], "pcp-to-priority": {1: 0}, "priority-to-tc": SAME,
               "ports": {"swp1": {"pcp-to-priority": {1: 6}}}}
        seen = self.queues(switch(3, qos=qos), [udp(*to("swp3"), vlan=2, pcp=i) for i in range(8)])
        self.assertEqual(seen, {"swp1": [1, 0, 1, 1, 1, 1, 2, 1], "swp2": [2, 0, 1, 1, 1, 1, 1, 1]})

    def test_remark(self):
        """swp3 remarks 3 -> 26, the others 3 -> 11."""
        qos = {"remark": {"dscp": {3: 11}}, "ports": {"swp3": {"remark": {"dscp": {3: 26}}}}}
        run = self.replay(switch(3, qos=qos),
                          {"swp1": [(1000, udp(*to("swp2"), dscp=3)), (2000, udp(*to("swp3"), dscp=3))]})
        run.assert_conserved()
        for port, expected in (("swp2", 11), ("swp3", 26)):
            self.assertEqual([dscp_of(packet.data) for packet in run.sent[port]], [expected])

    def test_unknown_port(self):
        path = self.file(switch(2, qos={"ports": {"swp7": {"port-priority": 1}}}))
        done = roost("check", path, status=None)
        self.assertRegex(done.err, r"swp7")


if __name__ == "__main__":
    unittest.main()
