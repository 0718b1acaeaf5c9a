# SPDX-License-Identifier: BSD-3-Clause
"""What the testbed tries: fabrics, and perftest in the VMs while they run."""
import re
from dataclasses import dataclass, field

from machine import Failed
from testbed import MACHINES, MTU

DILATION = 4000                 # links of 100 Gb/s have 25 Mb/s of real time: less than an emulated VM sends
SERVER, CLIENT = "h3", "h1"
LOSSLESS = 3                    # the priority of DSCP 26
ECT, NOT_ECT = 26 << 2 | 2, 26 << 2     # traffic classes: DSCP 26 with ECT(0), and without
ROCE_MTU = 1024
QP_TIMEOUT = 20                 # 4.096 us x 2^20 = 4.3 s, in real time
FIRST_PORT = 18515


@dataclass
class Scenario:
    """A fabric and the perftest programs that run in it one after the other."""
    name: str
    does: str
    tests: tuple = ("write", "send", "read")
    messages: int = 125
    size: int = 16384           # of a message
    qps: int = 1                # queue pairs, each with so many messages; rxe has 128 packets of each in flight
    traffic_class: int = ECT
    mode: str = "ecmp"
    nic: bool = True            # of the fabric, before each VM
    reorder: bool = False
    buffer: str = "4MB"
    ecn: str = "{min: 50KB, max: 500KB}"
    detour: bool = False        # the way over spine2 is longer, so packets overtake each other
    streams: tuple = ()         # simulated hosts that send to the server's port, in the same lossless class
    rate: str = "60G"           # of each
    patience: int = 40          # s of real time, for a program

    @property
    def packets(self):
        """That a program needs for its messages."""
        return self.qps * self.messages * self.size // ROCE_MTU

    def fabric(self, name):
        """The file of the fabric, under the name of the testbed."""
        extra = ", nic: on, buffer: 4MB" if self.nic else ", nic: off"
        extra += ", reorder: on" if self.reorder else ""
        attached = "\n".join(f"  {host}: {{dev: 'net_af_packet{i},iface={host}', mtu: {MTU}{extra}}}"
                             for i, host in enumerate(MACHINES))
        streams = "".join(f"\n  - {{kind: stream, from: {host}, to: {SERVER}, priority: {LOSSLESS}, packet: 1000B, "
                          f"rate: {self.rate}, until: 10s}}" for host in self.streams)
        detour = "".join(f"\n    {leaf}-spine2: {{delay: 5us}}" for leaf in ("leaf1", "leaf2")) if self.detour else ""
        return f"""fabric:
  name: {name}
  topology: {{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}
  links:
    host:   {{rate: 100G, delay: 500ns}}
    fabric: {{rate: 100G, delay: 500ns}}{detour}
  mtu: {MTU}
  dilation: {DILATION}
live: {{workers: 1, idle: sleep}}
switch:
  preset: spectrum-x
  buffer: {{size: {self.buffer}}}
  qos: {{tc: {{{LOSSLESS}: {{ecn: {self.ecn}}}}}}}
  routing: {{mode: {self.mode}}}
attach:
{attached}
""" + (f"workload:{streams}\n" if streams else "")


IN_THE_WAY = ("h2", "h4")
MARKS_EARLY = "{min: 5KB, max: 50KB}"

SCENARIOS = {one.name: one for one in (
    Scenario("plain", "one path for each queue pair"),
    Scenario("adaptive", "packets of a queue pair take both spines, and are put in order", mode="adaptive",
             reorder=True),
    Scenario("detour", "the same, and the way over spine2 is 9 us longer", mode="adaptive", reorder=True, detour=True),
    Scenario("incast", "a write beside two simulated senders into one port, with 900 KB of buffer", tests=("write",),
             messages=19, qps=16, buffer="900KB", streams=IN_THE_WAY),
    Scenario("ecn", "beside the same senders, with marks from 5 KB on", tests=("write",), messages=32, ecn=MARKS_EARLY,
             streams=IN_THE_WAY),
    Scenario("not-ect", "the same with traffic class 104", tests=("write",), messages=32, ecn=MARKS_EARLY,
             streams=IN_THE_WAY, traffic_class=NOT_ECT),
)}


@dataclass
class Result:
    """Of one program in one scenario."""
    scenario: str
    test: str
    packets: int                # that its messages need
    gbps: float = 0.0           # payload, in fabric time
    error: str = ""
    rxe: dict = field(default_factory=dict)         # {host: {counter: increase}}
    drops: dict = field(default_factory=dict)       # by reason, in all switches and NICs
    lossless_drops: int = 0
    marked: int = 0             # packets that switches marked
    pauses: int = 0             # XOFFs that switches sent
    held: int = 0               # packets that a NIC of the fabric put in order
    ce: int = 0                 # packets that arrived in the VMs with such a mark
    kernel: dict = field(default_factory=dict)      # what the taps lost

    @property
    def retransmits(self):
        """Times that rxe went back: for a NAK, or because an answer did not come."""
        return sum(one.get("rcvd_seq_err", 0) + one.get("completer_retry_err", 0) for one in self.rxe.values())

    @property
    def out_of_order(self):
        return sum(one.get("out_of_seq_request", 0) for one in self.rxe.values())

    @property
    def duplicates(self):
        return sum(one.get("duplicate_request", 0) for one in self.rxe.values())

    @property
    def sent(self):
        """By the end that sends the data."""
        return self.rxe.get(SERVER if self.test == "read" else CLIENT, {}).get("sent_pkts", 0)

    @property
    def good(self):
        return not (self.error or self.drops or self.kernel or self.retransmits or self.out_of_order or self.duplicates)


