# SPDX-License-Identifier: BSD-3-Clause
"""Queues: one FIFO, or one for each tenant, which then take turns by deficit round robin.

The packet that is next stands at the head, chosen when the one before it begins to leave. Behind it, tenants with
packets stand in a ring; the first has its turn until what is left of it does not cover its next packet, then it
goes to the end and the next gets a quantum, one largest frame, more. A tenant without packets leaves the ring
with what was left of its turn; one that comes goes to the end.
"""
from .settings import ETHERNET, MTU

QUANTUM = MTU + ETHERNET


class Queue:
    def __init__(self):
        self.packets = []

    def head(self):
        return self.packets[0] if self.packets else None

    def push(self, packet):
        self.packets.append(packet)

    def pop(self):
        return self.packets.pop(0)

    def all(self):
        return self.packets

    def waiting(self):
        """In the order in which they would leave. Nothing can be done with the queue afterwards."""
        return self.packets


class TenantQueue:
    def __init__(self):
        self.first = None
        self.ring = []       # tenants, the one whose turn it is first
        self.packets = {}    # by tenant; None: not known
        self.left = {}       # of a tenant's turn, bytes

    def head(self):
        return self.first

    def push(self, packet):
        if self.first is None:
            self.first = packet
            return
        tenant = packet.tenant
        if tenant not in self.ring:
            self.left[tenant] = 0 if self.ring else QUANTUM
            self.ring.append(tenant)
            self.packets[tenant] = []
        self.packets[tenant].append(packet)

    def pop(self):
        packet, self.first = self.first, self.choose()
        return packet

    def choose(self):
        if not self.ring:
            return None
        while self.packets[self.ring[0]][0].size > self.left[self.ring[0]]:
            self.ring.append(self.ring.pop(0))
            self.left[self.ring[0]] += QUANTUM
        tenant = self.ring[0]
        packet = self.packets[tenant].pop(0)
        self.left[tenant] -= packet.size
        if not self.packets[tenant]:
            self.ring.pop(0)
            if self.ring:
                self.left[self.ring[0]] += QUANTUM
        return packet

    def all(self):
        return [packet for packet in (self.first, *sum(self.packets.values(), [])) if packet]

    def waiting(self):
        packets = []
        while self.first is not None:
            packets.append(self.pop())
        return packets


def follow(queue, fair):
    """The queue, with the packets of the old one, as tenants take turns in it or not."""
    if isinstance(queue, TenantQueue) == fair:
        return queue
    other = TenantQueue() if fair else Queue()
    for packet in queue.waiting():
        other.push(packet)
    return other
