# SPDX-License-Identifier: BSD-3-Clause
"""InfiniBand fabrics: times of flows by closed form, partitions, failures, and that order does not matter."""
import itertools
import json

from common import *
from ranks import mpirun, unless_sanitized

NS, US = 1000, 1000_000
LINK = Hop(100 * 10**9, 500 * NS)
LOSSY = {"preset": "lossy", "buffer": {"size": "64MB"}}


def subnet(leaves=2, spines=2, hosts_per_leaf=2, *, switch=None, subnet=None, **more):
    """As fabric(), of InfiniBand."""
    out = fabric(leaves, spines, hosts_per_leaf, switch=switch or LOSSY, **more)
    out["fabric"]["link-layer"] = "infiniband"
    return out | ({"subnet": subnet} if subnet else {})


def alone(size, op="write", hops=4, **more):
    return completion(size, [LINK] * hops, ip=INFINIBAND, framing=INFINIBAND_FRAMING, op=op, **more)


class Times(Case):
    def test_one_packet(self):
        """A WRITE of 4096 B is 8 + 12 + 16 + 4096 + 4 bytes between a delimiter and VCRC: 4139 B of 80 ps a link, its
        ACK 8 + 12 + 4 + 4 + 3 = 31; each way 4 links of 500 ns."""
        sim = self.sim(subnet(workload=[flow("h1", "h3", "4096B")]))
        self.assertEqual(sim.flows[0]["fct_ps"], 4 * 80 * (4139 + 31) + 8 * 500 * NS)
        self.assertEqual(alone(4096), sim.flows[0]["fct_ps"])

    def test_flows(self):
        for op, mtu, size in itertools.product(("write", "send", "read"), (256, 4096), (1, 100_000)):
            with self.subTest(op=op, mtu=mtu, size=size):
                sim = self.sim(subnet(workload=[flow("h1", "h4", f"{size}B", op=op)], hosts={"path-mtu": mtu}))
                self.assertEqual(sim.flows[0]["fct_ps"], alone(size, op, path_mtu=mtu))
                self.assertEqual(sim.flows[0]["fct_ps"], sim.flows[0]["ideal_ps"])

    def test_framing_of_the_file(self):
        sim = self.sim(subnet(workload=[flow("h1", "h2", "100KB")],
                              framing={"preamble": "2B", "fcs": "6B", "gap": "9B"}))
        self.assertEqual(sim.flows[0]["fct_ps"],
                         completion(100_000, [LINK] * 2, ip=INFINIBAND, framing=(2, 6, 9)))


