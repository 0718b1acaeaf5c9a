# SPDX-License-Identifier: BSD-3-Clause
"""Credits beside PFC, with the same buffer. The figures are those of doc/credits.md.

One leaf, links of 100G and 100 m. Eight hosts send 1 MB each to h1 (an incast), and h2, one of them, sends 1 MB to h10,
which nobody else does: a victim. A second run has the victim on a lane, or priority, of its own.
"""
import unittest

from common import *

HOSTS, SIZE = 10, "1MB"
BYTES = {"400KB": 400_000, "2MB": 2_000_000}
DOCUMENT = SOURCE / "doc/credits.md"


def description(kind, buffer, apart):
    victim = flow("h2", "h10", SIZE, priority=4 if apart else 3)
    work = [{"kind": "incast", "to": "h1", "from": [f"h{i}" for i in range(2, 10)], "size": SIZE, "priority": 3}, victim]
    both = {3: 3, 4: 4, "default": 0}
    if kind == "credit":
        lanes = 3 if apart else 2
        # All receive buffers of ports and lanes together are the buffer.
        each = BYTES[buffer] // (HOSTS * lanes) // 64 * 64
        qos = {"flow-control": "credit", "credit": {"buffer": f"{each}B"},
               "priority-to-tc": {3: 3, 4: 4 if apart else 3, 6: 0, "default": 0}}
        switch = {"buffer": {"size": buffer, "cell": 64}, "qos": qos}
    else:
        switch = {"buffer": {"size": buffer, "cell": 64, "pools": {"ingress-lossy": {"size": "0B"},
                                                                   "ingress-lossless": {"size": "100%"},
                                                                   "egress-lossy": {"size": "unlimited"}}},
                  "qos": {"pfc": {"priorities": [3, 4] if apart else [3]}, "priority-to-pg": both, "priority-to-tc": both,
                          "pg": {one: {"lossless": True, "pool": "ingress-lossless", "alpha": "1"}
                                 for one in ([3, 4] if apart else [3])} | {0: {"pool": "ingress-lossless", "alpha": "1"}},
                          "tc": {one: {"ecn": "off"} for one in (0, 3, 4)}}}
    return fabric(1, 0, HOSTS, mtu=1500, host_link={"rate": "100G", "cable": "100m"}, hosts={"path-mtu": 1024},
                  switch=switch, workload=work)


class BesidesPfc(Case):
    def measure(self, kind, buffer, apart=False):
        sim = self.sim(description(kind, buffer, apart))
        self.assertEqual(sim.drops, {})
        assert_complete(self, sim)
        incast = max(one["fct_ps"] for one in sim.flows if one["dst"] == "h1")
        victim = [one["fct_ps"] for one in sim.flows if one["dst"] == "h10"][0]
        leaf = sim.nodes["leaf1"]
        peak = sum(pool["used_max"] for name, pool in leaf["pools"].items() if name.startswith("ingress"))
        peak += leaf["pools"]["headroom"]["used_max"]
        return incast / 1e6, victim / 1e6, peak

    def test_the_table_of_the_page(self):
        rows = []
        for kind, buffer, apart in (("pfc", "2MB", False), ("credit", "2MB", False), ("pfc", "2MB", True),
                                    ("credit", "2MB", True), ("credit", "400KB", False)):
            incast, victim, peak = self.measure(kind, buffer, apart)
            rows.append(f"| {'PFC' if kind == 'pfc' else 'credits'} | {buffer} | {'own' if apart else 'shared'} | "
                        f"{incast:.0f} us | {victim:.0f} us | {peak / 1000:.0f} KB |")
        for row in rows:
            self.assertIn(row, DOCUMENT.read_text(), "\n".join(rows))


if __name__ == "__main__":
    unittest.main()
