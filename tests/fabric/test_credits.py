# SPDX-License-Identifier: BSD-3-Clause
"""Credits on links: how much they let through, to the picosecond; that nothing is ever lost for want of buffer; that
lost credit packets and lost data heal; and that a cycle of buffers deadlocks as `roost check` says.

Links of 100G and 500 ns unless given: a byte takes 80 ps. A block has 64 B.
"""
import unittest

from common import *

BYTE, DELAY = 80, 500_000
UPDATE = 8 * BYTE               # a credit packet on the wire
GRANTED = 3                     # lanes in use without a preset: 0, 3 and 6
NEVER = "1s"                    # no grant is repeated while a test runs


def slot(frame):
    """From the start of a frame to that of the next."""
    return (frame + 24) * BYTE


def on_wire(frame):
    """From the start of a frame to its arrival."""
    return (frame + 12) * BYTE + DELAY


def blocks(frame, block=64):
    return -(-frame // block)


def round_trip(frame):
    """From the start of a packet to the instant at which its credit is back, if it is passed on at once."""
    return on_wire(frame) + UPDATE + DELAY


def credit(buffer="auto", flow_control="credit", buffer_size="16MB", **keys):
    qos = {key: keys.pop(key) for key in ("tc", "priority-to-tc", "dscp-to-priority") if key in keys}
    return {"buffer": {"size": buffer_size, "cell": 64 if flow_control == "credit" else 128},
            "qos": {"flow-control": flow_control, "credit": {"buffer": buffer, **keys}} | qos}


def stream(src, dst, frame, until, **more):
    """Packets faster than the link takes them."""
    return {"kind": "stream", "from": src, "to": dst, "packet": f"{frame}B", "rate": "100G", "until": until} | more


def departures(frame, packets, held):
    """When the packets of a backlogged stream leave the host and the leaf, where the receive buffers at the leaf and at
    the far host hold `held` packets each. A host takes what it gets at once."""
    back = UPDATE + DELAY
    host, leaf = [], []
    for i in range(packets):
        start = i * frame * BYTE                        # when the stream has it ready
        if i > 0:
            start = max(start, host[-1] + slot(frame))
        if i >= held:
            start = max(start, leaf[i - held] + back)
        host.append(start)
        start += on_wire(frame)
        if i > 0:
            start = max(start, leaf[-1] + slot(frame))
        if i >= held:
            start = max(start, leaf[i - held] + on_wire(frame) + back)
        leaf.append(start)
    return host, leaf


class Throughput(Case):
    """One stream through one leaf."""

    AT = 60_000_000

    def received(self, frame, buffer, **keys):
        """Packets that the far host has at AT."""
        sim = self.sim(fabric(1, 0, 2, mtu=frame - 14, switch=credit(buffer, resend=NEVER, **keys),
                              workload=[stream("h1", "h2", frame, "100us", priority=3)], stop="200us",
                              events=[{"at": f"{self.AT}ps", "snapshot": "full"}]))
        sim.assert_conserved()
        self.assertEqual(sim.drops, {})
        return sim.snapshots[0]["nodes"]["h2"]["ports"]["eth1"], sim

    def expected(self, frame, held):
        _, leaf = departures(frame, self.AT // (frame * BYTE) + 1, held)
        return sum(start + on_wire(frame) <= self.AT for start in leaf)

    def test_exactly_what_credits_allow(self):
        """Of a few packets in the buffer up to what fills the link, and beyond."""
        for frame in (1000, 1088, 2048, 4160):
            full = -(-round_trip(frame) // slot(frame))
            for held in sorted({2, 3, full - 1, full, full + 1, 4 * full}):
                # What a frame of the MTU with two tags needs must fit, so one packet alone is not enough.
                buffer = max(held * blocks(frame), blocks(frame + 8)) * 64
                with self.subTest(frame=frame, held=held):
                    port, _ = self.received(frame, f"{buffer}B")
                    self.assertEqual(port["rx_packets"] - port["control_rx"], self.expected(frame, held))

    def test_how_many_credits_fill_a_link(self):
        """A round trip at the rate of the link, in whole packets: with fewer the link stands still between them."""
        for frame in (1088, 4160):
            full = -(-round_trip(frame) // slot(frame))
            self.assertEqual(full, {1088: 13, 4160: 4}[frame])
            most = self.expected(frame, 100 * full)
            for held, fills in ((full, True), (full - 1, False)):
                port, sim = self.received(frame, f"{held * blocks(frame) * 64}B")
                self.assertEqual(port["rx_packets"] - port["control_rx"] == most, fills)
                waited = sim.nodes["h1"]["ports"]["eth1"]["credit_wait_ns"][3]
                self.assertEqual(waited == 0, fills, waited)

    def test_automatic_buffers_fill_links(self):
        for rate, cable in ((100, "3m"), (100, "300m"), (400, "100m"), (25, "1km")):
            links = {"rate": f"{rate}G", "cable": cable}
            for flow_control in ("credit", "cbfc"):
                with self.subTest(rate=rate, cable=cable, flow_control=flow_control):
                    sim = self.sim(fabric(1, 0, 2, host_link=links, workload=[flow("h1", "h2", "3MB")],
                                          switch=credit(flow_control=flow_control)))
                    self.assertEqual(sim.drops, {})
                    self.assertEqual(sim.nodes["h1"]["ports"]["eth1"]["credit_wait_ns"], [0] * 8)

    def test_grants_that_wait_for_packets_and_for_each_other(self):
        """Three lanes both ways: each update waits for a frame and for the spacing after the one before."""
        work = [flow(*pair, "300KB", priority=priority) for pair in (("h1", "h2"), ("h2", "h1")) for priority in (0, 3, 6)]
        for mtu in (1500, 4200):
            sim = self.sim(fabric(1, 0, 2, mtu=mtu, host_link={"rate": "100G", "cable": "3m"}, workload=work,
                                  switch=credit(flow_control="cbfc", buffer_size="64MB")))
            for node, port in (("h1", "eth1"), ("h2", "eth1"), ("leaf1", "swp1"), ("leaf1", "swp2")):
                self.assertEqual(sim.nodes[node]["ports"][port]["credit_wait_ns"], [0] * 8)

    def test_twelve_bits(self):
        """At most 2048 blocks are granted ahead, however large the buffer."""
        sim = self.sim(fabric(1, 0, 2, workload=[flow("h1", "h2", "100KB")], stop="300us",
                              switch=credit("1MB", buffer_size="64MB")))
        self.assertEqual(sim.nodes["h1"]["ports"]["eth1"]["credit_available"], [2048 * 64 if i in (0, 3, 6) else 0
                                                                               for i in range(8)])
        sim = self.sim(fabric(1, 0, 2, workload=[flow("h1", "h2", "100KB")], stop="300us",
                              switch=credit("1MB", flow_control="cbfc", buffer_size="64MB")))
        self.assertEqual(sim.nodes["h1"]["ports"]["eth1"]["credit_available"][3], 1_000_000 // 128 * 128)


class Waits(Case):
    def test_a_run_says_where_packets_waited(self):
        """An incast holds up its senders: links.csv has the sum over lanes, and the summary the longest of a lane."""
        work = [{"kind": "incast", "to": "h4", "from": ["h1", "h2", "h3"], "size": "200KB", "priority": 3},
                flow("h1", "h4", "100KB", priority=0)]
        sim = self.sim(fabric(1, 0, 4, workload=work, switch=credit("20KB")))
        waits = {f"{name}.{at}": port["credit_wait_ns"] for name, node in sim.nodes.items() for at, port in node["ports"].items()}
        self.assertEqual(set(waits), {link["src"] for link in sim.links})
        for link in sim.links:
            self.assertLessEqual(abs(link["credit_wait_ns"] - sum(waits[link["src"]])), 2, link)    # each is rounded down
        self.assertGreater(min(waits["h1.eth1"][0], waits["h1.eth1"][3]), 1000)
        grants = sum(sum(port["credit_tx"]) for node in sim.nodes.values() for port in node["ports"].values())
        most, at, lane = max((ns, at, lane) for at, lanes in waits.items() for lane, ns in enumerate(lanes))
        line = re.search(r"^(credits .* lane \d), ([\d.]+) us$", sim.done.out, re.M)
        self.assertEqual(line[1], f"credits {grants} grants sent; longest wait: {at} lane {lane}")
        self.assertAlmostEqual(float(line[2]), most / 1000, delta=.1)
        self.assertNotIn("credits", self.sim(fabric(1, 0, 4, workload=work)).done.out)
        self.assertEqual({link["credit_wait_ns"] for link in self.sim(fabric(1, 0, 4, workload=work)).links}, {0})


class TwoLeaves(Case):
    def test_a_host_grants_each_of_its_leaves(self):
        """Of a host with a port in each of two planes: each port has the receive buffer that the leaf behind it has, so each
        leaf gets grants of its own, and gives some."""
        own = {"p1-leaf1": "20KB", "p2-leaf1": "100KB"}
        description = fabric(1, 0, 2, mtu=4200, switch=credit("50KB"), hosts={"transport": "mrc"},
                             workload=[flow("h1", "h2", "4MB")]) | {
            leaf: {"qos": {"credit": {"buffer": size}}} for leaf, size in own.items()}
        description["fabric"]["topology"]["planes"] = 2
        sim = self.sim(description)
        self.assertIsNotNone(sim.flows[0]["fct_ps"])
        assert_balanced(sim.nodes)
        self.assertEqual(sim.drops, {})
        data = 4_000_000 // 4096 + 1
        for plane, size in ((1, 20_000), (2, 100_000)):
            leaf, port = sim.nodes[f"p{plane}-leaf1"]["ports"], f"eth{plane}"
            for host, at in (("h1", "swp1"), ("h2", "swp2")):
                for node in (sim.nodes[host]["ports"][port], leaf[at]):
                    self.assertEqual([node["credit_available"][lane] for lane in (0, 3, 6)], [size // 64 * 64] * 3)
                    # Of repeated grants the last may be on the wire.
                self.assertAlmostEqual(leaf[at]["credit_rx"][3], sim.nodes[host]["ports"][port]["credit_tx"][3], delta=1)
            self.assertGreaterEqual(sim.nodes["h2"]["ports"][port]["credit_tx"][3], data // 2)
            self.assertGreaterEqual(leaf["swp1"]["credit_tx"][3], data // 2)


class Repeats(Case):
    """What is lost heals."""

    def test_an_idle_link_repeats_its_grants(self):
        """Each lane every 262,144 B: 20.97152 us at 100G; what is put on the wire at 200 us has not arrived."""
        sim = self.sim(fabric(1, 0, 2, switch=credit(), stop="200us"))
        each = 200_000_000 // (262144 * BYTE)
        port = sim.nodes["leaf1"]["ports"]["swp1"]
        self.assertEqual(port["credit_tx"], [each if i in (0, 3, 6) else 0 for i in range(8)])
        self.assertEqual(port["credit_rx"], port["credit_tx"])
        self.assertEqual(port["tx_packets"], GRANTED * each)
        self.assertEqual(port["tx_bytes"], 8 * GRANTED * each)
        sim.assert_conserved()

    def heal(self, flow_control, **fault):
        """A fault of the host's link while a stream fills it. Some time later all credit is back."""
        sim = self.sim(fabric(1, 0, 2, switch=credit("64KB", flow_control=flow_control), stop="1ms",
                              workload=[stream("h1", "h2", 1000, "100us", priority=3)],
                              events=[{"at": "20us", "link": "h1-leaf1", **fault, "for": "50us"}]))
        assert_balanced(sim.nodes)
        for node, port in (("h1", "eth1"), ("leaf1", "swp1"), ("leaf1", "swp2"), ("h2", "eth1")):
            block = 64 if flow_control == "credit" else 128
            self.assertEqual(sim.nodes[node]["ports"][port]["credit_available"][3], 64_000 // block * block, (node, port))
        return sim

    def test_losses_heal(self):
        for flow_control in ("credit", "cbfc"):
            for fault in ({"loss": "10%"}, {"corrupt": "10%"}, {"loss": "100%"}, {"state": "down"}):
                with self.subTest(flow_control=flow_control, fault=fault):
                    sim = self.heal(flow_control, **fault)
                    self.assertEqual(set(sim.drops) <= {"link-fault", "bad-fcs", "link-down"}, True, sim.drops)
                    if "loss" in fault:
                        self.assertGreater(sim.nodes["leaf1"]["ports"]["swp1"]["credit_recovered"][3], 0)

    def test_lost_grants_hold_a_link_until_one_is_repeated(self):
        """All that the link carries from 10 to 13 us is lost: the grants for the two packets that the leaf has room for.
        It repeats the last of them after 262,144 B, and the host goes on when that is there, to the picosecond."""
        frame = 4160
        _, leaf = departures(frame, 30, 2)
        lost = [at for at in leaf if 10_000_000 <= at < 13_000_000][:2]
        resumes = lost[-1] + 262144 * BYTE + UPDATE + DELAY
        sim = self.sim(fabric(1, 0, 2, mtu=frame - 14, switch=credit(f"{2 * blocks(frame) * 64}B"),
                              workload=[stream("h1", "h2", frame, "100us", priority=3)], stop="60us",
                              events=[{"at": "10us", "link": "h1-leaf1", "loss": "100%", "for": "3us"}] +
                                     [{"at": f"{at}ps", "snapshot": "full"} for at in (14_000_000, resumes, resumes + 1)]))
        held, still, resumed = (one["nodes"]["h1"]["ports"]["eth1"]["queue"][3]["packets"] for one in sim.snapshots)
        self.assertEqual((still, resumed), (held, held + 1))


class Lanes(Case):
    """Arbitration by two tables. Three hosts send to h4 on lanes 0, 3 and 5, each as fast as its link."""

    FRAME = 1088        # 17 units of 64 B

    def counts(self, tables, times, changes=()):
        """How many packets of each lane left by the port of h4 between the times, in ps."""
        switch = credit("16KB", arbitration=tables, **{
            "priority-to-tc": {0: 0, 3: 3, 5: 5, 6: 0}, "dscp-to-priority": {0: 0, 26: 3, 40: 5, "default": 0}})
        work = [stream(f"h{i + 1}", "h4", self.FRAME, "200us", priority=priority) for i, priority in enumerate((0, 3, 5))]
        sim = self.sim(fabric(1, 0, 4, mtu=self.FRAME - 14, switch=switch, workload=work, stop="151us",
                              events=[*({"at": f"{at}ps", "snapshot": "full"} for at in times), *changes]))
        self.assertEqual(sim.drops, {})
        totals = [[one["nodes"]["leaf1"]["ports"]["swp4"]["queue"][lane]["packets"] for lane in (0, 3, 5)] for one in sim.snapshots]
        return [[a - b for a, b in zip(after, before)] for before, after in zip(totals, totals[1:])]

    def shares(self, **tables):
        """The same between 50 and 150 us."""
        return self.counts(tables, (50_000_000, 150_000_000))[0]

    def test_weights_are_shares_to_the_packet(self):
        """An entry of weight w sends ceil(w / 17) packets of 17 units in its turn."""
        for weights in ((17, 17, 17), (17, 34, 51), (1, 18, 255), (255, 100, 50)):
            turn = [-(-weight // 17) for weight in weights]
            with self.subTest(weights=weights):
                got = self.shares(low="0:%d,3:%d,5:%d" % weights)
                rounds = sum(got) / sum(turn)
                for count, each in zip(got, turn):
                    self.assertAlmostEqual(count, rounds * each, delta=each)

    def test_the_high_table_and_its_limit(self):
        """limit x 4096 B of high, rounded up to packets, then one of low."""
        for limit, high in ((0, 1), (1, 4), (2, 8), (10, 38)):
            self.assertEqual(high, max(1, -(-limit * 64 // 17)))
            with self.subTest(limit=limit):
                got = self.shares(high="5:255", low="0:255,3:255", limit=limit)
                self.assertAlmostEqual(got[2] / (got[0] + got[1]), high, delta=.3)
        self.assertEqual(self.shares(high="5:255", low="0:255,3:255", limit="unlimited")[:2], [0, 0])

    def test_tables_change_while_packets_wait(self):
        """From the instant of a change on, the entries of the new tables take turns, from the first one. What was left of a turn
        of the old ones, 15 packets of the third entry, is gone: the new tables have no such entry."""
        change, packets = 100_000_000, 60
        change += slot(self.FRAME) // 2
        times = [0, 50_000_000, change, change + packets * slot(self.FRAME)]
        for new, turns in (({"high": "0:17", "low": "3:17,5:17", "limit": 0}, (2, 1, 1)),
                           ({"high": "none", "low": "3:17,0:34,5:51", "limit": 0}, (2, 1, 3)),
                           ({"high": "5:255,3:255", "low": "0:1", "limit": "unlimited"}, (0, 1, 1))):
            with self.subTest(new=new):
                got = self.counts({"low": "3:1,5:1,0:255"}, times, [{"at": f"{change}ps", "set": "leaf1.qos.credit.arbitration",
                                                                    "to": new}])
                rounds = sum(got[1]) / 17
                for count, each in zip(got[1], (15, 1, 1)):
                    self.assertAlmostEqual(count, rounds * each, delta=each)
                self.assertEqual(got[2], [packets * each // sum(turns) for each in turns])

    def test_tables_come_and_go(self):
        """Without tables the classes' schedulers decide, as before there were any."""
        times = [50_000_000, 75_000_000, 100_000_000, 125_000_000]
        got = self.counts({}, times, [{"at": "75us", "set": "switch.qos.credit.arbitration", "to": {"low": "0:17,3:34,5:34"}},
                                      {"at": "100us", "unset": "switch.qos.credit.arbitration"}])
        each = 25_000_000 // slot(self.FRAME)
        for counts, turns in zip(got, ((1, 1, 1), (1, 2, 2), (1, 1, 1))):
            for count, share in zip(counts, turns):
                self.assertAlmostEqual(count, each * share / sum(turns), delta=5, msg=got)

    def test_the_link_is_full(self):
        got = self.shares(high="5:20", low="0:30,3:40", limit=1)
        self.assertAlmostEqual(sum(got), 100_000_000 / slot(self.FRAME), delta=1)


RING = {"fabric": {"topology": {
    "kind": "explicit",
    "nodes": {f"leaf{i}": "leaf" for i in range(1, 5)} | {f"h{i}": "host" for i in range(1, 5)},
    "links": [{"a": f"h{i}.eth1", "b": f"leaf{i}.swp1"} for i in range(1, 5)] +
             [{"a": f"leaf{i}.swp2", "b": f"leaf{i % 4 + 1}.swp3"} for i in range(1, 5)]}}}
CLOCKWISE = [{"at": "0us", "node": f"leaf{at}", "route": {"prefix": f"10.0.{to}.0/24", "via": [f"leaf{at % 4 + 1}"]}}
             for at in range(1, 5) for to in range(1, 5) if at != to]


class Cycle(Case):
    """Four leaves in a ring, whose packets all go clockwise: the textbook's deadlock (Dally and Seitz 1987)."""

    def description(self, events):
        work = [stream(f"h{i}", f"h{(i + 1) % 4 + 1}", 4000, "400us", priority=3) for i in range(1, 5)]
        return RING | {"switch": credit("20KB"), "workload": work, "stop": "2ms",
                       "events": [*events, {"at": "1ms", "snapshot": "full"}]}

    def left(self, nodes):
        return [nodes[f"leaf{i}"]["ports"]["swp2"]["queue"][3]["packets"] for i in range(1, 5)]

    def test_a_cycle_deadlocks(self):
        sim = self.sim(self.description(CLOCKWISE))
        self.assertEqual(self.left(sim.snapshots[0]["nodes"]), self.left(sim.nodes))
        self.assertEqual(sim.drops, {})
        for i in range(1, 5):
            port = sim.nodes[f"leaf{i}"]["ports"]["swp2"]
            self.assertGreater(port["queue"][3]["depth"], 0)
            self.assertLess(port["credit_available"][3], 4000)
            self.assertGreater(port["credit_wait_ns"][3], 1_000_000)

    def test_check_foresees_it(self):
        done = roost("check", self.file(self.description(CLOCKWISE)))
        self.assertIn("depend on each other in a cycle, so credits can deadlock: "
                      "leaf1.swp2 -> leaf2.swp2 -> leaf3.swp2 -> leaf4.swp2 -> leaf1.swp2", done.err)

    def test_computed_routes_have_none(self):
        path = self.file(self.description([]))
        self.assertNotIn("deadlock", roost("check", path).err)
        sim = self.sim(self.description([]))
        for i in range(1, 5):
            self.assertEqual([queue["depth"] for queue in sim.nodes[f"leaf{i}"]["ports"]["swp2"]["queue"]], [0] * 8)


class InfiniBand(Case):
    """Credits in a fabric of InfiniBand switches: lanes are the VLs of the packets."""

    def test_an_incast(self):
        description = fabric(2, 2, 3, switch=credit("20KB"), workload=[
            {"kind": "incast", "to": "h1", "from": ["h2", "h4", "h5", "h6"], "size": "200KB"}, flow("h3", "h6", "200KB")])
        description["fabric"]["link-layer"] = "infiniband"
        sim = self.sim(description)
        self.assertEqual(sim.drops, {})
        assert_complete(self, sim)
        sim.assert_conserved()
        self.assertGreater(sim.nodes["h4"]["ports"]["eth1"]["credit_wait_ns"][3], 0)
        self.assertGreater(sim.nodes["leaf1"]["ports"]["swp1"]["credit_rx"][3], 0)


class LinkDown(Case):
    def test_what_a_dead_link_loses_takes_no_credit(self):
        """More is lost meanwhile than 12 bits count. What is granted afterwards still fits into the receive buffer."""
        for down in (12, 13, 15, 36):
            for flow_control in ("credit", "cbfc"):
                with self.subTest(down=down, flow_control=flow_control):
                    sim = self.sim(fabric(1, 0, 2, host_link={"rate": "100G", "cable": "1km"},
                                          switch=credit("9000B" if flow_control == "credit" else "9216B", flow_control),
                                          workload=[stream("h1", "h2", 1000, "200us", priority=3)], stop="300us",
                                          events=[{"at": "50us", "link": "h1-leaf1", "state": "down", "for": f"{down}us"}]))
                    sim.assert_conserved()
                    self.assertLessEqual(set(sim.drops), {"link-down"})


class Settings(Case):
    def refused(self, description, text):
        done = roost("check", self.file(description), status=2)
        self.assertIn(text, done.err)

    def test_what_contradicts_credits(self):
        plain = credit()
        self.refused(fabric(switch=plain | {"buffer": {"cell": 192}}),
                     "flow-control credit counts blocks of 64 bytes, and a cell has 192: set buffer.cell to 64")
        too_small = "qos.credit.buffer: on leaf1 swp1: %d B is too small for a frame of MTU 9216: at least %d B are needed\n"
        self.refused(fabric(switch=credit("9KB"), mtu=9216), too_small % (9000, 9280))
        self.refused(fabric(switch=credit("9KB", update="1KB"), mtu=9216), too_small % (9000, 10280))
        self.refused(fabric(switch=credit("20KB", update="1MB"), mtu=9216),
                     f"qos.credit.update: on leaf1 swp1: at most {312 * 64 - 9280} B with a receive buffer of {312 * 64} B, which "
                     "must also hold a frame of MTU 9216\n")
        self.refused(fabric(switch=credit("1MB", buffer_size="2MB")),
                     "do not hold the 6000000 B of receive buffers of 3 lanes at 2 ports: raise buffer.size or lower qos.credit.buffer")
        self.refused(fabric(switch=credit(arbitration={"low": "0:1"})), "lane 3, of priority 3, is in neither table")
        self.refused(fabric(switch=credit(arbitration={"low": "8:1"})), "LANE:WEIGHT")
        self.refused(fabric(switch=credit(arbitration={"low": "0:256"})), "LANE:WEIGHT")
        self.refused(fabric(switch=credit(tc={0: {"fairness": "tenant"}})), "not supported on links with credits")

    def test_devices_have_none(self):
        self.refused({"switch": {"name": "dut", "ports": {"swp1": {"dev": "net_null0", "rate": "100G"}}} | credit()},
                     "has a device, which cannot grant credit")

    def test_both_ends_need_them(self):
        self.refused(fabric(1, 1, 2, leaf=credit(), switch={}), "both ends of a link need the same kind of credits")
        self.refused(fabric(1, 1, 2, leaf=credit(), spine=credit(flow_control="cbfc"), switch={}), "both ends of a link")

    def test_both_ends_need_the_same_lanes(self):
        switch = credit(**{"priority-to-tc": {3: 0, 6: 0, "default": 0}})
        self.refused(fabric(1, 1, 2, switch=switch, leaf={"qos": {"priority-to-tc": {3: 3, "default": 0}}}),
                     "leaf1 sends on lane 3, for which spine1 has no receive buffer")

    def test_what_is_never_granted_holds_nothing(self):
        """Of 256,000 B InfiniBand grants 131,072 ahead: with an update of 200,000 B none would ever come."""
        self.refused(fabric(switch=credit("256000B", update="200KB")), "at most 126848 B with a largest grant of 131072 B")

    def test_a_run_does_not_change_them(self):
        for key, value in (("qos.flow-control", "pfc"), ("qos.credit.buffer", "100KB"), ("qos.priority-to-tc", "{3: 4}"),
                           ("qos.credit", {"buffer": "100KB", "arbitration": {"low": "0:1,3:1,6:1"}})):
            description = fabric(switch=credit(), events=[{"at": "1us", "set": f"switch.{key}", "to": value}], stop="2us")
            done = roost("sim", self.file(description), status=2)
            self.assertIn("cannot change", done.err, key)


if __name__ == "__main__":
    unittest.main()
