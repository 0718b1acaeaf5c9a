# SPDX-License-Identifier: BSD-3-Clause
"""Draws a switch: everything that matters is written, so that nothing of it depends on a default."""
from .settings import EGRESS, INGRESS, PRIORITIES, Refused, Settings, size_of

CELLS = (1, 96, 128, 144, 192, 256)
RATES = ("25G", "100G", "400G", "800G")
ALPHAS = ("0", "1/128", "1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8", "16", "32", "64",
          "unlimited")
DSCPS = (0, 8, 11, 18, 26, 34, 40, 46, 48, 56)
TENANTS = ("red", "blue", "green")


def some(draw, low, high):
    """Bytes, small values as likely as large ones."""
    return f"{round(low * (high / low) ** draw.random())}B"


def maybe(draw, chance, value, other):
    return value() if draw.random() < chance else other


def part(draw, said, chance=0.6):
    """Some of the keys."""
    return {key: value for key, value in said.items() if draw.random() < chance}


def alpha(draw):
    return draw.choice(("1/8", "1/4", "1/2", "1", "2")) if draw.random() < 0.6 else draw.choice(ALPHAS)


def limit(draw, scale):
    said = {"reserved": maybe(draw, 0.3, lambda: some(draw, 1, scale / 20), "0B")}
    if draw.random() < 0.25:
        return said | {"static": some(draw, scale / 100, scale / 2)}
    return said | {"alpha": alpha(draw)}


def xon(draw, scale):
    return {"xon": maybe(draw, 0.4, lambda: some(draw, 1, scale / 8), "0B"),
            "xon-offset": draw.choice(("none", "0B", some(draw, 1, scale / 10), "9216B"))}


def group(draw, scale, lossless, headroom):
    """headroom: "auto", or "bytes"."""
    said = {"lossless": lossless, "pool": INGRESS[not lossless if draw.random() < 0.9 else draw.randrange(2)]}
    said["headroom"] = headroom if headroom == "auto" and lossless else \
        maybe(draw, 0.9, lambda: some(draw, 500, scale / 30), "0B")
    return said | limit(draw, scale) | xon(draw, scale)


def ecn(draw, scale):
    """Marking without chance: a step, or a probability of 0 up to max."""
    low = size_of(some(draw, 1, scale / 4))
    if draw.random() < 0.5:
        return {"min": f"{low}B", "max": f"{low}B", "probability": draw.choice(("0%", "100%"))}
    return {"min": f"{low}B", "max": f"{low + size_of(some(draw, 1, scale / 4))}B", "probability": "0%"}


def scheduler(draw):
    return {"scheduler": "strict" if draw.random() < 0.25 else "dwrr",
            "weight": draw.choice((1, 2, 7, 14, 15, 50, 100))}


def traffic_class(draw, scale, lossless):
    said = scheduler(draw) | {"pool": EGRESS[not lossless if draw.random() < 0.8 else draw.randrange(2)]}
    said |= limit(draw, scale)
    said["ecn"] = maybe(draw, 0.5, lambda: ecn(draw, scale), "off")
    said["red"] = "on" if said["ecn"] != "off" and draw.random() < 0.4 else "off"
    said["min-rate"] = maybe(draw, 0.1, lambda: draw.choice(("1G", "2G", "5G")), "none")
    said["max-rate"] = maybe(draw, 0.1, lambda: draw.choice(("5G", "10G", "20G", "50G")), "none")
    return said | {"fairness": maybe(draw, 0.3, lambda: "tenant", "none")}


def pool_sizes(draw, scale, names):
    if draw.random() < 0.5:
        first = draw.randrange(5, 90)
        sizes = [f"{first}%", f"{draw.randrange(5, 101 - first)}%"]
    else:
        first = size_of(some(draw, scale / 20, scale * 0.6))
        sizes = [f"{first}B", some(draw, scale / 20, scale - first)]
    level = draw.random() < 0.2
    return {name: {"size": maybe(draw, 0.2, lambda: "unlimited", size),
                   "port-alpha": draw.choice(ALPHAS[1:-1]) if level else "none"}
            for name, size in zip(names, sizes)}


def tenants(draw, scale):
    names = TENANTS[:draw.randrange(1, 4)]
    shares = ("none", "25%", "50%", "80%", "1/4", "1", "2")
    return {name: {"buffer": {"guaranteed": maybe(draw, 0.7, lambda: some(draw, 1, scale / 12), "0B"),
                              "share": draw.choice(shares)}} if draw.random() < 0.8 else {} for name in names}


