# SPDX-License-Identifier: BSD-3-Clause
"""Link-level retry: what an error costs, to the picosecond; that nothing is lost, doubled or reordered however many there
are; what becomes of lost acknowledgements, of links that go down, and of frames that never arrive.

Links of 100G and 500 ns unless given: a byte takes 80 ps.
"""
import math
import random
import unittest

from common import *
from ranks import mpirun, unless_sanitized

BYTE, DELAY = 80, 500_000
SET = 8 * BYTE                  # an ordered set on the wire
FRAME = 4114
SLOT = (FRAME + 24) * BYTE      # from the start of a frame to that of the next
ON_WIRE = (FRAME + 12) * BYTE + DELAY
# Frames that leave from the start of one with errors on, until the NACK is here and a frame has ended.
LOST = -(-(ON_WIRE + SET + DELAY) // SLOT)

SEED = 2                        # of the last frames none fails, and no NACK is lost: either would cost another time

SEEDS = range(60) if FULL else range(3 if SANITIZED else 8)


def llr(**keys):
    return {"qos": {"llr": {"state": True} | keys}}


def errors(link, rate, **more):
    return {"at": "0us", "link": link, "bit-error-rate": rate} | more


def probability(rate, frame=FRAME):
    """That a frame with its FCS has errors."""
    return -math.expm1(8 * (frame + 4) * math.log1p(-float(rate)))


def stream(frames, **more):
    """Frames faster than the link takes them."""
    return {"kind": "stream", "from": "h1", "to": "h2", "packet": f"{FRAME}B", "rate": "100G",
            "until": f"{frames * FRAME * BYTE}ps"} | more


class Goodput(Case):
    """One stream over one link with errors, and a leaf behind it that passes each frame on at once."""

    def run_stream(self, frames, rate, **keys):
        sim = self.sim(fabric(1, 0, 2, mtu=FRAME - 14, seed=SEED, switch=llr(**{"replay-max": 255} | keys),
                              workload=[stream(frames)], events=[errors("h1-leaf1", rate)]))
        sim.assert_conserved()
        self.assertEqual(sim.drops, {})
        self.assertEqual(sim.nodes["h2"]["ports"]["eth1"]["rx_packets"], frames)
        return sim

    def test_each_error_costs_a_round_trip(self):
        """Failures are NACKs: errors in frames that the receiver discards anyway cost nothing more. The last event
        is the arrival of the last frame, by way of the leaf."""
        self.assertEqual(LOST, 5)
        for rate, frames in (("1e-9", 20000), ("1e-8", 20000), ("1e-7", 10000), ("1e-6", 5000), ("1e-5", 3000)):
            with self.subTest(rate=rate):
                sim = self.run_stream(frames, rate)
                sender, receiver = sim.nodes["h1"]["ports"]["eth1"], sim.nodes["leaf1"]["ports"]["swp1"]
                failures = receiver["llr_tx_nack"]
                self.assertEqual(sender["llr_tx_replay"], failures)
                self.assertEqual(sender["llr_tx_again"], failures * LOST)
                self.assertEqual(sender["llr_tx_ok"], frames + failures * LOST)
                self.assertEqual(receiver["llr_rx_bad"] + receiver["llr_rx_ok"], frames + failures * LOST)
                self.assertEqual(sim.summary["last_event_ps"], (frames - 1 + failures * LOST) * SLOT + 2 * ON_WIRE)
                # Each frame is tried until it arrives.
                p = probability(rate)
                self.assertLessEqual(abs(failures - frames * p / (1 - p)), 4 * math.sqrt(frames * p) / (1 - p) + 1)

    def test_a_longer_cable_costs_more(self):
        for delay in (50_000, 2_000_000, 9_000_000):
            lost = -(-(ON_WIRE + SET + 2 * delay - DELAY) // SLOT)
            sim = self.sim(fabric(1, 0, 2, mtu=FRAME - 14, seed=SEED, switch=llr(**{"replay-max": 255}),
                                  workload=[stream(2000)],
                                  host_link={"rate": "100G", "delay": f"{delay}ps"},
                                  events=[errors("h1-leaf1", "5e-7")]))
            failures = sim.nodes["leaf1"]["ports"]["swp1"]["llr_tx_nack"]
            self.assertGreater(failures, 10)
            self.assertEqual(sim.drops, {})
            self.assertEqual(sim.summary["last_event_ps"],
                             (1999 + failures * lost) * SLOT + 2 * (ON_WIRE + delay - DELAY))

    def test_without_errors_it_costs_ordered_sets_only(self):
        """The stream of one direction is as on any link; the other carries an ACK for each frame of 2048 B or more."""
        description = fabric(1, 0, 2, mtu=FRAME - 14, switch=llr(), workload=[stream(500)])
        sim = self.sim(description)
        off = self.sim(description | {"switch": {}})
        self.assertEqual(sim.summary["last_event_ps"], off.summary["last_event_ps"])
        self.assertEqual(sim.nodes["leaf1"]["ports"]["swp1"]["llr_tx_ack"], 500)
        self.assertEqual(sim.nodes["leaf1"]["ports"]["swp1"]["tx_packets"], 0)
        self.assertEqual(off.nodes["leaf1"]["ports"]["swp1"]["llr_tx_ack"], 0)

    def test_cut_through(self):
        """A frame is taken as a whole."""
        description = fabric(1, 0, 2, mtu=FRAME - 14, switch=llr(), workload=[stream(50)])
        whole = self.sim(description).summary["last_event_ps"]
        description["switch"] |= {"forwarding": "cut-through"}
        sim = self.sim(description)
        self.assertEqual(sim.summary["last_event_ps"], whole)
        self.assertEqual(sim.nodes["leaf1"]["ports"]["swp1"]["cut_through"], 0)
        description["switch"] = {"forwarding": "cut-through"}
        self.assertLess(self.sim(description).summary["last_event_ps"], whole)

    def test_spacing(self):
        """ACKs keep a distance, and the last one comes in spite of it."""
        for spacing in (2048, 20000):
            sim = self.run_stream(500, "1e-15", spacing=f"{spacing}B")
            receiver, sender = sim.nodes["leaf1"]["ports"]["swp1"], sim.nodes["h1"]["ports"]["eth1"]
            length = 500 * SLOT
            self.assertLessEqual(receiver["llr_tx_ack"], length // (spacing * BYTE) + 2)
            self.assertGreaterEqual(receiver["llr_tx_ack"], min(500, length // (spacing * BYTE)) - 1)
            self.assertEqual(sender["llr_outstanding"], 0)

    def test_replay_buffer(self):
        """A buffer of so many frames lets as many go in the time from a frame to its ACK."""
        for held in (1, 2, 3, 4, 5, 6):
            frames = 400
            sim = self.run_stream(frames, "1e-15", **{"replay-buffer": f"{held * FRAME + 8}B"})
            per_trip = max(held * SLOT, ON_WIRE + SET + DELAY)
            trips, rest = divmod(frames - 1, held)
            self.assertEqual(sim.summary["last_event_ps"], trips * per_trip + rest * SLOT + 2 * ON_WIRE)
            waited = sim.nodes["h1"]["ports"]["eth1"]["llr_wait_ns"]
            self.assertEqual(waited > 0, (held - 1) * SLOT < ON_WIRE + SET + DELAY, waited)


class Beside(Case):
    def test_with_and_without(self):
        """RDMA goes back N end to end where the link does not; with retry it sees no error."""
        description = fabric(1, 0, 2, mtu=FRAME + 50, switch=llr(**{"replay-max": 255}), workload=[flow("h1", "h2", "4MB")],
                             events=[errors("h1-leaf1", "1e-6")])
        on, off = self.sim(description), self.sim(description | {"switch": {}})
        self.assertEqual(on.summary["retransmitted"], 0)
        self.assertEqual(on.drops, {})
        self.assertGreater(off.summary["retransmitted"], 100)
        self.assertEqual(set(off.drops), {"bad-fcs"})
        self.assertNotIn("llr", off.summary)
        self.assertLess(on.flows[0]["fct_ps"], off.flows[0]["fct_ps"])

    def test_the_example(self):
        """What doc/llr.md prints of its file."""
        page = (SOURCE / "doc/llr.md").read_text()
        sim = self.sim(re.search("```yaml\n(# FILE errors.yaml.*?)```", page, re.S)[1])
        self.assertEqual((sim.drops, sim.summary["retransmitted"], sim.summary["out_of_order"]), ({}, 0, 0))
        told = re.findall(r"^(\w+),(\w+),port,,,(\w+),(\d+)$", page, re.M)
        self.assertEqual(len(told), 6)
        for node, port, counter, value in told:
            self.assertEqual(sim.nodes[node]["ports"][port][counter], int(value), counter)
        self.assertEqual(sim.summary["llr"], {"replays": 22, "frames_again": 110, "flushes": 0})
        self.assertEqual(re.findall("^llr  .*$", page, re.M), re.findall("^llr  .*$", sim.done.out, re.M))


class Lost(Case):
    """What says how frames fare is lost too."""

    def test_whatever_is_lost(self):
        """Half of all frames, ACKs and NACKs vanish. The timer heals what no NACK does, and ACKs repeated for frames
        that had arrived."""
        for loss in ("10%", "50%"):
            sim = self.sim(fabric(1, 0, 2, seed=3, switch=llr(**{"replay-max": 255}), workload=[flow("h1", "h2", "300KB")],
                                  events=[{"at": "0us", "link": "h1-leaf1", "loss": loss}], stop="100ms"))
            assert_complete(self, sim)
            sim.assert_conserved()
            self.assertEqual(sim.drops, {})
            self.assertEqual(sim.summary["retransmitted"], 0)
            receiver = sim.nodes["leaf1"]["ports"]["swp1"]
            self.assertEqual(receiver["llr_rx_duplicate_seq"] > 0, loss == "50%")
            self.assertGreater(receiver["llr_rx_missing_seq"], 0)
            self.assertEqual(receiver["llr_rx_bad"], 0)

    def test_a_frame_that_never_arrives(self):
        """After a replay the port gives up: what it holds is dropped by name, and the link restarts."""
        for action in ("best-effort", "block", "discard"):
            sim = self.sim(fabric(1, 0, 2, switch=llr(**{"init-action": action}), hosts={"rto": "50us"},
                                  workload=[flow("h1", "h2", "100KB")], stop="2ms",
                                  events=[{"at": "5us", "link": "h1-leaf1", "loss": "100%", "for": "20us"}]))
            assert_complete(self, sim)
            assert_balanced(sim.nodes)
            sender = sim.nodes["h1"]["ports"]["eth1"]
            self.assertEqual(sender["llr_tx_flush"], 1)
            self.assertGreater(sim.drops["llr-flush"], 0)
            self.assertGreater(sender["llr_tx_init"], 1)          # it is lost as well
            self.assertEqual(sender["llr_rx_init_echo"], 1)
            self.assertGreater(sim.summary["retransmitted"], 0)
            self.assertEqual(sender["llr_tx_discard"], sim.drops.get("llr-discard", 0))
            self.assertEqual("llr-discard" in sim.drops, action == "discard")
            self.assertEqual("link-fault" in sim.drops, action == "best-effort")

    def test_a_link_that_stays_broken(self):
        """A host that waits for the link to begin has something to send: the run has stalled, and ends."""
        path = self.file(fabric(1, 0, 2, switch=llr(**{"init-action": "block"}), workload=[flow("h1", "h2", "1MB")],
                                events=[{"at": "10us", "link": "h1-leaf1", "loss": "100%"}]))
        self.assertIn("nothing has moved for a while", roost("sim", path, status=None, timeout=20).err)

    def test_credits_of_what_is_lost(self):
        """A port that gives up drops frames that have taken credit. CC_Updates tell, so no credit is lost for good."""
        switch = llr() | {"buffer": {"cell": 128, "size": "64MB"}}
        switch["qos"] |= {"flow-control": "cbfc", "credit": {"sync": "10us"}}
        sim = self.sim(fabric(1, 0, 2, switch=switch, hosts={"rto": "50us"}, stop="5ms",
                              workload=[flow("h1", "h2", "2MB", priority=3)],
                              events=[{"at": "20us", "link": "h1-leaf1", "loss": "100%", "for": "20us"}]))
        assert_complete(self, sim)
        assert_balanced(sim.nodes)
        sender = sim.nodes["h1"]["ports"]["eth1"]
        self.assertGreater(sender["drops"]["llr-flush"], 0)
        lost = sender["drops"]["llr-flush"] + sender["drops"]["link-fault"] - sender["control_lost"]
        blocks = -(-frame_sizes(1_000_000, 4096, 4)[0] // 128)
        self.assertEqual(sim.nodes["leaf1"]["ports"]["swp1"]["credit_recovered"][3], lost * blocks * 128)

    def test_a_link_that_flaps(self):
        """What the far end does not have is lost as link-down; both ends begin anew."""
        sim = self.sim(fabric(1, 0, 2, switch=llr(**{"replay-max": 255}), hosts={"rto": "50us"},
                              workload=[flow("h1", "h2", "2MB")], stop="10ms",
                              events=[errors("h1-leaf1", "1e-5")] +
                              [{"at": f"{at}us", "link": "h1-leaf1", "state": "down", "for": f"{length}ns"}
                               for at, length in ((10, 100), (20, 400), (40, 3000), (60, 20000))]))
        assert_complete(self, sim)
        assert_balanced(sim.nodes)
        self.assertEqual(set(sim.drops), {"link-down"})
        for node, port in (("h1", "eth1"), ("leaf1", "swp1")):
            self.assertGreaterEqual(sim.nodes[node]["ports"][port]["llr_rx_init_echo"], 4)
            self.assertEqual(sim.nodes[node]["ports"][port]["llr_outstanding"], 0)


class Settings(Case):
    """Links without errors: nothing is sent again."""

    def assert_calm(self, sim):
        assert_complete(self, sim)
        for node in sim.nodes.values():
            for port in node["ports"].values():
                self.assertEqual((port["llr_tx_again"], port["llr_tx_flush"]), (0, 0))

    def test_an_event_changes_the_rate(self):
        self.assert_calm(self.sim(fabric(1, 0, 2, switch=llr(), workload=[flow("h1", "h2", "400KB")],
                                         events=[{"at": "5us", "link": "h1-leaf1", "rate": "1G"}])))

    def test_an_event_changes_the_delay(self):
        """The timer follows, longer and shorter: of one message, and of frames with pauses between them."""
        for work in ([flow("h1", "h2", "1MB")], [stream(200, rate="10G")]):
            for delay in (5 * DELAY, 100 * DELAY):
                for length in ({}, {"for": "30us"}):
                    with self.subTest(work=work[0]["kind"], delay=delay, **length):
                        self.assert_calm(self.sim(fabric(1, 0, 2, mtu=FRAME - 14, switch=llr(), workload=work, hosts={"rto": "2ms"},
                                                         events=[{"at": "5us", "link": "h1-leaf1", "delay": f"{delay}ps"} | length])))

    def test_the_far_end_says_less(self):
        """The buffer and the timer hold what comes before an ACK by the far end's spacing."""
        sim = self.sim(fabric(2, 1, 2, switch=llr(), workload=[flow("h1", "h3", "4MB")]) |
                       {"leaf2": llr(spacing="60KB")})
        self.assert_calm(sim)
        self.assertEqual(sim.nodes["spine1"]["ports"]["swp2"]["llr_wait_ns"], 0)


class Draw:
    """The fabric of a seed."""

    def __init__(self, seed):
        draw = self.draw = random.Random(f"llr {seed}")
        self.leaves, self.spines = draw.choice(((1, 0), (2, 1), (2, 2), (3, 2)))
        self.per_leaf = draw.randrange(2, 5)
        self.hosts = [f"h{i + 1}" for i in range(self.leaves * self.per_leaf)]
        self.cbfc = draw.random() < 0.4
        self.cut_through = draw.random() < 0.4

    def switch(self):
        draw = self.draw
        keys = llr(**{"replay-max": 255, "spacing": draw.choice(("2048B", "8B", "9000B")),
                      "replay-buffer": draw.choice(("auto", "5KB", "40KB"))})
        if self.cbfc:
            keys["buffer"] = {"cell": 128, "size": "64MB"}
            keys["qos"] |= {"flow-control": "cbfc", "credit": {"sync": draw.choice(("3us", "256us"))}}
        if self.cut_through:
            keys["forwarding"] = "cut-through"
        return keys

    def description(self):
        draw = self.draw
        links = [f"leaf{i + 1}-spine{k + 1}" for i in range(self.leaves) for k in range(self.spines)]
        links += [f"{host}-leaf{i // self.per_leaf + 1}" for i, host in enumerate(self.hosts)]
        faults = [errors(link, draw.choice(("1e-7", "1e-6", "5e-6"))) for link in links if draw.random() < 0.7]
        faults += [{"at": "3us", "link": draw.choice(links), "loss": "3%", "for": "20us"}]
        to, *others = draw.sample(self.hosts, len(self.hosts))
        work = [{"kind": "incast", "to": to, "from": others[:draw.randrange(1, 5)], "size": "40KB", "priority": 3},
                {"kind": "permutation", "size": f"{draw.randrange(20, 80)}KB", "priority": 3}]
        described = fabric(self.leaves, self.spines, self.per_leaf, mtu=4200, seed=draw.randrange(1000), switch=self.switch(),
                           hosts={"rto": "20ms"}, host_link={"rate": f"{draw.choice((25, 100, 400))}G", "cable": "20m"},
                           fabric_link={"rate": f"{draw.choice((100, 400))}G", "cable": f"{draw.choice((2, 100))}m"},
                           workload=work, events=faults, stop="15ms")
        # Shorter, so that headroom for the file's cables is enough, and longer again.
        faults.append({"at": "2us", "link": draw.choice(links), "delay": f"{draw.randrange(1, 100)}ns", "for": "6us"})
        return described


class Random(Case):
    def test_nothing_is_lost_doubled_or_reordered(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                sim = self.sim(Draw(seed).description())
                assert_balanced(sim.nodes)
                assert_complete(self, sim)
                # Pauses and CC_Updates are not sent again.
                self.assertLessEqual(set(sim.drops), {"bad-fcs", "link-fault"})
                self.assertEqual(sum(sim.drops.values()), sum(port["control_lost"] + port["drops"].get("bad-fcs", 0)
                                                              for node in sim.nodes.values()
                                                              for port in node["ports"].values()))
                self.assertEqual(sim.summary["retransmitted"], 0)
                self.assertEqual(sim.summary["out_of_order"], 0)
                # What says how much was sent overtakes frames that are sent again.
                self.assertEqual(sum(sum(port.get("credit_recovered", ())) for node in sim.nodes.values()
                                     for port in node["ports"].values()), 0)

    def test_the_outcome_does_not_depend_on_how_it_is_run(self):
        for seed in SEEDS[:3]:
            path = self.file(Draw(seed).description())
            digests = {re.search("^digest .*", roost("sim", path, *options).out, re.M)[0]
                       for options in (("-j", 1), ("-j", 2), ("--window", "100ns"), ("--visit", 7))}
            self.assertEqual(len(digests), 1, seed)

    @unless_sanitized
    def test_nor_on_ranks(self):
        seed = next(seed for seed in range(100) if Draw(seed).leaves == 3)
        path = self.file(Draw(seed).description())
        digests = {re.search("^digest .*", done.out, re.M)[0] for done in (roost("sim", path), mpirun(2, "sim", path))}
        self.assertEqual(len(digests), 1, seed)


class Refused(Case):
    """Where it cannot work."""

    def test_both_ends(self):
        self.assert_refused_with("both ends of a link need link-level retry, or neither: set it on both, or off on both: leaf1 has "
                                 "on, spine1 has off\n",
                                 fabric(2, 1, 2) | {"leaf1": llr()})

    def test_a_buffer_of_less_than_a_frame(self):
        self.assert_refused_with("a replay buffer of 4000 B does not hold a frame of MTU 4200: at least 4222 B are needed",
                                 fabric(1, 0, 2, mtu=4200, switch=llr(**{"replay-buffer": "4000B"})))

    def test_devices_and_captures(self):
        told = "qos.llr.state: neither a device nor a capture speaks link-level retry, and one switch has no other links: set it " \
               "to off, or describe a fabric$"
        for port in ({"rate": "100G"}, {"rate": "100G", "dev": "net_null0"}):
            self.assert_refused(told, "check", self.file({"switch": {"name": "dut", "ports": {"swp1": port}} | llr()}))
        self.assert_refused_with("leaf1.swp1 has a device, which does not speak link-level retry: set it to off, or do not attach h1\n",
                                 fabric(1, 0, 2, switch=llr(), attach={"h1": {"netns": "somewhere"}}))
        path = self.file({"switch": {"name": "dut", "ports": {"swp1": {"rate": "100G"}}} | llr()})
        capture = write_pcap(self.directory / "a.pcap", [(1000, bytes(64))])
        self.assert_refused(told, "replay", path, "--in", f"swp1={capture}", "--out", self.directory / "out")
        self.assertFalse((self.directory / "out").exists())

    def test_infiniband(self):
        description = fabric(1, 0, 2, switch={"preset": "infiniband"} | llr())
        description["fabric"]["link-layer"] = "infiniband"
        self.assert_refused_with("qos.llr.state", description)

    def test_a_word_for_the_map(self):
        for word, told in (("on", ": write {state: on}"), (False, ": write {state: off}"), ("full", ", found one value")):
            self.assert_refused_with(f"qos.llr: expected a map of keys and values{told}\n",
                                     fabric(1, 0, 2, switch={"qos": {"llr": word}}))

    def test_while_a_fabric_runs(self):
        self.assert_refused_with("qos.llr.state", fabric(1, 0, 2, workload=[flow("h1", "h2", "1KB")], events=[
            {"at": "1us", "set": "switch.qos.llr.state", "to": "on"}]))

    def assert_refused_with(self, words, description):
        done = roost("check", self.file(description), status=None)
        self.assertEqual(done.status, 2)
        self.assertIn(words, done.err)


if __name__ == "__main__":
    unittest.main()
