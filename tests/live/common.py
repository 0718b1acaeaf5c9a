# SPDX-License-Identifier: BSD-3-Clause
"""A live fabric of a test's own, and what to do in it.

Its hosts are Linux network namespaces. A test opens sockets in them and keeps them, so that one
process sends, receives and looks at the clock. Arrivals are told by the kernel's stamp on the packet,
not by when the test got to read it: the machine may be busy.
"""
import ctypes
import os
import select
import socket
import struct
import time

from support import *

HOSTS = {"h1": "10.0.1.1", "h3": "10.0.1.3", "h5": "10.0.2.1", "h7": "10.0.2.3"}   # attached
PORTS = {"h1": ("leaf1", "swp1"), "h3": ("leaf1", "swp3"), "h5": ("leaf2", "swp1"), "h7": ("leaf2", "swp3")}
DILATION = 1000
RATE_BPS = 100_000_000_000
MAX_LAG_MS = 10.0       # live.max-lag: where the fabric's clock gives way
UDP_PORT = 9000
CLONE_NEWNET = 0x40000000
SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35     # asm-generic/socket.h
AF_XDP, ETH_P_ALL, ETH_P_CONTROL = 44, 3, 0x8808

libc = ctypes.CDLL(None, use_errno=True)


def need_live():
    """Skips where a fabric with hosts in namespaces cannot be."""
    need_root()
    try:
        socket.socket(AF_XDP, socket.SOCK_RAW, 0).close()
    except OSError as error:
        raise unittest.SkipTest(f"needs AF_XDP sockets: {error.strerror}") from None


def name_of(tag):
    """A fabric's name that no other test has."""
    return f"{tag}-{os.getpid()}"


def demo(name, attach=tuple(HOSTS), workload=(), dilation=DILATION, **live):
    """The demo's fabric under another name. live: keys of `live:`."""
    return {
        "fabric": {"name": name, "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts-per-leaf": 4},
                   "links": {kind: {"rate": "100G", "delay": "500ns"} for kind in ("host", "fabric")},
                   "mtu": 4200, "seed": 1, "dilation": dilation},
        "live": {"workers": 1, "idle": "sleep"} | live,
        "switch": {"preset": "spectrum-x", "buffer": {"size": "4MB", "cell": 192}, "lldp": "off",     # tests count packets
                   "qos": {"tc": {3: {"ecn": {"min": "50KB", "max": "500KB"}}}}, "routing": {"mode": "adaptive"}},
        "hosts": {"placement": "out-of-order"},
        "tenants": {"red": {"hosts": ["h1", "h2", "h5", "h6"], "vni": 5001},
                    "blue": {"hosts": ["h3", "h4", "h7", "h8"], "vni": 5002}},
        "attach": {host: {"netns": netns(name, host), "mtu": 1500} for host in attach},
        "workload": list(workload),
    }


def congested(name, packet):
    """Two hosts to one, three times: streams on a priority that is lossless and on one that is not, and queue pairs that are marked."""
    stream = {"kind": "stream", "rate": "80G", "packet": packet}
    return demo(name, attach=(), workload=[
        *(stream | {"from": host, "to": "h6"} for host in ("h1", "h5")),
        *(stream | {"from": host, "to": "h8", "priority": 0} for host in ("h4", "h7")),
        {"kind": "incast", "from": ["h2", "h6"], "to": "h1", "size": "1000GB"}]) | \
        {"hosts": {"placement": "out-of-order", "congestion": "window", "window": {"size": "200KB"}}, "stop": "3600s"}


def netns(name, host):
    return f"roost-{name}-{host}"


