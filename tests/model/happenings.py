# SPDX-License-Identifier: BSD-3-Clause
"""Draws the events of a run: as the file says them, and as functions of the model's switch."""
import copy

from . import configuration
from .settings import EGRESS, INGRESS, PRIORITIES, Refused, Settings, bytes_ps, rate_of


class Happening:
    """said: the event in the file; done: the function of the model; description: the switch from then on, if that
    is changed."""

    def __init__(self, at, said, done, description=None):
        self.at, self.said, self.done = at, {"at": f"{at // 1000}ns", **said}, done
        self.description = description


def snapshot(_, at, __):
    return Happening(at, {"snapshot": "full"}, lambda switch: switch.snapshot())


def tx(draw, at, run):
    port, on = draw.choice(run.names), draw.random() < 0.6
    said, queues = {"port": port, "tx": "on" if on else "off"}, PRIORITIES
    if draw.random() < 0.4:
        queues = [draw.choice(PRIORITIES)]
        said["queue"] = queues[0]
    return Happening(at, said, lambda switch: switch.set_tx(port, queues, on))


def pfc(draw, at, run):
    port = draw.choice(run.names)
    priorities = draw.sample(PRIORITIES, draw.randrange(1, 5))
    quanta = round(run.span / 5 * draw.random() / bytes_ps(run.rates[port], 64)) if draw.random() < 0.7 else 0
    quanta = min(quanta, 65535)
    return Happening(at, {"port": port, "pfc": {"priorities": priorities, "quanta": quanta}},
                     lambda switch: switch.ports[port].pauses.receive_pfc(dict.fromkeys(priorities, quanta), at))


def clear(draw, at, run):
    persistent = draw.random() < 0.5
    which = draw.choice([{}, {}, {"port": draw.choice(run.names)},
                         {"port": draw.choice(run.names), draw.choice(("pg", "queue")): draw.choice(PRIORITIES)},
                         {"pool": draw.choice((*INGRESS, *EGRESS, "headroom"))}])
    return Happening(at, {"clear": "persistent-watermarks" if persistent else "watermarks"} | which,
                     lambda switch: switch.buffer.clear_peaks(persistent, **which))


def restore(draw, at, run):
    port, tc = draw.choice(run.names), draw.choice(PRIORITIES)
    return Happening(at, {"restore": f"{port}.{tc}"}, lambda switch: switch.watchdog.restore(port, tc, at))


# ---- live changes: (words of the key, its new value)

def change_group(draw, run):
    pg = draw.choice(PRIORITIES)
    value = configuration.group(draw, run.scale, draw.random() < 0.5, "bytes")
    key = draw.choice([key for key in value])
    return ["qos", "pg", pg, key], value[key]


def change_class(draw, run):
    value = configuration.traffic_class(draw, run.scale, draw.random() < 0.5)
    key = draw.choice([key for key in value])
    return ["qos", "tc", draw.choice(PRIORITIES), key], value[key]


def change_maps(draw, run):
    value = configuration.maps(draw, draw.sample(PRIORITIES, 4))
    key = draw.choice(list(value))
    if isinstance(value[key], dict) and draw.random() < 0.5:
        one = draw.choice([one for one in value[key] if one != "default"])
        return ["qos", key, one], value[key][one]
    return ["qos", key], value[key]


def change_pfc(draw, run):
    value = configuration.pfc(draw, draw.sample(PRIORITIES, 3), run.watched)
    key = draw.choice(list(value))
    return ["qos", "pfc", key], value[key]


def change_switched(draw, run):
    """What is on or off as a whole."""
    whole = {"flow-control": configuration.flow_control(draw),
             "watchdog": configuration.maybe(draw, 0.8, lambda: configuration.watchdog(draw), "off"),
             "remark": configuration.maybe(draw, 0.8, lambda: configuration.remark(draw), "none"),
             "trim": configuration.maybe(draw, 0.8, lambda: configuration.trim(draw), "off"),
             "histograms": configuration.histograms(draw, run.names, run.description["buffer"]["cell"], run.watched)}
    key = draw.choice([key for key in whole if key != "watchdog" or run.watched])
    return ["qos", key], whole[key]


