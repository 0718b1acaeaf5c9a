# SPDX-License-Identifier: BSD-3-Clause
"""What the documentation says exists: drop reasons, files, links, commands."""
import re
import shlex
import shutil
import unittest
from pathlib import Path

from roost import SOURCE, Case, roost

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"^# FILE(?:[ \t]+(\S+))?[ \t]*$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
RUN = ("sim", "check", "replay", "where", "--help")
FABRIC = re.compile(r"^(?:fabric|switch):", re.M)


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


def commands(page):
    """The lines of a page that can be run here, as words behind `roost`."""
    for text in blocks(page, "console"):
        for line in text.replace("\\\n", " ").splitlines():
            if not line.startswith("$ roost "):
                continue
            words = shlex.split(line[2:], comments=True)[1:]
            if any(mark in words for mark in ("|", ">", "&&", ";")):
                words = words[:min(words.index(m) for m in ("|", ">", "&&", ";") if m in words)]
            if words and words[0] in RUN:
                yield words


class Docs(Case):
    def test_there_are_pages(self):
        names = {page.name for page in pages()}
        self.assertLessEqual({"README.md", "commands.md", "configuration.md", "replay.md", "live.md",
                              "counters.md", "development.md"}, names)

    def test_every_drop_reason_is_explained(self):
        source = (SOURCE / "dataplane/drop.h").read_text()
        reasons = re.findall(r'^\tX\(\w+, "([a-z-]+)"', source, re.M)
        self.assertGreater(len(reasons), 20)
        text = (SOURCE / "doc/counters.md").read_text()
        self.assertEqual([one for one in reasons if f"`{one}`" not in text], [])

    def test_links_lead_somewhere(self):
        wrong = []
        for page in pages():
            for target in LINK.findall(page.read_text()):
                path = target.split("#")[0]
                if path and "://" not in target and not target.startswith("mailto:") \
                        and not (page.parent / path).exists():
                    wrong.append(f"{page.name}: {target}")
        self.assertEqual(wrong, [])

    def test_files_are_good(self):
        count = 0
        for page in pages():
            for name, text in files(page).items():
                with self.subTest(page=page.name, file=name):
                    roost("check", self.file(text, f"{page.stem}-{Path(name).name}"))
                    count += 1
        self.assertGreaterEqual(count, 2)

    def test_commands_run(self):
        count = 0
        for page in pages():
            place = self.directory / page.stem
            shutil.copytree(SOURCE / "conf", place / "conf")
            for name, text in files(page).items():
                (place / name).write_text(text)
            # The page's scripts make its captures.
            for text in blocks(page, "python"):
                if "PcapWriter(" in text:
                    exec(compile(text.replace('PcapWriter("', f'PcapWriter("{place}/'), page.name, "exec"), {})
            for words in commands(page):
                named = [word.split("=")[-1] for word in words if re.search(r"\.(yaml|pcap)$", word)]
                if all((place / one).exists() for one in named):
                    with self.subTest(page=page.name, command=" ".join(words)):
                        roost(*words, cwd=place)
                        count += 1
        self.assertGreaterEqual(count, 4)


if __name__ == "__main__":
    unittest.main()