def inside(namespace, make):
    """make() in a network namespace; a socket that it makes stays there."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        if libc.setns(there, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"setns {namespace}")
        try:
            return make()
        finally:
            if libc.setns(home, CLONE_NEWNET) != 0:
                os._exit(3)   # anything else would be done to the wrong network
    finally:
        os.close(there)
        os.close(home)


class Arrival:
    """A packet that a socket received; at: seconds, on the clock of time.time()."""

    def __init__(self, data, ancillary, source):
        self.data, self.source = data, source
        stamp = next(value for _, kind, value in ancillary if kind == SO_TIMESTAMPNS)
        seconds, nanoseconds = struct.unpack("qq", stamp)
        self.at = seconds + nanoseconds / 1e9


class Socket:
    """A socket in a namespace."""

    def __init__(self, opened):
        self.socket = opened
        opened.setblocking(False)
        opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
        opened.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

    def send(self, data, *to):
        return self.socket.sendto(data, *to) if to else self.socket.send(data)

    def receive(self, timeout=0.0):
        """The packets that are there, after a wait for the first."""
        arrivals = []
        if select.select([self.socket], [], [], timeout)[0]:
            try:
                while True:
                    data, ancillary, _, source = self.socket.recvmsg(4096, 256)
                    arrivals.append(Arrival(data, ancillary, source))
            except BlockingIOError:
                pass
        return arrivals

    def receive_all(self, count, timeout=10.0):
        """Exactly so many packets, or what has come when time is up."""
        arrivals, end = [], time.monotonic() + timeout
        while len(arrivals) < count and (left := end - time.monotonic()) > 0:
            arrivals += self.receive(left)
        return arrivals


def udp_socket(namespace, port=0, dscp=0):
    def make():
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        opened.bind(("", port))
        opened.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
        return Socket(opened)
    return inside(namespace, make)


def raw_socket(namespace, interface="eth1", protocol=ETH_P_ALL):
    """Whole frames of one interface."""
    def make():
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
        opened.bind((interface, protocol))
        return Socket(opened)
    return inside(namespace, make)


def know_gateways(name):
    """Makes the MAC address of the gateway permanent in the hosts of a fabric like the demo's. Otherwise Linux sends ARP
    requests at any time, and tests could not count packets."""
    for host, (leaf, port) in PORTS.items():
        namespace = netns(name, host)
        if not Path(f"/run/netns/{namespace}").exists():
            continue
        gateway_mac = f"02:01:00:00:{int(leaf[4:]) - 1:02x}:{int(port[3:]):02x}"
        addresses = command("ip", "-n", namespace, "-j", "addr", "show", "dev", "eth1").json[0]["addr_info"]
        for family, gateway in (("inet", "169.254.0.1"), ("inet6", "fe80::1")):
            if family in {one.get("family") for one in addresses}:
                command("ip", "-n", namespace, "neigh", "replace", gateway, "lladdr", gateway_mac, "dev", "eth1", "nud", "permanent")


def port_of(name, node, port):
    """What `show interface` says of a port of the fabric."""
    return roost("show", "interface", f"{node}.{port}", "-f", name, "-o", "json").json["nodes"][node]["ports"][port]


def clean(name):
    """What a fabric of this name has left on the machine."""
    found = [str(path) for place, pattern in (("/run/roost", f"{name}.*"), ("/run/netns", f"*{name}*"),
                                              ("/run/dpdk", name)) for path in Path(place).glob(pattern)]
    for line in Path("/proc/mounts").read_text().splitlines():
        if line.split()[2] == "hugetlbfs":
            found += map(str, Path(line.split()[1]).glob(f"*{name}*"))
    for link in command("ip", "-j", "link", "show", "type", "veth").json:
        if link and link["ifname"] in HOSTS:
            found.append(f"interface {link['ifname']}")
    return found


class LiveCase(Case):
    """A test with fabrics of its own; nothing of them is there when it ends."""

    @classmethod
    def setUpClass(cls):
        need_live()

    def fabric(self, description):
        """A fabric that is up until the test ends."""
        name = (description.get("fabric") or description["switch"])["name"]
        self.addCleanup(self.assert_clean, name)
        up = Fabric(self.file(description, f"{name}.yaml"), name)
        up.__enter__()
        self.addCleanup(up.__exit__)
        know_gateways(name)
        return up

    def assert_clean(self, name):
        """Nothing is left of a fabric, but what the kernel takes a moment to give back."""
        wait_until(lambda: not clean(name), lambda: f"{name} is gone, but for {clean(name)}")

    def assert_reaches(self, name, source, destination, count=3):
        """A host's packets arrive at another, in a fabric that is up."""
        sender, receiver = udp_socket(netns(name, source)), udp_socket(netns(name, destination))
        with sender.socket, receiver.socket:
            for _ in range(count):
                sender.send(b"reach", (HOSTS[destination], receiver.socket.getsockname()[1]))
            self.assertEqual(len(receiver.receive_all(count)), count)

    def switch_drops(self, fabric):
        """Packets that the switches have dropped, by (switch, reason), without what hosts have lost themselves."""
        lost = collections.Counter()
        for name, node in fabric.show("drops")["nodes"].items():
            if not name.startswith("h"):
                lost.update({(name, reason): count for reason, count in drops({name: node}).items()})
        return dict(+lost)

    def assert_lossless(self, fabric, **meant):
        """No packet has been dropped by a switch, a device or the kernel, other than these, by reason."""
        self.assertEqual(dict(drops(fabric.show("drops")["nodes"])), meant)
        for node in fabric.show("interface")["nodes"].values():
            for port in node["ports"].values():
                lost = {key: value for key, value in port.get("device", {}).items() if key != "spec" and value}
                self.assertEqual(lost, {}, port.get("device"))
        self.assertEqual(fabric.kernel_drops(), {})


