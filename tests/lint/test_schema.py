# SPDX-License-Identifier: BSD-3-Clause
"""`roost schema` against an independent validator: it takes what `roost check` takes, and refuses keys and types that
`roost check` refuses. doc/reference.md is what `roost schema --markdown` prints."""
import re
import unittest
from functools import cache
from pathlib import Path

import jsonschema
import yaml as pyyaml

from support import SOURCE, Case, roost

FABRIC = "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n"
EXPLICIT = "fabric: {topology: {kind: explicit, nodes: {a: leaf, h1: host, h2: host}, " \
    "links: [{a: a.swp1, b: h1}, {a: a.swp2, b: h2}]}}\n"
SWITCH = "switch: {ports: {swp1: {}, swp2: {rate: 25G}}}\n"
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.M | re.S)

# Files that are right, beside those of conf/ and doc/.
RIGHT = (
    FABRIC + "leaf1: {latency: 1us}\nspine2: {qos: {tc: {3: {weight: 20}}}}\nh3: {placement: out-of-order}\n",
    EXPLICIT + "a: {buffer: {size: 1MB}}\n",
    FABRIC + "hosts: {ip: 6, pxn: on, stall: none, pause-storm: {to: 1us, priority: [3, 4]}, dcqcn: {gain: 1/16}}\n",
    FABRIC + "hosts: {ip: [4, 6]}\nh1: {ip: 6}\nh2: {ip: [6]}\n",
    FABRIC + "switch: {qos: {trust: dscp, watchdog: off, trim: {size: 256B, eligible-tc: 1}}}\n",
    FABRIC + "switch: {qos: {remark: {dscp: {3: 26}, pcp: none}}}\n",
    FABRIC + "tenants: {red: {hosts: h1, vni: 5001, addresses: {h1: [172.16.0.1, \"fd01::1\"]}}, blue: {leak: red}}\n",
    FABRIC + "switch: {qos: {pg: {3: {alpha: 1/8}}, tc: {3: {static: 100KB, ecn: on}, 0: {alpha: 8}}}}\n",
    FABRIC + "switch: {routing: {grades: [10KB], link-utilisation: 50%, pinned: none, eligible: {dscp: [1, 2]}}}\n",
    FABRIC + "events: [{at: 1us, link: leaf1-spine1, state: down}, {set: switch.qos.tc.3.weight, to: 7}]\n",
    FABRIC + "tenants: {red: {hosts: h1-h2}, blue: {hosts: [h3, \"h[4-4]\"]}}\n",
    FABRIC + "tenants: {red: {hosts: [h1-h4]}}\nworkload: [{kind: shift, hosts: [\"h[1-4].eth1\"], size: 1KB}]\n",
    FABRIC + "workload:\n- kind: incast\n  from: h[1-3]\n  to: h4\n  size: 1MB\n",
    FABRIC + "workload: [{kind: flow, from: h1, to: h3, size: 1MB}]\nstop: 1ms\nrecord: {interval: 1us, queues: all}\n",
    SWITCH + "events: [{at: 0us, port: swp2, tx: off}, {at: 60us, port: swp2, pfc: {priorities: [3], quanta: 1}}]\n",
    "switch: {ports: {swp1: {}, swp2: {}}, preset: sonic, qos: {histograms: [{queue: swp1.3, min: 960B}]}, "
    "routes: [{prefix: 10.0.0.0/8, via: [{port: swp2, mac: \"02:00:00:00:02:02\"}]}]}\n",
)

