# SPDX-License-Identifier: BSD-3-Clause
"""`roost link`: links that fail, come back, get slower, longer and lossy while a fabric runs, counted to the packet."""
import subprocess

import roost as package
from common import *
from test_devices import DeviceCase, Running

LINK = "leaf1-spine1"
PACKETS_PER_MS = 1250     # 10 Gb/s of 1000 B; a millisecond of the fabric is a second of the clock


class Impaired(LiveCase):
    """A stream of simulated hosts that ends; its packets arrive, or are counted by reason."""

    def start(self, workers=1, begins_ms=0, lasts_ms=10):
        name = name_of("link")
        self.packets = PACKETS_PER_MS * lasts_ms
        description = demo(name, attach=(), workers=workers, workload=[
            {"kind": "stream", "from": "h2", "to": "h6", "packet": "1000B", "rate": "10G", "at": f"{begins_ms}ms",
             "until": f"{begins_ms + lasts_ms}ms"}])
        del description["attach"]
        self.up = self.fabric(description | {"stop": "3600s"})

    def link(self, *words, **options):
        return self.up.command("link", *words, **options)

    def interface(self, port):
        node, name = port.split(".")
        return self.up.show("interface", port)["nodes"][node]["ports"][name]

    def lost(self):
        return dict(+drops(self.up.show("drops")["nodes"]))

    def end(self):
        """Waits until all packets have arrived or are counted. Returns what was lost, by reason."""
        def all_counted():
            return self.interface("leaf2.swp2")["tx_packets"] + sum(self.lost().values()) == self.packets
        wait_until(all_counted, lambda: f"{self.packets} packets: {self.interface('leaf2.swp2')['tx_packets']} arrived, "
                                        f"lost {self.lost()}", 120)
        time.sleep(0.1)
        self.assertTrue(all_counted(), "and no more")
        return self.lost()

    def flows(self, port, packets=200):
        before = self.interface(port)["rx_packets"]
        wait_until(lambda: self.interface(port)["rx_packets"] > before + packets, f"{port} receives")

    def test_down_loses_what_is_on_the_wire(self):
        self.start(lasts_ms=30)
        self.assertEqual(self.link(LINK, "delay", "100us").out, f"{LINK} is up: 100G, delay 100 us\n")
        self.flows("leaf2.swp5")
        self.link(LINK, "down")
        interface = self.interface("leaf1.swp5")
        self.assertEqual((interface["state"], interface["link"]),
                         ("down", {"name": LINK, "changed": {"state": "down", "delay": "100us"}}))
        self.flows("leaf2.swp6")
        at_spine = self.interface("spine1.swp1")
        self.assertIn(at_spine["drops"]["link-down"], range(60, 126))   # of 100 us; all but a few take the first idle path
        self.flows("leaf2.swp6")
        self.assertEqual(self.interface("spine1.swp1")["rx_packets"], at_spine["rx_packets"])
        self.assertEqual(self.link("leaf1.swp5", "up").out, f"{LINK} is up: 100G, delay 100 us\n")
        self.flows("spine1.swp1")
        self.assertEqual(self.link(LINK, "clear").out, f"{LINK} is up: 100G, delay 500 ns, as configured\n")
        self.assertEqual(self.end(), {"link-down": at_spine["drops"]["link-down"]})      # and nothing at the leaf's end

    def test_loss_and_wrong_frames(self):
        self.start(begins_ms=5)
        self.link("h2-leaf1", "loss", "10%")
        self.link("leaf2.swp2", "corrupt", "5%")
        self.assertEqual(self.interface("h2.eth1")["tx_packets"], 0, "the stream began before its links were faulty")
        self.flows("leaf2.swp5")
        lost = self.end_at_hosts()
        self.assertEqual(set(lost), {"link-fault", "bad-fcs"})
        self.assertAlmostEqual(lost["link-fault"] / self.packets, 0.1, delta=0.02)
        self.assertAlmostEqual(lost["bad-fcs"] / self.packets, 0.045, delta=0.02)

    def end_at_hosts(self):
        def arrived():
            return self.interface("h6.eth1")["rx_packets"] + self.lost()["link-fault"]
        wait_until(lambda: arrived() == self.packets, "every packet has reached h6 or is counted", 120)
        return self.lost()

    def test_slower_than_its_traffic(self):
        """Packets wait for a slow link instead of being lost; PFC pauses the sender's class where there is no room."""
        self.start()
        self.link("leaf2.swp2", "rate", "5G")
        self.assertEqual(self.interface("leaf2.swp2")["rate_bps"], 5_000_000_000)
        wait_until(lambda: sum(queue["depth"] for queue in self.up.show("queue", "leaf2.swp2")
                               ["nodes"]["leaf2"]["ports"]["swp2"]["queue"]) > 100_000, "the queue grows")
        self.assertRegex(self.up.command("show", "interface", "leaf2.swp2").out,
                         r"(?m)^leaf2\.swp2 +up +5G .*\n\ninterface +link +changed\nleaf2\.swp2 +h6-leaf2 +rate 5G$")
        self.link("leaf2.swp2", "clear")
        self.assertEqual(self.end(), {})

    def test_delays_between_workers(self):
        """A delay below all others shortens the steps of the workers; no packet is lost or reordered by it."""
        self.start(workers=2, lasts_ms=30)
        for delay in ("100ns", "20us", "1ns", "500ns"):
            self.link(LINK, "delay", delay)
            self.link("leaf2-spine1", "delay", delay)      # between two workers
            self.flows("h6.eth1")
        self.assertEqual(self.link("leaf2-spine1", "delay", "1s", status=1).err,
                         "roost link: leaf2-spine1: delay times rate is more than a wire between two workers can hold\n")
        self.assertEqual(self.end(), {})


