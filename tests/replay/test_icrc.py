# SPDX-License-Identifier: BSD-3-Clause
"""What a router rewrites, TTL, hop limit, DSCP, ECN, MACs, lies outside the ICRC of RoCEv2.

scapy makes hundreds of packets a second and gets the ICRC over IPv6 wrong, so roost.frames makes them; here
its arithmetic is checked bit by bit, and against scapy over IPv4.
"""
import random
import unittest

from common import *

COUNT = 10000
SEND_ONLY = 0x04


def bitwise_icrc(packet):
    """The ICRC by its definition, IBTA annex A17.3: CRC-32 of 802.3, bit by bit, over 8 bytes of ones and
    the packet with what may change taken as ones."""
    data = bytearray(packet[:-4])
    masked = [1, 8, 10, 11, 26, 27, 32] if packet[0] >> 4 == 4 else [1, 2, 3, 7, 46, 47, 52]
    for at in masked:
        data[at] = 0xFF
    if packet[0] >> 4 == 6:
        data[0] |= 0x0F
    crc = 0xFFFFFFFF
    for byte in b"\xff" * 8 + bytes(data):
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def make(count, seed, sizes, opcodes=(WRITE_ONLY, SEND_ONLY, SEND_ONLY, ACKNOWLEDGE, CNP)):
    """RoCEv2 frames to swp2, half of them IPv6; any TTL and ECN, DSCP 3 or 0."""
    draw = random.Random(seed)
    frames = []
    for i in range(count):
        opcode = draw.choice(opcodes)
        payload = draw.randbytes(draw.choice(sizes)) if opcode in (WRITE_ONLY, SEND_ONLY) else b""
        addresses = (to, to6)[i % 2]("swp2", draw.randrange(1, 250))
        frames.append(roce(*addresses, payload, opcode, qp=draw.randrange(1 << 24), psn=i, ident=i % 65536,
                           sport=draw.randrange(49152, 65536), ttl=draw.randrange(2, 256),
                           dscp=draw.choice((0, 3)), ecn=draw.randrange(4),
                           **({"vlan": draw.randrange(1, 4095)} if draw.random() < 0.1 else {})))
    return frames


class Icrc(Case):
    def test_helper(self):
        """What this file trusts: frames.icrc() agrees with the definition, bit by bit, and notices every
        flipped byte that a router may not touch."""
        for frame in make(40, 1, (0, 1, 2, 3, 17, 256)):
            packet = frame[layer3(frame):]
            end = struct.unpack_from(">H", packet, 4)[0] + 40 if packet[0] >> 4 == 6 else \
                struct.unpack_from(">H", packet, 2)[0]
            packet = packet[:end]
            self.assertEqual(packet[-4:], bitwise_icrc(packet))
            self.assertTrue(icrc_valid(frame))
        frame = roce(*to("swp2"), b"payload!")
        for at in range(34, len(frame)):
            if at not in (40, 41, 46):      # UDP checksum, FECN and BECN
                self.assertFalse(icrc_valid(frame[:at] + bytes([frame[at] ^ 0x10]) + frame[at + 1:]), at)

    def test_scapy_agrees(self):
        """Over IPv4: scapy's contrib.roce on what leaves."""
        from scapy.contrib.roce import BTH
        from scapy.layers.l2 import Ether
        frames = [frame for frame in make(60, 2, (0, 5, 64)) if frame[12:14] == b"\x08\x00"]
        run = self.replay(switch(), {"swp1": [(i * 1000, frame) for i, frame in enumerate(frames)]})
        self.assertEqual(len(run.sent["swp2"]), len(frames))
        for packet in run.sent["swp2"]:
            end = 14 + struct.unpack_from(">H", packet.data, 16)[0]
            parsed = Ether(packet.data[:end])
            self.assertEqual(parsed[BTH].compute_icrc(None), packet.data[end - 4:end])

    NEW = {3: 26, 0: 11}    # DSCP on the way out, by priority: DSCP 3 is of priority 3, DSCP 0 of 0

    def test_ten_thousand(self):
        """All 10,000 wait in swp2, then leave with another DSCP; whatever is ECT and has more than 50 KB behind it
        is marked. Order within a queue is kept, so each is compared with what came in."""
        for seed, cell, rate in ((3, 192, "100G"), (5, 128, "400G")):
            with self.subTest(cell=cell, rate=rate):
                self.rewrite_all(make(COUNT, seed, (0, 1, 3, 64, 255, 1024, 4096)), cell, rate)

    def rewrite_all(self, frames, cell, rate):
        step = {"ecn": {"min": "50KB", "max": "50KB"}}
        description = switch(rate=rate, buffer={"cell": cell}, events=hold("swp2", until=f"{COUNT}us"),
                             qos={"tc": {3: step, 0: step}, "remark": {"dscp": self.NEW}})
        run = self.replay(description, {"swp1": [((i + 1) * 1000, frame) for i, frame in enumerate(frames)]})
        run.assert_conserved()
        self.assertEqual((run.drops, len(run.sent["swp2"])), ({}, COUNT))
        waiting = {3: [], 0: []}
        for frame in reversed(frames):
            waiting[dscp_of(frame)].append(frame)
        marked = 0
        for packet in run.sent["swp2"]:
            old = next(old for old, new in self.NEW.items() if new == dscp_of(packet.data))
            before, after = waiting[old].pop(), packet.data
            self.assertTrue(icrc_valid(after))
            marked += self.rewritten(before, after)
        self.assertEqual(marked, sum(queue["ecn_marked"] for queue in run.port("swp2").counters["queue"]))
        self.assertGreater(marked, COUNT // 4)

    def rewritten(self, before, after):
        """True when CE was set; fails when anything else changed but TTL, DSCP, checksum and MACs."""
        marked = ecn_of(before) != ecn_of(after)
        if marked:
            self.assertIn(ecn_of(before), (1, 2))
        self.assertEqual(after.hex(), routed(before, self.NEW[dscp_of(before)], 3 if marked else None).hex())
        at = layer3(before)
        self.assertEqual(after[at + (46 if before[at] >> 4 == 6 else 26):][:2], b"\0\0")     # UDP checksum 0 stays 0
        return marked

    def test_dissects(self):
        """Wireshark reads them: opcode, queue pair, PSN, nothing malformed. (What a SEND carries it takes for
        NFS over RDMA.)"""
        frames = make(300, 4, (0, 3, 64, 1000), (WRITE_ONLY, ACKNOWLEDGE, CNP))
        run = self.replay(switch(), {"swp1": [(i * 1000, frame) for i, frame in enumerate(frames)]})
        capture = run.directory / "swp2.pcapng"
        self.assert_dissects(capture)
        fields = tshark(capture, "infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn")
        expected = []
        for frame in frames:
            bth = frame[layer3(frame) + (48 if frame[layer3(frame)] >> 4 == 6 else 28):]
            expected.append((bth[0], int.from_bytes(bth[5:8], "big"), int.from_bytes(bth[9:12], "big")))
        self.assertEqual([(int(opcode), int(qp, 16), int(psn)) for opcode, qp, psn in fields], expected)
        self.assertEqual({opcode for opcode, _, _ in expected}, {WRITE_ONLY, ACKNOWLEDGE, CNP})


if __name__ == "__main__":
    unittest.main()
