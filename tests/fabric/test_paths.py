# SPDX-License-Identifier: BSD-3-Clause
"""Paths in whole fabrics: pins, weights, links that are degraded or gone, how long routes take to follow, and
notices from spines."""
import math

from common import *

SPRAYING = {"placement": "out-of-order", "ack-every": 16, "ack-dscp": 0, "rto": "100us"}


def switch(mode, **routing):
    return {"preset": "spectrum-x", "routing": {"mode": mode} | routing}


def data(nodes, node, port):
    """Data packets that a queue has sent; acknowledgements are in another."""
    return nodes[node]["ports"][port]["queue"][3]["packets"]


def uplinks(nodes, leaf, hosts, spines):
    return [data(nodes, leaf, f"swp{hosts + up}") for up in range(1, spines + 1)]


class Choice(Case):
    def test_pinned_flows(self):
        """h1's and h2's flows to leaf2 by spine3 in every mode, h3's by the mode; what comes back is not pinned."""
        pins = [{"src": "h1", "dst": "leaf2", "via": "spine3"}, {"src": "h2.eth1", "dst": "h5", "via": "spine3"}]
        for mode in ("pinned", "adaptive", "spray", "flowlet"):
            with self.subTest(mode=mode):
                sim = self.sim(fabric(2, 4, 4, switch=switch(mode, pinned=pins), hosts=SPRAYING, workload=[
                    flow("h1", "h5", "400KB"), flow("h2", "h5", "400KB"), flow("h5", "h1", "400KB")]))
                assert_complete(self, sim)
                self.assertEqual(uplinks(sim.nodes, "leaf1", 4, 4), [0, 0, 196, 0])
                back = uplinks(sim.nodes, "leaf2", 4, 4)
                self.assertEqual(sum(back), 98)
                if mode == "spray":
                    self.assertEqual(sorted(back), [24, 24, 25, 25])

    def test_a_pin_whose_link_is_down(self):
        """Falls back to the mode, and is obeyed again when the link is back."""
        pins = [{"src": "h1", "dst": "h2", "via": "spine2"}]
        sim = self.sim(fabric(2, 4, 1, switch=switch("spray", pinned=pins), hosts=SPRAYING,
                              workload=[flow("h1", "h2", "4MB")], events=[
            {"at": "50us", "link": "leaf1-spine2", "state": "down", "for": "100us"}, {"at": "50us", "snapshot": "full"},
            {"at": "150us", "snapshot": "full"}]))
        assert_complete(self, sim)
        before, after = (uplinks(one["nodes"], "leaf1", 1, 4) for one in sim.snapshots)
        self.assertEqual([before[i] for i in (0, 2, 3)], [0, 0, 0])
        self.assertGreater(min(after[i] for i in (0, 2, 3)), 50)
        end = uplinks(sim.nodes, "leaf1", 1, 4)
        self.assertEqual([end[i] for i in (0, 2, 3)], [after[i] for i in (0, 2, 3)])

    def test_weights_by_capacity(self):
        """Two uplinks of 400G and 100G: in turn 4 : 1, exactly; equal weights 1 : 1."""
        nodes = ["leaf1", "leaf2", "spine1", "spine2", "h1", "h2"]
        links = [{"a": f"h{n}", "b": f"leaf{n}.swp1"} for n in (1, 2)]
        links += [{"a": f"leaf{n}.swp{1 + spine}", "b": f"spine{spine}.swp{n}", "rate": rate}
                  for n in (1, 2) for spine, rate in ((1, "400G"), (2, "100G"))]
        for weights, expected in (("capacity", [800, 200]), ("equal", [500, 500])):
            sim = self.sim({"fabric": {"topology": {"kind": "explicit", "nodes": nodes, "links": links}},
                            "switch": switch("spray", weights=weights), "hosts": SPRAYING,
                            "workload": [flow("h1", "h2", f"{1000 * 4096}B")]})
            self.assertEqual(uplinks(sim.nodes, "leaf1", 1, 2), expected)

    def test_a_weighted_route(self):
        """A route event: spine2 gets three packets of four from then on."""
        route = {"prefix": "10.0.2.0/24", "via": ["spine1", {"node": "spine2", "weight": 3}]}
        sim = self.sim(fabric(2, 2, 1, switch=switch("spray"), hosts=SPRAYING, workload=[flow("h1", "h2", "4MB")],
                              events=[{"at": "100us", "node": "leaf1", "route": route},
                                      {"at": "100us", "snapshot": "full"}]))
        (before,) = (uplinks(one["nodes"], "leaf1", 1, 2) for one in sim.snapshots)
        self.assertLessEqual(abs(before[0] - before[1]), 1)
        one, three = (end - start for end, start in zip(uplinks(sim.nodes, "leaf1", 1, 2), before))
        self.assertLessEqual(abs(three - 3 * one), 3)

    def test_a_degraded_uplink_is_left(self):
        """It loses, corrupts or has become slower: no data goes there while the others are open; hashed flows stay."""
        for fault in ({"loss": "1%"}, {"corrupt": "1%"}, {"corrupt-payload": "1%"}, {"rate": "50G"}):
            for mode in ("adaptive", "spray", "random", "flowlet"):
                with self.subTest(fault=fault, mode=mode):
                    sim = self.sim(fabric(2, 4, 1, switch=switch(mode, **{"flowlet-gap": "1us"}), hosts=SPRAYING, workload=[
                        flow("h1", "h2", "400KB", at="1us"), flow("h1", "h2", "400KB", at="100us")], events=[
                        {"at": "0us", "link": "leaf1-spine2", "for": "90us"} | fault, {"at": "90us", "snapshot": "full"}]))
                    assert_complete(self, sim)
                    (during,) = (uplinks(one["nodes"], "leaf1", 1, 4) for one in sim.snapshots)
                    self.assertEqual((during[1], sum(during)), (0, 98))
                    if mode != "flowlet":
                        self.assertGreater(uplinks(sim.nodes, "leaf1", 1, 4)[1], 10)    # whole again

    def test_flowlets_keep_their_order(self):
        """Where packets of a queue pair never rest for the gap, in-order placement has nothing to mend; where every
        packet is a flowlet of its own, paths of unequal queues reorder them."""
        def lost_order(gap):
            return self.sim(fabric(4, 4, 4, switch=switch("flowlet", **{"flowlet-gap": gap}), workload=[
                {"kind": "permutation", "size": "1MB"}])).summary["retransmitted"]
        self.assertEqual(lost_order("256us"), 0)
        self.assertGreater(lost_order("100ns"), 100)


