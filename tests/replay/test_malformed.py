# SPDX-License-Identifier: BSD-3-Clause
"""Truncated, malformed, oversized, runt, looped, multicast-source and martian input: a named drop,
nothing else. Each bad packet stands between two good ones, which must not notice.
"""
import random
import unittest

from common import *

GOOD4 = udp(*to("swp2"), size=100)
GOOD6 = udp(*to6("swp2"), size=100)
ROCE4 = roce(*to("swp2"), bytes(64))
ROCE6 = roce(*to6("swp2"), bytes(64))


def patched(frame, *changes, checksum_again=True):
    """A copy with bytes at some places replaced; the IPv4 header checksum is made good again."""
    data = bytearray(frame)
    for at, new in changes:
        data[at:at + len(new)] = new
    if checksum_again and data[12:14] == b"\x08\x00" and len(data) >= 34:
        head = (data[14] & 15) * 4
        data[24:26] = b"\0\0"
        data[24:26] = struct.pack(">H", checksum(bytes(data[14:14 + head])))
    return bytes(data)


def u16(value):
    return struct.pack(">H", value)


def between(src, dst):
    return udp(src, dst, size=100)


MARTIANS4 = [("0.1.2.3", "198.18.2.9"), ("127.0.0.1", "198.18.2.9"), ("224.0.0.5", "198.18.2.9"),
             ("255.255.255.255", "198.18.2.9"), ("240.0.0.1", "198.18.2.9"), ("169.254.1.1", "198.18.2.9"),
             ("198.18.1.9", "0.0.0.0"), ("198.18.1.9", "127.0.0.1"), ("198.18.1.9", "240.0.0.1"),
             ("198.18.1.9", "255.255.255.255"), ("198.18.1.9", "169.254.7.7")]
MARTIANS6 = [("::", "2001:db8:2::9"), ("::1", "2001:db8:2::9"), ("ff02::1", "2001:db8:2::9"),
             ("fe80::1", "2001:db8:2::9"), ("2001:db8:1::9", "::1"), ("2001:db8:1::9", "::"),
             ("2001:db8:1::9", "fe80::9")]

CASES = {
    "runt": [GOOD4[:length] for length in (1, 6, 12, 13)],
    "truncated": [GOOD4[:length] for length in (14, 20, 33)] +          # within the IPv4 header
                 [GOOD6[:length] for length in (14, 53)] +
                 [GOOD4[:80], GOOD6[:90]] +                             # shorter than the IP packet says
                 [ROCE4[:50], ROCE6[:66]] +
                 [udp(*to("swp2"), size=100, vlan=5)[:length] for length in (14, 17, 20, 60)] +
                 [pfc({3: 1})[:length] for length in (20, 33)] +
                 [patched(GOOD4, (16, u16(87))), patched(GOOD6, (18, u16(47)))],     # 14 + 87, 54 + 47 > 100
    "malformed": [
        patched(GOOD4, (14, b"\x55")), patched(GOOD4, (14, b"\x65")),   # version
        patched(GOOD4, (14, b"\x44")), patched(GOOD4, (14, b"\x40")),   # header length
        patched(GOOD4, (16, u16(19))), patched(GOOD4, (16, u16(0))),    # total length
        patched(GOOD6, (14, b"\x40")),
        patched(GOOD4, (38, u16(7))), patched(GOOD4, (38, u16(0))),     # UDP length below its header
        patched(GOOD4, (38, u16(67))), patched(GOOD4, (38, u16(0xFFFF))),   # past the IP packet (66 B)
        patched(GOOD6, (58, u16(47))),
        patched(GOOD4, (16, u16(27))),                                  # no room for UDP's header
        patched(GOOD4, (16, u16(28)), (38, u16(9))),
        patched(GOOD6, (18, u16(7))),
        patched(ROCE4, (38, u16(8 + 12 + 3))), patched(ROCE4, (38, u16(8))),    # no room for BTH and ICRC
        patched(GOOD4, (36, u16(4791)), (38, u16(20))),
        patched(GOOD6, (20, b"\x00"), (54, b"\x11\xff")),               # an extension past the packet
    ],
    "bad-checksum": [patched(GOOD4, (24, u16(0x1234)), checksum_again=False),
                     patched(GOOD4, (22, b"\x41"), checksum_again=False),
                     patched(ROCE4, (30, b"\xff"), checksum_again=False)],
    "not-ip": [ethernet(bytes(46), 0x0806), ethernet(bytes(46), 0x88CC), ethernet(bytes(46), 0x0040),
               ethernet(bytes(46), 0x8847), patched(udp(*to("swp2"), vlan=5), (16, u16(0x0806)))],
    "multicast": [udp(*to("swp2"), dst_mac="ff:ff:ff:ff:ff:ff"), udp(*to("swp2"), dst_mac="01:00:5e:00:00:05"),
                  udp(*to6("swp2"), dst_mac="33:33:00:00:00:01"),
                  between("198.18.1.9", "224.0.0.5"), between("198.18.1.9", "239.255.255.255"),
                  between("2001:db8:1::9", "ff0e::1")],
    "multicast-source": [udp(*to("swp2"), src_mac="01:02:03:04:05:06"), udp(*to6("swp2"), src_mac="ff:ff:ff:ff:ff:ff")],
    "looped": [udp(*to("swp2"), src_mac=SWITCH_MAC), udp(*to6("swp2"), src_mac=SWITCH_MAC)],
    "wrong-mac": [udp(*to("swp2"), dst_mac="02:00:00:00:00:02"), udp(*to("swp2"), dst_mac="00:00:00:00:00:00")],
    "martian": [between(*pair) for pair in MARTIANS4 + MARTIANS6],
    "ttl-expired": [udp(*addresses("swp2"), ttl=ttl) for addresses in (to, to6) for ttl in (0, 1)],
    "no-route": [between("198.18.1.9", "203.0.113.1"), between("2001:db8:1::9", "2001:db8:ffff::1")],
    "mtu-exceeded": [udp(*to("swp2"), size=1515), udp(*to6("swp2"), size=1515), udp(*to("swp2"), size=1519, vlan=5),
                     udp(*to("swp2"), size=9000), roce(*to("swp2"), bytes(4096))],
    "reserved-address": [udp(*to("swp2"), dst_mac="01:80:c2:00:00:0e"),
                         ethernet(b"\x00\x02" + bytes(40), 0x8808, dst="01:80:c2:00:00:01")],
}


