# SPDX-License-Identifier: BSD-3-Clause
"""Headroom: how much a lossless group has of it, of its own or out of a pool that all groups share.

swp1 and swp2 receive priority 3 for a frozen port, and their own limit is 0: every packet is charged to
headroom, so it takes as many packets of one cell as it has cells, and the next one is lost.
"""
import unittest

from common import *


def filling(ports, count, to_port, size=192, first=1000):
    """Packets of the ports in turn."""
    frame = udp(*to(to_port), size=size, dscp=3)
    return by_turns([(port, frame) for port in ports], count, first)


def own(**settings):
    return {"pg": {3: {"static": "0B", "xon": "0B", "xon-offset": "none"} | settings}}


class OfTheLink(Case):
    """`headroom: auto`, from rate, cable and MTU: (rate, cable, bytes), MTU 9100, cell 192, as the SN5600's
    pg_profile_lookup.ini has them. SONiC's formula for 100G, 40 m: 9100 + 2 x 40 / 198e6 s x 100G / 8 = 5050.5 +
    MAC and PHY 0.8 KB + 394 quanta of 64 B + 120 ns x 100G / 8 = 1500, in cells of 192 filled by 64 B (x 3), + a
    packet of 1500, in whole KB: 126976."""
    LINKS = [("100G", "40m", 126976), ("400G", "40m", 283648), ("100G", "300m", 225280), ("800G", "300m", 1150976)]

    def test_command(self):
        for rate, cable, expected in self.LINKS:
            told = roost("headroom", rate, cable, "9100", "-o", "json").json
            self.assertEqual((told["xoff"], told["headroom"]), (expected, expected))
            self.assertRegex(roost("headroom", rate, cable, "9100").out, rf"\b{expected} B")

    def test_switch(self):
        """Each group of the preset has so much, in cells: up to the last packet none is lost, one more is."""
        for rate, cable, expected in self.LINKS:
            room = cells(expected, 192)
            for count in (room - 1, room, room + 2):
                with self.subTest(rate=rate, cable=cable, count=count):
                    ports = {"swp1": {"cable": cable}, "swp2": {"cable": cable}}
                    run = self.replay(switch(ports, rate, hold("swp2"), preset="sonic", mtu=9100, qos=own()),
                                      filling(["swp1"], count, "swp2"), "--until", "2ms")
                    run.assert_conserved()
                    lost = max(0, count - room)
                    self.assertEqual(run.drops, {"headroom": lost} if lost else {})
                    self.assertEqual(run.port("swp1").group(3).headroom, (count - lost) * 192)
                    self.assertEqual(run.port("swp1").group(3).headroom_max, (count - lost) * 192)
                    self.assertEqual(run.switch.pool("headroom").size, 4 * room * 192)    # 2 ports, 2 groups


