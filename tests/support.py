# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share, on top of the Python package: test cases, and conditions that a test needs.

    from support import *

    class Dscp(Case):
        def test_each_dscp(self):
            run = self.replay(DUT, {"swp1": [(i * 1000, udp("198.18.1.9", "198.18.2.9", dscp=i))
                                             for i in range(64)]})
            self.assertEqual(run.port("swp2").queues.packets, [1, 58, 1, 1, 1, 1, 1, 0])
            run.assert_conserved()
            self.assertEqual(run.sent["swp2"][0].data[22], 63)

A file is run by tests/run, which gives it a directory of its own and keeps that if a test fails.
Descriptions of switches and fabrics are YAML text, or what YAML text says as dicts and lists.
"""
import atexit
import collections
import json
import os
import re
import shutil
import subprocess  # noqa: F401
import sys
import tempfile
import time
import unittest
from functools import cached_property
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
if str(SOURCE / "control/python") not in sys.path:
    sys.path.insert(1, str(SOURCE / "control/python"))

from roost import CommandError, Done, Packet, Replay, Sim, read_pcapng, write_pcap  # noqa: E402,F401
from roost.config import to_yaml  # noqa: E402
from roost.conservation import LOST_ON_WIRE, NOT_PACKETS, assert_conserved, assert_switch_conserved, total  # noqa: E402,F401
from roost.counters import answers, drops  # noqa: E402,F401
from roost.fabric import Fabric as LiveFabric  # noqa: E402
from roost.frames import *  # noqa: E402,F401,F403
from roost.program import run as run_program  # noqa: E402
from roost.runs import replay, sim  # noqa: E402
from roost.tables import read_csv  # noqa: E402,F401
from wireshark import malformed, tshark  # noqa: E402,F401

ROOST = os.environ.get("ROOST") or str(SOURCE / "build/roost")
FULL = os.environ.get("ROOST_TEST_FULL") == "1"             # everything, not a fixed-seed sample
SANITIZED = os.environ.get("ROOST_TEST_SANITIZED") == "1"   # several times slower
SANITIZER_STATUS = 99                                       # tests/run has sanitizers exit so
SLOWER = 10 if SANITIZED else 1

LOSSLESS_DROPS = {"headroom"}


# What live fabrics keep of their configurations is the tests' own too.
if "ROOST_STATE" not in os.environ:
    os.environ["ROOST_STATE"] = tempfile.mkdtemp(prefix="roost-state-")
    atexit.register(shutil.rmtree, os.environ["ROOST_STATE"], ignore_errors=True)


def own_directory(name, cleanup):
    """A fresh directory. tests/run keeps those of what failed; by hand, nothing stays."""
    directory = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    if "TMPDIR" not in os.environ:
        cleanup(shutil.rmtree, directory, ignore_errors=True)
    return directory


def command(*words, status=0, **options):
    """Runs a command and checks its exit status (None: any). Returns a Done; options are those of subprocess.run()."""
    done = run_program(*words, status=status, **options)
    if done.status == SANITIZER_STATUS:
        raise CommandError(done)
    return done


def roost(*words, timeout=120, **options):
    """Runs roost; `status` is the exit status that it must have, 0 unless given."""
    return command(ROOST, *words, timeout=timeout * SLOWER, **options)


class Case(unittest.TestCase):
    """A test with a directory of its own, and roost at hand."""
    maxDiff = 4000

    @cached_property
    def directory(self):
        return own_directory(self._testMethodName, self.addCleanup)

    def file(self, content, name="test.yaml"):
        """Writes a description (text, or dicts) into the test's directory. A Path is left alone."""
        if isinstance(content, Path):
            return content
        path = self.directory / name
        path.write_text(content if isinstance(content, str) else to_yaml(content) + "\n")
        return path

    def replay(self, description, inputs, *options, timeout=120):
        """Runs `roost replay`. inputs: {port: packets as roost.replay() takes them, or a Path}.
        options: further words of the command."""
        out = Path(tempfile.mkdtemp(prefix="replay-", dir=self.directory))
        return replay(self.file(description), inputs, *options, out=out, roost=ROOST, timeout=timeout * SLOWER)

    def sim(self, description, *options, status=0, timeout=120):
        """Runs `roost sim`, likewise."""
        out = Path(tempfile.mkdtemp(prefix="sim-", dir=self.directory))
        return sim(self.file(description), *options, out=out, roost=ROOST, status=status, timeout=timeout * SLOWER)

    def assert_refused(self, pattern, *words, status=2, **options):
        """roost ends with this status, says nothing on stdout and one line, which the pattern
        finds, on stderr."""
        done = roost(*words, status=status, **options)
        self.assertRegex(done.err, pattern)
        self.assertEqual((len(done.err.splitlines()), done.out), (1, ""), str(done))
        return done

    def assert_dissects(self, *captures):
        """Wireshark marks nothing in these captures as malformed or wrong."""
        for path in captures:
            self.assertEqual(malformed(path), [], path)


