# SPDX-License-Identifier: BSD-3-Clause
"""Cut-through switches: the latency of a packet to the picosecond, where they store it after all, and what must hold
for any fabric that has them."""
import random

from common import *
from ranks import mpirun, unless_sanitized

NS = 10**3
RATES = (10, 25, 40, 50, 100, 200, 400, 800)
FRAMING = 8 + 4     # preamble and FCS
NO_ECN = {"buffer": {"size": "64MB"}, "qos": {"tc": {3: {"ecn": "off"}}}}


def cutting(header=64, **keys):
    return {"preset": "spectrum-x", "routing": {"mode": "ecmp"}, "forwarding": "cut-through",
            "cut-through-header": f"{header}B"} | keys


def chain(switches, links, **sections):
    """h1, switches in a row, h2. `links`: (Gb/s, ns) of each link; `switches`: settings of each."""
    names = ["leaf1", *(f"s{i}" for i in range(1, len(switches) - 1)), "leaf2"][:len(switches)]
    nodes = {"h1": "host"} | {one: "leaf" if one.startswith("leaf") else "spine" for one in names} | {"h2": "host"}
    ends = ["h1.eth1"] + [f"{one}.swp{port}" for one in names for port in (1, 2)] + ["h2.eth1"]
    listed = [{"a": ends[2 * i], "b": ends[2 * i + 1], "rate": f"{rate}G", "delay": f"{delay}ns"}
              for i, (rate, delay) in enumerate(links)]
    return {"fabric": {"topology": {"kind": "explicit", "nodes": nodes, "links": listed}},
            "switch": {"preset": "spectrum-x", "routing": {"mode": "ecmp"}},
            **dict(zip(names, switches))} | sections


def hops(headers, links, latencies):
    """What common.completion() needs to know of the chain. A switch stores a packet that leaves at another rate."""
    path = []
    for i, (rate, delay) in enumerate(links):
        cuts = i < len(headers) and headers[i] and links[i + 1][0] == rate
        latency = latencies[i] if i < len(latencies) else 0
        path.append(Hop(rate * 10**9, (delay + latency) * NS, header=headers[i] if cuts else None))
    return path