def change_watchdog(draw, run):
    value = configuration.watchdog(draw)
    key = draw.choice(list(value))
    return ["qos", "watchdog", key], value[key]


def change_port(draw, run):
    if draw.random() < 0.3:
        return ["qos", "port", "max-rate"], draw.choice(("none", "5G", "20G", "80G"))
    value = configuration.port_quality(draw, draw.sample(PRIORITIES, 3), run.scale, run.watched) or {"max-rate": "10G"}
    words = ["qos", "ports", draw.choice(run.names), draw.choice(list(value))]
    value = value[words[-1]]
    while words[3] in configuration.PORT_PARTS and value and isinstance(value, dict) and draw.random() < 0.8:
        words.append(draw.choice(list(value)))
        value = value[words[-1]]
    return words, value


def change_pool(draw, run):
    value = configuration.pool_sizes(draw, run.scale, draw.choice((INGRESS, EGRESS)))
    name, key = draw.choice(list(value)), draw.choice(("size", "size", "port-alpha"))
    if draw.random() < 0.2:
        return ["buffer", "headroom-pool", "size"], configuration.some(draw, 500, run.scale / 5)
    return ["buffer", "pools", name, key], value[name][key]


CHANGES = (change_group, change_group, change_class, change_class, change_maps, change_pfc, change_switched,
           change_switched, change_watchdog, change_port, change_pool, change_pool)
# A key that stands in another's place.
INSTEAD = {"alpha": "static", "static": "alpha", "detect": "robustness", "robustness": "detect"}


def written(value):
    """A value as the text of a `set` event."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(written(one) for one in value) + "]"
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def changed(description, words, value):
    """A copy of a description with one key set."""
    description = copy.deepcopy(description)
    place = description
    for word in words[:-1]:
        place = place.setdefault(word, {})
    place.pop(INSTEAD.get(words[-1]), None)
    if words[-1] == "watchdog" and value in ("on", "off") and isinstance(place.get("watchdog"), dict):
        value = place["watchdog"] | {"enabled": value}    # the values stay
    place[words[-1]] = value
    return description


def change(draw, at, run):
    """A live change that the switch can have, or None. (What is so already is no change.)"""
    words, value = draw.choice(CHANGES)(draw, run)
    try:
        description = changed(run.description, words, value)
        before, after = Settings(run.description, 0), Settings(description, 0)
    except (Refused, AttributeError, TypeError):    # the latter: no map stands there
        return None
    if description == run.description or after.excess() > before.excess():
        return None
    run.description = description
    return Happening(at, {"set": ".".join(["switch", *map(str, words)]), "to": written(value)},
                     lambda switch: switch.set_key(description), description)


KINDS = {"snapshot": snapshot, "tx": tx, "pfc": pfc, "clear": clear, "restore": restore, "change": change}


class Run:
    """What an event is drawn for."""

    def __init__(self, description, scale, span):
        self.description, self.scale, self.span = description, scale, span
        self.names = list(description["ports"])
        self.watched = description["qos"]["watchdog"] != "off"
        self.rates = {name: rate_of(port["rate"]) for name, port in description["ports"].items()}


def draw_happenings(draw, switch, scale, span, snapshots):
    """[Happening], in order; a snapshot at 0, then `snapshots` more among them."""
    run = Run(switch, scale, span)
    kinds = ["snapshot"] * snapshots
    for kind, most in (("tx", 8), ("pfc", 6), ("clear", 4), ("change", 12)):
        kinds += [kind] * (draw.randrange(1, most) if draw.random() < 0.5 else 0)
    kinds += ["restore"] * draw.randrange(4) if run.watched else []
    draw.shuffle(kinds)
    times = sorted(draw.randrange(0, span // 1000 + 1) * 1000 for _ in kinds)
    found = [KINDS[kind](draw, at, run) for kind, at in zip(kinds, times)]
    return [snapshot(draw, 0, run)] + [one for one in found if one]
