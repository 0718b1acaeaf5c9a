# SPDX-License-Identifier: BSD-3-Clause
"""The interactive shell on a terminal of its own, and bash's completion."""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

from support import ROOST, SANITIZED, SOURCE, Case, command, roost, wait_until

PATIENCE_S = 60 if SANITIZED else 20
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")
ENV = {"TERM": "dumb", "ROOST_FABRIC": "none-of-this-name", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
ENV |= {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}


class Terminal:
    """roost (or another program) on a pseudo-terminal."""

    def __init__(self, place, program=(os.path.abspath(ROOST),), **env):
        self.seen, self.taken = "", 0
        self.process, self.fd = pty.fork()
        if self.process == 0:
            try:
                os.chdir(place)
                os.execve(program[0], list(program), ENV | {"HOME": str(place)} | env)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 132, 0, 0))

    def read(self, seconds):
        """What comes within so long; False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b""
        self.seen += ESCAPE.sub("", got.decode(errors="replace"))
        return bool(got)

    def until(self, text):
        """Waits for text behind what was waited for before; returns all up to its end."""
        end = time.monotonic() + PATIENCE_S
        while (at := self.seen.find(text, self.taken)) < 0:
            if time.monotonic() > end or not self.read(0.2):
                raise AssertionError(f"no {text!r} after {self.seen[self.taken:]!r}")
        before, self.taken = self.seen[self.taken:at + len(text)], at + len(text)
        return before

    def send(self, keys):
        os.write(self.fd, keys.encode())

    def line(self, keys, prompt="roost> "):
        """Types a line; returns what it made."""
        self.send(keys + "\r")
        self.until("\n")
        self.taken -= 1     # what follows may be the prompt at once
        return self.until("\n" + prompt).removesuffix(prompt)

    def end(self, keys="\x04"):
        """Ends it; returns its exit status."""
        self.send(keys)
        end = time.monotonic() + PATIENCE_S
        while self.read(0.2):
            if time.monotonic() > end:
                raise AssertionError(f"it does not end: {self.seen[self.taken:]!r}")
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


class Shell(Case):
    def start(self, **env):
        terminal = Terminal(self.directory, **env)
        terminal.until("roost> ")
        return terminal

    def test_commands_run_and_errors_do_not_end_it(self):
        shutil.copy(SOURCE / "conf/demo.yaml", self.directory / "demo.yaml")
        shell = self.start()
        self.assertRegex(shell.line("where 10.0.1.1 demo.yaml"), r"leaf +1\s")
        self.assertIn("unknown command shwo; did you mean \"show\"?", shell.line("shwo fabric"))
        self.assertIn("fabric none-of-this-name is not up", shell.line("show fabric"))
        self.assertIn("unknown option --nonsense", shell.line("where --nonsense"))
        self.assertIn("usage: roost where", shell.line("roost where --help"))
        self.assertIn("roost headroom", shell.line("headroom"))
        self.assertEqual(shell.end(), 0)

    def test_ends(self):
        for keys in ("\x04", "exit\r", "quit\r", "roost exit\r"):
            self.assertEqual(self.start().end(keys), 0, keys)

    def test_words_are_split_as_a_shell_does(self):
        shell = self.start()
        (self.directory / "a file.yaml").write_text("{}\n")
        for words in ("check 'a file.yaml'", "check \"a file.yaml\"", "check a\\ file.yaml", "check a' 'file.yaml # x"):
            self.assertIn("a file.yaml:1:1: ", shell.line(words))
        self.assertIn("the line ends within quotes", shell.line("check 'a"))
        self.assertIn("the line ends within an escape", shell.line("check a\\"))
        self.assertNotIn("roost:", shell.line("  # nothing"))
        self.assertNotIn("roost:", shell.line(""))
        shell.end()

    def test_interrupts_end_the_line_or_the_command(self):
        shell = self.start()
        shell.send("exit")
        shell.until("exit")
        shell.send("\x03")
        shell.until("\nroost> ")
        file = self.file({"fabric": {"topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts-per-leaf": 2}},
                          "workload": [{"kind": "stream", "from": "h1", "to": "h3", "rate": "50G"}],
                          "stop": "3600s"})
        shell.send(f"sim {file}\r")
        self.child_of(shell.process)
        shell.send("\x03")
        shell.until("\nroost> ")
        self.assertIn("usage: roost", shell.line("help"))
        self.assertEqual(shell.end(), 0)

    def test_a_command_that_crashes_does_not_end_it(self):
        shell = self.start()
        file = self.file({"fabric": {"topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts-per-leaf": 2}},
                          "workload": [{"kind": "stream", "from": "h1", "to": "h3", "rate": "50G"}],
                          "stop": "3600s"})
        shell.send(f"sim {file}\r")
        child = self.child_of(shell.process)
        os.kill(child, signal.SIGKILL)
        self.assertIn("ended by signal 9", shell.until("\nroost> "))
        shell.end()

    @staticmethod
    def child_of(process):
        """The command that a shell runs, once it no longer ignores interrupts as the shell does."""
        def running():
            for child in command("ps", "-o", "pid=", "--ppid", process, status=None).out.split():
                ignored = re.search(r"SigIgn:\s*(\w+)", Path(f"/proc/{child}/status").read_text()).group(1)
                if not int(ignored, 16) & 1 << signal.SIGINT - 1:
                    return int(child)
            return None
        return wait_until(running, "a command runs", PATIENCE_S)

    def test_tab_completes(self):
        shell = self.start()
        for typed, becomes in (("sho\t", "show "), ("show interf\t", "show interface "),
                               ("help switch.qos.tc.3.we\t", "help switch.qos.tc.3.weight "),
                               ("help 'switch.qos.tc.3.we\t", "help 'switch.qos.tc.3.weight' "),
                               ("set switch.ro\tmo\tad\t", "set switch.routing.mode adaptive "),
                               ("set tenant green ho\t", "set tenant green hosts ")):
            with self.subTest(typed=typed):
                shell.send(typed)
                shell.until(becomes)
                shell.send("\x03")
                shell.until("roost> ")
        shell.end()

    def test_tab_lists_what_is_not_certain(self):
        shell = self.start()
        shell.send("help switch.qos.tc.3.ecn.m\t")
        told = shell.until("roost> help switch.qos.tc.3.ecn.m")
        self.assertIn("switch.qos.tc.3.ecn.max  switch.qos.tc.3.ecn.min", told)
        shell.send("i\t\r")
        self.assertIn("at or below, no packet is marked", shell.until("\nroost> "))
        shell.end()

    def test_tab_completes_names_of_files(self):
        (self.directory / "sub").mkdir()
        (self.directory / "sub/a b.yaml").write_text("{}\n")
        (self.directory / "sub/it's[1].yaml").write_text("{}\n")
        shell = self.start()
        self.assertIn("sub/a b.yaml:1:1: ", shell.line("check su\ta\t"))
        self.assertIn("sub/it's[1].yaml:1:1: ", shell.line("check sub/i\t"))
        self.assertIn("sub/a b.yaml:1:1: ", shell.line("check 'sub/a\t"))
        shell.end()

    def test_a_question_mark_tells_what_may_follow(self):
        shell = self.start()
        shell.send("set switch.qos.tc.3.weight ?")
        self.assertRegex(shell.until("roost> set switch.qos.tc.3.weight "), r"VALUE +integer, 1 to 1000")
        shell.send("\x03")
        shell.until("roost> ")
        shell.send("?")
        self.assertRegex(shell.until("roost> "), r"check +check a file")
        self.assertIn("where", shell.line("help wher\t"))
        self.assertIn("there is no key \"?\"", shell.line("help '?'"))
        shell.end()

    def test_history_outlives_the_shell(self):
        state = self.directory / "state"
        shell = self.start(XDG_STATE_HOME=str(state))
        shell.line("where 10.0.1.1")
        shell.line("where 10.0.1.1")
        shell.line("where 10.0.1.2")
        shell.end()
        self.assertEqual((state / "roost/history").read_text(), "where 10.0.1.1\nwhere 10.0.1.2\n")
        shell = self.start(XDG_STATE_HOME=str(state))
        shell.send("\x1b[A\x1b[A\r")
        self.assertIn("where 10.0.1.1", shell.until("\nroost> "))
        shell.end()

    def test_a_history_that_cannot_be_written_is_told_once(self):
        shell = self.start(XDG_STATE_HOME="/dev/null")
        self.assertIn("the history cannot be saved: Not a directory", shell.line("where 10.0.1.1"))
        self.assertNotIn("history", shell.line("where 10.0.1.2"))
        shell.end()

    def test_not_on_a_terminal_it_is_wrong_usage(self):
        done = roost(status=2)
        self.assertEqual(done.out, "")
        self.assertIn("usage: roost", done.err)


class Bash(Case):
    def complete(self, line, place=SOURCE):
        """What bash would offer for the last word of a line."""
        script = f"""
            source <("$ROOST" completion bash)
            COMP_WORDS=() rest=$LINE
            while [[ -n $rest ]]; do
                word=${{rest%%[ =]*}} rest=${{rest#"${{rest%%[ =]*}}"}}
                [[ -n $word ]] && COMP_WORDS+=("$word")
                [[ $rest == =* ]] && COMP_WORDS+=("=")
                rest=${{rest:1}}
            done
            [[ $LINE == *" " ]] && COMP_WORDS+=("")
            COMP_WORDS[0]=$ROOST COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            compopt() {{ echo "option $*"; }}
            _roost
            printf '%s\\n' "${{COMPREPLY[@]}}"
            """
        env = os.environ | {"ROOST": os.path.abspath(ROOST), "LINE": line, "ROOST_FABRIC": "none-of-this-name"}
        return command("bash", "--norc", "-c", script, env=env, cwd=place).out.split("\n")[:-1]

    def setUp(self):
        if shutil.which("bash") is None:
            self.skipTest("needs bash")

    def test_commands_keys_and_values(self):
        self.assertEqual(self.complete("roost sho"), ["show"])
        self.assertEqual(self.complete("roost set switch.qos.tc.3.ecn.m"),
                         ["switch.qos.tc.3.ecn.max", "switch.qos.tc.3.ecn.min"])
        self.assertEqual(self.complete("roost set switch.ro"), ["option -o nospace", "switch.routing."])
        self.assertEqual(self.complete("roost set switch.routing.mode ec"), ["ecmp", "ecmp-qp"])
        self.assertEqual(self.complete("roost show -o "), ["json", "text"])
        self.assertEqual(self.complete("roost nonsense "), [""])

    def test_files(self):
        self.assertEqual(self.complete("roost check conf/dem"), ["option -o filenames", "conf/demo.yaml"])
        self.assertEqual(self.complete("roost replay a.yaml --in swp1=conf/dem"),
                         ["option -o filenames", "conf/demo.yaml"])
        self.assertEqual(self.complete("roost sim a.yaml -o conf"), ["option -o filenames", "conf"])

    def test_the_script_is_the_one_that_is_installed(self):
        self.assertEqual(roost("completion", "bash").out, (SOURCE / "control/cli/shell/roost.bash").read_text())
        self.assertEqual(subprocess.run(["bash", "-n", SOURCE / "control/cli/shell/roost.bash"], check=False).returncode, 0)

    def test_on_a_terminal(self):
        """In bash itself, with readline."""
        place = self.directory
        (place / "roost").symlink_to(os.path.abspath(ROOST))
        bash = Terminal(place, (shutil.which("bash"), "--norc", "--noprofile"), PS1="$ ", INPUTRC="/dev/null",
                        PATH=f"{place}:{os.environ['PATH']}")
        bash.until("$ ")
        bash.send("source <(roost completion bash)\r")
        bash.until("\n$ ")
        bash.send("roost help switch.qos.tc.3.sche\t\r")
        self.assertIn("dwrr, strict", bash.until("\n$ "))
        bash.end("exit\r")
