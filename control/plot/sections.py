# SPDX-License-Identifier: BSD-3-Clause
"""The sections of a report: each takes what was read of a run and returns HTML."""
from __future__ import annotations

import heapq
from collections.abc import Iterable

from document import Fields
from draw import Drawing
from markup import Markup, count, duration, element, join, ratio, size, table
from read import Flow, Invalid, Missing, Result, open_table
from settings import yaml_text

FLOWS_MAX, COLLECTIVES_MAX, PORTS_MAX, LOG_MAX = 20, 50, 20, 100
CAPTIONS = {
    "fct.svg": "The share of the flows that took at most this long. A long tail to the right shows flows that others wait for.",
    "slowdown.svg": "The same, as a multiple of the time that each flow would take alone.",
    "uplinks.svg": "A row is a leaf, a column one of its uplinks; numbers are loads in percent over the run.",
    "spine-uplinks.svg": "A row is a spine, a column one of its uplinks; numbers are loads in percent over the run.",
    "queues.svg": "Bytes that waited. Dashed lines are thresholds of ECN and PFC.",
    "rates.svg": "What congestion control allows each queue pair.",
    "loads.svg": "A row is a port; brighter means that it was sending for a larger share of the time.",
    "pauses.svg": "A row is a port and a priority; brighter means that it was paused for a larger share of the time.",
    "pools.svg": "Bytes that each buffer pool held.",
    "film-loads.svg": "A row is a port; brighter means that it was sending for a larger share of the time.",
    "film-pauses.svg": "A row is a port and a priority; brighter means that it was paused for a larger share of the time.",
    "film-queues.svg": "The most that waited in each queue, by traffic class.",
    "film-drops.svg": "Packets dropped over time.",
}


def pairs(caption: str, rows: Iterable[tuple[str, str]]) -> Markup:
    return table(caption, ("what", "value"), list(rows))


def first_of(shown: int, total: int, what: str, where: str) -> str:
    return f"{what}: {count(shown)} of {count(total)}; {where} has all" if shown < total else f"{what}: {count(total)}"


# ---- what to look at, and the run as a whole ------------------------------------------------------------------------

def notices(summary: Fields) -> Markup:
    at = duration(summary.count("sim_ps"))
    texts = {"interrupted": f"Interrupted at {at}: the run is incomplete.",
             "out_of_memory": f"Out of memory at {at}: the run is incomplete.",
             "stalled": f"Stalled at {at}: nothing moved any more."}
    return join(element("p", text, class_="notice", role="note") for key, text in texts.items() if summary.has(key))


def look_at(document: Fields) -> Markup:
    hints = document.texts("hints")
    if not hints:
        return element("p", "Nothing: no packet of a lossless group was dropped, all flows are complete, no port was paused for "
                            "long, and uplinks are loaded evenly.")
    return element("ul", *(element("li", one) for one in hints))


def figures(document: Fields) -> Markup:
    s = document.object("summary")
    rows = [("fabric time", duration(s.count("last_event_ps"))),
            ("flows complete", f"{count(s.count('completed'))} of {count(s.count('flows'))}"),
            ("goodput", f"{s.real('goodput_gbps'):.1f} Gb/s"),
            ("slowdown, mean", ratio(s.real("slowdown_mean"))), ("slowdown, median", ratio(s.real("slowdown_p50"))),
            ("slowdown, 99th percentile", ratio(s.real("slowdown_p99"))),
            ("drops", count(s.count("drops"))), ("drops of lossless traffic", count(s.count("drops_lossless"))),
            ("PFC sent", count(s.count("pfc_tx"))), ("packets marked by ECN", count(s.count("ecn_marked"))),
            ("CNPs sent", count(s.count("cnps"))), ("packets out of order", count(s.count("out_of_order"))),
            ("packets sent again", count(s.count("retransmitted"))),
            ("imbalance of uplinks", ratio(s.real("uplink_imbalance"))),
            ("packets sent by NICs", count(s.count("packets"))), ("packet-hops", count(s.count("packet_hops")))]
    if s.has("pairs"):
        made = s.object("pairs")
        rows.append(("messages of generated pairs", f"{count(made.count('arrived'))} of {count(made.count('messages'))}"))
    return pairs("the run as a whole", rows)


