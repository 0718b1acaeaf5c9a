# SPDX-License-Identifier: BSD-3-Clause
"""`roost lab`: labs that come with Roost, and labs made here with what can be wrong with them."""
import csv
import json
import shutil
import sys

import yaml

from common import *

sys.path.insert(0, str(SOURCE / "control/labs"))
from formula import FormulaError, evaluate, names_in  # noqa: E402

KEY = SOURCE / "testbeds/labs-key"
LABS = sorted(path.parent.name for path in (SOURCE / "testbeds/labs").glob("*/lab.yaml"))
STUDENTS = 5 if FULL else 1 if SANITIZED else 2


class Formulas(unittest.TestCase):

    def test_values(self):
        for text, value in (("2 * rate + 1", 201), ("rate / 8 > 12 and not rate == 3", True), ("1 if rate < 5 else 2", 2),
                            ("max(column(rows, 'a')) ** 2", 9), ("percentile([4, 1, 3, 2], 50)", 2), ("count([4, 1, 3], 1)", 2), ("rows[1]['a']", 3),
                            ("1 < 2 <= 2", True), ("-rate // 3", -34), ("word == 'it'", True)):
            self.assertEqual(evaluate(text, {"rate": 100, "rows": [{"a": 1}, {"a": 3}, {"a": None}], "word": "it"}), value, text)

    def test_nothing_else_is_reached(self):
        """Not the machine, not the insides of objects, and not without end."""
        for text in ("__import__('os')", "open('/etc/passwd')", "rate.__class__", "[].append", "(lambda: 1)()", "[x for x in rate]",
                     "f'{rate}'", "rate.real.__class__", "run.directory", "2 ** 10 ** 10", "rate if", "'a' * 10 ** 9", "[1] * 10 ** 9",
                     "max(**rate)", "(" * 300 + ")" * 300, "-" * 999 + "1", "1" * 2000, "unknown + 1", "1 / 0", "sqrt(-1)", "rate := 3",
                     "{1: 2}", "print(1)", "rate << 9", "1 in rate"):
            with self.assertRaises(FormulaError, msg=text):
                evaluate(text, {"rate": 100, "run": Path("/tmp")})

    def test_names(self):
        self.assertEqual(names_in("max(a, b.c) + 1"), {"a", "b"})


class LabCase(Case):

    def lab(self, *words, status=0, **options):
        return roost("lab", *words, status=status, **options)

    def start(self, name, student="ann", **options):
        path = self.directory / f"{name}-{student}"
        self.lab("start", name, path, "--student", student, **options)
        return path

    def marks(self, path):
        (result,) = self.lab("check", path, "-o", "json").json
        return {one["name"]: (one["points"], one["says"]) for one in result["questions"]}


