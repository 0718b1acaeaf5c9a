# SPDX-License-Identifier: BSD-3-Clause
"""Which queue of a port sends next: strict classes first, then deficit round robin by bytes.

All packets wait in swp2, frozen; while two queues both have something their shares are measured.
"""
import unittest

from common import *

RELEASE = 1500  # us
DSCPS = {0: 0, 3: 3, 6: 48}     # queue: a DSCP of it in ROOMY


def waiting(streams, first_ns=1000):
    """streams: {queue: (count, size)}; identification tells the queue's packets apart."""
    packets = [(queue, size, i) for queue, (count, size) in streams.items() for i in range(count)]
    return [(first_ns + 100 * k, udp(*to("swp2"), size=size, dscp=DSCPS[queue], ident=i))
            for k, (queue, size, i) in enumerate(packets)]


def released(*more):
    return [{"at": "0us", "port": "swp2", "tx": "off"}, {"at": f"{RELEASE}us", "port": "swp2", "tx": "on"}, *more]


def weights(**of):
    return {"tc": {int(queue[1:]): {"weight": weight} for queue, weight in of.items()}}


class Scheduler(Case):
    def run_all(self, description, packets, rate="100G"):
        run = self.replay(description, {"swp1": packets})
        run.assert_conserved()
        self.assertEqual((run.drops, len(run.sent["swp2"])), ({}, len(packets)))
        queues = {dscp: queue for queue, dscp in DSCPS.items()}
        sent = [(queues[dscp_of(packet.data)], packet) for packet in run.sent["swp2"]]
        for queue in DSCPS:     # first in, first out
            idents = [ip_ident(packet.data) for of, packet in sent if of == queue]
            self.assertEqual(idents, list(range(len(idents))))
        # Whoever sends, the line is never idle.
        free = RELEASE * 10**6
        for _, packet in sent:
            self.assertEqual(packet.ns, (free + frame_ps(packet.length, rate)) // 1000)
            free += slot_ps(packet.length, rate)
        return sent

    def bytes_while_both(self, sent, *queues):
        """Bytes of each queue until one of them has sent its last packet."""
        last = min(max(i for i, (queue, _) in enumerate(sent) if queue == one) for one in queues)
        return [sum(packet.length for queue, packet in sent[:last + 1] if queue == one) for one in queues]

    def test_by_bytes(self):
        """Weights 50 and 50, 300 B against 1500 B: half of the bytes each, to 2 %."""
        for cell, rate, sizes in ((192, "100G", (300, 1500)), (192, "100G", (1500, 300)), (192, "100G", (64, 1500)),
                                  (1, "25G", (300, 1500)), (128, "400G", (300, 1500)), (192, "800G", (1000, 1000))):
            with self.subTest(cell=cell, rate=rate, sizes=sizes):
                counts = [600000 // size for size in sizes]
                packets = waiting({0: (counts[0], sizes[0]), 3: (counts[1], sizes[1])})
                sent = self.run_all(switch(rate=rate, buffer={"cell": cell}, events=released()), packets, rate)
                of0, of3 = self.bytes_while_both(sent, 0, 3)
                self.assertAlmostEqual(of0 / (of0 + of3), 0.5, delta=0.01)

    def test_by_weight(self):
        """Weights w and v: the bytes stand as they do, to 2 %."""
        for first, second, rate in ((10, 30, "100G"), (14, 15, "25G"), (1, 4, "400G"), (90, 10, "800G")):
            sent = self.run_all(switch(rate=rate, events=released(), qos=weights(q0=first, q3=second)),
                                waiting({0: (4000, 1000), 3: (8000, 500)}), rate)
            of0, of3 = self.bytes_while_both(sent, 0, 3)
            self.assertAlmostEqual(of0 / of3 / (first / second), 1, delta=0.02)

    def test_strict(self):
        """What is strict gets all: it goes first as it waits, and each that comes later is next."""
        for rate, cell in (("100G", 192), ("25G", 1), ("400G", 128)):
            packets = waiting({0: (300, 1000), 6: (50, 300), 3: (300, 1000)})
            sent = self.run_all(switch(rate=rate, buffer={"cell": cell}, events=released()), packets, rate)
            self.assertEqual([queue for queue, _ in sent[:50]], [6] * 50)
            packets = waiting({0: (300, 1000), 3: (300, 1000)})
            slot = slot_ps(1000, rate)
            late = [(RELEASE * 1000 + 500 * (i + 1), udp(*to("swp2"), size=300, dscp=48, ident=i)) for i in range(20)]
            sent = self.run_all(switch(rate=rate, buffer={"cell": cell}, events=released()), packets + late, rate)
            for (ns, _), packet in zip(late, [packet for queue, packet in sent if queue == 6]):
                # Behind the packet that is being sent when it comes.
                self.assertLessEqual(packet.ns * 1000 - ns * 1000, slot + frame_ps(300, rate))
                self.assertGreaterEqual(packet.ns * 1000 + 1000 - ns * 1000, frame_ps(300, rate))

    def test_two_strict(self):
        """Of two strict classes the higher goes first."""
        sent = self.run_all(switch(events=released(), qos={"tc": {3: {"scheduler": "strict"}}}),
                            waiting({0: (20, 500), 3: (30, 500), 6: (40, 500)}))
        self.assertEqual([queue for queue, _ in sent], [6] * 40 + [3] * 30 + [0] * 20)

    def test_weights_changed(self):
        """1:1, from 20 us after the release on 1:3 (25G: 80 us). Both queues then hold 1000 B packets; a round
        takes 4608 + 4608 B (1:1) or 4608 + 13824 B: within 20 slots (18.4 packets and what was begun) the
        shares are the new ones."""
        for rate, after in (("100G", 20000), ("25G", 80000)):
            with self.subTest(rate=rate):
                at = RELEASE * 1000 + after
                change = {"at": f"{at}ns", "set": "switch.qos.tc.3.weight", "to": "150"}
                sent = self.run_all(switch(rate=rate, events=released(change)),
                                    waiting({0: (800, 1000), 3: (800, 1000)}), rate)

                def share(begin, end):
                    of = [queue for queue, packet in sent if begin <= packet.ns < end]
                    return of.count(3) / len(of)

                self.assertAlmostEqual(share(at - after, at), 0.5, delta=0.02)
                settled = at + 20 * slot_ps(1000, rate) // 1000
                self.assertAlmostEqual(share(settled, settled + 2 * after), 0.75, delta=0.015)

    def test_one_held(self):
        """A paused class leaves the line to the other and is owed nothing for it."""
        pause = {"at": f"{RELEASE}us", "port": "swp2", "pfc": {"priorities": [3], "quanta": 4000}}    # 20.48 us
        sent = self.run_all(switch(events=released(pause)), waiting({0: (800, 1000), 3: (400, 1000)}))
        end = RELEASE * 1000 + 20480
        during = [queue for queue, packet in sent if packet.ns <= end]
        self.assertEqual(set(during), {0})
        after = [queue for queue, packet in sent if end < packet.ns <= end + 30000]
        self.assertAlmostEqual(after.count(3) / len(after), 0.5, delta=0.02)

    def test_one_queue_frozen(self):
        """An event may freeze one queue alone."""
        freeze = [{"at": at, "port": "swp2", "tx": tx, "queue": 3} for at, tx in (("0us", "off"), ("100us", "on"))]
        packets = waiting({3: (20, 500), 0: (20, 500)})
        run = self.replay(switch(events=freeze), {"swp1": packets})
        run.assert_conserved()
        sent = [(dscp_of(packet.data), packet.ns) for packet in run.sent["swp2"]]
        self.assertEqual([dscp for dscp, _ in sent], [0] * 20 + [3] * 20)
        self.assertEqual([ns for _, ns in sent[:20]], [ns + frame_ps(500, "100G") // 1000 for ns, _ in packets[20:]])
        self.assertEqual(sent[20][1], 100000 + frame_ps(500, "100G") // 1000)


if __name__ == "__main__":
    unittest.main()