class Latency(Alone):
    def test_hops_in_closed_form(self):
        # n switches of one rate: the frame's time once, and of each switch the preamble, its header and the delays.
        # Back the same with the ACK of 62 B, which is as long as 66 B with its FCS.
        for rate, size, header, switches in ((100, 4096, 64, 1), (400, 4096, 64, 3), (800, 1000, 16, 5),
                                             (10, 256, 128, 2), (200, 4096, 1024, 3)):
            with self.subTest(rate=rate, size=size, header=header, switches=switches):
                byte = 8000 // rate
                frame = 14 + 20 + 8 + 12 + 16 + size + 4 + FRAMING
                ack = 62 + FRAMING
                delays = ((switches + 1) * 500 + switches * 300) * NS
                expected = sum((switches * min(8 + header, one) + one) * byte + delays for one in (frame, ack))
                settings = cutting(header, latency="300ns", **NO_ECN)
                self.assertEqual(self.alone(chain([settings] * switches, [(rate, 500)] * (switches + 1),
                                                  workload=[flow("h1", "h2", f"{size}B")])), expected)

    def test_a_short_frame_is_taken_as_a_whole(self):
        # 1 B of data: 82 B with FCS, less than the header.
        byte = 80
        expected = 3 * (78 + FRAMING) * byte + 3 * (62 + FRAMING) * byte + 6 * 500 * NS
        self.assertEqual(self.alone(chain([cutting(100)] * 2, [(100, 500)] * 3,
                                          workload=[flow("h1", "h2", "1B")])), expected)

    def test_mixtures(self):
        # Any switch may store, links have any rates: where a rate changes the packet is stored.
        draw = random.Random(17)
        stored = cut = 0
        for number in range(120 if FULL else 16):
            count = draw.randrange(1, 5)
            rates = draw.sample(RATES, 2)
            links = [(draw.choice(rates), draw.randrange(1, 2000)) for _ in range(count + 1)]
            headers = [draw.choice((None, 16, 64, 100, 300, 1024)) for _ in range(count)]
            latencies = [draw.choice((0, 250, 700)) for _ in range(count)]
            size, path_mtu = draw.randrange(1, 10**draw.randrange(1, 6)), draw.choice((256, 1024, 4096))
            ack_every, op = draw.choice((1, 3)), draw.choice(("write", "send", "read"))
            settings = [(cutting(header, **NO_ECN) if header else NO_ECN) | {"latency": f"{latency}ns"}
                        for header, latency in zip(headers, latencies)]
            with self.subTest(number=number, links=links, headers=headers, latencies=latencies, size=size,
                              path_mtu=path_mtu, ack_every=ack_every, op=op):
                got = self.alone(chain(settings, links, hosts={"path-mtu": path_mtu, "ack-every": ack_every},
                                       workload=[flow("h1", "h2", f"{size}B", op=op)]))
                there = hops(headers, links, latencies)
                back = hops(headers[::-1], links[::-1], latencies[::-1])
                self.assertEqual(got, completion(size, there, back=back, path_mtu=path_mtu, ack_every=ack_every, op=op))
            changes = [a[0] != b[0] for a, b in zip(links, links[1:])]
            stored += any(header and change for header, change in zip(headers, changes))
            cut += any(header and not change for header, change in zip(headers, changes))
        self.assertTrue(stored and cut)

    def test_in_a_tunnel(self):
        # The second leaf takes the outer headers off and stores the packet for that.
        link = 100 * 10**9
        path = [Hop(link, 10**6, header=64), Hop(link, 10**6, 50, header=64), Hop(link, 10**6, 50), Hop(link, 10**6)]
        for size in (1, 4096, 300_001):
            with self.subTest(size=size):
                description = fabric(2, 1, 1, switch=cutting(**NO_ECN), host_link={"rate": "100G", "delay": "1us"},
                                     fabric_link={"rate": "100G", "delay": "1us"},
                                     tenants={"red": {"hosts": ["h1", "h2"], "vni": 5}},
                                     workload=[flow("h1", "h2", f"{size}B")])
                self.assertEqual(self.alone(description), completion(size, path, back=path))

    def test_infiniband(self):
        # As at Ethernet switches, also where the spine stores and forwards.
        for spine in (64, None):
            with self.subTest(spine=spine):
                description = fabric(2, 1, 1, workload=[flow("h1", "h2", "100KB")], switch={
                    "preset": "lossy", "buffer": {"size": "64MB"}, "forwarding": "cut-through"})
                description["fabric"]["link-layer"] = "infiniband"
                if spine is None:
                    description["spine"] = {"forwarding": "store-and-forward"}
                path = [Hop(100 * 10**9, 500 * NS, header=header) for header in (64, spine, 64, None)]
                back = [Hop(100 * 10**9, 500 * NS, header=header) for header in (64, spine, 64, None)]
                self.assertEqual(self.alone(description), completion(100_000, path, back=back, ip=INFINIBAND,
                                                                     framing=INFINIBAND_FRAMING))

    def test_trace(self):
        # An idle fabric: what `roost trace` computes is what a flow of one packet needs one way.
        links = [(100, 500), (100, 300), (400, 700)]
        description = chain([cutting(), cutting(200)], links)
        out = roost("trace", "h1", "h2", self.file(description), "--size", "4170", "-o", "json").json
        path = hops((64, 200), links, (0, 0))
        self.assertEqual(out["time_ps"], send_along(path, [0] * 3, 4170, 0, (8, 4, 12)))


class Streams(Case):
    def test_back_to_back(self):
        # 100 frames of 1000 B at line rate: no queue, and all but the headers in the path cut through.
        sim = self.sim(chain([cutting()] * 2, [(100, 500)] * 3, workload=[
            {"kind": "stream", "from": "h1", "to": "h2", "rate": "100G", "packet": "1000B", "until": "8us"}]))
        sim.assert_conserved()
        for name in ("leaf1", "leaf2"):
            port = sim.nodes[name]["ports"]["swp1"]
            self.assertEqual(port["cut_through"], port["rx_packets"])
            self.assertGreater(port["rx_packets"], 90)
            queues = sim.nodes[name]["ports"]["swp2"]["queue"]
            self.assertEqual(max(queue["depth_max"] for queue in queues), 6 * 192)   # a frame, in cells

    def test_rates_that_differ_store(self):
        for rates in ((100, 400), (400, 100)):
            sim = self.sim(chain([cutting()] * 2, [(rates[0], 500), (rates[1], 500), (rates[1], 500)], workload=[
                flow("h1", "h2", "100KB")]))
            sim.assert_conserved()
            self.assertEqual(sim.nodes["leaf1"]["ports"]["swp1"].get("cut_through", 0), 0)
            self.assertEqual(sim.nodes["leaf2"]["ports"]["swp1"]["cut_through"],
                             sim.nodes["leaf2"]["ports"]["swp1"]["rx_packets"])


