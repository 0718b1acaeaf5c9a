# SPDX-License-Identifier: BSD-3-Clause
"""`roost headroom`: what the formula says of links whose answer the device tables of a Spectrum-4 switch
give (cell 192, MTU 9100, lossless MTU 1500, all packets small), and the sums that it lays open."""
from common import *

KNOWN = {("100G", "40m"): 126976, ("400G", "40m"): 283648, ("100G", "300m"): 225280, ("400G", "300m"): 677888,
         ("800G", "300m"): 1150976, ("100G", "5m"): 113664, ("800G", "40m"): 362496}


class Headroom(Case):
    def answer(self, *words):
        return roost("headroom", *words, "-o", "json").json

    def refused(self, pattern, *words):
        done = roost("headroom", *words, status=2)
        self.assertEqual(done.out, "")
        self.assertRegex(done.err, "^roost headroom: " + pattern)

    def test_known_answers(self):
        for (rate, cable), xoff in KNOWN.items():
            self.assertEqual(self.answer(rate, cable, "9100")["xoff"], xoff, (rate, cable))
            self.assertIn(f"xoff      {xoff} B", roost("headroom", rate, cable, "9100").out)

    def test_options(self):
        # The same formula at the defaults of SONiC's template.
        one = self.answer("100G", "40m", "9100", "--lossless-mtu", "1024", "--small-packets", "50%")
        self.assertEqual((one["xoff"], one["lossless_mtu"], one["small_packets_percent"]), (53248, 1024, 50))
        # Cells of 96 B: no tile, and the worst factor is 2 x 96 / 97, rounded up.
        one = self.answer("100G", "40m", "9100", "--cell", "96")
        total = 9100 + 2 * 40 * 100_000 * 1e9 / 198e6 / 8000 + 0.8 * 1024 + 394 * 64
        self.assertEqual(one["xoff"], -(-(1500 + total * 2) // 1024) * 1024)

    def test_the_sums_add_up(self):
        for words in (("100G", "40m", "9100"), ("25G", "5m", "1500"), ("800G", "2km", "4200"),
                      ("12G", "100m", "1500"), ("400G", "30m", "9216", "--cell", "1")):
            one = self.answer(*words)
            terms, parts = one["xoff_terms"], one["needed_terms"]
            scaled = sum(terms[name] for name in ("packet", "cable", "mac_phy", "response", "tile"))
            self.assertEqual(one["xoff"] % 1024, 0)
            self.assertTrue(0 <= one["xoff"] - (terms["lossless"] + scaled * terms["occupancy"]) < 1024.01, words)
            self.assertEqual(one["needed"], parts["filled"] + parts["first"])
            self.assertEqual(one["needed"] % one["cell"], 0)
            frame = int(words[2]) + 22      # two tags included
            self.assertEqual((parts["packet"], parts["peer"], parts["pause"]), (frame + 24, frame + 24, 84))
            self.assertEqual(parts["first"], -(-frame // one["cell"]) * one["cell"])
            # There and back at 198,000 km/s.
            self.assertAlmostEqual(parts["round_trip"], 2 * one["cable_mm"] / 198e9 * one["rate_bps"] / 8, delta=1)
            self.assertEqual(one["headroom"], max(one["xoff"], one["needed"]))
            self.assertEqual(one["xon"], 19 * 1024)

    def test_it_is_what_auto_gives(self):
        one = self.answer("100G", "99m", "4200")
        text = to_yaml({"switch": {"name": "dut", "preset": "spectrum-x", "mtu": 4200,
                                "ports": {"swp1": {"rate": "100G", "cable": "99m"}, "swp2": {"rate": "100G"}}}})
        run = self.replay(text, {"swp1": []})
        each = -(-one["headroom"] // 192) * 192
        self.assertEqual(run.switch.pool("headroom").size, 2 * each)

    def test_wrong_input(self):
        self.refused("an argument is missing: RATE")
        self.refused('an argument is missing after "40m": MTU', "100G", "40m")
        self.refused('unexpected argument "more"', "100G", "40m", "9100", "more")
        self.refused('CABLE: "-5m" is not a cable length', "100G", "-5m", "9100")
        self.refused("RATE: 100 has no unit", "100", "40m", "9100")
        self.refused("RATE: 9T is out of range", "9T", "40m", "9100")
        self.refused("RATE: ", "fast", "40m", "9100")
        self.refused("CABLE: 40 has no unit", "100G", "40", "9100")
        self.refused("CABLE: 300000km is out of range: a signal takes over a second", "100G", "300000km", "9100")
        self.refused("MTU: 100 is out of range: 128 to 16000", "100G", "40m", "100")
        self.refused("MTU: ", "100G", "40m", "9.1KB")
        self.refused("--cell: 0 is out of range", "100G", "40m", "9100", "--cell", "0")
        self.refused("--small-packets: 101% is out of range", "100G", "40m", "9100", "--small-packets", "101%")
        self.refused('--output: want json or text, not "xml"', "100G", "40m", "9100", "-o", "xml")
        self.assertEqual(roost("headroom", "100G", "40m", "9100", "--cells", "1", status=2).out, "")

    def test_help(self):
        self.assertIn("usage: roost headroom RATE CABLE MTU", roost("headroom", "--help").out)
