# SPDX-License-Identifier: BSD-3-Clause
"""IP-in-IP that ends at the switch: which packets it decapsulates, what leaves of them, byte for byte, and by which
DSCP they are classified.
"""
import unittest

from common import *

VERSIONS = (4, 6)
HERE = {4: "10.1.0.32", 6: "fc00:1::32"}       # where IP-in-IP ends
ALSO_HERE = "10.1.0.33"
FAR = {4: "192.0.2.7", 6: "2001:db8:ff::7"}    # where it comes from
PROTOCOL = {4: 4, 6: 41}
OUTER = {4: 20, 6: 40}
# RFC 6040, figure 4: (inner, outer) -> what leaves; None: dropped. 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
STANDARD = {(0, 0): 0, (0, 2): 0, (0, 1): 0, (0, 3): None,
            (2, 0): 2, (2, 2): 2, (2, 1): 1, (2, 3): 3,
            (1, 0): 1, (1, 2): 1, (1, 1): 1, (1, 3): 3,
            (3, 0): 3, (3, 2): 3, (3, 1): 3, (3, 3): 3}


def decapsulating(ports=3, ipip=None, **keys):
    return switch(ports, ipip={"address": [HERE[4], ALSO_HERE, HERE[6]]} | (ipip or {}), **keys)


def inner(version=4, port="swp2", **options):
    return udp(*(to(port) if version == 4 else to6(port)), **options)


def unpadded(frame):
    """The IP packet of a frame."""
    at = layer3(frame)
    length = struct.unpack_from(">H", frame, at + 4)[0] + 40 if frame[at] >> 4 == 6 else \
        struct.unpack_from(">H", frame, at + 2)[0]
    return frame[at:at + length]


def wrap(frame, version=4, dst=None, vlan=None, pcp=0, **options):
    """A frame's IP packet in IP of this version, as another router sends it here. Options: dscp, ecn, ttl, ident."""
    packet = unpadded(frame)
    ethertype, outside = ip(packet, PROTOCOL[packet[0] >> 4], FAR[version], dst or HERE[version], **options)
    return ethernet(outside, ethertype, vlan=vlan, pcp=pcp)


def unwrapped(frame, **changes):
    """What leaves of it, by the frame that was inside."""
    return unpadded_frame(routed(frame, **changes)).ljust(60, b"\0")


def unpadded_frame(frame):
    return frame[:layer3(frame)] + unpadded(frame)


def spaced(frames, step=1000):
    return [(1000 + i * step, frame) for i, frame in enumerate(frames)]


class Ipip(Case):
    def decapsulated(self, frames, ipip=None, **keys):
        run = self.replay(decapsulating(ipip=ipip, **keys), {"swp1": spaced(frames)})
        run.assert_conserved()
        return run

    def bytes_sent(self, run, port="swp2"):
        return [packet.data.hex() for packet in run.sent[port]]


