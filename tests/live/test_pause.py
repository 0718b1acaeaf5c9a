# SPDX-License-Identifier: BSD-3-Clause
"""A host's PFC frame stops its priority towards that host, for the time it says, and nothing else.

65535 quanta of 512 bit times are 335.5392 us at 100G, at dilation 1000 335.5392 ms of wall time. The
fabric counts that exactly. Measured from outside, the pause begins when a worker takes the frame from
the veth and ends when it sends what waited: each is up to MAX_LAG_MS late, for where a worker is later
than that the fabric's clock gives way, which `show fabric` counts as a slip. Hence the tolerance: the
silence, from the frame's leaving its socket, is never shorter than the pause (but for 0.5 ms by which
two clocks of one machine may differ) and at most 2 * MAX_LAG_MS longer. If the clock has slipped
meanwhile the measurement is made again; where it always slips, what it slipped by is added.
"""
from common import *

from scapy.contrib.mac_control import MACControlClassBasedFlowControl
from scapy.layers.l2 import Ether

QUANTA = 65535
PAUSE_NS = QUANTA * 512 * 10**9 // RATE_BPS          # of fabric time
PAUSE_MS = QUANTA * 512 / RATE_BPS * DILATION * 1e3  # of wall time
CLOCKS_MS = 0.5
INTERVAL_S = 0.004
DSCP = {0: 0, 3: 26}                                 # of a priority, in the preset spectrum-x


def pfc_frame(source, **times):
    """c3=QUANTA: pauses priority 3."""
    fields = {f"{name}_{what}": value for name, time in times.items()
              for what, value in (("enabled", 1), ("pause_time", time))}
    frame = bytes(Ether(dst="01:80:c2:00:00:01", src=source) / MACControlClassBasedFlowControl(**fields))
    return frame.ljust(60, b"\0")


class Stream:
    """Numbered packets of one priority from a host to another."""

    def __init__(self, case, source, destination, priority):
        self.sender, self.receiver = case.udp(source, dscp=DSCP[priority]), case.udp(destination)
        self.to = (HOSTS[destination], self.receiver.socket.getsockname()[1])
        self.sent, self.arrivals = [], []

    def turn(self):
        before = time.time()
        self.sender.send(struct.pack(">I", len(self.sent)), self.to)
        self.sent.append((before, time.time()))     # when it was sent lies between
        self.arrivals += self.receiver.receive()

    def finish(self):
        self.arrivals += self.receiver.receive_all(len(self.sent) - len(self.arrivals))

    def is_whole(self):
        """Everything has arrived, in order."""
        return [struct.unpack(">I", one.data)[0] for one in self.arrivals] == list(range(len(self.sent)))

    def longest_gap(self):
        """Milliseconds, and when it ended."""
        times = [one.at for one in self.arrivals]
        gap, end = max((later - earlier, later) for earlier, later in zip(times, times[1:]))
        return gap * 1e3, end

    def longest_stall(self):
        """Milliseconds by which two packets came further apart than they were sent."""
        pairs = zip(self.arrivals, self.arrivals[1:], self.sent, self.sent[1:])
        return max(later.at - earlier.at - (sent_later[1] - sent_earlier[0])
                   for earlier, later, sent_earlier, sent_later in pairs) * 1e3


