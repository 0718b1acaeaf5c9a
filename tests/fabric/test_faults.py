# SPDX-License-Identifier: BSD-3-Clause
"""Links that lose and links that fail: every flow still completes, what is lost is counted with its
reason, and nothing goes where it cannot arrive."""
import math

from common import *

ECMP = {"preset": "spectrum-x", "routing": {"mode": "ecmp"}}
ADAPTIVE = {"preset": "spectrum-x", "routing": {"mode": "adaptive"}}


def sent(nodes, node, port):
    """Packets that have left by a port and were not lost on its link, PFC frames aside."""
    counters = nodes[node]["ports"][port]
    return counters["tx_packets"] - counters["control_tx"]


class Loss(Case):
    def test_go_back_n_mends_random_loss(self):
        # 1 % of the packets of one host's link, both directions, of both placements.
        for placement in ("in-order", "out-of-order"):
            with self.subTest(placement=placement):
                sim = self.sim(fabric(1, 0, 3, switch=ECMP, hosts={"placement": placement, "rto": "100us"},
                                      workload=[flow("h1", "h2", "4MB"), flow("h3", "h2", "400KB")],
                                      events=[{"at": "0us", "link": "h1-leaf1", "loss": "1%"}]))
                assert_complete(self, sim)
                assert_balanced(sim.nodes)
                first, second = sim.flows
                self.assertGreater(first["retransmitted"], 0)
                self.assertEqual(second["retransmitted"], 0)
                self.assertEqual(set(sim.drops), {"link-fault"})
                # Lost ones are counted where they were sent; of n tries, binomial.
                for name, port in (("h1", "eth1"), ("leaf1", "swp1")):
                    lost = drops({name: sim.nodes[name]})["link-fault"]
                    tried = lost + sim.nodes[name]["ports"][port]["tx_packets"]
                    self.assertLess(abs(lost - tried * .01), 4 * math.sqrt(tried * .01 * .99))

    def test_loss_ends_with_its_time(self):
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "4MB")],
                              events=[{"at": "50us", "link": "h1-leaf1", "loss": "100%", "for": "30us"},
                                      {"at": "49999ns", "snapshot": "full"}, {"at": "90us", "snapshot": "full"}]))
        before, after = (drops({"h1": one["nodes"]["h1"]}) for one in sim.snapshots)
        self.assertEqual(before, {})
        # 30 us at 4178 B a packet: 89.8 begin in this time, all lost. Nothing is after it.
        self.assertIn(after["link-fault"], (89, 90))
        self.assertEqual(drops({"h1": sim.nodes["h1"]}), after)
        assert_complete(self, sim)
        assert_balanced(sim.nodes)

    def test_one_packet_of_256(self):
        # A packet is lost when its IPv4 ID ends in 0xff; sent again, it has another. The ID counts per
        # queue pair from 0: every 256th sent is lost, and go-back-N goes on.
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "4MB")],
                              events=[{"at": "0us", "link": "h1-leaf1", "drop": {"ip-id-low-byte": 0xff}}],
                              record={"pcap": ["leaf1.swp1"], "snaplen": "64B"}))
        assert_complete(self, sim)
        (one,) = sim.flows
        h1 = sim.nodes["h1"]["ports"]["eth1"]
        tried = 977 + one["retransmitted"]
        self.assertEqual(h1["drops"], {"link-fault": tried // 256})
        self.assertEqual(h1["tx_packets"], tried - tried // 256)
        seen = [int(ident, 0) for (ident,) in tshark(sim.directory / "leaf1.swp1.pcapng", "ip.id",
                                                     display="infiniband.bth.opcode <= 10")]
        self.assertEqual(len(seen), h1["tx_packets"])
        self.assertEqual([ident for ident in seen if ident & 0xff == 0xff], [])

    def test_a_lost_acknowledgement(self):
        # The data packet leaves leaf1 0.84 us after its start; the ACK, at 1.7 us, is lost. 1 ms later the
        # packet is sent again, is a duplicate, and acknowledged.
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "4096B")],
                              events=[{"at": "1us", "link": "h2-leaf1", "loss": "100%", "for": "10us"}]))
        (one,) = sim.flows
        self.assertEqual((one["retransmitted"], one["fct_ps"]), (1, 10**9 + one["ideal_ps"]))
        self.assertEqual(drops({"h2": sim.nodes["h2"]}), {"link-fault": 1})
        self.assertEqual(sim.nodes["h2"]["ports"]["eth1"]["rx_packets"], 2)

    def test_a_lost_tail(self):
        # The only packet is lost: the retransmission timeout sends it again 1 ms after it was sent.
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "4096B")],
                              events=[{"at": "0us", "link": "h1-leaf1", "loss": "100%", "for": "1us"}]))
        (one,) = sim.flows
        self.assertEqual((one["retransmitted"], one["fct_ps"]), (1, 10**9 + one["ideal_ps"]))


