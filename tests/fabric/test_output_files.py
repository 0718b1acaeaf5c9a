# SPDX-License-Identifier: BSD-3-Clause
"""What `sim` and `replay` leave in their directory when they are interrupted, or the disk is full: all or nothing."""
import resource
import signal

from common import *

STREAM = {"kind": "stream", "from": "h1", "to": "h2", "rate": "50G", "packet": "1000B"}
RECORD = {"interval": "10us", "queues": ["leaf1.swp1.3"], "links": "all", "pcap": ["leaf1.swp1"], "snaplen": "64B"}
FILES = ["counters.csv", "flows.csv", "leaf1.swp1.pcapng", "links.csv", "loads.csv", "queues.csv", "result.json",
         "thresholds.csv"]
SWITCH = """
switch:
  name: dut
  preset: spectrum-x
  ports: {swp1: {rate: 100G}, swp2: {rate: 25G}}
  routes: [{prefix: 198.18.2.0/24, via: [{port: swp2, mac: "02:00:00:00:02:02"}]}]
"""


def names(directory):
    return sorted(one.name for one in directory.iterdir())


class Names(Case):
    def test_a_path_that_is_no_utf8(self):
        """JSON takes no such text: it is repaired, and the run is not lost."""
        text = fabric(1, 0, 2, workload=[STREAM | {"until": "10us"}])
        path = Path(os.fsdecode(os.fsencode(self.directory) + b"/\xff.yaml"))
        path.write_bytes(self.file(text).read_bytes())
        out = self.directory / "out"
        done = subprocess.run([ROOST, "sim", path, "-o", out], capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(json.loads((out / "result.json").read_text())["file"].endswith("/?.yaml"))

    def test_a_long_name_of_a_collective(self):
        item = {"name": "\u4e2d" * 34, "kind": "all-to-all", "size": "4KB"}
        run = self.sim(self.file(fabric(1, 0, 2, workload=[item])))
        self.assertEqual(run.result["collectives"][0]["id"], "\u4e2d" * 34)


class Interrupted(Case):
    def interrupted(self, number, *words, started):
        """Runs roost, sends it a signal once `started` has grown, and returns it when it has ended."""
        with subprocess.Popen([ROOST, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as run:
            wait_until(lambda: started.exists() and started.stat().st_size > 4096 or run.poll() is not None, started)
            run.send_signal(number)
            out, err = run.communicate(timeout=60)
        return Done(words, run.returncode, out, err)

    def test_sim_reports_what_there_is(self):
        file = self.file(fabric(1, 0, 2, workload=[STREAM | {"until": "100s"}], record=RECORD))
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            out = self.directory / f"out{number}"
            done = self.interrupted(number, "sim", file, "-o", out, started=out / ".loads.csv.new")
            self.assertEqual((done.status, done.err), (status, ""))
            self.assertEqual(names(out), FILES)
            self.assertRegex(done.out, r"(?m)^interrupted at \d\S* \S*s: the run is incomplete$")
            result = json.loads((out / "result.json").read_text())
            self.assertIs(result["summary"]["interrupted"], True)
            # It is the run that --until this time would have been.
            whole = self.sim(file, "--until", f"{result['summary']['sim_ps']}ps")
            self.assertNotIn("interrupted", whole.summary)
            self.assertEqual(whole.digest, result["summary"]["digest"])
            for name in set(FILES) - {"result.json"}:
                self.assertEqual((whole.directory / name).read_bytes(), (out / name).read_bytes(), name)

    def test_replay_reports_what_there_is(self):
        file, out = self.file(SWITCH + "stop: 100s\n"), self.directory / "out"
        capture = write_pcap(self.directory / "in.pcap", [(i * 1000, udp("198.18.1.9", "198.18.2.9")) for i in range(500)])
        done = self.interrupted(signal.SIGINT, "replay", file, "--in", f"swp1={capture}", "--out", out,
                                started=out / ".swp2.pcapng.new")
        self.assertEqual((done.status, done.err), (130, ""))
        self.assertEqual(names(out), ["counters.json", "drops.pcapng", "swp1.pcapng", "swp2.pcapng"])
        self.assertRegex(done.out, r"^\d+ packets in, \d+ out, 0 dropped.*; interrupted at \S+ us\n$")
        self.assertIs(json.loads((out / "counters.json").read_text())["interrupted"], True)


class FullDisk(Case):
    def setUp(self):
        self.path = self.file(fabric(1, 0, 2, workload=[flow("h1", "h2", "1MB")], record=RECORD | {"snaplen": "full"}))

    def limited(self, limit, *words):
        """Runs roost where no file may become larger than so many bytes."""
        def set_limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return command(ROOST, *words, status=1, preexec_fn=set_limit)

    def test_a_file_that_cannot_grow(self):
        """Each file of the result can be the one; the summary is printed all the same."""
        shots = [{"at": f"{us}us", "snapshot": "full"} for us in range(20)]
        for record, limit, name in ((RECORD | {"snaplen": "full"}, 100_000, "leaf1.swp1.pcapng"),
                                    ({"interval": "100ns", "links": "all"}, 40_000, "loads.csv"),
                                    ({}, 2_000, "counters.csv"), ({}, 10_000, "snapshots.csv")):
            with self.subTest(name=name):
                path = self.file(fabric(1, 0, 2, workload=[flow("h1", "h2", "1MB")], record=record,
                                        events=shots if name == "snapshots.csv" else []), f"{name}.yaml")
                out = self.directory / name
                done = self.limited(limit, "sim", path, "-o", out)
                self.assertEqual(done.err, f"roost sim: {out}/{name}: File too large\n")
                self.assertIn("digest ", done.out)
                self.assertFalse(out.exists())

    def test_the_files_of_before_stay(self):
        out = self.sim(self.path).directory
        before = {path.name: path.read_bytes() for path in out.iterdir()}
        self.limited(100_000, "sim", self.path, "-o", out)
        self.assertEqual({path.name: path.read_bytes() for path in out.iterdir()}, before)

    def test_replay(self):
        capture = write_pcap(self.directory / "in.pcap", [(i * 1000, udp("198.18.1.9", "198.18.2.9")) for i in range(500)])
        out = self.directory / "replayed"
        done = self.limited(10_000, "replay", self.file(SWITCH, "switch.yaml"), "--in", f"swp1={capture}", "--out", out)
        self.assertRegex(done.err, f"^roost replay: {out}/[a-z0-9.]+: File too large\n$")
        self.assertEqual((done.out, out.exists()), ("", False))

    def test_a_small_file_system(self):
        need_root()
        place = self.directory / "disk"
        place.mkdir()
        script = (f"mount -t tmpfs -o size=256k none {place} && {{ {ROOST} sim {self.path} -o {place}/out; "
                  f"echo status $?; ls -A {place}; }}")
        done = command("unshare", "-m", "sh", "-c", script)
        self.assertRegex(done.err, f"^roost sim: {place}/out/[a-z0-9.]+: No space left on device\n$")
        self.assertTrue(done.out.endswith("status 1\n"), done.out)


class Memory(Case):
    @unittest.skipIf(SANITIZED, "sanitizers need more than any limit here")
    def test_any_limit(self):
        """Whatever a process may have, it says in one line that it is not enough. A run that has begun then writes what
        there is; before that, nothing stays."""
        file = self.file({"fabric": {"topology": {"kind": "leaf-spine", "leaves": 8, "spines": 4, "hosts-per-leaf": 16}},
                          "workload": [{"kind": "permutation", "size": "500KB"}],
                          "record": {"interval": "1us", "queues": ["leaf1.swp1.3"], "pcap": ["leaf1.swp1", "leaf8.swp20"]}})
        whole = self.sim(file)
        for threads in ("1", "3"):
            with self.subTest(threads=threads):
                self.try_limits(file, whole, threads)

    def try_limits(self, file, whole, threads):
        early = ended = 0
        for megabytes in range(30, 400, 2):
            def set_limit(size=megabytes << 20):
                resource.setrlimit(resource.RLIMIT_AS, (size, size))
            out = self.directory / f"out{megabytes}-{threads}"
            done = command(ROOST, "sim", file, "-o", out, "-j", threads, status=None, preexec_fn=set_limit)
            if done.status == 0:
                self.assertIn(f"digest {whole.digest}", done.out)
                ended += 1
                break
            if "error while loading" in done.err:
                continue
            self.assertEqual(done.status, 1, str(done))
            if not re.fullmatch(r"roost: out of memory for packets at \S+ us of fabric time: the run ends\n", done.err):
                self.assertRegex(done.err, r"^(roost.*(memory|allocate)|-j: cannot start 3 threads: ).*\n$")
                self.assertFalse(out.exists())
                continue
            early += 1
            self.assertRegex(done.out, r"(?m)^out of memory at \S+ us: the run is incomplete$")
            self.assertNotIn("digest", done.out)
            self.assertEqual(names(out), ["counters.csv", "flows.csv", "leaf1.swp1.pcapng", "leaf8.swp20.pcapng", "links.csv",
                                          "queues.csv", "result.json", "thresholds.csv"])
            sim = Sim(out)
            self.assertIs(sim.summary["out_of_memory"], True)
            self.assertLess(sim.summary["sim_ps"], whole.summary["sim_ps"])
            self.assertEqual(len(sim.flows), 128)
        self.assertGreater(early, 0)
        self.assertEqual(ended, 1)


if __name__ == "__main__":
    unittest.main()
