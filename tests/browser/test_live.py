# SPDX-License-Identifier: BSD-3-Clause
"""The page of `roost web` on a live fabric: changes are staged, applied, confirmed and rolled back with the mouse."""
import collections
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "live"))
from browser import BrowserCase   # noqa: E402
from common import Fabric, LiveCase, Shared, demo, name_of, wait_until   # noqa: E402

KEY = "switch.qos.tc.3.ecn.min"
PICTURE = "roost.frames[0] && roost.views[0]?.layout"
LINK, PORT = "leaf1-spine1", "leaf1.swp5"
BURST = {"kind": "incast", "to": "h1", "from": ["h2", "h5", "h6"], "size": "200KB"}

# How many pixels in the middle of a link, where a link that is down has its cross, have the colour of text.
CROSS_PIXELS = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
  const { layout, topology, palette } = roost.views[0], p = topology.port_by_name.get(PORT);
  const a = layout.ports[p], b = layout.ports[topology.ports[p].peer], canvas = document.querySelector(".fabric canvas");
  const wanted = [1, 3, 5].map(i => parseInt(palette.ink.slice(i, i + 2), 16));
  const copy = new OffscreenCanvas(16, 16).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, Math.round((a.x + b.x) / 2) - 8, Math.round((a.y + b.y) / 2) - 8, 16, 16, 0, 0, 16, 16);
  const { data } = copy.getImageData(0, 0, 16, 16);
  let found = 0;
  for (let i = 0; i < data.length; i += 4)
    found += wanted.every((v, k) => Math.abs(v - data[i + k]) < 40);
  done(found);
})))""".replace("PORT", f"'{PORT}'")


class Live(BrowserCase, Shared):
    @classmethod
    def description(cls):
        description = demo(cls.name, attach=(), workload=[BURST])
        del description["tenants"]
        return description

    def marks_from(self):
        """The ECN minimum of class 3 that runs."""
        return self.up.show("config")["nodes"]["leaf1"]["values"][KEY.removeprefix("switch.")]["value"]

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

    def test_change_of_someone_else_waits(self):
        """The page counts down what the fabric says, not the time that the page itself would give."""
        self.open(self.web(self.name, "--allow-changes").url, ready="document.querySelector('#tab-changes')")
        self.browser.key("6")
        self.side_says("Nothing is staged")
        description = self.description()
        description["switch"]["qos"]["tc"][3]["ecn"]["min"] = "80KB"
        self.up.command("apply", self.file(description), "--confirm", "300s")
        self.addCleanup(self.up.command, "apply", "--confirm-no", status=None)
        self.browser.wait("/It will be undone in (300|29\\d)\\s/.test(document.querySelector('.waiting')?.innerText)")
        width = self.browser.evaluate("parseFloat(document.querySelector('.waiting .bar span').style.width)")
        self.assertTrue(90 < width <= 100, width)
        self.up.command("apply", "--confirm-no")
        self.browser.wait("!document.querySelector('.waiting')")
        self.assert_clean()

    def interface(self, port):
        node, name = port.split(".")
        return self.up.show("interface", port)["nodes"][node]["ports"][name]

    def test_fail_a_link(self):
        web = self.web(self.name, "--allow-changes")
        self.open(web.url, ready=PICTURE)
        self.assertEqual(self.browser.evaluate(CROSS_PIXELS), 0)
        self.browser.mouse(*self.link_at(PORT), "click")
        self.side_says(LINK)
        self.press("Fail the link")
        self.side_says("Bring the link up")
        self.assertEqual(self.interface(PORT)["state"], "down")
        is_down = f"roost.frames[0].down[roost.film.topology.port_by_name.get('{PORT}')] === 1"
        self.browser.wait(is_down)
        self.browser.mouse(5, 300)      # so that nothing is drawn over the link
        self.browser.key("Escape")
        self.browser.wait("roost.hover === null && roost.selection === null")
        self.assertGreater(self.browser.evaluate(CROSS_PIXELS), 10)
        self.browser.mouse(*self.link_at(PORT), "click")
        self.side_says("Bring the link up")
        for key, value in (("rate", "50G"), ("delay", "5us"), ("loss", "1%")):
            self.browser.fill(f".link label:has-text('{key}') input", value)
        self.press("Change")
        for now in ("rate, now 50G", "delay, now 5us", "loss, now 1%"):
            self.side_says(now)
        self.assertEqual(self.interface(PORT)["link"]["changed"], {"state": "down", "rate": "50G", "delay": "5us", "loss": "1%"})
        self.browser.shot("link-down")
        self.press("Bring the link up")
        self.side_says("Fail the link")
        self.assertEqual(self.interface(PORT)["link"]["changed"], {"rate": "50G", "delay": "5us", "loss": "1%"})
        self.browser.fill(".link label:has-text('rate') input", "banana")
        self.press("Change")
        self.browser.wait("document.querySelector('.notice')?.innerText.includes('banana')")
        self.press("Restore")
        self.browser.wait("!document.querySelector('.link b')")
        self.assertNotIn("link", self.interface(PORT))
        self.browser.wait(f"!({is_down})")
        self.up.command("link", LINK, "down")      # by someone else
        self.side_says("Bring the link up")
        self.up.command("link", LINK, "clear")
        self.side_says("Fail the link")
        self.assert_clean()

    def test_counters_of_a_port(self):
        """Each equals what `roost show` says, and no more are listed."""
        web = self.web(self.name)
        wait_until(lambda: (last := self.interface("leaf1.swp1")) and last["tx_packets"] and last == self.interface("leaf1.swp1"), "the burst ends")
        self.open(f"{web.url}?select=leaf1.swp1", ready=PICTURE)
        self.side_says("Counters that are not listed are 0.")
        shown = self.interface("leaf1.swp1")
        wanted = {("port", key): value for key, value in shown.items()
                  if type(value) is int and value and key not in ("rate_bps", "mtu")}
        for key, values in shown.items():
            if isinstance(values, list):
                for i, one in enumerate(values):
                    for counter, value in one.items() if isinstance(one, dict) else [(key, one)]:
                        if value not in (0, -1):
                            wanted[f"{ {'pg': 'priority group', 'queue': 'queue'}.get(key, 'priority')} {i}", counter] = value
        self.assertIn(("queue 3", "ecn_marked"), wanted)
        self.assertEqual(self.counters(), wanted)
        self.browser.evaluate("document.querySelector('.counters').scrollIntoView()")
        self.browser.shot("counters")
        self.browser.key("t")
        self.browser.evaluate("document.querySelector('.side').scrollTo(0, 0)")
        self.browser.shot("port-light")
        self.assert_clean()

    def test_films_of_too_many_intervals(self):
        """The page says why it shows nothing."""
        self.record_at(20, 30, 40, 50)
        self.open(self.web(self.name).url, ready="document.querySelector('main p.wait')")
        self.browser.wait("document.querySelector('main p.wait').innerText.startsWith('The fabric sends no film: films with 4 other intervals')")
        self.browser.shot("refused")
        self.assert_clean()

    def test_who_may_only_read(self):
        web = self.web(self.name)
        self.open(web.url, ready=PICTURE)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#tab-changes').length"), 0)
        self.browser.mouse(*self.link_at(PORT), "click")
        self.side_says(LINK)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#side form, #side input').length"), 0)
        self.assert_clean()
        status = self.browser.evaluate(f"""fetch("rpc", {{ method: "POST", headers: {{ "Content-Type": "application/json" }}, body: JSON.stringify(
            {{ jsonrpc: "2.0", id: 1, method: "link", params: {{ link: "{LINK}", state: "down" }} }}) }}).then(answer => answer.status)""")
        self.assertEqual(status, 403)
        self.assertEqual(self.interface(PORT)["state"], "up")


class Restarts(BrowserCase, LiveCase):
    def test_the_fabric_is_restarted(self):
        """The page shows the new film, of a fabric with another shape, and its log; then one of the same shape."""
        name = name_of("again")
        self.addCleanup(LiveCase.assert_clean, self, name)
        small, large = demo(name, attach=()), demo(name, attach=())
        large["fabric"]["topology"]["leaves"] = 3
        small.pop("attach"), large.pop("attach")
        with Fabric(self.file(small, f"{name}.yaml"), name):
            web = self.web(name, "--allow-changes")
            self.open(web.url, ready=PICTURE)
            self.browser.wait("roost.interval > 20")
            self.browser.mouse(*self.link_at(PORT), "click")
            self.press("Fail the link")
            self.browser.key("5")
            self.side_says(f"{LINK} down")
        self.browser.wait("roost.info.up === false")
        for description, leaves in ((large, 3), (large, 3)):
            with Fabric(self.file(description, f"{name}.yaml"), name):
                self.browser.wait(f"roost.film.topology.nodes.filter(n => n.role === 'leaf').length === {leaves} && roost.film.count > 0 && roost.film.count < 20")
                self.browser.wait("roost.follow && roost.frames[0]?.interval === roost.interval && roost.interval >= 20 && roost.interval === roost.film.count - 1")
                self.assertEqual(self.state("film.missed"), 0)
                self.assertEqual(self.browser.evaluate("document.querySelector('#side').innerText.includes('leaf1-spine1 down')"), False)
                self.assertEqual(self.state("info.up"), True)
            self.browser.wait("roost.info.up === false")
        self.assert_clean()     # what the page asks for in the moment without a fabric included


class Congested(BrowserCase, Shared):
    """Red's queue pairs are marked, and blue's streams lose packets: both begin when the page has been opened, and end."""

    @classmethod
    def description(cls):
        stream = {"kind": "stream", "rate": "80G", "priority": 0, "to": "h8", "at": "12ms", "until": "13ms"}
        return demo(cls.name, attach=(), workload=[*(stream | {"from": host} for host in ("h4", "h7")), BURST | {"at": "12ms"}]) | \
            {"hosts": {"placement": "out-of-order", "congestion": "window", "window": {"size": "200KB"}}}

    def totals(self):
        """{tenant: [marked, dropped]} of all switches, {reason: packets}, and the fabric's time in ns."""
        answer = self.up.show("tenant")
        tenants = {tenant: [sum(node["tenants"][tenant][key] for node in answer["nodes"].values()) for key in ("ecn_marked", "dropped")]
                   for tenant in ("red", "blue")}
        drops = collections.Counter()
        for node in self.up.show("drops")["nodes"].values():
            for port in node["ports"].values():
                drops.update(port["drops"])
        return tenants, dict(drops), answer["node_time_ns"]["leaf1"]

    def test_figures_are_those_of_show(self):
        web = self.web(self.name)
        self.open(web.url, ready=PICTURE)
        wait_until(lambda: self.totals()[2] > 14_000_000, "what was sent has arrived")
        tenants, drops, now = self.totals()
        self.browser.wait(f"roost.film.time_of(roost.film.count - 1) > {now}")
        self.assertGreater(tenants["red"][0], 0)
        self.assertGreater(tenants["blue"][1], 0)
        self.assertEqual((tenants["red"][1], tenants["blue"][0], sum(drops.values())), (0, 0, tenants["blue"][1]))
        for host, tenant in (("h1", "red"), ("h8", "blue")):
            self.browser.mouse(*self.host_at(host), "click")
            self.press(tenant)
            said = r"/this time, (.*) were marked CE and (.*) dropped/.exec(document.querySelector('#side').innerText)"
            self.browser.wait(said)
            marked, dropped = self.browser.evaluate(said)[1:]
            self.assertEqual([int(re.sub(r"\s", "", one)) for one in (marked, dropped)], tenants[tenant])
        self.browser.shot("tenant-drops")
        self.browser.key("3")
        self.browser.wait("document.querySelector('#side .reason')")
        sections = self.browser.evaluate("""[...document.querySelectorAll("#side .reason h3")].map(one =>
            [one.firstChild.textContent, one.lastChild.textContent])""")
        self.assertEqual({reason: int(re.sub(r"\s", "", count)) for reason, count in sections}, drops)
        self.browser.shot("live-drops")
        self.browser.key("4")
        self.side_says("tenant\thosts\trate")
        self.assertIn("blue", self.browser.text("#side table.tenants"))
        self.assert_clean()


