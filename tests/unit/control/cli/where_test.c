// SPDX-License-Identifier: BSD-3-Clause
#include "captured.h"

#include <jansson.h>
#include <sched.h>
#include <sys/mount.h>

static char path[] = "/tmp/roost-where-XXXXXX";

static int
setup(void **state)
{
	static const char fabric[] =
		"fabric:\n"
		"  name: demo\n"
		"  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}\n"
		"  links:\n"
		"    host:   {rate: 100G, delay: 500ns}\n"
		"    fabric: {rate: 100G, delay: 500ns}\n"
		"tenants:\n"
		"  red: {hosts: [h1, h6]}\n";
	int fd = mkstemp(path);

	(void)state;
	// Fabrics of this machine are not meant.
	assert_int_equal(unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS), 0);
	assert_int_equal(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	assert_int_equal(mount("none", "/run", "tmpfs", 0, NULL), 0);
	unsetenv("ROOST_FABRIC");
	assert_true(fd >= 0);
	assert_int_equal(write(fd, fabric, strlen(fabric)), strlen(fabric));
	close(fd);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void
test_the_place_of_an_address(void **state)
{
	struct captured c;

	(void)state;
	c = captured_run("roost where 10.1.3.7");
	assert_int_equal(c.status, EXIT_OK);
	assert_string_equal(c.err, "");
	assert_string_equal(
		c.out, "address      10.1.3.7\nplane        0\npod          1\nleaf         3\n"
		       "port         7\n");
	assert_string_equal(captured_run("roost where fd00::0:1:3:7").out +
				    strlen("address      fd00::0:1:3:7"),
			    "\nplane        0\npod          1\nleaf         3\nport         7\n");
	assert_non_null(
		strstr(captured_run("roost where 02:00:0a:01:03:07").out, "leaf         3\n"));
}

static void
test_the_host_in_a_file(void **state)
{
	char line[128];
	struct captured c;
	json_t *json;

	(void)state;
	snprintf(line, sizeof(line), "roost where 10.0.2.2 %s -o json", path);
	c = captured_run(line);
	assert_int_equal(c.status, EXIT_OK);
	json = json_loads(c.out, 0, NULL);
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "host")), "h6");
	assert_string_equal(json_string_value(json_object_get(json, "host_port")), "eth1");
	assert_string_equal(json_string_value(json_object_get(json, "switch_port")), "leaf2.swp2");
	assert_string_equal(json_string_value(json_object_get(json, "ip4")), "10.0.2.2");
	assert_string_equal(json_string_value(json_object_get(json, "mac")), "02:00:0a:00:02:02");
	assert_string_equal(json_string_value(json_object_get(json, "vrf")), "red");
	assert_string_equal(json_string_value(json_object_get(json, "tenant")), "red");
	json_decref(json);
	snprintf(line, sizeof(line), "roost where 10.0.1.2 %s", path);
	c = captured_run(line);
	assert_non_null(strstr(c.out, "host         h2\n"));
	assert_non_null(strstr(c.out, "vrf          rest\ntenant       rest\n"));
}

// Plane, pod and NIC of a fabric that has them.
static void
test_planes_and_pods(void **state)
{
	static const char fabric[] = "fabric:\n  topology: {kind: clos3, pods: 3, leaves: 2, "
				     "spines: 2, super-spines: 2, hosts-per-leaf: 4, planes: 2}\n";
	char file[] = "/tmp/roost-where-XXXXXX", line[128];
	int fd = mkstemp(file);
	struct captured c;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, fabric, strlen(fabric)), strlen(fabric));
	close(fd);
	snprintf(line, sizeof(line), "roost where 10.34.1.3 %s", file);
	c = captured_run(line);
	assert_int_equal(c.status, EXIT_OK);
	assert_non_null(strstr(c.out, "plane        1\npod          2\nleaf         1\n"));
	assert_non_null(strstr(c.out, "host         h19\nhost_port    eth2\n"));
	assert_non_null(strstr(c.out, "switch_port  p2-leaf5.swp3\n"));
	assert_non_null(strstr(c.out, "ip6          fd00::1:2:1:3\n"));
	snprintf(line, sizeof(line), "roost where 10.34.3.3 %s", file); // leaf 3 of the pod
	assert_int_equal(captured_run(line).status, EXIT_FAILED);
	unlink(file);
}

// What answers for a switch, with and without a file.
static void
test_switches(void **state)
{
	static const struct {
		const char *address, *alone, *in_file;
	} wanted[] = {
		{"172.17.0.2",
		 "kind         loopback\nplane        0\npod          0\nspine        2\n",
		 "switch       spine2\nloopback4    172.17.0.2\nloopback6    fd00::2:0:0:2:0\n"
		 "router_mac   02:02:00:00:03:00\n"},
		{"fd00::1:0:0:1:0",
		 "kind         loopback\nplane        0\npod          0\nleaf         1\n",
		 "switch       leaf1\n"},
		{"fe80::100:0:2:6",
		 "kind         link-local\nplane        0\npod          0\nleaf         2\n"
		 "port         6\n",
		 "switch       leaf2\nswitch_port  leaf2.swp6\n"},
		{"02:02:00:00:01:00", "kind         router\nnode         1\n",
		 "switch       leaf2\nloopback4    172.16.0.2\n"},
		{"02:01:00:00:02:01", "kind         switch-port\nnode         2\nport         1\n",
		 "switch       spine1\nswitch_port  spine1.swp1\n"},
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		snprintf(line, sizeof(line), "roost where %s", wanted[i].address);
		assert_non_null(strstr(captured_run(line).out, wanted[i].alone));
		snprintf(line, sizeof(line), "roost where %s %s", wanted[i].address, path);
		assert_non_null(strstr(captured_run(line).out, wanted[i].alone));
		assert_non_null(strstr(captured_run(line).out, wanted[i].in_file));
	}
}

