# SPDX-License-Identifier: BSD-3-Clause
"""`roost plot`: which drawings come of a result, that they show what was recorded, and what becomes of a directory
in which something is wrong."""
import os
import re
import shutil
from xml.etree import ElementTree

from common import *

SVG = "{http://www.w3.org/2000/svg}"
SWITCH = {"preset": "spectrum-x", "buffer": {"size": "4MB"}, "routing": {"mode": "ecmp"}}
WORK = [{"name": "exchange", "kind": "all-to-all", "size": "400KB"},
        {"name": "burst", "kind": "incast", "from": ["h2", "h3", "h4"], "to": "h1", "size": "1MB"}]
RECORD = {"interval": "5us", "queues": ["leaf1.swp1.3", "leaf2.swp1.3"], "flows": ["burst"],
          "links": ["leaf1-spine1", "leaf2-spine2"], "pauses": "all", "pools": "all"}
ALWAYS = {"fct.svg", "slowdown.svg", "uplinks.svg"}
SERIES = {"queues.svg", "rates.svg", "links.svg", "pauses.svg", "pools.svg"}


class Drawing:
    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()
        self.text = [one.text for one in self.root.iter(f"{SVG}text")]
        self.title = self.root.find(f"{SVG}title").text

    @property
    def curves(self):
        """The names of the curves, as gnuplot marks them."""
        return [one.find(f"{SVG}title").text for one in self.root.iter(f"{SVG}g")
                if (one.get("id") or "").startswith("gnuplot_plot_")]

    @property
    def cells(self):
        """Filled areas of heat maps, their colours."""
        return [one.get("fill") for group in self.root.iter(f"{SVG}g")
                if (group.get("id") or "").startswith("gnuplot_plot_")
                for one in group.iter() if one.tag in (f"{SVG}polygon", f"{SVG}path", f"{SVG}rect")]


def need_gnuplot():
    if shutil.which("gnuplot") is None:
        raise unittest.SkipTest("needs gnuplot")


