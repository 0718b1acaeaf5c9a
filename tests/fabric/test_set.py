# SPDX-License-Identifier: BSD-3-Clause
"""`set` events: settings change under traffic and nothing is lost, and what would be refused when its time comes
is refused before the run, at the event's place. And `clear` and `restore` events."""
from common import *

PLACE = ("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n"
         "switch: {preset: spectrum-x, buffer: {size: 16MB}}\n")
SETS = [("switch.qos.tc.3.weight", "10"), ("switch.qos.tc.3.ecn.min", "20KB"), ("leaf.qos.pg.3.alpha", "1/8"),
        ("switch.qos.pg.3.headroom", "200KB"), ("spine1.qos.pg.3.alpha", "4"), ("switch.buffer.size", "20MB"),
        ("leaf1.qos.tc.3.max-rate", "50G"), ("leaf1.qos.tc.3.max-rate", "none"), ("switch.routing.mode", "spray"),
        ("leaf2.qos.ports", "{swp1: {max-rate: 80G}}"), ("switch.buffer.headroom-pool.size", "2MB"),
        ("switch.qos.priority-to-tc", "{3: 4}"), ("switch.preset", "sonic"), ("switch.buffer.pools.egress-lossy.size", "80%")]


class Sets(Case):
    def refused(self, position, pattern, *events):
        text = PLACE + "events:\n" + "".join(f"  - {{at: {at}, set: {key}, to: {to_yaml(to)}}}\n" for at, key, to in events)
        path = self.file(text)
        for name in ("check", "sim"):
            done = roost(name, path, status=2)
            self.assertEqual(done.out, "")
            self.assertRegex(done.err, f"^{re.escape(str(path))}:{position}: {pattern}")
            self.assertEqual(len(done.err.splitlines()), 1, done.err)

    def test_under_traffic(self):
        events = [{"at": f"{10 + 7 * i}us", "set": key, "to": to} for i, (key, to) in enumerate(SETS)]
        workload = [{"kind": "incast", "to": "h1", "from": ["h2", "h3", "h4"], "size": "1MB"}, flow("h1", "h4", "1MB")]
        sim = self.sim(to_yaml(fabric(2, 2, 2, switch={"preset": "spectrum-x", "buffer": {"size": "16MB"}},
                                   hosts={"placement": "out-of-order"}, workload=workload, events=events)))
        self.assertGreater(sim.summary["last_event_ps"], 1e6 * (10 + 7 * len(SETS)))
        assert_drained(sim, 2, 2, 2)
        assert_complete(self, sim)
        self.assertEqual(sum(sim.drops.values()), 0)
        self.assertEqual(sim.summary["retransmitted"], 0)

    def test_what_cannot_change(self):
        self.refused("4:20", r"switch.buffer.cell: cannot change while leaf1 runs \(it is 192 B\)",
                     ("1us", "switch.buffer.cell", "96"))
        self.refused("4:20", r"spine2.latency: cannot change while spine2 runs \(it is 0 ps\)",
                     ("1us", "spine2.latency", "1us"))

    def test_what_cannot_hold(self):
        self.refused("4:20", r"buffer.size: on leaf1 the buffer's 300000 B do not hold the \d+ B of headroom",
                     ("1us", "switch.buffer.size", "300KB"))
        self.refused("4:20", r"qos.pg.3.headroom: on spine1 the buffer's 16000000 B do not hold the 20000256 B of headroom",
                     ("1us", "spine.qos.pg.3.headroom", "10MB"))
        self.refused("4:20", r"qos.tc.3.min-rate: on leaf1 101G promised to 1 class are more than",
                     ("1us", "leaf.qos.tc.3.min-rate", "101G"))
        self.refused("4:20", r"qos.ports: no switch that reads this section has port swp9",
                     ("1us", "leaf1.qos.ports", "{swp9: {max-rate: 1G}}"))

    def test_one_after_the_other(self):
        # The second holds without the first, and would after the third.
        self.refused("5:20", r"qos.pg.3.headroom: on leaf1 the buffer's 1000000 B do not hold the 1200384 B of headroom",
                     ("1us", "leaf.buffer.size", "1MB"), ("2us", "leaf1.qos.pg.3.headroom", "300KB"),
                     ("3us", "leaf.buffer.size", "16MB"))
        # By time, not by place in the file.
        self.refused("4:20", r"buffer.size: on leaf1 the buffer's 1000000 B do not hold the 1200384 B of headroom",
                     ("2us", "leaf1.qos.pg.3.headroom", "300KB"), ("1us", "leaf.buffer.size", "1MB"))

    def trimming(self, before, after, at="40us"):
        """Six hosts send to a leaf by one spine, whose settings are given whole, before and after. Returns the drops
        but for those of full queues, and how many trimmed packets were sent."""
        workload = [{"kind": "incast", "to": to, "from": [f"h{i}" for i in range(1, 7)], "size": "500KB"}
                    for to in ("h7", "h8")]
        switch = {"preset": "lossy", "buffer": {"size": "16MB"}, "qos": before}
        sim = self.sim(to_yaml(fabric(4, 1, 2, switch=switch, workload=workload, hosts={"rto": "200us"}, stop="100ms",
                                   events=[{"at": at, "set": key, "to": to_yaml(value)} for key, value in after])))
        sim.assert_conserved()
        assert_complete(self, sim)
        self.assertGreater(sum(total(node["ports"], "queue", "trimmed") for node in sim.nodes.values()), 50)
        return {reason: count for reason, count in sim.drops.items() if reason != "egress-pool"}, \
            sum(total(node["ports"], "queue", "trim_sent") for node in sim.nodes.values())

    def test_trimming_changes(self):
        """However trimming is switched on or off, trimmed packets arrive; also where tables are built once more while
        it is on its way."""
        lossy = {"pool": "egress-lossy", "ecn": "off"}
        without = {"priority-to-tc": {3: 3, 4: 4, 6: 6, "default": 0}, "tc": {
            3: {"static": "400KB"} | lossy, 4: {"scheduler": "strict", "alpha": "unlimited"} | lossy}}
        trim = {"size": "256B", "dscp": 11, "tc": 4, "eligible-tc": [3]}
        for before, after in ((without, [("spine1.qos", without | {"trim": trim})]),
                              (without, [("spine1.qos.trim", trim)]),
                              (without | {"trim": trim}, [("switch.qos", without)]),
                              (without | {"trim": trim}, [("switch.qos.trim", "off")]),
                              (without | {"trim": trim}, [("switch.qos", without), ("leaf4.qos.port-priority", 1)])):
            with self.subTest(before=list(before), after=[key for key, _ in after]):
                drops, trimmed = self.trimming(before, after)
                self.assertEqual(drops, {"trimmed": trimmed})

    def idle(self, sections, key, to, *expected):
        """The warning at the event's place, from check and, once, from sim."""
        path = self.file(PLACE + sections + f"events:\n  - {{at: 1us, set: {key}, to: {to}}}\n")
        line = 4 + len(sections.splitlines())
        told = [f"warning: {path}:{line}:20: {key}: no switch changes: {one} overrides it" for one in expected]
        for name in ("check", "sim"):
            warnings = [one for one in roost(name, path).err.splitlines() if "no switch changes" in one]
            self.assertEqual(warnings, told)

    def test_what_a_nearer_section_overrides(self):
        leaf = "leaf: {qos: {tc: {3: {max-rate: 50G}}}}\n"
        both = leaf + "spine: {qos: {tc: {3: {max-rate: 40G}}}}\n"
        # Spines follow; and with a section of their own, nobody does.
        self.idle(leaf, "switch.qos.tc.3.max-rate", "10G")
        self.idle(both, "switch.qos.tc.3.max-rate", "10G", "`leaf` (line 3)")
        self.idle(both, "switch.qos.tc", '"{3: {max-rate: 10G}}"', "`leaf` (line 3)")
        # What is so already is no mistake, nor is what one of them says alike.
        self.idle(leaf, "leaf.qos.tc.3.max-rate", "50G")
        self.idle(leaf.replace("leaf:", "leaf1:"), "leaf1.qos.tc.3.max-rate", "50000M")
        self.idle(both.replace("40G", "50G"), "switch.qos.tc.3.max-rate", "50G")
        self.idle(both, "switch.qos.tc.3.max-rate", "50G", "`spine` (line 4)")
        # By a node's section, by a key that excludes it, by a word in a map's place.
        nodes = "".join(f"{one}: {{qos: {{tc: {{0: {{static: 1MB}}}}}}}}\n" for one in ("leaf1", "leaf2"))
        self.idle(nodes, "leaf.qos.tc.0.alpha", "4", "`leaf1` (line 3)")
        self.idle(nodes, "leaf1.qos.tc.0.static", "1000KB")
        words = "leaf: {qos: {tc: {3: {ecn: off}}}}\nspine: {qos: {tc: {3: {ecn: off}}}}\n"
        self.idle(words, "switch.qos.tc.3.ecn", "on", "`leaf` (line 3)")
        self.idle(words, "switch.qos.tc.3.ecn", "off")
        self.idle("leaf: {qos: {trust: [pcp]}}\nspine: {qos: {trust: [pcp]}}\n", "switch.qos.trust", '"[dscp]"',
                  "`leaf` (line 3)")

    def test_clear_watermarks(self):
        text = to_yaml(fabric(2, 1, 2, workload=[flow("h1", "h3", "100KB"), flow("h2", "h3", "100KB")], events=[
            {"at": "30us", "snapshot": "full"}, {"at": "100us", "clear": "watermarks"},
            {"at": "100us", "snapshot": "full"}, {"at": "150us", "clear": "persistent-watermarks", "node": "leaf2"},
            {"at": "150us", "snapshot": "full"}], stop="200us"))
        sim = self.sim(text)

        def peaks(nodes, name):
            return [nodes["leaf2"]["ports"]["swp1"]["queue"][3][name],
                    nodes["spine1"]["ports"]["swp2"]["pg"][3]["used_max" + name.removeprefix("depth_max")],
                    nodes["leaf2"]["pools"]["ingress-lossless"]["used_max" + name.removeprefix("depth_max")]]
        before, cleared, forgotten = (one["nodes"] for one in sim.snapshots)
        first = peaks(before, "depth_max")
        self.assertGreater(first[0], 0)
        self.assertEqual(peaks(before, "depth_max_persistent"), first)
        self.assertEqual(peaks(cleared, "depth_max"), [0, 0, 0])
        self.assertEqual(peaks(cleared, "depth_max_persistent"), first)
        self.assertEqual(peaks(forgotten, "depth_max_persistent"), [0, first[1], 0])

    def test_clear_and_restore_of_nothing(self):
        for event, pattern in (("{at: 1us, clear: watermarks, node: leaf9}", "events.node: there is no node leaf9"),
                               ("{at: 1us, restore: leaf1.swp9.3}", "events.restore: .*leaf1.swp9"),
                               ("{at: 1us, clear: watermarks, port: leaf1.swp9}", "there is no port leaf1.swp9"),
                               ("{at: 1us, clear: watermarks, pg: 3}", 'pg and queue need "port"'),
                               ("{at: 1us, clear: watermarks, port: leaf1.swp1, pg: 3, queue: 3}", "clears either a pg or a queue"),
                               ("{at: 1us, clear: watermarks, port: leaf1.swp1, node: leaf1}", "a port excludes node and pool"),
                               ("{at: 1us, clear: watermarks, pool: egress}", r"events\[0\].pool: "),
                               ("{at: 1us, clear: counters}", r"events\[0\].clear: ")):
            done = roost("check", self.file(PLACE + f"events:\n  - {event}\n"), status=2)
            self.assertRegex(done.err, pattern)
