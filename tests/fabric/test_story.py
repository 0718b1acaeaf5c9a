# SPDX-License-Identifier: BSD-3-Clause
"""One exchange, five ways (conf/story, doc/paths.md): the five files differ where they say, the page's commands print
the page's figures, and the fullest link of a hash is as full as urns are. When the figures have changed for a good
reason, `PYTHONPATH=tests:tests/fabric python3 tests/fabric/test_story.py write` writes them into the page; what the
page says of them is then to be read again."""
import math
import os
import re
import shutil
import sys
import tempfile

from common import *
from support import ROOST, SANITIZED, command

STORY = SOURCE / "conf/story"
PAGE = SOURCE / "doc/paths.md"
DRAWN = {"story-fct.svg": "together/fct.svg", "story-ecmp.svg": "1-ecmp/uplinks.svg", "story-adaptive.svg": "5-out-of-order/uplinks.svg"}
NAMES = ["1-ecmp", "2-ecmp-qp", "3-flowlet", "4-in-order", "5-out-of-order"]
LINKS = 256    # 16 leaves x 8 uplinks, up and down
UPLINKS = 8


def fullest(flows):
    """Mean of the fullest of all links over the mean link, each with a binomial draw of a leaf's flows."""
    below, mean, before = 0.0, 0.0, 0.0
    for k in range(flows + 1):
        below += math.comb(flows, k) / UPLINKS**k * (1 - 1 / UPLINKS) ** (flows - k)
        now = min(below, 1.0) ** LINKS
        mean += k * (now - before)
        before = now
    return mean / (flows / UPLINKS)


def part():
    text = PAGE.read_text()
    return text[text.index("\n## One exchange, five ways\n"):]


def told():
    """The commands of the page's part and the lines that it shows of each: [(command, [line])]."""
    found = []
    for block in re.findall(r"^```sh\n(.*?)^```$", part(), re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.startswith("> "):
                found[-1] = (found[-1][0] + "\n" + line[2:], found[-1][1])
            else:
                found[-1][1].append(line)
    return found


def printed(words, place):
    """What a command of the page prints, by what a line begins with; without what `compare` says behind the columns."""
    path = f"{Path(ROOST).resolve().parent}:{os.environ['PATH']}"
    out = command("bash", "-c", words, cwd=place, env=os.environ | {"PATH": path}).out
    return {line[:18].strip(): re.sub(r"  \S+(, \S+)*( and \S+)? better .*|  no difference$", "", line).rstrip()
            for line in out.splitlines() if line.strip()}


def fullest_measured(file):
    with tempfile.TemporaryDirectory() as place:
        links = sim(file, out=place, roost=ROOST).links
    loads = [one["wire_bytes"] for one in links if one["tier"] in ("leaf-spine", "spine-leaf")]
    assert len(loads) == LINKS
    return max(loads) * LINKS / sum(loads)


def write():
    """Puts into the page what its commands print now."""
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(SOURCE / "conf", Path(place) / "conf")
        text = PAGE.read_text()
        for words, lines in told():
            now = printed(words, place)
            for line in lines:
                fresh = now[line[:18].strip()] if len(lines) > 1 else "".join(now.values())
                text = text.replace(f"\n{line}\n", f"\n{fresh}\n")
        for row, name in re.findall(r"^(\| [^|]*`([\w./-]+\.yaml)` \| \d+ \| [\d.]+ \| )[\d.]+ \|$", text, re.M):
            text = re.sub(re.escape(row) + r"[\d.]+", f"{row}{fullest_measured(Path(place) / name):.2f}", text)
    PAGE.write_text(text)


class Story(Case):
    def test_the_five_differ_in_routing_and_hosts_only(self):
        self.assertEqual(sorted(path.stem for path in STORY.glob("*")), NAMES)
        rest, own = set(), set()
        for name in NAMES:
            text = (STORY / f"{name}.yaml").read_text()
            self.assertEqual(roost("check", STORY / f"{name}.yaml").err, "")
            body = text[text.index("\nfabric:"):].replace(f"  name: {name[2:]}\n", "", 1)
            routing, hosts = re.search(r"^  routing: .*\n", body, re.M), re.search(r"^hosts: .*\n", body, re.M)
            own.add(routing.group() + hosts.group())
            rest.add(body.replace(routing.group(), "").replace(hosts.group(), ""))
        self.assertEqual((len(rest), len(own)), (1, 5))

    def test_small(self):
        """A quarter of the bytes of each: the same order, and what each has to pay."""
        took, summaries = [], []
        for name in NAMES:
            text = (STORY / f"{name}.yaml").read_text()
            self.assertEqual(text.count("size: 8MB"), 8)
            sim = self.sim(text.replace("size: 8MB", "size: 2MB"))
            assert_complete(self, sim)
            self.assertEqual(sim.summary["drops"], 0)
            took.append(max(one["step_ps"] for one in sim.result["collectives"]))
            summaries.append(sim.summary)
        ecmp, qps, flowlet, in_order, out_of_order = took
        self.assertLess(out_of_order, 0.85 * qps)
        self.assertLess(qps, 0.95 * ecmp)
        self.assertAlmostEqual(flowlet / ecmp, 1, delta=0.1)
        self.assertGreater(in_order, 1.5 * ecmp)
        for summary in summaries[:3]:
            self.assertEqual((summary["out_of_order"], summary["retransmitted"]), (0, 0))
        self.assertGreater(summaries[3]["retransmitted"], summaries[3]["out_of_order"])
        self.assertGreater(summaries[4]["out_of_order"], 0)
        self.assertEqual(summaries[4]["retransmitted"], 0)
        for summary in summaries[3:]:
            self.assertLess(summary["uplink_imbalance"], 0.1)

    @unittest.skipIf(SANITIZED, "the page's figures in full")
    def test_the_page(self):
        """Its commands, as they stand there, print what stands there; and so its table, and what theory has."""
        shutil.copytree(SOURCE / "conf", self.directory / "conf")
        shown = 0
        for words, lines in told():
            now = printed(words, self.directory)
            for line in lines:
                shown += 1
                self.assertIn(line, now.values(), f"{words}\nThe page is of an earlier state: test_story.py write")
        self.assertGreater(shown, 20)
        for drawing, made in DRAWN.items():
            self.assertTrue((SOURCE / "doc/figures" / drawing).read_bytes() == (self.directory / made).read_bytes(),
                            f"doc/figures/{drawing} is of an earlier state")
        rows = re.findall(r"^\| [^|]*`([\w./-]+\.yaml)` \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", part(), re.M)
        self.assertEqual(len(rows), 5)
        for name, flows, expected, measured in rows:
            with self.subTest(file=name):
                self.assertEqual(f"{fullest(UPLINKS * int(flows)):.2f}", expected)
                self.assertEqual(f"{fullest_measured(self.directory / name):.2f}", measured)


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        write()
    else:
        unittest.main()
