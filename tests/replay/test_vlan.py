# SPDX-License-Identifier: BSD-3-Clause
"""VRF-lite: on links between switches a tenant's packets have its VLAN in an 802.1Q tag; hosts see none."""
import random
import unittest

from tunnels import *

FAR_HOST, NEAR_HOST, SOURCE = "198.19.7.7", "198.18.1.9", "198.18.1.1"


def spaced(frames, step=1000):
    return [(1000 + i * step, frame) for i, frame in enumerate(frames)]


def tagged(frame, vlan, pcp=0):
    """With a tag, or with another."""
    at = layer3(frame)
    return frame[:12] + struct.pack(">HH", 0x8100, pcp << 13 | vlan) + frame[at - 2:]


def untagged(frame):
    return frame[:12] + frame[16:] if frame[12:14] == b"\x81\x00" else frame


def tag_of(frame):
    assert frame[12:14] == b"\x81\x00", frame.hex()
    return struct.unpack_from(">H", frame, 14)[0]


class Bytes(Case):
    def test_as_scapy_builds_them(self):
        """Out by an uplink: the tag of the VRF, with the priority's PCP; in by it: taken off."""
        from scapy.all import IP, UDP, Dot1Q, Ether, IPv6, Raw

        out, back = [], []
        for dscp in (0, 26, 48):
            for size in (60, 64, 300, 1500, 9000):
                out.append(udp(SOURCE, FAR_HOST, size, dscp=dscp))
        for size in (0, 18, 1000):
            for head in (IP(src=FAR_HOST, dst=NEAR_HOST, ttl=9), IPv6(src="2001:db8:c8::7", dst="2001:db8:1::9")):
                back.append(bytes(Ether(src=next_hop_mac("swp8"), dst=SWITCH_MAC) /
                                  Dot1Q(vlan=VLAN["red"], prio=3) / head / UDP(sport=9, dport=7) /
                                  Raw(b"y" * size)))
        run = self.replay(vlan_leaf(), {"swp1": spaced(out), "swp8": spaced(back)})
        run.assert_conserved()
        self.assertEqual(run.drops, {})
        for frame, sent in zip(out, run.sent["swp8"], strict=True):
            priority = {26: 3, 48: 6}.get(dscp_of(frame), 0)
            inside = Ether(unpadded(routed(frame, port="swp8")))
            built = Ether(src=SWITCH_MAC, dst=next_hop_mac("swp8")) / Dot1Q(vlan=VLAN["red"], prio=priority) / \
                inside.payload
            self.assertEqual(sent.data, bytes(built)[:len(sent.data)])
            self.assertEqual(sent.length, max(60, len(unpadded(frame)) + 4))
        for frame, sent in zip(back, run.sent["swp1"], strict=True):
            self.assertEqual(sent.data, untagged(routed(frame, port="swp1")).ljust(60, b"\0")[:len(sent.data)])
            self.assertEqual(sent.length, max(60, len(frame) - 4))
        self.assert_dissects(run.directory / "swp8.pcapng", run.directory / "swp1.pcapng")

    def test_counted_as_they_pass(self):
        frames = [udp(SOURCE, FAR_HOST, size) for size in (100, 600, 1500)]
        back = [tagged(udp(FAR_HOST, NEAR_HOST, size), VLAN["red"]) for size in (100, 600, 1500)]
        run = self.replay(vlan_leaf(), {"swp1": spaced(frames), "swp8": spaced(back)})
        run.assert_conserved()
        out, near = run.port("swp8"), run.port("swp1")
        self.assertEqual((near.rx_bytes, near.tx_bytes, out.tx_bytes, out.rx_bytes),
                         (2200, 2200, 2212, 2212))
        self.assertEqual(run.switch.tenant("red").packets, 6)

    def test_tag_is_no_part_of_the_mtu(self):
        for mtu in (1500, 9000):
            frames = [udp(SOURCE, FAR_HOST, 14 + size) for size in (mtu, mtu + 1)]
            back = [tagged(udp(FAR_HOST, NEAR_HOST, 14 + size), VLAN["red"]) for size in (mtu, mtu + 1)]
            run = self.replay(vlan_leaf(ports={port: {"mtu": mtu} for port in ("swp1", "swp8")}),
                              {"swp1": spaced(frames), "swp8": spaced(back)})
            run.assert_conserved()
            self.assertEqual(run.drops, {"mtu-exceeded": 2})
            self.assertEqual([[packet.length for packet in run.sent[port]] for port in ("swp8", "swp1")],
                             [[14 + mtu + 4, 14 + 4 + 576], [14 + mtu, 14 + 576]])     # and that the others were too big

    def test_between_switches(self):
        """What passes from uplink to uplink stays in its VRF and keeps its tag, PCP included."""
        on = [{"vrf": tenant, "prefix": "203.0.113.0/24", "via": [{"port": "swp9", "mac": next_hop_mac("swp9")}]}
              for tenant in ("red", "blue")]
        frames = [tagged(udp(FAR_HOST, "203.0.113.7"), VLAN[tenant], pcp) for tenant in ("red", "blue")
                  for pcp in range(8)]
        run = self.replay(vlan_leaf(uplinks=UPLINKS, routes=on), {"swp8": spaced(frames)})
        run.assert_conserved()
        self.assertEqual([packet.data for packet in run.sent["swp9"]],
                         [routed(frame, port="swp9") for frame in frames])


