# SPDX-License-Identifier: BSD-3-Clause
"""The Python package on live fabrics: what live() brings up goes down, whatever ends the program; counters, calls, events and
time-outs; the fixture of pytest."""
import signal
import subprocess
import sys

import roost as package
from common import *

PROGRAM = '''
import sys, time
import roost
with roost.live(sys.argv[1]) as fabric:
    print(fabric.name, flush=True)
    if sys.argv[2] == "raise":
        raise KeyError("on purpose")
    time.sleep(600)
'''


class Live(LiveCase):
    def setUp(self):
        self.name = name_of("package")
        self.addCleanup(self.assert_clean, self.name)

    def test_a_fabric(self):
        """What a program does with it, from up to down."""
        with package.live(demo(self.name, attach=("h1", "h5")), roost=ROOST) as fabric:
            self.assertEqual((fabric.name, fabric.show("fabric")["name"]), (self.name, self.name))
            know_gateways(self.name)
            before = fabric.port("leaf1.swp1").rx_packets
            fabric.exec("h1", "ping", "-c", 2, "-i", "0.2", HOSTS["h5"])
            port = fabric.wait_until("leaf1.swp1", rx_packets=before + 2)
            port.expect(rx_packets=before + 2)
            self.assertEqual((port.queues.dropped, port.priority(3).pfc_rx_last_end_ns), ([0] * 8, -1))
            self.assertEqual(fabric.node("leaf1").tenant("red").dropped, 0)
            self.assertGreater(fabric.node("leaf1").memory("small").most, 0)
            self.assertGreater(fabric.node("leaf1").pool("ingress-lossless").size, 0)
            self.assertEqual(fabric.drops, {})

            with self.assertRaisesRegex(AssertionError, r"rx_packets is \d+ after 0\.1 s, expected 999\nleaf1\.swp1: received"):
                fabric.wait_until("leaf1.swp1", timeout=0.1, rx_packets=999)

            with fabric.client() as client:
                client.subscribe("link")
                fabric.command("link", "leaf1-spine1", "down")
                event = client.wait_for(lambda event: event["state"] == "down")
                self.assertEqual((event["kind"], event["link"]), ("link", "leaf1-spine1"))
                self.assertEqual(client.call("status")["name"], self.name)      # beside the subscription
                self.assertRaisesRegex(package.ApiTimeout, "no such event within 0.2 s; the last that came: no other",
                                       client.wait_for, lambda event: True, timeout=0.2)
                self.assertEqual(list(client.events(0)), [])
            with self.assertRaisesRegex(package.ApiError, r"^link: .*leaf9-spine1") as refused:
                fabric.call("link", link="leaf9-spine1", state="down")
            self.assertEqual(refused.exception.code, -32602)
            self.assertRaisesRegex(package.ApiError, r"^sho: .*\(code -32601\)$", fabric.call, "sho")

            fabric.exec("h1", "ping", "-c", 1, "-W", "1", HOSTS["h3"], status=1)     # another tenant
            wait_until(lambda: any(event["kind"] == "drops" for event in fabric.events), lambda: fabric.events)
            self.assertRaisesRegex(AssertionError, r"(?s)packets were dropped: no-route 1.*last events of leaf1\.swp1:\n"
                                   r"  \d+ ns  drops: reason no-route, packets 1", fabric.port("leaf1.swp1").assert_no_drops)
        self.assertRaisesRegex(package.ApiClosed, r"\.sock: .*`roost list`", fabric.call, "status")
        self.assert_clean(self.name)

    def test_whatever_ends_the_program(self):
        """An exception, Ctrl-C, and even SIGKILL: the fabric goes."""
        path = self.file(demo(self.name, attach=("h1",)))
        for how in ("raise", signal.SIGKILL, signal.SIGINT):
            with self.subTest(how=how):
                with subprocess.Popen([sys.executable, "-c", PROGRAM, path, str(how)], stdout=subprocess.PIPE, text=True,
                                      stderr=subprocess.PIPE) as program:
                    self.assertEqual(program.stdout.readline(), f"{self.name}\n", how)
                    if how != "raise":
                        self.assertNotEqual(clean(self.name), [])
                        program.send_signal(how)
                    program.stdout.close()
                    err = program.stderr.read()
                self.assertIn({"raise": "on purpose", signal.SIGKILL: "", signal.SIGINT: "KeyboardInterrupt"}[how], err)
                self.assert_clean(self.name)

    def test_what_does_not_come_up(self):
        """The error is Roost's, and nothing stays."""
        before = set(Path(tempfile.gettempdir()).glob("roost-live-*"))
        with self.assertRaisesRegex(package.RoostError, r"(?s)did not come up: exit status 2\n.*leavs"):
            with package.live({"fabric": {"name": self.name, "topology": {"kind": "leaf-spine", "leavs": 2}}}, roost=ROOST):
                self.fail("came up")
        with self.assertRaisesRegex(package.RoostError, "the fabric is not up after 0.01 s"):
            with package.live(demo(self.name, attach=("h1",)), roost=ROOST, timeout=0.01):
                self.fail("came up at once")
        self.assert_clean(self.name)
        self.assertEqual(set(Path(tempfile.gettempdir()).glob("roost-live-*")), before)

    def test_a_fabric_that_goes_by_itself(self):
        """`roost down` under the program's feet: its calls fail, and the block ends as it should."""
        with package.live(demo(self.name, attach=("h1",)), roost=ROOST) as fabric:
            fabric.command("down")
            wait_until(lambda: not clean(self.name), "it is down")
            self.assertRaises(package.ApiClosed, fabric.call, "status")

    def test_pytest(self):
        """doc/python.md: its tests of a live fabric, under another name."""
        page = (SOURCE / "doc/python.md").read_text()
        texts = [one for one in re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S) if "roost_live" in one]
        for i, text in enumerate(texts):
            (self.directory / f"test_live{i}.py").write_text(text.replace('"demo.yaml"', f'"{self.name}.yaml"'))
        self.file(demo(self.name), f"{self.name}.yaml")
        done = command(sys.executable, "-B", "-m", "pytest", "-q", "-p", "roost.pytest_plugin", "-p", "no:cacheprovider",
                       cwd=self.directory, status=None, timeout=240, env=os.environ | {"ROOST": ROOST})
        self.assertRegex(done.out, rf"\n{len(texts)} passed in ", done.out)
        self.assertEqual(len(texts), 2)


