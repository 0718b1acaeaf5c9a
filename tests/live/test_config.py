# SPDX-License-Identifier: BSD-3-Clause
"""The configuration of a live fabric: staged, compared, applied, confirmed, saved, and what it was."""
import itertools

from common import *
from pages import run_page

MIN, MAX = "switch.qos.tc.3.ecn.min", "switch.qos.tc.3.ecn.max"


class Config(LiveCase):
    numbers = itertools.count()

    def setUp(self):
        self.name = name_of(f"config{next(self.numbers)}")     # whose history begins here
        self.lab = self.file(self.described(), "lab.yaml")
        self.up = self.fabric_of(self.lab)

    def described(self, **switch):
        described = demo(self.name, attach=())
        described["switch"] |= switch
        return described

    def fabric_of(self, path):
        up = Fabric(path, self.name)
        self.addCleanup(self.assert_clean, self.name)
        up.__enter__()
        self.addCleanup(roost, "down", self.name, status=None)
        return up

    def value(self, key, node="leaf1"):
        return self.up.show("config", node)["nodes"][node]["values"][key.partition(".")[2]]["value"]

    def history(self):
        return self.up.command("history", "-o", "json").json

    def whats(self):
        return [one["what"] for one in self.history()["revisions"]]

    def diff(self, *words):
        return self.up.command("config", "diff", *words).out

    def refused(self, pattern, *words, status=1):
        self.assert_refused(pattern, *words, "-f", self.name, status=status)

    def qos(self, low, high, **more):
        return {"tc": {3: {"ecn": {"min": low, "max": high}}}} | more

    # What acts at once, and what is staged.

    def test_set_and_unset_act_at_once(self):
        self.assertEqual(self.up.command("set", MIN, "100KB").out, "")
        self.up.command("set", "switch", "qos", "tc", "0", "weight", "25")
        self.assertEqual((self.value(MIN), self.value("switch.qos.tc.0.weight")), ("100KB", "25"))
        self.assertEqual(self.diff(), f"what runs, compared with {self.lab}:\n- {MIN}: 50KB\n+ {MIN}: 100KB\n"
                         "+ switch.qos.tc.0: {weight: 25}\n")
        self.up.command("unset", "switch.qos.tc.0")
        self.up.command("set", MIN, "50KB")
        self.assertEqual(self.diff(), "")
        self.assertEqual(self.whats(), ["up lab.yaml", f"set {MIN} 100KB", "set switch.qos.tc.0.weight 25",
                                        "unset switch.qos.tc.0", f"set {MIN} 50KB"])

    def test_what_is_refused_makes_no_revision(self):
        self.refused(r"^roost set: .*did you mean \"weight\"", "set", "switch.qos.tc.3.weihgt", "3")
        self.refused(r"^roost set: .*min .* is above max", "set", MIN, "900KB")
        self.refused(r"^roost unset: ", "unset", "switch.qos.tc.5.weight")
        self.refused(r"^roost set: .*cannot change while the fabric runs", "set", "fabric.mtu", "1500")
        self.assertEqual(self.whats(), ["up lab.yaml"])

    def test_staged_is_checked(self):
        """By itself, with no line of a file that nobody has; what all nodes can hold shows when it is applied."""
        for key, value, why in ((MIN, "900KB", r"qos\.tc\.3\.ecn: min \(900000 bytes\) is above max \(500000 bytes\)"),
                                ("tenants.red.hosts", "[h99]", r"tenants\.red\.hosts: there is no host h99; .*h8"),
                                ("tenants.x", "{hosts: [h1], vni: 7}", r"tenants\.x\.hosts: h1 is already in tenant red")):
            self.refused(rf"^roost set: {why}$", "set", key, value, "--stage")
        self.assertEqual(self.diff(), "")

    def test_a_tenant_is_no_word(self):
        """It keeps what it has; what is new is not made."""
        before = self.up.show("network")["networks"]
        for words in (("tenant", "blue", "h3"), ("tenants.blue", "hosts"), ("tenant", "red", "5"),
                      ("tenants.red", "null"), ("tenants.y", "5"), ("tenants.v", ""), ("tenants.u", '"abc"')):
            with self.subTest(words=words):
                name = words[-2].removeprefix("tenants.")
                self.refused(rf"^roost set: tenants\.{name}: expected a map of keys and values, found one value$",
                             "set", *words)
        self.refused(r"^roost set: tenants\.z: expected a map of keys and values, found a list$", "set", "tenants.z", "[1, 2]")
        self.assertEqual((self.up.show("network")["networks"], self.whats()), (before, ["up lab.yaml"]))
        self.up.command("set", "tenants.x", "{}")
        self.up.command("set", "tenant", "purple")
        self.assertEqual(len(self.whats()), 3)

    def test_staged_is_shown_and_then_applied_as_one(self):
        """Neither alone would hold."""
        self.refused(r"is above max", "set", MIN, "600KB")
        self.up.command("set", MAX, "700KB", "--stage")
        self.up.command("set", MIN, "600KB", "--stage")
        self.refused(r"is above max", "set", MIN, "800KB", "--stage")
        self.assertEqual(self.diff(), f"staged, compared with what runs:\n- {MIN}: 50KB\n+ {MIN}: 600KB\n"
                         f"- {MAX}: 500KB\n+ {MAX}: 700KB\n")
        self.assertEqual(self.value(MIN), "50KB")
        self.assertEqual(self.up.command("apply").out, "2 changes, revision 2\n")
        self.assertEqual((self.value(MIN), self.value(MAX)), ("600KB", "700KB"))
        self.refused(r"^roost apply: nothing is staged$", "apply")
        self.up.command("set", MIN, "1KB", "--stage")
        self.up.command("config", "detach")
        self.refused(r"^roost apply: nothing is staged$", "apply")
        self.assertEqual(self.whats()[1:], [f"apply: set {MAX} 700KB; set {MIN} 600KB"])

    # Files.

    def test_apply_makes_the_fabric_what_a_file_says(self):
        self.up.command("set", "leaf1.qos.tc.3.weight", "60")
        described = self.described(qos=self.qos("60KB", "600KB", pfc={"quanta": 30000}))
        described["spine2"] = {"qos": {"tc": {0: {"weight": 30}}}}
        path = self.file(described, "other.yaml")
        self.assertEqual(self.up.command("apply", path).out, "5 changes, revision 3\n")
        self.assertEqual((self.value(MIN), self.value(MAX)), ("60KB", "600KB"))
        self.assertEqual(self.value("spine2.qos.tc.0.weight", "spine2"), "30")
        self.assertEqual(self.value("leaf1.qos.tc.3.weight"), "50")
        self.assertEqual(self.up.command("apply", path).out, "nothing changes\n")
        self.assertEqual(self.up.command("apply", self.lab).out, "4 changes, revision 4\n")
        self.assertEqual(self.diff(), "")
        self.assertEqual(self.whats()[2:], ["apply other.yaml", "apply lab.yaml"])

    def test_what_cannot_change_refuses_the_whole_and_is_named(self):
        described = self.described(qos=self.qos("60KB", "500KB")) | {"hosts": {"qps": 2}}
        described["fabric"]["topology"]["leaves"] = 3
        path = self.file(yaml_lines(described), "wrong.yaml")
        done = self.up.command("apply", path, status=1)
        lines = done.err.splitlines()
        self.assertEqual(len(lines), 3, done.err)
        for line, key in zip(sorted(lines), ("fabric.topology.leaves", "hosts.placement", "hosts.qps")):
            self.assertRegex(line, rf"^{re.escape(str(path))}:\d+:\d+: {re.escape(key)}: cannot change while the fabric runs")
        self.assertEqual(self.value(MIN), "50KB")
        self.assertEqual(self.whats(), ["up lab.yaml"])

    def test_a_file_that_is_wrong_by_itself(self):
        path = self.file(self.lab.read_text().replace("50KB", "50 KB?"), "wrong.yaml")
        done = self.up.command("apply", path, status=2)
        self.assertRegex(done.err, rf"^{re.escape(str(path))}:\d+:\d+: switch\.qos\.tc\.3\.ecn\.min: ")
        self.refused(r"^nosuch\.yaml: cannot be read", "apply", "nosuch.yaml", status=2)

    # Confirmation.

    def test_undone_unless_it_is_confirmed(self):
        path = self.file(self.described(qos=self.qos("60KB", "500KB")), "other.yaml")
        self.assertEqual(self.up.command("apply", path, "--confirm", "2s").out,
                         "1 change, rolled back in 2s unless `roost apply --confirm-yes` is run\n")
        self.assertEqual(self.value(MIN), "60KB")
        self.assertRegex(self.up.command("apply", "--confirm-status").out, r"^apply other\.yaml: rolled back in [12] s unless ")
        self.refused(r'^roost set: "apply other.yaml" waits to be confirmed', "set", MIN, "70KB")
        before = self.lab.read_text()
        self.refused(r'^roost save: "apply other.yaml" waits to be confirmed', "save")
        self.assertEqual(self.lab.read_text(), before)
        self.assertRegex(self.up.command("history").out, r"waits to be confirmed, [12] s left: apply other\.yaml\n$")
        wait_until(lambda: self.value(MIN) == "50KB", "it has been undone")
        self.assertEqual(self.up.command("apply", "--confirm-status").out, "nothing waits to be confirmed\n")
        self.refused(r"^roost apply: nothing waits to be confirmed$", "apply", "--confirm-yes")
        self.assertEqual((self.whats(), self.diff()), (["up lab.yaml"], ""))
        self.assertIn("not confirmed in time, undone: apply other.yaml",
                      [entry["message"] for entry in self.up.show("log")["log"]])

    def test_confirmed_and_not(self):
        path = self.file(self.described(qos=self.qos("60KB", "500KB")), "other.yaml")
        self.up.command("apply", path, "--confirm", "1h")
        self.assertEqual(self.whats(), ["up lab.yaml"])
        self.assertEqual(self.up.command("apply", "--confirm-yes").out, "1 change, revision 2\n")
        self.assertEqual((self.whats(), self.value(MIN)), (["up lab.yaml", "apply other.yaml"], "60KB"))
        self.up.command("rollback", "1", "--confirm", "1h")
        self.assertEqual(self.value(MIN), "50KB")
        self.up.command("apply", "--confirm-no")
        self.assertEqual((len(self.whats()), self.value(MIN)), (2, "60KB"))

    def test_tenants(self):
        """Hosts are added and taken one by one; a new tenant is given a VNI that stays."""
        self.up.command("unset", "tenant", "red", "hosts", "h5,h6")
        self.up.command("set", "tenant", "green", "hosts", "h5,h6")
        self.assertEqual(self.diff("1"), "- tenants.red.hosts: [h1, h2, h5, h6]\n+ tenants.red.hosts: [h1, h2]\n"
                         "+ tenants.green: {hosts: [h5, h6], vni: 10001}\n")
        self.up.command("unset", "tenant", "green", "hosts", "h5")
        self.up.command("set", "tenant", "olive", "hosts", "h5", "--stage")
        self.up.command("unset", "tenant", "blue", "--stage")
        self.up.command("apply")
        self.assertEqual(self.diff("3"), "- tenants.blue: {hosts: [h3, h4, h7, h8], vni: 5002}\n"
                         "- tenants.green.hosts: [h5, h6]\n+ tenants.green.hosts: [h6]\n"
                         "+ tenants.olive: {hosts: [h5], vni: 10002}\n")
        self.up.command("rollback", "1")
        self.assertEqual(self.diff(), "")

    def test_a_crash_undoes_what_waits(self):
        path = self.file(self.described(qos=self.qos("60KB", "500KB")), "other.yaml")
        self.up.command("apply", path, "--confirm", "1h")
        self.kill()
        roost("up", self.name)
        self.assertEqual(self.value(MIN), "50KB")

    # What it was.

    def test_history_and_rollback(self):
        for value in ("60KB", "70KB"):
            self.up.command("set", MIN, value)
        self.assertEqual(self.diff("1"), f"- {MIN}: 50KB\n+ {MIN}: 70KB\n")
        self.assertEqual(self.up.command("rollback", 2).out, "1 change, revision 4\n")
        self.assertEqual(self.value(MIN), "60KB")
        self.assertEqual(self.diff("2"), "")
        history = self.history()
        self.assertEqual(history["running"], 4)
        self.assertEqual([one["revision"] for one in history["revisions"]], [1, 2, 3, 4])
        self.assertEqual({(one["uid"], one["user"]) for one in history["revisions"]}, {(0, "root")})
        self.assertEqual({one["file"] for one in history["revisions"]}, {str(self.lab)})
        lines = self.up.command("history").out.splitlines()
        self.assertRegex(lines[0], r"^revision +at +by +what$")
        self.assertRegex(lines[4], r"^ +4  runs  \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  root  rollback 2$")
        self.refused(r"^roost rollback: there is no revision 9$", "rollback", "9")
        self.refused(r"^roost config: there is no revision 9$", "config", "diff", "9")
        # A revision is a file like any other.
        place = Path(os.environ["ROOST_STATE"]) / self.name
        self.assertEqual(sorted(path.name for path in place.iterdir()), [f"{i}.yaml" for i in range(1, 5)])
        roost("check", place / "3.yaml")
        self.assertEqual(place.stat().st_mode & 0o777, 0o700)

    def test_up_by_name_is_as_it_ran_last(self):
        self.up.command("set", MIN, "60KB")
        self.up.command("set", "tenants.red.vni", "6001")
        roost("down", self.name)
        roost("up", self.name)
        self.assertEqual(self.value(MIN), "60KB")
        self.assertEqual(self.history()["running"], 3)
        self.assertEqual(self.diff(), f"what runs, compared with {self.lab}:\n- {MIN}: 50KB\n+ {MIN}: 60KB\n"
                         "- tenants.red.vni: 5001\n+ tenants.red.vni: 6001\n")
        roost("down", self.name)
        roost("up", self.lab)
        self.assertEqual((self.value(MIN), self.whats()[3:]), ("50KB", ["up lab.yaml"]))
        self.assertEqual(self.up.command("rollback", 3).out, "2 changes, revision 5\n")
        self.assert_refused(r"^roost: nosuchfabric: there is no such file, and no fabric of that name", "up", "nosuchfabric")

    def test_events_that_fit_no_more_do_not_keep_it_down(self):
        """They are warned of; when their time comes they are refused, as they were."""
        roost("down", self.name)
        described = self.described()
        described["events"] = [{"at": "5s", "set": MAX, "to": "90KB"}]
        roost("up", self.file(described, "events.yaml"))
        self.up.command("set", MIN, "100KB")
        roost("down", self.name)
        done = roost("up", self.name)
        self.assertRegex(done.err, r"^warning: \S+/3\.yaml:\d+:\d+: .*min \(100000 bytes\) is above max")
        self.assertEqual(self.value(MIN), "100KB")

    def test_a_workload_that_fits_no_more_does_not_keep_it_down(self):
        """Whoever changes the tenants is told of each item, once; coming up again by name leaves it out."""
        roost("down", self.name)
        described = self.described()
        flows = str(self.file("h1 h6 red 3 1000 0\n", "x.flow"))
        described["workload"] = [
            {"kind": "flow", "from": "h1", "to": "h2", "size": "1KB"},
            {"kind": "incast", "tenant": "red", "to": "h1", "from": ["h2", "h5"], "size": "1KB"},
            {"kind": "flows", "file": "x.flow"}]
        path = str(self.file(described, "work.yaml"))
        roost("up", path)

        def warned(done, *warnings):
            self.assertRegex(done.err, r"\A" + "".join(rf"(?:\S+ \w+: )?warning: {one}\n" for one in warnings) + r"\Z")
        h2, h5, h6 = (rf":\d+:\d+: workload: {why}" for why in (
            r"traffic between tenants that no route joins: h1 \(red\) to h2 \(rest\)", "h5 is not in tenant red",
            r"traffic between tenants that no route joins: h1 \(red\) to h6 \(rest\)"))
        warned(self.up.command("unset", "tenant", "red", "hosts", "h5"), path + h5)
        warned(self.up.command("set", "tenant", "green", "hosts", "h5"))
        warned(self.up.command("unset", "tenant", "red", "hosts", "h6"), flows + h6)
        roost("down", self.name)
        warned(roost("up", self.name), flows + h6, r"\S+/5\.yaml" + h5)
        self.assertIn("green", {one["tenant"] for one in self.up.show("network")["networks"]})
        # What was told is not told again; one fits again while others do no more; what is undone was not told.
        moved = ("unset", "tenant", "red", "hosts", "h2"), ("set", "tenant", "red", "hosts", "h6")
        here = r"\S+/5\.yaml"
        for confirm in ("--confirm-no", "--confirm-yes"):
            for words in moved:
                self.up.command(*words, "--stage")
            warned(self.up.command("apply", "--confirm", "60s"), here + h2, rf"{here}:\d+:\d+: workload: h2 is not in tenant red")
            warned(self.up.command("apply", confirm))
        warned(self.up.command("unset", "tenant", "red", "hosts", "h6"), flows + h6)

    def test_files_that_it_names_are_found_again(self):
        """Though the revision lies elsewhere."""
        roost("down", self.name)
        (self.directory / "own.cdf").write_text("1000 50\n2000 100\n")
        described = self.described()
        described["workload"] = [{"kind": "poisson", "load": "1%", "sizes": "own.cdf", "until": "1us",
                                  "tenant": "red"}]
        path = self.file(described, "flows.yaml")
        roost("up", path)
        roost("down", self.name)
        roost("up", self.name)
        self.assertEqual(self.history()["running"], 2)
        # A pipe in its place, into which nobody writes, holds nothing up.
        (self.directory / "own.cdf").unlink()
        os.mkfifo(self.directory / "own.cdf")
        done = self.up.command("unset", "tenant", "red", "hosts", "h6", timeout=20)
        self.assertRegex(done.err, r"own\.cdf.*Operation not supported")
        self.assertEqual(self.history()["running"], 3)

    def test_save(self):
        self.lab.write_text("# what this lab is for\n" + self.lab.read_text())
        before = self.lab.read_text()
        self.up.command("set", MIN, "60KB")
        self.assertEqual(self.up.command("save").out,
                         f"saved to {self.lab} without its comments; the old file is {self.lab}~\n")
        self.assertEqual(Path(f"{self.lab}~").read_text(), before)
        self.assertEqual(self.diff(), "")
        self.assertIn("min: 60KB", self.lab.read_text())
        roost("check", self.lab)
        other = self.directory / "other.yaml"
        self.assertEqual(self.up.command("save", other).out, f"saved to {other}\n")
        self.assertEqual(other.read_text(), self.lab.read_text())
        link = self.directory / "link.yaml"
        link.symlink_to(other)
        self.assertEqual(self.up.command("save", link).out,
                         f"saved to {other} without its comments; the old file is {other}~\n")
        self.refused(r"^roost save: /nosuch/x\.yaml: No such file or directory$", "save", "/nosuch/x.yaml")
        self.refused(r"^roost save: /dev/null: it is no regular file$", "save", "/dev/null")
        roost("down", self.name)
        roost("up", other)
        self.assertEqual(self.value(MIN), "60KB")

    def test_files_of_an_earlier_version(self):
        """A revision and a saved file with old names come up; the next revision has the present names and a version."""
        self.up.command("set", MIN, "60KB")
        self.up.command("save")
        self.assertRegex(self.lab.read_text(), r"\Aversion: 1\n")
        self.assertNotIn("version", self.diff())
        roost("down", self.name)
        place = Path(os.environ["ROOST_STATE"]) / self.name
        last = max(place.glob("*.yaml"), key=lambda path: int(path.stem))
        text = last.read_text()
        self.assertIn("\nversion: 1\n", text)
        # As an earlier version wrote it.
        header, _, body = text.partition("version: 1\n")
        old = body.replace("hosts-per-leaf", "hosts_per_leaf")
        self.assertNotEqual(old, body)
        last.write_text(re.sub(r"^# bytes \d+$", f"# bytes {len(old)}", header, flags=re.M) + old)
        done = roost("up", self.name)
        self.assertRegex(done.err, r"^warning: .*\.yaml:\d+:\d+: fabric\.topology\.hosts_per_leaf: is called hosts-per-leaf now: "
                         r"the next revision has that name$")
        self.assertEqual(self.value(MIN), "60KB")
        newest = max(place.glob("*.yaml"), key=lambda path: int(path.stem))
        self.assertEqual((int(newest.stem), newest.read_text().partition("version: 1\n")[2]), (int(last.stem) + 1, body))
        self.up.command("set", MIN, "70KB")
        roost("down", self.name)
        self.lab.write_text(old)
        done = roost("up", self.lab)
        self.assertRegex(done.err, r"hosts_per_leaf: is called hosts-per-leaf now: `roost migrate` rewrites the file$")
        self.lab.write_text("version: 2\n" + body)
        self.refused(r"1:10: version: a newer version of Roost wrote this file", "apply", self.lab, status=2)

    def test_where_no_revisions_can_be_kept(self):
        """The fabric comes up all the same, and says so."""
        roost("down", self.name)
        blocked = self.directory / "blocked"
        blocked.write_text("")
        env = os.environ | {"ROOST_STATE": str(blocked)}
        done = roost("up", self.lab, env=env)
        self.assertRegex(done.err, r"^roost: note: no revisions are kept: .*blocked.*: Not a directory\n$")
        self.up.command("set", MIN, "60KB")
        self.assertEqual(self.value(MIN), "60KB")
        self.refused(r"^roost history: no revisions are kept: ", "history")

    def kill(self):
        pid = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        end = os.pidfd_open(pid)
        os.kill(pid, 9)
        self.assertTrue(select.select([end], [], [], 10)[0])
        os.close(end)


class Page(LiveCase):

    def test_what_the_page_shows(self):
        """Every command of doc/changes.md, and what it prints."""
        page = (SOURCE / "doc/changes.md").read_text()
        text = re.search(r"^# FILE night\.yaml\n.*?(?=^```)", page, re.M | re.S).group()
        name = name_of("night")
        self.file(text.replace("name: night", f"name: {name}"), "night.yaml")
        self.addCleanup(self.assert_clean, name)
        self.addCleanup(roost, "down", name, status=None)
        self.assertGreater(run_page(self, page, "night", name), 15)


def yaml_lines(description):
    """A description with each of its sections on a line of its own."""
    return "".join(f"{key}: {to_yaml(value)}\n" for key, value in description.items())

