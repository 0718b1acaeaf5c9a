// SPDX-License-Identifier: BSD-3-Clause
// Values as a file writes them: the largest unit of which there are a whole number, so that
// nothing is lost.
#include "settings.h"

#include <inttypes.h>
#include <stdio.h>

struct unit {
	const char *name;
	uint64_t scale;
};

static const char *
in_units(char text[static SETTINGS_TEXT_MAX], uint64_t value, const struct unit *units)
{
	while (units->scale != 1 && (value == 0 || value % units->scale != 0))
		units++;
	snprintf(text, SETTINGS_TEXT_MAX, "%" PRIu64 "%s", value / units->scale, units->name);
	return text;
}

const char *
settings_bytes(char text[static SETTINGS_TEXT_MAX], uint64_t bytes)
{
	static const struct unit units[] = {{"GB", 1000000000}, {"MiB", 1u << 20}, {"MB", 1000000},
					    {"KB", 1000},       {"KiB", 1u << 10}, {"B", 1}};

	return in_units(text, bytes, units);
}

const char *
settings_duration(char text[static SETTINGS_TEXT_MAX], uint64_t ps)
{
	static const struct unit units[] = {{"s", UINT64_C(1000000000000)},
					    {"ms", 1000000000},
					    {"us", 1000000},
					    {"ns", 1000},
					    {"ps", 1}};

	return in_units(text, ps, units);
}

const char *
settings_rate(char text[static SETTINGS_TEXT_MAX], uint64_t bits_per_s)
{
	static const struct unit units[] = {
		{"G", 1000000000}, {"M", 1000000}, {"K", 1000}, {"", 1}};

	return in_units(text, bits_per_s, units);
}

const char *
settings_percent(char text[static SETTINGS_TEXT_MAX], uint32_t ppm)
{
	unsigned int whole = ppm / 10000, rest = ppm % 10000;
	int digits = 4;

	if (rest == 0) {
		snprintf(text, SETTINGS_TEXT_MAX, "%u%%", whole);
		return text;
	}
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	snprintf(text, SETTINGS_TEXT_MAX, "%u.%0*u%%", whole, digits, rest);
	return text;
}
