# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share: running roost, its results, and what must hold of every one of them.

    from roost import *

    class Dscp(Case):
        def test_each_dscp(self):
            run = self.replay(DUT, {"swp1": [(i * 1000, udp("198.18.1.9", "198.18.2.9", dscp=i))
                                             for i in range(64)]})
            self.assertEqual([queue["packets"] for queue in run.port("swp2")["queue"]],
                             [1, 58, 1, 1, 1, 1, 1, 0])
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
import subprocess
import tempfile
import time
import unittest
from functools import cache, cached_property
from pathlib import Path

from captures import Packet, malformed, read_pcapng, tshark, write_pcap  # noqa: F401
from frames import *  # noqa: F401,F403
from result_files import Counters, Result, table  # noqa: F401

SOURCE = Path(__file__).resolve().parent.parent
ROOST = os.environ.get("ROOST") or str(SOURCE / "build/roost")
FULL = os.environ.get("ROOST_TEST_FULL") == "1"             # everything, not a fixed-seed sample
SANITIZED = os.environ.get("ROOST_TEST_SANITIZED") == "1"   # several times slower
SANITIZER_STATUS = 99                                       # tests/run has sanitizers exit so

# Lost behind the transmitter: such a packet has left its queue and counts as sent there.
LOST_ON_WIRE = {"link-down", "link-fault", "no-mbuf"}
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


class Done:
    """A command that has run."""

    def __init__(self, command, status, out, err):
        self.command, self.status, self.out, self.err = command, status, out, err

    @cached_property
    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return f"{' '.join(self.command)}: exit status {self.status}\n{self.err.strip()}\n{self.out[:2000].strip()}"


def command(*words, status=0, timeout=120, **options):
    """Runs a command and checks its exit status (None: any). Returns a Done."""
    words = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in words]
    done = subprocess.run(words, capture_output=True, text=True, errors="backslashreplace",
                          timeout=timeout, check=False, stdin=subprocess.DEVNULL, **options)
    done = Done(words, done.returncode, done.stdout, done.stderr)
    if done.status < 0 or done.status == SANITIZER_STATUS or status not in (None, done.status):
        raise AssertionError(str(done))
    return done


def roost(*words, timeout=120, **options):
    """Runs roost; `status` is the exit status that it must have, 0 unless given."""
    return command(ROOST, *words, timeout=timeout * (10 if SANITIZED else 1), **options)