class Shared(LiveCase):
    """Tests that share one fabric; `description()` says which."""
    EXACT = True    # they count packets, so the hosts know their gateways

    @classmethod
    def description(cls):
        return demo(cls.name)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name = name_of(cls.__name__.lower())
        cls.path = Path(os.environ.get("TMPDIR", "/tmp")) / f"{cls.name}.yaml"
        cls.path.write_text(to_yaml(cls.description()) + "\n")
        cls.up = Fabric(cls.path, cls.name)
        cls.addClassCleanup(cls.path.unlink)
        cls.addClassCleanup(cls.check_clean)
        cls.up.__enter__()
        cls.addClassCleanup(cls.up.__exit__)
        if cls.EXACT:
            know_gateways(cls.name)

    @classmethod
    def check_clean(cls):
        wait_until(lambda: not clean(cls.name), lambda: f"{cls.name} is gone, but for {clean(cls.name)}")

    def udp(self, host, port=0, dscp=0):
        opened = udp_socket(netns(self.name, host), port, dscp)
        self.addCleanup(opened.socket.close)
        return opened

    def raw(self, host, protocol=ETH_P_ALL):
        opened = raw_socket(netns(self.name, host), protocol=protocol)
        self.addCleanup(opened.socket.close)
        return opened

    def port(self, name):
        """What `show interface` says of a port, by "leaf1.swp1" or by the host behind it."""
        return port_of(self.name, *(PORTS.get(name) or name.split(".")))

    def record_at(self, *intervals_ms):
        """Has films of these intervals recorded until the test ends; returns when all have begun."""
        for ms in intervals_ms:
            one = subprocess.Popen([ROOST, "record", "-f", self.name, "-o", self.directory / f"{ms}", "--interval", f"{ms}ms"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(one.wait)
            self.addCleanup(one.kill)
        for ms in intervals_ms:
            wait_until(lambda: (self.directory / f"{ms}/film").exists(), f"a film of {ms} ms is recorded")

    def ping(self, source, destination, count=4, status=0):
        """ping waits for its last answer as long as it does between two: long enough for a busy machine."""
        return self.up.exec(source, "ping", "-c", count, "-i", "0.25", "-W", "2", HOSTS[destination],
                            status=status)

    def slips(self):
        return sum(worker["slips"] for worker in self.up.show("fabric")["workers"])
