# SPDX-License-Identifier: BSD-3-Clause
"""One exchange, five ways (conf/story, doc/paths.md): the five files differ where they say, the page's commands print
the page's figures, and the fullest link of a hash is as full as urns are."""
import math
import os
import re
import shutil

from common import *
from roost import ROOST, SANITIZED, command

STORY = SOURCE / "conf/story"
PAGE = SOURCE / "doc/paths.md"
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


def told():
    """The commands of the page's part and the lines that it shows of each: [(command, [line])]."""
    text = PAGE.read_text()
    part = text[text.index("\n## One exchange, five ways\n"):]
    found = []
    for block in re.findall(r"^```sh\n(.*?)^```$", part, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.startswith("> "):
                found[-1] = (found[-1][0] + "\n" + line[2:], found[-1][1])
            else:
                found[-1][1].append(line)
    return found


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
        place = {"cwd": self.directory, "env": os.environ | {"PATH": f"{Path(ROOST).resolve().parent}:{os.environ['PATH']}"}}
        shown = 0
        for words, lines in told():
            if words.startswith("for") and "roost plot" in words or words.startswith("roost plot"):
                continue    # gnuplot's work, which test_plot.py looks at
            printed = command("bash", "-c", words, **place).out.splitlines()
            for line in lines:
                shown += 1
                self.assertTrue(any(one.startswith(line) for one in printed), f"{words}: {line}: not in\n" + "\n".join(printed))
        self.assertGreater(shown, 20)
        rows = re.findall(r"^\| [^|]*`([\w./-]+\.yaml)` \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE.read_text(), re.M)
        self.assertEqual(len(rows), 5)
        for name, flows, expected, measured in rows:
            with self.subTest(file=name):
                links = roost("sim", self.directory / name, "--json").json["links"]
                loads = [one["wire_bytes"] for one in links if one["tier"] in ("leaf-spine", "spine-leaf")]
                self.assertEqual(len(loads), LINKS)
                self.assertEqual(f"{fullest(UPLINKS * int(flows)):.2f}", expected)
                self.assertEqual(f"{max(loads) * LINKS / sum(loads):.2f}", measured)


if __name__ == "__main__":
    unittest.main()
