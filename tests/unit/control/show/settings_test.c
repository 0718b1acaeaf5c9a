// SPDX-License-Identifier: BSD-3-Clause
#include "control/show/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct read {
	struct config *config;
	struct switch_config settings;
	struct config_marks marks;
};

static void
read_text(struct read *r, const char *text)
{
	struct diag diag = {0};

	if (config_load_text(&r->config, text, strlen(text), "text", &diag) != 0) {
		diag_print(&diag, stderr);
		fail();
	}
	diag_free(&diag);
	assert_int_equal(
		config_switch_marked(r->config, "dut", CONFIG_ROLE_LEAF, &r->settings, &r->marks),
		0);
}

// What the settings of `text` differ in from those of `preset`.
static json_t *
differences(const char *text, const char *preset)
{
	struct read mine = {0}, expected = {0};
	json_t *list, *out;

	read_text(&mine, text);
	read_text(&expected, preset);
	list = settings_list(&mine.settings, &mine.marks, 0, &expected.settings);
	assert_non_null(list);
	out = settings_exceptions(list);
	json_decref(list);
	config_marks_free(&mine.marks);
	config_marks_free(&expected.marks);
	config_free(mine.config);
	config_free(expected.config);
	assert_non_null(out);
	return out;
}

#define SONIC "switch: {name: dut, preset: sonic, ports: {swp1: {}}}"

static void
require(const json_t *exceptions, const char *key, const char *value, const char *preset)
{
	json_t *one = json_object_get(exceptions, key);
	const char *expected = json_string_value(json_object_get(one, "preset"));

	if (one == NULL)
		fail_msg("%s is no exception", key);
	assert_string_equal(json_string_value(json_object_get(one, "value")), value);
	if (preset == NULL)
		assert_null(expected);
	else
		assert_string_equal(expected, preset);
}

static void
test_a_preset_has_no_exceptions(void **state)
{
	json_t *out = differences(SONIC, SONIC);

	(void)state;
	assert_int_equal(json_object_size(out), 0);
	json_decref(out);
	// Writing what the preset says is none either.
	out = differences("switch: {name: dut, preset: sonic, ports: {swp1: {}}, qos: "
			  "{tc: {3: {weight: 15}}}}",
			  SONIC);
	assert_int_equal(json_object_size(out), 0);
	json_decref(out);
}

static void
test_every_kind_of_value(void **state)
{
	json_t *out = differences(
		"switch:\n"
		"  name: dut\n"
		"  preset: sonic\n"
		"  latency: 1500ns\n"
		"  ports: {swp1: {}}\n"
		"  buffer: {cell: 144, pools: {ingress-lossy: {size: 25%, port-alpha: 1/8}},"
		" headroom-pool: {size: 1MB}}\n"
		"  qos:\n"
		"    trust: [pcp]\n"
		"    dscp-to-priority: {26: 3}\n"
		"    priority-to-tc: {6: 5}\n"
		"    pg: {3: {static: 200KB, headroom: 100KB, xon-offset: none}, 0: {alpha: 1/4}}\n"
		"    tc: {0: {scheduler: strict, min-rate: 1G}, 3: {ecn: off}, 4: {red: on}, "
		"5: {fairness: tenant}}\n"
		"    pfc: {refresh: 10us}\n"
		"    remark: {dscp: {3: 26}, pcp: {3: 3}}\n"
		"    trim: {size: 512B, tc: 6, eligible-tc: [1, 2]}\n"
		"    watchdog: {action: forward}\n",
		SONIC);

	(void)state;
	require(out, "latency", "1500ns", "0ps");
	require(out, "buffer.cell", "144", "192");
	require(out, "buffer.pools.ingress-lossy.size", "25%", "0%");
	require(out, "buffer.pools.ingress-lossy.port-alpha", "1/8", "none");
	require(out, "buffer.headroom-pool.size", "1MB", "0B");
	require(out, "qos.trust", "[pcp]", "[dscp]");
	require(out, "qos.dscp-to-priority.26", "3", "1");
	require(out, "qos.priority-to-tc.6", "5", "6");
	require(out, "qos.pg.3.static", "200KB", "alpha 1");
	require(out, "qos.pg.3.headroom", "100KB", "auto");
	require(out, "qos.pg.3.xon-offset", "none", "9216B");
	require(out, "qos.pg.0.alpha", "1/4", "8");
	require(out, "qos.tc.0.scheduler", "strict", "dwrr");
	require(out, "qos.tc.0.min-rate", "1G", "none");
	require(out, "qos.tc.3.ecn", "off", "on");
	require(out, "qos.tc.4.red", "on", "off");
	require(out, "qos.tc.5.fairness", "tenant", "none");
	require(out, "qos.pfc.refresh", "10us", "auto");
	require(out, "qos.remark.dscp.3", "26", NULL);
	require(out, "qos.remark.pcp.3", "3", NULL);
	require(out, "qos.trim", "on", "off");
	require(out, "qos.trim.size", "512B", NULL);
	require(out, "qos.trim.tc", "6", NULL);
	require(out, "qos.trim.eligible-tc", "[1, 2]", NULL);
	require(out, "qos.watchdog", "on", "off");
	require(out, "qos.watchdog.action", "forward", NULL);
	// What trimming takes where nothing is written is no exception.
	assert_int_equal(json_object_size(out), 26);
	json_decref(out);
}

// What a map does not list comes from where the map does, as does what is routed.
static void
test_where_values_come_from(void **state)
{
	static const struct {
		const char *key, *value, *origin, *where;
	} want[] = {
		{"qos.priority-to-pg.0", "0", "preset", NULL},
		{"qos.priority-to-pg.1", "0", "preset", NULL},
		{"qos.priority-to-pg.3", "3", "preset", NULL},
		{"qos.dscp-to-priority.1", "5", "overridden", "line 4"},
		{"qos.dscp-to-priority.3", "3", "preset", NULL},
		{"qos.pfc.quanta", "65535", "default", NULL},
		{"routing.mode", "adaptive", "overridden", "line 5"},
		{"routing.grades", "[1KB, 2KB]", "overridden", "line 5"},
		{"routing.hash-seed", "auto", "default", NULL},
		{"routing.eligible.udp-dport", "any", "overridden", "line 5"},
		{"routing.eligible.opcodes", "data", "default", NULL},
	};
	struct read mine = {0}, expected = {0};
	json_t *list;

	(void)state;
	read_text(&mine,
		  "switch:\n"
		  "  name: dut\n"
		  "  preset: sonic\n"
		  "  qos: {dscp-to-priority: {default: 5}}\n"
		  "  routing: {mode: adaptive, grades: [1KB, 2KB], eligible: {udp-dport: any}}\n"
		  "  ports: {swp1: {}}\n");
	read_text(&expected, SONIC);
	list = settings_list(&mine.settings, &mine.marks, 0, &expected.settings);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const json_t *one = json_object_get(list, want[i].key);
		const char *where = json_string_value(json_object_get(one, "where"));

		if (one == NULL)
			fail_msg("there is no %s", want[i].key);
		assert_string_equal(json_string_value(json_object_get(one, "value")),
				    want[i].value);
		assert_string_equal(json_string_value(json_object_get(one, "origin")),
				    want[i].origin);
		if (want[i].where != NULL)
			assert_string_equal(where, want[i].where);
	}
	json_decref(list);
	config_marks_free(&mine.marks);
	config_marks_free(&expected.marks);
	config_free(mine.config);
	config_free(expected.config);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_preset_has_no_exceptions),
		cmocka_unit_test(test_every_kind_of_value),
		cmocka_unit_test(test_where_values_come_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
