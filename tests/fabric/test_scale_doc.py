# SPDX-License-Identifier: BSD-3-Clause
"""doc/scale.md: its table is what tests/bench/capacity computes, and its program prints what stands there. Its commands are run
by test_docs.py."""
import re
import unittest

from support import SOURCE, Case, command, roost

PAGE = (SOURCE / "doc/scale.md").read_text()


def block(after, language):
    """The first block of a language that follows a line of the page."""
    return re.search(rf"^```{language}\n(.*?)^```$", PAGE.partition(after)[2], re.M | re.S).group(1)


class Page(Case):
    def test_the_table_is_the_computed_one(self):
        self.assertIn("\n\n" + command("/usr/bin/python3", "-B", str(SOURCE / "tests/bench/capacity")).out + "\n", PAGE)

    def test_the_program_of_the_page(self):
        (self.directory / "pods.yaml").write_text(block("## Before a long run", "yaml"))
        roost("sim", "pods.yaml", "-j", "2", "-o", "pods", "--gzip", cwd=self.directory)
        done = command("/usr/bin/python3", "-c", block("## Results of large runs", "python"), cwd=self.directory)
        printed = "".join(line.rstrip() + "\n" for line in done.out.splitlines())
        self.assertEqual((printed, done.err), (block("It prints the loads", ""), ""))


if __name__ == "__main__":
    unittest.main()
