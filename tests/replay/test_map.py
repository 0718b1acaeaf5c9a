# SPDX-License-Identifier: BSD-3-Clause
"""`--map`: packets of another network drive this switch, every byte as it would be if they had been made for it."""
import ipaddress
import struct
import unittest

from common import *

OTHER_MAC = "00:1c:73:aa:bb:cc"
ADDRESSES = ["--map", "192.0.2.0/24=198.18.200.0/24", "--map", "203.0.113.0/24=198.18.2.0/24", "--map",
             "2001:db8:aaaa::/48=2001:db8:2::/48"]
MAPPED = {"192.0.2.1": "198.18.200.1", "203.0.113.77": "198.18.2.77", "2001:db8:bbbb::1": "2001:db8:bbbb::1",
          "2001:db8:aaaa::77": "2001:db8:2::77"}


def tcp(src, dst, wrong=0, dst_mac=SWITCH_MAC):
    """A TCP segment with a right checksum; wrong: added to it."""
    packed = ipaddress.ip_address(src).packed + ipaddress.ip_address(dst).packed
    data = struct.pack(">HHIIHHHH", 1000, 80, 1, 2, 0x5018, 500, 0, 0) + b"some data"
    total = checksum(packed + struct.pack(">HH", 6, len(data)) + data)
    ethertype, packet = ip(data[:16] + struct.pack(">H", (total + wrong) % 65536) + data[18:], 6, src, dst)
    return ethernet(packet, ethertype, dst=dst_mac)


class Map(Case):
    def assert_mapped(self, build, src, dst, **options):
        """What leaves is what leaves when the packet was made with the mapped addresses."""
        seen = build(src, dst, dst_mac=OTHER_MAC, **options)
        wanted = build(MAPPED[src], MAPPED[dst], **options)
        run = self.replay(switch(), {"swp1": [(1000, seen)]}, *ADDRESSES, "--map", "mac=port")
        run.assert_conserved()
        self.assertEqual([packet.data for packet in run.sent["swp2"]], [routed(wanted)])

    def test_addresses(self):
        """IPv4 and IPv6; UDP with and without a checksum, TCP, and RoCEv2 with its ICRC."""
        for src, dst in (("192.0.2.1", "203.0.113.77"), ("2001:db8:bbbb::1", "2001:db8:aaaa::77")):
            for build, options in ((udp, {}), (udp, {"vlan": 5, "pcp": 3}), (roce, {"payload": bytes(range(64))}), (tcp, {}),
                                   (tcp, {"wrong": 17})):
                with self.subTest(dst=dst, build=build.__name__, options=options):
                    self.assert_mapped(build, src, dst, **options)

    def test_icrc(self):
        """A right ICRC stays right; a wrong one is not mended."""
        right = roce("192.0.2.1", "203.0.113.77", bytes(64))
        wrong = right[:-1] + bytes([right[-1] ^ 1])
        run = self.replay(switch(), {"swp1": [(1000, right), (2000, wrong)]}, *ADDRESSES)
        self.assertEqual([icrc_valid(packet.data) for packet in run.sent["swp2"]], [True, False])

    def test_other_mac(self):
        """A frame for another router is dropped, with the remedy; mac=port or a rule for it sends it here."""
        capture = {"swp1": [(1000, udp(*to("swp2"), dst_mac=OTHER_MAC))]}
        run = self.replay(switch(), capture)
        self.assertEqual(run.drops, {"wrong-mac": 1})
        self.assertRegex(run.done.err, r"1 packets are for another MAC than that of swp1; --map mac=port sends them to it")
        for rule in ("mac=port", f"{OTHER_MAC}={SWITCH_MAC}"):
            run = self.replay(switch(), capture, "--map", rule)
            self.assertNotIn("--map", run.done.err)
            self.assertEqual((run.drops, [packet.data for packet in run.sent["swp2"]]),
                             ({}, [routed(udp(*to("swp2")))]))

    def test_refused(self):
        """A usage error, before any file is opened."""
        done = roost("replay", self.file(switch()), "--in", "swp1=none.pcap", "--out", self.directory / "out", "--map",
                     "10.0.0.0/8=10.0.0.0/9", status=2)
        self.assertEqual(done.err.splitlines()[0], "roost replay: --map 10.0.0.0/8=10.0.0.0/9: want two prefixes of one kind "
                                                   "and one length")


if __name__ == "__main__":
    unittest.main()
