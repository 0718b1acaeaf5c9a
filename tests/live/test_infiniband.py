# SPDX-License-Identifier: BSD-3-Clause
"""A live InfiniBand fabric: its forwarding tables, before and after a link fails or others are set,
and a capture."""
import base64
import contextlib
import socket

from common import *


class Client:
    """A connection to a fabric's API that stays."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"/run/roost/{name}.sock")
        self.file = self.socket.makefile()

    def call(self, method, **params):
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
        return json.loads(self.file.readline())

    def close(self):
        self.file.close()
        self.socket.close()


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

    def client(self):
        return contextlib.closing(Client(self.up.name))

    def table(self, switch, **ports):
        """leaf1 with another port for hosts: LIDs 5 to 8 are those of h1 to h4."""
        now = self.lft(switch)
        table = [255] + [int(now[lid][1][3:]) if now[lid][1] else 0 for lid in range(1, 9)]
        for host, port in ports.items():
            table[4 + int(host[1:])] = port
        return {"switch": switch, "ports": base64.b64encode(bytes(table)).decode()}

    def test_tables_are_set_together(self):
        """Tables with `more` are used with the last of their connection, and never if it ends before."""
        before, at_leaf2 = self.lft("leaf1"), self.lft("leaf2")
        other = {"swp3": 4, "swp4": 3}[before[7][1]]
        first, second = self.table("leaf1", h3=other), self.table("leaf2", h2=255)
        with self.client() as client:
            self.addCleanup(self.up.command, "link", "leaf2-spine1", "up")
            self.assertIn("result", client.call("lft", tables=[first], more=True))
            self.up.command("link", "leaf2-spine1", "down")     # routes are computed
            self.up.command("link", "leaf2-spine1", "up")
            self.assertEqual(self.lft("leaf1"), before)
            with self.client() as another:                      # has nothing staged
                self.assertIn("result", another.call("lft", tables=[self.table("leaf2")]))
                self.assertEqual(self.lft("leaf1"), before)
                self.assertIn("result", another.call("lft", reset=True))
        with self.client() as client:
            self.assertIn("result", client.call("lft", tables=[second]))
            self.assertEqual(self.lft("leaf1"), before)
            self.assertEqual(self.lft("leaf2")[6][1], None)
            self.assertIn("result", client.call("lft", tables=[first], more=True))
            self.assertIn("result", client.call("lft", tables=[self.table("leaf2", h2=3)]))
            self.assertEqual(self.lft("leaf1")[7][1], f"swp{other}")
            self.assertEqual(self.lft("leaf2")[6][1], "swp3")
            self.assertIn("result", client.call("lft", reset=True))
        self.assertEqual((self.lft("leaf1"), self.lft("leaf2")), (before, at_leaf2))

    def test_refused_tables_change_nothing(self):
        before = self.lft("leaf1")
        first = self.table("leaf1", h3=255)
        with self.client() as client:
            for bad in ({"tables": [first, {"switch": "leaf9", "ports": ""}]}, {"tables": [first, {"switch": "leaf2", "ports": "!"}]},
                        {"tables": [first, {"switch": "h1", "ports": ""}]}, {"reset": True, "more": True}, {},
                        {"tables": [first, {"switch": "leaf2", "ports": base64.b64encode(bytes(10)).decode()}]}):
                with self.subTest(bad=bad):
                    self.assertIn("error", client.call("lft", **bad))
                    self.assertEqual(self.lft("leaf1"), before)
            # With a link event, tables of a refused call would show; the engine's follow it.
            self.addCleanup(self.up.command, "link", "leaf1-spine1", "up")
            self.up.command("link", "leaf1-spine1", "down")
            self.assertEqual(self.lft("leaf1")[7][1], "swp4")

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
