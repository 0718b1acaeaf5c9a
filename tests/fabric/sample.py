# SPDX-License-Identifier: BSD-3-Clause
"""Fabrics drawn at random: any sizes and ways to choose paths, all congestion controls, several kinds of traffic at
once, tenants that change, faults, thresholds that change, captures.
"""
import random

from common import *


def us(value):
    return f"{value}us"


class Sample:
    """The fabric of a seed."""

    def __init__(self, seed):
        self.draw = random.Random(f"threads {seed}")
        self.leaves, self.spines = self.draw.choice(((1, 0), (2, 2), (3, 2), (4, 3), (5, 1)))
        self.per_leaf = self.draw.randrange(4 if self.leaves == 1 else 2, 6)
        self.hosts = [f"h{i + 1}" for i in range(self.leaves * self.per_leaf)]
        self.tenants = self.draw_tenants()

    def sometimes(self, share=0.5):
        return self.draw.random() < share

    def draw_tenants(self):
        """The hosts of each tenant; those without one come last."""
        if self.sometimes(0.4):
            return {}
        hosts = self.draw.sample(self.hosts, len(self.hosts))
        half = len(hosts) // 2
        return {"red": sorted(hosts[:half]), "blue": sorted(hosts[half:])}

    def tenant_section(self):
        kind = self.draw.choice(("vni", "vlan", None))
        return {name: {"hosts": hosts} | ({kind: 100 + number} if kind else {})
                for number, (name, hosts) in enumerate(self.tenants.items())}

    def group(self):
        """Hosts that may talk to one another, and what an item says of it."""
        if not self.tenants:
            return self.hosts, {}
        name = self.draw.choice(sorted(self.tenants))
        return self.tenants[name], {"tenant": name}

    def switch(self):
        routing = {"mode": self.draw.choice(("ecmp", "adaptive", "spray", "random", "flowlet")),
                   "convergence": self.draw.choice(("0us", "5us"))}
        if routing["mode"] in ("adaptive", "flowlet") and self.sometimes():
            routing |= {"link-utilisation": "on", "spine-notices": "on"}
        ecn = {"min": "20KB", "max": "200KB", "probability": "20%"}
        return {"preset": self.draw.choice(("spectrum-x", "spectrum-x", "sonic", "lossy")),
                "buffer": {"size": self.draw.choice(("4MB", "16MB"))}, "routing": routing,
                "latency": self.draw.choice(("300ns", "600ns")),
                "qos": {"tc": {3: {"ecn": ecn}}}}

    def host_section(self):
        return {"congestion": self.draw.choice(("none", "dcqcn", "dcqcn-mlx", "window", "rtt")),
                "placement": self.draw.choice(("in-order", "out-of-order")), "rto": "100us",
                "recovery": self.draw.choice(("go-back-n", "selective")), "ack-every": self.draw.choice((1, 4)),
                "start-jitter": self.draw.choice(("0us", "2us"))}

    def item(self):
        hosts, tenant = self.group()
        size, at = f"{self.draw.randrange(20, 200)}KB", us(self.draw.randrange(20))
        src, dst = self.draw.sample(hosts, 2)
        kind = self.draw.choice(("flow", "read", "incast", "permutation", "all-to-all", "all-reduce", "stream", "poisson"))
        if kind == "flow":
            return flow(src, dst, size, at=at, qps=self.draw.choice((1, 3)), **tenant)
        if kind == "read":
            return flow(src, dst, size, at=at, op="read", **tenant)
        if kind == "incast":
            return {"kind": kind, "to": dst, "from": [host for host in hosts if host != dst], "size": size, "at": at} | tenant
        if kind == "stream":
            return {"kind": kind, "from": src, "to": dst, "rate": "20G", "packet": "777B", "until": "60us"} | tenant
        if kind == "poisson":
            return {"kind": kind, "load": "20%", "sizes": "rpc", "until": "40us"} | tenant
        if kind == "all-reduce":
            return {"kind": kind, "size": size, "at": at, "repeat": 2} | tenant
        return {"kind": kind, "size": size, "at": at} | tenant

    def links(self):
        return [f"leaf{i + 1}-spine{k + 1}" for i in range(self.leaves) for k in range(self.spines)] + \
            [f"{host}-leaf{i // self.per_leaf + 1}" for i, host in enumerate(self.hosts)]

    def fault(self):
        change = self.draw.choice(({"state": "down"}, {"loss": "1%"}, {"corrupt": "1%"}, {"rate": "25G"},
                                   {"delay": "900ns"}))
        return {"at": us(self.draw.randrange(1, 60)), "link": self.draw.choice(self.links()), "for": "25us"} | change

    def change(self):
        at = us(self.draw.randrange(1, 60))
        return self.draw.choice((
            {"at": at, "snapshot": "full"},
            {"at": at, "set": "switch.qos.tc.3.ecn.min", "to": f"{self.draw.randrange(1, 60)}KB"},
            {"at": at, "port": "leaf1.swp1", "pfc": {"priorities": [3], "quanta": 2000}},
            {"at": at, "clear": "watermarks"}))

    def moves(self):
        """A host leaves its tenant and comes back, while packets are under way."""
        if not self.tenants or len(self.tenants["red"]) < 3 or self.sometimes():
            return []
        hosts = self.tenants["red"]
        return [{"at": "30us", "set": "tenants.red.hosts", "to": hosts[1:]},
                {"at": "55us", "set": "tenants.red.hosts", "to": hosts}]

    def description(self):
        draw = self.draw
        made = fabric(self.leaves, self.spines, self.per_leaf, switch=self.switch(), hosts=self.host_section(),
                      host_link={"rate": "100G", "delay": draw.choice(("30ns", "500ns"))},
                      fabric_link={"rate": draw.choice(("50G", "100G")), "delay": "500ns"},
                      workload=[self.item() for _ in range(draw.randrange(2, 6))],
                      events=[self.fault() for _ in range(draw.randrange(4))] +
                      [self.change() for _ in range(draw.randrange(3))] + self.moves(),
                      stop="300us", seed=draw.randrange(1000))
        if self.tenants:
            made["tenants"] = self.tenant_section()
        if self.sometimes(0.3):
            made["record"] = {"interval": "5us", "queues": "all", "links": "all",
                              "pcap": ["leaf1.swp1", "leaf1.swp2", "h1.eth1"]}
        if self.sometimes(0.3):
            made[draw.choice(self.hosts)] = {"drain-rate": "20G"}
        if self.sometimes():
            made["stop"] = "idle"
        return made
