# SPDX-License-Identifier: BSD-3-Clause
"""doc/presets.md says of every preset what its file in conf/presets says, and of every key of a switch what the
schema gives where nothing is written: no more and no less."""
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PRESETS = SOURCE / "conf/presets"
PAGE = SOURCE / "doc/presets.md"
SCHEMA = SOURCE / "control/config"
ARRAY = re.compile(r"static const struct schema_key (\w+)\[\] =(.*?);\n", re.S)
NAMED = re.compile(r"const struct schema (\w+) =\s*\{\s*SCHEMA_COUNT\((\w+)\)")
ENTRY = re.compile(r'\{\s*"([\w-]+)",\s*SCHEMA_(\w+)(.*?)(?=\{\s*"[\w-]+",\s*SCHEMA_|\Z)', re.S)
DEFAULT = re.compile(r'\.def = ((?:"[^"]*"\s*)+)')
INSIDE = {"remark": "schema_remark", "histograms": "schema_histogram", "ports": "schema_port"}   # of keys that are more than a map
ITEMS = {"pg": ".N", "tc": ".N", "ports": ".swpN", "histograms": "[N]"}
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


class Schema:
    """The keys of a switch's section as control/config/schema_*.c describe them."""

    def __init__(self):
        self.arrays, self.named = {}, {}
        for path in SCHEMA.glob("*.c"):
            text = self.without_macros(path.read_text().replace("\\\n", "\n"))
            for name, body in ARRAY.findall(text):
                self.arrays[path.name, name] = ENTRY.findall(body)
            for name, array in NAMED.findall(text):
                self.named[name] = path.name, array

    @staticmethod
    def without_macros(text):
        """POOL_KEYS(pool, "50%") is a whole array."""
        macro = re.search(r"#define POOL_KEYS\(pool, default_size\)(.*?\n)\n", text, re.S)
        if macro:
            text = re.sub(r"POOL_KEYS\(CONFIG_\w+, (\"[^\"]*\")\)",
                          lambda use: macro.group(1).replace("default_size", use.group(1)), text)
        return text

    def keys(self, where, path=""):
        """(key, default or None) of each key."""
        for name, kind, rest in self.arrays[where]:
            key = f"{path}.{name}".removeprefix(".")
            found = DEFAULT.search(rest)
            if kind != "MAP" or ".word" in rest:
                yield key, found and "".join(re.findall(r'"([^"]*)"', found.group(1)))
            array = re.search(r"SCHEMA_COUNT\((\w+)\)", rest)
            other = re.search(r"(?:\.sub = &|SCHEMA_SUB_SWITCHED\()(schema_\w+)", rest)
            inside = array and (where[0], array.group(1)) or \
                self.named.get(INSIDE.get(name) or other and kind in ("MAP", "NUMBERED", "SWITCHED") and other.group(1))
            if inside and not path.endswith(".swpN"):
                yield from self.keys(inside, key + ITEMS.get(name, ""))


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
        self.assertEqual(names, {"spectrum-x", "spectrum-x-lossy", "spectrum-x-single-pool", "sonic", "infiniband",
                                 "ultra-ethernet"})
        for name, heading in (("spectrum-x", "spectrum-x"), ("sonic", "sonic"),
                              ("infiniband", "infiniband"), ("ultra-ethernet", "uec and mrc"),
                              ("spectrum-x-lossy", "Mode lossy, and the preset lossy"),
                              ("spectrum-x-single-pool", "Mode lossless-single-pool")):
            with self.subTest(preset=name):
                self.maxDiff = None
                told = {key: row[0] for key, row in table(heading).items()}
                self.assertGreater(len(told), 2)
                self.assertEqual(told, preset(name))

    def test_every_value_has_a_source(self):
        tags = set(re.findall(r"^\| (\[[A-Z]\]) \|", PAGE.read_text(), re.M))
        self.assertGreater(len(tags), 5)
        for heading, columns in (("spectrum-x", 3), ("sonic", 3), ("Mode lossy, and the preset lossy", 3),
                                 ("Mode lossless-single-pool", 3), ("infiniband", 3), ("uec and mrc", 3), ("Without a preset", 2)):
            for key, row in table(heading).items():
                with self.subTest(preset=heading, key=key):
                    self.assertEqual(len(row), columns)
                    self.assertRegex(row[-1], r"^\[[A-Z]\]|^chosen: ")
                    self.assertLessEqual(set(re.findall(r"\[[A-Z]\]", row[-1])), tags)

    def test_the_schema_is_found(self):
        schema = Schema()
        keys = dict(schema.keys(schema.named["schema_switch"]))
        self.assertGreater(len(keys), 80)
        for key, default in (("preset-mode", "lossless"), ("buffer.pools.egress-lossless.size", "unlimited"),
                             ("qos.tc.N.ecn.max", "1500KB"), ("qos.watchdog.robustness", None),
                             ("qos.trim.eligible-tc", "[1]"), ("qos.histograms[N].sample", "1024ns"),
                             ("qos.ports.swpN.trust", None), ("routing.grades", "[64KB, 128KB, 256KB, 512KB]")):
            self.assertEqual(keys.get(key, "absent"), default, key)

    def test_every_default_is_in_the_page(self):
        schema = Schema()
        keys = {key: default for key, default in schema.keys(schema.named["schema_switch"])
                if key.split(".")[0] != "learn"}   # where routes come from, live: no preset's
        told = {key: row[0] for key, row in table("Without a preset").items()}
        where = 'doc/presets.md, "Without a preset": '
        self.assertEqual(set(keys) - set(told), set(), where + "these keys have no row")
        self.assertEqual(set(told) - set(keys), set(), where + "these are not keys of a switch")
        for key, default in keys.items():
            with self.subTest(key=key):
                if default is None:
                    self.assertTrue(told[key])
                else:
                    self.assertEqual(told[key], default)


if __name__ == "__main__":
    unittest.main()
