# SPDX-License-Identifier: BSD-3-Clause
"""Fabrics of Ultra Ethernet Transport and Multipath Reliable Connection in which as much happens as can: marks, trimmed
packets, losses, timeouts, links that come and go; once with windows, once with credits as well, once with planes. And what
their tests share.
"""
from common import fabric, total

SPRAYED = fabric(
    3, 2, 4, seed=9, host_link={"rate": "100G", "delay": "20ns"},
    switch={"preset": "lossy", "latency": "400ns", "buffer": {"size": "3MB"}, "routing": {"mode": "ecmp"}, "qos": {
        "priority-to-tc": {3: 3, 4: 4, 6: 6, "default": 0}, "trim": {"size": "256B", "dscp": 11, "tc": 4, "eligible-tc": [3]},
        "tc": {3: {"pool": "egress-lossy", "static": "100KB", "ecn": {"min": "20KB", "max": "80KB", "probability": "100%"}},
               4: {"pool": "egress-lossy", "scheduler": "strict", "alpha": "unlimited"}}}},
    hosts={"transport": "uet", "ack-dscp": 48, "rto": "100us", "start-jitter": "2us", "uet": {"paths": 16}},
    workload=[{"kind": "permutation", "size": "300KB"}, {"kind": "all-to-all", "size": "400KB", "at": "5us"},
              {"kind": "incast", "to": "h1", "from": ["h2", "h5", "h6", "h9"], "size": "300KB", "at": "10us", "qps": 2},
              {"kind": "step", "compute": "5us", "repeat": 2, "operations": [{"kind": "all-reduce", "size": "300KB"}]}],
    events=[{"at": "15us", "link": "leaf1-spine1", "loss": "1%", "for": "40us"},
            {"at": "50us", "link": "leaf2-spine2", "state": "down", "for": "60us"}])
GRANTED = SPRAYED | {"hosts": SPRAYED["hosts"] | {"uet": {"spray": "reps", "credits": "on"}}}

# Multipath Reliable Connection: planes in turn, states of paths, probes.
PLANES = SPRAYED | {
    "fabric": SPRAYED["fabric"] | {"topology": SPRAYED["fabric"]["topology"] | {"planes": 2}},
    "hosts": SPRAYED["hosts"] | {"transport": "mrc", "mrc": {"paths": 8, "probe-interval": "20us"}},
    "events": [{"at": "15us", "link": "p1-leaf1-p1-spine1", "loss": "20%", "for": "40us"},
               {"at": "50us", "link": "p2-leaf2-p2-spine2", "state": "down", "for": "60us"},
               {"at": "60us", "link": "h3-p2-leaf1", "state": "down", "for": "200us"}]}

HOSTS = {"ack-dscp": 48, "rto": "200us"}
TRIM = {"size": "256B", "dscp": 11, "tc": 4, "eligible-tc": [3]}


def trimming_switch(trim=TRIM, depth="400KB", ecn=None, **more):
    """Lossy, with a class of `depth` for data; trimmed packets go to a strict class, as acknowledgements do."""
    lossy = {"pool": "egress-lossy", "alpha": "unlimited", "scheduler": "strict", "ecn": "off"}
    return {"preset": "lossy", "buffer": {"size": "64MB"}, "routing": {"mode": "ecmp"}, "qos": {
        "priority-to-tc": {3: 3, 4: 4, 6: 6, "default": 0}, "trim": trim,
        "tc": {3: {"pool": "egress-lossy", "static": depth,
                   "ecn": ecn or {"min": "80KB", "max": "320KB", "probability": "100%"}}, 4: lossy, 6: lossy}}} | more


def first_incast(senders, size, to="h8", **more):
    """From h1 on."""
    return {"kind": "incast", "to": to, "from": [f"h{i}" for i in range(1, senders + 1)], "size": size} | more


class TrimmedIncasts:
    """Of a test case: an incast with either transport, by run(workload, settings=...) and complete(sim)."""

    def test_trimmed_packets_go_again(self):
        """Each packet that a switch trimmed is requested and sent again; none is lost, and no timer fires."""
        sim = self.run_fabric([first_incast(7, "1MB")], settings=trimming_switch(depth="200KB"))
        self.complete(sim)
        trimmed = sum(total(node["ports"], "queue", "trimmed") for node in sim.nodes.values())
        self.assertGreater(trimmed, 50)
        self.assertEqual(sum(one["retransmitted"] for one in sim.flows), trimmed)
        self.assertEqual(sim.drops, {})
        self.assertLess(max(one["fct_ps"] for one in sim.flows), 7 * 10**6 * 8 * 10 * 1.15)

    def test_without_trimming(self):
        """The retransmission timer makes up for what switches drop."""
        sim = self.run_fabric([first_incast(7, "1MB")], settings=trimming_switch(trim="off", depth="200KB"))
        self.complete(sim)
        self.assertGreater(sim.drops["egress-pool"], 0)
        self.assertGreaterEqual(sum(one["retransmitted"] for one in sim.flows), sim.drops["egress-pool"])
