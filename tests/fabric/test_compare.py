# SPDX-License-Identifier: BSD-3-Clause
"""`roost compare`: the numbers of `roost sim`, side by side, with what is better by how much."""
import os
import re
import shutil
import threading
import time

from common import *

WORK = [{"name": "exchange", "kind": "all-to-all", "size": "1MB"}]


SWITCH = {"preset": "spectrum-x", "buffer": {"size": "4MB"},
          "qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "100KB", "probability": "50%"}}}}}


def place(mode, work=WORK, hosts=4, **more):
    return fabric(2, 2, hosts, switch=SWITCH | {"routing": {"mode": mode}}, hosts={"placement": "out-of-order"},
                  workload=work, **more)


def quantile(values, percent):
    return sorted(values)[-(-percent * len(values) // 100) - 1]


class Compare(Case):
    def files(self, **descriptions):
        return [self.file(one, f"{name}.yaml") for name, one in descriptions.items()]

    def compared(self, files, *options, **checks):
        return roost("compare", *files, "-o", "json", *options, **checks).json

    def test_the_numbers_of_sim(self):
        for options in ((), ("--seed", "7"), ("--until", "150us")):
            files = self.files(ecmp=place("ecmp"), spray=place("adaptive"))
            told = self.compared(files, *options)
            self.assertEqual([one["name"] for one in told["runs"]], ["ecmp", "spray"])
            for file, run in zip(files, told["runs"]):
                sim = self.sim(file, *options)
                result = sim.result
                summary, values = sim.summary, run["values"]
                self.assertEqual(run["state"], "until its time" if "--until" in options else "drained")
                for key in ("completed", "drops", "drops_lossless", "pfc_tx", "ecn_marked", "retransmitted",
                            "out_of_order", "uplink_imbalance", "goodput_gbps", "slowdown_p99"):
                    self.assertEqual(values[key], summary[key], key)
                times = [one["fct_ps"] for one in sim.flows if one["fct_ps"] is not None]
                self.assertEqual(values["fct_p50_ps"], quantile(times, 50))
                self.assertEqual(values["fct_p99_ps"], quantile(times, 99))
                steps = [one["step_ps"] for one in result["collectives"] if one["step_ps"] is not None]
                buses = [one["busbw_gbps"] * one["step_ps"] for one in result["collectives"]
                         if one["step_ps"] is not None]
                self.assertEqual(values["step_ps"], sum(steps) // len(steps) if steps else None)
                self.assertEqual(values["busbw_gbps"], sum(buses) / sum(steps) if buses else None)
                paused = sum(sum(port["pfc_rx_pause_ns"]) for node in sim.nodes.values()
                             for port in node["ports"].values())
                self.assertEqual(values["paused_ps"], 1000 * paused)
                self.assertEqual(run["flows"], len(sim.flows))

    def test_which_is_better_by_how_much(self):
        files = self.files(ecmp=place("ecmp"), spray=place("adaptive"))
        told = self.compared(files)
        ecmp, spray = (one["values"] for one in told["runs"])
        self.assertLess(spray["step_ps"], ecmp["step_ps"])
        self.assertEqual(told["best"]["step_ps"], "spray")
        self.assertIsNone(told["best"]["drops"])
        done = roost("compare", *files)
        self.assertEqual(done.err, "")
        lines = {line[:18].strip(): line for line in done.out.splitlines()}
        percent = 100 * (ecmp["step_ps"] - spray["step_ps"]) / ecmp["step_ps"]
        self.assertIn(f"spray better than ecmp by {percent:.{1 if percent < 9.95 else 0}f} %", lines["step time"])
        self.assertEqual(lines["step time"].count("*"), 1)
        self.assertNotIn("better", lines["drops"])
        self.assertEqual(lines["drops"].split()[-2:], ["no", "difference"])
        verdict = done.out.splitlines()[-1]
        self.assertEqual(verdict, told["verdict"])
        self.assertRegex(verdict, r"^spray has the shortest step time: .* of ecmp \(.* % less\)\. "
                                  r"\w+ has the highest goodput: ")

    def test_a_long_collective_counts_for_more(self):
        work = [{"kind": "step", "operations": [{"kind": "all-to-all", "size": "100KB"},
                                                 {"kind": "all-reduce", "size": "1MB"}]}]
        told = self.compared(self.files(a=place("ecmp", work), b=place("adaptive", work)))
        for name, run in zip("ab", told["runs"]):
            result = roost("sim", self.directory / f"{name}.yaml", "--json").json
            short, long = (one for one in result["collectives"] if one["kind"] != "step")
            times = short["step_ps"], long["step_ps"]
            self.assertGreater(times[1], 2 * times[0])
            self.assertAlmostEqual(run["values"]["busbw_gbps"], (short["busbw_gbps"] * times[0] + long["busbw_gbps"] *
                                                                 times[1]) / sum(times), places=9)

    def test_of_many_the_ends_are_named(self):
        files = self.files(**{mode: place(mode) for mode in ("ecmp", "ecmp-qp", "flowlet", "adaptive")})
        told = self.compared(files)
        times = {one["name"]: one["values"]["step_ps"] for one in told["runs"]}
        best, near, *_, far = sorted(times, key=times.get)
        self.assertEqual(len(set(times.values())), 4)

        def gain(other):
            return 100 * (times[other] - times[best]) / times[other]
        [line] = [one for one in roost("compare", *files).out.splitlines() if one.startswith("step time")]
        words = re.search(r"(\S+) better by ([\d.]+) % \((\S+)\) to ([\d.]+) % \((\S+)\)$", line)
        self.assertEqual((words[1], words[3], words[5]), (best, near, far))
        self.assertAlmostEqual(float(words[2]), gain(near), delta=0.5)
        self.assertAlmostEqual(float(words[4]), gain(far), delta=0.5)
        self.assertIn(f" of {near} (", told["verdict"])
        self.assertIn(f" of {far} (", told["verdict"])

    def test_several_are_best(self):
        told = self.compared(self.files(a=place("adaptive"), b=place("ecmp"), c=place("adaptive")))
        self.assertRegex(told["verdict"], r"^a and c have the shortest step time: .* against \S+ us of b \(")

    def test_alike(self):
        told = self.compared(self.files(a=place("ecmp"), b=place("ecmp")))
        self.assertEqual(set(told["best"].values()), {None})
        self.assertEqual(told["verdict"], "No difference in step time. No difference in goodput.")

    def test_what_stays_inside_hosts_is_no_flow(self):
        """Of a ring through hosts of two NICs, one flow of two is on the network; and none has an ideal time."""
        description = fabric(1, 0, 3, switch=SWITCH, workload=[{"kind": "all-reduce", "size": "60KB"}])
        description["fabric"]["topology"]["planes"] = 2
        told = self.compared(self.files(a=description, b=description))
        self.assertEqual([one["flows"] for one in told["runs"]], [6, 6])
        for run in told["runs"]:
            self.assertEqual(run["values"]["completed"], 6)
            self.assertIsNone(run["values"]["slowdown_p99"])
        self.assertEqual(told["verdict"], "No difference in step time. No difference in goodput.")

    def test_a_victim_is_seen(self):
        """Figures of the whole run hide one flow; its item and its tenant show it."""
        work = [{"name": "exchange", "kind": "all-to-all", "size": "1MB", "hosts": ["h2", "h3", "h4", "h7", "h8"]},
                flow("h1", "h6", "100KB", name="victim", at="20us")]
        tenants = {"red": {"hosts": ["h2", "h3", "h4", "h7", "h8"]}, "blue": {"hosts": ["h1", "h6"]}}
        slow = place("ecmp", work, tenants=tenants, h1={"path-mtu": 256})    # its own sender alone has more headers
        files = self.files(fast=place("ecmp", work, tenants=tenants), slow=slow)
        told = self.compared(files)
        for run, file in zip(told["runs"], files):
            sim = self.sim(file)
            victim = [one["fct_ps"] for one in sim.flows if one["item"] == "victim"]
            self.assertEqual([run["values"]["items.victim.fct_ps"]], victim)
            self.assertEqual([run["values"]["tenants.blue.fct_ps"]], victim)
            times = [one["fct_ps"] for one in sim.flows if one["item"] == "exchange"]
            self.assertEqual(run["values"]["items.exchange.fct_p99_ps"], quantile(times, 99))
            self.assertEqual(run["values"]["items.exchange.completed"], len(times))
        best = told["best"]
        self.assertEqual([best[key] for key in ("items.victim.fct_ps", "tenants.blue.fct_ps", "items.exchange.fct_p99_ps")],
                         ["fast", "fast", None])
        self.assertRegex(told["verdict"], r"The largest difference is in item victim, FCT, best with fast: \S+ us against")
        out = roost("compare", *files).out
        self.assertRegex(out, r"(?m)^item victim, FCT .* fast better than slow by \d+ %$")
        self.assertRegex(out, r"(?m)^item exchange, FCT p99 .* no difference$")
        self.assertNotRegex(out, r"item exchange, complete", "a row that says nothing")

    def test_collectives_apart(self):
        work = [{"kind": "step", "operations": [{"kind": "all-to-all", "size": "100KB"},
                                                 {"kind": "all-to-all", "size": "1MB"}]}]
        told = self.compared(self.files(a=place("ecmp", work), b=place("adaptive", work)))
        result = roost("sim", self.directory / "a.yaml", "--json").json
        times = {one["bytes"]: one["step_ps"] for one in result["collectives"]}
        names = [f"collectives.{name}.step_ps" for name in ("all-to-all of 100 KB", "all-to-all of 1 MB", "step")]
        self.assertEqual([told["runs"][0]["values"][name] for name in names],
                         [times[size] for size in (100_000, 1_000_000, 1_100_000)])

    def test_of_many_collectives_only_steps_have_rows(self):
        for count, rows in (20, 21), (40, 1):
            with self.subTest(operations=count):
                work = [{"kind": "step", "name": "train", "operations": [
                    {"kind": "all-gather", "name": f"g{i}", "size": "8KB"} for i in range(count)]}]
                told = self.compared(self.files(a=place("ecmp", work), b=place("adaptive", work)))
                times = [key for key in told["runs"][0]["values"] if re.fullmatch(r"collectives\..*\.step_ps", key)]
                self.assertEqual(len(times), rows)
                self.assertIn("collectives.train.step_ps", times)

    def test_small_differences_are_none(self):
        """A flow alone: another 2 m of cable are 0.01 % of its time, a slower link is more than 1 %."""
        work = [flow("h1", "h5", "1MB")]
        for link, best in ({"rate": "100G", "delay": "510ns"}, None), ({"rate": "95G", "delay": "500ns"}, "a"):
            told = self.compared(self.files(a=place("ecmp", work), b=place("ecmp", work, host_link=link)))
            times = [run["values"]["fct_p99_ps"] for run in told["runs"]]
            self.assertLess(*times)
            self.assertEqual(told["best"]["fct_p99_ps"], best)
        # A flow more that completes counts, be they ever so many.
        work = [flow("h1", "h5", "1KB", repeat=1) for _ in range(150)]
        told = self.compared(self.files(a=place("ecmp", work), b=place("ecmp", work + [
            flow("h1", "h5", "1KB")])))
        self.assertEqual(told["best"]["completed"], "b")

    def test_seeds(self):
        files = self.files(ecmp=place("ecmp"), spray=place("adaptive"))
        told = self.compared(files, "--seeds", "3", "--seed", "5")
        self.assertEqual(told["seeds"], 3)
        for file, run in zip(files, told["runs"]):
            steps = sorted(roost("sim", file, "--json", "--seed", seed).json["collectives"][0]["step_ps"]
                           for seed in (5, 6, 7))
            self.assertEqual(run["samples"]["step_ps"], steps)
            self.assertEqual(run["values"]["step_ps"], steps[1])
        out = roost("compare", *files, "--seeds", "3", "--seed", "5").out
        self.assertIn("\nmedians of 3 seeds [least to most]\n", out)
        self.assertRegex(out, r"(?m)^step time +\S+ us \[\S+ us to \S+ us\]")
        for row, best in told["best"].items():    # a verdict only where ranges do not overlap
            one, other = (run["samples"][row] for run in told["runs"])
            if best:
                self.assertTrue(one[-1] < other[0] or other[-1] < one[0], row)
        for words in ("0", "101", "x", "-1", "2x"):
            roost("compare", *files, "--seeds", words, status=2)

    def test_what_differs(self):
        files = self.files(a=place("ecmp"), b=place("adaptive", mtu=4200), c=place("ecmp", stop="1ms"))
        told = self.compared(files)
        self.assertEqual(told["differences"], {"switch.routing.mode": ["ecmp", "adaptive", "ecmp"],
                                               "fabric.mtu": [None, "4200", None], "stop": [None, None, "1ms"]})
        lines = roost("compare", *files).out.splitlines()
        self.assertEqual([line.split() for line in lines[:4]],
                         [["what", "differs", "a", "b", "c"], ["fabric.mtu", "-", "4200", "-"],
                          ["switch.routing.mode", "ecmp", "adaptive", "ecmp"], ["stop", "-", "-", "1ms"]])
        same = self.files(a=place("ecmp"), d=place("ecmp"))
        self.assertTrue(roost("compare", *same).out.startswith("the files differ in nothing but"))

    def test_columns_have_names_of_their_own(self):
        (self.directory / "x").mkdir()
        files = [self.file(place("ecmp"), "a.yaml"), self.file(place("ecmp"), "x/a.yaml")]
        self.assertEqual([one["name"] for one in self.compared(files)["runs"]], [str(one) for one in files])

    def test_workloads_that_differ(self):
        larger = [WORK[0] | {"size": "2MB"}]
        done = roost("compare", *self.files(a=place("ecmp"), b=place("ecmp", larger)))
        self.assertRegex(done.err, "b.yaml: warning: workload item 1 is {.*size: 2MB}, in .*a.yaml it is {.*size: 1MB}")
        self.assertRegex(done.err, r"b.yaml: warning: the workload comes to 56 flows \(14 MB in total\), in .*a.yaml to "
                         r"56 \(7 MB\)")
        # The same words in a larger fabric come to more.
        done = roost("compare", *self.files(a=place("ecmp"), b=place("ecmp", hosts=5)))
        self.assertEqual(len(done.err.splitlines()), 1)
        self.assertRegex(done.err, r"comes to 90 flows .*, in .*a.yaml to 56 \(7 MB\)")

    def test_wrong_files_end_it_before_anything_runs(self):
        files = self.files(a=place("ecmp"), b=place("nonsense"), c=place("ecmp", [flow("h1", "h99", "1MB")]))
        done = roost("compare", *files, status=2)
        self.assertEqual(done.out, "")
        self.assertRegex(done.err, r"b\.yaml:\d+:\d+: .*nonsense")
        self.assertRegex(done.err, r"c\.yaml:\d+:\d+: .*h99")
        self.assert_refused(r"nowhere\.yaml", "compare", files[0], self.directory / "nowhere.yaml")
        self.assert_refused(f"^{self.directory}: is a directory: name a configuration file; `roost plot` draws the directories "
                            "of runs$", "compare", files[0], self.directory)
        for words in ((files[0],), (), (files[0], files[0], "-o", "xml"), (files[0], files[0], "--seed", "x"),
                      (files[0], files[0], "--until", "5")):
            done = roost("compare", *words, status=2)
            self.assertEqual(done.out, "")

    def test_names_that_are_not_utf8(self):
        """No file is missing from the JSON because of its name."""
        a = self.file(place("ecmp"), "a.yaml")
        other = os.fsencode(self.directory) + b"/\xffb.yaml"
        shutil.copy(a, other)
        twin = os.fsencode(self.directory) + b"/\xfe/a.yaml"
        os.mkdir(os.path.dirname(twin))
        shutil.copy(a, twin)
        for files, names in (((a, other), ["a", "?b"]), ((a, twin), [str(a), f"{self.directory}/?/a.yaml"])):
            told = self.compared([os.fsdecode(file) for file in files])
            self.assertEqual([run["name"] for run in told["runs"]], names)
            self.assertEqual([len(run["values"]) for run in told["runs"]], 2 * [len(told["best"])])

    def test_an_error_that_a_later_seed_meets(self):
        """It is printed, and the verdict says which seed met it. A pipe is another file each time it is read."""
        good = to_yaml(place("ecmp"))
        pipe = self.directory / "pipe.yaml"
        os.mkfifo(pipe)
        readings = [good, good, good, good.replace("leaves", "leafs")]  # checked, listed, seed 1, seed 2

        def feed():
            for text in readings:
                pipe.write_text(text)
                time.sleep(0.3)     # until the reader has closed it

        feeder = threading.Thread(target=feed)
        feeder.start()
        done = roost("compare", pipe, self.file(place("ecmp"), "a.yaml"), "--seeds", "2", status=1)
        feeder.join()
        error = r"\S+/pipe\.yaml:\d+:\d+: fabric\.topology\.leafs: .*"
        self.assertRegex(done.err, rf"(?m)^{error}$")
        self.assertRegex(done.out.splitlines()[-1], rf"pipe failed: seed 2: {error}")

    def test_a_run_that_stalls(self):
        stuck = place("ecmp", events=[{"at": "10us", "port": "leaf1.swp1", "tx": "off"}])
        files = self.files(good=place("ecmp"), stuck=stuck)
        done = roost("compare", *files, status=1)
        self.assertIn("nothing has moved for a while", done.err)
        self.assertRegex(done.out, r"\nrun +drained +stalled\n")
        self.assertIn("stuck stalled", done.out.splitlines()[-1])
        told = self.compared(files, status=1)
        self.assertEqual([one["state"] for one in told["runs"]], ["drained", "stalled"])
        self.assertEqual(set(told["best"].values()), {None})   # nothing to compare with


if __name__ == "__main__":
    unittest.main()