# ---- items, tenants, collectives, flows -----------------------------------------------------------------------------

def groups(document: Fields, key: str, what: str) -> Markup:
    columns = (what, "#flows", "#complete", "#bytes", "#FCT mean", "#FCT p50", "#FCT p99", "#FCT max", "#slowdown mean",
               "#slowdown p50", "#slowdown p99", "#slowdown max")
    rows = [(one.text("name"), count(one.count("flows")), count(one.count("completed")), size(one.count("bytes")),
             *(duration(one.time(f"fct_{of}_ps")) for of in ("mean", "p50", "p99", "max")),
             *(ratio(one.ratio(f"slowdown_{of}")) for of in ("mean", "p50", "p99", "max"))) for one in document.objects(key)]
    if not rows:
        return element("p", "None.")
    return table(f"flow completion times (FCT) and slowdowns by {what}", columns, rows)


def collectives(document: Fields) -> Markup:
    """The slowest executions, in the order of the file."""
    every = list(document.objects("collectives"))
    if not every:
        return element("p", "None.")
    times = [one.time("step_ps") for one in every]
    slowest = heapq.nsmallest(COLLECTIVES_MAX, range(len(every)),
                              key=lambda index: (times[index] is not None, -(times[index] or 0)))
    rows = []
    for one in (every[index] for index in sorted(slowest)):
        bus = one.real("busbw_gbps")
        rows.append((one.text("id"), one.text("kind"), count(one.count("iteration")), count(one.count("ranks")),
                     size(one.count("bytes")), duration(one.time("start_ps")), duration(one.time("step_ps")),
                     f"{one.real('algbw_gbps'):.1f}", f"{bus:.1f}" if one.text("kind") not in ("step", "compute") else "\u2013"))
    what = "executions" if len(rows) == len(every) else "the slowest executions"
    return table(first_of(len(rows), len(every), what, "result.json"),
                 ("collective", "kind", "#iteration", "#ranks", "#per rank", "#start", "#time", "#algbw / Gb/s", "#busbw / Gb/s"),
                 rows)


def steps(document: Fields) -> Markup:
    """What the time of each step went to, and the critical path of the longest."""
    every = list(document.objects("steps"))
    if not every:
        return element("p", "None.")
    order = heapq.nlargest(COLLECTIVES_MAX, range(len(every)), key=lambda index: every[index].count("step_ps"))
    rows = []
    for one in (every[index] for index in sorted(order)):
        whole, computing, exposed = (one.count(f"{of}_ps") for of in ("step", "computing", "exposed"))
        rows.append((one.text("id"), count(one.count("iteration")), duration(whole), share(computing, whole),
                     share(exposed, whole), share(max(0, whole - computing - exposed), whole), one.text("slowest")))
    what = "executions" if len(rows) == len(every) else "the longest executions"
    longest = every[order[0]]
    path = [(part.text("name"), part.text("kind"), count(part.count("times")), duration(part.count("time_ps")),
             share(part.count("time_ps"), longest.count("step_ps")),
             f"{part.real('busbw_gbps'):.1f}" if part.text("kind") != "compute" else "\u2013",
             duration(part.count("longest_ps")), part.text("host")) for part in longest.objects("path")]
    return join((table(first_of(len(rows), len(every), what, "result.json"),
                       ("step", "#iteration", "#time", "#computing", "#exposed communication", "#idle", "last host"), rows),
                 table(f"critical path of {longest.text('id')}, iteration {longest.count('iteration')}, from its end",
                       ("operation", "kind", "#times", "#time", "#share", "#busbw / Gb/s", "#longest", "at"),
                       path[:COLLECTIVES_MAX])))


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "\u2013"