class Plot(Case):
    def setUp(self):
        need_gnuplot()

    def result(self, record=RECORD, work=WORK, **sections):
        return self.sim(fabric(2, 2, 4, switch=SWITCH, workload=work, record=record, **sections))

    def plotted(self, sim, *options):
        done = roost("plot", sim.directory, *options)
        return {line.rpartition("/")[2]: Drawing(line) for line in done.out.splitlines()}, done

    def test_all_there_is(self):
        sim = self.result()
        drawings, done = self.plotted(sim)
        self.assertEqual(set(drawings), ALWAYS | SERIES)
        self.assertEqual(done.err, "")
        self.assertEqual({path.name for path in sim.directory.glob("*.svg")}, set(drawings))
        for name, one in drawings.items():
            with self.subTest(drawing=name):
                self.assertGreater(len(one.title), 10)
                self.assertNotIn("Gnuplot", one.title)
                size = (one.root.get("width"), one.root.get("height"))
                ground = one.root.find(f"{SVG}rect")
                self.assertEqual((ground.get("width"), ground.get("height"), ground.get("fill")), size + ("#ffffff",))
        # A curve an item, with how many flows it is of.
        for name in ("fct.svg", "slowdown.svg"):
            self.assertEqual(drawings[name].curves, ["exchange (56)", "burst (3)"])
        self.assertEqual(drawings["queues.svg"].curves, RECORD["queues"])
        self.assertEqual([re.sub(r"\d+$", "N", one) for one in drawings["rates.svg"].curves],
                         [f"burst: h{i} to h1, QP N" for i in (2, 3, 4)])
        self.assertEqual(set(drawings["pools.svg"].curves), {"leaf1", "leaf2", "spine1", "spine2"})
        for name, words in (("fct.svg", "completion time / us"), ("slowdown.svg", "slowdown"),
                            ("queues.svg", "depth / KB"), ("rates.svg", "rate / Gb/s"), ("links.svg", "time / us")):
            self.assertIn(words, drawings[name].text)

    def test_heat_maps(self):
        sim = self.result()
        drawings, _ = self.plotted(sim)
        # Up and down, two leaves by two spines; leaves are named beside both.
        uplinks = drawings["uplinks.svg"]
        self.assertEqual(len(uplinks.cells), 8)
        self.assertEqual(uplinks.text.count("leaf1"), 2)
        # The more load, the more green in viridis; its 256 steps tell 2 % apart.
        loads = [one["load"] for one in sim.result["links"] if one["tier"] == "leaf-spine"]
        self.assertGreater(max(loads) - min(loads), 0.02)
        greens = [int(re.findall(r"\d+", cell)[1]) for cell in uplinks.cells[:4]]
        for load, green in zip(loads, greens):
            for other, other_green in zip(loads, greens):
                if load > other + 0.02:
                    self.assertGreater(green, other_green)
        # A cell for each port and interval.
        rows = (sim.directory / "links.csv").read_text().splitlines()[1:]
        self.assertEqual(len(drawings["links.svg"].cells), len(rows))
        self.assertTrue({"leaf1.swp5", "spine1.swp1"} <= set(drawings["links.svg"].text))
        # Only what was paused has a row.
        paused = {(row.split(",")[1], row.split(",")[2]) for row in
                  (sim.directory / "pauses.csv").read_text().splitlines()[1:] if float(row.split(",")[3]) > 0}
        self.assertGreater(len(paused), 0)
        for port, priority in paused:
            self.assertIn(f"{port}, {priority}", drawings["pauses.svg"].text)

    def test_three_tiers(self):
        """A row is the same switch on the way up and on the way down, whoever lists the links."""
        sim = self.sim({"fabric": {"topology": {"kind": "clos3", "pods": 2, "leaves": 2, "spines": 2, "supers": 4,
                                                "hosts_per_leaf": 1}},
                        "switch": SWITCH, "workload": [{"kind": "permutation", "size": "10KB"}]})
        down = [one["to"].partition(".")[0] for one in sim.result["links"] if one["tier"] == "super-spine"]
        self.assertNotEqual(down, sorted(down))
        drawings, _ = self.plotted(sim)
        self.assertEqual(set(drawings), ALWAYS | {"spine-uplinks.svg"})
        for name, switch in (("uplinks.svg", "leaf"), ("spine-uplinks.svg", "spine")):
            rows = [one for one in drawings[name].text if re.fullmatch(rf"{switch}\d", one.strip())]
            self.assertEqual([one.strip() for one in rows], [f"{switch}{i}" for i in range(1, 5)] * 2)
            self.assertEqual(len(drawings[name].cells), 2 * 4 * 2)

    def test_only_what_was_recorded(self):
        sim = self.result({"interval": "5us", "queues": ["leaf1.swp1.3"]})
        drawings, done = self.plotted(sim)
        self.assertEqual(set(drawings), ALWAYS | {"queues.svg"})
        self.assertEqual(len(done.err.splitlines()), 4)
        for word in ("rates", "links", "pauses", "pools"):
            self.assertRegex(done.err, rf"no drawing of .*no {word}\.csv")

    def test_nothing_to_draw(self):
        sim = self.sim(fabric(1, 0, 2, workload=[flow("h1", "h2", "1MB")]), "--until", "1us")
        drawings, done = self.plotted(sim)
        self.assertEqual(drawings, {})
        self.assertIn("no flow completed", done.err)
        self.assertIn("no link joins two tiers", done.err)

    def test_many_curves_become_few(self):
        work = [flow(f"h{1 + i % 4}", f"h{5 + i % 4}", f"{10 + i}KB", name=f"item{i}") for i in range(20)]
        sim = self.result({"interval": "1us", "flows": "all"}, work)
        drawings, _ = self.plotted(sim)
        self.assertEqual(len(drawings["fct.svg"].curves), 12)
        self.assertEqual(drawings["fct.svg"].curves[-1], "all others (9)")
        self.assertEqual(drawings["rates.svg"].curves, ["9 of 10 of the 20", "the middle half", "median", "the most"])

    def test_elsewhere_and_again(self):
        sim = self.result()
        before = sorted(path.name for path in sim.directory.iterdir())
        out = self.directory / "drawings"
        first, _ = self.plotted(sim, "-o", out)
        self.assertEqual({path.name for path in out.iterdir()}, set(first))
        self.assertEqual(sorted(path.name for path in sim.directory.iterdir()), before)
        text = {path.name: path.read_bytes() for path in out.iterdir()}
        self.plotted(sim, "-o", out)
        self.assertEqual({path.name: path.read_bytes() for path in out.iterdir()}, text)
        self.assertEqual(out.joinpath("fct.svg").stat().st_mode & 0o777, 0o666 & ~current_umask())

    def test_several_together(self):
        few = self.result(work=WORK[1:])
        more = self.result(work=WORK)
        done = roost("plot", few.directory, more.directory, "-o", self.directory / "both")
        drawings = {line.rpartition("/")[2]: Drawing(line) for line in done.out.splitlines()}
        self.assertEqual(set(drawings), {"fct.svg", "slowdown.svg"})
        for drawing in drawings.values():
            self.assertEqual(drawing.curves, [f"{sim.directory} ({len(sim.flows)})" for sim in (few, more)])
        self.assertIn("needs -o", roost("plot", few.directory, more.directory, status=2).err)
        done = roost("plot", *[few.directory] * 13, "-o", self.directory / "both", status=2)
        self.assertIn("12 directories", done.err)
        (more.directory / "result.json").write_text("{}")
        self.assert_refused(re.escape(f"{more.directory}/result.json"), "plot", few.directory, more.directory,
                            "-o", self.directory / "none")
        self.assertFalse((self.directory / "none").exists())

    def test_names_cannot_leave_their_quotes(self):
        sim = self.result({}, [flow("h1", "h2", "10KB")])
        hostile = "'; system 'touch owned' # <b>&\n`touch owned`"
        sim.result["flows"][0]["item"] = hostile
        (sim.directory / "result.json").write_text(json.dumps(sim.result))
        drawings, _ = self.plotted(sim)
        shown = hostile.replace("\n", "?").replace("'", "\u2019").replace("`", "\u2019")
        self.assertEqual(drawings["fct.svg"].curves, [f"{shown} (1)"])
        self.assertEqual(list(self.directory.rglob("owned")) + list(Path.cwd().glob("owned")), [])


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


