// SPDX-License-Identifier: BSD-3-Clause
// Ways to write a value that keys of several sections have.
#include "schema.h"

static const struct schema_choice nones[] = {{"none", 0}, {"off", 0}, {NULL, 0}};
static const struct schema_choice anys[] = {{"any", 0}, {NULL, 0}};
static const struct schema_choice autos[] = {{"auto", 0}, {NULL, 0}};
static const struct schema_choice alphas[] = {
	{"0", 0},   {"1/128", 0}, {"1/64", 0}, {"1/32", 0},      {"1/16", 0}, {"1/8", 0},
	{"1/4", 0}, {"1/2", 0},   {"1", 0},    {"2", 0},         {"4", 0},    {"8", 0},
	{"16", 0},  {"32", 0},    {"64", 0},   {"unlimited", 0}, {NULL, 0},
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
const struct schema_form schema_form_delay = {SCHEMA_DURATION, SCHEMA_SECOND};
const struct schema_form schema_form_cable = {
	SCHEMA_TEXT,
	.pattern = "^[0-9]+([.][0-9]+)?(m|km)$",
	.words = "length (m, km)",
};
