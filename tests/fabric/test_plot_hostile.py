# SPDX-License-Identifier: BSD-3-Clause
"""`roost plot` reads files that others may have written: whatever has become of them, it draws them or says what is
wrong with which file, and never fails otherwise."""
import random
import sys

from common import *

sys.path.insert(0, str(SOURCE / "control/plot"))

import plot     # noqa: E402
import read     # noqa: E402

MUTATIONS = 3000 if FULL else 300
WORDS = [b"", b"\0", b"\xff", b",", b"\n", b"\n\n", b"null", b"-1", b"nan", b"1e308", b"1e999", b"{}", b"[]", b'""', b"true",
         b"9" * 400, b"[" * 5000, b'{"a":' * 5000, b"<script>", b"\xe2\x80\xa8", b"0x10", b"1_0", b"-0"]
SWITCH = {"preset": "spectrum-x", "buffer": {"size": "4MB"}, "routing": {"mode": "ecmp"}}
WORK = [{"name": "burst", "kind": "incast", "from": ["h2", "h3"], "to": "h1", "size": "20KB"}]
RECORD = {"interval": "1us", "queues": ["leaf1.swp1.3"], "flows": ["burst"], "links": ["leaf1-spine1"], "pauses": "all",
          "pools": "all"}


def changed(generator, text):
    """Text with one to three things changed: bytes, words, lines; or cut short."""
    for _ in range(generator.randrange(1, 4)):
        at = generator.randrange(len(text) + 1)
        to = min(len(text), at + generator.choice((0, 0, 1, 1, 4, 40)))
        kind = generator.randrange(5)
        if kind == 0:
            text = text[:at]
        elif kind == 1:
            text = text[:at] + bytes([generator.randrange(256)]) + text[at + 1:]
        elif kind == 2:
            lines = text.split(b"\n")
            line = generator.randrange(len(lines))
            lines[line:line + 1] = generator.choice(([], [lines[line]] * 2, [lines[generator.randrange(len(lines))]]))
            text = b"\n".join(lines)
        elif kind == 3:
            numbers = [match.span() for match in re.finditer(rb"-?[0-9.]+|null|true|false", text)] or [(at, to)]
            at, to = generator.choice(numbers)
            text = text[:at] + generator.choice(WORDS) + text[to:]
        else:
            text = text[:at] + generator.choice(WORDS) + text[to:]
    return text


class Hostile(Case):
    def test_any_change(self):
        sim = self.sim(fabric(2, 2, 2, switch=SWITCH, workload=WORK, record=RECORD))
        files = sorted(path for path in sim.directory.iterdir() if path.suffix in (".json", ".csv"))
        self.assertGreater(len(files), 5)
        generator = random.Random(1)
        drawn = refused = 0
        for number in range(MUTATIONS):
            path = generator.choice(files)
            before = path.read_bytes()
            path.write_bytes(changed(generator, before))
            try:
                for drawing in plot.draw_all([str(sim.directory)] * (1 + number % 2), []):
                    drawing.svg()
                drawn += 1
            except read.Invalid as error:
                refused += 1
                self.assertEqual(len(str(error).splitlines()), 1, error)
                self.assertIn(str(sim.directory), str(error))
            except Exception as error:
                kept = self.directory / "kept"
                kept.write_bytes(path.read_bytes())
                raise AssertionError(f"change {number} of {path.name}, kept as {kept}: {error!r}") from error
            finally:
                path.write_bytes(before)
        self.assertGreater(drawn, MUTATIONS // 20)
        self.assertGreater(refused, MUTATIONS // 20)


if __name__ == "__main__":
    unittest.main()
