# SPDX-License-Identifier: BSD-3-Clause
"""doc/api.md has the methods that the program has, in its words."""
from common import *


class ApiPage(Case):
    def test_methods(self):
        page = (SOURCE / "doc/api.md").read_text()
        self.assertEqual(page.partition("\n## Methods\n\n")[2], roost("api", "--markdown").out)

    def test_usage(self):
        done = roost("api", "json", status=2)
        self.assertEqual(done.err, 'roost api: unexpected argument "json"\n`roost api --help` shows the usage\n')


if __name__ == "__main__":
    unittest.main()
