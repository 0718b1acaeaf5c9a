# SPDX-License-Identifier: BSD-3-Clause
"""All-to-alls whose pairs are generated while the fabric runs, against the same with a flow for each pair."""
import resource

from common import *

LISTED, GENERATED = "listed", "generated"


def exchange(size="1MB", **more):
    return {"kind": "all-to-all", "size": size} | more


class Exchanges(Case):
    def run_both(self, item, **more):
        """(listed, generated) of 4 leaves with 3 hosts each."""
        return [self.sim(fabric(4, 2, 3, workload=[item | {"pairs": pairs}], **more)) for pairs in (LISTED, GENERATED)]

    def assert_same(self, item, **more):
        listed, generated = self.run_both(item, **more)
        self.assertEqual(generated.nodes, listed.nodes)
        self.assertEqual(generated.result["collectives"], listed.result["collectives"])
        for key in ("sim_ps", "last_event_ps", "packets", "packet_hops", "drops", "cnps", "out_of_order", "retransmitted"):
            self.assertEqual(generated.summary[key], listed.summary[key], key)
        self.assertEqual((listed.summary["flows"], generated.summary["flows"]), (12 * 11, 0))
        self.assertNotIn("pairs", listed.summary)
        pairs = generated.summary["pairs"]
        self.assertEqual((pairs["generated"], pairs["messages"], pairs["arrived"]),
                         (12 * 11, 12 * 11 * item.get("repeat", 1), 12 * 11 * item.get("repeat", 1)))
        self.assertAlmostEqual(pairs["arrived_bytes"], 11 * pairs_bytes(item["size"]) * item.get("repeat", 1), delta=1)
        if "events" not in more:     # what is lost on a link was sent
            generated.assert_conserved()
        return generated

    def test_sizes(self):
        # Of one packet and of several, of chunks that are equal and not.
        for algorithm in ("direct", "shift"):
            for size in ("12B", "29B", "40KB", "1000KB"):
                with self.subTest(algorithm=algorithm, size=size):
                    self.assert_same(exchange(size, algorithm=algorithm))

    def test_what_hosts_do(self):
        for hosts in ({"congestion": "none"}, {"congestion": "dcqcn-mlx"}, {"congestion": "window"}, {"ip": [6]},
                      {"start-jitter": "3us"}, {"priority": 4}, {"ack-every": 16}):
            with self.subTest(hosts=hosts):
                self.assert_same(exchange(), hosts=hosts)
        self.assert_same(exchange(priority=5))

    def test_losses(self):
        # What is late or lost is answered as by an established queue pair.
        events = [{"at": "0us", "link": "leaf1-spine1", "loss": "2%"}, {"at": "0us", "link": "leaf3-spine2", "loss": "1%"}]
        resent = 0
        for recovery in ("go-back-n", "selective", "go-back-0"):
            for placement in ("in-order", "out-of-order"):
                with self.subTest(recovery=recovery, placement=placement):
                    hosts = {"recovery": recovery, "placement": placement, "rto": "200us"}
                    sim = self.assert_same(exchange(), hosts=hosts, events=events)
                    resent += sim.summary["retransmitted"]
        self.assertGreater(resent, 100)
        self.assert_same(exchange(algorithm="shift"), hosts={"rto": "200us"}, events=events)

    def test_times(self):
        # A generated queue pair has no past: without congestion control, and when it has sent all before a rank begins
        # again, that makes no difference.
        for algorithm, gap in (("direct", "20us"), ("shift", "0us"), ("shift", "20us")):
            with self.subTest(algorithm=algorithm, gap=gap):
                self.assert_same(exchange("100KB", algorithm=algorithm, repeat=4, gap=gap), hosts={"congestion": "none"})
        generated = self.run_both(exchange("100KB", repeat=4))[1]
        generated.assert_conserved()
        self.assertEqual(generated.summary["pairs"]["arrived"], 4 * 12 * 11)

    def test_beside_other_work(self):
        # What comes before and after it keeps its numbers, and so its paths.
        others = [exchange("50KB", name="before"), {"kind": "permutation", "size": "200KB"}]
        steps = [{"kind": "step", "repeat": 2, "name": "train", "operations": [
            {"kind": "all-reduce", "size": "100KB"}, exchange("60KB", algorithm="shift"), exchange("70KB")]}]
        results = []
        for pairs in (LISTED, GENERATED):
            work = [others[0] | {"pairs": pairs}, others[1],
                    steps[0] | {"operations": [one | ({"pairs": pairs} if one["kind"] == "all-to-all" else {})
                                                for one in steps[0]["operations"]]}]
            sim = self.sim(fabric(4, 2, 3, workload=work, hosts={"congestion": "none"}))
            sim.assert_conserved()
            results.append(sim)
        listed, generated = results
        self.assertEqual(generated.nodes, listed.nodes)
        self.assertEqual(generated.result["collectives"], listed.result["collectives"])
        kept = [{key: one[key] for key in one if key != "id"} for one in listed.flows
                if one["item"] == "permutation"]
        self.assertEqual([{key: one[key] for key in one if key != "id"} for one in generated.flows
                          if one["item"] == "permutation"], kept)

    def test_planes(self):
        # Of 4 x 6 ranks; what is for another NIC crosses inside its host first, or is for the host itself.
        for item in (exchange(), exchange(algorithm="shift"), exchange(repeat=2, peers=3)):
            with self.subTest(item=item):
                description = fabric(2, 2, 3, workload=[item | {"pairs": GENERATED}])
                description["fabric"]["topology"]["planes"] = 4
                sim = self.sim(description)
                sim.assert_conserved()
                repeat = item.get("repeat", 1)
                self.assertEqual(sim.summary["drops"], 0)
                self.assertEqual(sim.summary["pairs"]["arrived"], 24 * 23 * repeat)
                self.assertEqual([one["step_ps"] is not None for one in sim.result["collectives"]], [True] * repeat)
                # Each NIC carries what its plane's six ranks are sent, less what stays inside hosts.
                sent = [port["tx_packets"] for host in range(1, 7)
                        for port in sim.nodes[f"h{host}"]["ports"].values()]
                self.assertLess(max(sent) - min(sent), .05 * max(sent))

    def test_rails(self):
        # The first NICs of two leaves are one host's, so the path between the leaves is that of two other hosts.
        for pxn in ("off", "on"):
            with self.subTest(pxn=pxn):
                results = []
                for pairs in (LISTED, GENERATED):
                    description = fabric(2, 2, 4, workload=[exchange(pairs=pairs)], hosts={"pxn": pxn})
                    description["fabric"]["topology"] = {"kind": "rail", "leaves": 2, "rails": 2, "spines": 2,
                                                         "hosts-per-leaf": 4}
                    results.append(self.sim(description))
                listed, generated = results
                self.assertEqual(generated.summary["pairs"]["arrived"], 8 * 7)
                self.assertEqual((generated.summary["drops"], generated.summary["packets"]), (0, listed.summary["packets"]))
                generated.assert_conserved()

    def test_congestion_of_some(self):
        # What a path is like is known to all hosts at a leaf, if only one of them needs it.
        hosts = {f"h{i}": {"congestion": "window" if i % 3 == 2 else "none"} for i in range(1, 13)}
        self.assert_same(exchange("4MB"), **hosts)

    def test_peers(self):
        # To one at a time the first message of each goes alone, and the whole takes longer than to all.
        took = {}
        for peers in (1, 4, None):
            sim = self.sim(fabric(4, 2, 3, workload=[exchange(pairs=GENERATED) | ({"peers": peers} if peers else {})]))
            (one,) = sim.result["collectives"]
            took[peers] = one["step_ps"]
            self.assertEqual(sim.summary["pairs"]["arrived"], 12 * 11)
        self.assertGreater(took[1], took[4])
        self.assertGreater(took[1], 1.1 * took[None])

    def test_a_run_that_ends_early(self):
        description = fabric(4, 2, 3, workload=[exchange(pairs=GENERATED, algorithm="shift")], stop="50us")
        sim = self.sim(description)
        (one,) = sim.result["collectives"]
        self.assertIsNone(one["step_ps"])
        pairs = sim.summary["pairs"]
        self.assertTrue(0 < pairs["arrived"] < pairs["messages"], pairs)
        # And of some messages a part.
        self.assertLessEqual(pairs["arrived"] / pairs["messages"], pairs["arrived_bytes"] / 11e6)
        self.assertLess(pairs["arrived_bytes"] / 11e6, (pairs["arrived"] + 12) / pairs["messages"])
        text = roost("sim", self.file(description)).out
        self.assertIn(f"pairs   132 generated; {pairs['arrived']} of 132 messages arrived (", text)

    def test_the_order_of_nodes_makes_no_difference(self):
        path = self.file(fabric(4, 2, 3, workload=[exchange(pairs=GENERATED, peers=5, repeat=2)],
                                hosts={"rto": "200us"}, events=[{"at": "0us", "link": "leaf1-spine1", "loss": "2%"}]))
        digests = {roost("sim", path, *more).out.split("digest ")[1] for more in
                   ((), ("--visit", "7"), ("--window", "100ns"), ("--visit", "3", "--window", "333ns"))}
        self.assertEqual(len(digests), 1)

    def test_errors(self):
        done = roost("check", self.file(fabric(1, 0, 2, workload=[exchange(pairs=LISTED, peers=2)])), status=2)
        self.assertIn('"peers" needs pairs: generated', done.err)
        done = roost("check", self.file(fabric(1, 0, 2, workload=[exchange(peers=0)])), status=2)
        self.assertIn("workload", done.err)
        done = roost("check", self.file(fabric(1, 0, 2, workload=[exchange(pairs=GENERATED, name="x")],
                                               record={"interval": "1us", "flows": ["x"]})), status=2)
        self.assertIn("the pairs of x are generated and have no flows: write `pairs: listed` there", done.err)

    def test_many_ranks_take_little_to_check(self):
        # 2,048 ranks are 4,192,256 pairs: as flows they would take gigabytes.
        path = self.file(fabric(32, 16, 64, workload=[exchange("32MB")]))
        done = roost("check", path)
        self.assertTrue(done.out.endswith(", 2048 hosts, oversubscription 4:1, 4192256 flows\n"), done.out)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 2e6 if SANITIZED else 4e5)     # KB


def pairs_bytes(size):
    return float(size.replace("MB", "e6").replace("KB", "e3").replace("B", ""))


if __name__ == "__main__":
    unittest.main()
