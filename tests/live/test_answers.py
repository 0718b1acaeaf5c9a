# SPDX-License-Identifier: BSD-3-Clause
"""Unmodified clients talk to the switches: ping, traceroute, mtr, arping and neighbour discovery, and TCP through links
whose MTU is smaller than that of the host's interface."""
import ipaddress
import re
import threading

from common import *
from roost import RoostError

LOOPBACKS = {"leaf1": ("172.16.0.1", "fd00:0:0:1:0:0:1:0"), "leaf2": ("172.16.0.2", "fd00:0:0:1:0:0:2:0"),
             "spine1": ("172.17.0.1", "fd00:0:0:2:0:0:1:0"), "spine2": ("172.17.0.2", "fd00:0:0:2:0:0:2:0")}
GATEWAYS = ("169.254.0.1", "fe80::1")
ADDRESSES = {"h1": ("10.0.1.1", "fd00::1:1"), "h2": ("10.0.1.2", "fd00::1:2"), "h3": ("10.0.2.1", "fd00::2:1")}
NARROW = 1400
TRACEROUTE = ("traceroute", "-N", 1, "-w", 5)   # one probe at a time: a host answers no more than six at once


def name_by(address):
    """The name of the switch or host that has an address."""
    return next((name for name, both in (LOOPBACKS | ADDRESSES).items()
                 if ipaddress.ip_address(address) in map(ipaddress.ip_address, both)), address)


