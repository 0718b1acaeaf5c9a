# SPDX-License-Identifier: BSD-3-Clause
"""What tests/runner.py says of tests that fail: the whole reason, at the end of the job's output and of the run's."""
import contextlib
import io
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import runner

FILE = '''
import unittest


class Long(unittest.TestCase):

    def test_a_fails_with_much_to_say(self):
        for i in range(200):
            print(f"line {i}")
        self.assertEqual(1, 2, "the first reason")

    def test_b_fails_in_a_subtest(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1, "the second reason")

    def test_c_passes(self):
        pass

    @classmethod
    def tearDownClass(cls):
        for i in range(200):
            print(f"line {i}", flush=True)
        raise RuntimeError("the third reason")
'''
CMOCKA = """test: passes
success: passes
test: fails
what it printed
failure: fails [
x.c:12: error: 1 != 2
]
test: is_skipped
needs root
skip: is_skipped
test: crashes
Segmentation fault
"""


class Runner(unittest.TestCase):

    def run_job(self, job):
        """(result, what it printed about the job, what it prints at the end)"""
        directories, made = [], tempfile.mkdtemp
        self.addCleanup(setattr, tempfile, "mkdtemp", made)
        tempfile.mkdtemp = lambda **options: directories.append(made(**options)) or directories[-1]
        with contextlib.redirect_stdout(io.StringIO()) as first:
            result = runner.run_job(job)
        for one in directories:
            shutil.rmtree(one, ignore_errors=True)
        with contextlib.redirect_stdout(io.StringIO()) as last:
            runner.print_failures([runner.Result(passed=1), result])
        return result, first.getvalue(), last.getvalue()

    def test_reasons_of_python(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "test_long.py")
            path.write_text(FILE)
            job = runner.Job("lint/long.py", ["/usr/bin/python3", "-B", str(runner.TESTS / "runner.py"), "--file", str(path)],
                             runner.count_unittest, {"PATH": os.environ["PATH"]}, 60)
            result, first, last = self.run_job(job)
        self.assertEqual((result.passed, len(result.failed)), (1, 3))
        for text in (first, last):
            for reason in (": the first reason", ": the second reason", ": the third reason"):
                self.assertEqual(text.count(reason), 1, (reason, text))
            self.assertIn("(i=1)", text)
            self.assertIn("in test_a_fails_with_much_to_say", text)
        self.assertEqual([line.partition(": ")[0] for line in last.splitlines()[-3:]], ["failed"] * 3)

    def test_reasons_of_cmocka(self):
        result, first, last = self.run_job(runner.Job("unit/x", ["printf", "%s", CMOCKA], runner.count_cmocka))
        self.assertEqual((result.passed, result.failed, result.skipped),
                         (1, ["unit/x: fails", "unit/x: crashes: begun, not finished"], ["is_skipped: needs root"]))
        for text in (first, last):
            for reason in ("what it printed", "x.c:12: error: 1 != 2", "Segmentation fault"):
                self.assertEqual(text.count(reason), 1, (reason, text))

    def test_reason_of_a_program(self):
        result, first, last = self.run_job(runner.Job("bench/x", ["sh", "-c", "seq 1000; exit 3"], runner.count_whole))
        self.assertEqual(result.failed, ["bench/x: exit status 3"])
        for text in (first, last):
            self.assertIn("| 1000\n", text)
            self.assertNotIn("| 500\n", text)
        self.assertEqual(last.splitlines()[-1], "failed: bench/x: exit status 3")

    def test_what_follows_a_build(self):
        """Its jobs run if it passes, and only then."""

        def build(name, command):
            return runner.Job(name, ["sh", "-c", command], runner.count_whole,
                              then=lambda: [runner.Job(f"of {name}", ["true"], runner.count_whole)])
        with contextlib.redirect_stdout(io.StringIO()) as out:
            results = runner.run_side_by_side([build("one", "true"), build("two", "exit 1"), build("three", "true")])
        self.addCleanup(shutil.rmtree, out.getvalue().partition("its files: ")[2].split()[0])
        self.assertEqual((sum(result.passed for result in results), [result.failed for result in results if result.failed]),
                         (4, [["two: exit status 1"]]))
        self.assertEqual({name for name in ("of one", "of two", "of three") if f"  {name} " in out.getvalue()},
                         {"of one", "of three"})

    def test_what_only_needs_a_cpu_gives_way(self):
        """In its session and with it: Linux may share the CPUs out by sessions."""
        command = ["sh", "-c", "sleep 1; nice; cat /proc/self/autogroup || echo no autogroups; exit 3"]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            runner.run_side_by_side([runner.Job("unit/x", command, runner.count_whole)], True)
        self.addCleanup(shutil.rmtree, out.getvalue().partition("its files: ")[2].split()[0])
        self.assertIn(f"| {min(os.nice(0) + runner.GIVE_WAY, 19)}\n", out.getvalue())
        self.assertRegex(out.getvalue(), rf"\| /autogroup-\d+ nice {runner.GIVE_WAY}\n|no autogroups")

    def test_what_is_left_behind(self):
        """Processes of Roost's name, but not those of a job that runs."""
        with tempfile.TemporaryDirectory() as directory:
            program = shutil.copy("/bin/sleep", f"{directory}/roost")
            with subprocess.Popen(["sh", "-c", f"{program} 60 & echo $!; wait"], stdout=subprocess.PIPE, text=True) as job:
                pid = int(job.stdout.readline())
                self.addCleanup(runner.running.discard, job)
                while Path(f"/proc/{pid}/comm").read_text() != "roost\n":
                    pass
                self.assertIn(f"process {pid}", runner.leftovers())
                runner.running.add(job)
                self.assertNotIn(f"process {pid}", runner.leftovers())
                os.kill(pid, signal.SIGTERM)

    def test_a_live_test_leaves_nothing(self):
        """What stays is its fault, what goes is that of others."""
        found = [set()]
        self.addCleanup(setattr, runner, "leftovers", runner.leftovers)
        self.addCleanup(setattr, runner, "SETTLE_SECONDS", runner.SETTLE_SECONDS)
        runner.leftovers, runner.SETTLE_SECONDS = lambda: found.pop(0) if len(found) > 1 else found[0], 1
        for last, failed in (({"b"}, ["live/x: left behind: b"]), (set(), [])):
            found[:] = [set(), {"a", "b"}, {"b", "c"}, last]
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(runner.run_live(runner.Job("live/x", ["true"], runner.count_whole)).failed, failed)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_what_a_slow_job_beside_has_made(self):
        """It may stand there for as long as that job runs, but not longer, and nobody else's may."""
        job = subprocess.Popen(["sleep", "60"])
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        path = Path(f"/run/dpdk/roost-runner-test-{job.pid}")
        path.mkdir(parents=True)
        self.addCleanup(path.rmdir)
        self.assertIn(str(path), runner.leftovers())
        runner.running.add(job)
        self.addCleanup(runner.running.discard, job)
        self.assertNotIn(str(path), runner.leftovers())
        runner.running.discard(job)
        self.assertIn(str(path), runner.leftovers())

    def test_seconds_of_cpu(self):
        """Those of a process that the job waited for are among them, and waiting takes none."""
        result = self.run_job(runner.Job("bench/x", ["sh", "-c", "python3 -c 'for i in range(10**7): pass'; sleep 0.5"],
                                         runner.count_whole))[0]
        self.assertGreater(result.cpu_seconds, 0.1)
        self.assertGreater(result.seconds, 0.5)
        result = self.run_job(runner.Job("bench/x", ["sleep", "1"], runner.count_whole))[0]
        self.assertLess(result.cpu_seconds, 0.5)

    def test_long_reasons_and_many(self):
        lines = runner.reason_lines("\n".join(f"line {i}" for i in range(1000)))
        self.assertEqual((lines[0], lines[-1], len(lines)), ("line 0", "line 999", runner.REASON_LINES + 1))
        self.assertIn("[880 lines]", lines)
        self.assertLess(len(runner.indented(["x" * 100_000])[0]), 2100)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            runner.print_failures([runner.Result(failed=["x: y"], reasons=["why"] * 100)])
        self.assertEqual(out.getvalue().count("| why"), runner.REPEATED)
        self.assertIn("70 more have failed", out.getvalue())


if __name__ == "__main__":
    unittest.main()
