# SPDX-License-Identifier: BSD-3-Clause
"""Random switches, traffic, pauses and live changes, by `roost replay` and by an independent model (tests/model/):
occupancies, maxima, marks, pauses, drops by reason and sent packets with their instants are equal at every
snapshot and at the end.

A seed that fails is run alone by `python3 -m model --seed N` in tests/.
"""
import collections

from support import *
from model.compare import Trial

SEEDS = 200 if FULL else 60
ENOUGH = 3    # seeds that fail, then no more are tried

# What the sample must have seen, or it shows nothing: see seen_in().
SEEN = {"headroom", "ingress-pool", "egress-pool", "tenant-share", "red", "watchdog", "no-route", "ttl-expired",
        "XOFF", "802.3x XOFF", "mark", "guarantee", "headroom used", "trimmed", "storm", "restored", "change", "paused",
        "decapsulated"}


def seen_in(switch, changes):
    """What happened to a switch of the model, by name."""
    found = collections.Counter(change=changes, storm=len(switch.watchdog.log))
    found["decapsulated"] = switch.decapsulated
    found["restored"] = sum(1 for _, _, what in switch.watchdog.log if what == "watchdog-restore")
    for port in switch.ports.values():
        found.update(port.drops)
        found["XOFF"] += sum(port.sender.pfc_tx)
        found["802.3x XOFF"] += port.sender.pause_tx
        found["mark"] += sum(port.marked.values())
        found["trimmed"] += sum(port.trim_sent.values())
        found["paused"] += sum(clock.transitions for clock in port.pauses.held.values())
    found["guarantee"] = sum(switch.buffer.guarantees.values())
    found["headroom used"] = switch.buffer.pool_max["headroom"].persistent
    return found


class Model(Case):
    def trial(self, seed, **options):
        """Runs a seed; returns what was seen."""
        trial = Trial(seed, self.directory / str(seed), **options)
        found = trial.differences()
        if found:
            self.fail("\n".join([f"seed {seed}: {len(found)} differences, files in {trial.directory}", *found[:20],
                                 f"alone: cd tests && python3 -m model --seed {seed}"]))
        trial.remove()
        return seen_in(trial.switch, sum("set" in one.said for one in trial.happenings))

    def test_random(self):
        seen, failed = collections.Counter(), 0
        for seed in range(SEEDS):
            with self.subTest(seed=seed):
                failed += 1
                seen += self.trial(seed)
                failed -= 1
            if failed == ENOUGH:
                return
        self.assertEqual(SEEN - set(seen), set())

    def test_long(self):
        """Many packets, looked at often."""
        for seed in range(5000, 5003):
            with self.subTest(seed=seed):
                self.trial(seed, packets=4000, snapshots=40)

    def test_latency(self):
        """A fixed pipeline latency shifts everything but the stamps of what comes in."""
        trials = []
        for latency in ("0ns", "700ns"):
            trial = Trial(6004, self.directory / latency, packets=2000)
            trial.description["latency"] = latency
            trial.happenings = []
            trial.replay()
            trials.append(trial.run)
        plain, late = trials
        for port in plain.sent:
            self.assertEqual([(packet.ns - 700, packet.data) for packet in late.sent[port]],
                             [(packet.ns, packet.data) for packet in plain.sent[port]])
        self.assertEqual([packet.comment for packet in late.dropped], [packet.comment for packet in plain.dropped])
        self.assertGreater(len(plain.dropped), 100)
        self.assertGreater(sum(map(len, plain.sent.values())), 1000)


if __name__ == "__main__":
    unittest.main()
