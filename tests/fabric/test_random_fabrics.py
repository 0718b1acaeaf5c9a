# SPDX-License-Identifier: BSD-3-Clause
"""Fabrics drawn at random: whatever they are, a lossless class with automatic headroom loses nothing for want of
buffer.

Pauses are as short as `refresh: auto` accepts, or a little longer; MTUs, rates and cables are any. (At 75G and 250G
headroom has nothing to spare: SONiC's formula knows no response time of these rates.) Several hosts send messages or
packets of 60 bytes to one host. Packets of 60 bytes waste the most cells. The other direction of the same links is busy
with the largest frames, which delay pauses. Links go down and come back. In at least a quarter of the fabrics, the
packets of 60 bytes go to a slow receiver, which pauses its leaf until the buffers behind it are full.
"""
import random

from common import *

# The first five would lose packets if a pause were always refreshed after half of its time, however long a frame may
# delay the refresh.
SEEDS = range(200) if FULL else (12, 224, 228, 265, 321, *range(8))
RATES = (25, 75, 100, 250, 400)     # Gb/s
CABLES = (1, 5, 40, 300)            # m
AROUND = 24      # preamble, FCS and gap
PAUSE = 60 + AROUND
BUFFER = {"headroom", "ingress-pool", "egress-pool", "receive-buffer"}     # a packet met no room


def least_quanta(mtu, groups=1):
    """The least that `refresh: auto` accepts. A refresh may wait for a frame of the MTU with two tags and for the refreshes
    of the other groups, and the time between two refreshes is at least twice what the refreshes take."""
    return -(-(mtu + 22 + AROUND + 3 * groups * PAUSE) // 64)


class Sample:
    """The fabric of a seed."""

    def __init__(self, seed):
        draw = self.draw = random.Random(f"fabric {seed}")
        self.drained = draw.random() < 0.4      # packets of 60 bytes to a slow receiver
        self.leaves, self.spines = draw.choice(((1, 0), (2, 1), (2, 2), (3, 2)))
        self.per_leaf = draw.randrange(3, 8)
        self.hosts = [f"h{i + 1}" for i in range(self.leaves * self.per_leaf)]
        self.mtu = draw.choice((1500, 4200, 9216))
        priorities = [3] if draw.random() < 0.7 else [3, 4]
        quanta = least_quanta(self.mtu, len(priorities)) + draw.choice((0, 1, 7, 50, 1000))
        groups = {one: {"lossless": True, "headroom": "auto", "pool": "ingress-lossless",
                        "alpha": draw.choice(("0", "1/128") if self.drained else ("0", "1/64", "1/8", "1"))}
                  for one in priorities}
        self.switch = {
            "preset": "spectrum-x", "buffer": {"size": "64MB"}, "latency": draw.choice(("0ns", "700ns")),
            "routing": {"mode": draw.choice(("ecmp", "adaptive", "spray"))},
            "qos": {"pfc": {"priorities": priorities, "quanta": min(quanta, 65535)}, "pg": groups,
                    "priority-to-pg": {one: one for one in priorities},
                    "tc": {one: {"pool": "egress-lossless", "alpha": "unlimited", "ecn": "off"} for one in priorities},
                    "priority-to-tc": {one: one for one in priorities}}}
        self.priorities = priorities
        self.rate, self.cable = draw.choice(RATES), draw.choice(CABLES)     # of the hosts' links
        self.to, *others = draw.sample(self.hosts, len(self.hosts))
        self.sources = others[:draw.randrange(2, 7)]

    def many_to_one(self):
        draw, priority = self.draw, self.draw.choice(self.priorities)
        if not self.drained and draw.random() < 0.6:
            return [{"kind": "incast", "to": self.to, "from": self.sources, "size": f"{draw.randrange(50, 200)}KB",
                     "priority": priority}]
        packet, until_us = ("60B", 2000 // self.rate) if self.drained else (draw.choice(("60B", "193B")), 15)
        return [{"kind": "stream", "from": one, "to": self.to, "packet": packet, "rate": f"{self.rate}G",
                 "until": f"{until_us}us", "priority": priority} for one in self.sources]

    def workload(self):
        draw = self.draw
        work = self.many_to_one()
        for one in self.sources:        # the other direction of their links
            other = {"priority": draw.choice(self.priorities)}
            back = draw.choice([host for host in self.hosts if host not in (one, self.to)])
            if draw.random() < 0.5:
                work.append(flow(back, one, f"{draw.randrange(50, 300)}KB", **other))
            else:
                work.append({"kind": "stream", "from": back, "to": one, "packet": f"{self.mtu + 14}B",
                             "rate": f"{self.rate}G", "until": f"{8000 // self.rate}us"} | other)
        return work

    def slow(self):
        """The slow receiver, or perhaps another host that is slow. Its buffer has room for what still arrives when it has
        paused its leaf."""
        draw = self.draw
        if not self.drained:
            return {draw.choice(self.hosts): {"drain-rate": draw.choice(("5G", "20G"))}} if draw.random() < 0.4 else {}
        on_the_way = 1.25 * self.rate * self.cable + 60_000     # 5 ns/m there and back, and frames at both ends
        return {self.to: {"drain-rate": f"{self.rate // draw.choice((3, 10))}G",
                          "drain-buffer": f"{int(2 * on_the_way) + draw.choice((20_000, 100_000))}B"}}

    def events(self):
        """Links that go down and come back, early and often."""
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
        host_link, fabric_link = ({"rate": f"{rate}G", "cable": f"{cable}m"} for rate, cable in (
            (self.rate, self.cable), (self.draw.choice(RATES), self.draw.choice(CABLES))))
        hosts = {"path-mtu": self.draw.choice(("auto", "auto", 256)), "rto": "100us"}
        return fabric(self.leaves, self.spines, self.per_leaf, mtu=self.mtu, switch=self.switch, hosts=hosts,
                      host_link=host_link, fabric_link=fabric_link, workload=self.workload(),
                      events=self.events(), stop="20ms") | self.slow()


def drains_small_packets(description):
    """Whether packets of 60 bytes go to a slow receiver."""
    return any(one.get("packet") == "60B" and "drain-rate" in description.get(one["to"], {})
               for one in description["workload"])


class Lossless(Case):
    def test_sample(self):
        for seeds in (SEEDS, range(400)):
            drained = [seed for seed in seeds if drains_small_packets(Sample(seed).description())]
            self.assertGreaterEqual(4 * len(drained), len(seeds), drained)

    def test_nothing_is_lost_for_want_of_buffer(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                sim = self.sim(Sample(seed).description())
                assert_balanced(sim.nodes)
                self.assertEqual(sim.summary["drops_lossless"], 0, sim.drops)
                self.assertFalse(set(sim.drops) & BUFFER, sim.drops)


if __name__ == "__main__":
    unittest.main()
