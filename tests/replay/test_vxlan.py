# SPDX-License-Identifier: BSD-3-Clause
"""VXLAN: what a leaf puts around packets and takes off, byte for byte as scapy has it; ECN and DSCP through the
tunnel; its MTU; and that what one tenant sends never gets to another.
"""
import random
import unittest

from tunnels import *

VERSIONS = (4, 6)
FAR_HOST = {4: "198.19.7.7", 6: "2001:db8:c8::7"}
NEAR_HOST = {4: "198.18.1.9", 6: "2001:db8:1::9"}
SOURCE = {4: "198.18.1.1", 6: "2001:db8:1::1"}


def outward(version=4, size=300, **options):
    """A frame of red's host at swp1 to a host at the far leaf."""
    return udp(SOURCE[version], FAR_HOST[version], size, **options)


def inward(version=4, size=300, **options):
    """A frame of the far host to the one at swp1."""
    return udp(FAR_HOST[version], NEAR_HOST[version], size, **options)


def spaced(frames, step=1000):
    return [(1000 + i * step, frame) for i, frame in enumerate(frames)]


class Bytes(Case):
    def test_as_scapy_builds_them(self):
        """IPv4 and IPv6 inside and outside, from the least to the largest frame: every byte but the entropy."""
        from scapy.all import IP, UDP, Ether, IPv6
        from scapy.layers.vxlan import VXLAN

        for outside in VERSIONS:
            frames = [outward(inside, size, dscp=26, ecn=2, ttl=9) for inside in VERSIONS
                      for size in (60, 61, 62, 63, 64, 65, 128, 1500, 4178, 9166 - OVERHEAD[outside])]
            frames.append(roce(SOURCE[4], FAR_HOST[4], b"x" * 1024, dscp=26, ecn=1))
            frames.append(udp(SOURCE[4], FAR_HOST[4], 200, vlan=0, pcp=3))    # the priority's tag goes
            run = self.replay(vxlan_leaf(outside), {"swp1": spaced(frames)})
            run.assert_conserved()
            self.assertEqual(run.drops, {})
            for frame, sent in zip(frames, run.sent["swp8"], strict=True):
                inside = unpadded(rehop(frame, FAR_MAC))
                inside = inside[:12] + (inside[16:] if inside[12:14] == b"\x81\x00" else inside[12:])
                tos = tos_of(frame)
                head = IP(src=NEAR[4], dst=FAR[4], id=0, flags="DF", ttl=64, tos=tos) if outside == 4 else \
                    IPv6(src=NEAR[6], dst=FAR[6], tc=tos, hlim=64)
                built = Ether(src=SWITCH_MAC, dst=next_hop_mac("swp8")) / head / \
                    UDP(sport=entropy(sent.data), dport=VXLAN_PORT, chksum=0) / VXLAN(vni=VNI["red"], flags=8) / \
                    Ether(inside)
                self.assertEqual(sent.data.hex(), bytes(built).hex())
                self.assertEqual(sent.data, into_tunnel(frame if frame[12:14] != b"\x81\x00" else
                                                        frame[:12] + frame[16:], outside,
                                                        sport=entropy(sent.data), dscp=tos >> 2, ecn=tos & 3))
                self.assertGreaterEqual(entropy(sent.data), 49152)
                self.assertEqual(sent.length, len(sent.data))
                read = Ether(sent.data)
                self.assertEqual((read[VXLAN].vni, bytes(read[VXLAN].payload)), (VNI["red"], inside))
            self.assert_dissects(run.directory / "swp8.pcapng")

    def test_what_scapy_builds_is_taken(self):
        """Whatever TTL, identification, checksum and reserved bits the far end chooses."""
        from scapy.all import IP, UDP, Ether, IPv6, Raw
        from scapy.layers.vxlan import VXLAN

        for outside in VERSIONS:
            frames, expected = [], []
            for inside in VERSIONS:
                for size in (0, 18, 100, 1400, 8000):
                    head = IP(src=FAR_HOST[4], dst=NEAR_HOST[4], ttl=7) if inside == 4 else \
                        IPv6(src=FAR_HOST[6], dst=NEAR_HOST[6], hlim=7)
                    packet = Ether(src=FAR_MAC, dst=SWITCH_MAC) / head / UDP(sport=5, dport=7) / Raw(b"z" * size)
                    outer = IP(src=FAR[4], dst=NEAR[4], ttl=1, id=77, flags=0) if outside == 4 else \
                        IPv6(src=FAR[6], dst=NEAR[6], hlim=1, fl=99)
                    options = {"chksum": 0} if size % 4 else {}
                    for flags in (0x08, 0x7b):     # all but those by which GPE and GBP have another layout
                        frames.append(bytes(Ether(src=next_hop_mac("swp8"), dst=SWITCH_MAC) / outer /
                                            UDP(sport=1, dport=VXLAN_PORT, **options) /
                                            VXLAN(vni=VNI["red"], flags=flags) / packet))
                        expected.append(routed(bytes(packet), port="swp1").ljust(60, b"\0"))
            run = self.replay(vxlan_leaf(outside), {"swp8": spaced(frames)})
            run.assert_conserved()
            self.assertEqual(run.drops, {})
            self.assertEqual([packet.data for packet in run.sent["swp1"]], expected)

    def test_counted_as_they_pass(self):
        """Bytes on a port are those of the frames there: 50 more on the uplink, 70 over IPv6."""
        for version in VERSIONS:
            frames = [outward(size=size) for size in (100, 600, 1500)]
            back = [from_tunnel(inward(size=size), version) for size in (100, 600, 1500)]
            run = self.replay(vxlan_leaf(version), {"swp1": spaced(frames), "swp8": spaced(back)})
            run.assert_conserved()
            out, near = run.port("swp8"), run.port("swp1")
            self.assertEqual((near.rx_bytes, near.tx_bytes), (2200, 2200))
            self.assertEqual((out.tx_bytes, out.rx_bytes), (2200 + 3 * OVERHEAD[version],) * 2)
            # Store and forward: the frame that leaves is longer by the headers.
            for (ns, frame), sent in zip(spaced(frames), run.sent["swp8"]):
                self.assertEqual(sent.ns, (ns * 1000 + frame_ps(len(frame) + OVERHEAD[version], "100G")) // 1000)
            self.assertEqual(run.switch.tenant("red").packets, 6)

    def test_entropy(self):
        """A flow keeps its source port; 200 flows have nearly as many; both uplinks are used."""
        flows = [outward(sport=40000 + i) for i in range(200)]
        run = self.replay(vxlan_leaf(uplinks=UPLINKS), {"swp1": spaced(flows * 3)})
        run.assert_conserved()
        ports = {}
        for uplink in UPLINKS:
            for packet in run.sent[uplink]:
                ports.setdefault(inner(packet.data)[34:36], set()).add((uplink, entropy(packet.data)))
        self.assertEqual({len(seen) for seen in ports.values()}, {1})
        distinct = {sport for seen in ports.values() for _, sport in seen}
        self.assertEqual(len(ports), 200)
        # Of 200 draws from 16,384 values 1.2 fall together on average; more than 10 do so once in 10^6 times.
        self.assertGreater(len(distinct), 190)
        shares = [len(run.sent[uplink]) // 3 for uplink in UPLINKS]
        self.assertTrue(60 < shares[0] < 140, shares)


class Taken(Case):
    """What is not as it must be is dropped by name and touches nothing."""

    def dropped(self, frame, version=4, port="swp8", **keys):
        run = self.replay(vxlan_leaf(version, **keys), {port: spaced([frame])})
        run.assert_conserved()
        return dict(run.drops)

    def test_mistakes(self):
        for version in VERSIONS:
            good = from_tunnel(inward(), version)
            at = len(good) - len(inner(good))
            far = mac(FAR_MAC)

            def changed(offset, value, frame=good):
                return frame[:offset] + value + frame[offset + len(value):]

            cases = {
                "unknown-vni": [from_tunnel(inward(), version, vni=5003), from_tunnel(inward(), version, vni=0)],
                "wrong-mac": [changed(at, far)],
                "multicast-source": [changed(at + 6, b"\x03")],
                "malformed": [changed(at - 8, b"\0"), changed(at + 14, b"\x65")],
                "not-ip": [changed(at + 12, b"\x08\x06")],
                "ttl-expired": [from_tunnel(inward(ttl=1), version)],
                "no-route": [from_tunnel(udp(FAR_HOST[4], "192.0.2.1"), version)],
            }
            for reason, frames in cases.items():
                for frame in frames:
                    with self.subTest(version=version, reason=reason):
                        self.assertEqual(self.dropped(frame, version), {reason: 1})

    def test_cut_short(self):
        """Lengths that end anywhere in the headers: never anything but a drop."""
        for version in VERSIONS:
            good = from_tunnel(inward(), version)
            frames = [good[:size] for size in range(60, len(good))]
            run = self.replay(vxlan_leaf(version), {"swp8": spaced(frames)})
            run.assert_conserved()
            self.assertEqual(sum(run.drops.values()), len(frames))
            self.assertEqual(run.sent["swp1"], [])

    def test_tunnels_end_at_uplinks_only(self):
        """A host that sends VXLAN to the leaf's own address gets nowhere; to others it is payload like any."""
        frame = from_tunnel(inward())
        self.assertEqual(self.dropped(frame, port="swp1"), {"to-switch": 1})
        hosts = vxlan(unpadded(inward()), VNI["blue"], SOURCE[4], FAR_HOST[4])
        run = self.replay(vxlan_leaf(), {"swp1": spaced([hosts])})
        sent, = run.sent["swp8"]
        self.assertEqual(sent.data, into_tunnel(hosts, sport=entropy(sent.data)))

    def test_plain_packets_of_the_underlay(self):
        """What comes by an uplink without a tunnel is in the VRF default, where no tenant's host is."""
        self.assertEqual(self.dropped(udp("192.0.2.1", NEAR_HOST[4])), {"no-route": 1})
        self.assertEqual(self.dropped(udp(FAR[4], NEAR[4], dport=7)), {"to-switch": 1})


class Marks(Case):
    # RFC 6040, figure 4, by (inside, outside): what the inside becomes; None: dropped.
    TABLE = {(0, 0): 0, (0, 1): 0, (0, 2): 0, (0, 3): None,
             (2, 0): 2, (2, 1): 1, (2, 2): 2, (2, 3): 3,
             (1, 0): 1, (1, 1): 1, (1, 2): 1, (1, 3): 3,
             (3, 0): 3, (3, 1): 3, (3, 2): 3, (3, 3): 3}

    def test_ecn_out_of_the_tunnel(self):
        for version in VERSIONS:
            for inside in VERSIONS:
                frames = [from_tunnel(inward(inside, ecn=mine, sport=1000 + i), version, ecn=outer)
                          for i, (mine, outer) in enumerate(self.TABLE)]
                run = self.replay(vxlan_leaf(version), {"swp8": spaced(frames)})
                run.assert_conserved()
                self.assertEqual(run.drops, {"tunnel-ecn": 1})
                expected = [ecn for ecn in self.TABLE.values() if ecn is not None]
                self.assertEqual([ecn_of(packet.data) for packet in run.sent["swp1"]], expected)
                if inside == 4:
                    self.assertTrue(all(header_valid(packet.data) for packet in run.sent["swp1"]))

    def test_ecn_into_the_tunnel(self):
        """Normal mode: outside as inside."""
        for version in VERSIONS:
            frames = [outward(inside, ecn=ecn) for inside in VERSIONS for ecn in range(4)]
            run = self.replay(vxlan_leaf(version), {"swp1": spaced(frames)})
            self.assertEqual([(ecn_of(packet.data), ecn_of(inner(packet.data))) for packet in run.sent["swp8"]],
                             [(ecn, ecn) for _ in VERSIONS for ecn in range(4)])

    def test_dscp(self):
        """uniform: copied out and in, 64 times. pipe: outside that of the priority, inside untouched."""
        for version in VERSIONS:
            for kind in ("uniform", "pipe"):
                frames = [outward(dscp=dscp) for dscp in range(64)]
                back = [from_tunnel(inward(dscp=63 - dscp), version, dscp=dscp) for dscp in range(64)]
                run = self.replay(vxlan_leaf(version, kind), {"swp1": spaced(frames), "swp8": spaced(back)})
                run.assert_conserved()
                # By ROOMY: 3 and 26 are of priority 3, 4 of 4, 48 of 6, else DSCP / 8; of each the lowest stands.
                priority = [{3: 3, 26: 3, 4: 4, 48: 6}.get(dscp, dscp // 8) for dscp in range(64)]
                stands = {3: 3, 4: 4, 6: 48}
                for dscp, packet in enumerate(run.sent["swp8"]):
                    outside = dscp if kind == "uniform" else stands.get(priority[dscp], priority[dscp] * 8)
                    self.assertEqual((dscp_of(packet.data), dscp_of(inner(packet.data))), (outside, dscp))
                self.assertEqual([dscp_of(packet.data) for packet in run.sent["swp1"]],
                                 list(range(64)) if kind == "uniform" else list(range(63, -1, -1)))
                # On the uplink the outer mark tells the priority.
                counted = run.port("swp8").groups.packets
                self.assertEqual(counted[3], priority.count(3))

    def test_marked_between_switches(self):
        """What an uplink's queue marks is the outer header: the far end tells the host."""
        tc = {3: {"ecn": {"min": "1KB", "max": "1KB", "probability": "100%"}}}
        frames = [outward(dscp=26, ecn=ecn, size=1000) for ecn in (2, 0, 1, 3, 2)]
        run = self.replay(vxlan_leaf(events=hold("swp8", until="20us"), qos={"tc": tc}), {"swp1": spaced(frames, 100)})
        self.assertEqual([(ecn_of(packet.data), ecn_of(inner(packet.data))) for packet in run.sent["swp8"]],
                         [(3, 2), (0, 0), (3, 1), (3, 3), (2, 2)])


class Mtu(Case):
    def test_into_the_tunnel(self):
        """The outer packet has to fit: 50 bytes more than the inner one, 70 over IPv6. Exact, and one more."""
        for version in VERSIONS:
            for inside in VERSIONS:
                for mtu in (1550, 4270, 9166):
                    fits = 14 + mtu - TUNNEL_IP[version]
                    frames = [outward(inside, size) for size in (fits, fits + 1)]
                    run = self.replay(vxlan_leaf(version, ports={"swp8": {"mtu": mtu}}), {"swp1": spaced(frames)})
                    run.assert_conserved()
                    self.assertEqual(run.drops, {"mtu-exceeded": 1})
                    sent, = run.sent["swp8"]
                    self.assertEqual(sent.length, 14 + mtu)

    def test_out_of_it(self):
        """The host's port asks for the inner packet."""
        for version in VERSIONS:
            frames = [from_tunnel(inward(size=14 + size), version) for size in (1500, 1501)]
            run = self.replay(vxlan_leaf(version, ports={"swp1": {"mtu": 1500}}), {"swp8": spaced(frames)})
            run.assert_conserved()
            self.assertEqual((dict(run.drops), [packet.length for packet in run.sent["swp1"]]),
                             ({"mtu-exceeded": 1}, [1514]))


class Isolation(Case):
    def test_none_crosses(self):
        """10,000 packets to the same addresses in two VRFs, from hosts and out of tunnels: each stays in its own."""
        rng = random.Random(5)
        inputs, sent_by = {port: [] for port in (*OWNER, "swp8")}, {}
        for number in range(10_000):
            port = rng.choice(list(inputs))
            tenant = OWNER.get(port) or rng.choice(("red", "blue"))
            address = rng.choice(["10.9.0.7", "198.19.3.3", "198.18.1.9", "198.18.2.9", "198.18.3.9", "198.18.4.9",
                                  "172.16.0.2", "172.16.0.1"])
            frame = udp("198.51.100.1", address, 100, sport=number, ident=number)
            if port == "swp8":
                frame = from_tunnel(frame, tenant=tenant)
            inputs[port].append((1000 + number * 50, frame))
            sent_by[number] = tenant
        run = self.replay(vxlan_leaf(), inputs)
        run.assert_conserved()
        arrived = 0
        for port, tenant in OWNER.items():
            for packet in run.sent[port]:
                self.assertEqual(sent_by[ip_ident(packet.data)], tenant)
                arrived += 1
        for packet in run.sent["swp8"]:
            self.assertEqual(sent_by[ip_ident(inner(packet.data))],
                             {vni: tenant for tenant, vni in VNI.items()}[vni_of(packet.data)])
            arrived += 1
        self.assertEqual((arrived + run.drops["no-route"] + run.drops["to-switch"], set(run.drops)), (10_000, {"no-route", "to-switch"}))
        self.assertEqual(set(answers(run.nodes)), {"no-way-back"})
        self.assertGreater(arrived, 4000)
        for tenant in VNI:
            self.assertGreater(run.switch.tenant(tenant).packets, 1000)

    def test_leaks_as_configured(self):
        """A route of red's into blue's VRF at the far leaf has blue's VNI; there is no way back without another."""
        leak = [{"vrf": "red", "prefix": "203.0.113.0/24",
                 "via": [{"vtep": FAR[4], "mac": FAR_MAC, "vni": VNI["blue"]}]},
                {"vrf": "red", "prefix": "198.18.4.0/24", "via": [{"port": "swp4", "mac": next_hop_mac("swp4")}]}]
        out = [udp(SOURCE[4], "203.0.113.5"), udp(SOURCE[4], "198.18.4.5")]
        back = [udp("198.18.2.1", "203.0.113.5"), udp("198.18.2.1", NEAR_HOST[4])]
        run = self.replay(vxlan_leaf(routes=leak), {"swp1": spaced(out), "swp2": spaced(back)})
        run.assert_conserved()
        self.assertEqual([vni_of(packet.data) for packet in run.sent["swp8"]], [VNI["blue"]])
        self.assertEqual(len(run.sent["swp4"]), 1)
        self.assertEqual(run.drops, {"no-route": 2})


class Routes(Case):
    def test_the_underlay_moves(self):
        """A tunnel follows the route to its far end; without one its packets have none."""
        def move(at, via):
            return {"at": at, "route": {"prefix": f"{FAR[4]}/32", "via": via}}

        swp9 = [{"port": "swp9", "mac": next_hop_mac("swp9")}]
        events = [move("10us", swp9), move("20us", []), move("30us", swp9)]
        frames = spaced([outward(ident=i) for i in range(40)])
        run = self.replay(vxlan_leaf(uplinks=UPLINKS, events=events), {"swp1": frames})
        run.assert_conserved()
        self.assertEqual(dict(run.drops), {"no-route": 10})
        after = [ip_ident(inner(packet.data)) for packet in run.sent["swp9"] if packet.ns > 10_000]
        self.assertEqual([ident for ident in after if 9 <= ident < 19], list(range(9, 19)))
        self.assertEqual([ident for ident in after if ident >= 29], list(range(29, 40)))

    def test_mistakes(self):
        def refused(pattern, **changes):
            self.assert_refused(pattern, "check", self.file(vxlan_leaf(**changes)))

        def red(prefix="203.0.113.0/24", **via):
            return [{"vrf": "red", "prefix": prefix, "via": [via]}]

        refused(r":1:\d+: routes.via: VRF default has no route to 172.16.0.9$",
                routes=red(vtep="172.16.0.9", mac=FAR_MAC))
        refused(r":1:\d+: routes.via: an IPv6 address, and this end has an IPv4 one$",
                routes=red(vtep="fd00::9", mac=FAR_MAC))
        refused(r":1:\d+: routes.via: an IPv4 address, and this end has an IPv6 one$", version=6,
                routes=red(vtep="172.16.0.9", mac=FAR_MAC))
        refused(r":1:\d+: routes.via: needs `mac:`, the address of the far end's router$", routes=red(vtep=FAR[4]))
        refused(r":1:\d+: routes.via: this end's own address$", routes=red(vtep=NEAR[4], mac=FAR_MAC))
        refused(r":1:\d+: routes.via: not an IPv4 or IPv6 address$", routes=red(vtep="leaf2", mac=FAR_MAC))
        refused(r":1:\d+: routes.via: tunnels go through VRF default",
                routes=[{"prefix": "203.0.113.0/24", "via": [{"vtep": FAR[4], "mac": FAR_MAC}]}])
        refused(r":1:\d+: routes.via: must be the only next hop: a route has one tunnel$",
                routes=[{"vrf": "red", "prefix": "203.0.113.0/24",
                         "via": [{"vtep": FAR[4], "mac": FAR_MAC}, {"port": "swp8", "mac": FAR_MAC}]}])
        without = vxlan_leaf()
        del without["switch"]["vtep"]
        self.assertRegex(roost("check", self.file(without), status=2).err,
                         r":1:\d+: routes.via: needs `vtep:` of the switch, the tunnel's end here")
        late = vxlan_leaf(events=[{"at": "1us", "route": red(vtep="172.16.0.9", mac=FAR_MAC)[0]}])
        self.assertRegex(roost("check", self.file(late), status=2).err,
                         r":1:\d+: events.route.via: VRF default has no route to 172.16.0.9\n")


if __name__ == "__main__":
    unittest.main()
