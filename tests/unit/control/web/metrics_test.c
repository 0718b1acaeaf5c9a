// SPDX-License-Identifier: BSD-3-Clause
#include "control/web/metrics.h"

#include "control/base/memory.h"
#include "control/fabric/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_MAX (1 << 20)

static const char counters_text[] = "{\"time_ns\": 1500000000, \"nodes\": {"
				    "\"leaf1\": {\"ports\": {\"swp1\": {\"rx_packets\": 7, "
				    "\"pfc_rx_pause_ns\": {\"3\": 1000000001},"
				    "  \"queue\": {\"3\": {\"depth\": 960, \"paused\": 1}}, "
				    "\"drops\": {\"no-route\": 2}}, \"swp2\": {}},"
				    " \"packets\": {\"small\": {\"used\": 5}}},"
				    "\"sp\\\"1\": {\"ports\": {\"swp1\": {\"reorder_held\": 1}}}}}";
static const char fabric_text[] = "{\"name\": \"a\\\\b\", \"dilation\": 20, \"links\": [{\"a\": "
				  "\"leaf1.swp1\", \"b\": \"sp1.swp1\","
				  " \"rate_bps\": 100000000000, \"state\": \"down\"}], "
				  "\"workers\": [{\"lag_ns\": 5, \"slips\": 2}]}";

// The text, read in pieces of this size. For free().
static char *
made(struct metrics_form form, size_t piece)
{
	struct metrics *m = metrics_create(json_loads(counters_text, 0, NULL),
					   json_loads(fabric_text, 0, NULL), form);
	char *text = memory_array(TEXT_MAX, 1, "bytes");
	size_t length = 0, got;

	while ((got = metrics_read(m, text + length, piece)) != 0)
		length += got;
	metrics_destroy(m);
	return text;
}

static void
require_lines(const char *text, const char *const *lines)
{
	for (; *lines != NULL; lines++)
		if (strstr(text, *lines) == NULL)
			fail_msg("missing: %s", *lines);
}

static void
values_have_names_units_and_labels(void **state)
{
	static const char *const lines[] = {
		"# HELP roost_port_rx_packets_total frames that arrived, PFC frames included\n"
		"# TYPE roost_port_rx_packets_total counter\n"
		"roost_port_rx_packets_total{node=\"leaf1\",port=\"swp1\"} 7\n"
		"roost_port_rx_packets_total{node=\"leaf1\",port=\"swp2\"} 0\n"
		"roost_port_rx_packets_total{node=\"sp\\\"1\",port=\"swp1\"} 0\n",
		"\nroost_priority_pfc_rx_pause_seconds_total{node=\"leaf1\",port=\"swp1\",priority="
		"\"3\"} 1.000000001\n",
		// What else the priority has, but not when something last happened, as nothing did.
		"\nroost_priority_pfc_rx_frames_total{node=\"leaf1\",port=\"swp1\",priority=\"3\"} "
		"0\n",
		"\nroost_queue_depth_bytes{node=\"leaf1\",port=\"swp1\",queue=\"3\"} 960\n",
		"\nroost_queue_paused{node=\"leaf1\",port=\"swp1\",queue=\"3\"} 1\n",
		"\nroost_memory_used_packets{node=\"leaf1\",kind=\"small\"} 5\n",
		"\nroost_port_reorder_held_packets_total{node=\"sp\\\"1\",port=\"swp1\"} 1\n",
		"\nroost_port_dropped_packets_total{node=\"leaf1\",port=\"swp1\",reason=\"no-"
		"route\"} 2\n",
		"\nroost_fabric_info{fabric=\"a\\\\b\",version=",
		"\nroost_fabric_time_seconds 1.500000000\n",
		"\nroost_fabric_dilation 20\n",
		"\nroost_link_up{a=\"leaf1.swp1\",b=\"sp1.swp1\"} 0\n",
		"\nroost_link_speed_bytes{a=\"leaf1.swp1\",b=\"sp1.swp1\"} 12500000000\n",
		"\nroost_worker_lag_seconds{worker=\"0\"} 0.000000005\n",
		"\nroost_worker_slips_total{worker=\"0\"} 2\n",
		NULL,
	};
	const struct metrics_form form = {0};
	char *text = made(form, 8192);

	(void)state;
	require_lines(text, lines);
	assert_null(strstr(text, "queue=\"2\""));
	assert_null(strstr(text, "last_start"));
	assert_null(strstr(text, "roost_memory_most"));
	assert_null(strstr(text, "reorder_held_packets_total{node=\"leaf1\""));
	assert_null(strstr(text, "EOF"));
	free(text);
}