class Labs(LabCase):

    def test_solutions_and_mistakes(self):
        """Each lab gives its solution all points, a blank copy none, and each mistake what its key says."""
        result = self.lab("lint", "--key", KEY, "--students", STUDENTS, timeout=1200)
        self.assertEqual(result.out, f"{len(LABS)} labs, {STUDENTS} students each: no problem found\n")

    def test_every_lab_is_listed_and_has_a_key(self):
        self.assertEqual([one["name"] for one in self.lab("list", "-o", "json").json], LABS)
        self.assertEqual(sorted(path.stem for path in KEY.glob("*.yaml")), LABS)
        for one in self.lab("list", "-o", "json").json:
            self.assertEqual(one["points"], 10, one["name"])

    def test_neighbours_differ_and_numbers_stay(self):
        numbers = {}
        for i in range(12):
            path = self.directory / f"copy{i}"
            numbers[i] = self.lab("start", "1", path, "--student", f"student {i}", "-o", "json").json["numbers"]
        self.assertGreater(len({json.dumps(one) for one in numbers.values()}), 6)
        again = self.lab("start", "pause", self.directory / "again", "--student", "student 3", "-o", "json").json
        self.assertEqual(again["numbers"], numbers[3])
        # On any machine, with any version of Python.
        self.assertEqual(numbers[3], {"rate": 100, "quanta": 200, "speed": 40, "goal": 2048})

    def test_two_checks_say_the_same(self):
        path = self.start("2")
        self.assertEqual(self.lab("check", path).out, self.lab("check", path).out)

    def test_a_copy_has_the_numbers(self):
        path = self.start("1")
        self.assertEqual({one.name for one in path.iterdir()},
                         {"README.md", "answers.yaml", "fabric.yaml", "lab.json", "pause.svg"})
        for one in path.iterdir():
            self.assertNotIn("${", one.read_text(), one.name)
        roost("check", path / "fabric.yaml")

    def test_answers_are_not_told(self):
        path = self.start("1")
        solution = self.lab("solution", path, "--key", KEY, "-o", "json").json
        (path / "answers.yaml").write_text("quantum: 1\npause: 1\nwaiting: 1\nothers: they are dropped\n")
        told = self.lab("check", path).out
        for name, answer in solution["answers"].items():
            self.assertNotIn(f" {answer} ", told, name)

    def test_partial_credit_and_units(self):
        path = self.start("1")
        numbers = json.loads(self.lab("solution", path, "--key", KEY, "-o", "json").out)["answers"]
        (path / "answers.yaml").write_text(f"quantum: {numbers['quantum']} ns\n"
                                           f"pause: {float(numbers['pause']) / 1000}\nwaiting: 5 MB\n")
        marks = self.marks(path)
        self.assertEqual(marks["quantum"], (1, "right"))
        self.assertEqual(marks["pause"], (1, "partly: Right in us; the question is in ns."))
        self.assertEqual(marks["waiting"], (0, "5 MB: write the number alone, in bytes"))
        self.assertEqual(marks["others"], (0, "no answer yet"))

    def test_a_class(self):
        paths = [self.start("1", "ann"), self.start("1", "=cmd()"), self.start("2", "bob")]
        (self.directory / "other").mkdir()
        result = self.lab("check", *paths, self.directory / "other", "--csv", self.directory / "points.csv", status=1)
        self.assertIn(f"{self.directory}/other: not a copy of a lab", result.err)
        rows = list(csv.DictReader((self.directory / "points.csv").open()))
        self.assertEqual([row["student"] for row in rows], ["ann", "'=cmd()", "bob"])
        self.assertEqual([(row["points"], row["quantum"], row["lost"]) for row in rows],
                         [("0", "0", ""), ("0", "0", ""), ("0", "", "0")])

    def test_gradescope(self):
        path = self.start("1")
        (path / "answers.yaml").write_text("others: they are sent\n")
        self.lab("check", path, "--gradescope", self.directory / "results.json")
        result = json.loads((self.directory / "results.json").read_text())
        self.assertEqual((result["score"], len(result["tests"])), (1, 5))
        self.assertEqual(result["tests"][3], {"name": "others", "score": 1, "max_score": 1, "output": "right"})
        both = self.lab("check", path, path, "--gradescope", self.directory / "results.json", status=1)
        self.assertIn("--gradescope writes the results of one directory", both.err)

    @unittest.skipIf(SANITIZED, "LeakSanitizer reads /proc")
    def test_without_proc(self):
        """In a chroot, which an autograder may need, /proc can be missing."""
        path = self.start("1")
        inside = ["unshare", "--user", "--map-root-user", "--mount"]
        if command(*inside, "true", status=None).status != 0:
            self.skipTest("user namespaces are not allowed")
        result = command(*inside, "sh", "-c", 'mount -t tmpfs none /proc && exec "$0" lab check "$1"', ROOST, path)
        self.assertIn("ann: 0 of 10 points", result.out)

    def test_only_what_may_be_changed(self):
        path = self.start("1")
        text = (path / "fabric.yaml").read_text()
        (path / "fabric.yaml").write_text(text.replace("cable: 5m", "cable: 6m"))
        self.assertEqual(self.marks(path)["longer"], (0, "fabric.links.host.cable: changed, but only events.0.pfc.quanta may be"))


class Page(LabCase):

    def test_the_page_s_example(self):
        """The lab and the key in doc/labs.md work as they stand there."""
        lab, key = re.findall(r"^```yml\n(.*?)^```", (SOURCE / "doc/labs.md").read_text(), re.M | re.S)
        for path, text in (("labs/01-two/lab.yaml", lab), ("key/01-two.yaml", key), ("labs/01-two/page.md", "# Two\n"), (
                "labs/01-two/fabric.yaml", to_yaml(fabric(hosts_per_leaf=3, host_link={"rate": "${rate}G"}, workload=[
                    {"kind": "incast", "from": ["h2", "h3"], "to": "h1", "size": "1MB"}])) + "\n")):
            (self.directory / path).parent.mkdir(parents=True, exist_ok=True)
            (self.directory / path).write_text(text)
        result = self.lab("lint", "--labs", self.directory / "labs", "--key", self.directory / "key")
        self.assertEqual(result.out, "1 labs, 3 students each: no problem found\n")

    def test_what_the_page_shows(self):
        page = (SOURCE / "doc/labs.md").read_text()
        self.assertIn(f"$ roost lab list\n{self.lab('list').out}$ ", page)
        path = self.start("1")
        self.assertIn(f"$ roost lab check 01-pause\n{self.lab('check', path).out}```", page)
        self.assertIn(f"\n{len(LABS)} labs, 20 students each: no problem found\n", page)


