# SPDX-License-Identifier: BSD-3-Clause
"""One switch whose ports are DPDK devices: `roost run`. Interfaces are in a namespace of the test's own, in
which roost is started too."""
import ctypes
import mmap
import signal
from contextlib import ExitStack

from common import *

FRAMES = 400
DEVICE_WIRE = 512       # packets that may wait for a device behind the port's queues
PEER_MAC = "02:00:00:00:02:02"
QUANTA = 65535
ATTEMPTS = 16           # of opening a device, each with 2048 packets; there are 4096, two rings and some


AF_XDP, SOL_XDP = 44, 283
XDP_UMEM_REG, XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_RX_RING = 4, 5, 6, 2
PAGE = 4096


def xdp_socket(namespace, interface):
    """A socket that takes an interface's queue, so that no one else's driver can: (socket, its memory)."""
    def make():
        memory = mmap.mmap(-1, 16 * PAGE)
        opened = socket.socket(AF_XDP, socket.SOCK_RAW)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        opened.setsockopt(SOL_XDP, XDP_UMEM_REG, struct.pack("QQIIII", address, len(memory), PAGE, 0, 0, 0))
        for ring in (XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_RX_RING):
            opened.setsockopt(SOL_XDP, ring, struct.pack("I", 16))
        # Python knows no addresses of this family.
        where = struct.pack("HHIII", AF_XDP, 0, socket.if_nametoindex(interface), 0, 0)
        if libc.bind(opened.fileno(), where, len(where)) != 0:
            raise OSError(ctypes.get_errno(), f"bind {interface}")
        return opened, memory
    return inside(namespace, make)


