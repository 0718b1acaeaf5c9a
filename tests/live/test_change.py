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
    described["hosts"]["ack-dscp"] = 0     # only data in class 3: so it can be counted
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
        self.assertEqual(self.up.command("set", "leaf1.qos.tc.3.ecn.max", "400KB").out, "")
        self.up.command("set", "switch.qos.tc.0.weight", 25)
        self.up.command("set", "switch.qos.watchdog.detect", "400us")
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
        text = self.up.command("show", "qos", "roce", "leaf1").out
        self.assertRegex(text, r"(?m)^ +\d+ +qos\.tc\.3\.ecn\.max +400KB +1500KB +live$")
        self.assertRegex(text, r"(?m)^ +max-threshold +1\.5 MB \(tc 0\), 400 KB \(tc 3\) +overridden \(live\)$")
        text = self.up.command("show", "config", "leaf1").out
        self.assertRegex(text, r"^leaf1, preset spectrum-x \(line \d+\), mode lossless\n +key +value +preset +set by\n")
        self.assertRegex(text, r"(?m)^  qos\.tc\.3\.ecn\.max +400KB +1500KB +overridden \(live\)$")
        self.assertRegex(text, r"(?m)^  qos\.priority-to-pg\.4-7 +0 +- +preset$")
        self.assertRegex(text, r"(?m)^  routing\.mode +adaptive +ecmp +overridden \(line \d+\)$")
        self.assertEqual(self.up.show("config", "leaf1")["nodes"]["leaf1"]["values"]["qos.tc.3.ecn.max"],
                         {"value": "400KB", "preset": "1500KB", "origin": "overridden", "where": "live"})

    def test_refused_whole_with_the_numbers(self):
        before = self.qos()["values"]
        for key, value, pattern in (
                ("switch.buffer.pools.ingress-lossy.size", "70%", r"50%.*70%.*over 100%"),
                ("switch.buffer.pools.ingress-lossy.size", "100MB", r"more than the buffer \(4000000 bytes\)"),
                ("leaf1.qos.pg.3.headroom", "3MB", r"4000000 B do not hold the 18000000 B of headroom"),
                ("switch.qos.tc.0.alpha", "3", r'"3" is not an alpha'),
                ("switch.qos.tc.3.weihgt", "3", r'did you mean "weight"'),
                ("switch.buffer.size", "40MB",
                 r"would be 160000000 B, but the fabric came up with memory for packets of 16000000 B"),
                ("switch.buffer.cell", "1", r"cannot change while leaf1 runs \(it is 192 B\)"),
                ("hosts.priority", "4", r"cannot change while the fabric runs"),
                ("switch", "4", r"is not a key")):
            with self.subTest(key=key, value=value):
                self.assert_refused(rf"^roost set: .*{pattern}", "set", key, value, "-f", self.name, status=1)
        self.assertEqual(self.qos()["values"], before)

    def test_watermarks_of_two_readers(self):
        wait_until(lambda: self.queue("leaf1.swp2", 3)["depth_max"] > 0 and
                   self.queue("leaf2.swp2", 3)["depth_max"] > 0, "queues have been used")
        # Nobody moves any more: what is cleared stays so.
        wait_until(lambda: delivered(self.up, 20, 25) and at_rest(self.up), "the traffic has ended", 60)
        self.up.command("clear", "watermarks", "leaf1")
        cleared, other = self.queue("leaf1.swp2", 3), self.queue("leaf2.swp2", 3)
        self.assertEqual(cleared["depth_max"], cleared["depth"])
        self.assertGreater(cleared["depth_max_persistent"], 0)
        self.assertGreater(other["depth_max"], 0)
        pool = self.up.show("pool", "leaf1")["nodes"]["leaf1"]["pools"]["ingress-lossless"]
        self.assertEqual(pool["used_max"], pool["used"])
        self.assertGreater(pool["used_max_persistent"], 0)
        self.up.command("clear", "watermarks", "persistent")
        for port in ("leaf1.swp2", "leaf2.swp2"):
            queue = self.queue(port, 3)
            self.assertEqual(queue["depth_max_persistent"], queue["depth"])
        self.assertEqual(self.queue("leaf2.swp2", 3)["depth_max"], other["depth_max"])

    def test_watermarks_read_and_cleared_apart(self):
        """What is cleared is printed, and what is beside it stays."""
        wait_until(lambda: delivered(self.up, 20, 25) and at_rest(self.up), "the traffic has ended", 60)
        port = self.port("leaf2.swp2")
        queue, other = port["queue"][3], port["pg"][3]
        self.assertGreater(queue["depth_max"], 0)
        self.assertGreater(other["used_max"], 0)
        read = self.up.command("clear", "watermarks", "leaf2.swp2", "queue", 3, "--read", "-o", "json").json
        self.assertEqual(read["nodes"], 1)
        self.assertEqual(read["watermarks"]["leaf2"]["ports"]["swp2"]["queue"],
                         {"3": {name: queue[name] for name in ("depth_max", "shared_max") if queue[name]}})
        port = self.port("leaf2.swp2")
        self.assertEqual((port["queue"][3]["depth_max"], port["pg"][3]["used_max"]), (0, other["used_max"]))
        self.assertEqual(self.up.command("clear", "watermarks", "leaf2.swp2", "queue", 3, "--read").out.splitlines()[1:], [])
        text = self.up.command("clear", "watermarks", "leaf2", "pool", "ingress-lossless", "--read").out
        self.assertRegex(text, r"(?m)^leaf2 pools ingress-lossless +used_max +\d+$")
        pool = self.up.show("pool", "leaf2")["nodes"]["leaf2"]["pools"]["ingress-lossless"]
        self.assertEqual(pool["used_max"], 0)

    def test_clear_and_restore_asked_wrongly(self):
        for words, status, pattern in (
                (["clear", "watermarks", "leaf9"], 1, r"^roost clear: there is no node leaf9$"),
                (["clear", "watermarks", "leaf1.swp9"], 1, r"^roost clear: there is no port leaf1.swp9; leaf1 has swp1 \.\. swp6$"),
                (["show", "log", "leaf9"], 2, r"^roost show: log: there is no node or port leaf9$"),
                (["show", "config", "h2"], 2, r"^roost show: config: there is no switch or attached host h2$"),
                (["watchdog", "restore", "leaf1.swp2"], 1, r"there is no queue leaf1\.swp2 of a switch"),
                (["watchdog", "restore", "h2.eth1.3"], 1, r"there is no queue h2\.eth1\.3 of a switch")):
            with self.subTest(words):
                self.assert_refused(pattern, *words, "-f", self.name, status=status)
        for words in (["clear"], ["clear", "counters"], ["watchdog", "start"], ["set", "switch.qos.trust"]):
            self.up.command(*words, status=2)

    def watched(self):
        return self.up.show("watchdog", "leaf1.swp2")["nodes"]["leaf1"]["ports"]["swp2"]["queue"]["3"]

    def test_storm_found_shown_and_restored(self):
        wait_until(lambda: self.watched()["status"] == "STORM", "the watchdog has found the storm")
        storm = self.watched()
        self.assertEqual((storm["watchdog"], storm["watchdog_storms"]), (True, 1))
        self.assertGreaterEqual(storm["stuck_since_ns"], 1_000_000)
        self.assertTrue(self.queue("leaf1.swp2", 3)["watchdog"])
        self.assertRegex(self.up.command("show", "watchdog", "leaf1").out, r"(?m)^leaf1\.swp2 +3 +STORM +1 ")
        self.assertRegex(self.up.command("show", "queue", "leaf1.swp2").out, r"(?m)^leaf1\.swp2 +3 .*STORM$")
        wait_until(lambda: self.up.show("pool")["time_ns"] > PAUSED_UNTIL_NS, "the pauses have ended")
        self.assertEqual(self.watched()["status"], "STORM")
        self.assertEqual(self.up.command("watchdog", "restore", STORM).err, "")
        self.assertEqual((self.watched()["status"], self.watched()["watchdog_storms"]), ("OK", 1))
        told = [("leaf1", "swp2.3", "watchdog-storm"), ("leaf1", "swp2.3", "watchdog-restore")]
        for word in ("watchdog", "log"):
            log = self.up.show(word, "leaf1.swp2")["log"]
            self.assertEqual([(one["node"], one["queue"], one["what"]) for one in log], told)
            self.assertEqual(log[0]["at_ns"] % 100_000, 0)   # it looks every 100 us
            self.assertRegex(log[0]["message"], r"^PFC storm: drops, paused for [\d.]+ ms$")
            self.assertEqual(log[1]["message"], "restored by hand, 0 packets dropped")
            self.assertRegex(self.up.command("show", word).out,
                             rf"(?m)^ *[\d.]+ +{STORM} +watchdog-restore  restored by hand, 0 packets dropped$")
        self.assertEqual(self.up.show("log", "leaf2")["log"], [])
        self.assertEqual(self.up.command("watchdog", "restore", STORM).err,
                         f"roost watchdog: {STORM} was not in a storm\n")

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
        self.assertRegex(self.up.command("show", "pfc", "leaf1.swp2").out,
                         rf"(?m)^leaf1\.swp2 +3 +rx +10 +{transitions} +{us(total)} +{us(start)} +{us(end)}$")

    def port_of_pfc(self, port):
        return self.up.show("pfc", f"leaf1.{port}")["nodes"]["leaf1"]["ports"][port]

    def test_tenants_and_histograms(self):
        red = self.up.show("tenant", "leaf1")["nodes"]["leaf1"]["tenants"]["red"]
        self.assertEqual(red["pools"]["ingress-lossless"]["guaranteed"] + red["pools"]["ingress-lossy"]["guaranteed"], red["guaranteed"])
        self.assertGreater(red["pools"]["ingress-lossless"]["share"], 0)
        kinds = [(one["kind"], one["where"], len(one["bins"]), one["edges"][1])
                 for one in self.up.show("histogram", "leaf2")["nodes"]["leaf2"]["histograms"]]
        self.assertEqual(kinds, [("queue", "swp1.3", 10, 960), ("latency", "swp1.3", 10, 1000)])
        self.assertRegex(self.up.command("show", "histogram").out, r"(?m)^leaf1\.swp1\.3 queue, bytes\n +bin +range")

    def test_histograms_set_live(self):
        """A histogram more than there was when the fabric came up."""
        self.up.command("set", "spine1.qos.histograms", "[{queue: swp1.3}, {queue: swp2.3}, {group: swp1.3, bins: 12}]")
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
        text = self.up.command("show", "interface", "leaf2.swp2", "qos", "roce", "counters").out
        self.assertRegex(text, r"(?m)^leaf2\.swp2\n +operational\n  rx-non-roce-stats\n +buffer-max-usage +\d+ Bytes$")