class Refusals(LabCase):

    def test_words(self):
        for words, status, error in (
                (("start", "99"), 1, "99: no such lab; there is 01-pause"),
                (("start", "1", self.directory), 1, f"{self.directory}: exists already; name another directory"),
                (("start", "1", self.directory / "none/x"), 1, f"{self.directory}/none: No such file or directory"),
                (("start", "1", self.directory / "x", "--student", " "), 1, "a student's name is 1 to 100 printable characters"),
                (("solution", "1"), 1, "solutions are in the teacher's answer key: name its directory by --key DIR or ROOST_LAB_KEY"),
                (("solution", "1", "--key", "/none"), 1, "/none: no such directory, so no answer key"),
                (("check", self.directory), 1, "not a copy of a lab: it has no lab.json; make one with `roost lab start`"),
                (("list", "--csv", "x"), 2, "list has no option --csv"),
                (("check", "--student", "x"), 2, "check has no option --student")):
            result = self.lab(*words, status=status,
                              env={key: value for key, value in os.environ.items() if key != "ROOST_LAB_KEY"})
            self.assertIn(error, result.err, words)
        self.assertFalse((self.directory / "x").exists())

    def test_a_student_s_files(self):
        path = self.start("1")
        for text, error in (("quantum: [1", "answers.yaml:2:1: expected ',' or ']'"), ("other: 3", "other: there is no such question; there is "),
                            ("- 1", "must be lines `name: answer`"), ("a: &x 1\nb: *x", "answers.yaml:2:4: aliases are not supported here"),
                            ("quantum: {a: 1}", "must be lines `name: answer`")):
            (path / "answers.yaml").write_text(text + "\n")
            self.assertIn(error, self.lab("check", path, status=1).err, text)
        (path / "answers.yaml").write_bytes(b"\xff\xfe\x00")
        self.assertIn("answers.yaml: not YAML", self.lab("check", path, status=1).err)
        (path / "answers.yaml").write_text("quantum: about five\npause: 1e999\nwaiting: nan\nothers: maybe\n")
        marks = self.marks(path)
        self.assertEqual(marks["quantum"], (0, "about five is not a number"))
        self.assertEqual(marks["pause"][0], 0)
        self.assertEqual(marks["waiting"], (0, "nan is not a number"))
        self.assertEqual(marks["others"], (0, "maybe is not one of: they are sent; they wait too; they are dropped"))
        (path / "fabric.yaml").write_text((path / "fabric.yaml").read_text().replace("quanta: ", "quanta: x"))
        self.assertIn("roost sim fabric.yaml failed: fabric.yaml:11:", self.marks(path)["longer"][1])
        (path / "lab.json").write_text('{"format": 9}')
        self.assertIn("its format is 9; this program reads 1", self.lab("check", path, status=1).err)

    def test_hostile_copies(self):
        """No copy decides what it is graded by, shows other files of the machine, or keeps others from being graded."""
        good = self.start("1", "bob")
        bad = self.start("1", "eve")
        answers, name = (bad / "answers.yaml").read_text(), (bad / "lab.json").read_text()
        (bad / "lab.yaml").write_text("title: mine\n")
        (self.directory / "secret").write_text("quantum: hunter2\n")
        for lab in (".", "1-eve", "\u00b2", "a" * 4000, str(bad), "../1-eve"):
            (bad / "lab.json").write_text(json.dumps({"format": 1, "lab": lab, "student": "eve"}))
            result = self.lab("check", bad, good, status=1, cwd=self.directory)
            self.assertIn("no such lab in", result.err)
            self.assertIn("bob: 0 of 10 points", result.out)
        for content in ("[" * 9999, "{}", '{"format": 1, "lab": 3}', "\0"):
            (bad / "lab.json").write_text(content)
            self.assertIn("bob: 0 of 10", self.lab("check", bad, good, status=1).out)
        (bad / "lab.json").write_text(name)
        for content in ('quantum: "\\UFFFFFFFF"', "%YAML 1." + "1" * 5000 + "\n---\na: b", 'quantum: "\\ud800"', 'quantum: "\\e[31m"',
                        "quantum: " + "1" * 300):
            (bad / "answers.yaml").write_text(content + "\n")
            result = self.lab("check", bad, good, status=1)
            self.assertIn("answers.yaml", result.err)
            self.assertNotIn("Traceback", result.err)
            self.assertIn("bob: 0 of 10", result.out)
        for make, error in ((lambda path: os.mkfifo(path), "not a regular file"), (lambda path: path.mkdir(), "Is a directory"),
                            (lambda path: path.symlink_to(self.directory / "secret"), "a link, where a file is needed"),
                            (lambda path: path.symlink_to("/dev/zero"), "a link, where a file is needed")):
            (bad / "answers.yaml").unlink()
            make(bad / "answers.yaml")
            result = self.lab("check", bad, good, status=1)
            self.assertIn(error, result.err)
            self.assertNotIn("hunter2", result.err + result.out)
            if (bad / "answers.yaml").is_dir():
                (bad / "answers.yaml").rmdir()
                (bad / "answers.yaml").touch()
        (bad / "answers.yaml").unlink()
        (bad / "answers.yaml").write_text(answers)
        (bad / "fabric.yaml").unlink()
        (bad / "fabric.yaml").symlink_to(self.directory / "secret")
        self.assertIn("a link, where a file is needed", self.marks(bad)["longer"][1])
        (bad / "fabric.yaml").unlink()
        (bad / "fabric.yaml").write_text("fabric: [1\n")
        self.assertIn("expected ',' or ']'", self.marks(bad)["longer"][1])

    def test_nothing_is_left_behind(self):
        path = self.start("1")
        (self.directory / "there").mkdir()
        result = self.lab("check", path, "--csv", self.directory / "there", status=1)
        self.assertIn("there: Is a directory", result.err)
        self.assertIn("ann: 0 of 10 points", result.out)
        self.assertEqual([one.name for one in self.directory.iterdir() if one.name.startswith(".")], [])

    def test_a_lab(self):
        """Each key of lab.yaml that is wrong is named."""
        good = yaml.safe_load((SOURCE / "testbeds/labs/01-pause/lab.yaml").read_text())

        def broken(change):
            copy = json.loads(json.dumps(good))
            change(copy)
            return copy
        for change, error in (
                (lambda lab: lab.pop("title"), "title: is missing"),
                (lambda lab: lab.update(extra=1), "extra: no such key"),
                (lambda lab: lab.update(minutes="long"), "minutes: long is not a number"),
                (lambda lab: lab["numbers"].update(rate=[]), "numbers.rate: must be a list of numbers"),
                (lambda lab: lab["numbers"].update(rate=["x"]), "numbers.rate: must be a list of numbers"),
                (lambda lab: lab["derived"].update(goal="1 +"), "derived.goal: not a formula"),
                (lambda lab: lab["derived"].update(rate="1"), "rate: two things have this name"),
                (lambda lab: lab.update(files=["../x"]), "files: ../x: no such file in the folder of the lab"),
                (lambda lab: lab["runs"]["given"].update(file="none.yaml"), "runs.given: file: none.yaml: no such file"),
                (lambda lab: lab["questions"][0].update(kind="essay"), "questions[0] quantum: kind: essay is not one of"),
                (lambda lab: lab["questions"][0].update(expect="other * 2"), "other * 2: there is no other; there is "),
                (lambda lab: lab["questions"][0].update(within="5 %%"), "within: 5 %%: want a number or a percentage"),
                (lambda lab: lab["questions"][0].update(points="many"), "points: many is not a number"),
                (lambda lab: lab["questions"][0]["partial"][0].update(points=5), "partial[0]: points: partial credit is less than"),
                (lambda lab: lab["questions"][3].update(expect="no"), "questions[3] others: expect: must be one of the options"),
                (lambda lab: lab.update(questions=[]), "questions: there is none")):
            folder = self.directory / "labs/01-pause"
            shutil.rmtree(folder.parent, ignore_errors=True)
            shutil.copytree(SOURCE / "testbeds/labs/01-pause", folder)
            (folder / "lab.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(broken(change)), parse_int=str, parse_float=str)))
            result = self.lab("start", "1", self.directory / "copy", "--labs", folder.parent, status=1)
            self.assertIn(error, result.err)
            self.assertFalse((self.directory / "copy").exists())

    def test_lint_finds_what_is_wrong(self):
        for name, text in (("labs", "labs/01-pause"), ("key", "labs-key")):
            shutil.copytree(SOURCE / "testbeds" / text, self.directory / name / ("01-pause" if name == "labs" else ""))
        key = self.directory / "key/01-pause.yaml"
        text = key.read_text()
        for old, new, error in (("quantum: 512 / rate", "quantum: 513 / rate * 2", "the solution gets 9 of 10 points: quantum 0/1"),
                                ("points: 0.5, says: not byte times", "points: 1, says: not byte times", "quantum got 0.5 points instead of 1"),
                                ("says: These are bit times", "says: something else", 'pause is not told "something else"'),
                                ("pause: quanta", "pause: other.quanta", "pause: other.quanta * 512 / rate: there is no other; there is given, "),
                                ("others: they are sent\n", "", "answers: must be those to others, pause, quantum, waiting")):
            self.assertIn(old, text)
            key.write_text(text.replace(old, new))
            result = self.lab("lint", "1", "--labs", self.directory / "labs", "--key", self.directory / "key", "--students", 1, status=1)
            self.assertIn(error, result.out)


if __name__ == "__main__":
    unittest.main()