class Taken(Case):
    def test_tags_that_are_none_of_ours(self):
        for frame, reason in ((tagged(udp(FAR_HOST, NEAR_HOST), 103), "unknown-vlan"),
                              (tagged(udp(FAR_HOST, NEAR_HOST), 4095), "unknown-vlan"),
                              (tagged(udp(FAR_HOST, NEAR_HOST), 0), "no-route"),       # a priority's: VRF default
                              (udp(FAR_HOST, NEAR_HOST), "no-route"),
                              (tagged(udp(FAR_HOST, NEAR_HOST), VLAN["blue"]), "no-route")):
            run = self.replay(vlan_leaf(), {"swp8": spaced([frame])})
            run.assert_conserved()
            self.assertEqual(run.drops, {reason: 1})

    def test_hosts_choose_no_vrf(self):
        """A host's tag tells its priority alone, whatever VLAN it says."""
        frames = [tagged(udp(SOURCE, FAR_HOST), vlan, 5) for vlan in (*VLAN.values(), 0, 7)]
        run = self.replay(vlan_leaf(), {"swp1": spaced(frames)})
        run.assert_conserved()
        self.assertEqual([tag_of(packet.data) for packet in run.sent["swp8"]], [5 << 13 | VLAN["red"]] * 4)


class Isolation(Case):
    def test_none_crosses(self):
        """10,000 packets to the same addresses in two VRFs: each stays in its own."""
        rng = random.Random(6)
        inputs, sent_by = {port: [] for port in (*OWNER, "swp8")}, {}
        for number in range(10_000):
            port = rng.choice(list(inputs))
            tenant = OWNER.get(port) or rng.choice(("red", "blue"))
            address = rng.choice(["10.9.0.7", "198.19.3.3", "198.18.1.9", "198.18.2.9", "198.18.3.9", "198.18.4.9"])
            frame = udp("198.51.100.1", address, 100, sport=number, ident=number)
            inputs[port].append((1000 + number * 50, tagged(frame, VLAN[tenant]) if port == "swp8" else frame))
            sent_by[number] = tenant
        run = self.replay(vlan_leaf(uplinks=UPLINKS), inputs)
        run.assert_conserved()
        arrived = 0
        for port, packets in run.sent.items():
            for packet in packets:
                tenant = OWNER.get(port) or {vlan: one for one, vlan in VLAN.items()}[tag_of(packet.data) & 0xFFF]
                self.assertEqual(sent_by[ip_ident(packet.data)], tenant)
                arrived += 1
        self.assertEqual((arrived + run.drops["no-route"], set(run.drops)), (10_000, {"no-route"}))
        self.assertGreater(arrived, 4000)


class Mistakes(Case):
    def test_tags_for_some_next_hops(self):
        mixed = [{"vrf": "red", "prefix": "203.0.113.0/24",
                  "via": [{"port": "swp8", "mac": FAR_MAC}, {"port": "swp3", "mac": FAR_MAC}]}]
        self.assert_refused(r":1:\d+: routes.via: next hops to switches have the tag of VLAN 101, the others have none",
                            "check", self.file(vlan_leaf(routes=mixed)))


if __name__ == "__main__":
    unittest.main()
