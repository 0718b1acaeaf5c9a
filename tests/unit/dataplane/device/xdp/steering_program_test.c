// SPDX-License-Identifier: BSD-3-Clause
// Which program is taken for ours.
#include "dataplane/device/xdp/steering_program.h"

#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct steering_program ours = {
	.id = 7,
	.name = STEER_PROGRAM,
	.maps =
		{
			{STEER_LOCAL6, 14, BPF_MAP_TYPE_HASH, 16, 1, STEER_ADDRESSES},
			{STEER_XSKS, 11, BPF_MAP_TYPE_XSKMAP, 4, 4, STEER_QUEUES},
			{STEER_LOCAL4, 13, BPF_MAP_TYPE_HASH, 4, 1, STEER_ADDRESSES},
			{STEER_COUNTERS, 12, BPF_MAP_TYPE_PERCPU_ARRAY, 4,
			 sizeof(struct steer_count), STEER_CLASSES},
			{STEER_SETTINGS, 16, BPF_MAP_TYPE_ARRAY, 4, 4, 1},
			{STEER_HELD, 17, BPF_MAP_TYPE_HASH, sizeof(struct steer_endpoints), 1,
			 STEER_HELD_MAX},
		},
	.map_count = 6,
};

static void
refuse(const struct steering_program *program, const char *expected)
{
	char why[128] = "";

	assert_false(steering_is_ours(program, why, sizeof(why)));
	assert_string_equal(why, expected);
}

static void
the_one_that_was_built_is_ours(void **state)
{
	struct steering_program more = ours;
	char why[128];

	(void)state;
	assert_true(steering_is_ours(&ours, why, sizeof(why)));
	// libbpf adds maps of its own.
	more.maps[more.map_count++] =
		(struct steering_map){"steer.rodata", 15, BPF_MAP_TYPE_ARRAY, 4, 8, 1};
	more.generic = true;
	assert_true(steering_is_ours(&more, why, sizeof(why)));
}

static void
none_and_others_are_not(void **state)
{
	struct steering_program other = {0};

	(void)state;
	refuse(&other, "no XDP program");
	other = ours;
	snprintf(other.name, sizeof(other.name), "xsk_def_prog");
	refuse(&other, "XDP program 7, \"xsk_def_prog\"");
	snprintf(other.name, sizeof(other.name), "roost_steering");
	refuse(&other, "XDP program 7, \"roost_steering\"");
}

// Of each map everything is looked at.
static void
one_of_another_version_is_not(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ours.map_count; i++) {
		struct steering_program other = ours;
		char expected[128];

		snprintf(expected, sizeof(expected),
			 "XDP program 7, a roost_steer of another version (%s)", ours.maps[i].name);
		other.maps[i].type = BPF_MAP_TYPE_LRU_HASH;
		refuse(&other, expected);
		other = ours;
		other.maps[i].key_bytes++;
		refuse(&other, expected);
		other = ours;
		other.maps[i].value_bytes++;
		refuse(&other, expected);
		other = ours;
		other.maps[i].entries--;
		refuse(&other, expected);
		other = ours;
		other.maps[i].name[0] = 'z';
		refuse(&other, expected);
	}
}

static void
maps_are_found_by_name(void **state)
{
	(void)state;
	assert_int_equal(steering_find_map(&ours, STEER_COUNTERS)->id, 12);
	assert_null(steering_find_map(&ours, "steer"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_one_that_was_built_is_ours),
		cmocka_unit_test(none_and_others_are_not),
		cmocka_unit_test(one_of_another_version_is_not),
		cmocka_unit_test(maps_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
