# SPDX-License-Identifier: BSD-3-Clause
"""Packets and capture files.

Written and read with struct, because scapy handles some hundred packets a second. Times are integers in nanoseconds;
lengths are bytes without FCS.
"""
import importlib
import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

DAY_NS = 86_400 * 10**9
Written = TypeVar("Written", bound=str | os.PathLike[str])

PacketLike = Any
"""bytes, a scapy packet, a Packet, or (time in ns, bytes or scapy packet)."""
Packets = Iterable[PacketLike]


class Packet(NamedTuple):
    """A packet of a capture."""
    ns: int             # when its last bit passed
    data: bytes
    length: int         # on the wire: more than len(data) if the capture truncates
    comment: str = ""   # "reason=ttl-expired port=swp1 priority=3 depth=0"

    def field(self, name: str) -> str | None:
        """The value of NAME=value in the comment, or None."""
        return self.fields.get(name)

    @property
    def fields(self) -> dict[str, str]:
        """All NAME=value of the comment."""
        return {name: value for name, mark, value in (word.partition("=") for word in self.comment.split()) if mark}

    @property
    def reason(self) -> str | None:
        """Of a dropped packet: why it was dropped, as doc/counters.md lists the reasons."""
        return self.field("reason")

    @property
    def scapy(self) -> Any:
        """The packet as scapy dissects it, with its time. Needs scapy."""
        packet = importlib.import_module("scapy.layers.all").Ether(self.data)
        packet.time = self.ns / 1e9
        return packet

    def __bytes__(self) -> bytes:
        return self.data


def timed(packets: Packets, gap_ns: int = 1000) -> Iterator[tuple[int, bytes]]:
    """(time in ns, bytes) of each packet. A scapy packet whose `time` was set comes at that time (in seconds, less than a
    day). Any other packet without a time comes `gap_ns` after the one before it, the first at 0."""
    after = 0
    for packet in packets:
        if isinstance(packet, tuple):
            ns, packet = packet[:2]
        elif isinstance(packet, (bytes, bytearray)):
            ns = after
        else:
            set_ns = round(float(getattr(packet, "time", DAY_NS)) * 1e9)
            ns = set_ns if 0 <= set_ns < DAY_NS else after   # scapy gives a new packet the time of day
        after = ns + gap_ns
        yield ns, bytes(packet)


ETHERNET, ERF, INFINIBAND = 1, 197, 247   # link types
ERF_BYTES = 16                             # of a header that Roost writes before an InfiniBand packet


def write_pcap(path: Written, packets: Packets, gap_ns: int = 1000, link: int = ETHERNET) -> Written:
    """Writes a pcap file of a link type with stamps in ns; packets are as for timed(). Returns the path."""
    parts = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, link)]
    for ns, data in timed(packets, gap_ns):
        parts.append(struct.pack("<IIII", ns // 10**9, ns % 10**9, len(data), len(data)))
        parts.append(data)
    Path(path).write_bytes(b"".join(parts))
    return path


def options(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(code, value) of each option of a pcapng block."""
    at = 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from("<HH", data, at)
        if code == 0:
            return
        yield code, data[at + 4:at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


def read_pcapng(path: str | os.PathLike[str]) -> list[Packet]:
    """The packets of a pcapng file as Roost writes it: one little-endian section, stamps in ns. Raises ValueError with the
    place of what is wrong."""
    data = Path(path).read_bytes()
    packets: list[Packet] = []
    links: list[int] = []
    at = 0
    while at < len(data):
        kind, total = struct.unpack_from("<II", data, at) if at + 8 <= len(data) else (0, 0)
        if total < 12 or total % 4 or at + total > len(data) or struct.unpack_from("<I", data, at + total - 4)[0] != total:
            raise ValueError(f"{path}: block at byte {at} has lengths that do not match")
        body = data[at + 8:at + total - 4]
        if at == 0 and (kind, body[:4]) != (0x0A0D0D0A, b"\x4d\x3c\x2b\x1a"):
            raise ValueError(f"{path}: not a little-endian pcapng file")
        if kind == 1:
            link, = struct.unpack_from("<H", body)
            if link not in (ETHERNET, ERF, INFINIBAND) or dict(options(body[8:])).get(9) != b"\x09":
                raise ValueError(f"{path}: not Ethernet or InfiniBand with stamps in ns")
            links.append(link)
        elif kind == 6:
            interface, high, low, captured, length = struct.unpack_from("<IIIII", body)
            skipped = ERF_BYTES if interface < len(links) and links[interface] == ERF else 0
            if interface >= len(links) or captured > length or captured < skipped:
                raise ValueError(f"{path}: packet at byte {at} contradicts what comes before it")
            comments = [text for code, text in options(body[20 + (captured + 3) // 4 * 4:]) if code == 1]
            packets.append(Packet(high << 32 | low, body[20 + skipped:20 + captured], length - skipped,
                                  b" ".join(comments).decode().strip()))
        at += total
    return packets
