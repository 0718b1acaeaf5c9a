# SPDX-License-Identifier: BSD-3-Clause
"""Multipath Reliable Connection: messages and collectives over it, planes, congestion, loss and faults."""
import sprayed
from common import *
from sprayed import TRIM, first_incast as incast, trimming_switch as switch

HEADERS, SACK = 14 + 20 + 8 + 12 + 20 + 4, 14 + 20 + 8 + 12 + 36 + 4
SHAPE = (2, 2, 4)
HOSTS = sprayed.HOSTS | {"transport": "mrc"}


class Mrc(sprayed.TrimmedIncasts, Case):
    def run_fabric(self, workload, *options, shape=SHAPE, hosts=HOSTS, settings=None, planes=1, **sections):
        description = fabric(*shape, switch=settings or switch(), hosts=hosts, workload=workload, stop="100ms", **sections)
        if planes != 1:
            description["fabric"]["topology"]["planes"] = planes
        return self.sim(description, *options)

    def complete(self, sim):
        sim.assert_conserved()
        self.assert_done(sim)

    def assert_done(self, sim):
        self.assertEqual([one for one in sim.flows if one["fct_ps"] is None], [])
        self.assertEqual(sim.summary["completed"], len(sim.flows))

    def carried(self, sim, host, planes):
        """Packets that a host sent by each of its ports."""
        return [sim.nodes[host]["ports"][f"eth{plane}"]["tx_packets"] for plane in range(1, planes + 1)]

    def test_alone(self):
        """Packets of one message take both spines and are as fast as the line. The ideal time is that one."""
        for size in (10**6, 100, 4099):
            sim = self.run_fabric([flow("h1", "h5", f"{size}B")])
            path = [Hop(10**11, 500000)] * 4
            expected = completion((size + 3) // 4 * 4, path, header_bytes=HEADERS, ack_bytes=SACK, ack_every=4)
            self.assertEqual((sim.flows[0]["fct_ps"], sim.flows[0]["ideal_ps"]), (expected, expected))
            self.complete(sim)
            assert_complete(self, sim)
        sim = self.run_fabric([flow("h1", "h5", "1MB")])
        spines = [sim.nodes[spine]["ports"]["swp2"]["tx_packets"] for spine in ("spine1", "spine2")]
        self.assertGreater(min(spines), 20)

    def test_planes_carry_the_same(self):
        """One message takes all planes, packet by packet in turn, at the rate of all of them."""
        for planes in (2, 4, 8):
            sim = self.run_fabric([flow("h1", "h3", "8MB")], shape=(2, 2, 2), planes=planes)
            self.complete(sim)
            packets = self.carried(sim, "h1", planes)
            self.assertLessEqual(max(packets) - min(packets), 1)
            self.assertEqual(sum(packets), 1954)
            frame = (HEADERS + 4096 + 24) * 80
            alone = -(-1954 // planes) * frame
            self.assertGreater(sim.flows[0]["fct_ps"], alone)
            self.assertLess(sim.flows[0]["fct_ps"], alone + 10 * 10**6)

    def test_a_plane_that_is_denied(self):
        """It carries nothing, and the others all: the message takes planes / planes left as long."""
        times = {}
        for denied in ([], [2], [1, 4]):
            sim = self.run_fabric([flow("h1", "h3", "16MB")], shape=(2, 2, 2), planes=4,
                               hosts=HOSTS | {"mrc": {"deny-planes": denied}})
            self.complete(sim)
            packets = self.carried(sim, "h1", 4)
            self.assertEqual([plane + 1 for plane, count in enumerate(packets) if count == 0], denied)
            times[len(denied)] = sim.flows[0]["fct_ps"]
        for denied in (1, 2):
            self.assertAlmostEqual(times[denied] / times[0], 4 / (4 - denied), delta=.02)

    def test_a_plane_that_fails(self):
        """It is left, whether the host's own link has failed or the other one's, and the rate is that of the planes left.
        Of its own link the sender knows; of the other one it learns when the window is full of lost packets and `rto`
        has passed, and of the plane's last values in one more round."""
        packets, planes, rto = 12000, 4, 200 * 10**6
        frame = (HEADERS + 4096 + 24) * 80
        for link, waits in (("h1-p3-leaf1", 0), ("h3-p3-leaf2", rto)):
            sim = self.run_fabric([flow("h1", "h3", f"{packets * 4096}B")], shape=(2, 2, 2), planes=planes, events=[
                {"at": "0ns", "link": link, "state": "down"}])
            self.assert_done(sim)
            assert_balanced(sim.nodes)
            expected = packets // (planes - 1) * frame + waits
            self.assertGreater(sim.flows[0]["fct_ps"], expected)
            self.assertLess(sim.flows[0]["fct_ps"], 1.02 * expected + waits, link)

    def test_no_good_plane(self):
        """Plane 2's port is down, and all values of plane 1 become bad: packets go by plane 1 nevertheless, whose port is up."""
        sim = self.run_fabric([flow("h1", "h3", "4MB")], shape=(2, 2, 2), planes=2, events=[
            {"at": "0ns", "link": "h1-p2-leaf1", "state": "down"},
            *({"at": "20us", "link": f"p1-leaf1-p1-spine{i}", "loss": "100%", "for": "1ms"} for i in (1, 2))])
        self.assert_done(sim)
        self.assertEqual(set(sim.drops), {"link-fault"})
        ports = sim.nodes["h1"]["ports"]
        counts = [(port["paths_assumed_bad"], port["path_probes"]) for port in (ports["eth1"], ports["eth2"])]
        paths = sim.summary["paths"]
        self.assertGreaterEqual(counts[0][0], 32)
        self.assertEqual((counts[0], counts[1]), ((paths["assumed_bad"], paths["probes"]), (0, 0)))

    def test_a_plane_that_comes_back(self):
        """So does the rate: the first probe that comes through is enough."""
        packets, planes, rto, probes = 24000, 4, 50 * 10**6, 100 * 10**6
        frame = (HEADERS + 4096 + 24) * 80
        whole, away = packets // planes * frame, 400 * 10**6
        for link, waits in (("h1-p3-leaf1", 0), ("h3-p3-leaf2", rto)):
            sim = self.run_fabric([flow("h1", "h3", f"{packets * 4096}B")], shape=(2, 2, 2), planes=planes,
                               hosts=HOSTS | {"rto": "50us"}, events=[
                                   {"at": "400us", "link": link, "state": "down", "for": "400us"}])
            self.assert_done(sim)
            assert_balanced(sim.nodes)
            least = whole + away // planes
            most = whole + 2 * waits + (away - 2 * waits) // planes + (probes // planes if waits else 0)
            self.assertGreater(sim.flows[0]["fct_ps"], .99 * least)
            self.assertLess(sim.flows[0]["fct_ps"], 1.03 * most, link)
            carried = self.carried(sim, "h1", planes)
            self.assertLess(carried[2], carried[0] - packets // planes // 10)
            if waits:
                self.assertGreaterEqual(sim.summary["paths"]["assumed_bad"], 32)
                self.assertGreater(sim.summary["paths"]["probes"], 3)

    def test_a_link_that_loses_all(self):
        """Routes do not know, but senders do: values of such paths are left, and the last message is as fast as with
        the other spines alone."""
        lost = [{"at": "0ns", "link": "leaf1-spine1", "loss": "100%", "for": "100ms"}]
        sim = self.run_fabric([flow("h1", "h5", "2MB", repeat=20)], shape=(2, 4, 4), events=lost)
        self.assert_done(sim)
        assert_balanced(sim.nodes)
        few = self.run_fabric([flow("h1", "h5", "2MB", repeat=20)], shape=(2, 3, 4))
        # About 8 of 32 values, as one spine of 4 is gone; and once a message, one whose last SACK went that way.
        self.assertLess(sim.flows[0]["fct_ps"], 2 * few.flows[0]["fct_ps"])
        self.assertLess(sim.flows[0]["retransmitted"], 100)
        self.assertLessEqual(sim.summary["paths"]["assumed_bad"], 16 + 20)
        self.assertGreaterEqual(sim.summary["paths"]["assumed_bad"], 4)

    def test_links_that_fail(self):
        """Every message completes once, whatever becomes of packets, acknowledgements and NACKs."""
        lossy = [{"at": "10us", "link": f"p{plane}-leaf{leaf}-p{plane}-spine{spine}", "loss": "3%", "for": "300us"}
                 for plane in (1, 2) for leaf in (1, 2) for spine in (1, 2)]
        down = [{"at": "20us", "link": "p1-leaf1-p1-spine1", "state": "down", "for": "200us"},
                {"at": "30us", "link": "h3-p2-leaf2", "state": "down", "for": "50us"}]
        spine = [{"at": "15us", "link": f"p1-leaf{leaf}-p1-spine2", "state": "down", "for": "300us"} for leaf in (1, 2)]
        for events in (lossy, down, spine, lossy + down):
            sim = self.run_fabric([{"kind": "permutation", "size": "2MB", "repeat": 2}, incast(3, "500KB", "h4", at="40us")],
                               shape=(2, 2, 2), planes=2, events=events)
            self.assert_done(sim)
            assert_balanced(sim.nodes)
            self.assertGreater(sum(one["retransmitted"] for one in sim.flows), 0)

    def test_collectives_and_steps(self):
        """They neither know nor care: what is sent and what waits for what is as with RoCEv2."""
        works = ([{"kind": "all-reduce", "size": "2MB"}], [{"kind": "all-to-all", "size": "1MB", "repeat": 3}],
                 [{"kind": "all-to-all", "algorithm": "shift", "size": "1MB"}],
                 [{"kind": "step", "compute": "5us", "repeat": 2, "operations": [
                     {"kind": "all-reduce", "size": "300KB"}, {"kind": "all-to-all", "size": "200KB"}]}])
        for work in works:
            for planes, shape in ((1, SHAPE), (4, (2, 2, 2))):
                sim = self.run_fabric(work, shape=shape, planes=planes)
                self.complete(sim)
                other = self.run_fabric(work, shape=shape, planes=planes, hosts={}, settings={"preset": "spectrum-x"})
                self.assertEqual(sim.summary["flows"], other.summary["flows"])
                self.assertLess(sim.summary["sim_ps"], 2 * other.summary["sim_ps"])

    def test_generated_pairs(self):
        """Queue pairs that are made as they are needed take all planes, too."""
        work = {"kind": "all-to-all", "algorithm": "direct", "size": "500KB", "pairs": "generated"}
        for planes, shape in ((1, SHAPE), (4, (2, 2, 2))):
            sim = self.run_fabric([work], shape=shape, planes=planes, events=[
                {"at": "5us", "link": "leaf1-spine1" if planes == 1 else "p1-leaf1-p1-spine1", "loss": "5%", "for": "50us"}])
            assert_balanced(sim.nodes)
            self.assertTrue(all(one["step_ps"] is not None for one in sim.result["collectives"]))

    def test_ip6(self):
        """Over IPv6 a packet's flow label has its plane and value, and switches do not mind."""
        sim = self.run_fabric([flow("h1", "h3", "200KB")], shape=(2, 2, 2), planes=2, hosts=HOSTS | {"ip": 6},
                           record={"pcap": ["h1.eth2"], "snaplen": "full"})
        self.complete(sim)
        frames = [packet.data for packet in read_pcapng(sim.directory / "h1.eth2.pcapng")]
        data = [frame for frame in frames if frame[62] in range(0xc6, 0xcc) and frame[6:12] == frames[0][6:12]]
        self.assertGreater(len(data), 20)
        for frame in data:
            label = int.from_bytes(frame[16:18], "big")
            self.assertEqual(label >> 5, 1)  # 32 values a plane
            self.assertEqual((int.from_bytes(frame[54:56], "big") - label) % 256, 0)

    def test_what_is_refused(self):
        for workload, sections, text in (
                ([flow("h1", "h5", "1MB", op="read")], {}, "read is not supported with transport: mrc"),
                ([flow("h1", "h5", "1MB", op="send")], {}, "send is not supported with transport: mrc"),
                ([flow("h1", "h5", "1MB")], {"h5": {"transport": "uet"}},
                 "h1 has transport: mrc, h5 has transport: uet: both need the same"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"mrc": {"paths": 48}}}, "must be a power of two"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"mrc": {"deny-planes": [9]}}}, "\"9\" is no plane"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"mrc": {"deny-planes": [*range(1, 9)]}}},
                 "every plane is denied"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"mrc": {"deny-planes": [1]}}}, "h1: deny-planes leaves no plane"),
                ([{"kind": "all-to-all", "algorithm": "direct", "size": "1MB", "pairs": "generated"}],
                 {"hosts": HOSTS | {"mrc": {"deny-planes": [2]}}}, "deny-planes is not supported with an all-to-all"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"congestion": "dcqcn"}},
                 "dcqcn needs CNPs, which transport mrc does not send")):
            failed = roost("check", self.file(fabric(*SHAPE, switch=switch(), hosts=HOSTS, workload=workload) | sections),
                           status=2)
            self.assertIn(text, failed.err)

    def test_advice(self):
        """A class with PFC, and one that switches do not trim, are worth a warning each."""
        for settings, text in (({"preset": "spectrum-x"}, r"priority 3 carries data of h1 and 7 other hosts and has PFC; transport mrc"),
                               (switch(trim="off"), r"leaf1 does not trim class 3, which carries data of h1 and 7 other hosts")):
            done = roost("check", self.file(fabric(*SHAPE, switch=settings, hosts=HOSTS, workload=[flow("h1", "h5", "1MB")])))
            self.assertRegex(done.err, text)
        done = roost("check", self.file(fabric(*SHAPE, switch=switch(), hosts=HOSTS, workload=[flow("h1", "h5", "1MB")])))
        self.assertNotIn("warning", done.err)


if __name__ == "__main__":
    unittest.main()
