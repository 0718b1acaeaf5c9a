# SPDX-License-Identifier: BSD-3-Clause
"""`roost report`: what a report contains, that it refers to nothing outside, that texts of a run stay texts, and that a directory
in which something is wrong leaves no report."""
import csv
import gzip
import html
import json
import random
import sys
import zlib
from html.parser import HTMLParser
from unittest import mock

import films
from common import *
from test_plot_hostile import changed

sys.path.insert(0, str(SOURCE / "control/plot"))

import film     # noqa: E402
import read     # noqa: E402
import report   # noqa: E402

HOSTILE = "</pre></svg><script>alert('x')</script>\"&\u202e"
SHOWN = HOSTILE.replace("\u202e", "?")    # no control character reaches the page
WORK = [{"name": HOSTILE, "kind": "incast", "from": ["h2", "h5"], "to": "h1", "size": "2MB"},
        {"name": "exchange", "kind": "all-to-all", "size": "1MB", "hosts": ["h3", "h4", "h6", "h7"]}]
SECTIONS = ["Summary", "What to look at", "Workload", "Tenants", "Collectives", "Slowest flows", "Drops", "Plots", "Film", "Log",
            "Configuration", "Versions"]
RECORD = {"interval": "10us", "film": "on", "queues": "all", "pauses": "all"}
ALONE = {"meta", "link", "br", "rect", "path", "polyline", "img"}    # elements without an end
MUTATIONS = 1500 if FULL else 150


