# SPDX-License-Identifier: BSD-3-Clause
"""ICMP errors and echo replies of a switch: every byte, when they leave, what they count as, and when it stays silent."""
import unittest

from answers import *

HOST4, HOST6 = "198.18.1.9", "2001:db8:1::9"    # behind swp1
FAR4, FAR6 = "198.18.2.9", "2001:db8:2::9"      # behind swp2
NOWHERE4, NOWHERE6 = "192.0.2.1", "2001:db8:99::1"
ROUTES = [{"prefix": f"198.18.{n}.0/24", "via": [{"port": f"swp{n}", "mac": next_hop_mac(f"swp{n}")}]} for n in (1, 2)] + \
         [{"prefix": f"2001:db8:{n}::/64", "via": [{"port": f"swp{n}", "mac": next_hop_mac(f"swp{n}")}]} for n in (1, 2)]
NETDEV = {"swp1": {"netdev": "veth1"}, "swp2": {"mtu": 1400}}
SMALL = {"swp1": {}, "swp2": {"mtu": 1400}}


def raw(src, dst, protocol, payload=b"payload!", **options):
    return ethernet(ip(payload, protocol, src, dst, **options)[1], 0x86DD if version(src) == 6 else 0x0800)


def fragment4(packet, offset=0, more=True):
    data = bytearray(packet)
    struct.pack_into(">H", data, 6, (0x2000 if more else 0) | offset)
    data[10:12] = bytes(2)
    struct.pack_into(">H", data, 10, checksum(bytes(data[:20])))
    return frame(bytes(data))


def fragment6(src, dst, offset=0, more=True, protocol=17, ttl=64):
    return frame(ip(struct.pack(">BBHI", protocol, 0, offset << 3 | more, 5) + bytes(32), 44, src, dst, ttl=ttl)[1])


