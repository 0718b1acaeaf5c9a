# SPDX-License-Identifier: BSD-3-Clause
"""The reliable connection from end to end: WRITE, SEND and READ alone, under loss in every recovery, over several
paths and planes, and as others see them on the wire."""
import itertools
import random

from common import *

NS, US = 10**3, 10**6
ECMP = {"preset": "spectrum-x", "routing": {"mode": "ecmp"}}
LINK = {"rate": "100G", "delay": "1us"}
OPS = ("write", "send", "read")
MTU = 4096


def one_leaf(*workload, hosts=None, count=2, **more):
    return fabric(1, 0, count, switch=ECMP, hosts=hosts, workload=workload, **more)


def data(nodes, node, port):
    """Data packets that have left by a port, lost on its link or not: acknowledgements have a queue of their own where
    `ack-dscp` is 0."""
    return nodes[node]["ports"][port]["queue"][3]["packets"]


class Ideal(Alone):
    """And that is what arithmetic says."""

    def test_one_packet(self):
        # Through one leaf, links of 1 us, 100G, 4096 B: with preamble and FCS a SEND is 14 + 20 + 8 + 12 + 4096 + 4 +
        # 12 = 4166 B, 333.28 ns a link, its ACK 5.92: 2 x 333.28 + 2 x 5.92 + 4000. A READ's request is 74 + 12 B,
        # 6.88 ns a link, its response has an AETH, 4170 B, 333.6 ns: 2 x 6.88 + 2 x 333.6 + 4000; a WRITE's 16 B of
        # RETH come to the same, by chance.
        for op, expected in (("write", 4_680_960), ("send", 4_678_400), ("read", 4_680_960)):
            self.assertEqual(self.alone(one_leaf(flow("h1", "h2", f"{MTU}B", op=op), host_link=LINK)), expected)
            self.assertEqual(completion(MTU, [Hop(100 * 10**9, US)] * 2, op=op), expected)

    def test_each_path_mtu(self):
        # Across a spine: two full packets and one of 3 B, and one byte alone.
        link = Hop(100 * 10**9, 500 * NS)
        for op, ip, mtu in itertools.product(OPS, (4, 6), (256, 512, 1024, 2048, 4096)):
            for size in (1, 2 * mtu + 3):
                with self.subTest(op=op, ip=ip, mtu=mtu, size=size):
                    got = self.alone(fabric(2, 1, 1, switch=ECMP, hosts={"ip": ip, "path-mtu": mtu},
                                            workload=[flow("h1", "h2", f"{size}B", op=op)]))
                    self.assertEqual(got, completion(size, [link] * 4, path_mtu=mtu, ip=ip, op=op))

    def test_random_flows(self):
        draw = random.Random(77)
        for number in range(80 if FULL else 24):
            op, ip, ack_every = draw.choice(("send", "read")), draw.choice((4, 6)), draw.choice((1, 2, 7, 16))
            rates = [draw.choice((10, 25, 40, 100, 200, 400, 800)) for _ in range(2)]
            delays = [draw.randrange(1, 3000) for _ in range(2)]
            size, mtu = draw.randrange(1, 10**draw.randrange(1, 6)), draw.choice((256, 1000, 1024, 1500, 4096))
            sizes = draw.choice((None, (48, 60)))
            with self.subTest(number=number, op=op, ip=ip, ack_every=ack_every, rates=rates, delays=delays, size=size,
                              mtu=mtu, sizes=sizes):
                host, inner = (Hop(rate * 10**9, delay * NS) for rate, delay in zip(rates, delays))
                hosts = {"ip": ip, "path-mtu": mtu, "ack-every": ack_every}
                if sizes:
                    hosts |= {"header-bytes": f"{sizes[0]}B", "ack-bytes": f"{sizes[1]}B"}
                got = self.alone(fabric(
                    2, 1, 1, hosts=hosts, host_link={"rate": f"{rates[0]}G", "delay": f"{delays[0]}ns"},
                    fabric_link={"rate": f"{rates[1]}G", "delay": f"{delays[1]}ns"},
                    switch=ECMP | {"buffer": {"size": "64MB"}, "qos": {"tc": {3: {"ecn": "off"}}}},
                    workload=[flow("h1", "h2", f"{size}B", op=op, at=f"{number}us")]))
                header, ack = sizes or (None, None)
                self.assertEqual(got, completion(size, [host, inner, inner, host], path_mtu=mtu, ip=ip, op=op,
                                                 ack_every=ack_every, header_bytes=header, ack_bytes=ack))

    def test_again_and_again(self):
        # Times of a READ and a SEND do not touch: each takes as long as one.
        for op in ("send", "read"):
            sim = self.sim(one_leaf(flow("h1", "h2", "50KB", op=op, repeat=20, gap="3us")))
            (one,) = sim.flows
            self.assertEqual(one["fct_ps"], one["ideal_ps"])
            self.assertEqual(one["fct_ps"], completion(50_000, [Hop(100 * 10**9, 500 * NS)] * 2, op=op))
            start = one["start_ps"]
            self.assertEqual(sim.summary["last_event_ps"], start + 20 * one["fct_ps"] + 19 * 3 * US)

    def test_read_of_several_requests(self):
        # More than 2^18 packets of 256 B: the second request goes along with the first, the third when the first's
        # data are there: the responder never waits, and each request's responses have two AETHs.
        packets = 2**18 * 2 + 1000
        sim = self.sim(one_leaf(flow("h1", "h2", f"{packets * 256}B", op="read"), hosts={"path-mtu": 256}))
        (one,) = sim.flows
        self.assertEqual(one["fct_ps"], one["ideal_ps"])
        # One way and back; packets of 314 B, 338 B with their gap; six AETHs; at the end no gap.
        link = Hop(100 * 10**9, 500 * NS)
        first = send_along([link] * 2, [0, 0], 74, 0, (8, 4, 12))
        line = link.byte_ps * ((packets - 1) * 338 + 5 * 4)
        self.assertEqual(one["fct_ps"], first + line + 2 * (link.byte_ps * (314 + 4 + 12) + link.delay_ps))


