// SPDX-License-Identifier: BSD-3-Clause
// What the program prints of an answer written by hand.
#pragma once

#include "control/show/show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// The whole of what is printed.
static inline void
require(const char *what, const char *view, const char *answer, const char *expected)
{
	json_t *json = json_loads(answer, 0, NULL);
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(json);
	assert_int_equal(show_print(what, view, json, to), 0);
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
	json_decref(json);
}
