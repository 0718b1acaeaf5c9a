# SPDX-License-Identifier: BSD-3-Clause
"""A platform of PTF, the packet test framework, so that PTF test cases can send and receive at the ports of a Roost switch:
`ROOST_FABRIC=lab ptf --platform roost --test-dir tests`. swp2 is port 2 of device 0, so that `send(self, port_number("swp2"), packet)` names a port.

The switch is the only one of the fabric, or $ROOST_SWITCH. A port's `dev:` must name an interface whose far side ptf can open: a
tap, or one end of a veth pair whose other end is in the namespace of ptf. ptf's own option `--interface` replaces a port's interface.
"""
import json
import os
import re
import subprocess
from typing import Any

from .errors import RoostError, UnknownName, near, some
from .fabric import Fabric


def port_number(name: str) -> int:
    """The number of a port: 2 of "swp2"."""
    found = re.fullmatch(r"swp(\d+)", name)
    if not found:
        raise UnknownName(f"{name}: no such port; ports are swp1, swp2, ...")
    return int(found[1])


def platform_config_update(config: dict[str, Any]) -> None:
    """Called by ptf, with its configuration: sets port_map, from (device, port) to the interface that ptf opens. Raises RoostError
    if no port has one."""
    if not os.environ.get("ROOST_FABRIC"):
        raise RoostError("ROOST_FABRIC is not set: the platform roost needs the name of a live fabric; `roost list` shows them")
    fabric, node = Fabric(os.environ["ROOST_FABRIC"]), os.environ.get("ROOST_SWITCH")
    nodes = fabric.call("show", what="interface")["nodes"]
    if node is None and len(nodes) > 1:
        raise UnknownName(f"the fabric has several switches: set ROOST_SWITCH to one of {some(nodes)}")
    if node is not None and node not in nodes:
        raise UnknownName(f"ROOST_SWITCH: {fabric.name} has no switch {node}; {near(node, nodes)}")
    node = node or next(iter(nodes))
    why, found = {}, {}
    for name, port in nodes[node]["ports"].items():
        interface, reason = _far_interface(port.get("device", {}).get("spec", ""))
        if interface:
            found[0, port_number(name)] = interface
        else:
            why[name] = reason
    found |= {(device, port): interface for device, port, interface in config.get("interfaces") or []}
    if not found:
        raise RoostError(f"{node}: ptf can open no port: " + "; ".join(f"{name} {reason}" for name, reason in why.items()))
    config["port_map"] = found


def _far_interface(spec: str) -> tuple[str | None, str]:
    """The interface at the far side of a port with this `dev:`, or None with the reason."""
    found = re.search(r",iface=([^,]+)", spec)
    if not found:
        return None, "has no `dev:` with an interface"
    name = found[1]
    if spec.startswith("net_tap"):
        return name, ""
    done = subprocess.run(["ip", "-d", "-j", "link", "show", "dev", name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, f"uses {name}, which is not in this namespace"
    shown = json.loads(done.stdout)[0]
    if shown.get("linkinfo", {}).get("info_kind") != "veth" or not shown.get("link"):
        return None, f"uses {name}, which is not a veth with its other end in this namespace"
    return str(shown["link"]), ""