// Addresses that tenants give: of one host, of two, of a host and a switch, of a host elsewhere.
static void
test_addresses_of_tenants(void **state)
{
	static const char fabric[] =
		"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 4}}\n"
		"tenants:\n"
		"  red: {hosts: [h1, h2, h7], vni: 1, addresses: {h1: 172.16.0.1, h2: 9.9.9.9, "
		"h7: 10.0.1.4}}\n"
		"  blue: {hosts: [h3, h4], vni: 2, addresses: {h3: 9.9.9.9, h4: 7.7.7.7}}\n";
	char file[] = "/tmp/roost-where-XXXXXX", line[128];
	int fd = mkstemp(file);
	json_t *json;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, fabric, strlen(fabric)), strlen(fabric));
	close(fd);
	snprintf(line, sizeof(line), "roost where 7.7.7.7 %s", file);
	assert_non_null(strstr(captured_run(line).out, "address      7.7.7.7\nhost         h4\n"));
	snprintf(line, sizeof(line), "roost where 9.9.9.9 %s -o json", file);
	json = json_loads(captured_run(line).out, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(json, "hosts")), 2);
	assert_null(json_object_get(json, "host"));
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(json_object_get(json, "hosts"), 1), "tenant")),
			    "blue");
	json_decref(json);
	snprintf(line, sizeof(line), "roost where 172.16.0.1 %s", file);
	assert_non_null(strstr(captured_run(line).out, "switch       leaf1\n"));
	assert_non_null(strstr(captured_run(line).out, "\n\nhost         h1\n"));
	// h4's place is h7's address: the place is not told as h7's.
	snprintf(line, sizeof(line), "roost where 10.0.1.4 %s", file);
	assert_non_null(strstr(captured_run(line).out, "port         4\n\nhost         h7\n"));
	// Nobody has the address of h1's place: its host is told, and what it has.
	snprintf(line, sizeof(line), "roost where 10.0.1.1 %s", file);
	assert_non_null(strstr(captured_run(line).out, "host         h1\n"));
	assert_non_null(strstr(captured_run(line).out, "ip4          172.16.0.1\n"));
	unlink(file);
}

static void
test_addresses_of_nobody(void **state)
{
	char line[128];
	struct captured c;

	(void)state;
	snprintf(line, sizeof(line), "roost where 10.0.9.9 %s", path);
	c = captured_run(line);
	assert_int_equal(c.status, EXIT_FAILED);
	assert_string_equal(c.out, "");
	assert_non_null(strstr(c.err, "no host or switch has 10.0.9.9"));
	c = captured_run("roost where 192.0.2.1");
	assert_int_equal(c.status, EXIT_FAILED);
	assert_non_null(strstr(c.err, "192.0.2.1 is outside the address plan"));
	snprintf(line, sizeof(line), "roost where 172.16.0.3 %s", path);
	assert_non_null(strstr(captured_run(line).err, "no host or switch has 172.16.0.3"));
	snprintf(line, sizeof(line), "roost where fe80::200:0:1:3 %s", path); // spine1 has 2 ports
	assert_non_null(strstr(captured_run(line).err, "no host or switch has fe80::200:0:1:3"));
	snprintf(line, sizeof(line), "roost where 02:01:ff:ff:ff:01 %s", path);
	assert_int_equal(captured_run(line).status, EXIT_FAILED);
}

static void
test_wrong_usage(void **state)
{
	struct captured c;

	(void)state;
	assert_int_equal(captured_run("roost where").status, EXIT_USAGE);
	assert_int_equal(captured_run("roost where 10.0.0.1 a b").status, EXIT_USAGE);
	assert_int_equal(captured_run("roost where 10.0.0.1 -o xml").status, EXIT_USAGE);
	c = captured_run("roost where leaf1");
	assert_int_equal(c.status, EXIT_FAILED);
	assert_non_null(strstr(c.err, "is up: "));
	c = captured_run("roost where 10.0.1.1 /nowhere.yaml");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_non_null(strstr(c.err, "/nowhere.yaml"));
	c = captured_run("roost where --jsn 10.0.1.1");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_non_null(strstr(c.err, "roost where: "));
	assert_non_null(strstr(c.err, "`roost where --help` shows the usage\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_place_of_an_address),
		cmocka_unit_test(test_the_host_in_a_file),
		cmocka_unit_test(test_planes_and_pods),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_addresses_of_tenants),
		cmocka_unit_test(test_addresses_of_nobody),
		cmocka_unit_test(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