class Bytes(Ipip):
    def test_each_in_each(self):
        """IPv4 and IPv6 in both, from the least to the largest frame; counted as they pass."""
        for outside in VERSIONS:
            inside = [inner(version, size=size, ident=size, dscp=9, ecn=2) for version in VERSIONS
                      for size in (60, 61, 62, 64, 100, 300, 1500, 9000)]
            inside.append(roce(*to("swp2"), b"x" * 1024, dscp=9, ecn=2))
            frames = [wrap(frame, outside, dscp=9, ecn=2, ttl=3) for frame in inside]
            run = self.decapsulated(frames)
            self.assertEqual(run.drops, {})
            self.assertEqual(self.bytes_sent(run), [unwrapped(frame).hex() for frame in inside])
            self.assertEqual([packet.length for packet in run.sent["swp2"]],
                             [len(unwrapped(frame)) for frame in inside])
            self.assertTrue(icrc_valid(run.sent["swp2"][-1].data))
            self.assertEqual((run.port("swp1").rx_packets, run.port("swp1").rx_bytes),
                             (len(frames), sum(map(len, frames))))
            self.assertEqual((run.port("swp2").tx_packets, run.port("swp2").tx_bytes),
                             (len(frames), sum(len(unwrapped(frame)) for frame in inside)))
            # Store and forward: the frame that leaves is shorter by the outer header.
            for i, (frame, sent) in enumerate(zip(inside, run.sent["swp2"])):
                self.assertEqual(sent.ns, (1000 * (i + 1) * 1000 + frame_ps(len(unwrapped(frame)), "100G")) // 1000)
            self.assert_dissects(run.directory / "swp2.pcapng")

    def test_what_scapy_builds(self):
        """Whatever identification, TTL, options, extension headers and tags the far end chooses."""
        from scapy.all import IP, UDP, Ether, IPOption, IPv6, IPv6ExtHdrDestOpt, PadN, Dot1Q, Raw

        frames, expected = [], []
        outers = [IP(src=FAR[4], dst=HERE[4], ttl=1, id=77), IP(src=FAR[4], dst=ALSO_HERE, flags="DF"),
                  IP(src=FAR[4], dst=HERE[4], options=[IPOption(b"\x01" * 8)]),
                  IPv6(src=FAR[6], dst=HERE[6], hlim=1, fl=99),
                  IPv6(src=FAR[6], dst=HERE[6]) / IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 4)])]
        heads = {4: IP(src=to("swp2")[0], dst=to("swp2")[1], ttl=7), 6: IPv6(src=to6("swp2")[0], dst=to6("swp2")[1])}
        for outer in outers:
            for head in heads.values():
                for tags in ((), (Dot1Q(vlan=0, prio=3),)):
                    packet = head / UDP(sport=5, dport=7) / Raw(b"z" * 90)
                    frame = Ether(src=HOST_MAC, dst=SWITCH_MAC)
                    for tag in tags:
                        frame /= tag
                    frames.append(bytes(frame / outer / packet))
                    expected.append(routed(bytes(Ether() / packet)).hex())
        run = self.decapsulated(frames)
        self.assertEqual(run.drops, {})
        self.assertEqual(self.bytes_sent(run), expected)

    def test_padding_goes(self):
        """Bytes behind the outer packet do not pass; the inner packet may end before it."""
        frames = [wrap(inner(size=100)) + b"\xee" * 30, wrap(inner(size=100))]
        longer = bytearray(frames[1] + b"\xdd" * 8)
        struct.pack_into(">H", longer, 16, len(longer) - 14)
        longer[24:26] = bytes(2)
        struct.pack_into(">H", longer, 24, checksum(bytes(longer[14:34])))
        run = self.decapsulated([*frames, bytes(longer)])
        self.assertEqual(self.bytes_sent(run), [unwrapped(inner(size=100)).hex()] * 3)


