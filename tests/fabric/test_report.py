# SPDX-License-Identifier: BSD-3-Clause
"""`roost report`: what a report contains, that it refers to nothing outside, that texts of a run stay texts, and that a directory
in which something is wrong leaves no report."""
import base64
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
SECTIONS = ["Summary", "What to look at", "Workload", "Tenants", "Collectives", "Steps", "Slowest flows", "Drops", "Plots", "Film", "Log",
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


def make_report(directory):
    return report.make_report(str(directory), "0", str(directory / "film"))


class Report(Case):
    def result(self, **sections):
        sections = {"workload": WORK, "record": RECORD, "hosts": {"congestion": "none"}, "tenants": {"red": {"hosts": ["h1", "h2", "h5"]}},
                    "switch": {"preset": "spectrum-x", "buffer": {"size": "4MB"}}} | sections
        return self.sim(fabric(2, 2, 4, **sections))

    def reported(self, sim, name="report.html"):
        path = self.directory / name
        done = roost("report", getattr(sim, "directory", sim), "-o", path)
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

    def is_made(self, path):
        """Whether there is a report of a result with a changed file; if not, one line says that it is this file."""
        try:
            self.check_alone(Page(make_report(path.parent)))
        except read.Invalid as error:
            self.assertEqual(len(str(error).splitlines()), 1)
            self.assertIn(str(path), str(error))
            return False
        return True

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
        drawn = refused = 0
        for _ in range(MUTATIONS):
            try:
                film.draw_film(film.Film("film", changed(generator, whole)), "run")
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
        made = 0
        for number in range(MUTATIONS):
            path.write_bytes(changed(generator, whole))
            made += self.is_made(path)
        self.assertGreater(made, 0)
        self.assertGreater(MUTATIONS - made, MUTATIONS // 20)

    def test_what_is_wrong(self):
        sim = self.result()
        document = (sim.directory / "result.json").read_bytes()
        self.refused(self.directory / "absent", "absent")
        (self.directory / "empty").mkdir()
        (self.directory / "lone").mkdir()
        (self.directory / "lone/film").write_bytes(b"any")
        self.refused(self.directory / "lone", "lone/film: not a valid film: it does not begin as a film of version 1")
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

    def test_a_large_film_is_reduced(self):
        """With as many intervals as fit, the drawings are those of the film; a film with more has exact sums."""
        sim = self.result()
        small = self.figures(self.reported(sim).read_text())
        self.grow(sim)
        text = self.reported(sim).read_text()
        self.assertEqual(self.figures(text), small)
        self.assertEqual(len(small), 3)
        self.assertIn("Drawn at a resolution of 10 us, which is one interval of the film.", Page(text).texts["p"])
        sim = self.result(record={"interval": "200ns", "film": "on"})
        whole = films.Film(sim.directory / "film")
        self.grow(sim)
        page = Page(self.reported(sim).read_text())
        every = -(-len(whole.ends) // 800)
        every = 1 << (every - 1).bit_length()
        self.assertGreater(every, 1)
        (said,) = [one for one in page.texts["p"] if one.startswith("Drawn at a resolution of")]
        self.assertRegex(said, rf", which is {2 * every} intervals of the film. The film is too large to include in full: each "
                               rf"interval in this report stands for {every} intervals of 200 ns. `roost web DIR` shows the film in full.$")
        if not page.of("iframe"):
            self.skipTest("built without the page")
        reduced = self.played(page)
        self.assertEqual((reduced.meta["every"], reduced.meta["interval_ns"], reduced.meta["lost"]), (every, 200 * every, 0))
        self.assertEqual(reduced.ends, [whole.ends[min(at + every, len(whole.ends)) - 1] for at in range(0, len(whole.ends), every)])
        kinds = {one["name"]: one["kind"] for one in whole.meta["columns"]}
        joins = {"sum": sum, "peak": max, "level": lambda values: values[-1]}
        wanted = {key: [joins[kinds[key[0]]](values[at:at + every]) for at in range(0, len(values), every)]
                  for key, values in whole.values.items()}
        self.assertEqual(reduced.values, {key: values for key, values in wanted.items() if any(values)})

    def grow(self, sim):
        """Makes the film larger than a report can hold, by a block that readers skip."""
        with open(sim.directory / "film", "ab") as file:
            file.write(film.HEAD.pack(b"SKIP", 3 << 20, 0, 0) + bytes(3 << 20))

    def figures(self, text):
        """The drawings of the film."""
        return [one for one in re.findall("<svg .*?</svg>", text, re.S) if ": film: " in one.partition(">")[0]]

    def played(self, page):
        """The film in the player."""
        (frame,) = page.of("iframe")
        path = self.directory / "played"
        path.write_bytes(base64.b64decode(Page(frame["srcdoc"]).texts["script"][0]))
        return films.Film(path)

    def test_a_film_that_cannot_be_reduced(self):
        """Values that change again and again take more memory than there is."""
        sim = self.result()
        whole = (sim.directory / "film").read_bytes()
        chunk = bytes((0, 2, 0, 1)) + bytes(film.CHUNKS_BYTES_MAX)
        packed = zlib.compress(chunk)
        (sim.directory / "film").write_bytes(whole[:whole.rindex(b"CHNK")] + film.HEAD.pack(b"CHNK", len(packed), 0, 1) + packed)
        page = Page(make_report(sim.directory))
        self.assertIn("Not drawn: the film is too large; `roost web DIR` shows it.", page.texts["p"])
        self.assertEqual(page.of("iframe"), [])
        (sim.directory / "result.json").unlink()
        with self.assertRaisesRegex(read.Invalid, "/film: too large for a report, and there is no result.json; `roost web DIR` shows it$"):
            make_report(sim.directory)

    def test_a_film_with_lost_intervals(self):
        """They count as zeros, and take as long as they took."""
        sim = self.result(record={"interval": "500ns", "film": "on"})
        path = sim.directory / "film"
        whole = films.Film(path)
        chunks = [(first, count) for kind, first, count, _ in films.reader.blocks(path) if kind == "CHNK"]
        first, count = chunks[1]
        self.drop(path, first)
        seen = film.Film("film", path.read_bytes())
        self.assertEqual((seen.lost, seen.end), (count, whole.ends[-1]))
        self.assertAlmostEqual(seen.ends[-1], whole.ends[-1] - whole.begin)
        sent = sum(sum(values) for _, values in seen.of("tx_packets"))
        self.assertEqual(sent, sum(sum(values[:first]) + sum(values[first + count:])
                                   for (name, *_), values in whole.values.items() if name == "tx_packets"))

        (sim.directory / "result.json").unlink()
        said = f"Lost because the recorder was too slow: {count} intervals. Lost intervals count as zeros."
        self.assertIn(said, Page(self.reported(sim).read_text()).texts["p"])
        self.grow(sim)    # reduced, it has no gap, but it knows
        self.assertIn(said, Page(self.reported(sim).read_text()).texts["p"])

    def drop(self, path, number):
        """Takes the chunk with that first interval out of a film."""
        data, at, kept = path.read_bytes(), 0, b""
        while at < len(data):
            kind, length, first, _ = film.HEAD.unpack_from(data, at)
            if (kind, first) != (b"CHNK", number):
                kept += data[at:at + film.HEAD.size + length]
            at += film.HEAD.size + length
        path.write_bytes(kept)

    def lone(self, sim, name, kind="live", **keys):
        """A directory with nothing but the film, as of a live fabric, with more keys."""
        (self.directory / name).mkdir()
        path = self.directory / name / "film"
        packed = zlib.compress(json.dumps({"kind": kind} | keys).encode())
        meta = film.HEAD.pack(b"META", len(packed), 0, 0) + packed
        path.write_bytes((sim.directory / "film").read_bytes() + meta)
        return path

    def test_a_film_alone(self):
        """What the report says of a live fabric is what its film has: here, that of a simulation says it of the same run."""
        work = [{"name": "in", "kind": "incast", "from": ["h2", "h3", "h5", "h6"], "to": "h1", "size": "1MB"},
                {"name": "late", "kind": "flow", "from": "h7", "to": "h8", "size": "40KB", "at": "100s"}]
        sim = self.result(workload=work, switch={"preset": "lossy", "buffer": {"size": "1MB"}}, stop="200us",
                          tenants={"red": {"hosts": ["h1", "h2", "h3", "h5", "h6"]}})
        document = json.loads((sim.directory / "result.json").read_text())
        path = self.lone(sim, "alone", events=[{"at_ns": 5000, "node": "leaf1", "queue": None, "what": "link", "message": HOSTILE}])
        page = Page(self.reported(path.parent).read_text())
        self.check_alone(page)
        self.assertEqual(page.texts["h2"], ["Summary", "What to look at", "Workload", "Tenants", "Slowest flows", "Drops", "Film", "Log",
                                            "Configuration", "Versions", "Not in this report"])
        whole, run = films.Film(path), dict(page.tables["the film as a whole"])
        sums = {}
        for (column, *_), values in whole.values.items():
            sums[column] = sums.get(column, 0) + sum(values)
        self.assertEqual((run["fabric"], run["recorded from"], run["nodes"]), ("fabric", "a live fabric", "2 leaves, 2 spines, 8 hosts"))
        self.assertEqual(run["drops"], f"{document['summary']['drops']:,}")
        self.assertEqual((run["packets sent by all ports"], run["packets marked by ECN"]),
                         (f"{sums['tx_packets']:,}", f"{sums.get('marked', 0):,}"))
        (deepest, port, index) = max((max(values), f"{node}.{port}", index) for (column, node, port, index), values in whole.values.items()
                                     if column == "depth_max")
        self.assertTrue(run["deepest queue"].startswith(f"{port}.{index}: {deepest / 1000:.4g} "), run)
        self.assertEqual(run["intervals"], f"{len(whole.ends)} of 10 us")
        complete = sum(one["end_ns"] is not None for one in whole.meta["flows"])
        self.assertEqual(run["flows complete"], f"{complete} of 5")
        began = sum(one["item"] == "in" for one in whole.meta["flows"])
        self.assertLess(complete, began)
        self.assertIn(f"{began - complete} of the {began} flows that began had not completed at the end of the film; a live film "
                      "updates the times of flows only once a second, so some may have completed", page.texts["li"])
        reasons = [[one["reason"], f"{one['packets']:,}", one["advice"]] for one in document["drops"]]
        self.assertEqual(page.tables["drops by reason"][1:], reasons)
        self.assertIn(f"{reasons[0][1]} packets were dropped with the reason {reasons[0][0]}: {reasons[0][2]}", page.texts["li"])
        ports = next(rows for caption, rows in page.tables.items() if caption.startswith("ports and reasons"))
        with open(sim.directory / "counters.csv") as file:
            dropped = {(f"{one['node']}.{one['port']}", one["counter"], f"{int(one['value']):,}") for one in csv.DictReader(file)
                       if one["scope"] == "drops"}
        self.assertEqual(set(map(tuple, ports[1:])), dropped)
        items = page.tables["flow completion times (FCT) by workload item"]
        self.assertEqual([row[:4] for row in items[1:]], [["in", "4", str(complete), "4 MB"], ["late", "1", "0", "40 KB"]])
        tenants = page.tables["what the switches received, marked and dropped, by tenant"]
        sums = {(tenant, name): sum(value for key, value in whole.totals().items() if key[0] == f"tenant_{name}" and key[-1] == index)
                for index, tenant in enumerate(("red", "rest")) for name in ("marked", "dropped")}
        self.assertGreater(sums["red", "marked"] + sums["red", "dropped"], 0)
        self.assertEqual([[row[0], *row[2:]] for row in tenants[1:]],
                         [[tenant, *(f"{sums[tenant, name]:,}" for name in ("marked", "dropped"))] for tenant in ("red", "rest")])
        (slowest,) = [rows for caption, rows in page.tables.items() if caption.startswith("flows, slowest first")]
        self.assertEqual(slowest[-1][1:5] + slowest[-1][-1:], ["late", "h7", "h8", "rest", "not complete"])
        self.assertEqual(page.tables["entries: 1"][1:], [["5 us", "leaf1", "link", SHOWN]])
        self.assertTrue(any(one.startswith("Packets: none were recorded.") for one in page.texts["li"]))
        self.assertNotIn("The film is incomplete", "".join(page.texts["p"]))
        drawings = [one["aria-label"].partition(": ")[2] for one in page.of("svg")]
        self.assertEqual(drawings[0], "film: loads of all links, by sending port")
        self.assertEqual(drawings[-1], "film: drops, by reason")

    def test_what_a_film_alone_says(self):
        """Its hints, how it ended, and what is beside it."""
        sim = self.result()
        path = self.lone(sim, "limit", ended={"at_ns": 5, "why": "limit"})
        (path.parent / "packets.pcapng").write_bytes(b"any")
        page = Page(make_report(path.parent))
        self.assertIn("The film ends early: it reached its limit.", page.texts["p"])
        self.assertIn("Packets: they are in packets.pcapng in the same directory.", page.texts["li"])
        wanted = json.loads((sim.directory / "result.json").read_text())["hints"][0]
        self.assertRegex(wanted, "^[^ ]+ was paused for")
        # Of the same port: the run and its film last about as long.
        (said,) = [one for one in page.texts["li"] if " was paused for " in one]
        self.assertEqual(*(re.sub(r"\d+ % of the (run|film)", "", one) for one in (said, wanted)))
        whole = path.read_bytes()
        path.write_bytes(whole[:whole.rindex(b"META", 0, whole.index(b"INDX"))])    # it is still being written
        page = Page(make_report(path.parent))
        self.assertIn("The film is incomplete: it is still being recorded, or the recording was interrupted.", page.texts["p"])

    def test_a_tenant_that_was_removed(self):
        """Its flows stay in the film of a live fabric, without its name."""
        sim = self.result(workload=[{"kind": "flow", "from": "h1", "to": "h2", "size": "40KB"}], tenants={"red": {"hosts": ["h1", "h2"]}})
        page = Page(make_report(self.lone(sim, "alone", tenants=[None, "rest"]).parent))
        (slowest,) = [rows for caption, rows in page.tables.items() if caption.startswith("flows, slowest first")]
        self.assertEqual([row[2:5] for row in slowest[1:]], [["h1", "h2", "\u2013"]])
        tenants = page.tables["what the switches received, marked and dropped, by tenant"]
        self.assertEqual([row[0] for row in tenants[1:]], ["rest"])

    def test_hostile_films_alone(self):
        sim = self.result()
        path, generator = self.lone(sim, "alone"), random.Random(3)
        whole, made = path.read_bytes(), 0
        meta = films.Film(path).meta
        for number in range(MUTATIONS // 3):
            text = changed(generator, json.dumps(meta).encode())
            packed = zlib.compress(text)
            path.write_bytes(whole + film.HEAD.pack(b"META", len(packed), 0, 0) + packed)
            made += self.is_made(path)
        self.assertTrue(0 < made < MUTATIONS // 3, made)

    def test_columns_that_change(self):
        """Values before the change would be of columns that are not there."""
        path = self.lone(self.result(), "alone")
        columns = films.Film(path).meta["columns"]
        packed = zlib.compress(json.dumps({"columns": columns[:-1]}).encode())
        path.write_bytes(path.read_bytes() + film.HEAD.pack(b"META", len(packed), 0, 0) + packed)
        with self.assertRaisesRegex(read.Invalid, "not a valid film: its columns change"):
            make_report(path.parent)

    def test_waits_for_credit(self):
        sim = self.result(tenants=None, switch={"buffer": {"cell": 64}, "qos": {"flow-control": "credit"}})
        page = Page(make_report(self.lone(sim, "alone").parent))
        self.assertIn("film: waits for credit, by port and lane", [one["aria-label"].partition(": ")[2] for one in page.of("svg")])
        self.assertIn("time without credit, summed over all ports and lanes", dict(page.tables["the film as a whole"]))
        self.assertTrue(any(re.match(r"\S+ waited for credit for \d+ % of the film in lane 3: ", one) for one in page.texts["li"]))

    def test_no_player_in_a_report_that_would_be_too_large(self):
        sim = self.result()
        played = Page(make_report(sim.directory))
        with mock.patch.object(report, "REPORT_BYTES_MAX", 1 << 17):
            page = Page(make_report(sim.directory))
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
            page = Page(make_report(sim.directory))
        self.assertIn("queues.csv.gz has more than 1 MB", "".join(page.texts["p"]))
        self.assertIn("Not listed: flows.csv has more than 1 MB.", page.texts["p"])
        self.assertIn("Ports not listed: counters.csv has more than 1 MB.", page.texts["p"])
        self.assertIn("completion times: flows.csv has more than 1 MB", "".join(page.texts["p"]))
        self.assertIn("links between leaf and spine", "".join(one.get("aria-label", "") for one in page.of("svg")))


if __name__ == "__main__":
    unittest.main()
