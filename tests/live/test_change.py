# SPDX-License-Identifier: BSD-3-Clause
"""A live fabric changed while it runs: settings, watermarks, storms; and what `roost show` says of them."""
from common import *

STORM = "leaf1.swp2.3"
PAUSED_UNTIL_NS = 2_600_000     # of fabric time: then pauses have stopped coming for long


def pauses():
    """Pauses of priority 3 at leaf1.swp2 from 1 to 2 ms, as if its host could not stop sending them."""
    return [{"at": f"{at}us", "port": "leaf1.swp2", "pfc": {"priorities": [3], "quanta": 65535}}
            for at in range(1000, 2000, 100)]


def permutations(size, repeat, gap):
    """Every host of a tenant sends to another of it."""
    return [{"kind": "permutation", "tenant": tenant, "size": size, "repeat": repeat, "gap": gap}
            for tenant in ("red", "blue")]


def fabric(name):
    """The demo's with hosts that are all its own, some traffic, and pauses of which the watchdog must know."""
    described = demo(name, attach=(), workload=permutations("100KB", 20, "10us"))
    described["switch"]["qos"] |= {
        "watchdog": {"poll": "100us", "detect": "300us", "restore": "60s", "flush": False},
        "histograms": [{"queue": "swp1.3"}, {"latency": "swp1.3"}]}
    described["tenants"]["red"]["buffer"] = {"guaranteed": "256KB", "share": "50%"}
    described["events"] = pauses()
    return described


