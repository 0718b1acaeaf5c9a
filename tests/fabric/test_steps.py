# SPDX-License-Identifier: BSD-3-Clause
"""Steps of operations over groups: closed forms without contention, what overlaps, and tokens of experts."""
from itertools import product
from math import comb

from common import *
from test_collectives import B, L, MTU, one_leaf


def step(*operations, **more):
    return {"kind": "step", "name": "train", "operations": list(operations)} | more


class Steps(Case):
    def run_step(self, ranks, item, **more):
        sim = self.sim(one_leaf(ranks, item, **more))
        assert_complete(self, sim)
        self.assertEqual(sim.summary["drops"], 0)
        return sim

    def the(self, sim, name):
        (one,) = [one for one in sim.result["collectives"] if one["name"] == name]
        return one

    def close(self, ps, expected_ns):
        self.assertAlmostEqual(ps / 1e3 / expected_ns, 1, delta=.005, msg=f"{ps} ps, not {expected_ns} ns")

    def test_pipeline(self):
        # p stages, m micro-batches forward: stage s takes batch b after batch b - 1 and after stage s - 1 has sent it.
        # All take t, more than a message, so the last stage ends after (m + p - 1) t and p - 1 messages.
        stages, batches, t, size = 4, 5, 20_000, 32 * MTU
        operations = []
        for batch in range(batches):
            for stage in range(stages):
                before = [f"f{batch - 1}.{stage}"] if batch else []
                before += [f"s{batch}.{stage - 1}"] if stage else []
                operations.append({"kind": "compute", "name": f"f{batch}.{stage}", "time": f"{t}ns",
                                   "on": {"pp": stage}, "after": before})
                if stage + 1 < stages:
                    operations.append({"kind": "send", "name": f"s{batch}.{stage}", "group": "pp", "size": f"{size}B",
                                       "on": {"pp": stage}, "after": [f"f{batch}.{stage}"]})
        sim = self.run_step(stages, step(*operations, groups={"pp": {"size": stages}}))
        self.close(self.the(sim, "train")["step_ps"], (batches + stages - 1) * t + (stages - 1) * (size / B + L))
        self.close(self.the(sim, "s2.1")["step_ps"], size / B + L)
        # Each rank computes m times. The path is a chain of m + p - 1 of these and of p - 1 messages; at which stage it
        # leads over the batches between is a matter of ties.
        (one,) = sim.result["steps"]
        self.assertEqual(one["step_ps"], self.the(sim, "train")["step_ps"])
        self.assertEqual(one["computing_ps"], batches * t * 1000)
        self.assertEqual(one["slowest"], f"h{stages}")
        kinds = {kind: [part for part in one["path"] if part["kind"] == kind] for kind in ("compute", "send")}
        self.assertEqual(sum(part["time_ps"] for part in kinds["compute"]), (batches + stages - 1) * t * 1000)
        self.assertEqual(sum(part["times"] for part in kinds["send"]), stages - 1)
        self.assertEqual(sum(part["time_ps"] for part in one["path"]), one["step_ps"])
        self.assertEqual(self.the(sim, "f0.0")["step_ps"], t * 1000)

    def test_a_message_does_not_last_until_its_receiver_looks(self):
        # Its receiver computes for 50 us before it turns to it: the message has long arrived, and been acknowledged.
        size = 32 * MTU
        sim = self.run_step(2, step({"kind": "compute", "name": "c", "time": "50us", "on": {"pp": 1}},
                                    {"kind": "send", "name": "late", "group": "pp", "size": f"{size}B", "after": ["c"]},
                                    groups={"pp": {"size": 2}}))
        self.assertLess(self.the(sim, "late")["step_ps"], 2 * (size / B + L) * 1000)
        self.assertEqual(self.the(sim, "train")["step_ps"], 50_000_000)

    def test_overlap(self):
        # The reduction of a layer runs while the next one is computed: the longer of the two counts.
        size, n = 8 * 64 * MTU, 8
        reduce_ns = (n - 1) * (size / n / B + L)
        for t in (50_000, 200_000):
            with self.subTest(compute=t):
                layers = []
                for layer in range(3):
                    layers += [{"kind": "compute", "name": f"b{layer}", "time": f"{t}ns",
                                "after": [f"b{layer - 1}"] if layer else []},
                               {"kind": "reduce-scatter", "name": f"r{layer}", "size": f"{size}B",
                                "after": [f"b{layer}"] + ([f"r{layer - 1}"] if layer else [])}]
                sim = self.run_step(n, step(*layers))
                expected = t + 3 * reduce_ns if t < reduce_ns else 3 * t + reduce_ns
                self.close(self.the(sim, "train")["step_ps"], expected)
                (one,) = sim.result["steps"]
                self.assertEqual(one["computing_ps"], 3 * t * 1000)
                self.close(one["exposed_ps"], expected - 3 * t)
                # Where the network is the slower one, the path is the first layer and three reductions.
                names = ["b0", "r0", "r1", "r2"] if t < reduce_ns else ["b0", "b1", "b2", "r2"]
                self.assertEqual(sorted(part["name"] for part in one["path"]), sorted(names))

    def test_a_straggler_is_named(self):
        # h3 computes longer than the others: the path of what all reduce together leads to it.
        size = 4 * 64 * MTU
        sim = self.run_step(4, step({"kind": "compute", "name": "all", "time": "10us"},
                                    {"kind": "compute", "name": "more", "time": "15us", "on": {"one": 2}},
                                    {"kind": "all-reduce", "name": "sum", "size": f"{size}B"},
                                    groups={"one": {"size": 4}}))
        (one,) = sim.result["steps"]
        path = {part["name"]: part for part in one["path"]}
        self.assertEqual({name: part["host"] for name, part in path.items()}, {"all": "h3", "more": "h3", "sum": "h3"})
        self.assertEqual((path["all"]["time_ps"], path["more"]["time_ps"]), (10_000_000, 15_000_000))
        self.close(path["sum"]["time_ps"], 6 * (size / 4 / B + L))
        self.assertAlmostEqual(path["sum"]["busbw_gbps"], size * 1.5 * 8e3 / path["sum"]["time_ps"], places=6)

    def test_groups_side_by_side(self):
        # Four pairs at once take as long as one pair.
        size = 2 * 64 * MTU
        sim = self.run_step(8, step({"kind": "all-reduce", "group": "tp", "size": f"{size}B", "name": "r"},
                                    groups={"tp": {"size": 2, "stride": 2}}))
        groups = [one for one in sim.result["collectives"] if one["name"] == "r"]
        self.assertEqual([one["id"] for one in groups], [f"train.1.all-reduce.{i}" for i in (1, 2, 3, 4)])
        for one in groups:
            self.assertEqual((one["ranks"], one["group"]), (2, "tp"))
            self.close(one["step_ps"], 2 * (size / 2 / B + L))
        # A rank is in one of the four.
        self.assertEqual(self.the(sim, "train")["bytes"], size)
        self.assertEqual({(one["src"], one["dst"]) for one in sim.flows},
                         {(f"h{a}", f"h{b}") for a, b in ((1, 3), (2, 4), (5, 7), (6, 8))} |
                         {(f"h{b}", f"h{a}") for a, b in ((1, 3), (2, 4), (5, 7), (6, 8))})

    def test_a_step_of_no_time_has_no_path(self):
        description = one_leaf(2, step({"kind": "compute", "time": "0us"}))
        (one,) = self.sim(description).result["steps"]
        self.assertEqual((one["step_ps"], one["path"]), (0, []))
        self.assertNotIn("critical path", roost("sim", self.file(description)).out)

    def test_few_of_many_operations_are_shown(self):
        operations = [{"kind": "compute", "name": f"c{i}", "time": f"{1000 - i}ns"} for i in range(60)]
        lines = roost("sim", self.file(one_leaf(2, step(*operations)))).out.splitlines()
        end = lines.index("the 40 that took most time; 21 more in result.json")
        self.assertEqual([line.split()[0] for line in lines[end - 40:end]], [f"c{i}" for i in range(39)] + ["train"])

    def test_broadcast(self):
        # A chain: c chunks pass n - 1 links, each chunk as soon as it is there.
        n, chunks, chunk = 5, 16, 32 * MTU
        sim = self.run_step(n, {"kind": "broadcast", "name": "train", "size": f"{chunks * chunk}B",
                                "chunk": f"{chunk}B"})
        one = self.the(sim, "train")
        self.close(one["step_ps"], (chunks + n - 2) * chunk / B + (n - 1) * L)
        self.assertAlmostEqual(one["busbw_gbps"], one["bytes"] * 8e3 / one["step_ps"], places=6)

    def test_shares(self):
        # Half of each buffer is for rank 0, an eighth each for the other four of five.
        sim = self.run_step(5, step({"kind": "all-to-all", "size": "800KB", "shares": [4, 1, 1, 1, 1]}))
        by_receiver = {}
        for one in sim.flows:
            by_receiver.setdefault(one["dst"], set()).add(one["bytes"])
        self.assertEqual(by_receiver, {"h1": {400_000}} | {f"h{i}": {100_000} for i in (2, 3, 4, 5)})

    def test_node_limited_routing(self):
        """4 hosts of 2 NICs on rails, 2 experts a NIC: bytes between hosts, with and without a limit."""
        hosts, nics, experts, k, tokens, token = 4, 2, 16, 4, 300, 2048
        at_host, at_nic = experts // hosts, experts // hosts // nics

        def chance(limit, some):
            """That a token is for one of `some` experts of one host."""
            return limit / hosts * (1 - comb(limit * at_host - some, k) / comb(limit * at_host, k))

        sent = {}
        for limit, forward in product((1, 2, hosts), (True, False)):
            with self.subTest(limit=limit, forward=forward):
                dispatch = {"kind": "dispatch", "tokens": tokens, "token": f"{token}B", "experts": experts, "top-k": k,
                            "nodes": limit, "forward": forward, "name": "there"}
                back = dispatch | {"kind": "combine", "token": f"{2 * token}B", "name": "back"}
                rails = fabric(nics, 1, hosts, workload=[step(dispatch, back)])
                rails["fabric"]["topology"] |= {"kind": "rail", "rails": nics}
                sim = self.sim(rails)
                assert_complete(self, sim)
                # To each other host once, or to each of its NICs with an expert; rounded to a byte a pair of NICs.
                pairs = hosts * nics * (hosts - 1) * (1 if forward else nics)
                mean = tokens * token * chance(limit, at_host if forward else at_nic)
                self.assertEqual(sum(one["bytes"] for one in sim.flows), pairs * (round(mean) + round(2 * mean)))
                sent[limit, forward] = pairs * mean
                names = {one["name"] for one in sim.result["collectives"]}
                inside = {"there-inside", "back-inside"} if forward else set()
                self.assertEqual(names, {"there", "back", "train"} | inside)
        # The fewer hosts, the less traffic; passing on inside hosts saves the rest.
        self.assertEqual(sorted(sent, key=sent.get)[0], (1, True))
        self.assertLess(sent[2, True], .7 * sent[hosts, True])


if __name__ == "__main__":
    unittest.main()
