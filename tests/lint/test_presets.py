# SPDX-License-Identifier: BSD-3-Clause
"""doc/presets.md says of every preset what its file in conf/presets says, no more and no less."""
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PRESETS = SOURCE / "conf/presets"
PAGE = SOURCE / "doc/presets.md"
WHOLE = {"dscp-to-priority", "pcp-to-priority", "priority-to-pg", "priority-to-tc"}   # one row each
SCALAR = re.compile(r"[^\s,{}\[\]:]+")


class Reader:
    """As much YAML as the presets use: maps by indentation, flow style, comments."""

    def __init__(self, text):
        lines = [re.sub(r"(^|\s)#.*", "", line).rstrip() for line in text.splitlines()]
        self.lines = [(len(line) - len(line.lstrip()), line.strip()) for line in lines if line.strip()]

    def block(self, indent):
        found = {}
        while self.lines and self.lines[0][0] == indent:
            key, text = re.fullmatch(r"([\w-]+):\s*(.*)", self.lines.pop(0)[1]).groups()
            if not text and self.lines[0][1][0] not in "{[":
                found[key] = self.block(self.lines[0][0])
                continue
            while not text or text.count("{") + text.count("[") > text.count("}") + text.count("]"):
                text += " " + self.lines.pop(0)[1]
            found[key], rest = self.flow(text.strip())
            assert not rest, rest
        return found

    def flow(self, text):
        """(value, what follows)"""
        if text[0] not in "{[":
            word = SCALAR.match(text).group()
            return word, text[len(word):].strip()
        opened, text = text[0], text[1:].strip()
        found = {} if opened == "{" else []
        while text[0] not in "}]":
            if opened == "{":
                key = SCALAR.match(text).group()
                found[key], text = self.flow(text[len(key) + 1:].strip())
            else:
                one, text = self.flow(text)
                found.append(one)
            text = text.removeprefix(",").strip()
        return found, text[1:].strip()


def written(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return value


def leaves(tree, path=()):
    for key, value in tree.items():
        if isinstance(value, dict) and key not in WHOLE:
            yield from leaves(value, path + (key,))
        else:
            yield ".".join(path + (key,)), written(value)


def preset(name):
    return dict(leaves(Reader((PRESETS / f"{name}.yaml").read_text()).block(0)))


def expanded(key):
    """tc.{3,4}.weight stands for two keys."""
    before, _, rest = key.partition("{")
    numbers, _, after = rest.partition("}")
    return [before + number + after for number in numbers.split(",")]


def table(heading):
    """{key: [value, ...]} of the section's table."""
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S).group(1)
    rows = [[cell.strip("` ") for cell in line.strip("|").split(" | ")]
            for line in section.splitlines() if line.startswith("| `")]
    return {key: row[1:] for row in rows for key in expanded(row[0])}


class Presets(unittest.TestCase):
    def test_the_reader_reads(self):
        tree = Reader("# a\na:   # b\n  b: {c: 1, d: [2, 3]}\n  e:\n    {f: {},  # g\n     h: []}\ni: 4G\n").block(0)
        self.assertEqual(tree, {"a": {"b": {"c": "1", "d": ["2", "3"]}, "e": {"f": {}, "h": []}}, "i": "4G"})

    def test_keys_are_expanded(self):
        self.assertEqual(expanded("a.b"), ["a.b"])
        self.assertEqual(expanded("a.{1,2}.b"), ["a.1.b", "a.2.b"])

    def test_every_value_is_in_the_page(self):
        names = {path.stem for path in PRESETS.glob("*.yaml")}
        self.assertEqual(names, {"spectrum-x", "spectrum-x-lossy", "spectrum-x-single-pool", "sonic"})
        for name, heading in (("spectrum-x", "spectrum-x"), ("sonic", "sonic"),
                              ("spectrum-x-lossy", "Mode lossy, and the preset lossy"),
                              ("spectrum-x-single-pool", "Mode lossless-single-pool")):
            with self.subTest(preset=name):
                self.maxDiff = None
                told = {key: row[0] for key, row in table(heading).items()}
                self.assertGreater(len(told), 2)
                self.assertEqual(told, preset(name))

    def test_every_value_has_a_source(self):
        for heading in ("spectrum-x", "sonic", "Mode lossy, and the preset lossy", "Mode lossless-single-pool"):
            for key, row in table(heading).items():
                with self.subTest(preset=heading, key=key):
                    self.assertEqual(len(row), 3)
                    self.assertRegex(row[2], r"^\[[A-Z]\]|^chosen: ")


if __name__ == "__main__":
    unittest.main()
