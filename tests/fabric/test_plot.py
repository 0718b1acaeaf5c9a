# SPDX-License-Identifier: BSD-3-Clause
"""`roost plot`: which drawings a result gives, that they show what was recorded, and that a directory in which
something is wrong stays as it was."""
import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

from common import *

SVG = "{http://www.w3.org/2000/svg}"
SWITCH = {"preset": "spectrum-x", "buffer": {"size": "4MB"}, "routing": {"mode": "ecmp"}}
WORK = [{"name": "exchange", "kind": "all-to-all", "size": "400KB"},
        {"name": "burst", "kind": "incast", "from": ["h2", "h3", "h4"], "to": "h1", "size": "1MB"}]
RECORD = {"interval": "5us", "queues": ["leaf1.swp1.3", "leaf2.swp1.3"], "flows": ["burst"],
          "links": ["leaf1-spine1", "leaf2-spine2"], "pauses": "all", "pools": "all"}
ALWAYS = {"fct.svg", "slowdown.svg", "uplinks.svg"}
SERIES = {"queues.svg", "rates.svg", "loads.svg", "pauses.svg", "pools.svg"}


class Drawing:
    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()
        self.text = [one.text for one in self.root.iter(f"{SVG}text")]
        self.title = self.root.find(f"{SVG}title").text

    @property
    def curves(self):
        return self.names("curve")

    def names(self, kind):
        """The names of the groups of a kind: curve, band, threshold, cells."""
        return [one.find(f"{SVG}title").text for one in self.root.iter(f"{SVG}g") if one.get("id").startswith(kind)]

    @property
    def points(self):
        """The points of each curve: [[(x, y)]]."""
        groups = (one for one in self.root.iter(f"{SVG}g") if one.get("id").startswith("curve"))
        return [[tuple(map(float, point.split(","))) for point in group.find(f"{SVG}polyline").get("points").split()] for group in groups]

    @property
    def cells(self):
        """Colours of the cells of heat maps; neighbours of one colour are one cell."""
        return [colour for row in self.rows for _, _, colour in row]

    @property
    def rows(self):
        """The cells of each row of heat maps from left to right: where each begins and ends, and its colour."""
        return [sorted((float(begin), float(end), one.get("stroke")) for one in group.iter(f"{SVG}path")
                       for begin, end in re.findall(r"M([0-9.]+) [0-9.]+H([0-9.]+)", one.get("d")))
                for group in self.root.iter(f"{SVG}g") if group.get("id").startswith("cells")]


