# SPDX-License-Identifier: BSD-3-Clause
"""When the process of a fabric dies, whatever is attached to it sees its link go, as that of a switch would that loses
its power. Interfaces that are not the fabric's any more, or that Linux uses too, stay up."""
import fcntl
import signal

from common import *

CARRIER_S = 1.0
TUNSETIFF, TAP_WITHOUT_INFO = 0x400454ca, 0x1002
QUEUES = ("numtxqueues", 1, "numrxqueues", 1)


def open_tap(name):
    """As a virtual machine does."""
    machine = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(machine, TUNSETIFF, struct.pack("16sH22x", name.encode(), TAP_WITHOUT_INFO))
    return machine


class Carrier(LiveCase):

    def setUp(self):
        self.name = name_of("carrier")
        self.far = f"roost-far-{os.getpid()}"     # where the hosts' ends are
        command("ip", "netns", "add", self.far)
        self.addCleanup(command, "ip", "netns", "del", self.far)

    def interface(self, tag):
        """The fabric's end of a veth, whose other end is in a namespace; its name there is the same."""
        name = f"rc{os.getpid() % 1000000}{tag}"
        command("ip", "link", "add", name, "mtu", 1500, *QUEUES, "type", "veth", "peer", "name", name, "netns", self.far, *QUEUES)
        self.addCleanup(command, "ip", "link", "del", name, status=None)
        command("ip", "-n", self.far, "link", "set", name, "up")
        for enter in ((), ("ip", "netns", "exec", self.far)):
            command(*enter, "ethtool", "-K", name, "tx", "off", "gso", "off", "tso", "off", "gro", "off",
                    "txvlan", "off", "rxvlan", "off")
        return name

    def has_carrier(self, interface, namespace):
        done = command("ip", "-n", namespace, "-j", "link", "show", interface, status=None)
        return done.status == 0 and "LOWER_UP" in done.json[0]["flags"]

    def far_ends_up(self, *interfaces):
        return {one for one in interfaces if self.has_carrier(one, self.far)}

    def kill(self):
        """The fabric's process; returns when it was."""
        os.kill(json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"], signal.SIGKILL)
        return time.monotonic()

    def await_down(self, killed, down, what):
        wait_until(down, f"{what} is down")
        self.assertLess(time.monotonic() - killed, CARRIER_S, what)

    def up(self, **attach):
        path = self.file(demo(self.name, attach=()) | {"attach": {host: one | {"mtu": 1500} for host, one in attach.items()}},
                         f"{self.name}.yaml")
        return self.up_from(path)

    def up_from(self, path):
        self.addCleanup(self.assert_clean, self.name)
        self.addCleanup(roost, "down", self.name, status=None)
        return roost("up", path)

    def test_namespace(self):
        h1 = netns(self.name, "h1")
        self.up(h1={"netns": h1})
        self.assertTrue(self.has_carrier("eth1", h1))
        self.await_down(self.kill(), lambda: not self.has_carrier("eth1", h1), "eth1")
        roost("down", self.name)

    def test_devices(self):
        """By packet sockets and AF_XDP, in the namespace of the command and in another; and what a driver makes."""
        packets, xdp, there = (self.interface(tag) for tag in "abc")
        made = f"rc{os.getpid() % 1000000}d"
        other = f"roost-other-{os.getpid()}"
        command("ip", "netns", "add", other)
        self.addCleanup(command, "ip", "netns", "del", other)
        command("ip", "link", "set", there, "netns", other)
        attach = {"h1": {"netns": netns(self.name, "h1")}, "h2": {"dev": f"net_af_packet7,iface={packets}"},
                  "h3": {"dev": f"net_af_xdp8,iface={xdp}"}, "h5": {"netns": other, "dev": f"net_af_packet9,iface={there}"},
                  "h7": {"dev": f"net_tap0,iface={made}"}}
        ends = {packets, xdp, there}
        self.up(**attach)
        self.assertEqual(self.far_ends_up(*ends), ends)
        self.assertTrue(self.is_up(made))
        self.await_down(self.kill(), lambda: not self.far_ends_up(*ends) and not Path(f"/sys/class/net/{made}").exists(), ends)
        # The next one has them up again, and leaves them so when it is taken down.
        done = self.up(**attach)
        self.assertNotIn("it is down", done.err)
        self.assertEqual(self.far_ends_up(*ends), ends)
        roost("down", self.name)
        self.assertEqual(self.far_ends_up(*ends), ends)

    def test_attached_while_it_runs(self):
        late, gone, tap = self.interface("a"), self.interface("b"), f"tap{os.getpid() % 100000}"
        self.up()
        self.assert_refused("^roost exec: h1 is not a host with a namespace; there is none$", "exec", "-f", self.name, "h1", "--", "true")
        self.assert_refused(f"iface={late}: carries an MTU of at most [0-9]+ here, not 4200: set a smaller mtu$",
                            "attach", "h1", f"dev=net_af_packet7,iface={late}", "-f", self.name, status=1)
        for host, what in (("h1", f"dev=net_af_packet7,iface={late}"), ("h2", f"dev=net_af_packet8,iface={gone}"),
                           ("h5", f"tap={tap}")):
            roost("attach", host, what, "mtu=1500", "-f", self.name)
        roost("detach", "h2", "-f", self.name)
        machine = open_tap(tap)
        self.addCleanup(os.close, machine)
        os.write(machine, bytes(60))
        self.assertEqual(self.far_ends_up(late, gone), {late, gone})
        self.await_down(self.kill(), lambda: self.far_ends_up(late, gone) == {gone} and not self.is_up(tap), "what is attached")
        roost("down", self.name)

    def is_up(self, interface):
        return "UP" in command("ip", "-j", "link", "show", interface).json[0]["flags"]

    def test_tap(self):
        """A virtual machine can send no more: QEMU has an error of each write."""
        tap = f"tap{os.getpid() % 100000}"
        self.up(h1={"tap": tap})
        machine = open_tap(tap)
        self.addCleanup(os.close, machine)
        os.write(machine, bytes(60))
        self.await_down(self.kill(), lambda: not self.is_up(tap), tap)
        with self.assertRaisesRegex(OSError, "Input/output error"):
            os.write(machine, bytes(60))
        roost("down", self.name)

    def test_an_interface_that_linux_uses_too(self):
        """With an address on it, the machine may be reached by it."""
        ours, theirs = self.interface("a"), self.interface("b")
        command("ip", "link", "set", ours, "up")
        command("ip", "addr", "add", "192.0.2.1/32", "dev", theirs)
        self.up(h1={"dev": f"net_af_packet7,iface={ours}"}, h2={"dev": f"net_af_packet8,iface={theirs}"})
        self.await_down(self.kill(), lambda: not self.far_ends_up(ours), ours)
        self.assertEqual(self.far_ends_up(theirs), {theirs})
        roost("down", self.name)

    def test_shared_with_linux(self):
        """Ports of `netdev:` are the switch's, addresses or not."""
        shared = self.interface("a")
        command("ip", "addr", "add", "192.0.2.1/32", "dev", shared)
        path = self.file({"switch": {"name": self.name, "preset": "spectrum-x",
                                     "ports": {"swp1": {"rate": "10G", "netdev": shared}}}}, f"{self.name}.yaml")
        self.up_from(path)
        wait_until(lambda: self.far_ends_up(shared), "it is up")
        self.await_down(self.kill(), lambda: not self.far_ends_up(shared), shared)
        self.assertIn("192.0.2.1", command("ip", "addr", "show", "dev", shared).out)
        roost("down", self.name)


if __name__ == "__main__":
    unittest.main()
