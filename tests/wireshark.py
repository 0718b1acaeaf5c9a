# SPDX-License-Identifier: BSD-3-Clause
"""What Wireshark says of capture files."""
import os
import subprocess


def tshark(path, *fields, display="frame"):
    """The fields of the packets that a display filter shows: a list of tuples of text."""
    command = ["tshark", "-n", "-r", os.fspath(path), "-Y", display, "-T", "fields",
               "-o", "udp.ignore_ipv6_zero_checksum:TRUE"]   # RoCEv2 over IPv6 has none either
    for field in fields or ["frame.number"]:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"tshark on {path}: {done.stderr.strip()}")
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def malformed(path):
    """What Wireshark finds wrong in a capture: a list of (frame, protocols, what)."""
    return tshark(path, "frame.number", "frame.protocols", "_ws.expert.message",
                  display="_ws.malformed || _ws.expert.severity == error")
