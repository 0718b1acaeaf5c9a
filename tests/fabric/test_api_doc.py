# SPDX-License-Identifier: BSD-3-Clause
"""doc/api.md has the methods that the program has, in its words."""
from common import *


class ApiPage(Case):
    def test_methods(self):
        page = (SOURCE / "doc/api.md").read_text()
        self.assertEqual(page.partition("\n## Methods\n\n")[2], roost("api", "--markdown").out)

    def test_words_of_show(self):
        """They derive from the views."""
        methods = {method["name"]: method for method in json.loads(roost("api").out)["methods"]}
        described = next(p["schema"]["enum"] for p in methods["show"]["params"] if p["name"] == "what")
        completed = [line.split("\t")[0] for line in roost("complete", "--", "show", "").out.splitlines()]
        self.assertTrue(described)
        self.assertEqual(sorted(described), sorted(word for word in completed if not word.startswith(("-", ":"))))

    def test_usage(self):
        done = roost("api", "json", status=2)
        self.assertEqual(done.err, 'roost api: unexpected argument "json"\n`roost api --help` shows the usage\n')


if __name__ == "__main__":
    unittest.main()
