# SPDX-License-Identifier: BSD-3-Clause
"""The PFC watchdog. At every multiple of `poll` it looks at each queue that pauses can hold:

- a queue that was stuck at an earlier look, from which no packet has left since, and which pauses have held since
  then (at all, with packets waiting; more than 80 % of the time, with none, or while its transmission is off) is
  still stuck since then;
- else one that is held now is stuck since the present hold began;
- one that has been stuck for `detect` is in a storm. Then its pauses are not honoured (but for `alert`); with
  `drop`, what comes for it is dropped and, with `flush`, what waits; with `ingress`, what comes in by the port
  with one of its priorities, and those pause nobody;
- a storm ends at the first look at which no frame has paused the queue for `restore`, or by hand.
"""
from .settings import PRIORITIES


class Watched:
    """What is known of a queue."""

    def __init__(self):
        self.packets = self.held = 0     # at the last look
        self.stuck_since = None
        self.storm = False
        self.storms = self.dropped = 0


class Watchdog:
    def __init__(self, switch):
        self.switch, self.due, self.looked_at = switch, None, 0
        self.queues = {(port, tc): Watched() for port in switch.settings.ports for tc in PRIORITIES}
        self.log = []
        self.adopt(0)

    def settings(self, name):
        """Of a port; None: off."""
        return self.switch.settings.ports[name].watchdog

    def drops(self, name):
        settings = self.settings(name)
        return settings is not None and settings["action"] == "drop"

    def watched(self, name):
        """The queues of a port that pauses can hold."""
        settings = self.switch.settings
        if self.settings(name) is None:
            return []
        return list(PRIORITIES) if settings.link_pause else \
            sorted({settings.tc[one] for one in settings.ports[name].obeyed})

    def poll(self, now):
        if self.due is None or now < self.due:
            return
        for name in self.switch.ports:
            self.switch.ports[name].pauses.expire(now)
            for tc in self.watched(name):
                self.look(name, tc, now)
        self.looked_at, self.due = now, now + self.switch.settings.poll

    def look(self, name, tc, now):
        watched, port = self.queues[name, tc], self.switch.ports[name]
        if watched.storm:
            if now - port.pauses.last_xoff[tc] >= self.settings(name)["restore"]:
                self.end(name, tc, now)
            return
        queue, held = self.switch.buffer.queue(name, tc), port.pauses.held[tc].shown(now)
        gained = held - watched.held
        still = watched.stuck_since is not None and queue.packets == watched.packets and \
            (gained > 0 if queue.used and tc not in port.frozen else gained * 5 > (now - self.looked_at) * 4)
        if not still:
            watched.stuck_since = port.pauses.held[tc].since
        watched.packets, watched.held = queue.packets, held
        if watched.stuck_since is not None and now - watched.stuck_since >= self.settings(name)["detect"]:
            watched.storm = True
            watched.storms += 1
            self.log.append((now, f"{name}.{tc}", "watchdog-storm"))
            self.act(name, tc, now)

    def act(self, name, tc, now):
        port, action = self.switch.ports[name], self.settings(name)["action"]
        acted = action != "alert"
        if acted:
            port.pauses.expire(now)
            port.pauses.ignored.add(tc)
        else:
            port.pauses.ignored.discard(tc)
        self.mute(port)
        port.sender.adopt(now)
        if action == "drop" and self.settings(name)["flush"]:
            self.queues[name, tc].dropped += port.flush(tc, "watchdog", now)
        port.pauses.changed(now)

    def end(self, name, tc, now):
        watched, port = self.queues[name, tc], self.switch.ports[name]
        watched.storm, watched.stuck_since = False, None
        port.pauses.ignore(tc, False, now)
        self.mute(port)
        port.sender.adopt(now)
        self.log.append((now, f"{name}.{tc}", "watchdog-restore"))

    def restore(self, name, tc, now):
        """By hand."""
        if self.queues[name, tc].storm:
            self.end(name, tc, now)

    def mute(self, port):
        """The priorities that are dropped where they come in by a port."""
        tcs, dropping = self.switch.settings.tc, self.drops(port.name)
        muted = port.pauses.ignored if dropping and self.settings(port.name)["ingress"] else ()
        port.sender.muted = frozenset(one for one in PRIORITIES if tcs[one] in muted)

    def refuses(self, packet):
        """Whether a packet that came in is dropped for a storm; counts it."""
        buffer, own = self.switch.buffer, self.switch.settings.tc[packet.priority]
        if self.drops(packet.out) and packet.tc in self.switch.ports[packet.out].pauses.ignored:
            buffer.queue(packet.out, packet.tc).drop(packet)
            self.queues[packet.out, packet.tc].dropped += 1
        elif self.drops(packet.port) and self.settings(packet.port)["ingress"] and \
                own in self.switch.ports[packet.port].pauses.ignored:
            buffer.group(packet.port, packet.pg).drop(packet)
            self.queues[packet.port, own].dropped += 1
        else:
            return False
        return True

    def adopt(self, now):
        """After a change of settings: storms of queues that are not watched any more end."""
        for (name, tc), watched in self.queues.items():
            if tc not in self.watched(name):
                if watched.storm:
                    self.end(name, tc, now)
                watched.stuck_since = None
            elif watched.storm:
                self.act(name, tc, now)
        poll = self.switch.settings.poll
        self.due = poll and -(-now // poll) * poll
