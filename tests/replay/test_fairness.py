# SPDX-License-Identifier: BSD-3-Clause
"""Tenants taking turns within a queue: deficit round robin, a largest frame a turn.

Ports swp1 to swp4 bring packets of tenants red, blue, green and of nobody's for swp9, which is frozen until all
are there. Without fairness they leave as they came.
"""
import itertools
import unittest

from common import *

RELEASE = 2_000_000     # ns
LARGEST = 1514          # the ports' MTU is 1500
TENANTS = {"swp1": "red", "swp2": "blue", "swp3": "green", "swp4": None}
NUMBERS = [(192, "100G"), (128, "400G"), (1, "25G"), (192, "800G")]


def fair(cell=192, rate="100G", events=(), fairness="tenant", **settings):
    """settings: more of class 0."""
    named = {port: {"mtu": 1500} | ({"tenant": tenant} if tenant else {})
             for port, tenant in TENANTS.items()} | {"swp9": {"mtu": 1500}}
    return switch(named, rate, hold("swp9", until=f"{RELEASE}ns") + list(events), buffer={"cell": cell},
                  qos={"tc": {0: {"fairness": fairness} | settings}},
                  tenants={tenant: {} for tenant in TENANTS.values() if tenant})


def inputs(dscp=0, step=500, ecn=0, **counts):
    """swp1=(100, 1000): so many packets of so many bytes; the source address tells the port."""
    return {port: [(1000 + i * step, udp(f"198.18.20{port[3:]}.1", "198.18.9.9", size=size, dscp=dscp, ecn=ecn,
                                         ident=i)) for i in range(count)] for port, (count, size) in counts.items()}


def port_of(packet):
    return f"swp{packet.data[28] - 200}"