class Plot(Case):
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
                self.assertTrue(one.title.startswith(f"{sim.directory.name}: "), one.title)
                self.assertIn(one.title, one.text)
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
        for name, words in (("fct.svg", "completion time / us, log scale"),
                            ("slowdown.svg", "slowdown (1: as fast as alone), log scale"),
                            ("queues.svg", "depth / KB"), ("rates.svg", "rate / Gb/s"), ("loads.svg", "time / us")):
            self.assertIn(words, drawings[name].text)

    def test_heat_maps(self):
        sim = self.result()
        drawings, _ = self.plotted(sim)
        # Up and down, two leaves by two spines; leaves are named beside both.
        uplinks = drawings["uplinks.svg"]
        self.assertEqual(len(uplinks.cells), 8)
        self.assertEqual(uplinks.text.count("leaf1"), 2)
        # The more load, the more green in viridis; its 256 steps tell 2 % apart.
        loads = [one["load"] for one in sim.links if one["tier"] == "leaf-spine"]
        self.assertGreater(max(loads) - min(loads), 0.02)
        greens = [int(cell[3:5], 16) for cell in uplinks.cells[:4]]
        for load, green in zip(loads, greens):
            for other, other_green in zip(loads, greens):
                if load > other + 0.02:
                    self.assertGreater(green, other_green)
        # A row of cells for each port, each as wide as the run and without a hole.
        ports = {row.split(",")[1] for row in (sim.directory / "loads.csv").read_text().splitlines()[1:]}
        self.assertEqual(set(drawings["loads.svg"].names("cells")), ports)
        rows = drawings["loads.svg"].rows
        self.assertEqual({(row[0][0], row[-1][1]) for row in rows}, {(rows[0][0][0], rows[0][-1][1])})
        for row in rows:
            self.assertEqual([end for _, end, _ in row[:-1]], [begin for begin, _, _ in row[1:]])
        self.assertTrue({"leaf1.swp5", "spine1.swp1"} <= set(drawings["loads.svg"].text))
        # Only what was paused has a row.
        paused = {(row.split(",")[1], row.split(",")[2]) for row in
                  (sim.directory / "pauses.csv").read_text().splitlines()[1:] if float(row.split(",")[3]) > 0}
        self.assertGreater(len(paused), 0)
        for port, priority in paused:
            self.assertIn(f"{port}, {priority}", drawings["pauses.svg"].text)

    def test_three_tiers(self):
        """A row is the same switch on the way up and on the way down, whoever lists the links."""
        sim = self.sim({"fabric": {"topology": {"kind": "clos3", "pods": 2, "leaves": 2, "spines": 2, "super-spines": 4,
                                                "hosts-per-leaf": 1}},
                        "switch": SWITCH, "workload": [{"kind": "permutation", "size": "10KB"}]})
        down = [one["dst"].partition(".")[0] for one in sim.links if one["tier"] == "super-spine-spine"]
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
        for word in ("rates", "loads", "pauses", "pools"):
            self.assertRegex(done.err, rf"not drawn: .*: no {word}\.csv")

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
        # Six keep their names, the slowest; where the others lie is shaded.
        self.assertEqual(len(drawings["rates.svg"].curves), 6)
        self.assertTrue(all(", QP " in name for name in drawings["rates.svg"].curves))
        self.assertEqual(drawings["rates.svg"].names("band"), ["14 others, least to most", "middle half of them"])

    def test_thresholds(self):
        """Each limit of the queues that are drawn is a line with a name: at its place if near, else above the axis."""
        switch = SWITCH | {"qos": {"tc": {3: {"ecn": {"min": "96KB", "max": "192KB"}}}}}
        sim = self.sim(fabric(2, 2, 4, switch=switch, workload=WORK, record=RECORD))
        rows = [row.split(",") for row in (sim.directory / "thresholds.csv").read_text().splitlines()]
        self.assertEqual(rows[0], ["queue", "threshold", "bytes"])
        self.assertEqual([row[:2] for row in rows[1:]],
                         [[queue, name] for queue in RECORD["queues"] for name in ("ECN min", "ECN max", "XOFF")])
        self.assertEqual([row[2] for row in rows[1:3]], ["96000", "192000"])
        drawings, _ = self.plotted(sim)
        names = drawings["queues.svg"].names("threshold")
        self.assertEqual(names[:2], ["ECN min 96 KB", "ECN max 192 KB"])
        self.assertIn("XOFF", " ".join(drawings["queues.svg"].text))
        # An older result has none.
        (sim.directory / "thresholds.csv").unlink()
        self.assertEqual(self.plotted(sim)[0]["queues.svg"].names("threshold"), [])

    def test_thresholds_of_named_queues_only(self):
        """Of many queues those that are named have their thresholds drawn: others hardly fill, and clutter."""
        switch = SWITCH | {"qos": {"tc": {3: {"ecn": {"min": "96KB", "max": "192KB"}}}}}
        sim = self.sim(fabric(2, 2, 4, switch=switch, workload=WORK, record={"interval": "5us", "queues": "all"}))
        classes = {row.split(",")[0].rpartition(".")[2] for row in
                   (sim.directory / "thresholds.csv").read_text().splitlines()[1:]}
        self.assertGreater(len(classes), 1)
        drawing = self.plotted(sim)[0]["queues.svg"]
        self.assertEqual({name.rpartition(".")[2] for name in drawing.curves}, {"3"})
        shown = [text for text in drawing.text if text.startswith(("ECN", "far above: ECN"))]
        self.assertGreater(len(shown), 0)
        for text in shown:
            self.assertNotRegex(text, r"swp\d+\.[^3]")

    def test_xoff_is_where_a_group_alone_stops(self):
        """With static limits, a group that is paused has held what thresholds.csv says."""
        switch = SWITCH | {"qos": {"pg": {3: {"static": "300KB"}}}}
        sim = self.sim(fabric(1, 0, 4, switch=switch, workload=WORK[1:],
                              record={"interval": "1us", "queues": ["leaf1.swp1.3"]}))
        rows = [row.split(",") for row in (sim.directory / "thresholds.csv").read_text().splitlines()]
        (xoff,) = [int(row[2]) for row in rows if row[1] == "XOFF"]
        self.assertLess(abs(xoff - 300_000), 20_000)

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
        few = self.result({}, work=WORK[1:])
        more = self.result({}, work=WORK)
        done = roost("plot", few.directory, more.directory, "-o", self.directory / "both")
        drawings = {line.rpartition("/")[2]: Drawing(line) for line in done.out.splitlines()}
        self.assertEqual(set(drawings), {"fct.svg", "slowdown.svg"})
        for drawing in drawings.values():
            self.assertEqual(drawing.curves, [f"{sim.directory} ({len(sim.flows)})" for sim in (few, more)])
        self.assertIn("several directories need -o DIR", roost("plot", few.directory, more.directory, status=2).err)
        done = roost("plot", *[few.directory] * 13, "-o", self.directory / "both", status=2)
        self.assertIn("12 directories", done.err)
        (more.directory / "flows.csv").write_text("{}")
        self.assert_refused(re.escape(f"{more.directory}/flows.csv:1: "), "plot", few.directory, more.directory,
                            "-o", self.directory / "none")
        self.assertFalse((self.directory / "none").exists())

    def test_several_over_time(self):
        """Progress ends at what the recorded flows have sent, and a queue is the deepest of those recorded at each time."""
        both = [self.result(RECORD | {"flows": names}, stop="1ms") for names in (["burst"], ["burst", "exchange"])]
        done = roost("plot", *[sim.directory for sim in both], "-o", self.directory / "both")
        drawings = {line.rpartition("/")[2]: Drawing(line) for line in done.out.splitlines()}
        self.assertEqual(set(drawings), {"fct.svg", "slowdown.svg", "progress.svg", "queues.svg"})
        for name in ("progress.svg", "queues.svg"):
            self.assertEqual(drawings[name].curves, [str(sim.directory) for sim in both])
        # The axis ends at 6 MB, at the top of the plot, and begins at 0, as do the curves.
        sent = [3e6, 3e6 + sum(one["bytes"] for one in both[1].flows if one["item"] == "exchange")]
        curves = drawings["progress.svg"].points
        zero, most = curves[0][0][1], curves[1][-1][1]
        self.assertAlmostEqual((zero - curves[0][-1][1]) / (zero - most), sent[0] / sent[1], delta=.001)
        for curve in curves:
            self.assertEqual(sorted(curve, key=lambda point: (point[0], -point[1])), curve)
        with open(both[0].directory / "queues.csv", encoding="utf-8") as file:
            depths = [max(map(float, line.split(",")[1:])) for line in list(file)[1:]]
        heights = [zero - y for _, y in drawings["queues.svg"].points[0]]
        self.assertEqual(len(heights), len(depths))
        for height, depth in zip(heights, depths):
            self.assertAlmostEqual(height / max(heights), depth / max(depths), delta=.001)

    def test_several_of_which_one_has_not_recorded(self):
        few, more = self.result({}), self.result()
        done = roost("plot", more.directory, few.directory, "-o", self.directory / "both")
        self.assertEqual({line.rpartition("/")[2] for line in done.out.splitlines()}, {"fct.svg", "slowdown.svg"})
        self.assertEqual(done.err.splitlines(), [f"roost plot: not drawn: {few.directory}: {what}: no {file} (record.{key} writes it)"
                                                 for what, file, key in (("progress", "rates.csv", "flows"), ("queues", "queues.csv", "queues"))])

    def test_names_stay_names(self):
        sim = self.result({}, [flow("h1", "h2", "10KB")])
        hostile = "'; system 'touch owned' # <b>&\n`touch owned`"
        table = sim.directory / "flows.csv"
        table.write_text(table.read_text().replace(",flow,", f',"{hostile}",'))
        drawings, _ = self.plotted(sim)
        self.assertEqual(drawings["fct.svg"].curves, [hostile.replace("\n", "?") + " (1)"])
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

    def test_tables(self):
        for name, changes in (
                ("flows.csv", (("", r":1: the file is empty"), ("{}\n", r":1: the heading has no column id, or several"),
                               (("0,flow,", "0,"), r":2: 10 fields, but the heading has 11"),
                               (("0,flow,", '0,"flow,'), r":3: unexpected end of data"), (("0,flow,", "x,flow,"), r':2: id: "x" is not an integer'),
                               ((",10000,0,", ",10000,0,-"), r':2: fct_ps: "-\d+" is not an integer of at least 1'),
                               ((",0,0\n", ",0,0"), r":2: the file ends within a line"))),
                ("links.csv", ((("leaf1.swp1,", "leaf1,"), r':2: src: "leaf1" is not a port'),
                               ((",0.", ",x0."), r':2: load: "x0')))):
            path = self.place / name
            good = path.read_text()
            for change, pattern in changes:
                with self.subTest(name, change=change):
                    path.write_text(change if isinstance(change, str) else good.replace(*change, 1))
                    self.assert_wrong(re.escape(name) + pattern)
            path.unlink()
            self.assert_wrong(re.escape(name) + ": no such file")
            path.write_text(good)

    def test_compressed_tables(self):
        """They give the same drawings; what is no gzip file is an error."""
        roost("plot", self.place, "-o", self.directory / "plain")
        for path in list(self.place.glob("*.csv")):
            with gzip.open(f"{path}.gz", "wb") as file:
                file.write(path.read_bytes())
            path.unlink()
        roost("plot", self.place, "-o", self.directory / "packed")
        plain, packed = ({one.name: one.read_text() for one in (self.directory / name).iterdir()}
                         for name in ("plain", "packed"))
        self.assertEqual(plain, packed)
        path = self.place / "queues.csv.gz"
        good = path.read_bytes()
        for text in (b"time_ns,leaf1.swp1.3\n0,0\n", good[:-9], good[:20] + b"\0" * 9 + good[29:]):
            path.write_bytes(text)
            self.assert_wrong(r"queues\.csv\.gz: \w")

    def test_series(self):
        for name, text, pattern in (("queues.csv", "time_ns,a\n0,1\n1,x\n", r'queues\.csv:3: a: "x" is not a number'),
                                    ("queues.csv", "", r"queues\.csv:1: the file is empty"),
                                    ("queues.csv", "time_ns,a\n5,1\n4,1\n", r"queues\.csv:3: time_ns goes backwards"),
                                    ("loads.csv", "time_ns,port\n", r"loads\.csv:1: the heading is not"),
                                    ("loads.csv", "time_ns,port,tx_percent\n1,a\n", r"loads\.csv:2: 2 fields, but the heading has 3"),
                                    ("loads.csv", "time_ns,port,tx_percent\n1,a,3", r"loads\.csv:2: .*within a line")):
            with self.subTest(text=text):
                good = (self.place / name).read_text()
                (self.place / name).write_text(text)
                self.assert_wrong(pattern)
                (self.place / name).write_text(good)

    def test_values_that_are_almost_nothing(self):
        (self.place / "queues.csv").write_text("time_ns,leaf1.swp1.3\n0,0\n100,5e-324\n")
        roost("plot", self.place)

    def test_places(self):
        self.assert_refused(r"nowhere/flows\.csv: no such file", "plot", self.directory / "nowhere")
        path = self.file("a file")
        for words in (("plot", path), ("report", path, "-o", self.directory / "report.html")):
            self.assert_refused(f"^roost {words[0]}: {path} is not a directory: name one that `roost sim FILE -o DIR` wrote$", *words)
        done = roost("plot", status=2)
        self.assertIn("an argument is missing: DIR", done.err)
        self.assert_refused(r"nowhere/deep: No such file", "plot", self.place, "-o",
                            self.directory / "nowhere/deep", status=1)
        self.assertFalse((self.directory / "nowhere").exists())

    def test_the_usage_names_the_output_of_several(self):
        self.assertIn("Several directories need -o DIR", roost("plot", "--help").out)

    def test_a_full_disk(self):
        """What could not be written does not stay, and neither does what was written before it."""
        before = sorted(self.place.iterdir())
        done = command("bash", "-c", 'ulimit -f 2; exec "$@"', "-", ROOST, "plot", self.place, status=1)
        self.assertIn("File too large", done.err)
        self.assertEqual((sorted(self.place.iterdir()), done.out), (before, ""))

    def test_an_output_that_takes_nothing(self):
        """The drawings are there all the same."""
        with open("/dev/full", "w") as full:
            done = subprocess.run([ROOST, "plot", self.place], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                         (1, "roost plot: writing the result: No space left on device"))
        self.assertTrue((self.place / "fct.svg").exists())

    def test_what_stands_in_the_way(self):
        (self.place / "fct.svg").mkdir()
        self.assert_refused(r"fct\.svg: Is a directory", "plot", self.place, status=1)
        self.assertEqual(list(self.place.glob(".*")) + list(self.place.glob("slowdown*")), [])
        (self.place / "fct.svg").rmdir()
        *before, last = (Path(line) for line in roost("plot", self.place).out.splitlines())
        last.unlink()
        last.mkdir()
        for path in before:
            path.write_text("as it was")
        self.assert_refused(rf"{last.name}: Is a directory", "plot", self.place, status=1)
        self.assertEqual({path.read_text() for path in before}, {"as it was"})

    def test_without_its_program(self):
        """roost alone, copied to where plot.py is not."""
        alone = shutil.copy(ROOST, self.directory / "roost")
        before = sorted(self.place.iterdir())
        done = command(alone, "plot", self.place, status=1)
        self.assertEqual(done.err, "roost plot: plot.py is not installed with roost: meson install\n")
        self.assertEqual((sorted(self.place.iterdir()), done.out), (before, ""))


if __name__ == "__main__":
    unittest.main()
