# SPDX-License-Identifier: BSD-3-Clause
"""The API of a fabric that runs: who may ask what, what is refused and how, and that no client, however
it behaves, costs a packet."""
import grp
import random
import shutil
import subprocess
import sys

from common import *

NOBODY = 65534


class Client:
    """A connection to a fabric's socket: lines of JSON in and out."""

    def __init__(self, name, timeout=10):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"/run/roost/{name}.sock")   # waits while many others do
        self.socket.settimeout(timeout)
        self.file = self.socket.makefile("r")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def say(self, text):
        self.socket.sendall(text.encode() if isinstance(text, str) else text)

    def hear(self):
        """The next message, or None when the fabric has closed."""
        try:
            line = self.file.readline()
        except ConnectionResetError:    # it had been sent more than was read
            return None
        return json.loads(line) if line else None

    def ask(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method} | ({"params": params} if params else {})
        try:
            self.say(json.dumps(request) + "\n")
        except BrokenPipeError:
            pass    # turned away: it has been told why
        return self.hear()


class Api(Shared):
    @classmethod
    def description(cls):
        return demo(cls.name, dilation=100, workload=[
            {"kind": "stream", "from": "h2", "to": "h6", "packet": "1000B", "rate": "1G"}]) | {"stop": "3600s"}

    def client(self, **options):
        client = Client(self.name, **options)
        self.addCleanup(client.__exit__)
        return client

    def delivered(self):
        """Packets of the stream that have left towards h6."""
        return self.up.show("interface", "leaf2.swp2")["nodes"]["leaf2"]["ports"]["swp2"]["tx_packets"]

    def assert_flows_on(self):
        """The stream goes on, and nothing was lost since the fabric came up."""
        before = self.delivered()
        wait_until(lambda: self.delivered() > before + 100, "the stream flows")
        self.assertEqual(dict(drops(self.up.show("drops")["nodes"])), {})

    def test_it_describes_itself(self):
        """The same with and without a fabric."""
        answer = self.client().ask("rpc.discover")["result"]
        self.assertEqual(answer, roost("api").json)
        self.assertIn("subscribe", [method["name"] for method in answer["methods"]])

    def test_malformed(self):
        client = self.client()
        generator = random.Random(7)
        for text, code in (("{", -32700), ("[]", -32600), ("7", -32600), ('"' + "\\u0000" * 9 + '"', -32700),
                           ('{"jsonrpc":"1.0","method":"show","id":1}', -32600),
                           ('{"jsonrpc":"2.0","method":7,"id":1}', -32600),
                           ('{"jsonrpc":"2.0","method":"nosuch","id":1}', -32601),
                           ('{"jsonrpc":"2.0","method":"show","params":["fabric"],"id":1}', -32602),
                           ('{"jsonrpc":"2.0","method":"show","params":{"what":"nosuch"},"id":1}', -32602),
                           ('{"jsonrpc":"2.0","method":"show","params":{"what":"fabric","x":1},"id":1}', -32602),
                           ('{"jsonrpc":"2.0","method":"subscribe","params":{"kinds":["nosuch"]},"id":1}', -32602),
                           ('{"jsonrpc":"2.0","method":"subscribe","params":{"pause-over-ns":-1},"id":1}', -32602),
                           ('{"jsonrpc":"2.0","method":"transmit","params":{"port":"leaf1.swp1","state":"of"},"id":1}', -32602),
                           ('{"jsonrpc":"2.0","method":"transmit","params":{"port":"leaf1.swp1","state":"off","queue":8},"id":1}',
                            -32602),
                           ("[" * 100000, -32700), ("{\"a\":" * 100000, -32700)):
            with self.subTest(text[:60]):
                client.say(text + "\n")
                self.assertEqual(client.hear()["error"]["code"], code)
        for _ in range(200):
            client.say(bytes(generator.choice(b'{}[]":,0aZ\xff\x00 ') for _ in range(generator.randrange(1, 80))) + b"\n")
        client.say('{"jsonrpc":"2.0","method":"hosts","id":"last"}\n')
        while (answer := client.hear()).get("id") != "last":
            self.assertIn("error", answer)
        self.assertEqual(sorted(answer["result"]), sorted(HOSTS))
        self.assert_flows_on()

    def test_too_large(self):
        client = self.client()
        try:
            for _ in range(40):
                client.say(b" " * 65536)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertRegex(client.hear()["error"]["message"], "larger than 1 MiB")
        self.assertIsNone(client.hear())
        self.assert_flows_on()

    def test_thousand_connections_and_one_that_never_reads(self):
        """Most are turned away or make room; who asks is answered all the while."""
        deaf = self.client()
        for _ in range(400):
            deaf.say('{"jsonrpc":"2.0","method":"show","params":{"what":"interface"},"id":1}\n')
            if not select.select([], [deaf.socket], [], 0)[1]:
                break
        before, open_ones = self.delivered(), []
        for i in range(1000):
            one = socket.socket(socket.AF_UNIX)
            self.addCleanup(one.close)
            one.connect(f"/run/roost/{self.name}.sock")
            open_ones.append(one)
            if i % 2:
                try:
                    one.send(b"{")
                except (BrokenPipeError, ConnectionResetError):
                    pass    # turned away already
            if i % 100 == 99:
                with Client(self.name, timeout=20) as other:
                    # All places may be taken by those who have begun something: they are told so.
                    answer = other.ask("hosts")
                    if "error" in answer:
                        self.assertRegex(answer["error"]["message"], "too many clients")
        for one in open_ones:
            one.close()
        wait_until(lambda: roost("show", "fabric", "-f", self.name, status=None).status == 0, "it answers")
        self.assertGreater(self.delivered(), before)
        self.assert_flows_on()

    def test_changes_that_cannot_hold(self):
        """Clear answers, nothing changed, and the packets go on."""
        def refused(pattern, *words):
            self.assert_refused(pattern, *words, "-f", self.name, status=1)

        before = self.up.show("network")["networks"]
        roost("set", "tenant", "green", "leak", "red", "--stage", "-f", self.name)
        roost("set", "tenant", "red", "leak", "blue", "--stage", "-f", self.name)
        refused(r"loop of leaks: ", "set", "tenant", "blue", "leak", "green", "--stage")
        roost("config", "detach", "-f", self.name)
        refused(r"5001 is already tenant (red|blue)'s", "set", "tenants.blue.vni", "5001")
        refused(r"has bits set past its length; did you mean ", "set", "tenants.red.border", "{h2: [10.0.0.1/8]}")
        refused(r"h3 is in tenant blue", "set", "tenant", "red", "hosts", "h3")
        refused(r"there is no host nosuch", "set", "tenant", "red", "hosts", "nosuch")
        refused(r"cannot change while", "set", "fabric.mtu", "9000")
        self.assertEqual(self.up.show("network")["networks"], before)
        self.assertEqual(roost("config", "diff", "-f", self.name).out, "")
        self.assert_flows_on()

    def test_without_the_right(self):
        """Somebody else's process gets no further than the socket's mode."""
        code = (f"import socket; s = socket.socket(socket.AF_UNIX); s.connect('/run/roost/{self.name}.sock')")
        done = command("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "/usr/bin/python3", "-c", code,
                       status=1)
        self.assertIn("PermissionError", done.err)


