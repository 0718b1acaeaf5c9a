# SPDX-License-Identifier: BSD-3-Clause
"""One InfiniBand switch: what comes in on a link is bytes from the LRH to the VCRC, and so is what goes out.

LID 1 is behind swp1, 2 behind swp2, 3 behind swp3. The CRCs here are computed bit by bit from their polynomials.
"""
import struct

from common import *
from roost.captures import INFINIBAND

DUT = {"name": "dut", "link-layer": "infiniband", "latency": "0ns", "qos": ROOMY | {
           "priority-to-pg": {3: 3, "default": 0}, "priority-to-tc": {3: 3, 6: 6, "default": 0}},
       "ports": {f"swp{i}": {"rate": "100G", "cable": "5m"} for i in (1, 2, 3)},
       "lft": [{"lid": i, "port": f"swp{i}"} for i in (1, 2, 3)]}


def crc(data, bits, polynomial):
    """Of the data's bits, least significant first; as the bytes that go on the wire."""
    ones = (1 << bits) - 1
    remainder = ones
    for byte in data:
        for bit in range(8):
            carry = remainder >> (bits - 1) ^ byte >> bit & 1
            remainder = (remainder << 1 & ones) ^ (polynomial if carry else 0)
    reflected = int(f"{remainder ^ ones:0{bits}b}"[::-1], 2)
    return reflected.to_bytes(bits // 8, "little")


def with_vcrc(data):
    return data + crc(data, 16, 0x100B)


def packet(dlid=2, slid=1, vl=0, sl=0, payload=256, opcode=0x07, pkey=0xFFFF, version=0, next_=2, words=0, fecn=0, number=0):
    """From the LRH to the VCRC: a WRITE's middle packet unless told otherwise."""
    length = (8 + 12 + payload + 4) // 4 + words
    lrh = struct.pack(">BBHHH", vl << 4 | version, sl << 4 | next_, dlid, length, slid)
    bth = struct.pack(">BBHII", opcode, 0x40, pkey, fecn << 31 | 17, number)
    body = bytes(i % 251 for i in range(payload))
    masked = bytes([lrh[0] | 0xF0]) + lrh[1:] + bth[:4] + b"\xff" + bth[5:] + body
    return with_vcrc(lrh + bth + body + crc(masked, 32, 0x04C11DB7))


class InfiniBand(Case):
    def play(self, packets, port="swp1", gap=1000, **keys):
        """packets: as write_pcap() takes them."""
        path = write_pcap(self.directory / "in.pcap", packets, gap, link=INFINIBAND)
        run = self.replay({"switch": DUT | keys}, {port: path})
        run.assert_conserved()
        return run

    def test_the_example_of_the_specification(self):
        """Volume 1 release 1.2.1, section 7.8: its ICRC and, of the same bytes, the VCRC."""
        example = bytes.fromhex("7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a05"
                                "0000000ebb884d85fd5cfba4728bc0690ed40000")
        masked = bytes([example[0] | 0xF0]) + example[1:12] + b"\xff" + example[13:]
        self.assertEqual(crc(masked, 32, 0x04C11DB7).hex(), "9625b75a")
        self.assertEqual(crc(example + bytes.fromhex("9625b75a"), 16, 0x100B).hex(), "45fa")

    def test_by_lid_and_with_new_vcrc(self):
        sent = [packet(2), packet(3, payload=1000), packet(1, payload=0), packet(3, sl=6, vl=0)]
        run = self.play(sent)
        self.assertEqual([one.data for one in run.sent["swp2"]], [sent[0]])
        self.assertEqual([one.data for one in run.sent["swp1"]], [sent[2]])
        # SL 6 is class 6, so it leaves on VL 6: another VCRC, but the ICRC as it was.
        changed = with_vcrc(bytes([0x60]) + sent[3][1:-2])
        self.assertEqual([one.data for one in run.sent["swp3"]], [sent[1], changed])
        self.assertEqual(run.drops, {})
        counters = run.port("swp3").counters
        self.assertEqual((counters["tx_packets"], counters["tx_bytes"]), (2, len(sent[1]) + len(changed) - 4))

    def test_time_on_the_line(self):
        """10,000 ns is when the last bit has arrived, 25 ns of cable before it. Without latency the packet leaves
        then, in 1 + 280 + 2 bytes of 80 ps."""
        run = self.play([(10_000, packet())])
        self.assertEqual(run.sent["swp2"][0].ns, 10_000 + (1 + 280 + 2) * 80 // 1000)
        # At line rate packets follow each other by that and the byte of EGP.
        path = write_pcap(self.directory / "burst.pcap", [packet(number=i) for i in range(100)], link=INFINIBAND)
        run = self.replay({"switch": DUT}, {"swp1": path}, "--pace", "line")
        times = [one.ns for one in run.sent["swp2"]]
        self.assertEqual(times[-1] - times[0], (99 * (1 + 280 + 2 + 1) * 80) // 1000)

    def test_hostile(self):
        good = packet()
        cases = {
            "lrh-version": packet(version=1),
            "virtual-lane": packet(vl=9),
            "vl15": packet(vl=15),
            "service-level": packet(sl=12),
            "unknown-lid": packet(77),
            "raw-packet": packet(next_=0),
            "multicast": packet(0xC001),
            "lrh-length": packet(words=3),
            "malformed": with_vcrc(struct.pack(">BBHHH", 0, 2, 2, 4, 1) + bytes(8)),
            "runt": with_vcrc(good[:6]),
            "bad-fcs": good[:-1] + bytes([good[-1] ^ 1]),
        }
        run = self.play([*cases.values(), good, with_vcrc(good[:100])])
        self.assertEqual(run.drops, dict.fromkeys(cases, 1) | {"lrh-length": 2})
        self.assertEqual(len(run.sent["swp2"]), 1)

    def test_shorter_than_a_vcrc(self):
        run = self.play([b"\x00", b"\x00\x02", packet()])
        self.assertEqual(run.drops, {"bad-fcs": 2})

    def test_partitions(self):
        """The first tenant has P_Key 1, the second 2. A packet must have that of the port it comes in by and of the one
        it leaves by; the membership bit does not count."""
        ports = {"swp1": {"tenant": "red"}, "swp2": {"tenant": "red"}, "swp3": {"tenant": "blue"}}
        packets = [packet(2, pkey=0x8001), packet(2, pkey=0x0001), packet(3, pkey=0x8001), packet(3, pkey=0x8002),
                   packet(2)]
        run = self.play(packets, ports=ports, tenants={"red": {}, "blue": {}})
        self.assertEqual([one.data for one in run.sent["swp2"]], packets[:2])
        self.assertEqual(run.drops, {"partition": 3})

    def test_fecn_marks(self):
        """min = max = 10 KB in queue 3: of 100 packets of 280 B that have gathered, those are marked that more than
        10,000 B (in cells of 192 B: 52) are behind: (100 - k) 2 > 52."""
        qos = merge(DUT["qos"], {"tc": {3: {"ecn": {"min": "10KB", "max": "10KB"}}}})
        events = [{"at": "0us", "port": "swp2", "tx": "off"}, {"at": "200us", "port": "swp2", "tx": "on"}]
        path = write_pcap(self.directory / "in.pcap", [packet(sl=3, vl=3, number=i) for i in range(100)], link=INFINIBAND)
        run = self.replay({"switch": DUT | {"qos": qos}, "events": events}, {"swp1": path})
        marks = [one.data[12] >> 7 for one in run.sent["swp2"]]
        self.assertEqual(marks, [1] * 73 + [0] * 27)
        masked = [with_vcrc(one.data[:12] + b"\x00" + one.data[13:-2]) for one in run.sent["swp2"]]
        self.assertEqual(masked, [packet(sl=3, vl=3, number=i) for i in range(100)])

    def test_wireshark_reads_what_leaves(self):
        run = self.play([packet(2, sl=3, vl=3), packet(3), packet(2, version=3)])
        out = [run.directory / name for name in ("swp2.pcapng", "swp3.pcapng")]
        self.assert_dissects(*out)
        self.assertEqual(tshark(out[0], "infiniband.lrh.vl", "infiniband.lrh.dlid", "infiniband.lrh.slid",
                                "infiniband.lrh.pktlen", "infiniband.bth.opcode"),
                         [("0x03", "2", "1", str(280 // 4), "7")])

    def test_what_cannot_be_replayed(self):
        ethernet = write_pcap(self.directory / "ethernet.pcap", [b"\x02" + bytes(63)])
        infiniband = write_pcap(self.directory / "ib.pcap", [packet()], link=INFINIBAND)
        plain = {"switch": {"ports": {"swp1": {}, "swp2": {}}}}
        for description, path, why in (
                (DUT, ethernet, "link type EN10MB.*replay a capture of link type INFINIBAND"),
                (plain["switch"], infiniband, "only a switch with link-layer: infiniband")):
            done = roost("replay", self.file({"switch": description}), "--in", f"swp1={path}",
                         "--out", self.directory / "out", status=2)
            self.assertRegex(done.err, why)

    def test_what_only_ethernet_has(self):
        """`lft` is refused there, and here what would be Ethernet's; an LFT names ports that exist, each LID once."""
        for keys, why in (({"link-layer": "ethernet"}, "only supported on a switch with `link-layer: infiniband`"),
                          ({"vtep": "10.0.0.1"}, "switch.vtep: not supported with link-layer: infiniband; remove it"),
                          ({"routes": [{"prefix": "10.0.0.0/8", "via": [{"port": "swp1", "mac": "02:00:00:00:00:09"}]}]},
                           "switch.routes: .*; remove it; write `lft:` instead"),
                          ({"ports": {"swp1": {"dev": "net_null0"}, "swp2": {}, "swp3": {}}}, "ports.dev: not supported"),
                          ({"ports": {"swp1": {"netdev": "eth0"}, "swp2": {}, "swp3": {}}}, "ports.netdev: not supported"),
                          ({"lft": [{"lid": 1, "port": "swp9"}]}, "swp9"),
                          ({"lft": [{"lid": 1, "port": "swp1"}, {"lid": 1, "port": "swp2"}]}, "LID 1 already has a port")):
            self.assertRegex(roost("check", self.file({"switch": DUT | keys}), status=2).err, why)


if __name__ == "__main__":
    unittest.main()
