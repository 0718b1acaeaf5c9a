# SPDX-License-Identifier: BSD-3-Clause
"""The slides of `roost lab slides`, opened from the file: each fits its page and can be read from afar, keys work, and paper has
one slide a page."""
import re
import subprocess
import unittest
from pathlib import Path

from browser import ROOST, BrowserCase

LEAST_TEXT = 17     # px of the 720 of a slide: 2.4 % of its height
# What is wrong on each slide: parts outside of it or over its footer, parts over each other, and texts that are too small.
CHECK = """(() => {
  const found = [];
  for (const slide of document.querySelectorAll("section")) {
    const edge = slide.getBoundingClientRect(), scale = edge.height / 720, name = slide.ariaLabel;
    const foot = slide.querySelector("footer").getBoundingClientRect().top;
    const parts = [...slide.querySelectorAll("h2, .text, figure, figure svg, li, td, th, .bars span, data")];
    for (const one of parts) {
      const box = one.getBoundingClientRect();
      if (box.width === 0)
        continue;
      if (box.left < edge.left || box.right > edge.right || box.top < edge.top || box.bottom > foot + 1)
        found.push(`${name}: ${one.tagName}.${one.className} ${one.textContent.slice(0, 30)} is outside`);
    }
    const blocks = [...slide.querySelector(".body").children].map((one) => one.getBoundingClientRect());
    for (let i = 1; i < blocks.length; i++)
      if (blocks[i].top < blocks[i - 1].bottom - 1 && blocks[i].left < blocks[i - 1].right - 1)
        found.push(`${name}: parts overlap`);
    for (const one of slide.querySelectorAll("h2, p, li, td, th, .bars span, footer span")) {
      const size = parseFloat(getComputedStyle(one).fontSize);
      if (size < LEAST)
        found.push(`${name}: ${size} px: ${one.textContent.slice(0, 30)}`);
      if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
        found.push(`${name}: cut: ${one.textContent.slice(0, 30)}`);
    }
    for (const one of slide.querySelectorAll("svg text")) {
      const size = parseFloat(one.getAttribute("font-size")) * one.ownerSVGElement.getScreenCTM().a / scale;
      if (size < LEAST)
        found.push(`${name}: ${size} px: ${one.textContent}`);
    }
    for (const image of slide.querySelectorAll("img")) {
      const size = 15 * Math.min(image.clientWidth / image.naturalWidth, image.clientHeight / image.naturalHeight);
      if (!image.complete || !image.alt || size < LEAST)
        found.push(`${name}: a picture with texts of ${size} px, or without words`);
    }
  }
  return found;
})()""".replace("LEAST", str(LEAST_TEXT))