class Link(Shared):

    @classmethod
    def description(cls):
        return demo(cls.name) | {"tenants": {}}

    def link(self, *words, **options):
        return self.up.command("link", *words, **options)

    def tearDown(self):
        for name in (LINK, "leaf1.swp1"):
            self.link(name, "clear")

    def test_an_attached_host(self):
        """The interface in the namespace keeps its carrier; what Linux sends is dropped and counted."""
        sender, before = self.udp("h1"), drops(self.up.show("drops", "h1")["nodes"])["link-down"]
        self.assertRegex(self.link("leaf1.swp1", "down").out, "^h1-leaf1 is down: ")
        self.assertEqual(self.up.exec("h1", "cat", "/sys/class/net/eth1/carrier").out, "1\n")
        for _ in range(5):
            sender.send(b"x", (HOSTS["h5"], UDP_PORT))
        wait_until(lambda: drops(self.up.show("drops", "h1")["nodes"])["link-down"] == before + 5, "5 packets are counted")
        self.link("h1-leaf1", "up")
        self.ping("h1", "h5")

    def test_routes_follow(self):
        def hops():
            vrfs = self.up.show("route", "leaf2")["nodes"]["leaf2"]["vrfs"]
            return next(hops for vrf in vrfs.values() for route in vrf.values()
                        if "spine2" in (hops := [hop["node"] for hop in route["via"]]))
        self.assertEqual(hops(), ["spine1", "spine2"])
        self.link(LINK, "down")
        self.assertEqual(hops(), ["spine2"])
        self.ping("h1", "h5")
        self.link(LINK, "up")
        self.assertEqual(hops(), ["spine1", "spine2"])

    def test_bit_errors(self):
        self.assertEqual(self.link(LINK, "bit-error-rate", "25e-13").out,
                         f"{LINK} is up: 100G, delay 500 ns, bit-error-rate 2.5e-12\n")
        self.assertEqual(self.link(LINK, "bit-error-rate", "0").out, f"{LINK} is up: 100G, delay 500 ns, as configured\n")
        self.assertIn("1e-2 is out of range: 0, or 1e-15 to 1e-3", self.link(LINK, "bit-error-rate", "1e-2", status=2).err)
        self.assertEqual(self.link(LINK, "clear").out, f"{LINK} is up: 100G, delay 500 ns, as configured\n")

    def test_it_is_seen_and_is_no_configuration(self):
        revisions = self.up.command("history").out
        events = subprocess.Popen([ROOST, "events", "link", "apply", "-o", "json", "-f", self.name], stdout=subprocess.PIPE,
                                  text=True)
        self.addCleanup(events.wait)
        self.addCleanup(events.stdout.close)
        self.addCleanup(events.kill)
        wait_until(lambda: (self.link(LINK, "loss", "0.1%"), select.select([events.stdout], [], [], 0.1)[0])[1], "an event")
        self.link("spine1-leaf1", "rate", "50G")
        answer = self.link(LINK, "down", "-o", "json").json
        self.assertEqual(answer, {"link": LINK, "a": "leaf1.swp5", "b": "spine1.swp1", "rate_bps": 50_000_000_000,
                                  "delay_ps": 500_000, "state": "down",
                                  "changed": {"state": "down", "rate": "50G", "loss": "0.1%"}})
        self.assertIn(answer, self.up.show("fabric")["links"])
        self.assertRegex(self.up.command("show", "fabric").out,
                         r"(?m)^leaf1\.swp5 +spine1\.swp1 +50G +500 ns +down +down, rate 50G, loss 0\.1%$")
        seen = []
        while not any(event["kind"] == "link" for event in seen):
            seen.append(json.loads(events.stdout.readline()))
        self.assertEqual((seen[-1]["link"], seen[-1]["state"]), (LINK, "down"))
        self.assertEqual((seen[0]["kind"], seen[0]["what"], seen[0]["message"]), ("apply", "link", f"{LINK}: loss 0.1%"))
        self.assertEqual([(one["what"], one["message"]) for one in self.up.show("log")["log"]][-2:],
                         [("link", f"{LINK}: rate 50G"), ("link", f"{LINK}: down")])
        self.assertEqual(self.up.command("history").out, revisions)
        saved = self.directory / "saved.yaml"
        self.up.command("save", saved)
        self.assertNotRegex(saved.read_text(), "loss|50G|down")
        self.assertEqual(self.up.command("config", "diff").out, "")
        self.assertNotIn("changed", self.link(LINK, "clear", "-o", "json").json)

    def test_refusals(self):
        for words, why in (((("leaf1-spin1", "down"), "there is no link leaf1-spin1; did you mean leaf1-spine1?")),
                           (("leaf9.swp1", "down"), "there is no node leaf9; did you mean leaf1?"),
                           (("leaf1.swp9", "down"), "there is no port leaf1.swp9; leaf1 has swp1 .. swp6"),
                           (("leaf1", "down"), "leaf1 names no port: write NODE.PORT, as in leaf1.swp1"),
                           ((LINK, "delay", "2s"), "delay: 2s is out of range: 0ps to 1s")):
            with self.subTest(words):
                self.assertEqual(self.link(*words, status=1).err, f"roost link: {why}\n")
        self.assertRegex(self.link(LINK, "loss", "often", status=2).err, '^roost link: SHARE: "often" is not a percentage')
        self.assertRegex(self.link(LINK, "sideways", status=2).err, "sideways")

    def test_completion(self):
        def offered(*words):
            return self.up.command("complete", "--", "link", *words).out.split("\n")
        self.assertIn(LINK, [line.split("\t")[0] for line in offered("leaf1-")])
        self.assertIn("leaf1.swp5", [line.split("\t")[0] for line in offered("leaf1.")])
        self.assertEqual({line.split("\t")[0] for line in offered(LINK, "")} - {""},
                         {"down", "up", "clear", "rate", "delay", "loss", "corrupt", "corrupt-payload", "bit-error-rate"})


