# SPDX-License-Identifier: BSD-3-Clause
"""The sections of a report of a film alone: that of a live fabric, or of a run without result.json."""
from __future__ import annotations

import heapq
import os
from collections import Counter
from dataclasses import dataclass

import sections
from document import Fields
from film import CLASSES, PRIORITIES, Film
from markup import DASH, Markup, count, duration, element, join, size, table
from sections import FLOWS_MAX, PORTS_MAX, first_of, pairs

PAUSED_SHARE = 0.1     # as the hints of result.json
ROLES = (("leaf", "leaves"), ("spine", "spines"), ("super", "super-spines"), ("host", "hosts"))
PACKETS = "packets.pcapng"


def one_or(number: int, one: str, many: str) -> str:
    return f"{count(number)} {one if number == 1 else many}"


@dataclass(slots=True)
class Flow:
    number: int
    item: str
    src: str
    dst: str
    tenant: str
    bytes: int
    start_ns: int | None    # None: unknown
    end_ns: int | None      # None: not complete

    @property
    def fct_ps(self) -> int | None:
        return None if self.start_ns is None or self.end_ns is None else max(self.end_ns - self.start_ns, 0) * 1000


def flows_of(film: Film) -> list[Flow]:
    found = []
    for one in film.meta.objects("flows") if film.meta.has("flows") else ():
        tenant = DASH if one.get("tenant") is None else film.name_of(film.tenants, one, "tenant")
        found.append(Flow(one.count("id"), one.text("item"), film.name_of(film.nodes, one, "src"), film.name_of(film.nodes, one, "dst"),
                          tenant, one.count("bytes"), one.time("start_ns"), one.time("end_ns")))
    return found


def has_begun(film: Film, flow: Flow) -> bool:
    return flow.start_ns is not None and flow.start_ns <= film.end


# ---- the film as a whole --------------------------------------------------------------------------------------------

def notices(film: Film) -> Markup:
    texts = []
    if not film.meta.has("ended"):
        texts.append("The film is incomplete: it is still being recorded, or the recording was interrupted.")
    elif film.meta.object("ended").text("why") == "limit":
        texts.append("The film ends early: it reached its limit.")
    if film.lost:
        texts.append(f"Lost because the recorder was too slow: {one_or(film.lost, 'interval', 'intervals')}. Lost intervals count as "
                     "zeros.")
    return join(element("p", text, class_="notice", role="note") for text in texts)


def figures(film: Film) -> Markup:
    roles = Counter(one.text("role") for one in film.meta.objects("nodes"))
    flows = flows_of(film)
    rows = [("fabric", film.meta.text("name")), ("recorded from", "a live fabric" if film.live else "a simulation"),
            ("nodes", ", ".join(one_or(roles[role], "leaf" if role == "leaf" else many[:-1], many)
                                for role, many in ROLES if roles[role])),
            ("begins at", duration(film.begin * 1000)), ("length, in fabric time", duration((film.end - film.begin) * 1000)),
            ("intervals", f"{'about ' if film.reduced > 1 else ''}{count(film.total * film.reduced)} of "
                          f"{duration(film.own_interval * 1000)}"),
            ("packets sent by all ports", count(film.sum("tx_packets"))), ("bytes sent by all ports", size(film.sum("tx_bytes")))]
    if any(one.has("device") for one in film.meta.objects("ports")):
        rows.append(("packets received from attached hosts", count(film.sum("rx_packets"))))
    rows += [("drops", count(film.sum("drops"))), ("packets marked by ECN", count(film.sum("marked"))),
             (f"time {'without credit, summed over all ports and lanes' if film.credits else 'paused, summed over all ports and priorities'}",
              duration(film.sum("paused") * 1000))]
    place, most = film.largest("depth_max")
    if most:
        rows.append(("deepest queue", f"{film.ports[place // CLASSES]}.{place % CLASSES}: {size(most)}"))
    if flows:
        rows.append(("flows complete", f"{count(sum(one.end_ns is not None for one in flows))} of {count(len(flows))}"))
    return pairs("the film as a whole", rows)


