# SPDX-License-Identifier: BSD-3-Clause
"""What devices and the kernel lose is counted and logged like any other drop."""
import contextlib
import re
import signal
import tempfile

from common import *

SENT = 4000     # more than the ring of an AF_XDP socket, 2048, and the ring of a veth, 256
LOST = 100


class Drops(Shared):

    @classmethod
    def description(cls):
        return demo(cls.name, attach=("h1", "h5")) | {"tenants": {}}

    def lost(self, port="swp1", leaf="leaf1"):
        ports = self.up.show("drops")["nodes"][leaf]["ports"]
        return {reason: count for reason, count in ports[port]["drops"].items() if reason.startswith("device-")}

    def logged(self):
        return [one["message"] for one in self.up.show("log")["log"] if one["what"] == "device-drops"]

    def assert_lost(self, reason, count, leaf, port):
        wait_until(lambda: self.lost(port, leaf) == {reason: count},
                   lambda: f"{count} packets are lost, not {self.lost(port, leaf)}")
        wait_until(lambda: any(re.match(f"{count} packets lost, {reason}: .", one) for one in self.logged()), "it is logged")
        advice = self.up.show("drops")["advice"][reason]
        self.assertIn(f"{reason}  {count} packets, lost by the device of {leaf}.{port} ({count})\n    {advice}\n",
                      self.up.command("show", "drops", leaf).out)

    def read_late(self):
        """The fabric is stopped while h1 sends. Each packet is either received or counted as lost, once."""
        self.assertEqual(self.lost(), {})
        pid = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        sender = self.udp("h1")
        before = self.port("h1")["rx_packets"]
        os.kill(pid, signal.SIGSTOP)
        try:
            for _ in range(SENT):
                sender.send(b"lost", (HOSTS["h5"], UDP_PORT))
        finally:
            os.kill(pid, signal.SIGCONT)

        def come_in():
            return self.port("h1")["rx_packets"] - before

        wait_until(lambda: come_in() + sum(self.lost().values()) == SENT, "all are accounted for")
        lost = self.lost()
        self.assertEqual(set(lost), {"device-ring-full"})
        wait_until(self.logged, "it is logged")
        self.assertRegex(self.logged()[0], rf"^{lost['device-ring-full']} packets lost, device-ring-full: the fabric read")
        self.assertGreater(lost["device-ring-full"], 0)
        text = self.up.command("show", "drops", "leaf1").out
        self.assertIn(f"device-ring-full  {lost['device-ring-full']} packets, lost by the device of leaf1.swp1 "
                      f"({lost['device-ring-full']})\n", text)
        return lost

    def lose_and_reopen(self):
        lost = self.read_late()
        # A device that is opened anew begins at 0, what it has lost stays.
        command("ip", "-n", netns(self.name, "h1"), "link", "del", "eth1")
        wait_until(lambda: self.port("h1")["state"] == "down", "it is gone")
        self.assertEqual(self.lost(), lost)
        wait_until(lambda: self.port("h1")["state"] == "up", "it is back")
        self.ping("h1", "h5")
        self.assertEqual(self.lost(), lost)


class AfXdp(Drops):

    def test_a_fabric_that_does_not_read(self):
        self.lose_and_reopen()


class PacketSockets(Drops):
    """Packet sockets, as in all fabrics with large MTUs, at taps, and for hosts that are attached while a fabric runs."""

    @classmethod
    def description(cls):
        made = super().description()
        for host in made["attach"].values():
            host["mtu"] = 9000
        return made

    def test_a_fabric_that_does_not_read(self):
        self.lose_and_reopen()


