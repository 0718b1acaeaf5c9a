# SPDX-License-Identifier: BSD-3-Clause
"""BFD sessions of FRR's bfdd that Roost runs (`switch.bfd`): they are up only as long as the dataplane forwards."""
import contextlib
import ctypes
import os
import signal

from common import *
from bgp_bed import BgpBed

from plan import SWITCHES, ports

DETECT_S = 1.5      # 5 x 300 ms (plan.py)
SLACK_S = 30        # for a busy machine, and for vtysh
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17


@contextlib.contextmanager
def hung(thread):
    """A thread that does not run, alone of its process."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

    def ptrace(request):
        if libc.ptrace(request, thread, None, None) != 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request} of {thread}")
    ptrace(PTRACE_SEIZE)
    ptrace(PTRACE_INTERRUPT)
    os.waitpid(thread, 0x40000000)      # __WALL
    try:
        yield
    finally:
        ptrace(PTRACE_DETACH)


class Bfd(BgpBed):
    name, daemon, options = "bfd", "bfdd", {"bfd_in_dataplane": True}

    def tearDown(self):
        for switch in SWITCHES:
            with contextlib.suppress(OSError):
                os.kill(self.bed.roost_pid(switch), signal.SIGCONT)
            if not self.bed.pid(switch, "bfdd"):
                self.bed.start(switch, "bfdd")
        self.await_converged("all is well again")

    def sessions(self, switch):
        return {one["interface"]: one for one in self.show(switch, "bfd")["sessions"]}

    def dropped(self, switch):
        """By port: how often BGP has lost its session. FRR 8.4 connects again, whatever BFD says."""
        shown = json.loads(self.bed.vtysh(switch, "show bgp neighbors json"))
        return {port: one["connectionsDropped"] for port, one in shown.items()}

    def classes(self, switch):
        """Packets of all ports by steering class."""
        ports = self.show(switch, "steering")["ports"].values()
        return {name: sum(one["classes"][name]["packets"] for one in ports) for name in ("bfd", "bfd-offload")}

    def test_sessions(self):
        """Each end has two, of both kinds of address that BGP has there; all of their packets pass the dataplane."""
        for switch in SWITCHES:
            up = [f"swp{port}" for port in ports(switch)[1]]
            classes = self.classes(switch)      # first: each packet of a session is counted there as well
            before = self.sessions(switch)
            self.assertEqual(sorted(before), up)
            for one in before.values():
                self.assertEqual((one["state"], one["remote"]["state"], one["diagnostic"], one["note"]), ("up", "up", "none", ""))
                self.assertTrue(one["local"].startswith("fe80::") and one["peer"].startswith("fe80::"))
                self.assertEqual((one["interval_ns"], one["detection_ns"]), (300_000_000, 1_500_000_000))
            wait_until(lambda: all(now["sent"] >= before[port]["sent"] + 3 and now["received"] >= before[port]["received"] + 3
                                   for port, now in self.sessions(switch).items()), f"{switch}: packets in both directions")
            shown = self.show(switch, "bfd")
            self.assertTrue(shown["connected"])
            self.assertEqual((shown["refused"], shown["malformed"], shown["routed"]), (0, 0, 0))
            now = self.classes(switch)
            self.assertGreaterEqual(now["bfd-offload"], classes["bfd-offload"] + 6)
            self.assertEqual(now["bfd"], classes["bfd"])
        shown = roost("show", "bfd", "-f", f"{self.bed.name}-leaf1").out
        self.assertRegex(shown, rf"{self.bed.name}-leaf1 +connected +0 +0 +0 +\d+\n")
        self.assertRegex(shown, r"swp3 +fe80::\S+ +up +\d.* s +none +300 ms +1\.5 s +\d+ +\d+\n")

    def test_bfdd_knows(self):
        """What bfdd shows comes from Roost: state, intervals of the far end, counters."""
        peers = json.loads(self.bed.vtysh("leaf1", "show bfd peers json"))
        self.assertEqual({(one["interface"], one["status"], one["remote-receive-interval"],
                           one["remote-transmit-interval"], one["remote-detect-multiplier"]) for one in peers},
                         {(port, "up", 300, 300, 5) for port in ("swp3", "swp4")})
        counted = json.loads(self.bed.vtysh("leaf1", "show bfd peers counters json"))
        self.assertEqual(len(counted), 2)
        for one in counted:
            self.assertGreater(one["control-packet-input"], 3)
            self.assertGreater(one["control-packet-output"], 3)

    def held(self, leaf):
        """BGP packets of spine1 that were dropped."""
        return self.show(leaf, "steering")["ports"]["swp3"]["classes"]["bgp-held"]["packets"]

    def is_without_spine(self, leaf):
        """All routes to other leaves go through spine2."""
        routes = self.bed.routes(leaf)
        return all(routes.get(prefix) == ["swp4"] for prefix in self.bed.expected_routes(leaf))

    def assert_spine_lost(self, stop):
        """The leaves find out within the detection time, and BGP with them. bgpd of FRR 8.4 tries to connect again
        within 3 s. Its packets do not pass the dataplane, so it would succeed if they were not dropped."""
        before = {leaf: self.dropped(leaf) for leaf in ("leaf1", "leaf2")}
        with stop():
            began = time.monotonic()
            for leaf in ("leaf1", "leaf2"):
                wait_until(lambda: self.is_without_spine(leaf), f"{leaf} forwards without spine1")
                self.assertLess(time.monotonic() - began, DETECT_S + SLACK_S)
            for leaf in ("leaf1", "leaf2"):     # bgpd of the spine may have notified them before
                wait_until(lambda: self.sessions(leaf)["swp3"]["diagnostic"] == "detection time expired", f"{leaf} knows")
                self.assertLess(time.monotonic() - began, DETECT_S + SLACK_S)
                self.assertEqual(self.sessions(leaf)["swp3"]["note"], "BGP held")
                wait_until(lambda: self.bed.bfd(leaf) == {"swp3": "down", "swp4": "up"}, f"bfdd of {leaf} knows")
            for leaf in ("leaf1", "leaf2"):
                held = self.held(leaf)
                wait_until(lambda: self.held(leaf) >= held + 3, f"bgpd of spine1 or {leaf} tries to connect")
                self.assertNotEqual(self.bed.sessions(leaf)["swp3"], "Established")
                self.assertTrue(self.is_without_spine(leaf))
                self.assertEqual(self.dropped(leaf)["swp4"], before[leaf]["swp4"])
        self.await_converged("spine1 is back")

    def test_roost_is_stopped(self):
        """Interfaces stay up, and bgpd of the spine goes on: without BFD nobody would notice."""
        pid = self.bed.roost_pid("spine1")

        @contextlib.contextmanager
        def stopped():
            os.kill(pid, signal.SIGSTOP)
            try:
                yield
            finally:
                os.kill(pid, signal.SIGCONT)
        self.assert_spine_lost(stopped)

    def test_worker_hangs(self):
        """Only the worker: the control thread lives, until routes go and it waits for the worker to take new tables."""
        tasks = Path(f"/proc/{self.bed.roost_pid('spine1')}/task")
        worker = next(int(one.name) for one in tasks.iterdir() if "worker" in (one / "comm").read_text())
        self.assert_spine_lost(lambda: hung(worker))

    def test_roost_is_killed(self):
        """The interfaces go down, so nobody waits for BFD; a new process runs the sessions of the same bfdd."""
        self.bed.kill_roost("spine1")
        began = time.monotonic()
        for leaf in ("leaf1", "leaf2"):
            wait_until(lambda: self.is_without_spine(leaf), f"{leaf} forwards without spine1")
            self.assertLess(time.monotonic() - began, DETECT_S + SLACK_S)
        self.bed.start_roost("spine1")
        self.await_converged("spine1 is back")

    def configure(self, switch, *lines):
        self.bed.vtysh(switch, "configure terminal", "bfd", *lines)

    def by_peer(self, switch, peer):
        return next((one for one in self.show(switch, "bfd")["sessions"] if one["peer"] == peer), {})

    def test_ip4(self):
        """Sessions that bfdd does not bind to an interface, with other intervals, one of which changes; and their ends."""
        ends = {"leaf1": ("swp3", "192.0.2.1", "192.0.2.2"), "spine1": ("swp1", "192.0.2.2", "192.0.2.1")}
        for switch, (port, mine, peer) in ends.items():
            self.bed.inside(switch, "ip", "addr", "add", f"{mine}/30", "dev", port)
            self.addCleanup(self.bed.inside, switch, "ip", "addr", "del", f"{mine}/30", "dev", port)
            self.configure(switch, f"peer {peer}", "transmit-interval 100", "receive-interval 100",
                           "detect-multiplier 10")
            self.addCleanup(self.configure, switch, f"no peer {peer}")
        for switch, (port, mine, peer) in ends.items():
            wait_until(lambda: self.by_peer(switch, peer).get("detection_ns") == 1_000_000_000, f"{switch} is up and fast")
            one = self.by_peer(switch, peer)
            self.assertEqual((one["state"], one["interface"], one["local"]), ("up", port, mine))
        self.configure("spine1", "peer 192.0.2.1", "transmit-interval 250")
        wait_until(lambda: self.by_peer("leaf1", "192.0.2.2")["detection_ns"] == 2_500_000_000, "the leaf knows")
        wait_until(lambda: self.by_peer("spine1", "192.0.2.1")["interval_ns"] == 250_000_000, "the spine is slower")
        self.assertEqual(self.by_peer("leaf1", "192.0.2.2")["state"], "up")
        self.configure("spine1", "peer 192.0.2.1", "shutdown")
        wait_until(lambda: self.by_peer("leaf1", "192.0.2.2")["diagnostic"] == "neighbour signalled session down",
                   "it says so, which does not take a detection time")
        self.assertEqual(self.by_peer("spine1", "192.0.2.1")["state"], "admin-down")
        self.configure("spine1", "peer 192.0.2.1", "no shutdown")
        wait_until(lambda: self.by_peer("leaf1", "192.0.2.2")["state"] == "up", "it is back")

    def test_interface_without_port(self):
        """A session at an interface that is not the dataplane's, such as a VLAN: the log says once why nothing is sent."""
        self.bed.inside("leaf1", "ip", "link", "add", "other", "type", "veth", "peer", "name", "far")
        self.addCleanup(self.bed.inside, "leaf1", "ip", "link", "del", "other")
        self.bed.inside("leaf1", "ip", "addr", "add", "192.0.2.9/30", "dev", "other")
        for end in ("other", "far"):
            self.bed.inside("leaf1", "ip", "link", "set", end, "up")
        self.configure("leaf1", "peer 192.0.2.10")
        self.addCleanup(self.configure, "leaf1", "no peer 192.0.2.10")
        wait_until(lambda: self.by_peer("leaf1", "192.0.2.10").get("note") == "no port", "the session is there")
        wait_until(lambda: self.lines_of("leaf1", "192.0.2.10"), "it is logged")
        self.assertRegex(roost("show", "bfd", "-f", f"{self.bed.name}-leaf1").out, r"- +192\.0\.2\.10 +down .* no port\n")
        self.assertEqual(self.lines_of("leaf1", "192.0.2.10"),
                         ["the session with 192.0.2.10 sends nothing: interface other is no port with `netdev:`"])

    def lines_of(self, switch, peer):
        return [line.split("BFD: ")[1] for line in roost("show", "log", "-f", f"{self.bed.name}-{switch}").out.splitlines()
                if f"BFD: the session with {peer} " in line]

    def test_multihop_is_refused(self):
        self.configure("leaf1", "peer 172.17.0.1 multihop local-address 172.16.0.1")
        self.addCleanup(self.configure, "leaf1", "no peer 172.17.0.1 multihop local-address 172.16.0.1")
        wait_until(lambda: "the session with 172.17.0.1 was refused: multihop sessions are not supported" in
                   roost("show", "log", "-f", f"{self.bed.name}-leaf1").out, "the log says so")
        self.assertEqual(self.by_peer("leaf1", "172.17.0.1"), {})

    def states_logged(self, switch):
        return [line.split(maxsplit=1) for line in roost("show", "log", "-f", f"{self.bed.name}-{switch}").out.splitlines()
                if "BFD: the session with" in line]

    def assert_alive(self, leaf, packets):
        """So many more packets come from spine1, and the session stays up."""
        had = self.sessions(leaf)["swp3"]["received"]
        wait_until(lambda: self.sessions(leaf)["swp3"]["received"] >= had + packets, f"packets from spine1 to {leaf}")
        self.assertEqual(self.sessions(leaf)["swp3"]["state"], "up")

    def test_bfdd_hangs(self):
        """For longer than the detection time: its sessions do not need it."""
        logged = self.states_logged("leaf1"), self.states_logged("spine1")
        pid = self.bed.pid("spine1", "bfdd")
        os.kill(pid, signal.SIGSTOP)
        try:
            self.assert_alive("leaf1", 8)
        finally:
            os.kill(pid, signal.SIGCONT)
        self.await_converged("all is well")
        self.assertEqual((self.states_logged("leaf1"), self.states_logged("spine1")), logged)

    def test_bfdd_restarts(self):
        """Its sessions go on without it, and the new one takes them over: neighbours do not notice."""
        logged = self.states_logged("leaf1"), self.states_logged("leaf2"), self.states_logged("spine1")
        before = self.sessions("spine1")
        self.bed.kill("spine1", "bfdd")
        wait_until(lambda: not self.show("spine1", "bfd")["connected"], "Roost knows")
        self.assertEqual([one["note"] for one in self.sessions("spine1").values()], ["orphaned", "orphaned"])
        self.assert_alive("leaf1", 8)
        self.bed.start("spine1", "bfdd")
        self.await_converged("the new one knows that its sessions are up")
        for port, one in self.sessions("spine1").items():
            self.assertEqual(one["discriminator"], before[port]["discriminator"])
            self.assertGreater(one["since_ns"], before[port]["since_ns"])
        self.assertEqual((self.states_logged("leaf1"), self.states_logged("leaf2"), self.states_logged("spine1")), logged)
        log = roost("show", "log", "-f", f"{self.bed.name}-spine1").out
        self.assertIn("BFD: the connection to bfdd has ended", log)

    def test_bfdd_does_not_come_back(self):
        """Its sessions end after a while, and the neighbours learn of it. bfdd of FRR 8.4 does not delete them when it ends."""
        peer = self.sessions("leaf1")["swp4"]
        os.kill(self.bed.pid("spine2", "bfdd"), signal.SIGTERM)
        wait_until(lambda: not self.show("spine2", "bfd")["connected"], "Roost knows")
        self.assertEqual([one["state"] for one in self.sessions("spine2").values()], ["up", "up"])
        wait_until(lambda: self.sessions("leaf1")["swp4"]["diagnostic"] == "neighbour signalled session down", "leaf1 sees it")
        self.assertEqual(self.sessions("leaf1")["swp4"]["discriminator"], peer["discriminator"])
        self.assertEqual(self.sessions("spine2"), {})
        self.bed.start("spine2", "bfdd")
        self.await_converged("its sessions are back")
        log = roost("show", "log", "-f", f"{self.bed.name}-spine2").out
        self.assertRegex(log, r"BFD: the session with fe80::\S+ at swp1 has ended: bfdd did not come back within 20 s")
        self.assertRegex(log, r"BFD: the session with fe80::\S+ at swp1 is up")


if __name__ == "__main__":
    unittest.main()
