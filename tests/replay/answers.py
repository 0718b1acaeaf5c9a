# SPDX-License-Identifier: BSD-3-Clause
"""ICMP, ARP and neighbour discovery as bytes, with checksums worked out here: what a switch must say, byte by byte."""
import ipaddress
import struct

from common import *

LOOPBACK4, LOOPBACK6 = "172.16.0.1", "fd00:0:0:1:0:0:1:0"
GATEWAY4, GATEWAY6 = "169.254.0.1", "fe80::1"
CS6 = 48
TTL = 64
ECHO4, REPLY4, UNREACHABLE4, EXCEEDED4 = 8, 0, 3, 11
ECHO6, REPLY6, UNREACHABLE6, TOO_BIG6, EXCEEDED6, PARAMETER6 = 128, 129, 1, 2, 3, 4
SOLICITATION, ADVERTISEMENT = 135, 136


def packed(address):
    return ipaddress.ip_address(address).packed


def version(address):
    return ipaddress.ip_address(address).version


def icmp(src, dst, kind, code=0, rest=b"\0" * 4, body=b"", dscp=0, ecn=0, ttl=TTL, df=False, ident=0, options=b""):
    """An IP packet with ICMP of the version that the addresses have. rest: bytes 4 to 7; options: of the IPv4 header."""
    message = struct.pack(">BBH", kind, code, 0) + rest + body
    v6 = version(src) == 6
    pseudo = packed(src) + packed(dst) + struct.pack(">II", len(message), 58) if v6 else b""
    message = message[:2] + struct.pack(">H", checksum(pseudo + message)) + message[4:]
    packet = bytearray(ip(options + message, 58 if v6 else 1, src, dst, dscp=dscp, ecn=ecn, ttl=ttl, ident=ident)[1])
    if not v6:
        packet[0] += len(options) // 4
        packet[6] |= 0x40 if df else 0
        packet[10:12] = bytes(2)
        packet[10:12] = struct.pack(">H", checksum(bytes(packet[:20 + len(options)])))
    return bytes(packet)


def frame(packet, src=HOST_MAC, dst=SWITCH_MAC, **options):
    return ethernet(packet, 0x86DD if packet[0] >> 4 == 6 else 0x0800, src=src, dst=dst, **options)


def from_switch(packet, port="swp1", dst=None, src=SWITCH_MAC):
    """The frame in which the switch sends it by a port: to that port's next hop unless `dst` says who asked."""
    return frame(packet, src=src, dst=dst or next_hop_mac(port))


def packet_of(asked):
    """The IP packet of a frame, without padding."""
    at = layer3(asked)
    length = struct.unpack_from(">H", asked, at + 4)[0] + 40 if asked[at] >> 4 == 6 else \
        struct.unpack_from(">H", asked, at + 2)[0]
    return asked[at:at + length]


def source_of(packet):
    return str(ipaddress.ip_address(packet[8:24] if packet[0] >> 4 == 6 else packet[12:16]))


def destination_of(packet):
    return str(ipaddress.ip_address(packet[24:40] if packet[0] >> 4 == 6 else packet[16:20]))


def error(packet, kind, code=0, mtu=0, source=None):
    """The IP packet of an ICMP error about another: 576 bytes at most, of IPv6 1280."""
    v6 = packet[0] >> 4 == 6
    return icmp(source or (LOOPBACK6 if v6 else LOOPBACK4), source_of(packet), kind, code,
                rest=struct.pack(">I", mtu), body=packet[:1232 if v6 else 548], dscp=CS6, df=True)


def echo(src, dst, size=56, ident=7, sequence=1, **options):
    """An echo request."""
    return icmp(src, dst, ECHO6 if version(src) == 6 else ECHO4, rest=struct.pack(">HH", ident, sequence),
                body=bytes(i % 251 for i in range(size)), **options)


def reply(request, ttl=TTL, ecn=0):
    """The reply to an echo request: addresses turned round, Not-ECT."""
    v6 = request[0] >> 4 == 6
    head = 40 if v6 else 20
    tos = struct.unpack_from(">H", request)[0] >> 4 & 255 if v6 else request[1]
    ident, flags = (0, 0) if v6 else struct.unpack_from(">HH", request, 4)
    return icmp(destination_of(request), source_of(request), REPLY6 if v6 else REPLY4, rest=request[head + 4:head + 8],
                body=request[head + 8:], dscp=tos >> 2, ecn=ecn, ttl=ttl, ident=ident, df=bool(flags & 0x4000))


def arp(sender, target, operation=1, sender_mac=HOST_MAC, target_mac="00:00:00:00:00:00", src=None, dst=None):
    """An ARP frame; a request goes to all unless `dst` says otherwise."""
    body = struct.pack(">HHBBH", 1, 0x0800, 6, 4, operation) + mac(sender_mac) + packed(sender) + \
        mac(target_mac) + packed(target)
    return ethernet(body, 0x0806, src=src or sender_mac,
                    dst=dst or ("ff:ff:ff:ff:ff:ff" if operation == 1 else target_mac))


def solicited_node(target):
    return str(ipaddress.ip_address(packed("ff02::1:ff00:0")[:13] + packed(target)[13:]))


def multicast_mac(address):
    return "33:33:" + ":".join(f"{byte:02x}" for byte in packed(address)[12:])


def solicitation(src, target, dst=None, ttl=255, option=True, **options):
    """A neighbour solicitation to all who share the target's last bytes, or to `dst`."""
    to = dst or solicited_node(target)
    body = packed(target) + (b"\1\1" + mac(HOST_MAC) if option else b"")
    return frame(icmp(src, to, SOLICITATION, body=body, ttl=ttl),
                 dst=SWITCH_MAC if dst else multicast_mac(to), **options)


def advertisement(target, dst, source=None, flags=0xE0, owner=SWITCH_MAC, to=HOST_MAC):
    return frame(icmp(source or target, dst, ADVERTISEMENT, rest=bytes([flags, 0, 0, 0]),
                      body=packed(target) + b"\2\1" + mac(owner), dscp=CS6, ttl=255), src=owner, dst=to)
