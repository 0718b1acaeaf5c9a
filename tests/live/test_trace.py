# SPDX-License-Identifier: BSD-3-Clause
"""`roost trace` in a live fabric: real packets take the path that it shows, and a probe is one of them."""
import contextlib

from common import *
from test_api import Client

SWITCHES = {"leaf1", "leaf2", "spine1", "spine2"}


class Trace(Shared):

    def sent(self):
        """{port: packets sent} of all switches."""
        nodes = self.up.show("interface")["nodes"]
        return {f"{node}.{port}": one["tx_packets"] for node in SWITCHES for port, one in nodes[node]["ports"].items()}

    def trace(self, *words):
        return self.up.command("trace", *words, "-o", "json").json

    def test_packets_take_it(self):
        receiver = self.udp("h5", UDP_PORT)
        for _ in range(8):
            sender = self.udp("h1")
            sport = sender.socket.getsockname()[1]
            # 42 bytes of headers and 100 of data. What is not RoCEv2 goes by hash, whatever the load.
            got = self.trace("h1", "h5", "--sport", sport, "--dport", UDP_PORT, "--size", 142, "--dscp", 0)
            before = self.sent()
            sender.send(bytes(100), (HOSTS["h5"], UDP_PORT))
            self.assertEqual(len(receiver.receive_all(1)), 1)
            ports = {port for port, count in self.sent().items() if count != before[port]}
            self.assertEqual(ports, {f"{hop['node']}.{hop['out']}" for hop in got["hops"][1:-1]})
            self.assertEqual(got["result"], "delivered")
            self.assertEqual((got["hops"][1]["choice"], got["paths"]["count"]), ("hash", 2))

    def test_other_tenants(self):
        got = self.trace("h1", "h7")
        self.assertEqual((got["result"], got["hops"][-1]["node"], got["hops"][-1]["drop"]["reason"]), ("dropped", "leaf1", "no-route"))
        self.assertEqual(drops(self.up.show("drops")["nodes"])["no-route"], 0)     # it was not sent

    def test_it_changes_nothing(self):
        def state():
            answer = self.up.show("interface"), self.up.show("adaptive"), self.up.show("queue")
            return [one["nodes"] for one in answer]
        before = state()
        for _ in range(5):
            self.trace("h2", "h6")
        self.assertEqual(state(), before)

    def test_text(self):
        text = self.up.command("trace", "h1", "h5").out
        self.assertRegex(text, r"(?m)^leaf1 +swp1 +red +3 +10.0.2.1/32, vxlan vni 5001 to 172.16.0.2 +adaptive, 1 of 2 ")

    def test_unknown(self):
        self.assertIn("h99", self.up.command("trace", "h1", "h99", status=1).err)

    def test_live_and_a_file(self):
        self.assertIn("--live sends a packet in a live fabric; it takes no FILE", self.up.command("trace", "h1", "h5", self.path, "--live", status=2).err)


class Probed(Shared):
    """Static paths. h1 and h7 are behind edge NICs, h5 has a device at its leaf, the others are simulated."""

    @classmethod
    def description(cls):
        made = demo(cls.name)
        made["switch"]["routing"] = {"mode": "ecmp"}
        made["attach"]["h5"]["nic"] = "off"
        return made

    def probe(self, *words):
        return self.up.command("trace", *words, "--live", "-o", "json").json

    def link(self, *words):
        self.up.command("link", *words)
        self.addCleanup(self.up.command, "link", words[0], "clear")