# Files with a key or a type that is wrong, each for one reason.
WRONG = (
    "{}\n",
    "stop: 1ms\n",
    "fabric: {name: a}\n",
    "fabric: {topology: {kind: leaf-spin, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n",
    "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2}}\n",
    "fabric: {topology: {kind: leaf-spine, leaves: two, spines: 2, hosts-per-leaf: 2}}\n",
    "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2, k: 4}}\n",
    "fabric: {topology: {kind: leaf-spine, leaves: 0, spines: 2, hosts-per-leaf: 2}}\n",
    FABRIC + "swich: {preset: sonic}\n",
    FABRIC + "leaf: [1]\n",
    FABRIC + "leaf1: {placement: in-order}\n",
    FABRIC + "h1: {preset: sonic}\n",
    EXPLICIT + "a: {placment: in-order, preset: sonic}\n",
    FABRIC + "switch: {buffers: {}}\n",
    FABRIC + "switch: {preset: sonics}\n",
    FABRIC + "switch: {slices: 1}\n",
    FABRIC + "attach: {h1: {netns: a, tpa: t0}}\n",
    FABRIC + "switch: {qos: {flow-control: credits}}\n",
    FABRIC + "switch: {latency: 5}\n",
    FABRIC + "switch: {latency: 5 us}\n",
    FABRIC + "switch: {latency: 5us ago}\n",
    FABRIC + "switch: {buffer: {size: 64}}\n",
    FABRIC + "switch: {buffer: {size: 64M}}\n",
    FABRIC + "switch: {buffer: {cell: 0}}\n",
    FABRIC + "switch: {buffer: {pools: {ingress-lossy: {size: auto}}}}\n",
    FABRIC + "switch: {buffer: {pools: {ingres-lossy: {}}}}\n",
    FABRIC + "switch: {qos: {tc: {8: {}}}}\n",
    FABRIC + "switch: {qos: {tc: {03: {}}}}\n",
    FABRIC + "switch: {qos: {tc: {3: {weight: 0}}}}\n",
    FABRIC + "switch: {qos: {tc: {3: {alpha: 3}}}}\n",
    FABRIC + "switch: {qos: {tc: {3: {alpha: 1, static: 1KB}}}}\n",
    FABRIC + "switch: {qos: {tc: {3: {ecn: {mni: 1KB}}}}}\n",
    FABRIC + "switch: {qos: {tc: {3: {ecn: 5}}}}\n",
    FABRIC + "switch: {qos: {tc: {3: {max-rate: 1Gbps}}}}\n",
    FABRIC + "switch: {qos: {trust: [dscp, mac]}}\n",
    FABRIC + "switch: {qos: {dscp-to-priority: {64: 1}}}\n",
    FABRIC + "switch: {qos: {dscp-to-priority: {1: 8}}}\n",
    FABRIC + "switch: {qos: {pfc: {priorities: [8]}}}\n",
    FABRIC + "switch: {qos: {ports: {eth1: {}}}}\n",
    FABRIC + "switch: {qos: {watchdog: {detect: 1ms, robustness: 3}}}\n",
    FABRIC + "switch: {qos: {remark: {dscp: {3: 64}}}}\n",
    FABRIC + "switch: {qos: {histograms: [{min: 1KB}]}}\n",
    FABRIC + "switch: {qos: {histograms: [{queue: swp1.3, latency: swp1.3}]}}\n",
    FABRIC + "switch: {routing: {mode: best}}\n",
    FABRIC + "switch: {routing: {pinned: [{src: h1, dst: h2}]}}\n",
    FABRIC + "hosts: {dcqcn: {gain: 0.5}}\n",
    FABRIC + "hosts: {stall: {every: 1ms}}\n",
    FABRIC + "hosts: {path-mtu: 100}\n",
    FABRIC + "tenants: {red: {host: [h1]}}\n",
    FABRIC + "tenants: {red: {hosts: \"h[1]\"}}\n",
    FABRIC + "tenants: {red: {hosts: [\"h[1-\"]}}\n",
    FABRIC + "tenants: {red: {leak: \"red[1-2]\"}}\n",
    FABRIC + "tenants: {red: {buffer: {share: 1KB}}}\n",
    FABRIC + "tenants: {red: {encap: gre}}\n",
    FABRIC + "tenants: {red: {vni: 16777216}}\n",
    FABRIC + "tenants: {red: {border: {h1: [10.0.0.0]}}}\n",
    FABRIC + "workload: [{from: h1, to: h2, size: 1MB}]\n",
    FABRIC + "workload: [{kind: flow, from: h1, size: 1MB}]\n",
    FABRIC + "workload: [{kind: flow, from: h1, to: h2, size: 1MB, load: 50%}]\n",
    FABRIC + "workload: [{kind: poisson, load: 50, sizes: rpc, until: 1ms}]\n",
    FABRIC + "workload: {kind: flow, from: h1, to: h2, size: 1MB}\n",
    FABRIC + "workload: [{kind: step, operations: [{kind: flow, size: 1MB}]}]\n",
    FABRIC + "events: [{at: 1us}]\n",
    FABRIC + "events: [{at: 1us, link: leaf1-spine1, set: a}]\n",
    FABRIC + "events: [{at: 1us, link: leaf1-spine1, state: dead}]\n",
    FABRIC + "events: [{at: 1us, snapshot: full, for: 1us}]\n",
    FABRIC + "record: {interval: 1us, queues: [leaf1.swp1.3, leaf1.swp1.3]}\n",
    FABRIC + "stop: never\n",
    FABRIC + "live: {workers: 0}\n",
    FABRIC + "live: {cpus: [a]}\n",
    FABRIC + "ports: {swp1: {}}\n",
    "switch: {preset: sonic}\n",
    "switch: {ports: {eth1: {}}}\n",
    "switch: {ports: {swp1: {speed: 100G}}}\n",
    SWITCH + "workload: []\n",
    SWITCH + "leaf: {preset: sonic}\n",
    "switch: {ports: {swp1: {delay: 1us, cable: 5m}}}\n",
    "switch: {ports: {swp1: {}}, mac: 02-00-00-00-00-01}\n",
    "switch: {ports: {swp1: {}}, routes: [{prefix: 10.0.0.0, via: []}]}\n",
    "switch: {ports: {swp1: {}}, routes: [{via: []}]}\n",
)

