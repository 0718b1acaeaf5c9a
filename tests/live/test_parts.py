# SPDX-License-Identifier: BSD-3-Clause
"""A fabric in several processes: `fabric.parts` and `roost up FILE --part NAME`. The processes are on this machine, each at
an address of its own of the loopback interface."""
import itertools
import signal
import threading

from common import *

DSCP = 26               # priority 3, which is lossless and marked
MARKED_ABOVE = "15KB"
ROUNDS, BURST, SIZE = 3, 10, 1000
QUANTA = 65535
PARTS = {"east": ["leaf1", "spine1"], "west": ["leaf2", "spine2"]}
# Counters that do not depend on when packets come.
COUNTED = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "rx_discards", "tx_discards", "drops")
QUEUE_COUNTED = ("packets", "bytes", "dropped", "ecn_marked", "ecn_marked_bytes")


def own_address(number):
    """One of 127.0.0.0/8 that no other test has."""
    return f"127.{100 + os.getpid() // 256 % 100}.{os.getpid() % 256}.{number}"


def counted(nodes):
    """{port: its counters} of what `show interface` says."""
    found = {}
    for node, content in nodes.items():
        for port, values in content["ports"].items():
            found[f"{node}.{port}"] = {key: values.get(key, 0) for key in COUNTED} | {
                "queue": [{key: queue.get(key, 0) for key in QUEUE_COUNTED} for queue in values["queue"]]}
    return found


class Part(Fabric):
    """The process of a part, within a `with` block."""

    def __init__(self, file, name, part):
        super().__init__(file, f"{name}-{part}")
        self.part = part

    def __enter__(self):
        self.up = roost("up", self.file, "--part", self.part)
        return self

    def kill(self):
        pid = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        os.kill(pid, signal.SIGKILL)

    def carriers(self):
        """{port: what its datagrams have come to}."""
        return {one.pop("interface"): one for one in self.show("fabric")["carriers"]}

    def crossings(self):
        """{link to another part: its state}."""
        return {link["link"]: link["state"] for link in self.show("fabric")["links"] if "part" in link}


class Relay:
    """What carries datagrams from one part to the other, each link by itself. Of those with frames from the first part to the
    second it loses one of every `every` on a link."""

    def __init__(self, links, every, first, second, near, far):
        """Hears the first part at `near` and the second one at `far`: where either believes the other."""
        self.every, self.lost, self.over = every, 0, False
        self.frames = collections.Counter()
        self.sockets = {}       # {socket: (its link, the socket that sends on, to where)}
        for port in range(47900, 47900 + links):
            ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
            for end, address in zip(ends, (near, far)):
                end.bind((address, port))
            self.sockets |= {ends[0]: (port, ends[1], (second, port)), ends[1]: (None, ends[0], (first, port))}
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.over:
            for ready in select.select(list(self.sockets), [], [], 0.05)[0]:
                link, onward, to = self.sockets[ready]
                try:
                    datagram = ready.recv(65536)
                    if link and datagram[5] == 1:
                        self.frames[link] += 1
                        if self.frames[link] % self.every == 0:
                            self.lost += 1
                            continue
                    onward.sendto(datagram, to)
                except ConnectionRefusedError:
                    continue        # who is not there hears nothing

    def close(self):
        self.over = True
        self.thread.join()
        for one in self.sockets:
            one.close()


