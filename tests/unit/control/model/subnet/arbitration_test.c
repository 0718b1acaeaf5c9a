// SPDX-License-Identifier: BSD-3-Clause
// Schedulers and arbitration of switches, as InfiniBand's tables.
#include "control/model/subnet/arbitration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *
write_tables(const struct subnet_arbitration *arbitration, char out[static 200])
{
	const struct config_lane_table *tables[] = {&arbitration->high, &arbitration->low};
	int length = 0;

	for (unsigned t = 0; t < 2; t++)
		for (unsigned i = 0; i <= tables[t]->count; i++)
			length += i < tables[t]->count
					  ? sprintf(out + length, "%u:%u ", tables[t]->lanes[i],
						    tables[t]->weights[i])
					  : sprintf(out + length, "/ ");
	sprintf(out + length, "%u", arbitration->limit);
	return out;
}

static void
test_tables(void **state)
{
	static const struct {
		const char *qos, *of_switch, *of_nic; // high / low / limit
	} cases[] = {
		{"priority-to-tc: {3: 0, 6: 0, default: 0}", "/ 0:255 / 0", "/ 0:1 / 0"},
		{"priority-to-tc: {3: 3, 6: 6, default: 0}, tc: {0: {weight: 50}, 3: {weight: 10}, "
		 "6: {weight: 1, scheduler: dwrr}, 7: {weight: 1000}}",
		 "/ 0:255 3:51 6:5 / 0", "/ 0:1 3:1 6:1 / 0"},
		{"priority-to-tc: {3: 3, 6: 0, default: 0}, tc: {0: {weight: 1000}, 3: {weight: "
		 "1}}",
		 "/ 0:255 3:1 / 0", "/ 0:1 3:1 / 0"},
		{"priority-to-tc: {3: 3, 6: 6, default: 0}, tc: {3: {scheduler: strict}, 6: "
		 "{scheduler: strict}}",
		 "6:255 3:255 / 0:255 / 255", "6:255 3:255 / 0:1 / 255"},
		{"priority-to-tc: {3: 3, 6: 0, default: 0}, tc: {0: {scheduler: strict}, 3: "
		 "{scheduler: dwrr}}, flow-control: credit, credit: {arbitration: {high: \"3:9\", "
		 "low: \"0:1,3:2,0:0\", limit: 4}}",
		 "3:9 / 0:1 3:2 0:0 / 4", "0:255 / 3:1 / 255"},
		{"priority-to-tc: {3: 0, 6: 0, default: 0}, flow-control: credit, credit: "
		 "{arbitration: {low: \"0:1\", limit: unlimited}}",
		 "/ 0:1 / 255", "/ 0:1 / 0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct switch_config settings;
		struct subnet_arbitration arbitration;
		struct diag diag = {0};
		struct config *config;
		char file[800], text[200];

		snprintf(file, sizeof(file),
			 "switch: {name: s, ports: {swp1: {}}, buffer: {cell: 64}, qos: {%s}}\n",
			 cases[i].qos);
		if (config_load_text(&config, file, strlen(file), "s.yaml", &diag) != 0)
			fail_msg("%s", diag_first_error(&diag));
		assert_int_equal(config_switch(config, "s", CONFIG_ROLE_LEAF, &settings), 0);
		subnet_arbitration_of_switch(&arbitration, &settings);
		assert_string_equal(write_tables(&arbitration, text), cases[i].of_switch);
		subnet_arbitration_of_nic(&arbitration, &settings);
		assert_string_equal(write_tables(&arbitration, text), cases[i].of_nic);
		config_free(config);
		diag_free(&diag);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
