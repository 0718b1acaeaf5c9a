# SPDX-License-Identifier: BSD-3-Clause
"""A film of an incast shows the pause as it spreads: from the victim's leaf to the spines, and on to the other leaves."""
import csv
import re
import subprocess
import unittest
from pathlib import Path

from browser import ROOST, BrowserCase
from films import Film

INCAST = """\
fabric:
  name: incast
  topology: {kind: leaf-spine, leaves: 5, spines: 4, hosts-per-leaf: 8}
switch: {preset: spectrum-x, buffer: {size: 8MB}}
hosts: {congestion: none}
record: {interval: 5us, film: on}
workload:
  - {kind: incast, from: [h1-h4, h9-h12, h17-h20, h25-h28], to: h40, size: 600KB}
"""

CREDITS = """\
fabric:
  name: credits
  link-layer: infiniband
  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 4}
switch: {preset: infiniband, routing: {mode: adaptive}}
hosts: {placement: out-of-order}
record: {interval: 5us, film: on}
workload:
  - {kind: incast, from: h2-h16, to: h1, size: 300KB}
"""

TENANTS = """\
fabric:
  name: tenants
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}
switch: {preset: spectrum-x, buffer: {size: 2MB}, qos: {tc: {3: {ecn: {min: 20KB, max: 100KB}}}}}
record: {interval: 5us, film: on}
tenants:
  red: {hosts: [h1, h2, h6], vni: 5001}
  blue: {hosts: [h3, h5, h7, h8], vni: 5002}
workload:
  - {kind: incast, name: red, from: [h2, h6], to: h1, size: 200KB}
  - {kind: incast, name: blue, from: [h5, h7, h8], to: h3, size: 200KB}
"""

MODES = """\
fabric:
  name: MODE
  topology: {kind: leaf-spine, leaves: 2, spines: 8, hosts-per-leaf: 8}
switch: {preset: spectrum-x, routing: {mode: MODE}}
hosts: {placement: out-of-order}
record: {interval: 20us, film: on}
workload:
  - {kind: shift, by: 8, size: 1MB}
"""

# How many pixels between two ports, along the direction of the link, have the colour of pauses.
PAUSED_PIXELS = """(from => {
  const view = roost.views[0], { topology, layout, palette } = view;
  const a = layout.ports[topology.port_by_name.get(from)], b = layout.ports[topology.ports[topology.port_by_name.get(from)].peer];
  const canvas = document.querySelector(".fabric canvas"), context = canvas.getContext("2d");
  const wanted = [1, 3, 5].map(i => parseInt(palette.pause.slice(i, i + 2), 16));
  const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
  let found = 0;
  for (let step = 0.2; step < 0.8; step += 0.002) {
    const x = Math.round(a.x + (b.x - a.x) * step), y = Math.round(a.y + (b.y - a.y) * step);
    for (let dx = -3; dx <= 3; dx++) {
      const at = 4 * (y * canvas.width + x + dx);
      found += wanted.every((v, i) => Math.abs(v - data[at + i]) < 24);
    }
  }
  return found;
})"""


