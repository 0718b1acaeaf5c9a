# SPDX-License-Identifier: BSD-3-Clause
"""The commit that `roost --version` prints (control/cli/commit.py)."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
# The settings of the user who runs the tests have no effect, nor has a repository around this one.
ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout


def commit(root, option=""):
    text = run(sys.executable, SOURCE / "control/cli/commit.py", root, option)
    return text.removeprefix('// Made by control/cli/commit.py.\n#define ROOST_COMMIT "').removesuffix('"\n')


class Commit(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = Path(place.name)

    def git(self, *words):
        return run("git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@example.com", *words).strip()

    def repository(self):
        self.git("init", "-q")
        self.source = self.root / "control/main.c"
        self.source.parent.mkdir()
        self.source.write_text("int a;\n")
        (self.root / "README.md").write_text("Read.\n")
        self.git("add", ".")
        self.git("commit", "-qm", "all")
        return self.git("rev-parse", "HEAD")[:12]

    def test_no_repository(self):
        self.assertEqual(commit(self.root), "")
        self.assertEqual(commit(self.root, "a3cb2f5c01d2"), "a3cb2f5c01d2")

    def test_a_repository(self):
        head = self.repository()
        self.assertEqual(commit(self.root), head)
        self.git("config", "log.showSignature", "true")
        self.assertEqual(commit(self.root), head)
        self.assertEqual(commit(self.root, "a3cb2f5c01d2"), "a3cb2f5c01d2")

    def test_before_the_first_commit(self):
        self.git("init", "-q")
        self.assertEqual(commit(self.root), "")

    def test_changes(self):
        head = self.repository()
        (self.root / "README.md").write_text("Read this.\n")
        self.assertEqual(commit(self.root), head)
        self.source.write_text("int b;\n")
        self.assertEqual(commit(self.root), f"{head}-dirty")
        self.git("add", ".")
        self.assertEqual(commit(self.root), f"{head}-dirty")
        self.source.write_text("int a;\n")
        self.git("add", ".")
        self.assertEqual(commit(self.root), head)

    def test_unpacked_inside_another_repository(self):
        self.repository()
        self.assertEqual(commit(self.root / "control"), "")


if __name__ == "__main__":
    unittest.main()
