# SPDX-License-Identifier: BSD-3-Clause
"""`--set` of check, sim and compare, and `roost sweep`: every combination as `roost sim` runs it, interrupted and gone on with."""
import contextlib
import csv
import io
import json
import signal
import sys
import threading
import time
from unittest import mock
from xml.etree import ElementTree

from common import *

sys.path.insert(0, str(SOURCE / "control/sweep"))
import cost  # noqa: E402
import main  # noqa: E402
from cost import Cost, Estimate, count, duration, size  # noqa: E402
from plan import Plan, Point, Run, SweepError, combine, failed_links, read_fail, read_setting  # noqa: E402

EXCHANGE = fabric(2, 2, 2, workload=[{"kind": "all-to-all", "name": "all", "size": "200KB"}], hosts={"placement": "out-of-order"})


class Plans(unittest.TestCase):

    def test_settings(self):
        self.assertEqual(read_setting("routing.mode=ecmp, adaptive"), ("routing.mode", ["ecmp", "adaptive"]))
        self.assertEqual(read_setting("workload.a.from=[h1,h2],[h3]"), ("workload.a.from", ["[h1,h2]", "[h3]"]))
        for wrong in ("spines", "=2", "spines=", "spines=1,", "spines=2,2"):
            with self.assertRaises(SweepError, msg=wrong):
                read_setting(wrong)

    def test_failures(self):
        self.assertEqual(read_fail("links=0%,2.5%"), ["0%", "2.5%"])
        self.assertEqual(read_fail("links=1%..10%"), [f"{i}%" for i in range(1, 11)])
        self.assertEqual(read_fail("links=5%..12%"), ["5%", "10%"])
        for wrong in ("links", "links=5", "hosts=1%", "links=0%..5%", "links=9%..3%", "links=101%", "links=0.1%..50%", "links=1%,x"):
            with self.assertRaises(SweepError, msg=wrong):
                read_fail(wrong)

    def test_the_links_of_one_percent_are_among_those_of_two(self):
        links = [f"leaf{i}.swp{j}-spine{j}.swp{i}" for i in range(1, 11) for j in range(1, 21)]
        before: set[str] = set()
        for percent, count in (("0%", 0), ("0.1%", 1), ("1%", 2), ("2%", 4), ("10%", 20), ("100%", 200)):
            failed = failed_links(links, percent, 7)
            self.assertEqual(len(failed), count)
            self.assertLessEqual(before, set(failed))
            before = set(failed)
        self.assertNotEqual(failed_links(links, "10%", 7), failed_links(links, "10%", 8))
        # On any machine, with any version of Python.
        self.assertEqual(failed_links(links, "1%", 7), failed_links(links[::-1], "1%", 7))

    def test_runs(self):
        points = combine([("a", ["1", "2"]), ("b", ["3", "4"])], [], ["5%"])
        self.assertEqual([point.name for point in points],
                         [f"a={a} b={b} links failed=5%" for a in (1, 2) for b in (3, 4)])
        plan = Plan(Path("x"), b"text", points, [1, 2])
        self.assertEqual(len({plan.identity(run, "1.0") for run in plan.runs}), 8)
        self.assertNotEqual(plan.identity(plan.runs[0], "1.0"), plan.identity(plan.runs[0], "1.1"))
        self.assertNotEqual(plan.identity(Run(Point((("a", "1"),)), 1), "1"), plan.identity(Run(Point((("a", "11"),)), 1), "1"))


