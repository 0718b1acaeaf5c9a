# SPDX-License-Identifier: BSD-3-Clause
"""Packet trimming: what a lossy queue has no room for is trimmed to its headers and goes another way.

swp2 is frozen and its queue 0 has room for ROOM packets; what comes beyond is trimmed to `size` bytes, gets the DSCP
that tells the receiver, and waits in queue 4, which is strict: it leaves first.
"""
import unittest

from common import *

ROOM = 10
NUMBERS = [(192, "100G", 256, 11), (1, "25G", 512, 21), (128, "400G", 1024, 11), (192, "800G", 300, 63)]
RELEASE = 50_000    # ns


def trimming(cell, rate, size, dscp, packet=1500, events=(), trim=None, room=ROOM, **qos):
    """Class 0 is trimmed, with room for so many packets; class 1 is not."""
    limit = f"{room * cells(packet, cell) * cell}B"
    lossy = {"scheduler": "dwrr", "weight": 10, "pool": "egress-lossy", "ecn": "off"}
    settings = {"dscp-to-priority": {8: 1}, "priority-to-tc": {1: 1},
                "tc": {0: {"static": limit}, 1: {**lossy, "static": limit},
                       4: {"scheduler": "strict", "pool": "egress-lossy", "alpha": "unlimited", "ecn": "off"}}}
    settings["trim"] = {"size": f"{size}B", "dscp": dscp, "tc": 4, "eligible-tc": [0]} if trim is None else trim
    return switch(2, rate, hold("swp2", until=f"{RELEASE}ns") + list(events), buffer={"cell": cell},
                  qos=merge(settings, qos))


def by_us(frames):
    return [(1000 * (i + 1), frame) for i, frame in enumerate(frames)]


