// SPDX-License-Identifier: BSD-3-Clause
// Events in the order in which they happen.
#include "expect.h"

static void
by_time_and_then_by_place_in_the_file(void **state)
{
	static const struct {
		uint64_t at_us;
		unsigned event;
		bool undo;
	} wanted[] = {{1, 1, false}, {3, 0, false}, {3, 1, true}, {3, 2, false},
		      {3, 3, false}, {5, 3, true},  {9, 4, false}};
	struct config *c = load_good(FABRIC "events:\n"
					    "  - {at: 3us, snapshot: full}\n"
					    "  - {at: 1us, link: h1-leaf1, state: down, for: 2us}\n"
					    "  - {at: 3us, snapshot: full}\n"
					    "  - {at: 3us, link: h2-leaf1, loss: 1%, for: 2us}\n"
					    "  - {at: 9us, link: h1-leaf1, state: up}\n");
	unsigned count;
	struct config_step *steps = config_list_steps(c, &count);

	(void)state;
	assert_non_null(steps);
	assert_int_equal(count, sizeof(wanted) / sizeof(wanted[0]));
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(steps[i].at_ps, wanted[i].at_us * 1000000);
		assert_ptr_equal(steps[i].event, &c->events[wanted[i].event]);
		assert_int_equal(steps[i].undo, wanted[i].undo);
	}
	free(steps);
	config_free(c);
}

static void
none_is_an_empty_list(void **state)
{
	struct config *c = load_good(FABRIC);
	unsigned count = 7;
	struct config_step *steps = config_list_steps(c, &count);

	(void)state;
	assert_non_null(steps);
	assert_int_equal(count, 0);
	free(steps);
	config_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_time_and_then_by_place_in_the_file),
		cmocka_unit_test(none_is_an_empty_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