class Costs(Case):
    """What a run is to cost, before it."""

    # Files, and how far their packet-hops may be from the estimate, as a factor.
    FILES = {
        "write": (fabric(2, 2, 2, workload=[flow("h1", "h3", "3MB")]), 1.01),
        "read": (fabric(2, 2, 2, workload=[flow("h1", "h3", "3MB", op="read")]), 1.01),
        "queue pairs": (fabric(2, 2, 2, hosts={"qps": 4, "ack-every": 16}, workload=[flow("h1", "h3", "3MB", repeat=7)]), 1.01),
        "small messages": (fabric(2, 2, 2, workload=[{"kind": "all-to-all", "size": "1KB", "repeat": 50}]), 1.01),
        "one leaf": (fabric(1, 0, 3, workload=[flow("h1", "h3", "3MB"), flow("h2", "h3", "1KB")]), 1.01),
        "stream": (fabric(2, 2, 2, workload=[{"kind": "stream", "from": "h1", "to": "h3", "rate": "50G", "until": "300us"}]), 1.01),
        "poisson": (fabric(2, 2, 4, workload=[{"kind": "poisson", "load": "50%", "sizes": "web-search", "until": "1ms"}]), 1.01),
        "ring": (fabric(2, 4, 4, workload=[{"kind": "all-reduce", "size": "4MB"}]), 1.01),
        "steps": (fabric(2, 4, 4, workload=[{"kind": "step", "repeat": 5, "collectives": [
            {"kind": "all-gather", "size": "1MB"}, {"kind": "all-reduce", "size": "2MB", "algorithm": "tree", "chunk": "128KB"}]}]), 1.01),
        "generated pairs": (fabric(8, 4, 8, workload=[{"kind": "all-to-all", "size": "1MB", "peers": 8}]), 1.01),
        "an end": (fabric(2, 4, 4, switch={"preset": "spectrum-x", "routing": {"mode": "spray"}}, hosts={"placement": "out-of-order"},
                          workload=[{"kind": "permutation", "size": "20MB"}], stop="500us"), 2),
        "an end of an incast": (fabric(2, 2, 4, workload=[{"kind": "incast", "to": "h1", "from": ["h2", "h5", "h6"], "size": "20MB"}],
                                       stop="500us"), 2),
    }

    def test_packet_hops_from_the_file(self):
        for name, (description, factor) in self.FILES.items():
            path = self.file(description, f"{name}.yaml")
            found = roost("check", "--json", path).json
            run = roost("sim", "--json", path).json["summary"]
            self.assertLess(max(found["packet_hops"] / run["packet_hops"], run["packet_hops"] / found["packet_hops"]), factor,
                            f"{name}: {found['packet_hops']} estimated, {run['packet_hops']} made")
            self.assertGreater(found["memory_bytes"], run["memory_bytes"] / 3)

    def test_check_as_json(self):
        path = self.file(EXCHANGE, "file.yaml")
        found = roost("check", "--json", path).json
        self.assertEqual({key: found[key] for key in ("file", "switches", "hosts", "flows", "streams")},
                         {"file": str(path), "switches": 4, "hosts": 4, "flows": 12, "streams": 0})
        self.assertEqual(roost("check", "--json", path, "--until", "1ps").json["packet_hops"], 0)
        self.assertLess(roost("check", "--json", path, "--until", "2us").json["packet_hops"], found["packet_hops"] / 2)

    def test_check_of_what_json_does_not_take(self):
        """A name that is not UTF-8, and more packet-hops than 64 bits hold."""
        path = self.directory / os.fsdecode(b"\xff.yaml")
        path.write_text(to_yaml(fabric(workload=[flow("h1", "h2", "1024GiB", repeat=10**9)] * 16)))
        found = roost("check", "--json", path).json
        self.assertEqual((found["file"], found["packet_hops"]), (f"{self.directory}/?.yaml", 9 * 10**18))

    def test_memory_is_this_program_s(self):
        """Not that of the one that started it."""
        path = self.file(EXCHANGE, "file.yaml")
        before = roost("check", "--json", path).json["memory_bytes"]
        ballast = bytearray(before + (50 << 20))
        ballast[::4096] = bytes(len(ballast[::4096]))
        self.assertLess(roost("check", "--json", path).json["memory_bytes"], before + (25 << 20))

    def test_an_estimate_gets_better(self):
        one, two, three = (Point((("size", text),)) for text in "123")
        found = Estimate({one: Cost(1_000_000, 0.1, 10), two: Cost(4_000_000, 0.1, 40), three: Cost(0, 0.5, 10)})
        self.assertAlmostEqual(found.seconds(one), 0.1 + 0.5)       # at the speed that is assumed
        found.measure(two, 2_000_000, 0.5, 0.7, 60)
        self.assertAlmostEqual(found.seconds(one), 0.2 + 0.25)
        self.assertAlmostEqual(found.seconds(two), 0.2 + 1)
        self.assertAlmostEqual(found.seconds(three), 1)
        self.assertEqual((found.memory(one), found.memory(two)), (15, 60))
        self.assertAlmostEqual(found.total([one, one, one, two], 2), (3 * 0.45 + 1.2) / 2)
        self.assertAlmostEqual(found.total([one, two], 8), 1.2)     # the longest
        found.add(one, 0.9)
        self.assertAlmostEqual(found.seconds(two), 2.4)             # one took twice its time
        found.add(two, 1.2)
        self.assertAlmostEqual(found.seconds(two), 1.2)             # its own counts
        self.assertAlmostEqual(found.seconds(three), 1.5)           # the mean of both
        self.assertEqual(found.total([], 2), 0)

    def test_an_estimate_of_many_runs(self):
        """As quick after thousands of runs as before the first, and while other threads add theirs."""
        points = [Point((("size", str(i)),)) for i in range(10_000)]
        found = Estimate({point: Cost(1_000_000, 0.1, 10) for point in points})
        adding = threading.Thread(target=lambda: [found.add(point, 1.2) for point in points[:5000]])
        adding.start()
        while adding.is_alive():
            found.total(points[5000:5010], 2)
        begun = time.process_time()
        self.assertAlmostEqual(found.total(points[5000:], 2), 2500 * 1.2)
        self.assertLess(time.process_time() - begun, 0.2)

    def test_texts(self):
        self.assertEqual([duration(one) for one in (0.012, 1.26, 42.4, 300, 7200)], ["0.012 s", "1.3 s", "42 s", "5 min", "2.0 h"])
        self.assertEqual([size(one) for one in (12.3e6, 4.56e9)], ["12 MB", "4.6 GB"])
        self.assertEqual([count(one) for one in (312, 4.56e6, 130.4e6)], ["312", "4.6 million", "130 million"])


