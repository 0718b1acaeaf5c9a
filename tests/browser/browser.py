# SPDX-License-Identifier: BSD-3-Clause
"""What browser tests share: a headless browser, and `roost web` for it to open.

Screenshots go to the build directory, screenshots/NAME.png, and stay there to be looked at."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
ROOST = os.environ.get("ROOST", str(SOURCE / "build/roost"))
BUILD = Path(ROOST).parent
SHOTS = BUILD / "screenshots"
PACKAGES = BUILD / "browser"
STARTED = re.compile(r"(http://\S+) shows ")


def missing():
    """Why these tests cannot run here, or None."""
    if not (BUILD / "control/web/report.html").exists():
        return "the page was not built"
    if not shutil.which("chromium"):
        return "chromium is not installed"
    return None


class Browser:
    """Runs driver.mjs; its calls are methods here. An error in the page is an AssertionError."""

    def __init__(self):
        subprocess.run([sys.executable, str(SOURCE / "control/web/build.py"), "fetch", str(HERE), str(PACKAGES)], check=True)
        self.process = subprocess.Popen(["node", str(HERE / "driver.mjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=os.environ | {"ROOST_PACKAGES": str(PACKAGES)})

    def call(self, *words):
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the browser has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(f"{words[0]} {words[1:]}: {answer['error']}\n{self.call('said')}")
        return answer["value"]

    def __getattr__(self, name):
        return lambda *words, **options: self.call(name, *words, *([options] if options else []))

    def shot(self, name):
        SHOTS.mkdir(exist_ok=True)
        self.call("shot", str(SHOTS / f"{name}.png"))

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


class Web:
    """A `roost web` of the test's own, for a fabric or directories with films."""

    def __init__(self, *words):
        self.process = subprocess.Popen([ROOST, "web", *map(str, words), "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = STARTED.match(line)
        if not found:
            raise AssertionError(line + self.process.communicate()[1])
        self.url = found[1]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        finally:
            self.process.kill()
            self.process.communicate()


class BrowserCase(unittest.TestCase):
    """One browser for the tests of a class; every page must be free of errors and ask its own server only."""

    @classmethod
    def setUpClass(cls):
        if reason := missing():
            raise unittest.SkipTest(reason)
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.end)

    def web(self, *words):
        web = Web(*words)
        self.addCleanup(web.end)
        return web

    def open(self, url, ready="roost.frames[0] && roost.views[0]?.layout", **options):
        self.url = url.split("?")[0]
        self.browser.open(url, **options)
        if ready:
            self.browser.wait(f"!!globalThis.roost && !!({ready})")

    def state(self, expression):
        return self.browser.evaluate(f"roost.{expression}")

    def assert_clean(self):
        self.assertEqual(self.browser.said(), [])
        self.assertEqual([one for one in self.browser.asked() if not one.startswith((self.url, "data:", "file:"))], [])