class Withdrawal(Case):
    """leaf1's hosts send to leaf2's and leaf3's; the link of leaf3 and spine2 fails at 50 us."""
    FAIL = {"at": "50us", "link": "leaf3-spine2", "state": "down"}

    def run_it(self, events, at_us, mode="adaptive", **routing):
        sim = self.sim(fabric(3, 4, 2, switch=switch(mode, **routing), hosts=SPRAYING,
                              workload=[flow("h1", "h3", "4MB"), flow("h2", "h5", "4MB")],
                              events=list(events) + [{"at": f"{us}us", "snapshot": "full"} for us in at_us]))
        assert_complete(self, sim)
        return sim, [one["nodes"] for one in sim.snapshots]

    def lost(self, nodes):
        return drops({"spine2": nodes["spine2"]})

    def test_only_for_the_leaf_that_is_cut_off(self):
        """From then on nothing for leaf3 goes up to spine2, and what is for leaf2 still does."""
        for mode in ("adaptive", "spray", "random"):
            with self.subTest(mode=mode):
                sim, (soon, late) = self.run_it([self.FAIL], (60, 200), mode)
                up, down = (data(late, node, port) - data(soon, node, port)
                            for node, port in (("leaf1", "swp4"), ("spine2", "swp2")))
                self.assertGreater(up, 50)
                self.assertLessEqual(abs(up - down), 2)             # all of it is leaf2's
                self.assertEqual(data(late, "spine2", "swp3"), data(soon, "spine2", "swp3"))
                self.assertEqual(self.lost(late), self.lost(soon))

    def test_convergence(self):
        """100 us later than the link leaf1 notices: until then a quarter of what is for leaf3 dies at spine2, 100 us x
        100 Gb/s / 4178 B / 4 = 75 at full rate (go-back-N sends less anew); from then on nothing."""
        _, (before, mid, after, end) = self.run_it([self.FAIL], (50, 149, 152, 400), convergence="100us")
        self.assertEqual(self.lost(before), {})
        self.assertGreater(self.lost(mid)["no-next-hop"], 10)
        self.assertEqual(self.lost(end), self.lost(after))
        self.assertLess(self.lost(mid)["no-next-hop"], 76)
        at_once, _ = self.run_it([self.FAIL], (60,))
        self.assertLess(sum(self.lost(at_once.nodes).values()), 5)

    def test_a_link_that_is_back_before_routes_follow(self):
        """Down for 60 us of 100: routes never change: spine2 carries packets for leaf3 as soon as it can."""
        _, (down, up, later) = self.run_it([self.FAIL | {"for": "60us"}], (112, 140, 170), convergence="100us")
        self.assertEqual(self.lost(later), self.lost(down))
        for first, second in ((down, up), (up, later)):
            self.assertGreater(data(second, "spine2", "swp3"), data(first, "spine2", "swp3") + 5)

    def test_a_link_that_fails_again_before_its_return_is_known(self):
        """Down at 50, up at 200, down for good at 250 us, each known 100 us later: at 300 us it is down."""
        events = [self.FAIL, self.FAIL | {"at": "200us", "state": "up"}, self.FAIL | {"at": "250us"}]
        _, (first, second) = self.run_it(events, (160, 340), convergence="100us")
        self.assertEqual(self.lost(first), self.lost(second))
        self.assertEqual(data(first, "spine2", "swp3"), data(second, "spine2", "swp3"))

    def test_own_links_are_known_at_once(self):
        """leaf1 itself does not wait for routes: what its own dead uplink does not carry goes by the others."""
        event = {"at": "50us", "link": "leaf1-spine2", "state": "down"}
        sim, (soon, late) = self.run_it([event], (51, 149), convergence="1s")
        self.assertEqual(data(late, "leaf1", "swp4"), data(soon, "leaf1", "swp4"))
        self.assertLess(sum(drops({"leaf1": sim.nodes["leaf1"]}).values()), 5)

    def test_spines_that_know_before_leaves(self):
        """Routes at spines follow at once, at leaves after 100 us: what comes has no route there until then."""
        description = fabric(3, 4, 2, switch=switch("adaptive"), hosts=SPRAYING, workload=[flow("h2", "h5", "2MB")],
                             leaf={"routing": {"convergence": "100us"}},
                             events=[self.FAIL, {"at": "155us", "snapshot": "full"}])
        sim = self.sim(description)
        (known,) = (self.lost(one["nodes"]) for one in sim.snapshots)
        self.assertGreater(known["no-route"], 10)
        self.assertEqual(self.lost(sim.nodes), known)


