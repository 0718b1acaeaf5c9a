# SPDX-License-Identifier: BSD-3-Clause
"""`roost transmit`: a port or a queue that a user stops holds its packets, to the packet, and sends them again."""
from common import *

HELD = 20


class Transmit(Shared):
    """h5 behind leaf2.swp1 gets what h1 sends; packets of DSCP 0 are in queue 0."""

    @classmethod
    def description(cls):
        described = demo(cls.name)
        described["attach"]["h7"]["nic"] = "off"
        return described

    def transmit(self, *words, **options):
        return self.up.command("transmit", *words, **options)

    def tearDown(self):
        self.transmit("leaf2.swp1", "on")
        self.transmit("h6.eth1", "on")

    def hold(self, *words):
        """Sends to h5 while leaf2.swp1 transmits nothing, or only some queues. Returns the receiving socket."""
        self.ping("h1", "h5")
        receiver, sender = self.udp("h5", UDP_PORT), self.udp("h1")
        self.transmit("leaf2.swp1", "off", *words)
        before = self.port("leaf2.swp1")["queue"][0]
        for _ in range(HELD):
            sender.send(b"x" * 100, (HOSTS["h5"], UDP_PORT))
        wait_until(lambda: self.port("leaf2.swp1")["queue"][0]["depth"] >= HELD * 192, "the queue holds all of them")
        queue = self.port("leaf2.swp1")["queue"][0]
        self.assertTrue(queue["tx_off"])
        self.assertEqual((queue["packets"], queue["dropped"]), (before["packets"], before["dropped"]))
        self.assertEqual(receiver.receive(0.2), [])
        return receiver

    def test_a_port_holds_and_sends(self):
        receiver = self.hold()
        self.assertRegex(self.up.command("show", "interface", "leaf2.swp1").out, r"(?m)^leaf2\.swp1 +up, tx off +")
        self.assertRegex(self.up.command("show", "queue", "leaf2.swp1").out, r"(?m)^leaf2\.swp1 +0 .* tx off$")
        self.assertEqual(self.transmit("leaf2.swp1", "on", "-o", "json").json, {"port": "leaf2.swp1", "off": []})
        self.assertEqual(len(receiver.receive_all(HELD)), HELD)
        self.assertFalse(self.port("leaf2.swp1")["queue"][0]["tx_off"])
        self.assertEqual([(one["node"], one["port"], one["message"]) for one in self.up.show("log", "leaf2.swp1")["log"]
                          if one["what"] == "transmit"][-2:], [("leaf2", "swp1", "off"), ("leaf2", "swp1", "on")])
        self.assertRegex(self.up.command("show", "log").out, r"(?m)^ *[\d.]+ +leaf2\.swp1 +transmit +off$")

    def test_a_queue_alone(self):
        receiver = self.hold("queue", "0")
        self.assertRegex(self.up.command("show", "interface", "leaf2.swp1").out, r"(?m)^leaf2\.swp1 +up, queue 0 off +")
        self.udp("h1", dscp=26).send(b"y", (HOSTS["h5"], UDP_PORT))     # of queue 3
        self.assertEqual([one.data for one in receiver.receive_all(1)], [b"y"])
        self.assertEqual(self.transmit("leaf2.swp1", "off", "queue", 5).out, "leaf2.swp1 transmits, except queue 0,5\n")
        self.assertEqual(self.transmit("leaf2.swp1", "on", "queue", 0).out, "leaf2.swp1 transmits, except queue 5\n")
        self.assertEqual(len(receiver.receive_all(HELD)), HELD)
        self.assertEqual(self.transmit("leaf2.swp1", "on").out, "leaf2.swp1 transmits\n")

    def test_it_is_no_configuration(self):
        revisions = self.up.command("history").out
        self.transmit("leaf2.swp1", "off")
        self.assertEqual(self.up.command("history").out, revisions)
        self.assertEqual(self.up.command("config", "diff").out, "")

    def test_the_nic_of_a_simulated_host(self):
        self.assertEqual(self.transmit("h6.eth1", "off").out, "h6.eth1 transmits nothing\n")

    def test_refusals(self):
        for words, why in ((("leaf9.swp1", "off"), "there is no node leaf9; did you mean leaf1?"),
                           (("leaf1.swp9", "off"), "there is no port leaf1.swp9; leaf1 has swp1 .. swp6"),
                           (("h7.eth1", "off"), "h7.eth1: the host is attached, and Linux transmits there; "
                                                "give the switch's port")):
            with self.subTest(words):
                self.assertEqual(self.transmit(*words, status=1).err, f"roost transmit: {why}\n")
        self.assertRegex(self.transmit("leaf1.swp1", "off", "queue", 8, status=2).err, "8 is out of range: 0 to 7")

    def test_completion(self):
        def offered(*words):
            return {line.split("\t")[0] for line in self.up.command("complete", "--", "transmit", *words).out.split("\n")}
        self.assertIn("leaf1.swp5", offered("leaf1."))
        self.assertEqual(offered("leaf1.swp5", "") - {""}, {"off", "on"})
        self.assertIn("queue", offered("leaf1.swp5", "off", ""))


if __name__ == "__main__":
    unittest.main()
