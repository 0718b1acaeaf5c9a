# SPDX-License-Identifier: BSD-3-Clause
"""A live InfiniBand fabric: its forwarding tables, before and after a link fails, and a capture."""
from common import *


class InfiniBand(Shared):
    EXACT = False   # nothing is attached

    @classmethod
    def description(cls):
        return {"fabric": {"name": cls.name, "link-layer": "infiniband", "dilation": DILATION,
                           "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts-per-leaf": 2}},
                "switch": {"preset": "lossy"},
                "tenants": {"red": {"hosts": ["h1", "h3"]}},
                "workload": [{"kind": "flow", "from": "h1", "to": "h3", "size": "4KB", "repeat": 1000000, "gap": "10us"}]}

    def lft(self, node):
        """{LID: (whose, port)} of a switch."""
        table = self.up.show("lft", node)["nodes"][node]["lft"]
        return {int(lid): (one["of"], one["via"][0]["port"] if one["via"] else None) for lid, one in table.items()}

    def test_forwarding_tables(self):
        # LIDs 1 to 4 are the switches', 5 to 8 the hosts'; leaf1's swp3 and swp4 lead to the spines.
        table = self.lft("leaf1")
        self.assertEqual([table[lid][0] for lid in range(1, 9)],
                         ["leaf1", "leaf2", "spine1", "spine2", "h1.eth1", "h2.eth1", "h3.eth1", "h4.eth1"])
        self.assertEqual(table[1][1], None)
        self.assertEqual((table[5][1], table[6][1]), ("swp1", "swp2"))
        self.assertEqual({table[7][1], table[8][1]}, {"swp3", "swp4"})
        self.assertRegex(self.up.command("show", "lft", "leaf1").out, r"(?m)^leaf1 +5 +h1\.eth1 +swp1 h1$")
        self.up.command("link", "leaf1-spine1", "down")
        self.addCleanup(self.up.command, "link", "leaf1-spine1", "up")
        self.assertEqual({self.lft("leaf1")[lid][1] for lid in (7, 8)}, {"swp4"})
        self.assertEqual(self.lft("spine1")[5][1], "swp2")      # by leaf2 and spine2

    def test_capture(self):
        path = self.directory / "capture.pcapng"
        self.up.command("capture", "leaf1.swp1", "-c", 20, "-w", path)
        self.assert_dissects(path)
        rows = tshark(path, "infiniband.lrh.slid", "infiniband.lrh.dlid", "infiniband.bth.p_key")
        self.assertEqual(set(rows), {("5", "7", "32769"), ("7", "5", "32769")})
        line = self.up.command("capture", "leaf1.swp1", "-c", 1).out
        self.assertRegex(line, r"lid [57] > lid [57] infiniband (ACK|WRITE_ONLY|\S+) qp \d+ psn \d+ sl 3 vl 3 pkey 0x8001")
        refused = self.up.command("capture", "leaf1.swp1", "--filter", "udp", status=None)
        self.assertIn("tcpdump's filters are for Ethernet frames", refused.err)

    def test_partitions_stay(self):
        done = self.up.command("set", "tenants.red.hosts", "[h1, h2]", status=None)
        self.assertNotEqual(done.status, 0)
        self.assertIn("partitions of an InfiniBand fabric cannot change while it runs", done.err)


if __name__ == "__main__":
    unittest.main()
