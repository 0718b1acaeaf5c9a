# SPDX-License-Identifier: BSD-3-Clause
"""Pauses received: a priority is paused from a frame's arrival for its quanta; a new frame replaces what is left.
A queue is held while a priority that maps to it is paused, unless the watchdog has it ignore pauses. 802.3x pauses
the link as a whole, all queues with it. Only the one or the other is obeyed."""
from .settings import PRIORITIES, bytes_ps

LINK = "link"    # the whole link, in the place of a priority


class Clock:
    """An interval that opens and closes, half open at its end."""

    def __init__(self):
        self.since = None
        self.total = self.transitions = 0
        self.last_start = self.last_end = None

    def open(self, now):
        if self.since is None:
            self.since = self.last_start = now
            self.transitions += 1

    def close(self, at):
        if self.since is not None:
            self.total += at - self.since
            self.since, self.last_end = None, at

    def shown(self, now):
        return self.total + (now - self.since if self.since is not None else 0)


class Pauses:
    """Of one port."""

    def __init__(self, switch, port):
        self.switch, self.port = switch, port
        self.until = dict.fromkeys([*PRIORITIES, LINK], 0)
        self.clocks = {one: Clock() for one in self.until}
        self.held = {tc: Clock() for tc in PRIORITIES}
        self.ignored = set()     # queues that pauses do not hold: a storm is acted upon
        self.last_xoff = dict.fromkeys(PRIORITIES, 0)     # by queue: when a frame last paused it
        self.pfc_rx = [0] * 8
        self.pause_rx = 0

    def obeyed(self):
        settings = self.switch.settings
        return {LINK} if settings.link_pause else set(settings.ports[self.port].obeyed)

    def held_until(self, tc):
        """When the pauses of a queue run out; 0: nothing holds it."""
        tcs = self.switch.settings.tc
        return 0 if tc in self.ignored else \
            max([self.until[LINK]] + [self.until[one] for one in PRIORITIES if tcs[one] == tc])

    def holds(self, tc, now):
        return self.held_until(tc) > now

    def expire(self, now):
        """Closes what has run out. To be called before anything changes."""
        for one, clock in self.clocks.items():
            if self.until[one] <= now:
                clock.close(self.until[one])
        for tc, clock in self.held.items():
            if self.held_until(tc) <= now:
                clock.close(self.held_until(tc))

    def changed(self, now):
        """To be called after something has changed."""
        for tc, clock in self.held.items():
            (clock.open if self.holds(tc, now) else clock.close)(now)

    def pause(self, one, quanta, now):
        length = bytes_ps(self.switch.settings.ports[self.port].rate, 64 * quanta)
        self.until[one] = now + length
        (self.clocks[one].open if length else self.clocks[one].close)(now)
        for tc in PRIORITIES:
            if quanta and (one == LINK or self.switch.settings.tc[one] == tc):
                self.last_xoff[tc] = now

    def receive_pfc(self, quanta, now):
        """quanta: {priority: quanta} of those whose enable bit is set."""
        self.expire(now)
        for priority, one in quanta.items():
            self.pfc_rx[priority] += 1
            if priority in self.obeyed():
                self.pause(priority, one, now)
        self.changed(now)

    def receive_pause(self, quanta, now):
        self.pause_rx += 1
        self.expire(now)
        if LINK in self.obeyed():
            self.pause(LINK, quanta, now)
        self.changed(now)

    def ignore(self, tc, ignored, now):
        self.expire(now)
        (self.ignored.add if ignored else self.ignored.discard)(tc)
        self.changed(now)

    def adopt(self, now):
        """After a change of settings what is no longer obeyed ends. A pause of one kind goes on as one of the
        other."""
        for one, clock in self.clocks.items():
            if self.until[one] <= now:
                clock.close(self.until[one])
        obeyed = self.obeyed()
        for priority in PRIORITIES:
            if LINK in obeyed:
                self.continue_as(priority, LINK, now)
            elif priority in obeyed:
                self.continue_as(LINK, priority, now)
        for one in self.until:
            if one not in obeyed:
                self.until[one] = min(now, self.until[one])
                self.clocks[one].close(self.until[one])
        self.changed(now)

    def continue_as(self, one, other, now):
        if self.until[one] > max(now, self.until[other]):
            self.until[other] = self.until[one]
            self.clocks[other].open(now)