class Incast(BrowserCase):
    def test_incast_pauses_the_second_tier(self):
        Path("incast.yaml").write_text(INCAST)
        subprocess.run([ROOST, "sim", "incast.yaml", "-o", "incast"], check=True, capture_output=True)
        web = self.web("incast")
        self.open(web.url)
        # The first pause is that of the spines, by the victim's leaf; then the spines pause other leaves.
        self.browser.key("n")
        self.browser.wait("roost.frames[0].total.paused_ports > 0")
        paused = "[...roost.frames[0].paused].flatMap((share, p) => share > 0 ? [roost.film.topology.ports[p].full] : [])"
        first = self.browser.evaluate(paused)
        self.assertTrue(first and all(name.startswith("spine") for name in first), first)
        self.side_says("leaf5.swp8 cannot drain fast enough")
        second = []
        while not second and self.state("interval < roost.film.count - 1"):
            self.browser.key(".")
            self.browser.wait("roost.frames[0].interval === roost.interval")
            second = [name for name in self.browser.evaluate(paused) if name.startswith("leaf")]
        self.assertTrue(second, "no leaf was paused")
        self.assertGreater(self.browser.evaluate(f"new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>"
                                                 f"done({PAUSED_PIXELS}('{second[0]}')))))"), 20)
        idle = "leaf5.swp9"     # the victim's leaf is not paused
        self.assertEqual(self.browser.evaluate(f"{PAUSED_PIXELS}('{idle}')"), 0)
        self.browser.shot("incast-dark-1280")
        self.open(f"{web.url}?interval={self.state('interval')}&select={second[0]}", theme="light", width=1920, height=1080)
        self.side_says("queue 3")
        self.side_says("Counters that are not listed are 0.")
        with open("incast/counters.csv", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if f"{row['node']}.{row['port']}" == second[0]]
        titles = {"pg": "priority group", "drops": "dropped"}
        wanted = {(f"{titles.get(row['scope'], row['scope'])} {row['index']}".strip(), row["counter"]): int(row["value"]) for row in rows}
        self.assertIn(("priority 3", "pfc_rx_pause_ns"), wanted)
        self.assertEqual(self.counters(), wanted)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#side form').length"), 0)   # a film has no packets to capture
        self.browser.shot("incast-light-1920")
        self.open(f"{web.url}?interval=60&select=spine1.swp1")
        self.side_says("Above this scale: ECN min 150 KB, ECN max 1.50 MB.")
        self.open(f"{web.url}?interval=60&select=spine1")
        self.side_says("ingress-lossless")
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('.figure b')].filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"), [])
        self.assert_clean()

    def test_what_waits_for_credit(self):
        """With credits, waits stand where pauses do, and the far port withholds."""
        Path("credits.yaml").write_text(CREDITS)
        subprocess.run([ROOST, "sim", "credits.yaml", "-o", "credits"], check=True, capture_output=True)
        film = Film(Path("credits") / "film")
        self.assertTrue(film.meta["credits"])
        waits = film.of("paused", "leaf2.swp5", 3)
        self.assertEqual(max(film.of("pausing", "spine1.swp2", 3)), 0)
        interval = next(i for i, wait in enumerate(waits) if wait > 3000)
        web = self.web("credits")
        self.open(f"{web.url}?interval={interval}&select=leaf2.swp5")
        self.side_says("waits for credit")
        self.side_says("Receive buffers and withheld credit")
        shown = self.browser.evaluate("[...document.querySelectorAll('.figure')].map(one => one.innerText.replace(/\\s+/g, ' '))")
        self.assertIn(f"no credit {round(waits[interval] / 50)} %", shown)
        self.browser.key("Escape")
        self.assertGreater(self.browser.evaluate(f"new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>"
                                                 f"done({PAUSED_PIXELS}('leaf2.swp5')))))"), 20)
        self.open(f"{web.url}?interval={interval}")
        self.side_says("Where credit runs out")
        self.side_says("leaf1.swp1 cannot drain fast enough")
        self.side_says("It stops 5 switches and 15 hosts")
        self.assertNotIn("pause", self.browser.text("#side").lower())
        self.browser.shot("credits-dark-1280")
        self.assert_clean()

    def test_ecmp_beside_adaptive(self):
        """On one clock: hashed flows leave uplinks idle while others are full, and adaptive routing loads all alike."""
        films = {}
        for mode in ("ecmp", "adaptive"):
            Path(f"{mode}.yaml").write_text(MODES.replace("MODE", mode))
            subprocess.run([ROOST, "sim", f"{mode}.yaml", "-o", mode], check=True, capture_output=True)
            films[mode] = Film(Path(mode) / "film")
        web = self.web(*films)
        self.open(f"{web.url}?interval=2&select=leaf1", ready="roost.frames[1]?.interval === 2 && roost.views[1]?.layout")
        self.assertEqual(self.browser.evaluate("roost.frames.map(frame => frame.start)"), [40_000, 40_000])
        spread = {}
        for mode, film in films.items():
            self.press(mode)
            self.browser.wait(f"document.querySelector('#side .films [aria-pressed=true]').innerText === '{mode}'")
            cells = self.browser.evaluate("""[...document.querySelectorAll("#side table.ports tbody tr")].map(row =>
                [...row.cells].slice(0, 3).map(cell => cell.textContent))""")
            shown = {port: int(re.sub(r"\D", "", load)) for port, to, load in cells if to.startswith("spine")}
            self.assertEqual(len(shown), 8)
            rate = next(port["rate_bps"] for port in film.meta["ports"] if port["name"] == min(shown))
            spread[mode] = max(shown.values()) - min(shown.values())
            for port, percent in shown.items():
                bits = 8 * (film.of("tx_bytes", f"leaf1.{port}")[2] + 24 * film.of("tx_packets", f"leaf1.{port}")[2])
                self.assertAlmostEqual(percent, 100 * min(1, bits / (rate * 20e-6)), delta=0.5001)
        self.assertGreater(spread["ecmp"], 90)
        self.assertLess(spread["adaptive"], 20)
        for key, interval in ((".", 3), (",", 2)):
            self.browser.key(key)
            self.browser.wait(f"roost.frames.every(frame => frame.interval === {interval})")
        self.browser.shot("ecmp-adaptive")
        self.assert_clean()

    def test_marks_of_tenants(self):
        """What the panel of a tenant says is in the film's columns, whose sums are the counters."""
        Path("tenants.yaml").write_text(TENANTS)
        subprocess.run([ROOST, "sim", "tenants.yaml", "-o", "tenants"], check=True, capture_output=True)
        film = Film(Path("tenants/film"))
        self.assertLess(len(film.ends), 240)        # the charts show all of it
        web = self.web("tenants")
        for host, tenant in (("h1", "red"), ("h5", "blue")):
            index = film.meta["tenants"].index(tenant)
            marked, dropped = (sum(sum(values) for (name, _, _, at), values in film.values.items() if (name, at) == (column, index))
                               for column in ("tenant_marked", "tenant_dropped"))
            self.assertGreater(marked, 0)
            self.open(f"{web.url}?interval=20&select={host}")
            self.browser.click(f"#side button:text-is('{tenant}')")
            self.side_says(f"Of its packets in this time, {marked} were marked CE and {dropped} dropped.")
            self.browser.wait("document.querySelector('#side [aria-label=\"packets marked and dropped over time\"]')")
        self.browser.shot("tenant-marks")


if __name__ == "__main__":
    unittest.main()
