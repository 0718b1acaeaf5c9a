# SPDX-License-Identifier: BSD-3-Clause
"""Our VXLAN beside that of Linux: the kernel's vxlan device, in a namespace of the test's own, puts the same headers
around the same packets, takes what we send, and we take what it does."""
import ctypes
import os
import select
import socket
import struct
import threading
import time
import unittest

from tunnels import *

CLONE_NEWNET = 0x40000000
ETH_P_ALL = 3
SIZES = (60, 64, 65, 300, 1400)


class Kernel:
    """A namespace with a vxlan device vx0 on one end, `under`, of a veth; frames are read and written at the other,
    `wire`, as they are on the link."""

    def __init__(self, version, local, remote, local_mac, remote_mac):
        self.name = f"roost-vxlan-{os.getpid()}"
        self.version, self.local, self.remote = version, local, remote
        self.macs = local_mac, remote_mac
        self.wire = self.inside = None

    def __enter__(self):
        command("ip", "netns", "add", self.name)
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for opened in (self.wire, self.inside):
            if opened is not None:
                opened.close()
        command("ip", "netns", "del", self.name, status=None)

    def ip(self, *words):
        command("ip", "-n", self.name, *words)

    def make(self):
        command("ip", "netns", "exec", self.name, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=0",
                "net.ipv6.conf.default.accept_dad=0", "net.ipv6.conf.default.autoconf=0")
        self.ip("link", "add", "under", "address", self.macs[0], "mtu", "9000", "type", "veth", "peer", "name", "wire",
                "mtu", "9000")
        self.ip("addr", "add", self.local + ("/24" if self.version == 4 else "/64"), "dev", "under",
                *(["nodad"] if self.version == 6 else []))
        self.ip("link", "set", "wire", "arp", "off", "up")
        self.ip("link", "set", "under", "up")
        self.ip("neigh", "replace", self.remote, "lladdr", self.macs[1], "dev", "under")
        checksums = ["noudpcsum"] if self.version == 4 else ["udp6zerocsumtx", "udp6zerocsumrx"]
        self.ip("link", "add", "vx0", "type", "vxlan", "id", str(VNI["red"]), "local", self.local, "remote",
                self.remote, "dev", "under", "dstport", str(VXLAN_PORT), "ttl", "64", "tos", "inherit",
                *(["df", "set"] if self.version == 4 else []), *checksums)
        self.ip("link", "set", "vx0", "arp", "off", "up")
        for device in ("under", "wire"):
            command("ip", "netns", "exec", self.name, "ethtool", "-K", device, "tx", "off", "rx", "off", "gro", "off",
                    "gso", "off", "tso", "off", status=None)
        self.wire, self.inside = self.packets("wire"), self.packets("vx0")

    def packets(self, device):
        """A socket of whole frames. The thread that opens it moves into the namespace, and ends there."""
        opened = []

        def open_there():
            with open(f"/run/netns/{self.name}", "rb") as there:
                if ctypes.CDLL(None, use_errno=True).setns(there.fileno(), CLONE_NEWNET) != 0:
                    return
            one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
            one.bind((device, ETH_P_ALL))
            opened.append(one)

        thread = threading.Thread(target=open_there)
        thread.start()
        thread.join()
        return opened[0]

    def through(self, frames, into, out_of, wanted):
        """What comes out for each frame that goes in, one by one; `wanted` tells it from the kernel's own talk."""
        came = []
        for frame in frames:
            into.send(frame)
            end = time.monotonic() + 10
            while (left := end - time.monotonic()) > 0 and select.select([out_of], [], [], left)[0]:
                data, (_, _, kind, *_) = out_of.recvfrom(16384)
                if kind != socket.PACKET_OUTGOING and wanted(data):
                    came.append(data)
                    break
        return came


def in_vxlan(frame):
    at = 14 + (40 if frame[12:14] == b"\x86\xdd" else 20)
    return frame[at + 2:at + 4] == struct.pack(">H", VXLAN_PORT) and is_ip_for_us(inner(frame))


def is_ip_for_us(frame):
    return frame[:6] in (mac(FAR_MAC), mac(SWITCH_MAC)) and frame[12:14] in (b"\x08\x00", b"\x86\xdd")


