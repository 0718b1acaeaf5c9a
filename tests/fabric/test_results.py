# SPDX-License-Identifier: BSD-3-Clause
"""The files of `roost sim -o`: what doc/results.md says of them, and that they say the same as each other and as a
snapshot of the same instant."""
import gzip

import jsonschema

from common import *

PAGE = SOURCE / "doc/results.md"
SCHEMA = json.loads((SOURCE / "doc/result.schema.json").read_text())
# Ports that drop, pause, mark and trim; tenants; a link that fails; a step; a snapshot when all is over.
BUSY = fabric(
    2, 2, 4, seed=3,
    switch={"preset": "spectrum-x", "buffer": {"size": "3MB"}, "routing": {"mode": "adaptive"},
            "qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "200KB"}}}, "histograms": [{"queue": "swp1.3"}]}},
    hosts={"placement": "out-of-order"},
    tenants={"red": {"hosts": ["h1", "h2", "h5", "h6"], "vni": 5001, "buffer": {"guaranteed": "100KB"}},
             "blue": {"hosts": ["h3", "h4", "h7", "h8"], "vni": 5002}},
    workload=[{"kind": "step", "tenant": "red", "compute": "5us", "repeat": 2,
               "operations": [{"kind": "all-reduce", "size": "300KB"}]},
              {"name": 'in, "cast"', "kind": "incast", "to": "h1", "from": ["h2", "h5", "h6"], "size": "1MB"},
              {"kind": "permutation", "tenant": "blue", "size": "200KB"},
              {"kind": "stream", "from": "h7", "to": "h3", "rate": "30G", "packet": "777B", "until": "150us"}],
    events=[{"at": "15us", "link": "leaf1-spine1", "loss": "1%", "for": "40us"},
            {"at": "50us", "link": "leaf2-spine2", "state": "down", "for": "60us"},
            {"at": "2ms", "snapshot": "full"}],
    stop="2ms")


def blocks(after, language):
    """The first block of a language that follows a line of the page."""
    text = PAGE.read_text().partition(after)[2]
    return re.search(rf"^```{language}\n(.*?)^```$", text, re.M | re.S).group(1)


class Page(Case):
    def test_the_program_of_the_page(self):
        """It runs as it stands there, prints what stands there, and has ten lines."""
        (self.directory / "exchange.yaml").write_text(blocks("The example on this page", "yaml"))
        roost("sim", "exchange.yaml", "-o", "exchange", cwd=self.directory)
        program = blocks("## Reading the tables", "python")
        self.assertEqual(len([line for line in program.splitlines() if line and not line.startswith("import")]), 8)
        done = command("/usr/bin/python3", "-c", program, cwd=self.directory)
        self.assertEqual((done.out, done.err), (blocks("It prints the goodput", ""), ""))

    def test_columns_are_those_of_the_rows(self):
        """The page has the tables that `roost schema --results` prints, to the letter."""
        for table in roost("schema", "--results").out.rstrip("\n").split("\n\n### "):
            self.assertIn(table.removeprefix("### ") + "\n", PAGE.read_text(), "of `roost schema --results`")

    def test_fields_are_those_of_the_schema(self):
        page = PAGE.read_text().partition("## result.json\n")[2].partition("## Over time")[0]
        names = {"".join(word) for word in re.findall(r"`([a-z]\w*)`", page)}
        groups = [SCHEMA, SCHEMA["properties"]["summary"], SCHEMA["properties"]["collectives"]["items"]]
        for group in groups:
            self.assertLessEqual({name for name in group["properties"] if not re.search("_(p50|p99)", name)} - names, set())


class Files(Case):
    def check(self, sim):
        jsonschema.validate(json.loads((sim.directory / "result.json").read_text()), SCHEMA)

    def test_the_tables_say_what_a_snapshot_says(self):
        sim = self.sim(BUSY)
        self.check(sim)
        for name in ("drops", "pfc_tx", "ecn_marked", "retransmitted", "out_of_order"):
            self.assertGreater(sim.summary[name], 0, name)
        shot, = sim.snapshots
        self.assertGreater(sum(sim.nodes["leaf1"]["histograms"][0]["bins"][1:]), 0)
        for name, node in sim.nodes.items():
            for histogram in node.pop("histograms", []):
                port, queue = histogram["where"].split(".")
                self.assertEqual(shot["nodes"][name]["ports"][port].pop("histograms"), {f"queue.{queue}": {
                    place: count for place, count in enumerate(histogram["bins"]) if count != 0}})
        self.assertEqual(sim.nodes, shot["nodes"])

    def test_snapshots_of_one_instant(self):
        """Each stands for itself, with what happens between them; one that is never taken has no rows."""
        events = [{"at": at, "snapshot": "full"} for at in ("1234ps", "50us")]
        events += [{"at": "50us", "clear": "watermarks"}, {"at": "50us", "snapshot": "full"}, {"at": "9ms", "snapshot": "full"}]
        sim = self.sim(fabric(1, 0, 3, stop="60us", events=events, workload=[
            {"kind": "incast", "to": "h1", "from": ["h2", "h3"], "size": "1MB"}]))
        self.check(sim)
        shots = sim.snapshots
        self.assertEqual([one["at_ns"] for one in shots], [1, 50000, 50000])
        self.assertEqual(len({one["digest"] for one in shots}), 3)
        rows = read_csv(sim.directory, "snapshots.csv")
        self.assertEqual([(row["time_ns"], row["snapshot"]) for row in rows[::-1]][:1], [("50000.000", "2")])
        self.assertEqual({row["time_ns"] for row in rows if row["snapshot"] == "0"}, {"1.234"})
        before, after = (one["nodes"]["leaf1"]["ports"]["swp1"]["queue"][3] for one in shots[1:])
        self.assertEqual({key for key in before if before[key] != after[key]}, {"depth_max", "shared_max"})
        self.assertEqual(after["depth_max"], after["depth"])

    def test_nothing_is_written_of_what_never_happened(self):
        sim = self.sim(fabric(2, 2, 4, workload=[flow("h1", "h2", "1KB")]))
        rows = read_csv(sim.directory, "counters.csv")
        self.assertLess(len(rows), 200)
        self.assertTrue(all(int(row["value"]) not in (0, -1) for row in rows))
        self.assertEqual({row["port"] for row in rows if row["node"] == "h5"}, {""})    # sizes of pools

    def test_the_flows_are_those_of_the_summary(self):
        sim = self.sim(BUSY)
        for items, key in ((sim.result["items"], "item"), (sim.result["tenants"], "tenant")):
            self.assertEqual([one["name"] for one in items], list(dict.fromkeys(
                one[key] for one in sim.flows if one[key] is not None)))
            for item in items:
                flows = [one for one in sim.flows if one[key] == item["name"]]
                times = sorted(one["fct_ps"] for one in flows if one["fct_ps"] is not None)
                self.assertEqual((item["flows"], item["completed"], item["bytes"]),
                                 (len(flows), len(times), sum(one["bytes"] for one in flows)))
                self.assertEqual((item["fct_mean_ps"], item["fct_max_ps"]), (sum(times) // len(times), times[-1]))
        self.assertIn('in, "cast"', [one["item"] for one in sim.flows])
        self.assertEqual(sim.summary["flows"], len(sim.flows))
        self.assertEqual(sim.summary["retransmitted"], sum(one["retransmitted"] for one in sim.flows))

    def test_settings_are_those_of_the_file(self):
        sim = self.sim(BUSY, "--seed", 9)
        settings = sim.result["settings"]
        self.assertEqual(settings["fabric"]["topology"], {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts-per-leaf": 4})
        self.assertEqual(settings["switch"]["qos"], {"tc": {"3": {"ecn": {"min": "20KB", "max": "200KB"}}},
                                                     "histograms": [{"queue": "swp1.3"}]})
        self.assertEqual((settings["fabric"]["seed"], sim.summary["seed"]), (3, 9))

    def test_compressed_tables_are_the_same(self):
        record = {"interval": "5us", "links": "all"}
        plain, packed = self.sim(BUSY | {"record": record}), self.sim(BUSY | {"record": record}, "--gzip")
        names = sorted(path.name for path in plain.directory.glob("*.csv"))
        self.assertEqual(names, ["counters.csv", "flows.csv", "links.csv", "loads.csv", "snapshots.csv"])
        self.assertEqual(sorted(path.name for path in packed.directory.glob("*.csv*")), [f"{name}.gz" for name in names])
        for name in names:
            text = (plain.directory / name).read_bytes()
            self.assertEqual(gzip.decompress((packed.directory / f"{name}.gz").read_bytes()), text, name)
        self.assertEqual(packed.nodes, plain.nodes)
        # A run without it leaves only its own files.
        roost("sim", self.file(BUSY | {"events": []}), "-o", packed.directory)
        self.assertEqual(sorted(path.name for path in packed.directory.glob("*.csv*")),
                         ["counters.csv", "flows.csv", "links.csv"])
        self.assertIn("--gzip compresses files: it needs -o DIR", roost("sim", self.file(BUSY), "--gzip", status=2).err)

    def test_a_run_that_stalls_writes_what_it_has(self):
        sim = self.sim(fabric(1, 0, 2, workload=[flow("h1", "h2", "100KB")], events=[
            {"at": "2us", "port": "leaf1.swp2", "tx": "off"}]), status=1)
        self.check(sim)
        self.assertIs(sim.summary["stalled"], True)
        self.assertEqual([one["fct_ps"] for one in sim.flows], [None])
        self.assertIsNone(sim.result["items"][0]["fct_max_ps"])
        self.assertGreater(sim.nodes["leaf1"]["ports"]["swp2"]["queue"][3]["depth"], 0)


if __name__ == "__main__":
    unittest.main()