class Notices(Case):
    """4 hosts of leaf1 send to those of leaf2 by 8 spines; from the start the link of spine1 to leaf2 is slow."""
    SLOW = {"at": "0us", "link": "leaf2-spine1", "rate": "10G"}

    def run_it(self, notices, events=(SLOW,), **routing):
        sim = self.sim(fabric(2, 8, 4, switch=switch("adaptive", **{"spine-notices": notices}, **routing),
                              hosts=SPRAYING | {"reorder-timeout": "1ms", "rto": "2ms"}, events=list(events),
                              workload=[flow(f"h{n}", f"h{n + 4}", "2MB") for n in (1, 2, 3, 4)]))
        assert_complete(self, sim)
        return sim

    def notices(self, sim, way):
        return sum(port[f"notices_{way}"] for node in sim.nodes.values() for port in node["ports"].values())

    def test_a_slow_link_behind_a_spine(self):
        """Without notices leaf1 fills spine1 until PFC holds it, again and again; with them it stays away, nothing is
        paused and the flows are done in little more than the 167 us that 2 MB take."""
        off, on = self.run_it("off"), self.run_it("on")
        self.assertEqual((self.notices(off, "tx"), off.summary["drops"], on.summary["drops"]), (0, 0, 0))
        self.assertGreater(self.notices(on, "tx"), 0)
        self.assertEqual(self.notices(on, "rx"), self.notices(on, "tx"))
        slowest = [max(one["fct_ps"] for one in sim.flows) / 10**6 for sim in (off, on)]
        self.assertLess(slowest[1], 0.6 * slowest[0])
        self.assertLess(slowest[1], 1.1 * 2e6 / 4096 * 4178 * 8 / 1e5)
        self.assertEqual(on.summary["pfc_tx"], 0)

    def test_one_notice_in_half_the_hold(self):
        """A notice of 10 us at most every 5 us from spine1 to leaf1, while data comes."""
        sim = self.run_it({"hold": "10us"})
        span = max(one["fct_ps"] for one in sim.flows) / 10**6
        self.assertLessEqual(sim.nodes["spine1"]["ports"]["swp1"]["notices_tx"], span / 5 + 1)
        self.assertEqual([sim.nodes[f"spine{n}"]["ports"]["swp1"]["notices_tx"] for n in range(2, 9)], [0] * 7)

    def test_a_dead_link_behind_a_spine(self):
        """Routes follow after 1 ms. Until then, without notices, one packet of eight dies at spine1; with them one in
        half the hold or so, when leaf1 tries again."""
        dead = {"at": "20us", "link": "leaf2-spine1", "state": "down"}
        lost = [sum(drops({"spine1": self.run_it(notices, [dead], convergence="1ms").nodes["spine1"]}).values())
                for notices in ("off", "on")]
        self.assertGreater(lost[0], 60)
        self.assertLess(lost[1], lost[0] / 2)

    def test_only_the_way_to_one_leaf(self):
        """leaf1 sends to leaf2 and leaf3; the slow link is leaf2's. What is for leaf3 goes on using spine1, what is for
        leaf2 tries it for two or so of the 30 packets in 10 us, when the last notice no longer counts."""
        for notices in ("off", "on"):
            sim = self.sim(fabric(3, 4, 2, switch=switch("adaptive", **{"spine-notices": notices}), hosts=SPRAYING,
                                  events=[self.SLOW], workload=[flow("h1", "h3", "1MB"), flow("h2", "h5", "1MB")]))
            to_leaf2, to_leaf3 = (data(sim.nodes, "spine1", port) for port in ("swp2", "swp3"))
            if notices == "on":
                self.assertLess(to_leaf2, 245 / 10)
                self.assertGreater(to_leaf3, 245 / 4 - 3 * math.sqrt(245 * 3 / 16))
            else:
                self.assertGreater(to_leaf2, 30)

    def test_tenants(self):
        """A leaf's VRF default has no route to hosts behind other leaves where there are tenants: the tenants' have."""
        tenants = {"red": {"hosts": ["h1", "h5"]}, "blue": {"hosts": ["h2", "h6"]}}
        sim = self.sim(fabric(2, 8, 4, switch=switch("adaptive", **{"spine-notices": "on"}), hosts=SPRAYING, tenants=tenants,
                              events=[self.SLOW], workload=[flow("h1", "h5", "1MB"), flow("h2", "h6", "1MB")]))
        assert_complete(self, sim)
        self.assertGreater(self.notices(sim, "rx"), 0)
        self.assertLess(data(sim.nodes, "spine1", "swp2"), 20)
        self.assertEqual(sim.summary["pfc_tx"], 0)

    def test_the_same_digest(self):
        """With all that chooses on: in any order of nodes and with half the window."""
        description = self.file(fabric(
            3, 4, 4, switch=switch("flowlet", **{"spine-notices": "on", "link-utilisation": "on", "flowlet-gap": "500ns",
                                                 "convergence": "20us"}), hosts=SPRAYING,
            events=[self.SLOW, {"at": "30us", "link": "leaf3-spine2", "state": "down", "for": "50us"},
                    {"at": "10us", "link": "leaf1-spine3", "corrupt": "1%", "delay": "1us"}],
            workload=[{"kind": "permutation", "size": "200KB"}]))
        digests = {json.loads(roost("sim", description, "--json", *more).out)["summary"]["digest"]
                   for more in ((), ("--visit", 3), ("--window", "250ns"), ("--visit", 8, "--window", "100ns"))}
        self.assertEqual(len(digests), 1)


class Mistakes(Case):
    def test_pins(self):
        for pin, message in (({"src": "h1", "dst": "h9", "via": "spine1"}, "there is no (node|host) h9"),
                             ({"src": "h1", "dst": "h3", "via": "spine9"}, "there is no node spine9"),
                             ({"src": "leaf1.swp1", "dst": "h3", "via": "spine1"}, "leaf1.swp1 is not a host's port"),
                             ({"src": "h1", "dst": "spine2", "via": "spine1"}, "spine2 is not a host and has no address")):
            self.assert_refused(r"^\S+:1:\d+: routing.pinned: " + message, "check",
                                self.file(fabric(2, 2, 2, switch=switch("pinned", pinned=[pin]))))

    def test_link_events(self):
        self.assert_refused(r"^\S+:1:\d+: events.delay: the delay must be above 0", "sim", self.file(
            fabric(2, 1, 1, events=[{"at": "1us", "link": "leaf1-spine1", "delay": "0ns"}])))


if __name__ == "__main__":
    unittest.main()