class Loss(Case):
    RECOVERIES = ("go-back-n", "selective", "go-back-0")
    PLACEMENTS = ("in-order", "out-of-order")

    def lossy(self, description):
        sim = self.sim(description)
        assert_complete(self, sim)
        assert_balanced(sim.nodes)
        self.assertEqual(set(sim.drops), {"link-fault"})
        return sim

    def test_every_op_in_every_recovery(self):
        # 1 % of all, either way: data, acknowledgements, NAKs and requests. Messages are short enough for go-back-0.
        for op, recovery, placement in itertools.product(OPS, self.RECOVERIES, self.PLACEMENTS):
            with self.subTest(op=op, recovery=recovery, placement=placement):
                sim = self.lossy(one_leaf(
                    flow("h1", "h2", "200KB", op=op, repeat=20), flow("h3", "h2", "200KB", op=op), count=3,
                    hosts={"recovery": recovery, "placement": placement, "rto": "200us", "reorder-timeout": "20us"},
                    events=[{"at": "0us", "link": "h1-leaf1", "loss": "1%"}]))
                first, second = sim.flows
                self.assertGreater(first["retransmitted"], 0)
                self.assertEqual(second["retransmitted"], 0)

    def test_read_loses_its_request(self):
        # All that h2 sends in the first microsecond: the request. After the retransmission timeout it goes again.
        for recovery in self.RECOVERIES:
            sim = self.sim(one_leaf(flow("h1", "h2", "100KB", op="read"), hosts={"recovery": recovery, "rto": "70us"},
                                    events=[{"at": "0us", "link": "h2-leaf1", "loss": "100%", "for": "100ns"}]))
            (one,) = sim.flows
            self.assertEqual(one["fct_ps"], 70 * US + one["ideal_ps"])
            self.assertEqual(drops({"h2": sim.nodes["h2"]}), {"link-fault": 1})
            self.assertEqual(one["retransmitted"], 0)      # of the data nothing was sent twice

    def test_read_loses_its_last_response(self):
        # The last of 25 responses begins on the first link 24 packets after the request is there, and is lost on the
        # second. The reader asks for it `rto` after the one before has come, and it alone goes again.
        link = Hop(100 * 10**9, 500 * NS)
        whole = completion(25 * MTU, [link] * 2, op="read")
        before = whole - link.byte_ps * (4154 + 24 + 4)    # 4 B more: the last has an AETH, the 24th has not
        for recovery in ("go-back-n", "selective"):
            sim = self.sim(one_leaf(
                flow("h1", "h2", f"{25 * MTU}B", op="read"), hosts={"recovery": recovery, "rto": "70us"},
                events=[{"at": f"{int(whole - link.delay_ps - 345 * NS) // 1000}ns", "link": "h2-leaf1",
                         "loss": "100%", "for": "10us"}]))
            (one,) = sim.flows
            self.assertEqual(drops({"leaf1": sim.nodes["leaf1"]}), {"link-fault": 1})
            self.assertEqual(one["retransmitted"], 1)
            self.assertEqual(one["fct_ps"], before + 70 * US + completion(MTU, [link] * 2, op="read"))

    def test_read_loses_a_later_request(self):
        # Of a READ of four requests (2^18 packets each) the third is lost. The fourth shows it: the responder's NAK
        # asks for the third, and what follows it. No timeout: that would be 50 ms.
        packets = 2**18 * 3 + 10
        link = Hop(100 * 10**9, 500 * NS)
        # The third goes when the last response of the first is there.
        at = send_along([link] * 2, [0, 0], 74, 0, (8, 4, 12)) + link.byte_ps * ((2**18 - 1) * 338 + 4) + \
            2 * (link.byte_ps * (314 + 4 + 12) + link.delay_ps)
        sim = self.sim(one_leaf(
            flow("h1", "h2", f"{packets * 256}B", op="read"), hosts={"path-mtu": 256, "rto": "50ms"},
            events=[{"at": f"{int(at - 50 * NS) // 1000}ns", "link": "h2-leaf1", "loss": "100%", "for": "100ns"}]))
        (one,) = sim.flows
        lost = drops({"h2": sim.nodes["h2"]})
        self.assertEqual(lost, {"link-fault": 1})
        self.assertIsNotNone(one["fct_ps"])
        # The responder sits idle from the second's end until the third is asked for again: at most two round trips.
        self.assertLess(one["fct_ps"] - one["ideal_ps"], 2 * 2 * 2 * (500 + 30) * NS + 10 * US)

    def drop_one_in_256(self, op="write", size="4MB", **hosts):
        """Packets of a queue pair count their IPv4 IDs from 0, whatever is sent again: every 256th is lost. An
        acknowledgement at the end, and NAKs: too few for one to be lost."""
        return one_leaf(flow("h1", "h2", size, op=op), hosts={"ack-every": 1024, "rto": "2ms"} | hosts,
                        events=[{"at": "0us", "link": "h1-leaf1", "drop": {"ip-id-low-byte": 0xff}}])

    def test_selective_sends_the_lost_again_and_no_other(self):
        # 977 packets and what is sent again: (977 + 3) // 256 = 3 are lost, none of them the last.
        for op, placement in itertools.product(OPS, self.PLACEMENTS):
            with self.subTest(op=op, placement=placement):
                sim = self.lossy(self.drop_one_in_256(op, recovery="selective", placement=placement))
                self.assertEqual(drops({"h1": sim.nodes["h1"]}), {"link-fault": 3})
                self.assertEqual(sim.flows[0]["retransmitted"], 3)
                self.assertEqual(data(sim.nodes, "leaf1", "swp2"), 977)     # each arrives once
                self.assertLess(sim.flows[0]["fct_ps"], 2 * 10**9)          # and no timer was needed

    def test_go_back_n_sends_more(self):
        # In order, behind a loss: what left within a round trip is sent again. From the lost packet's start to when the
        # NAK is there: 4 links of 500 ns, 2 x 333.28 ns of the packet behind it and that one's wait of 334.24, and
        # 2 x 5.92: 3.01 us, within which 9.01 packets begin: it and 9 more.
        for op in OPS:
            with self.subTest(op=op):
                sim = self.lossy(self.drop_one_in_256(op, recovery="go-back-n", placement="in-order"))
                lost = drops({"h1": sim.nodes["h1"]})["link-fault"]
                self.assertEqual((977 + sim.flows[0]["retransmitted"]) // 256, lost)
                self.assertIn(sim.flows[0]["retransmitted"] / lost, (9, 10, 11))
                selective = self.lossy(self.drop_one_in_256(op, recovery="selective", placement="in-order"))
                self.assertLess(selective.flows[0]["fct_ps"], sim.flows[0]["fct_ps"])

    def test_go_back_0_never_gets_there(self):
        """Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016: the link is busy and nothing comes of it. An
        attempt is 256 packets at most, of 977."""
        for op in OPS:
            with self.subTest(op=op):
                sim = self.sim(self.drop_one_in_256(op, recovery="go-back-0") | {"stop": "5ms"})
                self.assertIsNone(sim.flows[0]["fct_ps"])
                self.assertEqual((sim.summary["completed"], sim.summary["goodput_gbps"]), (0, 0))
                # 5 ms at 334.24 ns a packet are 14959 starts; a reader's request has to come first, each time. New are
                # those of the first attempt, and what left within the round trip.
                sent = data(sim.nodes, "h1", "eth1")
                self.assertGreater(sent, .98 * 5e6 / 334.24)
                self.assertGreaterEqual(sim.flows[0]["retransmitted"], sent - 256 - 11)
                done = self.lossy(self.drop_one_in_256(op, recovery="go-back-n") | {"stop": "5ms"})
                self.assertEqual(done.summary["completed"], 1)

    def test_go_back_0_of_short_messages(self):
        # 200 packets: some of them meet no loss.
        sim = self.lossy(self.drop_one_in_256(size=f"{200 * MTU}B", recovery="go-back-0") | {
            "workload": [flow("h1", "h2", f"{200 * MTU}B", repeat=10)]})
        lost = drops({"h1": sim.nodes["h1"]})["link-fault"]
        self.assertGreater(lost, 5)
        # Each loss costs what its attempt had sent, and what left within the round trip.
        self.assertGreater(sim.flows[0]["retransmitted"], lost * 10)


class Mixture(Case):
    def test_random_settings(self):
        """Whatever hosts and links are set to: every flow completes, and nothing is lost but by the links."""
        draw = random.Random(4791)
        for number in range(80 if FULL else 30):
            leaves, spines, per_leaf = 2, draw.randrange(1, 4), draw.randrange(1, 4)
            recovery = draw.choice(Loss.RECOVERIES)
            loss, change = draw.choice((0.1, 1, 5)), draw.choice(("loss", "corrupt", "corrupt-payload"))
            most = 100_000 if recovery == "go-back-0" else 1_000_000       # an attempt has to meet no loss
            if recovery == "go-back-0" and loss == 5:
                loss = 1
            hosts = {"recovery": recovery, "placement": draw.choice(Loss.PLACEMENTS), "rto": "200us",
                     "reorder-window": draw.choice((8, 100, 1024)), "reorder-timeout": draw.choice(("5us", "50us")),
                     "ack-every": draw.choice((1, 4, 16, 100)), "ip": draw.choice((4, 6)), "ack-dscp": 0,
                     "path-mtu": draw.choice((256, 1024, 4096)), "qps": draw.choice((1, 1, 3)),
                     "congestion": draw.choice(("none", "none", "dcqcn", "dcqcn-mlx", "window"))}
            mode = draw.choice(("ecmp", "adaptive", "spray", "flowlet"))
            if recovery == "go-back-0" and hosts["placement"] == "in-order":
                mode = "ecmp"       # whatever is overtaken starts a message anew: it might never get there
            names = [f"h{n}" for n in range(1, 2 * per_leaf + 1)]
            workload = [flow(*draw.sample(names, 2), f"{draw.randrange(1, most)}B", op=draw.choice(OPS),
                             repeat=draw.choice((1, 1, 4)), at=f"{draw.randrange(50)}us") for _ in range(4)]
            description = fabric(
                leaves, spines, per_leaf, seed=number + 1, hosts=hosts, workload=workload, stop="1s",
                switch={"preset": "spectrum-x", "routing": {"mode": mode}},
                events=[{"at": "0us", "link": draw.choice(("h1-leaf1", "leaf2-spine1")), change: f"{loss}%"}])
            with self.subTest(number=number, description=description):
                sim = self.sim(description)
                # (Over several paths one may be faster than alone over one.)
                self.assertEqual([one for one in sim.flows if one["fct_ps"] is None], [])
                assert_balanced(sim.nodes)
                # Where the link loses an XOFF, headroom may not do.
                self.assertLessEqual(set(sim.drops), {"link-fault", "bad-fcs", "bad-icrc", "headroom"})


class Spread(Case):
    """Several paths, placed as they come, each packet asked for by itself."""

    def test_loss_on_every_path(self):
        # Four hosts to four, over 4 spines of which all links to leaf1 lose 1 %. What arrives twice was sent again for
        # nothing. Only a timeout does so: a packet that is missing is asked for once, and goes once for that. A flow
        # that took less than `rto` longer than alone had no timeout; others had one where a NAK, or what was sent
        # again, was lost too: then all goes again that is not acknowledged.
        rto = 2 * 10**9
        packets, without = -(-2_000_000 // MTU), 0
        for seed in range(1, 7):
            sim = self.sim(fabric(
                2, 4, 4, seed=seed, switch={"preset": "spectrum-x", "routing": {"mode": "adaptive"}},
                hosts={"placement": "out-of-order", "recovery": "selective", "rto": "2ms", "ack-every": 16,
                       "ack-dscp": 0, "reorder-timeout": "50us"},
                workload=[flow(f"h{n}", f"h{n + 4}", "2MB") for n in range(1, 5)],
                events=[{"at": "0us", "link": f"leaf1-spine{n}", "loss": "1%"} for n in range(1, 5)]))
            assert_complete(self, sim)
            assert_balanced(sim.nodes)
            self.assertEqual(set(sim.drops), {"link-fault"})
            self.assertGreater(min(data(sim.nodes, "leaf1", f"swp{n}") for n in range(5, 9)), 200)
            for n, one in enumerate(sim.flows, 1):
                sent, arrived = data(sim.nodes, f"h{n}", "eth1"), data(sim.nodes, "leaf2", f"swp{n}")
                self.assertEqual(one["retransmitted"], sent - packets)
                with self.subTest(seed=seed, flow=n):
                    timeouts = (one["fct_ps"] - one["ideal_ps"]) // rto
                    if timeouts == 0:
                        self.assertEqual(arrived, packets)
                        without += 1
                    self.assertLess(arrived - packets, timeouts * packets + 1)
        self.assertGreater(without, 12)

    def test_queue_pairs_take_several_ways(self):
        # 1 MB in one queue pair goes by one uplink, in 4 by several, a quarter each; by the hash of the queue pair too.
        for mode in ("ecmp", "ecmp-qp"):
            for qps in (1, 4):
                sim = self.sim(fabric(2, 8, 1, switch={"preset": "spectrum-x", "routing": {"mode": mode}},
                                      hosts={"ack-dscp": 0}, workload=[flow("h1", "h2", f"{1024 * 256}B", qps=qps)]))
                assert_complete(self, sim)
                self.assertEqual(sim.summary["out_of_order"], 0)
                ways = [data(sim.nodes, "leaf1", f"swp{n}") for n in range(2, 10)]
                self.assertEqual(sum(ways), 64)
                self.assertEqual({way % (64 // qps) for way in ways}, {0})
                used = sum(way > 0 for way in ways)
                self.assertTrue(used == 1 if qps == 1 else 2 <= used <= 4, ways)


class Congestion(Case):
    def test_readers_slow_their_responders(self):
        # Three hosts' data for one: marked at its port, CNPs go to those that answer, and they slow down; no pause. The
        # same by WRITE: as many bytes in about as much time.
        switch = ECMP | {"qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "200KB"}}}}}
        times = {}
        for op in ("write", "read"):
            sim = self.sim(fabric(1, 0, 4, switch=switch, hosts={"congestion": "dcqcn"}, workload=[
                flow(f"h{n}", "h1", "4MB", op=op) for n in (2, 3, 4)]))
            assert_complete(self, sim)
            self.assertEqual((sim.summary["drops"], sim.summary["pfc_tx"]), (0, 0))
            self.assertGreaterEqual(sim.summary["cnps"], 6)
            times[op] = max(one["fct_ps"] for one in sim.flows)
        self.assertAlmostEqual(times["read"] / times["write"], 1, delta=.05)


class Planes(Case):
    INSIDE = {"rate": "1T", "delay": "700ns"}     # a byte takes 8 ps

    def planes(self, *workload, **hosts):
        description = fabric(2, 1, 1, switch=ECMP, hosts={"inside": self.INSIDE} | hosts, workload=workload)
        description["fabric"]["topology"]["planes"] = 2
        return self.sim(description)

    def packets(self, sim):
        """Of each plane's spine."""
        return [sum(port["rx_packets"] for port in sim.nodes[f"p{plane}-spine1"]["ports"].values()) for plane in (1, 2)]

    def test_within_a_plane(self):
        path = [Hop(100 * 10**9, 500 * NS)] * 4
        for op, plane in itertools.product(OPS, (1, 2)):
            sim = self.planes(flow(f"h1.eth{plane}", f"h2.eth{plane}", "123457B", op=op))
            (one,) = sim.flows
            self.assertEqual((one["fct_ps"], one["ideal_ps"]), (completion(123457, path, op=op),) * 2)
            self.assertEqual(self.packets(sim)[2 - plane], 0)
            self.assertGreater(self.packets(sim)[plane - 1], 30)

    def test_across_planes(self):
        """From the GPU of plane 1 to that of plane 2: handed inside the host first, which takes its delay and the bytes
        at its rate, exactly; then all goes by plane 2. Each time anew."""
        path = [Hop(100 * 10**9, 500 * NS)] * 4
        for op, size in itertools.product(OPS, (1, 123_457)):
            for source, sink in (("h1.eth1", "h2.eth2"), ("h1.eth2", "h2.eth1")):
                with self.subTest(op=op, size=size, source=source):
                    sim = self.planes(flow(source, sink, f"{size}B", op=op, at="3us", repeat=3))
                    (one,) = sim.flows
                    expected = 700 * NS + size * 8 + completion(size, path, op=op)
                    self.assertEqual((one["fct_ps"], one["ideal_ps"]), (expected,) * 2)
                    self.assertEqual(self.packets(sim)[1 if source == "h1.eth2" else 0], 0)
                    self.assertEqual(sim.summary["last_event_ps"], 3 * US + 3 * expected)


class OnTheWire(Case):
    """Captures of whole packets, both ways, as Wireshark, scapy and the definition of the ICRC see them."""

    def capture(self, ip, *workload, **more):
        sim = self.sim(one_leaf(*workload, hosts={"ip": ip, "path-mtu": 1024},
                                record={"pcap": ["leaf1.swp1"], "snaplen": "full"}, **more))
        path = sim.directory / "leaf1.swp1.pcapng"
        self.assert_dissects(path)
        packets = read_pcapng(path)
        for packet in packets:
            self.assertEqual(len(packet.data), packet.length)
            self.assertTrue(icrc_valid(packet.data), packet.data.hex())
            if ip == 4:
                self.assert_scapy_agrees(packet.data)
        return path, packets

    def assert_scapy_agrees(self, frame):
        from scapy.contrib.roce import BTH
        from scapy.layers.l2 import Ether
        end = 14 + struct.unpack_from(">H", frame, 16)[0]
        self.assertEqual(Ether(frame[:end])[BTH].compute_icrc(None), frame[end - 4:end])

    def test_write_and_send(self):
        # 2500 B are packets of 1024, 1024 and 452 B; FIRST and ONLY of a WRITE have a RETH. (Of a SEND of less than 8 B
        # Wireshark's guess at RPC-over-RDMA reads on behind its end.)
        for ip, (op, opcodes) in itertools.product((4, 6), (("write", (6, 7, 8, 10)), ("send", (0, 1, 2, 4)))):
            with self.subTest(ip=ip, op=op):
                path, _ = self.capture(ip, flow("h1", "h2", "2500B", op=op), flow("h1", "h2", "31B", op=op, at="50us"))
                rows = tshark(path, "infiniband.bth.opcode", "infiniband.reth.dmalen", "infiniband.bth.a",
                              "infiniband.bth.padcnt", "infiniband.aeth.msn", "ip.dsfield.ecn", "ipv6.tclass.ecn")
                first, middle, last, only = (str(one) for one in opcodes)
                ect = ("2", "") if ip == 4 else ("", "2")
                dma = ("2500", "31") if op == "write" else ("", "")
                data_rows = [row for row in rows if row[0] != "17"]
                acks = [row for row in rows if row[0] == "17"]
                flag = [row[2] in ("1", "True") for row in data_rows]
                self.assertEqual([row[:2] + row[3:] for row in data_rows], [
                    (first, dma[0], "0", "", *ect), (middle, "", "0", "", *ect), (last, "", "0", "", *ect),
                    (only, dma[1], "1", "", *ect)])
                self.assertEqual(flag, [False, False, True, True])
                self.assertEqual([row[4] for row in acks], ["0", "0", "1", "1"])

    def test_read(self):
        # h2 asks h1: the request's RETH has all bytes, responses but the middle one an AETH, PSNs run from the
        # request's on.
        for ip in (4, 6):
            path, packets = self.capture(ip, flow("h1", "h2", "2501B", op="read"),
                                         flow("h1", "h2", "7B", op="read", at="50us"))
            rows = tshark(path, "infiniband.bth.opcode", "infiniband.bth.psn", "infiniband.reth.dmalen",
                          "infiniband.aeth.msn", "infiniband.aeth.syndrome", "infiniband.bth.padcnt")
            psn, again = int(rows[0][1]), int(rows[4][1])
            self.assertEqual([(int(row[0]), int(row[1]), row[2], row[3], row[5]) for row in rows], [
                (12, psn, "2501", "", "0"), (13, psn, "", "1", "0"), (14, psn + 1, "", "", "0"),
                (15, psn + 2, "", "1", "3"), (12, again, "7", "", "0"), (16, again, "", "1", "1")])
            self.assertEqual({int(row[4], 0) for row in rows if row[4]}, {0x1F})
            # 14 + 20 or 40 + 8 + 12, 16 of RETH or 4 of AETH, payload and pad, ICRC.
            head = 54 if ip == 4 else 74
            self.assertEqual([packet.length for packet in packets],
                             [head + 20, head + 8 + 1024, head + 4 + 1024, head + 8 + 456, head + 20, head + 8 + 8])

    def test_immediate(self):
        # Collectives: the last packet of each message carries the sender's queue pair.
        for ip in (4, 6):
            path, _ = self.capture(ip, {"kind": "all-reduce", "size": "5000B"})
            rows = tshark(path, "infiniband.bth.opcode", "infiniband.immdt", display="infiniband.bth.opcode <= 11")
            self.assertEqual(collections.Counter(row[0] for row in rows), {"6": 4, "7": 4, "9": 4})
            self.assertEqual({row[0] for row in rows if row[1]}, {"9"})

    def test_nak(self):
        # A gap: one NAK, syndrome 0x60, with the PSN of the packet that is missing.
        for op in ("write", "send"):
            path, _ = self.capture(4, flow("h1", "h2", "40KB", op=op), events=[
                {"at": "900ns", "link": "h1-leaf1", "loss": "100%", "for": "80ns"}])
            rows = tshark(path, "infiniband.bth.psn", "infiniband.aeth.syndrome",
                          display="infiniband.bth.opcode == 17")
            naks = [int(psn) for psn, syndrome in rows if int(syndrome, 0) == 0x60]
            sent = [int(row[0]) for row in tshark(path, "infiniband.bth.psn", display="infiniband.bth.opcode <= 10")]
            missing = [before + 1 for before, after in zip(sent, sent[1:]) if after > before + 1]
            self.assertEqual(len(missing), 1)
            self.assertEqual(naks, missing)


if __name__ == "__main__":
    unittest.main()
