# SPDX-License-Identifier: BSD-3-Clause
"""Progress: a line on stderr, on a terminal only, in runs of over a second."""
import os
import pty
import re
import subprocess
import threading

from common import *

LINE = re.compile(r"\r(?:(\w+): )?([\d.]+) us simulated, ([\d.]+) us/s, ([\d.]+) M packet-hops/s"
                  r"(?:, (\d+) %, about (\S+ (?:s|min|h)) left)?\x1b\[K")


def on_a_terminal(*words):
    """Runs roost with a terminal for stderr: (status, stdout, what the terminal got)."""
    ours, theirs = pty.openpty()
    said = bytearray()

    def listen():
        while True:
            try:
                said.extend(os.read(ours, 65536))
            except OSError:    # the other side is closed
                return
    listener = threading.Thread(target=listen)
    listener.start()
    done = subprocess.run([ROOST, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=theirs, timeout=600, check=False)
    os.close(theirs)
    listener.join()
    os.close(ours)
    return done.returncode, done.stdout.decode(), said.decode()


class Progress(Case):
    MEGABYTES = 20 if SANITIZED else 400
    US = round(MEGABYTES * 8e6 / 97.6e3)    # which they take at line rate, about

    def long(self, **more):
        """A run of some seconds: a permutation of 32 hosts."""
        switch = {"preset": "spectrum-x", "routing": {"mode": "adaptive"},
                  "qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "100KB", "probability": "50%"}}}}}
        return fabric(4, 4, 8, switch=switch, hosts={"placement": "out-of-order"},
                      workload=[{"kind": "permutation", "size": f"{self.MEGABYTES}MB"}], **more)

    def check(self, text, share=None):
        lines = LINE.findall(text)
        self.assertGreater(len(lines), 0, text)
        times = [float(line[1]) for line in lines]
        self.assertEqual(times, sorted(times))
        for speed in ([float(line[column]) for line in lines] for column in (2, 3)):
            self.assertGreater(max(speed), 0)     # a machine may give no time for a while
        lines = [line for line in lines if line[4]]     # before the first byte has arrived nobody can tell
        self.assertGreater(len(lines), 0, text)
        times, shares = [float(line[1]) for line in lines], [int(line[4]) for line in lines]
        self.assertEqual(shares, sorted(shares))
        self.assertLess(shares[0], 100)
        for time, told in zip(times, shares):
            if share is not None:
                self.assertAlmostEqual(told, share(time), delta=1)
        self.assertTrue(text.endswith("\r\x1b[K"))    # it takes itself away

    def test_by_bytes(self):
        status, out, text = on_a_terminal("sim", self.file(self.long()), "--json")
        self.assertEqual(status, 0)
        summary = json.loads(out)["summary"]
        self.assertGreater(summary["wall_s"], 1.2, "too short to tell anything")
        self.check(text)

    def test_by_time(self):
        path = self.file(self.long())
        status, out, text = on_a_terminal("sim", path, "--until", f"{self.US}us")
        self.assertEqual(status, 0)
        self.check(text, lambda time: 100 * time / self.US)

    def test_not_without_a_terminal_nor_in_a_short_run(self):
        self.assertEqual(roost("sim", self.file(self.long()), "--until", f"{self.US // 2}us").err, "")
        short = self.file(fabric(1, 0, 2, workload=[flow("h1", "h2", "1MB")]), "short.yaml")
        self.assertEqual(on_a_terminal("sim", short)[2], "")


if __name__ == "__main__":
    unittest.main()
