# SPDX-License-Identifier: BSD-3-Clause
"""Each kind of workload and each key of its items does what it says."""
import math
import statistics

from common import *

ECMP = {"preset": "spectrum-x", "routing": {"mode": "ecmp"}}
LINK = [Hop(100 * 10**9, 500_000)] * 2      # host to host of one leaf
US = 10**6


def arrivals(sim, port="h2.eth1"):
    return [packet.ns for packet in read_pcapng(sim.directory / f"{port}.pcapng")]


class Streams(Case):
    def stream(self, *, record=None, hosts=2, **keys):
        sections = {"record": record} if record else {}
        return self.sim(fabric(1, 0, hosts, switch=ECMP, workload=[
            {"kind": "stream", "from": "h1", "to": "h2"} | keys], **sections))

    def test_constant_rate_is_exact(self):
        # A packet of b bytes every b x 8 / rate: within 1 ms the first at 0 and all that begin before its
        # end. 12G / 1000 B: 666.67 ns, 1500 packets; 7G / 999 B: 1141.71 ns, 876 (875.87).
        for rate, packet, count in ((12, 1000, 1500), (7, 999, 876), (99, 1400, 8840), (1, 60, 2084)):
            with self.subTest(rate=rate, packet=packet):
                sim = self.stream(rate=f"{rate}G", packet=f"{packet}B", until="1ms")
                self.assertEqual(count, math.ceil(10**6 * rate / (packet * 8)))
                for node, port in (("h1", "eth1"), ("leaf1", "swp2")):
                    counters = sim.nodes[node]["ports"][port]
                    self.assertEqual((counters["tx_packets"], counters["tx_bytes"]), (count, count * packet))
                self.assertEqual(sim.nodes["h2"]["ports"]["eth1"]["rx_packets"], count)
                self.assertEqual(sim.summary["drops"], 0)

    def test_constant_rate_is_even(self):
        sim = self.stream(rate="7G", packet="999B", at="3us", until="1ms", record={"pcap": ["h2.eth1"]})
        stamps = arrivals(sim)
        # The first: two links of (999 + 12) B x 80 ps + 500 ns behind its start.
        first = 3000 + 2 * (1011 * .08 + 500)
        for number, ns in enumerate(stamps):
            self.assertLessEqual(abs(ns - (first + number * 999 * 8 / 7)), 1.01, number)

    def test_poisson_arrivals(self):
        # Mean gap 1000 B x 8 / 8G = 1 us over 20 ms: 20,000 +- 3 x sqrt(20,000). Gaps, measured where
        # nothing waits (8 % load), have a standard deviation like their mean, and e^-1 of them pass it.
        sim = self.stream(rate="8G", packet="1000B", arrivals="poisson", until="20ms", record={"pcap": ["h2.eth1"]})
        stamps = arrivals(sim)
        self.assertLess(abs(len(stamps) - 20000), 3 * math.sqrt(20000))
        gaps = [b - a for a, b in zip(stamps, stamps[1:])]
        mean = statistics.fmean(gaps)
        self.assertAlmostEqual(statistics.stdev(gaps) / mean, 1, delta=.04)
        self.assertAlmostEqual(sum(gap > mean for gap in gaps) / len(gaps), math.exp(-1), delta=.015)
        # Otherwise the stream would be the same in every run of another seed.
        other = self.sim(fabric(1, 0, 2, switch=ECMP, seed=2, record={"pcap": ["h2.eth1"]}, workload=[
            {"kind": "stream", "from": "h1", "to": "h2", "rate": "8G", "arrivals": "poisson", "until": "20ms"}]))
        self.assertNotEqual(arrivals(other), stamps)

    def test_a_stream_above_the_link_waits(self):
        # 200G offered to 100G: the link is full, nothing is dropped at the source; the run ends when the
        # file says.
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, stop="100us", workload=[
            {"kind": "stream", "from": "h1", "to": "h2", "rate": "200G", "packet": "1000B"}]))
        sent = sim.nodes["h1"]["ports"]["eth1"]["tx_packets"]
        self.assertEqual(sent, math.ceil(100e3 / (1024 * .08)))
        self.assertEqual(sim.summary["sim_ps"], 100 * US)

    def test_a_run_waits_for_its_streams(self):
        # 10 Mb/s of 1000 B: one in 800 us, between which the fabric is empty.
        sim = self.stream(rate="10M", until="4ms")
        self.assertEqual(sim.nodes["h2"]["ports"]["eth1"]["rx_packets"], 5)
        self.assertEqual(sim.summary["sim_ps"], 4 * 10**9)

    def test_a_stream_without_an_end_needs_one(self):
        path = self.file(fabric(1, 0, 2, workload=[{"kind": "stream", "from": "h1", "to": "h2", "rate": "1G"}]))
        self.assert_refused(r"^\S+:1:\d+: workload: this stream never ends: write `until`, or `stop`", "sim", path)
        roost("sim", path, "--until", "1ms")

    def test_what_a_stream_is_made_of(self):
        sim = self.sim(fabric(2, 1, 1, switch=ECMP, record={"pcap": ["h1.eth1", "h2.eth1"], "snaplen": "full"},
                              workload=[
            {"kind": "stream", "from": "h1", "to": "h2", "rate": "1G", "packet": "200B", "ttl": 17, "priority": 6,
             "until": "10us"}]))
        fields = ("ip.ttl", "ip.dsfield.dscp", "ip.dsfield.ecn", "udp.dstport", "frame.len", "ip.len")
        self.assertEqual(set(tshark(sim.directory / "h1.eth1.pcapng", *fields)), {("17", "48", "0", "9", "200", "186")})
        self.assertEqual(set(tshark(sim.directory / "h2.eth1.pcapng", *fields)), {("14", "48", "0", "9", "200", "186")})
        self.assert_dissects(sim.directory / "h1.eth1.pcapng")

    def test_ttl_runs_out(self):
        # Three switches: a TTL of 3 is 1 at the last and goes no further.
        sim = self.sim(fabric(2, 1, 1, switch=ECMP, workload=[
            {"kind": "stream", "from": "h1", "to": "h2", "rate": "1G", "ttl": 3, "until": "10us"}]))
        self.assertEqual(sim.drops, {"ttl-expired": 2})
        self.assertEqual(drops({"leaf2": sim.nodes["leaf2"]}), {"ttl-expired": 2})