def fabric_counters(bed):
    """Sums over all nodes: drops by reason, drops and marks of the lossless class, XOFFs, packets put in order."""
    drops, lossless, marked, pauses = {}, 0, 0, 0
    held = sum(port["reorder_held"] for node in bed.show("reorder")["nodes"].values() for port in node["ports"].values())
    for node in bed.show("drops")["nodes"].values():
        for port in node["ports"].values():
            for reason, count in port["drops"].items():
                drops[reason] = drops.get(reason, 0) + count
    for node in bed.show("interface")["nodes"].values():
        for port in node["ports"].values():
            if "queue" not in port or "pg" not in port:
                continue
            group, queue = port["pg"][LOSSLESS], port["queue"][LOSSLESS]
            lossless += group.get("dropped", 0) + queue.get("dropped", 0)
            marked += queue.get("ecn_marked", 0)
            pauses += group.get("xoff", 0)
    return {"drops": drops, "lossless_drops": lossless, "marked": marked, "pauses": pauses, "held": held}


def difference(now, before):
    if isinstance(now, dict):
        found = {key: difference(value, before.get(key, 0)) for key, value in now.items()}
        return {key: value for key, value in found.items() if value}
    return now - before


class Perftest:
    """perftest in the VMs of a testbed, whose fabric is up."""

    def __init__(self, bed):
        self.bed, self.port = bed, FIRST_PORT
        self.gids = {host: machine.gid_index() for host, machine in bed.machines.items()}

    def words(self, host, test, load):
        return (f"ib_{test}_bw -F -d rxe0 -x {self.gids[host]} -m {ROCE_MTU} "
                f"-s {load.size} -n {load.messages} -q {load.qps} -p {self.port} "
                f"--tclass={load.traffic_class} --qp-timeout={QP_TIMEOUT} --report_gbits")

    def run(self, test, load):
        """Returns the rate in Gb/s of real time, or raises Failed with what perftest says."""
        server, client = self.bed.machines[SERVER], self.bed.machines[CLIENT]
        self.port += 1      # the last one may still be in TIME-WAIT
        pid = server.run(f"timeout {load.patience} {self.words(SERVER, test, load)} >/tmp/server 2>&1 & echo $!").strip()
        server.wait_until(f"netstat -ltn | grep -q :{self.port}", f"ib_{test}_bw listens")
        status, text = client.run(f"timeout {load.patience} {self.words(CLIENT, test, load)} {MACHINES[SERVER]}",
                                  check=False, timeout=load.patience + 10)
        if status != 0:
            server.run(f"kill {pid}", check=False)
        server.wait_until(f"! kill -0 {pid} 2>/dev/null", f"ib_{test}_bw ends", load.patience)
        found = re.search(rf"^ *{load.size} +\d+ +[\d.]+ +([\d.]+)", text, re.M)
        if status != 0 or not found:
            what = "took too long" if status in (124, 143) else text.strip().splitlines()[-1:] or "says nothing"
            raise Failed(f"ib_{test}_bw: exit status {status}: {what}")
        return float(found[1])


def kernel_losses(bed):
    return {f"{link['ifname']} {side} {what}": counters[what]
            for link in bed.links() if link["ifname"] in MACHINES
            for side, counters in link["stats64"].items() for what in ("errors", "dropped")}


def measure(bed, perftest, scenario, test):
    result = Result(scenario.name, test, scenario.packets)

    def count():
        machines = bed.machines.items()
        return (fabric_counters(bed), {host: one.counters() for host, one in machines}, kernel_losses(bed),
                sum(one.marked_arrivals() for _, one in machines))

    before = count()
    try:
        result.gbps = perftest.run(test, scenario) * DILATION
    except Failed as error:
        result.error = str(error)
    fabric, result.rxe, result.kernel, result.ce = (difference(now, then) for now, then in zip(count(), before))
    for name, value in fabric.items():
        setattr(result, name, value)
    return result


def run_scenario(bed, scenario):
    """Brings its fabric up, runs its programs, takes it down. Yields a Result for each."""
    bed.fabric_up(scenario.fabric(bed.name))
    try:
        perftest = Perftest(bed)
        for test in scenario.tests:
            yield measure(bed, perftest, scenario, test)
    finally:
        bed.fabric_down()