class Alone(DeviceCase):
    """A port of a single switch: nothing of the file is at its other end."""

    def test_a_port(self):
        namespace = self.namespace()
        with Running(self, self.switch("net_tap0,iface=t1", "net_tap1,iface=t2", mtu=1500), namespace) as run:
            port = "swp2"

            def link(*words, **options):
                return roost("link", *words, "-f", run.name, **options)

            def send(count, reached):
                before = run.port("swp1")["rx_packets"]
                for i in range(count):
                    near.send(udp("198.18.1.9", "198.18.2.9", size=100, ident=i))
                wait_until(lambda: run.port("swp1")["rx_packets"] == before + count, "the switch has all of them")
                far.settimeout(2)
                for _ in range(reached):
                    far.recv(2000)
            wait_until(lambda: all(run.port(name)["state"] == "up" for name in ("swp1", "swp2")), "the ports are up")
            with raw_socket(namespace, "t1").socket as near, raw_socket(namespace, "t2").socket as far:
                with package.Client(run.name) as client:
                    client.subscribe("link")
                    for state in ("down", "up"):
                        link(port, state)
                        event = client.wait_for(lambda event: event["kind"] == "link")
                        self.assertEqual((event["link"], event["state"]), (port, state))
                send(5, 5)
                answer = link(port, "down", "-o", "json").json
                self.assertEqual(answer, {"link": port, "a": port, "rate_bps": 100_000_000_000, "state": "down",
                                          "changed": {"state": "down"}})
                shown = run.port("swp2")
                self.assertEqual((shown["state"], shown["link"]), ("down", {"name": port, "changed": {"state": "down"}}))
                send(7, 0)
                self.assertEqual(dict(+drops(roost("show", "drops", "-f", run.name, "-o", "json").json["nodes"])),
                                 {"no-next-hop": 7})
                self.assertEqual(link(port, "up").out, f"{port} is up: 100G, as configured\n")
                self.assertNotIn("link", run.port("swp2"))
                send(3, 3)
                link(f"{run.name}.swp2", "down")
                self.assertEqual(link(port, "clear").out, f"{port} is up: 100G, as configured\n")
                told = [(one["what"], one["port"], one["message"]) for one in run.log()
                        if one["what"].startswith("link-") and "roost link" in one["message"]]
                self.assertEqual(told[-1], ("link-up", "swp2", "up: by roost link"))
            self.assertEqual(link(port, "rate", "10G", status=1).err, f"roost link: {port}: the file connects nothing to this "
                             "port, so it can only go down or up\n")
            offered = roost("complete", "--", "link", "-f", run.name, f"{run.name}.").out
            self.assertIn(f"{run.name}.swp2", offered)


if __name__ == "__main__":
    unittest.main()