class Wrong(Case):
    """Status 2, one line that says where, and the directory as it was."""

    def setUp(self):
        sim = self.sim(fabric(1, 0, 2, workload=[flow("h1", "h2", "10KB")],
                              record={"interval": "1us", "queues": ["leaf1.swp1.3"], "links": "all"}))
        self.place = sim.directory

    def assert_wrong(self, pattern, status=2, **options):
        before = {path.name: path.read_bytes() for path in self.place.iterdir()}
        self.assert_refused(pattern, "plot", self.place, status=status, **options)
        self.assertEqual({path.name: path.read_bytes() for path in self.place.iterdir()}, before)

    def test_result_json(self):
        path = self.place / "result.json"
        good = path.read_text()
        for text, pattern in (("{", r"result\.json:1:\d+: "), (good[:200], r"result\.json:\d+:\d+: "),
                              ("[]", "result.json: has no list of flows"), ("", r"result\.json:1:\d+: "),
                              ("[" * 100000, r"result\.json:1:\d+: .*depth"),
                              (good.replace('"item": "flow"', '"item": 3'), r"flows\[0\]: item is no text"),
                              (re.sub(r'"fct_ps": \d+', '"fct_ps": "x"', good), r"flows\[0\]: fct_ps is no time"),
                              (re.sub(r'"ideal_ps": \d+', '"ideal_ps": -1', good), r"flows\[0\]: ideal_ps is no time"),
                              (re.sub(r'"tier": "[a-z-]+"', '"tier": 0', good), r"links\[0\]: tier is no text")):
            with self.subTest(text=text[:40]):
                path.write_text(text)
                self.assert_wrong(pattern)
        path.unlink()
        self.assert_wrong(r"result\.json: No such file")

    def test_series(self):
        for name, text, pattern in (("queues.csv", "time_ns,a\n0,1\n1,x\n", r'queues\.csv:3: a: "x" is no number'),
                                    ("queues.csv", "", r"queues\.csv:1: the file is empty"),
                                    ("queues.csv", "time_ns,a\n5,1\n4,1\n", r"queues\.csv:3: time_ns goes backwards"),
                                    ("links.csv", "time_ns,port\n", r"links\.csv:1: the heading is not"),
                                    ("links.csv", "time_ns,port,tx_percent\n1,a\n", r"links\.csv:2: 2 fields"),
                                    ("links.csv", "time_ns,port,tx_percent\n1,a,3", r"links\.csv:2: .*within a line")):
            with self.subTest(text=text):
                good = (self.place / name).read_text()
                (self.place / name).write_text(text)
                self.assert_wrong(pattern)
                (self.place / name).write_text(good)

    def test_places(self):
        self.assert_refused(r"nowhere/result\.json: No such file", "plot", self.directory / "nowhere")
        done = roost("plot", status=2)
        self.assertIn("needs a directory", done.err)
        need_gnuplot()
        self.assert_refused(r"nowhere/deep: No such file", "plot", self.place, "-o",
                            self.directory / "nowhere/deep", status=1)
        self.assertFalse((self.directory / "nowhere").exists())

    def test_without_gnuplot(self):
        before = sorted(self.place.iterdir())
        empty = self.directory / "empty"
        empty.mkdir()
        done = roost("plot", self.place, status=1, env=os.environ | {"PATH": str(empty)})
        self.assertIn("apt-get install gnuplot-nox", done.err)
        self.assertEqual((sorted(self.place.iterdir()), done.out), (before, ""))


if __name__ == "__main__":
    unittest.main()
