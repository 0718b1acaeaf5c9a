# SPDX-License-Identifier: BSD-3-Clause
"""What the documentation says exists and works: drop reasons, links and drawings, files and parts of files, keys,
commands and what they print."""
import re
import shlex
import shutil
import unittest
from pathlib import Path
from xml.etree import ElementTree

from support import SANITIZED, SOURCE, Case, roost

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"^# FILE(?:[ \t]+(\S+))?[ \t]*$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
KEY = re.compile(r"`(?:switch\.|leaf\.|spine\.)?((?:qos|buffer|routing)\.(?!h\b|md\b)[\w.-]+)")
STATUS = re.compile(r"# exit status (\d)")
# A part of a file is completed by this: one switch of these ports, unless it says otherwise.
PORTS = "".join(f"    swp{i}: {{rate: 100G, cable: 5m}}\n" for i in range(1, 5))
TOP = ("events",)    # keys of the file itself; all others are the switch's
RUN = ("sim", "plot", "compare", "check", "replay", "where", "headroom", "help", "schema", "completion", "workload", "--help")
FABRIC = re.compile(r"^(?:fabric|switch):", re.M)
# Drawings that pages show, and where the commands of the page write them.
DRAWN = {"first-steps.md": {"first-queues.svg": "first/queues.svg"},
         "results.md": {f"plot-{one}.svg": f"exchange/{one}.svg" for one in ("fct", "uplinks", "queues", "pauses")}}


def pages():
    return [SOURCE / "README.md", *sorted((SOURCE / "doc").glob("*.md"))]


def blocks(page, language):
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


def files(page):
    """The complete files of a page: {name: text}."""
    found = {}
    for text in blocks(page, "yaml"):
        mark = FILE.search(text)
        if mark and FABRIC.search(text):
            found[mark.group(1) or f"example{len(found)}.yaml"] = text
    return found


HOSTS = "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}}\n"


def parts(page):
    """What else stands in a page as YAML, completed to files: of a fabric if it attaches hosts, else of one switch."""
    for text in blocks(page, "yaml"):
        if FILE.search(text):
            continue
        if re.search(r"^attach:", text, re.M):
            yield HOSTS + text
            continue
        top, own = "", f"  name: dut\n  ports:\n{PORTS}"
        for section in re.findall(r"^[\w-]+:.*\n(?:[ #].*\n)*", text, re.M):
            if section.split(":")[0] in TOP:
                top += section
            else:
                own += "".join(f"  {line}\n" for line in section.splitlines())
        yield f"switch:\n{own}{top}"


def commands(page):
    """The lines of a page that can be run here: (words behind `roost`, exit status, lines that it prints or [])."""
    for text in blocks(page, "console"):
        for entry in re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.M)[1:]:
            line, *told = entry.splitlines()
            words = shlex.split(line, comments=True)
            if any(mark in words for mark in ("|", ">", "&&", ";")):
                words = words[:min(words.index(m) for m in ("|", ">", "&&", ";") if m in words)]
            status = STATUS.search(line)
            if len(words) > 1 and words[0] == "roost" and words[1] in RUN:
                yield words[1:], int(status.group(1)) if status else 0, told


