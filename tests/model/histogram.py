# SPDX-License-Identifier: BSD-3-Clause
"""Histograms: of a queue's depth and a group's occupancy, looked at at every multiple of `sample` before anything
else of the instant, and of how long packets have stayed when they begin to leave. Bin 0 is below `min`, the last
is at or above min + size, those between are alike."""


class Histogram:
    def __init__(self, settings):
        self.settings, self.bins, self.due = settings, [0] * settings["bins"], None

    def note(self, value):
        at, last = self.settings, self.settings["bins"] - 1
        self.bins[0 if value < at["min"] else min(1 + (value - at["min"]) // at["width"], last)] += 1


class Histograms:
    def __init__(self, switch):
        self.switch, self.all = switch, []
        self.adopt(0)

    def adopt(self, now):
        """Those that were there already count on."""
        before = {str(one.settings): one for one in self.all}
        self.all = [before.get(str(one)) or Histogram(one) for one in self.switch.settings.histograms]
        for one in self.all:
            if one.due is None and one.settings["kind"] != "latency":
                one.due = -(-now // one.settings["sample"]) * one.settings["sample"]

    def sample(self, now):
        cell = self.switch.settings.cell
        for one in self.all:
            if one.due is not None and one.due <= now:
                take = self.switch.buffer.queue if one.settings["kind"] == "queue" else self.switch.buffer.group
                one.note(take(one.settings["port"], one.settings["index"]).used * cell)
                one.due += one.settings["sample"]

    def note_latency(self, port, tc, stayed):
        for one in self.all:
            if (one.settings["kind"], one.settings["port"], one.settings["index"]) == ("latency", port, tc):
                one.note(stayed)