static void
pieces_make_the_same_text(void **state)
{
	const struct metrics_form form = {.openmetrics = true};
	char *text = made(form, 8192), *same = made(form, 7);
	size_t length = strlen(text);

	(void)state;
	assert_string_equal(text, same);
	assert_string_equal(text + length - 6, "# EOF\n");
	free(text);
	free(same);
}

static void
openmetrics_names_families_without_their_ending(void **state)
{
	static const char *const lines[] = {
		"\n# TYPE roost_priority_pfc_rx_pause_seconds counter\n"
		"# UNIT roost_priority_pfc_rx_pause_seconds seconds\n"
		"roost_priority_pfc_rx_pause_seconds_total{",
		"\n# TYPE roost_queue_paused gauge\nroost_queue_paused{", NULL};
	const struct metrics_form form = {.openmetrics = true};
	char *text = made(form, 8192);

	(void)state;
	require_lines(text, lines);
	free(text);
}

static void
names_of_cumulus(void **state)
{
	static const char *const lines[] = {
		"\nnvswitch_interface_tc_tx_queue{node=\"leaf1\",interface=\"swp1\",tc=\"3\"} "
		"960\n",
		"# TYPE nvswitch_interface_tc_tx_frames counter\nnvswitch_interface_tc_tx_frames{",
		NULL};
	const struct metrics_form form = {.nvswitch = true};
	char *text = made(form, 8192);

	(void)state;
	require_lines(text, lines);
	assert_null(strstr(text, "roost_"));
	free(text);
}

// Every name is that of one counter, in either form, and each name of Cumulus is found.
static void
names_are_unique(void **state)
{
	const struct metrics_form forms[] = {{0}, {.nvswitch = true}};
	size_t count, found[2] = {0};
	const struct counter *rows = counter_rows(&count);

	(void)state;
	for (size_t f = 0; f < 2; f++)
		for (size_t i = 0; i < count; i++) {
			char name[128], other[128];
			const char *mine = metrics_name(&rows[i], forms[f], name, sizeof(name));

			found[f] += mine != NULL;
			for (size_t k = 0; mine != NULL && k < i; k++) {
				const char *theirs =
					metrics_name(&rows[k], forms[f], other, sizeof(other));

				if (theirs != NULL && strcmp(mine, theirs) == 0)
					fail_msg("%s is two counters", mine);
			}
		}
	assert_int_equal(found[0], count);
	assert_int_equal(found[1], 12);
}

static void
an_answer_of_any_shape_is_taken(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{\"nodes\": 7}",
		"{\"nodes\": {\"a\": 7}}",
		"{\"nodes\": {\"a\": {\"ports\": []}}}",
		"{\"nodes\": {\"a\": {\"ports\": {\"p\": [1]}, \"pools\": {\"x\": 3}}}}",
		"{\"nodes\": {\"a\": {\"ports\": {\"p\": {\"queue\": 3, \"drops\": [2]}}}}}",
		"{\"nodes\": {\"a\": {\"ports\": {\"p\": {\"pfc_rx\": \"x\"}}}}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct metrics_form form = {0};
		struct metrics *m = metrics_create(json_loads(texts[i], 0, NULL), NULL, form);
		char block[512];

		while (metrics_read(m, block, sizeof(block)) != 0)
			;
		metrics_destroy(m);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_have_names_units_and_labels),
		cmocka_unit_test(pieces_make_the_same_text),
		cmocka_unit_test(openmetrics_names_families_without_their_ending),
		cmocka_unit_test(names_of_cumulus),
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(an_answer_of_any_shape_is_taken),
	};

	memory_use_for_json();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
