# SPDX-License-Identifier: BSD-3-Clause
"""The time of one flow alone, to the picosecond, against arithmetic and against a recurrence that
carries each packet over each link."""
import itertools
import random

from common import *

US = 10**6
NS = 10**3
ECMP = {"preset": "spectrum-x", "routing": {"mode": "ecmp"}}
NS3 = {"header-bytes": "48B", "ack-bytes": "60B", "path-mtu": 1000}
NO_FRAMING = {"preamble": "0B", "fcs": "0B", "gap": "0B"}
LINK = {"rate": "100G", "delay": "1us"}


class Ideal(Alone):
    def test_real_sizes_through_one_leaf(self):
        # 4096 B: 14 + 20 + 8 + 12 + 16 (RETH) + 4096 + 4 = 4170 B, with preamble and FCS 4182 B on the
        # wire: 334.56 ns a link at 100G; the ACK, 62 + 12 B, 5.92 ns. 2 links of 1 us there and back:
        # 2 x 334.56 + 2 x 5.92 + 4 x 1000 = 4680.96 ns.
        self.assertEqual(self.alone(fabric(1, 0, 2, switch=ECMP, host_link=LINK,
                                           workload=[flow("h1", "h2", "4096B")])), 4_680_960)

    def test_real_sizes_through_leaf_spine_leaf(self):
        # 1,000,000 B: 244 packets of 4096 B and one of 576 B; of the wire the first takes 4194 B, the other
        # full ones 4178 B. No link is idle once the first frame is on it, so the last begins on the fourth
        # link when the first has come there, 3 x (334.56 + 1000), and all before it have gone,
        # (4194 + 243 x 4178) x 0.08. It takes 646 B x 0.08 + 1000, the ACK 4 x 1005.92:
        # 4003.68 + 81555.84 + 1051.68 + 4023.68 = 90634.88 ns.
        self.assertEqual(self.alone(fabric(2, 1, 1, switch=ECMP, host_link=LINK, fabric_link=LINK,
                                           workload=[flow("h1", "h2", "1000000B")])), 90_634_880)

    def test_sizes_of_the_ns3_simulators(self):
        # No preamble, FCS or gap: a byte is 80 ps. Packets of 1048 B, ACKs of 60 B: 4.8 ns a link.
        # One leaf, 4490 B: the first is on the second link after 83.84 + 1000, then 4 x 83.84 + 43.04 + 1000,
        # and back 2 x 1004.8: 4471.84 ns.
        for size, spines, expected in ((4490, 0, 4_471_840), (4490, 1, 8_649_120), (1, 1, 8_034_880),
                                       (1_000_000, 1, 92_110_720)):
            with self.subTest(size=size, spines=spines):
                shape = (2, 1, 1) if spines else (1, 0, 2)
                self.assertEqual(self.alone(fabric(*shape, switch=ECMP, hosts=NS3, framing=NO_FRAMING,
                                                   host_link=LINK, fabric_link=LINK,
                                                   workload=[flow("h1", "h2", f"{size}B")])), expected)

    def test_encapsulated_between_switches(self):
        # 4096 B through leaf, spine, leaf in VXLAN over IPv4: 50 B more of the data and of the ACK on two of
        # four links. 2 x 4182 + 2 x 4232 there and 2 x 74 + 2 x 124 back at 80 ps, and 8 x 1 us.
        self.assertEqual(completion(4096, [Hop(100 * 10**9, US, encap) for encap in (0, 50, 50, 0)]), 9_377_920)
        for underlay, ip, (keys, encap) in itertools.product(
                (4, 6), (4, 6), (("vni: 5", None), ("vlan: 7", 4), ("encap: plain", 0),
                                 ("vni: 5, dscp: pipe, addresses: {h3: [172.16.0.2, \"fd01::2\"]}", None))):
            encap = {4: 50, 6: 70}[underlay] if encap is None else encap
            path = [Hop(100 * 10**9, US, bytes_) for bytes_ in (0, encap, encap, 0)]
            for size in (1, 4096, 300_001):
                with self.subTest(underlay=underlay, ip=ip, keys=keys, size=size):
                    found = self.alone("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"
                                       f"  underlay: {underlay}\n  links: {{host: {{rate: 100G, delay: 1us}}, fabric: "
                                       "{rate: 100G, delay: 1us}}\nswitch: {preset: spectrum-x, routing: {mode: ecmp}}\n"
                                       f"hosts: {{ip: {ip}}}\ntenants: {{red: {{hosts: [h1, h3, h4], {keys}}}}}\n"
                                       f"workload: [{{kind: flow, from: h1, to: h3, size: {size}B}}]\n")
                    self.assertEqual(found, completion(size, path, ip=ip))

    def test_encapsulated_nowhere_below_one_leaf(self):
        # Nothing crosses a link between switches.
        found = self.alone("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"
                           "  links: {host: {rate: 100G, delay: 1us}}\nswitch: {preset: spectrum-x}\n"
                           "tenants: {red: {hosts: [h1, h2], vni: 5}}\n"
                           "workload: [{kind: flow, from: h1, to: h2, size: 4096B}]\n")
        self.assertEqual(found, 4_680_960)

    def test_leaked_and_above_pods(self):
        # Between tenants that exchange routes, each way in the encapsulation of the destination's VRF: h1's data in
        # VXLAN, its ACKs with a tag. Through super-spines: four links between switches.
        host, far = Hop(100 * 10**9, US), [Hop(100 * 10**9, US, 50)] * 4
        back = [Hop(100 * 10**9, US, 4)] * 4
        found = self.alone("fabric:\n  topology: {kind: clos3, pods: 2, leaves: 1, spines: 1, super-spines: 1, hosts-per-leaf: 2}\n"
                           "  links: {host: {rate: 100G, delay: 1us}, fabric: {rate: 100G, delay: 1us}}\n"
                           "switch: {preset: spectrum-x}\n"
                           "tenants: {red: {hosts: [h1], vlan: 9, leak: [blue]}, blue: {hosts: [h3], vni: 5}}\n"
                           "workload: [{kind: flow, from: h1, to: h3, size: 50000B}]\n")
        self.assertEqual(found, completion(50_000, [host, *far, host], back=[host, *back, host]))

    def test_the_recurrence_knows_the_same_answers(self):
        # What the tests below compare with is checked by the published numbers first.
        link = Hop(100 * 10**9, US)
        self.assertEqual(completion(4096, [link] * 2), 4_680_960)
        self.assertEqual(completion(1_000_000, [link] * 4), 90_634_880)
        ns3 = {"path_mtu": 1000, "header_bytes": 48, "ack_bytes": 60, "framing": (0, 0, 0)}
        self.assertEqual([completion(size, [link] * hops, **ns3)
                          for size, hops in ((4490, 2), (4490, 4), (1, 4), (1_000_000, 4))],
                         [4_471_840, 8_649_120, 8_034_880, 92_110_720])

    def test_random_flows(self):
        # Rates whose byte takes whole picoseconds: exact. Buffers are large and ECN is off, so that a
        # slow link behind a fast one neither pauses nor makes CNPs.
        draw = random.Random(31)
        for number in range(100 if FULL else 24):
            rates = [draw.choice((10, 25, 40, 50, 100, 200, 400, 800)) for _ in range(2)]
            delays = [draw.randrange(1, 3000) for _ in range(2)]
            size, ip = draw.randrange(1, 10**draw.randrange(1, 6)), draw.choice((4, 6))
            path_mtu, ack_every = draw.choice((256, 512, 1024, 2048, 4096, 1000, 1500)), draw.choice((1, 1, 2, 7, 16))
            local, latency = draw.random() < .3, draw.choice((0, 0, 250, 1000))
            framing = draw.choice(((8, 4, 12), (0, 0, 0), (7, 1, 5)))
            with self.subTest(number=number, rates=rates, delays=delays, size=size, ip=ip, path_mtu=path_mtu,
                              ack_every=ack_every, local=local, latency=latency, framing=framing):
                host, inner = (Hop(rate * 10**9, delay * NS) for rate, delay in zip(rates, delays))
                into = [Hop(rates[0] * 10**9, (delays[0] + latency) * NS),
                        Hop(rates[1] * 10**9, (delays[1] + latency) * NS)]
                path = [into[0], host] if local else [into[0], into[1], into[1], host]
                got = self.alone(fabric(
                    1 if local else 2, 0 if local else 1, 2 if local else 1, framing=dict(zip(
                        ("preamble", "fcs", "gap"), (f"{one}B" for one in framing))),
                    host_link={"rate": f"{rates[0]}G", "delay": f"{delays[0]}ns"},
                    fabric_link={"rate": f"{rates[1]}G", "delay": f"{delays[1]}ns"},
                    switch=ECMP | {"latency": f"{latency}ns", "buffer": {"size": "64MB"},
                                   "qos": {"tc": {3: {"ecn": "off"}}}},
                    hosts={"ip": ip, "path-mtu": path_mtu, "ack-every": ack_every},
                    workload=[flow("h1", "h2", f"{size}B", at=f"{number}us")]))
                self.assertEqual(got, completion(size, path, path_mtu=path_mtu, ip=ip, ack_every=ack_every,
                                                 framing=framing, back=path))

    def test_a_chain_of_unlike_links(self):
        # Explicit topology, each link of its own rate and delay; the ACKs go back over the same ones.
        links = [(400, 300), (25, 1200), (100, 50), (40, 777), (800, 1)]
        nodes = {"h1": "host", "leaf1": "leaf", "s1": "spine", "s2": "spine", "leaf2": "leaf", "h2": "host"}
        ends = ["h1.eth1", "leaf1.swp1", "leaf1.swp2", "s1.swp1", "s1.swp2", "s2.swp1", "s2.swp2", "leaf2.swp1",
                "leaf2.swp2", "h2.eth1"]
        listed = [{"a": ends[2 * i], "b": ends[2 * i + 1], "rate": f"{rate}G", "delay": f"{delay}ns"}
                  for i, (rate, delay) in enumerate(links)]
        for size in (1, 4096, 4097, 77_777):
            with self.subTest(size=size):
                got = self.alone({
                    "fabric": {"topology": {"kind": "explicit", "nodes": nodes, "links": listed}},
                    "switch": ECMP | {"buffer": {"size": "64MB"}, "qos": {"tc": {3: {"ecn": "off"}}}},
                    "workload": [flow("h1", "h2", f"{size}B")]})
                self.assertEqual(got, completion(size, [Hop(rate * 10**9, delay * NS) for rate, delay in links]))

    def test_rates_of_broken_picoseconds(self):
        # 30G: 266.67 ps a byte. Each frame's time may be cut to whole picoseconds, no more.
        for rate in (30, 56, 70):
            with self.subTest(rate=rate):
                got = self.alone(fabric(1, 0, 2, switch=ECMP, host_link={"rate": f"{rate}G", "delay": "1us"},
                                        workload=[flow("h1", "h2", "100000B")]))
                exact = completion(100_000, [Hop(rate * 10**9, US)] * 2)
                self.assertLess(abs(got - exact), 2 * (25 + 1) + 2, f"{got} {float(exact)}")

    def test_cable_is_delay(self):
        # 198 m at 198,000,000 m/s take 1 us.
        self.assertEqual(self.alone(fabric(1, 0, 2, switch=ECMP, host_link={"rate": "100G", "cable": "198m"},
                                           workload=[flow("h1", "h2", "4096B")])), 4_680_960)

    def test_without_acknowledgements_in_the_way(self):
        # Two flows in opposite directions: data of each meet the ACKs of the other, so both are slower
        # than alone, by at most the ACKs' own wire time (25 x 86 B x 80 ps) and one data frame's turn.
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, host_link=LINK,
                              workload=[flow("h1", "h2", "100000B"), flow("h2", "h1", "100000B")]))
        alone = completion(100_000, [Hop(100 * 10**9, US)] * 2)
        for one in sim.flows:
            self.assertEqual(one["ideal_ps"], alone)
            self.assertGreater(one["fct_ps"], alone)
            self.assertLess(one["fct_ps"], alone + 25 * 86 * 80 + 2 * 4194 * 80)


if __name__ == "__main__":
    unittest.main()
