# SPDX-License-Identifier: BSD-3-Clause
"""Small packets pile up at a paused port. Their buffers fill before packets in memory run out, and where memory is
too small for that, switches pause and drop by name; in either case nobody else's packets are refused."""
import re

from common import *
from test_pause import DSCP, QUANTA, pfc_frame

BURST = 500
MORE_MB = 11        # than devices and links take
REFRESH_S = 0.1     # of a pause of 335 ms
NIC_BYTES = 1_000_000
SLOW = 100_000      # a dilation at which a link of 100G takes 1,500 packets of 60 bytes a second

class PacketMemory(LiveCase):

    def start(self, nic="off", attach=tuple(HOSTS), dilation=DILATION, **changes):
        """Brings the fabric up. With nic="off", the packets of h1 pile up in the switches."""
        self.name = name_of("packets")
        description = demo(self.name, attach, dilation=dilation, **changes.pop("live", {}))
        description["switch"]["buffer"] |= changes
        description["attach"]["h1"]["nic"] = nic
        self.up = self.fabric(description)
        self.mac = self.up.exec("h5", "cat", "/sys/class/net/eth1/address").out.strip()

    def drops(self):
        """Dropped packets, by (reason, port), without those that a busy machine costs: it may let the fabric wait while packets
        come, until the ring of a device is full."""
        return {(reason, f"{node}.{port}"): count
                for node, found in self.up.show("drops")["nodes"].items() for port, of in found["ports"].items()
                for reason, count in of["drops"].items() if count and reason != "device-ring-full"}

    def flood(self):
        """Tenant red's h1 sends packets of 60 bytes to h5, which pauses, until one of them is dropped."""
        with raw_socket(netns(self.name, "h5")).socket as paused, \
                udp_socket(netns(self.name, "h1"), dscp=DSCP[3]).socket as sender:
            sender.setblocking(True)
            paused_at, end = 0.0, time.monotonic() + 30
            while not self.drops():
                self.assertLess(time.monotonic(), end, "nothing was ever dropped")
                for _ in range(20):
                    if time.monotonic() > paused_at + REFRESH_S:
                        paused.send(pfc_frame(self.mac, c3=QUANTA))
                        paused_at = time.monotonic()
                    for _ in range(BURST):
                        sender.sendto(b"tiny", (HOSTS["h5"], 9))
            self.assert_others_unharmed()

    def assert_others_unharmed(self):
        """Tenant blue's packets all arrive meanwhile, and none that came in by their ports is dropped."""
        ping = self.up.exec("h3", "ping", "-c", "4", "-i", "0.1", "-W", "2", HOSTS["h7"]).out
        self.assertIn("4 received", ping)
        self.assertFalse({port for _, port in self.drops()} & {"leaf1.swp3", "leaf2.swp3"})

    def nic(self, host):
        return port_of(self.name, host, "eth1")

    def fill(self, hosts):
        """Hosts send small packets faster than their links until their NICs are full, in all priorities but the one that is
        scheduled first."""
        queues = [priority for priority in range(8) if priority != 6]
        senders = [(udp_socket(netns(self.name, host), dscp=8 * priority), to)
                   for host, to in hosts.items() for priority in queues]
        end = time.monotonic() + 40
        for sender, _ in senders:
            self.addCleanup(sender.socket.close)
        while min(self.nic(host)["queue"][priority]["depth"] for host in hosts for priority in queues) < 0.9 * NIC_BYTES:
            self.assertLess(time.monotonic(), end, "the NICs never were full")
            for sender, to in senders:
                for _ in range(BURST):
                    try:
                        sender.send(b"tiny", (to, 9))
                    except BlockingIOError:
                        break

    def test_full_nics_leave_packets_to_others(self):
        """Three hosts fill the queues of their NICs, 109,000 packets in all, which is more than the buffers of all
        switches take. Nobody else notices."""
        full = {"h1": "10.0.1.2", "h2": HOSTS["h1"], "h6": HOSTS["h5"]}
        self.start("on", (*HOSTS, "h2", "h6"), SLOW, size="1MB")
        self.fill(full)
        self.assert_others_unharmed()
        self.assertFalse({reason for reason, _ in self.drops()} & {"packet-memory", "no-mbuf", "device-no-packet"})

    def pools(self, node):
        return self.up.show("pool", node)["nodes"][node]

    def test_buffers_fill_first(self):
        self.start(size="8MB")
        self.flood()
        self.assertEqual({reason for reason, _ in self.drops()}, {"headroom"})      # Linux obeys no pause
        for leaf in ("leaf1", "leaf2"):
            found = self.pools(leaf)
            lossless = found["pools"]["ingress-lossless"]
            self.assertGreater(lossless["used_max"], lossless["size"] // 3)         # alpha is 1: a half
            self.assertLess(found["packets"]["small"]["used_max"], found["packets"]["small"]["most"])
        # Packets that devices receive into became scarce, so the switches have copied what waits.
        self.assertGreater(sum(self.pools(node)["packets"]["small"]["used_max"]
                               for node in ("leaf1", "leaf2", "spine1", "spine2")), 0)

    def test_pauses_and_names_when_memory_is_short(self):
        self.start(size="64MB", live={"packet-memory": f"{self.taken_mb() + MORE_MB:.0f}MB"})
        self.flood()
        self.assertEqual({reason for reason, _ in self.drops()}, {"packet-memory"})
        advice = self.up.show("drops")["advice"]["packet-memory"]
        self.assertIn("live.packet-memory", advice)
        for leaf in ("leaf1", "leaf2"):
            found = self.pools(leaf)
            lossless, small = found["pools"]["ingress-lossless"], found["packets"]["small"]
            self.assertLess(lossless["used_max"], lossless["size"] // 4)
            self.assertLessEqual(small["used_max"], small["most"])
        pauses = [port["pfc_tx"][3] for port in self.up.show("interface", "leaf2")["nodes"]["leaf2"]["ports"].values()]
        self.assertGreater(sum(pauses), 0)
        # When the pause is over everything leaves, and what was paused goes on.
        wait_until(lambda: self.pools("leaf2")["packets"]["small"]["used"] == 0, "the queue has drained")
        self.assert_reaches(self.name, "h1", "h5")

    def taken_mb(self):
        """How much memory devices and links need. The error of a fabric with too little says it."""
        name = name_of("packets-few")
        done = roost("up", self.file(demo(name, **{"packet-memory": "1MB"}), f"{name}.yaml"), status=1)
        said = re.search(r"live\.packet-memory: 1 MB is too little: devices and links of this fabric need ([\d.]+) MB "
                         "even if no packet waits", done.err)
        self.assertTrue(said, done.err)
        self.assert_clean(name)
        return float(said[1])

    def test_too_little_is_refused(self):
        self.assertGreater(self.taken_mb(), 50)
