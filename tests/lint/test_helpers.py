# SPDX-License-Identifier: BSD-3-Clause
"""What the tests build on, against scapy and Wireshark."""
import random
import struct

import scapy.contrib.mac_control  # noqa: F401
from scapy.contrib.roce import BTH
from scapy.all import IP, UDP, Dot1Q, Ether, IPv6, PcapNgWriter, rdpcap

from roost import frames
from support import Case, Packet, drops, assert_switch_conserved, malformed, pfc, read_pcapng, roce, \
    to_yaml, tshark, udp, write_pcap

V4, V6 = ("198.18.1.9", "198.18.2.9"), ("2001:db8:1::9", "2001:db8:2::9")


def samples():
    return [udp(*V4, dscp=26, ecn=1, ttl=7), udp(*V6, dscp=63, ecn=3), udp(*V4, size=20), udp(*V4, vlan=5, pcp=3),
            pfc({3: 65535, 4: 0}), roce(*V4, b"abcdef"), roce(*V6, b"abc", vlan=1), roce(*V4, opcode=frames.CNP),
            roce(*V4, opcode=frames.ACKNOWLEDGE, dscp=26)]


class Frames(Case):
    def test_udp(self):
        packet = Ether(udp(*V4, size=300, dscp=26, ecn=1, ttl=7, vlan=5, pcp=3))
        self.assertEqual(len(packet), 300)
        self.assertEqual((packet[Dot1Q].vlan, packet[Dot1Q].prio), (5, 3))
        self.assertEqual((packet[IP].tos, packet[IP].ttl, packet[IP].len), (26 << 2 | 1, 7, 282))
        sum_before = packet[IP].chksum
        del packet[IP].chksum
        self.assertEqual(Ether(bytes(packet))[IP].chksum, sum_before)
        six = Ether(udp(*V6, size=200, dscp=63, ecn=3))
        self.assertEqual((six[IPv6].tc, six[IPv6].plen, six[UDP].dport, len(six)), (255, 146, 7, 200))
        sum_before = six[UDP].chksum
        del six[UDP].chksum
        self.assertEqual(Ether(bytes(six))[UDP].chksum, sum_before)

    def test_icrc_is_scapys(self):
        rng = random.Random(1)
        for size in range(0, 65):
            frame = roce(*V4, rng.randbytes(size), qp=rng.randrange(1 << 24), psn=rng.randrange(1 << 24),
                         dscp=rng.randrange(64), ttl=rng.randrange(1, 255), sport=rng.randrange(1 << 16))
            packet = Ether(frame)
            self.assertEqual(packet[BTH].icrc, int.from_bytes(packet[BTH].compute_icrc(bytes(packet[BTH])[:-4]), "big"))
            self.assertTrue(frames.icrc_valid(frame))

    def test_icrc_covers_what_a_router_must_keep(self):
        for frame, may_change in ((roce(*V4, b"abcd"), {15, 22, 24, 25, 40, 41, 46}),
                                  (roce(*V6, b"abcd"), {15, 16, 17, 21, 60, 61, 66})):
            for at in range(15, len(frame) - 4):
                if at in (16, 17) and frame[14] == 0x45 or at in (18, 19) and frame[14] == 0x60:
                    continue  # the length, by which the ICRC is found
                changed = frame[:at] + bytes([frame[at] ^ 0x01]) + frame[at + 1:]
                self.assertEqual(frames.icrc_valid(changed), at in may_change, at)

    def test_pfc_is_scapys(self):
        packet = Ether(pfc({3: 65535, 4: 0}))
        layer = packet.getlayer("MACControlClassBasedFlowControl")
        self.assertEqual((layer.c3_enabled, layer.c4_enabled, layer.c2_enabled), (1, 1, 0))
        self.assertEqual((layer.c3_pause_time, layer.c4_pause_time, len(packet)), (65535, 0, 60))


