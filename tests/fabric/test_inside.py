# SPDX-License-Identifier: BSD-3-Clause
"""Bytes for another NIC of the same host: handed over whole, or sent on chunk by chunk."""
from common import *
from test_collectives import B


class Inside(Case):
    """Two hosts of two NICs in two planes. From NIC 1 to NIC 2 of the other host goes by NIC 2, which has a message
    when it has been handed over whole, or its first chunk."""
    RATE, DELAY_NS, CHUNK, SIZE = 200, 700, 65536, 1 << 20

    def run_planes(self, item, chunk=None):
        inside = {"rate": f"{self.RATE}G", "delay": f"{self.DELAY_NS}ns"} | ({"chunk": f"{chunk}B"} if chunk else {})
        planes = fabric(2, 0, 2, workload=[item], hosts={"inside": inside})
        planes["fabric"]["topology"] |= {"leaves": 1, "planes": 2}
        return self.sim(planes)

    def handover(self, size):
        return self.DELAY_NS * 1000 + size * 8000 // self.RATE

    def test_flow(self):
        for op in ("write", "read"):
            with self.subTest(op=op):
                sims = [self.run_planes(flow(source, "h2.eth2", f"{self.SIZE}B", op=op), chunk) for source, chunk in
                        (("h1.eth2", None), ("h1.eth1", None), ("h1.eth1", self.CHUNK), ("h1.eth1", 2 * self.SIZE))]
                direct, whole, chunked, large = (sim.flows[0]["fct_ps"] for sim in sims)
                self.assertEqual(whole - direct, self.handover(self.SIZE))
                self.assertEqual(chunked - direct, self.handover(self.CHUNK))
                self.assertEqual(large, whole)

    def test_all_to_all(self):
        """Listed pairs and generated ones; to the other rank of the host a message is there when all of it is."""
        for pairs in ("listed", "generated"):
            took = []
            for chunk in (None, self.CHUNK):
                sim = self.run_planes({"kind": "all-to-all", "size": f"{4 * self.SIZE}B", "pairs": pairs}, chunk)
                assert_complete(self, sim)
                took.append(sim.result["collectives"][0]["step_ps"])
            with self.subTest(pairs=pairs):
                # Two messages leave by each NIC, at half its rate as long as both are there. Whole, the one that is
                # handed over comes when a part of the other has gone, and ends alone; either way the NIC has sent
                # both after the same time, unless it waits.
                self.assertLess(took[1], took[0] + 1000)
                self.assertGreater(took[1], 2 * self.SIZE / B * 1000)
        sim = self.run_planes({"kind": "all-to-all", "size": f"{self.SIZE}B", "hosts": ["h1"]}, self.CHUNK)
        self.assertEqual(sim.result["collectives"][0]["step_ps"], self.handover(self.SIZE // 2))

    def test_ring_messages(self):
        """A ring over two hosts in one channel: of two messages on the way, one is handed over first."""
        sizes = {}
        for chunk in (None, self.CHUNK):
            sim = self.run_planes({"kind": "all-gather", "size": f"{4 * self.SIZE}B", "channels": 1}, chunk)
            sizes[chunk] = sim.result["collectives"][0]["step_ps"]
        self.assertLess(sizes[self.CHUNK], sizes[None])

    def test_slow_chunks(self):
        planes = fabric(2, 0, 2, workload=[flow("h1", "h2", "1MB")], hosts={"inside": {"rate": "50G", "chunk": "4KB"}})
        planes["fabric"]["topology"] |= {"leaves": 1, "planes": 2}
        self.assertIn("hosts.inside.chunk: h1.eth1 sends at 100G, faster than chunks come at an inside.rate of 50G",
                      roost("check", self.file(planes), status=2).err)


if __name__ == "__main__":
    unittest.main()
