# SPDX-License-Identifier: BSD-3-Clause
"""Processes of testbeds: commands that they run, and processes that they end."""
import os
import select
import signal
import subprocess
import time


def run(*words, check=True):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {(done.stderr or done.stdout).strip()}")
    return done


def end_processes(pids, number, seconds=10):
    """Sends them a signal and waits until they have ended, waited for by their parents or not."""
    waiting = select.poll()
    alive = set()
    for pid in pids:
        try:
            alive.add(os.pidfd_open(pid))
        except ProcessLookupError:
            pass
    for one in alive:
        waiting.register(one, select.POLLIN)
        try:
            signal.pidfd_send_signal(one, number)
        except ProcessLookupError:
            pass
    end = time.monotonic() + seconds
    left = set(alive)
    while left and (patience := end - time.monotonic()) > 0:
        for one, _ in waiting.poll(patience * 1000):
            waiting.unregister(one)
            left.discard(one)
    for one in alive:
        os.close(one)