class Marks(Ipip):
    def pairs(self, outside=(0, 10, 26, 46), inside=(0, 24, 48)):
        return [(mine, outer) for mine in inside for outer in outside]

    def frames(self, pairs, version=4):
        return [wrap(inner(version, dscp=mine, ident=i), dscp=outer) for i, (mine, outer) in enumerate(pairs)]

    def queues(self, dscps):
        """Packets by ROOMY's queue: 3 has priority 3 (DSCP 3, 24 to 31), 6 has 48 and up to 55."""
        count = [0] * 8
        for dscp in dscps:
            count[3 if dscp == 3 or 24 <= dscp < 32 else 6 if 48 <= dscp < 56 else 0] += 1
        return count

    def assert_classified(self, run, dscps):
        queues = self.queues(dscps)
        self.assertEqual(run.port("swp2").queues.packets, queues)
        self.assertEqual(run.port("swp1").groups.packets, [queues[0] + queues[6], 0, 0, queues[3], 0, 0, 0, 0])

    def test_uniform(self):
        """The outer DSCP leaves and counts."""
        for version in VERSIONS:
            pairs = self.pairs()
            run = self.decapsulated(self.frames(pairs, version))
            self.assertEqual([dscp_of(packet.data) for packet in run.sent["swp2"]], [outer for _, outer in pairs])
            self.assertTrue(version == 6 or all(header_valid(packet.data) for packet in run.sent["swp2"]))
            self.assert_classified(run, [outer for _, outer in pairs])

    def test_pipe(self):
        """The inner DSCP stays and counts."""
        for version in VERSIONS:
            pairs = self.pairs()
            run = self.decapsulated(self.frames(pairs, version), {"dscp": "pipe"})
            self.assertEqual([dscp_of(packet.data) for packet in run.sent["swp2"]], [mine for mine, _ in pairs])
            self.assert_classified(run, [mine for mine, _ in pairs])

    def test_map(self):
        """The tunnel's map takes the outer DSCP in either mode, before whatever the port trusts."""
        pairs = self.pairs(outside=(2, 6, 40), inside=(3, 4))
        for mode in ("uniform", "pipe"):
            for trust in (["dscp"], ["pcp", "dscp"], []):
                with self.subTest(mode=mode, trust=trust):
                    frames = [wrap(inner(dscp=mine), dscp=outer, vlan=0, pcp=1) for mine, outer in pairs]
                    run = self.decapsulated(frames, {"dscp": mode, "dscp-to-priority": {2: 3, 6: 6}},
                                            qos={"trust": trust})
                    self.assertEqual(run.port("swp2").queues.packets, [2, 0, 0, 2, 0, 0, 2, 0])
                    self.assertEqual([dscp_of(packet.data) for packet in run.sent["swp2"]],
                                     [outer if mode == "uniform" else mine for mine, outer in pairs])

    def test_unlisted(self):
        """What the map does not list is DSCP / 8, or its default."""
        frames = self.frames([(0, 24), (0, 48), (0, 1)])
        for listed, queues in (({1: 0}, [1, 0, 0, 1, 0, 0, 1, 0]), ({1: 3, "default": 6}, [0, 0, 0, 1, 0, 0, 2, 0])):
            run = self.decapsulated(frames, {"dscp-to-priority": listed})
            self.assertEqual(run.port("swp2").queues.packets, queues)

    def test_groups(self):
        """As SONiC's AZURE_TUNNEL maps of a dual ToR: DSCP 2 and 6 to TC 3 and 4, TC 3 and 4 to groups 2 and 6.
        Packets that came plain keep to the groups of `qos`."""
        ipip = {"dscp": "pipe", "dscp-to-priority": {2: 3, 6: 4}, "priority-to-pg": {3: 2, 4: 6}}
        lossless = {"lossless": "true", "pool": "ingress-lossless", "alpha": "unlimited", "headroom": "0B"}
        qos = {"priority-to-pg": {2: 2, 3: 3, 4: 4, 6: 6, "default": 0}, "priority-to-tc": {3: 3, 4: 4, "default": 0},
               "pg": {2: lossless, 4: lossless, 6: lossless}, "pfc": {"priorities": [2, 3, 4, 6]}}
        frames = [wrap(inner(dscp=3), dscp=2), wrap(inner(dscp=4), dscp=6), wrap(inner(dscp=4), dscp=6),
                  wrap(inner(dscp=3), dscp=0), inner(dscp=3), inner(dscp=4)]
        run = self.decapsulated(frames, ipip, qos=qos)
        self.assertEqual(run.drops, {})
        self.assertEqual(run.port("swp1").groups.packets, [1, 0, 1, 1, 1, 0, 2, 0])
        self.assertEqual(run.port("swp2").queues.packets, [1, 0, 0, 2, 3, 0, 0, 0])

    def test_ecn(self):
        for outside in VERSIONS:
            for inside in VERSIONS:
                frames = [wrap(inner(inside, ecn=mine, sport=1000 + i), outside, ecn=outer)
                          for i, (mine, outer) in enumerate(STANDARD)]
                run = self.decapsulated(frames)
                self.assertEqual(run.drops, {"tunnel-ecn": 1})
                self.assertEqual([ecn_of(packet.data) for packet in run.sent["swp2"]],
                                 [ecn for ecn in STANDARD.values() if ecn is not None])
                run = self.decapsulated(frames, {"ecn": "copy-from-outer"})
                self.assertEqual(run.drops, {})
                self.assertEqual([ecn_of(packet.data) for packet in run.sent["swp2"]], [outer for _, outer in STANDARD])

    def test_ttl(self):
        """pipe: the inner TTL, one less. uniform: the outer one, one less, whatever the inner one was."""
        for outside in VERSIONS:
            for inside in VERSIONS:
                at = 14 + (7 if inside == 6 else 8)
                frames = [wrap(inner(inside, ttl=mine), outside, ttl=outer)
                          for mine, outer in ((9, 200), (2, 1), (1, 64), (255, 2))]
                run = self.decapsulated(frames, icmp="off")
                self.assertEqual(run.drops, {"ttl-expired": 1})
                self.assertEqual([packet.data[at] for packet in run.sent["swp2"]], [8, 1, 254])
                run = self.decapsulated(frames, {"ttl": "uniform"}, icmp="off")
                self.assertEqual(run.drops, {"ttl-expired": 1})
                self.assertEqual([packet.data[at] for packet in run.sent["swp2"]], [199, 63, 1])
                self.assertTrue(inside == 6 or all(header_valid(packet.data) for packet in run.sent["swp2"]))

    def test_remark(self):
        """By the priority that the tunnel gave it, and at the packet that was inside."""
        run = self.decapsulated([wrap(inner(dscp=9), dscp=2)],
                                {"dscp": "pipe", "dscp-to-priority": {2: 3}}, qos={"remark": {"dscp": {3: 33}}})
        self.assertEqual(self.bytes_sent(run), [unwrapped(inner(dscp=9), dscp=33).hex()])


