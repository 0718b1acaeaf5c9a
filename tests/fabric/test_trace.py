# SPDX-License-Identifier: BSD-3-Clause
"""`roost trace`: what it says of a packet is what becomes of that packet.

Fabrics are drawn at random: ways to choose paths, tenants with and without encapsulation, links that are down with routes
that follow or not, MTUs, TTLs. Single packets are sent, one after the other. Each is traced in the fabric as it stands a
moment before, and the trace is compared with the ports that the packet has passed, with the drop and its reason, and with
the time that it took.
"""
import json
import random

from roost import read_pcapng
from common import *
from sample import Sample, us

FABRICS = 60 if FULL else 30 if SANITIZED else 50
FLOWS = 20
FIRST_US, EVERY_US = 100, 20
MODES = ("ecmp", "ecmp", "ecmp-qp", "adaptive", "spray", "random", "flowlet")


class Traced(Sample):
    """The fabric of a seed, with FLOWS packets alone."""

    def __init__(self, seed):
        super().__init__(f"trace {seed}")
        draw = self.draw
        self.packets = []
        for number in range(FLOWS):
            src, dst = draw.sample(self.hosts, 2)
            self.packets.append({"from": src, "to": dst, "bytes": draw.choice((60, 300, 777, 1400, 1514, 4000)),
                                 "ttl": draw.choice((1, 2, 3, 4, 64, 64, 64)), "priority": draw.choice((0, 3)),
                                 "at": FIRST_US + number * EVERY_US})
        self.mtu = draw.choice((1500, 4200, 4200))

    def ports(self):
        """All ports."""
        leaves, spines, down = range(1, self.leaves + 1), range(1, self.spines + 1), self.per_leaf
        return [f"{host}.eth1" for host in self.hosts] + \
            [f"leaf{leaf}.swp{port}" for leaf in leaves for port in range(1, down + self.spines + 1)] + \
            [f"spine{spine}.swp{leaf}" for spine in spines for leaf in leaves]

    def description(self):
        draw = self.draw
        work = [{"kind": "stream", "from": one["from"], "to": one["to"], "rate": "1G", "packet": f"{one['bytes']}B",
                 "ttl": one["ttl"], "priority": one["priority"], "at": f"{one['at']}us", "until": f"{one['at'] * 1000 + 1}ns"}
                for one in self.packets]
        events = []
        for link in draw.sample(self.links(), draw.randrange(3)):
            events.append({"at": us(draw.choice((1, 50, 205))), "link": link, "state": "down"})
        if self.tenants:    # tenants that change let packets between any two be sent
            events.append({"at": "900us", "set": "tenants.red.hosts", "to": self.tenants["red"][:1]})
        switch = self.switch()
        self.mode = draw.choice(MODES)
        switch["routing"] |= {"mode": self.mode, "convergence": draw.choice(("0us", "5us", "1ms")),
                              "eligible": {"udp-dport": "any"}}
        switch["icmp"] = "off"
        links = {"rate": "100G", "delay": "500ns"}
        made = fabric(self.leaves, self.spines, self.per_leaf, switch=switch, mtu=4200,
                      host_link={"rate": draw.choice(("50G", "100G")), "delay": draw.choice(("30ns", "500ns"))},
                      fabric_link=links | ({"mtu": self.mtu} if self.spines else {}), workload=work, events=events,
                      record={"pcap": self.ports()}, stop="1ms", seed=draw.randrange(1000))
        if self.tenants:
            made["tenants"] = self.tenant_section()
        return made