class Answers(Case):
    STEP = 10_000

    def ask(self, *questions, dut=None, port="swp1", **options):
        """What the switch does when it gets these frames, one every 10 us."""
        run = self.replay(dut or switch(**options), {port: [(self.STEP * (i + 1), one) for i, one in enumerate(questions)]})
        run.assert_conserved()
        return run

    def assert_answers(self, kind, reason, *pairs, dst=None, **options):
        """Questions and the packets that answer them: nothing else leaves, each at once, to where the question came from."""
        run = self.ask(*(question for question, _ in pairs), **options)
        self.assertEqual([name for name, packets in run.sent.items() if packets], ["swp1"], run.drops)
        for i, (got, (question, packet)) in enumerate(zip(run.sent["swp1"], pairs)):
            self.assertEqual(got.data.hex(), from_switch(packet, dst=dst).hex(), question.hex())
            self.assertEqual(got.ns, self.STEP * (i + 1) + frame_ps(got.length, "100G") // 1000)
        self.assertEqual(run.port("swp1").answers, {kind: len(pairs)})
        self.assertEqual(run.drops, {reason: len(pairs)} if reason else {})
        self.assertEqual(run.port("swp1").control_rx, 0 if reason else len(pairs))
        self.assert_dissects(run.directory / "swp1.pcapng")

    def assert_errors(self, kind, reason, code4, code6, *questions, mtu=0, **options):
        """code4, code6: type and code by version."""
        codes = [code6 if question[layer3(question)] >> 4 == 6 else code4 for question in questions]
        self.assert_answers(kind, reason, *((question, error(packet_of(question), *code, mtu=mtu))
                                            for question, code in zip(questions, codes)), **options)

    def assert_silent(self, reason, *questions, answered=None, **options):
        run = self.ask(*questions, **options)
        self.assertEqual((run.drops, run.port("swp1").answers), ({reason: len(questions)}, answered or {}))
        self.assertEqual([name for name, packets in run.sent.items() if packets], [])


class Errors(Answers):
    def assert_expired(self, *questions, **options):
        self.assert_errors("time-exceeded", "ttl-expired", (EXCEEDED4, 0), (EXCEEDED6, 0), *questions, **options)

    def test_time_exceeded(self):
        self.assert_expired(udp(HOST4, FAR4, ttl=1, size=100), udp(HOST6, FAR6, ttl=1, size=100),
                            udp(HOST4, FAR4, ttl=0, size=1400), udp(HOST6, FAR6, ttl=1, size=2000),
                            roce(HOST4, FAR4, bytes(64), ttl=1),
                            frame(echo(HOST4, FAR4, ttl=1)), frame(echo(HOST6, FAR6, ttl=1)),
                            udp(HOST4, FAR4, ttl=1, size=100, vlan=0, pcp=5))

    def test_a_quote_has_an_end(self):
        run = self.ask(udp(HOST4, FAR4, ttl=1, size=3000), udp(HOST6, FAR6, ttl=1, size=3000))
        self.assertEqual([packet.length for packet in run.sent["swp1"]], [14 + 576, 14 + 1280])

    def test_padding_is_not_quoted(self):
        question = raw(HOST4, FAR4, 17, struct.pack(">HHHH", 1, 2, 8, 0), ttl=1)
        self.assertEqual(len(question), 60)
        self.assert_expired(question)

    def test_no_route(self):
        self.assert_errors("net-unreachable", "no-route", (UNREACHABLE4, 0), (UNREACHABLE6, 0),
                           udp(HOST4, NOWHERE4), udp(HOST6, NOWHERE6))

    def test_too_big(self):
        self.assert_errors("too-big", "mtu-exceeded", (UNREACHABLE4, 4), (TOO_BIG6, 0), udp(HOST4, FAR4, size=1415),
                           udp(HOST6, FAR6, size=1415), mtu=1400, ports=SMALL)
        run = self.ask(udp(HOST4, FAR4, size=1414), ports=SMALL)
        self.assertEqual([len(run.sent[port]) for port in ("swp1", "swp2")], [0, 1])

    def test_beside_linux(self):
        """What the switch would have forwarded is its own to answer."""
        options = {"ports": NETDEV, "loopback4": "10.255.0.1", "loopback6": "fd00:ffff::1"}
        for question, kind, reason, codes, source in (
                (udp(HOST4, FAR4, ttl=1), "time-exceeded", "ttl-expired", (EXCEEDED4, 0), "10.255.0.1"),
                (udp(HOST6, FAR6, ttl=1), "time-exceeded", "ttl-expired", (EXCEEDED6, 0), "fd00:ffff::1"),
                (udp(HOST4, FAR4, size=1415), "too-big", "mtu-exceeded", (UNREACHABLE4, 4), "10.255.0.1"),
                (udp(HOST6, NOWHERE6), "net-unreachable", "no-route", (UNREACHABLE6, 0), "fd00:ffff::1")):
            answer = error(packet_of(question), *codes, mtu=1400 if kind == "too-big" else 0, source=source)
            self.assert_answers(kind, reason, (question, answer), **options)

    def test_beside_linux_without_an_address(self):
        """The plan's addresses are not the switch's: a machine may have them. Nobody has 192.0.0.8."""
        for question, kind, reason, codes in (
                (udp(HOST4, FAR4, ttl=1), "time-exceeded", "ttl-expired", (EXCEEDED4, 0)),
                (udp(HOST4, LOOPBACK4, ttl=1), "time-exceeded", "ttl-expired", (EXCEEDED4, 0)),
                (frame(echo(HOST4, LOOPBACK4)), "net-unreachable", "no-route", (UNREACHABLE4, 0))):
            answer = error(packet_of(question), *codes, source="192.0.0.8")
            self.assert_answers(kind, reason, (question, answer), ports=NETDEV)
        self.assert_silent("ttl-expired", udp(HOST6, FAR6, ttl=1), ports=NETDEV)

    def test_the_first_fragment(self):
        self.assert_expired(fragment4(packet_of(udp(HOST4, FAR4, ttl=1, size=100))), fragment6(HOST6, FAR6, ttl=1))

    def test_what_is_behind_ipv6_extensions(self):
        self.assert_expired(
            frame(ip(struct.pack(">BBHI", 17, 0, 0, 0) + struct.pack(">HHHH", 1, 2, 8, 0), 0, HOST6, FAR6, ttl=1)[1]))
        unreachable = struct.pack(">BBHI", 58, 0, 0, 0) + struct.pack(">BBHI", 1, 0, 0, 0)
        self.assert_silent("ttl-expired", frame(ip(unreachable, 0, HOST6, FAR6, ttl=1)[1]))


class Silence(Answers):
    def test_about_icmp_errors(self):
        self.assert_silent("ttl-expired", raw(HOST4, FAR4, 1, b"", ttl=1),
                           *(frame(icmp(HOST4, FAR4, kind, ttl=1)) for kind in (UNREACHABLE4, 4, 5, EXCEEDED4, 12, 19, 42, 255)),
                           *(frame(icmp(HOST6, FAR6, kind, ttl=1))
                             for kind in (0, UNREACHABLE6, TOO_BIG6, EXCEEDED6, PARAMETER6, 100, 127, 137)))

    def test_about_later_fragments(self):
        whole = packet_of(udp(HOST4, FAR4, ttl=1, size=100))
        self.assert_silent("ttl-expired", *(one for offset, more in ((1, True), (185, False)) for one in
                                            (fragment4(whole, offset, more), fragment6(HOST6, FAR6, offset, more, ttl=1))))

    def test_about_what_went_to_several(self):
        self.assert_silent("multicast", udp(HOST4, FAR4, ttl=1, dst_mac="ff:ff:ff:ff:ff:ff"), udp(HOST4, "239.1.1.1", ttl=1),
                           udp(HOST6, "ff0e::1", ttl=1))
        self.assert_silent("martian", udp(HOST4, "255.255.255.255", ttl=1))

    def test_to_a_source_without_a_route(self):
        self.assert_silent("ttl-expired", udp("203.0.113.7", FAR4, ttl=1), udp("2001:db8:77::1", FAR6, ttl=1),
                           answered={"no-way-back": 2})

    def test_to_itself(self):
        self.assert_silent("ttl-expired", udp(LOOPBACK4, FAR4, ttl=1), udp(LOOPBACK6, FAR6, ttl=1), answered={"no-way-back": 2})

    def test_switched_off(self):
        for reason, *questions in (("ttl-expired", udp(HOST4, FAR4, ttl=1)), ("to-switch", frame(echo(HOST4, GATEWAY4))),
                                   ("no-route", udp(HOST6, NOWHERE6), frame(echo(HOST4, LOOPBACK4)))):
            self.assert_silent(reason, *questions, icmp="off")

    def test_beside_linux(self):
        """The addresses of a switch that shares its interfaces with Linux are Linux's, which answers for them."""
        for question, reason in ((frame(echo(HOST4, LOOPBACK4)), "no-route"), (frame(echo(HOST6, LOOPBACK6)), "no-route"),
                                 (udp(HOST4, LOOPBACK4, ttl=1), "ttl-expired"),
                                 (frame(echo(HOST4, GATEWAY4)), "martian"), (arp(HOST4, GATEWAY4), "not-ip")):
            self.assert_silent(reason, question, ports=NETDEV, loopback4=LOOPBACK4, loopback6=LOOPBACK6)


class Echo(Answers):
    def assert_replies(self, *requests, **options):
        self.assert_answers("echo-reply", None, *((frame(request), reply(request)) for request in requests), **options)

    def test_loopbacks(self):
        self.assert_replies(echo(HOST4, LOOPBACK4), echo(HOST6, LOOPBACK6), echo(HOST4, LOOPBACK4, size=0),
                            echo(HOST6, LOOPBACK6, size=0), echo(HOST4, LOOPBACK4, size=1471, df=True, ident=9),
                            echo(HOST6, LOOPBACK6, size=1433), echo(HOST4, LOOPBACK4, dscp=26, ecn=1),
                            echo(HOST6, LOOPBACK6, dscp=46, ecn=3), echo(HOST4, LOOPBACK4, ttl=1), echo(HOST6, LOOPBACK6, ttl=1))

    def test_written_loopbacks(self):
        self.assert_replies(echo(HOST4, "10.255.0.1"), echo(HOST6, "fd00:ffff::1"),
                            loopback4="10.255.0.1", loopback6="fd00:ffff::1")
        for key, value, error in (("loopback4", "fd00::1", "write an IPv4 one"), ("loopback6", "10.0.0.1", "write an IPv6 one")):
            self.assert_refused(error, "check", self.file(switch(**{key: value})))

    def test_a_route_that_covers_the_loopback(self):
        routes = ROUTES + [{"prefix": prefix, "via": [{"port": "swp2", "mac": next_hop_mac("swp2")}]}
                           for prefix in ("0.0.0.0/0", "::/0")]
        self.assert_replies(echo(HOST4, LOOPBACK4), echo(HOST6, LOOPBACK6), routes=routes)

    def test_gateways(self):
        """By the link, to who asked, whatever routes say."""
        self.assert_replies(*(echo(*pair) for pair in (
            (HOST4, GATEWAY4), (HOST6, GATEWAY6), ("203.0.113.7", GATEWAY4), ("fe80::77", GATEWAY6), (HOST6, "fe80::100:0:1:1"),
            ("fe80::77", "fe80::100:0:1:1"))), dst=HOST_MAC)

    def test_gateways_of_others(self):
        self.assert_silent("martian", *(frame(echo(*pair)) for pair in (
            (HOST4, "169.254.0.2"), (HOST6, "fe80::2"), (HOST6, "fe80::100:0:1:2"), (GATEWAY4, GATEWAY4), ("127.0.0.1", GATEWAY4),
            ("::1", GATEWAY6), ("ff02::1", GATEWAY6))),
            frame(echo(HOST4, GATEWAY4), dst=HOST_MAC), frame(echo(HOST4, GATEWAY4), src=SWITCH_MAC))

    def test_uplinks_have_no_gateway(self):
        self.assert_silent("martian", frame(echo(HOST4, GATEWAY4)), frame(echo(HOST6, GATEWAY6)),
                           ports={"swp1": {"uplink": True}, "swp2": {}})

    def test_nobody_listens(self):
        tcp = struct.pack(">HHIIBBHHH", 5, 22, 1, 0, 0x50, 2, 1000, 0, 0)
        self.assert_errors("port-unreachable", "to-switch", (UNREACHABLE4, 3), (UNREACHABLE6, 4),
                           udp(HOST4, LOOPBACK4, dport=33434), udp(HOST6, LOOPBACK6, dport=33434), udp(HOST4, LOOPBACK4, ttl=1),
                           raw(HOST4, LOOPBACK4, 6, tcp))
        for question, mtu in ((raw(HOST4, LOOPBACK4, 253), 0), (raw(HOST6, LOOPBACK6, 253), 6)):
            self.assert_errors("protocol-unreachable", "to-switch", (UNREACHABLE4, 2), (PARAMETER6, 1), question, mtu=mtu)
        question = udp(HOST4, GATEWAY4, dport=33434)
        self.assert_answers("port-unreachable", "to-switch",
                            (question, error(packet_of(question), UNREACHABLE4, 3, source=GATEWAY4)), dst=HOST_MAC)

    def test_what_is_not_answered(self):
        wrong = bytearray(echo(HOST4, LOOPBACK4))
        wrong[30] ^= 1                            # the checksum of ICMP is wrong now
        self.assert_silent("to-switch", *(frame(packet) for packet in (
            bytes(wrong), icmp(HOST4, LOOPBACK4, 13), icmp(HOST4, LOOPBACK4, REPLY4), icmp(HOST6, LOOPBACK6, 130),
            icmp(HOST4, LOOPBACK4, ECHO4, code=1),
            icmp(HOST4, LOOPBACK4, ECHO4, options=b"\1\1\1\1"))),
            fragment4(echo(HOST4, LOOPBACK4)), fragment6(HOST6, LOOPBACK6))


    def test_errors_are_heard(self):
        run = self.ask(*(frame(icmp(HOST4, LOOPBACK4, kind)) for kind in (UNREACHABLE4, EXCEEDED4)),
                       *(frame(icmp(HOST6, LOOPBACK6, kind)) for kind in (UNREACHABLE6, TOO_BIG6)))
        self.assertEqual((run.drops, run.port("swp1").control_rx, "answers" in run.port("swp1").counters), ({}, 4, False))


class Rate(Answers):
    def test_a_bucket_in_fabric_time(self):
        """Three at once, then one a microsecond."""
        question = udp(HOST4, FAR4, ttl=1, size=100)
        at = [1000, 1001, 1002, 1003, 1999, 2000, 2001, 3500, 9000, 9001, 9002, 9003, 10_000]
        run = self.replay(switch(rate="400G", icmp={"rate": 1_000_000, "burst": 3}), {"swp1": [(ns, question) for ns in at]})
        run.assert_conserved()
        sent = [packet.ns for packet in run.sent["swp1"]]
        due, expected = 0, []
        for ns in at:
            if due <= ns + 2000:
                due = max(due, ns) + 1000
                expected.append(ns)
        self.assertEqual(len(expected), 9)
        self.assertEqual(len(sent), 9)
        self.assertEqual(sent[-1], (10_000_000 + frame_ps(14 + 28 + 86, "400G")) // 1000)
        self.assertEqual(run.port("swp1").answers, {"time-exceeded": 9, "suppressed": 4})
        self.assertEqual(run.drops, {"ttl-expired": 13})

    def test_six_thousand_by_default(self):
        question = udp(HOST4, FAR4, ttl=1, size=64)
        run = self.replay(switch(rate="400G"), {"swp1": [(1000 + i * 10, question) for i in range(6002)]})
        self.assertEqual(run.port("swp1").answers, {"time-exceeded": 6000, "suppressed": 2})

    def test_an_echo_counts_too(self):
        question = frame(echo(HOST4, LOOPBACK4))
        run = self.replay(switch(icmp={"burst": 1}),
                          {"swp1": [(1000, question), (2000, question), (3000, frame(echo(HOST4, GATEWAY4)))]})
        self.assertEqual((run.port("swp1").answers, run.drops), ({"echo-reply": 1, "suppressed": 2}, {"to-switch": 2}))

    def test_a_port_does_not_use_up_what_others_have(self):
        """Each port has a bucket of its own, though a thousand packets before have emptied another's."""
        flood = [(1000 + 100 * i, udp(HOST4, FAR4, ttl=1, size=64)) for i in range(1000)]
        probes = [(50_050 + 1000 * i, udp(FAR4, HOST4, ttl=1, size=64)) for i in range(3)]
        run = self.replay(switch(icmp={"rate": 1000, "burst": 3}), {"swp1": flood, "swp2": probes})
        run.assert_conserved()
        self.assertEqual([run.port(port).answers for port in ("swp1", "swp2")],
                         [{"time-exceeded": 3, "suppressed": 997}, {"time-exceeded": 3}])


class Buffer(Answers):
    def test_priority_and_queue(self):
        """An error waits in the queue of CS6, charged to the port by which the question came."""
        question = udp(HOST4, FAR4, ttl=1, size=100)
        run = self.replay(switch(events=hold("swp1", until="5us") + [{"at": "4us", "snapshot": "full"}]),
                          {"swp1": [(1000, question)]})
        run.assert_conserved()
        size = 14 + 28 + 86
        port = run.snapshot(4000).counters["ports"]["swp1"]
        self.assertEqual([queue["depth"] for queue in port["queue"]], [0, 0, 0, 0, 0, 0, cells(size, 192) * 192, 0])
        self.assertEqual([group["used"] for group in port["pg"]], [cells(size, 192) * 192] + 7 * [0])
        self.assertEqual(run.sent["swp1"][0].ns, (5000_000 + frame_ps(size, "100G")) // 1000)

    def test_an_answer_that_finds_no_room(self):
        question = udp(HOST4, FAR4, ttl=1, size=100)
        qos = {"tc": {6: {"static": "0B"}}}
        run = self.replay(switch(events=hold("swp1"), qos=qos), {"swp1": [(1000, question)]})
        run.assert_conserved()
        self.assertEqual(run.drops, {"ttl-expired": 1, "egress-pool": 1})


class Vrfs(Answers):
    def test_the_answer_stays_in_the_vrf(self):
        """Both VRFs know the source, by different ports."""
        red, blue = {"vrf": "red", "tenant": "red"}, {"vrf": "blue", "tenant": "blue"}
        ports = {"swp1": red, "swp2": blue, "swp3": red}
        routes = [{"vrf": vrf, "prefix": "198.18.1.0/24", "via": [{"port": port, "mac": next_hop_mac(port)}]}
                  for vrf, port in (("red", "swp3"), ("blue", "swp2"))]
        question, request = udp(HOST4, NOWHERE4, size=100), echo(HOST4, LOOPBACK4)
        dut = switch(ports=ports) | {"tenants": {"red": {}, "blue": {}}}
        dut["switch"]["routes"] = routes
        run = self.replay(dut, {"swp1": [(1000, question), (2000, frame(request))], "swp2": [(1000, frame(request))]})
        run.assert_conserved()
        self.assertEqual([packet.data.hex() for packet in run.sent["swp3"]],
                         [from_switch(packet, "swp3").hex()
                          for packet in (error(packet_of(question), UNREACHABLE4), reply(request))])
        self.assertEqual([packet.data.hex() for packet in run.sent["swp2"]], [from_switch(reply(request), "swp2").hex()])


class Tunnels(Answers):
    RED = {"vrf": "red", "tenant": "red"}
    ROUTER, FAR_ROUTER = "02:02:00:00:00:00", "02:02:00:00:01:00"
    FAR_LEAF = "172.16.0.2"
    TUNNEL = {"vtep": FAR_LEAF, "mac": FAR_ROUTER}

    def leaf(self, mtu=9216):
        """A leaf with 198.18.1.0/24 of tenant red at swp1, and 198.18.2.0/24 behind another leaf at swp2."""
        host = {"port": "swp1", "mac": next_hop_mac("swp1")}
        return {"switch": {"name": "leaf", "vtep": LOOPBACK4, "mac": SWITCH_MAC,
                           "buffer": {"size": "64MB", "cell": 192}, "qos": ROOMY,
                           "ports": {"swp1": {"rate": "100G", **self.RED}, "swp2": {"rate": "100G", "uplink": True, "mtu": mtu}},
                           "routes": [{"prefix": self.FAR_LEAF + "/32", "via": [{"port": "swp2", "mac": next_hop_mac("swp2")}]},
                                      {"vrf": "red", "prefix": "198.18.1.0/24", "via": [host]},
                                      {"vrf": "red", "prefix": "198.18.2.0/24", "via": [self.TUNNEL]}]},
                "tenants": {"red": {"vni": 5001, "encap": "vxlan"}}}

    def assert_in_tunnel(self, packet, packets):
        """One packet in VXLAN to the other leaf, this one inside."""
        (got,) = packets
        inside = got.data[14 + 20 + 8 + 8:]
        self.assertEqual((destination_of(got.data[14:]), got.data[46:50].hex()), (self.FAR_LEAF, "00138900"))
        self.assertEqual(inside.hex(), frame(packet, src=SWITCH_MAC, dst=self.FAR_ROUTER)[:14 + len(packet)].hex())

    def come(self, inside):
        return vxlan(frame(inside, dst=SWITCH_MAC), 5001, self.FAR_LEAF, LOOPBACK4)

    def test_before_the_tunnel(self):
        question = udp(HOST4, FAR4, ttl=1, size=100)
        self.assert_errors("time-exceeded", "ttl-expired", (EXCEEDED4, 0), None, question, dut=self.leaf())

    def test_too_big_with_what_the_tunnel_adds(self):
        question = udp(HOST4, FAR4, size=14 + 1451)
        self.assert_errors("too-big", "mtu-exceeded", (UNREACHABLE4, 4), None, question, mtu=1450, dut=self.leaf(1500))
        run = self.ask(udp(HOST4, FAR4, size=14 + 1450), dut=self.leaf(1500))
        self.assertEqual([len(run.sent[port]) for port in ("swp1", "swp2")], [0, 1])

    def test_behind_the_tunnel(self):
        """The inside is answered, into the tunnel back."""
        expired, lost = packet_of(udp(FAR4, HOST4, ttl=1, size=100)), packet_of(udp(FAR4, NOWHERE4, size=100))
        for packet, kind in ((expired, EXCEEDED4), (lost, UNREACHABLE4)):
            run = self.ask(self.come(packet), dut=self.leaf(), port="swp2")
            self.assert_in_tunnel(error(packet, kind), run.sent["swp2"])
            self.assertEqual(run.sent["swp1"], [])

    def test_ping_through_the_tunnel(self):
        request = echo(FAR4, LOOPBACK4)
        run = self.ask(self.come(request), dut=self.leaf(), port="swp2")
        self.assert_in_tunnel(reply(request), run.sent["swp2"])
        self.assertEqual((run.drops, run.port("swp2").control_rx), ({}, 1))

    def test_a_tenant_does_not_use_up_what_others_have(self):
        """What comes out of tunnels by one uplink: each VRF has a bucket, and the uplink has its own."""
        dut = self.leaf()
        dut["switch"]["ports"]["swp3"] = {"rate": "100G", "vrf": "blue", "tenant": "blue"}
        host = {"port": "swp3", "mac": next_hop_mac("swp3")}
        dut["switch"]["routes"] += [{"vrf": "blue", "prefix": "198.18.1.0/24", "via": [host]},
                                    {"vrf": "blue", "prefix": "198.18.2.0/24", "via": [self.TUNNEL]}]
        dut["switch"]["icmp"] = {"rate": 1000, "burst": 3}
        dut["tenants"]["blue"] = {"vni": 5002, "encap": "vxlan"}
        expired = packet_of(udp(FAR4, HOST4, ttl=1, size=100))
        flood = [(1000 + 100 * i, self.come(expired)) for i in range(1000)]
        probes = [(50_050 + 1000 * i, vxlan(frame(expired, dst=SWITCH_MAC), 5002, self.FAR_LEAF, LOOPBACK4)) for i in range(3)]
        underlay = [(60_050 + 1000 * i, udp(self.FAR_LEAF, NOWHERE4, size=100)) for i in range(4)]
        run = self.replay(dut, {"swp2": sorted(flood + probes + underlay, key=lambda one: one[0])})
        run.assert_conserved()
        vnis = [packet.data[46:50].hex() for packet in run.sent["swp2"] if packet.data[36:38].hex() == "12b5"]
        self.assertEqual((vnis.count("00138900"), vnis.count("00138a00")), (3, 3))
        self.assertEqual(run.port("swp2").answers, {"time-exceeded": 6, "net-unreachable": 3, "suppressed": 998})


if __name__ == "__main__":
    unittest.main()
