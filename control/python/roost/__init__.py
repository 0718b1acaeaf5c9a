# SPDX-License-Identifier: BSD-3-Clause
"""Roost from Python: tests of switches and fabrics, in virtual time and live.

    import roost

    with roost.replay("switch.yaml", {"swp1": packets}) as run:
        assert run.port("swp2").queue(3).ecn_marked == 0

    with roost.sim("fabric.yaml") as run:
        print(run.flows.to_pandas().fct_ps.describe())

    with roost.live("lab.yaml") as fabric:
        fabric.exec("h1", "ping", "-c", 1, "10.0.2.1")

doc/python.md introduces the package. It needs Python 3.11 and the program `roost`; scapy, pandas and pytest are optional.
Byte frames, made quickly, are in roost.frames; fixtures of pytest in roost.pytest_plugin; SAI's names in roost.sai; the platform
of PTF in roost.ptf.
"""
from .captures import Packet, read_pcapng, write_pcap
from .client import Client
from .counters import Group, Node, Object, Pool, Port, Priority, Queue, State, Tenant
from .errors import ApiClosed, ApiError, ApiTimeout, CommandError, RoostError, UnknownName
from .fabric import Fabric, live
from .program import Done, command
from .ptf import platform_config_update as platform_config_update    # called by ptf
from .runs import Replay, Sim, replay, sim
from .tables import Row, Table

__all__ = [
    "ApiClosed", "ApiError", "ApiTimeout", "Client", "CommandError", "Done", "Fabric", "Group", "Node", "Object", "Packet",
    "Pool", "Port", "Priority", "Queue", "Replay", "RoostError", "Row", "Sim", "State", "Table", "Tenant", "UnknownName",
    "command", "live", "read_pcapng", "replay", "sim", "write_pcap",
]
