# SPDX-License-Identifier: BSD-3-Clause
"""testbeds/vm: two VMs with unmodified rdma_rxe are hosts of a fabric. perftest completes in them, and rxe's own counters
show no retransmission: over routes that reorder packets, and in an incast with pauses."""
import re
import sys
from dataclasses import replace

from common import *

BED = SOURCE / "testbeds/vm"
sys.path.insert(0, str(BED))

import image
from scenarios import SCENARIOS, run_scenario
from testbed import Testbed


def ended(name):
    """Nothing is left of a testbed."""
    return not clean(name) and not Testbed(name).directory.exists()


class Vm(LiveCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bed = Testbed(name_of("vm"), ROOST)
        guard = cls.bed.guard()
        cls.addClassCleanup(cls.assert_gone)
        cls.addClassCleanup(guard.wait, 60)
        cls.addClassCleanup(guard.stdin.close)
        cls.bed.up()

    @classmethod
    def assert_gone(cls):
        if not ended(cls.bed.name):
            raise AssertionError(f"left behind: {clean(cls.bed.name)}, {cls.bed.directory}")

    def results(self, name):
        """The results of a scenario's programs. Each completed without loss and without a retransmission."""
        results = list(run_scenario(self.bed, SCENARIOS[name]))
        self.assertEqual([one.test for one in results], list(SCENARIOS[name].tests))
        for one in results:
            with self.subTest(scenario=name, test=one.test):
                self.assertEqual((one.error, one.lossless_drops, one.drops, one.kernel), ("", 0, {}, {}))
                self.assertEqual((one.retransmits, one.out_of_order, one.duplicates), (0, 0, 0), one.rxe)
                self.assertEqual(one.sent, one.packets)
        return results

    def test_write_send_and_read(self):
        self.results("plain")

    def test_in_order_over_paths_of_different_length(self):
        for one in self.results("detour"):
            self.assertGreater(one.held, one.packets / 10, one.test)

    def test_without_reorder_packets_are_sent_again(self):
        """The same paths without `reorder`: packets do overtake each other there."""
        unordered = replace(SCENARIOS["detour"], reorder=False, tests=("write",), messages=16, patience=15)
        result, = run_scenario(self.bed, unordered)
        self.assertEqual((result.lossless_drops, result.drops, result.kernel, result.held), (0, {}, {}, 0))
        self.assertGreater(result.out_of_order, 0)
        self.assertTrue(result.error or result.retransmits and result.sent > result.packets, result)

    def test_lossless_incast(self):
        result, = self.results("incast")
        self.assertGreater(result.pauses, 0)

    def test_only_ect_packets_are_marked(self):
        marked, = self.results("ecn")
        self.assertGreater(marked.ce, 0)
        self.assertLessEqual(marked.ce, marked.marked)
        unmarked, = self.results("not-ect")
        self.assertEqual((unmarked.ce, unmarked.marked), (0, 0))

    def test_ping_traceroute_and_path_mtu(self):
        """The ping and traceroute of busybox, and TCP, through links with a smaller MTU than the interface of the VM."""
        narrow, size, here, there = 1400, 200_000, self.bed.machines["h1"], self.bed.machines["h3"]
        links = "".join(f"\n    leaf1-{spine}: {{mtu: {narrow}}}" for spine in ("spine1", "spine2"))
        before, after = SCENARIOS["plain"].fabric(self.bed.name).split("\n  mtu:")
        self.bed.fabric_up(f"{before}{links}\n  mtu:{after}")
        self.addCleanup(self.bed.fabric_down)
        for address in ("169.254.0.1", "172.16.0.1", "172.17.0.2", "172.16.0.2", "10.0.2.1"):
            self.assertIn("2 packets received, 0% packet loss", here.run(f"ping -c 2 -W 10 {address}"), address)
        limits = "for i in per_sec burst; do echo {} >/proc/sys/net/ipv4/icmp_msgs_$i; done"     # of the last hop's answer
        self.addCleanup(there.run, limits.format(0))
        there.run(limits.format(1000))
        hops = re.findall(r"(?m)^ *\d+  ([\d.]+) ", here.run("traceroute -n -q 1 -w 8 -m 6 10.0.2.1", timeout=60))
        self.assertEqual([hops[0], *hops[2:]], ["172.16.0.1", "172.16.0.2", "10.0.2.1"], hops)
        self.assertIn(hops[1], ("172.17.0.1", "172.17.0.2"))
        there.run("sleep 60 | nc -l -p 9000 >/tmp/received 2>&1 &")
        there.wait_until("netstat -ltn | grep -q :9000", "nc listens")
        here.run(f"(dd if=/dev/zero bs={size} count=1 | timeout 60 nc 10.0.2.1 9000) >/dev/null 2>&1 &")
        there.wait_until(f"[ $(stat -c %s /tmp/received) -eq {size} ]", "all has come")
        self.assertRegex(here.run("/usr/bin/ip route get 10.0.2.1"), rf"\bmtu {narrow}\b")

    def test_commands(self):
        def vm(*words, status=0):
            return command(BED / "vm", "--name", self.bed.name, *words, status=status, env=os.environ | {"ROOST": str(ROOST)})

        self.bed.machines["h1"].disconnect()
        self.assertIn("rxe0", vm("exec", "h1", "rdma", "link").out)
        self.assertIn("is up, or was not taken down", vm("run", status=1).err)
        self.assertIn("no scenario nonsense; there are plain, ", vm("run", "nonsense", status=2).err)


class VmEnds(LiveCase):

    def test_what_is_missing_is_named(self):
        needed, image.NEEDED = image.NEEDED, image.NEEDED | {"/usr/bin/no-such-program": "no-such-package"}
        self.addCleanup(setattr, image, "NEEDED", needed)
        bed = Testbed(name_of("vmless"), ROOST)
        with self.assertRaisesRegex(RuntimeError, r"^/usr/bin/no-such-program: not found; run testbeds/setup, or "
                                                  r"apt-get install --no-install-recommends no-such-package$"):
            bed.up()
        self.assertTrue(ended(bed.name))

    def test_nothing_is_left_when_it_is_killed(self):
        bed = Testbed(name_of("vmkill"), ROOST)
        run = subprocess.Popen([BED / "vm", "--name", bed.name, "run", "plain"], env=os.environ | {"ROOST": str(ROOST)},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            wait_until(lambda: bed.there() and len(bed.pids()) == 2, "both VMs boot", 60)
        finally:
            run.kill()
            run.wait()
        wait_until(lambda: ended(bed.name), "all is gone", 60)


if __name__ == "__main__":
    unittest.main()
