// SPDX-License-Identifier: BSD-3-Clause
// Values as a file would have them: a number and the largest unit that keeps it whole, so that a
// message can be copied into the file it is about.
#include "config.h"

struct unit {
	const char *name;
	uint64_t scale;
};

// units: ascending, up to a NULL name.
static const char *
in_units(uint64_t value, const struct unit *units, char out[static CONFIG_TEXT])
{
	const struct unit *best = units;

	for (const struct unit *unit = units; value != 0 && unit->name != NULL; unit++)
		if (value % unit->scale == 0)
			best = unit;
	snprintf(out, CONFIG_TEXT, "%llu%s", (unsigned long long)(value / best->scale), best->name);
	return out;
}

// There is no unit for a single bit per second: what is not whole K has decimals.
const char *
config_rate_text(uint64_t bps, char out[static CONFIG_TEXT])
{
	static const struct unit units[] = {
		{"K", 1000}, {"M", 1000000}, {"G", 1000000000}, {"T", 1000000000000}, {NULL, 0},
	};

	if (bps % 1000 == 0)
		return in_units(bps, units, out);
	snprintf(out, CONFIG_TEXT, "%llu.%03uK", (unsigned long long)(bps / 1000),
		 (unsigned)(bps % 1000));
	return out;
}

const char *
config_duration_text(uint64_t ps, char out[static CONFIG_TEXT])
{
	static const struct unit units[] = {
		{"ps", 1},          {"ns", 1000},         {"us", 1000000},
		{"ms", 1000000000}, {"s", 1000000000000}, {NULL, 0},
	};

	return in_units(ps, units, out);
}

// Powers of two from a MiB on only: below, plain bytes are what a reader compares.
const char *
config_bytes_text(uint64_t bytes, char out[static CONFIG_TEXT])
{
	static const struct unit units[] = {
		{"B", 1},        {"KB", 1000},        {"MiB", 1ull << 20},
		{"MB", 1000000}, {"GiB", 1ull << 30}, {"GB", 1000000000},
		{NULL, 0},
	};

	return in_units(bytes, units, out);
}

const char *
config_cable_text(uint64_t mm, char out[static CONFIG_TEXT])
{
	uint64_t metres = mm / 1000;
	unsigned int rest = (unsigned int)(mm % 1000);
	int digits = 3;

	if (rest == 0) {
		snprintf(out, CONFIG_TEXT, "%llu%s",
			 (unsigned long long)(metres % 1000 != 0 || metres == 0 ? metres
										: metres / 1000),
			 metres % 1000 != 0 || metres == 0 ? "m" : "km");
		return out;
	}
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	snprintf(out, CONFIG_TEXT, "%llu.%0*um", (unsigned long long)metres, digits, rest);
	return out;
}

const char *
config_percent_text(uint32_t ppm, char out[static CONFIG_TEXT])
{
	unsigned int whole = ppm / 10000, rest = ppm % 10000;
	int digits = 4;

	if (rest == 0) {
		snprintf(out, CONFIG_TEXT, "%u%%", whole);
		return out;
	}
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	snprintf(out, CONFIG_TEXT, "%u.%0*u%%", whole, digits, rest);
	return out;
}
