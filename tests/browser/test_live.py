# SPDX-License-Identifier: BSD-3-Clause
"""The page of `roost web` on a live fabric: changes are staged, applied, confirmed and rolled back with the mouse."""
import sys
import unittest
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "live"))
from browser import BrowserCase   # noqa: E402
from common import Shared, demo   # noqa: E402

KEY = "switch.qos.tc.3.ecn.min"


class Live(BrowserCase, Shared):
    @classmethod
    def description(cls):
        return demo(cls.name, attach=())

    def marks_from(self):
        """The ECN minimum of class 3 that runs."""
        return self.up.show("config")["nodes"]["leaf1"]["values"][KEY.removeprefix("switch.")]["value"]

    def side_says(self, text):
        self.browser.wait(f"document.querySelector('#side')?.innerText.includes({text!r})")

    def press(self, label):
        self.browser.click(f"#side button:text-is('{label}')")

    def test_changes(self):
        web = self.web(self.name, "--allow-changes")
        self.open(web.url, ready="document.querySelector('#tab-changes')")
        self.assertNotIn("token", self.browser.evaluate("location.href"))
        before = self.marks_from()
        self.browser.key("6")
        self.side_says("Nothing is staged")

        def apply(value):
            self.browser.fill("form.set input >> nth=0", KEY)
            self.browser.fill("form.set input >> nth=1", value)
            self.press("Stage")
            self.side_says(f"+ {KEY}: {value}")
            self.press("Apply")
            self.side_says("Applied, but not confirmed")

        apply("70KB")
        self.browser.shot("changes")
        self.assertEqual(self.marks_from(), "70KB")
        self.press("Undo it now")
        self.browser.wait("!document.querySelector('.waiting')")
        self.assertEqual(self.marks_from(), before)
        apply("90KB")
        self.press("Keep the change")
        self.browser.wait("!document.querySelector('.waiting')")
        self.assertEqual(self.marks_from(), "90KB")
        self.press("Roll back")     # the one before: the newest that does not run
        self.side_says("Applied, but not confirmed")
        self.press("Keep the change")
        self.browser.wait("!document.querySelector('.waiting')")
        self.assertEqual(self.marks_from(), before)
        self.browser.fill("form.set input >> nth=0", KEY)
        self.browser.fill("form.set input >> nth=1", "banana")
        self.press("Stage")
        self.browser.wait("document.querySelector('.notice')?.innerText.includes('banana')")

    def test_who_may_only_read(self):
        web = self.web(self.name)
        self.open(web.url, ready="roost.connected && document.querySelector('#tab-log')")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#tab-changes').length"), 0)


if __name__ == "__main__":
    unittest.main()