class Corruption(Case):
    def test_a_wrong_fcs_is_seen_by_the_next_port(self):
        # 1 % of the frames of h1's link, both ways, are sent and arrive, and are dropped there: data at the leaf, ACKs
        # at the NIC; each side binomial. A capture at the leaf sees only the good ones.
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, hosts={"rto": "100us"}, workload=[flow("h1", "h2", "4MB")],
                              events=[{"at": "0us", "link": "h1-leaf1", "corrupt": "1%"}],
                              record={"pcap": ["leaf1.swp1"], "snaplen": "64B"}))
        assert_complete(self, sim)
        assert_balanced(sim.nodes)
        self.assertEqual(set(sim.drops), {"bad-fcs"})
        self.assertGreater(sim.flows[0]["retransmitted"], 0)
        for node, port in (("leaf1", "swp1"), ("h1", "eth1")):
            counters = sim.nodes[node]["ports"][port]
            tried = counters["rx_packets"]
            self.assertLess(abs(counters["drops"]["bad-fcs"] - tried * .01), 4 * math.sqrt(tried * .01 * .99))
        for a, b in ((("h1", "eth1"), ("leaf1", "swp1")), (("leaf1", "swp1"), ("h1", "eth1"))):
            self.assertEqual(sim.nodes[a[0]]["ports"][a[1]]["tx_packets"], sim.nodes[b[0]]["ports"][b[1]]["rx_packets"])
        seen = tshark(sim.directory / "leaf1.swp1.pcapng", "ip.id", display="infiniband.bth.opcode <= 10")
        leaf = sim.nodes["leaf1"]["ports"]["swp1"]
        self.assertEqual(len(seen), leaf["rx_packets"] - leaf["drops"]["bad-fcs"])

    def test_a_wrong_icrc_passes_switches(self):
        # Spoiled on the link of leaf1 and spine1: dropped by the NICs, and by nobody on the way.
        sim = self.sim(fabric(2, 1, 1, switch=ECMP, hosts={"rto": "100us"}, workload=[flow("h1", "h2", "4MB")],
                              events=[{"at": "0us", "link": "leaf1-spine1", "corrupt-payload": "1%"}]))
        assert_complete(self, sim)
        assert_balanced(sim.nodes)
        self.assertEqual(set(sim.drops), {"bad-icrc"})
        self.assertEqual({node for node in sim.nodes if drops({node: sim.nodes[node]})}, {"h1", "h2"})
        counters = sim.nodes["h2"]["ports"]["eth1"]
        self.assertLess(abs(counters["drops"]["bad-icrc"] - counters["rx_packets"] * .01),
                        4 * math.sqrt(counters["rx_packets"] * .01 * .99))

    def test_at_a_time(self):
        # All that begins between 50 and 60 us: 10 us / 334.24 ns = 29.9 packets.
        for change, reason, where in (("corrupt", "bad-fcs", "leaf1"), ("corrupt-payload", "bad-icrc", "h2")):
            sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "4MB")], events=[
                {"at": "50us", "link": "h1-leaf1", change: "100%", "for": "10us"}, {"at": "70us", "snapshot": "full"}]))
            (after,) = (one["nodes"] for one in sim.snapshots)
            self.assertIn(drops({where: after[where]})[reason], (29, 30, 31))
            assert_complete(self, sim)


