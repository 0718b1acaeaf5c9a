# SPDX-License-Identifier: BSD-3-Clause
"""The outcome does not depend on how many threads run a fabric.

Fabrics are drawn at random (sample.py). All that they have goes on while threads run.
"""
from common import *
from sample import Sample
from sprayed import GRANTED, PLANES, SPRAYED

COUNTS = (2, 3, 8)      # the last two are more than a small machine has cores
SEEDS = range(80) if FULL else range(3 if SANITIZED else 6)
CONF = sorted((SOURCE / "conf").glob("*.yaml")) + sorted((SOURCE / "conf/story").glob("*.yaml"))


class Threads(Case):
    def run_on(self, threads, path, *options):
        """The digest."""
        return re.search("^digest .*", roost("sim", path, "-j", threads, *options).out, re.M)[0]

    def test_the_files_of_conf(self):
        """The small ones to their ends, all others for a while."""
        quick = [SOURCE / "conf/demo.yaml", SOURCE / "conf/cloud-32.yaml"]
        for path in CONF if FULL else quick:
            options = () if path in quick else ("--until", "400us")
            with self.subTest(path=path.name):
                self.assertEqual({self.run_on(threads, path, *options) for threads in COUNTS}, {self.run_on(1, path, *options)})

    def test_fabrics_drawn_at_random(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                description = Sample(seed).description()
                path, wanted = self.file(description), self.directory / f"{seed}-1"
                digest = self.run_on(1, path, "-o", wanted)
                for threads in COUNTS:
                    got = self.directory / f"{seed}-{threads}"
                    self.assertEqual(self.run_on(threads, path, "-o", got), digest, f"-j {threads}")
                    if "record" in description:
                        self.assert_same_files(got, wanted)

    def test_ultra_ethernet(self):
        for description in (SPRAYED, GRANTED, PLANES):
            path = self.file(description)
            self.assertEqual({self.run_on(threads, path) for threads in COUNTS}, {self.run_on(1, path)})

    def assert_same_files(self, got, wanted):
        """Series and captures, byte for byte."""
        names = sorted(path.name for path in wanted.iterdir() if path.name != "result.json")
        self.assertEqual(sorted(path.name for path in got.iterdir() if path.name != "result.json"), names)
        for name in names:
            self.assertEqual((got / name).read_bytes(), (wanted / name).read_bytes(), name)

    def test_the_summary_names_threads(self):
        path = SOURCE / "conf/demo.yaml"
        self.assertRegex(roost("sim", path, "-j", 2).out, r"million packet-hops/s, 2 threads, \S+ [KMG]B of memory\n")
        self.assertRegex(roost("sim", path, "-j", 1).out, r"million packet-hops/s, \S+ [KMG]B of memory\n")
        self.assertRegex(roost("sim", path).out, r"million packet-hops/s, \S+ [KMG]B")    # too small for two
        self.assertEqual(roost("sim", path, "--threads", 3, "--json").json["summary"]["threads"], 3)

    @unittest.skipIf(SANITIZED, "sanitizers need more addresses than there are")
    def test_threads_that_cannot_be_had(self):
        """No address space for their stacks: by default one thread runs the fabric; a number that was asked for is an error."""
        path = self.file({"fabric": {"topology": {"kind": "leaf-spine", "leaves": 8, "spines": 4, "hosts-per-leaf": 32}},
                          "workload": [{"kind": "permutation", "size": "4KB"}]})
        script = 'ulimit -s 4194304; ulimit -v 2097152; exec "$0" "$@"'
        done = command("bash", "-c", script, ROOST, "sim", path)
        self.assertNotIn("threads", done.out)
        self.assertIn(self.run_on(1, path), done.out)
        done = command("bash", "-c", script, ROOST, "sim", path, "-j", "2", status=1)
        self.assertRegex(done.err, r"^-j: cannot start 2 threads: .*; use fewer\n$")

    def test_a_number_of_threads_that_cannot_be(self):
        for number, why in ((0, "0 is out of range: 1 to 256"), (257, "257 is out of range: 1 to 256"),
                            ("two", '"two" is not a whole number .1 to 256.'), ("", '"" is not a whole number')):
            done = roost("sim", SOURCE / "conf/demo.yaml", "-j", number, status=2)
            self.assertRegex(done.err, f"roost sim: --threads: {why}")


if __name__ == "__main__":
    unittest.main()