class Kinds(Drops):
    """A packet that either end of a device loses is counted once, logged, and shown with advice. All kinds of devices."""

    @classmethod
    def setUpClass(cls):
        cls.own, cls.peer, cls.tap = (f"dd{os.getpid() % 1000000}{tag}" for tag in "abt")
        need_live()
        queues = ("numtxqueues", 1, "numrxqueues", 1)
        command("ip", "link", "add", cls.own, *queues, "type", "veth", "peer", "name", cls.peer, *queues)
        cls.addClassCleanup(command, "ip", "link", "del", cls.own)
        for end in (cls.own, cls.peer):
            Path(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6").write_text("1")
            command("ethtool", "-K", end, "tx", "off", "gso", "off", "tso", "off", "gro", "off", "txvlan", "off", "rxvlan", "off")
            command("ip", "link", "set", end, "up")
        super().setUpClass()
        Path(f"/proc/sys/net/ipv6/conf/{cls.tap}/disable_ipv6").write_text("1")

    @classmethod
    def description(cls):
        made = super().description()
        made["attach"] |= {"h2": {"dev": f"net_tap0,iface={cls.tap}", "mtu": 1500},
                           "h3": {"dev": f"net_af_xdp9,iface={cls.own}", "mtu": 1500}}
        return made

    def set_mtu(self, mtu, *interface):
        command("ip", *interface[:-1], "link", "set", interface[-1], "mtu", mtu)
        self.addCleanup(command, "ip", *interface[:-1], "link", "set", interface[-1], "mtu", 1500)

    def frames(self, interface, size):
        """Sends LOST frames. A veth reports an error for each frame that its other end refuses."""
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as sender:
            sender.bind((interface, 0))
            for _ in range(LOST):
                with contextlib.suppress(OSError):
                    sender.send(udp("10.0.1.2", HOSTS["h5"], size=size, dst_mac="02:01:00:00:00:02"))

    def test_a_host_sends_more_than_its_mtu(self):
        """The other end of the veth refuses the packets, and both ends count them."""
        self.set_mtu(3000, "-n", netns(self.name, "h1"), "eth1")
        sender = self.udp("h1")
        for _ in range(LOST):
            sender.send(bytes(2500), (HOSTS["h5"], UDP_PORT))
        self.assert_lost("device-host-send", LOST, "leaf1", "swp1")

    def test_a_host_takes_less_than_its_mtu(self):
        self.set_mtu(600, "-n", netns(self.name, "h5"), "eth1")
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as sender:
            sender.bind((self.peer, 0))
            for _ in range(LOST):
                sender.send(udp("10.0.1.3", HOSTS["h5"], size=1000, dst_mac="02:01:00:00:00:03"))
        self.assert_lost("device-kernel-send", LOST, "leaf2", "swp1")

    def test_an_interface_of_the_user_is_sent_more_than_its_mtu(self):
        self.set_mtu(3000, self.peer)
        self.frames(self.peer, 2500)
        self.assert_lost("device-kernel-receive", LOST, "leaf1", "swp3")

    def test_longer_than_a_packet(self):
        self.set_mtu(9000, self.tap)
        self.frames(self.tap, 8000)
        self.assert_lost("device-receive-error", LOST, "leaf1", "swp2")


class Detached(Drops):

    def test_a_host_is_detached(self):
        """What it has lost stays with its leaf's port, and counts on when a host is attached there again."""
        namespace = netns(self.name, "h4")
        for times in (1, 2):
            self.up.command("attach", "h4", f"netns={namespace}")
            self.ping("h4", "h5")       # it knows its gateway then
            command("ip", "-n", namespace, "link", "set", "eth1", "mtu", 3000)
            with udp_socket(namespace).socket as sender:
                for _ in range(LOST):
                    sender.sendto(bytes(2500), (HOSTS["h5"], UDP_PORT))
            self.up.command("detach", "h4")
            self.assertEqual(self.lost("swp4"), {"device-host-send": times * LOST})
            logged = [one.split(":")[0] for one in self.logged()]
            self.assertEqual(logged, times * [f"{LOST} packets lost, device-host-send"])
        self.assertIn(f"device-host-send  {2 * LOST} packets, lost by the device of leaf1.swp4 ({2 * LOST})\n",
                      self.up.command("show", "drops").out)


class Container(Drops):

    @classmethod
    def setUpClass(cls):
        need_live()
        cls.process = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        cls.addClassCleanup(cls.process.wait)
        cls.addClassCleanup(cls.process.kill)
        wait_until(lambda: Path(f"/proc/{cls.process.pid}/comm").read_text() == "sleep\n", "it has a network of its own")
        programs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(programs.cleanup)
        docker = Path(programs.name) / "docker"
        docker.write_text(f"#!/bin/sh\necho {cls.process.pid}\n")
        docker.chmod(0o755)
        cls.addClassCleanup(os.environ.__setitem__, "PATH", os.environ["PATH"])
        os.environ["PATH"] = f"{programs.name}:{os.environ['PATH']}"
        super().setUpClass()

    @classmethod
    def description(cls):
        made = super().description()
        made["attach"]["h1"] = {"container": "one", "mtu": 1500}
        return made

    def test_a_container_sends_more_than_its_mtu(self):
        enter = ("nsenter", "-n", "-t", self.process.pid)
        command(*enter, "ping", "-c", 1, "-W", 2, HOSTS["h5"])      # it knows its gateway then
        command(*enter, "ip", "link", "set", "eth1", "mtu", 3000)
        command(*enter, "/usr/bin/python3", "-c", "import socket\nsender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                f"for _ in range({LOST}): sender.sendto(bytes(2500), ('{HOSTS['h5']}', {UDP_PORT}))")
        self.assert_lost("device-host-send", LOST, "leaf1", "swp1")