def transfer(source, destination, address, size=400_000):
    """TCP from one namespace to another; returns the bytes that arrived."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with inside(destination, lambda: socket.create_server((address, 0), family=family)) as server, \
            inside(source, lambda: socket.socket(family)) as client:
        server.settimeout(30)
        client.settimeout(30)
        got = []

        def serve():
            taken, _ = server.accept()
            taken.settimeout(30)
            with taken:
                got.append(sum(len(part) for part in iter(lambda: taken.recv(65536), b"")))
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            client.connect((address, server.getsockname()[1]))
            client.sendall(bytes(size))
            client.shutdown(socket.SHUT_WR)
        finally:
            thread.join(60)
        return got[0] if got else 0


def flood(source, address, ttl, over):
    """Sends packets that expire on their way until over() is true."""
    with inside(source, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as sender:
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
        for _ in range(200):
            for _ in range(500):
                try:
                    sender.sendto(b"x", (address, 33434))
                except OSError:         # an ICMP error has arrived, or there is no room
                    pass
            if over():
                return True
        return False


class Clients(Shared):
    EXACT = False

    def on(self, host, *words, **options):
        return self.up.exec(host, *words, **options)

    def assert_pings(self, host, address, count=2):
        scope = "%eth1" if address.startswith("fe80") else ""
        done = self.on(host, "ping", "-n", "-c", count, "-i", "0.05", "-W", 5, address + scope)
        self.assertIn(f"{count} received, 0% packet loss", done.out)

    def hops(self, host, address, *options):
        """What traceroute finds: for each hop, the set of those who answered."""
        family = ["-6"] if ":" in address else []
        words = [*TRACEROUTE, *family, "-n", "-q", 2, *options, address]
        try:
            out = self.on(host, *words, timeout=20).out
        except RoostError:
            # Linux marks a raw socket with an ICMP error after it has queued it. If traceroute is so fast that it has read the
            # queue before, it takes the mark for one more error, again and again, and reads no echo reply (traceroute 2.1.2).
            out = self.on(host, *words).out
        return [{name_by(one) for one in re.findall(r"(?:\d+\.){3}\d+|[0-9a-f]+:[0-9a-f:]+", line)}
                for line in out.splitlines()[1:]]

    def mtr_hops(self, host, address):
        report = self.on(host, "mtr", "-n", "-j", "-c", 2, "-i", "0.2", address, timeout=60).json["report"]["hubs"]
        self.assertEqual([hub["Loss%"] for hub in report], [0.0] * len(report))
        return [name_by(hub["host"]) for hub in report]

    def assert_hops_have_names(self, host, destination, *expected, families=("-4", "-6")):
        """traceroute and mtr print a name for each hop. expected: for each hop the name, or a set of possible names."""
        for family in families:
            out = self.on(host, *TRACEROUTE, family, "-q", 1, destination).out
            mtr = self.on(host, "mtr", family, "-j", "-c", 1, "-i", "0.2", "-G", "1", destination, timeout=60)
            for names in (re.findall(r"(?m)^ *\d+  (\S+) \(", out), [hub["host"] for hub in mtr.json["report"]["hubs"]]):
                self.assertEqual(len(names), len(expected), names)
                for name, one in zip(names, expected):
                    self.assertIn(name, one if isinstance(one, set) else {one}, names)
            self.assertIn("2 received", self.on(host, "ping", family, "-c", 2, "-i", "0.05", "-W", 5, destination).out)

    def forget(self, host):
        """Makes the host forget its neighbours and the MTUs of paths."""
        command("ip", "-n", netns(self.name, host), "neigh", "flush", "dev", "eth1")
        for family in ("-4", "-6"):
            command("ip", "-n", netns(self.name, host), family, "route", "flush", "cache")

    def neighbours(self, host):
        found = command("ip", "-n", netns(self.name, host), "-j", "neigh", "show", "dev", "eth1").json
        return {one["dst"]: one for one in found}


class Fabric4And6(Clients):
    @classmethod
    def description(cls):
        return {"fabric": {"name": cls.name, "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts-per-leaf": 2},
                           "links": {"host": {"rate": "100G", "delay": "500ns"}, "fabric": {"rate": "100G", "delay": "500ns"},
                                     "leaf1-spine1": {"mtu": NARROW}, "leaf1-spine2": {"mtu": NARROW}}, "dilation": 100},
                "live": {"workers": 1, "idle": "sleep"},
                "switch": {"buffer": {"size": "4MB"}, "routing": {"mode": "ecmp"}}, "hosts": {"ip": 6},
                "attach": {host: {"netns": netns(cls.name, host)} for host in ("h1", "h3")}}

    def test_every_gateway_and_loopback(self):
        for host in ("h1", "h3"):
            for address in [*GATEWAYS, *(one for both in LOOPBACKS.values() for one in both)]:
                with self.subTest(f"{host} {address}"):
                    self.assert_pings(host, address)

    def test_simulated_hosts(self):
        for address in ADDRESSES["h2"]:
            for host in ("h1", "h3"):
                self.assert_pings(host, address)

    def test_traceroute(self):
        for index in (0, 1):
            for options in ((), ("-I",)):
                hops = self.hops("h1", ADDRESSES["h3"][index], *options)
                self.assertEqual([hops[0], *hops[2:]], [{"leaf1"}, {"leaf2"}, {"h3"}], hops)
                self.assertLessEqual(hops[1], {"spine1", "spine2"})
            self.assertEqual(self.hops("h1", LOOPBACKS["spine2"][index]), [{"leaf1"}, {"spine2"}])
            self.assertEqual(self.hops("h3", LOOPBACKS["leaf2"][index]), [{"leaf2"}])

    def test_mtr(self):
        for index in (0, 1):
            hops = self.mtr_hops("h1", ADDRESSES["h3"][index])
            self.assertEqual((hops[0], hops[2:]), ("leaf1", ["leaf2", "h3"]), hops)
            self.assertIn(hops[1], ("spine1", "spine2"))

    def test_names(self):
        self.assert_hops_have_names("h1", "h3", "leaf1", {"spine1", "spine2"}, "leaf2", "h3")
        self.assert_hops_have_names("h1", "spine2", "leaf1", "spine2")

    def test_the_gateway_is_learned(self):
        self.forget("h1")
        for gateway, loopback in zip(GATEWAYS, LOOPBACKS["leaf1"]):
            self.assert_pings("h1", loopback)
            entry = self.neighbours("h1")[gateway]
            self.assertNotIn("PERMANENT", entry["state"])
            self.assertRegex(entry["lladdr"], r"^02:01:00:00:00:01$")

    def test_arping(self):
        done = self.on("h1", "arping", "-c", 2, "-I", "eth1", "-w", 10, GATEWAYS[0])
        self.assertEqual(len(re.findall(r"reply from 169\.254\.0\.1 \[02:01:00:00:00:01\]", done.out, re.I)), 2, done.out)
        # Announcements, and the question whether an address is free, cause no drops.
        def dropped():      # without the multicast that Linux sends to all routers
            return {reason: count for reason, count in drops(self.up.show("drops")["nodes"]).items()
                    if reason not in ("martian", "multicast")}
        before = dropped()
        self.on("h1", "arping", "-U", "-c", 2, "-I", "eth1", ADDRESSES["h1"][0])
        self.on("h1", "arping", "-A", "-c", 1, "-I", "eth1", ADDRESSES["h1"][0])
        self.assertEqual(dropped(), before)
        self.on("h1", "arping", "-D", "-c", 2, "-I", "eth1", "-w", 3, ADDRESSES["h1"][0])     # the address is free

    def test_neighbour_discovery(self):
        done = self.on("h1", "ndisc6", "-n", "-1", "-w", 5000, GATEWAYS[1], "eth1")
        self.assertRegex(done.out, r"02:01:00:00:00:01")

    def test_path_mtu(self):
        """TCP learns the smaller MTU of a link: from the leaf in one direction, from a spine in the other."""
        for source, destination in (("h1", "h3"), ("h3", "h1")):
            for address in ADDRESSES[destination]:
                with self.subTest(f"{source} to {address}"):
                    self.forget("h1")
                    self.forget("h3")
                    self.assertEqual(transfer(netns(self.name, source), netns(self.name, destination), address), 400_000)
                    route = command("ip", "-n", netns(self.name, source), "-j", "route", "get", address).json
                    self.assertIn(NARROW, [metrics.get("mtu") for metrics in route[0].get("metrics", [])], route)
        self.assertGreaterEqual(drops(self.up.show("drops")["nodes"])["mtu-exceeded"], 2)

    def test_unreachable(self):
        for address, who in (("10.0.2.99", 0), ("fd00::2:99", 1)):
            done = self.on("h1", "ping", "-n", "-c", 1, "-W", 5, address, status=1)
            leaf = ipaddress.ip_address(LOOPBACKS["leaf2"][who])
            self.assertRegex(done.out, rf"From {leaf}.*(Net Unreachable|No route)")


class Tenants(Clients):
    """Tenants in VXLAN. The links have the MTU of the hosts' interfaces, which leaves no room for the encapsulation, and one
    link has less."""
    ROOM, FAR_ROOM = 1500, 1400

    @classmethod
    def description(cls):
        description = demo(cls.name, attach=("h1", "h5", "h3", "h7"), dilation=100)
        description["fabric"]["mtu"] = cls.ROOM
        description["fabric"]["links"]["fabric"]["mtu"] = cls.ROOM
        description["fabric"]["links"]["leaf2-spine2"] = {"mtu": cls.FAR_ROOM}
        return description

    def test_gateway_and_leaf(self):
        for host, leaf in (("h1", "leaf1"), ("h3", "leaf1"), ("h5", "leaf2")):
            self.assert_pings(host, GATEWAYS[0])
            self.assert_pings(host, LOOPBACKS[leaf][0])
        done = self.on("h1", "ping", "-n", "-c", 1, "-W", 5, LOOPBACKS["leaf2"][0], status=1)    # no VRF announces it
        self.assertRegex(done.out, rf"From {LOOPBACKS['leaf1'][0]}.*Net Unreachable")

    def test_simulated_hosts(self):
        for address in ("10.0.1.2", "10.0.2.2"):
            self.assert_pings("h1", address)

    def test_traceroute_and_mtr(self):
        """The tunnel is one hop."""
        ADDRESSES["h5"] = (HOSTS["h5"], "fd00::2:1")
        self.addCleanup(ADDRESSES.pop, "h5")
        self.assertEqual([len(one) for one in self.hops("h1", HOSTS["h5"])], [1, 1, 1])
        self.assertEqual(self.mtr_hops("h1", HOSTS["h5"])[:2], ["leaf1", "leaf2"])
        self.assert_hops_have_names("h1", "h5", "leaf1", "leaf2", "h5", families=("-4",))

    def test_anothers_flood(self):
        """Expiring packets of one tenant use up its rate of answers at both leaves. Another tenant's traceroute still works."""
        def suppressed(leaf, port):
            return self.up.show("answers")["nodes"][leaf]["ports"].get(port, {}).get("answers", {}).get("suppressed", 0)
        uplinks = ("swp5", "swp6")
        self.assertTrue(flood(netns(self.name, "h1"), HOSTS["h5"], 1, lambda: suppressed("leaf1", "swp1") > 0))
        self.assertTrue(flood(netns(self.name, "h1"), HOSTS["h5"], 2, lambda: any(suppressed("leaf2", port) for port in uplinks)))
        self.assertEqual(self.hops("h3", HOSTS["h7"])[:2], [{"leaf1"}, {"leaf2"}])

    def test_another_tenant(self):
        done = self.on("h1", "ping", "-n", "-c", 1, "-W", 5, HOSTS["h3"], status=1)
        self.assertRegex(done.out, rf"From {LOOPBACKS['leaf1'][0]}.*Net Unreachable")

    def test_path_mtu(self):
        """The leaf where the tunnel begins knows the MTUs of links that are not its own."""
        for source, destination in (("h1", "h5"), ("h5", "h1")):
            self.forget("h1")
            self.forget("h5")
            self.assertEqual(transfer(netns(self.name, source), netns(self.name, destination), HOSTS[destination]), 400_000)
            route = command("ip", "-n", netns(self.name, source), "-j", "route", "get", HOSTS[destination]).json
            self.assertIn(self.FAR_ROOM - 50, [metrics.get("mtu") for metrics in route[0].get("metrics", [])], route)