class Faults(Case):
    def test_a_wrong_fcs_passes_and_is_dropped_where_it_is_stored(self):
        # All frames behind 20 us are corrupted on the first link.
        for last, drops_at in ((cutting(), "h2"), ({}, "leaf2")):
            with self.subTest(drops_at=drops_at):
                sim = self.sim(chain([cutting(), last], [(100, 500)] * 3, stop="60us", workload=[
                    {"kind": "stream", "from": "h1", "to": "h2", "rate": "40G", "packet": "1000B", "until": "50us"}],
                    events=[{"at": "20us", "link": "h1-leaf1", "corrupt": "100%"}]))
                sim.assert_conserved()
                passed = sim.nodes["leaf1"]["ports"]["swp1"]["bad_fcs_forwarded"]
                self.assertGreater(passed, 100)
                self.assertEqual(sim.drops, {"bad-fcs": passed})
                port = next(iter(sim.nodes[drops_at]["ports"].values()))
                self.assertEqual(port["drops"]["bad-fcs"], passed)

    def test_a_stored_packet_with_a_wrong_fcs_goes_no_further(self):
        sim = self.sim(chain([cutting(), cutting()], [(100, 500), (400, 500), (400, 500)], stop="60us", workload=[
            {"kind": "stream", "from": "h1", "to": "h2", "rate": "40G", "packet": "1000B", "until": "50us"}],
            events=[{"at": "20us", "link": "h1-leaf1", "corrupt": "100%"}]))
        sim.assert_conserved()
        port = sim.nodes["leaf1"]["ports"]["swp1"]
        self.assertGreater(port["drops"]["bad-fcs"], 100)
        self.assertEqual(sim.drops, {"bad-fcs": port["drops"]["bad-fcs"]})

    def test_a_link_that_becomes_faster_or_nearer(self):
        # Frames on their way were sent at the old rate: no switch sends them faster than they come.
        sim = self.sim(chain([cutting()] * 2, [(25, 2000)] * 3, workload=[flow("h1", "h2", "300KB")], events=[
            {"at": f"{at}us", "link": link, "rate": rate, "for": "5us"}
            for at, link, rate in ((20, "h1-leaf1", "100G"), (21, "leaf1-leaf2", "100G"), (40, "leaf2-h2", "10G"))] + [
            {"at": f"{at}us", "link": "h1-leaf1", "delay": delay} for at, delay in ((60, "100ns"), (70, "1us"))]))
        sim.assert_conserved()
        self.assertEqual(sim.summary["completed"], 1)
        self.assertEqual(sim.drops, {})


class Anything(Case):
    def sample(self, seed):
        draw = random.Random(f"cut {seed}")
        leaves, spines, per_leaf = draw.choice(((1, 0, 5), (2, 2, 3), (3, 2, 2)))
        hosts = [f"h{i + 1}" for i in range(leaves * per_leaf)]
        rate = draw.choice((25, 100, 400))
        full = draw.random() < 0.5      # what needs the full pipeline
        switch = cutting(draw.choice((16, 64, 200)), latency=draw.choice(("0ns", "400ns")),
                         buffer={"size": "3MB"}, qos={"tc": {3: {"max-rate": "20G"}}} if full else {},
                         routing={"mode": draw.choice(("ecmp", "spray", "adaptive", "flowlet"))})
        sections = {"spine": {"forwarding": draw.choice(("cut-through", "store-and-forward"))}} if spines else {}
        if draw.random() < 0.3:
            sections["tenants"] = {"red": {"hosts": hosts, "vni": 5}}
        links = [{"rate": f"{draw.choice((rate, rate, 50))}G", "delay": f"{draw.randrange(100, 900)}ns"} for _ in range(2)]
        events = [{"at": "15us", "link": "h1-leaf1", "corrupt": "5%", "for": "20us"},
                  {"at": "18us", "link": "h2-leaf1", "state": "down", "for": "9us"},
                  {"at": "22us", "set": "switch.qos.tc.3.ecn.min", "to": "40KB"}]
        return fabric(leaves, spines, per_leaf, seed=seed, switch=switch, host_link=links[0], fabric_link=links[1],
                      hosts={"placement": "out-of-order", "rto": "100us"}, stop="20ms", events=events, **sections,
                      workload=[{"kind": "permutation", "size": "60KB"},
                                {"kind": "incast", "to": hosts[0], "from": hosts[1:5], "size": "90KB", "at": "10us"}])

    def test_conservation_and_determinism(self):
        for seed in range(40 if FULL else 6):
            with self.subTest(seed=seed):
                description = self.sample(seed)
                sim = self.sim(description)
                assert_balanced(sim.nodes)
                self.assertEqual(sim.summary["completed"], sim.summary["flows"])
                self.assertGreater(sum(port.get("cut_through", 0) for node in sim.nodes.values()
                                       for port in node["ports"].values()), 0)
                for options in (("--window", "100ns"), ("--visit", "3"), ("-j", "2")):
                    self.assertEqual(self.sim(description, *options).digest, sim.digest, options)

    @unless_sanitized
    def test_ranks(self):
        sample = self.sample(1)
        self.assertGreater(sample["fabric"]["topology"]["leaves"], 1)
        done = mpirun(2, "sim", self.file(sample))
        self.assertIn(f"digest {self.sim(sample).digest}\n", done.out)


if __name__ == "__main__":
    unittest.main()
