// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static const char *const words[] = {"leaves", "spines", "hosts-per-leaf", "planes", "pfc", "ecn"};

static const char *
suggest(const char *word)
{
	return config_suggest(word, words, sizeof(words) / sizeof(words[0]));
}

static void
near_words_are_suggested(void **state)
{
	(void)state;
	assert_string_equal(suggest("leafs"), "leaves");
	assert_string_equal(suggest("spine"), "spines");
	assert_string_equal(suggest("pslines"), "spines");
	assert_string_equal(suggest("hosts-per-leaf"), "hosts-per-leaf");
	assert_string_equal(suggest("PLANES"), "planes");
	assert_string_equal(suggest("pcf"), "pfc");
	assert_string_equal(suggest("ecn-profile"), "ecn");
	assert_string_equal(suggest("Host"), "hosts-per-leaf");
	assert_string_equal(config_suggest("supers", (const char *[]){"super-spines"}, 1),
			    "super-spines");
}

static void
far_words_are_not(void **state)
{
	static const char long_word[] = "spinesspinesspinesspinesspinesspinesspinesspinesspines";

	(void)state;
	assert_null(suggest("workload"));
	assert_null(suggest("x"));
	assert_null(suggest("ho"));
	assert_null(suggest(""));
	assert_null(suggest(long_word));
	assert_null(config_suggest("leaves", words, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_words_are_suggested),
		cmocka_unit_test(far_words_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