class Malformed(Case):
    PORTS = {"swp1": {}, "swp2": {"mtu": 1500}}

    def test_each_alone(self):
        """One run for a reason, every bad packet of it between good ones."""
        for reason, frames in CASES.items():
            for rate, keys in (("100G", {}), ("400G", {"preset": "sonic", "buffer": {"cell": 128}}),
                               ("25G", {"preset": "spectrum-x", "buffer": {"cell": 1}})):
                with self.subTest(reason=reason, rate=rate):
                    packets = []
                    for i, frame in enumerate(frames):
                        packets += [(4000 * i, GOOD4), (4000 * i + 2000, frame)]
                    packets.append((4000 * len(frames), GOOD6))
                    self.run_bad(packets, {reason: len(frames)}, len(frames) + 1, rate, **keys)

    def run_bad(self, packets, drops, good, rate, **keys):
        run = self.replay(switch(self.PORTS, rate, **keys), {"swp1": packets})
        run.assert_conserved()
        told = [f"{packet.field('reason')} {packet.data.hex()[:120]}" for packet in run.dropped
                if packet.field("reason") not in drops]
        self.assertEqual(told, [])
        self.assertEqual((run.drops, run.port("swp1").drops), (drops, drops))
        self.assertEqual(run.port("swp1").rx_packets, len(packets))
        errors = {"bad-fcs", "runt", "truncated"}.intersection(drops)
        self.assertEqual(run.port("swp1").rx_multicast, 0 if errors else sum(frame[0] & 1 for _, frame in packets))
        told = sum(count for kind, count in answers(run.nodes).items() if kind not in NOT_PACKETS)
        self.assertEqual((len(run.sent["swp2"]), len(run.sent["swp1"])), (good, told))
        bad = [frame for _, frame in packets if frame not in (GOOD4, GOOD6)]
        self.assertEqual([packet.data[:len(frame)] for packet, frame in zip(run.dropped, bad)], bad)
        for packet in run.dropped:
            self.assertEqual((packet.field("port"), packet.field("depth")), ("swp1", "0"))
        self.assertEqual([queue["dropped"] for port in ("swp1", "swp2") for queue in run.port(port).counters["queue"]], [0] * 16)
        return run

    def test_just_good(self):
        """What lies on the other side of each edge passes."""
        frames = [udp(*to("swp2"), size=1514), udp(*to6("swp2"), size=1514), udp(*to("swp2"), size=1518, vlan=5),
                  udp(*to("swp2"), ttl=2), udp(*to6("swp2"), ttl=2),
                  patched(GOOD4, (16, u16(86))), patched(GOOD6, (18, u16(46))),
                  patched(GOOD4, (38, u16(66))), patched(GOOD4, (38, u16(8))),
                  patched(GOOD4, (16, u16(28)), (38, u16(8))), patched(ROCE4, (38, u16(8 + 12 + 4))),
                  between("1.0.0.1", "198.18.2.9"), between("223.255.255.1", "198.18.2.9"),
                  udp(*to("swp2"), size=60), GOOD4.ljust(1000, b"\0"), GOOD4 + b"x",         # padding
                  patched(GOOD4, (20, u16(0x2000))), patched(GOOD4, (20, u16(0x0010))),      # fragments
                  patched(GOOD6, (20, b"\x2c"), (54, b"\x11\x00\x00\x09")),
                  patched(GOOD4, (23, b"\x06")), patched(GOOD4, (23, b"\x01")), patched(GOOD6, (20, b"\x3b"))]
        run = self.replay(switch(self.PORTS), {"swp1": [(i * 1000, frame) for i, frame in enumerate(frames)]})
        run.assert_conserved()
        self.assertEqual((run.drops, len(run.sent["swp2"])), ({}, len(frames)))

    def test_short_is_padded(self):
        """A packet shorter than 60 B in its file is on the wire with 60: that is what it counts and how it leaves."""
        frame = udp(*to("swp2"), size=50)[:50]
        run = self.replay(switch(), {"swp1": [(1000, frame)]})
        run.assert_conserved()
        self.assertEqual((run.port("swp1").rx_bytes, run.port("swp2").tx_bytes), (60, 60))
        self.assertEqual((run.sent["swp2"][0].length, run.sent["swp2"][0].data[50:]), (60, bytes(10)))

    def test_oversized(self):
        """Frames up to the ports' MTU and the 14 bytes of Ethernet pass, one byte more does not."""
        for rate, cell, mtu in (("100G", 192, 9216), ("400G", 128, 1500), ("25G", 1, 4200)):
            frames = [udp(*addresses("swp2"), size=mtu + 14 + more) for addresses in (to, to6) for more in (0, 1)]
            run = self.replay(switch(rate=rate, buffer={"cell": cell}, mtu=mtu),
                              {"swp1": [(10_000 * (i + 1), frame) for i, frame in enumerate(frames)]})
            run.assert_conserved()
            self.assertEqual((run.drops, len(run.sent["swp2"])), ({"mtu-exceeded": 2}, 2))
            self.assertEqual([packet.length for packet in run.sent["swp2"]], [mtu + 14] * 2)

    def test_all_mixed(self):
        """All of them in random order, and 300 frames of noise behind good headers: nothing but named drops."""
        draw = random.Random(5)
        frames = [frame for reason in CASES for frame in CASES[reason]]
        draw.shuffle(frames)
        for _ in range(300):
            noise = bytearray(draw.choice((GOOD4, GOOD6, ROCE4, ROCE6))[:draw.randrange(14, 120)])
            for _ in range(draw.randrange(1, 6)):
                noise[draw.randrange(12, len(noise))] = draw.randrange(256)
            frames.append(bytes(noise))
        run = self.replay(switch(self.PORTS), {"swp1": [(i * 2000, frame) for i, frame in enumerate(frames)]})
        run.assert_conserved()
        self.assertEqual(run.port("swp1").rx_packets, len(frames))
        self.assertEqual(sum(run.drops.values()) + len(run.sent["swp2"]) + run.port("swp1").control_rx, len(frames))


class Vrf(Case):
    def test_isolation(self):
        """Ports of two VRFs: what one routes, the other does not know; IPv4 and IPv6."""
        description = switch(4)
        ports = description["switch"]["ports"]
        for port, vrf in zip(ports, ("red", "red", "blue", "blue")):
            ports[port]["vrf"] = vrf
        for route in description["switch"]["routes"]:
            route["vrf"] = "red" if route["via"][0]["port"] in ("swp1", "swp2") else "blue"
        run = self.replay(description, {"swp1": [(1000 * i, frame) for i, frame in enumerate(
            (udp(*to("swp2")), udp(*to("swp3")), udp(*to6("swp4")), udp(*to6("swp2"))))],
            "swp3": [(0, udp(*to("swp4"))), (1000, udp(*to("swp1")))]})
        run.assert_conserved()
        self.assertEqual({port: len(run.sent[port]) for port in ports}, {"swp1": 0, "swp2": 2, "swp3": 0, "swp4": 1})
        self.assertEqual((run.port("swp1").drops, run.port("swp3").drops), ({"no-route": 2}, {"no-route": 1}))


if __name__ == "__main__":
    unittest.main()
