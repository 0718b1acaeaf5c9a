# SPDX-License-Identifier: BSD-3-Clause
"""What a replay writes, as others read it: Wireshark's tshark and scapy."""
import unittest
from contextlib import closing

from common import *


class Captures(Case):
    def mixed(self):
        """RoCEv2 over IPv4 and IPv6, a CNP, ACKs, PFC out and in, drops of two kinds."""
        packets = []
        for i in range(40):
            addresses = (to, to6)[i % 2]("swp2")
            packets.append((1000 * i, roce(*addresses, bytes(200), psn=i, dscp=3, ecn=2)))
            packets.append((1000 * i + 300, roce(*addresses, opcode=ACKNOWLEDGE, psn=i, dscp=3)))
            packets.append((1000 * i + 600, roce(*addresses, opcode=CNP, dscp=48)))
        packets.append((40000, udp("198.18.1.9", "203.0.113.1")))
        qos = {"pg": {3: {"static": "10KB", "headroom": "5KB"}}, "tc": {3: {"ecn": {"min": "1KB", "max": "1KB"}}}}
        events = [{"at": "0us", "port": "swp2", "tx": "off"}, {"at": "50us", "port": "swp2", "tx": "on"}]
        run = self.replay(switch(events=events, qos=qos), {"swp1": packets, "swp2": [(45000, pfc({3: 100}))]})
        run.assert_conserved()
        return run

    def test_tshark(self):
        """No malformed marks; opcodes, PFC's vector and times, and lengths decode."""
        run = self.mixed()
        self.assertGreater(run.drops["headroom"], 0)
        self.assertEqual(run.drops["no-route"], 1)
        for name in ("swp1", "swp2", "drops"):
            self.assert_dissects(run.directory / f"{name}.pcapng")
        roce_sent = tshark(run.directory / "swp2.pcapng", "frame.number", "infiniband.bth.opcode", display="infiniband")
        self.assertEqual(len(roce_sent), len(run.sent["swp2"]))
        opcodes = [int(opcode) for _, opcode in roce_sent]
        self.assertEqual(opcodes.count(CNP), 40)
        self.assertEqual({*opcodes}, {WRITE_ONLY, ACKNOWLEDGE, CNP})
        for opcode, packet in zip(opcodes, run.sent["swp2"]):
            self.assertTrue(icrc_valid(packet.data))
            self.assertEqual(opcode, packet.data[42 if packet.data[14] >> 4 == 4 else 62])
        sent = tshark(run.directory / "swp1.pcapng", "macc.opcode", "macc.cbfc.enbv.c3", "macc.cbfc.pause_time.c3",
                      "frame.len", "eth.dst", display="macc")
        # tshark -e of an absent class's time prints 0: of others nothing is enabled.
        self.assertEqual(len(sent), 2)
        self.assertEqual([(int(time, 0), length, dst) for _, _, time, length, dst in sent],
                         [(65535, "60", "01:80:c2:00:00:01"), (0, "60", "01:80:c2:00:00:01")])
        wrong = "macc.cbfc.enbv.not_zero || macc.dst_address_invalid"
        self.assertEqual(tshark(run.directory / "swp1.pcapng", display=wrong), [])

    def test_drop_comments(self):
        """reason, port it came by, priority, bytes queued where it was to go; Wireshark shows them."""
        run = self.mixed()
        comments = [comment.replace("\\n", "") for comment, in tshark(run.directory / "drops.pcapng", "frame.comment")]
        self.assertEqual(comments, [packet.comment for packet in run.dropped])
        depth = run.port("swp2").queue(3).depth_max
        lossless = [packet for packet in run.dropped if packet.field("reason") == "headroom"]
        self.assertEqual({packet.field("priority") for packet in lossless}, {"3"})
        self.assertEqual(lossless[-1].field("depth"), str(depth))
        self.assertEqual([comment for comment in comments if "no-route" in comment],
                         ["reason=no-route port=swp1 priority=0 depth=0"])
        for packet in run.dropped:
            self.assertRegex(packet.comment, r"^reason=[a-z-]+ port=swp1 priority=[0-7] depth=\d+$")

    def test_egress_drop_comments(self):
        """The port is the one it came in by; the depth that of the queue that had no room: 3000 B are 15 cells
        of 192; the limit is 10 cells: five packets of 2."""
        qos = {"tc": {0: {"static": "1920B"}}}
        packets = [(1000 * i, udp(*to("swp3"), ident=i)) for i in range(4)]
        run = self.replay(switch(3, events=[{"at": "0us", "port": "swp3", "tx": "off"}], qos=qos),
                          {"swp1": packets, "swp2": packets})
        run.assert_conserved()
        self.assertEqual([(packet.comment, ip_ident(packet.data)) for packet in run.dropped],
                         [("reason=egress-pool port=swp2 priority=0 depth=1920", 2),
                          ("reason=egress-pool port=swp1 priority=0 depth=1920", 3),
                          ("reason=egress-pool port=swp2 priority=0 depth=1920", 3)])
        self.assertEqual(run.port("swp3").queue(0).dropped, 3)
        self.assertEqual((run.port("swp1").drops, run.port("swp2").drops, run.port("swp3").drops),
                         ({"egress-pool": 1}, {"egress-pool": 2}, {}))

    def test_scapy(self):
        """scapy reads the captures: PFC with its contrib layer, CNP and WRITE with roce."""
        from scapy.contrib.mac_control import MACControlClassBasedFlowControl
        from scapy.contrib.roce import BTH
        from scapy.layers.l2 import Ether
        from scapy.utils import PcapNgReader, RawPcapNgReader
        run = self.mixed()
        with closing(RawPcapNgReader(str(run.directory / "swp2.pcapng"))) as reader:
            raw = [data for data, _ in reader]
        self.assertEqual(raw, [packet.data for packet in run.sent["swp2"]])
        self.assertEqual({Ether(data)[BTH].opcode for data in raw[:60] if data[12:14] == b"\x08\x00"},
                         {WRITE_ONLY, ACKNOWLEDGE, CNP})
        pauses = [Ether(packet.data)[MACControlClassBasedFlowControl] for packet in run.sent["swp1"]
                  if packet.data[12:14] == b"\x88\x08"]
        self.assertEqual([(one.c3_enabled, one.c3_pause_time, one.c0_enabled, one.c4_enabled) for one in pauses],
                         [(1, 65535, 0, 0), (1, 0, 0, 0)])
        with closing(PcapNgReader(str(run.directory / "drops.pcapng"))) as reader:
            comments = [packet.comment.decode().strip() for packet in reader]
        self.assertEqual(comments, [packet.comment for packet in run.dropped])

    def test_made_by_scapy(self):
        """What scapy makes is taken: RoCEv2, PFC, UDP with its own checksums."""
        from scapy.contrib.mac_control import MACControlClassBasedFlowControl
        from scapy.contrib.roce import BTH, cnp
        from scapy.layers.inet import IP, UDP
        from scapy.layers.inet6 import IPv6
        from scapy.layers.l2 import Ether
        from scapy.packet import Raw
        l2 = Ether(src=HOST_MAC, dst=SWITCH_MAC)
        src, dst = to("swp2")
        frames = [bytes(l2 / IP(src=src, dst=dst, tos=3 << 2 | 2) / UDP(sport=49153) /
                        BTH(opcode="RC_RDMA_WRITE_ONLY", psn=i, dqpn=7) / Raw(bytes(64))) for i in range(3)]
        frames.append(bytes(l2 / IP(src=src, dst=dst) / UDP(sport=49153) / cnp(dqpn=1)))
        frames.append(bytes(l2 / IPv6(src=to6("swp2")[0], dst=to6("swp2")[1]) / UDP(sport=1, dport=2) / Raw(bytes(20))))
        pause = bytes(Ether(src=HOST_MAC, dst="01:80:c2:00:00:01") /
                      MACControlClassBasedFlowControl(c3_enabled=1, c3_pause_time=1000))
        run = self.replay(switch(), {"swp1": [(1000 * (i + 1), frame) for i, frame in enumerate(frames)],
                                     "swp2": [(500, pause)]})
        run.assert_conserved()
        self.assertEqual((run.drops, len(run.sent["swp2"])), ({}, 5))
        self.assertEqual(run.port("swp2").priorities.pfc_rx, [0, 0, 0, 1, 0, 0, 0, 0])
        self.assertTrue(all(icrc_valid(packet.data) for packet in run.sent["swp2"][:3]
                            if packet.data[36:38] == struct.pack(">H", ROCE_PORT)))


if __name__ == "__main__":
    unittest.main()
