# SPDX-License-Identifier: BSD-3-Clause
"""Routes learned from a namespace: what the kernel has, what zebra or one that speaks like it says by FPM,
and what of it is in force while it changes thousands of times a second under traffic.

The switch's ports are DPDK devices without an interface; the interfaces of their names, which say what is up
and whose neighbours there are, are veth pairs in the test's namespace."""
import pathlib
import select
import shutil
import signal
import socket
import struct
import tempfile

from common import *

PORTS = 3
PEER = "02:00:00:00:%02x:02"        # the neighbour 10.0.N.2 on swpN
ZEBRA = shutil.which("zebra", path="/usr/lib/frr:/usr/sbin:/usr/local/sbin")


class LearnCase(LiveCase):

    def setUp(self):
        self.name = name_of(f"learn{self._testMethodName[5:12].replace('_', '')}")
        self.netns = f"roost-{self.name}"
        command("ip", "netns", "add", self.netns)
        self.addCleanup(command, "ip", "netns", "del", self.netns, status=None)
        self.ip("link", "set", "lo", "up")
        for n in range(1, PORTS + 1):
            self.ip("link", "add", f"swp{n}", "type", "veth", "peer", "name", f"p{n}")
            for end in (f"swp{n}", f"p{n}"):
                self.ip("link", "set", end, "up")
            self.ip("addr", "add", f"10.0.{n}.1/24", "dev", f"swp{n}")
            self.ip("addr", "add", f"fd00:{n}::1/64", "dev", f"swp{n}", "nodad")
            self.ip("neigh", "add", f"10.0.{n}.2", "lladdr", PEER % n, "dev", f"swp{n}", "nud", "permanent")
            self.ip("neigh", "add", f"fd00:{n}::2", "lladdr", PEER % n, "dev", f"swp{n}", "nud", "permanent")

    def ip(self, *words, **options):
        return command("ip", "-n", self.netns, *words, **options)

    def batch(self, lines, family="-4"):
        """Many changes, as fast as ip makes them."""
        path = self.directory / "batch"
        path.write_text("\n".join(lines) + "\n")
        command("ip", "-n", self.netns, family, "-force", "-batch", path, status=None)

    def switch(self, devices=(), routes=(), **learn):
        devices = list(devices) + [f"net_null{n},no-rx=1" for n in range(len(devices), PORTS)]
        return {"switch": {"name": self.name, "preset": "sonic", "mac": SWITCH_MAC,
                           "ports": {f"swp{n}": {"rate": "100G", "dev": one} for n, one in enumerate(devices, 1)},
                           "routes": list(routes), "learn": [{"netns": self.netns} | learn]}}

    def start(self, description):
        path = self.file(description, f"{self.name}.yaml")
        self.err = open(self.directory / "err", "w+")
        self.process = subprocess.Popen([ROOST, "run", str(path)], stdout=subprocess.PIPE, stderr=self.err, text=True)
        line = self.process.stdout.readline()
        self.assertEqual(line, f"{self.name} runs; Ctrl-C takes it down\n", self.told())
        self.addCleanup(self.stop)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(60), 0, self.told())
        self.process.stdout.close()
        self.err.close()

    def told(self):
        return (self.directory / "err").read_text()

    def routes(self, source=None, vrf="default"):
        """{prefix: "swp2*3 swp3"}: ports of what is in force; "" for what asks, "drop" for what drops."""
        done = roost("show", "route", "-f", self.name, "-o", "json", status=None)
        if done.status != 0 and "timed out" in done.err:    # a busy machine, and many routes
            return {}
        self.assertEqual(done.status, 0, done.err)
        answer = done.json["nodes"]
        table = answer.get(self.name, {}).get("vrfs", {}).get(vrf, {})
        return {prefix: " ".join(hop["port"] for hop in route["via"]) or ("" if route["glean"] else "drop")
                for prefix, route in table.items() if source in (None, route["source"])}

    def source(self):
        return roost("show", "neighbour", "-f", self.name, "-o", "json").json["nodes"][self.name]["learning"]["default"]

    def port(self, name):
        return port_of(self.name, self.name, name)

    def expect(self, what="they are as the kernel has them", timeout=60, **wanted):
        """Waits until each of these prefixes (written 10_9_0_0__16) leads there; None: is not there."""
        wanted = {prefix.replace("__", "/").replace("_", "."): to for prefix, to in wanted.items()}
        got = {}

        def same():
            got.update({prefix: self.routes().get(prefix) for prefix in wanted})
            return got == wanted

        wait_until(same, lambda: f"{what}: {wanted}, not {got}", timeout)