class Running:
    """`roost run`, within a `with` block."""

    def __init__(self, case, description, namespace=None):
        self.name = description["switch"]["name"]
        self.enter = ["ip", "netns", "exec", namespace] if namespace else []
        self.path = case.file(description, f"{self.name}.yaml")
        self.case = case

    def __enter__(self):
        self.process = subprocess.Popen(self.enter + [ROOST, "run", str(self.path)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if line != f"{self.name} runs; Ctrl-C takes it down\n":
            raise AssertionError(f"{line}{self.process.communicate(timeout=60)}")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        _, self.err = self.process.communicate(timeout=60)
        self.case.assertEqual(self.process.returncode, 0, self.err)
        self.case.assert_clean(self.name)

    def port(self, name):
        return port_of(self.name, self.name, name)

    def log(self):
        return roost("show", "log", "-f", self.name, "-o", "json").json["log"]


def frames():
    """UDP and RoCE of many sizes and DSCPs, each with an identification of its own."""
    made = []
    for i in range(FRAMES):
        size = 60 + i * 37 % 1400 if i % 20 else 8000
        options = {"dscp": i % 64, "ident": i}     # not ECT: whether one is marked depends on when it comes
        made.append(udp("198.18.1.9", "198.18.2.9", size=size, sport=1000 + i, **options) if i % 3 else
                    roce("198.18.1.9", "198.18.2.9", bytes(i % 251 for _ in range(size - 60)), psn=i, **options))
    return made


def by_dscp(frames_):
    """Packets of one DSCP keep their order, others may pass them."""
    sorted_ = {}
    for frame in frames_:
        sorted_.setdefault(frame[15] >> 2, []).append(frame)
    return sorted_


def read_pcap(path):
    """The frames of a pcap file of this machine's byte order."""
    data, at, found = Path(path).read_bytes(), 24, []
    while at < len(data):
        length, = struct.unpack_from("<I", data, at + 8)
        found.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return found


class DeviceCase(LiveCase):
    """Switches whose ports are devices."""

    def setUp(self):
        self.name = name_of("dev")

    def switch(self, *devices, number=1, **port_keys):
        """A switch whose swpN is the N-th device; behind swpN lies 198.18.N.0/24."""
        ports = {f"swp{i}": {"rate": "100G", "cable": "5m", "dev": device} | port_keys
                 for i, device in enumerate(devices, 1)}
        return {"switch": {"name": f"{self.name}-{number}", "preset": "spectrum-x", "lldp": "off", "mac": SWITCH_MAC,
                           "ports": ports, "routes": [
            {"prefix": f"198.18.{name[3:]}.0/24", "via": [{"port": name, "mac": PEER_MAC}]} for name in ports]}}

    def namespace(self, *pairs):
        """A namespace with veth pairs, quiet ones; each (ours, the fabric's)."""
        name = f"roost-{self.name}"
        command("ip", "netns", "add", name)
        self.addCleanup(command, "ip", "netns", "del", name, status=None)
        command("ip", "netns", "exec", name, "sysctl", "-qw",
                "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
        for ours, theirs in pairs:
            command("ip", "-n", name, "link", "add", ours, "numtxqueues", 1, "numrxqueues", 1, "type", "veth",
                    "peer", "name", theirs, "numtxqueues", 1, "numrxqueues", 1)
            for end in (ours, theirs):
                command("ip", "netns", "exec", name, "ethtool", "-K", end, "tx", "off", "gso", "off", "tso", "off",
                        "gro", "off", "txvlan", "off", "rxvlan", "off")
                command("ip", "-n", name, "link", "set", end, "up")
        return name

    def joined_switches(self, near, far):
        """Two switches joined by two devices: frames into the tap t1 of the first end in a file of the second."""
        first = self.switch("net_tap0,iface=t1", near, number=1, mtu=8200)
        second = self.switch(far, f"net_pcap0,tx_pcap={self.directory}/out.pcap", number=2, mtu=8200)
        for port in second["switch"]["ports"].values():
            port["mac"] = PEER_MAC
        return first, second

    def carry_all(self, namespace, one, two, given):
        """All frames go through both switches, once these have found each other."""
        for run, port in ((one, "swp2"), (two, "swp1")):
            wait_until(lambda: run.port(port)["state"] == "up", "they have found each other")
        before = two.port("swp2")["tx_packets"]
        with raw_socket(namespace, "t1").socket as left:
            for frame in given:
                left.send(frame)
        wait_until(lambda: two.port("swp2")["tx_packets"] == before + len(given), "all frames have left")

    def hold_by_pause(self, namespace, first, second):
        """A pause at the far port of the second switch fills its buffer, so that it pauses the first one by their link."""
        for description in (first, second):
            description["switch"]["dilation"] = 10 * DILATION      # the pause takes 3.4 s: the machine may be busy
        second["switch"] |= {"qos": {"pg": {3: {"static": "10KB", "headroom": "1MB"}}}}
        second["switch"]["ports"]["swp2"]["dev"] = "net_tap1,iface=t2"
        given = [udp("198.18.1.9", "198.18.2.9", size=1000, dscp=26, ident=i) for i in range(FRAMES)]
        with Running(self, first, namespace) as one, Running(self, second, namespace) as two, \
                raw_socket(namespace, "t1").socket as left, raw_socket(namespace, "t2").socket as right:
            for run, port in ((one, "swp2"), (two, "swp1")):
                wait_until(lambda: run.port(port)["state"] == "up", "they have found each other")
            right.send(pfc({3: QUANTA}))
            wait_until(lambda: two.port("swp2")["pfc_rx"][3] == 1, "the pause has arrived")
            for frame in given[:50]:
                left.send(frame)
            wait_until(lambda: one.port("swp2")["pfc_rx"][3] > 0, "the first switch is paused")
            for frame in given[50:]:
                left.send(frame)
            waiting = wait_until(lambda: (port := one.port("swp1"))["rx_packets"] == FRAMES and one.port("swp2"), "all are there")
            self.assertGreaterEqual(waiting["queue"][3]["depth"], (FRAMES - 50) * 1000)
            arrived = [one.data for one in Socket(right).receive_all(FRAMES, 30) if one.data[12:14] == b"\x08\0"]
            self.assertEqual([frame[18:20] for frame in arrived], [frame[18:20] for frame in given])
            ends = [(run.port(port), direction) for run, port, direction in
                    ((two, "swp2", "rx"), (one, "swp2", "rx"), (two, "swp1", "tx"))]
            paused_ns, held_ns, holding_ns = (port[f"pfc_{direction}_pause_ns"][3] for port, direction in ends)
            self.assertIn(paused_ns - QUANTA * 512 * 10**9 // RATE_BPS, (0, 1))    # of two sums: it may gain one
            self.assertLess(held_ns, paused_ns + 10_000)
            self.assertAlmostEqual(held_ns, holding_ns, delta=10_000)
            for run in (one, two):
                self.assertEqual([run.port(port)["drops"] for port in ("swp1", "swp2")], [{}, {}])


class Devices(DeviceCase):

    def forwarded(self, given):
        """What a replay of the same switch makes of the frames."""
        run = self.replay(self.switch("net_null0", "net_null1"), {"swp1": given})
        return [packet.data for packet in run.sent["swp2"]]

    def assert_same(self, got, expected):
        self.assertEqual(len(got), len(expected))
        got, expected = by_dscp(got), by_dscp(expected)
        for dscp, sent in expected.items():
            self.assertEqual([frame.hex() for frame in got.get(dscp, [])], [frame.hex() for frame in sent])

    def test_pcap(self):
        """From file to file, packet by packet what the same switch makes of them in a replay."""
        given = frames()
        expected = self.forwarded(given)
        self.assertEqual(len(expected), FRAMES)
        source, out = write_pcap(self.directory / "in.pcap", given), self.directory / "out.pcap"
        with Running(self, self.switch(f"net_pcap0,rx_pcap={source}", f"net_pcap1,tx_pcap={out}")) as run:
            wait_until(lambda: run.port("swp2")["tx_packets"] == FRAMES, "all frames have left")
            self.assertEqual(run.port("swp1")["rx_packets"], FRAMES)
            self.assertEqual(run.port("swp1")["drops"], {})
        sent = read_pcap(out)
        self.assert_same(sent, expected)
        for frame in sent:
            self.assertEqual((frame[:6], frame[6:12], frame[22]), (mac(PEER_MAC), mac(SWITCH_MAC), 63))
            self.assertEqual(checksum(frame[14:34]), 0)
            if frame[36:38] == struct.pack(">H", ROCE_PORT):
                self.assertTrue(icrc_valid(frame))

    def test_pcap_as_fast_as_it_goes(self):
        """`rate: device`: as fast as the devices take it, in batches; the same packets leave."""
        given = frames()
        source, out = write_pcap(self.directory / "in.pcap", given), self.directory / "out.pcap"
        description = self.switch(f"net_pcap0,rx_pcap={source}", f"net_pcap1,tx_pcap={out}", rate="device")
        with Running(self, description) as run:
            wait_until(lambda: run.port("swp2")["tx_packets"] == FRAMES, "all frames have left")
        self.assert_same(read_pcap(out), self.forwarded(given))

    def test_null(self):
        """A source of empty frames: each is dropped by name, none goes missing."""
        with Running(self, self.switch("net_null0,size=64", "net_null1,no-rx=1")) as run:
            wait_until(lambda: run.port("swp1")["rx_packets"] > 10000, "frames come")
            port = run.port("swp1")
            self.assertEqual(sum(port["drops"].values()), port["rx_packets"])
            self.assertEqual(port["rx_bytes"], 64 * port["rx_packets"])
            self.assertEqual(run.port("swp2")["rx_packets"], 0)

    def test_a_port_needs_no_switch_before_it(self):
        with Running(self, self.switch("net_null0,no-rx=1", "net_null1,no-rx=1")) as run:
            for words in (["swp2"], ["swp2", "queue", 3], ["swp2", "pg", 3], [f"{run.name}.swp2"]):
                roost("clear", "watermarks", *words, "-f", run.name)
            failed = roost("clear", "watermarks", "swp9", "-f", run.name, status=1)
            self.assertEqual(failed.err, "roost clear: there is no node swp9\n")

    def test_ring(self):
        """A ring hands back what is sent into it, which a switch does not forward again."""
        source = write_pcap(self.directory / "in.pcap", frames())
        description = self.switch(f"net_pcap0,rx_pcap={source}", "net_ring0")
        with Running(self, description) as run:
            wait_until(lambda: run.port("swp2")["rx_packets"] == FRAMES, "all frames have come back")
            port = run.port("swp2")
            self.assertEqual((port["tx_packets"], port["drops"]), (FRAMES, {"looped": FRAMES}))

    def carry(self, run, given, left, right):
        """Frames put into one interface come out of the other as a switch makes them."""
        expected = self.forwarded(given)
        for i, frame in enumerate(given):
            left.send(frame)
            if i % 16 == 15:
                time.sleep(0.002)   # a veth's ring holds 256
        arrivals = [one.data for one in right.receive_all(len(given))]
        self.assert_same(arrivals, expected)
        self.assertEqual(right.receive(0.05), [])
        port = run.port("swp1")
        self.assertEqual((port["rx_packets"], port["drops"]), (len(given), {}))

    def assert_kernel_lost_nothing(self, namespace):
        """But for the copies that a host's stack gets of frames that are for another MAC."""
        lost = kernel_drops("ip", "netns", "exec", namespace)
        self.assertEqual({key: value for key, value in lost.items() if not key.endswith(".otherhost")}, {})

    def small_frames(self):
        return [frame for frame in frames() if len(frame) <= 1514]

    def test_af_packet(self):
        namespace = self.namespace(("p1", "v1"), ("p2", "v2"))
        description = self.switch("net_af_packet0,iface=v1", "net_af_packet1,iface=v2", mtu=1500)
        with Running(self, description, namespace) as run:
            left, right = raw_socket(namespace, "p1"), raw_socket(namespace, "p2")
            self.carry(run, self.small_frames(), left, right)
        self.assertEqual(run.err, "")
        self.assert_kernel_lost_nothing(namespace)
        left.socket.close(), right.socket.close()

    def test_af_xdp(self):
        namespace = self.namespace(("p1", "v1"), ("p2", "v2"))
        description = self.switch("net_af_xdp0,iface=v1", "net_af_xdp1,iface=v2", mtu=1500)
        for _ in range(2):     # opened, closed and opened again
            with Running(self, description, namespace) as run:
                left, right = raw_socket(namespace, "p1"), raw_socket(namespace, "p2")
                self.carry(run, self.small_frames(), left, right)
            self.assertEqual(run.err, "")
            self.assert_kernel_lost_nothing(namespace)
            left.socket.close(), right.socket.close()
            links = command("ip", "-n", namespace, "-j", "link").json
            self.assertEqual([link["ifname"] for link in links if link.get("xdp")], [])

    def test_tap(self):
        """Interfaces that come and go with roost."""
        namespace = self.namespace()
        with Running(self, self.switch("net_tap0,iface=t1", "net_tap1,iface=t2", mtu=1500), namespace) as run:
            left, right = raw_socket(namespace, "t1"), raw_socket(namespace, "t2")
            # A tap's own transmissions are heard by packet sockets on it too: only ours are sent into t1.
            self.carry(run, self.small_frames(), left, right)
            left.socket.close(), right.socket.close()
        self.assertEqual(run.err, "")
        self.assertEqual([link["ifname"] for link in command("ip", "-n", namespace, "-j", "link").json], ["lo"])

    def bounce(self, device, namespace, right=None):
        """Takes the fabric's end v2 down and up again: meanwhile its port is down, and packets to it are dropped."""
        frame = udp("198.18.1.9", "198.18.2.9", size=500)
        left = raw_socket(namespace, "p1")
        self.addCleanup(left.socket.close)

        def send(count):
            for _ in range(count):
                left.send(frame)

        with Running(self, self.switch("net_af_packet0,iface=v1", device, mtu=1500), namespace) as run:
            command("ip", "-n", namespace, "link", "set", "v2", "down")
            wait_until(lambda: run.port("swp2")["state"] == "down", "the port is down")
            send(100)
            wait_until(lambda: run.port("swp1")["drops"] == {"no-next-hop": 100}, "all frames are dropped")
            command("ip", "-n", namespace, "link", "set", "v2", "up")
            wait_until(lambda: run.port("swp2")["state"] == "up", "the port is up again")
            # The very first frame arrives without a second one to push it.
            for count in (1, 49):
                send(count)
                if right is not None:
                    self.assertEqual(len(right.receive_all(count, 3)), count)
            wait_until(lambda: run.port("swp2")["tx_packets"] == 50, "all frames have been sent")
            self.assertEqual(run.port("swp1")["drops"], {"no-next-hop": 100})
            events = roost("show", "log", "-f", run.name, "-o", "json").json["log"]
            self.assertEqual([(one["what"], one["port"]) for one in events], [("link-down", "swp2"), ("link-up", "swp2")])

    def bounce_veth(self, device):
        namespace = self.namespace(("p1", "v1"), ("p2", "v2"))
        right = raw_socket(namespace, "p2")
        self.addCleanup(right.socket.close)
        self.bounce(device, namespace, right)

    def test_xdp_interface_goes_down_and_comes_back(self):
        self.bounce_veth("net_af_xdp1,iface=v2")

    def test_packet_interface_goes_down_and_comes_back(self):
        self.bounce_veth("net_af_packet1,iface=v2")

    def test_tap_goes_down_and_comes_back(self):
        self.bounce("net_tap0,iface=v2", self.namespace(("p1", "v1")))

    def test_interface_is_deleted_and_made_again(self):
        """A new interface of the same name is opened in its place."""
        namespace = self.namespace(("p1", "v1"), ("p2", "v2"))
        description = self.switch("net_af_packet0,iface=v1", "net_af_xdp1,iface=v2", mtu=1500)
        with Running(self, description, namespace) as run:
            command("ip", "-n", namespace, "link", "del", "p2")
            wait_until(lambda: run.port("swp2")["state"] == "down", "the port is down")
            command("ip", "-n", namespace, "link", "add", "p2", "numtxqueues", 1, "numrxqueues", 1, "type", "veth",
                    "peer", "name", "v2", "numtxqueues", 1, "numrxqueues", 1)
            command("ip", "-n", namespace, "link", "set", "p2", "up")
            wait_until(lambda: run.port("swp2")["state"] == "up", "the port is up again")
            with raw_socket(namespace, "p1").socket as left, raw_socket(namespace, "p2").socket as right:
                left.send(udp("198.18.1.9", "198.18.2.9", size=500))
                self.assertEqual(len(Socket(right).receive_all(1, 5)), 1)

    def test_interface_comes_late(self):
        """With live.wait-for-interfaces, a port is down until its interface exists and can be opened."""
        namespace = self.namespace(("p1", "v1"))
        description = self.switch("net_af_packet0,iface=v1", "net_af_xdp1,iface=v2", mtu=1500)
        with Running(self, description | {"live": {"wait-for-interfaces": "on"}}, namespace) as run:
            def reasons():
                return [(one["port"], one["what"], one["message"].removeprefix("stays down: net_af_xdp1,iface=v2: "))
                        for one in run.log()]
            expected = [("swp2", "link-down", "no interface v2 in this namespace")]
            wait_until(lambda: reasons() == expected, reasons)
            self.assertEqual((run.port("swp1")["state"], run.port("swp2")["state"]), ("up", "down"))
            with raw_socket(namespace, "p1").socket as left:
                left.send(udp("198.18.1.9", "198.18.2.9", size=500))
                wait_until(lambda: run.port("swp1")["drops"] == {"no-next-hop": 1}, "nothing is sent there")
                command("ip", "-n", namespace, "link", "add", "p2", "mtu", 400, "type", "veth", "peer", "name", "v2", "mtu", 400)
                expected += [("swp2", "link-down", "v2 has MTU 400: ip link set v2 mtu 1500")]
                wait_until(lambda: reasons() == expected, reasons)
                for end, mtu in (("p2", 9500), ("v2", 1500)):
                    command("ip", "-n", namespace, "link", "set", end, "mtu", mtu, "up")
                expected += [("swp2", "link-down", "no XDP program can be attached to v2: veth: Peer MTU is too large to set XDP")]
                wait_until(lambda: reasons() == expected, reasons)
                command("ip", "-n", namespace, "link", "set", "p2", "mtu", 1500)
                wait_until(lambda: run.port("swp2")["state"] == "up", reasons)
                with raw_socket(namespace, "p2").socket as right:
                    left.send(udp("198.18.1.9", "198.18.2.9", size=500))
                    self.assertEqual(len(Socket(right).receive_all(1, 5)), 1)
            self.assertEqual(reasons()[:3], expected)

    def test_attempts_keep_nothing(self):
        """An interface whose queue another program has is tried again and again. No attempt keeps packets, of which there
        would be none left, or descriptors."""
        namespace = self.namespace(("p1", "v1"), ("p2", "v2"))
        description = self.switch("net_af_packet0,iface=v1", "net_af_xdp1,iface=v2", mtu=1500)
        with ExitStack() as stack:
            taken, _memory = xdp_socket(namespace, "v2")
            stack.enter_context(taken)
            run = stack.enter_context(Running(self, description | {"live": {"wait-for-interfaces": "on"}}, namespace))
            descriptors = Path(f"/proc/{run.process.pid}/fd")

            def attempt():
                """The first thing that is done to an interface is to bring it up."""
                command("ip", "-n", namespace, "link", "set", "v2", "down")
                wait_until(lambda: "UP" in command("ip", "-n", namespace, "-j", "link", "show", "v2").json[0]["flags"], "it is tried")
            attempt()
            before = len(list(descriptors.iterdir()))
            for _ in range(ATTEMPTS):
                attempt()
            # An attempt of its own may be going on.
            wait_until(lambda: len(list(descriptors.iterdir())) == before, "no descriptor is left")
            self.assertEqual({one["message"] for one in run.log()},
                             {"stays down: net_af_xdp1,iface=v2: Failed to create xsk socket."})
            taken.close()
            wait_until(lambda: run.port("swp2")["state"] == "up", run.log)
            with raw_socket(namespace, "p1").socket as left, raw_socket(namespace, "p2").socket as right:
                left.send(udp("198.18.1.9", "198.18.2.9", size=500))
                self.assertEqual(len(Socket(right).receive_all(1, 5)), 1)

    def test_interfaces_must_exist_otherwise(self):
        namespace = self.namespace(("p1", "v1"))
        path = self.file(self.switch("net_af_packet0,iface=v1", "net_af_packet1,iface=v2", mtu=1500))
        failed = command("ip", "netns", "exec", namespace, ROOST, "run", path, status=1)
        self.assertRegex(failed.err, "net_af_packet1,iface=v2: no interface v2 in this namespace")

    def memif_switches(self):
        joined = f"socket={self.directory}/memif.sock,id=0"
        return self.joined_switches(f"net_memif0,role=server,{joined}", f"net_memif0,role=client,{joined}")

    def test_memif(self):
        """Two switches in two processes share memory. While one of them is missing, the link is down."""
        namespace, given = self.namespace(), frames()
        first, second = self.memif_switches()
        with Running(self, first, namespace) as one:
            wait_until(lambda: one.port("swp2")["state"] == "down", "nobody is there")
            with Running(self, second, namespace) as two:
                self.carry_all(namespace, one, two, given)
                self.assertEqual((one.port("swp1")["drops"], two.port("swp1")["drops"]), ({}, {}))
        sent = read_pcap(self.directory / "out.pcap")
        self.assertEqual(sorted(frame[18:20] for frame in sent), sorted(frame[18:20] for frame in given))
        for frame in sent:
            self.assertEqual((frame[22], checksum(frame[14:34])), (62, 0))

    def test_memif_carries_pauses(self):
        self.hold_by_pause(self.namespace(), *self.memif_switches())

    def test_memif_client_restarts(self):
        namespace = self.namespace()
        first, second = self.memif_switches()
        with Running(self, first, namespace) as stays:
            with Running(self, second, namespace):
                wait_until(lambda: self.memif_state(first) == "up", "the client is there")
            wait_until(lambda: self.memif_state(first) == "down", "the client has gone")
            with Running(self, second, namespace) as again:
                self.carry_all(namespace, stays, again, frames()[:50])

    def test_memif_server_is_killed_and_restarts(self):
        """The socket that it leaves does not keep the next server from starting."""
        namespace = self.namespace()
        first, second = self.memif_switches()
        killed = Running(self, first, namespace)
        killed.__enter__()
        with Running(self, second, namespace) as stays:
            wait_until(lambda: self.memif_state(second) == "up", "the server is there")
            killed.process.kill()
            killed.process.communicate(timeout=60)
            wait_until(lambda: self.memif_state(second) == "down", "the server has gone")
            with Running(self, first, namespace) as again:
                self.carry_all(namespace, again, stays, frames()[:50])

    def test_memif_client_is_killed_while_packets_wait(self):
        """It does not read, so packets wait for it. They are lost with it, and counted at the port."""
        namespace = self.namespace()
        first, second = self.memif_switches()
        killed, frame = Running(self, second, namespace), udp("198.18.1.9", "198.18.2.9", size=500)
        with Running(self, first, namespace) as stays, raw_socket(namespace, "t1").socket as left:
            killed.__enter__()
            wait_until(lambda: self.memif_state(first) == "up", "the client is there")
            killed.process.send_signal(signal.SIGSTOP)

            def has_stopped():
                """Packets wait in the port's queues, and none leaves. A burst that arrives waits there for a moment too."""
                for _ in range(100):
                    left.send(frame)
                before = stays.port("swp2")
                return (sum(queue["depth"] for queue in before["queue"]) > 0 and
                        stays.port("swp2")["tx_packets"] == before["tx_packets"])
            wait_until(has_stopped, "the port has stopped")
            killed.process.kill()
            killed.process.communicate(timeout=60)
            wait_until(lambda: self.memif_state(first) == "down", "the client has gone")
            text = roost("show", "drops", "-f", stays.name).out
            self.assertIn(f"device-cut-off  {DEVICE_WIRE} packets, lost by the device of {stays.name}.swp2 ({DEVICE_WIRE})\n"
                          "    packets that waited for a device whose link went down: look at the log\n", text)
            with Running(self, second, namespace) as again:
                self.carry_all(namespace, stays, again, frames()[:50])

    def memif_state(self, description):
        name = description["switch"]["name"]
        return port_of(name, name, "swp2" if name.endswith("-1") else "swp1")["state"]

    def test_wrong_host_settings(self):
        """Each is named with the command that mends it. Once these have been given there is nothing to say."""
        namespace = self.namespace(("p1", "v1"), ("p2", "v2"))
        inside_ = ["ip", "netns", "exec", namespace]
        command(*inside_, "ethtool", "-K", "v1", "tx", "on", "gso", "on", "gro", "on")
        command("ip", "-n", namespace, "link", "set", "v1", "mtu", 3000)
        command("ip", "-n", namespace, "link", "add", "br0", "type", "bridge")
        command("ip", "-n", namespace, "link", "set", "v2", "master", "br0")
        description = self.switch("net_af_packet0,iface=v1", "net_af_packet1,iface=v2", mtu=1500)
        with Running(self, description, namespace) as run:
            pass
        self.assertRegex(run.err, r"(?m)^roost: warning: v1: offloads are on: .*: ethtool -K v1 .*tx off.*$")
        self.assertRegex(run.err, r"(?m)^roost: warning: v1: MTU 3000 is more than the 1500 the port carries: "
                                  r"ip link set v1 mtu 1500$")
        self.assertRegex(run.err, r"(?m)^roost: warning: v2: it is a port of bridge br0, .*PFC.*: "
                                  r"ip link set v2 nomaster$")
        self.assertEqual(len(run.err.splitlines()), 3, run.err)
        for line in run.err.splitlines():
            command(*inside_, *line.rpartition(": ")[2].split())
        with Running(self, description, namespace) as run:
            pass
        self.assertEqual(run.err, "")

    def test_wrong_host_settings_beside_a_namespace(self):
        """The interface is in the namespace of the command, not in that of the fabric's process."""
        interface = f"dev{os.getpid()}"
        command("ip", "link", "add", interface, "type", "veth", "peer", "name", f"{interface}p")
        self.addCleanup(command, "ip", "link", "del", interface)
        description = demo(self.name, attach=("h1",))
        description["attach"]["h5"] = {"dev": f"net_af_packet9,iface={interface}", "mtu": 1500}
        fabric = self.fabric(description)
        self.assertRegex(fabric.up.err, rf"(?m)^roost: warning: {interface}: offloads are on: .*: ethtool -K {interface} .*tx off")

    def test_attached_by_a_device_of_the_user(self):
        """A fabric's host behind a tap in a namespace: `dev:` and `netns:` together."""
        description = demo(self.name, attach=("h1", "h5"))
        description["attach"]["h5"] = {"netns": netns(self.name, "h5"), "dev": "net_tap0,iface=eth1", "mtu": 1500}
        fabric = self.fabric(description)
        h5 = raw_socket(netns(self.name, "h5"))
        sender = udp_socket(netns(self.name, "h1"), dscp=26)
        for i in range(50):
            sender.send(struct.pack(">I", i), (HOSTS["h5"], UDP_PORT))
        got = []

        def all_there():
            got.extend(one.data for one in h5.receive(0.05) if one.data[12:14] == b"\x08\x00" and one.data[23] == 17)
            return len(got) >= 50

        wait_until(all_there, "the packets are at the tap")
        self.assertEqual([struct.unpack(">I", frame[42:46])[0] for frame in got], list(range(50)))
        self.assertEqual({frame[22] for frame in got}, {62})     # two leaves; the spine sees the tunnel's
        self.assertEqual(port_of(fabric.name, "leaf2", "swp1")["tx_packets"], 50)
        h5.socket.close(), sender.socket.close()