class Probe(Probed):
    def interfaces(self):
        return {f"{node}.{port}": one for node, all_of in self.up.show("interface")["nodes"].items()
                for port, one in all_of["ports"].items()}

    def assert_as_computed(self, got):
        """Every switch's ports and every time of a probe alone in the fabric, to the picosecond."""
        hops = {hop["node"]: hop for hop in got["probe"]["hops"]}
        self.assertEqual((got["probe"]["result"], got["probe"]["as_computed"]), ("delivered", True), got)
        at = 0
        for computed in got["hops"]:
            hop = hops.pop(computed["node"], None)
            if "in" in computed and hop:
                self.assertEqual((hop["in"], hop["arrived_ps"]), (computed["in"], at), got)
            if "out" not in computed:
                continue
            at += computed["wait_ps"] + computed["serialization_ps"] if "wait_ps" in computed else 0
            if hop:
                self.assertEqual((hop["out"], hop["left_ps"]), (computed["out"], at), got)
            at += computed.get("link_ps", 0)
        self.assertEqual(hops, {})
        self.assertEqual(at, got["time_ps"])

    def test_path_and_times_are_as_computed(self):
        for source, destination in (("h2", "h6"), ("h1", "h6"), ("h3", "h7"), ("h2", "h5")):
            ways = set()
            for sport in range(40000, 40016):
                with self.subTest(source=source, destination=destination, sport=sport):
                    got = self.probe(source, destination, "--sport", sport)
                    self.assert_as_computed(got)
                    ways.add(got["hops"][2]["node"])
                    # The last thing seen of h5, which has no NIC of the fabric's, is that the packet left for it.
                    self.assertEqual(got["probe"]["time_ps"], got["time_ps"] - (500_000 if destination == "h5" else 0))
            self.assertEqual(ways, {"spine1", "spine2"})

    def test_inside_a_leaf_and_other_packets(self):
        self.assert_as_computed(self.probe("h2", "h1", "--size", 600))
        self.assert_as_computed(self.probe("h2", "h6", "--dport", 5001, "--dscp", 0, "--size", 90))
        self.assert_as_computed(self.probe("h4", "h8", "--priority", 6, "--queue-pair", 77))

    def test_it_is_one_packet_that_hosts_ignore(self):
        listening, heard = self.udp("h5", 4791), self.raw("h5")
        before = self.interfaces()
        got = self.probe("h1", "h5", "--size", 300)
        frames = [one for one in heard.receive_all(1) if one.data[12:14] == b"\x08\0"]
        self.assertEqual([len(one.data) for one in frames], [300])
        after = self.interfaces()
        gained = {name: (after[name]["rx_packets"] - one["rx_packets"], after[name]["tx_packets"] - one["tx_packets"])
                  for name, one in before.items()}
        self.assertEqual({name for name, (_, sent) in gained.items() if sent},
                         {f"{hop['node']}.{hop['out']}" for hop in got["probe"]["hops"]})
        self.assertEqual({count for pair in gained.values() for count in pair}, {0, 1})
        self.assertEqual(listening.receive(), [])
        self.assertEqual(drops(self.up.show("drops")["nodes"])["packet-memory"], 0)

    def test_a_simulated_host_discards_it(self):
        before = drops(self.up.show("drops")["nodes"])["bad-icrc"]
        got = self.probe("h2", "h6")["probe"]
        self.assertEqual((got["result"], got["discarded_as"]), ("delivered", "bad-icrc"))
        self.assertEqual(drops(self.up.show("drops")["nodes"])["bad-icrc"], before + 1)

    def test_drops(self):
        got = self.probe("h2", "h3")
        last = got["probe"]["hops"][-1]
        self.assertEqual((got["probe"]["result"], last["node"], last["drop"]["reason"], got["hops"][-1]["drop"]["reason"]),
                         ("dropped", "leaf1", "no-route", "no-route"))
        self.assertEqual(last["drop"]["at_ps"], last["arrived_ps"])
        self.assertEqual(self.probe("h2", "h6", "--ttl", 1)["probe"]["hops"][-1]["drop"]["reason"], "ttl-expired")
        # Routing knows nothing of a link that loses everything: the computed packet is delivered, and no probe is.
        self.link("leaf1-spine1", "loss", "100%")
        self.link("leaf1-spine2", "loss", "100%")
        got = self.probe("h2", "h6")
        last = got["probe"]["hops"][-1]
        self.assertEqual((got["result"], got["probe"]["result"], last["node"], last["drop"]["reason"]),
                         ("delivered", "dropped", "leaf1", "link-fault"))
        self.assertIn("probe: dropped at leaf1 after 0.833 us: link-fault (", self.up.command("trace", "h2", "h6", "--live").out)

    def test_a_host_without_a_link(self):
        self.link("leaf1.swp1", "down")
        self.link("leaf1.swp2", "down")
        self.assertEqual(self.probe("h2", "h6")["probe"]["hops"][-1]["drop"]["reason"], "link-down")

    def test_text(self):
        out = self.up.command("trace", "h2", "h6", "--live").out
        self.assertRegex(out, r"(?m)^node .* link/us  came/us  left/us$")
        self.assertRegex(out, r"(?m)^leaf1 +swp2 +red .* 0\.833 +1\.171$")
        self.assertIn("\nprobe: delivered after 3.341 us\n", out)

    def test_mistakes(self):
        for words, message in ((("h99", "h1"), "h99"), (("h2", "h6", "--size", "70"), "bytes: 70 is too short for a probe: at least 74"),
                               (("h2", "h6", "--size", "20"), "out of range"), (("\x1b[31mh2", "h6"), "31mh2")):
            done = self.up.command("trace", *words, "--live", status=1)
            self.assertIn(message, done.err)
            self.assertNotIn("\x1b", done.err)
        with Client(self.name) as client:
            for params in ({"source": "h2", "destination": "h6", "wait-ms": 0}, {"source": "h2", "destination": "h6", "wait-ms": 60001},
                           {"source": 2, "destination": "h6"}, {"source": "h2"}, {"source": "h2", "destination": "h6", "sport": 1 << 40}):
                self.assertEqual(client.ask("probe", **params)["error"]["code"], -32602, params)


