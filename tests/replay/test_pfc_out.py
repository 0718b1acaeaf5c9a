# SPDX-License-Identifier: BSD-3-Clause
"""PFC sent: when XOFF goes out, when it is repeated, when XON follows, and the frames' bytes.

swp1 receives priority 3 for swp2, whose egress is frozen. A packet of p cells fits the group's own space
while own + p <= limit, so floor(limit / p) packets do, and packet T = floor(limit / p) + 1 makes XOFF;
headroom takes floor(headroom / p) packets from T on, and packet D = T + floor(headroom / p) is lost.
Everything of PFC is exact: XOFF begins with the arrival that made it, refreshes follow by half the quanta.
"""
import collections
import itertools
import unittest

from common import *

STEP_NS = 1000      # between packets: none overlaps the one before at 25G


def arrivals(count, size=300, port="swp2", dscp=3, first=0, step=STEP_NS):
    """Packet i (from 0) arrives at (i + 1) * step ns."""
    return stream(count, dscp, step, step, to(port), size, first)


def frozen(*more, port="swp2"):
    return [{"at": "0ns", "port": port, "tx": "off"}, *more]


def group(**settings):
    return {"pg": {3: settings}}


class Xoff(Case):
    """When XOFF goes out, how often again, and when a packet is lost."""

    def edge(self, description, rate, size, cell, xoff_at, lost_at, quanta=65535):
        """Counts and stamps with T-1, T, D-1, D and D+2 packets."""
        refresh = quanta_ps(quanta, rate) // 2
        for count in sorted({xoff_at - 1, xoff_at, lost_at - 1, lost_at, lost_at + 2}):
            with self.subTest(count=count, T=xoff_at, D=lost_at):
                until_ps = count * STEP_NS * 1000 + 3 * refresh + refresh // 3
                run = self.replay(description, {"swp1": arrivals(count, size)}, "--until", f"{until_ps}ps")
                run.assert_conserved()
                lost = max(0, count - lost_at + 1)
                self.assertEqual(run.drops, {"headroom": lost} if lost else {})
                self.assertEqual(run.port("swp1").group(3).dropped, lost)
                self.assertEqual(run.port("swp2").queues.dropped, [0] * 8)
                self.assertEqual(run.port("swp2").queue(3).depth, (count - lost) * cells(size, cell) * cell)
                self.lost_packets(run, lost, lost_at, size, cell)

                first = xoff_at * STEP_NS * 1000
                due = range(first, until_ps, refresh) if count >= xoff_at else ()
                sent = pfc_frames(run.sent["swp1"])
                self.assertEqual([frame.ns for frame in sent], [pfc_stamp(at, rate) for at in due])
                for frame in sent:
                    self.assertEqual((frame.vector, frame.quanta), (8, [0, 0, 0, quanta, 0, 0, 0, 0]))
                for earlier, later in zip(sent, sent[1:]):
                    self.assertLess((later.ns - earlier.ns) * 1000, quanta_ps(quanta, rate))
                self.assertEqual(run.port("swp1").priorities.pfc_tx, [0, 0, 0, len(due), 0, 0, 0, 0])
                self.assertEqual(run.port("swp1").group(3).xoff, len(due))
                paused = until_ps - first if due else 0
                self.assertEqual(run.port("swp1").priority(3).pfc_tx_pause_ns, paused // 1000)
                self.assertEqual(run.sent["swp2"], [])

    def lost_packets(self, run, lost, lost_at, size, cell):
        self.assertEqual([ip_ident(packet.data) for packet in run.dropped],
                         list(range(lost_at - 1, lost_at - 1 + lost)))
        for i, packet in enumerate(run.dropped):
            depth = (lost_at - 1) * cells(size, cell) * cell
            self.assertEqual(packet.comment, f"reason=headroom port=swp1 priority=3 depth={depth}")
            self.assertEqual(packet.ns, (lost_at + i) * STEP_NS)

    def test_static_limit(self):
        """300 B in cells of 192 are 2 cells. Limit 10000 B = 52 cells (52.08): 26 packets fit, T = 27.
        Headroom 5000 B = 27 cells (26.04, up): 13 packets, D = 40.
        Cell 128: 3 cells of 78 (78.1): 26 fit, T = 27; 40 (39.06, up): 13, D = 40.
        Cell 1: 10000 / 300 = 33, T = 34; 5000 / 300 = 16, D = 50."""
        for cell, rate, xoff_at, lost_at in ((192, "100G", 27, 40), (192, "25G", 27, 40), (128, "400G", 27, 40),
                                             (1, "100G", 34, 50), (1, "25G", 34, 50), (1, "800G", 34, 50)):
            with self.subTest(cell=cell, rate=rate):
                description = switch(rate=rate, buffer={"cell": cell}, events=frozen(),
                                     qos=group(static="10000B", headroom="5000B"))
                self.edge(description, rate, 300, cell, xoff_at, lost_at)

    def test_one_port_without_pfc(self):
        """swp3 pauses nobody: its group has the same headroom, and drops what does not fit it. Both come by 1 us steps,
        swp3 100 ns later; limit 960 B = 5 cells: the third packet is the first in headroom; 1920 B = 10 cells: 5."""
        qos = group(static="960B", headroom="1920B") | {"ports": {"swp3": {"pfc": {"priorities": []}}}}
        again = {"at": "8us", "set": "switch.qos.ports.swp3.pfc.priorities", "to": "[3]"}
        for events, told in (((), []), ((again,), [pfc_stamp(8_100_000, "100G")])):
            run = self.replay(switch(3, events=frozen(*events), qos=qos),
                              {"swp1": arrivals(9), "swp3": [(ns + 100, frame) for ns, frame in arrivals(9)]},
                              "--until", "100us")
            run.assert_conserved()
            self.assertEqual([frame.ns for frame in pfc_frames(run.sent["swp1"])], [pfc_stamp(3_000_000, "100G")])
            self.assertEqual([frame.ns for frame in pfc_frames(run.sent["swp3"])], told)
            self.assertEqual(run.drops, {"headroom": 4})
            self.assertEqual([run.port(port).group(3).dropped for port in ("swp1", "swp3")], [2, 2])

    def test_one_port_s_group(self):
        """Packets of 2 cells, 9 at each port, by 1 us; swp3's 100 ns later. All: 5 cells, so the third is the first in
        headroom, which takes 5; swp3's own: 10 cells, the sixth, and 2 in headroom; lossy, 5 packets and no headroom;
        with `alpha: 0`, nothing but what is reserved: one. Given its own after three,
        it takes three more before headroom, which has 2 cells in use and takes one of the last three."""
        grow = {"at": "4us", "set": "switch.qos.ports.swp3.pg.3", "to": "{static: 1920B, headroom: 960B}"}
        for own, event, first, lost in (({"static": "1920B", "headroom": "960B"}, None, 6, {"headroom": 2}),
                                        ({"static": "1920B", "lossless": "false", "pool": "ingress-lossy"}, None, None,
                                         {"ingress-pool": 4}),
                                        ({"alpha": 0, "reserved": "384B"}, None, 2, {"headroom": 3}),
                                        ({}, None, 3, {"headroom": 2}), ({}, grow, 3, {"headroom": 2})):
            with self.subTest(own=own, event=bool(event)):
                qos = group(static="960B", headroom="1920B") | {"ports": {"swp3": {"pg": {3: own}}}}
                events = frozen(event) if event else frozen()
                run = self.replay(switch(3, events=events, qos=qos),
                                  {"swp1": arrivals(9), "swp3": [(ns + 100, frame) for ns, frame in arrivals(9)]},
                                  "--until", "20us")
                run.assert_conserved()
                self.assertEqual([frame.ns for frame in pfc_frames(run.sent["swp1"])], [pfc_stamp(3_000_000, "100G")])
                self.assertEqual([frame.ns for frame in pfc_frames(run.sent["swp3"])],
                                 [pfc_stamp(first * 1_000_000 + 100_000, "100G")] if first else [])
                drops = collections.Counter(lost) + collections.Counter(headroom=2)
                self.assertEqual(run.drops, dict(drops))
                self.assertEqual(run.port("swp1").group(3).dropped, 2)

    def test_odd_cells(self):
        """Limit 5 cells: the third packet of 2 finds 1 free: T = 3. Headroom 1151 B = 6 cells (5.99, up):
        3 packets, D = 6. One cell less headroom, 960 B: 2 packets, D = 5."""
        for headroom, lost_at in (("1151B", 6), ("960B", 5)):
            description = switch(events=frozen(), qos=group(static="960B", headroom=headroom))
            self.edge(description, "100G", 300, 192, 3, lost_at)

    def test_sizes(self):
        """Packets of 1500 B: 8 cells of 192; limit 100 KB = 520 cells: 65 fit, T = 66; headroom 20 KB = 105
        cells (104.2, up): 13, D = 79. At 192 B a packet is one cell, at 193 B two. 60 B, cell 1, quanta
        100: refreshed every 50 quanta."""
        self.edge(switch(events=frozen(), qos=group(static="100KB", headroom="20KB")), "100G", 1500, 192, 66, 79)
        for size, xoff_at, lost_at in ((192, 11, 16), (193, 6, 8)):    # limit 10 cells, headroom 5 cells
            self.edge(switch(events=frozen(), qos=group(static="1920B", headroom="960B")),
                      "100G", size, 192, xoff_at, lost_at)
        self.edge(switch(rate="25G", buffer={"cell": 1}, events=frozen(),
                         qos=group(static="600B", headroom="300B") | {"pfc": {"quanta": 4000}}),
                  "25G", 60, 1, 11, 16, quanta=4000)

    def test_dynamic_limit(self):
        """Pool of S cells, alpha 1, nobody else: packet n fits while p n <= S - p (n - 1), that is
        n <= (S + p) / 2p: S = 520 (100 KB): 522 / 4 = 130 fit, T = 131. alpha 1/4:
        p n <= floor((S - p (n - 1)) / 4): n = 52: 104 <= floor(418 / 4) = 104 fits; 53: 106 <= 104 does
        not: T = 53. alpha 8: the pool itself ends first, but not before 8 (S - p (n - 1)) < p n:
        n = 231: 462 <= 8 x 60 fits, 232: 464 <= 8 x 58 = 464 fits, 233: 466 <= 448 does not: T = 233.
        Cell 128: S = 781, p = 3: 6 n <= 784: 130; 3 n <= floor((784 - 3 n) / 4): 52 (156 <= 157; 159 <= 156 not);
        27 n <= 6272: 232. Cell 1: S = 100000, p = 300: 600 n <= 100300: 167; 1500 n <= 100300: 66;
        2700 n <= 802400: 297. Headroom 3840 B is 20 cells or 30, 10 packets; by single bytes 12."""
        for cell, rate, room, edges in ((192, "100G", 10, (131, 53, 233)), (128, "400G", 10, (131, 53, 233)),
                                        (1, "25G", 12, (168, 67, 298))):
            for alpha, xoff_at in zip(("1", "1/4", "8"), edges):
                with self.subTest(cell=cell, alpha=alpha):
                    buffer = {"cell": cell, "pools": {"ingress-lossless": {"size": "100KB"}}}
                    description = switch(rate=rate, events=frozen(), buffer=buffer,
                                         qos=group(alpha=alpha, headroom="3840B"))
                    self.edge(description, rate, 300, cell, xoff_at, xoff_at + room)

    def test_reserved(self):
        """Reserved 2000 B = 11 cells (10.4, up), then a static limit of 10 cells beyond it: 21 cells in all,
        10 packets fit, T = 11. Headroom 8 cells: D = 15. Cell 128: 16 + 15 = 31 cells, 10 packets of 3; 12 cells of
        headroom: 4. Cell 1: 3920 B: 13, T = 14; 1536 B: 5, D = 19."""
        for cell, rate, xoff_at, lost_at in ((192, "100G", 11, 15), (128, "400G", 11, 15), (1, "25G", 14, 19)):
            description = switch(rate=rate, events=frozen(), buffer={"cell": cell},
                                 qos=group(static="1920B", reserved="2000B", headroom="1536B"))
            self.edge(description, rate, 300, cell, xoff_at, lost_at)

    def test_headroom_of_cable(self):
        """`headroom: auto` at 100G, 40 m, MTU 9100 is 126976 B: 662 cells (661.3, up), 331 packets; at 400G 283648 B:
        1478 (1477.3, up), 739. Preset sonic, alpha 1. What all headroom leaves of 4 MB is 4000000 - 2 ports x 2
        groups x 662 x 192; all of it is the ingress pool."""
        for rate, room in (("100G", 662), ("400G", 1478)):
            shared = (4000000 - 4 * room * 192) // 192
            xoff_at = (shared + 2) // 4 + 1
            description = switch(ports={"swp1": {"cable": "40m"}, "swp2": {"cable": "40m"}}, rate=rate,
                                 events=frozen(), preset="sonic", mtu=9100, buffer={"size": "4MB"})
            self.edge(description, rate, 300, 192, xoff_at, xoff_at + room // 2)

    def test_priorities_apart(self):
        """A group in headroom, another of the same port that is not: only the first is paused, each by its
        own frames, and the lossy group 0 goes on. sonic: priorities 3 and 4."""
        limits = {"pg": {3: {"static": "960B", "headroom": "3840B"}, 4: {"static": "1920B", "headroom": "3840B"}}}
        run = self.replay(switch(preset="sonic", events=frozen(), qos=limits),
                          {"swp1": arrivals(8, dscp=3) + [(ns + 10000, frame) for ns, frame in
                           arrivals(5, dscp=4) + arrivals(6, dscp=4)[5:] + arrivals(100, dscp=0)[6:]]},
                          "--until", "150us")
        sent = pfc_frames(run.sent["swp1"])
        self.assertEqual([(frame.ns, frame.vector) for frame in sent],
                         [(pfc_stamp(3000000, "100G"), 1 << 3),     # 2 of 5 cells each: the third
                          (pfc_stamp(16000000, "100G"), 1 << 4)])   # of 10 cells: the sixth
        self.assertEqual(run.drops, {})
        self.assertEqual(run.port("swp1").group(0).packets, 94)
        run.assert_conserved()

    def test_paused_destination(self):
        """The same by PFC instead of an event: swp2 is told to stop at 0 for 65535 quanta. What comes for it
        later waits: T as before. A packet that had begun before the pause is charged nowhere any more."""
        inputs = {"swp1": arrivals(40), "swp2": [(500, pfc({3: 65535}))]}
        description = switch(qos=group(static="10000B", headroom="5000B"))
        run = self.replay(description, inputs, "--until", "100us")
        self.assertEqual([frame.ns for frame in pfc_frames(run.sent["swp1"])], [pfc_stamp(27 * 10**6, "100G")])
        inputs["swp2"] = [(1000, pfc({3: 65535}))]     # at the instant of the first: arrivals by port
        run = self.replay(description, inputs, "--until", "100us")
        self.assertEqual([frame.ns for frame in pfc_frames(run.sent["swp1"])], [pfc_stamp(28 * 10**6, "100G")])
        self.assertEqual(len(run.sent["swp2"]), 1)


class Xon(Case):
    """swp2 sends exactly k packets: free at t0, frozen again at t0 + k slots, which comes before
    that instant's departure. The k-th release is at t0 + (k - 1) slots; an XON begins there."""

    START = 100 * 10**6
    QUIET = "1s" if SANITIZED else "31s"    # with sanitizers the switch is recounted every 4 us, idle or not

    def released(self, count, k, rate, qos, *options, cell=192, size=300, **buffer):
        again = {"at": f"{self.START + k * slot_ps(size, rate)}ps", "port": "swp2", "tx": "off"}
        events = frozen({"at": f"{self.START}ps", "port": "swp2", "tx": "on"}, again)
        run = self.replay(switch(rate=rate, events=events, qos=qos, buffer={"cell": cell} | buffer),
                          {"swp1": arrivals(count, size)}, *options)
        run.assert_conserved()
        self.assertEqual(run.drops, {})
        self.assertEqual([packet.ns for packet in run.sent["swp2"]],
                         [(self.START + i * slot_ps(size, rate) + frame_ps(size, rate)) // 1000
                          for i in range(k)])
        return run, pfc_frames(run.sent["swp1"])

    def test_edge(self):
        """40 packets of 2 cells, limit 52: XOFF with the 27th, own 52, headroom 28. Headroom is given back
        first: 14 packets. k = 20 packets leave 80 - 40 = 40 cells. xon 39 cells (7679 B, down): not yet;
        xon 40 cells: XON with the 20th. Cell 1: 40 x 300 = 12000, of it 9900 own; k = 20 leaves 6000;
        xon 5999 and 6000. Cell 128: 40 x 3 = 120 of which 78 own; k = 20 leaves 60: xon 59 (7679 B) and 60."""
        for cell, rate, above, at in ((192, "100G", "7679B", "7680B"), (192, "25G", "7679B", "7680B"),
                                      (128, "400G", "7679B", "7680B"), (1, "100G", "5999B", "6000B"),
                                      (1, "800G", "5999B", "6000B")):
            settings = {"static": "10000B", "headroom": "6000B", "xon-offset": "none"}
            with self.subTest(cell=cell, rate=rate):
                _, sent = self.released(40, 20, rate, group(xon=above, **settings), "--until", "10ms", cell=cell)
                first = (34 if cell == 1 else 27) * 10**6
                due = range(first, 10**10, quanta_ps(65535, rate) // 2)
                self.assertEqual([frame.ns for frame in sent], [pfc_stamp(at_ps, rate) for at_ps in due])
                self.assertTrue(all(frame.quanta[3] == 65535 for frame in sent))

                run, sent = self.released(40, 20, rate, group(xon=at, **settings), "--until", self.QUIET, cell=cell)
                last = self.START + 19 * slot_ps(300, rate)
                xoffs = [pfc_stamp(at_ps, rate) for at_ps in due if at_ps < last]
                self.assertEqual([(frame.ns, frame.vector, frame.quanta) for frame in sent],
                                 [(ns, 8, [0, 0, 0, 65535, 0, 0, 0, 0]) for ns in xoffs] +
                                 [(pfc_stamp(last, rate), 8, [0] * 8)])
                self.assertEqual(run.port("swp1").priority(3).pfc_tx, len(xoffs) + 1)
                self.assertEqual(run.port("swp1").priority(3).pfc_tx_pause_ns, (last - first) // 1000)

    def test_headroom_first(self):
        """xon at the limit: XON waits only for headroom to be empty. 14 packets of headroom: k = 13 none,
        k = 14 one, at the 14th release. Cell 128: the same packets, 3 cells each. 120 us: before a refresh at 25G or
        100G; at 400G there are two by then."""
        qos = group(static="10000B", headroom="6000B", xon="10000B", **{"xon-offset": "none"})
        for cell, rate in ((192, "100G"), (192, "25G"), (128, "400G")):
            with self.subTest(cell=cell, rate=rate):
                first, last = 27 * 10**6, self.START + 13 * slot_ps(300, rate)
                due = range(first, 120 * 10**6, quanta_ps(65535, rate) // 2)
                _, sent = self.released(40, 13, rate, qos, "--until", "120us", cell=cell)
                self.assertEqual([frame.quanta[3] for frame in sent], [65535] * len(due))
                _, sent = self.released(40, 14, rate, qos, "--until", "120us", cell=cell)
                self.assertEqual([(frame.ns, frame.quanta[3]) for frame in sent],
                                 [(pfc_stamp(at, rate), 65535) for at in due if at < last] +
                                 [(pfc_stamp(last, rate), 0)])

    def test_offset(self):
        """Static limit 52 cells, offset 1920 B = 10 cells: XON at or below 42 cells: 80 - 2 k <= 42, k = 19.
        xon 46 cells wins over the offset: k = 17. Dynamic: pool of 100 cells, alpha 1, XOFF when
        2 n > 100 - 2 (n - 1): n = 26, own 50, then 14 in headroom; XON when own <= (100 - own) - 10, so
        own <= 45, 44 in packets: 78 - 2 k <= 44, k = 17 of 39 packets. Cell 128, 3 cells each: 78 - 15 = 63 and
        120 - 3 k <= 63: 19; 69: 17; pool 150: own 75, XON when own <= 67.5, 66 in packets: 117 - 3 k <= 66: 17."""
        cases = ((40, 19, group(static="10000B", headroom="6000B", **{"xon-offset": "1920B"}), {}),
                 (40, 17, group(static="10000B", headroom="6000B", xon="8832B", **{"xon-offset": "1920B"}), {}),
                 (39, 17, group(alpha=1, headroom="6000B", **{"xon-offset": "1920B"}),
                  {"pools": {"ingress-lossless": {"size": "19200B"}}}))
        runs = (192, "100G"), (192, "25G"), (128, "40G")
        for (count, k, qos, buffer), (cell, rate) in itertools.product(cases, runs):
            with self.subTest(count=count, k=k, qos=qos, cell=cell):
                for number, expected in ((k - 1, [65535]), (k, [65535, 0])):
                    _, sent = self.released(count, number, rate, qos, "--until", "150us", cell=cell, **buffer)
                    self.assertEqual([frame.quanta[3] for frame in sent], expected)

    def test_history(self):
        """How often, for how long, the last start and end of our own pauses. 40 packets of 2 cells: XOFF with the 27th
        at 27 us; swp2 sends from 100 us on: XON when 20 are left (7680 B), with the 20th release. From 200 us on more
        come, of which 6 find room: XOFF with the 7th at 207 us, which lasts."""
        for rate in ("100G", "400G"):
            xon_ps = self.START + 19 * slot_ps(300, rate)
            shots = (26_000, 28_000, 99_000, 150_000, 206_500, 240_000)
            again = {"at": f"{self.START + 20 * slot_ps(300, rate)}ps", "port": "swp2", "tx": "off"}
            events = frozen({"at": f"{self.START}ps", "port": "swp2", "tx": "on"}, again,
                            *({"at": f"{at}ns", "snapshot": "full"} for at in shots))
            qos = group(static="10000B", headroom="6000B", xon="7680B", **{"xon-offset": "none"})
            more = [(200_000 + ns, frame) for ns, frame in arrivals(10)]
            run = self.replay(switch(rate=rate, events=events, qos=qos), {"swp1": arrivals(40) + more},
                              "--until", "250us")
            run.assert_conserved()
            names = ("transitions", "pause_ns", "last_start_ns", "last_end_ns")
            seen = [tuple(run.snapshot(at).counters["ports"]["swp1"][f"pfc_tx_{name}"][3] for name in names) for at in shots]
            xon, whole = xon_ps // 1000, (xon_ps - 27 * 10**6) // 1000
            later = (xon_ps - 27 * 10**6 + 33 * 10**6) // 1000
            self.assertEqual(seen, [(0, 0, -1, -1), (1, 1000, 27_000, -1), (1, 72_000, 27_000, -1),
                                    (1, whole, 27_000, xon), (1, whole, 27_000, xon), (2, later, 207_000, xon)])

    def test_after_a_change(self):
        """XON is tested when settings change, too. 26 packets fill own, the 27th is lost without headroom, and
        its XOFF lasts until xon rises to what is held. With the 27th in headroom that is not enough."""
        settings = {"static": "10000B", "xon": "5000B", "xon-offset": "none"}
        for at in ("60us", "61us"):     # at and off a multiple of the longest window
            for headroom, expected in (("0B", [(27000, 65535), (int(at[:2]) * 1000, 0)]),
                                       ("600B", [(27000, 65535)])):
                events = frozen({"at": at, "set": "switch.qos.pg.3.xon", "to": "20000B"})
                run = self.replay(switch(events=events, qos=group(headroom=headroom, **settings)),
                                  {"swp1": arrivals(27)}, "--until", "100us")
                run.assert_conserved()
                self.assertEqual([(frame.ns, frame.quanta[3]) for frame in pfc_frames(run.sent["swp1"])],
                                 [(pfc_stamp(ns * 1000, "100G"), quanta) for ns, quanta in expected])
                self.assertEqual(run.drops, {"headroom": 1} if headroom == "0B" else {})


class Frames(Case):
    """What is in a frame, and when it may leave."""

    def test_bytes(self):
        """Destination 01:80:c2:00:00:01, our MAC, 0x8808, opcode 0x0101, the vector, eight quanta, 26 zeros."""
        own = "02:aa:bb:cc:dd:01"
        for number, quanta, rate in ((3, 65535, "100G"), (5, 0x1234, "800G")):
            maps = {"dscp-to-priority": {3: number}, "priority-to-pg": {number: 3}, "priority-to-tc": {number: 3}}
            qos = maps | {"pg": {3: {"static": "600B", "headroom": "6000B"}},
                          "pfc": {"priorities": [number], "quanta": quanta}}
            description = switch(ports={"swp1": {"mac": own}, "swp2": {}}, rate=rate, events=frozen(), qos=qos)
            frames = [(ns, frame.replace(mac(SWITCH_MAC), mac(own), 1)) for ns, frame in arrivals(5)]
            run = self.replay(description, {"swp1": frames}, "--until", "3400ns")
            times = b"".join(struct.pack(">H", quanta if i == number else 0) for i in range(8))
            self.assertEqual([packet.data.hex() for packet in run.sent["swp1"]],
                             [(mac("01:80:c2:00:00:01") + mac(own) + bytes.fromhex("88080101") +
                               struct.pack(">H", 1 << number) + times + bytes(26)).hex()])
            self.assertEqual(run.sent["swp1"][0].length, 60)
            self.assert_dissects(run.directory / "swp1.pcapng")

    def test_group_of_priorities(self):
        """A group of two PFC priorities and one that is not: both bits in each frame, and both in XON."""
        maps = {"priority-to-pg": {3: 3, 4: 3, 5: 3}, "priority-to-tc": {3: 3, 4: 3, 5: 3},
                "dscp-to-priority": {40: 5}}
        qos = maps | {"pg": {3: {"static": "600B", "headroom": "6000B", "xon": "600B", "xon-offset": "none"}},
                      "pfc": {"priorities": [3, 4]}}
        description = switch(events=frozen({"at": "20us", "port": "swp2", "tx": "on"}), qos=qos)
        run = self.replay(description, {"swp1": arrivals(5, dscp=40)})
        self.assertEqual([(frame.vector, frame.quanta) for frame in pfc_frames(run.sent["swp1"])],
                         [(0x18, [0, 0, 0, 65535, 65535, 0, 0, 0]), (0x18, [0] * 8)])
        self.assertEqual(run.port("swp1").priorities.pfc_tx, [0, 0, 0, 2, 2, 0, 0, 0])

    def test_one_instant_one_frame(self):
        """Groups 3 and 4 of swp1 drain at the same instant, by swp2 and swp3: one frame says XON of both. A
        third, of swp4's arrivals, is its own port's."""
        qos = {"priority-to-pg": {4: 4}, "priority-to-tc": {4: 4}, "pfc": {"priorities": [3, 4]},
               "tc": {4: {"pool": "egress-lossless", "alpha": "unlimited"}},
               "pg": {i: {"lossless": "true", "pool": "ingress-lossless", "static": "0B", "headroom": "6000B",
                          "xon-offset": "none"} for i in (3, 4)}}
        events = [{"at": at, "port": port, "tx": tx} for at, tx in (("0ns", "off"), ("20us", "on"))
                  for port in ("swp2", "swp3")]
        run = self.replay(switch(4, events=events, qos=qos),
                          {"swp1": [(1000, udp(*to("swp2"), dscp=3)), (2000, udp(*to("swp3"), dscp=4))],
                           "swp4": [(3000, udp(*to("swp3"), dscp=4))]})
        self.assertEqual([(frame.ns, frame.vector) for frame in pfc_frames(run.sent["swp1"])],
                         [(pfc_stamp(10**6, "100G"), 8), (pfc_stamp(2 * 10**6, "100G"), 16),
                          (pfc_stamp(20 * 10**6, "100G"), 24)])
        self.assertEqual([(frame.ns, frame.vector) for frame in pfc_frames(run.sent["swp4"])],
                         [(pfc_stamp(3 * 10**6, "100G"), 16),
                          (pfc_stamp(20 * 10**6 + slot_ps(300, "100G"), "100G"), 16)])

    def test_between_packets(self):
        """The transmitter of swp1 is busy when XOFF is due: PFC goes at the end of that packet and its gap,
        ahead of what waits there. At 25G a 1500 B packet takes 1524 x 320 ps."""
        back = [(2000, udp(*to("swp1"), size=1500, ident=i)) for i in range(5)]    # at one instant
        description = switch(rate="25G", ports={"swp1": {}, "swp2": {}, "swp3": {"rate": "400G"}},
                             events=frozen(), qos=group(static="960B", headroom="6000B"))
        run = self.replay(description, {"swp1": arrivals(3), "swp3": back}, "--until", "20us")
        slot = slot_ps(1500, "25G")     # 487.68 ns; the third packet came at 3 us, within the third slot
        begin = 2000000 + 3 * slot
        kinds = [packet.data[12:14] == b"\x88\x08" for packet in run.sent["swp1"]]
        self.assertEqual(kinds, [False] * 3 + [True] + [False] * 2)
        self.assertEqual([packet.ns for packet in run.sent["swp1"]],
                         [(2000000 + i * slot + frame_ps(1500, "25G")) // 1000 for i in range(3)] +
                         [pfc_stamp(begin, "25G")] +
                         [(begin + slot_ps(60, "25G") + i * slot + frame_ps(1500, "25G")) // 1000
                          for i in range(2)])

    def test_never_paused(self):
        """The far side of swp1 pauses all priorities: XOFF goes out all the same."""
        run = self.replay(switch(events=frozen(), qos=group(static="600B", headroom="6000B")),
                          {"swp1": [(100, pfc({i: 65535 for i in range(8)}))] + arrivals(5)}, "--until", "10us")
        self.assertEqual([frame.ns for frame in pfc_frames(run.sent["swp1"])], [pfc_stamp(2 * 10**6, "100G")])


if __name__ == "__main__":
    unittest.main()
