# SPDX-License-Identifier: BSD-3-Clause
"""`roost graph` and `roost where` of a fabric that is up: links that are down, hosts that are attached."""
import xml.etree.ElementTree as ElementTree

from common import *

SVG = "{http://www.w3.org/2000/svg}"


class Map(Shared):

    @classmethod
    def description(cls):
        return demo(cls.name, attach=("h1", "h5"))

    def described(self, *words):
        return json.loads(self.up.command("graph", *words, "--format", "json").out)

    def where(self, name, **options):
        return json.loads(self.up.command("where", name, "-o", "json", **options).out)

    def test_the_description_is_what_show_says(self):
        described = self.described()
        fabric = self.up.show("fabric")
        self.assertEqual(described["hosts"], self.up.show("hosts")["hosts"])
        self.assertEqual(described["links"], fabric["links"])
        self.assertEqual([one["name"] for one in described["nodes"]],
                         ["leaf1", "leaf2", "spine1", "spine2"] + [f"h{i}" for i in range(1, 9)])
        self.assertEqual(described["tenants"], ["red", "blue", "rest"])
        self.assertEqual(self.described(self.name), described)

    def test_the_file_is_drawn_alike(self):
        """A fabric that has just come up is drawn as its file is."""
        for format_ in ("svg", "dot", "mermaid"):
            live = self.up.command("graph", "--format", format_).out
            self.assertEqual(live, roost("graph", self.path, "--format", format_).out)

    def test_a_link_that_is_down_is_dashed(self):
        self.up.command("link", "leaf1-spine2", "down")
        try:
            root = ElementTree.fromstring(self.up.command("graph").out)
            dashed = [group.find(SVG + "title").text for group in root.iter(SVG + "g")
                      if group.find(SVG + "title") is not None and
                      any(one.get("class") == "line down" for one in group.findall(SVG + "path"))]
            self.assertEqual(dashed, ["leaf1-spine2: 100G, delay 500 ns, down"])
            self.assertIn('n3 -- n0 [label="down", style=dashed', self.up.command("graph", "--format", "dot").out)
            self.assertIn('n3 -.-|"down"| n0\n', self.up.command("graph", "--format", "mermaid").out)
        finally:
            self.up.command("link", "leaf1-spine2", "up")

    def test_where(self):
        known = {"host": "h5", "host_port": "eth1", "switch_port": "leaf2.swp1", "ip4": "10.0.2.1", "ip6": "fd00::2:1",
                 "vrf": "red", "tenant": "red", "mac": "02:00:0a:00:02:01", "is": f"namespace {netns(self.name, 'h5')}"}
        for name in ("h5", "h5.eth1", "leaf2.swp1", netns(self.name, "h5")):
            self.assertEqual(self.where(name), {"name": name} | known)
        place = {"plane": 0, "pod": 0, "leaf": 2, "port": 1}
        for address in ("10.0.2.1", "02:00:0a:00:02:01", "fd00::2:1"):
            self.assertEqual(self.where(address), {"address": address} | place | known)
        self.assertEqual(self.where("h2")["is"], "simulated")
        self.assertEqual(self.where("spine1")["loopback4"], "172.17.0.1")
        done = self.up.command("where", "h55", status=1)
        self.assertEqual(done.err, "roost where: h55: no host, switch, port, namespace, container or tap of that name; "
                                   "did you mean h5?\n")
        self.assertEqual(self.up.command("where", "10.9.9.9", status=1).err, "roost where: no host or switch has 10.9.9.9\n")

    def test_where_follows_changes(self):
        self.up.command("set", "tenants.red.addresses", "{h6: 172.20.0.6}")
        self.up.command("attach", "h6", f"netns={netns(self.name, 'h6')}")
        try:
            found = self.where("172.20.0.6")
            self.assertEqual((found["host"], found["is"]), ("h6", f"namespace {netns(self.name, 'h6')}"))
            self.assertEqual(self.where(netns(self.name, "h6"))["host"], "h6")
        finally:
            self.up.command("detach", "h6")
            self.up.command("unset", "tenants.red.addresses")
        self.assertEqual(self.where("h6")["is"], "simulated")

    def test_completion(self):
        def offered(*words):
            return [line.split("\t")[0] for line in self.up.command("complete", "--", *words).out.splitlines()]
        self.assertEqual(offered("where", "h5"), ["h5"])
        self.assertIn(self.name, offered("graph", self.name[:-1]))
        self.assertEqual(offered("graph", "--format", "m"), ["mermaid"])
        self.assertEqual(offered("show", "hosts", "h5"), ["h5"])
        self.assertEqual(offered("trace", "h5"), ["h5"])
        self.assertEqual(offered("capture", "leaf1.swp3"), ["leaf1.swp3"])
        self.assertEqual(offered("link", "leaf1-spine1"), ["leaf1-spine1"])
        for name in ("list", "link", "capture", "trace", "top", "show", "where"):
            self.assertIn("json", offered(name, "-o", "j"), name)


if __name__ == "__main__":
    unittest.main()
