# SPDX-License-Identifier: BSD-3-Clause
"""XOFF and XON of a port's groups, and the frames that tell the far side.

XOFF goes when a packet does not fit its group's own space, and again after `refresh` while it stands; XON when
the buffer says that it may, which is asked whenever a packet leaves the group's pool, and at each refresh.
A frame carries the priorities that change or are due at its instant. It starts at that instant if the
transmitter is free, else as soon as it is, ahead of every queue.

With 802.3x the groups share one pause of the link. The first to be XOFF sends it; it is refreshed for that
group or, when that is XON, for the lowest that still is XOFF; the last to be XON ends it.
"""
from .pause import LINK, Clock
from .settings import PRIORITIES


class Frame:
    size = 60

    def __init__(self, made, link):
        self.made, self.link = made, link
        self.quanta = {}    # by priority, or of LINK

    def __repr__(self):
        return f"pause {self.quanta}"


class Sender:
    """Of one port."""

    def __init__(self, switch, port):
        self.switch, self.port = switch, port
        self.xoffs = {}          # pg: the priorities told, {LINK} of a pause of the link
        self.refresh_at = {}     # pg: when
        self.sent = {pg: 0 for pg in PRIORITIES}      # XOFFs, by group
        self.pfc_tx = [0] * 8
        self.pause_tx = 0
        self.clocks = {one: Clock() for one in (*PRIORITIES, LINK)}
        self.frame = None        # the last one made
        self.muted = frozenset()   # priorities that the watchdog drops where they come in

    def settings(self):
        return self.switch.settings.ports[self.port]

    def words(self, pg):
        """What an XOFF of the group would carry now."""
        group, maps = self.settings().groups[pg], self.switch.settings
        heard = {priority for priority in PRIORITIES if maps.pg[priority] == pg} - self.muted
        if not group.lossless or not heard:
            return frozenset()
        return frozenset([LINK]) if maps.link_pause else frozenset(heard & self.settings().told)

    def may_xon(self, pg):
        return self.switch.buffer.may_xon(self.switch.buffer.group(self.port, pg))

    def tell(self, words, quanta, now):
        """Returns the words of this very instant that were replaced."""
        if not words:
            return set()
        if self.frame is None or self.frame.made != now or self.frame.link != (LINK in words):
            self.frame = Frame(now, LINK in words)
            self.pause_tx += self.frame.link
            self.switch.ports[self.port].put_frame(self.frame, now)
        replaced = set(words) & set(self.frame.quanta)
        for one in words:
            if one != LINK:
                self.pfc_tx[one] += one not in replaced
            self.frame.quanta[one] = quanta
            (self.clocks[one].open if quanta else self.clocks[one].close)(now)
        return replaced

    def again(self, pg, now):
        """XOFF, the first or another."""
        self.sent[pg] += 1
        self.refresh_at[pg] = now + self.switch.settings.refresh(self.settings())
        self.tell(self.xoffs[pg], self.switch.settings.quanta, now)

    def holders(self):
        """The groups whose XOFF holds the link."""
        return [pg for pg in sorted(self.xoffs) if LINK in self.xoffs[pg]]

    def xoff(self, pg, now):
        words = self.words(pg)
        if pg in self.xoffs or not words:
            return
        first = LINK not in words or not self.holders()
        self.xoffs[pg] = words
        if first:
            self.again(pg, now)

    def xon(self, pg, now):
        words, at = self.xoffs.pop(pg), self.refresh_at.pop(pg, None)
        if LINK in words and self.holders():
            self.pass_on(pg, self.holders()[0], at, now)
        elif self.tell(words, 0, now):
            self.sent[pg] -= 1    # an XOFF of this instant that never went

    def pass_on(self, pg, other, at, now):
        """The pause of the link is now refreshed for another group; one of this instant is its own."""
        if at is None:
            return
        self.refresh_at[other] = at
        if at == now + self.switch.settings.refresh(self.settings()):
            self.sent[pg] -= 1
            self.sent[other] += 1

    def release(self, pg, now):
        """XON, if the group has room."""
        if not self.may_xon(pg):
            return False
        self.switch.buffer.empty_headroom(self.switch.buffer.group(self.port, pg))
        self.xon(pg, now)
        return True

    def pool_fell(self, pool, now):
        """A packet has left a pool, which may help each group there that is XOFF."""
        for pg in sorted(self.xoffs):
            if self.settings().groups[pg].pool == pool:
                self.release(pg, now)

    def refresh(self, now):
        for pg in PRIORITIES:
            if self.refresh_at.get(pg, now + 1) > now:
                continue
            if not self.release(pg, now):
                self.again(pg, now)

    def adopt(self, now):
        """After a change of settings, first all that is taken back, for a priority may have moved between groups;
        then what is to be told as well. Where nothing stays of what was told, XOFF is told anew."""
        anew = set()
        for pg in sorted(self.xoffs):
            words = self.words(pg)
            if self.release(pg, now):
                continue
            if not words:
                self.xon(pg, now)
            elif self.xoffs[pg] & words:
                self.tell(self.xoffs[pg] - words, 0, now)
                self.xoffs[pg] &= words
            else:
                self.xon(pg, now)
                anew.add(pg)
        for pg in PRIORITIES:
            if pg in self.xoffs:
                self.tell(self.words(pg) - self.xoffs[pg], self.switch.settings.quanta, now)
                self.xoffs[pg] = self.words(pg)
            elif pg in anew:
                self.xoff(pg, now)
