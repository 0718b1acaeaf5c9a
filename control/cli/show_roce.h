// SPDX-License-Identifier: BSD-3-Clause
// The parts of `qos roce`, and its marks; private to control/cli/show_*.c.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SHOW_MARK_MAX 48

// Where a value of "values" comes from: "preset", "default", "overridden (line 12)". Returns text.
const char *show_mark_value(char text[static SHOW_MARK_MAX], const json_t *value);

// The same by its key.
const char *show_mark(char text[static SHOW_MARK_MAX], const json_t *settings, const char *key);

// The same for the keys PREFIX<n>SUFFIX together, n being the bits that are set: overridden where
// one of them is, else preset where one is.
const char *show_mark_all(char text[static SHOW_MARK_MAX], const json_t *settings,
			  const char *prefix, uint64_t bits, const char *suffix);

// Joins those keys to a mark that stands in text.
void show_mark_join(char text[static SHOW_MARK_MAX], const json_t *settings, const char *prefix,
		    uint64_t bits, const char *suffix);

static inline bool
show_mark_overridden(const char *mark)
{
	return strncmp(mark, "overridden", 10) == 0;
}

// Each prints one table with its title. Returns 0 or -ENOMEM.
int show_roce_maps(const json_t *settings, FILE *to);
int show_roce_schedule(const json_t *settings, FILE *to);
int show_roce_pools(const json_t *settings, FILE *to);
int show_roce_exceptions(const json_t *settings, FILE *to);
