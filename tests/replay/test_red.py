# SPDX-License-Identifier: BSD-3-Clause
"""Random early detection: where a queue would mark a packet that is ECT, it drops one that is not.

At dequeue, by the same depth and the same draw. A dropped packet takes no time on the wire: the next is
looked at at that very instant. n packets of p cells wait in swp2; (n - k) p cells are behind packet k.
"""
import unittest

from common import *

RELEASE = 400_000   # ns


def queued(count, ecns=(0,), size=1000, dscp=0):
    return stream(count, dscp, 200, 200, size=size, ecns=ecns)


def detecting(cell=192, rate="100G", red="on", traffic_class=0, events=(), **ecn):
    frozen = [{"at": at, "port": "swp2", "tx": tx} for at, tx in (("0us", "off"), (f"{RELEASE}ns", "on"))]
    return switch(rate=rate, buffer={"cell": cell}, events=frozen + list(events),
                  qos={"tc": {traffic_class: {"ecn": ecn, "red": red}}})


class Red(Case):
    def outcome(self, description, packets, rate="100G", traffic_class=0):
        """(marked, dropped), by identification; counters and captures must agree, and the line never rests."""
        run = self.replay(description, {"swp1": packets})
        run.assert_conserved()
        before = {ip_ident(frame): ecn_of(frame) for _, frame in packets}
        dropped = [ip_ident(packet.data) for packet in run.dropped]
        marked = [ip_ident(packet.data) for packet in run.sent["swp2"]
                  if ecn_of(packet.data) != before[ip_ident(packet.data)]]
        queue = run.port("swp2").queue(traffic_class).counters
        self.assertEqual((queue["ecn_marked"], queue["dropped"], queue["red_dropped"], queue["packets"]),
                         (len(marked), len(dropped), len(dropped), len(packets) - len(dropped)))
        self.assertEqual(run.drops, {"red": len(dropped)} if dropped else {})
        self.assertEqual(run.port("swp1").drops, run.drops)
        self.assertEqual(sum(group["dropped"] for group in run.port("swp1").counters["pg"]), 0)
        kept = [i for i in range(len(packets)) if i not in set(dropped)]
        self.assertEqual([ip_ident(packet.data) for packet in run.sent["swp2"]], kept)
        slot = slot_ps(len(packets[0][1]), rate)
        self.assertEqual([packet.ns for packet in run.sent["swp2"]],
                         [(RELEASE * 1000 + i * slot + frame_ps(len(packets[0][1]), rate)) // 1000
                          for i in range(len(kept))])
        return run, marked, dropped

    # Cell, rate, and the last packet of 200 x 1000 B with more than 20 KB behind it: cell 1: (200 - k) 1000 >
    # 20000: 179; cell 192: 6 (200 - k) > 104 (104.2): 182; cell 128: 8 (200 - k) > 156 (156.25): 180.
    STEPS = ((1, "25G", 179), (192, "100G", 182), (128, "400G", 180), (1, "800G", 179))

    def test_step(self):
        """min = max = 20 KB: all that is not ECT goes until no more than that is behind; what is ECT is marked and
        CE stays. Without `red` nothing is dropped."""
        for cell, rate, last in self.STEPS:
            for traffic_class, dscp in ((0, 0), (3, 3)):
                with self.subTest(cell=cell, rate=rate, traffic_class=traffic_class):
                    packets = queued(200, (0, 1, 2, 3), dscp=dscp)
                    _, marked, dropped = self.outcome(
                        detecting(cell, rate, traffic_class=traffic_class, min="20KB", max="20KB"), packets, rate,
                        traffic_class)
                    self.assertEqual(dropped, [i for i in range(last) if i % 4 == 0])
                    self.assertEqual(marked, [i for i in range(last) if i % 4 in (1, 2)])
                    _, marked, dropped = self.outcome(
                        detecting(cell, rate, "off", traffic_class, min="20KB", max="20KB"), packets, rate,
                        traffic_class)
                    self.assertEqual((len(marked), dropped), (len([i for i in range(last) if i % 4 in (1, 2)]), []))

    def test_all_at_one_instant(self):
        """Nothing is ECT: packets 1 to `last` are dropped at the instant of the release, with the depth that each
        left behind; then the rest leave."""
        for cell, rate, last in self.STEPS:
            with self.subTest(cell=cell, rate=rate):
                run, _, dropped = self.outcome(detecting(cell, rate, min="20KB", max="20KB"), queued(200), rate)
                self.assertEqual(dropped, list(range(last)))
                p = cells(1000, cell) * cell
                self.assertEqual([(packet.ns, packet.comment) for packet in run.dropped],
                                 [(RELEASE, f"reason=red port=swp1 priority=0 depth={(199 - k) * p}")
                                  for k in range(last)])

    def test_same_draw(self):
        """On the ramp chance decides: what is marked when all are ECT is what is dropped when none is."""
        for cell, rate in ((1, "100G"), (192, "400G")):
            line = {"min": "20KB", "max": "300KB", "probability": "60%"}
            _, marked, none = self.outcome(detecting(cell, rate, **line), queued(300, (2,)), rate)
            _, unmarked, dropped = self.outcome(detecting(cell, rate, **line), queued(300, (0,)), rate)
            self.assertEqual((none, unmarked, dropped), ([], [], marked))
            self.assertGreater(len(marked), 40)     # about 300 x 0.3

    def test_releases(self):
        """What is dropped is given back at that instant: a lossless group in XOFF goes XON there. 30 packets of 6
        cells; XOFF above 104 cells (17 packets), XON at 52 (9990 B): 8 packets are left when (30 - k) 6 <= 52,
        k = 22, all of them dropped at the release (min = max = 1 KB)."""
        for rate in ("100G", "400G"):
            description = detecting(192, rate, traffic_class=3, min="1KB", max="1KB")
            description["switch"] = merge(description["switch"], {"qos": {"pg": {3: {
                "static": "20KB", "headroom": "40KB", "xon": "9990B", "xon-offset": "none"}}}})
            run, _, dropped = self.outcome(description, queued(30, dscp=3), rate, 3)
            self.assertEqual(dropped, list(range(29)))
            self.assertEqual([(frame.ns, frame.quanta[3]) for frame in pfc_frames(run.sent["swp1"])][-1],
                             (pfc_stamp(RELEASE * 1000, rate), 0))

    def test_live(self):
        """Switched on and off while packets leave: only what leaves in between is dropped, nothing else lost."""
        slot = slot_ps(1000, "100G")
        on, off = RELEASE * 1000 + 30 * slot, RELEASE * 1000 + 60 * slot
        events = [{"at": f"{at}ps", "set": "switch.qos.tc.0.red", "to": to_} for at, to_ in ((on, "on"), (off, "off"))]
        packets = queued(200, (0, 2))
        _, marked, dropped = self.outcome(detecting(1, red="off", events=events, min="20KB", max="20KB"), packets)
        # 30 have left when it is switched on; then each second one is dropped, so 30 leave of the next 60.
        self.assertEqual(dropped, list(range(30, 90, 2)))
        self.assertEqual(marked, list(range(1, 179, 2)))


if __name__ == "__main__":
    unittest.main()
