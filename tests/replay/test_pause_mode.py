# SPDX-License-Identifier: BSD-3-Clause
"""Flow control other than plain PFC: 802.3x, which pauses a whole link, and asymmetric PFC, which obeys every
priority. swp1 (100G) feeds swp2.
"""
import unittest

from common import *

XON_OFF = {"static": "960B", "headroom": "20KB", "xon": "0B", "xon-offset": "none"}
PAUSE = {"flow-control": "pause"}


def pause(quanta):
    """An 802.3x frame: quanta of 512 bit times."""
    return ethernet(struct.pack(">HH", 1, quanta), 0x8808, dst="01:80:c2:00:00:01")


def link_pauses(packets):
    """(ns, quanta) of the 802.3x frames; all their other bytes must be what they always are."""
    seen = []
    for packet in packets:
        if packet.data[12:14] == b"\x88\x08":
            head = mac("01:80:c2:00:00:01") + mac(SWITCH_MAC) + bytes.fromhex("88080001")
            assert packet.data[:16] == head and packet.data[18:] == bytes(42), packet.data.hex()
            seen.append((packet.ns, struct.unpack_from(">H", packet.data, 16)[0]))
    return seen


class Received(Case):
    def test_everything_stops(self):
        """Pause frames of q quanta hold all of swp2's queues for q x 512 bit times of its rate: 65535 at 25G are
        1.342 ms, 400G 83.9 us. Frames of priorities 0, 3 and 6 come all the while."""
        for rate, cell, quanta in (("25G", 192, 65535), ("25G", 1, 1000), ("400G", 128, 65535), ("100G", 192, 5000)):
            with self.subTest(rate=rate, quanta=quanta):
                begin, length = 20_000, quanta_ps(quanta, rate)
                end = begin + length // 1000
                count = length // 1000 // 2000 + 60
                packets = merged(*(stream(count, dscp, 1000 + offset, 2000)
                                   for dscp, offset in ((0, 0), (3, 200), (48, 400))))
                run = self.replay(switch({"swp1": {}, "swp2": {"rate": rate}}, buffer={"cell": cell}, qos=PAUSE),
                                  {"swp1": packets, "swp2": [(begin, pause(quanta))]})
                run.assert_conserved()
                self.assertEqual((run.drops, len(run.sent["swp2"])), ({}, len(packets)))
                begun = starts(run.sent["swp2"], rate)
                self.assertEqual([at for at in begun if begin + 1 < at < end - 1], [])
                # At its end the strict class goes first, and all follow each other.
                after = [packet for packet in run.sent["swp2"] if packet.ns > end]
                self.assertEqual(dscp_of(after[0].data), 48)
                held = sum(1 for ns, _ in packets if begin <= ns < end)
                self.assertEqual([packet.ns for packet in after[:held]],
                                 [(begin * 1000 + length + i * slot_ps(300, rate) + frame_ps(300, rate)) // 1000
                                  for i in range(held)])
                port = run.port("swp2")
                self.assertEqual((port.pause_rx, port.pause_rx_ns, port.priorities.pfc_rx, port.priorities.pfc_rx_pause_ns),
                                 (1, length // 1000, [0] * 8, [0] * 8))

    def test_new_frame_replaces(self):
        """A second frame sets the time anew; quanta 0 resumes at once."""
        for rate in ("25G", "400G"):
            for first, second in ((65535, 100), (20000, 40000), (65535, 0)):
                with self.subTest(rate=rate, first=first, second=second):
                    packets = merged(stream(20, 3, 2000), stream(20, 0, 2100))
                    run = self.replay(switch({"swp1": {}, "swp2": {"rate": rate}}, qos=PAUSE),
                                      {"swp1": packets, "swp2": [(500, pause(first)), (20000, pause(second))]})
                    run.assert_conserved()
                    resumed = 20_000_000 + quanta_ps(second, rate)
                    self.assertEqual(run.sent["swp2"][0].ns, (resumed + frame_ps(300, rate)) // 1000)
                    self.assertEqual(run.port("swp2").pause_rx_ns, (19_500_000 + quanta_ps(second, rate)) // 1000)

    def test_pfc_is_ignored(self):
        """In this mode PFC frames are counted and pause nothing."""
        packets = merged(stream(50, 3), stream(50, 0))
        outcome = []
        for frames in ([], [(500, pfc({i: 65535 for i in range(8)}))]):
            run = self.replay(switch(qos=PAUSE), {"swp1": packets, "swp2": frames})
            run.assert_conserved()
            outcome.append([(packet.ns, packet.data) for packet in run.sent["swp2"]])
            self.assertEqual(run.port("swp2").priorities.pfc_rx, [len(frames)] * 8)
            self.assertEqual((run.port("swp2").priorities.pfc_rx_pause_ns, run.port("swp2").pause_rx), ([0] * 8, 0))
        self.assertEqual(outcome[0], outcome[1])

    def test_none(self):
        """Without flow control neither is obeyed."""
        qos = {"flow-control": "none", "pg": {3: {"lossless": "false"}}}
        frames = [(500, pause(65535)), (600, pfc({3: 9999}))]
        run = self.replay(switch(qos=qos), {"swp1": stream(20, 3), "swp2": frames})
        run.assert_conserved()
        self.assertEqual([packet.ns for packet in run.sent["swp2"]],
                         [1000 + i * 1000 + frame_ps(300, "100G") // 1000 for i in range(20)])
        self.assertEqual((run.port("swp2").pause_rx, run.port("swp2").pause_rx_ns), (1, 0))


class Sent(Case):
    """Groups 3 and 4 of swp1 each hold 960 B: 2 packets of 300 B at cell 192; 3 at cell 1."""
    BOTH = PAUSE | {"priority-to-pg": {4: 4}, "priority-to-tc": {4: 4}, "pfc": {"priorities": [3, 4]},
                    "pg": {3: XON_OFF, 4: {"lossless": "true", "pool": "ingress-lossless"} | XON_OFF},
                    "tc": {4: {"pool": "egress-lossless", "alpha": "unlimited"}}}

    def test_first_and_last(self):
        """The first group that is XOFF pauses the link, the second says nothing more; when both are XON, quanta 0. T is
        the packet that finds no room (3rd, 4th), group 4's begin at 11 us. At 40 us swp2 sends group 3's packets
        (swp3, frozen for longer, has group 4's): still paused; at 60 us those of group 4: XON with the last."""
        for rate, cell, fits in (("100G", 192, 2), ("25G", 1, 3), ("400G", 128, 2)):
            with self.subTest(rate=rate, cell=cell):
                packets = merged(stream(fits + 2, 3, 1000, 1000), stream(fits + 2, 4, 11000, 1000, to("swp3")))
                events = hold("swp2", until="40us") + hold("swp3", until="60us")
                run = self.replay(switch(3, rate, events, buffer={"cell": cell}, qos=self.BOTH), {"swp1": packets})
                run.assert_conserved()
                xoff = (fits + 1) * 10**6
                xon = 60 * 10**6 + (fits + 1) * slot_ps(300, rate)      # xon 0: with the start of the last packet
                refresh = quanta_ps(65535, rate) // 2
                due = [(pfc_stamp(at, rate), 65535) for at in range(xoff, xon, refresh)]
                self.assertEqual(link_pauses(run.sent["swp1"]), due + [(pfc_stamp(xon, rate), 0)])
                port = run.port("swp1")
                self.assertEqual((port.pause_tx, port.pause_tx_ns, port.priorities.pfc_tx, port.priorities.pfc_tx_pause_ns),
                                 (len(due) + 1, (xon - xoff) // 1000, [0] * 8, [0] * 8))
                self.assertEqual(run.drops, {})

    def test_refreshed(self):
        """Again after half the quanta while any group is XOFF."""
        for rate, quanta in (("100G", 65535), ("400G", 1000), ("25G", 4000)):
            with self.subTest(rate=rate, quanta=quanta):
                qos = PAUSE | {"pg": {3: XON_OFF}, "pfc": {"quanta": quanta}}
                refresh = quanta_ps(quanta, rate) // 2
                until = 3 * 10**6 + 5 * refresh + refresh // 2
                run = self.replay(switch(2, rate, hold("swp2"), qos=qos), {"swp1": stream(3, 3, 1000, 1000)},
                                  "--until", f"{until}ps")
                run.assert_conserved()
                self.assertEqual(link_pauses(run.sent["swp1"]),
                                 [(pfc_stamp(3 * 10**6 + i * refresh, rate), quanta) for i in range(6)])

    def test_passed_on(self):
        """The pause is refreshed for the group that was first. When that holds nothing at a refresh, its only packet
        having been dropped, the other, which has three packets for a frozen port, is refreshed at that instant and
        from then on: the far side never resumes, whichever of 3 and 4 was first."""
        for rate, cell, quanta in (("100G", 192, 65535), ("400G", 128, 1000), ("25G", 1, 300)):
            for first, second in ((3, 4), (4, 3)):
                with self.subTest(rate=rate, first=first):
                    qos = merge(self.BOTH, {"pfc": {"quanta": quanta}, "pg": {
                        first: {"static": "0B", "headroom": "0B"}, second: {"static": "0B"}}})
                    refresh = quanta_ps(quanta, rate) // 2
                    until = 10**6 + 5 * refresh + refresh // 2
                    packets = merged(stream(1, first), stream(3, second, 1100, 200))
                    run = self.replay(switch(2, rate, hold("swp2"), buffer={"cell": cell}, qos=qos), {"swp1": packets},
                                      "--until", f"{until}ps")
                    run.assert_conserved()
                    self.assertEqual(run.drops, {"headroom": 1})
                    self.assertEqual(link_pauses(run.sent["swp1"]),
                                     [(pfc_stamp(10**6 + i * refresh, rate), quanta) for i in range(6)])
                    self.assertEqual([run.port("swp1").group(pg).xoff for pg in (first, second)], [1, 5])

    def test_dissects(self):
        run = self.replay(switch(events=hold("swp2", until="50us"), qos=PAUSE | {"pg": {3: XON_OFF}}),
                          {"swp1": stream(5, 3, 1000, 1000)})
        self.assert_dissects(run.directory / "swp1.pcapng")
        self.assertEqual(tshark(run.directory / "swp1.pcapng", "macc.opcode", "macc.pause_time"),
                         [("0x0001", "65535"), ("0x0001", "0")])


class Watchdog(Case):
    def test_all_queues(self):
        """A pause of the link holds all eight queues, and the watchdog watches all: poll 1 ms, detect 2 ms, restore
        2 ms; held from 0.5 ms to 5.3 ms by frames that overlap, found at 3 ms, what waits then and comes till 8 ms is
        dropped, whatever its class."""
        for rate, cell in (("100G", 192), ("25G", 1)):
            with self.subTest(rate=rate):
                qos = PAUSE | {"watchdog": {"poll": "1ms", "detect": "2ms", "restore": "2ms"}}
                packets = merged(stream(90, 3, 7_000, 100_000), stream(90, 0, 57_000, 100_000))
                frames = [(at, pause(50_000)) for at in range(500_000, 5_400_000, 100_000)]
                run = self.replay(switch({"swp1": {}, "swp2": {"rate": rate}}, buffer={"cell": cell}, qos=qos),
                                  {"swp1": packets, "swp2": frames}, "--until", "10ms")
                run.assert_conserved()
                self.assertEqual([(entry["at_ns"], entry["queue"], entry["what"]) for entry in run.counters["log"]],
                                 [(at, f"swp2.{tc}", what) for at, what in
                                  ((3_000_000, "watchdog-storm"), (8_000_000, "watchdog-restore")) for tc in range(8)])
                lost = [ns for ns, _ in packets if 500_000 <= ns < 8_000_000]
                self.assertEqual(run.drops, {"watchdog": len(lost)})
                self.assertEqual([packet.ns for packet in run.dropped], sorted(max(3_000_000, ns) for ns in lost))


class Asymmetric(Case):
    """Obeys PFC of every priority, generates it for lossless groups alone."""

    def test_obeys_all(self):
        """Priority 0, lossy, is paused for 1000 quanta; in plain PFC it is not."""
        for rate in ("25G", "400G"):
            for mode, held in (("pfc-asymmetric", True), ("pfc", False)):
                with self.subTest(rate=rate, mode=mode):
                    run = self.replay(switch({"swp1": {}, "swp2": {"rate": rate}}, qos={"flow-control": mode}),
                                      {"swp1": stream(10, 0, 600, 1), "swp2": [(500, pfc({0: 10000}))]})
                    run.assert_conserved()
                    first = 500_000 + quanta_ps(10000, rate) if held else 600_000
                    self.assertEqual([packet.ns for packet in run.sent["swp2"]],
                                     [(first + i * slot_ps(300, rate) + frame_ps(300, rate)) // 1000
                                      for i in range(10)])
                    self.assertEqual(run.port("swp2").priority(0).pfc_rx_pause_ns,
                                     quanta_ps(10000, rate) // 1000 if held else 0)

    def test_generates_for_lossless_only(self):
        """Both groups of swp1 overrun: 3 sends XOFF, the lossy 0 drops."""
        for cell, rate, fits in ((192, "100G", 2), (1, "400G", 3)):
            qos = {"flow-control": "pfc-asymmetric", "pg": {3: XON_OFF, 0: {"static": "960B"}}}
            run = self.replay(switch(2, rate, hold("swp2"), buffer={"cell": cell}, qos=qos),
                              {"swp1": merged(stream(6, 3, 1000, 1000), stream(6, 0, 1500, 1000))}, "--until", "20us")
            run.assert_conserved()
            self.assertEqual([(frame.vector, frame.quanta[3]) for frame in pfc_frames(run.sent["swp1"])], [(8, 65535)])
            self.assertEqual(run.drops, {"ingress-pool": 6 - fits})


if __name__ == "__main__":
    unittest.main()
