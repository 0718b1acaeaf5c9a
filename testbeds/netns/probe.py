# SPDX-License-Identifier: BSD-3-Clause
"""What a host of the demo does, inside its namespace. Prints one line of JSON.

    probe.py spread ADDRESS COUNT    sends a datagram to port 9000 from each of COUNT source ports
    probe.py count COUNT             says `ready`, then receives them: how many, from how many ports
    probe.py pause PRIORITY QUANTA   says `ready`, then on a line of input sends a PFC frame and tells
                                     after how many ms datagrams came to ports 9000 + priority
    probe.py pair ADDRESS            on a line of input sends one datagram of priority 0 and one of 3
"""
import json
import select
import socket
import sys
import time

DSCP = {0: 0, 3: 26}   # of a priority, in the preset spectrum-x
PATIENCE_S = 5
FIRST_PORT = 49152    # of the sources; the kernel, asked for any, may give one twice


def datagram_socket(port=0):
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.bind(("", port))
    return opened


def spread(address, count):
    for i in range(int(count)):
        with datagram_socket(FIRST_PORT + i) as one:
            one.sendto(b"spread", (address, 9000))
        time.sleep(0.002)   # a veth holds 256 packets
    return {"sent": int(count)}


def count(expected):
    receiver, ports, received = datagram_socket(9000), set(), 0
    print("ready", flush=True)
    while received < int(expected) and select.select([receiver], [], [], PATIENCE_S)[0]:
        ports.add(receiver.recvfrom(2048)[1][1])
        received += 1
    return {"received": received, "ports": len(ports)}


def pause(priority, quanta):
    from scapy.contrib.mac_control import MACControlClassBasedFlowControl
    from scapy.layers.l2 import Ether
    from scapy.packet import Padding

    frame = Ether(dst="01:80:c2:00:00:01", src=open("/sys/class/net/eth1/address").read().strip()) / \
        MACControlClassBasedFlowControl(**{f"c{priority}_enabled": 1, f"c{priority}_pause_time": int(quanta)})
    frame = bytes(frame / Padding(bytes(60 - len(frame))))
    waiting = {datagram_socket(9000 + one): one for one in DSCP}
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.bind(("eth1", 0))
    print("ready", flush=True)
    sys.stdin.readline()
    start, arrived = time.monotonic(), {}
    wire.send(frame)
    print("sent", flush=True)
    while waiting:
        ready = select.select(list(waiting), [], [], PATIENCE_S)[0]
        if not ready:
            break
        for one in ready:
            arrived[waiting.pop(one)] = round((time.monotonic() - start) * 1000, 1)
    return arrived


def pair(address):
    print("ready", flush=True)
    sys.stdin.readline()
    for priority, dscp in DSCP.items():
        with datagram_socket() as one:
            one.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
            one.sendto(b"pair", (address, 9000 + priority))
    return {}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])), flush=True)