class Traffic(LiveCase):

    def test_nothing_is_lost_by_changes(self):
        """Every kind of setting again and again under traffic: no drop, and all that was sent arrived."""
        name = name_of("traffic")
        described = fabric(name)
        described["events"] = []
        described["workload"] = permutations("200KB", 400, "1us")
        up = self.fabric(described)
        sent = sent_by_all(up)
        for number in range(5):
            for key, values in (("switch.qos.tc.3.weight", ("10", "90")),
                                ("switch.qos.tc.3.ecn", ("off", "{min: 50KB, max: 500KB}")),
                                ("switch.qos.pg.3.alpha", ("1/4", "2")),
                                ("switch.qos.tc.3.fairness", ("tenant", "none")),
                                ("switch.qos.port.max-rate", ("90G", "none")),
                                ("leaf.qos.pfc.quanta", ("30000", "65535")),
                                ("switch.buffer.pools.egress-lossy.port-alpha", ("1", "none"))):
                up.command("set", key, values[number % 2])
            before, sent = sent, sent_by_all(up)
            self.assertGreater(sent, before, "the traffic has ended before the changes")
        wait_until(lambda: delivered(up, 400, 49), "all messages have arrived", 240)
        wait_until(lambda: at_rest(up), "all that was sent has arrived")
        self.assertEqual(dict(drops(up.show("drops")["nodes"])), {})


