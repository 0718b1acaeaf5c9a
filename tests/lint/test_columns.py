# SPDX-License-Identifier: BSD-3-Clause
"""Comments of C keep to 100 columns, a tab counted as 8. clang-format leaves comments as they are. Tables of rows that it
leaves alone (between `// clang-format off` and `on`) may be wider, and so may their headings."""
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
COLUMNS = 100
COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|(//.*)')


def too_long(line):
    """Whether a comment of this line ends behind the last column."""
    return len(line.expandtabs(8)) > COLUMNS and any(one.group(1) for one in COMMENT.finditer(line))


def long_comments(text):
    """The numbers of such lines."""
    found, formatted = [], True
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() in ("// clang-format off", "// clang-format on"):
            formatted = line.strip().endswith("on")
        elif formatted and too_long(line):
            found.append(number)
    return found


class Columns(unittest.TestCase):
    def test_the_search_finds(self):
        self.assertTrue(too_long("\t// " + "x" * 90))
        self.assertFalse(too_long("\t// " + "x" * 89))
        self.assertTrue(too_long('f("//"); // ' + "x" * 90))
        self.assertFalse(too_long('f("http://' + "x" * 90 + '");'))
        long = "// " + "x" * 98 + "\n"
        self.assertEqual(long_comments(long + "// clang-format off\n" + long + "// clang-format on\n" + long), [1, 5])

    def test_comments(self):
        wrong = [f"{path.relative_to(SOURCE)}:{number}"
                 for top in ("control", "dataplane", "pipelines", "tests") for path in sorted((SOURCE / top).rglob("*.[ch]"))
                 for number in long_comments(path.read_text())]
        self.assertFalse(wrong, "\n".join([f"{len(wrong)} comments end behind column {COLUMNS}: reflow them", *wrong]))


if __name__ == "__main__":
    unittest.main()