def maps(draw, used):
    """Priorities `used` are what traffic has; groups and classes follow them."""
    return {"trust": draw.choice((["dscp"], ["dscp", "pcp"], ["pcp", "dscp"], ["pcp"], [])),
            "port-priority": draw.choice(used),
            "dscp-to-priority": {dscp: draw.choice(used) for dscp in DSCPS} | {"default": draw.choice(used)},
            "pcp-to-priority": {pcp: draw.choice(used) for pcp in PRIORITIES},
            "priority-to-pg": {priority: draw.choice(used) for priority in PRIORITIES},
            "priority-to-tc": {priority: draw.choice(used) for priority in PRIORITIES}}


def quality(draw, scale, headroom):
    used = draw.sample(PRIORITIES, draw.randrange(2, 6))
    lossless = {pg: draw.random() < 0.5 for pg in PRIORITIES}
    looks = maybe(draw, 0.4, lambda: watchdog(draw), "off")
    return {**maps(draw, used),
            "pg": {pg: group(draw, scale, lossless[pg] and pg in used, headroom) for pg in PRIORITIES},
            "tc": {tc: traffic_class(draw, scale, lossless[tc]) for tc in PRIORITIES},
            "port": {"max-rate": maybe(draw, 0.1, lambda: draw.choice(("10G", "20G", "80G")), "none")},
            "flow-control": flow_control(draw), "pfc": pfc(draw, used, looks != "off"),
            "watchdog": looks,
            "remark": maybe(draw, 0.2, lambda: remark(draw), "none"), "trim": "off"}


def flow_control(draw):
    return draw.choice(("pfc", "pfc", "pfc", "pfc-asymmetric", "pause", "none"))


def pfc(draw, used, watched):
    """watched: the watchdog takes long to find anything, and refreshes are to be fewer."""
    return {"priorities": sorted(set(used)) if draw.random() < 0.7 else sorted(draw.sample(PRIORITIES, 4)),
            "quanta": draw.choice((65535, 20000) if watched else (65535, 20000, 1000, 300)),
            "refresh": "auto" if draw.random() < 0.8 else f"{draw.randrange(200, 20000) * (5 if watched else 1)}ns"}


def watchdog(draw):
    poll = draw.randrange(100, 300)
    said = {"poll": f"{poll}us", "restore": f"{poll + draw.randrange(0, 500)}us",
            "action": draw.choice(("drop", "drop", "drop", "forward", "alert")),
            "flush": draw.choice(("on", "off")), "ingress": draw.choice(("on", "off")),
            "enabled": "off" if draw.random() < 0.1 else "on"}
    return said | draw.choice(({"robustness": draw.randrange(1, 4)}, {"detect": f"{poll + draw.randrange(0, 300)}us"}))


def remark(draw):
    return {"dscp": {priority: draw.randrange(64) for priority in draw.sample(PRIORITIES, 3)},
            "pcp": {priority: draw.choice(PRIORITIES) for priority in draw.sample(PRIORITIES, 3)}}


def trim(draw):
    tc = draw.choice(PRIORITIES)
    eligible = [one for one in PRIORITIES if one != tc and draw.random() < 0.9]
    return {"size": f"{4 * draw.randrange(64, 257)}B", "dscp": draw.randrange(64), "tc": tc, "eligible-tc": eligible}


def ipip(draw, used):
    said = {"address": ["10.1.0.32", "fc00:1::32"], "dscp": draw.choice(("uniform", "pipe")),
            "ecn": draw.choice(("standard", "copy-from-outer")), "ttl": "pipe"}
    if draw.random() < 0.5:
        said["dscp-to-priority"] = maps(draw, used)["dscp-to-priority"]
    if draw.random() < 0.5:
        said["priority-to-pg"] = {priority: draw.choice(used) for priority in draw.sample(PRIORITIES, 4)}
    return said


PORT_PARTS = ("tc", "pfc", "pg", "watchdog")    # keys of one port that replace some of the switch's below them, not all