class Set(Case):

    def test_as_if_the_file_had_it(self):
        path = self.file(EXCHANGE, "file.yaml")
        changed = fabric(2, 3, 2, workload=[{"kind": "all-to-all", "name": "all", "size": "300KB"}],
                         hosts={"placement": "out-of-order"}, switch={"preset": "spectrum-x", "routing": {"mode": "adaptive"}})
        wanted = roost("sim", self.file(changed, "changed.yaml"), "--json").json["summary"]["digest"]
        found = roost("sim", path, "--json", "--set", "spines=3", "--set", "workload.all.size=300KB",
                      "--set", "routing.mode=adaptive").json
        self.assertEqual(found["summary"]["digest"], wanted)
        self.assertEqual(found["settings"]["fabric"]["topology"]["spines"], 3)
        self.assertIn("3 spines", roost("check", path, "--set", "spines=3").out)
        self.assertIn("3 spines", roost("check", path, "--set", "topology.spines=2", "--set", "fabric.topology.spines=3").out)

    def test_compare(self):
        path = self.file(EXCHANGE, "file.yaml")
        other = self.file(EXCHANGE | {"switch": {"preset": "spectrum-x", "routing": {"mode": "adaptive"}}}, "other.yaml")
        both = roost("compare", path, other, "--set", "routing.mode=ecmp").out
        self.assertNotIn("better than", both)

    def test_refusals(self):
        path = self.file(EXCHANGE, "file.yaml")
        for word, error in (("spins=3", "spins: unknown key, and no node's name"), ("spines", "--set spines: want KEY=VALUE"),
                            ("spines=many", "fabric.topology.spines: \"many\" is not"), ("workload.x.size=1MB", "there is no item x"),
                            ("leaf7.routing.mode=ecmp", "leaf7: unknown key, and no node's name")):
            self.assertIn(error, roost("check", path, "--set", word, status=2).err)


