# SPDX-License-Identifier: BSD-3-Clause
"""Steps of collectives against their closed forms, and what their packets carry."""
from common import *

RATE, DELAY_NS, MTU = 100, 500, 4096            # Gb/s; of each of two links; path MTU
FRAME, OVERHEAD = 4154, 24                      # of a packet between the first and the last; preamble, FCS, gap
B = RATE / 8 * MTU / (FRAME + OVERHEAD)         # payload bytes in a ns
# One way of a step's last packet, beyond its serialisation at B: twice preamble, frame and FCS, twice the delay.
L = 2 * (8 + FRAME + 4) * 8 / RATE + 2 * DELAY_NS - MTU / B


def one_leaf(ranks, *workload, **more):
    return fabric(1, 0, ranks, workload=workload, switch={"preset": "spectrum-x"},
                  hosts={"ack-every": 1024} | more.pop("hosts", {}), **more)


class ClosedForms(Case):
    """All hosts on one leaf; an acknowledgement for 1024 packets takes next to nothing."""

    def step(self, ranks, item):
        sim = self.sim(one_leaf(ranks, item))
        assert_complete(self, sim)
        self.assertEqual((sim.summary["drops"], sim.summary["pfc_tx"]), (0, 0))
        (one,) = sim.result["collectives"]
        self.assertEqual((one["kind"], one["ranks"]), (item["kind"], ranks))
        return one

    def close(self, one, expected_ns, factor):
        ratio = one["step_ps"] / 1e3 / expected_ns
        self.assertAlmostEqual(ratio, 1, delta=.005, msg=f"{(ratio - 1) * 100:.3f} % off {expected_ns:.1f} ns")
        algorithm = one["bytes"] * 8e3 / one["step_ps"]
        self.assertAlmostEqual(one["algbw_gbps"], algorithm, places=9)
        self.assertAlmostEqual(one["busbw_gbps"], algorithm * factor, places=9)

    def test_ring_all_reduce(self):
        # 2 (N - 1) steps of S / N, each behind the arrival of the one before.
        for n, packets in ((8, 256), (16, 128), (5, 100)):
            with self.subTest(ranks=n, packets=packets):
                size = n * packets * MTU
                one = self.step(n, {"kind": "all-reduce", "algorithm": "ring", "size": f"{size}B"})
                self.close(one, 2 * (n - 1) * (size / n / B + L), 2 * (n - 1) / n)

    def test_all_gather_and_reduce_scatter(self):
        for kind in ("all-gather", "reduce-scatter"):
            for n, packets in ((8, 256), (6, 300)):
                with self.subTest(kind=kind, ranks=n):
                    size = n * packets * MTU
                    one = self.step(n, {"kind": kind, "size": f"{size}B"})
                    self.close(one, (n - 1) * (size / n / B + L), (n - 1) / n)

    def test_all_to_all_shift(self):
        for n, packets in ((8, 256), (16, 128), (5, 100)):
            with self.subTest(ranks=n, packets=packets):
                size = n * packets * MTU
                one = self.step(n, {"kind": "all-to-all", "algorithm": "shift", "size": f"{size}B"})
                self.close(one, (n - 1) * (size / n / B + L), (n - 1) / n)

    def test_halving_doubling(self):
        # log2 N exchanges of S/2, S/4, .. and back: 2 (N - 1) / N S in all, in 2 log2 N steps.
        for n, packets in ((8, 256), (16, 128)):
            with self.subTest(ranks=n):
                size = n * packets * MTU
                one = self.step(n, {"kind": "all-reduce", "algorithm": "halving-doubling", "size": f"{size}B"})
                steps = 2 * (n.bit_length() - 1)
                self.close(one, 2 * (n - 1) / n * size / B + steps * L, 2 * (n - 1) / n)

    def test_two_ranks(self):
        # Two steps of S / 2 each way, whatever the algorithm.
        size = 2 * 200 * MTU
        for algorithm in ("ring", "halving-doubling"):
            with self.subTest(algorithm=algorithm):
                one = self.step(2, {"kind": "all-reduce", "algorithm": algorithm, "size": f"{size}B"})
                self.close(one, 2 * (size / 2 / B + L), 1)