class Pause(Shared):

    def setUp(self):
        self.mac = self.up.exec("h5", "cat", "/sys/class/net/eth1/address").out.strip()
        self.h5 = self.raw("h5")

    def measured(self, measure):
        """measure(), again if the fabric's clock gave way meanwhile."""
        for _ in range(4):
            self.before = self.port("h5")
            slips, fabric_ns, wall = self.slips(), self.up.show("fabric")["time_ns"], time.monotonic()
            result = measure()
            passed_ns, passed = self.up.show("fabric")["time_ns"] - fabric_ns, time.monotonic() - wall
            self.slipped_ms = 0
            if self.slips() == slips:
                break
            # Either instant that show tells may be MAX_LAG_MS behind.
            self.slipped_ms = passed * 1e3 - passed_ns * DILATION / 1e6 + 2 * MAX_LAG_MS
        return result

    def pfc_counted(self):
        """What h5's switch port has counted since the test began."""
        now = self.port("h5")
        return [now["pfc_rx"][i] - self.before["pfc_rx"][i] for i in range(8)], \
            [now["pfc_rx_pause_ns"][i] - self.before["pfc_rx_pause_ns"][i] for i in range(8)]

    def run_streams(self, streams, seconds, actions):
        """Sends on all streams every INTERVAL_S; actions: {at second: call}. Returns when each was done: at that time, or up to
        `late_ms` later, because the machine may stop this process anywhere."""
        start, done, due = time.time(), [], sorted(actions.items())
        self.late_ms = 0
        next_at = start
        while next_at < start + seconds:
            time.sleep(max(0, next_at - time.time()))
            next_at += INTERVAL_S
            if due and time.time() - start >= due[0][0]:
                done.append(time.time())
                due.pop(0)[1]()
                self.late_ms += (time.time() - done[-1]) * 1e3
            for stream in streams:
                stream.turn()
        for stream in streams:
            stream.finish()
        return done

    def assert_silence(self, stream, start, milliseconds):
        """The stream was silent from `start` for so long, and has lost nothing."""
        self.assertTrue(stream.is_whole())
        silence = (stream.longest_gap()[1] - start) * 1e3
        self.assertGreater(silence, milliseconds - CLOCKS_MS)
        self.assertLess(silence, milliseconds + 2 * MAX_LAG_MS + self.late_ms + self.slipped_ms)

    def assert_flows(self, stream):
        self.assertTrue(stream.is_whole())
        self.assertLess(stream.longest_stall(), PAUSE_MS / 2)

    def send(self, **times):
        frame = pfc_frame(self.mac, **times)
        return lambda: self.h5.send(frame)

    def test_pause_for_the_right_time_and_nothing_else(self):
        heard = {host: self.raw(host, ETH_P_CONTROL) for host in ("h1", "h3", "h7")}

        def measure():
            paused = Stream(self, "h1", "h5", 3)
            others = [Stream(self, "h1", "h5", 0),   # another priority
                      Stream(self, "h5", "h1", 3),   # the other way
                      Stream(self, "h3", "h7", 3)]   # other hosts
            sent_at, = self.run_streams([paused, *others], 0.8, {0.1: self.send(c3=QUANTA)})
            return paused, others, sent_at

        paused, others, sent_at = self.measured(measure)
        frames, time_ns = self.pfc_counted()
        self.assertEqual(frames, [0, 0, 0, 1, 0, 0, 0, 0])
        # Exact to the picosecond, shown in whole ns: a difference of two sums may gain one.
        self.assertIn(time_ns[3] - PAUSE_NS, (0, 1))
        self.assertEqual(sum(time_ns), time_ns[3])
        self.assert_silence(paused, sent_at, PAUSE_MS)
        for stream in others:
            self.assert_flows(stream)
        # What waited goes at once: at line rate, a packet in 7 us of wall time, not as it came.
        end = paused.longest_gap()[1]
        held = [one.at for one in paused.arrivals if one.at >= end]
        waited = sum(sent_at < sent and after < end for sent, after in paused.sent)
        self.assertGreater(waited, 50)
        self.assertLess(held[waited // 2] - held[0], waited / 2 * INTERVAL_S / 2)
        # The frame ends at the port, and nobody is told to pause in turn.
        for host, opened in heard.items():
            self.assertEqual(opened.receive(), [], host)
        for node in self.up.show("pfc")["nodes"].values():
            for port in node["ports"].values():
                self.assertEqual(port["pfc_tx"], [0] * 8)
        self.assert_lossless(self.up)

    def test_resume(self):
        def measure():
            stream = Stream(self, "h1", "h5", 3)
            return stream, *self.run_streams([stream], 0.5, {0.1: self.send(c3=QUANTA), 0.25: self.send(c3=0)})

        stream, paused_at, resumed_at = self.measured(measure)
        self.assert_silence(stream, paused_at, (resumed_at - paused_at) * 1e3)
        frames, time_ns = self.pfc_counted()
        self.assertEqual(frames, [0, 0, 0, 2, 0, 0, 0, 0])
        # Either end is taken up to MAX_LAG_MS later than it was sent.
        self.assertAlmostEqual(time_ns[3] / 1e6 * DILATION, (resumed_at - paused_at) * 1e3,
                               delta=MAX_LAG_MS + CLOCKS_MS + self.late_ms + self.slipped_ms)
        self.assert_lossless(self.up)

    def test_new_frame_replaces_the_timer(self):
        """A short pause behind a long one ends the long one early."""
        def measure():
            stream = Stream(self, "h1", "h5", 3)
            return stream, *self.run_streams(
                [stream], 0.5, {0.1: self.send(c3=QUANTA), 0.2: self.send(c3=QUANTA // 10)})

        stream, paused_at, shortened_at = self.measured(measure)
        self.assert_silence(stream, paused_at, (shortened_at - paused_at) * 1e3 + PAUSE_MS / 10)
        self.assertEqual(self.pfc_counted()[0], [0, 0, 0, 2, 0, 0, 0, 0])

    def test_refreshed_pause_is_one(self):
        """Frames that come before the last one ran out hold the priority as long as they come."""
        def measure():
            stream = Stream(self, "h1", "h5", 3)
            frames = {0.1 + 0.15 * i: self.send(c3=QUANTA) for i in range(4)}
            return stream, self.run_streams([stream], 1.1, frames)

        stream, sent_at = self.measured(measure)
        self.assert_silence(stream, sent_at[0], (sent_at[-1] - sent_at[0]) * 1e3 + PAUSE_MS)
        self.assertEqual(self.pfc_counted()[0], [0, 0, 0, 4, 0, 0, 0, 0])
        self.assert_lossless(self.up)

    def test_priorities_without_pfc_flow(self):
        """Quanta for priorities that have no PFC are counted and ignored."""
        self.before, stream = self.port("h5"), Stream(self, "h1", "h5", 0)
        self.run_streams([stream], 0.4, {0.1: self.send(c0=QUANTA, c6=QUANTA)})
        self.assert_flows(stream)
        self.assertEqual(self.pfc_counted(), ([1, 0, 0, 0, 0, 0, 1, 0], [0] * 8))