class TwoWorkers(Probe):
    """The same with the nodes on two workers that never sleep."""

    @classmethod
    def description(cls):
        made = super().description()
        made["live"] |= {"workers": 2, "idle": "poll"}
        return made


class Ip6(Probed):
    """All hosts have addresses of both versions; the attached ones stay behind their NICs or at the leaf."""

    @classmethod
    def description(cls):
        made = super().description()
        made["hosts"]["ip"] = [4, 6]
        return made

    def address(self, host):
        """The IPv6 address that `show hosts` has of it."""
        return next(one["address6"] for one in self.up.show("hosts")["hosts"] if one["host"] == host)

    def test_path_and_times_are_as_computed(self):
        for source, destination in (("h2", "h6"), ("h1", "h6"), ("h4", "h7"), ("h2", "h5"), ("h5", "h1")):
            with self.subTest(source=source, destination=destination):
                got = self.probe(source, self.address(destination))
                self.assertEqual((got["probe"]["result"], got["probe"]["as_computed"]), ("delivered", True), got)

    def test_hosts_ignore_it(self):
        listening, heard = self.udp("h5", 4791), self.raw("h5")
        self.probe("h1", self.address("h5"), "--size", 300)
        frames = [one for one in heard.receive_all(1) if one.data[12:14] == b"\x86\xdd"]
        self.assertEqual([len(one.data) for one in frames], [300])
        self.assertEqual(listening.receive(), [])

    def test_drops(self):
        self.assertEqual(self.probe("h2", self.address("h3"))["probe"]["hops"][-1]["drop"]["reason"], "no-route")
        self.assertEqual(self.probe("h2", self.address("h6"), "--ttl", 1)["probe"]["hops"][-1]["drop"]["reason"], "ttl-expired")


class SlowProbe(Probed):
    def slow(self):
        """Packets between the leaves take five seconds of wall time."""
        for spine in ("spine1", "spine2"):
            self.link(f"leaf1-{spine}", "delay", "5ms")

    def captures(self, clients):
        """How many of so many captures are refused."""
        return sum("error" in one.ask("capture", **{"drops": True}) for one in clients)

    def test_in_flight_and_a_killed_client(self):
        self.slow()
        with contextlib.ExitStack() as stack:
            client = stack.enter_context(Client(self.name))
            client.ask("probe", **{"source": "h2", "destination": "h6", "wait-ms": 50})
            got = json.loads(client.file.readline())
            self.assertEqual((got["method"], got["params"]["result"]), ("probe", "in-flight"))
            self.assertEqual([hop["node"] for hop in got["params"]["hops"]], ["h2", "leaf1"])
            # A probe takes the place of a capture until it has been reported, or its client is gone.
            client.ask("probe", **{"source": "h2", "destination": "h6", "wait-ms": 60000})
            others = [stack.enter_context(Client(self.name)) for _ in range(8)]
            self.assertEqual(self.captures(others), 1)
            client.__exit__()
            last = stack.enter_context(Client(self.name))
            wait_until(lambda: self.captures([last]) == 0, "the probe's capture has ended")

    def test_two_at_once(self):
        self.slow()
        with Client(self.name) as one, Client(self.name) as other:
            began = time.monotonic()
            answers = [client.ask("probe", **{"source": source, "destination": to, "sport": 7, "wait-ms": 20000})["result"]
                       for client, source, to in ((one, "h2", "h6"), (other, "h4", "h8"), (one, "h6", "h5"))]
            self.assertEqual(len({answer["probe"] for answer in answers}), 3)
            got = [json.loads(client.file.readline())["params"] for client in (one, one, other)]
            self.assertGreater(time.monotonic() - began, 4)
            by = {report["probe"]: report for report in got}
            for answer, path in zip(answers, (("h2", "h6"), ("h4", "h8"), ("h6", "leaf2"))):
                report = by[answer["probe"]]
                self.assertEqual((report["hops"][0]["node"], report["hops"][-1]["node"], report["result"], report["as_computed"]),
                                 (*path, "delivered", True))


if __name__ == "__main__":
    unittest.main()