# For live tests.

def need_root():
    """Skips unless we may make namespaces and veths."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("needs root")
    name = f"roost-probe-{os.getpid()}"
    veth = ["link", "add", "name", "v0", "type", "veth", "peer", "name", "v1"]
    for words in (["netns", "add", name], ["-n", name, *veth]):
        done = command("ip", *words, status=None)
        if done.status != 0:
            command("ip", "netns", "del", name, status=None)
            raise unittest.SkipTest(f"needs namespaces and veths: {done.err.strip()}")
    command("ip", "netns", "del", name)


def need_hugepages(megabytes):
    """Skips unless so much memory is free in 2 MB pages."""
    free = int(Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").read_text())
    if 2 * free < megabytes:
        raise unittest.SkipTest(f"needs {megabytes} MB of free 2 MB hugepages, {2 * free} MB are there")


def wait_until(condition, what, timeout=60.0):
    """Returns the first true answer of condition(), which is asked at least twice; fails with `what` after so many
    seconds. what: a text, or what makes one when it has failed, such as of the state that it found."""
    end, late = time.monotonic() + timeout, False
    while True:
        answer = condition()
        if answer:
            return answer
        if late:
            raise AssertionError(f"waited {timeout:g} s in vain: {what() if callable(what) else what}")
        time.sleep(0.02)
        late = time.monotonic() >= end


def kernel_drops(*enter):
    """What the kernel counts as dropped or in error on the interfaces of a namespace, {"eth1.rx.dropped":
    3, ...}, only what is not 0. enter: the words that enter it, as ("ip", "netns", "exec", NAME)."""
    counts = {}
    for link in command(*enter, "ip", "-s", "-s", "-j", "link").json:
        for direction, counters in link.get("stats64", {}).items():
            for name, value in counters.items():
                if name not in ("bytes", "packets", "multicast", "carrier_changes") and value:
                    counts[f"{link['ifname']}.{direction}.{name}"] = value
        text = command(*enter, "ethtool", "-S", link["ifname"], status=None).out
        for name, value in re.findall(r"(\w*(?:drop|err)\w*): (\d+)", text):
            if int(value):
                counts[f"{link['ifname']}.{name}"] = int(value)
    return counts


class Fabric(LiveFabric):
    """A live fabric that `roost up` brings up and `roost down` takes down, within a `with` block."""

    def __init__(self, file, name, timeout=60):
        super().__init__(name, ROOST, timeout)
        self.file = file

    def __enter__(self):
        self.up = roost("up", self.file, timeout=self.timeout)
        return self

    def __exit__(self, *_):
        roost("down", self.name, timeout=self.timeout)

    def kernel_drops(self):
        """kernel_drops() of its hosts' namespaces and of its own."""
        state = json.loads(Path(f"/run/roost/{self.name}.state").read_text())
        counts = kernel_drops("nsenter", "-t", state["pid"], "-n")
        for name in state["namespaces"]:
            counts |= {f"{name}.{key}": value for key, value in kernel_drops("ip", "netns", "exec", name).items()}
        return counts