def look_at(film: Film) -> Markup:
    hints = [f"{one_or(packets, 'packet was', 'packets were')} dropped with the reason {film.reasons[reason]}: {film.advice[reason]}"
             for reason, packets in drops_by_reason(film)]
    place, paused = film.largest("paused")
    length = film.end - film.begin
    if length and paused and paused >= PAUSED_SHARE * length:
        port, priority = divmod(place, PRIORITIES)
        lane = "lane" if film.credits else "priority"
        what = "in all priorities (802.3x)" if priority == PRIORITIES - 1 else f"in {lane} {priority}"
        hints.append(f"{film.ports[port]} {'waited for credit' if film.credits else 'was paused'} for {min(100 * paused / length, 100):.0f} % of the film {what}: "
                     f"{film.peer_of(port) or 'the other side'} also holds up traffic for other ports (head-of-line blocking)")
    started = [one for one in flows_of(film) if has_begun(film, one)]
    waiting = sum(one.end_ns is None for one in started)
    if waiting:
        hints.append(f"{count(waiting)} of the {one_or(len(started), 'flow', 'flows')} that began had not completed at the end of the "
                     "film" + ("; a live film updates the times of flows only once a second, so some may have completed" if film.live else ""))
    if not hints:
        return element("p", "Nothing stands out in the film: no packet was dropped, no port was paused for long, and all flows that began "
                            "are complete.")
    return element("ul", *(element("li", one) for one in hints))


# ---- flows, tenants, drops ------------------------------------------------------------------------------------------

