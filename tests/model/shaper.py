# SPDX-License-Identifier: BSD-3-Clause
"""Rates. Of a rate is kept until when all sent so far would have taken at the rate. What was not used may be made
up for, but no further back than a burst, the time of one largest frame."""
from .settings import ETHERNET, MTU, bytes_ps


def burst(rate):
    return bytes_ps(rate, MTU + ETHERNET)


def after(until, rate, size, now):
    """What `until` is when a packet of so many bytes begins."""
    return max(until, now - burst(rate), 0) + bytes_ps(rate, size)


class Shaper:
    """A maximum: nothing begins before `until`."""

    def __init__(self):
        self.until = 0

    def note(self, rate, size, now):
        if rate is not None:
            self.until = after(self.until, rate, size, now)

    def adopt(self, rate, now):
        """Another rate has set `until`: no further on than this one could have."""
        self.until = 0 if rate is None else min(self.until, now + burst(rate))


class Promise(Shaper):
    """A minimum: behind while `until` has been reached. What is sent beyond it counts for a burst at most."""

    def note(self, rate, size, now):
        if rate is not None:
            self.until = min(after(self.until, rate, size, now), now + burst(rate))

    def behind(self, rate, now):
        return rate is not None and self.until <= now