def shown(size):
    """Bytes as the page writes them."""
    for unit, name in ((1e6, "MB"), (1e3, "KB")):
        if size >= unit:
            return f"{size / unit:.{2 if unit == 1e6 else 1 if size < 1e4 else 0}f} {name}"
    return f"{size} B"


class Slices(BrowserCase, Shared):
    """Hosts in namespaces; red has h1 and h5, blue h3 and h7. Red has a guarantee of two cells in a pool, and a share."""

    @classmethod
    def description(cls):
        description = super().description()
        description["tenants"]["red"]["buffer"] = {"guaranteed": "384B", "share": "25%"}
        return description

    def assert_pings(self, host, friends, strangers):
        for other in friends:
            self.ping(host, other)
            self.ping(other, host)
        for other in strangers:
            self.ping(host, other, count=2, status=1)
            self.ping(other, host, count=2, status=1)

    def wait_for_tenant(self, host, tenant):
        """The picture shows the host in it."""
        self.browser.wait(f"(t => t.tenants[t.nodes[t.by_name.get('{host}')].tenant]?.name === '{tenant}')(roost.film.topology)")

    def test_drag_a_host_to_a_tenant(self):
        web = self.web(self.name, "--allow-changes")
        self.open(web.url, ready=PICTURE)
        self.wait_for_tenant("h1", "red")
        self.assert_pings("h1", friends=["h5"], strangers=["h3", "h7"])
        self.drag_to_tenant("h1", "blue", shot="slice-drag")
        self.side_says("+ tenants.blue.hosts: [h3, h4, h7, h8, h1]")
        self.side_says("- tenants.red.hosts: [h1, h2, h5, h6]")
        self.ping("h1", "h5")       # nothing has changed yet
        self.press("Apply")
        self.side_says("Applied, but not confirmed")
        self.side_says("It will be undone in ")
        self.browser.shot("slice-applied")
        self.wait_for_tenant("h1", "blue")
        self.assert_pings("h1", friends=["h3", "h7"], strangers=["h5"])
        self.press("Undo it now")
        self.wait_for_tenant("h1", "red")
        self.assert_pings("h1", friends=["h5"], strangers=["h3"])

        # Again by keyboard, and kept; then rolled back.
        self.browser.key("/")
        self.browser.wait("document.querySelector('dialog .find') === document.activeElement")
        self.browser.type("h1")
        self.browser.key("Enter")
        self.browser.wait("document.querySelector('#side select')")
        self.browser.evaluate("document.querySelector('#side select').focus()")
        self.browser.key("b")
        self.side_says("+ tenants.blue.hosts: [h3, h4, h7, h8, h1]")
        self.press("Apply")
        self.side_says("Applied, but not confirmed")
        self.press("Keep the change")
        self.browser.wait("!document.querySelector('.waiting')")
        self.wait_for_tenant("h1", "blue")
        self.assert_pings("h1", friends=["h3"], strangers=["h5"])
        self.press("Roll back")
        self.side_says("Applied, but not confirmed")
        self.press("Keep the change")
        self.browser.wait("!document.querySelector('.waiting')")
        self.wait_for_tenant("h1", "red")
        self.assert_pings("h1", friends=["h5"], strangers=["h3"])
        self.assert_clean()

    def test_to_no_tenant_and_back(self):
        web = self.web(self.name, "--allow-changes")
        self.open(web.url, ready=PICTURE)
        for tenant, hosts, friends, strangers in (("rest", "[h2, h5, h6]", [], ["h5"]), ("red", "[h2, h5, h6, h1]", ["h5"], ["h3"])):
            self.drag_to_tenant("h1", tenant)
            self.side_says(f"+ tenants.red.hosts: {hosts}")
            self.press("Apply")
            self.side_says("Applied, but not confirmed")
            self.press("Keep the change")
            self.browser.wait("!document.querySelector('.waiting')")
            self.wait_for_tenant("h1", tenant)
            self.assert_pings("h1", friends, strangers)
        self.assert_clean()

    def test_who_may_only_read_cannot_drag(self):
        web = self.web(self.name)
        self.open(web.url, ready=PICTURE)
        x, y = self.host_at("h1")
        self.browser.mouse(x, y)
        self.browser.mouse(x, y, "down")
        self.browser.mouse(x, y - 60)
        self.browser.mouse(x, y - 60, "up")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.target').length"), 0)
        self.browser.mouse(*self.host_at("h1"), "click")
        self.side_says("tenant red")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#side select').length"), 0)
        self.browser.click("#side button:text-is('red')")
        self.side_says("Network")
        network = next(one for one in self.up.show("network")["networks"] if one["tenant"] == "red")
        self.assertIn(network["network"], self.browser.text("#side h3:text-is('Network') + table"))
        self.ping("h1", "h5")
        self.browser.wait("document.querySelector('#side .held')")
        self.browser.shot("tenant")
        held = {node: one["tenants"]["red"] for node, one in self.up.show("tenant")["nodes"].items()}
        self.assertGreater(held["leaf1"]["used_max"], 0)
        self.assertEqual({one["guaranteed"] for one in held.values()}, {768})       # of both ingress pools

        def rows(table):
            return self.browser.evaluate(f"[...document.querySelectorAll('#side .{table} tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")

        self.assertEqual({node: [peak, guaranteed] for node, _, peak, guaranteed in rows("held")},
                         {node: [f"{one['used_max']} B", f"{one['guaranteed']} B"] for node, one in held.items()
                          if one["used_max"] or one["guaranteed"]})
        self.assertEqual({(node, pool): limit for node, pool, _, limit in rows("shares")},
                         {(node, pool): shown(part["share"]) for node, one in held.items()
                          for pool, part in one.get("pools", {}).items() if part["share"] is not None})
        self.assertIn("leaf1", [row[0] for row in rows("shares")])
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()
