# SPDX-License-Identifier: BSD-3-Clause
"""Tenants in VXLAN, in VLANs and plain, all at once, over one fabric: with leaks, addresses of their own and ways
out."""
import unittest

from common import *

KINDS = {
    "leaf-spine": {"kind": "leaf-spine", "leaves": 4, "spines": 2, "hosts-per-leaf": 4},
    "clos3": {"kind": "clos3", "pods": 2, "leaves": 2, "spines": 2, "super-spines": 4, "hosts-per-leaf": 4},
    "planes": {"kind": "leaf-spine", "leaves": 4, "spines": 2, "hosts-per-leaf": 4, "planes": 2},
}
TENANTS = {
    "red": {"hosts": ["h1", "h2", "h5", "h9", "h13"], "vni": 5001, "leak": ["storage"]},
    "blue": {"hosts": ["h3", "h7", "h11", "h15"], "vlan": 7, "leak": ["storage"]},
    "green": {"hosts": ["h4", "h12", "h14"], "encap": "plain", "addresses": {"h4": "172.30.0.4"}},
    # Red's addresses once more.
    "grey": {"hosts": ["h8", "h16"], "vni": 5002, "dscp": "pipe", "addresses": {"h8": "10.0.1.1", "h16": "10.0.2.1"}},
    "storage": {"hosts": ["h6", "h10"], "network": "storage", "vni": 9, "border": {"h6": ["0.0.0.0/0"]}},
}
CROSSING = ("red", "blue", "grey", "storage")      # in tunnels or with tags


def sliced(kind, underlay, mode="adaptive", notices="off"):
    work = [{"kind": "incast", "to": "h10", "from": ["h1", "h3", "h5", "h7", "h9", "h13"], "size": "500KB"},
            {"kind": "flow", "from": "h8", "to": "h16", "size": "500KB"}]
    work += [{"kind": "all-to-all", "tenant": tenant, "size": "500KB"} for tenant in ("red", "blue", "green")]
    return {"fabric": {"underlay": underlay, "topology": KINDS[kind], "seed": 7},
            "switch": {"preset": "spectrum-x", "routing": {"mode": mode, "spine-notices": notices}},
            "tenants": TENANTS, "hosts": {"placement": "out-of-order"}, "workload": work}


class Slices(Case):
    def test_all_arrive(self):
        """No packet is lost, whatever its encapsulation; above the leaves packets in tunnels and with tags are known to be their
        tenants', plain ones are nobody's."""
        for kind in KINDS:
            for underlay in (4, 6):
                with self.subTest(kind=kind, underlay=underlay):
                    run = self.sim(sliced(kind, underlay))
                    run.assert_conserved()
                    self.assertEqual((run.drops, run.summary["retransmitted"]), ({}, 0))
                    self.assertTrue(all(flow["fct_ps"] for flow in run.flows))
                    above = [node["tenants"] for name, node in run.nodes.items() if "spine" in name or "super" in name]
                    for tenant in CROSSING:
                        self.assertGreater(sum(node[tenant]["packets"] for node in above), 0, tenant)
                    self.assertEqual(sum(node["green"]["packets"] for node in above), 0)

    def test_the_same_in_any_order(self):
        description = sliced("clos3", 6, notices="on")
        first = self.sim(description)
        self.assertEqual(first.digest, self.sim(description, "--visit", 5, "--window", "100ns").digest)
        # Notices are about outer addresses; leaves take them for the ways to the leaves that have those.
        self.assertGreater(sum(port["notices_rx"] for name, node in first.nodes.items() if name.startswith("leaf")
                               for port in node["ports"].values()), 0)

    def test_every_mode(self):
        for mode in ("ecmp", "ecmp-qp", "flowlet", "spray", "random"):
            with self.subTest(mode=mode):
                run = self.sim(sliced("leaf-spine", 4, mode))
                run.assert_conserved()
                self.assertEqual(run.drops, {})

    def test_a_link_fails(self):
        """Loopbacks and VLANs' routes follow the links as any route does: what is under way is lost, no more."""
        description = sliced("leaf-spine", 4) | {"events": [{"at": "20us", "link": "leaf1-spine1", "state": "down"},
                                                            {"at": "60us", "link": "leaf1-spine1", "state": "up"}]}
        run = self.sim(description)
        self.assertGreater(run.drops["link-down"], 0)
        self.assertTrue(set(run.drops) <= {"link-down", "no-next-hop", "no-route"}, run.drops)
        self.assertTrue(all(flow["fct_ps"] for flow in run.flows))


if __name__ == "__main__":
    unittest.main()
