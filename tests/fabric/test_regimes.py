# SPDX-License-Identifier: BSD-3-Clause
"""doc/regimes.md: the five files differ in their links, switches and hosts only, and the table has what they give."""
import re

from common import *
from support import SANITIZED

PAGE = SOURCE / "doc/regimes.md"
NAMES = ["ethernet", "ecmp-dcqcn", "spectrum-x", "infiniband", "ultra-ethernet"]


def rows():
    """{file: [cell]} of the table of results."""
    found = re.findall(r"^\| ([a-z-]+) \| ([0-9.]+ .s \|.*) \|$", PAGE.read_text(), re.M)
    return {name: cells.split(" | ") for name, cells in found}


def three_digits(ps):
    for unit, size in (("ms", 1e9), ("us", 1e6)):
        if ps >= size:
            return f"{float(f'{ps / size:.3g}'):g} {unit}"
    raise ValueError(ps)


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
        for name in NAMES:
            with self.subTest(file=name):
                roost("sim", SOURCE / f"conf/{name}.yaml", "-o", self.directory / name)
                result = json.loads((self.directory / name / "result.json").read_text())
                summary = result["summary"]
                times = {one["kind"]: one["step_ps"] for one in result["collectives"]}
                self.assertEqual(summary["completed"], summary["flows"])
                self.assertNotIn("stalled", summary)
                self.assertEqual(told[name], [three_digits(times[kind]) for kind in ("step", "all-to-all", "all-reduce")] +
                                 [str(summary[key]) for key in ("drops", "retransmitted", "ecn_marked")])


if __name__ == "__main__":
    unittest.main()
