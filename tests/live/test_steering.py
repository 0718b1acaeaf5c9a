# SPDX-License-Identifier: BSD-3-Clause
"""Ports that share a Linux interface with the kernel (`netdev:`). Switch and host are a namespace each."""
import signal
from collections import Counter

from common import *
from test_devices import Running

SWITCH4, SWITCH6 = "10.1.1.1", "fd00:1:1::1"    # of swp1, as Linux has them
HOST4, BEHIND4, BEHIND6 = "10.1.1.2", "10.1.2.2", "fd00:1:2::2"     # of swp1; behind swp2
HOST6 = "fd00:1:1::2"
PEER_MAC = "02:00:00:00:02:02"
MTU = 1600
PASSER = """
#include <linux/bpf.h>
__attribute__((section("xdp"), used)) int passer(struct xdp_md *context) { return XDP_PASS; }
"""


def framed(packet, to, vlan):
    ethertype, packet = packet
    return ethernet(packet, ethertype, dst=to, vlan=vlan)


def tcp(src, dst, sport, dport):
    return ip(struct.pack(">HHIIBBHHH", sport, dport, 1, 0, 5 << 4, 2, 1024, 0, 0), 6, src, dst)


def bfd(port):
    return ip(struct.pack(">HHHH", 49152, port, 32, 0).ljust(32, b"\0"), 17, HOST4, SWITCH4, ttl=255)


def icmp6(dst, kind):
    return ip(struct.pack(">BBHI", kind, 0, 0, 0).ljust(24, b"\0"), 58, HOST6, dst, ttl=255)


def frames_by_class(to, vlan=None):
    """Frames that nobody answers, of every class, from the host behind swp1."""
    arp = struct.pack(">HHBBH6s4s6s4s", 1, 0x800, 6, 4, 1, mac(HOST_MAC), bytes([10, 1, 1, 2]), bytes(6),
                      bytes([10, 1, 1, 9]))
    packets = {
        "arp": [(0x0806, arp)],
        "nd": [icmp6("ff02::1:ff00:9", 135), icmp6(BEHIND6, 136)],
        "bgp": [tcp(HOST4, SWITCH4, 179, 40000), tcp(HOST6, "fe80::9", 40000, 179)],
        "bfd": [bfd(port) for port in (3784, 3785, 4784)],
        "link-local": [icmp6("ff02::16", 143)],
        "local": [tcp(HOST4, SWITCH4, 40000, 9)],
        "other": [tcp(HOST4, BEHIND4, 40000, 179), tcp(HOST6, BEHIND6, 179, 40000)],
    }
    frames = {name: [framed(packet, to, vlan) for packet in several] for name, several in packets.items()}
    frames["lldp"] = [framed((0x88CC, b"\x02\x07\x04" + mac(HOST_MAC)), "01:80:c2:00:00:0e", vlan),
                      framed((0x8809, bytes(46)), "01:80:c2:00:00:02", vlan)]
    return frames