class Change(Shared):

    @classmethod
    def description(cls):
        return fabric(cls.name)

    def qos(self, node="leaf1"):
        return self.up.show("qos", "roce", node)["nodes"][node]

    def queue(self, port, tc):
        return self.port(port)["queue"][tc]

    def test_set_is_in_force_and_shown(self):
        self.assertEqual(self.up.roost("set", "leaf1.qos.tc.3.ecn.max", "400KB").out, "")
        self.up.roost("set", "switch.qos.tc.0.weight", 25)
        self.up.roost("set", "switch.qos.watchdog.detect", "400us")
        leaf = self.qos()
        of_class = {one["traffic-class"]: one for one in leaf["congestion-control"]["tc"]}
        self.assertEqual((of_class[3]["min-threshold"], of_class[3]["max-threshold"]), (50_000, 400_000))
        self.assertEqual({one["traffic-class"]: one["weight"] for one in leaf["traffic-class"]}[0], 25)
        self.assertEqual(leaf["exceptions"]["qos.tc.3.ecn.max"],
                         {"value": "400KB", "preset": "1500KB", "where": "live"})
        self.assertRegex(leaf["exceptions"]["qos.tc.3.ecn.min"]["where"], r"^line \d+$")
        self.assertEqual(self.qos("spine1")["exceptions"]["qos.tc.3.ecn.max"]["value"], "500KB")
        self.assertEqual(self.qos("spine1")["exceptions"]["qos.tc.0.weight"]["value"], "25")
        self.assertEqual(self.up.show("watchdog")["nodes"]["spine2"]["watchdog"]["detect_ns"], 400_000)
        text = self.up.roost("show", "qos", "roce", "leaf1").out
        self.assertRegex(text, r"(?m)^ +\d+ +qos\.tc\.3\.ecn\.max +400KB +1500KB +live$")
        self.assertRegex(text, r"(?m)^ +max-threshold +1\.5 MB \(tc 0\), 400 KB \(tc 3\) +overridden \(live\)$")

    def test_refused_whole_with_the_numbers(self):
        before = self.qos()["values"]
        for key, value, pattern in (
                ("switch.buffer.pools.ingress-lossy.size", "70%", r"50%.*70%.*over 100%"),
                ("switch.buffer.pools.ingress-lossy.size", "100MB", r"more than the buffer \(4000000 bytes\)"),
                ("leaf1.qos.pg.3.headroom", "3MB", r"4000000 B do not hold the 18000000 B of headroom"),
                ("switch.qos.tc.0.alpha", "3", r'"3" is not an alpha'),
                ("switch.qos.tc.3.weihgt", "3", r'did you mean "weight"'),
                ("switch.buffer.cell", "1", r"cannot change while leaf1 runs \(it is 192 B\)"),
                ("hosts.priority", "4", r"only a switch's keys can be set"),
                ("switch", "4", r"is not a key")):
            with self.subTest(key=key, value=value):
                self.assert_refused(rf"^roost set: .*{pattern}", "set", key, value, "-f", self.name, status=1)
        self.assertEqual(self.qos()["values"], before)

    def test_watermarks_of_two_readers(self):
        wait_until(lambda: self.queue("leaf1.swp2", 3)["depth_max"] > 0 and
                   self.queue("leaf2.swp2", 3)["depth_max"] > 0, "queues have been used")
        # Nobody moves any more: what is cleared stays so.
        wait_until(lambda: self.moved() == self.moved(), "the traffic has ended", 60)
        self.up.roost("clear", "watermarks", "leaf1")
        cleared, other = self.queue("leaf1.swp2", 3), self.queue("leaf2.swp2", 3)
        self.assertEqual(cleared["depth_max"], cleared["depth"])
        self.assertGreater(cleared["depth_max_persistent"], 0)
        self.assertGreater(other["depth_max"], 0)
        pool = self.up.show("pool", "leaf1")["nodes"]["leaf1"]["pools"]["ingress-lossless"]
        self.assertEqual(pool["used_max"], pool["used"])
        self.assertGreater(pool["used_max_persistent"], 0)
        self.up.roost("clear", "watermarks", "persistent")
        for port in ("leaf1.swp2", "leaf2.swp2"):
            queue = self.queue(port, 3)
            self.assertEqual(queue["depth_max_persistent"], queue["depth"])
        self.assertEqual(self.queue("leaf2.swp2", 3)["depth_max"], other["depth_max"])

    def moved(self):
        """Packets that have moved so far, a moment later."""
        time.sleep(0.3)
        return sum(port["rx_packets"] for node in self.up.show("interface")["nodes"].values()
                   for port in node["ports"].values())

    def test_clear_and_restore_asked_wrongly(self):
        for words, status, pattern in (
                (["clear", "watermarks", "leaf9"], 1, r"^roost clear: there is no node leaf9$"),
                (["watchdog", "restore", "leaf1.swp2"], 1, r"there is no queue leaf1\.swp2 of a switch"),
                (["watchdog", "restore", "h2.eth1.3"], 1, r"there is no queue h2\.eth1\.3 of a switch")):
            with self.subTest(words):
                self.assert_refused(pattern, *words, "-f", self.name, status=status)
        for words in (["clear"], ["clear", "counters"], ["watchdog", "start"], ["set", "switch.qos.trust"]):
            self.up.roost(*words, status=2)

    def watched(self):
        return self.up.show("watchdog", "leaf1.swp2")["nodes"]["leaf1"]["ports"]["swp2"]["queue"]["3"]

    def test_storm_found_shown_and_restored(self):
        wait_until(lambda: self.watched()["status"] == "STORM", "the watchdog has found the storm")
        storm = self.watched()
        self.assertEqual((storm["watchdog"], storm["watchdog_storms"]), (True, 1))
        self.assertGreaterEqual(storm["stuck_since_ns"], 1_000_000)
        self.assertTrue(self.queue("leaf1.swp2", 3)["watchdog"])
        self.assertRegex(self.up.roost("show", "watchdog", "leaf1").out, r"(?m)^leaf1\.swp2 +3 +STORM +1 ")
        self.assertRegex(self.up.roost("show", "queue", "leaf1.swp2").out, r"(?m)^leaf1\.swp2 +3 .*STORM$")
        wait_until(lambda: self.up.show("pool")["time_ns"] > PAUSED_UNTIL_NS, "the pauses have ended")
        self.assertEqual(self.watched()["status"], "STORM")
        self.assertEqual(self.up.roost("watchdog", "restore", STORM).err, "")
        self.assertEqual((self.watched()["status"], self.watched()["watchdog_storms"]), ("OK", 1))
        self.assertEqual([(one["node"], one["queue"], one["what"]) for one in self.up.show("watchdog")["log"]],
                         [("leaf1", "swp2.3", "watchdog-storm"), ("leaf1", "swp2.3", "watchdog-restore")])
        self.assertRegex(self.up.roost("show", "watchdog").out, rf"(?m)^ *[\d.]+ +{STORM} +watchdog-restore$")
        self.assertEqual(self.up.roost("watchdog", "restore", STORM).err,
                         f"roost watchdog: {STORM} was in no storm\n")

    def test_pause_history_is_exact(self):
        """Ten pauses of 65535 quanta at 100G, 335.5392 us each, every 100 us: one interval, unless the machine
        was so busy that an event came too late to join it."""
        history = wait_until(lambda: (port := self.port_of_pfc("swp2")) and port["pfc_rx"][3] == 10 and
                             not port["pfc_rx_paused"][3] and port, "all pauses have come and run out")
        start, end = history["pfc_rx_last_start_ns"][3], history["pfc_rx_last_end_ns"][3]
        transitions, total = history["pfc_rx_transitions"][3], history["pfc_rx_pause_ns"][3]
        self.assertGreaterEqual(end - start, 335_539)
        self.assertLessEqual(total, end - 1_000_000)
        if transitions == 1:
            self.assertIn(total, (end - start, end - start - 1, end - start + 1))   # whole ns of each
        else:
            self.assertGreaterEqual(total, end - start + 335_539 * (transitions - 1))
        self.assertRegex(self.up.roost("show", "pfc", "leaf1.swp2").out,
                         rf"(?m)^leaf1\.swp2 +3 +rx +10 +{transitions} +{us(total)} +{us(start)} +{us(end)}$")

    def port_of_pfc(self, port):
        return self.up.show("pfc", f"leaf1.{port}")["nodes"]["leaf1"]["ports"][port]

    def test_tenants_and_histograms(self):
        red = self.up.show("tenant", "leaf1")["nodes"]["leaf1"]["tenants"]["red"]
        self.assertEqual(red["pools"]["ingress-lossless"]["guaranteed"], red["guaranteed"])
        self.assertGreater(red["pools"]["ingress-lossless"]["share"], 0)
        kinds = [(one["kind"], one["where"], len(one["bins"]), one["edges"][1])
                 for one in self.up.show("histogram", "leaf2")["nodes"]["leaf2"]["histograms"]]
        self.assertEqual(kinds, [("queue", "swp1.3", 10, 960), ("latency", "swp1.3", 10, 1000)])
        self.assertRegex(self.up.roost("show", "histogram").out, r"(?m)^leaf1\.swp1\.3 queue, bytes\n +bin +range")

    def test_histograms_set_live(self):
        """A histogram more than there was when the fabric came up."""
        self.up.roost("set", "spine1.qos.histograms", "[{queue: swp1.3}, {queue: swp2.3}, {group: swp1.3, bins: 12}]")
        shown = wait_until(lambda: (all := self.up.show("histogram", "spine1")["nodes"]["spine1"]["histograms"]) and
                           all[2]["bins"] and sum(all[2]["bins"]) and all, "samples have been taken")
        self.assertEqual([len(one["bins"]) for one in shown], [10, 10, 12])

    def test_roce_of_a_port(self):
        status = self.up.show("interface", "leaf1.swp1", "qos", "roce", "status")["nodes"]["leaf1"]["ports"]["swp1"]
        self.assertEqual((status["preset"], status["pfc"]["pfc-priority"], status["trust"]["trust-mode"]),
                         ("spectrum-x", [3], ["dscp", "pcp"]))
        counters = wait_until(lambda: (shown := self.up.show("interface", "leaf2.swp2", "qos", "roce", "counters")) and
                              (one := shown["nodes"]["leaf2"]["ports"]["swp2"])["tx-roce-stats"]["packets"] and one,
                              "RoCE has left")
        self.assertGreater(counters["rx-roce-stats"]["packets"], 0)
        text = self.up.roost("show", "interface", "leaf2.swp2", "qos", "roce", "counters").out
        self.assertRegex(text, r"(?m)^leaf2\.swp2\n +operational\n  rx-non-roce-stats\n +buffer-max-usage +\d+ Bytes$")


