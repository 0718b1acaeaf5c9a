// SPDX-License-Identifier: BSD-3-Clause
#include "captured.h"

#include <jansson.h>

static char path[] = "/tmp/roost-where-XXXXXX";

static int
setup(void **state)
{
	static const char fabric[] =
		"fabric:\n"
		"  name: demo\n"
		"  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 4}\n"
		"  links:\n"
		"    host:   {rate: 100G, delay: 500ns}\n"
		"    fabric: {rate: 100G, delay: 500ns}\n"
		"tenants:\n"
		"  red: {hosts: [h1, h6]}\n";
	int fd = mkstemp(path);

	(void)state;
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
	assert_int_equal(c.status, CLI_OK);
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
	assert_int_equal(c.status, CLI_OK);
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
				     "spines: 2, supers: 2, hosts_per_leaf: 4, planes: 2}\n";
	char file[] = "/tmp/roost-where-XXXXXX", line[128];
	int fd = mkstemp(file);
	struct captured c;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, fabric, strlen(fabric)), strlen(fabric));
	close(fd);
	snprintf(line, sizeof(line), "roost where 10.34.1.3 %s", file);
	c = captured_run(line);
	assert_int_equal(c.status, CLI_OK);
	assert_non_null(strstr(c.out, "plane        1\npod          2\nleaf         1\n"));
	assert_non_null(strstr(c.out, "host         h19\nhost_port    eth2\n"));
	assert_non_null(strstr(c.out, "switch_port  p2-leaf5.swp3\n"));
	assert_non_null(strstr(c.out, "ip6          fd00::1:2:1:3\n"));
	snprintf(line, sizeof(line), "roost where 10.34.3.3 %s", file); // leaf 3 of the pod
	assert_int_equal(captured_run(line).status, CLI_FAILED);
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
	assert_int_equal(c.status, CLI_FAILED);
	assert_string_equal(c.out, "");
	assert_non_null(strstr(c.err, "nobody is at 10.0.9.9 in this fabric"));
	c = captured_run("roost where 192.0.2.1");
	assert_int_equal(c.status, CLI_FAILED);
	assert_non_null(strstr(c.err, "no host can have 192.0.2.1"));
}

static void
test_wrong_usage(void **state)
{
	struct captured c;

	(void)state;
	assert_int_equal(captured_run("roost where").status, CLI_USAGE);
	assert_int_equal(captured_run("roost where 10.0.0.1 a b").status, CLI_USAGE);
	assert_int_equal(captured_run("roost where 10.0.0.1 -o xml").status, CLI_USAGE);
	c = captured_run("roost where leaf1");
	assert_int_equal(c.status, CLI_USAGE);
	assert_non_null(strstr(c.err, "leaf1 is neither an IPv4, an IPv6 nor a MAC address"));
	c = captured_run("roost where 10.0.1.1 /nowhere.yaml");
	assert_int_equal(c.status, CLI_USAGE);
	assert_non_null(strstr(c.err, "/nowhere.yaml"));
	c = captured_run("roost where --jsn 10.0.1.1");
	assert_int_equal(c.status, CLI_USAGE);
	assert_non_null(strstr(c.err, "roost where: "));
	assert_non_null(strstr(c.err, "roost where --help tells how\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_place_of_an_address),
		cmocka_unit_test(test_the_host_in_a_file),
		cmocka_unit_test(test_planes_and_pods),
		cmocka_unit_test(test_addresses_of_nobody),
		cmocka_unit_test(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