class Sweeps(Case):

    def test_the_file_of_a_value_is_compared(self):
        value = self.file("- {kind: flow}", "workload.yaml")
        run = Run(Point((("workload", f"@{value}"),)), 1)
        before = [Plan(Path("x"), b"text", [run.point], [1]).identity(run, "1.0") for _ in range(2)]
        self.assertEqual(*before)
        value.write_text("- {kind: incast}")
        self.assertNotEqual(Plan(Path("x"), b"text", [run.point], [1]).identity(run, "1.0"), before[0])

    def sweep(self, *words, status=0, **options):
        return roost("sweep", self.path, *words, "-o", self.out, status=status, **options)

    def setUp(self):
        super().setUp()
        self.path, self.out = self.file(EXCHANGE, "exchange.yaml"), self.directory / "out"

    def rows(self):
        with open(self.out / "table.csv") as file:
            return list(csv.DictReader(file))

    def test_every_combination_as_sim_runs_it(self):
        result = self.sweep("--set", "routing.mode=ecmp,adaptive", "--set", "spines=2,3", "--seeds", 2)
        rows = self.rows()
        self.assertEqual([(row["routing.mode"], row["spines"], row["seed"]) for row in rows],
                         [(mode, spines, seed) for seed in "12" for mode in ("ecmp", "adaptive") for spines in "23"])
        for row in rows:
            alone = roost("sim", self.path, "--json", "--seed", row["seed"], "--set", f"routing.mode={row['routing.mode']}",
                          "--set", f"spines={row['spines']}").json
            (step,) = alone["collectives"]
            self.assertEqual(float(row["step_ps"]), step["step_ps"])
            self.assertEqual(float(row["busbw_gbps"]), step["busbw_gbps"])
            for key in ("slowdown_p99", "goodput_gbps", "completed", "drops", "pfc_tx", "ecn_marked", "out_of_order"):
                self.assertEqual(float(row[key]), alone["summary"][key], key)
        lines = result.out.splitlines()
        self.assertRegex(lines[0], "^the same in all runs: flows complete 12")
        self.assertRegex(lines[1], "^routing.mode  spines +step time +bus bandwidth")
        self.assertEqual(len(lines), 6)
        self.assertIn("4 combinations, 2 seeds: 8 runs; ", result.err)
        for drawing in self.out.glob("*.svg"):
            ElementTree.parse(drawing)
        self.assertTrue((self.out / "step_ps.svg").exists())

    def test_figures_are_those_of_compare(self):
        other = self.file(EXCHANGE | {"switch": {"preset": "spectrum-x", "routing": {"mode": "adaptive"}}}, "other.yaml")
        compared = [one["values"] for one in roost("compare", self.path, other, "-o", "json").json["runs"]]
        self.sweep("--set", "routing.mode=ecmp,adaptive")
        swept = [one["figures"] for one in self.sweep("--set", "routing.mode=ecmp,adaptive", "--json").json]
        for one, other in zip(swept, compared):
            self.assertEqual(one.pop("stalled"), 0)
            self.assertEqual(one, {key: value for key, value in other.items() if value is not None})

    def test_killed_and_gone_on_with(self):
        words = ("--set", "routing.mode=ecmp,adaptive", "--set", "workload.all.size=1MB,2MB", "--seeds", 3)
        whole = self.directory / "whole"
        roost("sweep", self.path, *words, "-o", whole)
        process = subprocess.Popen([ROOST, "sweep", self.path, *map(str, words), "-j", "1", "-o", self.out],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: len(list(self.out.glob("runs/*"))) >= 2, "two runs are there")
        process.send_signal(signal.SIGKILL)
        process.wait()
        known = len(list(self.out.glob("runs/*")))
        self.assertLess(known, 12)
        # The run that was going on ends by itself; nothing takes it for a result.
        result = self.sweep(*words)
        self.assertRegex(result.err, rf"12 runs, ({known}|{known + 1}) of them known")
        self.assertEqual((self.out / "table.csv").read_text(), (whole / "table.csv").read_text())
        self.assertEqual(list(self.out.glob(".run-*")), [])
        again = self.sweep(*words)
        self.assertIn("12 runs, 12 of them known", again.err)
        self.assertEqual(again.out, result.out)

    def test_interrupted(self):
        process = subprocess.Popen([ROOST, "sweep", self.path, "--set", "workload.all.size=20MB,30MB,40MB,50MB", "-o", self.out],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: list(self.out.glob(".run-*")), "a run has begun")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted; the same command goes on where it stopped", err)
        self.assertEqual(list(self.out.glob(".run-*")), [])

    def test_stopped_while_it_measures(self):
        """What it has started ends with it."""
        path = self.file(fabric(2, 2, 4, workload=[{"kind": "all-to-all", "name": "all", "size": "3GB"}]), "long.yaml")
        for words in ((), ("--estimate",)) * 5:
            # It measures for 1 s: a limit of an hour, so that the signal comes first.
            process = subprocess.Popen([sys.executable, "-B", "-c", "import sys; sys.path.insert(0, sys.argv.pop(1)); import cost; "
                                        "cost.MEASURE_S = 3600; import main; sys.exit(main.main())", SOURCE / "control/sweep", ROOST, path,
                                        "--", f"out={self.out}", *(f"{word[2:]}=1" for word in words)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: list(self.out.glob(".run-*")), "a run has begun")
            (run,) = wait_until(lambda: [pid for path in Path(f"/proc/{process.pid}/task").glob("*/children")
                                         for pid in path.read_text().split()], "its process")
            process.terminate()
            self.assertEqual(process.wait(timeout=60), 128 + signal.SIGTERM)
            self.assertFalse(Path(f"/proc/{run}").exists())
            self.assertEqual(list(self.out.glob(".run-*")), [])

    def test_one_change_at_a_time(self):
        words = ("--each", "spines=1,3", "--each", "routing.mode=adaptive")
        result = self.sweep(*words, "--json")
        changes = [one["point"] for one in result.json]
        self.assertEqual(changes, [{"change": "none"}, {"change": "spines=1"}, {"change": "spines=3"},
                                   {"change": "routing.mode=adaptive"}])
        times = [one["figures"]["step_ps"] for one in result.json]
        alone = roost("sim", "--json", self.path, "--set", "routing.mode=adaptive").json["collectives"][0]["step_ps"]
        self.assertEqual(times[3], alone)
        lines = self.sweep(*words).out.splitlines()
        (head,) = [line for line in lines if line.startswith("change")]
        self.assertTrue(head.endswith("step time saved"))
        rows = {line.split()[0]: line.split()[-2:] for line in lines[lines.index(head) + 1:]}
        self.assertEqual(rows["none"][1], "-")
        for time, change in zip(times[1:], changes[1:]):
            percent = round(100 * (1 - time / times[0]), 1)
            self.assertEqual(rows[change["change"]], [f"{percent:+.1f}" if percent else "0", "%"])
        # A run that --set has made is known.
        self.assertIn("1 combinations, 1 seeds: 1 runs, 1 of them known", self.sweep("--set", "spines=3").err)
        both = self.sweep("--set", "spines=1,3", "--each", "routing.mode=adaptive", "--json").json
        self.assertEqual([list(one["point"].values()) for one in both],
                         [["1", "none"], ["1", "routing.mode=adaptive"], ["3", "none"], ["3", "routing.mode=adaptive"]])

    def test_failed_links(self):
        self.sweep("--fail", "links=0%,25%", "--set", "routing.mode=adaptive")
        rows = self.rows()
        self.assertEqual([row["links failed"] for row in rows], ["0%", "25%"])
        links = [f"leaf{leaf}.swp{spine + 2}-spine{spine}.swp{leaf}" for leaf in (1, 2) for spine in (1, 2)]
        (down,) = failed_links(links, "25%", 1)
        for row, events in zip(rows, ("[]", f"[{{at: 0s, link: {down}, state: down}}]")):
            alone = roost("sim", self.path, "--json", "--set", "routing.mode=adaptive", "--set", f"events={events}").json
            self.assertEqual(float(row["step_ps"]), alone["collectives"][0]["step_ps"])
        self.assertGreater(float(rows[1]["step_ps"]), float(rows[0]["step_ps"]))

    def test_what_it_will_cost(self):
        self.path = self.file(fabric(2, 2, 4, workload=[{"kind": "all-to-all", "name": "all", "size": "4MB"}]), "exchange.yaml")
        words = ("--set", "workload.all.size=4MB,8MB", "--seeds", 2, "-j", 1)
        result = self.sweep(*words, "--estimate")
        lines = result.out.splitlines()
        self.assertEqual(lines[0].split(), ["workload.all.size", "packet-hops", "time", "memory"])
        hops = [float(line.split()[1]) * (1e6 if line.split()[2] == "million" else 1) for line in lines[1:]]
        self.assertAlmostEqual(hops[1] / hops[0], 2, delta=0.2)
        self.assertRegex(result.err, r"(?m)^estimate: (.* s to )?.* s and .* MB a run, .* in all \(.* packet-hops a run, computed from the "
                                     r"file without those sent again, at .* million a second, measured in .* s\)$")
        self.assertFalse((self.out / "table.csv").exists())
        self.out = self.directory / "fresh"
        result = self.sweep(*words)
        took, wanted = re.search(r"(?m)^3 runs took ([\d.]+) s; ([\d.]+) s were estimated$", result.err).groups()
        # Other programs may take the cores meanwhile: alone, it is within a factor of 2.
        self.assertLess(float(took) / float(wanted), 8)
        self.assertLess(float(wanted) / float(took), 8)

    def test_more_memory_than_is_free(self):
        sweep = main.Sweep(main.Options([ROOST, str(self.path), "--"]), Plan(self.path, self.path.read_bytes(), combine([], [], []), [1, 2, 3]),
                           self.out)
        (self.out / "runs").mkdir(parents=True)
        sweep.check()
        for free, warned in ((1e6, True), (0, False), (1e12, False)):     # 0: not known
            with mock.patch("cost.memory_available", return_value=free), contextlib.redirect_stderr(io.StringIO()) as told:
                sweep.tell_cost({}, 2)
            self.assertEqual(re.findall(r"warning: 2 runs at a time need about \d+ MB of memory, and 1 MB are free: choose a smaller -j",
                                        told.getvalue()) != [], warned)
        self.assertGreater(cost.memory_available(), 1 << 20)

    def test_a_run_that_is_only_measured_is_no_result(self):
        """The run that measures the speed ends after a second, and does not count."""
        self.path = self.file(fabric(2, 2, 4, workload=[{"kind": "all-to-all", "name": "all", "size": "3GB"}]), "exchange.yaml")
        result = self.sweep("--estimate")
        self.assertEqual(list(self.out.glob("runs/*")) + list(self.out.glob(".run-*")), [])
        self.assertRegex(result.err, "1 combinations, 1 seeds: 1 runs; .*\nestimate: ")
        known = self.sweep("--set", "workload.all.size=100KB", "--estimate")
        self.assertEqual(len(list(self.out.glob("runs/*"))), 1)
        self.assertIn("1 of them known", self.sweep("--set", "workload.all.size=100KB", "--estimate").err)
        self.assertNotIn("known", known.err)

    def test_a_stalled_run_is_named(self):
        self.path = self.file(EXCHANGE | {"events": [{"at": "1us", "port": "leaf1.swp1", "tx": "off"}]}, "stall.yaml")
        result = self.sweep("--set", "routing.mode=ecmp,adaptive", status=1)
        self.assertIn("ecmp (stalled)", result.out)

    def test_the_page_s_example(self):
        """doc/results.md shows what the command prints there."""
        page = (SOURCE / "doc/results.md").read_text()
        self.path = self.file(re.search(r"^```yaml\n# FILE exchange.yaml\n(.*?)^```", page, re.M | re.S)[1], "exchange.yaml")
        words, printed = re.search(r"^\$ roost sweep exchange.yaml (.*) -o sweep\n(.*?)^```", page, re.M | re.S).groups()
        result = self.sweep(*words.split(), "-j", 2)
        timed = re.compile("estimate: .* packet-hops a run, computed from the file|[0-9]+ runs took")     # differs each time
        lines = [line.removesuffix(" ...") for line in printed.splitlines() if line != "..."]
        shown = [line for line in lines if not timed.match(line)]
        self.assertEqual((len(lines), len(shown)), (9, 7))
        self.assertEqual(len([line for line in result.err.splitlines() if timed.match(line)]), 2)
        for line in shown:
            self.assertTrue([one for one in (result.err + result.out).splitlines() if one.startswith(line)], line)

    def test_the_page_s_changes(self):
        """The rows that doc/results.md shows of --each, up to where it cuts them, and what each change saves."""
        page = (SOURCE / "doc/results.md").read_text()
        self.path = self.file(re.search(r"^```yaml\n# FILE exchange.yaml\n(.*?)^```", page, re.M | re.S)[1], "exchange.yaml")
        words, printed = re.search(r"^\$ roost sweep exchange.yaml ([^\n]*) -o which\n(.*?)^```", page, re.M | re.S).groups()
        rows = [line.split(" ... ") for line in printed.splitlines() if " ... " in line]
        self.assertEqual(len(rows), 6)
        lines = self.sweep(*words.split()).out.splitlines()
        for begin, end in rows:
            self.assertTrue([line for line in lines if line.startswith(begin) and line.endswith(end.strip())], begin)

    def test_seeds_alone(self):
        self.assertRegex(self.sweep("--seeds", 2).out, "^ *step time +bus bandwidth")
        self.path = self.file(EXCHANGE | {"events": [{"at": "0us", "port": "leaf1.swp1", "tx": "off"},
                                                     {"at": "0us", "port": "leaf2.swp1", "tx": "off"}]}, "stall.yaml")
        self.assertIn("(stalled)", self.sweep("--seeds", 2, status=1).out)

    def test_json(self):
        found = self.sweep("--set", "spines=2,3", "--json").json
        self.assertEqual([one["point"] for one in found], [{"spines": "2"}, {"spines": "3"}])
        self.assertEqual(found[0]["figures"]["completed"], 12)

    def test_refusals(self):
        for words, status, error in (
                (("--set", "spins=2"), 1, "spins=2: "), (("--set", "spines=2,x"), 1, "spines=x: "),
                (("--set", "spines"), 1, "want KEY=VALUE"),
                (("--set", "spines=2", "--set", "spines=3"), 1, "--set spines: the key is there twice"),
                (("--fail", "links=5"), 1, "want links=PERCENT"), (("--fail", "links=10%,10.0%"), 1, "a percentage is there twice"),
                (("--fail", "links=10%", "--set", "events.0.at=0us"), 1, "--set events.0.at: not together with --fail"),
                (("--set", "spines=1", "--each", "spines=2"), 1, "--each spines: --set has the key too"),
                (("--each", "spines=2,2"), 1, "--each spines=2,2: a value is there twice"),
                (("--each", "spines=2", "--each", "spines=2"), 1, "--each spines=2: the value is there twice"),
                (("--each", "seed=1"), 1, "--each seed: use --seed and --seeds"),
                (("--set", "fabric.seed=1,2"), 1, "--set fabric.seed: use --seed and --seeds"),
                (tuple(word for i in range(9) for word in ("--set", f"k{i}=" + ",".join(map(str, range(10))))), 1, "at most 10000"),
                (("--set", "mtu=" + ",".join(map(str, range(1500, 1700))), "--seeds", 100), 1, "are 20000 runs; at most 10000")):
            self.assertIn(error, self.sweep(*words, status=status).err, words)
        self.assertFalse((self.out / "table.csv").exists())
        self.path = self.directory / "none.yaml"
        self.assertIn("none.yaml: No such file or directory", self.sweep("--set", "spines=2", status=1).err)
        self.out = self.file({}, "file")
        self.path = self.file(EXCHANGE, "exchange.yaml")
        self.assertIn("file: ", self.sweep("--set", "spines=2", status=1).err)


if __name__ == "__main__":
    unittest.main()
