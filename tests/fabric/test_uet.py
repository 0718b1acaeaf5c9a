# SPDX-License-Identifier: BSD-3-Clause
"""Ultra Ethernet Transport: messages, collectives and steps over it, congestion, loss and faults."""
import sprayed
from common import *
from sprayed import TRIM, first_incast as incast, trimming_switch as switch

HEADERS, ACK = 14 + 20 + 8 + 12 + 44, 14 + 20 + 8 + 32
SHAPE = (2, 2, 4)
HOSTS = sprayed.HOSTS | {"transport": "uet"}


class Uet(sprayed.TrimmedIncasts, Case):
    def run_fabric(self, workload, *options, shape=SHAPE, hosts=HOSTS, settings=None, **sections):
        return self.sim(fabric(*shape, switch=settings or switch(), hosts=hosts, workload=workload, stop="100ms",
                               **sections), *options)

    def complete(self, sim):
        sim.assert_conserved()
        assert_complete(self, sim)

    def nics(self, sim, counter):
        return sum(node["nic"].get(counter, 0) for node in sim.nodes.values() if "nic" in node)

    def test_alone(self):
        """Packets of one message take both spines and are as fast as the line. The ideal time is that one."""
        for size, op in (("1MB", "write"), ("100B", "write"), ("300KB", "send")):
            sim = self.run_fabric([flow("h1", "h5", size, op=op)])
            bytes_ = {"1MB": 10**6, "100B": 100, "300KB": 300000}[size]
            path = [Hop(10**11, 500000)] * 4
            expected = completion(bytes_, path, header_bytes=HEADERS, ack_bytes=ACK, ack_every=4)
            self.assertEqual((sim.flows[0]["fct_ps"], sim.flows[0]["ideal_ps"]), (expected, expected))
            self.complete(sim)
        spines = [sim.nodes[spine]["ports"]["swp2"]["tx_packets"] for spine in ("spine1", "spine2")]
        self.assertGreater(min(spines), 20)

    def test_credits_share_the_line(self):
        """Receiver credit: n senders begin at once with a packet each. From the first one's arrival on, the receiver
        grants what its line carries, four packets in turn. So the line has no gap behind the first grant, no switch
        ever holds more than a packet or two of each sender, and senders end in their turns."""
        for senders in (2, 5, 7):
            packets = 201
            sim = self.run_fabric([incast(senders, f"{packets * 4096}B")],
                               hosts=HOSTS | {"congestion": "none", "uet": {"credits": "on"}}, shape=(1, 0, 8))
            self.complete(sim)
            frame = HEADERS + 4 + 4096
            occupancy, wire = (frame + 24) * 80, (frame + 12) * 80
            first = 2 * (wire + 500000)
            loop = 2 * ((60 + 12) * 80 + 500000) + first
            grants = senders * (packets - 1) // 4
            last = first + (grants - 1) * 4 * occupancy + loop + 3 * occupancy
            self.assertEqual(sim.nodes["h8"]["ports"]["eth1"]["grants_tx"], grants)
            done = last + 2 * ((ACK + 12) * 80 + 500000)
            fcts = sorted(one["fct_ps"] for one in sim.flows)
            # An acknowledgement may be in the way of the last grant. The first sender got the first grants alone.
            self.assertGreaterEqual(fcts[-1], done)
            self.assertLess(fcts[-1], done + occupancy)
            self.assertEqual({later - earlier for earlier, later in zip(fcts[1:], fcts[2:])},
                             {4 * occupancy} if senders > 2 else set())
            self.assertLess(sim.nodes["leaf1"]["ports"]["swp8"]["queue"][3]["depth_max"], (senders + 4) * frame)
            self.assertEqual(sum(one["retransmitted"] for one in sim.flows), 0)

    def test_many_rings(self):
        """A message of several windows: what is trimmed late is requested and sent again as what is trimmed first,
        and no timer fires."""
        sim = self.run_fabric([incast(7, "8MB")], settings=switch(depth="200KB"), hosts=HOSTS | {
            "rto": "20ms", "reorder-window": 256})
        self.complete(sim)
        self.assertLess(max(one["fct_ps"] for one in sim.flows), 7 * 8 * 10**6 * 8 * 10 * 1.15)

    def test_windows_that_differ(self):
        """A sender keeps to its receiver's window if that is smaller: no packet is refused, whatever is trimmed. So
        only what was trimmed goes again."""
        for window in (64, 100):
            for work in ([incast(3, "2MB"), flow("h4", "h7", "2MB")], [incast(4, "2MB", to="h7")]):
                sim = self.run_fabric(work, hosts=HOSTS | {"rto": "2ms", "congestion": "none"}, settings=switch(depth="40KB"),
                                   h7={"reorder-window": window}, h8={"reorder-window": window})
                self.complete(sim)
                trimmed = sum(total(node["ports"], "queue", "trimmed") for node in sim.nodes.values())
                self.assertGreater(trimmed, 0)
                self.assertEqual(sum(one["retransmitted"] for one in sim.flows), trimmed)

    def test_credits_from_idle(self):
        """A message that begins when nothing is in flight asks for credit at once, and not after a timeout."""
        for work in ([flow("h1", "h2", "1MB", repeat=5)], [{"kind": "all-reduce", "size": "1MB"}]):
            sims = [self.run_fabric(work, shape=(1, 0, 4), hosts=HOSTS | {"rto": "10ms", "uet": {"credits": credits}})
                    for credits in ("off", "on")]
            for sim in sims:
                self.complete(sim)
            slowest = [max(one["fct_ps"] for one in sim.flows) for sim in sims]
            self.assertLess(slowest[1], 2 * slowest[0])

    def test_credits_of_much(self):
        """More than what the 24 bits of a request hold."""
        sim = self.sim({"fabric": {"topology": {"kind": "leaf-spine", "leaves": 1, "spines": 0, "hosts-per-leaf": 2},
                                   "links": {"host": {"rate": "8000G"}}},
                        "switch": switch(), "hosts": HOSTS | {"congestion": "none", "uet": {"credits": "on"}},
                        "workload": [flow("h1", "h2", "3GB")], "stop": "20ms"})
        assert_complete(self, sim)

    def test_links_that_fail(self):
        """Every message completes once, whatever becomes of packets, acknowledgements and NACKs."""
        lossy = [{"at": "10us", "link": f"leaf{leaf}-spine{spine}", "loss": "3%", "for": "300us"}
                 for leaf in (1, 2) for spine in (1, 2)]
        down = [{"at": "20us", "link": "leaf1-spine1", "state": "down", "for": "200us"},
                {"at": "30us", "link": "h7-leaf2", "state": "down", "for": "50us"}]
        corrupt = [{"at": "5us", "link": f"leaf1-spine{spine}", "corrupt": "2%", "for": "300us"} for spine in (1, 2)]
        for events in (lossy, down, corrupt, lossy + down):
            for credits in ("off", "on"):
                sim = self.run_fabric([{"kind": "permutation", "size": "2MB", "repeat": 2}, incast(3, "500KB", at="40us")],
                                   hosts=HOSTS | {"uet": {"credits": credits}}, events=events)
                assert_complete(self, sim)
                assert_balanced(sim.nodes)
                self.assertGreater(sum(one["retransmitted"] for one in sim.flows), 0)

    def test_collectives_and_steps(self):
        """They neither know nor care: what is sent and what waits for what is as with RoCEv2."""
        works = ([{"kind": "all-reduce", "size": "2MB"}], [{"kind": "all-to-all", "size": "1MB", "repeat": 3}],
                 [{"kind": "all-to-all", "algorithm": "shift", "size": "1MB"}], [{"kind": "all-gather", "size": "1MB"}],
                 [{"kind": "step", "compute": "5us", "repeat": 2, "operations": [
                     {"kind": "all-reduce", "size": "300KB"}, {"kind": "all-to-all", "size": "200KB"}]}])
        for work in works:
            for credits in ("off", "on"):
                sim = self.run_fabric(work, hosts=HOSTS | {"uet": {"credits": credits}})
                self.complete(sim)
                other = self.run_fabric(work, hosts={}, settings={"preset": "spectrum-x"})
                self.assertEqual(sim.summary["flows"], other.summary["flows"])
                self.assertLess(sim.summary["sim_ps"], 2 * other.summary["sim_ps"])

    def test_all_to_all_with_loss(self):
        sim = self.run_fabric([{"kind": "all-to-all", "size": "2MB", "repeat": 2}], settings=switch(depth="60KB"), events=[
            {"at": "5us", "link": f"leaf{leaf}-spine{spine}", "loss": "2%", "for": "200us"}
            for leaf in (1, 2) for spine in (1, 2)])
        assert_complete(self, sim)
        assert_balanced(sim.nodes)

    def test_sprays(self):
        """Values that are used again because they came back well avoid a link of a quarter of the rate; values in turn
        do not."""
        slow = {}
        for spray in ("oblivious", "mixed", "reps"):
            sim = self.run_fabric([{"kind": "permutation", "size": "4MB"}], shape=(2, 4, 4), hosts=HOSTS | {
                "uet": {"spray": spray, "ack-every": 1}},
                events=[{"at": "0ns", "link": "leaf1-spine1", "rate": "25G", "for": "50ms"}])
            self.complete(sim)
            slow[spray] = max(one["fct_ps"] for one in sim.flows)
        self.assertLess(slow["mixed"], slow["oblivious"] / 1.5)
        self.assertLess(slow["reps"], slow["oblivious"] / 1.5)

    def test_ip6_and_ranges(self):
        sim = self.run_fabric([{"kind": "permutation", "size": "1MB"}], hosts=HOSTS | {"ip": 6, "uet": {
            "paths": 1024, "ack-every": 1}, "reorder-window": 200})
        self.complete(sim)
        self.complete(self.run_fabric([{"kind": "permutation", "size": "1MB"}], hosts=HOSTS | {
            "uet": {"paths": 1, "ack-every": 64}, "reorder-window": 64, "qps": 3}))

    def test_hosts_that_misbehave(self):
        sim = self.run_fabric([{"kind": "permutation", "size": "500KB"}], h3={"drain-rate": "40G", "drain-buffer": "100KB"},
                           h6={"stall": {"every": "100us", "for": "20us"}})
        assert_complete(self, sim)

    def test_a_capture(self):
        """Frames have all their bytes: headers as the specification has them, and zeros."""
        sim = self.run_fabric([flow("h1", "h5", "20KB")], record={"pcap": ["h1.eth1"], "snaplen": "full"})
        frames = [packet.data for packet in read_pcapng(sim.directory / "h1.eth1.pcapng")]
        data = [frame for frame in frames if len(frame) > 1000 or frame[42] >> 3 == 2]
        self.assertEqual([len(frame) for frame in data], [HEADERS + 4096] * 4 + [HEADERS + 20000 - 4 * 4096])
        for number, frame in enumerate(data):
            self.assertEqual(int.from_bytes(frame[36:38], "big"), 4793)
            self.assertEqual((frame[42] >> 3, (int.from_bytes(frame[42:44], "big") >> 7) & 15), (2, 3))
            self.assertEqual((frame[55] & 3), (1 if number == 0 else 0) | (2 if number == 4 else 0))
            self.assertEqual(int.from_bytes(frame[94:98], "big"), 20000)
        self.assertEqual({int.from_bytes(frame[46:50], "big") for frame in data},
                         {int.from_bytes(data[0][46:50], "big") + i for i in range(5)})
        answers = [frame for frame in frames if frame[42] >> 3 == 8]
        self.assertEqual([len(frame) for frame in answers], [ACK, ACK])

    def test_what_is_refused(self):
        for workload, hosts, text in (
                ([flow("h1", "h5", "1MB", op="read")], {}, "read is not supported with transport: uet"),
                ([flow("h1", "h5", "1MB")], {"h5": {"transport": "roce"}},
                 "h1 has transport: uet, h5 has transport: roce: both need the same"),
                ([{"kind": "all-to-all", "size": "1MB"}], {"h5": {"transport": "roce"}}, "both need the same"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"uet": {"paths": 48}}}, "must be a power of two"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"congestion": "dcqcn"}},
                 "dcqcn needs CNPs, which transport uet does not send"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"congestion": "rtt"}},
                 "rtt is only supported with transport roce"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"reorder-window": 40000}},
                 "at most 32704 with transport: uet"),
                ([flow("h1", "h5", "1MB")], {"hosts": HOSTS | {"rto": "5s"}}, "at most 4s with transport: uet"),
                ([flow("h1", "h5", "1MB")], {"h1": {"uet": {"credits": "on"}}},
                 "h1 has uet.credits: on, and h5, which is to grant them, has off"),
                ([{"kind": "all-to-all", "size": "1MB"}], {"h5": {"uet": {"credits": "on"}}}, "which is to grant them"),
                ([flow("h1", "h5", "1MB")], {"switch": {}, "fabric": {"link-layer": "infiniband", "topology": {
                    "kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts-per-leaf": 4}}}, "uet needs Ethernet"),
                ([flow("h1", "h5", "1MB")], {"hosts": {"congestion": "nscc"}}, "nscc needs transport: uet")):
            description = fabric(*SHAPE, switch=switch(), hosts=HOSTS, workload=workload) | hosts
            failed = roost("check", self.file(description), status=2)
            self.assertIn(text, failed.err)

    def test_advice(self):
        """A class with PFC, and one that switches do not trim, are worth a warning each."""
        for settings, text in (({"preset": "spectrum-x"}, r"priority 3 carries data of h1 and 7 other hosts and has PFC; "),
                               (switch(trim="off"), r"leaf1 does not trim class 3, which carries data of h1 and 7 other hosts"),
                               (switch(trim=TRIM | {"eligible-tc": [1]}), r"leaf1 does not trim class 3")):
            done = roost("check", self.file(fabric(*SHAPE, switch=settings, hosts=HOSTS, workload=[flow("h1", "h5", "1MB")])))
            self.assertRegex(done.err, text)
        done = roost("check", self.file(fabric(*SHAPE, switch=switch(), hosts=HOSTS, workload=[flow("h1", "h5", "1MB")])))
        self.assertNotIn("warning", done.err)
        done = roost("check", self.file(fabric(*SHAPE, switch=switch(), hosts=HOSTS | {
            "ack-every": 64, "congestion": "window", "window": {"size": "16KB"}}, workload=[flow("h1", "h5", "1MB")])))
        self.assertRegex(done.err, r"^warning: \S+ hosts.ack-every: has no effect: transport is not roce\n$") # not that the window is below it


if __name__ == "__main__":
    unittest.main()
