# SPDX-License-Identifier: BSD-3-Clause
"""doc/regimes.md: the five files differ in their links, switches and hosts only, the page's tables and drawings have what
its commands give, and counters show the reasons that it tells. When the figures have changed for a good reason,
`PYTHONPATH=tests:tests/fabric python3 tests/fabric/test_regimes.py write` writes them into the page and draws again;
what the page says of them is then to be read again."""
import csv
import os
import re
import shlex
import shutil
import statistics
import sys
import tempfile
from string import Template

from common import *
from support import ROOST, SANITIZED, command

PAGE = SOURCE / "doc/regimes.md"
FIGURES = SOURCE / "doc/figures"
DRAWN = {"incast": "incast/together/queues.svg", "victim": "incast/together/progress.svg",
         "slower-link": "slower-link/together/progress.svg", "corrupting-link": "corrupting-link-1/together/progress.svg",
         "slow-host": "slow-host/together/progress.svg", "dead-spine": "dead-spine/together/progress.svg"}
NAMES = ["ethernet", "ecmp-dcqcn", "spectrum-x", "infiniband", "ultra-ethernet"]
CORRUPTING = [f"corrupting-link-{seed}" for seed in (1, 2, 3)]
SETTINGS = [("spectrum-x", "slower link", "slower-link", "routing.spine-notices=on"),
            ("ecmp-dcqcn", "storage mix, 99th percentile", "mix", "hosts.congestion=none"),
            ("spectrum-x", "incast, until it ends", "incast", "hosts.congestion=none"),
            ("spectrum-x", "slow host", "slow-host", "hosts.congestion=none"),
            ("ultra-ethernet", "corrupting link, first seed", "corrupting-link-1", "qos.llr.state=on"),
            ("ultra-ethernet", "slow host", "slow-host", "hosts.rto=100us"),
            ("ultra-ethernet", "dead spine", "dead-spine", "hosts.rto=100us")]


def three_digits(ps):
    for unit, size in (("ms", 1e9), ("us", 1e6)):
        if ps >= size:
            return f"{float(f'{ps / size:.3g}'):g} {unit}"
    raise ValueError(ps)


def commands():
    """Those of the page's parts with other workloads and faults."""
    text = PAGE.read_text()
    return re.findall(r"^\$ (.*)$", text[text.index("\n$ five="):], re.M)


def options(case):
    """What `run` gets in the page for a case, without what is for the drawing only."""
    lines = commands()
    variables = {"seed": "1"} | dict(found.groups() for line in lines if (found := re.match(r'(step)="(.*)"$', line)))
    runs = [re.search(r"\brun (.*?)(?:; done)?$", line) for line in lines]
    (line,) = (found for one in runs if one and (found := Template(one[1]).safe_substitute(variables)).startswith(f"{case} "))
    words = shlex.split(line)[1:]
    pairs = zip(words[::2], words[1::2])
    return [word for key, value in pairs if key != "--until" and not value.startswith("record=") for word in (key, value)]


def run_all(place):
    """Does what the page says, in an empty directory."""
    (place / "conf").symlink_to(SOURCE / "conf")
    path = f"{Path(ROOST).resolve().parent}:{os.environ['PATH']}"
    command("bash", "-ec", "\n".join(commands()), cwd=place, env=os.environ | {"PATH": path})