class Kernel(LearnCase):

    def test_what_is_there_at_the_start(self):
        self.ip("route", "add", "10.9.0.0/16", "nexthop", "via", "10.0.2.2", "nexthop", "via", "10.0.3.2")
        self.ip("route", "add", "blackhole", "10.8.0.0/16")
        self.ip("-6", "route", "add", "fd09::/64", "via", "fd00:2::2")
        self.ip("route", "add", "10.7.0.0/16", "via", "10.0.1.2", "table", "77")
        self.start(self.switch(routes=[{"prefix": "10.6.0.0/16", "via": [{"port": "swp1", "mac": PEER % 9}]}]))
        routes = self.routes()    # at once, without waiting
        self.assertEqual({prefix: to for prefix, to in routes.items() if not prefix.startswith("fd00")}, {
            "10.0.1.0/24": "", "10.0.1.2/32": "swp1", "10.0.2.0/24": "", "10.0.2.2/32": "swp2",
            "10.0.3.0/24": "", "10.0.3.2/32": "swp3", "10.6.0.0/16": "swp1", "10.8.0.0/16": "drop",
            "10.9.0.0/16": "swp2 swp3", "fd09::/64": "swp2"})
        self.assertEqual(self.routes("static"), {"10.6.0.0/16": "swp1"})
        self.assertEqual(routes["fd00:1::2/128"], "swp1")
        self.assertEqual(roost("show", "route", "vrf", "blue", "-f", self.name, status=2).out, "")

    def test_tables_of_one_namespace(self):
        """Each VRF learns from a table of its own, as from those of VRF interfaces."""
        description = self.switch()
        description["switch"]["ports"]["swp3"]["vrf"] = "red"
        description["switch"]["learn"].append({"netns": self.netns, "vrf": "red", "table": 77})
        self.ip("route", "add", "10.9.0.0/16", "via", "10.0.1.2")
        for words in (("10.9.0.0/16", "via", "10.0.3.2"), ("10.0.3.0/24", "dev", "swp3"), ("blackhole", "10.8.0.0/16")):
            self.ip("route", "add", *words, "table", "77")
        self.start(description)
        self.assertEqual(self.routes(vrf="red"), {
            "10.9.0.0/16": "swp3", "10.0.3.0/24": "", "10.0.3.2/32": "swp3", "10.8.0.0/16": "drop"})
        self.assertEqual(self.routes()["10.9.0.0/16"], "swp1")
        self.assertNotIn("10.8.0.0/16", self.routes())
        self.ip("route", "del", "10.9.0.0/16", "table", "77")
        wait_until(lambda: "10.9.0.0/16" not in self.routes(vrf="red"), "it is gone there")
        self.assertEqual(self.routes()["10.9.0.0/16"], "swp1")

    def test_add_replace_delete(self):
        self.start(self.switch(routes=[{"prefix": "10.6.0.0/16", "via": [{"port": "swp1", "mac": PEER % 9}]}]))
        self.ip("route", "add", "10.9.0.0/16", "via", "10.0.2.2")
        self.ip("route", "add", "10.6.0.0/16", "via", "10.0.2.2")       # the file's goes before
        self.expect(**{"10_9_0_0__16": "swp2", "10_6_0_0__16": "swp1"})
        self.ip("route", "replace", "10.9.0.0/16", "nexthop", "via", "10.0.1.2", "nexthop", "via", "10.0.3.2")
        self.expect(**{"10_9_0_0__16": "swp1 swp3"})
        self.ip("route", "add", "10.9.0.0/16", "via", "10.0.2.2", "metric", "7")
        self.ip("route", "del", "10.9.0.0/16", "metric", "0")
        self.expect(**{"10_9_0_0__16": "swp2"})
        self.ip("route", "append", "10.9.0.0/16", "via", "10.0.3.2", "metric", "7")
        self.ip("route", "del", "10.9.0.0/16", "via", "10.0.2.2")       # whoever stood behind it follows
        self.expect(**{"10_9_0_0__16": "swp3"})
        self.ip("route", "del", "10.9.0.0/16")
        self.expect(**{"10_9_0_0__16": None})

    def test_ip6_next_hops_come_and_go(self):
        self.start(self.switch())
        for n in (1, 2, 3):
            self.ip("-6", "route", "append", "fd09::/64", "via", f"fd00:{n}::2")
        wait_until(lambda: self.routes().get("fd09::/64") == "swp1 swp2 swp3", "all three are members")
        self.ip("-6", "route", "del", "fd09::/64", "via", "fd00:2::2")
        wait_until(lambda: self.routes().get("fd09::/64") == "swp1 swp3", "one has gone")
        self.ip("route", "add", "10.9.0.0/16", "via", "inet6", "fd00:2::2", "dev", "swp2")
        self.expect(**{"10_9_0_0__16": "swp2"})

    def test_nexthop_objects(self):
        for n in (1, 2, 3):
            self.ip("nexthop", "add", "id", n, "via", f"10.0.{n}.2", "dev", f"swp{n}")
        self.ip("nexthop", "add", "id", 10, "group", "1/2")
        self.ip("route", "add", "10.9.0.0/16", "nhid", 10)
        self.start(self.switch())
        self.assertEqual(self.routes()["10.9.0.0/16"], "swp1 swp2")
        self.ip("nexthop", "replace", "id", 10, "group", "2,3/3,1")
        self.expect(**{"10_9_0_0__16": "swp2 swp3"})
        self.ip("nexthop", "replace", "id", 3, "via", "10.0.1.2", "dev", "swp1")
        self.expect(**{"10_9_0_0__16": "swp1 swp2"})
        self.ip("nexthop", "add", "id", 11, "blackhole")
        self.ip("route", "replace", "10.9.0.0/16", "nhid", 11)
        self.expect(**{"10_9_0_0__16": "drop"})
        self.ip("nexthop", "del", "id", 11)      # the route goes with it, and the kernel does not say so
        self.expect(**{"10_9_0_0__16": None})

    def test_interfaces_go_down_and_come_back(self):
        self.ip("route", "add", "10.9.0.0/16", "nexthop", "via", "10.0.2.2", "nexthop", "via", "10.0.3.2")
        self.ip("route", "add", "10.8.0.0/16", "via", "10.0.3.2")
        self.start(self.switch())
        self.ip("link", "set", "p3", "down")     # no carrier
        self.expect(**{"10_9_0_0__16": "swp2", "10_8_0_0__16": None, "10_0_3_0__24": None})
        self.ip("link", "set", "p3", "up")
        self.expect(**{"10_9_0_0__16": "swp2 swp3", "10_8_0_0__16": "swp3", "10_0_3_0__24": ""})
        self.ip("link", "set", "swp3", "down")   # the kernel flushes what leads there, and does not say so
        self.expect(**{"10_9_0_0__16": "swp2", "10_8_0_0__16": None, "10_0_3_0__24": None})
        self.ip("link", "set", "swp3", "up")
        self.ip("neigh", "replace", "10.0.3.2", "lladdr", PEER % 3, "dev", "swp3", "nud", "permanent")
        self.expect(**{"10_8_0_0__16": None, "10_0_3_0__24": "", "10_0_3_2__32": "swp3"})

    def test_neighbours_are_resolved(self):
        """A gateway that nobody knows is asked for by the kernel, and so is who is on the link when a packet comes."""
        source = write_pcap(self.directory / "in.pcap", [(0, udp("10.0.1.9", "10.0.2.77")), (1, udp("10.0.1.9", "10.0.9.9"))])
        peer = f"{self.netns}-peer"
        command("ip", "netns", "add", peer)
        self.addCleanup(command, "ip", "netns", "del", peer, status=None)
        self.ip("link", "set", "p2", "netns", peer)
        command("ip", "-n", peer, "link", "set", "p2", "up")
        for host in (77, 88):
            command("ip", "-n", peer, "addr", "add", f"10.0.2.{host}/24", "dev", "p2")
        self.ip("route", "add", "10.9.0.0/16", "via", "10.0.2.88")
        self.start(self.switch([f"net_pcap0,rx_pcap={source},tx_pcap=/dev/null,infinite_rx=1"]))
        self.expect("the gateway and the host have been found", **{"10_9_0_0__16": "swp2", "10_0_2_77__32": "swp2"})
        drops_ = self.port("swp1")["drops"]
        self.assertEqual(set(drops_) - {"no-route"}, {"no-neighbour"})
        wait_until(lambda: self.port("swp2")["tx_packets"] > 100, "packets go there")
        self.assertEqual(self.port("swp1")["drops"]["no-neighbour"], drops_["no-neighbour"])
        known = {one["address"]: one for one in roost("show", "neighbour", "-f", self.name, "-o", "json")
                 .json["nodes"][self.name]["neighbours"]["default"]}
        self.assertEqual(known["10.0.2.77"]["interface"], "swp2")
        self.assertEqual(known["10.0.2.2"]["state"], "permanent")
        text = roost("show", "neighbour", self.name, "vrf", "default", "-f", self.name).out
        self.assertRegex(text, rf"(?m)^{self.name} +default +10\.0\.2\.77 +swp2 +[0-9a-f:]+ +\w+$")

    def kernel_routes(self):
        """{prefix: ports} of the kernel's own dump, of the routes that the batches made."""
        routes = {}
        for one in self.ip("-j", "route", "show", "proto", "199").json:
            dst = one["dst"] if "/" in one["dst"] else f"{one['dst']}/32"
            routes[dst] = " ".join(sorted([hop["dev"] for hop in one.get("nexthops", [one])]))
        return routes

    def test_overflow_is_made_good(self):
        """The daemon stands still while 200,000 changes are made: more than its socket holds. Afterwards it has
        what a dump has."""
        prefix = [f"20.{i >> 8 & 255}.{i & 255}.0/24" for i in range(20000)]
        self.batch(f"route add {one} via 10.0.1.2 proto 199" for one in prefix)
        self.start(self.switch())
        self.assertEqual(self.source()["overruns"], 0)
        self.process.send_signal(signal.SIGSTOP)
        for n in (2, 3, 1, 2):
            self.batch(line for i, one in enumerate(prefix) for line in (
                f"route replace {one} via 10.0.{n}.2 proto 199",
                f"route replace {one} via 10.0.{1 + i % 3}.2 proto 199",
                f"route del {one}" if i % 5 == n else f"route replace {one} via 10.0.{1 + i % 2}.2 proto 199"))
        self.process.send_signal(signal.SIGCONT)
        wanted = self.kernel_routes()
        self.assertGreater(len(wanted), 5000)
        wait_until(lambda: {key: to for key, to in self.routes().items() if key.startswith("20.")} == wanted,
                   "the switch has what the kernel has")
        self.assertGreater(self.source()["overruns"], 0)
        self.assertGreater(self.source()["dumps"], 1)

    def test_restart(self):
        """A switch that comes up again has the same."""
        self.ip("route", "add", "10.9.0.0/16", "nexthop", "via", "10.0.2.2", "nexthop", "via", "10.0.3.2")
        self.start(self.switch())
        before = self.routes()
        self.stop()
        self.start(self.switch())
        self.assertEqual(self.routes(), before)

    def test_wrong_files(self):
        self.assert_refused(r'test.yaml:1:\d+: \S*learn\.netns: there is no namespace nowhere: `ip netns add nowhere`',
                            "run", self.file(self.switch(netns="nowhere")))
        self.assert_refused(r"learn.vrf: there is no VRF rde", "check", self.file(self.switch(vrf="rde")))


