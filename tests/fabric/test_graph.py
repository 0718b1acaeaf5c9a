# SPDX-License-Identifier: BSD-3-Clause
"""`roost graph` and `roost where` of files: what is drawn, in three formats, and names that mean harm."""
import re
import xml.etree.ElementTree as ElementTree

from common import *

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = 'a"b<c>&d\\e#f;`g'     # a name of a namespace may be almost anything

# What a line of a flowchart may be.
LABEL = r'"(?:[A-Za-z0-9 .,:/_-]|#\d+;|<br/>)*"'
MERMAID = re.compile(rf'flowchart TB|    (?:%% [A-Za-z0-9 .,:/_-]+|n\d+\[{LABEL}\]|n\d+ (?:---|-\.-)(?:\|{LABEL}\|)? n\d+'
                     r'|class n\d+(?:,n\d+)* t\d+|classDef t\d+ stroke:#[0-9a-f]{6},stroke-width:3px)')


class Graph(Case):

    def draw(self, path, format_="svg"):
        done = roost("graph", path, "--format", format_)
        self.assertEqual(done.err, "")
        return done.out

    def svg(self, path):
        """The root, and all texts of a class."""
        root = ElementTree.fromstring(self.draw(path))
        return root, lambda word: ["".join(one.itertext()) for one in root.iter(SVG + "text")
                                   if word in one.get("class").split()]

    def dot(self, path):
        """What Graphviz reads: names of nodes with their labels, and edges."""
        drawn = self.directory / "drawn.dot"
        roost("graph", path, "--format", "dot", "-o", drawn)
        read = command("dot", "-Tjson", drawn).json
        nodes = {one["_gvid"]: one["label"] for one in read["objects"] if "nodes" not in one}
        edges = [(nodes[one["tail"]], nodes[one["head"]], one.get("label", ""), one.get("style", ""))
                 for one in read.get("edges", []) if one.get("style") != "invis"]
        return sorted(nodes.values()), edges

    def mermaid(self, path):
        text = self.draw(path, "mermaid")
        for line in text.splitlines():
            self.assertRegex(line, rf"\A(?:{MERMAID.pattern})\Z")
        return text

    def test_the_demo(self):
        _, texts = self.svg(DEMO)
        self.assertEqual(texts("title"), ["demo: 2 leaves, 2 spines, 8 hosts"])
        self.assertEqual(texts("name"), ["leaf1", "leaf2", "spine1", "spine2"] + [f"h{i}" for i in range(1, 9)])
        self.assertEqual(texts("end"), ["red", "red", "blue", "blue"] * 2)
        self.assertEqual([one for one in texts("small") if ":" in one],
                         ["red: 4 hosts", "blue: 4 hosts", "host to leaf: 8 links of 100G", "leaf to spine: 4 links of 100G"])
        nodes, edges = self.dot(DEMO)
        self.assertEqual(nodes, sorted([f"h{i}\\n{'red' if i in (1, 2, 5, 6) else 'blue'}" for i in range(1, 9)] +
                                       ["leaf1", "leaf2", "spine1", "spine2"]))
        self.assertEqual(sorted(one for one in edges if one[0].startswith("spine")),
                         [(f"spine{i}", f"leaf{j}", "", "") for i in (1, 2) for j in (1, 2)])
        self.assertEqual(len(edges), 12)
        self.assertIn('    n4["h1<br/>red"]\n', self.mermaid(DEMO))
        self.assertEqual(self.mermaid(DEMO).count(" --- "), 12)

    def test_graphviz_keeps_the_order(self):
        drawn = self.directory / "drawn.dot"
        description = fabric(4, 4, 2, tenants={"red": {"hosts": ["h5", "h1"]}}, events=[{"at": "0us", "link": "leaf1-spine2", "state": "down"}])
        roost("graph", self.file(description), "--format", "dot", "-o", drawn)
        nodes = [line.split() for line in command("dot", "-Tplain", drawn).out.splitlines() if line.startswith("node ")]
        for kind, count in (("leaf", 4), ("spine", 4), ("h", 8)):
            placed = sorted((float(node[2]), re.match(r'"?(\w+?)(?:\\|"|$)', node[6])[1]) for node in nodes
                            if re.match(rf'"?{kind}\d', node[6]))
            self.assertEqual([name for _, name in placed], [f"{kind}{i}" for i in range(1, count + 1)])

    def test_attached_hosts_have_a_bold_frame(self):
        root, _ = self.svg(DEMO)
        bold = [group.find(SVG + "title").text for group in root.iter(SVG + "g")
                if any("attached" in (one.get("class") or "") for one in group.findall(SVG + "rect")) and
                group.find(SVG + "title") is not None]
        self.assertEqual(bold[0], "h1, 10.0.1.1, tenant red, namespace roost-demo-h1")
        self.assertEqual([one.split(",")[0] for one in bold], ["h1", "h3", "h5", "h7"])

    def test_a_link_that_differs_has_a_label(self):
        description = fabric(2, 2, 2)
        description["fabric"]["links"] = {"fabric": {"rate": "400G"}, "leaf1-spine2": {"rate": "100G"}, "h2-leaf1": {"rate": "25G"}}
        path = self.file(description)
        _, texts = self.svg(path)
        self.assertEqual(texts("label"), ["100G", "25G"])
        self.assertIn("leaf to spine: 3 links of 400G, 1 of another rate", texts("small"))
        _, edges = self.dot(path)
        self.assertEqual([one for one in edges if one[2]], [("spine2", "leaf1", "100G", ""), ("leaf1", "h2", "25G", "")])
        self.assertIn('---|"100G"|', self.mermaid(path))

    def test_events_at_0_are_drawn(self):
        """A link that a file takes down before anything happens; not one that fails later."""
        events = [{"at": "0us", "link": "leaf1-spine2", "state": "down"}, {"at": "0us", "link": "h2-leaf1", "rate": "25G"},
                  {"at": "0us", "link": "leaf2-spine1", "state": "down"}, {"at": "0us", "link": "leaf2-spine1", "state": "up"},
                  {"at": "1us", "link": "leaf2-spine2", "state": "down"}]
        path = self.file(fabric(2, 2, 2, events=events))
        root, texts = self.svg(path)
        self.assertEqual(texts("label"), ["down", "25G"])
        self.assertEqual([one.get("class") for one in root.iter(SVG + "path") if "down" in one.get("class")], ["line down"] * 2)
        self.assertIn("down", texts("small"))
        self.assertIn("host to leaf: 3 links of 100G, 1 of another rate", texts("small"))
        _, edges = self.dot(path)
        self.assertEqual([one for one in edges if one[2]], [("spine2", "leaf1", "down", "dashed"), ("leaf1", "h2", "25G", "")])
        self.assertIn(' -.-|"down"| ', self.mermaid(path))
        path = self.file(fabric(2, 2, 2, events=[{"at": "0us", "link": "leaf1-spine3", "state": "down"}]))
        self.assertIn("leaf1-spine3", roost("graph", path, status=2).err)

    def test_many_hosts_are_folded_with_their_tenants(self):
        path = self.file(fabric(2, 1, 20, tenants={"red": {"hosts": ["h1-h15", "h21"]}, "blue": {"hosts": ["h16-h18"]}}))
        nodes, edges = self.dot(path)
        self.assertEqual(nodes, ["20 hosts\\n1 red\\n19 rest", "20 hosts\\n15 red\\n3 blue\\n2 rest", "leaf1", "leaf2", "spine1"])
        self.assertEqual(len(edges), 4)
        _, texts = self.svg(path)
        self.assertEqual([one for one in texts("small") if ":" not in one],
                         ["h1-h20", "15 red", "3 blue", "2 rest", "h21-h40", "1 red", "19 rest"])

    def test_sixteen_hosts_are_not_folded(self):
        self.assertEqual(len(self.dot(self.file(fabric(1, 0, 16)))[0]), 17)
        self.assertEqual(self.dot(self.file(fabric(1, 0, 17)))[0], ["17 hosts", "leaf1"])

    def test_planes_pods_and_rails(self):
        _, texts = self.svg(SOURCE / "conf/planes-8.yaml")
        self.assertEqual([one for one in texts("small") if one.startswith("plane")], [f"plane {i}" for i in range(1, 9)])
        _, texts = self.svg(SOURCE / "conf/rail-256.yaml")
        self.assertEqual([one for one in texts("small") if one.startswith("rail")], [f"rail {i}" for i in range(1, 9)] * 2)
        topology = {"kind": "clos3", "pods": 2, "leaves": 2, "spines": 2, "super-spines": 2, "hosts-per-leaf": 1, "planes": 2}
        path = self.file({"fabric": {"topology": topology}, "switch": {"preset": "spectrum-x"}})
        _, texts = self.svg(path)
        self.assertEqual([one for one in texts("small") if one.startswith("pod")], ["pod 1", "pod 2"] * 2)
        nodes = {one["name"]: one for one in json.loads(self.draw(path, "json"))["nodes"]}
        self.assertEqual(nodes["p2-spine3"], {"name": "p2-spine3", "role": "spine", "plane": 2, "pod": 2})
        self.assertEqual(nodes["p1-super1"], {"name": "p1-super1", "role": "super-spine", "plane": 1})
        self.assertEqual(nodes["h4"], {"name": "h4", "role": "host"})

    def test_lanes_and_partitions(self):
        """As JSON: arbitration tables where a switch has them, ports whose classes differ, and the keys of hosts."""
        path = self.file({"fabric": {"link-layer": "infiniband", "topology": {
                              "kind": "leaf-spine", "leaves": 1, "spines": 1, "hosts-per-leaf": 2}},
                          "switch": {"preset": "infiniband", "qos": {"ports": {"swp1": {"tc": {0: {"weight": 10}}}}}},
                          "spine1": {"qos": {"credit": {"arbitration": {"high": "6:16", "low": "0:64,3:128", "limit": 1}}}},
                          "tenants": {"red": {"hosts": ["h2"]}}})
        drawn = json.loads(self.draw(path, "json"))
        lanes = {one["name"]: one.get("lanes") for one in drawn["nodes"]}
        nic = {"high": [[6, 255]], "low": [[0, 1], [3, 1]], "limit": 255}
        self.assertEqual(lanes["spine1"], {"by_priority": [0, 0, 0, 3, 0, 0, 6, 0], "credits": True, "nic_arbitration": nic,
                                           "arbitration": {"high": [[6, 16]], "low": [[0, 64], [3, 128]], "limit": 1}})
        self.assertEqual(lanes["leaf1"]["arbitration"], {"high": [[6, 255]], "low": [[0, 255], [3, 255]], "limit": 255})
        self.assertEqual(lanes["leaf1"]["ports"], {"swp1": {"nic_arbitration": nic, "arbitration": {
            "high": [[6, 255]], "low": [[0, 51], [3, 255]], "limit": 255}}})
        self.assertEqual([one["pkey"] for one in drawn["hosts"]], [0x8002, 0x8001])
        # Of an Ethernet fabric, a switch with credits has lanes.
        path = self.file({"fabric": {"topology": {"kind": "leaf-spine", "leaves": 1, "spines": 0, "hosts-per-leaf": 1}},
                          "switch": {"preset": "lossy", "buffer": {"cell": 64}, "qos": {"flow-control": "credit"}}})
        self.assertIs(json.loads(self.draw(path, "json"))["nodes"][0]["lanes"]["credits"], True)

    def test_several_links_between_two_are_one_line(self):
        links = [{"a": f"leaf1.swp{i}", "b": f"leaf2.swp{i}"} for i in range(1, 4)] + \
            [{"a": "leaf2.swp9", "b": "leaf3.swp9"}, {"a": "h1", "b": "leaf1.swp9"}]
        topology = {"kind": "explicit", "nodes": ["leaf1", "leaf2", "leaf3", "h1"], "links": links}
        path = self.file({"fabric": {"topology": topology}, "switch": {"preset": "spectrum-x"}})
        _, edges = self.dot(path)
        self.assertEqual(sorted(edges), [("leaf1", "h1", "", ""), ("leaf2", "leaf1", "", ""), ("leaf3", "leaf2", "1\u00d7", "")])
        self.mermaid(path)
        self.svg(path)

    def test_boxes_do_not_overlap(self):
        for name in ("demo", "spectrum-x", "clos-2048", "planes-8", "rail-256", "cloud-32"):
            with self.subTest(name):
                root, _ = self.svg(SOURCE / f"conf/{name}.yaml")
                width, height = (float(root.get(key)) for key in ("width", "height"))
                boxes = [tuple(float(one.get(key)) for key in ("x", "y", "width", "height")) for one in root.iter(SVG + "rect")
                         if (one.get("class") or "").split()[:1] in (["switch"], ["host"]) and one.get("rx") == "4"]
                self.assertGreater(len(boxes), 4)
                boxes.sort(key=lambda box: (box[1], box[0]))
                for (x, y, w, h), (x2, y2, _, _) in zip(boxes, boxes[1:]):
                    self.assertTrue(y2 >= y + h or x2 >= x + w, (x, y, w, h, x2, y2))
                    self.assertTrue(0 <= x and x + w <= width and y + h <= height)

    def test_hostile_names(self):
        for name in (HOSTILE, "\u00fcber \u2192", "]]>", "<script>alert(1)", "&lt;", "\\"):
            with self.subTest(name):
                path = self.file(fabric(1, 0, 2, name="x", attach={"h1": {"netns": name}}))
                root, _ = self.svg(path)
                titles = [one.text for one in root.iter(SVG + "title")]
                self.assertIn(f"h1, 10.0.1.1, namespace {name}", titles)
                self.assertEqual(root.findall(".//{*}script"), [])
                self.dot(path)
                self.mermaid(path)
                self.assertEqual(roost("where", name, path, "-o", "json").json["host"], "h1")

    def test_the_same_bytes(self):
        for format_ in ("svg", "dot", "mermaid", "json"):
            self.assertEqual(self.draw(DEMO, format_), self.draw(DEMO, format_))

    def test_json(self):
        described = json.loads(self.draw(DEMO, "json"))
        self.assertEqual({key: described[key] for key in ("name", "tenants")}, {"name": "demo", "tenants": ["red", "blue", "rest"]})
        self.assertEqual(described["links"][0], {"link": "h1-leaf1", "a": "h1.eth1", "b": "leaf1.swp1",
                                                 "rate_bps": 100_000_000_000, "delay_ps": 500_000, "state": "up"})
        self.assertEqual(described["hosts"][1], {"host": "h2", "nic": "eth1", "address": "10.0.1.2", "port": "leaf1.swp2",
                                                 "vrf": "red", "tenant": "red", "mac": "02:00:0a:00:01:02", "is": "simulated"})

    def test_errors(self):
        self.assertIn("No such file", roost("graph", self.directory / "none.yaml", status=2).err)
        self.assertIn("none/x.svg: No such file", roost("graph", DEMO, "-o", self.directory / "none/x.svg", status=1).err)
        self.assertIn("--fabric names a live fabric", roost("graph", DEMO, "-f", "demo", status=2).err)
        self.assertIn("want svg, dot, mermaid or json", roost("graph", DEMO, "--format", "png", status=2).err)
        path = self.file(fabric(33, 16, 1))
        self.assertEqual(roost("graph", path, "--format", "mermaid").err,
                         "roost graph: warning: 561 links; Mermaid draws 500 unless its maxEdges is larger\n")
        lone = self.file({"switch": {"name": "s", "preset": "spectrum-x", "ports": {"swp1": {}}}})
        self.assertEqual(self.dot(lone), (["s"], []))


