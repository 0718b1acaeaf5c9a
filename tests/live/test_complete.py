# SPDX-License-Identifier: BSD-3-Clause
"""Completion and the shell know the names of a fabric that is up."""
import json
import os
import pty
import select
import signal
import time
from pathlib import Path

from common import *


class Complete(Shared):

    @classmethod
    def description(cls):
        return demo(cls.name, attach=("h1",))

    def offered(self, *words):
        return [line.split("\t")[0] for line in self.up.command("complete", "--", *words).out.splitlines()]

    def test_nodes_in_keys(self):
        self.assertEqual(self.offered("set", "lea"), ["leaf.", "leaf1.", "leaf2."])
        self.assertEqual(self.offered("set", "spine2.routing.mo"), ["spine2.routing.mode"])
        self.assertEqual(self.offered("show", "config", "sp"), ["spine1", "spine2"])

    def test_ports_and_queues(self):
        ports = self.offered("show", "pfc", "leaf2")
        self.assertEqual(ports, ["leaf2"] + [f"leaf2.swp{i}" for i in range(1, 7)])
        self.assertEqual(self.offered("watchdog", "restore", "leaf1.swp3."), [f"leaf1.swp3.{i}" for i in range(8)])
        self.assertEqual(self.offered("watchdog", "restore", "leaf1.swp6"), ["leaf1.swp6."])

    def test_hosts(self):
        self.assertEqual(self.offered("exec", ""), ["h1"])     # which alone has a namespace
        self.assertEqual(self.offered("show", "queue-pairs", "h"), [f"h{i}" for i in range(1, 9)])

    def test_tenants_and_their_hosts(self):
        self.assertIn("tenants.blue.", self.offered("set", "tenants.b"))
        self.assertEqual(self.offered("set", "tenant", "re"), ["red", "rest"])
        self.assertEqual(self.offered("set", "tenant", "red", "hosts", "h5"), ["h5"])
        self.assertEqual(self.offered("set", "tenant", "red", "hosts", "h5,h6,h1"), ["h5,h6,h1"])
        self.assertEqual(self.offered("set", "tenants.red.hosts", "h2,h3"), ["h2,h3"])
        self.assertEqual(self.offered("show", "route", "vrf", "b"), ["blue"])

    def test_a_name_that_is_in_the_list_is_not_offered_again(self):
        offered = self.offered("set", "tenant", "red", "hosts", "h1,h2,")
        self.assertEqual([word for word in offered if word.startswith("h")], [f"h1,h2,h{i}" for i in range(3, 9)])

    def test_only_a_tenants_own_hosts_can_be_taken_from_it(self):
        offered = self.offered("unset", "tenant", "red", "hosts", "")
        self.assertEqual([word for word in offered if word.startswith("h")], ["h1", "h2", "h5", "h6"])

    def test_revisions(self):
        known = [str(r["revision"]) for r in json.loads(self.up.command("history", "-o", "json").out)["revisions"]]
        self.assertTrue(known)
        self.assertEqual(self.offered("rollback", ""), known)
        self.assertEqual(self.offered("config", "diff", ""), known)

    def test_fabrics(self):
        self.assertEqual(self.offered("down", self.name[:-1]), [self.name])
        self.assertEqual(self.offered("-f", self.name[:-1]), [self.name])
        env = os.environ | {"ROOST_FABRIC": "none-of-this-name"}
        done = roost("complete", "--", "show", "-f", self.name, "config", "leaf", env=env)
        self.assertEqual(done.out.split(), ["leaf1", "leaf2"])

    def test_a_fabric_that_does_not_answer_is_waited_for_briefly(self):
        state = json.loads(Path(f"/run/roost/{self.name}.state").read_text())
        os.kill(state["pid"], signal.SIGSTOP)
        try:
            start = time.monotonic()
            self.assertEqual(self.offered("set", "lea"), ["leaf."])
            self.assertLess(time.monotonic() - start, 15)
        finally:
            os.kill(state["pid"], signal.SIGCONT)

    def test_the_shell_says_which_fabric_is_meant(self):
        home = str(self.directory)
        process, fd = pty.fork()
        if process == 0:
            try:
                os.execve(ROOST, [ROOST, "-f", self.name],
                          os.environ | {"TERM": "dumb", "HOME": home, "XDG_STATE_HOME": ""})
            finally:
                os._exit(127)
        seen = ""

        def until(text):
            nonlocal seen
            end = time.monotonic() + 20
            while text not in seen:
                self.assertLess(time.monotonic(), end, seen)
                if select.select([fd], [], [], 0.2)[0]:
                    seen += os.read(fd, 65536).decode(errors="replace")
            seen = seen.partition(text)[2]

        until(f"roost({self.name})> ")
        os.write(fd, b"show config leaf\t2\r")
        until("leaf2, preset spectrum-x")
        until(f"roost({self.name})> ")
        os.write(fd, b"set switch.qos.tc.3.ecn.min 60KB\r")
        until(f"roost({self.name})> ")
        os.write(fd, b"show config leaf1\r")
        until("60KB")
        until(f"roost({self.name})> ")
        os.write(fd, b"\x04")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 0)
        os.close(fd)