class Leaks(Clients):
    """Two tenants whose VRFs exchange routes."""
    NARROW = 1400

    @classmethod
    def description(cls):
        description = demo(cls.name, attach=("h1", "h7"), dilation=100)
        description["tenants"]["red"]["leak"] = ["blue"]
        description["fabric"]["mtu"] = 1500
        description["fabric"]["links"] |= {f"leaf2-spine{n}": {"mtu": cls.NARROW} for n in (1, 2)}
        return description

    def test_across_vrfs(self):
        for source, destination, leaves in (("h1", "h7", ("leaf1", "leaf2")), ("h7", "h1", ("leaf2", "leaf1"))):
            with self.subTest(f"{source} to {destination}"):
                self.assert_pings(source, HOSTS[destination])
                self.assert_hops_have_names(source, destination, *leaves, destination, families=("-4",))
                self.forget("h1")
                self.forget("h7")
                self.assertEqual(transfer(netns(self.name, source), netns(self.name, destination), HOSTS[destination]), 400_000)
                route = command("ip", "-n", netns(self.name, source), "-j", "route", "get", HOSTS[destination]).json
                self.assertIn(self.NARROW - 50, [metrics.get("mtu") for metrics in route[0].get("metrics", [])], route)


if __name__ == "__main__":
    unittest.main()