class Captures(Case):
    def test_scapy_reads_what_is_written(self):
        path = write_pcap(self.directory / "a.pcap", [(i * 1000000007, frame) for i, frame in enumerate(samples())])
        packets = rdpcap(str(path))
        self.assertEqual([bytes(packet) for packet in packets], samples())
        self.assertEqual([int(packet.time * 10**9) for packet in packets],
                         [i * 1000000007 for i in range(len(packets))])

    def test_wireshark_takes_the_samples(self):
        path = write_pcap(self.directory / "a.pcap", samples())
        self.assertEqual(malformed(path), [])
        self.assertEqual(len(tshark(path, display="infiniband.bth")), 4)
        self.assertEqual(tshark(path, "frame.number", "macc.cbfc.enbv", display="macc"), [("5", "0x0018")])

    def test_wireshark_marks_a_broken_packet(self):
        broken = bytearray(udp(*V4))
        broken[16:18] = struct.pack(">H", 10)
        self.assertNotEqual(malformed(write_pcap(self.directory / "a.pcap", [bytes(broken)])), [])

    def test_reads_pcapng_and_refuses_what_is_not(self):
        path = self.directory / "a.pcapng"
        comment = b"reason=no-route port=swp1\n"
        block = struct.pack("<IIIII", 0, 1, 7, 5, 9) + b"abcde\0\0\0" + \
            struct.pack("<HH", 1, len(comment)) + comment + b"\0\0" + b"\0\0\0\0"

        def framed(kind, body):
            return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

        section = framed(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        interface = framed(1, struct.pack("<HHI", 1, 0, 0) + struct.pack("<HHB3xI", 9, 1, 9, 0))
        path.write_bytes(section + interface + framed(6, block))
        packet, = read_pcapng(path)
        self.assertEqual(packet, Packet(1 << 32 | 7, b"abcde", 9, comment.decode().strip()))
        self.assertEqual((packet.field("reason"), packet.field("port"), packet.field("x")), ("no-route", "swp1", None))
        for wrong in (section + framed(6, block), section + interface[:-1] + b"\xff", interface):
            path.write_bytes(wrong)
            self.assertRaises(ValueError, read_pcapng, path)


class Descriptions(Case):
    def test_yaml(self):
        self.assertEqual(to_yaml({"a": [1, True, {"b c": "x: y"}], "rate": "100G", "prefix": "10.0.0.0/8"}),
                         '{a: [1, true, {"b c": "x: y"}], rate: 100G, prefix: 10.0.0.0/8}')


def switch(rx=3, dropped=1, sent=2, queued_bytes=0):
    """Counters of a switch with one port, as few as conservation looks at."""
    group = {"packets": 2, "dropped": 0, "used": queued_bytes, "used_max": 400, "headroom": 0, "headroom_max": 0}
    queue = {"packets": sent, "dropped": 0, "depth": queued_bytes, "depth_max": 400}
    port = {"rx_packets": rx + 1, "tx_packets": sent + 1, "control_rx": 1, "control_tx": 1,
            "drops": {"no-route": dropped}, "rx_discards": dropped, "tx_discards": 0, "pg": [group], "queue": [queue]}
    return {"ports": {"swp1": port}, "pools": {
        "ingress-lossless": {"used": 0}, "ingress-lossy": {"used": queued_bytes},
        "egress-lossless": {"used": 0}, "egress-lossy": {"used": queued_bytes}, "headroom": {"used": 0}}}


class Conservation(Case):
    def test_holds(self):
        assert_switch_conserved("a", switch())
        assert_switch_conserved("a", switch(sent=1, queued_bytes=192))
        self.assertEqual(drops({"a": switch(dropped=5)}), {"no-route": 5})

    def test_finds_what_is_lost(self):
        for wrong in (switch(rx=4), switch(dropped=0), switch(sent=1), switch(queued_bytes=192),
                      switch(queued_bytes=500)):
            self.assertRaises(AssertionError, assert_switch_conserved, "a", wrong)