def wait_for_first_look(client):
    """Returns when the fabric has compared counters at least twice since the subscription: its loop looks
    after every request that it serves."""
    for _ in range(3):
        client.ask("hosts")


class Events(LiveCase):
    def test_links_and_changes(self):
        """What the command prints as it happens."""
        name = name_of("events")
        description = demo(name, attach=("h1", "h5"), dilation=1000) | {"events": [
            {"at": "3ms", "link": "leaf1-spine1", "state": "down"}, {"at": "4ms", "link": "leaf1-spine1", "state": "up"}]}
        self.fabric(description)
        told = subprocess.Popen([ROOST, "events", "-f", name, "-o", "json", "link"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(told.wait)
        self.addCleanup(told.terminate)
        events = [json.loads(told.stdout.readline()) for _ in range(2)]
        told.terminate()
        told.stdout.close()
        self.assertEqual([(event["kind"], event["link"], event["state"]) for event in events],
                         [("link", "leaf1-spine1", "down"), ("link", "leaf1-spine1", "up")])

    def test_drops(self):
        """The sum of what is told is what the counters say."""
        name = name_of("drops")
        self.fabric(demo(name, attach=("h1",)))
        sender = udp_socket(netns(name, "h1"))
        self.addCleanup(sender.socket.close)
        with Client(name) as client:
            self.assertEqual(client.ask("subscribe", kinds=["drops"])["result"], {"kinds": ["drops"]})
            wait_for_first_look(client)
            for _ in range(10):
                sender.send(b"to nobody", ("10.0.9.9", 9))
            told = 0
            while told < 10:
                event = client.hear()["params"]
                self.assertEqual((event["kind"], event["node"], event["port"], event["reason"]),
                                 ("drops", "leaf1", "swp1", "no-route"))
                told += event["packets"]
            self.assertEqual(told, 10)

    def test_pauses_over_a_threshold(self):
        """An attached host pauses its leaf: frames are short pauses, told or not by how long they are."""
        name = name_of("pauses")
        self.fabric(demo(name, attach=("h1", "h5"), dilation=1000))
        raw = raw_socket(netns(name, "h1"))
        self.addCleanup(raw.socket.close)
        frame = bytes.fromhex("0180c2000001020000000001" "8808" "0101" "0008") + bytes(6) + b"\xff\xff" + bytes(8 + 26)
        with Client(name, timeout=20) as every, Client(name, timeout=20) as long:
            every.ask("subscribe", kinds=["pause"])
            long.ask("subscribe", **{"kinds": ["pause"], "pause-over-ns": 10_000_000})
            wait_for_first_look(every)
            raw.send(frame[:60])
            paused = 0
            while paused < 335_000:     # 65535 quanta of 5.12 ns
                event = every.hear()["params"]
                self.assertEqual((event["node"], event["port"], event["priority"], event["direction"]),
                                 ("leaf1", "swp1", 3, "rx"))
                paused += event["paused_ns"]
            self.assertLessEqual(paused, 335_600)
            long.say('{"jsonrpc":"2.0","method":"hosts","id":9}\n')
            self.assertEqual(long.hear()["id"], 9)

    def test_unknown_kind(self):
        name = name_of("kinds")
        self.fabric(demo(name, attach=("h1",)))
        self.assertRegex(roost("events", "nosuch", "-f", name, status=2).err,
                         '^roost events: unexpected argument "nosuch"; expected link, pause, watchdog, drops or apply\n')


class Readers(LiveCase):
    """A group whose members may look and not touch."""

    def setUp(self):
        self.group = grp.getgrnam("games") if any(g.gr_name == "games" for g in grp.getgrall()) else grp.getgrgid(NOBODY)
        self.name = name_of("readers")
        self.program = shutil.copy(ROOST, self.public())

    def public(self):
        directory = tempfile.mkdtemp(dir="/tmp")
        self.addCleanup(shutil.rmtree, directory)
        os.chmod(directory, 0o755)
        return directory

    def as_reader(self, *words, status=0):
        return command("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--groups", self.group.gr_gid,
                       "env", "-u", "XDG_RUNTIME_DIR", self.program, *words, status=status)

    def test_members_read(self):
        self.fabric(demo(self.name, attach=("h1",), readers=self.group.gr_name))
        seen = self.as_reader("show", "fabric", "-f", self.name, "-o", "json").json
        self.assertEqual(seen["name"], self.name)
        refused = self.as_reader("set", "-f", self.name, "switch.qos.tc.3.ecn.min", "60KB", status=1)
        self.assertRegex(refused.err, "only root and the fabric's owner may call edit")
        refused = self.as_reader("capture", "-f", self.name, "leaf1.swp1", status=1)
        self.assertRegex(refused.err, "only root and the fabric's owner may call capture")
        refused = self.as_reader("link", "-f", self.name, "leaf1-spine1", "down", status=1)
        self.assertRegex(refused.err, "only root and the fabric's owner may call link")
        refused = self.as_reader("down", self.name, status=1)
        self.assertRegex(refused.err, "only root and the fabric's owner may call down")
        roost("set", "-f", self.name, "switch.qos.tc.3.ecn.min", "60KB")

    def test_others_are_told_so(self):
        self.fabric(demo(self.name, attach=("h1",)))
        refused = self.as_reader("show", "fabric", "-f", self.name, status=1)
        self.assertEqual(refused.err, f"roost: fabric {self.name} belongs to somebody else: use sudo, or give a group of "
                         "yours the right to read (live.readers)\n")

    def test_nobody_holds_up_an_up(self):
        """A user who may list the directory can also lock it. `up` and `down` do not wait for that lock."""
        self.fabric(demo(self.name, attach=("h1",), readers=self.group.gr_name))
        code = "import fcntl, os, time; fcntl.flock(os.open('/run/roost', os.O_RDONLY), 2); print(flush=True); time.sleep(99)"
        holder = subprocess.Popen(["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups",
                                   "/usr/bin/python3", "-c", code], stdout=subprocess.PIPE)
        self.addCleanup(holder.wait)
        self.addCleanup(holder.stdout.close)
        self.addCleanup(holder.kill)
        holder.stdout.readline()
        other = self.name + "b"
        description = demo(other)
        del description["attach"]
        self.addCleanup(self.assert_clean, other)
        roost("up", self.file(description, "b.yaml"), timeout=20)
        roost("down", other)

    def test_nobody_has_files_read_for_him(self):
        """`config diff` does not read for a reader what he has put in the place of the fabric's file. For root it
        reads regular files only."""
        place = Path(self.public())
        os.chown(place, NOBODY, NOBODY)
        secret = self.directory / "secret"
        secret.write_text("fabric: {secret: 4711}\n")
        path = place / "lab.yaml"
        path.write_text(to_yaml(demo(self.name, attach=("h1",), readers=self.group.gr_name)) + "\n")
        self.addCleanup(self.assert_clean, self.name)
        self.addCleanup(roost, "down", self.name)
        roost("up", path)

        def as_file_was(words=()):
            return self.as_reader("config", "diff", "-f", self.name, *words).out

        self.assertEqual(as_file_was(), "")
        for make in (lambda: path.symlink_to(secret), lambda: os.mkfifo(path), lambda: path.symlink_to("/dev/zero"),
                     lambda: None):
            path.unlink(missing_ok=True)
            make()
            self.assertEqual(as_file_was(), "")
            self.assertRegex(roost("config", "diff", "-f", self.name).out,
                             rf"^cannot compare the running configuration with its file: {path}: "
                             "(it is not a regular file any more|No such file or directory)$")
        path.write_text("fabric: {secret: 4711}\n")
        self.assertNotIn("4711", as_file_was())
        self.assertIn("4711", roost("config", "diff", "-f", self.name).out)
        roost("set", "switch.qos.tc.3.ecn.min", "60KB", "-f", self.name)
        self.assertEqual(as_file_was().splitlines()[1:], ["- switch.qos.tc.3.ecn.min: 50KB", "+ switch.qos.tc.3.ecn.min: 60KB"])
        roost("save", "-f", self.name)
        self.assertEqual(as_file_was(), "")

    def test_no_such_group(self):
        self.addCleanup(self.assert_clean, self.name)
        self.assert_refused(r"live\.readers: there is no group nosuchgroup on this machine", "up",
                            self.file(demo(self.name, attach=("h1",), readers="nosuchgroup"), "x.yaml"), status=2)


if __name__ == "__main__":
    sys.exit(unittest.main())
