# SPDX-License-Identifier: BSD-3-Clause
"""What `roost report` writes, opened from the file in a browser: it shows all sections, asks for nothing, runs no code but the
viewer of films, and fits its window and its paper."""
import struct
import subprocess
import unittest
from pathlib import Path

from browser import ROOST, BrowserCase

HOSTILE = """<img src=x onerror="parent.hacked=1"></pre><script>hacked=1</script>"""
FABRIC = f"""\
fabric:
  topology: {{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}}
switch: {{preset: spectrum-x, buffer: {{size: 4MB}}}}
hosts: {{congestion: none}}
tenants: {{red: {{hosts: [h1, h2, h5]}}}}
workload:
  - {{name: '{HOSTILE}', kind: incast, to: h1, from: [h2, h5], size: 2MB}}
  - {{name: a2a, kind: all-to-all, size: 1MB, hosts: [h3, h4, h6, h7]}}
record: {{interval: 10us, film: on, queues: all, pauses: all}}
"""


class Report(BrowserCase):
    def report(self):
        Path("hostile.yaml").write_text(FABRIC)
        subprocess.run([ROOST, "sim", "hostile.yaml", "-o", "out"], check=True, capture_output=True)
        subprocess.run([ROOST, "report", "out", "-o", "report.html"], check=True, capture_output=True)
        return Path("report.html").resolve().as_uri()

    def test_report(self):
        url = self.report()
        for theme, width, height in (("light", 1000, 900), ("dark", 1000, 900), ("light", 400, 900)):
            with self.subTest(theme=theme, width=width):
                self.open(url, ready=None, theme=theme, width=width, height=height)
                self.assertEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                self.assertGreater(self.browser.evaluate("document.querySelectorAll('figure svg').length"), 6)
                self.assertIn(HOSTILE, self.browser.text("#section-workload + div"))
                self.assertEqual(self.browser.evaluate("[typeof hacked, document.querySelectorAll('img').length]"),
                                 ["undefined", 0])
                # The ground of drawings is that of the page.
                self.assertEqual(self.browser.evaluate("getComputedStyle(document.querySelector('figure svg > rect')).fill"),
                                 self.browser.evaluate("getComputedStyle(document.body).backgroundColor"))
                # The film can be played in its frame, whose origin is its own.
                # A browser draws a frame only while it is seen.
                self.browser.evaluate("document.querySelector('iframe').scrollIntoView()")
                self.browser.wait_frame("!!globalThis.roost && !!(roost.frames[0] && roost.views[0]?.layout)")
                self.assertEqual(self.browser.evaluate("document.querySelector('iframe').contentDocument"), None)
                self.browser.shot(f"report-{theme}-{width}-film")
                self.browser.evaluate("scrollTo(0, 0)")
                self.browser.shot(f"report-{theme}-{width}")
                self.assert_clean()

    def test_a_reduced_film_alone(self):
        """The player plays a film with fewer intervals, and a film without results."""
        self.report()
        for name in Path("out").iterdir():
            if name.name != "film":
                name.unlink()
        with open("out/film", "ab") as film:
            film.write(struct.pack("<4sIII", b"SKIP", 3 << 20, 0, 0) + bytes(3 << 20))
        subprocess.run([ROOST, "report", "out", "-o", "report.html"], check=True, capture_output=True)
        self.open(Path("report.html").resolve().as_uri(), ready=None, theme="light", width=1000, height=900)
        self.assertIn("Not in this report", self.browser.text("nav"))
        self.assertIn("Drawn at a resolution of", self.browser.text("#section-film + p"))
        self.browser.shot("report-alone")
        self.browser.evaluate("document.querySelector('iframe').scrollIntoView()")
        self.browser.wait_frame("!!globalThis.roost && !!(roost.frames[0] && roost.views[0]?.layout)")
        self.browser.shot("report-alone-film")
        self.assert_clean()

    def test_paper(self):
        url = self.report()
        self.open(url, ready=None, theme="dark", width=680, height=3000)    # 18 cm
        self.browser.media("print")
        self.assertEqual(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(self.browser.evaluate("['nav', 'iframe'].map(one => document.querySelector(one).getClientRects().length)"),
                         [0, 0])
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('.wide, pre, main')]"
                                               ".filter(one => one.scrollWidth > one.clientWidth).length"), 0)
        for word in ("What to look at", "was paused for", "Slowest flows", "hosts-per-leaf: 4", "digest of the results"):
            self.assertIn(word, self.browser.text("main"))
        self.browser.shot("report-paper")


if __name__ == "__main__":
    unittest.main()
