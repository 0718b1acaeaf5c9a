# SPDX-License-Identifier: BSD-3-Clause
"""Frames as bytes, quickly: UDP, RoCEv2, VXLAN and PFC, with their checksums and ICRC.

scapy makes hundreds of packets a second, these functions a hundred thousand. All are without FCS and not padded beyond 60 bytes.
"""
import ipaddress
import struct
import zlib
from typing import Any

SWITCH_MAC = "02:00:00:00:00:01"    # every port of a lone switch
HOST_MAC = "02:00:00:00:01:01"
ROCE_PORT = 4791
WRITE_ONLY = 0x0A                    # opcodes of the BTH
ACKNOWLEDGE = 0x11
CNP = 0x81
VXLAN_PORT = 4789


def mac(text: str) -> bytes:
    """A MAC address, \"02:00:00:00:00:01\", as bytes."""
    return bytes.fromhex(text.replace(":", ""))


def checksum(data: bytes) -> int:
    """RFC 1071."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


TAGS = (b"\x81\x00", b"\x88\xa8")


def layer3(frame: bytes) -> int:
    """Where the IP header begins: behind up to two tags."""
    at = 14
    while at < 22 and frame[at - 2:at] in TAGS:
        at += 4
    return at


def stack_tag(frame: bytes, vlan: int, pcp: int = 0, ethertype: int = 0x8100) -> bytes:
    """A frame with one more tag, outside of those that it has."""
    return frame[:12] + struct.pack(">HH", ethertype, pcp << 13 | vlan) + frame[12:]


def ethernet(payload: bytes, ethertype: int, src: str = HOST_MAC, dst: str = SWITCH_MAC, vlan: int | None = None,
             pcp: int = 0) -> bytes:
    """An Ethernet frame. vlan: None for an untagged one."""
    tag = b"" if vlan is None else struct.pack(">HH", 0x8100, pcp << 13 | vlan)
    return (mac(dst) + mac(src) + tag + struct.pack(">H", ethertype) + payload).ljust(60, b"\0")


def ip(payload: bytes, protocol: int, src: str, dst: str, dscp: int = 0, ecn: int = 0, ttl: int = 64,
       ident: int = 0) -> tuple[int, bytes]:
    """An IPv4 or IPv6 packet, by the addresses. Returns (ethertype, bytes)."""
    source, destination = ipaddress.ip_address(src), ipaddress.ip_address(dst)
    tos = dscp << 2 | ecn
    if source.version == 6:
        head = struct.pack(">IHBB", 6 << 28 | tos << 20, len(payload), protocol, ttl)
        return 0x86DD, head + source.packed + destination.packed + payload
    head = struct.pack(">BBHHHBBH4s4s", 0x45, tos, 20 + len(payload), ident, 0, ttl, protocol, 0,
                       source.packed, destination.packed)
    return 0x0800, head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def _l2(options: dict[str, Any]) -> dict[str, Any]:
    return {key: options.pop(key) for key in ("vlan", "pcp") if key in options} | \
        {"src": options.pop("src_mac", HOST_MAC), "dst": options.pop("dst_mac", SWITCH_MAC)}


def udp(src: str, dst: str, size: int = 300, sport: int = 49152, dport: int = 7, **options: Any) -> bytes:
    """A UDP frame of `size` bytes without FCS; its checksum is 0 over IPv4, right over IPv6.
    Options: dscp, ecn, ttl, ident, vlan, pcp, src_mac, dst_mac."""
    l2 = _l2(options)
    head = 14 + (4 if "vlan" in l2 else 0) + (40 if ":" in src else 20) + 8
    length = max(size - head, 0) + 8
    total = 0
    if ":" in src:
        addresses = ipaddress.ip_address(src).packed + ipaddress.ip_address(dst).packed
        total = checksum(addresses + struct.pack(">IIHHH", length, 17, sport, dport, length)) or 0xFFFF
    ethertype, packet = ip(struct.pack(">HHHH", sport, dport, length, total).ljust(length, b"\0"), 17,
                           src, dst, **options)
    return ethernet(packet, ethertype, **l2)


def roce(src: str, dst: str, payload: bytes = b"", opcode: int = WRITE_ONLY, qp: int = 1, psn: int = 0,
         sport: int = 49152, headers: bytes = b"", **options: Any) -> bytes:
    """A RoCEv2 frame with a valid ICRC. headers: what follows the BTH (a WRITE ONLY without them
    gets a RETH, an ACKNOWLEDGE an AETH). Options as for udp()."""
    if not headers:
        headers = {WRITE_ONLY: struct.pack(">QII", 0, 1, len(payload)), ACKNOWLEDGE: b"\0" * 4,
                   CNP: b"\0" * 16}.get(opcode, b"")
    l2 = _l2(options)
    pad = -len(payload) % 4
    congestion = 0x40 if opcode == CNP else 0
    bth = struct.pack(">BBHII", opcode, 0x40 | pad << 4, 0xFFFF, congestion << 24 | qp, psn)
    body = bth + headers + payload + b"\0" * pad
    datagram = struct.pack(">HHHH", sport, ROCE_PORT, 8 + len(body) + 4, 0) + body
    ethertype, packet = ip(datagram + b"\0" * 4, 17, src, dst, **options)
    return ethernet(packet[:-4] + struct.pack("<I", icrc(packet)), ethertype, **l2)


def vxlan(inside: bytes, vni: int, src: str, dst: str, sport: int = 49152, flags: int = 0x08, ident: int = 0,
          df: bool = True, **options: Any) -> bytes:
    """A frame in VXLAN (RFC 7348), the outer UDP checksum 0. inside: an Ethernet frame; options as for udp()."""
    l2 = _l2(options)
    header = struct.pack(">B3xI", flags, vni << 8)
    datagram = struct.pack(">HHHH", sport, VXLAN_PORT, 16 + len(inside), 0) + header + inside
    ethertype, packet = ip(datagram, 17, src, dst, ident=ident, **options)
    if df and ethertype == 0x0800:
        packet = packet[:6] + b"\x40\0" + packet[8:10] + b"\0\0" + packet[12:]
        packet = packet[:10] + struct.pack(">H", checksum(packet[:20])) + packet[12:]
    return ethernet(packet, ethertype, **l2)


def icrc(packet: bytes) -> int:
    """The ICRC that an IP packet of RoCEv2 must end in (IBTA, annex A17.3), padding cut off."""
    v6 = packet[0] >> 4 == 6
    covered = int(struct.unpack_from(">H", packet, 4)[0]) + 40 if v6 else int(struct.unpack_from(">H", packet, 2)[0])
    head = bytearray(packet[:min(68 if v6 else 48, covered - 4)])
    if v6:
        head[0:4] = bytes([head[0] | 0x0F, 0xFF, 0xFF, 0xFF])  # traffic class, flow label
        head[7] = 0xFF                                         # hop limit
        datagram = 40
    else:
        head[1] = head[8] = head[10] = head[11] = 0xFF         # TOS, TTL, header checksum
        datagram = 20
    head[datagram + 6:datagram + 8] = b"\xff\xff"              # UDP checksum
    head[datagram + 12] = 0xFF                                 # BTH resv8a: FECN, BECN
    return zlib.crc32(bytes(head) + packet[len(head):covered - 4], zlib.crc32(b"\xff" * 8))


def icrc_valid(frame: bytes) -> bool:
    """Whether an Ethernet frame of RoCEv2, tagged or not, ends in the right ICRC."""
    packet = frame[layer3(frame):]
    end = struct.unpack_from(">H", packet, 4)[0] + 40 if packet[0] >> 4 == 6 else \
        struct.unpack_from(">H", packet, 2)[0]
    return bool(struct.unpack_from("<I", packet, end - 4)[0] == icrc(packet))


def pfc(quanta: dict[int, int], vector: int | None = None, src: str = HOST_MAC) -> bytes:
    """A PFC frame. quanta: {priority: quanta}; vector: the enable bits, those priorities' unless
    given."""
    bits = sum(1 << priority for priority in quanta) if vector is None else vector
    times = struct.pack(">8H", *(quanta.get(priority, 0) for priority in range(8)))
    return ethernet(struct.pack(">HH", 0x0101, bits) + times, 0x8808, src=src,
                    dst="01:80:c2:00:00:01")