class Fairness(Case):
    def sent(self, description, packets):
        run = self.replay(description, packets)
        run.assert_conserved()
        count = sum(len(one) for one in packets.values())
        self.assertEqual((run.drops, len(run.sent["swp9"])), ({}, count))
        for port in packets:    # no tenant's packets overtake each other
            self.assertEqual([ip_ident(packet.data) for packet in run.sent["swp9"] if port_of(packet) == port],
                             list(range(len(packets[port]))))
        return run.sent["swp9"]

    def while_all(self, sent, *ports):
        """Bytes of each until one of them has sent its last packet."""
        last = min(max(i for i, packet in enumerate(sent) if port_of(packet) == port) for port in ports)
        return [sum(packet.length for packet in sent[:last] if port_of(packet) == port) for port in ports]

    def test_by_bytes(self):
        """Red has four times as many packets waiting, of other sizes: while both wait each has half of the bytes,
        within a turn and a packet of each other. Without fairness red has what it has of the queue."""
        for cell, rate in NUMBERS:
            for (red, size1), (blue, size2) in (((800, 1000), (200, 1000)), ((800, 300), (200, 1500)),
                                                ((400, 1500), (500, 64))):
                with self.subTest(cell=cell, rate=rate, sizes=(size1, size2)):
                    packets = inputs(swp1=(red, size1), swp2=(blue, size2))
                    sent = self.sent(fair(cell, rate), packets)
                    one, other = self.while_all(sent, "swp1", "swp2")
                    self.assertLessEqual(abs(one - other), LARGEST + max(size1, size2))
                    came = [(ns, port, i) for port in packets for i, (ns, _) in enumerate(packets[port])]
                    sent = self.sent(fair(cell, rate, fairness="none"), packets)
                    self.assertEqual([(port_of(packet), ip_ident(packet.data)) for packet in sent],
                                     [(port, i) for _, port, i in sorted(came)])

    def test_line_is_full(self):
        """Turns cost no time: packets follow each other at line rate."""
        for cell, rate in NUMBERS:
            sent = self.sent(fair(cell, rate), inputs(swp1=(100, 1000), swp2=(100, 1000)))
            assert_series(self, [packet.ns for packet in sent],
                          [(RELEASE * 1000 + i * slot_ps(1000, rate) + frame_ps(1000, rate)) // 1000
                           for i in range(200)])

    def test_three_and_nobodys(self):
        """Three tenants and the packets of none, which take turns as one: a quarter each. When blue is out of
        packets the others have a third."""
        for cell, rate in NUMBERS[:2]:
            packets = inputs(swp1=(600, 1000), swp2=(100, 1000), swp3=(400, 500), swp4=(300, 1500))
            sent = self.sent(fair(cell, rate), packets)
            shares = self.while_all(sent, "swp1", "swp2", "swp3", "swp4")
            self.assertLessEqual(max(shares) - min(shares), LARGEST + 1500)
            blue_out = max(i for i, packet in enumerate(sent) if port_of(packet) == "swp2") + 1
            shares = self.while_all(sent[blue_out:], "swp1", "swp3", "swp4")
            self.assertLessEqual(max(shares) - min(shares), LARGEST + 1500)

    def test_turns(self):
        """A turn is 1514 B: of 1000 B packets one, then two at every second (3028 B are three): the bytes sent never
        differ by more than a turn and a packet. Of 757 B packets exactly two a turn, but for the very first: it
        was chosen when nobody else was there."""
        sent = self.sent(fair(), inputs(swp1=(40, 757), swp2=(40, 757)))
        turns = [(port, len(list(packets))) for port, packets in itertools.groupby(map(port_of, sent))]
        self.assertEqual(turns, [("swp1", 1)] + [("swp2", 2), ("swp1", 2)] * 19 + [("swp2", 2), ("swp1", 1)])
        sent = self.sent(fair(), inputs(swp1=(60, 1000), swp2=(60, 1000)))
        for i in range(0, 100):
            counts = [sum(1 for packet in sent[:i] if port_of(packet) == port) for port in ("swp1", "swp2")]
            self.assertLessEqual(abs(counts[0] - counts[1]) * 1000, LARGEST + 1000)

    def test_of_the_queue_alone(self):
        """The share of the queue stays what the scheduler gives it, its depth and its marks are what they were."""
        for cell, rate in NUMBERS[:2]:
            outcome = []
            for fairness in ("tenant", "none"):
                packets = inputs(ecn=2, swp1=(300, 1000), swp2=(100, 1000)) | inputs(ecn=2, dscp=3, swp3=(200, 1000))
                run = self.replay(fair(cell, rate, (), fairness, ecn={"min": "50KB", "max": "50KB"}), packets)
                run.assert_conserved()
                sent = run.sent["swp9"]
                outcome.append(([dscp_of(packet.data) for packet in sent], [ecn_of(packet.data) for packet in sent],
                                [packet.ns for packet in sent],
                                [(queue["depth_max"], queue["ecn_marked"]) for queue in run.port("swp9").counters["queue"]]))
            self.assertEqual(outcome[0], outcome[1])
            self.assertGreater(outcome[0][3][0][1], 300)

    def test_later_arrivals(self):
        """Blue comes when red has long been sending: it has its half at once."""
        for rate in ("100G", "400G"):
            start = RELEASE + 5000
            packets = inputs(swp1=(1000, 1000))
            packets["swp2"] = [(start + i, frame) for i, (_, frame) in enumerate(inputs(swp2=(100, 1000))["swp2"])]
            sent = self.sent(fair(192, rate), packets)
            first = next(i for i, packet in enumerate(sent) if port_of(packet) == "swp2")
            self.assertLessEqual(sent[first].ns - start, 4 * slot_ps(1000, rate) // 1000)
            of_blue = [i for i, packet in enumerate(sent) if port_of(packet) == "swp2"]
            self.assertLessEqual(of_blue[-1] - of_blue[0], 2 * 100 + 3)

    def test_live(self):
        """Switched on, off and on again while 2000 packets leave: none is lost, no tenant's overtake each other, and
        each has its half while it is on."""
        for rate in ("100G", "400G"):
            slot = slot_ps(1000, rate)
            steps = [RELEASE * 1000 + i * slot for i in (200, 600, 1000)]
            events = [{"at": f"{at}ps", "set": "switch.qos.tc.0.fairness", "to": to_}
                      for at, to_ in zip(steps, ("tenant", "none", "tenant"))]
            packets = inputs(step=1000, swp1=(1500, 1000)) | inputs(step=3000, swp2=(500, 1000))
            sent = self.sent(fair(192, rate, events, "none"), packets)

            def blue(begin, end):
                return sum(1 for packet in sent[begin:end] if port_of(packet) == "swp2") / (end - begin)

            self.assertAlmostEqual(blue(0, 200), 0.25, delta=0.02)      # as they came
            self.assertAlmostEqual(blue(200, 600), 0.5, delta=0.02)
            self.assertAlmostEqual(blue(1000, 1100), 0.5, delta=0.04)


if __name__ == "__main__":
    unittest.main()
