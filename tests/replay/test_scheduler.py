# SPDX-License-Identifier: BSD-3-Clause
"""Which queue of a port sends next: strict classes first, then deficit round robin by bytes.

All packets wait in swp2, frozen; while two queues both have something their shares are measured.
"""
import unittest

from common import *

RELEASE = 1_500_000     # ns


def released(*more):
    return hold("swp2", until=f"{RELEASE}ns") + list(more)


def weights(**of):
    return {"tc": {int(queue[1:]): {"weight": weight} for queue, weight in of.items()}}


class Scheduler(Case):
    def run_all(self, description, packets, rate="100G"):
        run = self.replay(description, {"swp1": packets})
        run.assert_conserved()
        self.assertEqual((run.drops, len(run.sent["swp2"])), ({}, len(packets)))
        sent = by_queue(run.sent["swp2"])
        for queue in DSCP_OF_QUEUE:     # first in, first out
            idents = [ip_ident(packet.data) for of, packet in sent if of == queue]
            self.assertEqual(idents, list(range(len(idents))))
        # Whoever sends, the line is never idle.
        free = RELEASE * 1000
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
            late = [(RELEASE + 500 * (i + 1), udp(*to("swp2"), size=300, dscp=48, ident=i)) for i in range(20)]
            sent = self.run_all(switch(rate=rate, buffer={"cell": cell}, events=released()), packets + late, rate)
            for (ns, _), packet in zip(late, [packet for queue, packet in sent if queue == 6]):
                # Behind the packet that is being sent when it comes.
                self.assertLessEqual(packet.ns * 1000 - ns * 1000, slot + frame_ps(300, rate))
                self.assertGreaterEqual(packet.ns * 1000 + 1000 - ns * 1000, frame_ps(300, rate))

    def test_two_strict(self):
        """Of two strict classes the higher goes first."""
        for rate, cell in (("100G", 192), ("800G", 128)):
            sent = self.run_all(switch(rate=rate, events=released(), buffer={"cell": cell},
                                       qos={"tc": {3: {"scheduler": "strict"}}}),
                                waiting({0: (20, 500), 3: (30, 500), 6: (40, 500)}), rate)
            self.assertEqual([queue for queue, _ in sent], [6] * 40 + [3] * 30 + [0] * 20)

    LEAST = 4608    # bytes: the turn of the least weight, of those that have no common divisor

    def assert_weights(self, sent, first, second):
        """While both send, their bytes stand as first to second at every instant, to a turn and the packets, of 1000
        B, at its ends: what one is ahead never adds up."""
        ahead, seen = 0, [0]
        for queue, packet in sent:
            ahead += packet.length * first if queue == 3 else -packet.length * second
            seen.append(ahead)
        turn = self.LEAST * max(first, second)
        self.assertLessEqual(max(seen) - min(seen), turn + 2 * 1000 * (first + second))
        self.assertGreater(len(sent), 10 * (first + second) * self.LEAST / 1000)

    def test_weights_changed(self):
        """From v:w to x:y while both have 1000 B packets: when the round under way has ended (a turn is 4608 B for a
        weight of 1: so many packets, and one that had begun) the new weights hold, to the turn."""
        for rate, cell, old, new in (("100G", 192, (1, 1), (1, 3)), ("25G", 1, (1, 3), (3, 1)),
                                     ("400G", 128, (2, 1), (1, 2)), ("800G", 192, (1, 4), (1, 1))):
            with self.subTest(rate=rate, old=old, new=new):
                slot = slot_ps(1000, rate)
                at = RELEASE * 1000 + 400 * slot
                change = [{"at": f"{at}ps", "set": f"switch.qos.tc.{tc}.weight", "to": f"{20 * weight}"}
                          for tc, weight in zip((0, 3), new)]
                sent = self.run_all(switch(rate=rate, buffer={"cell": cell}, events=released(*change),
                                           qos=weights(q0=20 * old[0], q3=20 * old[1])),
                                    waiting({0: (1000, 1000), 3: (1000, 1000)}), rate)
                both = min(max(i for i, (queue, _) in enumerate(sent) if queue == one) for one in (0, 3))
                settled = 400 + sum(old) * self.LEAST // 1000 + 2
                self.assert_weights(sent[:400], *old)
                self.assert_weights(sent[settled:both], *new)

    def ports_that_differ(self, qos, *events):
        """The queues of all packets, in the order in which they left swp2 and swp3: the same waits in both."""
        packets = {port: [(ns, udp(*to(port), size=1000, dscp=dscp)) for ns, dscp in
                          [(1000 + 200 * i + of, dscp) for i in range(60) for of, dscp in ((0, 0), (100, 26))]]
                   for port in ("swp2", "swp3")}
        run = self.replay(switch(3, events=hold("swp2", "swp3", until="20us") + list(events), qos=qos),
                          {"swp1": merged(packets["swp2"], packets["swp3"])})
        run.assert_conserved()
        return [[{0: 0, 26: 3}[dscp_of(packet.data)] for packet in run.sent[port]] for port in ("swp2", "swp3")]

    def test_one_port_s_weights(self):
        """Of equal weights elsewhere, 30 to 10 at one port, and strict at another: a turn of the least is 4608 B, or
        three times that, and what is left of it counts in the next."""
        plain, own = self.ports_that_differ({"ports": {"swp3": {"tc": {3: {"weight": 30}, 0: {"weight": 10}}}}})
        self.assertEqual(plain[:26], [3] * 4 + [0] * 4 + [3] * 5 + [0] * 5 + [3] * 4 + [0] * 4)
        self.assertEqual(own[:36], [3] * 13 + [0] * 4 + [3] * 14 + [0] * 5)
        plain, own = self.ports_that_differ({"ports": {"swp2": {"tc": {3: {"scheduler": "strict"}}}}})
        self.assertEqual(plain, [3] * 60 + [0] * 60)
        self.assertEqual(own[:8], [3] * 4 + [0] * 4)

    def test_one_port_s_scheduler_changed(self):
        """A port gets settings of its own while it sends, and is like the others again once they are removed."""
        slot = slot_ps(1000, "100G")
        tell = {"at": f"{20_000_000 + 10 * slot}ps", "set": "switch.qos.ports.swp3.tc.3.scheduler", "to": "strict"}
        back = {"at": f"{20_000_000 + 30 * slot}ps", "unset": "switch.qos.ports.swp3.tc.3"}
        plain, own = self.ports_that_differ({}, tell, back)
        self.assertEqual(plain[:13], [3] * 4 + [0] * 4 + [3] * 5)
        self.assertEqual(own[:10], plain[:10])
        self.assertEqual(own[11:30], [3] * 19)
        self.assertIn(0, own[31:40])

    def test_one_held(self):
        """A paused class leaves the line to the other and is owed nothing for it."""
        for rate, quanta in (("100G", 4000), ("400G", 16000)):      # 20.48 us
            pause = {"at": f"{RELEASE}ns", "port": "swp2", "pfc": {"priorities": [3], "quanta": quanta}}
            count = 200 * GBIT[rate] // 100
            sent = self.run_all(switch(rate=rate, events=released(pause)),
                                waiting({0: (4 * count, 1000), 3: (2 * count, 1000)}), rate)
            end = RELEASE + 20480
            self.assertEqual({queue for queue, packet in sent if packet.ns <= end}, {0})
            after = [queue for queue, packet in sent if end < packet.ns <= end + 30000]
            self.assertAlmostEqual(after.count(3) / len(after), 0.5, delta=0.02)

    def test_held_again_and_again(self):
        """A class that a rate holds after each of its packets saves nothing up: three classes of equal weight, one of
        them at a tenth of the line; when its rate is lifted after 200 us, each has a third at once."""
        for rate, slow, cell in (("100G", "10G", 192), ("400G", "40G", 1)):
            with self.subTest(rate=rate):
                count = 2000 * GBIT[rate] // 100
                packets = merged(*(stream(count, dscp, 100, 10, size=1000) for dscp in (3, 4, 0)))
                lift = {"at": "300us", "set": "switch.qos.tc.4.max-rate", "to": "none"}
                qos = {"tc": {4: {"scheduler": "dwrr", "weight": 50, "pool": "egress-lossy", "alpha": "unlimited",
                                  "ecn": "off", "max-rate": slow}}, "priority-to-tc": {4: 4}}
                run = self.replay(switch(rate=rate, buffer={"cell": cell}, qos=qos, events=hold("swp2", until="100us") +
                                         [lift]), {"swp1": packets})
                after = [dscp_of(packet.data) for packet in run.sent["swp2"] if packet.ns > 300000]
                last = max(i for i, dscp in enumerate(after) if dscp == 3)
                self.assertGreater(last, 20)
                for dscp in (0, 3, 4):
                    self.assertAlmostEqual(after[:last].count(dscp), last / 3, delta=3 * self.LEAST // 1000)

    def test_sent_outside_turns(self):
        """Large and small packets by turns in one class; large ones in the other. What is sent outside its turns (by a
        promised rate that is less than its share, or because the other is paused) takes nothing of them, whatever
        packet it leaves at the head: the class has its share at the least, to 2 %."""
        pauses = [{"at": f"{RELEASE + i * 500}ns", "port": "swp2", "pfc": {"priorities": [3], "quanta": 40}}
                  for i in range(300)]    # 40 quanta are 205 ns at 100G
        for mine, others, least, events in ((70, 30, "30G", []), (50, 50, "20G", []), (90, 10, "none", pauses)):
            with self.subTest(mine=mine, least=least):
                packets = merged(stream(1500, 0, 1000, 400, size=1500), stream(1500, 0, 1100, 400, size=64),
                                 stream(1500, 3, 1200, 400, size=1500))
                qos = merge(weights(q0=mine, q3=others), {"tc": {0: {"min-rate": least}}})
                ports = {"swp1": {"mtu": 1500}, "swp2": {"mtu": 1500}}    # bursts of one packet
                run = self.replay(switch(ports, events=released(*events), qos=qos), {"swp1": packets})
                sent = [packet for packet in run.sent["swp2"] if packet.ns < RELEASE + 120_000]
                share = sum(packet.length for packet in sent if dscp_of(packet.data) == 0) / \
                    sum(packet.length for packet in sent)
                self.assertGreater(share, mine / 100 - 0.02)
                self.assertLess(share, mine / 100 + 0.07)

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