class Taken(Ipip):
    """Which packets are decapsulated, and what becomes of the others."""

    def test_not_ours(self):
        """Another destination, or another protocol: routed as any packet is."""
        theirs = [wrap(inner(), dst=to("swp3")[1]), wrap(inner(6), 6, dst=to6("swp3")[1]),
                  udp(FAR[4], to("swp3")[1])]
        run = self.decapsulated([*theirs, udp(FAR[4], HERE[4]), udp(FAR[6], HERE[6])], icmp="off")
        self.assertEqual(run.drops, {"no-route": 2})
        self.assertEqual(self.bytes_sent(run, "swp3"), [routed(frame, port="swp3").hex() for frame in theirs])
        off = self.decapsulated([wrap(inner())], {"enabled": "off"}, icmp="off")
        self.assertEqual(off.drops, {"no-route": 1})

    def test_fragments(self):
        """A fragment of the outer packet is routed like any other; a fragment inside is decapsulated."""
        def fragment(frame, at, bits):
            changed = bytearray(frame)
            struct.pack_into(">H", changed, at + 6, bits)
            changed[at + 10:at + 12] = bytes(2)
            struct.pack_into(">H", changed, at + 10, checksum(bytes(changed[at:at + 20])))
            return bytes(changed)

        for bits in (0x2000, 0x0001, 0x2001):
            inside = fragment(inner(), 14, bits)
            run = self.decapsulated([wrap(inside), fragment(wrap(inner()), 14, bits)], icmp="off")
            self.assertEqual(run.drops, {"no-route": 1})
            self.assertEqual(self.bytes_sent(run), [unwrapped(inside).hex()])

    def test_one_header(self):
        """What is inside may be IP-in-IP, too: it is routed by its own header, and not opened."""
        run = self.decapsulated([wrap(wrap(inner(), dst=to("swp3")[1])), wrap(wrap(inner()))], icmp="off")
        self.assertEqual(run.drops, {"no-route": 1})
        self.assertEqual(self.bytes_sent(run, "swp3"), [unwrapped(wrap(inner(), dst=to("swp3")[1]), port="swp3").hex()])

    def test_mistakes(self):
        """Each drops by its name, and counts once, at the port where it came in."""
        for outside in VERSIONS:
            at = 14 + OUTER[outside]
            for inside in VERSIONS:
                good = wrap(inner(inside), outside)

                def changed(offset, value, frame=good):
                    return frame[:offset] + value + frame[offset + len(value):]

                cases = {"malformed": [changed(at, b"\x75"), changed(at, b"\x01")],
                         "no-route": [wrap(udp("198.18.9.9", "192.0.2.1") if inside == 4
                                           else udp(FAR[6], "2001:db8:99::1"), outside)],
                         "multicast": [wrap(udp("198.18.9.9", "224.0.0.9") if inside == 4
                                            else udp(FAR[6], "ff0e::9"), outside)],
                         "martian": [wrap(udp("127.0.0.1", to("swp2")[1]) if inside == 4
                                          else udp("::1", to6("swp2")[1]), outside)]}
                if inside == 4:
                    cases["malformed"] += [changed(at, b"\x44")]
                    cases["bad-checksum"] = [changed(at + 10, bytes([good[at + 10] ^ 1]))]
                # An inner packet that claims to go on behind the outer one, in a frame that does.
                long = bytearray(good + bytes(64))
                struct.pack_into(">H", long, at + (2 if inside == 4 else 4), len(unpadded(inner(inside))) + (40 if inside == 4 else 0))
                if inside == 4:
                    long[at + 10:at + 12] = bytes(2)
                    struct.pack_into(">H", long, at + 10, checksum(bytes(long[at:at + 20])))
                cases["malformed"].append(bytes(long))
                for reason, frames in cases.items():
                    with self.subTest(outside=outside, inside=inside, reason=reason):
                        run = self.decapsulated(frames, icmp="off")
                        self.assertEqual(run.drops, {reason: len(frames)})
                        self.assertEqual(run.sent["swp2"], [])

    def test_too_short(self):
        """An outer packet that has no room for the header inside."""
        for outside in VERSIONS:
            for inside in VERSIONS:
                for size in (0, 1, OUTER[inside] - 1):
                    ethertype, outer = ip(unpadded(inner(inside))[:size], PROTOCOL[inside], FAR[outside], HERE[outside])
                    run = self.decapsulated([ethernet(outer, ethertype) + bytes(60)])
                    self.assertEqual(run.drops, {"malformed": 1}, (outside, inside, size))

    def test_truncated(self):
        """A frame that ends before its packets do, within any of the headers or behind them."""
        for outside in VERSIONS:
            for inside in VERSIONS:
                frame = wrap(inner(inside, size=200), outside)
                ends = 14 + OUTER[outside], 14 + OUTER[outside] + OUTER[inside], len(frame)
                frames = [frame[:end - less] for end in ends for less in (1, 8)]
                run = self.decapsulated(frames)
                self.assertEqual(run.drops, {"truncated": len(frames)})

    def test_trimmed_upstream(self):
        """At a switch that trims, UDP that claims more than its IP packet has passes if the inner frame has a size that
        a switch can have trimmed it to; the outer frame's size does not matter."""
        for size, passes in ((240, False), (256, True), (257, False), (1008, True), (1024, True), (1028, False)):
            whole = bytearray(inner(size=size))
            at = layer3(whole) + 20 + 4
            whole[at:at + 2] = (4000).to_bytes(2, "big")
            run = self.decapsulated([wrap(bytes(whole))], qos={"trim": {"eligible-tc": [0]}})
            self.assertEqual(run.drops, {} if passes else {"malformed": 1}, size)

    def test_vrf(self):
        """The inner packet is routed in the VRF of the port where the outer one came in."""
        hop = {port: [{"port": port, "mac": next_hop_mac(port)}] for port in ("swp3", "swp4")}
        description = decapsulating({"swp1": {"vrf": "red", "tenant": "red"}, "swp2": {"vrf": "blue", "tenant": "blue"},
                                     "swp3": {"vrf": "red", "tenant": "red"}, "swp4": {"vrf": "blue", "tenant": "blue"}},
                                    tenants={"red": {}, "blue": {}})
        description["switch"]["routes"] = [
            {"vrf": "red", "prefix": "203.0.113.0/24", "via": hop["swp3"]},
            {"vrf": "blue", "prefix": "203.0.113.0/24", "via": hop["swp4"]}]
        frame = udp("198.18.9.9", "203.0.113.9")
        run = self.replay(description, {"swp1": spaced([wrap(frame)] * 2), "swp2": spaced([wrap(frame)] * 3)})
        run.assert_conserved()
        self.assertEqual({port: self.bytes_sent(run, port) for port in ("swp3", "swp4")},
                         {"swp3": [unwrapped(frame, port="swp3").hex()] * 2,
                          "swp4": [unwrapped(frame, port="swp4").hex()] * 3})
        self.assertEqual([run.switch.tenant(name).packets for name in ("red", "blue")], [2, 3])

    def test_errors_are_answered(self):
        """An ICMP error goes to the inner source and quotes the inner packet."""
        frame = udp("198.18.3.7", "192.0.2.1", ttl=9)
        run = self.decapsulated([wrap(frame)])
        self.assertEqual(run.drops, {"no-route": 1})
        answer, = run.sent["swp3"]
        at = layer3(answer.data)
        self.assertEqual((answer.data[at + 9], answer.data[at + 20:at + 22]), (1, b"\x03\x00"))
        self.assertEqual(answer.data[at + 28:at + 48], unpadded(frame)[:20])