class Steering(LiveCase):

    def setUp(self):
        self.name = name_of("steer")
        self.switch_netns, self.host_netns = f"roost-{self.name}-sw", f"roost-{self.name}-h"
        for one in (self.switch_netns, self.host_netns):
            command("ip", "netns", "add", one)
            self.addCleanup(command, "ip", "netns", "del", one)
            self.inside(one, "sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0", "net.ipv4.ip_forward=0",
                        "net.ipv6.conf.default.accept_ra=0")
        # With IPv6 Linux says things unasked.
        self.inside(self.host_netns, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")
        for i in (1, 2):
            command("ip", "-n", self.switch_netns, "link", "add", f"swp{i}", "mtu", MTU, "numtxqueues", 1,
                    "numrxqueues", 1, "type", "veth", "peer", "name", f"eth{i}", "netns", self.host_netns,
                    "mtu", MTU, "numtxqueues", 1, "numrxqueues", 1)
            for netns_, end in ((self.switch_netns, f"swp{i}"), (self.host_netns, f"eth{i}")):
                self.inside(netns_, "ethtool", "-K", end, "tx", "off", "gso", "off", "tso", "off", "gro", "off",
                            "txvlan", "off", "rxvlan", "off")
                command("ip", "-n", netns_, "link", "set", end, "up")
        for address in (f"{SWITCH4}/24", f"{SWITCH6}/64"):
            command("ip", "-n", self.switch_netns, "addr", "add", address, "dev", "swp1")
        self.mac = self.link("swp1")["address"]

    @staticmethod
    def inside(netns_, *words, **options):
        return command("ip", "netns", "exec", netns_, *words, **options)

    def link(self, port):
        return command("ip", "-n", self.switch_netns, "-j", "-d", "link", "show", port).json[0]

    def switch(self, number=1, **keys):
        ports = {f"swp{i}": {"rate": "10G", "netdev": f"swp{i}"} for i in (1, 2)} | keys
        return {"switch": {"name": f"{self.name}-{number}", "preset": "spectrum-x", "ports": ports, "routes": [
            {"prefix": prefix, "via": [{"port": port, "mac": PEER_MAC}]}
            for port, prefix in (("swp1", "10.1.1.0/24"), ("swp1", "fd00:1:1::/64"), ("swp2", "10.1.2.0/24"),
                                 ("swp2", "fd00:1:2::/64"))]},
                "live": {"idle": "sleep"}}

    def running(self, description=None):
        return Running(self, description or self.switch(), self.switch_netns)

    def steering(self, run, port="swp1"):
        return roost("show", "steering", port, "-f", run.name, "-o", "json").json["nodes"][run.name]["ports"][port]

    def classes(self, run):
        return Counter({name: told["packets"] for name, told in self.steering(run)["classes"].items()})

    def raw(self, netns_, interface):
        opened = raw_socket(netns_, interface)
        self.addCleanup(opened.socket.close)
        return opened

    def await_classes(self, run, before, expected):
        """Exactly these have come since."""
        wait_until(lambda: self.classes(run) - before >= expected,
                   f"{expected}, not {self.classes(run) - before}", 5)
        self.assertEqual(self.classes(run) - before, expected)

    @staticmethod
    def to_peer(socket, count):
        """The first frames to PEER_MAC, at least so many. Linux says things of its own at the same interface."""
        frames = []

        def come():
            frames.extend(one.data for one in socket.receive(1) if one.data[:6] == mac(PEER_MAC))
            return len(frames) >= count
        wait_until(come, lambda: f"{count} frames, not {len(frames)}", 10)
        return frames

    def send_all(self, run, frames):
        """Frames by class, into swp1. Returns what Linux got of them."""
        linux, host = self.raw(self.switch_netns, "swp1"), self.raw(self.host_netns, "eth1")
        before = self.classes(run)
        for one in (frame for several in frames.values() for frame in several):
            host.send(one)
        self.await_classes(run, before, Counter({name: len(several) for name, several in frames.items()}))
        return [arrival.data for arrival in linux.receive(1)]

    def test_each_frame_goes_to_one_of_the_two(self):
        frames = frames_by_class(self.mac)
        with self.running() as run:
            behind = self.raw(self.host_netns, "eth2")
            linux = self.send_all(run, frames)
            for name, several in frames.items():
                for frame in several:
                    self.assertEqual(linux.count(frame), int(name != "other"), f"{name} {frame.hex()}")
            sent = self.to_peer(behind, 2)
            wait_until(lambda: run.port("swp2")["tx_packets"] == 2, "both have been forwarded")
        self.assertEqual([frame[12:14] for frame in sent], [b"\x08\x00", b"\x86\xdd"])

    def test_one_tag_changes_nothing(self):
        with self.running() as run:
            self.send_all(run, frames_by_class(self.mac, vlan=101))

    def test_pauses_are_obeyed_by_the_dataplane(self):
        with self.running() as run:
            host, before = self.raw(self.host_netns, "eth1"), self.classes(run)
            host.send(pfc({3: 65535}))
            self.await_classes(run, before, Counter(pause=1))
            wait_until(lambda: run.port("swp1")["pfc_rx"][3] == 1, "the pause is counted")

    def test_linux_answers_for_the_switch_and_for_nobody_else(self):
        self.inside(self.host_netns, "sysctl", "-qw", "net.ipv6.conf.eth1.disable_ipv6=0")
        for address in (f"{HOST4}/24", f"{HOST6}/64"):
            command("ip", "-n", self.host_netns, "addr", "add", address, "dev", "eth1")
        with self.running() as run:
            for address in (SWITCH4, SWITCH6):
                self.inside(self.host_netns, "ping", "-c", "2", "-i", "0.2", "-W", "2", address)
            told = self.steering(run)
            self.assertEqual((told["netdev"], told["mode"], told["addresses_left_out"]), ("swp1", "driver", 0))
            self.assertEqual(told["classes"]["local"]["packets"], 4)
            self.assertGreater(told["classes"]["arp"]["packets"], 0)
            self.assertGreater(told["classes"]["nd"]["packets"], 0)
            self.assertEqual(told["classes"]["unread"]["packets"], 0)
            text = roost("show", "steering", "-f", run.name).out
            self.assertRegex(text, rf"{run.name}\.swp1 +swp1 +local +kernel +4 ")

    def test_time_exceeded(self):
        """From the address of the interface, else from one of `lo`, which may change while the switch runs."""
        lo4, lo6 = "10.255.0.1", "fd00:ffff::1"

        def source(packet):
            v4 = packet[12:14] == b"\x08\x00"
            return socket.inet_ntop(socket.AF_INET if v4 else socket.AF_INET6, packet[26:30] if v4 else packet[22:38])

        def answers(run, port):
            ports = roost("show", "answers", "-f", run.name, "-o", "json").json["nodes"].get(run.name, {}).get("ports", {})
            return ports.get(port, {}).get("answers")

        def sources(run, port, *packets):
            """Who answers packets into a port that expire there; PEER_MAC is the next hop of all."""
            host = self.raw(self.host_netns, f"eth{port[-1]}")
            for packet in packets:
                host.send(framed(packet, self.link(port)["address"], None))
            wait_until(lambda: answers(run, port) == {"time-exceeded": len(packets)}, "the answers")
            return [source(one.data) for one in host.receive_all(100, 1) if one.data[:6] == mac(PEER_MAC)]
        datagram = struct.pack(">HHHH", 1, 2, 8, 0)
        packets = [ip(datagram, 17, HOST4, BEHIND4, ttl=1), ip(datagram, 17, HOST6, BEHIND6, ttl=1)]
        back = [ip(datagram, 17, BEHIND4, HOST4, ttl=1), ip(datagram, 17, BEHIND6, HOST6, ttl=1)]
        with self.running() as run:
            self.assertEqual(sources(run, "swp1", *packets), [SWITCH4, SWITCH6])
            known = self.steering(run)["addresses"]
            for address in (f"{lo4}/32", f"{lo6}/128"):
                command("ip", "-n", self.switch_netns, "addr", "add", address, "dev", "lo")
            wait_until(lambda: self.steering(run)["addresses"] == known + 2, "the addresses are heard of")
            self.assertEqual(sources(run, "swp2", *back), [lo4, lo6])

    def test_port_is_as_its_interface(self):
        with self.running(self.switch(swp2={"netdev": "swp2", "rate": "device", "mtu": 1400})) as run:
            ports = roost("show", "interface", "-f", run.name, "-o", "json").json["nodes"][run.name]["ports"]
            self.assertEqual([(ports[port]["mtu"], ports[port]["mac"]) for port in ("swp1", "swp2")],
                             [(MTU, self.mac), (1400, self.link("swp2")["address"])])

    def test_port_has_the_mac_that_its_interface_gets(self):
        """Packets to the old one are not the switch's any more."""
        macs = {"swp1": "02:00:00:00:77:01", "swp2": "02:00:00:00:77:02"}
        with self.running() as run:
            for port, one in macs.items():
                command("ip", "-n", self.switch_netns, "link", "set", port, "address", one)
            wait_until(lambda: all(run.port(port)["mac"] == one for port, one in macs.items()), "the ports have them")
            host, behind = self.raw(self.host_netns, "eth1"), self.raw(self.host_netns, "eth2")
            for to in (self.mac, macs["swp1"]):
                host.send(framed(tcp(HOST4, BEHIND4, 40000, 9), to, None))
            wait_until(lambda: run.port("swp1")["drops"] == {"wrong-mac": 1}, lambda: run.port("swp1")["drops"])
            frames = self.to_peer(behind, 1)
            self.assertEqual([frame[:12] for frame in frames], [mac(PEER_MAC) + mac(macs["swp2"])])

    def test_addresses_come_and_go(self):
        frame, plain = framed(tcp(HOST4, "10.1.2.9", 40000, 9), self.mac, None), Counter(other=1)
        with self.running() as run:
            host = self.raw(self.host_netns, "eth1")
            for words, expected in ((None, plain), ("add", Counter(local=1)), ("del", plain)):
                known = self.steering(run)["addresses"]
                if words:
                    command("ip", "-n", self.switch_netns, "addr", words, "10.1.2.9/32", "dev", "lo")
                    wait_until(lambda: self.steering(run)["addresses"] != known, "the address is heard of")
                before = self.classes(run)
                host.send(frame)
                self.await_classes(run, before, expected)

    def test_killed(self):
        """Linux has the interface for itself again; the next start takes it over."""
        run = self.running()
        run.__enter__()
        self.assertEqual(self.link("swp1")["xdp"]["prog"]["name"], "roost_steer")
        pid = int(json.loads(Path(f"/run/roost/{run.name}.state").read_text())["pid"])
        os.kill(pid, signal.SIGKILL)
        run.process.wait(60)
        run.process.communicate()
        wait_until(lambda: "xdp" not in self.link("swp1"), "the program is gone")
        with self.running() as again:
            self.send_all(again, frames_by_class(self.mac))
        self.assertNotIn("xdp", self.link("swp1"))

    def attach(self, path):
        command("ip", "-n", self.switch_netns, "link", "set", "swp1", "xdp", "object", path, "section", "xdp")

    def test_takes_over_what_was_left(self):
        """A process killed between attaching the program and taking hold of it."""
        self.attach(Path(os.environ.get("ROOST", SOURCE / "build/roost")).parent / "dataplane/steer.o")
        left = self.link("swp1")["xdp"]["prog"]["id"]
        with self.running() as run:
            self.assertNotEqual(self.link("swp1")["xdp"]["prog"]["id"], left)
            self.assertEqual(self.steering(run)["program"], self.link("swp1")["xdp"]["prog"]["id"])
            self.send_all(run, frames_by_class(self.mac))

    def assert_refuses(self, pattern, description, status=1):
        path = self.file(description, "refused.yaml")
        done = self.inside(self.switch_netns, ROOST, "run", path, status=status)
        self.assertRegex(done.err, pattern)

    def test_leaves_other_programs_alone(self):
        source, made = self.directory / "passer.c", self.directory / "passer.o"
        source.write_text(PASSER)
        command("clang", "-target", "bpf", "-O2", "-idirafter", f"/usr/include/{os.uname().machine}-linux-gnu", "-c",
                source, "-o", made)
        self.attach(made)
        self.assert_refuses(r'net_af_xdp\d+,iface=swp1: swp1: an XDP program is attached, "passer" \(id \d+\)',
                            self.switch())
        self.assertEqual(self.link("swp1")["xdp"]["prog"]["name"], "passer")

    def test_one_roost_an_interface(self):
        with self.running() as run:
            self.assert_refuses("swp1: another roost has it", self.switch(number=2))
            self.send_all(run, frames_by_class(self.mac))

    def test_no_such_interface(self):
        self.assert_refuses(r"swp2: netdev nothing: no such interface in this namespace",
                            self.switch(swp2={"netdev": "nothing"}))
        command("ip", "-n", self.switch_netns, "link", "set", "swp2", "mtu", 9000)
        self.assert_refuses("net_af_xdp carries an MTU of at most 3360,", self.switch(), status=2)