class Slides(BrowserCase):
    def slides(self):
        subprocess.run([ROOST, "lab", "slides", "class.html"], check=True, capture_output=True)
        return Path("class.html").resolve().as_uri()

    def at(self):
        return self.browser.evaluate("[...document.querySelectorAll('section')].filter(one => getComputedStyle(one).visibility === 'visible')"
                                     ".map(one => Number(one.id.slice(6)))")

    def test_slides(self):
        url = self.slides()
        for theme, width, height in (("light", 1280, 720), ("dark", 1280, 720), ("light", 1024, 768)):
            with self.subTest(theme=theme, width=width):
                self.open(url, ready=None, theme=theme, width=width, height=height)
                self.assertEqual(self.browser.evaluate(CHECK), [])
                self.assertEqual(self.browser.evaluate("getComputedStyle(document.querySelector('.chart svg > rect')).fill"),
                                 self.browser.evaluate("getComputedStyle(document.body).backgroundColor"))
                for number in (1, 5, 16, 22):
                    self.browser.evaluate(f"location.hash = '{number}'")
                    self.browser.wait(f"document.querySelector('#slide-{number}').classList.contains('now')")
                    self.browser.shot(f"slides-{theme}-{width}-{number}")
                self.assert_clean()

    def test_the_check_finds_what_is_wrong(self):
        self.open(self.slides(), ready=None)
        for change, error in (("#slide-3 td", "1,4 is outside"), ("#slide-7 .text p", "parts overlap")):
            self.browser.evaluate(f"document.querySelector('{change}').innerHTML = '1,4 is outside '.repeat(200)")
        wrong = self.browser.evaluate(CHECK)
        self.assertTrue(any("is outside" in one for one in wrong), wrong)
        self.browser.evaluate("document.querySelector('#slide-4 li').style.fontSize = '9px'")
        self.assertTrue(any(one.startswith("4: ") and "9 px" in one for one in self.browser.evaluate(CHECK)))

    def test_keys(self):
        self.open(self.slides(), ready=None)
        count = self.browser.evaluate("document.querySelectorAll('section').length")
        self.assertEqual(self.at(), [1])
        for key, now in (("ArrowRight", 2), (" ", 3), ("PageDown", 4), ("ArrowLeft", 3), ("End", count), ("ArrowRight", count),
                         ("Home", 1), ("PageUp", 1)):
            self.browser.key(key)
            self.assertEqual(self.at(), [now], key)
            self.assertEqual(self.browser.evaluate("location.hash"), f"#{now}")
        self.browser.key("ArrowRight")
        self.assertFalse(self.browser.evaluate("document.querySelector('#notes').checkVisibility()"))
        self.browser.key("n")
        self.assertTrue(self.browser.evaluate("document.querySelector('#notes').checkVisibility()"))
        self.assertIn("The exchange is over when the slowest flow is", self.browser.text("#said"))
        self.assertIn("next at minute 3:", self.browser.text("#clock"))
        # The slide makes room for them.
        self.assertTrue(self.browser.evaluate("document.querySelector('.now').getBoundingClientRect().bottom <="
                                              " document.querySelector('#notes').getBoundingClientRect().top + 1"))
        self.browser.shot("slides-notes")
        ground = "getComputedStyle(document.body).backgroundColor"
        before = self.browser.evaluate(ground)
        self.browser.key("d")
        self.assertNotEqual(self.browser.evaluate(ground), before)
        self.browser.key("n")
        self.assertFalse(self.browser.evaluate("document.querySelector('#notes').checkVisibility()"))
        self.assert_clean()

    def test_a_second_window(self):
        self.open(self.slides(), ready=None)
        self.browser.key("ArrowRight")
        self.browser.evaluate("dispatchEvent(new KeyboardEvent('keydown', {key: 'w'}))")
        now = "Number(document.querySelector('section.now')?.id.slice(6))"

        def wait_for(number):
            self.browser.wait_last(f"{now} === {number}")
        wait_for(2)
        self.browser.key("ArrowRight")
        wait_for(3)
        self.browser.evaluate_last("dispatchEvent(new KeyboardEvent('keydown', {key: 'End'}))")
        self.browser.wait(f"{now} === document.querySelectorAll('section').length")
        # Other windows are not obeyed.
        self.browser.evaluate("postMessage(0, '*')")
        self.browser.key("ArrowLeft")
        wait_for(self.browser.evaluate("document.querySelectorAll('section').length") - 1)

    def test_paper(self):
        self.open(self.slides(), ready=None, theme="dark")
        count = self.browser.evaluate("document.querySelectorAll('section').length")
        self.browser.key("n")
        self.browser.pdf(str(Path("class.pdf").resolve()))
        pages = re.findall(rb"/MediaBox \[([^\]]*)\]", Path("class.pdf").read_bytes())
        self.assertEqual(pages, [b"0 0 960 540"] * count)
        self.browser.media("print")
        self.assertEqual(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(self.browser.evaluate("['#notes', '#keys'].map(one => document.querySelector(one).getClientRects().length)"), [0, 0])
        self.assertEqual(self.browser.evaluate(CHECK), [])


if __name__ == "__main__":
    unittest.main()