class Pool(Case):
    def run_pool(self, size, each, cell=192, rate="100G", count=40, ports=("swp1", "swp2")):
        """size None: no pool. Each group has a headroom of its own of `each` cells."""
        pool = {"headroom-pool": {"size": f"{size * cell}B"}} if size is not None else {}
        description = switch({port: {} for port in [*ports, "swp9"]}, rate,
                             hold("swp9"), buffer={"cell": cell} | pool,
                             qos=own(headroom=f"{each * cell}B"))
        run = self.replay(description, filling(list(ports), count, "swp9", cell), "--until", "100us")
        run.assert_conserved()
        return run, [run.port(port).group(3).headroom // cell for port in ports]

    def test_shared(self):
        """Two groups of 20 cells each by turns. No pool: 20 and 20. A pool of 30 cells: 15 and 15; of 64: 20 and 20.
        Of 1 cell: the first has it. Three groups of 20 and a pool of 50: 17, 17, 16."""
        for cell, rate in ((192, "100G"), (128, "400G"), (64, "800G")):
            for size, expected in ((None, [20, 20]), (0, [20, 20]), (30, [15, 15]), (64, [20, 20]), (1, [1, 0])):
                with self.subTest(cell=cell, size=size):
                    run, held = self.run_pool(size, 20, cell, rate)
                    self.assertEqual(held, expected)
                    self.assertEqual(run.drops, {"headroom": 80 - sum(expected)})
                    shown = run.switch.counters["pools"]["headroom"]
                    self.assertEqual((shown["used"], shown["used_max"]), (sum(expected) * cell,) * 2)
                    if size:
                        self.assertEqual(shown["size"], size * cell)
                    for port in ("swp1", "swp2"):   # paused all the same
                        self.assertEqual(pfc_frames(run.sent[port])[0].quanta[3], 65535)
            run, held = self.run_pool(50, 20, cell, rate, ports=("swp1", "swp2", "swp3"))
            self.assertEqual(held, [17, 17, 16])

    def test_given_back(self):
        """What one group gives back another may take. Pool of 30: swp1 has taken 20 for swp9 and swp2 the other 10
        for swp8. swp9 sends all of its 20; then swp2 gets 10 more, its own 20 in all, and swp1 the 10 left."""
        for cell, rate in ((192, "100G"), (128, "400G")):
            with self.subTest(cell=cell):
                ports = {port: {} for port in ("swp1", "swp2", "swp8", "swp9")}
                events = hold("swp8") + hold("swp9", until="20us") + [{"at": "30us", "port": "swp9", "tx": "off"}]
                description = switch(ports, rate, events + [{"at": "25us", "snapshot": "full"}],
                                     buffer={"cell": cell, "headroom-pool": {"size": f"{30 * cell}B"}},
                                     qos=own(headroom=f"{20 * cell}B"))
                inputs = {"swp1": filling(["swp1"], 25, "swp9", cell)["swp1"] +
                          filling(["swp1"], 25, "swp9", cell, first=50000)["swp1"],
                          "swp2": filling(["swp2"], 25, "swp8", cell, first=10000)["swp2"] +
                          filling(["swp2"], 25, "swp8", cell, first=40000)["swp2"]}
                run = self.replay(description, inputs, "--until", "100us")
                run.assert_conserved()
                before = run.snapshot(25000).counters["ports"]
                self.assertEqual([before[port]["pg"][3]["headroom"] // cell for port in ("swp1", "swp2")], [0, 10])
                groups = [run.port(port).group(3).counters for port in ("swp1", "swp2")]
                self.assertEqual([group["headroom"] // cell for group in groups], [10, 20])
                self.assertEqual([group["headroom_max"] // cell for group in groups], [20, 20])
                self.assertEqual((run.port("swp1").drops, run.port("swp2").drops),
                                 ({"headroom": 5 + 15}, {"headroom": 15 + 15}))

    def test_percentages(self):
        """Pools are percentages of what the headroom pool leaves: 50 % of (1,000,000 - 200,000) B, in whole cells;
        without it, of what all groups' headroom leaves: 3 ports x 20 cells."""
        for cell in (1, 192, 128):
            aside = 3 * 20 * cell
            run = self.replay(switch(3, buffer={"cell": cell, "size": "1MB"}, qos=own(headroom=f"{20 * cell}B")),
                              {"swp1": []})
            self.assertEqual(run.switch.pool("ingress-lossless").size, (1_000_000 - aside) // 2 // cell * cell)
            description = switch(2, buffer={"cell": cell, "size": "1MB", "headroom-pool": {"size": "192000B"}},
                                 qos=own(headroom="400KB"))
            run = self.replay(description, {"swp1": []})
            for pool in ("ingress-lossless", "ingress-lossy"):
                self.assertEqual(run.switch.pool(pool).size, (1_000_000 - 192_000) // 2 // cell * cell)

    def test_oversubscribed(self):
        """Headroom of all groups may add up to more than the buffer when it is shared; else that is an error that
        says the numbers."""
        buffer = {"size": "1MB", "headroom-pool": {"size": "200KB"}}
        self.replay(switch(4, buffer=buffer, qos=own(headroom="400KB")), {"swp1": []})
        path = self.file(switch(4, buffer={"size": "1MB"}, qos=own(headroom="400KB")))
        self.assert_refused(r"1000000 B.*16\d+ B of headroom", "check", path)


if __name__ == "__main__":
    unittest.main()
