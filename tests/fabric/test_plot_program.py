# SPDX-License-Identifier: BSD-3-Clause
"""The parts of `roost plot`: reading files, which may be hostile, and what decides how a drawing looks."""
import sys
from xml.etree import ElementTree

from common import *

sys.path.insert(0, str(SOURCE / "control/plot"))

import charts   # noqa: E402
import draw     # noqa: E402
import read     # noqa: E402
import results  # noqa: E402

LINES, INSTANTS = 41, 2500


class Tables(Case):
    def table(self, text, heading="time_ns,a", wide=False):
        (self.directory / "a.csv").write_bytes(text)
        return read.open_table(str(self.directory), "a.csv", heading, wide)

    def test_rows(self):
        text = b"time_ns,a,b\n0.000,1,x\n1000.500,2.5,\n"
        table = self.table(text, "time_ns,a,b")
        self.assertEqual(table.columns, ["time_ns", "a", "b"])
        rows = [(time, table.value(fields, 1), fields[2]) for time, fields in table.timed_rows()]
        self.assertEqual(rows, [(0.0, 1.0, "x"), (1000.5, 2.5, "")])
        table.file.close()
        self.table(text, "time_ns", wide=True).file.close()

    def test_an_error_names_its_line(self):
        for text, message in ((b"", "1: the file is empty"),
                              (b"time,a\n", "1: the heading is not time_ns,a"),
                              (b"time_ns,a,b\n", "1: the heading is not time_ns,a"),
                              (b"time_ns,a\n0\n", "2: 1 fields, but the heading has 2"),
                              (b"time_ns,a\n0,1\n0,1,2\n", "3: 3 fields, but the heading has 2"),
                              (b"time_ns,a\n0,1", "2: the file ends within a line"),
                              (b"time_ns,a\n0,\x001\n", "2: byte 0x00 is not allowed here"),
                              (b"time_ns,a\n0,\x1b[2J\n", "2: byte 0x1b is not allowed here"),
                              (b"time_ns,a\n0,\xff\n", "2: byte 0xff is not allowed here"),
                              (b"time_ns,a\n0," + b"9" * (1 << 20) + b"\n", "2: the line is longer than 1048576 bytes"),
                              (b"time_ns,a\n0,nan\n", '2: a: "nan" is not a number'),
                              (b"time_ns,a\n0,-1\n", '2: a: "-1" is not a number'),
                              (b"time_ns,a\n0,1_0\n", '2: a: "1_0" is not a number'),
                              (b"time_ns,a\n0,0x10\n", '2: a: "0x10" is not a number'),
                              (b"time_ns,a\n0,1e300\n", '2: a: "1e300" is not a number'),
                              (b"time_ns,a\n2,1\n1,1\n", "3: time_ns goes backwards"),
                              (b"time_ns,a\n0,1'; x\n", '2: a: "1\'; x" is not a number')):
            with self.subTest(text=text[:40]):
                with self.assertRaises(read.Invalid) as caught:
                    table = self.table(text)
                    for _, fields in table.timed_rows():
                        table.value(fields, 1)
                self.assertEqual(str(caught.exception), f"{self.directory}/a.csv:{message}")

    def test_not_a_file(self):
        self.assertIsNone(read.open_table(str(self.directory), "a.csv", "time_ns"))
        os.mkfifo(self.directory / "a.csv")   # which nobody writes to
        with self.assertRaisesRegex(read.Invalid, "a.csv: not a regular file$"):
            read.open_table(str(self.directory), "a.csv", "time_ns")

    def test_names_may_be_anything(self):
        text = 'time_ns,a\n1,"x, ""y""\nz"\n2,\u4e2d\n'.encode()
        (self.directory / "a.csv").write_bytes(text)
        table = read.open_table(str(self.directory), "a.csv", "time_ns,a", names=True)
        with table.file:
            self.assertEqual(list(table.rows()), [["1", 'x, "y"\nz'], ["2", "\u4e2d"]])
        for text, message in ((b'time_ns,a\n1,"x\n', "3: unexpected end"), (b"time_ns,a\n1,\xff\n", "2: not UTF-8"),
                              (b'time_ns,a\n1,"x"y\n', "2: ")):
            (self.directory / "a.csv").write_bytes(text)
            table = read.open_table(str(self.directory), "a.csv", "time_ns,a", names=True)
            with table.file, self.assertRaisesRegex(read.Invalid, message):
                list(table.rows())


def lines_of(**values):
    """Lines of one value each."""
    lines = read.Lines()
    for name, value in values.items():
        lines.add(name, 0, value)
    return lines