class Traffic(LiveCase):

    def test_nothing_is_lost_by_changes(self):
        """Every kind of setting again and again under traffic: no drop, and all that was sent arrived."""
        name = name_of("traffic")
        described = fabric(name)
        described["events"] = []
        described["workload"] = permutations("200KB", 40, "1us")
        up = self.fabric(described)
        rounds = 0
        while rounds < 5:
            for key, values in (("switch.qos.tc.3.weight", ("10", "90")),
                                ("switch.qos.tc.3.ecn", ("off", "{min: 50KB, max: 500KB}")),
                                ("switch.qos.pg.3.alpha", ("1/4", "2")),
                                ("switch.qos.tc.3.fairness", ("tenant", "none")),
                                ("switch.qos.port.max-rate", ("90G", "none")),
                                ("leaf.qos.pfc.quanta", ("30000", "65535")),
                                ("switch.buffer.pools.egress-lossy.port-alpha", ("1", "none"))):
                up.roost("set", key, values[rounds % 2])
            rounds += 1

        def standing():
            nodes = up.show("interface")["nodes"]
            return sum(port["tx_packets"] for node in nodes.values() for port in node["ports"].values()), nodes

        def ended():
            before, _ = standing()
            time.sleep(0.3)
            after, nodes = standing()
            return before == after and nodes

        nodes = wait_until(ended, "the traffic has ended", 120)
        self.assertEqual(dict(drops(nodes)), {})
        received = sum(port["rx_packets"] for node in nodes.values() for port in node["ports"].values())
        self.assertEqual(standing()[0], received)
        self.assertGreater(received, 40 * 49)


def us(nanoseconds):
    return rf"{nanoseconds // 1000}\.{nanoseconds % 1000:03}"


if __name__ == "__main__":
    unittest.main()
