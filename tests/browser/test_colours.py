# SPDX-License-Identifier: BSD-3-Clause
"""The colours and forms of load, pauses, marks and drops, for readers who see fewer colours."""
import itertools
import re
import unittest
from pathlib import Path

import film_maker
from browser import BrowserCase

# What a reader sees, in linear sRGB: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of
# Color Vision Deficiency", IEEE TVCG 15(6), 2009, severity 1.0.
SIGHT = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1.0, 1.08883)
APART = 15      # CIE 1976 distance; about 2.3 can just be seen side by side

# Every stroke of the picture from now on: [colour, dashes, form].
RECORD = """(() => {
  const own = CanvasRenderingContext2D.prototype;
  let form = [];
  globalThis.strokes = new Set();
  for (const name of ["beginPath", "arc", "moveTo", "lineTo", "roundRect"]) {
    const call = own[name];
    own[name] = function (...given) {
      form = name === "beginPath" ? [] : [...form, name];
      return call.apply(this, given);
    };
  }
  const stroke = own.stroke;
  own.stroke = function () {
    strokes.add([this.strokeStyle, this.getLineDash().join(" "), form.join(" ")].join("|"));
    return stroke.call(this);
  };
})()"""


def apply(matrix, values):
    return [sum(a * b for a, b in zip(row, values)) for row in matrix]


def lab(colour, sight):
    """CIE Lab of #rrggbb, or of rgb(r,g,b), as a reader sees it."""
    channels = [int(colour[i:i + 2], 16) for i in (1, 3, 5)] if colour[0] == "#" else map(int, re.findall(r"\d+", colour))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (channel / 255 for channel in channels)]
    seen = [min(1, max(0, c)) for c in apply(SIGHT[sight], linear)]
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116
               for t in (c / white for c, white in zip(apply(TO_XYZ, seen), WHITE)))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one, other, sight):
    return sum((a - b) ** 2 for a, b in zip(lab(one, sight), lab(other, sight))) ** 0.5


class Colours(BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fabric = film_maker.Fabric(2, 2, 4)
        fabric.incast(range(4), 7, 0, 100)
        values = fabric.run(100)
        values["drops"] = {0: [3] * 100}
        cls.film = film_maker.encode(fabric.meta(), values, 100)

    def show(self, theme):
        path = Path("made")
        path.mkdir(exist_ok=True)
        (path / "film").write_bytes(self.film)
        self.open(self.web(path).url, theme=theme)
        self.assertEqual(self.browser.evaluate("document.documentElement.dataset.theme"), theme)

    def legend(self, text, attribute):
        """An attribute of what the legend draws beside a text."""
        return self.browser.evaluate(f"""[...document.querySelectorAll(".legend li")].filter(item => item.innerText.trim() === "{text}")
            .flatMap(item => [...item.querySelectorAll("[{attribute}]")].map(one => one.getAttribute("{attribute}")))""")

    def test_colours_are_apart(self):
        for theme in ("dark", "light"):
            self.show(theme)
            shown = {"load": self.browser.evaluate("Array.from({ length: 64 }, (_, i) => roost.views[0].palette.load_colour(i / 63))"),
                     "pause": self.legend("paused", "stroke"), "mark": self.legend("above ECN min", "fill"),
                     "drop": self.legend("drop", "stroke")}
            self.assertEqual(len(set(shown["load"])), 64)
            for name in ("pause", "mark", "drop"):
                self.assertEqual(set(shown[name]), {self.browser.evaluate(f"roost.views[0].palette.{name}")})
            for name in ("pause", "drop"):     # page.css has them again
                self.assertEqual({self.browser.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')")}, set(shown[name]))
            for sight, (one, other) in itertools.product(SIGHT, itertools.combinations(shown, 2)):
                with self.subTest(f"{theme}, {sight}: {one} and {other}"):
                    self.assertGreater(min(distance(a, b, sight) for a in shown[one] for b in shown[other]), APART)
            self.browser.evaluate("roost.go(60)")
            self.browser.wait("roost.frames[0].interval === 60")
            self.browser.shot(f"colours-{theme}")
        self.assert_clean()

    def test_forms_are_different(self):
        self.show("dark")
        self.browser.evaluate(RECORD)
        pause, = self.legend("paused", "stroke")
        drop = self.legend("drop", "stroke")[0]
        self.browser.evaluate("roost.go(60)")
        self.browser.wait(f"roost.frames[0].interval === 60 && "
                          f"['{drop}', '{pause}'].every(colour => [...strokes].some(one => one.startsWith(`${{colour}}|`)))")
        self.assertGreater(self.state("frames[0].total.paused_ports"), 0)
        strokes = [one.split("|") for one in self.browser.evaluate("[...strokes]")]
        dashes, = self.legend("paused", "stroke-dasharray")
        self.assertEqual({dash for colour, dash, form in strokes if colour == pause and form == "moveTo lineTo"}, {dashes})
        self.assertEqual({(dash, form) for colour, dash, form in strokes if colour == drop},
                         {("", "arc"), ("", "moveTo lineTo moveTo lineTo")})
        self.assertEqual(self.legend("drop", "stroke-dasharray"), [])
        self.assertEqual(self.legend("drop", "r"), ["6"])
        path, = self.legend("drop", "d")
        self.assertEqual(re.sub("[^A-Z]", "", path), "MLML")
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()