class Channels(Case):
    """Four hosts with a NIC in each of four planes. The NICs are what bounds a long ring: 2 (N - 1) messages of
    S / N, over the channels, leave each."""

    def ring(self, kind, size, **more):
        description = one_leaf(4, {"kind": kind, "size": f"{size}B"} | more)
        description["fabric"]["topology"]["planes"] = 4
        sim = self.sim(description)
        assert_complete(self, sim)
        (one,) = sim.result["collectives"]
        self.assertEqual((one["ranks"], one["bytes"]), (16, size))
        return sim, one

    def test_all_nics_are_used(self):
        for kind, turns in (("all-reduce", 2), ("all-gather", 1), ("reduce-scatter", 1)):
            # Of 64 packets, or 256 in the one channel.
            size, steps = 16 * 256 * MTU, turns * 15
            with self.subTest(kind=kind):
                sent = {}
                for channels in (4, 1):
                    sim, one = self.ring(kind, size, channels="auto" if channels == 4 else 1)
                    expected = steps * size / 16 / channels / B
                    self.assertAlmostEqual(one["step_ps"] / 1e3 / expected, 1, delta=.01)
                    self.assertAlmostEqual(one["busbw_gbps"] / (channels * B * 8), 1, delta=.01)
                    self.assertEqual(sim.summary["flows"], 4 * channels)
                    sent[channels] = [port["tx_bytes"] for host in range(1, 5) for name, port in
                                      sorted(sim.nodes[f"h{host}"]["ports"].items())]
                # The same messages, a quarter of the size and four times as many; acknowledgements beside.
                self.assertEqual(len(set(sent[4])), 1)
                self.assertLess(max(sent[1][nic] for nic in range(16) if nic % 4), max(sent[1]) / 1000)


