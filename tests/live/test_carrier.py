# SPDX-License-Identifier: BSD-3-Clause
"""When the process of a fabric dies, whatever is attached to it sees its link go, as that of a switch would that loses
its power. Interfaces that are not the fabric's any more, or that Linux uses too, stay up."""
import fcntl
import resource
import signal

from common import *

CARRIER_S = 5.0
TUNSETIFF, TAP_WITHOUT_INFO = 0x400454ca, 0x1002
F_SETPIPE_SZ = 1031
RTMGRP_LINK, RTM_DELLINK, IFLA_IFNAME, IFF_UP = 1, 17, 3, 1
QUEUES = ("numtxqueues", 1, "numrxqueues", 1)


def open_tap(name):
    """As a virtual machine does."""
    machine = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(machine, TUNSETIFF, struct.pack("16sH22x", name.encode(), TAP_WITHOUT_INFO))
    return machine


def link_changes():
    """A socket that the kernel notifies of changes of interfaces."""
    opened = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    opened.bind((0, RTMGRP_LINK))
    return opened


def gone_down(data):
    """The interfaces that have gone down or away, in notifications of links (struct nlmsghdr, ifinfomsg, rtattr)."""
    while len(data) >= 32:
        length, kind = struct.unpack_from("=IH", data)
        family, flags = struct.unpack_from("=B7xI", data, 16)
        at = 32
        while at + 4 <= length:
            size, attribute = struct.unpack_from("=HH", data, at)
            if attribute == IFLA_IFNAME and family == socket.AF_UNSPEC and (kind == RTM_DELLINK or not flags & IFF_UP):
                yield data[at + 4:at + size].rstrip(b"\0").decode()
            at += max(size + 3 & ~3, 4)
        data = data[max(length + 3 & ~3, 32):]


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

    def process(self):
        return json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]

    def watcher(self):
        """The process that watches the fabric's, once it has its name."""
        return wait_until(self.find_watcher, "there is a watcher")

    def find_watcher(self):
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                command_name, fields = path.read_text().rsplit(")", 1)
            except OSError:
                continue
            if command_name.endswith("(roost-watcher") and int(fields.split()[1]) == self.process():
                return int(path.parent.name)
        return None

    def kill(self, *interfaces):
        """Kills the fabric's process and waits for the watcher to end. The interfaces, (name, namespace), go down within
        CARRIER_S, by what the kernel notifies: looking starts processes, which takes its time."""
        changes = {namespace: inside(namespace, link_changes) if namespace else link_changes()
                   for namespace in {namespace for _, namespace in interfaces}}
        for one in changes.values():
            self.addCleanup(one.close)
        watcher = os.pidfd_open(self.watcher())
        self.addCleanup(os.close, watcher)
        os.kill(self.process(), signal.SIGKILL)
        killed, left = time.monotonic(), set(interfaces)
        while left:
            ready = select.select(list(changes.values()), [], [], 10)[0]
            now = time.monotonic() - killed
            self.assertTrue(ready, f"{left} do not go down")
            for namespace, one in changes.items():
                if one in ready:
                    left -= {(name, namespace) for name in gone_down(one.recv(1 << 16))}
        self.assertLess(now, CARRIER_S, interfaces)
        self.assertTrue(select.select([watcher], [], [], 10)[0], "the watcher has not ended")

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
        self.kill(("eth1", h1))
        self.assertFalse(self.has_carrier("eth1", h1))
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
        self.kill((packets, None), (xdp, None), (there, other), (made, None))
        self.assertEqual(self.far_ends_up(*ends), set())
        self.assertFalse(Path(f"/sys/class/net/{made}").exists())
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
        self.kill((late, None), (tap, None))
        self.assertEqual(self.far_ends_up(late, gone), {gone})
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
        self.kill((tap, None))
        with self.assertRaisesRegex(OSError, "Input/output error"):
            os.write(machine, bytes(60))
        roost("down", self.name)

    def test_an_interface_that_linux_uses_too(self):
        """With an address on it, or another interface above it, the machine may be reached by it."""
        ours, addressed, labelled, below, bridged = (self.interface(tag) for tag in "abcde")
        bridge = f"rcbr{os.getpid() % 1000000}"
        command("ip", "link", "set", ours, "up")
        command("ip", "addr", "add", "192.0.2.1/32", "dev", addressed)
        command("ip", "addr", "add", "192.0.2.2/32", "dev", labelled, "label", f"{labelled}:1")
        command("ip", "link", "add", f"m{below}", "link", below, "type", "macvlan")     # as a VLAN
        command("ip", "link", "add", bridge, "type", "bridge")
        self.addCleanup(command, "ip", "link", "del", bridge)
        command("ip", "link", "set", bridged, "master", bridge)
        used = {addressed, labelled, below, bridged}
        self.up(**{f"h{number}": {"dev": f"net_af_packet{number},iface={interface}"}
                   for number, interface in enumerate([ours, *sorted(used)], 1)})
        self.kill((ours, None))
        self.assertEqual(self.far_ends_up(ours), set())
        self.assertEqual(self.far_ends_up(*used), used)
        roost("down", self.name)

    def log(self):
        return roost("show", "log", "-f", self.name).out

    def test_watcher_that_reads_late(self):
        """What did not fit the pipe reaches it later: what is attached last, and what is detached last."""
        kept, gone = self.interface("a"), self.interface("b")
        self.up()
        watcher = self.watcher()
        os.kill(watcher, signal.SIGSTOP)
        with open(f"/proc/{watcher}/fd/3", "rb", buffering=0) as pipe:
            fcntl.fcntl(pipe, F_SETPIPE_SZ, 4096)
        roost("attach", "h2", f"dev=net_af_packet8,iface={gone}", "mtu=1500", "-f", self.name)
        for _ in range(10):     # more than the pipe holds
            roost("attach", "h1", f"dev=net_af_packet7,iface={kept}", "mtu=1500", "-f", self.name)
            roost("detach", "h1", "-f", self.name)
        roost("attach", "h1", f"dev=net_af_packet7,iface={kept}", "mtu=1500", "-f", self.name)
        roost("detach", "h2", "-f", self.name)
        wait_until(lambda: "roost-watcher does not read" in self.log(), "it is logged")
        os.kill(watcher, signal.SIGCONT)
        wait_until(lambda: "roost-watcher reads again" in self.log(), "it has what was detached and attached")
        self.kill((kept, None))
        self.assertEqual(self.far_ends_up(kept, gone), {gone})
        roost("down", self.name)

    def test_watcher_that_cannot_be_started(self):
        """Roost tries again: here it has no descriptors for a while."""
        interface = self.interface("a")
        self.up(h1={"dev": f"net_af_packet7,iface={interface}"})
        watcher = self.watcher()
        limits = resource.prlimit(self.process(), resource.RLIMIT_NOFILE)
        resource.prlimit(self.process(), resource.RLIMIT_NOFILE, (3, limits[1]))
        try:
            os.kill(watcher, signal.SIGKILL)
            wait_until(lambda: not Path(f"/proc/{watcher}").exists(), "the fabric's process knows")
        finally:
            resource.prlimit(self.process(), resource.RLIMIT_NOFILE, limits)
        wait_until(lambda: "roost-watcher has ended and was started again" in self.log(), "it is started again")
        self.kill((interface, None))
        self.assertEqual(self.far_ends_up(interface), set())
        roost("down", self.name)

    def test_watcher_that_stands_still(self):
        """Nobody waits for it, and the log says what will be wrong."""
        interface = self.interface("a")
        self.up()
        watcher = self.watcher()
        os.kill(watcher, signal.SIGSTOP)
        with open(f"/proc/{watcher}/fd/3", "rb", buffering=0) as pipe:
            fcntl.fcntl(pipe, F_SETPIPE_SZ, 4096)
        for _ in range(10):     # more than the pipe holds
            roost("attach", "h1", f"dev=net_af_packet7,iface={interface}", "mtu=1500", "-f", self.name)
            roost("detach", "h1", "-f", self.name)
        wait_until(lambda: "roost-watcher does not read" in self.log(), "it is logged")
        self.assertNotIn("roost-watcher has ended", self.log())
        roost("down", self.name)
        self.assertFalse(Path(f"/proc/{watcher}").exists())
        self.assertEqual(self.far_ends_up(interface), {interface})

    def test_watcher_that_ends(self):
        """It is started again, and knows what was attached before and what is attached later."""
        old, new, gone = (self.interface(tag) for tag in "abc")
        self.up(h1={"dev": f"net_af_packet7,iface={old}"}, h2={"dev": f"net_af_packet8,iface={gone}"})
        roost("detach", "h2", "-f", self.name)
        os.kill(self.watcher(), signal.SIGKILL)
        wait_until(lambda: "roost-watcher has ended and was started again" in self.log(), "it is logged")
        roost("attach", "h3", f"dev=net_af_packet9,iface={new}", "mtu=1500", "-f", self.name)
        self.kill((old, None), (new, None))
        self.assertEqual(self.far_ends_up(old, new, gone), {gone})
        roost("down", self.name)

    def test_watcher_that_ends_again_and_again(self):
        interface = self.interface("a")
        self.up(h1={"dev": f"net_af_packet7,iface={interface}"})
        for times in range(1, 6):
            os.kill(self.watcher(), signal.SIGKILL)
            wait_until(lambda: self.log().count("was started again") == times, "it is started again")
        os.kill(self.watcher(), signal.SIGKILL)
        wait_until(lambda: "roost-watcher has ended again and again: if the process of the fabric dies" in self.log(),
                   "it is not started again")
        self.assertIsNone(self.find_watcher())
        roost("detach", "h1", "-f", self.name)
        roost("attach", "h1", f"dev=net_af_packet7,iface={interface}", "mtu=1500", "-f", self.name)
        roost("down", self.name)
        self.assertEqual(self.far_ends_up(interface), {interface})

    def test_shared_with_linux(self):
        """Ports of `netdev:` are the switch's, addresses or not."""
        shared = self.interface("a")
        command("ip", "addr", "add", "192.0.2.1/32", "dev", shared)
        path = self.file({"switch": {"name": self.name, "preset": "spectrum-x",
                                     "ports": {"swp1": {"rate": "10G", "netdev": shared}}}}, f"{self.name}.yaml")
        self.up_from(path)
        wait_until(lambda: self.far_ends_up(shared), "it is up")
        self.kill((shared, None))
        self.assertEqual(self.far_ends_up(shared), set())
        self.assertIn("192.0.2.1", command("ip", "addr", "show", "dev", shared).out)
        roost("down", self.name)


if __name__ == "__main__":
    unittest.main()
