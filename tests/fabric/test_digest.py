# SPDX-License-Identifier: BSD-3-Clause
"""The outcome depends on the file and the seed, and on nothing else."""
from common import *
from sprayed import GRANTED, PLANES, SPRAYED

# As much as possible that could depend on order: pauses, marks, losses, random ties and starts, streams,
# links that come and go, thresholds that change, snapshots.
BUSY = fabric(
    3, 2, 4, seed=5,
    switch={"preset": "spectrum-x", "buffer": {"size": "3MB"}, "routing": {"mode": "adaptive"},
            "qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "200KB", "probability": "20%"}}}}},
    hosts={"placement": "out-of-order", "start-jitter": "3us", "ack-every": 4},
    fabric_link={"rate": "100G", "delay": "700ns"},
    workload=[{"kind": "permutation", "size": "200KB"},
              {"kind": "all-to-all", "size": "600KB", "at": "10us"},
              {"kind": "incast", "to": "h1", "from": ["h2", "h5", "h6", "h9"], "size": "900KB", "at": "20us", "qps": 2},
              {"kind": "stream", "from": "h7", "to": "h3", "rate": "30G", "packet": "777B", "priority": 0,
               "until": "150us"}],
    events=[{"at": "15us", "link": "leaf1-spine1", "loss": "1%", "for": "40us"},
            {"at": "33us", "snapshot": "full"},
            {"at": "40us", "set": "switch.qos.tc.3.ecn.min", "to": "40KB"},
            {"at": "50us", "link": "leaf2-spine2", "state": "down", "for": "60us"},
            {"at": "61us", "port": "leaf3.swp1", "tx": "off"},
            {"at": "75500ns", "port": "leaf3.swp1", "tx": "on"},
            {"at": "80us", "port": "spine1.swp2", "pfc": {"priorities": [3], "quanta": 2000}}])
DROPPING = BUSY | {"hosts": {"placement": "in-order", "rto": "200us"},
                   "switch": {"preset": "lossy", "buffer": {"size": "300KB"}}}

# And what the NICs, the collectives and the choice of paths add to that. Host links are much shorter than what
# switches take for a packet, so that NICs hear of their leaf within a window.
TRAINING = fabric(
    3, 3, 3, seed=7, host_link={"rate": "100G", "delay": "20ns"},
    switch={"preset": "spectrum-x", "latency": "400ns", "buffer": {"size": "3MB"},
            "routing": {"mode": "adaptive", "link-utilisation": "on", "spine-notices": "on", "convergence": "5us",
                        "pinned": [{"src": "h1", "dst": "h4", "via": "spine2"}]},
            "qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "200KB", "probability": "20%"}}}}},
    spine={"routing": {"mode": "flowlet", "flowlet-gap": "3us"}},
    hosts={"placement": "out-of-order", "recovery": "selective", "congestion": "dcqcn-mlx", "cnp": {"interval": "4us"},
           "start-jitter": "2us", "clock-ppm": 100, "rto": "300us"},
    h5={"drain-rate": "60G", "drain-buffer": "200KB"}, h2={"congestion": "dcqcn"}, h9={"congestion": "window"}, h4={"congestion": "rtt"},
    workload=[{"kind": "step", "compute": "5us", "repeat": 2, "operations": [
                  {"kind": "all-reduce", "size": "300KB"}, {"kind": "all-to-all", "algorithm": "shift", "size": "200KB"}]},
              {"kind": "poisson", "load": "30%", "sizes": "storage", "until": "100us"},
              flow("h3", "h7", "500KB", op="read"), flow("h8", "h1", "300KB", op="send", qps=3)],
    events=[{"at": "15us", "link": "leaf1-spine1", "loss": "1%", "for": "40us"},
            {"at": "20us", "link": "leaf3-spine2", "rate": "25G", "for": "50us"},
            {"at": "25us", "link": "leaf2-spine3", "corrupt": "1%", "for": "50us"},
            {"at": "50us", "link": "leaf2-spine2", "state": "down", "for": "60us"}])


class Digest(Case):
    def busy(self, *options, description=BUSY, **sections):
        return self.sim(description | sections, *options)

    def test_the_same_with_and_without_files(self):
        for description in (BUSY, DROPPING, TRAINING):
            sim = self.sim(description)
            plain = roost("sim", self.file(description))
            self.assertIn(f"digest {sim.digest}\n", plain.out)

    def test_the_fabrics_here_are_worth_it(self):
        summary = self.busy().summary
        for what in ("pfc_tx", "ecn_marked", "cnps", "out_of_order", "retransmitted", "drops"):
            self.assertGreater(summary[what], 0, what)
        self.assertEqual(summary["drops_lossless"], 0)
        training = self.busy(description=TRAINING).summary
        for what in ("pfc_tx", "ecn_marked", "cnps", "out_of_order", "retransmitted", "drops"):
            self.assertGreater(training[what], 0, what)
        self.assertEqual(training["flows"], training["completed"])
        for description in (SPRAYED, GRANTED, PLANES):
            sprayed = self.busy(description=description).summary
            for what in ("ecn_marked", "out_of_order", "retransmitted", "drops"):
                self.assertGreater(sprayed[what], 0, what)
            self.assertEqual(sprayed["flows"], sprayed["completed"])
        dropping = self.busy(description=DROPPING)
        self.assertGreater(dropping.drops["ingress-pool"] + dropping.drops["egress-pool"], 0)

    def same(self, description, *variants):
        expected = self.sim(description)
        for options in variants:
            with self.subTest(options=options):
                got = self.sim(description, *options)
                self.assertEqual(got.flows, expected.flows)
                self.assertEqual(got.digest, expected.digest)

    def test_again(self):
        self.same(BUSY, (), ())
        self.same(TRAINING, ())

    def test_nodes_in_any_order(self):
        for description in (BUSY, DROPPING, DEMO, TRAINING, SPRAYED, GRANTED, PLANES):
            self.same(description, *(("--visit", seed) for seed in range(1, 21 if FULL else 4)))

    def test_shorter_windows(self):
        # The least wire delay is 500 ns.
        for description in (BUSY, DROPPING, DEMO, TRAINING, SPRAYED, GRANTED, PLANES):
            self.same(description, ("--window", "250ns"), ("--window", "125ns"), ("--window", "333ns"),
                      ("--window", "77ns", "--visit", 9), ("--window", "20ns"))

    def test_a_window_is_never_longer_than_the_wires(self):
        self.same(BUSY, ("--window", "4us"), ("--window", "1ms"))

    def test_records_change_nothing(self):
        plain = self.busy()
        recorded = self.busy(record={"interval": "100ns", "queues": ["leaf1.swp1.3", "spine1.swp2.3"],
                                     "pcap": ["leaf1.swp1", "leaf3.swp5", "h5.eth1", "spine2.swp3"],
                                     "snaplen": "full"})
        self.assertEqual(recorded.digest, plain.digest)
        self.assertEqual(self.busy("--visit", 3, "--window", "100ns", record={
            "interval": "7us", "queues": ["leaf1.swp1.3"], "pcap": ["leaf1.swp1"], "snaplen": "64B"}).digest,
            plain.digest)

    def test_snapshots_change_nothing_else(self):
        without = {key: value for key, value in BUSY.items() if key != "events"}
        plain = self.sim(without)
        seen = self.sim(without | {"events": [{"at": f"{at}ns", "snapshot": "full"} for at in range(1, 150000, 3331)]})
        self.assertEqual((seen.flows, seen.nodes), (plain.flows, plain.nodes))
        self.assertEqual(seen.summary["sim_ps"], plain.summary["sim_ps"])

    def test_the_seed_matters(self):
        # The option is the file's key.
        found = {seed: self.busy("--seed", seed).digest for seed in (5, 6, 7)}
        self.assertEqual(len(set(found.values())), 3)
        self.assertEqual(found[5], self.busy().digest)
        other = {**BUSY, "fabric": BUSY["fabric"] | {"seed": 6}}
        self.assertEqual(found[6], self.sim(other).digest)

    def test_the_order_of_sections_does_not_matter(self):
        self.assertEqual(self.sim(dict(reversed(BUSY.items()))).digest, self.busy().digest)

    def test_json_on_stdout_is_the_file(self):
        sim = self.busy()
        told = roost("sim", self.file(BUSY), "--json").json
        self.assertEqual(told["summary"]["digest"], sim.digest)
        self.assertEqual(told.keys(), sim.result.keys())
        for key in told.keys() - {"file", "summary"}:
            self.assertEqual(told[key], sim.result[key])


if __name__ == "__main__":
    unittest.main()
