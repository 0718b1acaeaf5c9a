# SPDX-License-Identifier: BSD-3-Clause
"""Collisions of hashed flows against the urn model, through whole fabrics: n equal flows of a leaf on its n uplinks.
Every leaf has a seed of its own, which follows from the fabric's; and with one seed, other queue pairs are another draw.
9 fabrics of 32 leaves and 18 of 16, seven rounds of flows in each, are 2016 draws."""
import math

from common import *


def occupied(n):
    """Mean and variance of the share of n urns that n balls leave not empty."""
    empty, two_empty = (1 - 1 / n) ** n, (1 - 2 / n) ** n
    variance = n * (n - 1) * two_empty + n * empty - (n * empty) ** 2
    return 1 - empty, variance / n**2


def fullest(n):
    """Mean and variance of the balls in the fullest of n urns with n balls: from P(all urns <= k),
    n!/n^n times the coefficient of x^n in (1 + x + ... + x^k / k!)^n."""
    below = []
    for most in range(n + 1):
        power = [1.0]
        term = [1 / math.factorial(k) for k in range(most + 1)]
        for _ in range(n):
            product = [0.0] * min(n + 1, len(power) + most)
            for i, a in enumerate(power):
                for k, b in enumerate(term):
                    if i + k <= n:
                        product[i + k] += a * b
            power = product
        below.append(power[n] * math.factorial(n) / n**n if len(power) > n else 0.0)
    chance = [b - a for a, b in zip([0.0] + below, below)]
    mean = sum(k * p for k, p in enumerate(chance))
    return mean, sum(k * k * p for k, p in enumerate(chance)) - mean**2


class Collisions(Case):
    ROUNDS = range(1, 8)

    def uplink_loads(self, n, leaves, seed):
        """From the host of leaf i to that of leaf i + 1, seven times n queue pairs of a packet each, hashed on n uplinks:
        packets by uplink, for every leaf and round. The priority, and so the queue, tells the rounds apart; what is
        acknowledged comes back in queue 0."""
        workload = [flow(f"h{leaf}", f"h{leaf % leaves + 1}", f"{1000 * n}B", qps=n, priority=priority)
                    for leaf in range(1, leaves + 1) for priority in self.ROUNDS]
        sim = self.sim(fabric(leaves, n, 1, workload=workload, hosts={"ack-dscp": 0}, switch={
            "preset": "spectrum-x", "qos": {"priority-to-tc": {i: i for i in range(8)}}, "routing": {"mode": "ecmp"}}),
            "--seed", seed)
        self.assertEqual((sim.summary["completed"], sim.summary["retransmitted"]), (leaves * len(self.ROUNDS), 0))
        loads = [[sim.nodes[f"leaf{leaf}"]["ports"][f"swp{1 + up}"]["queue"][queue]["packets"] for up in range(1, n + 1)]
                 for leaf in range(1, leaves + 1) for queue in self.ROUNDS]
        self.assertEqual({sum(load) for load in loads}, {n})
        return loads

    def check(self, n, leaves, seeds):
        loads = [load for seed in range(1, seeds + 1) for load in self.uplink_loads(n, leaves, seed)]
        for what, (mean, variance), of in (
                ("share in use", occupied(n), lambda load: sum(map(bool, load)) / n),
                ("largest", fullest(n), max)):
            measured = sum(map(of, loads)) / len(loads)
            error = math.sqrt(variance / len(loads))
            self.assertLess(abs(measured - mean), 3 * error, f"{what}: {measured} of {len(loads)}, expected {mean}")

    def test_the_urn_model(self):
        # The published values: n = 8 .656 and 2.597, n = 32 .638 and 3.533.
        for n, share, largest in ((8, .656, 2.597), (32, .638, 3.533)):
            self.assertAlmostEqual(occupied(n)[0], share, places=3)
            self.assertAlmostEqual(fullest(n)[0], largest, places=3)

    def test_eight(self):
        self.check(8, 32, 9)

    def test_thirty_two(self):
        self.check(32, 16, 18)


if __name__ == "__main__":
    unittest.main()
