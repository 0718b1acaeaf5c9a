# SPDX-License-Identifier: BSD-3-Clause
"""The fabrics in conf/ that a user starts from: each is good as it stands, and each runs, the large ones in a
smaller form of the same proportions."""
import re

from common import *

CONF = SOURCE / "conf"
COMPARED = ("ethernet", "ecmp-dcqcn", "spectrum-x")


class Conf(Case):
    def run_small(self, name, *replaced):
        """The file with some of its text replaced, run to its end."""
        text = (CONF / f"{name}.yaml").read_text()
        for old, new in replaced:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        directory = self.directory / name
        directory.mkdir()
        return Sim(directory, roost("sim", self.file(text, f"{name}.yaml"), "-o", directory))

    def assert_lossless(self, sim):
        assert_complete(self, sim)
        self.assertEqual((sim.summary["drops"], sim.summary["retransmitted"]), (0, 0))

    def test_all_are_good(self):
        names = sorted(CONF.glob("*.yaml"))
        self.assertGreaterEqual(len(names), 7)
        for name in names:
            with self.subTest(file=name.name):
                self.assertEqual(roost("check", name).err, "")

    def test_all_say_what_they_are(self):
        for name in sorted(CONF.glob("*.yaml")):
            with self.subTest(file=name.name):
                self.assertRegex(name.read_text(), rf"\A# SPDX.*\n# .+\n(#.*\n)*#   roost .*conf/{name.name}")
                self.assertIn(f"conf/{name.name}", (SOURCE / "doc/topologies.md").read_text())

    def test_2048_gpus(self):
        sim = self.run_small("clos-2048", ("leaves: 32, spines: 16, hosts-per-leaf: 64",
                                           "leaves: 8, spines: 4, hosts-per-leaf: 16"))
        self.assert_lossless(sim)
        self.assertEqual(len(sim.flows), 128)
        # Nothing but the paths is shared, and there are as many as needed.
        self.assertLess(sim.summary["slowdown_p99"], 1.1)

    def test_rails(self):
        sim = self.run_small("rail-256", ("leaves: 16, rails: 8, spines: 8, hosts-per-leaf: 16",
                                          "leaves: 4, rails: 2, spines: 2, hosts-per-leaf: 4"), ("8MB", "1MB"))
        self.assert_lossless(sim)
        [collective] = sim.result["collectives"]
        self.assertEqual(collective["ranks"], 16)

    def test_rails_meet_inside_the_servers(self):
        """With pxn only what is for the other group comes to a spine, and only on its own rail."""
        one_group = ("leaves: 16, rails: 8, spines: 8, hosts-per-leaf: 16",
                     "leaves: 2, rails: 2, spines: 2, hosts-per-leaf: 4")
        sim = self.run_small("rail-256", one_group, ("8MB", "1MB"))
        self.assert_lossless(sim)
        self.assertEqual(sum(port["tx_packets"] for name in ("spine1", "spine2")
                             for port in sim.nodes[name]["ports"].values()), 0)

    def test_dense_model(self):
        """Half the fabric, two stages, and less of it: all ranks are done, and nothing is lost."""
        sim = self.run_small("dense-70b", ("hosts-per-leaf: 16", "hosts-per-leaf: 4"), ("pp: 4", "pp: 2"),
                             ("layers: 2, micro-batches: 4, share: 10%", "layers: 1, micro-batches: 2, share: 2%"))
        self.assert_lossless(sim)
        [step] = [one for one in sim.result["collectives"] if one["kind"] == "step"]
        self.assertEqual(step["ranks"], 64)
        self.assertIsNotNone(step["step_ps"])

    def test_mixture_of_experts(self):
        sim = self.run_small("moe-671b", ("leaves: 64, rails: 8, spines: 16, hosts-per-leaf: 32",
                                          "leaves: 8, rails: 8, spines: 2, hosts-per-leaf: 16"), ("pp: 16, ep: 64", "pp: 2, ep: 64"),
                             ("share: 2%", "share: 0.1%"))
        self.assert_lossless(sim)
        [step] = [one for one in sim.result["collectives"] if one["kind"] == "step"]
        self.assertEqual(step["ranks"], 128)
        # Eight ranks of a group are at the same place of its eight servers.
        ways = {one["ranks"] for one in sim.result["collectives"] if one["name"] == "s1.f0.l60.dispatch"}
        self.assertEqual(ways, {8})

    def test_models_say_what_they_are(self):
        """The sizes of published models, and how much of a step is taken."""
        for name, told in (("dense-70b", "70.55 billion parameters, dp 8; a step computes for 4.882 s"),
                           ("moe-671b", "671 billion parameters, dp 128; a step computes for ")):
            with self.subTest(file=name):
                self.assertIn(f"{name}: {told}", roost("check", CONF / f"{name}.yaml").out)

    def test_planes(self):
        sim = self.run_small("planes-8", ("leaves: 4, spines: 4, hosts-per-leaf: 8, planes: 8",
                                          "leaves: 2, spines: 2, hosts-per-leaf: 4, planes: 2"), ("4MB", "1MB"))
        self.assert_lossless(sim)
        [collective] = sim.result["collectives"]
        self.assertEqual(collective["ranks"], 16)
        # Both planes carry the same, and nothing is lost between them.
        sent = [sum(port["tx_bytes"] for spine in (1, 2)
                    for port in sim.nodes[f"p{plane}-spine{spine}"]["ports"].values()) for plane in (1, 2)]
        self.assertAlmostEqual(sent[0] / sent[1], 1, delta=0.02)

    def test_the_compared_differ_in_switches_and_hosts_only(self):
        rest = set()
        for name in COMPARED:
            text = (CONF / f"{name}.yaml").read_text()
            body, cut = re.subn(r"^(switch|hosts):\n(?: .*\n)+", "", text[text.index("\nfabric:"):], flags=re.M)
            self.assertEqual(cut, 2)
            rest.add(body.replace(f"  name: {name}\n", ""))
        self.assertEqual(len(rest), 1)

    @unittest.skipIf(SANITIZED, "sanitizers are slow")
    def test_the_compared_show_what_they_are_to_show(self):
        ethernet, dcqcn, spectrum_x = (self.run_small(name) for name in COMPARED)
        self.assertGreater(ethernet.summary["drops"], 0)
        self.assertEqual(ethernet.summary["pfc_tx"], 0)
        self.assertEqual(ethernet.summary["ecn_marked"], 0)
        self.assert_lossless(dcqcn)
        self.assertGreater(dcqcn.summary["cnps"], 0)
        self.assert_lossless(spectrum_x)
        took = [one["step_ps"] for sim in (ethernet, dcqcn, spectrum_x) for one in sim.result["collectives"]
                if one["kind"] == "step"]
        self.assertLess(took[2], 0.5 * took[1])
        self.assertLess(took[1], 0.5 * took[0])
        # What the head of each file says of it, to a tenth: where packets are lost, when is as good as chance.
        for name, step in zip(COMPARED, took):
            text = re.sub(r"\n# *", " ", (CONF / f"{name}.yaml").read_text().partition("\nfabric:")[0])
            [told] = re.findall(r"The step takes ([\d.]+) ms", text)
            self.assertAlmostEqual(step / 1e9, float(told), delta=0.1 * float(told), msg=name)


if __name__ == "__main__":
    unittest.main()
