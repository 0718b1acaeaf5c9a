# SPDX-License-Identifier: BSD-3-Clause
"""Every QoS key may change under traffic: nothing is lost, reordered or miscounted by the change itself.

Random fabrics carry random traffic while ports are paused, frozen and cut off and keys are set, whatever they are.
In the build with sanitizers the program itself recounts every switch after every window (node_check.h).
"""
import random
import re
import unittest

from common import *
from model import configuration, happenings

SEEDS = 60 if FULL else 8
SHAPES = [(1, 0, 4), (2, 1, 3), (2, 2, 2), (3, 2, 2)]    # leaves, spines, hosts of a leaf
SCALE = 300000    # bytes: thresholds are drawn for it
SPAN_US = 400     # events and new traffic; then twice as long without
PRIORITIES = range(8)


class Draw(random.Random):
    """What is changed, and when, in a fabric of some shape."""

    def __init__(self, seed):
        super().__init__(seed)
        self.shape = self.choice(SHAPES)
        leaves, spines, hosts = self.shape
        self.hosts = [f"h{i + 1}" for i in range(leaves * hosts)]
        self.switches = {f"leaf{i + 1}": hosts + spines for i in range(leaves)} | \
            {f"spine{i + 1}": leaves for i in range(spines)}
        self.links = [f"leaf{i + 1}-spine{k + 1}" for i in range(leaves) for k in range(spines)]

    def at(self):
        return f"{self.randrange(SPAN_US * 1000)}ns"

    def port(self):
        name = self.choice(list(self.switches))
        return f"{name}.swp{self.randrange(self.switches[name]) + 1}"

    def section(self):
        leaf = self.choice(list(self.switches))
        return self.choice(["switch", "switch", "leaf", leaf] + (["spine"] if self.links else []))

    def change(self):
        """A `set` event of any key."""
        key = self.choice((self.group_key, self.group_key, self.class_key, self.class_key, self.other_key,
                           self.other_key, self.buffer_key))
        words, value = key()
        return {"at": self.at(), "set": ".".join(map(str, [self.section(), *words])), "to": happenings.written(value)}

    def group_key(self):
        value = configuration.group(self, SCALE, self.random() < 0.5, "bytes")
        value["headroom"] = self.choice(("auto", value["headroom"]))
        key = self.choice(list(value))
        return ["qos", "pg", self.choice(PRIORITIES), key], value[key]

    def class_key(self):
        value = configuration.traffic_class(self, SCALE, self.random() < 0.5)
        if value["ecn"] != "off":
            value["ecn"]["probability"] = "30%"
        key = self.choice(list(value))
        return ["qos", "tc", self.choice(PRIORITIES), key], value[key]

    def other_key(self):
        port = f"swp{self.randrange(2) + 1}"
        whole = configuration.maps(self, self.sample(PRIORITIES, 4)) | {
            "pfc": configuration.pfc(self, self.sample(PRIORITIES, 3), True),
            "flow-control": configuration.flow_control(self),
            "watchdog": self.choice(("off", configuration.watchdog(self))),
            "remark": self.choice(("none", configuration.remark(self))),
            "trim": self.choice(("off", configuration.trim(self))),
            "histograms": configuration.histograms(self, ["swp1", "swp2"], 192, False),
            "port": {"max-rate": self.choice(("none", "20G", "80G"))},
            "ports": {port: configuration.port_quality(self, PRIORITIES, SCALE, True)}}
        key = self.choice(list(whole))
        if key in ("pfc", "port", "ports") and whole[key]:
            inner = self.choice(list(whole[key]))
            return ["qos", key, inner], whole[key][inner]
        return ["qos", key], whole[key]

    def buffer_key(self):
        side = self.choice((configuration.INGRESS, configuration.EGRESS))
        name, key = self.choice(side), self.choice(("size", "size", "port-alpha", "headroom-pool"))
        if key == "headroom-pool":
            return ["buffer", key, "size"], self.choice(("0B", configuration.some(self, 500, SCALE)))
        value = self.choice((f"{self.randrange(1, 50)}%", "unlimited")) if key == "size" else \
            self.choice(("none", "1/8", "1", "8"))
        return ["buffer", "pools", name, key], value

    def trouble(self):
        """Some other event."""
        kinds = {"tx": lambda: {"port": self.port(), "tx": "off", "queue": self.choice(PRIORITIES)},
                 "tx on": lambda: {"port": self.port(), "tx": "on"},
                 "pfc": lambda: {"port": self.port(), "pfc": {"priorities": self.sample(PRIORITIES, 4),
                                                              "quanta": self.choice((0, 500, 9000, 65535))}},
                 "clear": lambda: {"clear": self.choice(("watermarks", "persistent-watermarks"))},
                 "restore": lambda: {"restore": f"{self.port()}.{self.choice(PRIORITIES)}"}}
        if self.links:
            kinds["down"] = lambda: {"link": self.choice(self.links), "state": "down", "for": "30us"}
            kinds["loss"] = lambda: {"link": self.choice(self.links), "loss": "2%", "for": "50us"}
        return {"at": self.at()} | kinds[self.choice(list(kinds))]()

    def work(self):
        """Some traffic, of any priority."""
        a, b = self.sample(self.hosts, 2)
        size = f"{self.randrange(1, 300)}KB"
        common = {"at": self.at(), "priority": self.randrange(7)}    # sonic: no DSCP stands for 7
        return common | self.choice((
            {"kind": "permutation", "size": size},
            {"kind": "incast", "to": a, "from": [one for one in self.hosts if one != a], "size": size},
            {"kind": "flow", "from": a, "to": b, "size": size},
            {"kind": "stream", "from": a, "to": b, "rate": f"{self.randrange(5, 90)}G", "until": "600us",
             "packet": f"{self.randrange(64, 4000)}B", "arrivals": self.choice(("cbr", "poisson"))}))


