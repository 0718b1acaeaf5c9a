# SPDX-License-Identifier: BSD-3-Clause
"""The live half of testbeds/demo: brings conf/demo.yaml up, does what an engineer would try first, and
reports it. Exit status 1 if the fabric did not do what it must."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
ROOST = SOURCE / "build/roost"
PROBE = SOURCE / "testbeds/netns/probe.py"
DILATION, RATE_BPS = 1000, 100_000_000_000
wrong = []


def run(*words, check=True):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done


def roost(*words, check=True):
    return run(ROOST, *words, check=check)


def show(*words):
    return json.loads(roost("show", *words, "-o", "json").stdout)["nodes"]


def inside(host, *words, check=True):
    return roost("exec", host, "--", *words, check=check)


def probe(host, *words):
    return subprocess.Popen([ROOST, "exec", host, "--", "/usr/bin/python3", "-B", PROBE, *map(str, words)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def answer(process):
    return json.loads(process.communicate(timeout=30)[0].splitlines()[-1])


def tell(what, seen, good):
    print(f"  {what:36} {seen}{'' if good else '   <-- WRONG'}", flush=True)
    if not good:
        wrong.append(what)


def address(host):
    return re.search(r"inet ([\d.]+)/", inside(host, "ip", "-4", "-o", "addr", "show", "dev", "eth1").stdout)[1]


def drops():
    """By reason, in all switches."""
    total = {}
    for node in show("drops").values():
        for port in node["ports"].values():
            for reason, count in port["drops"].items():
                total[reason] = total.get(reason, 0) + count
    return total


def kernel_drops():
    """By interface and counter: the hosts' namespaces, and the one where the fabric has its ends."""
    state = json.loads(Path("/run/roost/demo.state").read_text())
    found = {}
    hosts = [("ip", "netns", "exec", one) for one in state["namespaces"]]
    for enter in [("nsenter", "-t", state["pid"], "-n")] + hosts:
        for link in json.loads(run(*enter, "ip", "-s", "-j", "link").stdout):
            name = f"{enter[-1]} {link['ifname']}"
            for side, counters in link["stats64"].items():
                found |= {f"{name} {side} {what}": counters[what] for what in ("errors", "dropped") if counters[what]}
            text = run(*enter, "ethtool", "-S", link["ifname"], check=False).stdout
            found |= {f"{name} {what}": int(count)
                      for what, count in re.findall(r"(\w*(?:drop|err)\w*): (\d+)", text) if int(count)}
    return found


def ping(what, source, destination, expected):
    text = inside(source, "ping", "-c", "3", "-i", "0.2", "-W", "1", address(destination), check=False).stdout
    received = int(re.search(r"(\d+) received", text)[1])
    round_trip = re.search(r"rtt [^=]*= [\d.]+/([\d.]+)", text)
    tell(f"{what}, {source} pings {destination}",
         f"{received} of 3 answered" + (f", {round_trip[1]} ms" if round_trip else ""), received == expected)


def uplinks():
    """Packets that leaf1 has sent to each spine."""
    return [show("interface", f"leaf1.{port}")["leaf1"]["ports"][port]["tx_packets"] for port in ("swp5", "swp6")]


def spread():
    before, receiver = uplinks(), probe("h5", "count", 64)
    receiver.stdout.readline()
    answer(probe("h1", "spread", address("h5"), 64))
    received = answer(receiver)
    one, two = (now - then for now, then in zip(uplinks(), before))
    tell("UDP from 64 source ports, h1 to h5", f"{received['received']} arrived, {one} by spine1, {two} by spine2",
         received == {"received": 64, "ports": 64} and one > 0 and two > 0)


def pause():
    """h5 asks for silence in priority 3; h1 then sends it one packet of priority 0 and one of 3."""
    quanta = 65535
    expected_ms = quanta * 512 / RATE_BPS * DILATION * 1000
    paused, sender = probe("h5", "pause", 3, quanta), probe("h1", "pair", address("h5"))
    for process in (paused, sender):
        process.stdout.readline()
    print(file=paused.stdin, flush=True)
    paused.stdout.readline()
    print(file=sender.stdin, flush=True)
    answer(sender)
    arrived = answer(paused)
    free, held = arrived.get("0", float("inf")), arrived.get("3", float("inf"))
    print(f"  h5 pauses priority 3 for {quanta} quanta: {expected_ms / DILATION:.4f} ms at 100G, "
          f"{expected_ms:.1f} ms here")
    tell("  a packet of priority 0 arrived", f"after {free:.1f} ms", free < expected_ms / 2)
    tell("  a packet of priority 3 arrived", f"after {held:.1f} ms", abs(held - expected_ms) < 0.05 * expected_ms)


def report():
    ping("tenant red", "h1", "h5", 3)
    ping("tenant blue", "h3", "h7", 3)
    before = drops()
    ping("red to blue", "h1", "h3", 0)
    refused = drops().get("no-route", 0) - before.get("no-route", 0)
    tell("  dropped as no-route", refused, refused == 3)
    spread()
    pause()
    lost = {reason: count for reason, count in drops().items() if reason != "no-route"}
    tell("lost otherwise, in the switches", lost or "nothing", not lost)
    kernel = kernel_drops()
    tell("lost in the kernel", kernel or "nothing", not kernel)
    print(f"\n$ roost show interface leaf1\n{roost('show', 'interface', 'leaf1').stdout}")


def main():
    done = roost("up", SOURCE / "conf/demo.yaml")
    print(done.stderr + done.stdout)
    os.environ["ROOST_FABRIC"] = "demo"
    try:
        report()
    finally:
        print(roost("down", "demo").stdout, end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
