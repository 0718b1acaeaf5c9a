# SPDX-License-Identifier: BSD-3-Clause
"""A port's transmit side: pause frames first, then queues behind a rate they are promised, then the queue that the
scheduler picks. A packet is marked by the depth it leaves behind, counts as sent and is released at the instant
its transmission starts. What RED drops there takes no time and nothing of its queue's turn, and the next packet
is looked at in the same instant."""
from .pause import Pauses
from .pfc import Sender
from .queue import Queue, follow
from .scheduler import Scheduler
from .settings import FCS, GAP, PREAMBLE, PRIORITIES, bytes_ps
from .shaper import Promise, Shaper

NOT_ECT, CE = 0, 3


class Port:
    def __init__(self, switch, name):
        self.switch, self.name = switch, name
        self.queues = {tc: Queue() for tc in PRIORITIES}
        self.shapers = {tc: Shaper() for tc in PRIORITIES}
        self.promises = {tc: Promise() for tc in PRIORITIES}
        self.shaper = Shaper()
        self.frames = []         # waiting
        self.tx_free = 0
        self.frozen = set()
        self.scheduler, self.pauses, self.sender = Scheduler(), Pauses(switch, name), Sender(switch, name)
        self.rx_packets = self.rx_bytes = self.tx_packets = self.tx_bytes = 0
        self.control_rx = self.control_tx = 0
        self.marked, self.red = dict.fromkeys(PRIORITIES, 0), dict.fromkeys(PRIORITIES, 0)
        self.marked_bytes = dict.fromkeys(PRIORITIES, 0)
        self.trimmed, self.trim_sent = dict.fromkeys(PRIORITIES, 0), dict.fromkeys(PRIORITIES, 0)
        self.drops = {}
        self.sent = []           # (ps when the last bit left, packet or frame)

    @property
    def settings(self):
        return self.switch.settings.ports[self.name]

    # ---- what may be sent, and when

    def may_at(self, tc, now):
        """When what is in a queue may be sent."""
        return max(now, self.tx_free, self.pauses.held_until(tc), self.shapers[tc].until, self.shaper.until)

    def candidates(self):
        return [tc for tc in PRIORITIES if self.queues[tc].head() and tc not in self.frozen]

    def due(self, now):
        """When something may next be sent, or a pause ends; None: never."""
        if self.frames:
            return max(self.tx_free, now)
        times = [self.may_at(tc, now) for tc in self.candidates()]
        times += [max(self.tx_free, self.pauses.held_until(tc)) for tc in PRIORITIES if self.pauses.holds(tc, now)]
        return min(times, default=None)

    # ---- sending

    def put_frame(self, frame, now):
        self.frames.append(frame)
        if self.tx_free <= now:
            self.depart(now)

    def begin(self, what, now):
        """The transmitter takes a packet or frame; it is free again a gap behind the last bit."""
        rate = self.settings.rate
        self.sent.append((now + bytes_ps(rate, PREAMBLE + what.size + FCS), what))
        self.tx_free = now + bytes_ps(rate, PREAMBLE + what.size + FCS + GAP)
        self.tx_packets += 1
        self.tx_bytes += what.size

    def depart(self, now):
        while self.tx_free <= now:
            if self.frames:
                self.control_tx += 1
                self.begin(self.frames.pop(0), now)
                return
            eligible = [tc for tc in self.candidates() if self.may_at(tc, now) == now]
            if not eligible:
                return
            self.send_from(eligible, now)

    def send_from(self, eligible, now):
        classes = self.settings.classes
        behind = [tc for tc in eligible if self.promises[tc].behind(classes[tc].min_rate, now)]
        tc, by_turn = (behind[-1], False) if behind else \
            self.scheduler.pick(classes, eligible, lambda one: self.queues[one].head().size)
        packet = self.take(tc)
        queue = self.switch.buffer.queue(self.name, tc)
        congested = self.congested(tc, queue.used)
        if congested and packet.ecn == NOT_ECT and classes[tc].red:
            self.red[tc] += 1
            self.lose(packet, "red", now)
            return
        if congested and packet.ecn not in (NOT_ECT, CE):
            packet.ecn = CE
            self.marked[tc] += 1
            self.marked_bytes[tc] += packet.size
            self.switch.count_marked(packet)
        if by_turn and self.queues[tc].head():
            self.scheduler.deficit[tc] -= packet.size
        self.count(tc, packet, now)
        self.begin(packet, now)
        self.switch.released(packet)

    def take(self, tc):
        """The next packet of a queue, released."""
        packet = self.queues[tc].pop()
        if not self.queues[tc].head():
            self.scheduler.deficit[tc] = 0
        self.switch.buffer.release(packet)
        return packet

    def count(self, tc, packet, now):
        queue, one = self.switch.buffer.queue(self.name, tc), self.settings.classes[tc]
        queue.packets += 1
        queue.bytes += packet.size
        self.trim_sent[tc] += packet.trimmed
        self.shapers[tc].note(one.max_rate, packet.size, now)
        self.promises[tc].note(one.min_rate, packet.size, now)
        self.shaper.note(self.settings.max_rate, packet.size, now)
        self.switch.histograms.note_latency(self.name, tc, now - packet.arrived)

    def congested(self, tc, depth):
        ecn = self.settings.classes[tc].ecn
        if ecn is None or depth <= ecn[0]:
            return False
        return depth > ecn[1] or ecn[2]

    def lose(self, packet, reason, now):
        """Drops a packet that was taken from its queue."""
        self.switch.buffer.queue(self.name, packet.tc).drop(packet)
        self.switch.released(packet)
        self.switch.drop(packet, reason)

    def flush(self, tc, reason, now):
        """Drops all that waits in a queue; returns how many."""
        count = 0
        while self.queues[tc].head():
            self.lose(self.take(tc), reason, now)
            count += 1
        return count

    def requeue(self):
        """After a change of settings: each packet waits in the queue to which it would go if it came now, behind those
        that are there already."""
        moved = []
        for tc in PRIORITIES:
            if all(self.queue_of(packet) == tc for packet in self.queues[tc].all()):
                continue
            waiting = self.queues[tc].waiting()
            self.queues[tc] = type(self.queues[tc])()
            for packet in waiting:
                if self.queue_of(packet) == tc:
                    self.queues[tc].push(packet)
                else:
                    moved.append(packet)
            if not self.queues[tc].head():
                self.scheduler.deficit[tc] = 0
        for packet in moved:
            self.switch.buffer.move(packet, self.queue_of(packet))
            self.queues[packet.tc].push(packet)

    def queue_of(self, packet):
        settings = self.switch.settings
        if packet.trimmed:
            return settings.trim["tc"] if settings.trim else packet.tc
        return settings.tc[settings.priority(packet)]

    def adopt(self, now):
        """After a change of settings."""
        settings = self.settings
        for tc, one in settings.classes.items():
            self.queues[tc] = follow(self.queues[tc], one.fair)
            self.shapers[tc].adopt(one.max_rate, now)
            self.promises[tc].adopt(one.min_rate, now)
        self.shaper.adopt(settings.max_rate, now)
        self.pauses.adopt(now)
        self.sender.adopt(now)