class Churn(LearnCase):
    RATE, OFFERED, SECONDS = 10000, 15000, 3

    def test_churn_under_traffic(self):
        """Over 10,000 changes a second among 10,000 routes; packets of routes that do not change are all forwarded."""
        untouched = [f"30.0.{n}.0/24" for n in range(16)]
        churned = [f"40.{i >> 8 & 255}.{i & 255}.0/24" for i in range(10000)]
        self.batch(f"route add {one} nexthop via 10.0.2.2 nexthop via 10.0.3.2" for one in untouched)
        self.batch(f"route add {one} via 10.0.{2 + i % 2}.2 proto 199" for i, one in enumerate(churned))
        source = write_pcap(self.directory / "in.pcap", [
            (i, udp("10.0.1.9", f"30.0.{i % 16}.{1 + i}", sport=1000 + i, size=1000)) for i in range(64)])
        description = self.switch([f"net_pcap0,rx_pcap={source},tx_pcap=/dev/null,infinite_rx=1"])
        description["switch"]["ports"] = {name: port | {"rate": "1G" if name == "swp1" else "100G"}
                                          for name, port in description["switch"]["ports"].items()}
        self.start(description)
        wait_until(lambda: self.port("swp1")["rx_packets"] > 1000, "packets flow")
        before, lost = self.source(), self.port("swp1")["drops"]     # before routes were there
        rates, judged, made = [], [], 0
        while len(rates) < 6 and max(rates, default=0) < self.RATE:
            began, others = time.monotonic(), self.cpu_of_others()
            rate, made = self.churn(churned, made)
            rates.append(rate)
            # Else others decide how fast changes can be made.
            if self.cpu_of_others() - others < 0.1 * os.cpu_count() * (time.monotonic() - began):
                judged.append(rate)
        after, port = self.source(), self.port("swp1")
        print(f"churn: {', '.join(f'{rate:.0f}' for rate in rates)} changes/s, "
              f"{after['messages'] - before['messages']} messages, "
              f"{after['published'] - before['published']} publications, {after['overruns']} overruns, "
              f"{port['rx_packets']} packets, drops {port['drops']}")
        if judged:
            self.assertGreater(max(rates), self.RATE)
        self.assertEqual(port["drops"], lost)
        self.assertGreater(after["published"], before["published"])
        wanted = dict(self.changed(churned, n) for n in range(made))
        wait_until(lambda: {key: to for key, to in self.routes().items() if key in wanted} ==
                   {prefix: f"swp{port}" for prefix, port in wanted.items()}, "the last change of each is in force")

    def cpu_of_others(self):
        """CPU time, in seconds, that was not this test's and its switch's: also what other guests of the machine took."""
        user, nice, system, _, _, irq, softirq, steal, *_ = map(int, Path("/proc/stat").read_text().split()[1:9])
        switch = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        busy = user + nice + system + irq + softirq + steal - int(switch[11]) - int(switch[12])
        return busy / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])

    @staticmethod
    def changed(churned, number):
        """What a change is of: (prefix, the port it leads to from now on)."""
        return churned[number * 7919 % len(churned)], 1 + number % 3

    def churn(self, churned, made):
        """Goes on after `made` changes for SECONDS: (changes per second, changes made by now)."""
        first, began = made, time.monotonic()
        ip = subprocess.Popen(["ip", "-n", self.netns, "-force", "-batch", "-"], stdin=subprocess.PIPE, text=True)
        while (now := time.monotonic() - began) < self.SECONDS:
            lines = []
            while made < first + now * self.OFFERED:
                prefix, port = self.changed(churned, made)
                lines.append(f"route replace {prefix} via 10.0.{port}.2 proto 199\n")
                made += 1
            ip.stdin.write("".join(lines))
            ip.stdin.flush()
            time.sleep(0.005)
        ip.stdin.close()
        ip.wait(30)
        return (made - first) / (time.monotonic() - began), made