class Page(HTMLParser):
    """A report, parsed. `tables` by caption: rows of texts, the first one the heading."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts, self.tables, self.inside = [], [], {}, {}, None
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in ALONE:
            self.open.append(tag)
        if tag == "table":
            self.rows = []
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.getpos())
        if tag == "table":
            self.tables[self.caption] = self.rows

    def handle_data(self, text):
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(text)
        if self.open and self.open[-1] == "caption":
            self.caption = text
        elif self.open and self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += text

    def of(self, tag):
        return [attributes for one, attributes in self.elements if one == tag]


class Report(Case):
    def result(self, **sections):
        sections = {"workload": WORK, "record": RECORD, "hosts": {"congestion": "none"}, "tenants": {"red": {"hosts": ["h1", "h2", "h5"]}},
                    "switch": {"preset": "spectrum-x", "buffer": {"size": "4MB"}}} | sections
        return self.sim(fabric(2, 2, 4, **sections))

    def reported(self, sim, name="report.html"):
        path = self.directory / name
        done = roost("report", sim.directory, "-o", path)
        self.assertEqual((done.out, done.err), (f"{path}\n", ""))
        return path

    def refused(self, sim, message, status=2, out="refused.html"):
        before = sorted(self.directory.iterdir())
        done = roost("report", getattr(sim, "directory", sim), "-o", self.directory / out, status=status)
        self.assertEqual(done.out, "")
        self.assertRegex(done.err, rf"^roost report: [^\n]*{message}[^\n]*\n$")
        self.assertEqual(sorted(self.directory.iterdir()), before)

    def test_contents(self):
        sim = self.result()
        text = self.reported(sim).read_text()
        page = Page(text)
        self.assertEqual([one for one in page.texts["h2"]], SECTIONS)
        document = json.loads((sim.directory / "result.json").read_text())
        self.assertEqual(len(document["hints"]), 1)
        self.assertIn(document["hints"][0], page.texts["li"])
        # Figures are those of result.json and flows.csv.
        run = dict(page.tables["the run as a whole"])
        self.assertEqual(run["flows complete"], "14 of 14")
        self.assertEqual(run["PFC sent"], f"{document['summary']['pfc_tx']:,}")
        items = page.tables["flow completion times (FCT) and slowdowns by workload item"]
        self.assertEqual([row[:4] for row in items[1:]], [[SHOWN, "2", "2", "4 MB"], ["exchange", "12", "12", "3 MB"]])
        self.assertEqual([row[0] for row in page.tables["flow completion times (FCT) and slowdowns by tenant"][1:]], ["red", "rest"])
        slowest = page.tables["flows, slowest first: 14"]
        wanted = sorted(sim.flows, key=lambda one: -one["fct_ps"])
        self.assertEqual([row[2:5] for row in slowest[1:]], [[one["src"], one["dst"], one["tenant"]] for one in wanted])
        self.assertEqual([row[:4] for row in page.tables["executions: 1"][1:]], [["exchange", "all-to-all", "0", "4"]])
        self.assertEqual(dict(page.tables["what ran it, and how long"])["digest of the results"], document["summary"]["digest"])
        # All drawings are there, and each has a name for those who cannot see it.
        drawings = [one for one in page.of("svg")]
        self.assertEqual(len(drawings), len(page.of("figure")))
        titles = [one["aria-label"].partition(": ")[2] for one in drawings]
        self.assertEqual([one for one in titles if one.startswith("film")],
                         ["film: loads of all links, by sending port", "film: pauses, by port and priority",
                          "film: the most that waited in each queue"])
        self.assertIn("depths of queues", titles)
        self.assertEqual({one["role"] for one in drawings}, {"img"})
        for rows in page.tables.values():
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        for tag, attributes in page.elements:
            if tag == "th":
                self.assertIn(attributes["scope"], ("col", "row"))
        known = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        self.assertEqual(len(known), len(set(known)))
        self.assertEqual([one["href"] for one in page.of("a")], [f"#{one}" for one in known if one.startswith("section-")])

    def check_alone(self, page):
        """Nothing is fetched, and nothing in it is what a name would like to be."""
        for tag, attributes in page.elements:
            for key, value in attributes.items():
                self.assertFalse(key.startswith("on"), (tag, key))
                if key in ("src", "href", "action", "data", "poster", "srcset", "xlink:href", "background"):
                    self.assertRegex(value, "^(#|data:)", (tag, key))
        self.assertNotRegex("".join(page.texts["style"]), r"url\(|@import|//")
        (policy,) = [one["content"] for one in page.of("meta") if one.get("http-equiv") == "Content-Security-Policy"]
        self.assertTrue(policy.startswith("default-src 'none'; "), policy)

    def test_refers_to_nothing(self):
        page = Page(self.reported(self.result()).read_text())
        self.check_alone(page)
        self.assertEqual(page.of("script"), [])
        for frame in page.of("iframe"):
            self.assertEqual(frame["sandbox"], "allow-scripts")
            inner = Page(frame["srcdoc"])
            self.assertEqual([one.get("type") for one in inner.of("script")], ["application/x-roost-film", None])
            for tag, attributes in inner.elements:
                for key in ("src", "href"):
                    self.assertRegex(attributes.get(key, "#"), "^(#|data:)")

    def test_same_bytes(self):
        sim = self.result()
        first = self.reported(sim, "a.html")
        self.assertEqual(first.read_bytes(), self.reported(sim, "b.html").read_bytes())
        # An earlier report is replaced.
        self.assertEqual(self.reported(sim, "a.html"), first)

    def test_the_configuration_runs_again(self):
        sim = self.result(switch={"preset": "spectrum-x", "buffer": {"size": "4MB"},
                                  "qos": {"tc": {3: {"ecn": {"min": "50KB", "max": "500KB"}}}}})
        text = self.reported(sim).read_text()
        shown = html.unescape(re.search(r"<pre[^>]*>(.*?)</pre>", text, re.S)[1])
        again = self.directory / "again.yaml"
        again.write_text(shown)
        done = roost("sim", again, "--json")
        self.assertEqual(json.loads(done.out)["items"][0]["name"], SHOWN)
        # The one character that is not shown is part of no digest but that of the item's name.
        again.write_text(shown.replace(SHOWN[-1:] + '"', '\\u202e"', 1))
        document = json.loads((sim.directory / "result.json").read_text())
        self.assertEqual(json.loads(roost("sim", again, "--json").out)["summary"]["digest"], document["summary"]["digest"])

    def test_drops(self):
        sim = self.result(workload=[{"kind": "incast", "from": ["h2", "h3", "h5", "h6"], "to": "h1", "size": "1MB"}],
                          tenants={}, switch={"preset": "lossy", "buffer": {"size": "1MB"}}, record={"interval": "10us"})
        page = Page(self.reported(sim).read_text())
        document = json.loads((sim.directory / "result.json").read_text())
        self.assertGreater(document["summary"]["drops"], 0)
        self.assertEqual(sum(one["packets"] for one in document["drops"]), document["summary"]["drops"])
        self.assertEqual(page.tables["drops by reason"][1:],
                         [[one["reason"], f"{one['packets']:,}", one["advice"]] for one in document["drops"]])
        with open(sim.directory / "counters.csv") as file:
            rows = [one for one in csv.DictReader(file) if one["scope"] == "drops"]
        self.assertLess(len(rows), 20)
        rows.sort(key=lambda one: -int(one["value"]))
        self.assertEqual(page.tables[f"ports and reasons, most drops first: {len(rows)}"][1:],
                         [[f"{one['node']}.{one['port']}", one["counter"], f"{int(one['value']):,}"] for one in rows])
        self.assertIn("Not recorded: record.film writes one.", page.texts["p"])

    def test_film_is_that_of_the_counters(self):
        sim = self.result()
        made = film.Film("film", (sim.directory / "film").read_bytes())
        wanted = films.Film(sim.directory / "film")
        self.assertEqual(list(made.ends), [end - wanted.begin for end in wanted.ends])
        seen = 0
        for column, width in (("tx_bytes", 1), ("paused", 9), ("pausing", 9), ("depth_max", 8)):
            for place, values in made.of(column):
                self.assertEqual(list(values), wanted.of(column, made.ports[place // width], place % width))
                seen += 1
        self.assertGreater(seen, 20)

    def test_hostile_films(self):
        sim = self.result()
        path, generator = sim.directory / "film", random.Random(1)
        whole = path.read_bytes()
        result = read.Result(str(sim.directory))
        drawn = refused = 0
        for _ in range(MUTATIONS):
            try:
                report.draw_film(result, changed(generator, whole))
                drawn += 1
            except read.Invalid as error:
                self.assertEqual(len(str(error).splitlines()), 1)
                refused += 1
        self.assertGreater(refused, MUTATIONS // 10)
        self.assertGreater(drawn, 0)

    def test_hostile_results(self):
        sim = self.result(record={"interval": "10us"})
        path, generator = sim.directory / "result.json", random.Random(2)
        whole = path.read_bytes()
        made = refused = 0
        for number in range(MUTATIONS):
            path.write_bytes(changed(generator, whole))
            try:
                self.check_alone(Page(report.make_report(str(sim.directory), "0")))
                made += 1
            except read.Invalid as error:
                self.assertEqual(len(str(error).splitlines()), 1)
                self.assertIn(str(path), str(error))
                refused += 1
        self.assertGreater(made, 0)
        self.assertGreater(refused, MUTATIONS // 20)

    def test_what_is_wrong(self):
        sim = self.result()
        document = (sim.directory / "result.json").read_bytes()
        self.refused(self.directory / "absent", "absent")
        (self.directory / "empty").mkdir()
        self.refused(self.directory / "empty", "empty/result.json: no such file; `roost sim FILE -o DIR` writes it")
        for text, message in ((document[:len(document) // 2], "result.json: not valid JSON: "), (b"[" * 5000, "result.json: not valid JSON|nested too"),
                              (b"[]", "result.json: the file: not an object"), (b"{}", "result.json: [a-z]+: missing; another version"),
                              (document.replace(b'"completed": 14', b'"completed": -1', 1), "summary.completed: not a whole number"),
                              (document.replace(b'"completed": 14', b'"completed": NaN', 1), "NaN is not a number of JSON")):
            (sim.directory / "result.json").write_bytes(text)
            self.refused(sim, message)
        (sim.directory / "result.json").write_bytes(document)
        for name in ("flows.csv", "links.csv", "counters.csv"):
            kept = (sim.directory / name).read_bytes()
            (sim.directory / name).unlink()
            self.refused(sim, f"{name}: no such file")
            (sim.directory / name).write_bytes(kept)
        (sim.directory / "film").write_bytes(b"GIF89a" * 100)
        self.refused(sim, "out[^ ]*/film: not a valid film: it does not begin as a film of version 1|film: not a valid film")

    def test_where_it_goes(self):
        sim = self.result(record={"interval": "10us"})
        self.refused(sim, "no/report.html: No such file or directory", 1, "no/report.html")
        (self.directory / "folder").mkdir()
        self.refused(sim, "folder: Is a directory", 1, "folder")
        mine = self.directory / "mine.yaml"
        mine.write_text("fabric: {}\n")
        self.refused(sim, "mine.yaml: exists and is not a report; remove it, or choose another name", 2, "mine.yaml")
        self.assertEqual(mine.read_text(), "fabric: {}\n")
        self.refused(sim, "/proc/report.html: ", 1, "/proc/report.html")
        done = roost("report", sim.directory, status=2)
        self.assertIn("-o FILE is missing", done.err)

    def test_a_large_film_is_not_drawn(self):
        sim = self.result()
        whole = (sim.directory / "film").read_bytes()
        with open(sim.directory / "film", "ab") as file:
            file.truncate(film.FILM_BYTES_MAX + 1)
        self.assert_no_film(self.reported(sim).read_text())
        # A small file can be large once it is decompressed: intervals in which one value changes again and again.
        chunk = bytes((0, 2, 0, 1)) + bytes(film.CHUNKS_BYTES_MAX)
        packed = zlib.compress(chunk)
        (sim.directory / "film").write_bytes(whole[:whole.rindex(b"CHNK")] + film.HEAD.pack(b"CHNK", len(packed), 0, 1) + packed)
        self.assert_no_film(report.make_report(str(sim.directory), "0"))

    def assert_no_film(self, text):
        page = Page(text)
        self.assertIn("Not drawn: the film is too large; `roost web DIR` shows it.", page.texts["p"])
        self.assertEqual(page.of("iframe"), [])

    def test_no_player_in_a_report_that_would_be_too_large(self):
        sim = self.result()
        played = Page(report.make_report(str(sim.directory), "0"))
        with mock.patch.object(report, "REPORT_BYTES_MAX", 1 << 17):
            page = Page(report.make_report(str(sim.directory), "0"))
        self.assertEqual(page.of("iframe"), [])
        self.assertEqual(len(page.of("svg")), len(played.of("svg")))
        self.assertNotIn("script-src", next(one["content"] for one in page.of("meta") if "http-equiv" in one))

    def test_large_tables_are_left_out(self):
        """The report says which; the others are there."""
        sim = self.result(workload=[{"kind": "incast", "from": ["h2", "h3", "h5", "h6"], "to": "h1", "size": "1MB"}], tenants={},
                          switch={"preset": "lossy", "buffer": {"size": "1MB"}}, record={"interval": "10us", "queues": "all"})
        for name in ("flows.csv", "counters.csv", "queues.csv"):
            text = (sim.directory / name).read_bytes()
            last = text.splitlines(True)[-1]
            (sim.directory / name).write_bytes(text + last * (((1 << 20) - len(text)) // len(last) + 1))
        queues = sim.directory / "queues.csv"    # compressed, it is small until it is read
        queues.with_name("queues.csv.gz").write_bytes(gzip.compress(queues.read_bytes()))
        queues.unlink()
        with mock.patch.object(report, "TABLE_BYTES_MAX", 1 << 20):
            page = Page(report.make_report(str(sim.directory), "0"))
        self.assertIn("queues.csv.gz has more than 1 MB", "".join(page.texts["p"]))
        self.assertIn("Not listed: flows.csv has more than 1 MB.", page.texts["p"])
        self.assertIn("Ports not listed: counters.csv has more than 1 MB.", page.texts["p"])
        self.assertIn("completion times: flows.csv has more than 1 MB", "".join(page.texts["p"]))
        self.assertIn("links between leaf and spine", "".join(one.get("aria-label", "") for one in page.of("svg")))


if __name__ == "__main__":
    unittest.main()
