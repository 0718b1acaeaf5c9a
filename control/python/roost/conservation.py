# SPDX-License-Identifier: BSD-3-Clause
"""What must hold of a switch at any instant: everything received, and all that it answered, was sent, dropped or is queued,
and a pool holds what its users hold."""
from collections.abc import Mapping
from typing import Any

from .counters import answers, drops

LOST_ON_WIRE = {"link-down", "link-fault", "llr-discard", "llr-flush", "no-mbuf"}
"""Reasons of losses behind the transmitter: such a packet has left its queue and counts as sent there."""
NOT_PACKETS = {"suppressed", "no-way-back"}
"""Kinds of answers that were not sent."""


def total(ports: Mapping[str, Any], kind: str, name: str) -> int:
    """The sum of one counter of all priority groups ("pg") or queues ("queue") of some ports."""
    return sum(one[name] for port in ports.values() for one in port[kind])


def assert_switch_conserved(name: str, node: Mapping[str, Any]) -> None:
    """Raises AssertionError if the counters of a switch, as in counters.json, contradict each other."""
    ports, pools = node["ports"], node["pools"]

    def equal(what: str, left: object, right: object) -> None:
        if left != right:
            raise AssertionError(f"{name}: {what}: {left} != {right}")

    admitted = total(ports, "pg", "packets") - total(ports, "pg", "dropped") - total(ports, "queue", "dropped")
    queued = admitted - total(ports, "queue", "packets")
    received = sum(port["rx_packets"] - port["control_rx"] for port in ports.values()) + \
        sum(count for kind, count in answers({name: node}).items() if kind not in NOT_PACKETS)
    dropped = sum(count for reason, count in drops({name: node}).items() if reason not in LOST_ON_WIRE)
    depth = total(ports, "queue", "depth")
    equal("received - dropped - sent and admitted - sent",
          received - dropped - total(ports, "queue", "packets"), queued)
    equal("packets queued and bytes queued, both or neither", queued > 0, depth > 0)
    equal("bytes in groups and in queues", total(ports, "pg", "used"), depth)
    equal("bytes in groups and in ingress pools", total(ports, "pg", "used") - total(ports, "pg", "headroom"),
          pools["ingress-lossless"]["used"] + pools["ingress-lossy"]["used"])
    equal("headroom of groups and of its pool", total(ports, "pg", "headroom"), pools["headroom"]["used"])
    equal("discards of ports and drops by reason",
          sum(port["rx_discards"] + port["tx_discards"] for port in ports.values()), sum(drops({name: node}).values()))
    equal("bytes in queues and in egress pools", depth,
          pools["egress-lossless"]["used"] + pools["egress-lossy"]["used"])
    for port, counters in ports.items():
        equal(f"{port}: sent", counters["tx_packets"],
              counters["control_tx"] + sum(queue["packets"] for queue in counters["queue"]))
        for kind, now, peak in (("pg", "used", "used_max"), ("pg", "headroom", "headroom_max"),
                                ("queue", "depth", "depth_max")):
            for index, one in enumerate(counters[kind]):
                equal(f"{port} {kind} {index}: {now} is at most its peak", one[now] <= one[peak], True)


def assert_conserved(nodes: Mapping[str, Any]) -> None:
    """assert_switch_conserved() of every switch among the nodes of a result."""
    for name, node in nodes.items():
        if any(port.startswith("swp") for port in node["ports"]):
            assert_switch_conserved(name, node)
