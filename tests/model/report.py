# SPDX-License-Identifier: BSD-3-Clause
"""The model's state in the shape of counters.json: what is here is compared, key by key."""
from .buffer import GUARANTEE
from .pause import LINK
from .settings import EGRESS, INGRESS, PRIORITIES

NS = 1000


def clock_fields(name, clocks, now):
    def instant(at):
        return -1 if at is None else at // NS

    return {f"{name}_pause_ns": [clocks[i].shown(now) // NS for i in PRIORITIES],
            f"{name}_transitions": [clocks[i].transitions for i in PRIORITIES],
            f"{name}_last_start_ns": [instant(clocks[i].last_start) for i in PRIORITIES],
            f"{name}_last_end_ns": [instant(clocks[i].last_end) for i in PRIORITIES]}


def peak_fields(name, peak, cell):
    return {f"{name}_max": peak.user * cell, f"{name}_max_persistent": peak.persistent * cell}


def group_fields(switch, port, pg):
    group, cell = switch.buffer.group(port, pg), switch.settings.cell
    return {"packets": group.packets, "bytes": group.bytes, "used": group.used * cell,
            "shared": group.shared() * cell, "headroom": group.headroom * cell,
            "dropped": group.dropped, "xoff": switch.ports[port].sender.sent[pg],
            **peak_fields("used", group.used_max, cell), **peak_fields("shared", group.shared_max, cell),
            **peak_fields("headroom", group.headroom_max, cell)}


def queue_fields(switch, port, tc):
    queue, cell, one = switch.buffer.queue(port, tc), switch.settings.cell, switch.ports[port]
    watched = switch.watchdog.queues[port, tc]
    return {"packets": queue.packets, "bytes": queue.bytes, "depth": queue.used * cell,
            "dropped": queue.dropped, "dropped_bytes": queue.dropped_bytes, "ecn_marked": one.marked[tc],
            "ecn_marked_bytes": one.marked_bytes[tc], "tx_off": tc in one.frozen, "paused": one.pauses.holds(tc, switch.now),
            "red_dropped": one.red[tc], "trimmed": one.trimmed[tc], "trim_sent": one.trim_sent[tc],
            "watchdog": watched.storm, "watchdog_storms": watched.storms, "watchdog_dropped": watched.dropped,
            **peak_fields("depth", queue.used_max, cell),
            "shared_max": max(0, queue.used_max.user - queue.limit.reserved) * cell,
            "shared_max_persistent": max(0, queue.used_max.persistent - queue.limit.reserved) * cell}


def port_fields(switch, name):
    port, now = switch.ports[name], switch.now
    port.pauses.expire(now)
    return {"rx_packets": port.rx_packets, "rx_bytes": port.rx_bytes,
            "tx_packets": port.tx_packets, "tx_bytes": port.tx_bytes,
            "control_rx": port.control_rx, "control_tx": port.control_tx, "control_lost": 0,
            "rx_multicast": port.control_rx, "tx_multicast": port.control_tx,
            "pfc_rx": list(port.pauses.pfc_rx), "pfc_tx": list(port.sender.pfc_tx),
            "pause_rx": port.pauses.pause_rx, "pause_tx": port.sender.pause_tx,
            "pause_rx_ns": port.pauses.clocks[LINK].shown(now) // NS,
            "pause_tx_ns": port.sender.clocks[LINK].shown(now) // NS,
            **clock_fields("pfc_rx", port.pauses.clocks, now), **clock_fields("pfc_tx", port.sender.clocks, now),
            "drops": dict(port.drops),
            "pg": [group_fields(switch, name, pg) for pg in PRIORITIES],
            "queue": [queue_fields(switch, name, tc) for tc in PRIORITIES]}


def pool_fields(switch, name):
    cell, settings = switch.settings.cell, switch.settings
    fields = {"used": switch.buffer.used(name) * cell, **peak_fields("used", switch.buffer.pool_max[name], cell)}
    if name != "headroom":
        fields |= {"shared": switch.buffer.shared_use(name) * cell,
                   **peak_fields("shared", switch.buffer.pool_shared_max[name], cell)}
    if name == "headroom":
        fields["size"] = (settings.all_headroom if settings.headroom_pool is None else settings.headroom_pool) * cell
    elif settings.pools[name].size is not None:
        fields["size"] = settings.pools[name].size * cell
    return fields


def tenant_fields(switch, name):
    buffer, cell, settings = switch.buffer, switch.settings.cell, switch.settings
    charged = sum(packet.cells for packet in buffer.held
                  if packet.tenant == name and packet.place_in == GUARANTEE)
    fields = {**switch.tenants[name], "used": buffer.tenant_held(name) * cell, "guaranteed_used": charged * cell,
              **peak_fields("used", buffer.tenant_max[name], cell)}
    if any(port.tenant == name for port in settings.ports.values()):    # else nothing is set aside for it
        aside = sum(settings.pools[pool].size is not None for pool in INGRESS)
        fields["guaranteed"] = settings.tenants[name].guaranteed * cell * aside
    return fields


def histogram_fields(one):
    unit = NS if one.settings["kind"] == "latency" else 1
    low, width = one.settings["min"], one.settings["width"]
    return {"kind": one.settings["kind"], "where": f"{one.settings['port']}.{one.settings['index']}",
            "edges": [0] + [(low + i * width) // unit for i in range(one.settings["bins"] - 1)],
            "bins": list(one.bins)}


def report(switch):
    shown = {"histograms": [histogram_fields(one) for one in switch.histograms.all]} if switch.histograms.all else {}
    return shown | {"ports": {name: port_fields(switch, name) for name in switch.ports},
            "pools": {name: pool_fields(switch, name) for name in (*INGRESS, *EGRESS, "headroom")},
            "tenants": {name: tenant_fields(switch, name) for name in switch.tenants
                        if any(port.tenant for port in switch.settings.ports.values())}}
