# SPDX-License-Identifier: BSD-3-Clause
"""Runs of several processes that end early: one clear line, and files that are complete or absent."""
import contextlib
import resource
import signal

from common import *
from ranks import ENVIRONMENT, mpirun, unless_sanitized

RANKS = 3
PATIENT = {"OMPI_MCA_odls_base_sigkill_timeout": "15"}   # seconds after SIGTERM, for a busy machine
FOREVER = {"kind": "stream", "from": "h1", "to": "h9", "rate": "50G", "packet": "1000B", "until": "100s"}
RECORD = {"interval": "10us", "queues": ["leaf1.swp1.3"], "links": "all", "pcap": ["leaf3.swp1"], "snaplen": "64B"}
FILES = ["counters.csv", "flows.csv", "leaf3.swp1.pcapng", "links.csv", "loads.csv", "queues.csv", "result.json",
         "thresholds.csv"]


def roosts_words(done):
    """What comes from Roost; mpirun adds paragraphs of its own."""
    return [line for line in done.err.splitlines() if line.startswith(("roost", "warning", "error", "/"))]


def three_leaves(*workload, **sections):
    return fabric(3, 2, 4, workload=workload, **sections)


def ranks_of(run):
    """The processes that mpirun has started, by their rank."""
    found = {}
    for pid in (Path(f"/proc/{run.pid}/task/{run.pid}/children")).read_text().split():
        with contextlib.suppress(OSError):
            for one in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                if one.startswith(b"OMPI_COMM_WORLD_RANK="):
                    found[int(one.partition(b"=")[2])] = int(pid)
    return found


@unless_sanitized
class Early(Case):
    def disturbed(self, path, out, disturb, **env):
        """A run that is under way while something happens to its ranks."""
        with subprocess.Popen(["mpirun", "-n", str(RANKS), ROOST, "sim", path, "-o", out], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=os.environ | ENVIRONMENT | PATIENT | env) as run:
            started = out / ".loads.csv.new"
            wait_until(lambda: started.exists() and started.stat().st_size > 4096 or run.poll() is not None, started)
            disturb(ranks_of(run) | {None: run.pid})
            try:
                said, err = run.communicate(timeout=60)
            finally:
                run.kill()
        return Done(["mpirun"], run.returncode, said, err)

    def ended_by(self, number, rank, out, **env):
        """One of the ranks gets a signal, or mpirun itself (None)."""
        return self.disturbed(self.file(three_leaves(FOREVER, record=RECORD)), out,
                              lambda ranks: os.kill(ranks[rank], number), **env)

    def test_an_interrupt_gives_what_there_is(self):
        # mpirun sends SIGTERM to all ranks; one that is interrupted alone takes the others along.
        for number, rank, status in ((signal.SIGTERM, None, None), (signal.SIGTERM, 1, 143)):
            with self.subTest(signal=number, rank=rank):
                out = self.directory / f"out{number}-{rank}"
                done = self.ended_by(number, rank, out)
                if status is not None:      # mpirun's own does not depend on that of its processes
                    self.assertEqual(done.status, status)
                self.assertEqual(roosts_words(done), [])
                self.assertRegex(done.out, r"(?m)^interrupted at \d\S* \S*s: the run is incomplete$")
                self.assertEqual(sorted(path.name for path in out.iterdir()), FILES)
                result = json.loads((out / "result.json").read_text())
                self.assertIs(result["summary"]["interrupted"], True)
                # It is the run that --until this time would have been, of one process.
                whole = self.sim(self.file(three_leaves(FOREVER, record=RECORD)), "--until",
                                 f"{result['summary']['sim_ps']}ps")
                self.assertEqual(whole.digest, result["summary"]["digest"])

    def test_memory_for_packets_that_one_rank_lacks(self):
        """All ranks end, and the first one writes what there is."""
        def limit(pid):
            size = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()
            resource.prlimit(pid, resource.RLIMIT_AS, (size, size))
        path = self.file(three_leaves(FOREVER, {"kind": "permutation", "size": "10MB", "at": "60ms"}, record=RECORD,
                                      switch={"preset": "spectrum-x", "buffer": {"size": "64MB"}}))
        out = self.directory / "out"
        done = self.disturbed(path, out, lambda ranks: limit(ranks[1]))
        self.assertEqual(done.status, 1)
        self.assertEqual(len(roosts_words(done)), 1, done.err)
        self.assertRegex(roosts_words(done)[0], "^roost: out of memory for packets at .* of fabric time: the run ends$")
        self.assertIn("out of memory at", done.out)
        self.assertEqual(sorted(path.name for path in out.iterdir()), FILES)

    def test_a_rank_that_is_killed(self):
        out = self.directory / "out"
        done = self.ended_by(signal.SIGKILL, 1, out)
        self.assertEqual(done.status, 137)
        self.assertEqual(len(roosts_words(done)), 1, done.err)
        self.assertIn("ended before the result was complete (mpirun waits ", roosts_words(done)[0])
        self.assertRegex(done.err, "rank 1 with PID .* signal 9")
        self.assertEqual((done.out, out.exists()), ("", False))

    def test_files_of_before_stay(self):
        out = self.directory / "out"
        out.mkdir()
        (out / "flows.csv").write_text("mine\n")
        self.ended_by(signal.SIGKILL, 2, out)
        self.assertEqual([(path.name, path.read_text()) for path in out.iterdir()], [("flows.csv", "mine\n")])