class Nature(Case):
    """Events that change what a link is."""

    def test_rate(self):
        # 4 MB at 100G; from 50 to 150 us the host's link runs at 25G: 100 us / 4 of it, 75 us are lost.
        size = 4_000_000
        alone = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", f"{size}B")]))
        slowed = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", f"{size}B")], events=[
            {"at": "50us", "link": "h1-leaf1", "rate": "25G", "for": "100us"}]))
        self.assertAlmostEqual((slowed.flows[0]["fct_ps"] - alone.flows[0]["fct_ps"]) / 10**6, 75, delta=1.5)
        self.assertEqual(slowed.summary["drops"], 0)
        faster = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", f"{size}B")], events=[
            {"at": "0us", "link": f"h{n}-leaf1", "rate": "400G"} for n in (1, 2)]))
        self.assertEqual(faster.flows[0]["fct_ps"], completion(size, [Hop(400 * 10**9, 500_000)] * 2))

    def test_pauses_last_as_long_as_the_rate_says(self):
        # 65535 quanta of 512 bit times: 335.5 us at 100G, 1342 us at 25G.
        times = [self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "40KB", at="1us")], events=[
            {"at": "0us", "link": "h2-leaf1", "rate": rate},
            {"at": "0us", "port": "leaf1.swp2", "pfc": {"priorities": [3], "quanta": 65535}}])).flows[0]["fct_ps"] / 10**6
            for rate in ("100G", "25G")]
        self.assertAlmostEqual(times[1] - times[0], 65535 * 512 / 25e3 - 65535 * 512 / 100e3, delta=12)

    def test_delay(self):
        # A packet there and its ACK back: 2 us more each way while it lasts; a shorter delay, 2 x 400 ns less.
        def fct(at, **event):
            return self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "4096B", at=at)], events=[
                {"at": "0us", "link": "h1-leaf1"} | event])).flows[0]["fct_ps"]
        normal = fct("10us", state="up")
        self.assertEqual(fct("10us", delay="2500ns"), normal + 4_000_000)
        self.assertEqual(fct("10us", delay="2500ns", **{"for": "5us"}), normal)
        self.assertEqual(fct("10us", delay="100ns"), normal - 800_000)

    def test_order_is_kept_when_the_delay_shrinks(self):
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "1MB")], events=[
            {"at": "0us", "link": "h1-leaf1", "delay": "20us", "for": "40us"}]))
        assert_complete(self, sim)
        self.assertEqual([sim.summary[key] for key in ("drops", "retransmitted", "out_of_order")], [0, 0, 0])


class LinkDown(Case):
    SHAPE = (2, 4, 4)
    WORKLOAD = [{"kind": "permutation", "size": "2MB"}]
    DOWN = [{"at": "39us", "snapshot": "full"}, {"at": "40us", "link": "leaf1-spine2", "state": "down"},
            {"at": "40us", "snapshot": "full"}, {"at": "100us", "snapshot": "full"}]

    def check(self, switch, placement, events):
        sim = self.sim(fabric(*self.SHAPE, switch=switch, events=events, workload=self.WORKLOAD,
                              hosts={"placement": placement, "rto": "100us"}))
        assert_complete(self, sim)
        for nodes in [sim.nodes] + [one["nodes"] for one in sim.snapshots]:
            assert_balanced(nodes)
        return sim

    def test_traffic_takes_other_ways(self):
        for switch, placement in ((ADAPTIVE, "out-of-order"), (ECMP, "in-order")):
            with self.subTest(mode=switch["routing"]["mode"]):
                sim = self.check(switch, placement, self.DOWN)
                before, soon, later = (one["nodes"] for one in sim.snapshots)
                # leaf1 uses its second uplink until then, and nobody sends by way of spine2 to leaf1 after.
                self.assertGreater(sent(before, "leaf1", "swp6"), 0)
                for nodes in (later, sim.nodes):
                    self.assertEqual(sent(nodes, "leaf1", "swp6"), sent(soon, "leaf1", "swp6"))
                    self.assertEqual(sent(nodes, "spine2", "swp1"), sent(soon, "spine2", "swp1"))
                    self.assertGreater(sent(nodes, "leaf1", "swp5"), sent(soon, "leaf1", "swp5"))
                # leaf2's packets for leaf1 stay away from spine2 too, once what it had queued is gone.
                self.assertEqual(sent(sim.nodes, "leaf2", "swp6"), sent(later, "leaf2", "swp6"))
                # What was on the wire, in its queues or on its way to spine2 is lost, with a name.
                self.assertLessEqual(set(sim.drops), {"link-down", "no-route", "no-next-hop"})
                self.assertGreater(sim.drops["link-down"], 0)

    def test_a_link_that_comes_back_is_used_again(self):
        events = [{"at": "40us", "link": "leaf1-spine2", "state": "down", "for": "30us"},
                  {"at": "69us", "snapshot": "full"}]
        sim = self.check(ADAPTIVE, "out-of-order", events)
        (held,) = (one["nodes"] for one in sim.snapshots)
        for leaf, port in (("leaf1", "swp6"), ("leaf2", "swp6"), ("spine2", "swp1")):
            self.assertGreater(sent(sim.nodes, leaf, port), sent(held, leaf, port) + 10)
        # The same by two events.
        again = self.check(ADAPTIVE, "out-of-order", [
            {"at": "40us", "link": "leaf1-spine2", "state": "down"}, {"at": "69us", "snapshot": "full"},
            {"at": "70us", "link": "leaf1-spine2", "state": "up"}])
        self.assertEqual(again.flows, sim.flows)

    def test_a_host_that_is_cut_off(self):
        # Nothing reaches it until its link is back; then all is sent again.
        sim = self.sim(fabric(1, 0, 3, switch=ECMP, hosts={"rto": "50us"},
                              workload=[flow("h1", "h2", "1MB"), flow("h3", "h1", "1MB")],
                              events=[{"at": "20us", "link": "h2-leaf1", "state": "down", "for": "500us"}]))
        assert_complete(self, sim)
        first, second = sim.flows
        self.assertGreater(first["fct_ps"], 500 * 10**6)
        self.assertLess(second["fct_ps"], 110 * 10**6)
        self.assertLessEqual(set(sim.drops), {"link-down", "no-next-hop", "no-route"})

    def test_a_pause_does_not_outlive_its_link(self):
        # spine1 paused leaf1's uplink for 335 us; the link fails and returns: the pause is over.
        events = [{"at": "5us", "port": "leaf1.swp2", "pfc": {"priorities": [3], "quanta": 65535}},
                  {"at": "10us", "link": "leaf1-spine1", "state": "down", "for": "10us"}]
        sim = self.sim(fabric(2, 1, 1, switch=ECMP, hosts={"rto": "40us"}, events=events,
                              workload=[flow("h1", "h2", "100KB")]))
        assert_complete(self, sim)
        self.assertLess(sim.flows[0]["fct_ps"], 150 * 10**6)


