# SPDX-License-Identifier: BSD-3-Clause
"""Metrics: the same values as `show` and the API, in the formats of Prometheus and OpenMetrics, as promtool and Prometheus
themselves read them; and the dashboard, whose expressions are of metrics that exist."""
import subprocess

from web import *

GRAFANA = SOURCE / "testbeds/grafana"
SAMPLE = re.compile(r'([a-zA-Z_]\w*)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (-?[0-9.]+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
WORKLOAD = [{"kind": "incast", "from": ["h2", "h5", "h6"], "to": "h1", "size": "200KB"},
            {"kind": "incast", "from": ["h4", "h7", "h8"], "to": "h3", "size": "200KB"}]
# The objects of doc/counters.md, by what metrics call them.
HEADINGS = {"A port": "port", "A priority of a port: arrays of 8": "priority", "A priority group (`pg`)": "group",
            "A queue (`queue`)": "queue", "A pool (`pools`)": "pool", "A tenant (`tenants`)": "tenant",
            "Packets in memory of a switch of a live fabric (`packets`)": "memory"}


def parse(text):
    """{(name, labels): value}; families one after the other, each with its help and type before its samples."""
    samples, families, family = {}, {}, None
    for line in text.splitlines():
        if line.startswith("# EOF"):
            continue
        if line.startswith("# "):
            _, what, name, rest = line.split(" ", 3)
            if what == "HELP":
                if name in families:
                    raise AssertionError(f"{name} stands twice")
                family = families[name] = {"HELP": rest}
            else:
                family[what] = rest
            current = name
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        if name.removesuffix("_total") != current.removesuffix("_total"):
            raise AssertionError(f"{name} stands among {current}")
        key = name, tuple(sorted(LABEL.findall(labels or "")))
        if key in samples:
            raise AssertionError(f"{key} stands twice")
        samples[key] = float(value)
    return samples, families


def rows():
    """(scope, name, kind, unit) of each counter, as doc/counters.md has them."""
    scope = None
    for line in roost("schema", "--counters").out.splitlines():
        if line.startswith("#"):
            scope = HEADINGS[line.strip("# ")]
        elif found := re.match(r"\| `(\w+)` \| (\w+) \| (\w*) ", line):
            yield scope, *found.groups()


def metric(scope, name, kind, unit):
    """The name of a counter's metric, by the rule in doc/web.md."""
    if unit == "ns":
        name, unit = name.removesuffix("_ns"), "seconds"
    full = f"roost_{scope}_{name}"
    if unit and not full.endswith(unit):
        full += f"_{unit}"
    return full + ("_total" if kind == "counter" else "")


def each(objects):
    """(index, object) of an array of `show`, or of the API's object by index."""
    return enumerate(objects) if isinstance(objects, list) else objects.items()


def expected(nodes):
    """What the JSON of a fabric's nodes says, {(name, labels): value}, without what is zero."""
    found, by_scope = {}, collections.defaultdict(list)
    for row in rows():
        by_scope[row[0]].append(row)

    def add(scope, values, **labels):
        for row in by_scope[scope]:
            value = values.get(row[1])
            if isinstance(value, int) and value > 0:
                found[metric(*row), tuple(sorted(labels.items()))] = value / 1e9 if row[3] == "ns" else float(value)

    def add_port(values, where):
        add("port", values, **where)
        for row in by_scope["priority"]:
            for i, value in each(values.get(row[1], [])):
                add("priority", {row[1]: value}, **where, priority=str(i))
        for scope, key in (("group", "pg"), ("queue", "queue")):
            for i, one in each(values.get(key, [])):
                add(scope, one, **where, **{scope: str(i)})
        for key, label, name in (("drops", "reason", "dropped"), ("answers", "kind", "answers")):
            for kind, count in values.get(key, {}).items():
                found[f"roost_port_{name}_packets_total", tuple(sorted((where | {label: kind}).items()))] = float(count)

    for node, parts in nodes.items():
        for port, values in parts.get("ports", {}).items():
            add_port(values, {"node": node, "port": port})
        for scope, key, label in (("pool", "pools", "pool"), ("tenant", "tenants", "tenant"), ("memory", "packets", "kind")):
            for name, values in parts.get(key, {}).items():
                add(scope, values, node=node, **{label: name})
    return found


class Metrics(Shared):
    @classmethod
    def description(cls):
        return demo(cls.name, attach=("h1",), workload=WORKLOAD, dilation=20)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # A packet that no route leads to, a pause, and quiet: nothing but time changes from here on.
        sender = udp_socket(netns(cls.name, "h1"))
        with sender.socket:
            sender.send(b"lost", ("10.0.1.3", UDP_PORT))
        pauser = raw_socket(netns(cls.name, "h1"))
        with pauser.socket:
            pauser.send(pfc({3: 100, 4: 7}))
        wait_until(lambda: "roost_priority_pfc_rx_frames_total" in cls.up.command("metrics").out, "the pause has arrived")
        wait_until(lambda: cls.quiet(), "the fabric is quiet")

    @classmethod
    def quiet(cls):
        before = cls.up.show("interface")["nodes"]
        time.sleep(0.2)
        sent = sum(port["tx_packets"] for node in before.values() for port in node["ports"].values())
        return sent > 500 and before == cls.up.show("interface")["nodes"]

    def metrics(self, *words):
        return self.up.command("metrics", *words).out

    def assert_same(self, samples, known):
        for key, value in known.items():
            with self.subTest(key=key):
                self.assertAlmostEqual(samples.get(key, 0.0), value, 9)

    def test_values_are_those_of_the_api(self):
        """All of them, and no others."""
        web = Web(self.name)
        self.addCleanup(web.close)
        known = expected(web.rpc("counters")[1]["result"]["nodes"])
        samples, _ = parse(self.metrics())
        scopes = tuple(f"roost_{scope}_" for scope in HEADINGS.values())
        self.assertEqual({key for key, value in samples.items() if value and key[0].startswith(scopes)}, set(known))
        self.assert_same(samples, known)
        self.assertGreater(len(known), 100)

    def test_links_and_workers(self):
        self.up.command("link", "leaf1-spine1", "down")
        self.up.command("link", "leaf1-spine2", "rate", "50G")
        for link in ("leaf1-spine1", "leaf1-spine2"):
            self.addCleanup(self.up.command, "link", link, "clear")
        fabric, (samples, _) = self.up.show("fabric"), parse(self.metrics())
        known = {("roost_fabric_dilation", ()): 20.0}
        for link in fabric["links"]:
            labels = ("a", link["a"]), ("b", link["b"])
            known |= {("roost_link_up", labels): float(link["state"] == "up"),
                      ("roost_link_speed_bytes", labels): link["rate_bps"] / 8}
        for i, worker in enumerate(fabric["workers"]):
            known["roost_worker_slips_total", (("worker", str(i)),)] = float(worker["slips"])
        self.assertEqual({key: value for key, value in samples.items() if key in known}, known)
        changing = {"roost_fabric_info", "roost_fabric_time_seconds", "roost_worker_lag_seconds"}
        self.assertEqual({key for key in samples if key[0].startswith(("roost_fabric_", "roost_link_", "roost_worker_")) and
                          key[0] not in changing}, set(known))
        self.assertEqual(sorted(value for (name, _), value in known.items() if name == "roost_link_up")[:2], [0.0, 1.0])

    def test_values_are_those_of_show(self):
        samples, _ = parse(self.metrics())
        for word in ("interface", "pfc", "queue", "pool", "tenant", "drops"):
            known = expected(self.up.show(word)["nodes"])
            self.assertTrue(known, word)
            self.assert_same(samples, known)
        names = {name for name, _ in samples}
        self.assertIn("roost_priority_pfc_rx_pause_seconds_total", names)
        self.assertTrue(any(name == "roost_port_dropped_packets_total" and dict(labels)["reason"] == "no-route"
                            for name, labels in samples))

    def test_formats(self):
        plain, families = parse(self.metrics())
        text = self.metrics("--format", "openmetrics")
        self.assertTrue(text.endswith("# EOF\n"))
        open_samples, open_families = parse(text)
        self.assertEqual({key for key in plain if key[0] != "roost_fabric_time_seconds"},
                         {key for key in open_samples if key[0] != "roost_fabric_time_seconds"})
        self.assertEqual({name.removesuffix("_total") for name in families}, set(open_families))
        for name, family in open_families.items():
            self.assertIn(family["TYPE"], ("counter", "gauge"))
            self.assertTrue(family["HELP"])
            if "UNIT" in family:
                self.assertTrue(name.endswith(family["UNIT"]))

    def test_promtool_accepts_them(self):
        done = subprocess.run(["promtool", "check", "metrics"], input=self.metrics(), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        # NVIDIA's names are what they are.
        done = subprocess.run(["promtool", "check", "metrics"], input=self.metrics("--names", "nvswitch"), capture_output=True, text=True)
        self.assertEqual({line.partition(" ")[2] for line in (done.stdout + done.stderr).splitlines()},
                         {'counter metrics should have "_total" suffix'})

    def test_names_of_cumulus(self):
        samples, _ = parse(self.metrics("--names", "nvswitch"))
        ours, _ = parse(self.metrics())
        self.assertTrue(all(name.startswith("nvswitch_") for name, _ in samples))
        queue, group = {"tc": "queue", "interface": "port"}, {"pg": "group", "interface": "port"}
        pairs = {"nvswitch_interface_pg_rx_frames": ("roost_group_packets_total", group),
                 "nvswitch_interface_pg_rx_octet": ("roost_group_bytes_total", group),
                 "nvswitch_interface_pg_rx_buffer_discard": ("roost_group_dropped_packets_total", group),
                 "nvswitch_interface_shared_buffer_port_pg_curr_occupancy": ("roost_group_used_bytes", group),
                 "nvswitch_interface_shared_buffer_port_pg_watermark": ("roost_group_used_max_bytes", group),
                 "nvswitch_interface_tc_tx_frames": ("roost_queue_packets_total", queue),
                 "nvswitch_interface_tc_tx_octet": ("roost_queue_bytes_total", queue),
                 "nvswitch_interface_tc_tx_queue": ("roost_queue_depth_bytes", queue),
                 "nvswitch_interface_tc_tx_ecn_marked_tc": ("roost_queue_ecn_marked_packets_total", queue),
                 "nvswitch_interface_tc_tx_wred_discard": ("roost_queue_red_dropped_packets_total", queue),
                 "nvswitch_shared_buffer_pool_curr_occupancy": ("roost_pool_used_bytes", {}),
                 "nvswitch_shared_buffer_pool_watermark": ("roost_pool_used_max_bytes", {})}
        self.assertEqual(set(pairs), {name for name, _ in samples})
        for theirs, (name, labels) in pairs.items():
            values = {tuple(sorted((labels.get(key, key), value) for key, value in key[1])): value
                      for key, value in samples.items() if key[0] == theirs}
            self.assertTrue(values)
            self.assertEqual(values, {key[1]: value for key, value in ours.items() if key[0] == name})

    def test_a_server(self):
        web = Web(self.name)
        self.addCleanup(web.close)
        status, headers, body = web.get("/metrics")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        known, _ = parse(self.metrics())
        self.assertEqual(set(parse(body.decode())[0]), set(known))
        self.assertEqual(web.get("/metrics?names=roost")[0], 200)
        status, _, body = web.get("/metrics?names=cumulus")
        self.assertEqual((status, body), (400, b'{"error":"names: want roost or nvswitch"}'))
        status, headers, body = web.get("/metrics", Accept="application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
        self.assertTrue(headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0"))
        self.assertTrue(body.endswith(b"# EOF\n"))
        self.assertTrue(web.get("/metrics?names=nvswitch")[2].startswith(b"# HELP nvswitch_"))
        only = Web(self.name, command="metrics")
        self.addCleanup(only.close)
        self.assertEqual(only.get("/metrics")[0], 200)
        for path in ("/", "/info", "/live"):
            self.assertEqual(only.get(path)[0], 404)
        self.assertEqual(only.rpc("hosts")[0], 404)


class Prometheus(Shared):
    """Debian's, with the configuration in testbeds/grafana, in a network namespace with nothing but loopback."""
    MAY_BE_ZERO = {"Headroom in use", "Links that are down", "Watchdog", "Workers behind the clock"}     # and are, if all is well

    @classmethod
    def description(cls):
        return congested(cls.name, "1000B")

    def start(self, *words):
        process = subprocess.Popen(["ip", "netns", "exec", self.namespace, *map(str, words)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

        def end():
            process.terminate()
            try:
                process.communicate(timeout=60)
            finally:
                process.kill()
        self.addCleanup(end)
        return process

    def query(self, expression):
        """The samples of an expression: lines of promtool."""
        done = command("ip", "netns", "exec", self.namespace, "promtool", "query", "instant", "http://127.0.0.1:9090", expression,
                       status=None)
        return [line for line in done.out.splitlines() if line] if done.status == 0 else None

    def test_dashboard(self):
        command("promtool", "check", "config", GRAFANA / "prometheus.yml")
        self.namespace = f"roost-prom-{os.getpid()}"
        command("ip", "netns", "add", self.namespace)
        self.addCleanup(command, "ip", "netns", "del", self.namespace)
        command("ip", "-n", self.namespace, "link", "set", "lo", "up")
        self.start(ROOST, "metrics", self.name, "--listen", "127.0.0.1:8080")
        self.start("prometheus", f"--config.file={GRAFANA / 'prometheus.yml'}", f"--storage.tsdb.path={self.directory / 'data'}",
                   "--web.listen-address=127.0.0.1:9090", "--log.level=error")
        rate = "rate(roost_port_tx_bytes_total[1m]) > 0"
        wait_until(lambda: self.query(rate), "Prometheus has scraped twice")
        wait_until(lambda: [line.split(" => ")[1].split(" ")[0] for line in self.query("up") or []] == ["1"], "it is up")
        exist = {re.split(r"[{ ]", line)[0] for line in self.query('{__name__=~"roost_.*"}')}
        typed = set(parse(self.up.command("metrics").out)[1])
        dashboard = json.loads((GRAFANA / "dashboard.json").read_text())
        expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        self.assertGreater(len(expressions), 10)
        known = {metric(*row) for row in rows()} | typed | {"roost_port_dropped_packets_total"}
        for panel in dashboard["panels"]:
            for expression in (target["expr"] for target in panel["targets"]):
                with self.subTest(panel=panel["title"], expression=expression):
                    self.assertLessEqual(set(re.findall(r"roost_\w+", expression)), known)
                    samples = self.query(expression.replace("$__rate_interval", "1m").replace("$node", ".*"))
                    self.assertTrue(samples, "the panel has something to draw")
                    values = [float(re.search(r"=> (\S+) @", sample)[1]) for sample in samples]
                    if panel["title"] not in self.MAY_BE_ZERO:
                        self.assertGreater(max(values), 0)
        self.assertTrue({"roost_port_tx_bytes_total", "roost_fabric_dilation", "roost_link_up"} <= exist)


if __name__ == "__main__":
    unittest.main()