def written(description, events):
    """A file with each event on a line of its own: (text, number of the first event's line)."""
    head = [f"{key}: {to_yaml(value)}" for key, value in description.items()] + ["events:"]
    return "\n".join(head + [f"  - {to_yaml(event)}" for event in events]) + "\n", len(head) + 1


class LiveChanges(Case):
    def random_fabric(self, draw):
        tenants = {"red": {"hosts": draw.hosts, "buffer": {"guaranteed": "4KB", "share": "1"}}}
        return fabric(*draw.shape, workload=[draw.work() for _ in range(draw.randrange(3, 9))],
                      switch={"preset": draw.choice(("spectrum-x", "sonic")),
                              "buffer": {"size": draw.choice(("2MB", "4MB")), "cell": draw.choice((1, 128, 192))},
                              "routing": {"mode": draw.choice(("ecmp", "adaptive", "spray"))}},
                      hosts={"placement": draw.choice(("in-order", "out-of-order")), "rto": "100us"},
                      seed=draw.randrange(99), stop=f"{3 * SPAN_US}us",
                      **({"tenants": tenants} if draw.random() < 0.4 else {}))

    def run_events(self, description, events, *options):
        """Runs with those of the events that the fabric can have: (Sim, events)."""
        events = sorted(events, key=lambda event: int(event["at"][:-2]))
        while True:
            text, first = written(description, events)
            path = self.file(text)
            done = roost("sim", path, "-o", self.directory / "out", *options, status=None)
            if done.status == 0:
                return Sim(self.directory / "out", done), events
            refused = {int(line) - first for line in re.findall(rf"^{re.escape(str(path))}:(\d+):", done.err, re.M)}
            refused &= {i for i, event in enumerate(events) if "set" in event}
            self.assertTrue(done.status == 2 and refused, str(done))
            events = [event for i, event in enumerate(events) if i not in refused]

    def check(self, seed):
        draw = Draw(seed)
        description = self.random_fabric(draw)
        events = [draw.change() for _ in range(40)] + [draw.trouble() for _ in range(draw.randrange(20))]
        events += [{"at": draw.at(), "snapshot": "full"} for _ in range(5)]
        sim, events = self.run_events(description, events)
        for nodes in [sim.nodes] + [one["nodes"] for one in sim.snapshots]:
            assert_balanced(nodes)
        again, _ = self.run_events(description, events, "--window", f"{draw.randrange(60, 500)}ns", "--visit", seed + 1)
        self.assertEqual(again.digest, sim.digest)
        return sim, sum("set" in event for event in events)

    def test_random(self):
        changes = moved = 0
        for seed in range(SEEDS):
            with self.subTest(seed=seed):
                sim, count = self.check(seed)
                changes += count
                moved += sim.summary["packets"]
        self.assertGreater(changes, 12 * SEEDS)
        self.assertGreater(moved, 1000 * SEEDS)

    def test_nothing_lost(self):
        """Where there is room for all, changes drop nothing, delay no message's end for ever, and put nothing out of
        order: those of maps aside, which give later packets other queues."""
        for seed in range(4):
            with self.subTest(seed=seed):
                draw = Draw(1000 + seed)
                work = [{"kind": "permutation", "size": "400KB", "at": f"{i * 40}us", "priority": draw.choice((0, 3))}
                        for i in range(8)]
                tenants = {"red": {"hosts": draw.hosts, "buffer": {"guaranteed": "4KB", "share": "8"}}}
                values = {"tc.0.weight": ("1", "99"), "tc.3.weight": ("1", "99"), "tc.3.scheduler": ("strict", "dwrr"),
                          "tc.0.fairness": ("tenant", "none"), "tc.3.fairness": ("tenant", "none"),
                          "tc.3.max-rate": ("30G", "none"), "tc.0.min-rate": ("10G", "none"), "tc.3.red": ("on", "off"),
                          "tc.3.ecn": ("off", "{min: 1KB, max: 2KB, probability: 100%}"),
                          "port.max-rate": ("70G", "none"), "pg.3.alpha": ("1/2", "8"),
                          "pg.3.reserved": ("0B", "3KB"), "pg.3.xon-offset": ("none", "2KB"),
                          "pfc.quanta": ("65535", "500"), "flow-control": ("pfc", "pause", "pfc-asymmetric"),
                          "remark": ("none", "{dscp: {0: 0, 3: 26}}"), "watchdog": ("off", "{poll: 10ms}"),
                          "histograms": ("[]", "[{queue: swp1.3}, {latency: swp1.0}]"),
                          "tc.3.pool": ("egress-lossless", "egress-lossy"), "tc.0.reserved": ("0B", "2KB")}
                events = [{"at": draw.at(), "set": f"switch.qos.{key}", "to": draw.choice(values[key])}
                          for key in draw.choices(list(values), k=60)]
                sim, events = self.run_events(
                    fabric(*draw.shape, workload=work, switch={"preset": "spectrum-x", "buffer": {"size": "64MB"}},
                           **({"tenants": tenants} if seed % 2 else {})), events)
                self.assertGreater(sum("set" in event for event in events), 40)
                assert_drained(sim, *draw.shape)
                assert_complete(self, sim)
                self.assertEqual((sim.drops, sim.summary["retransmitted"], sim.summary["out_of_order"]), ({}, 0, 0))


if __name__ == "__main__":
    unittest.main()