@unless_sanitized
class Errors(Case):
    def test_a_bad_file(self):
        path = self.file("fabric: {topology: {kind: leaf-spine, leaves: two}}\n")
        alone = roost("sim", path, status=2)
        self.assertEqual(roosts_words(mpirun(RANKS, "sim", path, status=2)), alone.err.splitlines())

    def test_warnings_are_printed_once(self):
        path = self.file(three_leaves({"kind": "flow", "from": "h1", "to": "h9", "size": "1KB"},
                                      hosts={"path-mtu": 4096}, mtu=1500))
        alone = roost("sim", path)
        self.assertIn("warning", alone.err)
        self.assertEqual(mpirun(RANKS, "sim", path).err, alone.err)

    def test_a_directory_that_cannot_be(self):
        out = self.directory / "none/out"
        done = mpirun(RANKS, "sim", DEMO, "-o", out, status=1)
        self.assertEqual(roosts_words(done), [f"roost sim: {out}: No such file or directory"])
        self.assertEqual(done.out, "")

    def test_a_full_disk(self):
        """It is the first rank that writes; the summary is printed all the same."""
        need_root()
        place = self.directory / "disk"
        place.mkdir()
        path = self.file(three_leaves({"kind": "permutation", "size": "1MB"}, record=RECORD | {"snaplen": "full"}))
        script = (f"mount -t tmpfs -o size=256k none {place} && {{ mpirun -n {RANKS} {ROOST} sim {path} -o {place}/out; "
                  f"echo status $?; ls -A {place}; }}")
        done = command("unshare", "-m", "sh", "-c", script, env=os.environ | ENVIRONMENT)
        self.assertEqual(len(roosts_words(done)), 1, done.err)
        self.assertRegex(roosts_words(done)[0], f"^roost sim: {place}/out/[a-z0-9.]+: No space left on device$")
        self.assertIn("digest ", done.out)
        self.assertTrue(done.out.endswith("status 1\n"), done.out)

    def test_a_stall(self):
        path = self.file(three_leaves(flow("h1", "h9", "100KB"), events=[{"at": "2us", "port": "leaf3.swp1", "tx": "off"}]))
        alone = roost("sim", path, status=1)
        self.assertRegex(alone.err, r"nothing has moved .* packets are held")
        self.assertEqual(roosts_words(mpirun(RANKS, "sim", path, status=1)), alone.err.splitlines())
        # Ranks tell why it stalled together, whether or not the first one can write its files.
        need_root()
        place = self.directory / "disk"
        place.mkdir()
        script = f"mount -t tmpfs -o size=8k none {place} && mpirun -n 2 {ROOST} sim {path} -o {place}/out"
        done = command("unshare", "-m", "sh", "-c", script, env=os.environ | ENVIRONMENT, status=1)
        self.assertIn("No space left on device", done.err)
        self.assertIn("nothing has moved", done.err)

    def test_a_warning_about_a_flow_of_another_rank(self):
        """A window of fewer packets than are acknowledged together: settings alone say so."""
        path = self.file(three_leaves(flow("h9", "h1", "300KB"), hosts={"congestion": "window", "window": {"size": "16KB"},
                                                                      "ack-every": 8}))
        alone = roost("sim", path)
        self.assertIn("congestion window of", alone.err)
        self.assertEqual(mpirun(RANKS, "sim", path).err, alone.err)

    def test_ranks_that_are_to_run_something_else(self):
        """On machines that do not share the file one may have an old copy, which would give a wrong result."""
        first, other = (self.file(three_leaves(flow("h1", "h9", size)), f"{size}.yaml") for size in ("100KB", "110KB"))
        for words in ([other], [first, "--seed", "7"], [first, "--until", "1us"]):
            with self.subTest(words=words):
                done = command("mpirun", "-n", 2, ROOST, "sim", first, ":", "-n", 1, ROOST, "sim", *words,
                               env=os.environ | ENVIRONMENT, status=2)
                self.assertEqual(roosts_words(done), [
                    "roost sim: rank 2 is to run something else: give all ranks the same roost, options and copy of "
                    f"{first}"])
                self.assertEqual(done.out, "")

    def test_threads_that_one_rank_cannot_have(self):
        path = self.file(three_leaves(flow("h1", "h9", "100KB")))
        words = f"{ROOST} sim -j 200 {path}"
        done = command("mpirun", "-n", 1, ROOST, "sim", "-j", 2, path, ":", "-n", 1, "sh", "-c",
                       f"ulimit -v 700000; exec {words}", env=os.environ | ENVIRONMENT, status=1)
        self.assertEqual([line for line in done.err.splitlines() if line.startswith("-j")],
                         ["-j: cannot start 200 threads: Resource temporarily unavailable; use fewer"])
        self.assertEqual(done.out, "")

    def test_what_runs_in_one_process(self):
        """A mistake gives one message, whatever the number of ranks."""
        for words, message in ((("check", DEMO), "roost: check runs in one process: start it without mpirun"),
                               (("sim", "--gzip", DEMO), "roost sim: --gzip compresses files: it needs -o DIR")):
            for _ in range(5):      # where a rank ends at once, a busy mpirun may end before it passes on what the rank wrote
                said = roosts_words(mpirun(RANKS, *words, status=2))
                if said:
                    break
            self.assertEqual(said, [message])

    def test_processes_that_do_not_know_each_other(self):
        """srun without PMIx, or another MPI: each would run the whole fabric and write the same files."""
        for env in ({"PMI_SIZE": "4", "PMI_RANK": "2"}, {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"}):
            done = roost("sim", DEMO, status=1, env=os.environ | env)
            self.assertIn("started as one of several processes, but not by Open MPI's mpirun: with Slurm, use srun --mpi=pmix",
                          done.err)
        roost("sim", DEMO, env=os.environ | {"SLURM_STEP_NUM_TASKS": "1", "PMIX_RANK": "0"})

    def test_an_error_of_another_rank(self):
        path = self.file(three_leaves(flow("h9", "h12", "1024GiB"), hosts={"path-mtu": 256}))
        alone = roost("sim", path, status=2)
        self.assertEqual(roosts_words(mpirun(RANKS, "sim", path, status=2)), alone.err.splitlines())


if __name__ == "__main__":
    unittest.main()