class Programs(Case):
    def test_repeats_follow_one_another(self):
        # Each rank begins again when it has everything, 10 us later.
        size = 4 * 64 * MTU
        sim = self.sim(one_leaf(4, {"kind": "all-reduce", "size": f"{size}B", "repeat": 3, "gap": "10us", "name": "sum"}))
        assert_complete(self, sim)
        times = sim.result["collectives"]
        self.assertEqual([(one["name"], one["iteration"]) for one in times], [("sum", 0), ("sum", 1), ("sum", 2)])
        expected = 2 * 3 * (size / 4 / B + L)
        for before, one in zip(times, times[1:]):
            self.assertAlmostEqual((one["start_ps"] - before["start_ps"]) / 1e3 / (expected + 10_000), 1, delta=.005)
        # Its messages follow without a pause: a flow is under way for as long as the collective runs.
        for one in sim.flows:
            self.assertAlmostEqual(one["fct_ps"] / 1e3 / expected, 1, delta=.02)
            self.assertEqual(one["ideal_ps"], 0)

    def test_a_training_step(self):
        # Compute, then gradients, then an exchange: the step takes the sum of its parts.
        size = 4 * 64 * MTU
        sim = self.sim(one_leaf(4, {"kind": "step", "compute": "100us", "repeat": 2, "name": "train", "operations": [
            {"kind": "all-reduce", "size": f"{size}B"}, {"kind": "all-to-all", "algorithm": "shift", "size": f"{size}B"}]}))
        assert_complete(self, sim)
        by_kind = {}
        for one in sim.result["collectives"]:
            by_kind.setdefault(one["kind"], []).append(one)
        self.assertEqual({kind: len(them) for kind, them in by_kind.items()},
                         {"step": 2, "all-reduce": 2, "all-to-all": 2})
        expected = 100_000 + 9 * (size / 4 / B + L)
        for one in by_kind["step"]:
            self.assertAlmostEqual(one["step_ps"] / 1e3 / expected, 1, delta=.005)
        first, second = by_kind["step"]
        self.assertEqual(first["start_ps"], 0)
        self.assertAlmostEqual(second["start_ps"] / first["step_ps"], 1, delta=.01)

    def test_a_straggler_holds_up_the_ring(self):
        # One link at a tenth: every chunk has to pass it, so steps go at its rate.
        size = 4 * 64 * MTU
        sim = self.sim(one_leaf(4, {"kind": "all-reduce", "size": f"{size}B"},
                                events=[{"at": "0us", "link": "h2-leaf1", "rate": "10G"}]))
        assert_complete(self, sim)
        (one,) = sim.result["collectives"]
        expected = 6 * (size / 4 / (B / 10))
        self.assertAlmostEqual(one["step_ps"] / 1e3 / expected, 1, delta=.05)

    def test_queue_pairs_share_the_messages(self):
        size = 4 * 64 * MTU
        one, four = (self.sim(one_leaf(4, {"kind": "all-reduce", "size": f"{size}B", "qps": qps})) for qps in (1, 4))
        for sim in (one, four):
            assert_complete(self, sim)
        ratio = four.result["collectives"][0]["step_ps"] / one.result["collectives"][0]["step_ps"]
        self.assertAlmostEqual(ratio, 1, delta=.02)

    def test_a_loss_only_delays(self):
        size = 4 * 64 * MTU
        for recovery in ("go-back-n", "selective"):
            with self.subTest(recovery=recovery):
                sim = self.sim(one_leaf(4, {"kind": "all-reduce", "size": f"{size}B", "repeat": 2},
                                        hosts={"recovery": recovery, "rto": "100us"},
                                        events=[{"at": "0us", "link": "h2-leaf1", "loss": "1%"}]))
                assert_complete(self, sim)
                self.assertGreater(sim.summary["retransmitted"], 0)
                self.assertEqual(len(sim.result["collectives"]), 2)

    def test_ids_differ_from_all_names(self):
        """A number that makes an id unique must not make it the name of another item, nor that of a collective."""
        item = {"kind": "all-to-all", "size": "1KB"}
        step = {"kind": "step", "operations": [item], "name": "a"}
        sim = self.sim(one_leaf(4, *({**item, "name": name} for name in ("a", "a", "a-2", "a.1.all-to-all", "x" * 120)),
                                step, {**item, "name": "x" * 119 + "y"}))
        ids = [one["id"] for one in sim.result["collectives"]]
        self.assertEqual(ids, ["a", "a-3", "a-2", "a.1.all-to-all", "x" * 120, "a-4.1.all-to-all", "a-4", "x" * 119 + "y"])

    def test_collectives_of_a_step_are_told_apart(self):
        """Two of one kind, and a second step without a name: ids are unique, and the step is named."""
        step = {"kind": "step", "repeat": 2, "operations": [{"kind": "all-to-all", "size": "4KB"}] * 2}
        sim = self.sim(one_leaf(4, step, step | {"at": "1ms"}, {"kind": "all-reduce", "size": "4KB", "at": "2ms"}))
        ids = [(one["id"], one.get("step"), one["iteration"]) for one in sim.result["collectives"]]
        self.assertEqual(ids, [(f"{name}{of}", name, k) for name in ("step", "step-2") for k in range(2)
                               for of in (".1.all-to-all", ".2.all-to-all", "")] + [("all-reduce", None, 0)])

    def test_the_result_names_its_file_and_version(self):
        sim = self.sim(one_leaf(4, {"kind": "all-reduce", "size": "4KB"}))
        self.assertTrue(sim.result["file"].endswith(".yaml"), sim.result["file"])
        self.assertEqual(f"roost {sim.result['version']}", roost("--version").out.partition(" (")[0].strip())

    def test_the_last_packet_of_a_message_carries_an_immediate(self):
        size = 3 * 2 * MTU
        sim = self.sim(one_leaf(3, {"kind": "all-reduce", "size": f"{size}B"},
                                record={"pcap": ["h1.eth1"], "snaplen": "full"}))
        opcodes = [int(op) for (op,) in tshark(sim.directory / "h1.eth1.pcapng", "infiniband.bth.opcode",
                                               display="ip.src == 10.0.1.1")]
        # 4 messages of two packets, FIRST and LAST WITH IMMEDIATE, and acknowledgements.
        self.assertEqual([op for op in opcodes if op != 17], [6, 9] * 4)
        self.assert_dissects(sim.directory / "h1.eth1.pcapng")


if __name__ == "__main__":
    unittest.main()
