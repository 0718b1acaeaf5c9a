# SPDX-License-Identifier: BSD-3-Clause
"""doc/configuration.md has every key of the schema with its default, and none besides."""
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PAGE = SOURCE / "doc/configuration.md"
ENTRY = re.compile(r'\{\s*"([\w-]+)",\s*SCHEMA_(\w+)(.*?)(?=\{\s*"[\w-]+",\s*SCHEMA_|^\};|\Z)', re.M | re.S)
DEFAULT = re.compile(r'\.def = ((?:"[^"]*"\s*)+)')
FOLDED = {("schema_event.c", "ip-id-low-byte"), ("schema_event.c", "priorities"), ("schema_event.c", "quanta"),
          ("decode_fabric.c", "role")}   # shown in their map's own row


def schema():
    """(file, name, type, default or None) of each key that this version has."""
    for path in sorted((SOURCE / "control/config").glob("*.c")):
        for name, kind, rest in ENTRY.findall(path.read_text().replace("\\\n", "\n")):
            if not re.search(r"\bLATER\b|SCHEMA_LATER", rest.split('{"')[0]):
                found = DEFAULT.search(rest)
                yield path.name, name, kind, found and "".join(re.findall(r'"([^"]*)"', found.group(1)))


def rows():
    """(last word of the key, default) of each row."""
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 4:
            yield cells[0].strip("`").split(".")[-1], cells[2].strip("` ")


class Configuration(unittest.TestCase):
    def test_there_is_something_to_compare(self):
        self.assertGreater(len(list(schema())), 150)
        self.assertGreater(len(list(rows())), 130)

    def test_every_key_is_told_with_its_default(self):
        told = set(rows())
        names = {name for name, _ in told}
        headings = set(re.findall(r"`([\w-]+)", PAGE.read_text()))
        missing = []
        for file, name, kind, default in schema():
            if kind in ("MAP", "SECTION", "LIST", "NAMED"):
                if name not in names and name not in headings and \
                        not any(f"{name}." in line for line in PAGE.read_text().splitlines()):
                    missing.append(f"{file}: {name}")
            elif (file, name) not in FOLDED and not told & {(name, default or ""), (name, default or "needed")}:
                missing.append(f"{file}: {name}, default {default}")
        self.assertEqual(missing, [])

    def test_no_key_is_made_up(self):
        known = {name for _, name, _, _ in schema()}
        self.assertEqual([name for name, _ in rows() if name not in known], [])


if __name__ == "__main__":
    unittest.main()