class Run:
    """The results of one run."""

    def __init__(self, directory):
        self.directory = directory
        self.result = json.loads((directory / "result.json").read_text())
        self.summary = self.result["summary"]
        self.items = {one["name"]: one for one in self.result["items"]}

    @property
    def step(self):
        return next(one["step_ps"] for one in self.result["collectives"] if one["kind"] == "step")

    def table(self, name):
        with open(self.directory / f"{name}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def counter(self, name, node="", port="", index=""):
        return [float(one["value"]) for one in self.table("counters") if one["counter"] == name and
                (not node or (one["node"], one["port"]) == (node, port)) and (not index or one["index"] == index)]


def table(head, rows):
    lines = [head, ["---"] * len(head)] + rows
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def storage_mix(runs):
    rows = []
    for name in NAMES:
        run = runs("mix", name)
        messages = run.items["storage"]
        stripes = max(run.items[f"stripe-{i}"]["fct_max_ps"] for i in (1, 2, 3))
        rows.append([name, three_digits(messages["fct_p50_ps"]), three_digits(messages["fct_p99_ps"]),
                     f"{messages['slowdown_p50']:.2f}", f"{messages['slowdown_p99']:.1f}", three_digits(stripes),
                     run.summary["drops"], run.summary["retransmitted"], run.summary["ecn_marked"]])
    return table(["File", "Median", "99th percentile", "Slowdown, median", "99th percentile", "Last of a stripe", "Dropped", "Sent again",
                  "ECN marks"], rows)


def cases(runs, cell):
    """A row for each file, with cell() of the runs of each case."""
    return [[name] + [cell([runs(one, name) for one in case]) for case in
                      (["calm"], ["slower-link"], CORRUPTING, ["incast"], ["slow-host"], ["dead-spine"])] for name in NAMES]


CASES = ["No fault", "Slower link", "Corrupting link", "Incast's victim", "Slow host", "Dead spine"]


def took(run):
    return run.items["victim"]["fct_max_ps"] if "victim" in run.items else run.step


def times(runs):
    return table(["Time", *CASES], cases(runs, lambda found: three_digits(statistics.median(map(took, found)))))


def losses(runs):
    def cell(found):
        return ", ".join(str(statistics.median(one.summary[key] for one in found)) for key in ("drops", "retransmitted"))
    return table(["Packets", *(one.removesuffix("'s victim") for one in CASES)], cases(runs, cell))


def incast(runs):
    rows = []
    for name in NAMES:
        run = runs("incast", name)
        victim = run.items["victim"]
        rows.append([name, three_digits(run.items["incast"]["fct_max_ps"]), three_digits(victim["fct_max_ps"]),
                     f"{victim['slowdown_max']:.2f}", f"{max(run.counter('depth_max', 'leaf1', 'swp1', '3')) / 1e6:.2f} MB",
                     run.summary["pfc_tx"], run.summary["ecn_marked"]])
    return table(["File", "Incast ends", "Victim ends", "Victim's slowdown", "Deepest queue to h1", "PFC frames", "ECN marks"], rows)


def what(run, case):
    """The time that the table of settings shows."""
    return {"mix": lambda: run.items["storage"]["fct_p99_ps"], "incast": lambda: run.items["incast"]["fct_max_ps"]}.get(
        case, lambda: run.step)()


def settings(runs, place):
    rows = []
    for name, words, case, setting in SETTINGS:
        changed = place / f"{case}-{name}"
        roost("sim", SOURCE / f"conf/{name}.yaml", "-o", changed, *options(case), "--set", setting, cwd=SOURCE)
        rows.append([name, words, f"`{setting}`", three_digits(what(runs(case, name), case)), three_digits(what(Run(changed), case))])
    return table(["File", "Case", "Setting", "As it is", "With it"], rows)


def share(run):
    """What leaf4 sends to spine1, of all that it sends up."""
    sent = {one["dst"].split(".")[0]: int(one["wire_bytes"]) for one in run.table("links") if one["src"].startswith("leaf4.")}
    return sent["spine1"] / sum(count for node, count in sent.items() if node.startswith("spine"))


def tables(runs, place):
    return [storage_mix(runs), times(runs), losses(runs), settings(runs, place), incast(runs)]


def reader(place):
    known = {}

    def runs(case, name):
        if (case, name) not in known:
            known[case, name] = Run(place / case / name)
        return known[case, name]
    return runs


def write():
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        run_all(place)
        text = PAGE.read_text()
        for one in tables(reader(place), place):
            head = one.splitlines()[0]
            shown = re.search(rf"^{re.escape(head)}\n(\|.*\n)*", text, re.M)
            if shown is None:
                raise SystemExit(f"the page has no table\n{one}")
            text = text.replace(shown.group(), one)
        for kind in ("spectrum-x", "infiniband", "ultra-ethernet"):
            print(kind, f"{100 * share(reader(place)('slower-link', kind)):.0f} %")
        PAGE.write_text(text)
        for drawing, made in DRAWN.items():
            shutil.copyfile(place / made, FIGURES / f"regimes-{drawing}.svg")


def rows():
    """{file: [cell]} of the table of the step."""
    found = re.findall(r"^\| ([a-z-]+) \| ([0-9.]+ .s \|.*) \|$", PAGE.read_text().partition("\n$ five=")[0], re.M)
    return {name: cells.split(" | ") for name, cells in found}


class Regimes(Case):
    def test_the_step_is_the_same(self):
        texts = [(SOURCE / f"conf/{name}.yaml").read_text() for name in NAMES]
        steps = {text[text.index("\nworkload:"):] for text in texts}
        self.assertEqual(len(steps), 1)
        self.assertEqual(len({re.search(r"topology: .*", text).group() for text in texts}), 1)

    @unittest.skipIf(SANITIZED, "a sanitizer takes minutes for them")
    def test_the_table(self):
        told = rows()
        self.assertEqual(list(told), NAMES)
        # README.md shows three columns of it, as `roost compare` prints them.
        readme = (SOURCE / "README.md").read_text().partition("roost compare ethernet.yaml")[2]
        for label, cell in (("step time", 0), ("drops", 3), ("sent again", 4)):
            shown = re.search(rf"^{label} +(\S.*)$", readme, re.M)
            self.assertEqual(re.split(r"  +", shown[1].replace("*", " ").removesuffix("...").strip()), [cells[cell] for cells in told.values()])
        for name in NAMES:
            with self.subTest(file=name):
                roost("sim", SOURCE / f"conf/{name}.yaml", "-o", self.directory / name)
                run = Run(self.directory / name)
                durations = {one["kind"]: one["step_ps"] for one in run.result["collectives"]}
                self.assertEqual(run.summary["completed"], run.summary["flows"])
                self.assertNotIn("stalled", run.summary)
                self.assertEqual(told[name], [three_digits(durations[kind]) for kind in ("step", "all-to-all", "all-reduce")] +
                                 [str(run.summary[key]) for key in ("drops", "retransmitted", "ecn_marked")])

    @unittest.skipIf(SANITIZED, "a sanitizer takes minutes for them")
    def test_mix_and_faults(self):
        run_all(self.directory)
        runs = reader(self.directory)
        text = PAGE.read_text()
        for one in tables(runs, self.directory):
            self.assertIn(one, text, "The page is of an earlier state: test_regimes.py write")
        for drawing, made in DRAWN.items():
            self.assertTrue((FIGURES / f"regimes-{drawing}.svg").read_bytes() == (self.directory / made).read_bytes(),
                            f"doc/figures/regimes-{drawing}.svg is of an earlier state: test_regimes.py write")
        for case in ["mix", "calm", "slower-link", *CORRUPTING, "incast", "slow-host", "dead-spine"]:
            for name in NAMES:
                self.assertEqual(runs(case, name).summary["completed"], runs(case, name).summary["flows"], (case, name))
        self.assert_reasons(runs, text)

    def assert_reasons(self, runs, text):
        """What the page says of the ways in which things go wrong."""
        for name in NAMES:
            self.assertEqual(runs("mix", name).summary["pfc_tx"], 0)
        # Packets that were sent again in the mix were trimmed.
        mix = runs("mix", "ultra-ethernet")
        self.assertEqual(sum(mix.counter("trimmed")), mix.summary["retransmitted"])
        # A slower link: leaf1 sends no data there, and the others as much as anywhere, or less.
        for name in ("spectrum-x", "infiniband"):
            sent = [float(one["load"]) for one in runs("slower-link", name).table("links") if one["dst"] == "spine1.swp1"]
            self.assertLess(sent[0], .01)     # acknowledgements
        for name in ("spectrum-x", "infiniband", "ultra-ethernet"):
            self.assertRegex(text, rf"{100 * share(runs('slower-link', name)):.0f} %\s+of\s+(what\s+leaf4\s+sends|leaf4's\s+bytes)")
        # With credits, leaf4 waits at its port to spine1 longer than any other port.
        waits = {(one["node"], one["port"]): float(one["value"]) for one in runs("slower-link", "infiniband").table("counters")
                 if one["counter"] == "credit_wait_ns" and one["index"] == "3"}
        self.assertEqual(max(waits, key=waits.get), ("leaf4", "swp9"))
        # A corrupting link, and a slow host: who drops. The switch trims nothing.
        self.assertEqual([one["reason"] for one in runs(CORRUPTING[0], "ethernet").result["drops"]], ["bad-fcs"])
        for name in ("ethernet", "ultra-ethernet"):
            slow = runs("slow-host", name)
            self.assertEqual(slow.counter("receive-buffer", "h1", "eth1"), [slow.summary["drops"]])
        self.assertEqual(runs("slow-host", "ultra-ethernet").counter("trimmed"), [])
        # Of the three seeds only the first, which is drawn, has `infiniband` wait for rto.
        waits = {case: max(int(one["fct_ps"]) for one in runs(case, "infiniband").table("flows")) >= 1e9 for case in CORRUPTING}
        self.assertEqual([case for case in CORRUPTING if waits[case]], CORRUPTING[:1])
        drawn, median = [three_digits(pick(runs(case, "infiniband").step for case in CORRUPTING)) for pick in (max, statistics.median)]
        self.assertRegex(text, rf"its\s+step\s+takes\s+{drawn};[^.]*the\s+median\s+in\s+the\s+table\s+is\s+{median}\.")
        # An incast: packets are trimmed at the port to h1, but for a few.
        beside = runs("incast", "ultra-ethernet")
        self.assertGreater(sum(beside.counter("trimmed", "leaf1", "swp1")), .99 * sum(beside.counter("trimmed")))
        self.assertEqual(beside.summary["drops"], 0)
        # DCQCN leaves the queue to h1 empty for a while, and the victim with less than a hundredth of its rate.
        for name in ("ecmp-dcqcn", "spectrum-x"):
            beside = runs("incast", name)
            depths = [float(one["leaf1.swp1.3"]) for one in beside.table("queues") if 300e3 <= float(one["time_ns"]) <= 450e3]
            self.assertEqual(set(depths), {0})
            self.assertLess(min(float(one["rate_gbps"]) for one in beside.table("rates")), 4)


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        write()
    else:
        unittest.main()