class Fpm(LearnCase):

    def connect(self, port):
        def make():
            peer = socket.create_connection(("127.0.0.1", port), 10)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return peer
        return inside(self.netns, make)

    def ifindex(self, name):
        return self.ip("-j", "link", "show", name).json[0]["ifindex"]

    def message(self, prefix, gateway=None, device=None, gone=False, nhid=None):
        """A frame with a route, as zebra sends it."""
        address, length = prefix.split("/")
        attributes = struct.pack("=HH4s", 8, 1, socket.inet_aton(address)) + struct.pack("=HHI", 8, 6, 20)
        if nhid:
            attributes += struct.pack("=HHI", 8, 30, nhid)
        elif gateway:
            attributes += struct.pack("=HH4sHHI", 8, 5, socket.inet_aton(gateway), 8, 4, self.ifindex(device))
        body = struct.pack("=BBBBBBBBI", 2, int(length), 0, 0, 254, 186, 0, 0 if gone else 1, 0) + attributes
        netlink = struct.pack("=IHHII", 16 + len(body), 25 if gone else 24, 0x501, 0, 0) + body
        return struct.pack(">BBH", 1, 1, 4 + len(netlink)) + netlink

    def test_a_client(self):
        self.start(self.switch(source="both", fpm={"listen": "127.0.0.1:2699"}))
        peer = self.connect(2699)
        stream = (self.message("10.9.0.0/16", "10.0.2.2", "swp2") + self.message("10.8.0.0/16", "10.0.3.2", "swp3") +
                  self.message("10.7.0.0/16", "10.0.3.2", "swp3"))
        for at in range(0, len(stream), 7):      # in pieces that no frame ends at
            peer.send(stream[at:at + 7])
        self.expect(**{"10_9_0_0__16": "swp2", "10_8_0_0__16": "swp3", "10_7_0_0__16": "swp3"})
        self.assertEqual(sorted(self.routes("fpm")), ["10.7.0.0/16", "10.8.0.0/16", "10.9.0.0/16"])
        self.ip("route", "add", "10.9.0.0/16", "via", "10.0.1.2", "metric", "20")      # a tie: the kernel's
        self.expect(**{"10_9_0_0__16": "swp1"})
        self.ip("route", "del", "10.9.0.0/16")
        peer.send(self.message("10.8.0.0/16", gone=True))
        self.expect(**{"10_9_0_0__16": "swp2", "10_8_0_0__16": None})
        peer.close()
        wait_until(lambda: not self.source()["fpm_connected"], "it is known to have gone")
        self.assertEqual(self.routes()["10.9.0.0/16"], "swp2")      # a daemon may restart
        peer = self.connect(2699)
        peer.send(self.message("10.7.0.0/16", "10.0.1.2", "swp1"))
        self.expect("what the new connection has not said is gone", **{"10_9_0_0__16": None, "10_7_0_0__16": "swp1"})
        peer.send(b"\x01\x01\x00\x02nonsense")
        self.assertEqual(peer.recv(1), b"")
        self.assertEqual(self.routes()["10.7.0.0/16"], "swp1")
        self.assertIn("an empty frame", self.told())
        peer.close()

    def test_another_user(self):
        """Any process can connect. Only root and FRR's user are trusted, and the log shows the others."""
        self.start(self.switch(source="fpm", fpm={"listen": "127.0.0.1:2697", "user": "any"}))
        self.stop()
        self.start(self.switch(source="fpm", fpm={"listen": "127.0.0.1:2697"}))
        peer = self.connect(2697)
        self.addCleanup(peer.close)
        peer.send(self.message("10.9.0.0/16", "10.0.2.2", "swp2"))
        self.expect(**{"10_9_0_0__16": "swp2"})
        code = ("import socket, sys; s = socket.create_connection(('127.0.0.1', 2697)); s.settimeout(20)\n"
                "try: s.sendall(bytes.fromhex(sys.argv[1])); print(s.recv(1))\n"
                "except ConnectionError: print(b'')")
        gone = self.message("10.9.0.0/16", gone=True).hex()
        done = command("ip", "netns", "exec", self.netns, "setpriv", "--reuid", 65534, "--regid", 65534, "--clear-groups",
                       "/usr/bin/python3", "-c", code, gone)
        self.assertEqual(done.out, "b''\n")
        wait_until(lambda: self.source()["fpm_refused"] == 1, "it was refused")
        peer.send(self.message("10.8.0.0/16", "10.0.3.2", "swp3"))
        self.expect("zebra is still listened to", **{"10_9_0_0__16": "swp2", "10_8_0_0__16": "swp3"})
        log = roost("show", "log", "-f", self.name, "-o", "json").json["log"]
        self.assertIn("FPM: a connection of user 65534 was refused", log[-1]["message"])
        self.stop()
        self.assert_refused("learn.fpm.user: there is no user nosuchuser on this machine", "run",
                            self.file(self.switch(source="fpm", fpm={"user": "nosuchuser"})), status=1)

    def test_a_port_that_is_taken(self):
        def make():
            taken = socket.socket()
            taken.bind(("127.0.0.1", 2698))
            taken.listen()
            return taken
        taken = inside(self.netns, make)
        self.addCleanup(taken.close)
        self.assert_refused("FPM cannot listen at 127.0.0.1 port 2698: Address already in use",
                            "run", self.file(self.switch(source="fpm", fpm={"listen": "127.0.0.1:2698"})), status=1)

    @unittest.skipUnless(ZEBRA, "needs FRR")
    def test_zebra(self):
        """FRR's own zebra over FPM alone: static routes come, change and go, and come back with a new zebra."""
        # FRR's own user has to come there: not where the test's other files are.
        directory = pathlib.Path(tempfile.mkdtemp(prefix="roost-frr-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, directory)
        directory.chmod(0o777)
        staticd = shutil.which("staticd", path=os.path.dirname(ZEBRA))
        (directory / "zebra.conf").write_text("fpm address 127.0.0.1 port 2620\n")
        (directory / "staticd.conf").write_text("ip route 10.9.0.0/16 10.0.2.2\nip route 10.9.0.0/16 10.0.3.2\n"
                                                "ip route 10.8.0.0/16 blackhole\n")
        self.start(self.switch(source="fpm"))

        running = []

        def daemons():
            for program, extra in ((ZEBRA, ["-M", "dplane_fpm_nl"]), (staticd, [])):
                base = os.path.basename(program)
                running.append(subprocess.Popen(
                    ["ip", "netns", "exec", self.netns, program, *extra, "-f", str(directory / f"{base}.conf"), "-z",
                     str(directory / "zserv"), "-i", str(directory / f"{base}.pid"), "--vty_socket", str(directory)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
                wait_until(lambda: (directory / "zserv").exists(), "zebra is up")

        def end():
            for one in running:
                one.terminate()
            while running:
                running.pop().wait(60)

        self.addCleanup(end)
        daemons()
        self.expect("zebra's routes are in force", 30, **{"10_9_0_0__16": "swp2 swp3", "10_8_0_0__16": "drop"})
        self.assertIn("10.9.0.0/16", self.routes("fpm"))
        end()
        self.assertEqual(self.routes()["10.9.0.0/16"], "swp2 swp3")
        (directory / "staticd.conf").write_text("ip route 10.9.0.0/16 10.0.1.2\n")
        (directory / "zserv").unlink(missing_ok=True)
        daemons()
        self.expect("the new zebra's are", 30, **{"10_9_0_0__16": "swp1", "10_8_0_0__16": None})


if __name__ == "__main__":
    unittest.main()