def yaml(value):
    """Dicts, lists and scalars as YAML in flow style. Text stands as it is where that is safe."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml(key)}: {yaml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(yaml(one) for one in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text if re.fullmatch(r"[A-Za-z0-9_./%+-]+", text) else json.dumps(text)


def drops(nodes):
    """Drops by reason, of all ports of some nodes."""
    total = collections.Counter()
    for node in nodes.values():
        for port in node["ports"].values():
            total.update(port["drops"])
    return total


NOT_PACKETS = {"suppressed", "no-way-back"}     # answers that were not sent


def answers(nodes):
    """Answers by kind, of all ports of some nodes."""
    total = collections.Counter()
    for node in nodes.values():
        for port in node["ports"].values():
            total.update(port.get("answers", {}))
    return total


def total(ports, kind, name):
    """Sum of one counter of all priority groups ("pg") or queues ("queue") of some ports."""
    return sum(one[name] for port in ports.values() for one in port[kind])


def assert_switch_conserved(name, node):
    """What must hold of a switch at any instant: everything received, and all that it answered,
    was sent, dropped or is queued, and a pool holds what its users hold."""
    ports, pools = node["ports"], node["pools"]

    def equal(what, left, right):
        if left != right:
            raise AssertionError(f"{name}: {what}: {left} != {right}")

    admitted = total(ports, "pg", "packets") - total(ports, "pg", "dropped") - total(ports, "queue", "dropped")
    queued = admitted - total(ports, "queue", "packets")
    received = sum(port["rx_packets"] - port["control_rx"] for port in ports.values()) + \
        sum(count for kind, count in answers({name: node}).items() if kind not in NOT_PACKETS)
    dropped = sum(count for reason, count in drops({name: node}).items() if reason not in LOST_ON_WIRE)
    depth = total(ports, "queue", "depth")
    equal("received - dropped - sent and admitted - sent",
          received - dropped - total(ports, "queue", "packets"), queued)
    equal("packets queued and bytes queued, both or neither", queued > 0, depth > 0)
    equal("bytes in groups and in queues", total(ports, "pg", "used"), depth)
    equal("bytes in groups and in ingress pools", total(ports, "pg", "used") - total(ports, "pg", "headroom"),
          pools["ingress-lossless"]["used"] + pools["ingress-lossy"]["used"])
    equal("headroom of groups and of its pool", total(ports, "pg", "headroom"), pools["headroom"]["used"])
    equal("bytes in queues and in egress pools", depth,
          pools["egress-lossless"]["used"] + pools["egress-lossy"]["used"])
    for port, counters in ports.items():
        equal(f"{port}: sent", counters["tx_packets"],
              counters["control_tx"] + sum(queue["packets"] for queue in counters["queue"]))
        for kind, now, peak in (("pg", "used", "used_max"), ("pg", "headroom", "headroom_max"),
                                ("queue", "depth", "depth_max")):
            for index, one in enumerate(counters[kind]):
                equal(f"{port} {kind} {index}: {now} is at most its peak", one[now] <= one[peak], True)


def assert_conserved(nodes):
    """assert_switch_conserved of every switch among the nodes of a result."""
    for name, node in nodes.items():
        if any(port.startswith("swp") for port in node["ports"]):
            assert_switch_conserved(name, node)


class Replay:
    """What `roost replay` made of its input."""

    def __init__(self, directory, done):
        self.directory, self.done = Path(directory), done
        self.counters = json.loads((self.directory / "counters.json").read_text())
        self.nodes = self.counters["nodes"]
        (self.name, self.node), = self.nodes.items()
        self.dropped = read_pcapng(self.directory / "drops.pcapng")
        self.sent = {port: read_pcapng(self.directory / f"{port}.pcapng") for port in self.node["ports"]}

    def port(self, name):
        return self.node["ports"][name]

    @property
    def drops(self):
        return drops(self.nodes)

    def snapshot(self, at_ns):
        """The switch as a snapshot event at this time saw it."""
        return next(one["nodes"][self.name] for one in self.counters["snapshots"] if one["at_ns"] == at_ns)

    def assert_conserved(self):
        """The counters add up, in every snapshot too, and the captures tell the same."""
        for nodes in [self.nodes] + [one["nodes"] for one in self.counters["snapshots"]]:
            assert_conserved(nodes)
        told = collections.Counter(packet.field("reason") for packet in self.dropped)
        if told != self.drops:
            raise AssertionError(f"drops.pcapng says {dict(told)}, counters.json {dict(self.drops)}")
        for name, packets in self.sent.items():
            lost = sum(1 for packet in self.dropped if packet.field("reason") in LOST_ON_WIRE)
            if not 0 <= len(packets) - self.port(name)["tx_packets"] + lost <= lost:
                raise AssertionError(f"{name}.pcapng has {len(packets)} packets, "
                                     f"tx_packets is {self.port(name)['tx_packets']}")


@cache
def counters():
    return Counters(roost("schema", "--counters").out)


class Sim:
    """What `roost sim` made of a fabric."""

    def __init__(self, directory, done):
        self.directory, self.done = Path(directory), done
        self.result = Result(self.directory, counters())
        self.summary, self.digest = self.result["summary"], self.result["summary"]["digest"]

    @property
    def flows(self):
        return self.result["flows"]

    @property
    def nodes(self):
        return self.result["nodes"]

    @property
    def drops(self):
        return drops(self.nodes)

    def assert_conserved(self):
        for nodes in [self.nodes] + [one["nodes"] for one in self.result["snapshots"]]:
            assert_conserved(nodes)


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
        path.write_text(content if isinstance(content, str) else yaml(content) + "\n")
        return path

    def replay(self, description, inputs, *options, **checks):
        """Runs `roost replay`. inputs: {port: packets as write_pcap() takes them, or a Path}.
        options: further words of the command; checks: as for roost()."""
        out = Path(tempfile.mkdtemp(prefix="replay-", dir=self.directory))
        words = []
        for port, packets in inputs.items():
            path = packets if isinstance(packets, Path) else write_pcap(out / f"{port}-in.pcap", packets)
            words += ["--in", f"{port}={path}"]
        return Replay(out, roost("replay", self.file(description), *words, "--out", out, *options, **checks))

    def sim(self, description, *options, **checks):
        """Runs `roost sim`, likewise."""
        out = Path(tempfile.mkdtemp(prefix="sim-", dir=self.directory))
        return Sim(out, roost("sim", self.file(description), "-o", out, *options, **checks))

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


class Fabric:
    """A live fabric, up within a `with` block."""

    def __init__(self, file, name, timeout=60):
        self.file, self.name, self.timeout = file, name, timeout

    def __enter__(self):
        self.up = roost("up", self.file, timeout=self.timeout)
        return self

    def __exit__(self, *_):
        roost("down", self.name, timeout=self.timeout)

    def roost(self, *words, **options):
        """Runs roost on this fabric, whatever else is up."""
        return roost(*words, env=os.environ | {"ROOST_FABRIC": self.name}, **options)

    def exec(self, host, *words, **options):
        """Runs a command in an attached host's namespace; returns a Done."""
        return self.roost("exec", host, "--", *words, **options)

    def show(self, *words):
        """`roost show ... -o json`, parsed."""
        return self.roost("show", *words, "-o", "json").json

    def kernel_drops(self):
        """kernel_drops() of its hosts' namespaces and of its own."""
        state = json.loads(Path(f"/run/roost/{self.name}.state").read_text())
        counts = kernel_drops("nsenter", "-t", state["pid"], "-n")
        for name in state["namespaces"]:
            counts |= {f"{name}.{key}": value for key, value in kernel_drops("ip", "netns", "exec", name).items()}
        return counts
