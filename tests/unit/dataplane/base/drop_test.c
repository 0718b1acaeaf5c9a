// SPDX-License-Identifier: BSD-3-Clause
// What users see of drop reasons. Each name is the identifier's, so that a counter, the code that
// counts it and the documentation are found by one word.
#include "dataplane/base/drop.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const identifiers[DROP_COUNT] = {
#define X(id, name, advice) [DROP_##id] = #id,
	DROP_REASONS(X)
#undef X
};

static void
test_names(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < DROP_COUNT; i++) {
		const char *name = drop_name(i);

		assert_int_equal(strlen(name), strlen(identifiers[i]));
		for (size_t k = 0; name[k] != '\0'; k++)
			assert_int_equal(name[k] == '-' ? '_' : toupper(name[k]),
					 identifiers[i][k]);
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(name, drop_name(k));
	}
}

// One line each that says more than the name, and not what another one says.
static void
test_advice(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < DROP_COUNT; i++) {
		const char *advice = drop_advice(i);

		assert_true(strlen(advice) > strlen(drop_name(i)));
		assert_true(strlen(advice) <= 100);
		assert_null(strchr(advice, '\n'));
		assert_false(isspace(advice[0]) || isspace(advice[strlen(advice) - 1]));
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(advice, drop_advice(k));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
