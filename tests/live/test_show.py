# SPDX-License-Identifier: BSD-3-Clause
"""What `roost show` says of a live fabric, as text and as JSON, once and again and again."""
import signal

from common import *

# Each word of `show` without its arguments.
WORDS = sorted({re.sub(r" *\[[A-Z]+\]| vrf VRF|\[|\]", "", form)
                for form in re.findall(r"roost show ([a-z].*)", roost("show", "--help").out)})


class Show(Shared):

    @classmethod
    def description(cls):
        return demo(cls.name, workload=[{"kind": "flow", "from": "h2", "to": "h6", "size": "100KB"}])

    def text(self, *words):
        return self.up.command("show", *words).out

    def test_every_word_both_ways(self):
        for word in WORDS:
            with self.subTest(word):
                text = self.text(*word.split())
                self.assertGreater(len(text.splitlines()), 0)
                self.assertNotIn("{", text)
                answer = self.up.show(*word.split())
                self.assertIsInstance(answer["time_ns"], int)
                if word == "log":
                    self.assertEqual((answer["log"], answer["log_lost"]), ([], 0))
                elif word == "hosts":
                    self.assertEqual([row["host"] for row in answer["hosts"]], [f"h{i}" for i in range(1, 9)])
                elif word == "network":
                    self.assertEqual({row["tenant"] for row in answer["networks"]}, {"red", "blue", "rest"})
                # Of a fabric that learns, puts packets in order, shares interfaces with Linux, speaks LLDP or BFD, has
                # credits or link-level retry, or is InfiniBand's.
                elif word in ("bfd", "credit", "lft", "lldp", "llr", "neighbour", "reorder", "steering"):
                    self.assertEqual(answer["nodes"], {})
                else:
                    self.assertIn("h2" if word == "queue-pairs" else "leaf1", answer["nodes"])

    def test_fabric(self):
        answer = self.up.show("fabric")
        self.assertEqual((answer["name"], answer["state"], answer["dilation"], answer["idle"]),
                         (self.name, "running", DILATION, "sleep"))
        self.assertEqual(set(answer["nodes"]), {"leaf1", "leaf2", "spine1", "spine2"} | {f"h{i}" for i in range(1, 9)})
        self.assertEqual((answer["nodes"]["h1"]["role"], answer["nodes"]["h1"]["ports"]), ("nic", 2))
        leaf = answer["nodes"]["leaf1"]
        self.assertEqual((leaf["role"], leaf["ports"], leaf["ports_up"]), ("leaf", 6, 6))
        self.assertIn({"link": "h1-leaf1", "a": "h1.eth1", "b": "leaf1.swp1", "rate_bps": RATE_BPS, "delay_ps": 500_000,
                       "state": "up"},
                      answer["links"])
        self.assertEqual(len(answer["links"]), 12)
        text = self.text("fabric")
        self.assertRegex(text, rf"(?m)^fabric +{self.name}, running$")
        self.assertRegex(text, r"(?m)^time +[\d.]+ [um]?s of fabric time, dilation 1000, idle workers sleep$")

    def test_time_goes_on(self):
        self.assertLess(self.up.show("pool")["time_ns"], self.up.show("pool")["time_ns"])

    def test_interface(self):
        wait_until(lambda: self.port("leaf2.swp2")["tx_packets"] == 25, "the flow's 25 packets have reached h6")
        port = self.port("h1")
        self.assertEqual((port["state"], port["rate_bps"], port["mtu"], port["peer"], port["vrf"], port["tenant"]),
                         ("up", RATE_BPS, 1500, "h1.eth1", "red", "red"))
        self.assertNotIn("device", port)
        link, host = self.port("h1.eth1"), self.port("h1.host1")
        self.assertEqual((link["peer"], link["rate_bps"], "device" in link), ("leaf1.swp1", RATE_BPS, False))
        self.assertEqual((host["peer"], host["rate_bps"], host["device"]["spec"]), (None, 0, "net_af_xdp1,iface=h1"))
        self.assertEqual(set(self.up.show("interface", "leaf1")["nodes"]), {"leaf1"})
        self.assertEqual(set(self.up.show("interface", "swp5")["nodes"]), {"leaf1", "leaf2"})
        self.assertRegex(self.text("interface", "leaf1.swp1"), r"(?m)^leaf1\.swp1 +up +100G +1500 +h1\.eth1 +red ")
        self.assertEqual(len(self.text("interface", "leaf1.swp1").splitlines()), 2)

    def test_counters_qos(self):
        wait_until(lambda: self.port("leaf2.swp2")["queue"][3]["packets"] == 25, "the flow has left queue 3")
        text = self.text("interface", "leaf2.swp2", "counters", "qos")
        self.assertRegex(text, r"(?m)^leaf2\.swp2 +3 +25 ")

    def test_pfc_before_and_after(self):
        frame = pfc({3: 100}, src="02:00:0a:00:02:03")
        h7 = self.raw("h7")

        def counted():
            return self.up.show("pfc", "leaf2.swp3")["nodes"]["leaf2"]["ports"]["swp3"]["pfc_rx"][3]

        before = counted()
        h7.send(frame)
        wait_until(lambda: counted() == before + 1, "the frame is counted")
        self.assertRegex(self.text("pfc"), rf"(?m)^leaf2\.swp3 +3 +rx +{before + 1} +{before + 1} +0\.512 +[\d.]+ +[\d.]+$")

    def test_queue(self):
        self.assert_reaches(self.name, "h3", "h7")
        queue = self.up.show("queue", "leaf2.swp3")["nodes"]["leaf2"]["ports"]["swp3"]["queue"][0]
        self.assertGreaterEqual(queue["packets"], 3)
        self.assertRegex(self.text("queue", "leaf2.swp3"), rf"(?m)^leaf2\.swp3 +0 +{queue['packets']} ")

    def test_pool(self):
        pools = self.up.show("pool")["nodes"]
        self.assertEqual(set(pools), {"leaf1", "leaf2", "spine1", "spine2"})
        self.assertEqual(set(pools["leaf1"]["pools"]),
                         {"ingress-lossless", "ingress-lossy", "egress-lossless", "egress-lossy", "headroom"})
        self.assertRegex(self.text("pool", "leaf1"), r"(?m)^leaf1 +egress-lossless +unlimited ")

    def test_drops_with_advice(self):
        sender = self.udp("h5")
        before = drops(self.up.show("drops")["nodes"])["no-route"]
        for _ in range(7):
            sender.send(b"x", (HOSTS["h3"], UDP_PORT))
        answer = wait_until(lambda: (shown := self.up.show("drops")) and
                            drops(shown["nodes"])["no-route"] == before + 7 and shown, "7 packets dropped")
        self.assertRegex(answer["advice"]["no-route"], "tenants are isolated")
        self.assertRegex(self.text("drops"), rf"no-route +{before + 7} packets, came in by "
                                             rf"leaf2\.swp1 \({before + 7}\)\n +no route in")

    def test_route(self):
        routes = self.up.show("route", "leaf1", "vrf", "red")["nodes"]["leaf1"]["vrfs"]
        self.assertEqual(set(routes), {"red"})
        away = next(route for route in routes["red"].values() if len(route["via"]) == 2)
        self.assertEqual([(hop["port"], hop["node"]) for hop in away["via"]], [("swp5", "spine1"), ("swp6", "spine2")])
        self.assertEqual(away["mode"], "adaptive")
        self.assertRegex(self.text("route", "leaf1", "vrf", "red"), r"(?m)^leaf1 +red +\S+ +adaptive +.*swp5.*swp6.*; vxlan "
                                                                      r"vni 5001 to 172\.16\.0\.2$")
        self.assertEqual(away["encap"], {"kind": "vxlan", "vni": 5001, "to": "172.16.0.2"})

    def test_adaptive(self):
        leaf = self.up.show("adaptive", "leaf1")["nodes"]["leaf1"]
        (group,) = leaf["groups"].values()
        self.assertEqual((group["mode"], group["pinned"]), ("adaptive", False))
        self.assertEqual([(one["port"], one["peer"], one["weight"], one["up"], one["degraded"], one["held"])
                          for one in group["members"]],
                         [(f"swp{4 + n}", f"spine{n}.swp1", 1, True, False, []) for n in (1, 2)])
        self.assertEqual([leaf[key] for key in ("pins", "flowlets", "notices_tx", "notices_rx")], [0] * 4)
        self.assertRegex(self.text("adaptive", "leaf1"), r"(?m)^ +\d+ +adaptive +swp5 +spine1\.swp1 +1 +\d+ +open +- +\d+$")

    def test_hosts(self):
        h1, h2 = self.up.show("hosts")["hosts"][:2]
        self.assertEqual(h1, {"host": "h1", "nic": "eth1", "address": "10.0.1.1", "port": "leaf1.swp1", "vrf": "red",
                              "tenant": "red", "mac": "02:00:0a:00:01:01", "is": f"namespace {netns(self.name, 'h1')}"})
        self.assertEqual((h2["host"], h2["is"]), ("h2", "simulated"))
        self.assertRegex(self.text("hosts", "h2"),
                         r"(?m)^h2 +eth1 +10\.0\.1\.2 +02:00:0a:00:01:02 +red +leaf1\.swp2 +simulated$")

    def test_list(self):
        """What is up, and not a socket that a killed fabric has left."""
        stale = Path(f"/run/roost/{self.name}-stale.sock")
        self.addCleanup(stale.unlink, missing_ok=True)
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(stale))
            left.listen()
        rows = {row["name"]: row for row in roost("list", "-o", "json").json}
        self.assertNotIn(stale.stem, rows)
        row = rows[self.name]
        self.assertEqual((row["switches"], row["hosts"], row["attached"], row["file"], row["socket"]),
                         (4, 8, 4, str(self.path), f"/run/roost/{self.name}.sock"))
        self.assertLessEqual(abs(time.time() - row["since"]), 600)
        self.assertTrue(Path(f"/proc/{row['pid']}").is_dir())
        self.assertRegex(roost("list").out, rf"(?m)^{self.name} +\d+-\d+-\d+ \d+:\d+:\d+ +4 +8 +4 +{row['pid']} ")

    def test_watch(self):
        """Again and again until Ctrl-C, as JSON one line each."""
        process = subprocess.Popen([ROOST, "show", "fabric", "-f", self.name, "--watch", "100ms", "-o", "json"],
                                   stdout=subprocess.PIPE, text=True)
        times = [json.loads(process.stdout.readline())["time_ns"] for _ in range(5)]
        process.send_signal(signal.SIGINT)
        process.wait(60)
        process.stdout.close()
        self.assertEqual(times, sorted(set(times)))
        self.assertGreater((times[-1] - times[0]) * DILATION, 0.3e9)

    def test_watch_ends_with_the_fabric(self):
        name = name_of("watched")
        with Fabric(self.file(demo(name, attach=("h1",))), name):
            process = subprocess.Popen([ROOST, "show", "queue", "-f", name, "--watch", "100ms"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            process.stdout.readline()
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(told, r"^roost show: \S+\.sock: .*\n$")

    def test_many_askers(self):
        """All are answered, and the traffic does not mind."""
        askers = [subprocess.Popen([ROOST, "show", *word.split(), "-f", self.name, "-o", "json"], text=True,
                                   stdout=subprocess.PIPE) for word in WORDS * 6]
        self.assert_reaches(self.name, "h1", "h5", 50)
        for asker in askers:
            json.loads(asker.communicate(timeout=60)[0])
            self.assertEqual(asker.returncode, 0)

    def test_asked_wrongly(self):
        for words, status, pattern in (
                (["show", "interface", "leaf9"], 2, r"^roost show: interface: there is no node or port leaf9$"),
                (["show", "interface", "leaf1.swp77"], 2, r"there is no node or port leaf1\.swp77"),
                (["show", "route", "leaf1", "vrf", "green"], 2, r"no route of leaf1 in a VRF green"),
                (["show", "pool", "h2x"], 2, r"there is no node h2x")):
            with self.subTest(words):
                self.assert_refused(pattern, *words, "-f", self.name, status=status)
        for words, pattern in ((["show"], "an argument is missing: "), (["show", "interfaces"], 'did you mean "interface"'),
                               (["show", "fabric", "--watch", "1"], "--watch: "),
                               (["show", "fabric", "-o", "xml"], "json or text")):
            self.assertRegex(self.up.command(*words, status=2).err, pattern)