class Flows(Case):
    def one(self, *, hosts=None, stop=None, options=(), leaf=2, **keys):
        sections = {"stop": stop} if stop else {}
        return self.sim(fabric(1, 0, leaf, switch=ECMP, hosts=hosts, workload=[
            {"kind": "flow", "from": "h1", "to": "h2"} | keys], **sections), *options)

    def test_start(self):
        for at, ps in (("0us", 0), ("123456ps", 123456), ("7ms", 7 * 10**9)):
            sim = self.one(size="5000B", at=at)
            self.assertEqual((sim.flows[0]["start_ps"], sim.flows[0]["fct_ps"]), (ps, completion(5000, LINK)))

    def test_repeats(self):
        # Ten times, 20 us after each completion; each takes as long as alone.
        sim = self.one(size="10000B", repeat=10, gap="20us")
        alone = completion(10000, LINK)
        self.assertEqual(sim.flows[0]["fct_ps"], alone)
        self.assertEqual(sim.nodes["h1"]["ports"]["eth1"]["tx_packets"], 30)
        self.assertEqual(sim.summary["last_event_ps"], 10 * alone + 9 * 20 * US)

    def test_queue_pairs_share_the_bytes(self):
        # 100,003 B over 4: three of 25,001 B and one of 25,000, 7 packets each, in turn.
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "100003B", qps=4)],
                              record={"pcap": ["h2.eth1"], "snaplen": "full"}))
        assert_complete(self, sim)
        packets = tshark(sim.directory / "h2.eth1.pcapng", "infiniband.bth.destqp", "infiniband.reth.dmalen",
                         "udp.srcport", display="infiniband.bth.opcode <= 10")
        self.assertEqual(len(packets), 28)
        queue_pairs = collections.Counter(qp for qp, *_ in packets)
        self.assertEqual(set(queue_pairs.values()), {7})
        self.assertEqual(len(queue_pairs), 4)
        self.assertEqual(sorted(int(length) for _, length, _ in packets if length), [25000, 25001, 25001, 25001])
        self.assertEqual([qp for qp, *_ in packets[:8]], [qp for qp, *_ in packets[:4]] * 2)
        self.assertEqual(len({port for *_, port in packets}), 4)

    def test_queue_pairs_spread_a_flow(self):
        # By hash, a flow of one queue pair takes one of 8 uplinks, one of 64 nearly all.
        for qps, least, most in ((1, 1, 1), (64, 7, 8)):
            sim = self.sim(fabric(2, 8, 1, switch=ECMP, hosts={"qps": qps}, workload=[flow("h1", "h2", "1MB")]))
            used = [up for up in range(2, 10) if sim.nodes["leaf1"]["ports"][f"swp{up}"]["tx_packets"]]
            self.assertTrue(least <= len(used) <= most, used)

    def test_more_queue_pairs_than_bytes(self):
        sim = self.one(size="3B", qps=16)
        assert_complete(self, sim)
        self.assertEqual(sim.nodes["h1"]["ports"]["eth1"]["tx_packets"], 3)

    def test_priorities(self):
        # Priority 5 has DSCP 40 and class 0 in this preset, 3 has 26 and class 3, 6 has 48 and is strict.
        for priority, dscp, tc in ((3, 26, 3), (5, 40, 0), (6, 48, 6)):
            with self.subTest(priority=priority):
                sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "40960B", priority=priority)],
                                      record={"pcap": ["h2.eth1"]}))
                queues = sim.nodes["leaf1"]["ports"]["swp2"]["queue"]
                self.assertEqual([queue["packets"] for queue in queues], [10 if one == tc else 0 for one in range(8)])
                groups = sim.nodes["leaf1"]["ports"]["swp1"]["pg"]
                self.assertEqual(groups[3 if priority == 3 else 0]["packets"], 10)
                marked = tshark(sim.directory / "h2.eth1.pcapng", "ip.dsfield.dscp")
                self.assertEqual(set(marked), {(str(dscp),)})
        sonic = self.sim(fabric(1, 0, 2, switch={"preset": "sonic"}, workload=[flow("h1", "h2", "40960B")],
                                record={"pcap": ["h2.eth1"]}))
        self.assertEqual({one[0] for one in tshark(sonic.directory / "h2.eth1.pcapng", "ip.dsfield.dscp")}, {"3"})

    def test_strict_goes_first(self):
        # Three hosts into one port: priority 6 is strict and takes what it offers, the others share.
        sim = self.sim(fabric(1, 0, 4, switch=ECMP, hosts={"congestion": "none"}, workload=[
            flow(src, "h1", "2MB", priority=priority) for src, priority in (("h2", 3), ("h3", 5), ("h4", 6))]))
        assert_complete(self, sim)
        three, five, six = (one["fct_ps"] / one["ideal_ps"] for one in sim.flows)
        self.assertLess(six, 1.02)
        self.assertGreater(min(three, five), 2.5)

    def test_ip_version_6(self):
        sim = self.sim(fabric(2, 2, 2, switch={"preset": "spectrum-x", "routing": {"mode": "adaptive"}},
                              hosts={"ip": 6, "placement": "out-of-order"},
                              tenants={"red": {"hosts": ["h1", "h3"]}, "blue": {"hosts": ["h2", "h4"]}},
                              workload=[{"kind": "all-to-all", "tenant": "red", "size": "1MB"},
                                        {"kind": "all-to-all", "tenant": "blue", "size": "1MB"},
                                        {"kind": "stream", "from": "h1", "to": "h3", "rate": "5G", "until": "50us"}],
                              record={"pcap": ["h3.eth1"], "snaplen": "full"}))
        assert_complete(self, sim)
        assert_drained(sim, 2, 2, 2)
        self.assertEqual(sim.summary["drops"], 0)
        path = sim.directory / "h3.eth1.pcapng"
        self.assertEqual(tshark(path, display="ip"), [])
        self.assertEqual({src for (src,) in tshark(path, "ipv6.src", display="ipv6.dst == fd00::2:1")}, {"fd00::1:1"})
        self.assert_dissects(path)

    def test_frames_of_a_size_by_decree(self):
        # Exactly 48 B beside the payload, unpadded; ACKs of 60 B.
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, hosts={"header-bytes": "48B", "ack-bytes": "60B", "path-mtu": 1000},
                              workload=[flow("h1", "h2", "4491B")], record={"pcap": ["h2.eth1"]}))
        lengths = [packet.length for packet in read_pcapng(sim.directory / "h2.eth1.pcapng")]
        self.assertEqual(sorted(lengths), sorted([1048] * 4 + [539] + [60] * 5))

    def test_path_mtu_is_what_fits(self):
        # IPv4 20 + 8 + 12 + 16 + 4 = 60 B of headers: an IP MTU of 4155 carries 2048, 1084 carries 1024,
        # 1083 only 512.
        for mtu, payload in ((4200, 4096), (4156, 4096), (4155, 2048), (1084, 1024), (1083, 512)):
            sim = self.sim(fabric(1, 0, 2, switch=ECMP, mtu=mtu, workload=[flow("h1", "h2", f"{4096 * 4}B")]))
            self.assertEqual(sim.nodes["h1"]["ports"]["eth1"]["tx_packets"], 4 * 4096 // payload, mtu)

    def test_acknowledgements(self):
        # 977 packets: one for each, or for every 16th and the last.
        for every, count in ((1, 977), (16, 62), (1000, 1)):
            sim = self.one(size="4MB", hosts={"ack-every": every})
            self.assertEqual(sim.nodes["h2"]["ports"]["eth1"]["tx_packets"], count)

    def test_start_jitter(self):
        sim = self.sim(fabric(4, 2, 8, hosts={"start-jitter": "10us"}, switch=ECMP,
                              workload=[{"kind": "permutation", "size": "1KB", "at": "5us"}]))
        starts = [one["start_ps"] for one in sim.flows]
        self.assertTrue(all(5 * US <= start <= 15 * US for start in starts))
        self.assertEqual(len(set(starts)), 32)
        # 32 uniform draws: their mean within 3 sigma.
        self.assertLess(abs(statistics.fmean(starts) - 10 * US), 3 * 10 * US / math.sqrt(12 * 32))

    def test_clock_skew(self):
        # Up to 100 ppm either way: a flow of 40 MB that takes 3.27 ms alone ends up to 327 ns off, and
        # hosts differ.
        sim = self.sim(fabric(1, 0, 8, hosts={"clock-ppm": 100, "ack-every": 64}, switch=ECMP,
                              workload=[flow(f"h{i}", f"h{i + 4}", "40MB") for i in range(1, 5)]))
        off = [one["fct_ps"] - completion(40_000_000, LINK, ack_every=64) for one in sim.flows]
        self.assertEqual(len(set(off)), 4)
        self.assertLess(max(map(abs, off)), 330_000)
        self.assertGreater(max(map(abs, off)), 10_000)


class Patterns(Case):
    def test_permutation(self):
        for tenant in (None, "red"):
            members = ["h1", "h2", "h4", "h7"] if tenant else [f"h{i}" for i in range(1, 9)]
            item = {"kind": "permutation", "size": "10KB"} | ({"tenant": tenant} if tenant else {})
            tenants = {"tenants": {"red": {"hosts": members}}} if tenant else {}
            sim = self.sim(fabric(2, 1, 4, switch=ECMP, workload=[item], **tenants))
            assert_complete(self, sim)
            self.assertEqual(sorted(one["src"] for one in sim.flows), members)
            self.assertEqual(sorted(one["dst"] for one in sim.flows), members)
            self.assertTrue(all(one["src"] != one["dst"] for one in sim.flows))
            self.assertEqual({one["tenant"] for one in sim.flows}, {tenant})

    def test_all_to_all_shares_the_buffer(self):
        # 1,000,003 B over 4 ranks: 250,001 B to the first three, 250,000 B to the last.
        sim = self.sim(fabric(1, 0, 5, switch=ECMP, workload=[
            {"kind": "all-to-all", "name": "x", "hosts": ["h1", "h2", "h4", "h5"], "size": "1000003B"}]))
        assert_complete(self, sim)
        self.assertEqual(len(sim.flows), 12)
        self.assertEqual({one["dst"]: one["bytes"] for one in sim.flows},
                         {"h1": 250001, "h2": 250001, "h4": 250001, "h5": 250000})
        (collective,) = sim.result["collectives"]
        self.assertEqual([collective[key] for key in ("name", "kind", "ranks", "bytes", "start_ps")],
                         ["x", "all-to-all", 4, 1000003, 0])
        # A collective ends when the last has arrived, a flow when that is acknowledged: 74 B and 500 ns, twice.
        self.assertEqual(collective["step_ps"] + 2 * (74 * 80 + 500_000), max(one["fct_ps"] for one in sim.flows))

    def test_a_flow_file(self):
        lines = ["# src dst tenant priority bytes start_ns", "h1 h2 - 3 1000 0", "", "h3 h1 - - 70000 1500  # late",
                 "h2 h3 - 5 1 20"]
        (self.directory / "x.flow").write_text("\n".join(lines) + "\n")
        sim = self.sim(fabric(1, 0, 3, switch=ECMP, workload=[{"kind": "flows", "file": "x.flow", "at": "1us"}]))
        assert_complete(self, sim)
        self.assertEqual([(one["src"], one["dst"], one["bytes"], one["start_ps"]) for one in sim.flows],
                         [("h1", "h2", 1000, US), ("h3", "h1", 70000, 2_500_000), ("h2", "h3", 1, 1_020_000)])

    def test_flow_files_of_simulators(self):
        # Hosts by number from 0, seconds to the picosecond; conweave's begin at 2 s.
        (self.directory / "hpcc.txt").write_text("2\n0 2 3 100 70000 0.000001500001\n1 0 5 101 1 .00001\n")
        (self.directory / "cw.txt").write_text("2\n2 1 3 1000 2.000000000\n1 2 3 2000 2.000003\n")
        sim = self.sim(fabric(1, 0, 3, switch=ECMP, workload=[
            {"kind": "flows", "file": "hpcc.txt", "format": "hpcc"},
            {"kind": "flows", "file": "cw.txt", "format": "conweave", "at": "20us"}]))
        assert_complete(self, sim)
        self.assertEqual([(one["src"], one["dst"], one["bytes"], one["start_ps"]) for one in sim.flows],
                         [("h1", "h3", 70000, 1_500_001), ("h2", "h1", 1, 10 * US),
                          ("h3", "h2", 1000, 20 * US), ("h2", "h3", 2000, 23 * US)])

    def test_a_host_that_a_file_of_numbers_does_not_have(self):
        (self.directory / "x.txt").write_text("2\n0 3 3 100 1 0\n0 1 3 100 1 0\n")
        path = self.file(fabric(1, 0, 3, workload=[{"kind": "flows", "file": "x.txt", "format": "hpcc"}]))
        self.assert_refused(r"x.txt:2:3: dst: there is no host 3; they are 0 to 2 \(h1 to h3\)", "check", path)

    def test_shift(self):
        sim = self.sim(fabric(1, 0, 4, switch=ECMP, workload=[{"kind": "shift", "size": "10KB", "by": 3}]))
        assert_complete(self, sim)
        self.assertEqual([(one["src"], one["dst"]) for one in sim.flows],
                         [("h1", "h4"), ("h2", "h1"), ("h3", "h2"), ("h4", "h3")])
        # Nobody is in another's way: each takes as long as alone.
        self.assertEqual({one["fct_ps"] for one in sim.flows}, {completion(10000, LINK)})

    def test_poisson(self):
        # 20 % of 8 x 100G for 2 ms by flows of 39,424 B in the mean: 1015 of them, 4 standard deviations 13 %.
        item = {"kind": "poisson", "load": "20%", "sizes": "rpc", "until": "2ms", "mix": {3: "90%", 0: "10%"}}
        sim = self.sim(fabric(1, 0, 8, switch=ECMP, workload=[item]))
        assert_complete(self, sim)
        self.assertLess(abs(len(sim.flows) / 1015 - 1), 0.13)
        starts = [one["start_ps"] for one in sim.flows]
        self.assertEqual(starts, sorted(starts))
        self.assertLess(starts[-1], 2000 * US)
        queues = sim.nodes["leaf1"]["ports"]["swp1"]["pg"]
        self.assertGreater(queues[3]["packets"], 3 * queues[0]["packets"] > 0)

    def test_tenants_share_links_and_nothing_else(self):
        # Each tenant's flows have their own routes: nothing is lost although all switches are shared, and
        # the leaf counts each tenant's packets at its own ports.
        sim = self.sim(fabric(2, 2, 2, switch=ECMP,
                              tenants={"red": {"hosts": ["h1", "h3"]}, "blue": {"hosts": ["h2", "h4"]}},
                              workload=[flow("h1", "h3", "40960B"), flow("h2", "h4", "81920B")]))
        assert_complete(self, sim)
        self.assertEqual([one["tenant"] for one in sim.flows], ["red", "blue"])
        tenants = sim.nodes["leaf1"]["tenants"]
        self.assertEqual({name: one["packets"] for name, one in tenants.items()}, {"red": 10, "blue": 20})


class Ends(Case):
    OPEN = [flow("h1", "h2", "100MB")]

    def test_stop(self):
        for stop, options, expected in (("50us", (), 50), ("idle", ("--until", "50us"), 50),
                                        ("50us", ("--until", "20us"), 20)):
            with self.subTest(stop=stop, options=options):
                sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=self.OPEN, stop=stop), *options)
                self.assertEqual(sim.summary["sim_ps"], expected * US)
                self.assertIsNone(sim.flows[0]["fct_ps"])
                self.assertEqual((sim.summary["flows"], sim.summary["completed"]), (1, 0))
                sim.assert_conserved()
                # Packets begin every 334.24 ns, the first takes 335.52; those that have begun count.
                self.assertEqual(sim.nodes["h1"]["ports"]["eth1"]["tx_packets"],
                                 1 + math.ceil((expected * 1000 - 335.52) / 334.24))

    def test_a_run_goes_on_to_its_stop(self):
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "1B")], stop="1s"))
        self.assertEqual(sim.summary["sim_ps"], PS)
        self.assertEqual(sim.summary["completed"], 1)

    def test_events_keep_it_going(self):
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "1B")],
                              events=[{"at": "3ms", "snapshot": "full"}]))
        self.assertEqual([one["at_ns"] for one in sim.snapshots], [3 * 10**6])
        self.assertTrue(3 * 10**9 <= sim.summary["sim_ps"] <= 3 * 10**9 + 4 * US)

    def test_nothing_to_do(self):
        sim = self.sim(fabric(1, 0, 2))
        self.assertEqual((sim.flows, sim.summary["packets"], sim.summary["sim_ps"]), ([], 0, 4 * US))

    def test_a_timeout_longer_than_stall(self):
        # The link is back long before the first of two retransmissions, the second of which arrives: all is well.
        for outage in ("15us", "25ms"):
            sim = self.sim(fabric(1, 0, 2, switch=ECMP, hosts={"rto": "20ms"}, workload=[flow("h1", "h2", "100KB")],
                                  events=[{"at": "2us", "link": "h2-leaf1", "loss": "100%", "for": outage}]))
            self.assertEqual(sim.summary["completed"], 1)
            self.assertEqual(sim.summary["sim_ps"] // 10**9, 20 if outage == "15us" else 40)
        # One that never arrives is another matter.
        done = roost("sim", self.file(fabric(1, 0, 2, switch=ECMP, hosts={"rto": "20ms"}, workload=[
            flow("h1", "h2", "100KB")], events=[{"at": "2us", "link": "h2-leaf1", "loss": "100%"}])), status=1)
        self.assertRegex(done.err, r"nothing has moved")

    def test_a_fabric_that_holds_packets_for_ever_is_stalled(self):
        one = {"kind": "stream", "from": "h1", "to": "h2", "packet": "1000B", "rate": "100G", "until": "80ns"}
        for work, held in ((flow("h1", "h2", "100KB"), r"\d+ packets are held"), (one, "1 packet is held")):
            done = roost("sim", self.file(fabric(1, 0, 2, switch=ECMP, workload=[work], events=[
                {"at": "0us", "port": "leaf1.swp2", "tx": "off"}])), status=1)
            self.assertRegex(done.err, f"nothing has moved for a while at .* us; {held}\n")


if __name__ == "__main__":
    unittest.main()