def port_quality(draw, used, scale, watched):
    """What one port has for itself."""
    own = maps(draw, used)
    said = {key: own[key] for key in ("trust", "port-priority", "dscp-to-priority", "pcp-to-priority")}
    said |= {"remark": maybe(draw, 0.7, lambda: remark(draw), "none"),
             "max-rate": draw.choice(("none", "5G", "20G", "80G")),
             "pfc": {"priorities": sorted(draw.sample(PRIORITIES, draw.randrange(6)))},
             "pg": {pg: part(draw, group(draw, scale, draw.random() < 0.5, "bytes"))
                    for pg in draw.sample(PRIORITIES, 3)},
             "tc": {tc: part(draw, scheduler(draw)) for tc in draw.sample(PRIORITIES, 4)}}
    if watched:
        looks = watchdog(draw)
        looks.pop("poll")
        said["watchdog"] = draw.choice(("on", "off")) if draw.random() < 0.3 else part(draw, looks)
    return part(draw, said, 0.4)


def histograms(draw, names, cell, watched):
    said = {}
    for _ in range(draw.randrange(1, 6)):
        kind, bins = draw.choice(("queue", "group", "latency")), draw.randrange(3, 12)
        where = f"{draw.choice(names)}.{draw.choice(PRIORITIES)}"
        said[kind, where] = {kind: where, "bins": bins}
        if kind == "latency":
            said[kind, where] |= {"min": f"{draw.randrange(0, 2000)}ns", "size": f"{draw.randrange(100, 50000)}ns"}
        else:
            said[kind, where] |= {"min": f"{draw.randrange(0, 5000)}B",
                                  "size": f"{draw.randrange(1, 20) * cell * (bins - 2)}B",
                                  "sample": f"{draw.randrange(300, 20000) * (10 if watched else 1)}ns"}
    return list(said.values())


def ports(draw):
    count, alike = draw.randrange(2, 7), draw.random() < 0.4
    common = {"rate": draw.choice(RATES), "delay": f"{draw.randrange(5, 1500)}ns"}
    return {f"swp{i + 1}": dict(common) if alike else
            {"rate": draw.choice(RATES), "delay": f"{draw.randrange(5, 1500)}ns"} for i in range(count)}, alike


def routes(names):
    return [{"prefix": prefix, "via": [{"port": name, "mac": f"02:00:00:00:02:{int(name[3:]):02x}"}]}
            for name in names for prefix in (f"198.18.{name[3:]}.0/24", f"2001:db8:{name[3:]}::/64")]


def once(draw):
    named, alike = ports(draw)
    scale = size_of(some(draw, 20000, 400000))
    auto = alike and draw.random() < 0.3
    switch = {"name": "dut", "latency": draw.choice(("0ns", "0ns", "700ns", "12345ps")),
              "buffer": {"size": f"{scale}B", "cell": draw.choice(CELLS),
                         "pools": pool_sizes(draw, scale, INGRESS) | pool_sizes(draw, scale, EGRESS)},
              "qos": quality(draw, scale, "auto" if auto else "bytes"), "ports": named,
              "routes": routes(named)}
    buffer, qos = switch["buffer"], switch["qos"]
    if auto:    # headroom for a cable takes megabytes
        buffer["size"] = "64MB"
    elif draw.random() < 0.2:
        buffer["headroom-pool"] = {"size": some(draw, 500, scale / 5)}
    if draw.random() < 0.4:
        watched = qos["watchdog"] != "off"
        qos["ports"] = {name: port_quality(draw, draw.sample(PRIORITIES, 3), scale, watched)
                        for name in named if draw.random() < 0.5}
    if draw.random() < 0.2:
        qos["histograms"] = histograms(draw, list(named), buffer["cell"], qos["watchdog"] != "off")
    if draw.random() < 0.4:
        switch["tenants"] = tenants(draw, scale)
        for port in named.values():
            if draw.random() < 0.85:
                port["tenant"] = draw.choice(list(switch["tenants"]))
    return switch, scale


def holds(switch):
    """Whether a switch can be so."""
    try:
        Settings(switch, auto_headroom=0)
    except Refused:
        return False
    return True


def draw_switch(draw):
    """Returns the description, and the size in bytes that its thresholds are drawn for."""
    switch, scale = once(draw)
    while not holds(switch):
        switch, scale = once(draw)
    if draw.random() < 0.4:     # the class of trimmed packets must be lossy: not any will do
        tried = [switch | {"qos": switch["qos"] | {"trim": trim(draw)}} for _ in range(8)]
        switch = next(filter(holds, tried), switch)
    if draw.random() < 0.25:
        switch["ipip"] = ipip(draw, draw.sample(PRIORITIES, 4))
    return switch, scale
