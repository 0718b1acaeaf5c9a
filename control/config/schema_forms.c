// SPDX-License-Identifier: BSD-3-Clause
// Ways to write a value that keys of several sections have.
#include "schema.h"

static const struct schema_choice nones[] = {
	{"none", 0, false}, {"off", 0, false}, {NULL, 0, false}};
static const struct schema_choice anys[] = {{"any", 0, false}, {NULL, 0, false}};
static const struct schema_choice autos[] = {{"auto", 0, false}, {NULL, 0, false}};
static const struct schema_choice alphas[] = {
	{"0", 0, false},    {"1/128", 0, false}, {"1/64", 0, false}, {"1/32", 0, false},
	{"1/16", 0, false}, {"1/8", 0, false},   {"1/4", 0, false},  {"1/2", 0, false},
	{"1", 0, false},    {"2", 0, false},     {"4", 0, false},    {"8", 0, false},
	{"16", 0, false},   {"32", 0, false},    {"64", 0, false},   {"unlimited", 0, false},
	{NULL, 0, false},
};
static const struct schema_form priority = {SCHEMA_INTEGER, .min = 0, .max = CONFIG_PRIORITIES - 1};

const struct schema_form schema_form_switch = {.type = SCHEMA_BOOL};
const struct schema_form schema_form_none = {SCHEMA_ENUM, .choices = nones};
const struct schema_form schema_form_any = {SCHEMA_ENUM, .choices = anys};
const struct schema_form schema_form_auto = {SCHEMA_ENUM, .choices = autos};
const struct schema_form schema_form_priorities = {SCHEMA_LIST, .item = &priority};
const struct schema_form schema_form_alpha = {
	SCHEMA_ENUM,
	.choices = alphas,
	.words = "alpha (0, a power of two from 1/128 to 64, unlimited)",
};
const struct schema_form schema_form_delay = {SCHEMA_DURATION, .min = 0, .max = SCHEMA_SECOND_PS};
const struct schema_form schema_form_cable = {
	SCHEMA_TEXT,
	.pattern = "^[0-9]+([.][0-9]+)?(m|km)$",
	.words = "length (m, km)",
};
