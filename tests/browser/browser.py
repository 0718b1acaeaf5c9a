# SPDX-License-Identifier: BSD-3-Clause
"""What browser tests share: a headless browser, and `roost web` for it to open.

Screenshots go to the build directory, screenshots/NAME.png, and stay there to be looked at."""
import json
import os
import re
import shutil
import signal
import subprocess
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
        if not (PACKAGES / "fetched").exists():
            raise AssertionError(f"{PACKAGES}: the npm packages are missing; testbeds/setup fetches them")
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
            self.process.wait(60)
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
            self.process.wait(60)
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

    def middle(self, box):
        """The middle of a box in the picture: an expression with `topology` and `layout`, in pixels of the page."""
        return self.browser.evaluate(f"""(() => {{ const {{ topology, layout }} = roost.views[0], {{ x, y, w = 0, h = 0 }} = {box},
            at = document.querySelector(".fabric canvas").getBoundingClientRect(); return [at.x + x + w / 2, at.y + y + h / 2]; }})()""")

    def host_at(self, name):
        return self.middle(f"layout.boxes[topology.by_name.get('{name}')]")

    def link_at(self, port):
        """The middle of the link at a port."""
        return self.middle(f"""(() => {{ const p = topology.port_by_name.get('{port}'), a = layout.ports[p], b = layout.ports[topology.ports[p].peer];
            return {{ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }}; }})()""")

    def drag_to_tenant(self, host, tenant, shot=None):
        """Presses the mouse on a host, moves it onto a tenant, and lets go."""
        self.browser.mouse(*self.host_at(host))
        self.browser.mouse(*self.host_at(host), "down")
        x, y = self.host_at(host)
        self.browser.mouse(x, y - 40)
        target = f".target[data-tenant='{tenant}']"
        self.browser.wait(f'document.querySelector("{target}")')
        x, y = self.browser.evaluate(f"""(() => {{ const b = document.querySelector("{target}").getBoundingClientRect();
            return [b.x + b.width / 2, b.y + b.height / 2]; }})()""")
        self.browser.mouse(x, y)
        self.browser.wait("document.querySelector('.target.over')")
        if shot:
            self.browser.shot(shot)
        self.browser.mouse(x, y, "up")

    def side_says(self, text):
        self.browser.wait(f"document.querySelector('#side')?.innerText.includes({text!r})")

    def press(self, label):
        """Clicks a button at the side."""
        self.browser.click(f"#side button:text-is('{label}')")

    def counters(self):
        """{(title, counter): value} of the table at the side."""
        rows = self.browser.evaluate("""[...document.querySelectorAll('.counters tbody')].flatMap(body => [...body.querySelectorAll('tr:has(td)')]
            .map(row => [body.querySelector('th').innerText, ...[...row.cells].map(cell => cell.innerText)]))""")
        return {(title, counter): value == "yes" or int("".join(value.split())) for title, counter, value in rows}

    def state(self, expression):
        return self.browser.evaluate(f"roost.{expression}")

    def assert_clean(self):
        self.assertEqual(self.browser.said(), [])
        self.assertEqual([one for one in self.browser.asked() if not one.startswith((self.url, "data:", "file:"))], [])
