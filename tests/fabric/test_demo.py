# SPDX-License-Identifier: BSD-3-Clause
"""conf/demo.yaml in virtual time: what a newcomer sees first."""
import shutil

from common import *

SHAPE = (2, 2, 4)                # leaves, spines, hosts per leaf
RED, BLUE = {"h1", "h2", "h5", "h6"}, {"h3", "h4", "h7", "h8"}
NOBODY = 65534


def payload_seconds(bytes_):
    """How long a 100G link is busy with so many bytes in packets of 4096 B."""
    return bytes_ / 4096 * 4178 * 8 / 100e9


class Demo(Case):
    @classmethod
    def setUpClass(cls):
        directory = own_directory("demo", cls.addClassCleanup)
        cls.run_ = Sim(directory, roost("sim", DEMO, "-o", directory))

    def of(self, item):
        return [one for one in self.run_.flows if one["item"] == item]

    def test_every_flow_is_there_and_complete(self):
        assert_complete(self, self.run_)
        for item, tenant, members in (("red-all-to-all", "red", RED), ("blue-all-to-all", "blue", BLUE)):
            pairs = [(one["src"], one["dst"]) for one in self.of(item)]
            self.assertEqual(sorted(pairs), sorted((a, b) for a in members for b in members if a != b))
            self.assertEqual({(one["tenant"], one["bytes"]) for one in self.of(item)}, {(tenant, 1_000_000)})
        self.assertEqual([(one["src"], one["dst"], one["bytes"], one["tenant"]) for one in self.of("incast")],
                         [(src, "h1", 4_000_000, "red") for src in ("h2", "h5", "h6")])

    def test_it_takes_as_long_as_the_links_need(self):
        # To h1 go 12 MB of the incast and 3 MB of its all-to-all, by one link of 100G: 1224 us of its
        # wire, which is never idle for long.
        self.assertEqual({one["start_ps"] for one in self.run_.flows}, {0})
        need, last = payload_seconds(15e6), max(one["fct_ps"] for one in self.of("incast")) / PS
        self.assertGreater(last, need)
        self.assertLess(last, 1.02 * need)
        # Each rank sends and receives 3 MB of its 4: 244.8 us at least.
        for one in self.run_.result["collectives"]:
            self.assertEqual((one["kind"], one["ranks"], one["bytes"]), ("all-to-all", 4, 4_000_000))
            seconds = one["step_ps"] / PS
            self.assertGreater(seconds, payload_seconds(3e6))
            self.assertAlmostEqual(one["algbw_gbps"], 4e6 * 8 / seconds / 1e9, places=6)
            self.assertAlmostEqual(one["busbw_gbps"], one["algbw_gbps"] * 3 / 4, places=6)

    def test_lossless_with_pauses_and_marks(self):
        summary = self.run_.summary
        self.assertEqual((summary["drops"], summary["drops_lossless"], summary["retransmitted"]), (0, 0, 0))
        self.assertEqual(self.run_.drops, {})
        self.assertGreater(summary["pfc_tx"], 0)
        self.assertGreater(summary["ecn_marked"], 0)
        self.assertGreater(summary["cnps"], 0)
        ports = [port for node in self.run_.nodes.values() for port in node["ports"].values()]
        self.assertEqual(summary["pfc_tx"], sum(sum(port["pfc_tx"]) for port in ports))
        self.assertEqual(sum(sum(port["pfc_rx"]) for port in ports), summary["pfc_tx"])
        self.assertEqual(summary["ecn_marked"], total(dict(enumerate(ports)), "queue", "ecn_marked"))
        # Only priority 3 is paused, and whoever pauses did so for a while.
        for port in ports:
            self.assertEqual([count for priority, count in enumerate(port["pfc_tx"]) if priority != 3], [0] * 7)
            self.assertEqual(port["pfc_tx"][3] > 0, port["pfc_tx_pause_ns"][3] > 0)
            self.assertEqual(port["pfc_rx"][3] > 0, port["pfc_rx_pause_ns"][3] > 0)

    def test_pauses_at_both_ends_of_a_link(self):
        # What one end counts as the time it held the other is what the other was held; the frames take
        # the same time there at the start of a pause and at its end.
        paused = 0
        for a, b in links_of(*SHAPE):
            for (node, port), (far, far_port) in ((a, b), (b, a)):
                sent, obeyed = self.run_.nodes[node]["ports"][port], self.run_.nodes[far]["ports"][far_port]
                self.assertEqual(sent["pfc_tx"], obeyed["pfc_rx"])
                told, held = sent["pfc_tx_pause_ns"][3], obeyed["pfc_rx_pause_ns"][3]
                paused += told
                # A frame waits for the packet before it: 334 ns at most, for each XOFF and XON.
                self.assertLessEqual(abs(told - held), 335 * sent["pfc_tx"][3], (node, port))
        self.assertGreater(paused, 0)

    def test_conserved(self):
        assert_drained(self.run_, *SHAPE)

    def test_tenants_are_counted(self):
        for name in ("leaf1", "spine1"):  # a spine sees whose packets cross it by the VNI
            tenants = self.run_.nodes[name]["tenants"]
            self.assertEqual({"red", "blue"}, set(tenants))  # `rest` has no hosts
            for counted in tenants.values():
                self.assertGreater(counted["packets"], 0)
                self.assertEqual((counted["used"], counted["dropped"]), (0, 0))

    def test_table_of_completion_times(self):
        out = self.run_.done.out
        for item in ("red-all-to-all", "blue-all-to-all", "incast"):
            row = next(line.split() for line in out.splitlines() if line.split()[:1] == [item])
            flows = self.of(item)
            self.assertEqual(row[1:3], [str(len(flows))] * 2)
            longest = max(one["fct_ps"] for one in flows)
            # "... 971 us  983 us  2.756 ...": the last time of the row is the longest.
            times = [float(value) * {"ns": 1e3, "us": 1e6, "ms": 1e9}[unit]
                     for value, unit in zip(row, row[1:]) if unit in ("ns", "us", "ms")]
            self.assertEqual(len(times), 4)
            self.assertAlmostEqual(times[-1] / longest, 1, delta=0.006)
        self.assertIn(self.run_.digest, out)
        self.assertEqual(self.run_.done.err, "")

    def test_outputs(self):
        self.assertEqual(sorted(path.name for path in self.run_.directory.iterdir()),
                         ["counters.csv", "flows.csv", "leaf1.swp1.pcapng", "links.csv", "queues.csv", "result.json",
                          "thresholds.csv"])
        self.assert_dissects(self.run_.directory / "leaf1.swp1.pcapng")

    @unittest.skipIf(SANITIZED, "sanitizers are slow")
    def test_starts_and_ends_quickly(self):
        def seconds():
            start = time.monotonic()
            roost("sim", DEMO)
            return time.monotonic() - start
        self.assertLess(min(seconds() for _ in range(7)), 0.3)

    def test_needs_nothing_and_leaves_nothing(self):
        # As a user who may write nowhere but in his own directory, with no runtime directory but there.
        home = self.directory / "home"
        program = Path(shutil.copy(ROOST, self.directory / "roost"))
        description = Path(shutil.copy(DEMO, self.directory / "demo.yaml"))
        (home / "run").mkdir(parents=True)
        options = {}
        if os.geteuid() == 0:
            for path in (home, home / "run"):
                os.chown(path, NOBODY, NOBODY)
            ours = [path for path in self.directory.parents if Path("/tmp") in path.parents]
            for path in (program, description, self.directory, *ours):
                path.chmod(path.stat().st_mode | 0o055)
            options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home),
               "XDG_RUNTIME_DIR": str(home / "run")} | \
            {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
        before = {path: set(os.listdir(path)) for path in ("/dev/shm", "/dev/hugepages") if os.path.isdir(path)}
        done = command(program, "sim", description, "-o", home / "out", cwd=home, env=env, **options)
        self.assertIn("incast", done.out)
        self.assertEqual(sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()),
                         ["out/counters.csv", "out/flows.csv", "out/leaf1.swp1.pcapng", "out/links.csv",
                          "out/queues.csv", "out/result.json", "out/thresholds.csv"])
        if options:
            for path, names in before.items():
                new = [name for name in set(os.listdir(path)) - names
                       if os.lstat(f"{path}/{name}").st_uid == NOBODY]
                self.assertEqual(new, [], path)

    def test_without_an_output_directory_nothing_is_written(self):
        empty = self.directory / "empty"
        empty.mkdir()
        roost("sim", DEMO, cwd=empty)
        self.assertEqual(list(empty.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