class Answers(unittest.TestCase):
    """The client, against answers that no fabric gives in time, or whole."""

    def test_slow_and_broken_servers(self):
        with tempfile.TemporaryDirectory() as place, socket.socket(socket.AF_UNIX) as server:
            path = f"{place}/a.sock"
            server.bind(path)
            server.listen()
            with package.Client(path, timeout=0.2) as client:
                connection, _ = server.accept()
                self.assertRaisesRegex(package.ApiTimeout, "a.sock: status: nothing came in time", client.call, "status")
                # The late answer is not taken for that of the next call; a notification in between is kept.
                connection.sendall(b'{"jsonrpc": "2.0", "id": 1, "result": "late"}\n'
                                   b'{"jsonrpc": "2.0", "method": "event", "params": {"kind": "link"}}\n'
                                   b'{"jsonrpc": "2.0", "id": 2, "res')
                connection.sendall(b'ult": "right"}\n')
                self.assertEqual(client.call("status", wait_ms=5, node=None), "right")
                asked = [json.loads(line) for line in connection.recv(4096).splitlines()]
                self.assertEqual([one.get("params") for one in asked], [None, {"wait-ms": 5}])
                self.assertEqual(list(client.events(0)), [{"kind": "link"}])
                connection.close()
                self.assertRaisesRegex(package.ApiClosed, "the fabric has closed the connection", client.call, "status")


if __name__ == "__main__":
    unittest.main()
