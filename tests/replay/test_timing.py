# SPDX-License-Identifier: BSD-3-Clause
"""When things happen. A stamp is the instant a packet's last bit arrives or has left; a frame is on the wire
for preamble + frame + FCS (8 + n + 4) byte times, and the transmitter is free one gap (12) later.
"""
import unittest

from common import *


def out_stamps(run, port="swp2"):
    return [packet.ns for packet in run.sent[port]]


class Stamps(Case):
    def test_lone_packets(self):
        """Nothing waits: out = in + (8 + n + 4) x 8 / rate, whatever the cable is."""
        sizes = (60, 64, 300, 1500, 9000)
        for rate in GBIT:
            for cable in ("1m", "300m"):
                with self.subTest(rate=rate, cable=cable):
                    packets = [((i + 1) * 10**6, udp(*to("swp2"), size=size)) for i, size in enumerate(sizes)]
                    run = self.replay(switch({"swp1": {}, "swp2": {"cable": cable}}, rate), {"swp1": packets})
                    self.assertEqual(out_stamps(run), [(i + 1) * 10**6 + (8 + size + 4) * 8 * 1000 // GBIT[rate] // 1000
                                                       for i, size in enumerate(sizes)])

    def test_back_to_back(self):
        """Ten at one instant leave a slot apart; a stamp is rounded down to the ns, no error adds up."""
        for rate in ("25G", "100G", "400G"):
            packets = [(1000, udp(*to("swp2"), size=101, ident=i)) for i in range(1000)]
            run = self.replay(switch(rate=rate), {"swp1": packets})
            slot = (8 + 101 + 4 + 12) * byte_ps(rate)
            self.assertEqual(out_stamps(run), [(1000000 + i * slot + frame_ps(101, rate)) // 1000 for i in range(1000)])
            self.assertEqual([ip_ident(packet.data) for packet in run.sent["swp2"]], list(range(1000)))

    def test_odd_rate(self):
        """At 30G a byte takes 266.67 ps; times are rounded down to the ps: a slot of 1024 B is 273066 ps."""
        packets = [(1000, udp(*to("swp2"), size=1000, ident=i)) for i in range(10000)]
        run = self.replay(switch(rate="30G"), {"swp1": packets})
        self.assertEqual(out_stamps(run)[-1], (1000000 + 9999 * 273066 + 1012 * 800 // 3) // 1000)

    def test_gap_is_kept(self):
        """A second packet that comes within the gap behind the first waits for its end, one byte time later not.
        At 10G the gap is 9.6 ns: first done at 1000 + 249.6, free at 1259.2."""
        for second, expected in ((1250, 1259200), (1259, 1259200), (1260, 1260000)):
            run = self.replay(switch(rate="10G"), {"swp1": [(1000, udp(*to("swp2"))), (second, udp(*to("swp2")))]})
            self.assertEqual(out_stamps(run)[1], (expected + frame_ps(300, "10G")) // 1000)

    def test_framing(self):
        """Another framing: no preamble, no gap; and a long one."""
        for preamble, fcs, gap in ((0, 4, 0), (0, 0, 0), (20, 8, 100)):
            framing = {"preamble": f"{preamble}B", "fcs": f"{fcs}B", "gap": f"{gap}B"}
            run = self.replay(switch(framing=framing), {"swp1": [(1000, udp(*to("swp2"), ident=i)) for i in range(50)]})
            frame, slot = (preamble + 300 + fcs) * 80, (preamble + 300 + fcs + gap) * 80
            self.assertEqual(out_stamps(run), [(1000000 + i * slot + frame) // 1000 for i in range(50)])

    def test_latency(self):
        """A fixed pipeline latency is added to every packet, and to the effect of a pause."""
        packets = [(1000 * i, udp(*to("swp2"), dscp=3)) for i in range(1, 20)]
        for latency in (1, 333, 4000, 5700):
            run = self.replay(switch(latency=f"{latency}ns"), {"swp1": packets})
            run.assert_conserved()
            self.assertEqual(out_stamps(run), [ns + latency + 24 for ns, _ in packets])     # 24.96 ns
            run = self.replay(switch(latency=f"{latency}ns"), {"swp1": packets, "swp2": [(10500, pfc({3: 1000}))]})
            resumed = 10500 + latency + 5120
            self.assertEqual([ns for ns in out_stamps(run) if 10500 + latency + 25 < ns < resumed + 24], [])
            self.assertIn(resumed + 24, out_stamps(run))

    def test_ports_in_order(self):
        """Packets of one instant are taken by port, then by place in the file."""
        ports = ["swp1", "swp2", "swp3", "swp4"]
        inputs = {port: [(5000, udp(*to("swp5"), size=200, ident=10 * i + k)) for k in range(3)]
                  for i, port in enumerate(ports)}
        for order in (ports, ports[::-1]):      # the order of --in is of no matter
            run = self.replay(switch(5), {port: inputs[port] for port in order})
            self.assertEqual([ip_ident(packet.data) for packet in run.sent["swp5"]],
                             [10 * i + k for i in range(4) for k in range(3)])

    def test_same_again(self):
        """The same files give the same bytes."""
        packets = [(40 * i, roce(*to("swp2"), bytes(100), psn=i, ecn=2, dscp=3)) for i in range(500)]
        runs = [self.replay(switch({"swp1": {}, "swp2": {"rate": "25G"}}, qos={"tc": {3: {"ecn": {
            "min": "1KB", "max": "20KB"}}}}), {"swp1": packets}) for _ in range(2)]
        for name in ("swp1.pcapng", "swp2.pcapng", "drops.pcapng", "counters.json"):
            self.assertEqual((runs[0].directory / name).read_bytes(), (runs[1].directory / name).read_bytes(), name)
        self.assertGreater(runs[0].port("swp2").queue(3).ecn_marked, 100)


class Pace(Case):
    def test_line(self):
        """Stamps are ignored: packet k's last bit arrives when all before it have passed, and then its own."""
        sizes = [60, 1500, 300, 64, 1000] * 20
        for rate in ("25G", "100G"):
            packets = [(7000000 * i, udp(*to("swp2"), size=size)) for i, size in enumerate(sizes)]
            run = self.replay(switch(rate=rate, preset="lossy"), {"swp1": packets}, "--pace", "line")
            passed, free, expected = 0, 0, []
            for size in sizes:
                arrival = passed + frame_ps(size, rate)
                passed += slot_ps(size, rate)
                free = max(free, arrival)       # the way out is as fast: each starts as it comes
                expected.append((free + frame_ps(size, rate)) // 1000)
                free += slot_ps(size, rate)
            self.assertEqual(out_stamps(run), expected)
            self.assertEqual(run.done.err, "")

    def test_line_ignores_stamps(self):
        """Stamps that go backwards or lie a year apart are no matter then."""
        frames = [udp(*to("swp2"), ident=i) for i in range(4)]
        stamps = (50_000, 10, 31_536_000 * 10**9, 0)
        run = self.replay(switch(), {"swp1": list(zip(stamps, frames))}, "--pace", "line")
        even = self.replay(switch(), {"swp1": frames}, "--pace", "line")
        self.assertEqual(len(out_stamps(run)), 4)
        self.assertEqual(out_stamps(run), out_stamps(even))

    def test_line_of_each_port(self):
        """Each input at the rate of its own port."""
        frames = [udp(*to("swp3"), size=988, ident=i) for i in range(10)]      # 1000 B with preamble and FCS
        run = self.replay(switch({"swp1": {"rate": "10G"}, "swp2": {"rate": "40G"}, "swp3": {"rate": "400G"}}),
                          {"swp1": frames, "swp2": frames}, "--pace", "line")
        arrivals = sorted((1000 + i * 1012) * byte for i in range(10) for byte in (800, 200))
        free, expected = 0, []
        for at in arrivals:
            begin = max(at, free)
            expected.append((begin + 1000 * 20) // 1000)
            free = begin + 1012 * 20
        self.assertEqual(out_stamps(run, "swp3"), expected)

    def test_overlapping(self):
        """Stamps closer than a slot are taken as given, and counted in a warning. 300 B at 100G: a frame takes
        24.96 ns and the next may begin 25.92 ns after it began: 25 ns apart overlap, 26 do not."""
        for step, overlapping in ((26, 0), (25, 9), (0, 9)):
            packets = [(1000 + step * i, udp(*to("swp2"))) for i in range(10)]
            run = self.replay(switch(preset="lossy"), {"swp1": packets})
            apart = max(25920, step * 1000)
            self.assertEqual(out_stamps(run), [(1000000 + i * apart + 24960) // 1000 for i in range(10)])
            if overlapping:
                self.assertRegex(run.done.err,
                                 rf"^roost: warning: \S+swp1-in\.pcap: {overlapping} packets overlap .*swp1")
                self.assertEqual(len(run.done.err.splitlines()), 1)
            else:
                self.assertEqual(run.done.err, "")


class Ends(Case):
    def test_until(self):
        """What happens before that instant has happened, nothing else; the switch is seen as of it."""
        packets = [(1000 * i, udp(*to("swp2"), size=1000)) for i in range(1, 11)]
        for until, count in (("5us", 4), ("5000.001ns", 5), ("5001ns", 5), ("9999ns", 9), ("1ms", 10)):
            run = self.replay(switch(rate="25G"), {"swp1": packets}, "--until", until)
            run.assert_conserved()
            self.assertEqual(run.port("swp1").rx_packets, count)
            self.assertEqual(len(run.sent["swp2"]), count)
        self.assertEqual(run.counters["time_ns"], 1000000)
        run = self.replay(switch(rate="25G"), {"swp1": packets}, "--until", "5us")
        self.assertEqual(run.counters["time_ns"], 5000)

    def test_stop(self):
        """A time in the file's `stop` does the same; --until goes before it."""
        packets = [(1000 * i, udp(*to("swp2"))) for i in range(1, 11)]
        description = switch() | {"stop": "5us"}
        self.assertEqual(self.replay(description, {"swp1": packets}).port("swp1").rx_packets, 4)
        self.assertEqual(self.replay(description, {"swp1": packets}, "--until", "8us").port("swp1").rx_packets, 7)

    def test_drained(self):
        """Ends at the next multiple of 4 us behind the last thing that happened."""
        for last, end in ((1000, 4000), (3999, 4000), (4000, 8000), (123456, 124000)):
            run = self.replay(switch(), {"swp1": [(last, udp(*to("swp2")))]})
            self.assertEqual(run.counters["time_ns"], end)

    def test_held(self):
        """Packets that nothing will ever free: a warning says how many and the run ends."""
        events = [{"at": "0us", "port": "swp2", "tx": "off"}]
        run = self.replay(switch(events=events), {"swp1": [(1000 * i, udp(*to("swp2"))) for i in range(7)]})
        run.assert_conserved()
        self.assertRegex(run.done.err, r"warning: 7 packets are still held by dut")
        self.assertEqual(run.port("swp2").queue(0).depth, 7 * 384)

    def test_snapshot(self):
        """As of its instant, before anything of it; several, in time order, and one at the very end."""
        events = [{"at": f"{at}ns", "snapshot": "full"} for at in (2000, 1000, 1001, 5000)]
        run = self.replay(switch(events=events), {"swp1": [(1000 * i, udp(*to("swp2"))) for i in range(1, 9)]},
                          "--until", "5us")
        shots = run.counters["snapshots"]
        self.assertEqual([(one["at_ns"], one["nodes"]["dut"]["ports"]["swp1"]["rx_packets"]) for one in shots],
                         [(1000, 0), (1001, 1), (2000, 1), (5000, 4)])


class Shift(Case):
    DAY = 86400 * 10**9

    def test_time_of_day(self):
        """The earliest stamp of all inputs at or past 86,400 s: all are shifted so that it is 0."""
        day = 1700000000 * 10**9
        for base in (self.DAY, self.DAY + 1, day):
            run = self.replay(switch(3), {"swp1": [(base + 5000, udp(*to("swp3")))],
                                          "swp2": [(base, udp(*to("swp3"))), (base + 1000, udp(*to("swp3")))]})
            self.assertEqual(out_stamps(run, "swp3"), [24, 1024, 5024])
            self.assertEqual(run.counters["time_ns"], 8000)

    def test_just_below(self):
        """One input that begins before: nothing is shifted."""
        run = self.replay(switch(), {"swp1": [(self.DAY - 1, udp(*to("swp2")))]})
        self.assertEqual(out_stamps(run), [self.DAY - 1 + 24])
        run = self.replay(switch(3), {"swp1": [(3000, udp(*to("swp3")))],
                                      "swp2": [(self.DAY + 1000, udp(*to("swp3")))]})
        self.assertEqual(out_stamps(run, "swp3"), [3024, self.DAY + 1024])

    def test_too_far_apart(self):
        """A time of day beside fabric time: 213 days are all that picoseconds hold."""
        path = write_pcap(self.directory / "late.pcap", [(1700000000 * 10**9, udp(*to("swp2")))])
        early = write_pcap(self.directory / "early.pcap", [(0, udp(*to("swp2")))])
        out = self.directory / "out"
        self.assert_refused(r"late\.pcap: packet 1: stamp 1700000000\.0+ s is over 213 days", "replay",
                             self.file(switch(3, preset="lossy")), "--in", f"swp1={early}", "--in", f"swp3={path}",
                             "--out", out)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
