// SPDX-License-Identifier: BSD-3-Clause
// Values of keys that replace those of a file.
#include "control/config/config.h"

#include "control/base/diag.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/roost-replace-test-XXXXXX";
static char value_path[] = "@/tmp/roost-replace-value-XXXXXX"; // as the value of a key

static const char text[] =
	"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n"
	"switch: {preset: spectrum-x, routing: {mode: ecmp}}\n"
	"hosts:\n"
	"workload:\n"
	"  - {name: storm, kind: incast, to: h1, from: [h3, h4], size: 1MB}\n"
	"  - {name: \"0\", kind: flow, from: h1, to: h3, size: 2MB}\n";

static void
replaces_and_adds(void **state)
{
	static const struct config_replacement all[] = {
		{"spines", "4"},                     // fabric.topology
		{"topology.leaves", "3"},            // fabric
		{"fabric.seed", "7"},                // new, by its path
		{"routing.mode", "adaptive"},        // switch
		{"leaf1.routing.mode", "spray"},     // a section that the file does not have
		{"congestion", "none"},              // hosts, which the file leaves empty
		{"workload.storm.from", "[h3]"},     // an item by its name, and a list
		{"workload.1.size", "3MB"},          // by its number
		{"workload.0.size", "4MB"},          // a name comes first
		{"switch.qos.tc.3.weight", "\"5\""}, // quoted
	};
	struct switch_config leaf1, leaf2;
	struct host_config host;
	struct diag diag = {0};
	struct config *c;

	(void)state;
	assert_int_equal(config_load_replaced(&c, path, all, sizeof(all) / sizeof(all[0]), &diag),
			 0);
	assert_int_equal(c->fabric.spines, 4);
	assert_int_equal(c->fabric.leaves, 3);
	assert_int_equal(c->fabric.seed, 7);
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &leaf1), 0);
	assert_int_equal(config_switch(c, "leaf2", CONFIG_ROLE_LEAF, &leaf2), 0);
	assert_int_equal(config_host(c, "h1", &host), 0);
	assert_int_equal(leaf1.routing.mode, GROUP_SPRAY);
	assert_int_equal(leaf2.routing.mode, GROUP_ADAPTIVE);
	assert_int_equal(leaf2.classes[3].weight, 5);
	assert_int_equal(host.congestion, CONGESTION_NONE);
	assert_int_equal(c->work_count, 2);
	assert_int_equal(c->workload[0].size_bytes, 1000000);
	assert_int_equal(c->workload[1].size_bytes, 4000000);
	config_free(c);
	diag_free(&diag);
}

static void
says_what_is_wrong(void **state)
{
	static const struct {
		struct config_replacement wrong;
		const char *why;
	} cases[] = {
		{{"", "1"}, "is no key, such as switch.routing.mode"},
		{{"spinez", "1"}, "spinez: unknown key, and no node's name"},
		{{"spines", ""}, "spines: a value is missing"},
		{{"spines", "many"}, "fabric.topology.spines: \"many\" is not a"},
		{{"spines.x", "1"}, "the file has a word in its place, where this needs a map"},
		{{"workload.none.size", "1MB"},
		 "there is no item none in this list: there are 2, from 0"},
		{{"workload.2.size", "1MB"}, "there is no item 2 in this list"},
		{{"workload.storm.sise", "1MB"}, "workload[0].sise: unknown key"},
		{{"hosts", "[a, "}, "hosts: "},
		{{"hosts.qps", "[1]"}, ": hosts.qps: expected one value, found a list"},
		{{"leaf9.routing.mode", "ecmp"}, "leaf9"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct diag diag = {0};
		struct config *c;

		assert_int_equal(config_load_replaced(&c, path, &cases[i].wrong, 1, &diag),
				 -EINVAL);
		assert_null(c);
		if (strstr(diag_first_error(&diag), cases[i].why) == NULL)
			fail_msg("%s: not about \"%s\"", diag_first_error(&diag), cases[i].why);
		diag_free(&diag);
	}
}

static void
write_value(const char *value)
{
	FILE *file = fopen(value_path + 1, "w");

	assert_non_null(file);
	fputs(value, file);
	fclose(file);
}

// A value from a file; what is wrong in it has that file's name, line and column.
static void
takes_a_value_from_a_file(void **state)
{
	static const struct config_replacement all[] = {{"workload", value_path},
							{"workload.storm.size", "3MB"}};
	static const struct {
		const char *value, *why;
	} cases[] = {
		{"- {name: storm, kind: incast, to: h1, from: [h3], size: 1MB}\n"
		 "- {kind: flow, from: h1, to: h2, size: many}\n",
		 ":2:40: workload[1].size: "},
		{"- kind: flow\n  sise: 1MB\n", ":2:3: workload[0].sise: unknown key"},
		{"- [\n", ":2:1: "},
		{"", ":1:1: the file is empty"},
	};
	struct diag diag = {0};
	struct config *c;

	(void)state;
	write_value("- name: storm\n  kind: incast\n  to: h1\n  from: [h3]\n  size: 1MB\n");
	assert_int_equal(config_load_replaced(&c, path, all, 2, &diag), 0);
	assert_int_equal(c->work_count, 1);
	assert_int_equal(c->workload[0].size_bytes, 3000000);
	config_free(c);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char want[128];

		write_value(cases[i].value);
		assert_int_equal(config_load_replaced(&c, path, all, 1, &diag), -EINVAL);
		snprintf(want, sizeof(want), "%s%s", value_path + 1, cases[i].why);
		if (strncmp(diag_first_error(&diag), want, strlen(want)) != 0)
			fail_msg("%s: not \"%s\"", diag_first_error(&diag), want);
		diag_free(&diag);
		diag = (struct diag){0};
	}
	assert_int_equal(unlink(value_path + 1), 0);
	assert_int_equal(config_load_replaced(&c, path, all, 1, &diag), -EINVAL);
	assert_non_null(strstr(diag_first_error(&diag),
			       "the file with the value cannot be read: No such file"));
	assert_non_null(strstr(diag_first_error(&diag), ": workload: "));
	diag_free(&diag);
}

static void
leaves_the_file_alone(void **state)
{
	struct diag diag = {0};
	struct config *c;

	(void)state;
	assert_int_equal(config_load(&c, path, &diag), 0);
	assert_int_equal(c->fabric.spines, 2);
	config_free(c);
	diag_free(&diag);
}

static int
start(void **state)
{
	int fd = mkstemp(path), value = mkstemp(value_path + 1);

	(void)state;
	if (value < 0 || close(value) != 0)
		return -1;
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return -1;
	return close(fd);
}

static int
stop(void **state)
{
	(void)state;
	unlink(value_path + 1); // it is gone, unless its test has failed
	return unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaces_and_adds),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(takes_a_value_from_a_file),
		cmocka_unit_test(leaves_the_file_alone),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