class Selection(Case):
    def test_points_find_their_line(self):
        lines = read.Lines()
        for time in range(3):
            for i in range(100):
                lines.add(f"line{i * 7 % 100}", time, i * 7 % 100)
        self.assertEqual((len(lines), list(lines)[1]), (100, "line7"))
        for name, line in lines.items():
            self.assertEqual((list(line.times), set(line.values)), ([0, 1, 2], {float(name[4:])}))

    def test_rows_that_were_never_paused_are_left_out(self):
        (self.directory / "flows.csv").write_text(read.FLOWS + "\n")
        (self.directory / "links.csv").write_text(read.LINKS + "\n")
        result = read.Result(str(self.directory))
        head = "time_ns,port,priority,rx_percent,tx_percent\n"
        (self.directory / "pauses.csv").write_text(head + "1,a,3,0,0\n1,b,3,0,2\n")
        (drawing,) = results.make_pauses(result)
        self.assertNotIn(">a, 3<", drawing.svg())
        self.assertEqual(drawing.svg().count(">b, 3</text>"), 1)
        (self.directory / "pauses.csv").write_text(head + "1,a,3,0,0\n")
        with self.assertRaisesRegex(results.Missing, "nothing was paused"):
            results.make_pauses(result)

    def test_the_largest_rows_stay_in_order(self):
        lines = lines_of(**{f"n{i}": 1 for i in range(charts.ROWS_MAX)} | {"b": 5})
        kept = [line.name for line in charts.most_loaded(lines)]
        self.assertEqual(kept, [f"n{i}" for i in range(charts.ROWS_MAX - 1)] + ["b"])
        self.assertEqual(len(charts.most_loaded(lines_of(a=1, b=0))), 2)

    def test_the_lines_that_matter_keep_their_names(self):
        lines = lines_of(**{f"n{i}": i for i in range(20)})
        panel = charts.Panel("x", lines)
        self.assertEqual([line.name for line in charts.split_named(panel)[0]], [f"n{i}" for i in range(19, 13, -1)])
        panel.largest = False
        self.assertEqual([line.name for line in charts.split_named(panel)[0]], [f"n{i}" for i in range(6)])
        self.assertEqual(charts.split_named(charts.Panel("x", lines_of(a=1, b=2)))[1], [])

    def test_no_peak_is_lost(self):
        """Line i is i all the time, but for one instant of line 0, whichever instants are drawn."""
        for peak_at in (0, 1, 1234, *range(INSTANTS - 10, INSTANTS)):
            lines = read.Lines()
            for i in range(LINES):
                for t in range(INSTANTS):
                    lines.add(f"line{i}", t, 999 if i == 0 and t == peak_at else i)
            self.assertEqual(max(charts.peaks(lines["line0"]), key=lambda point: point[1]), (peak_at, 999))
            bands = charts.spread(list(lines.values()), INSTANTS - 1)
            self.assertEqual(len(bands), charts.BUCKETS)
            self.assertEqual(sorted({band.most for band in bands}), [LINES - 1, 999])
            for band in bands:
                self.assertTrue(9 <= band.lower <= 11 and 29 <= band.upper <= 31, band)


class Looks(Case):
    def test_ticks_of_logarithmic_axes(self):
        for ends, ticks in (((3, 2500), [5, 10, 20, 50, 100, 200, 500, 1000, 2000]),
                            ((1, 1e6), [1, 10, 100, 1000, 1e4, 1e5, 1e6]),
                            ((1, 2), [1, 1.2, 1.4, 1.6, 1.8, 2])):
            self.assertEqual([round(one, 9) for one in draw.log_ticks(*ends)], ticks)
        # A single value has room on both sides, and a tick.
        axis = draw.Axis(100, 100, 0, 1000, log=True)
        self.assertIn(100, axis.ticks)
        self.assertTrue(100 < axis.place(100) < 900)

    def test_axes_end_at_a_tick(self):
        for most, top in ((0, 1), (0.9, 1), (1165, 1200), (100, 100), (101, 120), (3.5e6, 4e6)):
            self.assertAlmostEqual(draw.axis_top(most), top)

    def test_units(self):
        self.assertEqual(draw.time_unit(900), ("ns", 1))
        self.assertEqual(draw.time_unit(563000), ("us", 1000))
        self.assertEqual(draw.time_unit(3.1e6)[0], "ms")
        self.assertEqual(draw.bytes_unit(1500)[0], "B")
        self.assertEqual(draw.bytes_unit(3e6), ("MB", 1e6))
        self.assertEqual([results.bytes_text(one) for one in (192, 49920, 865e3, 1.24e6)],
                         ["192 B", "49.9 KB", "865 KB", "1.24 MB"])

    def test_text_is_escaped(self):
        drawing = draw.Drawing("a.svg", "One & two < three", 200)
        drawing.begin("curve", "a < b & \x1b\ud800 c")
        drawing.end()
        root = ElementTree.fromstring(drawing.svg().encode())
        self.assertEqual([one.text for one in root.iter() if one.tag.endswith("title")],
                         ["One & two < three", "a < b & ?? c"])
        self.assertEqual((root.get("width"), root.get("height")), ("960", "200"))

    def test_legends_stay_within_the_drawing(self):
        names = [f"exchange-{i}: h{i} to h{i + 1}, QP 17" for i in range(12)] + ["x" * 500]
        for (x, _), name in zip(draw.legend_places(96, names), names):
            self.assertLess(x + 32 + draw.text_width(draw.legend_name(name), draw.TICK_SIZE), draw.WIDTH)
        self.assertEqual(len(set(draw.legend_places(96, names))), len(names))
        self.assertTrue(draw.shorten("leaf1.swp1.3" * 9, 14, 100).endswith("1.3"))

    def test_colours_grow_brighter(self):
        colours = [draw.heat_colour(one) for one in (-1, 0, 50, 100, 200)]
        self.assertEqual((colours[0], colours[1], colours[3], colours[4]),
                         (draw.VIRIDIS[0], draw.VIRIDIS[0], draw.VIRIDIS[-1], draw.VIRIDIS[-1]))
        greens = [int(draw.heat_colour(one)[3:5], 16) for one in range(101)]
        self.assertEqual(greens, sorted(greens))


if __name__ == "__main__":
    unittest.main()