class Parts(LiveCase):

    def setUp(self):
        self.name = name_of("parts")

    def description(self, parts=None, **keys):
        made = demo(self.name)
        addresses = {part: own_address(i) for i, part in enumerate(parts or PARTS, 1)}
        made["fabric"] |= {"mtu": 1500, "parts": {part: {"address": addresses[part], "switches": switches}
                                                  for part, switches in (parts or PARTS).items()}} | keys
        made["switch"] |= {"routing": {"mode": "ecmp"},
                           "qos": {"tc": {3: {"ecn": {"min": MARKED_ABOVE, "max": MARKED_ABOVE}}}}}
        return made

    def parts(self, description, files=None):
        """Its parts, which are up until the test ends, and have found each other."""
        up = []
        for part in description["fabric"]["parts"]:
            path = self.file((files or {}).get(part, description), f"{self.name}-{part}.yaml")
            self.addCleanup(self.assert_clean, f"{self.name}-{part}")
            up.append(Part(path, self.name, part))
            up[-1].__enter__()
            self.addCleanup(up[-1].__exit__)
        know_gateways(self.name)
        self.joined(*up)
        return up

    def joined(self, *parts):
        for part in parts:
            wait_until(lambda: set(part.crossings().values()) == {"up"},
                       lambda: f"{part.name} has found the others: {part.crossings()}")

    def all_to_all(self, waiting):
        """Each host sends to each other one, a burst at a time: no queue has so much that it marks, whether packets come one by
        one or together. waiting(): bytes that wait for h5."""
        sockets = {host: udp_socket(netns(self.name, host), UDP_PORT, DSCP) for host in HOSTS}
        for one in sockets.values():
            one.socket.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, DSCP << 2 | 2)      # ECT(0)
            self.addCleanup(one.socket.close)
        for i in range(ROUNDS):
            for source, destination in itertools.permutations(HOSTS, 2):
                for _ in range(BURST):
                    sockets[source].send(bytes(SIZE), (HOSTS[destination], UDP_PORT))
                if destination == "h5" and source == "h1":
                    wait_until(lambda: waiting() >= ((i + 1) * BURST - 1) * SIZE, lambda: f"they wait: {waiting()}")
                elif {source, destination} in ({"h1", "h5"}, {"h3", "h7"}):     # of one tenant
                    self.assertEqual(len(sockets[destination].receive_all(BURST)), BURST)
        return sockets["h5"]

    def count(self, *fabrics):
        """What all ports count after traffic of which some has to wait at leaf2.swp1: what is marked there follows from the
        depths that packets find, not from when they come."""
        last = fabrics[-1]
        last.command("transmit", "leaf2.swp1", "off")
        h5 = self.all_to_all(lambda: port_of(last.name, "leaf2", "swp1")["queue"][3]["depth"])
        last.command("transmit", "leaf2.swp1", "on")
        self.assertEqual(len(h5.receive_all(ROUNDS * BURST)), ROUNDS * BURST)
        ports = {}
        self.lost = {name: count for fabric in fabrics for name, count in drops(fabric.show("drops")["nodes"]).items()
                     if name.startswith("device-")}
        for fabric in fabrics:
            ports |= counted(fabric.show("interface")["nodes"])
        return ports

    def test_same_counters_as_one_process(self):
        description = self.description()
        one = Fabric(self.file(description, "one.yaml"), self.name)
        self.addCleanup(self.assert_clean, self.name)
        with one:
            self.assertIn("this process runs all 2 parts of the fabric", one.up.err)
            know_gateways(self.name)
            expected = self.count(one)
        counts = self.count(*self.parts(description))
        self.assertEqual(counts.keys(), expected.keys())
        for port, values in expected.items():
            self.assertEqual(counts[port], values, port)
        self.assertGreater(counts["leaf2.swp1"]["queue"][3]["ecn_marked"], 0)
        self.assertEqual(counts["leaf1.swp1"]["drops"], {"no-route": 2 * ROUNDS * BURST})     # to hosts of another tenant
        self.assertEqual(self.lost, {})
        self.assertGreater(sum(counts[port]["tx_packets"] for port in ("leaf1.swp6", "spine1.swp2")), 0)     # crossing



    def test_killed_part_comes_back(self):
        """Its links go down and return, and routes follow."""
        east, west = self.parts(self.description())
        links = {"leaf1-spine2", "leaf2-spine1"}
        for killed, stays in ((west, east), (east, west)):
            self.assertEqual(stays.crossings(), dict.fromkeys(links, "up"))
            killed.kill()
            wait_until(lambda: set(stays.crossings().values()) == {"down"}, lambda: f"they are down: {stays.crossings()}")
            leaf, far = ("leaf1", HOSTS["h5"]) if stays is east else ("leaf2", HOSTS["h1"])
            self.assertNotIn(f"{far}/32", stays.command("show", "route", leaf).out)
            killed.__enter__()
            self.joined(killed, stays)
            know_gateways(self.name)
            self.assertIn(f"{far}/32", stays.command("show", "route", leaf).out)
            self.assert_reaches(self.name, "h1", "h5")
            self.assert_reaches(self.name, "h7", "h3")

    def test_comes_up_as_it_ran(self):
        """NAME-PART brings the same part up, with its changes."""
        east, west = self.parts(self.description())
        east.set("switch.qos.tc.3.ecn.min", "12KB")
        for up in (lambda: roost("up", east.name), lambda: roost("up", east.name, "--part", "east")):
            roost("down", east.name)
            up()
            self.assertEqual(east.show("fabric")["part"], "east")
            self.assertIn("12KB", east.command("show", "config", "leaf1").out)
            self.joined(east, west)

    def test_workload_crosses_by_ip6(self):
        """Simulated hosts of two parts, at one address with ports of their own."""
        description = self.description() | {"attach": {}, "workload": [{"kind": "flow", "from": "h2", "to": "h6", "size": "100KB"},
                                                                       {"kind": "flow", "from": "h6", "to": "h1", "size": "100KB"}]}
        for part, port in zip(description["fabric"]["parts"].values(), (47900 + os.getpid() % 8000, 57900 + os.getpid() % 7000)):
            part |= {"address": "::1", "port": port}
        parts = self.parts(description)

        def pairs():
            return {(host, pair["role"]): pair["state"] for part in parts
                    for host, node in part.show("queue-pairs")["nodes"].items() for pair in node["queue_pairs"]}
        wait_until(lambda: pairs().get(("h2", "sender")) == pairs().get(("h6", "sender")) == "complete", lambda: f"both flows are complete: {pairs()}")

    def test_link_taken_down_at_one_end(self):
        east, west = self.parts(self.description())
        east.command("link", "leaf1-spine2", "down")
        wait_until(lambda: west.crossings() == {"leaf1-spine2": "down", "leaf2-spine1": "up"}, lambda: f"{west.crossings()}")
        self.assert_reaches(self.name, "h5", "h1", 20)      # by the other spine alone
        self.assert_reaches(self.name, "h1", "h5", 20)
        east.command("link", "leaf1-spine2", "up")
        self.joined(east, west)

    def spines_used(self, part, leaf, host):
        """The spines by which a leaf sends to a host."""
        vrfs = part.show("route")["nodes"][leaf]["vrfs"].values()
        return {hop["node"] for vrf in vrfs for hop in vrf.get(f"{HOSTS[host]}/32", {"via": []})["via"]}

    def test_link_inside_another_part(self):
        """Routes avoid it, and what is lost of the part is forgotten."""
        east, west = self.parts(self.description())

        def follows(*spines):
            wait_until(lambda: self.spines_used(east, "leaf1", "h5") == set(spines),
                       lambda: f"{spines}: {self.spines_used(east, 'leaf1', 'h5')}")
        follows("spine1", "spine2")
        west.command("link", "leaf2-spine2", "down")
        follows("spine1")
        self.assert_reaches(self.name, "h1", "h5", 20)
        west.command("link", "leaf2-spine2", "up")
        follows("spine1", "spine2")
        for state in ("down", "up"):
            self.assertIn(f"leaf2-spine2: {state}, as another part reports", east.command("show", "log").out)
        west.command("link", "leaf2-spine2", "down")
        follows("spine1")
        west.kill()
        follows()
        west.__enter__()        # from its file, with all links
        follows("spine1", "spine2")

    def test_link_between_two_other_parts(self):
        parts = self.parts(self.description({"east": ["leaf1"], "west": ["leaf2"], "middle": ["spine1", "spine2"]}))
        east, west, _ = parts
        west.command("link", "leaf2-spine2", "down")
        wait_until(lambda: self.spines_used(east, "leaf1", "h5") == {"spine1"}, lambda: self.spines_used(east, "leaf1", "h5"))
        self.assert_reaches(self.name, "h1", "h5", 20)
        west.command("link", "leaf2-spine2", "up")
        wait_until(lambda: len(self.spines_used(east, "leaf1", "h5")) == 2, lambda: self.spines_used(east, "leaf1", "h5"))

    def round_trip(self):
        """The shortest of some pings from part to part, in ms."""
        out = command("ip", "netns", "exec", netns(self.name, "h1"), "ping", "-c", "10", "-i", "0.2", HOSTS["h5"]).out
        return float(re.search(r"= ([\d.]+)/", out)[1])

    def test_latency_counts_once(self):
        """`delay` and `clear` leave the latency of the far switch to its own process."""
        latency_us = 5
        description = self.description()
        description["switch"]["latency"] = f"{latency_us}us"
        east, west = self.parts(description)
        before = self.round_trip()
        for part in (east, west):
            for link in ("leaf1-spine2", "leaf2-spine1"):
                part.command("link", link, "delay", "1us")
                part.command("link", link, "clear")
        self.assertLess(self.round_trip() - before, latency_us / 1000 * DILATION)

    def test_corrupt_is_refused(self):
        """Datagrams have no FCS; a link within the part does."""
        east, _ = self.parts(self.description())
        self.assert_refused(r"^roost link: corrupt: leaf1-spine2 is between two parts: use loss, or run all parts in one process$",
                            "link", "leaf1-spine2", "corrupt", "1%", "-f", east.name, status=1)
        east.command("link", "leaf1-spine1", "corrupt", "1%")
        east.command("link", "leaf1-spine2", "corrupt-payload", "1%")

    def test_link_taken_down_while_nobody_hears(self):
        """It stays down when the far part comes."""
        east, west = self.parts(self.description())
        west.kill()
        wait_until(lambda: set(east.crossings().values()) == {"down"}, lambda: f"{east.crossings()}")
        east.command("link", "leaf1-spine2", "down")
        west.__enter__()
        for part in (west, east):
            wait_until(lambda: part.crossings() == {"leaf1-spine2": "down", "leaf2-spine1": "up"},
                       lambda: f"{part.name}: {part.crossings()}")
        east.command("link", "leaf1-spine2", "up")
        self.joined(east, west)

    def test_pause_crosses(self):
        """A far host that pauses its leaf makes the leaf pause the spine, which another process runs, for as long."""
        description = self.description({"east": ["leaf1", "spine1-spine2"], "west": ["leaf2"]}, dilation=10 * DILATION)
        description["switch"]["qos"] |= {"pg": {3: {"static": "10KB", "headroom": "100KB"}}}
        east, west = self.parts(description)
        sender, receiver = udp_socket(netns(self.name, "h1"), dscp=DSCP), udp_socket(netns(self.name, "h5"), UDP_PORT)
        with sender.socket, receiver.socket, raw_socket(netns(self.name, "h5")).socket as host:
            host.send(pfc({3: QUANTA}))
            began = time.time()
            wait_until(lambda: port_of(west.name, "leaf2", "swp1")["pfc_rx"][3] == 1, "the pause has arrived")

            def spines():
                return [port_of(east.name, spine, "swp2") for spine in ("spine1", "spine2")]
            for _ in range(40):
                sender.send(bytes(SIZE), (HOSTS["h5"], UDP_PORT))
            wait_until(lambda: any(port["pfc_rx"][3] for port in spines()), "the spine is paused")
            for _ in range(40):
                sender.send(bytes(SIZE), (HOSTS["h5"], UDP_PORT))
            wait_until(lambda: any(port["queue"][3]["depth"] > 10 * SIZE for port in spines()), "packets wait at the spine")
            arrived = receiver.receive_all(80, 30)
            self.assertEqual(len(arrived), 80)
            # 65535 quanta are 336 us at 100G: 3.36 s here.
            self.assertGreater(arrived[0].at - began, 3.3)
            self.assertGreater(max(port["pfc_rx_pause_ns"][3] for port in spines()), 0)
            self.assertEqual((self.switch_drops(east), self.switch_drops(west)), ({}, {}))

    def test_carrier_loses(self):
        """1 % of what goes east to west."""
        description = self.description()
        first, second, near, far = (own_address(i) for i in range(1, 5))
        seen = {"east": json.loads(json.dumps(description)), "west": json.loads(json.dumps(description))}
        seen["east"]["fabric"]["parts"]["west"]["address"] = near
        seen["west"]["fabric"]["parts"]["east"]["address"] = far
        relay = Relay(2, 100, first, second, near, far)
        self.addCleanup(relay.close)
        east, west = self.parts(description, seen)
        sender, receiver = udp_socket(netns(self.name, "h1"), dscp=DSCP), udp_socket(netns(self.name, "h5"), UDP_PORT)
        with sender.socket, receiver.socket:
            for _ in range(100):
                for _ in range(10):
                    sender.send(bytes(SIZE), (HOSTS["h5"], UDP_PORT))
                receiver.receive_all(10, 0.5)
        wait_until(lambda: sum(relay.frames.values()) == 1000, lambda: f"all frames have passed: {relay.frames}")

        def lost():
            return {reason: count for reason, count in drops(west.show("drops")["nodes"]).items()}
        wait_until(lambda: lost() == {"device-carrier-loss": relay.lost}, lambda: f"{relay.lost} are counted: {lost()}")
        self.assertGreaterEqual(relay.lost, 9)
        carriers = west.carriers()
        self.assertEqual(sum(one["lost"] for one in carriers.values()), relay.lost)
        self.assertEqual(sum(one["received"] for one in carriers.values()), 1000 - relay.lost)
        self.assertEqual({one["part"] for one in carriers.values()}, {"east"})
        for one in carriers.values():
            self.assertLessEqual(one["delay_variation_ns"], one["delay_variation_max_ns"])
            self.assertGreater(one["delay_variation_max_ns"], 0)
        ports = west.show("interface")["nodes"]
        self.assertEqual(sum(port["device"]["carrier"]["lost"] for node in ports.values() for port in node["ports"].values()
                             if "carrier" in port.get("device", {})), relay.lost)
        self.assertEqual(east.carriers().keys(), {"leaf1.swp6", "spine1.swp2"})
        metrics = west.command("metrics").out
        counts = re.findall(r'^roost_carrier_lost_packets_total\{port="([^"]+)",part="east"\} (\d+)$', metrics, re.M)
        self.assertEqual({port: int(count) for port, count in counts}, {port: one["lost"] for port, one in carriers.items()})
        self.assertEqual(len(re.findall(r'^roost_carrier_(?:round_trip|delay_variation)_seconds\{port=', metrics, re.M)), 4)

    def test_names_of_other_parts(self):
        east, west = self.parts(self.description())
        listed = {line.split()[0]: line.split()[3:6] for line in roost("list").out.splitlines() if line.startswith(self.name)}
        self.assertEqual(listed, {east.name: ["2", "4", "2"], west.name: ["2", "4", "2"]})
        elsewhere = f"in part west, which another process runs: use -f {west.name}"
        for words in (("show", "interface", "leaf2.swp1"), ("show", "route", "spine2"), ("show", "config", "leaf2"), ("trace", "h5", "h1"),
                      ("capture", "leaf2.swp1", "-c", 1), ("transmit", "leaf2.swp1", "off"), ("attach", "h6", "netns=x"),
                      ("detach", "h5"), ("clear", "watermarks", "leaf2"), ("watchdog", "restore", "leaf2.swp1.3")):
            done = east.command(*words, status=None)
            self.assertNotEqual(done.status, 0, words)
            self.assertIn(elsewhere, done.err, words)
        self.assertIn("leaves by leaf1.swp", east.command("trace", "h1", "h5").out)
        hosts = {nic["host"]: nic["is"] for nic in east.show("hosts")["hosts"]}
        self.assertEqual((hosts["h1"], hosts["h2"], hosts["h5"]), (f"namespace {netns(self.name, 'h1')}", "simulated", "in part west"))
        self.assertEqual(east.show("fabric")["part"], "east")
        self.assertEqual(roost("up", east.name, "--part", "west", status=2).err,
                         f"roost: {east.name} ran part east: name a file to run part west of it\n")

    def test_refused(self):
        description = self.description()
        path = self.file(description, "parts.yaml")
        self.assertIn("fabric.parts: there is no part wst; did you mean west", roost("up", path, "--part", "wst", status=2).err)
        del description["fabric"]["parts"]
        path = self.file(description, "whole.yaml")
        self.assertIn("fabric.parts: this fabric has no parts: leave out --part west", roost("up", path, "--part", "west", status=2).err)