class Log(LiveCase):

    def described(self, name):
        """An event that fits what the file says, and not what is set before its time."""
        described = demo(name, attach=())
        described["events"] = [{"at": "3ms", "set": "switch.qos.tc.3.ecn.max", "to": "100KB"},
                               {"at": "3500us", "set": "switch.qos.tc.0.weight", "to": 25}]
        return described

    def assert_refused_event(self, entry, path):
        self.assertEqual({key: entry[key] for key in ("node", "queue", "what")},
                         {"node": None, "queue": None, "what": "event-refused"})
        self.assertGreaterEqual(entry["at_ns"], 3_000_000)
        self.assertRegex(entry["message"], rf"^{re.escape(str(path))}:\d+:\d+: set switch\.qos\.tc\.3\.ecn\.max to "
                         r"100KB: .*min \(200000 bytes\) is above max \(100000 bytes\)$")

    def test_refused_event_is_told(self):
        """It changes nothing, the next one is applied, and nobody need have watched."""
        up = self.fabric(self.described(name_of("log")))
        self.assertEqual(up.command("show", "log").out, "the log is empty\n")
        up.command("set", "leaf1.qos.tc.3.ecn.min", "200KB")
        log = wait_until(lambda: len(log := up.show("log")["log"]) > 1 and log, "the event has been refused")
        self.assertEqual((len(log), up.show("log")["log_lost"]), (2, 0))
        self.assertEqual((log[0]["what"], log[0]["message"]),
                         ("configuration", "set leaf1.qos.tc.3.ecn.min 200KB"))
        self.assert_refused_event(log[1], up.file)
        self.assertRegex(up.command("show", "log").out,
                         rf"^ +at/us +queue +event +message\n.*\n *{us(log[1]['at_ns'])} +- +event-refused +"
                         rf"{re.escape(log[1]['message'])}\n$")
        self.assertEqual(up.show("watchdog")["log"], [])
        values = wait_until(lambda: (all := up.show("config")["nodes"]["leaf1"]["values"]) and
                            all["qos.tc.0.weight"]["value"] == "25" and all, "the next event has been applied")
        self.assertEqual((values["qos.tc.3.ecn.min"]["value"], values["qos.tc.3.ecn.max"]["value"]),
                         ("200KB", "500KB"))


def delivered(up, messages, packets):
    """Whether so many messages of so many packets have come to each host. Nothing is sent twice, for nothing is
    lost or late."""
    nodes = up.show("queue")["nodes"]
    sent = [nodes[leaf]["ports"][f"swp{i}"]["queue"][3]["packets"] for leaf in ("leaf1", "leaf2") for i in range(1, 5)]
    return sent == [messages * packets] * 8


def sent_by_all(up):
    return sum(port["tx_packets"] for node in up.show("interface")["nodes"].values() for port in node["ports"].values())


def at_rest(up):
    """Whether what all ports have sent has also been received: nothing is on its way."""
    ports = [port for node in up.show("interface")["nodes"].values() for port in node["ports"].values()]
    return sum(port["tx_packets"] for port in ports) == sum(port["rx_packets"] for port in ports)


def us(nanoseconds):
    return rf"{nanoseconds // 1000}\.{nanoseconds % 1000:03}"


if __name__ == "__main__":
    unittest.main()
