# SPDX-License-Identifier: BSD-3-Clause
"""Fabrics with credits, drawn at random: whatever they are, no packet is lost for want of buffer, and where nothing
fails every flow ends.

Buffers go down to what a single frame takes, grants wait for a threshold, lanes take turns by tables that change, links of any rate
and length lose and corrupt frames or go down, hosts are slow, switches cut through, and links are InfiniBand's or
Ethernet's. In the build with sanitizers the program itself compares both ends of every link after every window
(link_check.c).
"""
import random
import unittest

from common import *
from ranks import mpirun, unless_sanitized

SEEDS = range(200) if FULL else range(9 if SANITIZED else 16)
RATES = (25, 75, 100, 250, 400)
CABLES = (1, 5, 40, 300)
BUFFER = {"headroom", "ingress-pool", "egress-pool", "receive-buffer", "bad-credit"}


class Draw:
    """The fabric of a seed."""

    def __init__(self, seed, faults=None):
        self.seed = seed
        draw = self.draw = random.Random(f"credits {seed}")
        self.leaves, self.spines = draw.choice(((1, 0), (2, 1), (2, 2), (3, 2)))
        self.per_leaf = draw.randrange(2, 6)
        self.hosts = [f"h{i + 1}" for i in range(self.leaves * self.per_leaf)]
        self.mtu = draw.choice((1500, 4200, 9216))
        self.infiniband = draw.random() < 0.3
        self.cbfc = not self.infiniband and draw.random() < 0.5
        self.cut_through = draw.random() < 0.4
        self.faults = draw.random() < 0.5 if faults is None else faults
        self.rates = [f"{draw.choice(RATES)}G" for _ in range(2)]
        self.cables = [f"{draw.choice(CABLES)}m" for _ in range(2)]

    def block(self):
        return 128 if self.cbfc else 64

    def credit(self):
        draw = self.draw
        frame = -(-(self.mtu + 22) // self.block()) * self.block()
        update = draw.choice((0, 0, 64, 1000, 9000))
        buffer = draw.choice(("auto", f"{frame + update + self.block()}B", f"{3 * frame + update + self.block()}B",
                              "100KB", "200KB"))
        if buffer == "auto":
            update = min(update, 1000)
        keys = {"buffer": buffer, "update": f"{update}B"}
        if buffer in ("100KB", "200KB") and draw.random() < 0.3:
            keys["update"] = "50KB"
        if draw.random() < 0.3:
            keys["resend"] = draw.choice(("5us", "50us", "1ms"))
        if self.cbfc and draw.random() < 0.5:
            keys["spacing"] = draw.choice(("800B", "20KB"))
        if draw.random() < 0.4:
            keys["arbitration"] = self.arbitration(draw)
        return keys

    def arbitration(self, draw):
        return draw.choice(({"high": "3:255", "low": "0:64,6:1", "limit": draw.choice((0, 1, 10, "unlimited"))},
                            {"low": "0:1,3:255,6:16,3:2"}, {"high": "6:1,3:30,0:7"}))

    def switch(self):
        draw = self.draw
        modes = ("ecmp", "adaptive", "spray", "random" if self.infiniband else "flowlet")
        return {"buffer": {"size": "64MB", "cell": self.block()}, "latency": draw.choice(("0ns", "700ns")),
                "routing": {"mode": draw.choice(modes)}, "forwarding": "cut-through" if self.cut_through else "store-and-forward",
                "qos": {"flow-control": "cbfc" if self.cbfc else "credit", "credit": self.credit()}}

    def workload(self):
        draw = self.draw
        to, *others = draw.sample(self.hosts, len(self.hosts))
        work = [{"kind": "incast", "to": to, "from": others[:draw.randrange(1, 6)], "size": f"{draw.randrange(10, 80)}KB",
                 "priority": draw.choice((3, 3, 0, 6))}]
        if draw.random() < 0.7:
            work.append({"kind": "permutation", "size": f"{draw.randrange(10, 100)}KB", "priority": draw.choice((3, 0))})
        for one in others[:0 if self.infiniband else draw.randrange(0, 3)]:
            packet = draw.choice(("60B", "193B", f"{self.mtu + 14}B"))
            work.append({"kind": "stream", "from": one, "to": draw.choice([host for host in self.hosts if host != one]),
                         "packet": packet, "rate": "25G", "until": "10us", "priority": draw.choice((0, 3, 6))})
        return work

    def slow(self):
        draw = self.draw
        if draw.random() < 0.5:
            return {}
        return {draw.choice(self.hosts): draw.choice((
            {"drain-rate": f"{draw.randrange(3, 20)}G"}, {"stall": {"every": "20us", "for": "10us"}}))}

    def changes(self):
        draw = random.Random(f"arbitration {self.seed}")
        return [{"at": f"{draw.randrange(1, 40)}us", "set": f"{draw.choice(('switch', 'leaf1'))}.qos.credit.arbitration",
                 "to": self.arbitration(draw)} for _ in range(draw.randrange(4))]

    def events(self):
        draw, events = self.draw, []
        if not self.faults:
            return []
        links = [f"leaf{i + 1}-spine{k + 1}" for i in range(self.leaves) for k in range(self.spines)]
        links += [f"{host}-leaf{i // self.per_leaf + 1}" for i, host in enumerate(self.hosts)]
        for one in draw.sample(links, min(len(links), draw.randrange(1, 4))):
            start, length = draw.randrange(1, 30), draw.randrange(1, 40)
            events.append({"at": f"{start}us", "link": one, "for": f"{length}us"} | draw.choice((
                {"state": "down"}, {"loss": "5%"}, {"corrupt": "5%"}, {"loss": "100%"})))
        return events

    def description(self):
        links = [{"rate": rate, "cable": cable} for rate, cable in zip(self.rates, self.cables)]
        whole = fabric(self.leaves, self.spines, self.per_leaf, mtu=self.mtu, seed=self.draw.randrange(1000),
                      switch=self.switch(), hosts={"rto": "200us", "placement": "out-of-order"}, host_link=links[0],
                      fabric_link=links[1], workload=self.workload(),
                      events=self.events() + self.changes(), stop="10ms") | self.slow()
        if self.infiniband:
            whole["fabric"]["link-layer"] = "infiniband"
            whole["subnet"] = {"engine": self.draw.choice(("min-hop", "up-down", "fat-tree")),
                               "alternate": self.draw.choice(("on", "off"))}
        return whole


class Credits(Case):
    def test_nothing_is_lost_for_want_of_buffer(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                draw = Draw(seed)
                sim = self.sim(draw.description())
                assert_balanced(sim.nodes)
                self.assertEqual(sim.summary["drops_lossless"], 0, sim.drops)
                self.assertFalse(set(sim.drops) & BUFFER, sim.drops)
                if not draw.faults:
                    self.assertEqual(sim.drops, {})
                    self.assertEqual(sim.summary["retransmitted"], 0)
                    # One that takes several slow paths may be faster than the ideal time, which is of one path.
                    self.assertNotIn(None, [one["fct_ps"] for one in sim.flows])

    def test_the_outcome_does_not_depend_on_how_it_is_run(self):
        for seed in SEEDS[:16 if FULL else 6]:
            path = self.file(Draw(seed, faults=True).description())
            digests = set()
            for options in ((), ("--window", "100ns"), ("--visit", 7), ("-j", 2), ("-j", 3)):
                digests.add(re.search("^digest .*", roost("sim", path, *options).out, re.M)[0])
            self.assertEqual(len(digests), 1, seed)

    @unless_sanitized
    def test_nor_on_ranks(self):
        for seed in SEEDS[:10 if FULL else 4]:
            draw = Draw(seed, faults=True)
            if draw.leaves == 1:
                continue
            path = self.file(draw.description())
            digests = {re.search("^digest .*", done.out, re.M)[0] for done in (roost("sim", path), mpirun(2, "sim", path))}
            self.assertEqual(len(digests), 1, seed)


if __name__ == "__main__":
    unittest.main()