def workload(film: Film) -> Markup:
    items: dict[str, list[Flow]] = {}
    for one in flows_of(film):
        items.setdefault(one.item, []).append(one)
    if not items:
        return element("p", "None.")
    rows = []
    for item, flows in items.items():
        times = [one.fct_ps for one in flows if one.fct_ps is not None]
        rows.append((item, count(len(flows)), count(len(times)), size(sum(one.bytes for one in flows)),
                     duration(sum(times) // len(times) if times else None), duration(max(times, default=None))))
    return table("flow completion times (FCT) by workload item",
                 ("workload item", "#flows", "#complete", "#bytes", "#FCT mean", "#FCT max"), rows)


def slowest_flows(film: Film) -> Markup:
    flows = flows_of(film)
    if not flows:
        return element("p", "None.")
    # Those that have not completed come first, and those that have not begun last.
    slowest = heapq.nsmallest(FLOWS_MAX, flows, key=lambda one: (not has_begun(film, one), one.fct_ps is not None,
                                                                 -(one.fct_ps or 0), one.number))
    return table(first_of(len(slowest), len(flows), "flows, slowest first", "the film"),
                 ("flow", "item", "from", "to", "tenant", "#bytes", "#start", "#FCT"),
                 [(count(one.number), one.item, one.src, one.dst, one.tenant, size(one.bytes),
                   duration(None if one.start_ns is None else one.start_ns * 1000),
                   duration(one.fct_ps) if one.fct_ps is not None else "not complete") for one in slowest])


def tenants(film: Film) -> Markup:
    rows = []
    for number, name in enumerate(film.tenants):
        if isinstance(name, str):
            received, marked, dropped = (sum(film.totals_of(column, number)) for column in
                                         ("tenant_bytes", "tenant_marked", "tenant_dropped"))
            rows.append((name, size(received), count(marked), count(dropped)))
    if not rows:
        return element("p", "None.")
    return table("what the switches received, marked and dropped, by tenant",
                 ("tenant", "#received", "#packets marked CE", "#packets dropped"), rows)


def drops_by_reason(film: Film) -> list[tuple[int, int]]:
    """The reason's number and the packets, most first."""
    sums = [(reason, sum(film.totals_of("drops", reason))) for reason in range(len(film.reasons))]
    return sorted((one for one in sums if one[1]), key=lambda one: -one[1])


def drops(film: Film) -> Markup:
    reasons = drops_by_reason(film)
    if not reasons:
        return element("p", "None.")
    places = [(place, packets) for (column, place), packets in film.totals.items() if column == "drops" and packets]
    largest = heapq.nsmallest(PORTS_MAX, places, key=lambda one: (-one[1], one[0]))
    width = len(film.reasons)
    return join((table("drops by reason", ("reason", "#packets", "advice"),
                       [(film.reasons[reason], count(packets), film.advice[reason]) for reason, packets in reasons]),
                 table(first_of(len(largest), len(places), "ports and reasons, most drops first", "the film"),
                       ("port by which they arrived", "reason", "#packets"),
                       [(film.ports[place // width], film.reasons[place % width], count(packets)) for place, packets in largest])))


# ---- settings, versions, what is missing ----------------------------------------------------------------------------

def bytes_or(one: Fields, key: str) -> str:
    value = one.time(key)
    return DASH if value is None else size(value)


def numbers(one: Fields, key: str) -> str:
    return ", ".join(str(number) for number in one.list(key) if isinstance(number, int))


def configuration(film: Film) -> Markup:
    profiles = list(film.meta.objects("profiles")) if film.meta.has("profiles") else []
    ports = Counter(one.time("profile") for one in film.meta.objects("ports") if one.has("profile"))
    queues, groups = [], []
    for number, profile in enumerate(profiles):
        name = f"{one_or(ports[number], 'port', 'ports')}: profile {number}"
        queues += [(name, str(one.count("tc")), numbers(one, "priorities"), bytes_or(one, "ecn_min"), bytes_or(one, "ecn_max"))
                   for one in profile.objects("queues")]
        groups += [(name, str(one.count("pg")), numbers(one, "priorities"), size(one.count("headroom")), bytes_or(one, "xoff"),
                    bytes_or(one, "xon")) for one in profile.objects("groups")]
    rates = Counter(film.rates)
    parts = [element("p", "A film does not contain the configuration file, only these settings of the fabric."),
             table("ports by rate", ("rate", "#ports"), [(f"{rate / 1e9:g} Gb/s", count(rates[rate])) for rate in sorted(rates)])]
    if queues:
        parts.append(table("queues of switch ports", ("ports", "traffic class", "priorities", "#ECN min", "#ECN max"), queues))
    if groups:
        parts.append(table("priority groups of switch ports", ("ports", "group", "priorities", "#headroom", "#XOFF", "#XON"), groups))
    return join(parts)


def versions(film: Film, version: str) -> Markup:
    return pairs("what ran it", [("recorded by", f"Roost {film.meta.text('version')}"), ("report by", f"Roost {version}")])


def missing(film: Film, directory: str) -> Markup:
    has_packets = os.path.exists(os.path.join(directory, PACKETS))
    every = [f"Packets: they are in {PACKETS} in the same directory." if has_packets else
             "Packets: none were recorded. `roost capture` records packets, and `roost up -o DIR` does if record.pcap names ports.",
             "The configuration file: a film does not contain it. `roost show config` prints the settings of a fabric that is up.",
             "Goodput, slowdowns and collectives: only `roost sim` computes them.",
             "CNPs, retransmissions and packets out of order: a film does not count them. `roost show queue-pairs` shows them while the "
             "fabric is up."]
    if film.live:
        every.append("Flows of attached hosts: the fabric forwards their packets, but does not know their connections.")
    return element("ul", *(element("li", one) for one in every))


# ---- all ------------------------------------------------------------------------------------------------------------

def parts_of(film: Film, directory: str, version: str, drawn: Markup) -> dict[str, Markup]:
    return {
        "Summary": join((notices(film), figures(film))),
        "What to look at": look_at(film),
        "Workload": workload(film),
        "Tenants": tenants(film),
        "Slowest flows": slowest_flows(film),
        "Drops": drops(film),
        "Film": drawn,
        "Log": sections.log(film.meta, "events", "the film"),
        "Configuration": configuration(film),
        "Versions": versions(film, version),
        "Not in this report": missing(film, directory),
    }
