# SPDX-License-Identifier: BSD-3-Clause
"""`roost lab slides`: its figures against the files of the runs, read here in another way, and decks that are wrong."""
import csv
import json
import shutil
from html.parser import HTMLParser

import yaml

from common import *

LABS = SOURCE / "testbeds/labs"


class Values(HTMLParser):
    """The slides of a document: the title, the values with their formulas, and the labs."""

    def __init__(self, text):
        super().__init__()
        self.slides, self.addresses, self.code = [], [], []
        self.within = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.within.append(tag)
        self.addresses += [of[name] for name in ("src", "href", "srcset", "action", "data") if name in of]
        self.code += [name for name in of if name.startswith("on")]
        if tag == "section":
            self.slides.append({"title": "", "values": [], "minute": float(of["data-minute"]), "notes": ""})
        elif tag == "data":
            self.slides[-1]["values"].append((of["title"], of["value"], ""))
        if tag in ("img", "meta"):
            self.within.pop()

    def handle_endtag(self, tag):
        while self.within and self.within.pop() != tag:
            pass

    def handle_data(self, data):
        if self.within[-1:] == ["h2"]:
            self.slides[-1]["title"] += data
        elif self.within[-1:] == ["data"]:
            title, value, shown = self.slides[-1]["values"].pop()
            self.slides[-1]["values"].append((title, value, shown + data))
        elif "aside" in self.within:
            self.slides[-1]["notes"] += data


class Kept:
    """A run as its files tell it, without the package `roost`."""

    def __init__(self, directory):
        self.summary = json.loads((directory / "result.json").read_text())["summary"]
        self.flows, self.links, self.counters = (list(csv.DictReader((directory / f"{name}.csv").open()))
                                                 for name in ("flows", "links", "counters"))

    def last(self, item=None):
        """When the last flow was done, in us."""
        return max(int(row["fct_ps"]) for row in self.flows if item in (None, row["item"])) / 1e6

    def slowdown(self, item):
        rows = [row for row in self.flows if row["item"] == item]
        return max(int(row["fct_ps"]) for row in rows) / max(int(row["ideal_ps"]) for row in rows)

    def counter(self, port, scope, index, name):
        node, port = port.split(".")
        (row,) = [row for row in self.counters if (row["node"], row["port"], row["scope"], row["index"], row["counter"]) ==
                  (node, port, scope, str(index), name)]
        return int(row["value"])

    def pool(self, node, name):
        (row,) = [row for row in self.counters if (row["node"], row["object"], row["counter"]) == (node, name, "size")]
        return int(row["value"])

    def uplinks(self, column):
        return [float(row[column]) for row in self.links if row["tier"] == "leaf-spine"]