class Docs(Case):
    def test_there_are_pages(self):
        names = {page.name for page in pages()}
        self.assertLessEqual({"README.md", "commands.md", "configuration.md", "reference.md", "replay.md", "live.md", "buffer.md",
                              "qos.md", "presets.md", "counters.md", "results.md", "development.md", "index.md", "first-steps.md"}, names)

    def test_every_page_is_in_the_index(self):
        listed = set(LINK.findall((SOURCE / "doc/index.md").read_text()))
        self.assertEqual({path.name for path in (SOURCE / "doc").glob("*.md")} - listed, {"index.md"})

    def test_every_drop_reason_is_explained(self):
        source = (SOURCE / "dataplane/base/drop.h").read_text()
        reasons = re.findall(r'^\tX\(\w+, "([a-z-]+)"', source, re.M)
        self.assertGreater(len(reasons), 20)
        text = (SOURCE / "doc/counters.md").read_text()
        self.assertEqual([one for one in reasons if f"`{one}`" not in text], [])

    def test_every_answer_is_explained(self):
        """doc/answers.md has the kinds of answers and their help, to the letter."""
        rows = re.findall(r'X\(\w+, "([a-z-]+)",[\s\\]*"(.*?)"\)', (SOURCE / "dataplane/base/answer_kind.h").read_text())
        self.assertGreater(len(rows), 8)
        page = (SOURCE / "doc/answers.md").read_text()
        self.assertEqual([row for row in rows if f"| `{row[0]}` | {row[1]} |\n" not in page], [])

    def test_links_lead_somewhere(self):
        wrong = []
        for page in pages():
            for target in LINK.findall(page.read_text()):
                path = target.split("#")[0]
                if path and "://" not in target and not target.startswith("mailto:") \
                        and not (page.parent / path).exists():
                    wrong.append(f"{page.name}: {target}")
        self.assertEqual(wrong, [])

    def test_anchors_are_headings(self):
        wrong = []
        for page in pages():
            for target in LINK.findall(page.read_text()):
                path, _, anchor = target.partition("#")
                if not anchor or "://" in target:
                    continue
                headings = re.findall(r"^#+ (.+)$", (page.parent / path if path else page).read_text(), re.M)
                anchors = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
                if anchor not in anchors:
                    wrong.append(f"{page.name}: {target}")
        self.assertEqual(wrong, [])

    def test_drawings(self):
        """Each is shown by a page. A drawing is well-formed, has a title, and a ground of its own: pages may be dark."""
        shown = {(page.parent / target).resolve() for page in pages() for target in LINK.findall(page.read_text())
                 if target.endswith((".svg", ".png"))}
        there = sorted((SOURCE / "doc/figures").glob("*"))
        self.assertEqual(set(there), shown)
        for path in (one for one in there if one.suffix == ".svg"):
            with self.subTest(drawing=path.name):
                root = ElementTree.parse(path).getroot()
                name = root.tag.removesuffix("svg")
                self.assertIsNotNone(root.find(f"{name}title"))
                ground = root.find(f"{name}rect")
                self.assertEqual([ground.get(one) for one in ("width", "height", "fill")],
                                 [root.get("width"), root.get("height"), "#ffffff"])

    def test_keys_exist(self):
        """A key of a switch that a page names is one of reference.md, numbers of groups and classes aside."""
        known = re.findall(r"^\| `([\w.-]+)`", (SOURCE / "doc/reference.md").read_text(), re.M)
        words = {word for key in known for word in key.split(".")}
        wrong, count = [], 0
        for page in pages():
            for key in KEY.findall(page.read_text()):
                count += 1
                unknown = [one for one in key.rstrip(".").split(".")
                           if one not in words and not re.fullmatch(r"\d+(-\d+)?|N|POOL|swp(\d+|N)", one)]
                if unknown:
                    wrong.append(f"{page.name}: {key}: {unknown}")
        self.assertEqual(wrong, [])
        self.assertGreater(count, 100)

    def test_every_command_and_option_is_on_its_page(self):
        """doc/commands.md has a section for each command, and the options of its row, no others."""
        page = (SOURCE / "doc/commands.md").read_text()
        sections = re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", page, re.M | re.S)
        names = re.findall(r"^  ([a-z]+) ", roost("--help").out.partition("commands:")[2].partition("options:")[0], re.M)
        self.assertGreater(len(names), 20)
        for name in names:
            with self.subTest(command=name):
                text = "".join(title + body for title, body in sections if re.search(rf"(^|, ){name}\b", title))
                self.assertTrue(text)
                listed = roost(name, "--help").out.partition("\noptions:\n")[2]
                known = [set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", line.split("  ")[1])) for line in listed.splitlines()]
                on_page = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(re.findall(r"^\| `(-.*?) \|", text, re.M))))
                self.assertEqual(on_page - set().union(*known), set())
                missing = [names for names in known if not names & ({"--fabric", "--output"} | set(
                    re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text)))]
                self.assertEqual(missing, [])

    def test_every_view_of_show_is_on_its_page(self):
        """Every view of `show` stands in its help, and on its page with the same arguments."""
        known = {name for path in (SOURCE / "control/show").glob("*.c")
                 for name in re.findall(r'^\t\.name = "([a-z-]+)"', path.read_text(), re.M)}
        self.assertGreater(len(known), 12)
        usage = re.findall(r"roost show (.+)", roost("show", "--help").out)
        self.assertEqual(known, {line.split()[0] for line in usage})
        page = (SOURCE / "doc/commands.md").read_text().partition("\n## show WHAT\n")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| `([a-z][^`]*)`", page, re.M)
        rows += [row.replace("[vrf VRF]", "vrf VRF") for row in rows if "[vrf VRF]" in row]
        self.assertEqual(sorted(usage), sorted(row.replace(" [vrf VRF]", "") for row in rows),
                         'doc/commands.md, "show WHAT", does not list what `roost show --help` does')

    def test_counters_are_those_of_the_rows(self):
        """doc/counters.md has the tables that `roost schema --counters` prints, to the letter."""
        page = (SOURCE / "doc/counters.md").read_text()
        tables = roost("schema", "--counters").out.rstrip("\n").split("\n\n### ")
        self.assertEqual(len(tables), 7)
        for table in tables:
            # Names of metrics end in the unit.
            units = [line.split(" | ")[2] for line in table.splitlines() if line.startswith("| `")]
            self.assertEqual([unit for unit in units if not re.fullmatch("[a-z]*", unit.strip())], [])
            lines = [line for line in table.splitlines() if line not in page.splitlines() and "### " + line not in page]
            self.assertEqual(lines, [], "doc/counters.md lacks these lines of `roost schema --counters`")
            self.assertTrue(table + "\n" in page, "doc/counters.md has other lines in the table of " + table.split("\n")[0])

    def test_parts_of_files_are_good(self):
        count = 0
        for page in pages():
            for i, text in enumerate(parts(page)):
                with self.subTest(page=page.name, text=text):
                    roost("check", self.file(text, f"{page.stem}-{i}.yaml"))
                    count += 1
        self.assertGreaterEqual(count, 6)

    def test_files_are_good(self):
        count = 0
        for page in pages():
            bad = {word for words, status, _ in commands(page) if status == 2 for word in words}
            for name, text in files(page).items():
                with self.subTest(page=page.name, file=name):
                    roost("check", self.file(text, f"{page.stem}-{Path(name).name}"), status=2 if name in bad else 0)
                    count += 1
        self.assertGreaterEqual(count, 2)

    def test_commands_run(self):
        """With the exit status that the page tells, 0 unless told, and the lines that it shows: messages, then
        results."""
        count = shown = 0
        for page in pages():
            place = self.directory / page.stem
            shutil.copytree(SOURCE / "conf", place / "conf")
            for name, text in files(page).items():
                (place / name).write_text(text)
            # The page's scripts make its captures.
            for text in blocks(page, "python"):
                if "PcapWriter(" in text:
                    exec(compile(text.replace('PcapWriter("', f'PcapWriter("{place}/'), page.name, "exec"), {})
            for words, status, told in commands(page):
                named = [word.split("=")[-1] for word in words if re.search(r"\.(yaml|pcap)$", word)]
                if all((place / one).exists() for one in named):
                    with self.subTest(page=page.name, command=" ".join(words)):
                        done = roost(*words, cwd=place, status=status)
                        if told:
                            self.assertEqual((done.err + done.out).splitlines(), told)
                        count += 1
                        shown += bool(told)
            for drawing, made in DRAWN.get(page.name, {}).items():
                with self.subTest(page=page.name, drawing=drawing):
                    self.assertTrue((SOURCE / "doc/figures" / drawing).read_bytes() == (place / made).read_bytes(),
                                    f"copy {place / made} to doc/figures/{drawing}, and read again what the page says of it")
        self.assertGreaterEqual(count, 8)
        self.assertGreaterEqual(shown, 3)

    @unittest.skipIf(SANITIZED, "sanitizers are slow, and other tests run such files in a smaller form")
    def test_results_are_those_of_runs(self):
        """The lines that README.md, first-steps.md and results.md show of runs: these print them."""
        example = files(SOURCE / "doc/results.md")["exchange.yaml"]
        self.file(example, "exchange.yaml")
        self.file(example.replace("mode: ecmp", "mode: adaptive"), "spread.yaml")
        for name, text in files(SOURCE / "doc/first-steps.md").items():
            self.file(text, name)
        shutil.copytree(SOURCE / "conf", self.directory / "conf")
        readme, = (text for text in blocks(SOURCE / "README.md", "") if "== Live" in text)
        self.file(files(SOURCE / "doc/workloads.md")["step.yaml"], "step.yaml")
        step, = (text.partition("\n")[2] for text in blocks(SOURCE / "doc/results.md", "") if "sim step.yaml" in text)
        model, = (text.partition("\n")[2] for text in blocks(SOURCE / "README.md", "") if "sim conf/dense" in text)
        storms = [text for text in blocks(SOURCE / "doc/first-steps.md", "") if text.startswith("workload ")]
        compared = [text.partition("\n")[2] for text in blocks(SOURCE / "doc/results.md", "") if "compare exchange.yaml spread" in text]
        for words, text in (("sim conf/demo.yaml", readme[readme.index("\nworkload "):readme.index("== Live")]),
                            ("sim conf/dense-70b.yaml", model), ("sim step.yaml", step),
                            *zip(("sim first.yaml", "sim dcqcn.yaml"), storms, strict=True),
                            *zip(("compare exchange.yaml spread.yaml", "compare exchange.yaml spread.yaml --seeds 5"), compared, strict=True)):
            with self.subTest(words):
                lines = roost(*words.split(), cwd=self.directory).out.splitlines()
                self.assertEqual([line for line in text.splitlines() if line != "..." and line not in lines], [])
        # tests/fabric/test_story.py compares what paths.md shows with its runs.
        story = "".join(blocks(SOURCE / "doc/paths.md", "sh")).splitlines()
        told, = (text for text in blocks(SOURCE / "README.md", "") if "compare conf/story" in text)
        self.assertEqual([line for line in told.splitlines() if line not in story], [])


if __name__ == "__main__":
    unittest.main()
