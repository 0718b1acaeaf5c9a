# SPDX-License-Identifier: BSD-3-Clause
"""Rates that a queue is held to (max-rate) or promised (min-rate), and a port's own.

They count a frame's bytes without FCS. When a packet of b bytes begins at t, the time until which its rate
holds the queue moves on by b bytes' time, from t less the time of one largest frame if it was before that:
so much may be made up for, no more. Pauses hold whatever is promised.
"""
import unittest

from common import *

RELEASE = 1_500_000     # ns; all that waits in swp2 goes from here on
LARGEST = 1514          # frame: the ports' MTU is 1500
PORTS = {"swp1": {"mtu": 1500}, "swp2": {"mtu": 1500}}


def released(*more):
    return hold("swp2", until=f"{RELEASE}ns") + list(more)


class Bucket:
    """A rate, in ps: when the next packet may begin."""

    def __init__(self, gbit, largest=LARGEST):
        self.byte = 8000 // gbit
        assert self.byte * gbit == 8000
        self.burst, self.until = largest * self.byte, 0

    def begin(self, at, size):
        self.until = max(self.until, at - self.burst) + size * self.byte


class Rates(Case):
    def sent(self, description, packets, *options, **inputs):
        run = self.replay(description, {"swp1": packets} | inputs, *options)
        run.assert_conserved()
        self.assertEqual((run.drops, len(without_pfc(run.sent["swp2"]))), ({}, len(packets)))
        return run, by_queue(without_pfc(run.sent["swp2"]))

    def rate_of(self, sent, queue, rate, begin, end):
        """Gb/s of a queue's frames that began in [begin, end) ns."""
        total = sum(packet.length for of, packet in sent
                    if of == queue and begin <= packet.ns - frame_ps(packet.length, rate) // 1000 < end)
        return total * 8 / (end - begin)

    def test_maximum_exact(self):
        """One queue, always something in it: first what a burst allows at line rate, then a packet each s bytes'
        time of its rate; each start is as the rule says, to the ps."""
        for rate, most, cell in (("100G", 10, 192), ("100G", 40, 1), ("400G", 50, 128), ("800G", 100, 192),
                                 ("25G", 8, 192)):
            for size in (300, 1000, 1514):
                with self.subTest(rate=rate, most=most, size=size):
                    description = switch(PORTS, rate, released(), buffer={"cell": cell},
                                         qos={"tc": {0: {"max-rate": f"{most}G"}}})
                    _, sent = self.sent(description, waiting({0: (200, size)}))
                    bucket, free, expected = Bucket(most), RELEASE * 1000, []
                    for _ in range(200):
                        at = max(free, bucket.until)
                        bucket.begin(at, size)
                        expected.append((at + frame_ps(size, rate)) // 1000)
                        free = at + slot_ps(size, rate)
                    assert_series(self, [packet.ns for _, packet in sent], expected)
                    # A largest frame ahead at the start, then s bytes each s bytes' time.
                    self.assertEqual(expected[-1], (RELEASE * 1000 - LARGEST * bucket.byte + 199 * size * bucket.byte +
                                                    frame_ps(size, rate)) // 1000)

    def test_maximum_to_one_percent(self):
        """Rates of no whole number of ps a byte, and mixed sizes."""
        for rate, most, cell in (("100G", 7, 192), ("100G", 33, 1), ("400G", 90, 128), ("800G", 300, 192)):
            with self.subTest(rate=rate, most=most):
                frames = [(1000 + 100 * i, udp(*to("swp2"), size=(64, 1500, 577)[i % 3])) for i in range(3000)]
                description = switch(PORTS, rate, released(), buffer={"cell": cell},
                                     qos={"tc": {0: {"max-rate": f"{most}G"}}})
                _, sent = self.sent(description, frames)
                end = sent[-1][1].ns
                self.assertAlmostEqual(self.rate_of(sent, 0, rate, RELEASE, end) / most, 1, delta=0.01)

    def test_maximum_leaves_the_rest(self):
        """A strict class held to 20G of 100G (80G of 400G): it goes first, and what it may not take the others
        get by their weights; the line is never idle."""
        for rate, most in (("100G", 20), ("400G", 80)):
            with self.subTest(rate=rate):
                description = switch(PORTS, rate, released(), qos={"tc": {6: {"max-rate": f"{most}G"}}})
                _, sent = self.sent(description, waiting({6: (500, 1000), 3: (2000, 1000), 0: (2000, 500)}))
                for (_, packet), (_, after) in zip(sent, sent[1:]):
                    self.assertLessEqual(abs(after.ns - packet.ns - (GAP + PREAMBLE + after.length + FCS) *
                                             byte_ps(rate) / 1000), 1)
                end = RELEASE + 400 * 1000 * 8 // most
                self.assertAlmostEqual(self.rate_of(sent, 6, rate, RELEASE, end) / most, 1, delta=0.01)
                shares = [self.rate_of(sent, queue, rate, RELEASE, end) for queue in (0, 3)]
                self.assertAlmostEqual(shares[0] / shares[1], 1, delta=0.04)

    def test_both_held(self):
        """Queues held to 10G and 30G of 100G: each gets its own, and the line rests."""
        tcs = {"tc": {0: {"max-rate": "10G"}, 3: {"max-rate": "30G"}}}
        _, sent = self.sent(switch(PORTS, events=released(), qos=tcs), waiting({0: (300, 1000), 3: (900, 1000)}))
        end = RELEASE + 200_000
        for queue, most in ((0, 10), (3, 30)):
            self.assertAlmostEqual(self.rate_of(sent, queue, "100G", RELEASE, end) / most, 1, delta=0.01)

    def test_minimum_exact(self):
        """Class 0 is promised 20G of 100G (100G of 400G) and strict class 6 has always something: class 0 goes
        whenever it is behind its promise, at no other time. Every packet's turn is as the rule says."""
        for rate, least, cell, sizes in (("100G", 20, 192, (1000, 1000)), ("100G", 20, 1, (300, 1500)),
                                         ("400G", 100, 128, (1500, 300))):
            with self.subTest(rate=rate, sizes=sizes):
                size0, size6 = sizes
                streams = {0: (300, size0), 6: (3000 * 1000 // size6, size6)}
                description = switch(PORTS, rate, released(), buffer={"cell": cell},
                                     qos={"tc": {0: {"min-rate": f"{least}G"}}})
                _, sent = self.sent(description, waiting(streams))
                assert_series(self, [(queue, packet.ns) for queue, packet in sent],
                              self.turns(streams, {0: Bucket(least)}, rate))
                last = max(packet.ns for queue, packet in sent if queue == 0)
                seconds = last - RELEASE    # less what may go ahead at the start
                self.assertAlmostEqual((300 * size0 - LARGEST) * 8 / seconds / least, 1, delta=0.01)

    @staticmethod
    def turns(streams, promised, rate):
        """(queue, stamp) of every packet, of promised queues and strict class 6, all waiting from the start: at
        each end of a packet the highest that is behind its promise goes, else the highest there is."""
        left, free, order = {queue: count for queue, (count, _) in streams.items()}, RELEASE * 1000, []
        while any(left.values()):
            behind = [queue for queue in promised if left[queue] and promised[queue].until <= free]
            queue = max(behind or [queue for queue in left if left[queue]])
            size = streams[queue][1]
            if queue in promised:
                promised[queue].begin(free, size)
            order.append((queue, (free + frame_ps(size, rate)) // 1000))
            free += slot_ps(size, rate)
            left[queue] -= 1
        return order

    def test_minimum_of_a_weak_class(self):
        """Weights 1 and 99 would give class 0 1 %; promised 30 % it has 30 % of the line's bytes and class 3 the
        rest."""
        tcs = {"tc": {0: {"weight": 1, "min-rate": "30G"}, 3: {"weight": 99}}}
        _, sent = self.sent(switch(PORTS, events=released(), qos=tcs), waiting({0: (1000, 1000), 3: (2000, 1000)}))
        end = RELEASE + 200_000
        self.assertAlmostEqual(self.rate_of(sent, 0, "100G", RELEASE, end) / 30, 1, delta=0.02)
        line = 100 * 1000 / 1024
        self.assertAlmostEqual(self.rate_of(sent, 3, "100G", RELEASE, end) / (line - 30), 1, delta=0.02)

    def test_two_promises(self):
        """Of two classes that are behind the higher goes first: 0 and 3 are promised 40G each of 100G beside a
        flood of strict class 6 and have it, in the order that the rule gives."""
        for rate, least in (("100G", 40), ("400G", 100)):
            with self.subTest(rate=rate):
                tcs = {"tc": {0: {"min-rate": f"{least}G"}, 3: {"min-rate": f"{least}G", "scheduler": "strict"}}}
                streams = {0: (800, 1000), 3: (800, 500), 6: (1000, 1000)}
                _, sent = self.sent(switch(PORTS, rate, released(), qos=tcs), waiting(streams))
                assert_series(self, [(queue, packet.ns) for queue, packet in sent],
                              self.turns(streams, {0: Bucket(least), 3: Bucket(least)}, rate))
                end = RELEASE + 60_000 * 40 // least
                for queue in (0, 3):
                    self.assertAlmostEqual(self.rate_of(sent, queue, rate, RELEASE, end) / least, 1, delta=0.02)

    def test_pauses_hold(self):
        """A promise is no way round a pause: class 3 rests for 1000 quanta, then makes up for a largest frame."""
        for rate in ("100G", "400G"):
            with self.subTest(rate=rate):
                pause = {"at": f"{RELEASE}ns", "port": "swp2", "pfc": {"priorities": [3], "quanta": 1000}}
                description = switch(PORTS, rate, released(pause), qos={"tc": {3: {"min-rate": "20G"}}})
                _, sent = self.sent(description, waiting({3: (50, 1000), 6: (1000, 1000)}))
                end = (RELEASE * 1000 + quanta_ps(1000, rate)) // 1000
                first = min(packet.ns for queue, packet in sent if queue == 3)
                self.assertGreaterEqual(first, end)
                self.assertLessEqual(first, end + 2 * slot_ps(1000, rate) // 1000)

    def test_port_exact(self):
        """The port's own rate holds all its queues together, by the same rule; the order within is the
        scheduler's. For all ports, or for one (`qos.ports`), whose own word counts."""
        for rate, most, cell, qos in (("100G", 40, 192, {"port": {"max-rate": "40G"}}),
                                      ("400G", 100, 128, {"ports": {"swp2": {"max-rate": "100G"}}}),
                                      ("100G", 50, 1, {"port": {"max-rate": "10G"},
                                                       "ports": {"swp2": {"max-rate": "50G"}}})):
            with self.subTest(rate=rate, most=most):
                _, sent = self.sent(switch(PORTS, rate, released(), qos=qos, buffer={"cell": cell}),
                                    waiting({0: (200, 1000), 6: (100, 500), 3: (200, 1000)}))
                bucket, free, expected = Bucket(most), RELEASE * 1000, []
                for _, packet in sent:
                    at = max(free, bucket.until)
                    bucket.begin(at, packet.length)
                    expected.append((at + frame_ps(packet.length, rate)) // 1000)
                    free = at + slot_ps(packet.length, rate)
                assert_series(self, [packet.ns for _, packet in sent], expected)
                self.assertEqual([queue for queue, _ in sent[:100]], [6] * 100)
                counts = [sum(1 for queue, _ in sent[100:300] if queue == one) for one in (0, 3)]
                self.assertLessEqual(abs(counts[0] - counts[1]), 10)

    def test_port_lets_pauses_pass(self):
        """swp1 is held to 1G and has much to send when its group 3 must pause the far side: XOFF leaves as soon as
        the packet on the wire has, and counts for no rate."""
        back = [(102_000, udp(*to("swp1"), size=1000, ident=i)) for i in range(10)]
        stalled = [{"at": "0us", "port": "swp2", "tx": "off"}]
        description = switch({"swp1": {"mtu": 1500}, "swp2": {}, "swp3": {}}, events=stalled,
                             qos={"pg": {3: {"static": "0B", "headroom": "60KB"}},
                                  "ports": {"swp1": {"max-rate": "1G"}}})
        run = self.replay(description, {"swp1": [(102_010, udp(*to("swp2"), dscp=3))], "swp3": back},
                          "--until", "160us")
        run.assert_conserved()
        begin = 102_000_000
        self.assertEqual([frame.ns for frame in pfc_frames(run.sent["swp1"])],
                         [pfc_stamp(begin + slot_ps(1000, "100G"), "100G")])
        # The rate allows 1514 B ahead: the second packet follows the first and XOFF, the third waits for 2000 - 1514
        # bytes' time.
        starts = [begin, begin + slot_ps(1000, "100G") + slot_ps(60, "100G")]
        starts += [begin + (1000 * i - 1514) * 8000 for i in range(2, 9)]
        self.assertEqual([packet.ns for packet in without_pfc(run.sent["swp1"])],
                         [(at + frame_ps(1000, "100G")) // 1000 for at in starts])

    def test_live(self):
        """A rate set, changed and taken away while the queue sends: each holds from then on, nothing is lost and
        nothing overtakes."""
        for rate, first, second in (("100G", 10, 40), ("400G", 50, 200)):
            with self.subTest(rate=rate):
                steps = [RELEASE + at for at in (40_000, 140_000, 240_000)]
                events = [{"at": f"{at}ns", "set": "switch.qos.tc.0.max-rate", "to": to_}
                          for at, to_ in zip(steps, (f"{first}G", f"{second}G", "none"))]
                line = GBIT[rate] * 1000 / 1024
                count = int(40 * line / 8 + 100 * (first + second) / 8) + 100
                _, sent = self.sent(switch(PORTS, rate, released(*events)), waiting({0: (count, 1000)}, step=50))
                assert_series(self, [ip_ident(packet.data) for _, packet in sent], range(count))
                for begin, end, expected in ((RELEASE, steps[0], line), (steps[0] + 2000, steps[1], first),
                                             (steps[1] + 2000, steps[2], second)):
                    self.assertAlmostEqual(self.rate_of(sent, 0, rate, begin, end) / expected, 1, delta=0.01)
                last = sent[-1][1].ns - steps[2]
                self.assertLessEqual(last, 110 * slot_ps(1000, rate) // 1000 + 1000)


if __name__ == "__main__":
    unittest.main()