class Where(Case):

    def where(self, *words, **options):
        return roost("where", *words, "-o", "json", **options).json

    def test_names(self):
        h5 = {"host": "h5", "host_port": "eth1", "switch_port": "leaf2.swp1", "ip4": "10.0.2.1", "ip6": "fd00::2:1",
              "vrf": "red", "tenant": "red", "mac": "02:00:0a:00:02:01", "is": "namespace roost-demo-h5"}
        for name in ("h5", "h5.eth1", "leaf2.swp1", "roost-demo-h5"):
            self.assertEqual(self.where(name, DEMO), {"name": name} | h5)
        spine = {"switch": "spine2", "role": "spine", "loopback4": "172.17.0.2", "loopback6": "fd00::2:0:0:2:0",
                 "router_mac": "02:02:00:00:03:00"}
        self.assertEqual(self.where("spine2", DEMO), {"name": "spine2"} | spine)
        self.assertEqual(self.where("spine2.swp1", DEMO),
                         {"name": "spine2.swp1"} | spine | {"switch_port": "spine2.swp1", "peer": "leaf1.swp6"})

    def test_several_matches(self):
        path = SOURCE / "conf/planes-8.yaml"
        self.assertEqual([one["host_port"] for one in self.where("h3", path)["hosts"]], [f"eth{i}" for i in range(1, 9)])
        path = self.file(fabric(1, 0, 3, name="x", attach={"h1": {"netns": "h2"}}))
        self.assertEqual([one["host"] for one in self.where("h2", path)["hosts"]], ["h1", "h2"])

    def test_not_found(self):
        done = roost("where", "h55", DEMO, status=1)
        self.assertEqual(done.err, f"roost where: {DEMO}: h55: no host, switch, port, namespace, container or tap of that name; "
                                   "did you mean h5?\n")
        self.assertIn("did you mean roost-demo-h1?", roost("where", "roost-dmo-h1", DEMO, status=1).err)
        self.assertNotIn("mean", roost("where", "quetzalcoatl", DEMO, status=1).err)


if __name__ == "__main__":
    unittest.main()