class Trace(Case):
    def trace(self, *words, **options):
        return json.loads(roost("trace", *words, "-o", "json", **options).out)

    def capture(self, sim):
        """{port: packets} of all ports."""
        return {path.name.removesuffix(".pcapng"): read_pcapng(path) for path in sim.directory.glob("*.pcapng")}

    def seen(self, captures, one):
        """{port: the packet} of the ports that it has come by."""
        begin = one["at"] * 1000
        found = {}
        for port, packets in captures.items():
            for packet in packets:
                if begin <= packet.ns < begin + EVERY_US * 1000:
                    found[port] = packet
        return found

    def compare(self, captures, one, drops, mode):
        """How the packet ends; its drop is added to `drops`."""
        seen = self.seen(captures, one)
        first = seen.get(f"{one['from']}.eth1")
        # A packet that its own host's link does not take is nowhere: any one of the host shows that.
        marks = ["--sport", str(int.from_bytes(first.data[34:36], "big")), "--dscp", str(first.data[15] >> 2)] if first else []
        got = self.trace(one["from"], one["to"], self.directory / "test.yaml", "--at", f"{one['at'] - 1}us", "--dport", "9",
                         *marks, "--size", str(one["bytes"]), "--ttl", str(one["ttl"]))
        hops = got["hops"]
        self.choices.update((mode, hop["choice"]) for hop in hops if "choice" in hop)
        ports = {f"{hop['node']}.{hop[side]}" for hop in hops for side in ("in", "out")
                 if side in hop and hop.get("drop", {}).get("reason") != "link-down"}
        self.assertEqual(ports, set(seen), got)
        ends = [hop["drop"]["reason"] for hop in hops if "drop" in hop]
        self.assertEqual(got["result"], "dropped" if ends else "delivered", got)
        if ends:
            drops[hops[-1]["node"], ends[0]] += 1
            return ends[0]
        took = seen[f"{one['to']}.eth1"].ns - first.ns + hops[0]["serialization_ps"] / 1000
        self.assertAlmostEqual(got["time_ps"] / 1000, took, delta=1.5)
        self.assertIn(one["to"], got["paths"]["hops"][-1])
        return "delivered"

    def drops_of(self, sim):
        return collections.Counter({(name, reason): sum(port["drops"].get(reason, 0) for port in node["ports"].values())
                                    for name, node in sim.nodes.items() for port in node["ports"].values()
                                    for reason in port["drops"]})

    def test_it_is_what_packets_do(self):
        ends, self.choices = collections.Counter(), collections.Counter()
        for seed in range(FABRICS):
            sample = Traced(seed)
            sim = self.sim(sample.description())
            captures, drops = self.capture(sim), collections.Counter()
            for number, one in enumerate(sample.packets):
                with self.subTest(seed=seed, packet=number):
                    ends[self.compare(captures, one, drops, sample.mode)] += 1
            self.assertEqual(+drops, +self.drops_of(sim), seed)
        # All kinds of ends and choices are among them.
        self.assertGreater(ends["delivered"], FABRICS * FLOWS / 3, ends)
        for reason in ("no-route", "ttl-expired", "mtu-exceeded", "no-next-hop", "link-down"):
            self.assertGreater(ends[reason], 0, ends)
        for mode in MODES:
            self.assertGreater(self.choices[mode, "hash" if mode.startswith("ecmp") else "state"], 0, self.choices)

    def test_a_packet_in_an_idle_fabric(self):
        """50G to the leaf, 100G between switches; latency 300 ns."""
        path = self.file(fabric(2, 2, 2, switch={"preset": "spectrum-x", "latency": "300ns", "routing": {"mode": "ecmp"}},
                                host_link={"rate": "50G", "delay": "30ns"}, fabric_link={"rate": "100G", "delay": "500ns"}))
        got = self.trace("h1", "h4", path, "--size", "1000", "--sport", "7", "--queue-pair", "9")
        self.assertEqual(got["packet"], {"host": "h1", "nic": "eth1", "source": "10.0.1.1", "destination": "10.0.2.2", "to": "h4",
                                         "protocol": "udp", "sport": 7, "dport": 4791, "dscp": 26, "ttl": 64, "bytes": 1000,
                                         "queue_pair": 9})
        self.assertEqual((got["at_ps"], got["result"]), (0, "delivered"))
        # A frame of 1000 B is 1012 with preamble and FCS.
        self.assertEqual([(hop["node"], hop["wait_ps"], hop["serialization_ps"], hop["link_ps"]) for hop in got["hops"][:-1]],
                         [("h1", 0, 1012 * 160, 330_000), ("leaf1", 0, 1012 * 80, 800_000),
                          (got["hops"][2]["node"], 0, 1012 * 80, 800_000), ("leaf2", 0, 1012 * 160, 30_000)])
        self.assertEqual(got["time_ps"], 1012 * (160 + 80 + 80 + 160) + 1_960_000)
        leaf = got["hops"][1]
        self.assertEqual((leaf["in"], leaf["vrf"], leaf["priority"], leaf["group"], leaf["queue"]), ("swp1", "default", 3, 3, 3))
        self.assertEqual((leaf["route"], leaf["choice"]), ({"prefix": "10.0.2.0/24", "mode": "ecmp"}, "hash"))
        # The upper half of the hash goes by the second member, the lower one by the first.
        by = leaf["members"][leaf["hash"] >> 31]
        self.assertEqual(by, {"port": leaf["out"], "to": leaf["to"], "weight": 1, "up": True, "paused": False,
                              "depth_bytes": 0, "chosen": True})
        self.assertEqual(leaf["to"], f"{got['hops'][2]['node']}.swp1")
        self.assertEqual(leaf["ecn"] | {"probability": 0}, leaf["ecn"])
        self.assertEqual(got["paths"], {"count": 2, "dropped": 0, "loops": False,
                                        "hops": [["h1"], ["leaf1"], ["spine1", "spine2"], ["leaf2"], ["h4"]]})

    def test_a_full_queue(self):
        """Eight senders at once: a moment later the queue of their receiver is above the threshold of ECN."""
        senders = [f"h{number}" for number in range(2, 10)]
        sim = self.sim(fabric(1, 0, 10, switch={"preset": "spectrum-x", "buffer": {"size": "64MB"}},
                              workload=[{"kind": "incast", "from": senders, "to": "h1", "size": "1MB"}], stop="20us"))
        path = self.directory / "test.yaml"
        got = self.trace("h10", "h1", path, "--at", "20us")
        port = sim.nodes["leaf1"]["ports"]["swp1"]
        hop = got["hops"][1]
        self.assertEqual((hop["out"], hop["depth_bytes"], hop["ecn"]["probability"]), ("swp1", port["queue"][3]["depth"], 1))
        # All of it goes first, and what is left of the frame that is being sent.
        left = hop["wait_ps"] - 80 * hop["depth_bytes"]
        self.assertTrue(0 <= left <= 80 * (4154 + 24), hop)
        self.assertRegex(roost("trace", "h10", "h1", path, "--at", "20us").out, r"(?m)^leaf1 .* MB, marked .*")

    def test_all_paths(self):
        clos = fabric(switch={"preset": "spectrum-x"})
        clos["fabric"]["topology"] = {"kind": "clos3", "pods": 2, "leaves": 2, "spines": 2, "super-spines": 4, "hosts-per-leaf": 2}
        for dst, count, hops in (("h2", 1, 3), ("h3", 2, 5), ("h5", 4, 7)):
            paths = self.trace("h1", dst, self.file(clos))["paths"]
            self.assertEqual((paths["count"], paths["dropped"], len(paths["hops"])), (count, 0, hops))

    def test_text(self):
        path = self.file(fabric(2, 1, 2, tenants={"red": {"hosts": ["h1", "h3"], "vni": 7}}))
        done = roost("trace", "h1", "h3", path)
        self.assertRegex(done.out, r"(?m)^leaf1 +swp1 +red +3 +10.0.2.1/32, vxlan vni 7 to 172.16.0.2 +ecmp +swp3 +3 +0 B ")
        self.assertIn("\n1 possible path: h1 > leaf1 > spine1 > leaf2 > h3\n", done.out)
        done = roost("trace", "10.0.1.1", "h4", path)
        self.assertIn("dropped at leaf1: no-route (h1 is in VRF red, h4 in VRF rest, and the two are not joined)\n", done.out)

    def test_refusals(self):
        path = self.file(fabric(1, 0, 2))
        for words, message in ((("h9", "h1"), "there is no host h9"), (("10.9.9.9", "h1"), "10.9.9.9: no host has this address"),
                               (("10.0.1.1", "fd00::1:2"), "10.0.1.1 and fd00::1:2 are of different IP versions"),
                               (("h1", "02:00:0a:00:01:02"), "02:00:0a:00:01:02: a MAC has no route: name the host"),
                               (("h1", "h2", "--tenant", "red"), "red: no such tenant"),
                               (("h1", "h2", "--size", "20"), "bytes: 20 is out of range: 58 to 16000"),
                               (("h1", "h2", "--dscp", "3", "--priority", "3"), "dscp and priority: give one of them")):
            self.assertIn(message, roost("trace", *words, path, status=2).err)
        single = self.file({"switch": {"name": "dut", "ports": {"swp1": {}}}}, "single.yaml")
        self.assertNotEqual(roost("trace", "h1", "h2", single, status=2).err, "")
        self.assertIn("--at needs FILE: it is a time in the run of that file", roost("trace", "h1", "h2", "--at", "1us", status=2).err)


if __name__ == "__main__":
    unittest.main()