def masked(frame):
    """Without what each sender chooses for itself: the source port and, as the packet may not be cut into fragments
    (RFC 6864), IPv4's identification, with the checksum that goes with it."""
    data = bytearray(frame)
    at = 14 + (40 if frame[12:14] == b"\x86\xdd" else 20)
    data[at:at + 2] = b"\0\0"
    if at == 34:
        data[18:20] = data[24:26] = b"\0\0"
    return bytes(data)


class Linux(Case):
    @classmethod
    def setUpClass(cls):
        need_root()
        name = f"roost-probe-vxlan-{os.getpid()}"
        command("ip", "netns", "add", name)
        done = command("ip", "-n", name, "link", "add", "v0", "type", "vxlan", "id", "1", "dstport", "4789",
                       status=None)
        command("ip", "netns", "del", name)
        if done.status != 0:
            raise unittest.SkipTest(f"needs the kernel's vxlan device: {done.err.strip()}")

    def ours(self, version):
        """Frames as they came from a host, and as we send them on. None is marked CE: what is, the kernel sends as
        ECT(0) outside (RFC 3168, section 9.1.1), we as CE (RFC 6040, section 4.1, normal mode)."""
        frames = [udp(*addresses, size, dscp=dscp, ecn=ecn, sport=size)
                  for addresses in (("198.18.1.1", "198.19.7.7"), ("2001:db8:1::1", "2001:db8:c8::7"))
                  for size, dscp, ecn in zip(SIZES, (0, 26, 48, 63, 1), (0, 1, 2, 2, 1))]
        run = self.replay(vxlan_leaf(version), {"swp1": [(1000 * (i + 1), frame) for i, frame in enumerate(frames)]})
        self.assertEqual(run.drops, {})
        return frames, [packet.data for packet in run.sent["swp8"]]

    def test_the_same_bytes(self):
        """The kernel with our addresses, given the packet as we route it, makes the frame that we make."""
        for version in (4, 6):
            with self.subTest(version=version):
                frames, sent = self.ours(version)
                with Kernel(version, NEAR[version], FAR[version], SWITCH_MAC, next_hop_mac("swp8")) as kernel:
                    built = kernel.through([inner(frame) for frame in sent], kernel.inside, kernel.wire, in_vxlan)
                self.assertEqual(len(built), len(frames))
                for mine, linux in zip(sent, built):
                    self.assertEqual(masked(mine).hex(), masked(linux).hex())

    def test_it_takes_ours(self):
        """What we send comes out of the far end's device as we put it in. A UDP checksum of 0 over IPv6 too."""
        for version in (4, 6):
            with self.subTest(version=version):
                _, sent = self.ours(version)
                with Kernel(version, FAR[version], NEAR[version], next_hop_mac("swp8"), SWITCH_MAC) as kernel:
                    came = kernel.through(sent, kernel.wire, kernel.inside, is_ip_for_us)
                self.assertEqual([one.hex() for one in came], [inner(frame).hex() for frame in sent])

    def test_we_take_its(self):
        """What the kernel at the far end sends leaves us by the host's port, routed."""
        for version in (4, 6):
            with self.subTest(version=version):
                back = [udp(*addresses, size, dscp=dscp, sport=size, src_mac=FAR_MAC)
                        for addresses in (("198.19.7.7", "198.18.1.1"), ("2001:db8:c8::7", "2001:db8:1::1"))
                        for size, dscp in zip(SIZES, (0, 26, 48, 63, 1))]
                with Kernel(version, FAR[version], NEAR[version], next_hop_mac("swp8"), SWITCH_MAC) as kernel:
                    wrapped = kernel.through([unpadded(frame) for frame in back], kernel.inside, kernel.wire, in_vxlan)
                self.assertEqual(len(wrapped), len(back))
                run = self.replay(vxlan_leaf(version),
                                  {"swp8": [(1000 * (i + 1), frame) for i, frame in enumerate(wrapped)]})
                run.assert_conserved()
                self.assertEqual(run.drops, {})
                self.assertEqual([packet.data.ljust(60, b"\0").hex() for packet in run.sent["swp1"]],
                                 [unpadded(routed(frame, port="swp1")).ljust(60, b"\0").hex() for frame in back])


if __name__ == "__main__":
    unittest.main()
