# SPDX-License-Identifier: BSD-3-Clause
"""Who goes next: strict classes first, the highest first; among the rest deficit round robin by bytes (Shreedhar
and Varghese 1995). A queue's turn begins with a quantum and lasts as long as it covers the packet at its head;
then the next queue that may send has its turn. A queue that empties loses what was left of its turn; one that may
not send for a while keeps it, and where that is a quantum or more and covers its packet, its next turn begins with
that and no more. A queue that may send while no other may is not charged for it."""
from .settings import PRIORITIES


class Scheduler:
    def __init__(self):
        self.turn = 0
        self.deficit = dict.fromkeys(PRIORITIES, 0)

    def pick(self, classes, eligible, size):
        """classes: by number; eligible: numbers of the queues that may send, ascending; size: bytes of the packet
        at a queue's head, by number. Returns the queue, and whether the packet is to be taken from its turn."""
        strict = [tc for tc in eligible if classes[tc].strict]
        if strict:
            return strict[-1], False
        if len(eligible) == 1:
            return eligible[0], False
        while self.turn not in eligible or self.deficit[self.turn] < size(self.turn):
            after = [tc for tc in eligible if tc > self.turn]
            self.turn = after[0] if after else eligible[0]
            quantum = classes[self.turn].quantum
            if self.deficit[self.turn] < max(quantum, size(self.turn)):
                self.deficit[self.turn] += quantum
        return self.turn, True