class Traffic(Case):
    def test_collectives(self):
        for kind in ("all-reduce", "all-to-all", "all-gather"):
            sim = self.sim(subnet(2, 2, 4, workload=[{"kind": kind, "size": "1MB"}]))
            assert_complete(self, sim)
            assert_drained(sim, 2, 2, 4)
            self.assertEqual(sim.drops, {})

    def test_messages_and_reads(self):
        sim = self.sim(subnet(2, 2, 4, workload=[
            {"kind": "permutation", "size": "300KB"}, {"kind": "permutation", "size": "300KB", "op": "read"},
            {"kind": "incast", "to": "h1", "from": ["h2", "h5", "h7"], "size": "200KB", "op": "send"}]))
        assert_complete(self, sim)
        assert_drained(sim, 2, 2, 4)

    def test_loss_is_mended(self):
        sim = self.sim(subnet(2, 2, 2, workload=[flow("h1", "h3", "2MB")], hosts={"rto": "100us"},
                              events=[{"at": "0us", "link": "h1-leaf1", "loss": "1%"}]))
        assert_complete(self, sim)
        assert_balanced(sim.nodes)
        self.assertEqual(set(sim.drops), {"link-fault"})
        self.assertGreater(sim.flows[0]["retransmitted"], 0)

    def test_corruption(self):
        """A wrong VCRC is dropped by the next port; a wrong ICRC by the adapter."""
        for change, node, reason in (("corrupt", "leaf1", "bad-fcs"), ("corrupt-payload", "h3", "bad-icrc")):
            sim = self.sim(subnet(2, 2, 2, workload=[flow("h1", "h3", "1MB")], hosts={"rto": "100us"},
                                  events=[{"at": "0us", "link": "h1-leaf1", change: "2%"}]))
            assert_complete(self, sim)
            self.assertEqual(set(drops({node: sim.nodes[node]})), {reason})

    def test_fecn_reaches_the_sender(self):
        """Three send to one: marks come back as CNPs, and DCQCN slows the senders down."""
        switch = LOSSY | {"qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "200KB"}}}}}
        sim = self.sim(subnet(2, 2, 2, switch=switch, hosts={"congestion": "dcqcn"},
                              workload=[{"kind": "incast", "to": "h1", "from": ["h2", "h3", "h4"], "size": "4MB"}]))
        assert_complete(self, sim)
        self.assertGreater(sim.summary["ecn_marked"], 0)
        self.assertGreater(sim.summary["cnps"], 0)


class Paths(Case):
    def test_a_lid_has_one_port(self):
        """h3 to h6 are LIDs of leaf2 that leaf1 spreads over its spines in turn; a flow keeps to one."""
        for mode in ("ecmp", "adaptive"):
            sim = self.sim(subnet(2, 4, 4, switch=LOSSY | {"routing": {"mode": mode}}, hosts={"placement": "out-of-order"},
                                  workload=[flow(f"h{i}", f"h{i + 4}", "1MB") for i in range(1, 5)]))
            assert_complete(self, sim)
            loads = [sim.nodes[f"spine{i}"]["ports"]["swp1"]["rx_packets"] for i in range(1, 5)]
            data = -(-1_000_000 // 4096)
            if mode == "ecmp":      # 245 packets each
                self.assertEqual(loads, [data] * 4)
                for one in sim.flows:
                    self.assertEqual(one["fct_ps"], one["ideal_ps"])
            else:
                self.assertEqual(sum(loads), 4 * data)
                self.assertGreater(min(loads), data // 2)

    def test_cut_through_is_counted(self):
        """With credits and without. Acknowledgements are shorter than what a switch needs of a packet."""
        for flow_control in ("credit", "none"):
            sim = self.sim(subnet(2, 1, 1, switch={"preset": "infiniband", "qos": {"flow-control": flow_control}},
                                  workload=[flow("h1", "h2", "409600B")]))
            ports = sim.nodes["spine1"]["ports"]
            self.assertEqual([ports[port].get("cut_through", 0) for port in ("swp1", "swp2")], [100, 0])

    def test_adaptive_uses_all_spines(self):
        """One 400G flow over 4 spines of 100G: static takes four times as long."""
        times = {}
        for mode in ("ecmp", "adaptive", "spray", "random"):
            sim = self.sim(subnet(2, 4, 1, switch=LOSSY | {"routing": {"mode": mode}}, host_link={"rate": "400G"},
                                  fabric_link={"rate": "100G"}, hosts={"placement": "out-of-order"},
                                  workload=[flow("h1", "h2", "8MB")]))
            self.assertEqual(sim.drops, {})
            times[mode] = sim.flows[0]["fct_ps"]
        self.assertGreater(times["ecmp"], 3.5 * times["spray"])
        self.assertGreater(times["ecmp"], 3 * times["adaptive"])
        self.assertGreater(times["ecmp"], 2 * times["random"])

    @staticmethod
    def ring(count, subnet, **more):
        """Switches in a ring, swp2 to the next one's swp3, with a host each and receive buffers of two packets; all to all."""
        nodes = {f"h{i}": "host" for i in range(count)} | {f"l{i}": "leaf" for i in range(count)}
        links = [{"a": f"h{i}", "b": f"l{i}.swp1"} for i in range(count)]
        links += [{"a": f"l{i}.swp2", "b": f"l{(i + 1) % count}.swp3"} for i in range(count)]
        return {"fabric": {"link-layer": "infiniband", "topology": {"kind": "explicit", "nodes": nodes, "links": links}},
                "subnet": subnet, "hosts": {"placement": "out-of-order"},
                "switch": {"buffer": {"size": "64MB", "cell": 64},
                           "qos": {"flow-control": "credit", "credit": {"buffer": "9000B"}}} | more,
                "workload": [flow(f"h{a}", f"h{b}", "300KB") for a, b in itertools.permutations(range(count), 2)]}

    def test_a_ring_with_choice(self):
        """Six switches in a ring, all to all: whatever is chosen keeps to ways that climb, then descend, so nothing
        waits in a cycle, comes back, or is sent twice."""
        for engine, mode in itertools.product(("up-down", "fat-tree"), ("adaptive", "random", "spray")):
            with self.subTest(engine=engine, mode=mode):
                sim = self.sim(self.ring(6, {"engine": engine, "alternate": "on"}, routing={"mode": mode}))
                assert_complete(self, sim)
                self.assertEqual(sim.drops, {})
                self.assertEqual(sum(one["retransmitted"] for one in sim.flows), 0)

    def test_what_waits_in_a_cycle(self):
        """With shortest paths of two links or more each way, the links of a ring wait for each other: `roost check` says so,
        and it happens. Ways that climb, then descend, do not."""
        def told(description):
            return roost("check", self.file(description)).err
        cycle = " -> ".join(f"l{i % 6}.swp2" for i in range(7))
        text = f"routes: buffers of priority 0 depend on each other in a cycle, so credits can deadlock: {cycle}: use " \
               "subnet.engine: up-down\n"
        self.assertTrue(told(self.ring(6, {"engine": "min-hop"})).endswith(text))
        clockwise = {"workload": [flow(f"h{i}", f"h{(i + 2) % 6}", "300KB") for i in range(6)], "stop": "2ms"}
        for engine, ended in (("min-hop", 0), ("up-down", 6)):
            sim = self.sim(self.ring(6, {"engine": engine}) | clockwise)
            self.assertEqual(sum(one["fct_ps"] is not None for one in sim.flows), ended)
        for engine in ("up-down", "fat-tree"):
            for alternate in ("on", "off"):
                self.assertEqual(told(self.ring(6, {"engine": engine, "alternate": alternate})), "")
        # Of four switches the table has no way of two links in a cycle, but a switch that may choose has.
        self.assertEqual(told(self.ring(4, {"engine": "min-hop"})), "")
        self.assertRegex(told(self.ring(4, {"engine": "min-hop"}, routing={"mode": "adaptive"})), "credits can deadlock")

    def test_a_loop_in_a_file(self):
        """h3's LID goes back and forth between l0 and l1."""
        path = os.path.join(self.directory, "lfts.dump")
        with open(path, "w") as to:
            for i in range(4):
                to.write(f"Unicast lids [0-8] of switch Lid {i + 1} guid 0x1 ('l{i}'):\n")
                for host in range(4):
                    port = 1 if host == i else 3 if i > host else 2
                    to.write(f"{5 + host:#06x} {3 if (i, host) == (1, 3) else port:03} # Channel Adapter portguid 0x1: 'h{host}'\n")
        done = roost("check", self.file(self.ring(4, {"lfts": path})))
        self.assertIn("routes: routing loop: packets to LID 8 circulate for ever: l0.swp2 -> l1.swp3 -> l0.swp2\n", done.err)

    def test_failure(self):
        """leaf1's link to spine1 or 2 fails at 50 us. New tables come at once, or 300 us later: until then packets of
        LIDs behind that port are lost, unless alternates are on."""
        lost = {}
        for convergence, alternate in (("0ns", False), ("300us", False), ("300us", True)):
            sim = self.sim(subnet(2, 2, 2, switch=LOSSY | {"routing": {"convergence": convergence}},
                                  subnet={"alternate": "on" if alternate else "off"}, hosts={"rto": "100us"},
                                  workload=[flow("h1", "h3", "4MB"), flow("h2", "h4", "4MB")],
                                  events=[{"at": "50us", "link": "leaf1-spine1", "state": "down"}]))
            assert_complete(self, sim)
            assert_balanced(sim.nodes)
            lost[convergence, alternate] = drops({"leaf1": sim.nodes["leaf1"]}).get("no-next-hop", 0)
        self.assertEqual(lost["0ns", False], 0)
        self.assertGreater(lost["300us", False], 10)
        self.assertEqual(lost["300us", True], 0)

    def test_a_file_leaves_no_choice(self):
        path = os.path.join(self.directory, "lfts.dump")
        with open(path, "w") as to:
            for lid, name in enumerate(("leaf1", "leaf2", "spine1"), start=1):
                to.write(f"Unicast lids [0-5] of switch Lid {lid} guid 0x1 ('{name}'):\n"
                         "0x0004 001 # Channel Adapter portguid 0x1: 'h1'\n")
        for more in ({"switch": LOSSY | {"routing": {"mode": "random"}}}, {"subnet": {"alternate": "on"}}):
            file = subnet(2, 1, 1, **more)
            file.setdefault("subnet", {})["lfts"] = path
            self.assertRegex(roost("check", self.file(file), status=2).err, "no other to choose")

    def test_no_way(self):
        """A host whose link is down has no port in any table."""
        sim = self.sim(subnet(2, 2, 2, workload=[flow("h1", "h3", "1MB")], stop="1ms",
                              events=[{"at": "10us", "link": "h3-leaf2", "state": "down"}]))
        self.assertIsNone(sim.flows[0]["fct_ps"])
        self.assertGreater(sim.drops["unknown-lid"], 0)


class Partitions(Case):
    TENANTS = {"red": {"hosts": ["h1", "h3"]}, "blue": {"hosts": ["h2", "h4"]}}

    def test_within(self):
        sim = self.sim(subnet(tenants=self.TENANTS, workload=[flow("h1", "h3", "1MB"), flow("h4", "h2", "1MB")]))
        assert_complete(self, sim)
        self.assertEqual(sim.drops, {})

    def test_shares_of_the_buffer(self):
        """In the full pipeline: red has a guarantee and a share, and its queue a rate."""
        switch = LOSSY | {"qos": {"tc": {3: {"max-rate": "50G"}}}}
        tenants = {"red": {"hosts": ["h1", "h3"], "buffer": {"guaranteed": "100KB", "share": "50%"}}}
        sim = self.sim(subnet(tenants=tenants, switch=switch, workload=[flow("h1", "h3", "1MB"), flow("h2", "h4", "1MB")]))
        assert_complete(self, sim)
        assert_drained(sim, 2, 2, 2)
        for one in sim.flows:
            self.assertGreater(one["fct_ps"], 1_000_000 * 160)     # 50 Gb/s

    def test_slow_hosts(self):
        sim = self.sim(subnet(hosts={"drain-rate": "20G", "rto": "2ms"}, workload=[flow("h1", "h3", "500KB")]))
        assert_complete(self, sim)
        self.assertGreater(sim.flows[0]["fct_ps"], 400_000 * 400)  # 20 Gb/s; the first 100 KB may be held

    def test_between(self):
        description = subnet(tenants=self.TENANTS, workload=[flow("h1", "h2", "1MB")])
        self.assertRegex(roost("check", self.file(description), status=2).err, "h1.*h2|h2.*h1")


class Order(Case):
    BUSY = subnet(
        3, 2, 4, seed=5, hosts={"placement": "out-of-order", "start-jitter": "3us", "ack-every": 4, "rto": "300us"},
        switch={"preset": "lossy", "buffer": {"size": "400KB"}, "routing": {"mode": "adaptive"},
                "qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "200KB", "probability": "20%"}}}}},
        fabric_link={"rate": "100G", "delay": "700ns"}, subnet={"alternate": "on"},
        tenants={"red": {"hosts": "h1-h6"}},
        workload=[{"kind": "permutation", "size": "200KB", "tenant": "red"},
                  {"kind": "all-to-all", "size": "600KB", "at": "10us", "tenant": "red"},
                  {"kind": "incast", "to": "h7", "from": ["h8", "h10", "h12"], "size": "900KB", "at": "20us", "qps": 2}],
        events=[{"at": "15us", "link": "leaf1-spine1", "loss": "1%", "for": "40us"},
                {"at": "25us", "link": "leaf3-spine1", "corrupt": "1%", "for": "40us"},
                {"at": "50us", "link": "leaf2-spine2", "state": "down", "for": "60us"}])

    def test_the_outcome_does_not_depend_on_it(self):
        want = self.sim(self.BUSY)
        assert_complete(self, want)
        assert_balanced(want.nodes)
        self.assertGreater(len(want.drops), 2)
        for options in (("--visit", 3), ("--window", "125ns"), ("--window", "77ns", "--visit", 9), ("-j", 3)):
            self.assertEqual(self.sim(self.BUSY, *options).digest, want.digest, options)

    @unless_sanitized
    def test_nor_on_ranks(self):
        done = mpirun(2, "sim", self.file(self.BUSY))
        self.assertIn(f"digest {self.sim(self.BUSY).digest}\n", done.out)


class Captures(Case):
    def test_wireshark_reads_them(self):
        """Nothing is malformed; the LIDs are those of the topology: 2 leaves, 2 spines, then hosts."""
        for snaplen in ("full", "64B"):
            sim = self.sim(subnet(hosts={"path-mtu": 1024}, record={"pcap": ["leaf1.swp1"], "snaplen": snaplen},
                                  workload=[flow("h1", "h3", "4KB"), flow("h3", "h1", "2KB", op="read"),
                                            flow("h1", "h4", "3KB", op="send")]))
            path = sim.directory / "leaf1.swp1.pcapng"
            if snaplen == "full":
                self.assert_dissects(path)
            rows = tshark(path, "infiniband.lrh.slid", "infiniband.lrh.dlid", "infiniband.lrh.pktlen", "frame.len")
            self.assertEqual({(row[0], row[1]) for row in rows}, {("5", "7"), ("7", "5"), ("5", "8"), ("8", "5")})
            for row in rows:
                self.assertEqual(int(row[2]) * 4 + 2, int(row[3]))

    def test_what_is_captured_can_be_replayed(self):
        sim = self.sim(subnet(1, 0, 2, record={"pcap": ["leaf1.swp1"], "snaplen": "full"},
                              workload=[flow("h1", "h2", "100KB")]))
        dut = {"link-layer": "infiniband", "ports": {"swp1": {}, "swp2": {}},
               "lft": [{"lid": 2, "port": "swp1"}, {"lid": 3, "port": "swp2"}]}
        run = self.replay({"switch": dut}, {"swp1": sim.directory / "leaf1.swp1.pcapng"})
        run.assert_conserved()
        self.assertEqual(run.drops, {})
        self.assertEqual(len(run.sent["swp2"]), 25)     # the data; and the acknowledgements went the other way
        self.assertEqual(len(run.sent["swp1"]), 25)


class Trace(Case):
    def trace(self, *words, **sections):
        done = roost("trace", *words, self.file(subnet(**sections)), "-o", "json")
        return json.loads(done.out)

    def test_the_path_of_the_tables(self):
        """As the packets of a run: the same spine, the same time; LIDs 5 and 7 are h1's and h3's."""
        answer = self.trace("h1", "h3", workload=[])
        self.assertEqual((answer["packet"]["source"], answer["packet"]["destination"], answer["packet"]["sl"]),
                         ("lid 5", "lid 7", 3))
        self.assertEqual(answer["result"], "delivered")
        sim = self.sim(subnet(workload=[flow("h1", "h3", "4096B", op="send")]))
        spine = next(name for name in ("spine1", "spine2") if sim.nodes[name]["ports"]["swp1"]["rx_packets"])
        self.assertEqual([hop["node"] for hop in answer["hops"]], ["h1", "leaf1", spine, "leaf2", "h3"])
        # A SEND's packet has no RETH.
        self.assertEqual(answer["packet"]["bytes"], 8 + 12 + 4096 + 4)
        self.assertEqual(answer["time_ps"], 4 * 80 * (1 + 8 + 12 + 4096 + 4 + 2) + 4 * 500 * NS)
        leaf = answer["hops"][1]
        self.assertEqual((leaf["route"]["prefix"], leaf["choice"], leaf["priority"], leaf["queue"]), ("lid 7", "only", 3, 3))
        self.assertEqual(answer["paths"]["count"], 1)

    def test_adaptive_and_words(self):
        answer = self.trace("h1", "h3", workload=[], switch=LOSSY | {"routing": {"mode": "adaptive"}})
        self.assertEqual(answer["paths"]["count"], 2)
        self.assertEqual(answer["hops"][1]["choice"], "state")
        self.assertEqual(len(answer["hops"][1]["members"]), 2)
        text = roost("trace", "h1", "h2", self.file(subnet())).out
        self.assertRegex(text, r"^h1 \(lid 5\) to h2 \(lid 6\): SL 3, 4120 bytes, at 0.000 us\n")

    def test_partitions(self):
        answer = self.trace("h1", "h2", tenants=Partitions.TENANTS, workload=[])
        self.assertEqual(answer["result"], "dropped")
        self.assertEqual(answer["hops"][-1]["drop"]["reason"], "partition")

    def test_what_has_no_meaning(self):
        for words, why in ((("10.0.1.1", "h3"), "have LIDs: name the host"), (("h1", "h3", "--dscp", "3"), "service levels")):
            done = roost("trace", *words[:2], self.file(subnet()), *words[2:], status=None)
            self.assertIn(why, done.err)
            self.assertNotEqual(done.status, 0)


class Warned(Case):
    def test_links_that_carry_no_pause_frames(self):
        """At the key that the file has; the page's switch has credits."""
        told = "lossless priority groups send Ethernet pause frames, which InfiniBand links do not carry"
        switch = re.search("```yaml\n(# FILE switch.yaml.*?)```", (SOURCE / "doc/infiniband.md").read_text(), re.S)[1]
        self.assertEqual(roost("check", self.file(switch)).err, "")
        path = self.file(switch.replace("  preset: infiniband\n", ""))
        self.assertIn(f"{path}:3:15: switch.link-layer: {told}", roost("check", path).err)
        path = self.file("fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2}\n"
                         "  link-layer: infiniband\n")
        self.assertIn(f"{path}:3:15: fabric.link-layer: {told}", roost("check", path).err)


class Refused(Case):
    def refused(self, key, hint="", **sections):
        done = roost("check", self.file(subnet(**sections)), status=2)
        self.assertIn(f"{key}: not supported with link-layer: infiniband; remove it{hint}\n", done.err)

    def test_each_by_its_key(self):
        partitions = "; tenants are partitions"
        self.refused("workload.stream", workload=[{"kind": "stream", "from": "h1", "to": "h2", "rate": "1G"}])
        self.refused("hosts.ip", hosts={"ip": 6})
        self.refused("tenants.vni", partitions, tenants={"red": {"hosts": ["h1"], "vni": 5000}})
        self.refused("tenants.vlan", partitions, tenants={"red": {"hosts": ["h1"], "vlan": 50}})
        self.refused("tenants.leak", tenants={"red": {"hosts": ["h1"], "leak": ["blue"]}, "blue": {"hosts": ["h2"]}})
        self.refused("attach", attach={"h1": {"netns": "x"}})
        self.refused("icmp", switch=LOSSY | {"icmp": "on"})
        self.refused("arp", switch=LOSSY | {"arp": "proxy"})
        self.refused("lldp", switch=LOSSY | {"lldp": "on"})
        self.refused("qos.trim", switch=LOSSY | {"qos": {"trim": "on"}})
        self.refused("routing.mode", "; use ecmp, adaptive, spray or random", switch=LOSSY | {"routing": {"mode": "flowlet"}})
        self.refused("qos.flow-control", "; use credit",
                     switch={"buffer": {"cell": 128}, "qos": {"flow-control": "cbfc"}})
        self.refused("ipip", switch=LOSSY | {"ipip": {"address": ["10.0.0.1"]}})
        self.refused("events.drop", events=[{"at": "0us", "link": "h1-leaf1", "drop": {"ip-id-low-byte": 1}}])
        self.refused("events.route", events=[{"at": "0us", "node": "leaf1",
                                              "route": {"prefix": "10.0.0.0/8", "via": ["spine1"]}}])


if __name__ == "__main__":
    unittest.main()