class Changes(Ipip):
    def test_waiting_packets_stay(self):
        """Packets that wait when tables change stay in the queue that the tunnel's map gave them, in their order,
        and move where a new map says otherwise."""
        frames = [wrap(inner(dscp=9, ident=i), dscp=2) for i in range(20)]
        for key, value, queue in (("qos.tc.0.weight", "7", 3), ("ipip.dscp-to-priority.2", "6", 6)):
            events = hold("swp2", until="60us") + [{"at": "40us", "set": f"switch.{key}", "to": value}]
            run = self.decapsulated(frames, {"dscp": "pipe", "dscp-to-priority": {2: 3}},
                                    events=sorted(events, key=lambda event: float(event["at"][:-2])))
            self.assertEqual([(ip_ident(packet.data), dscp_of(packet.data)) for packet in run.sent["swp2"]],
                             [(i, 9) for i in range(20)])
            self.assertEqual(run.port("swp2").queues.packets[queue], 20, key)

    def test_switched_under_way(self):
        """From one packet to the next; nothing else changes."""
        frames = [wrap(inner(dscp=24, ident=i), dscp=10) for i in range(9)]
        events = [{"at": "3500ns", "set": "switch.ipip.dscp", "to": "pipe"},
                  {"at": "6500ns", "set": "switch.ipip.enabled", "to": "off"}]
        run = self.decapsulated(frames, events=events, icmp="off")
        self.assertEqual([(ip_ident(packet.data), dscp_of(packet.data)) for packet in run.sent["swp2"]],
                         [(i, 10 if i < 3 else 24) for i in range(6)])
        self.assertEqual(run.drops, {"no-route": 3})

    def test_order_across_a_change(self):
        """A change that turns from the outer DSCP to the inner one, or back, takes the packets that wait along: none of
        those behind it overtakes them."""
        frames = [wrap(inner(dscp=48, ident=i), dscp=2) for i in range(40)]
        for ipip, key, value in (({"dscp": "pipe", "dscp-to-priority": {2: 0}}, "dscp-to-priority", "{}"),
                                 ({"dscp": "uniform"}, "dscp", "pipe"),
                                 ({"dscp": "pipe"}, "dscp-to-priority", "{2: 3}"),
                                 ({"dscp": "pipe", "dscp-to-priority": {2: 0}}, "dscp", "uniform")):
            with self.subTest(ipip=ipip, key=key):
                held, released = hold("swp2", until="100us")
                events = [held, {"at": "20500ns", "set": f"switch.ipip.{key}", "to": value}, released]
                run = self.decapsulated(frames, ipip, events=events)
                self.assertEqual([ip_ident(packet.data) for packet in run.sent["swp2"]], list(range(40)))


class Mistakes(Case):
    def test_refused(self):
        for ipip, pattern in (
                ({"dscp": "pipe"}, r": ipip: needs `address`: the addresses to which tunnels are sent$"),
                ({"address": []}, r": ipip: needs `address`"),
                ({"address": ["10.1.0.32", "fc00::1", "10.1.0.32"]}, r"address: this address is listed twice$"),
                ({"address": ["224.0.0.1"]}, r"address: .*224.0.0.1"),
                ({"address": ["10.1.0.0/24"]}, r"address: .*10.1.0.0/24"),
                ({"address": [f"10.1.0.{i}" for i in range(1, 18)]}, r"address: 17 items: 16 at most$"),
                ({"address": "10.1.0.32", "dscp": "short"}, r"dscp: .*uniform.*pipe"),
                ({"address": "10.1.0.32", "dscp-to-priority": {64: 1}}, r"dscp-to-priority"),
                ({"address": "10.1.0.32", "priority-to-pg": {3: 8}}, r"priority-to-pg")):
            with self.subTest(ipip=ipip):
                self.assert_refused(pattern, "check", self.file(switch(ipip=ipip)))


if __name__ == "__main__":
    unittest.main()
