# SPDX-License-Identifier: BSD-3-Clause
"""Credits of one switch: grants that come in as frames of MAC control, and the grants that it sends.

Packets of 300 B, 5 blocks of 64 B, come in by swp1 and leave by swp2, on lane 3. Both far ends are captures, so the switch
takes it that they grant what it grants itself, and no more until a frame says so. At 100G a byte takes 80 ps.
"""
import unittest

from common import *

SIZE, BLOCKS, ROOM = 300, 5, 24         # packets that the receive buffer holds


def frame(kind, word, more=b""):
    """A frame of credits: its kind, and what stands behind."""
    return bytes.fromhex("0180c2000001 0200000002 02 8808 fffe 020000".replace(" ", "")) + bytes([kind]) + \
        word.to_bytes(4, "big") + more.ljust(36, b"\0")


def grant(lane, limit, sent=0):
    return frame(1, (sent & 0xfff) << 16 | lane << 12 | limit & 0xfff)


def dut(flow_control="credit"):
    block = 64 if flow_control == "credit" else 128
    return switch(2, mtu=1400, buffer={"size": "1MB", "cell": block},
                  qos={"flow-control": flow_control, "credit": {"buffer": f"{ROOM * BLOCKS * 64}B", "resend": "1s"}})


class Credits(Case):
    def sent(self, inputs, *options, **keys):
        run = self.replay(dut(**keys), inputs, "--until", "1ms", *options)
        return run, [packet for packet in run.sent["swp2"] if bytes(packet)[12:14] == b"\x08\x00"]

    def test_without_a_grant_the_buffer_is_all(self):
        run, data = self.sent({"swp1": stream(40, 26, size=SIZE)})
        self.assertEqual(len(data), ROOM)
        self.assertEqual(run.drops, {})
        port = run.port("swp2")
        self.assertEqual(port.priority(3).credit_available, 0)
        # The next packet comes 24 us after the first and waits from then on.
        self.assertEqual(port.priority(3).credit_wait_ns, 1_000_000 - 25_000)

    def test_a_grant_lets_as_many_go(self):
        for packets in (1, 3):
            for blocks in (packets * BLOCKS, packets * BLOCKS + BLOCKS - 1):
                run, data = self.sent({"swp1": stream(40, 26, size=SIZE),
                                       "swp2": [(100_000, grant(3, ROOM * BLOCKS + blocks))]})
                self.assertEqual(len(data), ROOM + packets)
                self.assertEqual([packet.ns for packet in data[ROOM:]],
                                 [100_000 + ((SIZE + 12) * 80 + i * (SIZE + 24) * 80) // 1000 for i in range(packets)])
                self.assertEqual(run.port("swp2").priority(3).credit_rx, 1)

    def test_a_grant_for_another_lane_does_not_help(self):
        _, data = self.sent({"swp1": stream(40, 26, size=SIZE), "swp2": [(100_000, grant(0, ROOM * BLOCKS + 100))]})
        self.assertEqual(len(data), ROOM)

    def test_what_left_is_granted_again(self):
        """A grant for each packet, as it begins to leave: the total that came and the room that is there."""
        run, _ = self.sent({"swp1": stream(3, 26, size=SIZE)})
        got = [(packet.ns, bytes(packet)[14:24]) for packet in run.sent["swp1"]]
        self.assertEqual(got, [(1000 * (i + 1), grant(3, ROOM * BLOCKS + BLOCKS * (i + 1))[14:24]) for i in range(3)])
        self.assertEqual(run.port("swp1").tx_bytes, 3 * 8)

    def test_an_answer_has_two_lanes(self):
        """An ICMP error about a packet of lane 3 has DSCP 48, so it needs credit of lane 6 where it leaves; what waits is
        charged to the receive buffer of lane 3, by which the packet came. An error of 590 B takes 10 blocks."""
        questions = [(10_000 * (i + 1), udp("198.18.1.9", "198.18.2.9", dscp=26, ttl=1, size=1000)) for i in range(15)]
        run = self.replay(dut(), {"swp1": questions}, "--until", "1ms")
        sent = [packet for packet in run.sent["swp1"] if bytes(packet)[12:14] == b"\x08\x00"]
        self.assertEqual([packet.length for packet in sent], [590] * (ROOM * BLOCKS // 10))
        port, waiting = run.port("swp1"), 3 * 10 * 64
        self.assertEqual([port.priority(lane).credit_available for lane in (0, 3, 6)], [ROOM * BLOCKS * 64] * 2 + [0])
        self.assertEqual([port.queue(lane).depth for lane in (0, 3, 6)], [0, 0, waiting])
        self.assertEqual([port.group(lane).used for lane in (0, 3, 6)], [0, waiting, 0])
        self.assertEqual([port.priority(lane).credit_wait_ns for lane in (0, 3)], [0, 0])
        self.assertEqual(port.priority(6).credit_wait_ns, 1_000_000 - 130_000 - 1)   # from the 13th question on

    def test_frames_that_contradict_themselves(self):
        wrong = {"credit": [frame(0, 0), frame(9, 0), frame(1, 2 << 28), frame(1, 8 << 12), frame(1, 15 << 12), frame(2, 0),
                            frame(3, 0), frame(1, 0)[:16] + b"\x02\x00\x01" + frame(1, 0)[19:], frame(1, 0)[:20]],
                 "cbfc": [frame(1, 0), frame(2, 8 << 24), frame(2, 1 << 20), frame(3, 1 << 20), frame(3, 0)[:40]]}
        for flow_control, frames in wrong.items():
            run = self.replay(dut(flow_control), {"swp1": [(1000 * (i + 1), one) for i, one in enumerate(frames)]})
            self.assertEqual(run.drops, {"bad-credit": len(frames)}, flow_control)
            run.assert_conserved()

    def test_without_credits_they_end_as_other_control_frames_do(self):
        run = self.replay(switch(2), {"swp1": [(1000, grant(3, 100))]})
        self.assertEqual(run.drops, {"reserved-address": 1})


if __name__ == "__main__":
    unittest.main()
