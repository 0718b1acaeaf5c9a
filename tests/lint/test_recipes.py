# SPDX-License-Identifier: BSD-3-Clause
"""How many files it takes to add something: the recipes of doc/development.md, counted for one example each.

A file counts that names the example. Tests and documents are not counted.
"""
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]


def naming(pattern, *folders):
    """The files below the folders in which the pattern stands."""
    return sorted(str(path.relative_to(SOURCE)) for folder in folders for path in (SOURCE / folder).rglob("*")
                  if (path.suffix in (".c", ".h", ".py") or path.name == "meson.build")
                  and re.search(pattern, path.read_text()))


class Recipes(unittest.TestCase):
    def assert_files(self, most, pattern, *folders):
        found = naming(pattern, *folders)
        self.assertTrue(found, pattern)
        self.assertLessEqual(len(found), most, found)

    def test_a_stage(self):
        """Its header, the order of stages, and the list of sources."""
        self.assert_files(3, r"\bstage_remark\b|stages/remark\b", "dataplane", "pipelines", "control")

    def test_a_setting(self):
        """Its member, its row, and the code that uses it."""
        self.assert_files(5, r"\bpxn\b", "control", "dataplane")

    def test_a_counter(self):
        """Its field and its row. The code that counts is the feature's, outside of these folders."""
        self.assert_files(2, r"\bxoff_sent\b", "dataplane/base", "control")

    def test_a_show_word(self):
        """Its own file, the list of views, and the list of sources."""
        self.assert_files(3, r"\bshow_pool\b", "control", "dataplane", "pipelines")

    def test_a_routing_mode(self):
        """Its row, the code that chooses, and the tables that need it."""
        self.assert_files(3, r"\bGROUP_FLOWLET\b|\bFLOWLET\b|\"flowlet\"", "control", "dataplane", "pipelines")

    def test_a_congestion_control(self):
        """Its row with its parameters, its own file, and the list of sources."""
        self.assert_files(3, r"\bwindow_parameters\b|\bcongestion_window\b|\bCONGESTION_WINDOW\b|\bROW\(WINDOW\b",
                          "control", "dataplane", "pipelines")


if __name__ == "__main__":
    unittest.main()