# Files with one key that is wrong or missing, and where that is told.
PLACES = (
    (FABRIC + "tenants: {red: {host: [h1]}}\n", "tenants.red"),
    (FABRIC + "swich: {preset: sonic}\n", ""),
    (FABRIC + "switch: {qos: {tc: {3: {ecn: {mni: 1KB}}}}}\n", "switch.qos.tc.3.ecn"),
    (FABRIC + "leaf1: {buffer: {sise: 1MB}}\n", "leaf1.buffer"),
    (FABRIC + "workload: [{kind: flow, from: h1, size: 1MB}]\n", "workload.0"),
    (EXPLICIT + "tenants: {red: {host: [h1]}}\na: {}\n", "tenants.red"),
    (EXPLICIT + "h1: {buffer: {}}\n", "h1"),
    ("switch: {ports: {swp1: {speed: 100G}}}\n", "switch.ports.swp1"),
    (SWITCH + "tenants: {red: {host: [h1]}}\n", "tenants.red"),
    (SWITCH + "workload: []\n", ""),
)


class Loader(pyyaml.SafeLoader):
    """Keys are text, as they are in JSON and to roost: 3 and "3" are one, 03 is another."""

    def construct_mapping(self, node, deep=True):
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


Loader.add_constructor("tag:yaml.org,2002:map", Loader.construct_mapping)


def load(text):
    return pyyaml.load(text, Loader)


@cache
def schema():
    return roost("schema").json


def validator(definition=None):
    found = schema() if definition is None else \
        {"$schema": schema()["$schema"], "$ref": f"#/$defs/{definition}", "$defs": schema()["$defs"]}
    return jsonschema.Draft202012Validator(found)


class Schema(Case):
    def assert_valid(self, text, definition=None):
        errors = [f"{'.'.join(map(str, one.absolute_path))}: {one.message[:300]}"
                  for error in validator(definition).iter_errors(load(text)) for one in error.context or [error]]
        self.assertEqual(errors, [])

    def test_it_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(schema())
        self.assertGreater(len(schema()["$defs"]), 40)

    def test_files_of_conf(self):
        found = sorted((SOURCE / "conf").rglob("*.yaml"))
        self.assertGreater(len(found), 12)
        for path in found:
            with self.subTest(file=path.name):
                text = path.read_text()
                if path.parent.name == "workloads":
                    text = (SOURCE / "conf/demo.yaml").read_text().split("\nworkload:")[0] + f"\nworkload:\n{text}"
                self.assert_valid(text, "switch" if path.parent.name == "presets" else None)

    def test_files_of_doc(self):
        count = 0
        for page in [SOURCE / "README.md", *sorted((SOURCE / "doc").glob("*.md"))]:
            for text in BLOCK.findall(page.read_text()):
                path = self.file(text, f"{page.stem}-{count}.yaml")
                if re.search(r"^(fabric|switch):", text, re.M) and roost("check", path, status=None).status == 0:
                    with self.subTest(page=page.name, text=text):
                        self.assert_valid(text)
                        count += 1
        self.assertGreater(count, 5)

    def test_what_is_right_is_taken(self):
        for text in RIGHT:
            with self.subTest(text=text):
                roost("check", self.file(text))
                self.assert_valid(text)

    def test_what_is_wrong_is_refused(self):
        for text in WRONG:
            with self.subTest(text=text):
                roost("check", self.file(text), status=2)
                self.assertFalse(validator().is_valid(load(text)))

    def test_what_is_wrong_is_told_at_its_place_alone(self):
        for text, place in PLACES:
            with self.subTest(text=text):
                roost("check", self.file(text), status=2)
                errors = validator().iter_errors(load(text))
                self.assertEqual([".".join(map(str, one.absolute_path)) for one in errors], [place])

    def test_defaults_are_valid(self):
        """Each default by its own key's schema, and there are as many as a reader would expect."""
        count = 0
        for name, definition in schema()["$defs"].items():
            for key, value in definition.get("properties", {}).items():
                if "default" in value:
                    with self.subTest(key=f"{name}.{key}"):
                        jsonschema.Draft202012Validator(value | {"$defs": schema()["$defs"]}) \
                            .validate(value["default"])
                        count += 1
        self.assertGreater(count, 120)

    def test_every_key_is_described(self):
        wrong = [f"{name}.{key}" for name, definition in schema()["$defs"].items()
                 for key, value in definition.get("properties", {}).items()
                 if not re.fullmatch(r"\S.* \(\S.*\)", value.get("description", ""))]
        self.assertEqual(wrong, [])

    def test_numbers_have_bounds_and_units_patterns(self):
        size = schema()["$defs"]["switch.buffer"]["properties"]["size"]
        self.assertEqual(size["pattern"], "^[0-9]+([.][0-9]+)?(B|KB|MB|GB|KiB|MiB|GiB)$")
        self.assertEqual(size["default"], "64MB")
        cell = schema()["$defs"]["switch.buffer"]["properties"]["cell"]
        self.assertEqual((cell["type"], cell["minimum"], cell["maximum"], cell["default"]), ("integer", 1, 16384, 192))


class Reference(Case):
    def test_the_page_is_what_is_printed(self):
        """After a change of the schema: build/roost schema --markdown > doc/reference.md"""
        self.assertEqual((SOURCE / "doc/reference.md").read_text(), roost("schema", "--markdown").out)


if __name__ == "__main__":
    unittest.main()
