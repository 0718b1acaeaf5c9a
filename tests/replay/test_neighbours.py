# SPDX-License-Identifier: BSD-3-Clause
"""ARP and neighbour discovery of a switch, byte by byte: who is answered for, to whom, and what has no effect."""
import unittest

from answers import *

HOST4, HOST6, LOCAL6 = "198.18.1.9", "2001:db8:1::9", "fe80::77"
OWN_LOCAL = "fe80::100:0:1:1"     # of swp1
NOBODY = "00:00:00:00:00:00"


def arp_reply(owner, asker, port_mac=SWITCH_MAC):
    return arp(owner, asker, 2, sender_mac=port_mac, target_mac=HOST_MAC)


class Neighbours(Case):
    def ask(self, *questions, **options):
        run = self.replay(switch(**options), {"swp1": [(10_000 * (i + 1), one) for i, one in enumerate(questions)]})
        run.assert_conserved()
        self.assertEqual(run.sent["swp2"], [])
        return run

    def assert_answers(self, kind, *pairs, **options):
        run = self.ask(*(question for question, _ in pairs), **options)
        self.assertEqual([packet.data.hex() for packet in run.sent["swp1"]], [answer.hex() for _, answer in pairs], run.drops)
        for i, packet in enumerate(run.sent["swp1"]):
            self.assertEqual(packet.ns, 10_000 * (i + 1) + frame_ps(packet.length, "100G") // 1000)
        self.assertEqual((run.drops, run.port("swp1").control_rx, run.port("swp1").answers),
                         ({}, len(pairs), {kind: len(pairs)}))
        self.assert_dissects(run.directory / "swp1.pcapng")

    def assert_silent(self, drops_, *questions, **options):
        run = self.ask(*questions, **options)
        self.assertEqual((run.drops, run.sent["swp1"], "answers" in run.port("swp1").counters), (drops_, [], False))

    def test_arp(self):
        self.assert_answers("arp-reply", *((question, arp_reply(owner, sender)) for question, owner, sender in (
            (arp(HOST4, GATEWAY4), GATEWAY4, HOST4), (arp(HOST4, LOOPBACK4), LOOPBACK4, HOST4),
            (arp(HOST4, GATEWAY4, dst=SWITCH_MAC), GATEWAY4, HOST4),      # Linux asks again so
            (arp("0.0.0.0", GATEWAY4), GATEWAY4, "0.0.0.0"),              # a probe (RFC 5227): the address is in use
            (arp("169.254.7.7", GATEWAY4), GATEWAY4, "169.254.7.7"))))

    def test_what_hosts_announce(self):
        """Gratuitous ARP, replies and advertisements are heard and change nothing."""
        self.assert_silent({}, arp(HOST4, HOST4), arp(GATEWAY4, GATEWAY4), arp(HOST4, HOST4, 2, target_mac="ff:ff:ff:ff:ff:ff"),
                           arp(HOST4, GATEWAY4, 2, target_mac=SWITCH_MAC))

    def test_arp_for_others(self):
        self.assert_silent({"to-switch": 3}, arp(HOST4, "198.18.2.9"), arp(HOST4, "169.254.0.2"), arp("0.0.0.0", HOST4))
        self.assert_silent({"not-ip": 4}, arp(HOST4, GATEWAY4, dst=HOST_MAC), arp(HOST4, GATEWAY4, src=SWITCH_MAC),
                           ethernet(bytes(46), 0x0806, dst="ff:ff:ff:ff:ff:ff"), arp(HOST4, GATEWAY4)[:41])
        self.assert_silent({"not-ip": 1}, arp(HOST4, GATEWAY4), arp="off")
        self.assert_silent({"not-ip": 1}, arp(HOST4, GATEWAY4), ports={"swp1": {"uplink": True}, "swp2": {}})
        self.assert_silent({"not-ip": 1}, arp(HOST4, GATEWAY4), ports={"swp1": {"netdev": "veth1"}, "swp2": {}})

    def test_proxy(self):
        """For what is routed to another port, not for what is on this link or nowhere."""
        self.assert_answers("arp-reply", (arp(HOST4, "198.18.2.9"), arp_reply("198.18.2.9", HOST4)), arp="proxy")
        self.assert_answers("neighbour-advertisement", (
            solicitation(HOST6, "2001:db8:2::9"),
            advertisement("2001:db8:2::9", HOST6, source=OWN_LOCAL, flags=0xC0)), arp="proxy")
        self.assert_silent({"to-switch": 4}, arp(HOST4, "198.18.1.7"), arp(HOST4, "192.0.2.1"), arp("0.0.0.0", "198.18.2.9"),
                           solicitation(HOST6, "2001:db8:1::7"), arp="proxy")

    def test_solicitations(self):
        self.assert_answers("neighbour-advertisement", *((question, advertisement(owner, sender)) for question, owner, sender in (
            (solicitation(HOST6, GATEWAY6), GATEWAY6, HOST6), (solicitation(LOCAL6, GATEWAY6), GATEWAY6, LOCAL6),
            (solicitation(HOST6, OWN_LOCAL), OWN_LOCAL, HOST6), (solicitation(HOST6, LOOPBACK6), LOOPBACK6, HOST6),
            (solicitation(HOST6, GATEWAY6, dst=GATEWAY6), GATEWAY6, HOST6),           # is it still there?
            (solicitation(LOCAL6, GATEWAY6, dst=GATEWAY6, option=False), GATEWAY6, LOCAL6))))

    def test_an_address_that_is_taken(self):
        """Duplicate address detection: the answer goes to all."""
        self.assert_answers("neighbour-advertisement", (
            solicitation("::", GATEWAY6, option=False),
            advertisement(GATEWAY6, "ff02::1", flags=0xA0, to="33:33:00:00:00:01")))

    def test_solicitations_that_are_not_valid(self):
        wrong = bytearray(solicitation(LOCAL6, GATEWAY6))
        wrong[56] ^= 1                              # the checksum
        endless = frame(icmp(LOCAL6, solicited_node(GATEWAY6), SOLICITATION, body=packed(GATEWAY6) + b"\1\0" + bytes(6), ttl=255),
                        dst=multicast_mac(solicited_node(GATEWAY6)))
        self.assert_silent({"martian": 5}, bytes(wrong), endless, solicitation(LOCAL6, GATEWAY6, ttl=64),
                           frame(icmp(LOCAL6, solicited_node(GATEWAY6), SOLICITATION, code=1, body=packed(GATEWAY6), ttl=255),
                                 dst=multicast_mac(solicited_node(GATEWAY6))),
                           frame(icmp(LOCAL6, "ff02::1", SOLICITATION, body=packed("ff02::9"), ttl=255), dst="33:33:00:00:00:01"))
        self.assert_silent({"to-switch": 2}, solicitation(HOST6, "fe80::2"), solicitation("::", HOST6, option=False))
        self.assert_silent({"multicast": 1}, solicitation(HOST6, GATEWAY6), arp="off")


if __name__ == "__main__":
    unittest.main()
