# SPDX-License-Identifier: BSD-3-Clause
"""Training steps of models: pipelines against their closed form, bytes between hosts against the formulas."""
import re
from fractions import Fraction
from math import ceil, comb

from common import *
from test_collectives import B, L, one_leaf

SEQUENCE, HIDDEN, FFN = 128, 1024, 4096


def model(layers, micro_batches, parallel, tflops, **transformer):
    return {"kind": "model", "name": "train",
            "transformer": {"layers": layers, "hidden": HIDDEN, "heads": 8, "ffn": FFN} | transformer,
            "batch": {"sequence": SEQUENCE, "micro-batches": micro_batches}, "parallel": parallel,
            "gpu": {"tflops": tflops}}


class Pipelines(Case):
    """Stages of one rank and one layer, all hosts on one leaf."""

    def the_step(self, stages, item):
        sim = self.sim(one_leaf(stages, item))
        assert_complete(self, sim)
        self.assertEqual((sim.summary["drops"], sim.summary["pfc_tx"]), (0, 0))
        (step,) = [one for one in sim.result["collectives"] if one["kind"] == "step"]
        return step["step_ps"] / 1e3

    def test_closed_form(self):
        # Operations of a layer for its tokens: 2 for each parameter, and 4 for each token and dimension.
        forward = SEQUENCE * (2 * (4 * HIDDEN * HIDDEN + 3 * HIDDEN * FFN) + 4 * SEQUENCE * HIDDEN) / 50e12 * 1e9
        send = SEQUENCE * HIDDEN * 2 / B + L
        for schedule, stages, batches in (("1f1b", 4, 1), ("1f1b", 4, 2), ("1f1b", 4, 9), ("1f1b", 2, 5),
                                          ("1f1b", 5, 3), ("gpipe", 4, 6), ("gpipe", 2, 1)):
            with self.subTest(schedule=schedule, stages=stages, batches=batches):
                item = model(stages, batches, {"pp": stages, "schedule": schedule}, 50)
                # Both ways through the pipeline. With 1F1B a stage also waits for what its own passes bring back:
                # of a round of n micro-batches over n stages, n - 1 messages there and back.
                sends = 2 * (stages - 1)
                if schedule == "1f1b":
                    sends += 2 * (batches - 1 - ceil((batches - 1) / stages))
                expected = (batches + stages - 1) * 3 * forward + sends * send
                self.assertAlmostEqual(self.the_step(stages, item) / expected, 1, delta=.005)

    def test_slices(self):
        """Half the layers, half the bytes: the step takes a quarter of the computing, and half of the messages."""
        forward = SEQUENCE * (2 * (4 * HIDDEN * HIDDEN + 3 * HIDDEN * FFN) + 4 * SEQUENCE * HIDDEN) / 50e12 * 1e9
        item = model(4, 8, {"pp": 2}, 50) | {"simulate": {"layers": 1, "micro-batches": 2, "share": "50%"}}
        expected = 3 * 3 * forward / 2 + 2 * (SEQUENCE * HIDDEN / B + L)
        self.assertAlmostEqual(self.the_step(2, item) / expected, 1, delta=.005)


class Slices(Case):
    """The rule of doc/workloads.md: how a whole step follows from a part of it."""

    def parts(self, item):
        """Time until the last pass ends, time from there, computing time that `roost check` tells, all in ns."""
        description = one_leaf(8, item)
        sim = self.sim(description)
        assert_complete(self, sim)
        [step] = [one for one in sim.result["collectives"] if one["kind"] == "step"]
        passes = max(one["start_ps"] + one["step_ps"] for one in sim.result["collectives"]
                     if re.match(r"s\d+\.b", one["name"]) and not one["name"].endswith("send"))
        told = roost("check", self.file(description)).out.splitlines()[1]
        times = [float(number) * {"us": 1e3, "ms": 1e6}[unit] for number, unit in re.findall(r"for ([\d.]+) (\w+)", told)]
        return passes / 1e3, (step["step_ps"] - passes) / 1e3, times

    def test_whole_step_follows(self):
        for parallel in ({"pp": 2, "tp": 2}, {"pp": 4}):
            with self.subTest(parallel=parallel):
                item = model(16, 8, parallel, 20)
                passes, rest, [computing] = self.parts(item)
                cut_passes, cut_rest, [whole, part] = self.parts(
                    item | {"simulate": {"layers": 2, "micro-batches": 4, "share": "50%"}})
                self.assertEqual(whole, computing)
                layers = 16 // parallel["pp"]
                estimate = cut_passes * whole / part + cut_rest * layers / 2 / .5
                # Messages between stages and delays count too often.
                self.assertGreater(estimate / (passes + rest), .99)
                self.assertLess(estimate / (passes + rest), 1.08)


class Experts(Case):
    def test_bytes_between_hosts(self):
        """4 hosts of 2 NICs on rails: tokens with and without a limit of hosts, gradients and parameters."""
        hosts, nics, experts, k, batches = 4, 2, 16, 4, 2
        at_host = experts // hosts
        # Of all but the experts, which the ring of each of two channels takes from host to host 7 times in 8 parts.
        dense = 2 * 4 * HIDDEN * HIDDEN + 3 * HIDDEN * FFN + HIDDEN * experts
        ring = hosts * Fraction(7, 8)
        totals = []
        for limit in (1, 2, None):
            with self.subTest(limit=limit):
                mixture = {"count": experts, "top-k": k, "ffn": 512, "dense-layers": 1}
                item = model(2, batches, {"ep": 8}, 1000, experts=mixture | ({"nodes": limit} if limit else {}))
                rails = fabric(nics, 1, hosts, workload=[item | {"precision": {"dispatch": "fp8"}}])
                rails["fabric"]["topology"] |= {"kind": "rail", "rails": nics}
                sim = self.sim(rails)
                assert_complete(self, sim)
                open_hosts = limit or hosts
                chance = open_hosts / hosts * (1 - comb(open_hosts * at_host - at_host, k) / comb(open_hosts * at_host, k))
                # There in one byte and back in two, in both passes of one layer; once to each other host.
                tokens = sum(round(SEQUENCE * HIDDEN * width * chance) for width in (1, 2)) * 2 * batches
                tokens *= hosts * nics * (hosts - 1)
                self.assertEqual(sum(one["bytes"] for one in sim.flows), tokens + ring * dense * (4 + 2))
                totals.append(tokens)
                # What left the NICs: that, and headers and acknowledgements beside.
                sent = sum(port["tx_bytes"] for host in range(1, hosts + 1) for port in sim.nodes[f"h{host}"]["ports"].values())
                self.assertAlmostEqual(sent / (tokens + ring * dense * 6), 1.015, delta=.015)
        self.assertEqual(totals, sorted(totals))
        self.assertLess(totals[0], .5 * totals[2])


if __name__ == "__main__":
    unittest.main()
