# SPDX-License-Identifier: BSD-3-Clause
"""Several workers carry what one does; how far they run behind the clock is told, and where they cannot
keep up the fabric's clock gives way instead of the fabric."""
import signal

from common import *


def workers(fabric):
    return fabric.show("fabric")["workers"]


def second_of(fabric):
    """Sleeps for a second. Returns, in seconds, how much of the fabric's time has passed meanwhile, and the least and the most
    that it has been by the clock: a busy machine may stop this process anywhere."""
    first = time.monotonic()
    before = fabric.show("fabric")["time_ns"]
    second = time.monotonic()
    time.sleep(1)
    third = time.monotonic()
    passed = fabric.show("fabric")["time_ns"] - before
    return passed / 1e9, third - second, time.monotonic() - first


class Carries:
    """What every arrangement of workers has to do."""

    def test_ping(self):
        self.assertIn("4 received", self.ping("h7", "h3").out)
        self.assert_lossless(self.up)

    def test_udp_both_ways_over_both_spines(self):
        count, ports = 4, 64
        pairs = [("h1", "h5"), ("h5", "h1"), ("h3", "h7"), ("h7", "h3")]
        receivers = {to: self.udp(to, UDP_PORT) for _, to in pairs}
        senders = {by: [self.udp(by) for _ in range(ports)] for by, _ in pairs}
        before = [self.port(f"{spine}.swp2")["tx_packets"] for spine in ("spine1", "spine2")]
        for _ in range(count):
            for i in range(ports):
                for by, to in pairs:
                    senders[by][i].send(by.encode() * 50, (HOSTS[to], UDP_PORT))
                time.sleep(0.001)
        for by, to in pairs:
            arrivals = receivers[to].receive_all(count * ports)
            self.assertEqual(collections.Counter(one.source[1] for one in arrivals),
                             {sender.socket.getsockname()[1]: count for sender in senders[by]})
        after = [self.port(f"{spine}.swp2")["tx_packets"] for spine in ("spine1", "spine2")]
        crossed = [now - then for now, then in zip(after, before)]
        self.assertGreater(min(crossed), 0)
        self.assertEqual(sum(crossed), 2 * count * ports)
        self.assert_lossless(self.up)

    def test_workers_are_shown(self):
        shown = workers(self.up)
        self.assertEqual([one["nodes"] for one in shown], self.nodes)
        for one in shown:
            self.assertLessEqual(one["lag_ns"], one["lag_max_ns"])
        text = self.up.command("show", "fabric").out
        self.assertRegex(text, r"worker on cpu +nodes +lag +max +slips")

    def test_time_passes(self):
        """Fabric time is wall time by the dilation, less what slipped. Half of it shows that workers do
        not keep each other waiting; the rest is what a busy machine may take."""
        def at_half_the_pace():
            passed, least, most = second_of(self.up)
            self.assertLess(passed * DILATION, most + 0.1)
            return passed * DILATION > least / 2

        wait_until(at_half_the_pace, "a second with half of the time at least")


class OnePolls(Carries, Shared):
    nodes = [12]

    @classmethod
    def description(cls):
        return demo(cls.name, idle="poll")


class TwoSleep(Carries, Shared):
    nodes = [6, 6]

    @classmethod
    def description(cls):
        return demo(cls.name, workers=2)


class TwoPoll(Carries, Shared):
    nodes = [6, 6]

    @classmethod
    def description(cls):
        return demo(cls.name, workers=2, idle="poll")


class MoreThanSwitches(LiveCase):
    """A worker without a switch would have nothing to do: there are as many as switches."""

    def test_as_many_as_switches(self):
        fabric = self.fabric(demo(name_of("many"), attach=("h1", "h5"), workers=16))
        self.assertEqual(len(workers(fabric)), 4)
        self.assert_reaches(fabric.name, "h1", "h5")


class Pace(LiveCase):

    def test_two_workers_undilated(self):
        """At dilation 1 the two may run a microsecond apart. They do not sleep on each other: that alone
        would make 1 us of progress in each 100 us."""
        fabric = self.fabric(demo(name_of("undilated"), attach=("h1", "h5"), dilation=1, workers=2))
        def at_a_twentieth_of_the_pace():
            passed, least, _ = second_of(fabric)
            return passed > least / 20

        wait_until(at_a_twentieth_of_the_pace, "a second with a twentieth of the time at least")
        self.assert_reaches(fabric.name, "h1", "h5")

    def test_too_much_to_do(self):
        """Six NICs at 100 Gb/s undilated are more than any CPU carries: the clock slips, which is told,
        while the fabric goes on serving hosts and questions."""
        fabric = self.fabric(demo(name_of("overload"), attach=("h1", "h5"), dilation=1, workload=[
            {"kind": "permutation", "tenant": tenant, "size": "10GB"} for tenant in ("red", "blue")]))
        passed, _, most = second_of(fabric)
        self.assertLess(passed, most / 2)
        wait_until(lambda: workers(fabric)[0]["slips"] > 10, "the clock slips")
        # Seen when it has passed the bound, at the end of a turn of 1 ms; the rest is the machine's.
        self.assertGreater(workers(fabric)[0]["lag_max_ns"], MAX_LAG_MS * 1e6)
        self.assert_reaches(fabric.name, "h1", "h5")

    def test_stopped_process(self):
        """A fabric that did not run for a while goes on from where it was, and says so."""
        fabric = self.fabric(demo(name_of("stopped"), attach=("h1", "h5")))
        pid = json.loads(Path(f"/run/roost/{fabric.name}.state").read_text())["pid"]
        at, before = time.monotonic(), fabric.show("fabric")
        os.kill(pid, signal.SIGSTOP)
        stopped = time.monotonic()
        time.sleep(1)
        stop = time.monotonic() - stopped
        os.kill(pid, signal.SIGCONT)

        def noticed():
            found = fabric.show("fabric")
            return found if found["workers"][0]["lag_max_ns"] > 0.9e9 else None

        after = wait_until(noticed, "the worker notices")
        ran = time.monotonic() - at - stop
        self.assertGreater(after["workers"][0]["slips"], before["workers"][0]["slips"])
        self.assertLess((after["time_ns"] - before["time_ns"]) * DILATION / 1e9, ran + 0.1)
        self.assert_reaches(fabric.name, "h1", "h5")
        self.assert_lossless(fabric)
