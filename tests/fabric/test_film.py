# SPDX-License-Identifier: BSD-3-Clause
"""`record.film`: the file that doc/film.md defines, exact to the last byte."""
import csv
import struct

from common import *
from films import PAGE, PROGRAMS, Film
from ranks import mpirun
from sample import Sample

INCAST = {"kind": "incast", "name": "burst", "from": ["h2", "h5", "h6", "h7", "h8"], "to": "h1", "size": "1MB"}
SWITCH = {"preset": "spectrum-x", "buffer": {"size": "2MB"},
          "qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "100KB"}}}}}
TENANTS = {"red": {"hosts": ["h1", "h2", "h5"], "vni": 5001}}
FILM = {"interval": "10us", "film": True}


def incast(record=FILM, **sections):
    return fabric(2, 2, 4, switch=SWITCH, record=record, **{"workload": [INCAST]} | sections)


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Contents(Case):
    def film(self, description, *options):
        self.run_ = self.sim(description, *options)
        return Film(self.run_.directory / "film")

    def assert_totals(self, film):
        rows = table(self.run_.directory / "counters.csv")
        self.assertEqual(film.totals(), film.wanted(rows))

    def test_frames_of_one_flow(self):
        """A frame of 4154 B takes 334.24 ns at 100G, the first, with its RETH, 335.52 ns."""
        film = self.film(fabric(1, 0, 2, workload=[flow("h1", "h2", f"{100 * 4096}B")], record={"interval": "1us", "film": True}))
        starts = [0] + [335_520 + 334_240 * i for i in range(99)]
        for column, size in (("tx_packets", lambda i: 1), ("tx_bytes", lambda i: 4154 + 16 * (i == 0))):
            wanted = [0] * len(film.ends)
            for i, at in enumerate(starts):
                wanted[at // 1_000_000] += size(i)
            self.assertEqual(film.of(column, "h1.eth1"), wanted, column)
        self.assertEqual(film.ends, [1000 * (i + 1) for i in range(len(film.ends))])
        self.assertEqual((film.meta["kind"], film.meta["overhead_bytes"], film.meta["interval_ns"]), ("sim", 24, 1000))
        self.assertEqual(film.meta["ended"], {"at_ns": film.ends[-1], "why": "end"})

    def test_sums_are_the_counters(self):
        self.assert_totals(self.film(incast()))
        self.assertGreater(sum(self.run_.nodes["leaf1"]["ports"]["swp5"]["pfc_tx"]), 0)

    def test_sums_of_fabrics_drawn_at_random(self):
        for seed in range(60) if FULL else range(8):
            description = Sample(seed).description()
            description["record"] = {"interval": ("3us", "10us", "777ns")[seed % 3], "film": True}
            with self.subTest(seed=seed):
                self.assert_totals(self.film(description))

    def test_marks_of_tenants(self):
        """Two tenants share leaf2's uplinks to leaf1: each mark of a queue counts for one of them, in counters and film."""
        film = self.film(incast(tenants=TENANTS | {"blue": {"hosts": ["h3", "h6", "h7"], "vni": 5002}},
                                workload=[INCAST | {"from": ["h2", "h5"]}, INCAST | {"name": "other", "from": ["h6", "h7"], "to": "h3"}]))
        self.assert_totals(film)
        marks = {scope: {} for scope in ("queue", "tenant")}
        for row in table(self.run_.directory / "counters.csv"):
            if row["counter"] == "ecn_marked":
                marks[row["scope"]].setdefault(row["node"], []).append(int(row["value"]))
        self.assertEqual(len(marks["tenant"]["leaf2"]), 2)
        self.assertEqual(*({node: sum(counts) for node, counts in of.items()} for of in marks.values()))

    def test_levels_are_those_of_the_series(self):
        film = self.film(incast(FILM | {"queues": ["leaf1.swp1.3", "spine1.swp1.3"], "pools": ["leaf1"], "pauses": "all"}))
        rows = table(self.run_.directory / "queues.csv")[1:]
        self.assertGreater(len(rows), 20)
        for name in ("leaf1.swp1", "spine1.swp1"):
            depths = film.of("depth", name, 3)
            self.assertEqual([int(row[name + ".3"]) for row in rows], depths[:len(rows)])
            self.assertGreater(max(depths), 0)
            self.assertTrue(all(most >= depth for most, depth in zip(film.of("depth_max", name, 3), depths)))
        for i, pool in enumerate(film.meta["pools"]):
            used = [int(row["used"]) for row in table(self.run_.directory / "pools.csv") if row["pool"] == pool][1:]
            self.assertEqual(used, film.values.get(("pool_used", "leaf1", "", i), [0] * len(used))[:len(used)], pool)
        for row in table(self.run_.directory / "pauses.csv"):
            at = int(float(row["time_ns"])) // 10_000 - 1
            for column, key in (("paused", "rx_percent"), ("pausing", "tx_percent")):
                self.assertAlmostEqual(film.of(column, row["port"], int(row["priority"]))[at] / 100, float(row[key]), delta=0.011)

    def test_waits_for_credit(self):
        """They take the place of pauses, also in pauses.csv."""
        switch = {"buffer": {"cell": 64}, "qos": {"flow-control": "credit", "priority-to-tc": {3: 3, "default": 0}}}
        film = self.film(fabric(2, 2, 4, switch=switch, record=FILM | {"pauses": "all"}, workload=[INCAST]))
        self.assert_totals(film)
        self.assertTrue(film.meta["credits"])
        rows = table(self.run_.directory / "pauses.csv")
        self.assertEqual({row["priority"] for row in rows}, {"0", "3", "6"})
        self.assertGreater(max(float(row["rx_percent"]) for row in rows), 50)
        for row in rows:
            at = int(float(row["time_ns"])) // 10_000 - 1
            self.assertAlmostEqual(film.of("paused", row["port"], int(row["priority"]))[at] / 100, float(row["rx_percent"]), delta=0.011)
            self.assertEqual(float(row["tx_percent"]), 0)

    def test_groups_hold_what_queues_hold(self):
        """All packets in a switch are charged to the group they came in by and are in a queue, or just being sent."""
        film = self.film(incast())
        for node in ("leaf1", "leaf2", "spine1", "spine2"):
            for at in range(len(film.ends)):
                held, queued = (sum(values[at] for (one, name, *_), values in film.values.items()
                                    if (one, name) == (column, node)) for column in ("used", "depth"))
                self.assertEqual(held, queued)

    def test_the_header(self):
        film = self.film(incast(tenants=TENANTS, workload=[INCAST | {"from": ["h2", "h5"]}]))
        meta = film.meta
        self.assertEqual([node["name"] for node in meta["nodes"]][:5], ["leaf1", "leaf2", "spine1", "spine2", "h1"])
        self.assertEqual({node["role"]: node["row"] for node in meta["nodes"]}, {"host": 0, "leaf": 1, "spine": 2})
        for number, port in enumerate(meta["ports"]):
            self.assertEqual(meta["ports"][port["peer"]]["peer"], number)
            self.assertIn(number - meta["nodes"][port["node"]]["first_port"], range(meta["nodes"][port["node"]]["ports"]))
            self.assertEqual((port["profile"] is None), meta["nodes"][port["node"]]["role"] == "host")
        leaf = meta["nodes"][0]
        profile = meta["profiles"][meta["ports"][leaf["first_port"]]["profile"]]
        queue = next(one for one in profile["queues"] if one["tc"] == 3)
        self.assertEqual((queue["priorities"], queue["ecn_min"], queue["ecn_max"]), ([3], 20_000 // 192 * 192, 100_000 // 192 * 192))
        group = next(one for one in profile["groups"] if one["pg"] == 3)
        self.assertGreater(group["xoff"], group["xon"])
        self.assertEqual(meta["tenants"], ["red", "rest"])
        self.assertEqual([meta["tenants"][meta["ports"][meta["nodes"][i]["first_port"]]["tenant"]] for i in (4, 5, 6)], ["red", "red", "rest"])
        self.assertEqual([(one["item"], meta["nodes"][one["src"]]["name"], one["bytes"]) for one in meta["flows"]],
                         [("burst", host, 1_000_000) for host in ("h2", "h5")])

    def test_flows_have_their_times(self):
        film = self.film(incast())
        for one, row in zip(film.meta["flows"], table(self.run_.directory / "flows.csv")):
            self.assertEqual(one["end_ns"], (int(row["start_ps"]) + int(row["fct_ps"])) // 1000)

    def test_flows_inside_hosts_are_not_listed(self):
        """Of a collective on hosts with several NICs; as in flows.csv."""
        description = fabric(record=FILM, workload=[{"kind": "all-to-all", "size": "64KB", "pairs": "listed"}])
        description["fabric"]["topology"] = {"kind": "rail", "leaves": 2, "rails": 2, "spines": 2, "hosts-per-leaf": 2}
        film = self.film(description)
        rows = table(self.run_.directory / "flows.csv")
        ids = [int(row["flow"] if "flow" in row else row["id"]) for row in rows]
        self.assertLess(len(ids), max(ids) + 1, "some flows are inside hosts")
        self.assertEqual([one["id"] for one in film.meta["flows"]], ids)
        self.assertEqual([one["start_ns"] for one in film.meta["flows"]], [int(row["start_ps"]) // 1000 for row in rows])

    def test_a_link_that_is_down(self):
        film = self.film(incast(events=[{"at": "55us", "link": "leaf1-spine1", "state": "down", "for": "100us"}], stop="300us"))
        self.assertEqual(film.of("down", "leaf1.swp5"), [0] * 5 + [1] * 10 + [0] * (len(film.ends) - 15))
        self.assert_totals(film)

    def test_the_overview(self):
        """1,100 intervals: two of them are one point."""
        film = self.film(incast({"interval": "300ns", "film": True}, stop="330us"))
        self.assertEqual(len(film.ends), 1100)
        self.assertEqual(film.index["overview"]["every"], 2)
        film.assert_overview(self)


class Files(Case):
    def test_blocks_and_index(self):
        path = self.sim(incast({"interval": "500ns", "film": True})).directory / "film"
        film, data = Film(path), path.read_bytes()
        chunks = -(-len(film.ends) // 256)
        self.assertGreater(chunks, 2)
        self.assertEqual(film.kinds, ["FILM", "META", *["CHNK"] * chunks, "META", "INDX", "TAIL"])
        _, _, low, high = struct.unpack("<4sIII", data[-16:])
        self.assertEqual(data[low + (high << 32):][:4], b"INDX")
        for offset, kind, first, count in film.index["blocks"]:
            self.assertEqual(struct.unpack("<4s4xII", data[offset:offset + 16]), (kind.encode(), first, count))
        self.assertEqual(sum(one[3] for one in film.index["blocks"]), len(film.ends))

    def test_a_film_that_was_cut_off(self):
        path = self.sim(incast({"interval": "500ns", "film": True})).directory / "film"
        whole, data = Film(path), path.read_bytes()
        chunks = [one for one in whole.index["blocks"] if one[1] == "CHNK"]
        for cut, count in ((chunks[2][0], 2), (chunks[2][0] + 20, 2), (chunks[2][0] - 1, 1), (chunks[1][0] + 7, 1)):
            path.write_bytes(data[:cut])
            film = Film(path)
            self.assertEqual((len(film.ends), film.index), (256 * count, None))
            for key, values in film.values.items():
                self.assertEqual(values, whole.values[key][:256 * count])

    def test_threads_and_processes(self):
        path = self.file(incast({"interval": "3us", "film": True},
                                tenants=TENANTS | {"blue": {"hosts": ["h6", "h7"]}},
                                workload=[INCAST | {"from": ["h2", "h5"]}, flow("h7", "h6", "1MB")],
                                events=[{"at": "20us", "link": "leaf1-spine1", "state": "down", "for": "30us"}]))
        films = set()
        for threads in (1, 2, 3):
            out = self.directory / f"j{threads}"
            roost("sim", path, "-o", out, "-j", threads)
            films.add((out / "film").read_bytes())
        for ranks in () if SANITIZED else (2, 3):
            out = self.directory / f"r{ranks}"
            mpirun(ranks, "sim", path, "-o", out)
            films.add((out / "film").read_bytes())
        self.assertEqual(len(films), 1)

    def test_the_digest_does_not_change(self):
        self.assertEqual(self.sim(incast()).digest, self.sim(incast({})).digest)

    def test_watermarks_do_not_change(self):
        one, other = (self.sim(incast(record)).directory / "counters.csv" for record in (FILM, {}))
        self.assertEqual(one.read_text(), other.read_text())

    def test_a_limit(self):
        sim = self.sim(incast({"interval": "5ns", "film": True, "film-limit": "70KB"}))
        film = Film(sim.directory / "film")
        self.assertRegex(sim.done.err, r"(?m)^roost sim: .*/film: the film ends at [\d.]+ us of fabric time: it reached "
                                       r"record.film-limit \(70KB\); the run goes on$")
        self.assertEqual(film.meta["ended"], {"at_ns": film.ends[-1], "why": "limit"})
        self.assertLess(film.ends[-1], sim.summary["sim_ps"] // 1000)
        self.assertGreater(len(film.ends), 256)
        every = film.index["overview"].pop("every")
        self.assertEqual({len(points) for points in film.index["overview"].values() if points}, {-(-len(film.ends) // every)})
        self.assertEqual(sim.summary["completed"], 5)

    def test_an_earlier_film_is_removed(self):
        out = self.directory / "out"
        roost("sim", self.file(incast()), "-o", out)
        self.assertTrue((out / "film").exists())
        roost("sim", self.file(incast({})), "-o", out)
        self.assertFalse((out / "film").exists())

    def test_what_check_says_is_enough(self):
        """A fabric that is busy all the time needs no more than `check` says."""
        busy = fabric(2, 2, 4, workload=[{"kind": "all-to-all", "size": "64MB"}], record=FILM, stop="2ms")
        said = re.search(r"(?m)^film: up to about ([\d.]+) KB \([\d.]+ KB per ms of fabric time\)$",
                         roost("check", self.file(busy)).out)
        size = (self.sim(busy).directory / "film").stat().st_size
        self.assertLess(size, float(said[1]) * 1000)
        self.assertGreater(size, float(said[1]) * 100)

    def test_errors(self):
        self.assert_refused("needs an interval", "check", self.file(incast({"film": True})))
        self.assert_refused("whole nanoseconds", "check", self.file(incast({"film": True, "interval": "1500.5ns"})))


class Page(Case):
    def test_the_table_of_columns(self):
        self.assertIn(roost("schema", "--film").out, PAGE.read_text())

    def test_the_programs(self):
        """Those of the page, as they stand there, print what it says."""
        page = PAGE.read_text()
        self.file(re.search(r"```yaml\n(.*?)```", page, re.S)[1], "incast.yaml")
        roost("sim", "incast.yaml", "-o", "incast", cwd=self.directory)
        (self.directory / "film.py").write_text(PROGRAMS[0])
        done = command("/usr/bin/python3", "-B", "-c", PROGRAMS[1], cwd=self.directory)
        self.assertEqual(done.out, re.search(r"```\n(.*?)```", page.split(PROGRAMS[1])[1].removeprefix("```"), re.S)[1])
        self.assertLessEqual(len([line for line in PROGRAMS[0].splitlines() if line]), 31)


if __name__ == "__main__":
    unittest.main()
