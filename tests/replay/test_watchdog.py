# SPDX-License-Identifier: BSD-3-Clause
"""The PFC watchdog: a queue that a pause holds without progress for `detect` is in a storm, which ends when no
frame has paused it for `restore`; in between drop, forward or alert.

It looks at every multiple of `poll`. swp2's far side pauses priority 3 from `begin` on with frames that
overlap, the last at `last`; packets of priorities 3 and 0 come by swp1 for it all the time. So the storm begins
at the first look at or after begin + detect, and ends at the first at or after last + restore.
"""
import unittest

from common import *

MS = 10**6      # ns
SIZE = 1000

# Rate, cell, and in ns: poll, detect, restore, the first pause, the last frame.
NUMBERS = [("100G", 192, MS, 3 * MS, 2 * MS, 500_000, 6_500_000),
           ("400G", 128, 250_000, MS, 500_000, 1_000_000, 3_100_000),
           ("25G", 1, 100_000, 100_000, 100_000, 450_000, 900_000)]
STEP, OTHER = 40_000, 20_000    # priority 3 comes every 40 us from 10 us on, priority 0 likewise 20 us later


def next_look(poll, at):
    return -(-at // poll) * poll


def storm(numbers):
    """When it begins and ends."""
    _, _, poll, detect, restore, begin, last = numbers
    begins = next_look(poll, begin + detect)
    return begins, max(begins + poll, next_look(poll, last + restore))


def longest(rate, restore):
    """Quanta of a pause that has ended, like the storm, when nothing refreshes it."""
    return min(65535, restore * 500 // quanta_ps(1, rate))


def pauses(rate, begin, last, restore):
    """Frames of that pause, each within half its time of the one before."""
    quanta = longest(rate, restore)
    step = quanta_ps(quanta, rate) // 2000
    frame = pfc({3: quanta})
    return [(at, frame) for at in [*range(begin, last, step), last]]


def traffic(end, port="swp2"):
    packets = []
    for i, at in enumerate(range(10_000, end, STEP)):
        packets += [(at, udp(*to(port), size=SIZE, dscp=3, ident=i)),
                    (at + OTHER, udp(*to(port), size=SIZE, dscp=0, ident=i))]
    return packets


class Watchdog(Case):
    def run_storm(self, numbers, watchdog=None, frames=None, events=(), end=None, packets=None, **qos):
        rate, cell, poll, detect, restore, begin, last = numbers
        end = end or last + restore + 4 * poll
        if watchdog is not None:
            watchdog = {"poll": f"{poll}ns", "detect": f"{detect}ns", "restore": f"{restore}ns"} | watchdog
        shots = [{"at": f"{at}ns", "snapshot": "full"} for at in (*storm(numbers), sum(storm(numbers)) // 2)]
        description = switch({"swp1": {}, "swp2": {}, "swp3": {}}, rate, [*shots, *events], buffer={"cell": cell},
                             qos={"pg": {3: {"headroom": "100KB"}}} | qos |
                             ({"watchdog": watchdog} if watchdog is not None else {}))
        run = self.replay(description, {"swp1": traffic(end) if packets is None else packets,
                                        "swp2": pauses(rate, begin, last, restore) if frames is None else frames},
                          "--until", f"{end + 100_000}ns")
        run.assert_conserved()
        return run

    def log(self, run, queue="swp2.3"):
        """[(ns, what)] of that queue; no other may be in the log."""
        self.assertEqual(run.counters["log_lost"], 0)
        self.assertEqual({(entry["node"], entry["queue"]) for entry in run.counters["log"]} - {("dut", queue)}, set())
        return [(entry["at_ns"], entry["what"]) for entry in run.counters["log"]]

    def leaves(self, run, dscp):
        """{identification: when it began to leave, in ns rounded down}."""
        rate_ps = frame_ps(SIZE, self.rate)
        return {ip_ident(packet.data): packet.ns * 1000 - rate_ps for packet in run.sent["swp2"]
                if dscp_of(packet.data) == dscp}

    def arrivals(self, numbers):
        """{identification: ns} of priority 3's packets."""
        end = numbers[6] + numbers[4] + 4 * numbers[2]
        return dict(enumerate(range(10_000, end, STEP)))

    def follow(self, run, numbers, of_waiting, of_coming):
        """What has become of the packets that the pause held until the storm, and of those that came in it:
        "dropped", "waits" (until the storm's end, or the pause's) or "sent" at once."""
        rate, _, _, _, restore, begin, last = numbers
        self.rate = rate
        begins, ends = storm(numbers)
        leaves, arrivals = self.leaves(run, 3), self.arrivals(numbers)
        lost = {ip_ident(packet.data): packet.ns for packet in run.dropped}
        pause_ends = last + quanta_ps(longest(rate, restore), rate) // 1000
        waiting = [i for i, at in arrivals.items() if begin < at < begins]
        coming = [i for i, at in arrivals.items() if begins <= at < ends]
        later = [i for i, at in arrivals.items() if at >= max(ends, pause_ends)]
        expected_lost, queue_free = {}, begins * 1000
        for i in waiting:
            if of_waiting == "dropped":
                expected_lost[i] = begins
            elif of_waiting == "sent":
                self.assertLessEqual(abs(leaves[i] - queue_free), 1000 + slot_ps(SIZE, rate), i)
                queue_free += slot_ps(SIZE, rate)
            else:
                self.assertGreaterEqual(leaves[i] + 1000, pause_ends * 1000)
        for i in coming:
            if of_coming == "dropped":
                expected_lost[i] = arrivals[i]
            elif of_coming == "sent":
                self.assertLessEqual(leaves[i] - arrivals[i] * 1000, len(waiting) * slot_ps(SIZE, rate))
            else:
                self.assertGreaterEqual(leaves[i] + 1000, min(pause_ends * 1000, arrivals[i] * 1000))
        self.assertEqual(lost, expected_lost)
        self.assertGreater(len(waiting) * len(coming) * len(later), 0)
        for i in later:
            self.assertLessEqual(abs(leaves[i] - arrivals[i] * 1000), 1000 if of_coming != "waits" else 10**6)
        self.assertEqual(run.drops, {"watchdog": len(lost)} if lost else {})
        run.port("swp2").queue(3).expect(watchdog_storms=1, watchdog_dropped=len(lost), dropped=len(lost))
        self.assertEqual(self.log(run), [(begins, "watchdog-storm"), (ends, "watchdog-restore")])
        middle = run.snapshot((begins + ends) // 2).port("swp2")
        self.assertEqual(middle.queues.watchdog, [i == 3 for i in range(8)])
        self.assertEqual(run.port("swp2").queues.watchdog, [False] * 8)
        if of_waiting != "waits":   # when the pause ends those that waited take turns with the others
            self.others_untouched(run, numbers)

    def others_untouched(self, run, numbers):
        """Priority 0's packets never wait, but for one of priority 3 that is being sent."""
        leaves = self.leaves(run, 0)
        for i, at in self.arrivals(numbers).items():
            if at + OTHER < numbers[6] + numbers[4] + 4 * numbers[2]:
                self.assertLessEqual(abs(leaves[i] - (at + OTHER) * 1000), 1000 + slot_ps(SIZE, numbers[0]))
        for tc in set(range(8)) - {3}:
            run.port("swp2").queue(tc).expect(dropped=0, watchdog_storms=0, watchdog_dropped=0)

    def test_drop(self):
        """What waits goes at the look that finds the storm, what comes goes as it comes; after the end it is sent."""
        for numbers in NUMBERS:
            with self.subTest(numbers=numbers):
                self.follow(self.run_storm(numbers, {"action": "drop"}), numbers, "dropped", "dropped")

    def test_drop_without_flush(self):
        """What waits is sent, the pause being honoured no more; what comes is dropped."""
        for numbers in NUMBERS:
            with self.subTest(numbers=numbers):
                self.follow(self.run_storm(numbers, {"flush": "off"}), numbers, "sent", "dropped")

    def test_forward(self):
        """All is sent as if there were no pause."""
        for numbers in NUMBERS:
            with self.subTest(numbers=numbers):
                self.follow(self.run_storm(numbers, {"action": "forward"}), numbers, "sent", "sent")

    def test_alert(self):
        """Nothing but the log: packets leave as without a watchdog, and wait while paused."""
        for numbers in NUMBERS:
            with self.subTest(numbers=numbers):
                run = self.run_storm(numbers, {"action": "alert"})
                self.follow(run, numbers, "waits", "waits")
                without = self.run_storm(numbers)
                self.assertEqual(without.counters["log"], [])
                self.assertEqual([(packet.ns, packet.data) for packet in run.sent["swp2"]],
                                 [(packet.ns, packet.data) for packet in without.sent["swp2"]])

    def test_short_pauses(self):
        """A pause of half of `detect`, and one that ends just before the look that would find it: nothing happens.
        One frame more, and it does. detect 3 ms, poll 1 ms, from 0.5 ms: found at 4 ms, where the pause must still
        hold, or have held since 3 ms with packets waiting and none sent."""
        for numbers in NUMBERS[:2]:
            rate, cell, poll, detect, restore, begin, last = numbers
            found, _ = storm(numbers)
            length = quanta_ps(longest(rate, restore), rate) // 1000
            for end, expected in ((begin + detect // 2, 0), (found - poll - length - 1, 0), (found, 1)):
                with self.subTest(rate=rate, end=end):
                    run = self.run_storm((*numbers[:6], end), {}, end=found + 8 * poll)
                    self.assertEqual(run.port("swp2").queue(3).watchdog_storms, expected)
                    self.assertEqual(len(run.counters["log"]), 2 * expected)
                    if not expected:
                        self.assertEqual((run.drops, len(run.sent["swp2"])), ({}, run.port("swp1").rx_packets))

    def test_progress(self):
        """Pauses with gaps in which packets leave are no storm, however long they go on."""
        for rate, cell, poll, detect, restore, _, _ in NUMBERS[:2]:
            # Of each 100 us 60 us paused.
            quanta = 60_000_000 // (512 * 1000 // GBIT[rate])
            frames = [(at, pfc({3: quanta})) for at in range(100_000, 10 * detect, 100_000)]
            numbers = (rate, cell, poll, detect, restore, 100_000, 10 * detect)
            run = self.run_storm(numbers, {}, frames=frames)
            self.assertEqual((run.counters["log"], run.drops), ([], {}))
            self.assertEqual(len(run.sent["swp2"]), run.port("swp1").rx_packets)

    def test_empty_queue(self):
        """Nothing waits: by the share of the time that the queue was held, more than 80 % of each poll. Pauses of
        85 us in each 100 us are a storm after `detect`, of 75 us none."""
        for rate, cell, poll, detect, restore in (("100G", 192, MS, 3 * MS, 2 * MS), ("25G", 1, 500_000, MS, MS)):
            for held, storms in ((85_000, 1), (75_000, 0)):
                with self.subTest(rate=rate, held=held):
                    quanta = held * 1000 // quanta_ps(1, rate)
                    # From 10 us before a look on, so that the queue is held at each.
                    begin = poll - 10_000
                    frames = [(at, pfc({3: quanta})) for at in range(begin, begin + 3 * detect, 100_000)]
                    numbers = (rate, cell, poll, detect, restore, begin, begin + 3 * detect)
                    run = self.run_storm(numbers, {}, frames=frames, packets=[])
                    self.assertEqual(run.port("swp2").queue(3).watchdog_storms, storms)
                    if storms:
                        self.assertEqual(self.log(run)[0], (next_look(poll, begin + detect), "watchdog-storm"))

    def test_by_hand(self):
        """`restore` ends a storm at its instant: what comes later is sent, while `restore` would last for long. The
        log says so; a queue that is in no storm is not touched by it."""
        for rate, cell, poll, detect, _, begin, _ in NUMBERS[:2]:
            with self.subTest(rate=rate):
                found, _ = storm((rate, cell, poll, detect, 0, begin, begin))
                last, restore = found + 100_000, 100 * poll
                by_hand = last + 2 * quanta_ps(65535, rate) // 1000    # the pause is over
                numbers = (rate, cell, poll, detect, restore, begin, last)
                events = [{"at": f"{by_hand}ns", "restore": "swp2.3"}, {"at": f"{by_hand}ns", "restore": "swp2.0"}]
                run = self.run_storm(numbers, {}, events=events, end=by_hand + MS)
                self.assertEqual(self.log(run), [(found, "watchdog-storm"), (by_hand, "watchdog-restore")])
                arrivals = dict(enumerate(range(10_000, by_hand + MS, STEP)))
                self.rate = rate
                lost = {i: max(found, at) for i, at in arrivals.items() if begin < at < by_hand}
                self.assertEqual({ip_ident(packet.data): packet.ns for packet in run.dropped}, lost)
                self.assertEqual(sorted(self.leaves(run, 3)), [i for i in arrivals if i not in lost])

    def test_again(self):
        """A second storm after the first: each is found and ended in its time."""
        for numbers in NUMBERS[:2]:
            rate, _, poll, detect, restore, begin, last = numbers
            first, second = storm(numbers), None
            again = next_look(poll, first[1]) + 3 * poll + 123_000
            later = (*numbers[:5], again, again + 2 * detect)
            second = storm(later)
            frames = pauses(rate, begin, last, restore) + pauses(rate, again, again + 2 * detect, restore)
            run = self.run_storm(numbers, {}, frames=frames, end=second[1] + 2 * poll)
            self.assertEqual(self.log(run), [(first[0], "watchdog-storm"), (first[1], "watchdog-restore"),
                                             (second[0], "watchdog-storm"), (second[1], "watchdog-restore")])
            self.assertEqual(run.port("swp2").queue(3).watchdog_storms, 2)

    def test_ingress(self):
        """With `ingress` what comes in by the port with the queue's priority is dropped, too, and pauses nobody:
        swp2's packets for a frozen swp3 would be XOFF from 2 KB on. Without, they are."""
        for numbers in NUMBERS[:2]:
            rate, cell, poll, detect, restore, begin, last = numbers
            begins, ends = storm(numbers)
            for ingress in ("on", "off"):
                with self.subTest(rate=rate, ingress=ingress):
                    frames = pauses(rate, begin, last, restore)
                    mine = [(begins + 7 + i * 10_000, udp(*to("swp3"), size=SIZE, dscp=dscp, ident=i))
                            for i in range(10) for dscp in (3, 0)]
                    run = self.run_storm(numbers, {"ingress": ingress}, packets=[],
                                         frames=sorted(frames + mine, key=lambda packet: packet[0]),
                                         events=hold("swp3"), pg={3: {"static": "2KB", "headroom": "100KB"}})
                    xoffs = [frame for frame in pfc_frames(run.sent["swp2"]) if frame.quanta[3]]
                    if ingress == "on":
                        self.assertEqual((run.drops, xoffs), ({"watchdog": 10}, []))
                        self.assertEqual({dscp_of(packet.data) for packet in run.dropped}, {3})
                        self.assertEqual(run.port("swp2").group(3).dropped, 10)
                    else:
                        self.assertEqual(run.drops, {})
                        self.assertGreater(len(xoffs), 0)
                    self.assertEqual(run.port("swp3").queue(0).depth, 10 * cells(SIZE, cell) * cell)

    def test_live(self):
        """Switched on while a pause lasts: it is found by what held the queue before. Switched off in a storm: the
        pause holds again from then on, and nothing more is dropped."""
        numbers = NUMBERS[0]
        rate, cell, poll, detect, restore, begin, last = numbers
        begins, ends = storm(numbers)
        run = self.run_storm(numbers, events=[{"at": "2200us", "set": "switch.qos.watchdog",
                                               "to": "{poll: 1ms, detect: 3ms, restore: 2ms}"}])
        self.assertEqual(self.log(run), [(begins, "watchdog-storm"), (ends, "watchdog-restore")])
        off = begins + 100_500
        run = self.run_storm(numbers, {}, events=[{"at": f"{off}ns", "set": "switch.qos.watchdog", "to": "off"}])
        self.assertEqual(self.log(run), [(begins, "watchdog-storm"), (off, "watchdog-restore")])
        self.rate = rate
        lost = {i: max(at, begins) for i, at in self.arrivals(numbers).items() if begin < at < off}
        self.assertEqual({ip_ident(packet.data): packet.ns for packet in run.dropped}, lost)
        held = last + quanta_ps(longest(rate, restore), rate) // 1000
        leaves = self.leaves(run, 3)
        self.assertEqual([i for i, at in leaves.items() if off * 1000 <= at < held * 1000 - 1000], [])
        self.assertEqual(sorted(leaves), [i for i in self.arrivals(numbers) if i not in lost])

    def test_one_port(self):
        """Two ports that hear and get the same. What one of them has for itself decides when its storm begins and ends, and
        what becomes of its packets; the others are as `qos` says. The last: it is taken from the watchdog at 7 ms."""
        numbers = NUMBERS[0]
        rate, _, _, _, restore, begin, last = numbers
        end, all_ = 14 * MS, {"poll": "1ms", "detect": "3ms", "restore": "2ms"}
        frames, mine = pauses(rate, begin, last, restore), list(zip(storm(numbers), ("watchdog-storm", "watchdog-restore")))
        off = {"at": "7ms", "set": "switch.qos.ports.swp3.watchdog", "to": "off"}
        for general, own, event, expected in (
                (all_, {"detect": "5ms", "restore": "3ms", "action": "forward"}, None, (6 * MS, 10 * MS)),
                (all_, {"robustness": 4}, None, (5 * MS, 9 * MS)), (all_, "off", None, ()),
                (all_ | {"enabled": "off"}, {"robustness": 4}, None, (5 * MS, 9 * MS)),
                (all_, {"robustness": 4}, off, (5 * MS, 7 * MS))):
            with self.subTest(general=general, own=own, event=bool(event)):
                qos = {"pg": {3: {"headroom": "100KB"}}, "watchdog": general, "ports": {"swp3": {"watchdog": own}}}
                run = self.replay(switch(3, rate, [event] if event else [], qos=qos),
                                  {"swp1": merged(traffic(end), traffic(end, "swp3")), "swp2": frames, "swp3": frames},
                                  "--until", f"{end + 100_000}ns")
                run.assert_conserved()
                seen = {port: [(entry["at_ns"], entry["what"]) for entry in run.counters["log"]
                               if entry["queue"] == f"{port}.3"] for port in ("swp2", "swp3")}
                self.assertEqual(seen["swp2"], [] if "enabled" in general else mine)
                self.assertEqual(seen["swp3"], list(zip(expected, ("watchdog-storm", "watchdog-restore"))))
                dropped = [run.port(port).queue(3).watchdog_dropped for port in ("swp2", "swp3")]
                drops = own not in ("off",) and own.get("action") != "forward"
                self.assertEqual([count > 0 for count in dropped], ["enabled" not in general, drops])
                if own != "off" and not drops:    # sent in its storm
                    self.assertTrue([packet for packet in run.sent["swp3"] if 6 * MS < packet.ns < 10 * MS and
                                     dscp_of(packet.data) == 3])


class Presets(Case):
    """The presets leave it off; `on` takes their values."""

    def found(self, preset, rate, **watchdog):
        """Paused from 0.3 ms to 950 ms, with 50 packets waiting from 1 ms on, 50 more from 701 ms on."""
        frames = pauses(rate, 300_000, 950 * MS, 100 * MS)
        packets = [(at + i * 1000, udp(*to("swp2"), dscp={"sonic": 3}.get(preset, 26), ident=i))
                   for at in (MS, 701 * MS) for i in range(50)]
        enabled = {"watchdog": {"enabled": "on"} | watchdog}
        run = self.replay(switch(2, rate, preset=preset, qos=enabled), {"swp1": packets, "swp2": frames},
                          "--until", "1500ms")
        run.assert_conserved()
        return run, [(entry["at_ns"] // MS, entry["queue"], entry["what"]) for entry in run.counters["log"]]

    def test_sonic(self):
        """pfcwd start_default: poll, detect and restore 200 ms, drop. Held since 0.3 ms: 199.7 ms at the second look,
        found at 400 ms; quiet since 950 ms: restored at 1200 (250 ms). All that waits goes, and all that comes."""
        for rate in ("25G", "100G"):
            run, log = self.found("sonic", rate)
            self.assertEqual(log, [(400, "swp2.3", "watchdog-storm"), (1200, "swp2.3", "watchdog-restore")])
            self.assertEqual((run.drops, run.sent["swp2"]), ({"watchdog": 100}, []))

    def test_spectrum_x(self):
        """Cumulus: every 100 ms, three times: 299.7 ms at the third look, found at 400 ms; restored when a look finds
        none for 100 ms: at 1100 (1000: 50 ms). What waits is sent, the pause not being honoured; what comes is
        discarded."""
        for rate in ("25G", "100G"):
            run, log = self.found("spectrum-x", rate)
            self.assertEqual(log, [(400, "swp2.3", "watchdog-storm"), (1100, "swp2.3", "watchdog-restore")])
            self.assertEqual(run.drops, {"watchdog": 50})
            self.assertEqual([packet.ns for packet in run.sent["swp2"]],
                             [(400 * MS * 1000 + i * slot_ps(300, rate) + frame_ps(300, rate)) // 1000
                              for i in range(50)])

    def test_robustness(self):
        """`robustness: 5` is five polls."""
        _, log = self.found("spectrum-x", "100G", robustness=5)
        self.assertEqual(log[0], (600, "swp2.3", "watchdog-storm"))     # 499.7 ms at 500

    def test_off(self):
        for preset in ("sonic", "spectrum-x"):
            run, log = self.found(preset, "100G", enabled="off")
            self.assertEqual((log, run.drops), ([], {}))

    def check(self, preset, **watchdog):
        return roost("check", self.file(switch(preset=preset, qos={"watchdog": watchdog})), status=None)

    def test_ranges(self):
        """What no watchdog can do is refused; what SONiC's own command line would not take is said in a warning
        under its preset, and only there."""
        for watchdog, pattern in (({"poll": "99us"}, r"watchdog\.poll: 99us is out of range"),
                                  ({"poll": "10001ms"}, r"watchdog\.poll: 10001ms is out of range"),
                                  ({"poll": "300ms", "detect": "200ms"}, r"watchdog.*(detect|poll)"),
                                  ({"restore": "61s"}, r"watchdog\.restore: 61s is out of range"),
                                  ({"detect": "61s"}, r"watchdog\.detect: 61s"), ({"robustness": 0}, r"robustness"),
                                  ({"robustness": 1001}, r"robustness"),
                                  ({"restore": "60001ms"}, r"watchdog\.restore: 60001ms is out of range"),
                                  ({"robustness": 3, "detect": "1s"}, r"robustness|detect"),
                                  ({"poll": "100ms", "restore": "50ms"}, r"watchdog.*(restore|poll)")):
            for preset in ("sonic", "spectrum-x"):
                with self.subTest(watchdog=watchdog, preset=preset):
                    done = self.check(preset, **watchdog)
                    self.assertEqual(done.status, 2, done)
                    self.assertRegex(done.err, pattern)
        for watchdog, warned in (({"poll": "200ms", "detect": "400ms", "restore": "400ms"}, 0),
                                 ({"poll": "10ms", "detect": "200ms", "restore": "400ms"}, 1),
                                 ({"poll": "100ms", "detect": "6s", "restore": "400ms"}, 1),
                                 # The ends of SONiC's ranges, and just beyond.
                                 ({"poll": "100ms", "detect": "100ms", "restore": "100ms"}, 0),
                                 ({"poll": "1s", "detect": "5s", "restore": "60s"}, 0),
                                 ({"poll": "1001ms", "detect": "5s", "restore": "60s"}, 1),
                                 ({"poll": "99ms", "detect": "100ms", "restore": "100ms"}, 1),
                                 ({"poll": "1s", "detect": "5001ms", "restore": "60s"}, 1),
                                 ({"poll": "99ms", "detect": "99ms", "restore": "99ms"}, 3),
                                 # The ends of what is taken at all.
                                 ({"poll": "100us", "detect": "100us", "restore": "100us"}, 3),
                                 ({"poll": "10s", "detect": "60s", "restore": "60s"}, 2),
                                 ({"poll": "60ms", "robustness": 1000, "restore": "60s"}, 2)):
            for preset, count in (("sonic", warned), ("spectrum-x", 0)):
                with self.subTest(watchdog=watchdog, preset=preset):
                    done = self.check(preset, **watchdog)
                    said = sum("watchdog" in line for line in done.err.splitlines())
                    self.assertEqual((done.status, said), (0, count), done)


if __name__ == "__main__":
    unittest.main()
