# SPDX-License-Identifier: BSD-3-Clause
"""The outcome does not depend on how many processes run a fabric, nor do the files that are written."""
import random

from common import *
from ranks import mpirun, unless_sanitized
from sample import Sample
from sprayed import GRANTED, PLANES, SPRAYED

COUNTS = (2, 4)
SEEDS = range(150, 180) if FULL else range(200, 206)
CONF = sorted((SOURCE / "conf").glob("*.yaml")) + sorted((SOURCE / "conf/story").glob("*.yaml"))
QUICK = ("demo", "cloud-32", "planes-8")    # a leaf and spines; tenants; hosts with a NIC in each plane
OF_THE_RUN = {"setup_s", "wall_s", "packet_hops_per_s", "ranks", "threads", "memory_bytes"}


def digest(done):
    return re.search("^digest .*", done.out, re.M)[0]


def without(value, names):
    """A JSON value without members of these names, wherever they stand."""
    if isinstance(value, dict):
        return {key: without(one, names) for key, one in value.items() if key not in names}
    return [without(one, names) for one in value] if isinstance(value, list) else value


@unless_sanitized
class Ranks(Case):
    def assert_same_files(self, got, wanted):
        names = sorted(path.name for path in wanted.iterdir())
        self.assertEqual(sorted(path.name for path in got.iterdir()), names)
        for name in names:
            one, other = (got / name).read_bytes(), (wanted / name).read_bytes()
            if name == "result.json":
                one, other = (without(json.loads(text), OF_THE_RUN) for text in (one, other))
            self.assertEqual(one, other, name)

    def compare(self, path, counts, *options):
        """On one process, then on several: the same digest and files."""
        wanted = Path(tempfile.mkdtemp(prefix="one-", dir=self.directory))
        alone = roost("sim", path, "-o", wanted, *options)
        for count in counts:
            got = wanted.with_name(f"{wanted.name}-{count}")
            done = mpirun(count, "sim", path, "-o", got, *options)
            self.assertEqual(digest(done), digest(alone), f"{count} ranks")
            self.assertEqual(done.err, alone.err, f"{count} ranks")
            self.assert_same_files(got, wanted)

    def test_the_files_of_conf(self):
        """The small ones to their ends, all others for a while: one that takes long says how far it is."""
        for path in CONF if FULL else [SOURCE / f"conf/{name}.yaml" for name in QUICK]:
            with self.subTest(path=path.name):
                self.compare(path, (1, *COUNTS) if FULL else COUNTS, *(() if path.stem in QUICK else ("--until", "400us")))

    def test_fabrics_drawn_at_random(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                draw = random.Random(f"ranks {seed}")
                threads = draw.choice((1, 1, 2, 3))
                self.compare(self.file(Sample(seed).description()), (draw.choice((2, 3, 4, 7)),), "-j", threads)

    def test_ultra_ethernet(self):
        for description in (SPRAYED, GRANTED, PLANES):
            self.compare(self.file(description), (2, 3))
            self.compare(self.file(description), (2,), "-j", 2)

    def test_a_fabric_that_cannot_be_divided(self):
        """Every host is at every leaf: one rank has them all, others have spines, or nothing."""
        hosts, leaves = [f"h{i}" for i in range(1, 5)], ["leaf1", "leaf2"]
        links = [{"a": f"{host}.eth{k}", "b": f"leaf{k}.swp{i}"} for i, host in enumerate(hosts, 1) for k in (1, 2)] + \
            [{"a": f"leaf{i}.swp{10 + k}", "b": f"spine{k}.swp{i}"} for i in (1, 2) for k in (1, 2)]
        description = {"fabric": {"topology": {"kind": "explicit", "nodes": hosts + leaves + ["spine1", "spine2"],
                                               "links": links}},
                       "workload": [{"kind": "permutation", "size": "1MB"}, flow("h1", "h2", "300KB", op="read")]}
        self.compare(self.file(description), (3,))

    def test_the_summary_names_ranks(self):
        self.assertEqual(mpirun(2, "sim", DEMO, "--json").json["summary"]["ranks"], 2)
        self.assertEqual(mpirun(1, "sim", DEMO, "--json").json["summary"]["ranks"], 1)


if __name__ == "__main__":
    unittest.main()
