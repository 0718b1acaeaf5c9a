# SPDX-License-Identifier: BSD-3-Clause
"""What `roost web` serves of the page: a build with it, and one without."""
import gzip
import http.client
import json
import signal
import subprocess

from common import *

COMPRESSED_MOST = 42_000    # bytes of all that a browser gets before the film


class Page(Case):
    def setUp(self):
        super().setUp()
        path = self.file(fabric(2, 2, 2, workload=[flow("h1", "h3", "100KB")], record={"interval": "10us", "film": True}))
        roost("sim", path, "-o", self.directory / "out")
        self.web = subprocess.Popen([ROOST, "web", str(self.directory / "out"), "--listen", "127.0.0.1:0"],
                                    stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.port = int(self.web.stdout.readline().split("/")[2].split(":")[1])

    def end(self):
        self.web.send_signal(signal.SIGTERM)
        self.web.wait(60)
        self.web.stdout.close()

    def get(self, path):
        """(status, body as it was sent)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    @unittest.skipIf(SANITIZED, "this build has no page")
    def test_the_page_is_small(self):
        parts = [self.get(path) for path in ("/", "/page.js", "/page.css")]
        self.assertEqual([status for status, _ in parts], [200] * 3)
        self.assertLess(sum(len(body) for _, body in parts), COMPRESSED_MOST)

    @unittest.skipUnless(SANITIZED, "this build has the page")
    def test_a_build_without_the_page(self):
        status, body = self.get("/")
        self.assertEqual(status, 200)
        self.assertIn(b"This build of Roost has no web page", gzip.decompress(body))
        self.assertEqual(self.get("/page.js")[0], 404)
        status, body = self.get("/info")
        self.assertEqual((status, json.loads(body)["mode"]), (200, "film"))


if __name__ == "__main__":
    unittest.main()