def slowest_flows(result: Result) -> Markup:
    def order(one: tuple[int, Flow]) -> tuple[bool, int, int]:
        """Flows that are not complete come first."""
        return one[1].fct_ps is not None, -(one[1].fct_ps or 0), one[0]

    if result.no_flows:
        return element("p", f"Not listed: {result.no_flows}.")
    if not result.flows:
        return element("p", "None.")
    rows = [(count(number), flow.item, flow.src, flow.dst, flow.tenant or "\u2013", size(flow.bytes), duration(flow.start_ps),
             duration(flow.fct_ps) if flow.fct_ps is not None else "not complete", duration(flow.ideal_ps or None),
             ratio(flow.fct_ps / flow.ideal_ps if flow.fct_ps is not None and flow.ideal_ps else None),
             count(flow.retransmitted)) for number, flow in heapq.nsmallest(FLOWS_MAX, result.flows.items(), key=order)]
    return table(first_of(len(rows), len(result.flows), "flows, slowest first", "flows.csv"),
                 ("flow", "item", "from", "to", "tenant", "#bytes", "#start", "#FCT", "#alone", "#slowdown", "#sent again"), rows)


# ---- drops ----------------------------------------------------------------------------------------------------------

def drops_by_port(result: Result) -> list[tuple[str, str, int]]:
    found: list[tuple[str, str, int]] = []
    counters = open_table(result.directory, "counters.csv", "node,port,scope,counter,value", names=True,
                          most=result.most)
    if counters is None:
        raise Invalid(f"{result.directory}/counters.csv: no such file; `roost sim FILE -o DIR` writes it")
    with counters.file:
        for fields in counters.rows():
            if fields[2] == "drops":
                found.append((f"{fields[0]}.{fields[1]}", fields[3], counters.integer(fields, 4)))
    return found


def drops(document: Fields, result: Result) -> Markup:
    try:
        places, why = drops_by_port(result), ""
    except Missing as missed:
        places, why = [], f"Ports not listed: {missed}."
    reasons = [(one.text("reason"), count(one.count("packets")), one.text("advice")) for one in document.objects("drops")]
    if not reasons:
        return element("p", "None.")
    largest = heapq.nlargest(PORTS_MAX, places, key=lambda one: one[2])
    ports = table(first_of(len(largest), len(places), "ports and reasons, most drops first", "counters.csv"),
                  ("port by which they arrived", "reason", "#packets"),
                  [(port, reason, count(packets)) for port, reason, packets in largest])
    return join((table("drops by reason", ("reason", "#packets", "advice"), reasons), element("p", why) if why else ports))


# ---- drawings -------------------------------------------------------------------------------------------------------

def drawings(every: list[Drawing]) -> Markup:
    return join(element("figure", Markup(one.inline()), element("figcaption", CAPTIONS[one.file])) for one in every)


# ---- the log, the configuration, versions ---------------------------------------------------------------------------

def log(document: Fields, key: str, where_all: str) -> Markup:
    every = list(document.objects(key))
    if not every:
        return element("p", "Nothing was logged.")
    rows = []
    for one in every[:LOG_MAX]:
        where = [one.text(key) for key in ("node", "queue") if one.has(key) and one.get(key) is not None]
        rows.append((duration(one.count("at_ns") * 1000), " ".join(where), one.text("what"), one.text("message")))
    return table(first_of(len(rows), len(every), "entries", where_all), ("time", "where", "what", "message"), rows)


def configuration(document: Fields) -> Markup:
    return element("pre", Markup(join(yaml_text(document.object("settings").value).split("\n"))), tabindex="0",
                   aria_label="the configuration as YAML")


def versions(document: Fields, version: str) -> Markup:
    s = document.object("summary")
    rows = [("file", document.text("file") if document.has("file") else "\u2013"), ("seed", str(s.count("seed"))),
            ("run by", f"Roost {document.text('version')}"), ("report by", f"Roost {version}"),
            ("digest of the results", s.text("digest") if s.has("digest") else "none: memory ran out"),
            ("preparation", f"{s.real('setup_s'):.3g} s"), ("run", f"{s.real('wall_s'):.3g} s"),
            ("speed", f"{s.real('packet_hops_per_s') / 1e6:.3g} million packet-hops/s"),
            ("processes", count(s.count("ranks"))), ("threads", count(s.count("threads"))),
            ("memory", size(s.count("memory_bytes")))]
    return pairs("what ran it, and how long", rows)
