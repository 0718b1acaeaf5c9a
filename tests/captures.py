# SPDX-License-Identifier: BSD-3-Clause
"""Capture files, and what Wireshark says of them.

Written and read with struct: scapy handles some hundred packets a second, which is too few.
"""
import os
import struct
import subprocess
from typing import NamedTuple


class Packet(NamedTuple):
    ns: int          # when its last bit passed
    data: bytes
    length: int      # on the wire, without FCS: more than len(data) where the capture truncates
    comment: str = ""

    def field(self, name):
        """The value of NAME=value in the comment, or None."""
        for word in self.comment.split():
            if word.startswith(name + "="):
                return word[len(name) + 1:]
        return None


def write_pcap(path, packets):
    """Writes a pcap file with stamps in ns. A packet is (ns, bytes), or bytes alone (stamp 0);
    a scapy packet does for bytes, a Packet for both."""
    parts = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)]
    for packet in packets:
        ns, data = packet[:2] if isinstance(packet, tuple) else (0, packet)
        data = bytes(data)
        parts.append(struct.pack("<IIII", ns // 10**9, ns % 10**9, len(data), len(data)))
        parts.append(data)
    with open(path, "wb") as file:
        file.write(b"".join(parts))
    return path


def _options(data):
    at = 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from("<HH", data, at)
        if code == 0:
            return
        yield code, data[at + 4:at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


def read_pcapng(path):
    """The packets of a pcapng file of one little-endian section whose stamps are in ns."""
    with open(path, "rb") as file:
        data = file.read()
    packets, at, snaplen = [], 0, None
    while at < len(data):
        kind, total = struct.unpack_from("<II", data, at)
        if total < 12 or total % 4 or struct.unpack_from("<I", data, at + total - 4)[0] != total:
            raise ValueError(f"{path}: block at byte {at} has lengths that do not match")
        body = data[at + 8:at + total - 4]
        if at == 0 and (kind, body[:4]) != (0x0A0D0D0A, b"\x4d\x3c\x2b\x1a"):
            raise ValueError(f"{path}: not a little-endian pcapng file")
        if kind == 1:
            link, _, snaplen = struct.unpack_from("<HHI", body)
            if link != 1 or dict(_options(body[8:])).get(9) != b"\x09":
                raise ValueError(f"{path}: not Ethernet with stamps in ns")
        elif kind == 6:
            interface, high, low, captured, length = struct.unpack_from("<IIIII", body)
            if snaplen is None or interface != 0 or captured > length:
                raise ValueError(f"{path}: packet at byte {at} contradicts what comes before it")
            comments = [text for code, text in _options(body[20 + (captured + 3) // 4 * 4:]) if code == 1]
            packets.append(Packet(high << 32 | low, body[20:20 + captured], length,
                                  b" ".join(comments).decode().strip()))
        at += total
    return packets


def tshark(path, *fields, display="frame"):
    """The fields of the packets that a display filter shows: a list of tuples of text."""
    command = ["tshark", "-n", "-r", os.fspath(path), "-Y", display, "-T", "fields",
               "-o", "udp.ignore_ipv6_zero_checksum:TRUE"]   # RoCEv2 over IPv6 has none either
    for field in fields or ["frame.number"]:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"tshark on {path}: {done.stderr.strip()}")
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def malformed(path):
    """What Wireshark finds wrong in a capture: a list of (frame, protocols, what)."""
    return tshark(path, "frame.number", "frame.protocols", "_ws.expert.message",
                  display="_ws.malformed || _ws.expert.severity == error")
