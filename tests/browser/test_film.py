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
        x, y = self.browser.evaluate("""(() => { const b = roost.views[0].layout.boxes[roost.film.topology.by_name.get("h2")],
            c = document.querySelector(".fabric canvas").getBoundingClientRect(); return [c.x + b.x + b.w / 2, c.y + b.y + b.h / 2]; })()""")
        self.browser.mouse(x, y)
        self.browser.wait("document.querySelector('.note')?.innerText.startsWith('h2')")
        self.assertTrue(self.browser.evaluate("document.querySelector('.note').getBoundingClientRect().bottom <= "
                                              "document.querySelector('.fabric canvas').getBoundingClientRect().bottom"))
        self.browser.shot("hover")
        self.browser.mouse(x, y, "click")
        self.browser.wait("document.querySelector('#side').innerText.startsWith('h2')")
        self.side_says("Flows now")
        self.assert_clean()

    def test_two_films(self):
        web = self.web(self.made("left", flows=10), self.made("right", flows=10, incast=2, intervals=200))
        self.open(f"{web.url}?interval=50", ready="roost.frames[1]?.interval === 50 && roost.views[1]?.layout")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.fabric canvas').length"), 2)
        self.assertEqual(self.browser.text("h1"), "left and right")
        self.browser.key("End")
        self.browser.wait("roost.interval === 299 && roost.frames[1].interval === 199")
        self.browser.shot("two")
        self.assert_clean()

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
                                 ("inflates", film[:16] + block("META", b" " * (80 << 20)), "larger than 64 MB"),
                                 ("decodes", film[:at - 16] + large, "larger than 256 MB")):
            with self.subTest(name):
                web = self.web(self.directory(name, data))
                self.open(web.url, ready=None)
                self.browser.wait(f"document.body.innerText.includes('{said}')")

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
