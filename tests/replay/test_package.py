# SPDX-License-Identifier: BSD-3-Clause
"""The Python package without a live fabric: replay, sim, counters as objects, tables, errors, the fixtures of pytest, and the
programs of doc/python.md and the README."""
import gc
import subprocess
import sys
from xml.etree import ElementTree

import roost as package
from common import *
from roost.captures import timed
from roost.schema import schema
from roost.tables import table
from scapy.all import IP, Ether, Raw

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
SMALL = {"fabric": {"topology": {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts-per-leaf": 2}},
         "workload": [{"name": "one", "kind": "flow", "from": "h1", "to": "h3", "size": "100KB"},
                      {"name": "two", "kind": "flow", "from": "h2", "to": "h3", "size": "100KB"}],
         "events": [{"at": "5us", "snapshot": "full"}]}


class Replays(Case):
    def play(self, *packets, **options):
        return package.replay(options.pop("config", switch()), {"swp1": packets}, roost=ROOST, **options)

    def test_objects(self):
        """Counters by name at each level are those of counters.json; lists of all eight; what is absent is zero."""
        events = [{"at": "2us", "snapshot": "full"}]
        with self.play(*stream(5, dscp=3), udp(*to("swp2"), ttl=1), config=switch(events=events)) as run:
            run.assert_conserved()
            port = run.port("swp2")
            self.assertEqual((port.tx_packets, port.queue(3).packets, port.queues.packets), (5, 5, [0, 0, 0, 5, 0, 0, 0, 0]))
            self.assertEqual((port.priority(3).pfc_rx, port.priority(3).pfc_rx_last_end_ns, port.reorder_held), (0, -1, 0))
            groups = run.nodes["dut"]["ports"]["swp1"]["pg"]
            self.assertEqual(run.port("dut.swp1").groups.packets, [one["packets"] for one in groups])
            self.assertIs(port.queue(3).paused, False)
            self.assertEqual(run.switch.pool("ingress-lossless").used, 0)
            self.assertEqual(list(run.switch.ports), ["swp1", "swp2"])
            self.assertEqual(run.switch.ports["swp1"].drops, {"ttl-expired": 1})
            self.assertEqual(run.snapshot(2000).port("swp2").tx_packets, 1)
            for scope, one in (("port", port), ("queue", port.queue(3)), ("pg", port.group(3)), ("priority", port.priority(3)),
                               ("pools", run.switch.pool("headroom"))):
                for name in schema(ROOST).rows[scope]:
                    self.assertIsInstance(getattr(one, name), int, name)

    def test_every_counter_is_known(self):
        """The rows of `roost schema --counters`, all of them, in their scopes."""
        told = roost("schema", "--counters").out
        self.assertEqual(set(schema(ROOST).rows), {"port", "priority", "pg", "queue", "pools", "packets", "tenants"})
        self.assertEqual(sum(map(len, schema(ROOST).rows.values())), len(re.findall(r"^\| `", told, re.M)))

    def test_wrong_names(self):
        with self.play() as run:
            port = run.port("swp2")
            for pattern, wrong in (
                    (r"^dut\.swp2 queue 3: no counter ecn_markd; did you mean ecn_marked or ecn_marked_bytes\?", lambda: port.queue(3).ecn_markd),
                    (r"^dut\.swp2: no counter pfc_rx; it is a counter of port\(\.\.\.\)\.priority\(N\)$", lambda: port.pfc_rx),
                    (r"^dut: no port swp3; did you mean swp2", lambda: run.port("swp3")),
                    (r"^no node leaf1; there is dut$", lambda: run.port("leaf1.swp1")),
                    (r"^dut\.swp2: no queue 8; queues are 0 to 7$", lambda: port.queue(8)),
                    (r"^dut\.swp2: no priority 8; priorities are 0 to 7$", lambda: port.priority(8)),
                    (r"^dut: no pool headrom; did you mean headroom\?$", lambda: run.switch.pool("headrom")),
                    (r"^no snapshot at 5 ns; there are snapshots at no time$", lambda: run.snapshot(5))):
                self.assertRaisesRegex((AttributeError, package.UnknownName), pattern, wrong)

    def test_packets_in_and_out(self):
        """scapy, bytes, with times and without: those come a microsecond after what is before them."""
        timed_packet = Ether(udp(*to("swp2")))
        timed_packet.time = 7e-6
        packets = [udp(*to("swp2")), Ether(udp(*to("swp2"))), (5000, udp(*to("swp2"))), timed_packet, udp(*to("swp2"), ttl=1)]
        self.assertEqual([ns for ns, _ in timed(packets)], [0, 1000, 5000, 7000, 8000])
        self.assertEqual([ns for ns, _ in timed(packets[:2], gap_ns=50)], [0, 50])
        with self.play(*packets) as run:
            took = frame_ps(300, "100G") // 1000
            self.assertEqual([packet.ns - took for packet in run.sent["swp2"]], [0, 1000, 5000, 7000])
            sent, (lost,) = run.sent["swp2"][3], run.dropped
            self.assertEqual((sent.scapy[IP].ttl, bytes(sent.scapy)), (63, bytes(sent)))
            self.assertAlmostEqual(float(sent.scapy.time), sent.ns / 1e9)
            self.assertEqual((lost.ns, lost.reason, lost.fields["port"]), (8000, "ttl-expired", "swp1"))
        again = self.directory / "again.pcap"
        package.write_pcap(again, run.sent["swp2"])
        with self.play(config=switch(), timeout=60) as empty:
            self.assertEqual(empty.sent["swp2"], [])
        with package.replay(switch(), {"swp1": again}, roost=ROOST) as run:
            self.assertEqual(run.port("swp1").rx_packets, 4)

    def test_files(self):
        """They are gone when the block ends or nobody has the run any more, and stay where `out` says."""
        with self.play() as run:
            self.assertTrue((run.directory / "counters.json").exists())
        self.assertFalse(run.directory.exists())
        run = self.play()
        left = run.directory
        del run
        gc.collect()
        self.assertFalse(left.exists())
        with self.play(out=self.directory) as run:
            pass
        self.assertEqual(package.Replay(self.directory).nodes, run.nodes)

    def test_configurations(self):
        """A path, text, or dicts, to the same end; an error says what Roost says, and leaves nothing."""
        path = self.file(switch())
        digests = {json.dumps(package.replay(config, {"swp1": stream(3)}, roost=ROOST).counters)
                   for config in (path, str(path), path.read_text(), switch())}
        self.assertEqual(len(digests), 1)
        before = set(Path(tempfile.gettempdir()).glob("roost-replay-*"))
        with self.assertRaisesRegex(package.CommandError, r"(?s)exit status 2\n.*mtuu") as caught:
            self.play(config=switch(mtuu=5))
        self.assertEqual(caught.exception.done.status, 2)
        self.assertRaises(package.CommandError, package.replay, self.directory / "none.yaml", {}, roost=ROOST)
        self.assertEqual(set(Path(tempfile.gettempdir()).glob("roost-replay-*")), before)

    def test_expect(self):
        """The message has what is wrong and the last events of the port, the drop included."""
        with self.play(*stream(3), udp(*to("swp2"), ttl=1)) as run:
            run.port("swp1").expect(rx_packets=4)
            self.assertRaisesRegex(AssertionError, r"^dut\.swp1: rx_packets is 4, expected 5\ndut\.swp1: received 4 packets, "
                                   r"sent 0, dropped ttl-expired 1\nlast events of dut\.swp1:\n  4000 ns  300 bytes dropped: "
                                   r"reason=ttl-expired", run.port("swp1").expect, rx_packets=5)
            self.assertRaisesRegex(AssertionError, r"(?s)queue 0: packets is 3, expected 2.*3024 ns  300 bytes sent\n"
                                   r"dut\.swp1 dropped ttl-expired 1$", run.port("swp2").queue(0).expect, packets=2)
            run.port("swp2").assert_no_drops()
            self.assertRaisesRegex(AssertionError, "ttl-expired 1", run.port("swp1").assert_no_drops)
            self.assertRaisesRegex(AssertionError, "ttl-expired 1", run.assert_no_drops)


class Sims(Case):
    def test_a_fabric(self):
        with package.sim(SMALL, roost=ROOST) as run:
            run.assert_conserved()
            run.assert_no_drops()
            self.assertEqual([flow.item for flow in run.flows], ["one", "two"])
            flow, = run.flows.where(src="h1")
            self.assertEqual((flow, flow.bytes), (run.flow(0), 100_000))
            self.assertEqual(run.link("leaf1.swp1").dst, "h1.eth1")
            self.assertEqual(run.port("leaf2.swp1").tx_packets, run.nodes["leaf2"]["ports"]["swp1"]["tx_packets"])
            self.assertGreater(run.port("leaf2.swp1").tx_packets, 2 * 100_000 // 4096)
            self.assertEqual(run.node("h3").port("eth1").rx_packets, run.port("leaf2.swp1").tx_packets)
            self.assertLess(run.snapshots[0]["nodes"]["leaf2"]["ports"]["swp1"]["tx_packets"], run.port("leaf2.swp1").tx_packets)
            self.assertRaisesRegex(package.UnknownName, "no column itm; did you mean item", run.flows.where, itm="one")
            self.assertRaisesRegex(package.UnknownName, "which node.*leaf1.swp1", run.port, "swp1")
            self.assertRaisesRegex(package.UnknownName, "no link from leaf1.swp9; did you mean leaf1", run.link, "leaf1.swp9")
            self.assertRaisesRegex(AttributeError, "no column fct; did you mean fct_ps", lambda: flow.fct)
            self.assertEqual([row.value for row in run.counters.where(node="leaf2", port="swp1", counter="tx_packets")],
                             [run.port("leaf2.swp1").tx_packets])
            frame = run.flows.to_pandas()
            self.assertEqual((list(frame.columns), list(frame.fct_ps)), (list(flow), [one["fct_ps"] for one in run.flows]))
        self.assertNotEqual(package.sim(SMALL, roost=ROOST, until="5us").digest, run.digest)
        self.assertEqual(package.sim(SMALL, roost=ROOST, threads=2).digest, run.digest)
        late = package.sim(SMALL, roost=ROOST).__enter__()
        late.__exit__(None, None, None)
        self.assertRaisesRegex(package.RoostError, "flows.csv: the files of this run are gone.*out=DIR", lambda: late.flows)

    def test_values_of_tables(self):
        row, = table([{"item": "5", "id": "7", "fct_ps": "", "load": "0.5", "tenant": ""}])
        self.assertEqual(row, {"item": "5", "id": 7, "fct_ps": None, "load": 0.5, "tenant": None})


class Program(Case):
    def test_how_it_is_found(self):
        """The argument, $ROOST, the tree, PATH."""
        def found(*arguments, **env):
            code = "import sys; from roost.program import find; print(find(*sys.argv[1:]))"
            return command(sys.executable, "-c", code, *arguments, status=None, cwd=self.directory,
                           env={"PYTHONPATH": str(SOURCE / "control/python"), "PATH": "/usr/bin:/bin"} | env)
        self.assertEqual(found("/bin/true", ROOST="/bin/false").out, "/bin/true\n")
        self.assertEqual(found(ROOST="/bin/false").out, "/bin/false\n")
        self.assertEqual(found().out, f"{SOURCE}/build/roost\n")
        self.assertRegex(found(ROOST="/no/such").err, r"/no/such: no such program; \$ROOST names it\n$")
        shutil.copytree(SOURCE / "control/python/roost", self.directory / "roost")
        (self.directory / "bin").mkdir()
        os.symlink("/bin/true", self.directory / "bin/roost")
        self.assertEqual(found(PYTHONPATH=str(self.directory), PATH=f"{self.directory}/bin").out, f"{self.directory}/bin/roost\n")
        self.assertRegex(found(PYTHONPATH=str(self.directory)).err, "the program roost was not found: build it")

    def test_time_out(self):
        slow = self.directory / "slow"
        slow.write_text("#!/bin/sh\nexec sleep 60\n")
        slow.chmod(0o755)
        self.assertRaisesRegex(package.RoostError, "slow check: not done after 0.1 s", package.command, "check", program=slow,
                               timeout=0.1)


class Pytest(Case):
    def pytest(self, status, *words):
        return command(sys.executable, "-B", "-m", "pytest", "-q", "-rN", "-p", "roost.pytest_plugin", "-p", "no:cacheprovider", *words,
                       status=status, cwd=self.directory, timeout=120 * SLOWER, env=os.environ | {"ROOST": ROOST})

    def files(self):
        page = (SOURCE / "doc/replay.md").read_text()
        self.file(re.search(r"^```yaml\n(# FILE switch\.yaml\n.*?)^```$", page, re.M | re.S).group(1), "switch.yaml")

    def programs(self, page):
        return BLOCK.findall((SOURCE / page).read_text())

    def test_the_story(self):
        """The README's test is ten lines of code at most, passes as it stands, and fails if the switch does otherwise."""
        self.files()
        story, = self.programs("README.md")
        self.assertLessEqual(len([line for line in story.splitlines() if line.strip()]), 10, story)
        path = self.directory / "test_ttl.py"
        path.write_text(story)
        self.assertRegex(self.pytest(0, path).out, r"\n1 passed in ")
        text = (self.directory / "switch.yaml").read_text()
        for old, new in (("tx: off", "tx: on"), ("198.18.2.0/24", "198.18.3.0/24")):
            (self.directory / "switch.yaml").write_text(text.replace(old, new, 1))
            self.pytest(1, path)

    def test_the_page(self):
        """doc/python.md: its files pass, its failure is shown as the page shows it, JUnit has the tests."""
        self.files()
        shutil.copy(SOURCE / "conf/demo.yaml", self.directory)
        programs = self.programs("doc/python.md")
        tests = [text for text in programs if "def test_" in text and "roost_live" not in text]
        self.assertGreater(len(tests), 2)
        for i, text in enumerate(tests):
            (self.directory / f"test_{i}.py").write_text(text)
        self.pytest(0, f"--junitxml={self.directory}/junit.xml")
        suite = ElementTree.parse(self.directory / "junit.xml").getroot().find("testsuite")
        self.assertEqual((int(suite.get("tests")) >= len(tests), suite.get("failures"), suite.get("errors")), (True, "0", "0"))
        for text in programs:
            compile(text, "doc/python.md", "exec")

    def test_what_a_failure_shows(self):
        """The ports that a plain assertion looked at, and not twice what expect() says."""
        self.files()
        (self.directory / "test_wrong.py").write_text('''
def test_plain(roost_switch):
    run = roost_switch("switch.yaml", {"swp1": [bytes(60)]})
    assert run.port("swp1").rx_packets == 2

def test_expect(roost_switch):
    roost_switch("switch.yaml", {"swp1": [bytes(60)]}).port("swp1").expect(rx_packets=2)

def test_passes(roost_switch, roost_fabric):
    assert roost_switch("switch.yaml", {"swp1": [bytes(60)]}).port("swp1").rx_packets == 1
''')
        out = self.pytest(1).out
        self.assertIn("2 failed, 1 passed", out)
        self.assertRegex(out, r"-+ roost dut\.swp1 -+\ndut\.swp1: received 1 packets, sent 0, dropped [\w-]+ 1\nlast events")
        self.assertEqual(len(re.findall("last events of dut.swp1", out)), 2, out)


if __name__ == "__main__":
    unittest.main()