class Trim(Case):
    def test_what_is_left(self):
        """ROOM packets wait in queue 0, the next 12 are trimmed, of IPv4 and IPv6, UDP and RoCEv2, tagged or not:
        exactly the first `size` bytes, with the IP length and the checksum of what is left, DSCP and TTL; the UDP
        length stays, by which a NIC knows it. They leave first. Their originals count as trimmed, not as dropped."""
        for cell, rate, size, dscp in NUMBERS:
            with self.subTest(cell=cell, rate=rate, size=size):
                kinds = [udp(*addresses("swp2"), size=1500, ecn=ecn, **vlan) for addresses in (to, to6)
                         for ecn, vlan in ((0, {}), (1, {"vlan": 5, "pcp": 3}), (2, {}))]
                kinds += [roce(*addresses("swp2"), bytes(1400), ecn=2, psn=i)
                          for addresses in (to, to6) for i in range(3)]
                frames = [udp(*to("swp2"), size=1500, ident=i) for i in range(ROOM)] + kinds
                run = self.replay(trimming(cell, rate, size, dscp), {"swp1": by_us(frames)})
                run.assert_conserved()
                sent = run.sent["swp2"]
                self.assertEqual((run.drops, len(sent)), ({}, len(frames)))
                for before, after in zip(kinds, sent):
                    self.assertEqual(after.length, size)
                    self.assertEqual(after.data.hex(), routed(before, dscp, size=size).hex())
                self.assertEqual([ip_ident(packet.data) for packet in sent[len(kinds):]], list(range(ROOM)))
                slot = slot_ps(size, rate)
                self.assertEqual([packet.ns for packet in sent[:12]],
                                 [(RELEASE * 1000 + i * slot + frame_ps(size, rate)) // 1000 for i in range(12)])
                queues = run.port("swp2").counters["queue"]
                self.assertEqual((queues[0]["trimmed"], queues[0]["dropped"], queues[0]["packets"]), (12, 0, ROOM))
                self.assertEqual([queues[4][name] for name in ("trim_sent", "packets", "bytes", "trimmed")],
                                 [12, 12, 12 * size, 0])
                self.assertEqual(queues[4]["depth_max"], 12 * cells(size, cell) * cell)
                self.assertEqual(run.port("swp1").rx_bytes, sum(len(frame) for frame in frames))

    def test_charged_anew(self):
        """A trimmed packet takes ceil(size / cell) cells of its group, its pools and queue 4."""
        for cell, rate, size, dscp in NUMBERS:
            with self.subTest(cell=cell, rate=rate, size=size):
                shot = [{"at": f"{RELEASE - 1}ns", "snapshot": "full"}]
                frames = [udp(*to("swp2"), size=1500)] * (ROOM + 7)
                run = self.replay(trimming(cell, rate, size, dscp, events=shot), {"swp1": by_us(frames)})
                run.assert_conserved()
                node = run.snapshot(RELEASE - 1).counters
                whole, trimmed = ROOM * cells(1500, cell) * cell, 7 * cells(size, cell) * cell
                self.assertEqual([node["ports"]["swp2"]["queue"][i]["depth"] for i in (0, 4)], [whole, trimmed])
                self.assertEqual(node["ports"]["swp1"]["pg"][0]["used"], whole + trimmed)
                self.assertEqual([node["pools"][pool]["used"] for pool in ("ingress-lossy", "egress-lossy")],
                                 [whole + trimmed] * 2)
                self.assertEqual(node["ports"]["swp1"]["pg"][0]["packets"], ROOM + 7)

    def test_what_is_not_trimmed(self):
        """Dropped as ever: packets of no more than `size` bytes, of a class that is not eligible, CNPs, and what its
        group (not its queue) has no room for; and all without `trim`."""
        for cell, rate, size, dscp in NUMBERS[:2]:
            description = trimming(cell, rate, size, dscp, packet=size)
            fill = [udp(*to("swp2"), size=size)] * ROOM
            for last, trimmed in ((udp(*to("swp2"), size=size), 0), (udp(*to("swp2"), size=size + 1), 1),
                              (udp(*to6("swp2"), size=size), 0), (udp(*to6("swp2"), size=size + 1), 1),
                              (roce(*to("swp2"), opcode=CNP, headers=bytes(16), payload=bytes(size)), 0)):
                with self.subTest(cell=cell, length=len(last), trimmed=trimmed):
                    run = self.replay(description, {"swp1": by_us(fill + [last])})
                    run.assert_conserved()
                    self.assertEqual((run.port("swp2").queue(0).trimmed, run.drops),
                                     (trimmed, {} if trimmed else {"egress-pool": 1}))
            frames = [udp(*to("swp2"), size=1500, dscp=8)] * (ROOM + 3)
            run = self.replay(trimming(cell, rate, size, dscp), {"swp1": by_us(frames)})
            self.assertEqual((run.port("swp2").queue(1).trimmed, run.drops), (0, {"egress-pool": 3}))
            frames = [udp(*to("swp2"), size=1500)] * (ROOM + 3)
            run = self.replay(trimming(cell, rate, size, dscp, trim="off"), {"swp1": by_us(frames)})
            run.assert_conserved()
            self.assertEqual((run.port("swp2").queue(0).trimmed, run.drops), (0, {"egress-pool": 3}))
            run = self.replay(trimming(cell, rate, size, dscp, room=100, pg={0: {"static": "15360B"}}),
                              {"swp1": by_us(frames)})
            run.assert_conserved()
            self.assertEqual(run.port("swp2").queue(0).trimmed, 0)
            self.assertEqual(set(run.drops), {"ingress-pool"})

    def test_lossless_is_not_trimmed(self):
        """A lossless group's packets, even of an eligible class."""
        qos = {"trim": {"size": "256B", "dscp": 11, "tc": 6, "eligible-tc": [0, 3]}, "tc": {3: {"static": "15360B"}}}
        run = self.replay(switch(events=hold("swp2"), qos=qos),
                          {"swp1": by_us([udp(*to("swp2"), size=1500, dscp=3)] * 15)})
        run.assert_conserved()
        self.assertEqual(run.port("swp2").queues.trimmed, [0] * 8)
        self.assertEqual(run.drops, {"egress-pool": 5})

    def test_no_room_for_trimmed_packets(self):
        """Queue 4 has room for 3 of them: the others are dropped, for the reason for which they were to be trimmed."""
        for cell, rate, size, dscp in NUMBERS:
            with self.subTest(cell=cell, rate=rate):
                description = trimming(cell, rate, size, dscp)
                description["switch"] = merge(description["switch"], {"qos": {"tc": {4: {
                    "static": f"{3 * cells(size, cell) * cell}B"}}}})
                frames = [udp(*to("swp2"), size=1500, ident=i) for i in range(ROOM + 8)]
                run = self.replay(description, {"swp1": by_us(frames)})
                run.assert_conserved()
                self.assertEqual((run.drops, run.port("swp2").queue(0).trimmed), ({"egress-pool": 5}, 3))
                self.assertEqual([(ip_ident(packet.data), packet.length) for packet in run.dropped],
                                 [(i, 1500) for i in range(ROOM + 3, ROOM + 8)])
                self.assertEqual(sum(queue["dropped"] for queue in run.port("swp2").counters["queue"]), 5)

    def test_tenant_share(self):
        """Refused for the tenant's share of the egress pool: trimmed, too, if what is left fits it."""
        for cell, rate, size in ((192, "100G", 256), (128, "400G", 256)):
            packet = cells(1500, cell) * cell
            pools = {"egress-lossy": {"size": f"{40 * packet}B"}}
            qos = {"trim": {"size": f"{size}B", "dscp": 11, "tc": 6, "eligible-tc": [0]}}
            description = switch({"swp1": {"tenant": "red"}, "swp2": {}}, rate, hold("swp2", until=f"{RELEASE}ns"),
                                 buffer={"cell": cell, "pools": pools}, qos=qos,
                                 tenants={"red": {"buffer": {"share": "26%"}}})
            run = self.replay(description, {"swp1": by_us([udp(*to("swp2"), size=1500)] * 12)})
            run.assert_conserved()
            # 26 % of 40 packets: 10.4: ten, and 0.4 of a packet's cells for those that are trimmed.
            left = int(40 * packet // cell * 26 // 100) - 10 * packet // cell
            fits = min(2, left // cells(size, cell))
            self.assertEqual((run.port("swp2").queue(0).trimmed, run.drops),
                             (fits, {"tenant-share": 2 - fits} if fits < 2 else {}))
            self.assertGreater(fits, 0)

    def test_live(self):
        """Switched on and off while packets come."""
        on = {"at": "15500ns", "set": "switch.qos.trim", "to": "{size: 256B, dscp: 11, tc: 4, eligible-tc: [0]}"}
        off = {"at": "20500ns", "set": "switch.qos.trim", "to": "off"}
        run = self.replay(trimming(192, "100G", 256, 11, trim="off", events=[on, off]),
                          {"swp1": by_us([udp(*to("swp2"), size=1500, ident=i) for i in range(25)])})
        run.assert_conserved()
        self.assertEqual([ip_ident(packet.data) for packet in run.dropped], [*range(10, 15), *range(20, 25)])
        self.assertEqual([ip_ident(packet.data) for packet in run.sent["swp2"]], [*range(15, 20), *range(10)])


if __name__ == "__main__":
    unittest.main()
