# SPDX-License-Identifier: BSD-3-Clause
"""The Python package: its types, for its own code and for a program that uses it; all that it has is installed and
documented; it needs nothing but the standard library."""
import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PACKAGE = SOURCE / "control/python/roost"
OPTIONAL = {"pytest_plugin.py": {"pytest"}}     # what a file may import beside the standard library

USER = '''
import roost

with roost.replay({"switch": {}}, {"swp1": [b"", (1000, b"")]}, until="1ms") as run:
    marked: int = run.port("swp2").queue(3).ecn_marked
    each: list[int] = run.port("swp2").queues.packets
    first: bytes = run.sent["swp2"][0].data
with roost.sim("fabric.yaml", seed=7) as sim:
    number: int = len(sim.flows.where(item="incast"))
with roost.live("lab.yaml") as fabric:
    name: str = fabric.port("leaf1.swp1").name
'''
WRONG = '''
import roost

with roost.replay({"switch": {}}, {"swp1": []}, until=5) as run:
    marked: str = run.port("swp2").queue(3).ecn_marked
    run.port(2)
'''


def mypy(*words, cwd):
    env = os.environ | {"MYPYPATH": str(PACKAGE.parent)}
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", f"{cwd}/cache", *words],
                          cwd=cwd, env=env, capture_output=True, text=True, check=False)


class Python(unittest.TestCase):
    def test_types(self):
        with tempfile.TemporaryDirectory() as place:
            done = mypy("-p", "roost", cwd=place)
            self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))
            Path(place, "user.py").write_text(USER)
            done = mypy("user.py", cwd=place)
            self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))
            Path(place, "wrong.py").write_text(WRONG)
            done = mypy("wrong.py", cwd=place)
            self.assertEqual(re.findall(r"^wrong\.py:(\d+): error", done.stdout, re.M), ["4", "5", "6"], done.stdout)

    def test_all_is_installed(self):
        listed = set(re.findall(r"'roost/([\w.]+)'", (PACKAGE.parent / "meson.build").read_text()))
        self.assertEqual(listed, {path.name for path in PACKAGE.iterdir() if path.is_file()})

    def test_standard_library_alone(self):
        for path in PACKAGE.glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else \
                    [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
                wrong = {name.split(".")[0] for name in names} - sys.stdlib_module_names - OPTIONAL.get(path.name, set())
                self.assertEqual(wrong, set(), path.name)

    def test_all_is_documented(self):
        """Each public class, function and method has a docstring."""
        missing = []
        for path in PACKAGE.glob("*.py"):
            tree = ast.parse(path.read_text())
            bodies = [(path.stem, tree.body)] + [(one.name, one.body) for one in tree.body if isinstance(one, ast.ClassDef)
                                                  and not one.name.startswith("_")]
            self.assertTrue(ast.get_docstring(tree), path.name)
            for place, body in bodies:
                missing += [f"{path.name}: {place}.{one.name}" for one in body
                            if isinstance(one, (ast.FunctionDef, ast.ClassDef)) and not one.name.startswith("_")
                            and not ast.get_docstring(one)]
        self.assertEqual(missing, [])

    def test_uses_no_more_than_any_user(self):
        """No path of the source tree but that of the program, and no file of a fabric but its socket."""
        text = "".join(path.read_text() for path in PACKAGE.glob("*.py"))
        self.assertEqual(set(re.findall(r"\.(?:parents\[\d\]|state\")", text)), {".parents[3]"})


if __name__ == "__main__":
    unittest.main()
