# SPDX-License-Identifier: BSD-3-Clause
"""PFC received: what it stops, for how long, and that it goes no further.

swp1 (100G) feeds swp2. A pause of q quanta that arrives at t holds its priority until t + q x 512 bit
times of swp2's rate; a packet that has begun is not cut off.
"""
import unittest

from common import *

FULL_PAUSE = {"25G": 1342156800, "100G": 335539200, "400G": 83884800}   # 65535 quanta, ps: 1.342 ms, ...


def backlog(count, dscp=3, size=1188, first_ns=1000, step_ns=100):
    """Packets of 1188 B: with preamble and FCS 1200 B, 384 ns at 25G, 96 at 100G, 24 at 400G; a slot is 1212 B."""
    return stream(count, dscp, first_ns, step_ns, size=size)


class Pause(Case):
    """What is paused, when and for how long."""

    def run_with(self, rate, pauses, packets, *options, event=False, **keys):
        """pauses: [(ns, {priority: quanta})], as frames in swp2's capture or as events."""
        events = [{"at": f"{ns}ns", "port": "swp2", "pfc": {"priorities": list(quanta), "quanta": max(quanta.values())}}
                  for ns, quanta in pauses if event]
        inputs = {"swp1": packets}
        if not event:
            inputs["swp2"] = [(ns, pfc(quanta)) for ns, quanta in pauses]
        description = switch({"swp1": {"rate": "100G"}, "swp2": {"rate": rate}}, events=events, **keys)
        run = self.replay(description, inputs, *options)
        run.assert_conserved()
        self.assertEqual(run.drops, {})
        self.assertEqual(len(run.sent["swp2"]), len(packets))
        return run

    def test_full_pause(self):
        """A queue that always has something: the gap in its departures is the pause, to the ns of the
        stamps. Packets come every 100 ns from 1 us on. At 25G a slot is 387.84 ns: those begun before 1950 ns
        began at 1000, 1387.84 and 1775.68. At 100G it is 96.96: each begins as it comes, ten of them."""
        for (rate, length), cell in zip(FULL_PAUSE.items(), (192, 1, 128)):
            for event in (False, True):
                with self.subTest(rate=rate, cell=cell, event=event):
                    run = self.run_with(rate, [(1950, {3: 65535})], backlog(50), event=event, buffer={"cell": cell})
                    begun = starts(run.sent["swp2"], rate)
                    sent = 3 if rate == "25G" else 10
                    slot = slot_ps(1188, rate)
                    self.assertEqual(begun[:sent], [1000, 1387, 1775] if rate == "25G" else
                                     list(range(1000, 2000, 100)))
                    self.assertEqual(begun[sent:], [(1950000 + length + i * slot) // 1000 for i in range(50 - sent)])
                    self.assertEqual(run.port("swp2").priorities.pfc_rx, [0, 0, 0, 1, 0, 0, 0, 0])
                    self.assertEqual(run.port("swp2").priority(3).pfc_rx_pause_ns, length // 1000)

    def test_begun_is_not_cut_off(self):
        """The frame comes in the middle of a packet, which has left as if nothing were."""
        for rate, took in (("25G", 384), ("100G", 96)):
            run = self.run_with(rate, [(1000 + took // 2, {3: 1000})], backlog(2))
            self.assertEqual([packet.ns for packet in run.sent["swp2"]],
                             [1000 + took, 1000 + took // 2 + quanta_ps(1000, rate) // 1000 + took])

    def test_new_frame_replaces(self):
        """A second frame 20 us later, of 100 or 60000 quanta, sets the time anew; quanta 0 resumes at once.
        At 25G a quantum is 20.48 ns, at 100G 5.12 ns, at 800G 0.64 ns."""
        for rate in ("25G", "100G", "800G"):
            for first, second in ((65535, 100), (100, 60000), (65535, 0), (2000, 2000)):
                for event in (False, True):
                    with self.subTest(rate=rate, first=first, second=second, event=event):
                        pauses = [(0, {3: first}), (20000, {3: second})]
                        run = self.run_with(rate, pauses, backlog(50, step_ns=600), "--until", "2ms", event=event)
                        begun = starts(run.sent["swp2"], rate)
                        ended = min(quanta_ps(first, rate), 20000000)
                        resumed = 20000000 + quanta_ps(second, rate)
                        waits = quanta_ps(first, rate) > 20000000     # when the second comes
                        self.assertEqual(begun[0], (resumed if waits else max(ended, 1000000)) // 1000)
                        self.assertEqual([start for start in begun if 20000 <= start < resumed // 1000], [])
                        if not waits:   # the next comes at 20.2 us
                            self.assertIn(max(resumed // 1000, 20200), begun)
                        self.assertEqual(run.port("swp2").priority(3).pfc_rx_pause_ns,
                                         (ended + resumed - 20000000) // 1000)
                        self.assertEqual(run.port("swp2").priority(3).pfc_rx, 2)

    def test_resume_at_once(self):
        """Quanta 0 from a device that had paused for 1.342 ms (100G: 0.336; 400G: 0.084): the next packet begins at the
        frame's arrival, without one it is just there again."""
        for rate in FULL_PAUSE:
            run = self.run_with(rate, [(500, {3: 65535}), (7777, {3: 0})], backlog(3))
            self.assertEqual(starts(run.sent["swp2"], rate)[0], 7777)
            run = self.run_with(rate, [(500, {3: 65535}), (777, {3: 0})], backlog(3))
            self.assertEqual(starts(run.sent["swp2"], rate)[0], 1000)
            self.assertEqual(run.port("swp2").priority(3).pfc_rx_pause_ns, 277)

    def test_one_port_s_priorities(self):
        """swp2 obeys pauses of priority 0 alone; what `qos` says is for the others. 10000 quanta at 100G are 51.2 us."""
        own = {"qos": {"ports": {"swp2": {"pfc": {"priorities": [0]}}}}}
        for dscp, keys, begins in ((3, {}, 51_700), (3, own, 1000), (0, {}, 1000), (0, own, 51_700)):
            with self.subTest(dscp=dscp, own=bool(keys)):
                run = self.run_with("100G", [(500, {0: 10000, 3: 10000})], backlog(3, dscp), **keys)
                self.assertEqual(starts(run.sent["swp2"], "100G")[0], begins)
                self.assertEqual(run.port("swp2").priority(3 if keys else 0).pfc_rx_pause_ns, 0)

    def test_others_keep_their_rate(self):
        """Priority 3 and priority 0 share swp2 half and half; 3 is paused for 1.342 ms (335.5, 83.9 us).
        In that time 0, offered 45 % of the line, sends what it did before, to 1 % (two packets of some 1500)."""
        for (rate, length), cell in zip(FULL_PAUSE.items(), (1, 192, 128)):
            with self.subTest(rate=rate, cell=cell):
                slot_ns = slot_ps(1188, rate) / 1000 / 0.45
                count = int(2.5 * length / 1000 / slot_ns)
                streams = [[(int(1000 + offset + i * slot_ns), udp(*to("swp2"), size=1188, dscp=dscp, ident=i % 65536))
                            for i in range(count)] for dscp, offset in ((0, 0), (3, 90))]
                at = int(length / 1000)     # the pause begins when one pause's time has passed
                run = self.run_with(rate, [(at, {3: 65535})], merged(*streams), buffer={"cell": cell})
                begin, end = at, at + length // 1000
                other = starts(run.sent["swp2"], rate, dscp=0)
                during = sum(1 for start in other if begin <= start < end)
                before = sum(1 for start in other if begin - length // 1000 <= start < begin)
                self.assertGreaterEqual(during, 0.99 * before)
                self.assertAlmostEqual(during, 0.45 * length / slot_ps(1188, rate), delta=2)
                paused = starts(run.sent["swp2"], rate, dscp=3)
                self.assertEqual([start for start in paused if begin <= start < end], [])
                after = min(start for start in paused if start >= end)
                self.assertLess(after - end, 2 * slot_ps(1188, rate) // 1000)   # one of the other's may be on its way

    def test_seen_at_once(self):
        """A snapshot within a pause says so, and counts the pause up to its instant; one behind it says 20.48 us
        (1000 quanta), whatever the port did since."""
        events = [{"at": at, "snapshot": "full"} for at in ("2500ns", "5us", "22980ns", "1ms")]
        run = self.replay(switch({"swp1": {}, "swp2": {"rate": "25G"}}, events=events),
                          {"swp1": backlog(10), "swp2": [(2500, pfc({3: 1000, 4: 7}))]})
        seen = [(shot["at_ns"], port["queue"][3]["paused"], port["pfc_rx"], port["pfc_rx_pause_ns"])
                for shot in run.counters["snapshots"] for port in [shot["nodes"]["dut"]["ports"]["swp2"]]]
        one, none = [0, 0, 0, 1, 1, 0, 0, 0], [0] * 8
        self.assertEqual(seen, [(2500, False, none, none), (5000, True, one, [0, 0, 0, 2500, 0, 0, 0, 0]),
                                (22980, False, one, [0, 0, 0, 20480, 0, 0, 0, 0]),
                                (1000000, False, one, [0, 0, 0, 20480, 0, 0, 0, 0])])

    def test_history(self):
        """Exact, whenever it is read: how often the priority was paused, for how long, the last start and end (-1:
        there was none yet). A pause from 500 ns on, which a frame at 600 ns extends; again at 200 us, ended by quanta
        0 at 205 us. At 25G 1000 quanta are 20.48 us, at 400G 20000 are 25.6 us."""
        for rate, quanta in (("25G", 1000), ("400G", 20000)):
            length = quanta_ps(quanta, rate) // 1000
            end = 600 + length
            shots = (400, 599, 1000, end, 199_000, 200_500, 300_000)
            events = [{"at": f"{at}ns", "snapshot": "full"} for at in shots]
            frames = [(500, pfc({3: quanta})), (600, pfc({3: quanta})), (200_000, pfc({3: 65535})),
                      (205_000, pfc({3: 0}))]
            run = self.replay(switch({"swp1": {}, "swp2": {"rate": rate}}, events=events), {"swp1": [], "swp2": frames})
            names = ("transitions", "pause_ns", "last_start_ns", "last_end_ns")
            seen = [tuple(run.snapshot(at).counters["ports"]["swp2"][f"pfc_rx_{name}"][3] for name in names) for at in shots]
            self.assertEqual(seen, [(0, 0, -1, -1), (1, 99, 500, -1), (1, 500, 500, -1), (1, end - 500, 500, end),
                                    (1, end - 500, 500, end), (2, end, 200_000, end),
                                    (2, end + 4500, 200_000, 205_000)])
            others = run.snapshot(300_000).counters["ports"]["swp2"]
            for name in names:
                self.assertEqual(set(others[f"pfc_rx_{name}"][:3]), {-1 if "last" in name else 0})

    def test_each_priority(self):
        """One frame pauses each priority p for a time of its own, 100 (p + 1) or 1000 (p + 1) quanta; queues are
        priorities."""
        same = {i: i for i in range(8)}
        qos = {"dscp-to-priority": {8 * i: i for i in range(8)}, "priority-to-tc": same,
               "pfc": {"priorities": list(same)},
               "tc": {i: {"scheduler": "strict", "pool": "egress-lossless", "alpha": "unlimited"} for i in same}}
        for rate, unit in (("25G", 100), ("100G", 100), ("400G", 1000)):
            packets = [(1000 + i, udp(*to("swp2"), size=1188, dscp=8 * i)) for i in range(8)]
            run = self.run_with(rate, [(500, {i: unit * (i + 1) for i in same})], packets, qos=qos)
            self.assertEqual(run.port("swp2").priorities.pfc_rx, [1] * 8)
            ends = [500000 + quanta_ps(unit * (i + 1), rate) for i in range(8)]
            free, expected = 0, []
            for i in range(8):      # in the order of their pauses' ends, which are more than a slot apart
                begin = max(ends[i], free, (1000 + i) * 1000)
                expected.append(begin)
                free = begin + slot_ps(1188, rate)
            self.assertEqual([dscp_of(packet.data) // 8 for packet in run.sent["swp2"]], list(range(8)))
            self.assertEqual([packet.ns for packet in run.sent["swp2"]],
                             [(begin + frame_ps(1188, rate)) // 1000 for begin in expected])

    def test_shared_queue(self):
        """Priorities 3 and 4 share queue 3: it is held until neither is paused."""
        qos = {"priority-to-tc": {3: 3, 4: 3}, "pfc": {"priorities": [3, 4]}}
        for rate in ("25G", "100G"):
            for quanta in ({3: 1000, 4: 3000}, {3: 3000, 4: 1000}):
                run = self.run_with(rate, [(500, quanta)], backlog(3), qos=qos)
                self.assertEqual(starts(run.sent["swp2"], rate)[0], 500 + quanta_ps(3000, rate) // 1000)
            run = self.run_with(rate, [(500, {3: 1000, 4: 3000}), (600, {4: 0})], backlog(3), qos=qos)
            self.assertEqual(starts(run.sent["swp2"], rate)[0], 500 + quanta_ps(1000, rate) // 1000)


class Ignored(Case):
    """What pauses nothing: everything leaves as if it had not come."""

    def test_nothing_changes(self):
        pause = ethernet(struct.pack(">HH", 1, 65535), 0x8808, dst="01:80:c2:00:00:01")
        streams = [backlog(200, step_ns=50), backlog(200, dscp=0, step_ns=50)]
        cases = {"no frame": [], "vector 0": [pfc({3: 65535}, vector=0)], "lossy priority": [pfc({0: 65535, 6: 9})],
                 "802.3x": [pause], "high byte of the vector": [pfc({3: 65535}, vector=0xFF00)],
                 "another opcode": [pfc({3: 65535}).replace(b"\x88\x08\x01\x01", b"\x88\x08\x01\x02")]}
        for rate, cell in (("25G", 192), ("400G", 128)):
            with self.subTest(rate=rate):
                self.same_without(cases, streams, rate, cell)

    def same_without(self, cases, streams, rate, cell):
        outcome = {}
        for name, frames in cases.items():
            run = self.replay(switch({"swp1": {}, "swp2": {"rate": rate}}, buffer={"cell": cell}),
                              {"swp1": merged(*streams), "swp2": [(3000, frame) for frame in frames]})
            run.assert_conserved()
            outcome[name] = [(packet.ns, packet.data) for packet in run.sent["swp2"]]
            self.assertEqual(run.sent["swp1"], [], name)
            self.assertEqual(run.port("swp2").priorities.pfc_rx_pause_ns, [0] * 8, name)
            self.assertEqual(run.port("swp2").priorities.pfc_rx,
                             [1, 0, 0, 0, 0, 0, 1, 0] if name == "lossy priority" else [0] * 8, name)
            self.assertEqual(run.port("swp2").pause_rx, int(name == "802.3x"))
            self.assertEqual(run.drops, {"reserved-address": 1} if name == "another opcode" else {}, name)
        self.assertEqual(len(outcome["no frame"]), 400)
        for name, sent in outcome.items():
            self.assertEqual(sent, outcome["no frame"], name)

    def test_flow_control_none(self):
        """Without flow control neither priority 3 stops nor does anybody send PFC."""
        qos = {"flow-control": "none", "pg": {3: {"lossless": "false", "static": "0B"}}}
        run = self.replay(switch(qos=qos), {"swp1": backlog(3), "swp2": [(0, pfc({3: 65535}))]})
        self.assertEqual((run.drops, run.sent["swp1"]), ({"ingress-pool": 3}, []))
        qos["pg"][3]["static"] = "1MB"
        run = self.replay(switch(qos=qos), {"swp1": backlog(3), "swp2": [(0, pfc({3: 65535}))]})
        self.assertEqual([packet.ns for packet in run.sent["swp2"]], [1096, 1196, 1296])
        run.assert_conserved()


class Reserved(Case):
    """What is addressed to 01:80:c2:00:00:0x ends here."""

    def test_never_forwarded(self):
        """PFC with vectors 0xff, 0x18, 0x81, 0 and one with high bits set, 802.3x, LACP, STP, LLDP, and routable
        IP packets to each of the 16 addresses. Set bits are counted once each: bits 0 and 7 twice (0xff,
        0x81), 3 and 4 three times (0xff, 0x18, 0xff08's 3 / 0x10), the others once."""
        vectors = [0xFF, 0x18, 0x81, 0x00, 0xFF08, 0x10]
        frames = [pfc({i: 7 for i in range(8)}, vector=vector) for vector in vectors]
        frames.append(ethernet(struct.pack(">HH", 1, 100), 0x8808, dst="01:80:c2:00:00:01"))
        consumed = len(frames)
        frames.append(ethernet(b"\x01\x01", 0x8809, dst="01:80:c2:00:00:02"))
        frames.append(ethernet(b"\x42\x42\x03", 0x0026, dst="01:80:c2:00:00:00"))
        frames.append(ethernet(b"\x02\x07\x04", 0x88CC, dst="01:80:c2:00:00:0e"))
        frames += [udp(*to("swp2"), dst_mac=f"01:80:c2:00:00:{i:02x}") for i in range(16)]
        for preset, rate, cell in (("sonic", "25G", 192), ("spectrum-x", "400G", 128)):
            run = self.replay(switch(3, rate, preset=preset, buffer={"cell": cell}),
                              {"swp1": [(i * 1000, frame) for i, frame in enumerate(frames)]})
            run.assert_conserved()
            self.assertEqual([run.sent[port] for port in run.sent], [[], [], []])
            self.assertEqual(run.port("swp1").priorities.pfc_rx, [2, 1, 1, 3, 3, 1, 1, 2])
            self.assertEqual((run.port("swp1").pause_rx, run.port("swp1").control_rx), (1, consumed))
            self.assertEqual(run.drops, {"reserved-address": 19})
            self.assertEqual(run.port("swp1").rx_packets, len(frames))
            self.assertEqual(run.port("swp1").groups.packets, [0] * 8)

    def test_next_address_is_not_reserved(self):
        """01:80:c2:00:00:10 is an ordinary multicast address."""
        run = self.replay(switch(), {"swp1": [udp(*to("swp2"), dst_mac="01:80:c2:00:00:10")]})
        self.assertEqual((run.drops, run.sent["swp2"]), ({"multicast": 1}, []))


if __name__ == "__main__":
    unittest.main()