def expected(run):
    """Values that slides show, by their titles, in their order. run: a function from a name to a Kept."""
    half = sorted(int(row["fct_ps"]) for row in run("ecmp").flows)
    loads = run("ecmp").uplinks("load")
    ramp, slow = run("ramp"), run("collisions")
    depth, sent = (ramp.counter("leaf1.swp2", "queue", 3, name) for name in ("depth", "packets"))
    pools = {name: run(name).pool("leaf1", "ingress-lossless") for name in ("quarter", "one", "four")}
    shared = {(name, port): run(name).counter(f"leaf1.swp{port}", "pg", 3, "shared_max") for name in pools for port in (1, 2)}
    return {
        "A step ends with its last byte": [half[len(half) // 2 - 1] / 1e6, half[-1] / 1e6],
        "What loss costs": [4] + [value for name in ("lossy", "lossless") for value in (
            run(name).summary["drops"], sum(int(row["retransmitted"]) for row in run(name).flows), run(name).last())],
        "A pause names a class and a time": [300, 100, 300 * 512 / 100],
        "While it lasts, the queue grows": [40, run("pause").counter("leaf1.swp2", "queue", 3, "depth_max")],
        "The pause arrives late": [100, 100, 2 * 100 / 198e6 * 100e9 / 8, run("short").summary["drops_lossless"]],
        "Headroom grows with the cable": [100] + [value for name, cable in (("near", 5), ("hall", 100), ("campus", 500)) for value in (
            cable, run(name).counter("leaf1.swp1", "pg", 3, "headroom_max") / 1000)],
        "What alpha decides": [3, round(pools["one"] / 1000)] + [round(value / 1000) for name, alpha in (
            ("quarter", 0.25), ("one", 1), ("four", 4)) for value in (
                alpha * pools[name] / (1 + 3 * alpha), shared[name, 2], shared[name, 1])],
        "ECN marks before the buffer is full": [round(depth / 1000), 50, 450, 60 * (depth / 1000 - 50) / 400,
                                                100 * ramp.summary["ecn_marked"] / sent, sent],
        "A sender that hears it slows down": [100],
        "ECN before PFC": ["1000KB", run("late").summary["pfc_tx"], "150KB", 0, round(run("late").last()), round(run("early").last())],
        "Someone else's traffic jam": [run("victim").slowdown("storm"), run("victim").slowdown("victim"), run("cured").slowdown("victim")],
        "A hash throws dice": [8, 8, 66, sum(value > 800_000 for value in slow.uplinks("wire_bytes")), 32,
                               round(max(slow.uplinks("wire_bytes")) / 816_000)],
        "Full links beside idle ones": [round(100 * max(loads)), round(100 * min(loads))],
        "Spraying, and who repairs the order": [60, sum(int(row["retransmitted"]) for row in run("ordered").flows), 0],
        "One exchange, five ways": [run(name).last() for name in ("ecmp", "ecmp_qp", "flowlet", "in_order", "out_of_order")],
        "A ring that waits for itself": [run("deadlock").counter("leaf1.swp2", "priority", 3, "pfc_rx_last_start_ns") / 1000, 0,
                                         run("guarded").summary["drops"]],
        "Ten percent of the links have failed": [225, 500],
        "What is left must be used evenly": [run(name).last() for name in ("intact", "hashed", "turns", "adaptive", "weighted")],
    }


class Slides(Case):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.made = roost("lab", "slides", cls.place / "class.html", "--runs", cls.place / "runs", "-o", "json").json
        cls.text = (cls.place / "class.html").read_text()
        cls.document = Values(cls.text)

    def test_figures_are_those_of_the_runs(self):
        wanted = expected(lambda name: Kept(self.place / "runs" / name))
        found = {slide["title"]: [value for _, value, _ in slide["values"]] for slide in self.document.slides if slide["values"]}
        self.assertEqual(list(found), list(wanted))
        for title, values in wanted.items():
            self.assertEqual(len(found[title]), len(values), title)
            for value, text in zip(values, found[title]):
                if isinstance(value, str):
                    self.assertEqual(text, value, title)
                else:
                    self.assertAlmostEqual(float(text), value, delta=abs(value) * 2e-3, msg=title)

    def test_what_is_shown_is_the_value(self):
        for slide in self.document.slides:
            for formula, value, shown in slide["values"]:
                if shown != value:
                    self.assertAlmostEqual(float(shown.replace(",", "")), float(value), delta=abs(float(value)) * 1e-3, msg=formula)

    def test_the_lessons_are_there(self):
        """What the words beside the figures say is so in the runs."""
        def run(name):
            return Kept(self.place / "runs" / name)
        self.assertGreater(run("lossy").last(), 1.5 * run("lossless").last())
        self.assertEqual((run("late").summary["ecn_marked"], run("early").summary["pfc_tx"]), (0, 0))
        self.assertGreater(run("late").summary["pfc_tx"], 100)
        self.assertLess(run("early").last(), 1.1 * run("late").last())
        self.assertTrue(run("deadlock").summary["stalled"])
        self.assertEqual(run("deadlock").summary["drops"], 0)
        self.assertLess(run("weighted").last(), run("adaptive").last())
        self.assertLess(run("adaptive").last(), run("turns").last())
        self.assertLess(run("out_of_order").last(), min(run(name).last() for name in ("ecmp", "ecmp_qp", "flowlet", "in_order")))

    def test_nothing_outside(self):
        self.assertEqual([one for one in self.document.addresses if not one.startswith("data:image/svg+xml;base64,")], [])
        self.assertEqual(self.document.code, [])
        self.assertIn("default-src 'none'", self.text)
        self.assertNotRegex(self.text.replace("http://www.w3.org/2000/svg", ""), r"https?://|url\(|@import|\bfetch\(")

    def test_nothing_of_this_machine(self):
        for one in (SOURCE, self.place, "/tmp/"):
            self.assertNotIn(str(one), self.text)

    def test_the_time_of_a_class(self):
        minutes = [slide["minute"] for slide in self.document.slides]
        self.assertEqual(minutes[0], 0)
        self.assertTrue(all(0.5 <= after - before <= 5 for before, after in zip(minutes, minutes[1:])))
        self.assertLess(minutes[-1], self.made["minutes"])
        self.assertEqual((self.made["minutes"], self.made["slides"]), (45, len(minutes)))
        self.assertEqual([slide["title"] for slide in self.document.slides if not slide["notes"].strip()], [])

    def test_the_guide(self):
        """doc/teaching.md has all slides in their order, at their minutes, and each lab not before its slide."""
        page = (SOURCE / "doc/teaching.md").read_text()
        rows = re.findall(r"^\| (\d+) \| ([A-Z][^|]*) \|.*\|.*\|$", page, re.M)
        self.assertEqual([title for _, titles in rows for title in titles.split("; ")], [slide["title"] for slide in self.document.slides])
        for minute, titles in rows:
            (slide,) = [one for one in self.document.slides if one["title"] == titles.split("; ")[0]]
            self.assertEqual(float(minute), slide["minute"])
        given = dict(re.findall(r"^\| (\d+) [A-Z][^|]* \| (\d+) \|", page, re.M))
        self.assertEqual(list(given), [str(i) for i in range(1, len(list(LABS.glob("*/lab.yaml"))) + 1)])
        deck = yaml.safe_load((LABS / "class/deck.yaml").read_text())["slides"]
        for slide, after in zip(deck, [*deck[1:], {"minute": 45}]):
            if "lab" in slide:
                self.assertEqual(int(given[str(int(slide["lab"][:2]))]), after["minute"], slide["title"])

    def test_the_guide_s_deck(self):
        page = (SOURCE / "doc/teaching.md").read_text()
        (text,) = re.findall(r"^```yml\n(.*?)^```", page, re.M | re.S)
        folder = self.directory / "deck"
        folder.mkdir()
        (folder / "deck.yaml").write_text(text)
        (folder / "own.yaml").write_text(to_yaml(fabric(spines=1, workload=[flow("h1", "h2", "1KB")])))
        roost("lab", "slides", self.directory / "x.html", folder)
        (slide,) = Values((self.directory / "x.html").read_text()).slides
        self.assertEqual([value for _, value, _ in slide["values"]][:2], ["300", "1536"])

    def test_the_same_again(self):
        roost("lab", "slides", self.directory / "again.html")
        self.assertEqual((self.directory / "again.html").read_text(), self.text)


class Decks(Case):

    def deck(self, change):
        folder = self.directory / "deck"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        content = {"title": "Mine", "about": "x", "minutes": 5, "runs": {"pause": {"lab": "01-pause", "numbers": {"rate": 25, "quanta": 200}}},
                   "slides": [{"title": "A <b>pause", "minute": 0, "text": ["held for ${pause.port('leaf1.swp2').priority(3).pfc_rx_pause_ns} ns"],
                               "notes": ["say <i>it"]}]}
        change(content)
        (folder / "deck.yaml").write_text(yaml.safe_dump(content))
        return folder

    def slides(self, change, status=0):
        return roost("lab", "slides", self.directory / "x.html", self.deck(change), status=status)

    def test_a_deck_of_ones_own(self):
        self.slides(lambda deck: None)
        (slide,) = Values((self.directory / "x.html").read_text()).slides
        self.assertEqual(slide["values"], [("pause.port('leaf1.swp2').priority(3).pfc_rx_pause_ns", "4096", "4,096")])
        self.assertEqual((slide["title"], slide["notes"]), ("A <b>pause", "say <i>it"))

    def test_a_file_of_the_deck(self):
        def change(deck):
            deck["runs"]["mine"] = {"file": "mine.yaml", "set": {"fabric.topology.spines": "2"}}
            deck["slides"][0]["text"] = ["${len(mine.links)} directions"]
        folder = self.deck(change)
        (folder / "mine.yaml").write_text(to_yaml(fabric(spines=1, workload=[flow("h1", "h2", "1KB")])))
        roost("lab", "slides", self.directory / "x.html", folder)
        self.assertEqual(Values((self.directory / "x.html").read_text()).slides[0]["values"][0][1], "8")

    def test_a_lab_without_a_number(self):
        shutil.copytree(LABS / "01-pause", self.directory / "labs/pause")
        (folder := self.directory / "deck").mkdir()
        (folder / "deck.yaml").write_text(yaml.safe_dump(
            {"title": "Mine", "about": "x", "minutes": 5, "runs": {}, "slides": [{"title": "Do it", "minute": 0, "lab": "pause"}]}))
        roost("lab", "slides", self.directory / "x.html", folder, "--labs", self.directory / "labs")
        self.assertIn("<span>lab pause</span>", (self.directory / "x.html").read_text())

    def test_a_file_that_is_not_text(self):
        folder = self.deck(lambda deck: deck["runs"].update(mine={"file": "mine.yaml"}))
        (folder / "mine.yaml").write_bytes(b"# \xff\n")
        result = roost("lab", "slides", self.directory / "x.html", folder, status=1)
        self.assertIn(f": {folder}/mine.yaml: not text in UTF-8\n", result.err)

    def test_refusals(self):
        for change, error in (
                (lambda deck: deck.update(slides=[]), "slides: there is none"),
                (lambda deck: deck.update(extra=1), "extra: no such key"),
                (lambda deck: deck.update(minutes="long"), "minutes: long is not a number"),
                (lambda deck: deck["slides"][0].update(text=["${1e300 * 1e300}"]), "1e300 * 1e300: no number that can be shown"),
                (lambda deck: deck["slides"][0].update(text=["${1e300 * 1e300 * 0}"]), "no number that can be shown"),
                (lambda deck: deck["slides"][0].update(text=["${1" + 400 * "0" + "}"]), "no number that can be shown"),
                (lambda deck: deck["slides"][0].update(lab="."), "slides[0]: .: not in "),
                (lambda deck: deck["slides"][0].update(lab="class"), "slides[0]: class: not in "),
                (lambda deck: deck["slides"][0].update(chart={"kind": "queues", "of": {"x": ["pause"]}}), "of: must be LABEL: RUN"),
                (lambda deck: deck["slides"][0].pop("title"), "slides[0]: title: is missing"),
                (lambda deck: deck["slides"][0].update(text=["${other}"]), "slides[0]: other: there is no other; there is pause, "),
                (lambda deck: deck["slides"][0].update(text=["${pause.flows}"]), "neither a number nor a text"),
                (lambda deck: deck["slides"][0].update(picture="01-pause/none.svg"), "01-pause/none.svg: not in "),
                (lambda deck: deck["slides"][0].update(picture="../labs/01-pause/pause.svg"), "../labs/01-pause/pause.svg: not in "),
                (lambda deck: deck["slides"][0].update(picture="/etc/passwd"), "/etc/passwd: not in "),
                (lambda deck: deck["runs"].update(more={"file": "../deck/deck.yaml"}), "file: ../deck/deck.yaml: no such file in "),
                (lambda deck: deck["runs"].update(more={"lab": "../labs/01-pause"}), "lab: ../labs/01-pause: not in "),
                (lambda deck: deck["slides"][0].update(chart={"kind": "cake", "of": {"x": "pause"}}), "kind: cake is not one of"),
                (lambda deck: deck["slides"][0].update(chart={"kind": "queues", "of": {"x": "none"}}), "of: must be LABEL: RUN"),
                (lambda deck: deck["slides"][0].update(chart={"kind": "rates", "of": {"x": "pause"}}), "chart: rates: no rates.csv"),
                (lambda deck: deck["slides"][0].update(chart={"kind": "rates", "of": {"x": "pause", "y": "pause"}}),
                 "of: rates are drawn of one run"),
                (lambda deck: deck["slides"][0].update(bars={"rows": [["x"]]}), "rows: must be a list of lists of 2 texts"),
                (lambda deck: deck["slides"][0].update(picture="01-pause/pause.svg", bars={"rows": [["x", "1"]]}), "at most one of picture"),
                (lambda deck: deck["runs"]["pause"]["numbers"].pop("rate"), "numbers: 01-pause has rate, quanta"),
                (lambda deck: deck["runs"].update(more={"file": "none.yaml"}), "file: none.yaml: no such file in "),
                (lambda deck: deck["runs"].update(more={"lab": "99-none"}), "99-none/lab.yaml: No such file"),
                (lambda deck: deck["runs"]["pause"].update(set={"fabric.links.host.rate": "x"}), "runs.pause: ")):
            result = self.slides(change, status=1)
            self.assertIn(error, result.err)
            self.assertNotIn("Traceback", result.err)
            self.assertFalse((self.directory / "x.html").exists())


if __name__ == "__main__":
    unittest.main()
