# SPDX-License-Identifier: BSD-3-Clause
"""Fabrics drawn at random: whatever they are, a lossless class with automatic headroom loses nothing for want of
buffer.

Pauses are as short as `refresh: auto` accepts, or a little longer; MTUs, rates and cables are any. (At 75G and 250G
headroom has nothing to spare: SONiC's formula knows no response time of these rates.) Many send to one, messages or
packets of 60 bytes, which waste the most cells, while the other direction of the same links is busy with the largest
frames, which delay pauses. Some receivers are slow and pause their leaf. Links go down and come back.
"""
import random

from common import *

# Where refreshes after half the quanta, however long a frame may delay them, would lose packets: the first five.
SEEDS = range(400) if FULL else (12, 41, 80, 125, 146, *range(8))
AROUND = 24      # preamble, FCS and gap
PAUSE = 60 + AROUND
BUFFER = {"headroom", "ingress-pool", "egress-pool", "receive-buffer"}     # a packet met no room


def least_quanta(mtu, groups=1):
    """A frame of the MTU with a tag, the refreshes of all groups, and as much again twice over for those."""
    return -(-(mtu + 18 + AROUND + 3 * groups * PAUSE) // 64)


class Sample:
    """The fabric of a seed."""

    def __init__(self, seed):
        draw = self.draw = random.Random(f"fabric {seed}")
        self.leaves, self.spines = draw.choice(((1, 0), (2, 1), (2, 2), (3, 2)))
        self.per_leaf = draw.randrange(3, 8)
        self.hosts = [f"h{i + 1}" for i in range(self.leaves * self.per_leaf)]
        self.mtu = draw.choice((1500, 4200, 9216))
        priorities = [3] if draw.random() < 0.7 else [3, 4]
        quanta = least_quanta(self.mtu, len(priorities)) + draw.choice((0, 1, 7, 50, 1000))
        groups = {one: {"lossless": True, "headroom": "auto", "pool": "ingress-lossless",
                        "alpha": draw.choice(("0", "1/64", "1/8", "1"))} for one in priorities}
        self.switch = {
            "preset": "spectrum-x", "buffer": {"size": "64MB"}, "latency": draw.choice(("0ns", "700ns")),
            "routing": {"mode": draw.choice(("ecmp", "adaptive", "spray"))},
            "qos": {"pfc": {"priorities": priorities, "quanta": min(quanta, 65535)}, "pg": groups,
                    "priority-to-pg": {one: one for one in priorities},
                    "tc": {one: {"pool": "egress-lossless", "alpha": "unlimited", "ecn": "off"} for one in priorities},
                    "priority-to-tc": {one: one for one in priorities}}}
        self.priorities = priorities

    def link(self):
        rate = self.draw.choice(("25G", "75G", "100G", "250G", "400G"))
        return {"rate": rate, "cable": f"{self.draw.choice((1, 5, 40, 300))}m"}

    def many_to_one(self, to, sources, rate):
        priority = self.draw.choice(self.priorities)
        if self.draw.random() < 0.5:
            return [{"kind": "incast", "to": to, "from": sources, "size": f"{self.draw.randrange(50, 200)}KB",
                     "priority": priority}]
        packet = self.draw.choice(("60B", "60B", "193B"))
        return [{"kind": "stream", "from": one, "to": to, "packet": packet, "rate": rate, "until": "15us",
                 "priority": priority} for one in sources]

    def workload(self, rate):
        draw, (to, *others) = self.draw, self.draw.sample(self.hosts, len(self.hosts))
        sources = others[:draw.randrange(2, 7)]
        # The other direction of the senders' links.
        back = [flow(draw.choice([host for host in self.hosts if host != one]), one, f"{draw.randrange(50, 300)}KB",
                     priority=draw.choice(self.priorities)) for one in sources]
        return self.many_to_one(to, sources, rate) + back

    def events(self):
        """Links between switches that go down and come back, early and often."""
        draw = self.draw
        links = [f"leaf{i + 1}-spine{k + 1}" for i in range(self.leaves) for k in range(self.spines)]
        links += [f"{host}-leaf{i // self.per_leaf + 1}" for i, host in enumerate(self.hosts)]
        events = []
        for one in draw.sample(links, draw.randrange(0, 3)):
            start = draw.randrange(1, 30)
            events += [{"at": f"{start}us", "link": one, "state": "down"},
                       {"at": f"{start + draw.randrange(1, 40)}us", "link": one, "state": "up"}]
        return events

    def description(self):
        link = self.link()
        hosts = {"path-mtu": self.draw.choice(("auto", "auto", 256)), "rto": "100us"}
        made = fabric(self.leaves, self.spines, self.per_leaf, mtu=self.mtu, switch=self.switch, hosts=hosts,
                      host_link=link, fabric_link=self.link(), workload=self.workload(link["rate"]),
                      events=self.events(), stop="20ms")
        if self.draw.random() < 0.4:
            made[self.draw.choice(self.hosts)] = {"drain-rate": self.draw.choice(("5G", "20G"))}
        return made


class Lossless(Case):
    def test_nothing_is_lost_for_want_of_buffer(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                sim = self.sim(Sample(seed).description())
                assert_balanced(sim.nodes)
                self.assertEqual(sim.summary["drops_lossless"], 0, sim.drops)
                self.assertFalse(set(sim.drops) & BUFFER, sim.drops)


if __name__ == "__main__":
    unittest.main()
