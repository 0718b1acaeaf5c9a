# SPDX-License-Identifier: BSD-3-Clause
"""The page of `roost web` with films: what it shows, how it is operated, and what it makes of films that are cut off."""
import base64
import json
import struct
import unittest
import zlib
from pathlib import Path

import film_maker
from browser import BUILD, SOURCE, BrowserCase
from film_maker import block, series, varint


def damaged_meta(film, key, field, value):
    """The META of a film, in which one field of the first of a list is wrong."""
    length, = struct.unpack_from("<I", film, 20)
    meta = json.loads(zlib.decompress(film[32:32 + length]))
    meta[key][0][field] = value
    return block("META", json.dumps(meta).encode())


def other_index(film, change):
    """A film whose INDX `change` has changed."""
    low, high = struct.unpack("<II", film[-8:])
    offset = low + (high << 32)
    index = json.loads(zlib.decompress(film[offset + 16:-16]))
    change(index)
    return film[:offset] + block("INDX", json.dumps(index).encode()) + film[-16:]


def put(*keys, value):
    """A change of what a path of keys leads to."""
    def change(index):
        for key in keys[:-1]:
            index = index[key]
        index[keys[-1]] = value
    return change


# The links, as pairs of ports, that have a halo: pixels beside the two lines, in the middle of the link, that are not the ground.
HALOED = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
  const { layout, topology } = roost.views[0], canvas = document.querySelector(".fabric canvas");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  done(topology.links.filter(([p, q]) => {
    const a = layout.ports[p], b = layout.ports[q], length = Math.hypot(b.x - a.x, b.y - a.y);
    let found = 0;
    for (let step = 0; step < 100; step++) {
      const along = 0.35 + step * 0.003, [x, y] = [a.x + (b.x - a.x) * along, a.y + (b.y - a.y) * along];
      found += [-3.6, 3.6].every(side => data[4 * (Math.floor(y + side * (b.x - a.x) / length) * canvas.width +
                                                   Math.floor(x - side * (b.y - a.y) / length))] > 40);
    }
    return found > 60;
  }));
})))"""


# Takes the page's time into the test's hands: `show_at(ms)` is one more picture, at a time of the test's choice.
TIME_BY_HAND = """new Promise(done => {
  const real = requestAnimationFrame;
  let waiting = [];
  globalThis.requestAnimationFrame = call => waiting.push(call);
  globalThis.show_at = ms => {
    const calls = waiting;
    waiting = [];
    calls.forEach(call => call(ms));
  };
  real(() => real(() => done()));    // what waited for a real picture has run, and asked for the next one
})"""


class Film(BrowserCase):
    def directory(self, name, data):
        path = Path(name)
        path.mkdir(exist_ok=True)
        (path / "film").write_bytes(data)
        return path

    def made(self, name="made", **shape):
        return self.directory(name, film_maker.make(**shape))

    def test_keys(self):
        web = self.web(self.made(leaves=2, flows=4, incast=3, intervals=200))
        self.open(web.url)
        for key, interval in ((".", 1), (".", 2), ("ArrowRight", 3), (",", 2), ("End", 199), ("ArrowLeft", 198), ("Home", 0)):
            self.browser.key(key)
            self.browser.wait(f"roost.interval === {interval}")
        self.browser.key("n")
        self.browser.wait("roost.interval > 0 && roost.frames[0].interval === roost.interval")
        self.assertGreater(self.state("frames[0].total.paused_ports"), 0)
        self.browser.key("/")
        self.browser.wait("document.querySelector('dialog .find') === document.activeElement")
        self.browser.type("h5")
        self.browser.key("Enter")
        self.browser.wait("roost.selection?.kind === 'node' && !document.querySelector('dialog')")
        self.browser.wait("document.querySelector('#side').innerText.startsWith('h5')")
        self.browser.key("Escape")
        self.browser.wait("roost.selection === null")
        self.browser.key("?")
        self.browser.wait("document.querySelector('dialog')")
        self.browser.shot("keys")
        shown = [" | ".join(row) for row in self.browser.evaluate(
            "[...document.querySelectorAll('.help div')].map(row => [...row.children].map(one => one.innerText))")]
        documented = [line.strip("| ").replace("`", "") for line in (SOURCE / "doc/web.md").read_text().split("| Key |")[1].splitlines()[2:]
                      if line.startswith("|")]
        self.assertEqual(documented[:len(shown)], shown)
        self.browser.key("Escape")
        self.browser.wait("!document.querySelector('dialog')")
        theme = self.browser.evaluate("document.documentElement.dataset.theme")
        self.browser.key("t")
        self.browser.wait(f"document.documentElement.dataset.theme !== '{theme}'")
        for tab, word in (("3", "dropped"), ("4", "blue"), ("5", "senders begin"), ("1", "Where pauses begin")):
            self.browser.key(tab)
            self.browser.wait(f"document.querySelector('#side').innerText.includes('{word}')")
        # Tab reaches every control, and what has the focus shows it.
        reached = set()
        for _ in range(40):
            self.browser.key("Tab")
            reached.add(self.browser.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"))
        self.assertLessEqual({"Find", "Keys", "Time", "Play", "One interval back"}, reached)
        self.browser.evaluate("document.querySelector('.strip').focus()")
        self.assertNotEqual(self.browser.evaluate("getComputedStyle(document.querySelector('.strip')).outlineStyle"), "none")
        self.assert_clean()

    def test_plays_to_the_end(self):
        web = self.web(self.made(leaves=2, flows=4, incast=3, intervals=100))
        self.open(web.url)
        self.browser.select(".speed select", "500")
        self.browser.evaluate("document.activeElement.blur()")
        self.browser.key(" ")
        self.browser.wait("!roost.playing && roost.interval === 99")
        self.assert_clean()

    def test_speed(self):
        web = self.web(self.made(leaves=2, flows=4, incast=3, intervals=100))
        for speed, label in ((1, "10 µs per second"), (2, "20 µs per second"), (10, "100 µs per second")):
            with self.subTest(speed):
                self.open(web.url)
                self.browser.select(".speed select", label)
                self.assertEqual(self.state("speed"), speed)
                self.browser.evaluate("document.activeElement.blur()")
                self.browser.evaluate(TIME_BY_HAND)
                start = self.browser.evaluate("Math.ceil(performance.now())")
                self.browser.evaluate(f"show_at({start})")
                self.browser.key(" ")
                self.browser.wait("roost.playing")
                shown = self.browser.evaluate(f"""Array.from({{ length: 32 }}, (_, i) => {{
                    show_at({start} + 125 * (i + 1)); return roost.interval; }})""")
                self.assertEqual(shown, [speed * (i + 1) // 8 for i in range(32)])
                self.browser.evaluate(f"show_at({start} + 4000)")
                self.browser.wait(f"document.querySelector('.clock b').innerText.trim() === '{40 * speed} µs'")
                self.assertEqual(self.browser.evaluate("document.querySelector('.strip').ariaValueNow"), str(4 * speed))
        for slower in (5, 2, 1, 1):
            self.browser.key("[")
            self.browser.wait(f"roost.speed === {slower}")
        self.assert_clean()

    def test_interval_of_the_address(self):
        web = self.web(self.made(leaves=2, flows=4, incast=3, intervals=100))
        for given, shown in (("40", 40), ("1000", 99), ("x", 0), ("1.5", 0)):
            with self.subTest(given):
                self.open(f"{web.url}?interval={given}", ready=f"roost.frames[0]?.interval === {shown}")
                self.assertEqual(self.state("interval"), shown)
        self.assert_clean()

    def test_mouse(self):
        web = self.web(self.made(leaves=2, flows=4, incast=3))
        self.open(f"{web.url}?interval=40")
        x, y = self.host_at("h2")
        self.browser.mouse(x, y)
        self.browser.wait("document.querySelector('.note')?.innerText.startsWith('h2')")
        self.assertTrue(self.browser.evaluate("document.querySelector('.note').getBoundingClientRect().bottom <= "
                                              "document.querySelector('.fabric canvas').getBoundingClientRect().bottom"))
        self.browser.shot("hover")
        self.browser.mouse(x, y, "click")
        self.browser.wait("document.querySelector('#side').innerText.startsWith('h2')")
        self.side_says("Flows now")
        self.assert_clean()

    def test_hover_of_a_host(self):
        """Its note counts its flows and names its tenant, and the paths of its flows are lit: as the film has them."""
        data = film_maker.make(leaves=2, flows=12, incast=3)
        web = self.web(self.directory("hover", data))
        self.open(f"{web.url}?interval=40")
        length, = struct.unpack_from("<I", data, 20)
        meta = json.loads(zlib.decompress(data[32:32 + length]))
        nodes = [node["name"] for node in meta["nodes"]]
        for host, tenant in (("h2", "blue"), ("h8", "green")):
            self.browser.mouse(*self.host_at(host))
            self.browser.wait(f"document.querySelector('.note b')?.innerText === '{host}'")
            now = [flow for flow in meta["flows"] if flow["start_ns"] <= 40 * film_maker.INTERVAL <= flow["end_ns"]]
            out, into = ([flow for flow in now if flow[end] == nodes.index(host)] for end in ("src", "dst"))
            self.assertTrue(out or into)
            note = dict(self.browser.evaluate("[...document.querySelectorAll('.note div')].map(row => [...row.children].map(one => one.innerText))"))
            self.assertEqual((note["flows"], note["tenant"]), (f"{len(out)} out, {len(into)} in", tenant))
            lit = self.browser.evaluate("[...roost.views[0].lit.ports.keys()].sort((a, b) => a - b)")
            self.assertEqual(lit, sorted({port for flow in out + into for port in flow["path"]}))
            haloed = self.browser.evaluate(HALOED)
            self.assertEqual([link for link in haloed if not {*link} & {*lit}], [])
            self.assertEqual({*lit} - {port for link in haloed for port in link}, set())
        self.assert_clean()

    def test_flows_that_a_live_film_does_not_know(self):
        """The note of such a host, and its panel, say why no flows are drawn; those of other hosts do not."""
        film = film_maker.make(leaves=2, flows=0, incast=3, intervals=60, index=False, kind="live")
        attached = film[:16] + damaged_meta(film, "ports", "device", True) + film[film.index(b"CHNK"):]
        many = film_maker.make(leaves=2, flows=2100, incast=3, intervals=60, kind="live")
        for name, data, host, said in (("attached", attached, "h1", "This is an attached host."), ("attached", attached, "h2", None),
                                       ("many", many, "h2", "A live film lists only the first 2,048 flows of the workload.")):
            with self.subTest(name, host=host):
                web = self.web(self.directory(name, data))
                self.open(web.url)
                self.browser.mouse(*self.host_at(host))
                self.browser.wait(f"document.querySelector('.note b')?.innerText === '{host}'")
                self.browser.shot(f"flows-{name}")
                self.browser.mouse(*self.host_at(host), "click")
                self.browser.wait(f"document.querySelector('#side').innerText.startsWith('{host}')")
                for where in (".note", "#side"):
                    shown = self.browser.text(where)
                    self.assertEqual([one for one in ("This is an attached host.", "A live film lists only the first 2,048 flows of the workload.") if one in shown],
                                     [said] if said else [])
                self.assert_clean()

    def test_thresholds_of_a_port(self):
        """The lines of the charts are drawn where the configuration has them, against the scale that is written at the top."""
        profile = {"queues": [{"tc": 3, "priorities": [3], "ecn_min": 200_000, "ecn_max": 500_000}],
                   "groups": [{"pg": 3, "priorities": [3], "xoff": 300_000, "xon": 100_000}]}
        web = self.web(self.made(leaves=2, flows=0, incast=3, profiles=[profile]))
        # The rows of a chart with a line of a colour across its left half, where no text is, as a value of its scale.
        rows = """((label, colour, top) => { const canvas = document.querySelector(`canvas[aria-label='${label}']`), { width, height } = canvas,
            wanted = [1, 3, 5].map(i => parseInt(roost.views[0].palette[colour].slice(i, i + 2), 16)),
            bottom = height - 1 - (label.includes("groups") ? 9 : 0), half = width >> 1,
            copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
          copy.drawImage(canvas, 0, 0);
          const { data } = copy.getImageData(0, 0, half, bottom), found = [];
          for (let y = 13; y < bottom; y++) {
            let n = 0;
            for (let x = 60; x < half; x++)
              n += wanted.every((v, i) => Math.abs(v - data[4 * (y * half + x) + i]) < 90);
            if (n > half / 8)
              found.push((bottom - y - 0.5) / (bottom - 13) * top);
          }
          return found; })"""
        for port, label, colour, top, lines in (("leaf2.swp4", "bytes waiting over time", "mark", 600_000, (500_000, 200_000)),
                                                ("leaf2.swp5", "bytes held by priority groups over time", "pause", 400_000, (300_000, 100_000))):
            with self.subTest(label):
                self.open(f"{web.url}?interval=10&select={port}")
                self.side_says("Priority groups and sent pauses")
                self.browser.shot(f"thresholds-{colour}")
                found = self.browser.evaluate(f"{rows}('{label}', '{colour}', {top})")
                for value in lines:
                    self.assertTrue(any(abs(value - one) < top / 80 for one in found), (value, found))
                self.assertEqual([one for one in found if all(abs(value - one) > top / 80 for value in lines)], [])

    def test_two_films(self):
        web = self.web(self.made("left", flows=10), self.made("right", flows=10, incast=2, intervals=200))
        self.open(f"{web.url}?interval=50", ready="roost.frames[1]?.interval === 50 && roost.views[1]?.layout")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.fabric canvas').length"), 2)
        self.assertEqual(self.browser.text("h1"), "left and right")
        self.browser.key("End")
        self.browser.wait("roost.interval === 299 && roost.frames[1].interval === 199")
        self.browser.shot("two")
        self.assert_clean()

    def test_last_interval_is_shorter(self):
        """Charts divide by the length that it has, as figures do: steady traffic looks the same in it as before."""
        web = self.web(self.made(leaves=2, flows=0, incast=3, intervals=80, final=2500))
        column = """(at => { const chart = document.querySelector('.chart'), x = Math.floor(chart.width * at / 80);
            return [...chart.getContext("2d").getImageData(x, 0, 1, chart.height).data].join(); })"""
        for what in ("leaf2.swp4", "leaf1.swp5"):     # its load; its pauses
            with self.subTest(what):
                self.open(f"{web.url}?interval=40&select={what}")
                self.browser.wait("roost.frames[0]?.interval === 40 && document.querySelector('.chart')")
                self.browser.wait(f"{column}(78.5) !== {column}(10.5)")
                self.assertEqual(self.browser.evaluate(f"{column}(79.5)"), self.browser.evaluate(f"{column}(78.5)"))
        self.open(f"{web.url}?interval=79&select=leaf2.swp4")
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('.figure b')].map(one => one.innerText)[0]"), "100 %")
        self.assertEqual(self.browser.text(".clock"), "790 µs of 793 µs")

    def test_kinds(self):
        shape = {"leaves": 2, "flows": 4, "incast": 3, "intervals": 100}
        for kind, ended, shown in (("sim", {"why": "end"}, "film"), ("live", {"why": "end"}, "film of a live fabric"),
                                   ("sim", None, "film, still running: reload for more"),
                                   ("live", None, "film of a live fabric, still running: reload for more")):
            with self.subTest(shown):
                web = self.web(self.made(**shape, kind=kind, ended=ended))
                self.open(web.url)
                self.assertEqual(self.browser.text("header .state"), shown)
                self.assert_clean()

    def test_cut_off(self):
        shape = {"leaves": 2, "flows": 4, "incast": 3, "intervals": 200}
        whole = film_maker.make(**shape, index=False)
        for name, data, count in (("no-index", whole, 200), ("in-a-chunk", whole[:-20], 192)):
            with self.subTest(name):
                web = self.web(self.directory(name, data))
                self.open(web.url)
                self.assertEqual(self.state("film.count"), count)
                self.assertGreater(max(self.state("film.totals().values[0]")), 0)
                self.assert_clean()

    def test_damaged(self):
        film = film_maker.make(leaves=2, flows=4, incast=3, intervals=100)
        at = film.index(b"CHNK") + 16
        count, places = 1 << 20, 70
        one = varint(1) + b"\0" + varint(count)      # a place with a series of zeros: 5 bytes
        large = block("CHNK", varint(0) + series([1] * count) + varint(0) + varint(places) + one * places, count=count)
        for name, data, said in (("random", b"GIF89a" * 100, "not a film"), ("newer", block("FILM", first=9) + film[16:], "version 9"),
                                 ("nothing", film[:16], "no description"), ("chunk", film[:at] + b"\xff" * 40 + film[at + 40:], "cannot be read"),
                                 ("ports", film[:16] + damaged_meta(film, "nodes", "ports", 10 ** 9), "the ports of node"),
                                 ("peer", film[:16] + damaged_meta(film, "ports", "peer", 10 ** 9), "description is damaged: port 0"),
                                 ("interval", film[:16] + block("META", b'{"nodes": [], "ports": [], "columns": []}'), "interval_ns must be a whole number above 0"),
                                 ("inflates", film[:16] + block("META", b" " * (80 << 20)), "larger than 64 MB"),
                                 ("decodes", film[:at - 16] + large, "larger than 256 MB")):
            with self.subTest(name):
                web = self.web(self.directory(name, data))
                self.open(web.url, ready=None)
                self.browser.wait(f"document.body.innerText.includes('{said}')")

    def test_damaged_index(self):
        """Whatever INDX says is checked against the film, and refused with what is wrong and where."""
        film = film_maker.make(leaves=2, flows=4, incast=3, intervals=100)
        chunk = film.index(b"CHNK")
        cases = (
            (put("blocks", value=7), "the film is damaged: its index has no list of blocks"),
            (put("blocks", 1, value=7), "block 1 is neither META nor CHNK"),
            (put("blocks", 1, 1, value="TAIL"), "block 1 is neither META nor CHNK"),
            (put("blocks", 1, 0, value=10 ** 12), "block 1 begins at byte 1000000000000, but must lie between bytes"),
            (put("blocks", 1, 0, value=16.5), "block 1 begins at byte 16.5, but"),
            (put("blocks", 2, 0, value=chunk), f"block 2 begins at byte {chunk}, but"),
            (put("blocks", 1, 3, value=0), "block 1 has 0 intervals; a chunk has 1 to 1048576"),
            (put("blocks", 1, 3, value=1 << 21), "block 1 has 2097152 intervals"),
            (put("blocks", 2, 2, value=63), "block 2 begins with interval 63; expected 64 or later"),
            (put("blocks", 1, 3, value=60), f"at byte {chunk} is not the one that the index lists"),
            (put("blocks", 1, 0, value=chunk + 1), "not a film, or damaged"),
            (put("blocks", 2, 2, value=1 << 31), "the film has 2147483684 intervals, and the page shows at most 16777216"),
            (put("overview", "every", value=0), "each point of its overview stands for 0 intervals; this must be 1 or more"),
            (put("overview", "tx_bytes", value="x" * 100), "the overview of column tx_bytes"),
            (put("overview", "tx_bytes", value=[-1] * 100), "the overview of column tx_bytes"),
            (put("overview", "tx_bytes", value=[1] * 101), "the overview of column tx_bytes has 101 points, but 100 intervals need 100"),
            (put("overview", "banana", value=[]), "the overview of column banana"),
            (put("peaks", "depth", value=1e300), "the peak of column depth"),
            (put("peaks", value=[]), "peaks is not an object"))
        films = [(other_index(film, change), said) for change, said in cases]
        films.append((film[:-8] + struct.pack("<II", 16, 0), "TAIL says that it begins at byte 16, but there is no valid index there"))
        for i, (data, said) in enumerate(films):
            with self.subTest(said):
                web = self.web(self.directory(f"index{i}", data))
                self.open(web.url, ready=None)
                self.browser.wait(f"document.body.innerText.includes({json.dumps(said)})")

    def test_memory_of_long_films(self):
        """What is decoded stays within its bound, and a film without an index has a strip of at most 4,096 points."""
        film = film_maker.make(leaves=2, flows=0, incast=3, intervals=64, index=False)
        count, places, chunks = 1 << 18, 10, 20
        place = series([5] * count)
        values = varint(0) + varint(places) + b"".join(varint(i > 0) + place for i in range(places))
        for i in range(chunks):
            first = 64 + i * count
            film += block("CHNK", varint(first * film_maker.INTERVAL) + series([film_maker.INTERVAL] * count) + values, first, count)
        web = self.web(self.directory("long", film))
        self.open(web.url)
        self.assertEqual(self.state("film.count"), 64 + chunks * count)
        held = self.browser.evaluate("""[...roost.film.ready.values()].flatMap(chunk => [chunk.starts, chunk.lengths,
            ...[...chunk.columns.values()].flatMap(column => column.series)]).reduce((sum, values) => sum + values.byteLength, 0)""")
        self.assertTrue(64 << 20 < held <= 192 << 20, held)
        totals = self.state("film.totals().values[0]")
        self.assertLessEqual(len(totals), 4096)
        own = self.browser.evaluate("roost.film.load(0).then(chunk => chunk.columns.get('tx_bytes').series.reduce((sum, one) => one.reduce((a, b) => a + b, sum), 0))")
        self.assertEqual(sum(totals), own + 5 * places * count * chunks)
        self.browser.key("End")
        self.browser.wait(f"roost.frames[0].interval === {64 + chunks * count - 1}")
        self.assert_clean()

    def test_without_a_server(self):
        page = (BUILD / "control/web/report.html").read_text()
        film = base64.b64encode(film_maker.make(leaves=2, flows=4, incast=3, intervals=100)).decode()
        self.assertIn("<!--ROOST-DATA-->", page)
        Path("report.html").write_text(page.replace(
            "<!--ROOST-DATA-->", f'<script type="application/x-roost-film" data-name="made">{film}</script>'))
        self.open(Path("report.html").resolve().as_uri())
        self.browser.key("End")
        self.browser.wait("roost.interval === 99 && roost.frames[0].interval === 99")
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()
