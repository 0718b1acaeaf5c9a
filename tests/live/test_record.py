# SPDX-License-Identifier: BSD-3-Clause
"""`record:` of a live fabric: the programs that `roost up -o DIR` starts, and what it refuses."""
import signal

from common import *
from films import Film

STREAM = {"kind": "stream", "from": "h2", "to": "h6", "rate": "1G"}
FILM = {"interval": "50us", "film": True}      # 50 ms of wall time


class Record(LiveCase):
    def setUp(self):
        super().setUp()
        self.name = name_of("record")
        self.out = self.directory / "out"

    def describe(self, record, **sections):
        description = demo(self.name, attach=(), workload=[STREAM]) | {"record": record, "stop": "3600s"} | sections
        del description["tenants"]
        return self.file(description, f"{self.name}.yaml")

    def up(self, record, *words, **more):
        done = roost("up", self.describe(record), "-o", self.out, *words, **more)
        if done.status == 0:
            self.addCleanup(self.assert_clean, self.name)
            self.addCleanup(command, ROOST, "down", self.name, status=None)
        return done

    def recordings(self):
        return {Path(one["file"]).name: one for one in roost("show", "fabric", "-f", self.name, "-o", "json").json["recordings"]}

    def grows(self):
        film = self.out / "film"
        wait_until(lambda: film.exists() and len(Film(film).ends) > 2, "the film grows")

    def log(self):
        return [one["message"] for one in roost("show", "log", "-f", self.name, "-o", "json").json["log"] if one["what"] == "record"]

    def test_film_and_packets(self):
        up = self.up(FILM | {"pcap": ["h2.eth1", "leaf1.swp2"], "film-limit": "300MB"})
        size = f"writing {self.out}/film: up to about (.*) a second, and about 300MB at most "
        rate = re.search(rf"roost: note: {size}\(record.film-limit\)\n", up.err)[1]
        self.assertIn(f"roost: note: writing {self.out}/packets.pcapng: 128 B of each packet of 2 ports, without a limit, ", up.err)
        self.grows()
        self.assertEqual(re.search(rf"roost record: {size}\(--limit\)", "\n".join(self.log()))[1], rate, "the recorder says the same")
        found = self.recordings()
        self.assertEqual({name: one["state"] for name, one in found.items()}, {"film": "running", "packets.pcapng": "running"})
        self.assertIn(f"record    {self.out}/film, running, process {found['film']['pid']}\n", roost("show", "fabric", "-f", self.name).out)
        wait_until(lambda: (self.out / "packets.pcapng").stat().st_size > 10_000, "packets come")
        roost("down", self.name)
        for one in found.values():
            self.assertFalse(Path(f"/proc/{one['pid']}").exists(), "`down` waits for it")
        film = Film(self.out / "film")
        self.assertEqual((film.meta["ended"]["why"], film.meta["interval_ns"], film.kinds[-1]), ("end", 50_000, "TAIL"))
        self.assertGreater(sum(film.of("tx_packets", "h2.eth1")), 0)
        done = command("tshark", "-r", self.out / "packets.pcapng", "-T", "fields", "-e", "frame.interface_name", "-e", "frame.cap_len")
        rows = [line.split() for line in done.out.splitlines()]
        self.assertEqual({row[0] for row in rows}, {"h2.eth1", "leaf1.swp2"})
        self.assertLessEqual(max(int(row[1]) for row in rows), 128)

    def test_the_limit_of_the_file(self):
        """To the byte; the fabric goes on, and says so."""
        self.up(FILM | {"film-limit": "65536B", "interval": "10us"})
        wait_until(lambda: self.recordings()["film"]["state"] == "ended", "the film is full", 120)
        film = Film(self.out / "film")
        self.assertEqual(film.meta["ended"]["why"], "limit")
        self.assertRegex("".join(self.log()), r"out/film: stopped at its limit of 65536B|out/film: stopped at its limit of 65.5 KB")

    def test_killed(self):
        """A recorder: the log says so. The fabric: the film is complete, and the next `up` replaces it."""
        self.up(FILM)
        self.grows()
        os.kill(self.recordings()["film"]["pid"], signal.SIGKILL)
        wait_until(lambda: self.recordings()["film"]["state"] == "ended", "it has ended")
        self.assertEqual(self.log()[1:], [f"{self.out}/film: ends here: its process was killed by signal 9"])
        roost("down", self.name)
        self.up(FILM)
        wait_until(lambda: Film(self.out / "film").meta.get("kind") == "live" and len(Film(self.out / "film").ends) > 2, "another film")
        pid = self.recordings()["film"]["pid"]
        os.kill(roost("list", "-o", "json").json[[one["name"] for one in roost("list", "-o", "json").json].index(self.name)]["pid"],
                signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the recorder ends, too")
        self.assertEqual(Film(self.out / "film").kinds[-1], "TAIL")
        self.up(FILM)
        self.grows()

    def test_a_full_disk(self):
        self.out.mkdir()
        command("mount", "-t", "tmpfs", "-o", "size=32k", "none", self.out)
        self.addCleanup(command, "umount", self.out)
        self.up(FILM | {"interval": "10us"})
        self.addCleanup(command, ROOST, "down", self.name, status=None)
        wait_until(lambda: self.recordings()["film"]["state"] == "ended", "the disk is full", 120)
        self.assertEqual(self.log()[1:], [f"roost record: {self.out}/film: No space left on device"])

    def test_without_o(self):
        done = roost("up", self.describe(FILM))
        self.addCleanup(roost, "down", self.name)
        self.assertRegex(done.err, rf"warning: .*{self.name}.yaml:\d+:\d+: record: nothing is written without -o DIR\n")
        self.assertNotIn("recordings", roost("show", "fabric", "-f", self.name, "-o", "json").json)
        refused = roost("set", "-f", self.name, "record.film", "off", status=1)
        self.assertIn("cannot change while the fabric runs: `roost record` and `roost capture` record more", refused.err)

    def test_refused(self):
        """Before anything is made."""
        for record, pattern in (
                ({"interval": "1us", "film": True}, r":\d+:\d+: record.interval: an interval of a live film takes 10ms to 1s of wall "
                 r"time, in whole milliseconds, and this one takes 1ms: with a dilation of 1000, write 10us to 1ms"),
                ({"interval": "2ms", "film": True}, r"this one takes 2s"),
                ({"interval": "10500ns", "film": True}, r"this one takes 10500us"),
                ({"interval": "1ms", "queues": ["leaf1.swp1.3"]}, r":\d+:\d+: record: names nothing that a live fabric writes"),
                ({"pcap": ["leaf1.swp99"]}, r":\d+:\d+: record.pcap: ")):
            with self.subTest(record):
                self.assertRegex(self.up(record, status=2).err, pattern)
                self.assertFalse(self.out.exists())

    def test_series_are_for_sim(self):
        up = self.up(FILM | {"queues": ["leaf1.swp1.3"]})
        self.assertRegex(up.err, r"warning: .*:\d+:\d+: record.queues: only `roost sim` writes it; live, `film: on` records the depth of every queue")

    def test_directories(self):
        self.out.mkdir()
        (self.out / "result.json").write_text("{}")
        self.assertIn("it has results of `roost sim` (result.json): name another directory", self.up(FILM, status=1).err)
        self.assertEqual([one.name for one in self.out.iterdir()], ["result.json"])
        self.out = Path("/dev/null/x")
        self.assertIn("/dev/null/x", self.up(FILM, status=1).err)


if __name__ == "__main__":
    unittest.main()
