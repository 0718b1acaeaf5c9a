# SPDX-License-Identifier: BSD-3-Clause
"""testbeds/netns/bgp: four switches with an FRR each. Hosts reach each other by routes that BGP found, and
traffic follows it when a daemon or a link fails and comes back."""
import ipaddress
import threading

from common import *
from bgp_bed import BED, BgpBed

from plan import HOSTS as BEHIND, SWITCHES, address, loopback
from testbed import DAEMONS

FLOWS, FIRST_PORT = 64, 49152
MOVED_S = 10    # after which traffic has moved away from a switch that died
NETWORK = "10.2.1.0/24"     # of h3, from leaf1
BOTH, SECOND = ["swp3", "swp4"], ["swp4"]   # uplinks of leaves


class Bgp(BgpBed):

    def tearDown(self):
        """Starts what this test has ended, for the next test."""
        for switch in SWITCHES:
            if roost("show", "fabric", "-f", f"{self.bed.name}-{switch}", status=None).status != 0:
                self.bed.start_roost(switch)
            for daemon in DAEMONS:
                if not self.bed.pid(switch, daemon):
                    self.bed.start(switch, daemon)
        self.await_converged("all is well again")

    def sent(self, switch, port):
        return self.show(switch, "interface", port)["ports"][port]["tx_packets"]

    def await_route(self, switch, prefix, via):
        wait_until(lambda: self.bed.routes(switch).get(prefix) == via,
                   lambda: f"{switch}: {prefix} by {via}; {json.dumps(self.bed.state())}; logs: {self.keep_logs()}", 60)

    def udp(self, host, port):
        opened = udp_socket(netns(self.bed.name, host), port)
        self.addCleanup(opened.socket.close)
        return opened

    def spread(self, source="h1", destination="h3"):
        """One datagram of each of 64 flows. All arrive; returns how many went by each uplink."""
        self.ping(source, address(destination)[0])  # or the leaf would have to look for it first, and drop meanwhile
        receiver = self.udp(destination, 9000)
        leaf = BEHIND[source][0]
        before = [self.sent(leaf, port) for port in BOTH]
        for i in range(FLOWS):
            sender = self.udp(source, FIRST_PORT + i)
            sender.send(b"spread", (address(destination)[0], 9000))
            sender.socket.close()
        arrived = receiver.receive_all(FLOWS)
        receiver.socket.close()
        self.assertEqual(sorted(one.source[1] for one in arrived), list(range(FIRST_PORT, FIRST_PORT + FLOWS)))
        return [self.sent(leaf, port) - then for port, then in zip(BOTH, before)]

    def assert_spread(self, *ends):
        by_first, by_second = self.spread(*ends)
        self.assertEqual(by_first + by_second, FLOWS)
        self.assertGreater(min(by_first, by_second), FLOWS // 8)

    def ping(self, host, to):
        self.bed.inside(host, "ping", "-c", "2", "-i", "0.2", "-W", "5", to)

    def lost(self, switch):
        return drops({switch: self.show(switch, "drops")})

    def test_hosts_reach_each_other(self):
        before = {switch: self.lost(switch) for switch in SWITCHES}     # other tests take links down
        for source in BEHIND:
            for destination in BEHIND:
                for to in address(destination) if source != destination else ():
                    self.ping(source, to)
        for switch in SWITCHES:
            self.ping("h1", loopback(switch))
        self.assert_spread()
        for switch in SWITCHES:
            lost = self.lost(switch) - before[switch]
            lost.pop("no-neighbour", None)      # the first for a host, which made the leaf look for it
            self.assertEqual(lost, {}, switch)
            for port in self.show(switch, "steering")["ports"].values():
                self.assertEqual(port["classes"]["unread"]["packets"], 0)

    def test_traceroute(self):
        """A switch answers from the address of its interface, or from its loopback if the interface has none. One probe at a
        time, because the host answers no more than six at once."""
        self.ping("h1", address("h3")[0])
        first = str(ipaddress.ip_address(address("h1")[0]) - 1)
        out = self.bed.inside("h1", "traceroute", "-n", "-N", "1", "-w", "5", "-q", "1", address("h3")[0]).stdout
        hops = [line.split()[1] for line in out.splitlines()[1:]]
        self.assertEqual([hops[0], *hops[2:]], [first, loopback("leaf2"), address("h3")[0]], hops)
        self.assertIn(hops[1], [loopback(switch) for switch in SWITCHES if switch.startswith("spine")])

    def test_roce_arrives_as_it_was_sent(self):
        source, _ = BEHIND["h1"]
        with raw_socket(netns(self.bed.name, "h1")).socket as sender, \
                raw_socket(netns(self.bed.name, "h3"), protocol=0x0800).socket as listener:
            receiver, mine = Socket(listener), sender.getsockname()[4]
            gateway = json.loads(self.bed.inside(source, "ip", "-j", "link", "show", "swp1").stdout)[0]["address"]
            frames = [roce(address("h1")[0], address("h3")[0], bytes(i % 256 for i in range(1024)), qp=16 + i,
                           psn=i, sport=FIRST_PORT + i, dscp=26, src_mac=":".join(f"{one:02x}" for one in mine),
                           dst_mac=gateway) for i in range(FLOWS)]
            for frame in frames:
                sender.send(frame)
            arrived, end = [], time.monotonic() + 10
            while len(arrived) < FLOWS and time.monotonic() < end:
                arrived += [one.data for one in receiver.receive(0.2) if one.data[36:38] == b"\x12\xb7"]
        self.assertEqual(len(arrived), FLOWS)
        for frame in arrived:
            self.assertTrue(icrc_valid(frame))
            self.assertEqual(frame[22], 64 - 3)
        # TTL and checksum aside.
        self.assertEqual(sorted(frame[26:] for frame in arrived), sorted(frame[26:] for frame in frames))

    def test_bgp_of_a_spine_dies(self):
        self.bed.kill("spine1", "bgpd")
        for leaf in ("leaf1", "leaf2"):
            self.await_route(leaf, NETWORK if leaf == "leaf1" else "10.1.1.0/24", SECOND)
        self.assertEqual(self.spread(), [0, FLOWS])
        self.assertEqual(self.spread("h3", "h1"), [0, FLOWS])
        # A zebra that starts again takes only those with it that run.
        self.bed.kill("spine1", "zebra")
        self.bed.start("spine1", "zebra")
        self.assertIsNone(self.bed.pid("spine1", "bgpd"))
        self.assertIsNotNone(self.bed.pid("spine1", "bfdd"))
        self.bed.start("spine1", "bgpd")
        self.await_route("leaf1", NETWORK, BOTH)
        self.await_converged("spine1 has its routes again")
        self.assert_spread()

    def dropped(self, leaf):
        """How often each BGP session of a leaf went down, by uplink."""
        told = json.loads(self.bed.vtysh(leaf, "show bgp neighbors json"))
        return [told[port]["connectionsDropped"] for port in BOTH]

    def test_zebra_of_a_leaf_is_killed(self):
        """Its routes stay in the kernel. When zebra is started again, it removes them, and its clients announce them anew."""
        clients = [self.bed.pid("leaf1", daemon) for daemon in ("bfdd", "bgpd")]
        self.bed.kill("leaf1", "zebra")
        self.assertIsNone(self.bed.pid("leaf1", "zebra"))
        self.assert_spread()
        self.bed.start("leaf1", "zebra")
        self.await_converged("leaf1 has its routes again")
        self.assertFalse(set(clients) & {self.bed.pid("leaf1", daemon) for daemon in ("bfdd", "bgpd")}, clients)
        self.assert_spread()
        self.assert_spread("h3", "h1")

    def test_bfd_notices_what_bgp_does_not(self):
        """The bgpd of both ends run, and the link is up. The bfdd of one end dies, and the other end closes the session."""
        before = {leaf: self.dropped(leaf) for leaf in ("leaf1", "leaf2")}
        self.bed.kill("spine1", "bfdd")
        for leaf, (first, second) in before.items():
            wait_until(lambda: self.dropped(leaf)[0] > first and self.bed.bfd(leaf) == {"swp3": "down", "swp4": "up"},
                       lambda: f"{leaf} ends the session, {before} before; {self.dropped(leaf)}, {self.bed.bfd(leaf)}")
            self.assertEqual(self.dropped(leaf)[1], second)
        self.bed.start("spine1", "bfdd")
        self.await_converged("BFD is up again")
        self.assert_spread()

    def test_a_link_fails(self):
        def set_link(state):
            command("ip", "-n", self.bed.netns("leaf1"), "link", "set", "swp3", state)

        set_link("down")
        try:
            self.await_route("leaf1", NETWORK, SECOND)
            self.await_route("leaf2", "10.1.1.0/24", SECOND)     # spine1 has told it that there is no way
            self.assertEqual(self.spread(), [0, FLOWS])
            self.assertEqual(self.spread("h3", "h1"), [0, FLOWS])
        finally:
            set_link("up")
        self.await_converged("the link is used again")
        self.assert_spread()
        self.assert_spread("h3", "h1")

    def seconds_of_loss(self, happens):
        """Sends flows from h1 to h3 during an event, until all packets arrive. Returns when the last lost packet was sent, in
        seconds after the event."""
        receiver = self.udp("h3", 9000)
        senders = [self.udp("h1", FIRST_PORT + i) for i in range(FLOWS)]
        sent, arrived = [], set()

        def send(count):
            for _ in range(count):
                senders[len(sent) % FLOWS].send(struct.pack(">I", len(sent)), (address("h3")[0], 9000))
                sent.append(time.monotonic())
                arrived.update(struct.unpack(">I", one.data)[0] for one in receiver.receive(0.002))

        def last_arrive():
            send(FLOWS)
            return arrived >= set(range(len(sent) - 3 * FLOWS, len(sent) - FLOWS))

        self.ping("h1", address("h3")[0])
        send(2 * FLOWS)
        began = time.monotonic()
        thread = threading.Thread(target=happens)
        thread.start()
        send(2 * FLOWS)
        wait_until(last_arrive, "all packets arrive again")
        thread.join()
        for one in (receiver, *senders):
            one.socket.close()
        return max((sent[number] - began for number in set(range(len(sent) - FLOWS)) - arrived), default=0.0)

    def test_roost_of_a_spine_is_killed(self):
        """Its interfaces and the links of its neighbours go down at once, so traffic moves before a timer runs out. When it is
        started again, it brings them up."""
        name = f"{self.bed.name}-spine1"
        self.assertLess(self.seconds_of_loss(lambda: self.bed.kill_roost("spine1")), MOVED_S)
        for leaf, prefix in (("leaf1", NETWORK), ("leaf2", "10.1.1.0/24")):
            self.await_route(leaf, prefix, SECOND)
        roost("show", "route", "-f", name, status=1)
        wait_until(lambda: self.show("leaf1", "interface", "swp3")["ports"]["swp3"]["state"] == "down", "the link is down")
        self.assertEqual(self.spread(), [0, FLOWS])
        self.assertEqual(self.spread("h3", "h1"), [0, FLOWS])
        self.bed.start_roost("spine1")
        self.await_converged("it has its routes again")
        self.assert_spread()
        self.assert_spread("h3", "h1")

    def test_roost_of_a_leaf_is_killed(self):
        """When it is started again, it has its IPv4 and IPv6 addresses. No process of it is left running."""
        before = self.addresses("leaf1")
        self.bed.kill_roost("leaf1")
        wait_until(lambda: self.interfaces_up("leaf1") == [], "its interfaces are down")
        wait_until(lambda: "roost" not in self.bed.inside("leaf1", "ps", "-o", "comm=", "-p", ",".join(
            map(str, self.bed.pids("leaf1")))).stdout, "the watcher has ended")
        self.bed.start_roost("leaf1")
        self.await_converged("it has its routes again")
        self.assertEqual(self.addresses("leaf1"), before)
        self.assert_spread()
        for to in address("h3"):
            self.ping("h1", to)

    def links(self, switch):
        return json.loads(self.bed.inside(switch, "ip", "-j", "addr").stdout)

    def interfaces_up(self, switch):
        return [one["ifname"] for one in self.links(switch) if one["ifname"].startswith("swp") and "UP" in one["flags"]]

    def addresses(self, switch):
        return sorted((one["ifname"], address["local"]) for one in self.links(switch) for address in one["addr_info"])

    def test_commands(self):
        def bgp(*words, status=0):
            return command(BED / "bgp", "--name", self.bed.name, *words, status=status,
                           env=os.environ | {"ROOST": str(ROOST)})

        self.assertRegex(bgp("status").out, r"leaf1 +swp3 Established, swp4 Established +10\.")
        self.assertIn("65101", bgp("vtysh", "leaf1", "show", "bgp", "summary").out)
        self.assertIn(address("h1")[0], bgp("exec", "h1", "ip", "addr").out)
        self.assertIn("is up, or was not taken down", bgp("up", status=1).err)
        self.assertIn("invalid choice", bgp("kill", "leaf9", "bgpd", status=2).err)
        self.assertIn("bgp: zebra of leaf1 runs", bgp("start", "leaf1", "zebra", status=1).err)