class Events(Case):
    def test_frozen_egress_holds_and_goes_on(self):
        # swp2 sends nothing from 5 to 105 us; the flow loses nothing and takes about that much longer.
        alone = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "400KB")]))
        sim = self.sim(fabric(1, 0, 2, switch=ECMP, workload=[flow("h1", "h2", "400KB")], events=[
            {"at": "5us", "port": "leaf1.swp2", "tx": "off"}, {"at": "104us", "snapshot": "full"},
            {"at": "105us", "port": "leaf1.swp2", "tx": "on"}]))
        (held,) = sim.snapshots
        assert_conserved(held["nodes"])
        queue = held["nodes"]["leaf1"]["ports"]["swp2"]["queue"][3]
        # 97 packets of 4154 B, 22 cells of 192 B, and one of 2746 B, 15 cells; the first has 16 B more.
        self.assertGreater(queue["packets"], 0)
        self.assertEqual(queue["depth"], ((97 - queue["packets"]) * 22 + 15) * 192)
        self.assertEqual(sim.summary["drops"], 0)
        self.assertAlmostEqual((sim.flows[0]["fct_ps"] - alone.flows[0]["fct_ps"]) / 10**6, 100, delta=1)

    def test_a_threshold_that_changes(self):
        # ECN from 50 us on: nothing is marked before, everything queued above 0 after.
        sim = self.sim(fabric(1, 0, 3, switch=ECMP | {"qos": {"tc": {3: {"ecn": {"min": "10MB", "max": "10MB"}}}}},
                              workload=[{"kind": "incast", "from": ["h2", "h3"], "to": "h1", "size": "2MB"}], events=[
            {"at": "50us", "snapshot": "full"}, {"at": "50us", "set": "switch.qos.tc.3.ecn.min", "to": "0B"},
            {"at": "50us", "set": "switch.qos.tc.3.ecn.max", "to": "1B"}]))
        (before,) = sim.snapshots
        queue = before["nodes"]["leaf1"]["ports"]["swp1"]["queue"][3]
        self.assertEqual(queue["ecn_marked"], 0)
        self.assertGreater(queue["packets"], 100)
        # All behind it are marked but the last, which leaves nothing queued.
        self.assertEqual(sim.summary["ecn_marked"], 2 * 489 - queue["packets"] - 1)

    def test_a_route_for_one_host(self):
        # h3 by spine2 alone from 20 us to 60 us, both spines otherwise.
        address = roost("where", "10.0.2.1", self.file(fabric(2, 2, 2)), "-o", "json").json
        self.assertEqual(address["host"], "h3")
        route = {"vrf": "default", "prefix": address["ip4"] + "/32"}
        sim = self.sim(fabric(2, 2, 2, switch=ADAPTIVE, hosts={"placement": "out-of-order"},
                              workload=[flow("h1", "h3", "1MB")], events=[
            {"at": "20us", "node": "leaf1", "route": route | {"via": ["spine2"]}}, {"at": "25us", "snapshot": "full"},
            {"at": "60us", "snapshot": "full"}, {"at": "60us", "node": "leaf1", "route": route | {"via": []}}]))
        assert_complete(self, sim)
        self.assertEqual(sim.summary["drops"], 0)
        first, last = (one["nodes"] for one in sim.snapshots)
        spine1 = [sent(nodes, "leaf1", "swp3") for nodes in (first, last, sim.nodes)]
        self.assertEqual(spine1[0], spine1[1])
        self.assertGreater(spine1[0], 20)
        self.assertGreater(spine1[2], spine1[1] + 20)
        self.assertGreater(sent(last, "leaf1", "swp4"), sent(first, "leaf1", "swp4") + 95)


if __name__ == "__main__":
    unittest.main()
