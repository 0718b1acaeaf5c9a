// SPDX-License-Identifier: BSD-3-Clause
// Values as a file would have them: a number and the largest unit that keeps it whole, so that a
// message can be copied into the file it is about.
#include "scalar.h"

#include <string.h>

// The largest unit that keeps the value whole; of MB and MiB, which are nearly the same, MB. KiB is
// left out: below a MiB, plain bytes are what a reader compares.
static const char *
in_units(uint64_t value, enum scalar_kind kind, char out[static CONFIG_TEXT])
{
	const struct scalar_unit *best = scalar_units(kind);

	for (const struct scalar_unit *unit = best; value != 0 && unit->name != NULL; unit++)
		if (value % unit->scale == 0 && unit->scale >= 2 * best->scale &&
		    strcmp(unit->name, "KiB") != 0)
			best = unit;
	snprintf(out, CONFIG_TEXT, "%llu%s", (unsigned long long)(value / best->scale), best->name);
	return out;
}

// There is no unit for a single bit per second: what is not whole K has decimals.
const char *
config_rate_text(uint64_t bps, char out[static CONFIG_TEXT])
{
	if (bps % 1000 == 0)
		return in_units(bps, SCALAR_RATE, out);
	snprintf(out, CONFIG_TEXT, "%llu.%03uK", (unsigned long long)(bps / 1000),
		 (unsigned)(bps % 1000));
	return out;
}

const char *
config_duration_text(uint64_t ps, char out[static CONFIG_TEXT])
{
	return in_units(ps, SCALAR_DURATION, out);
}

const char *
config_bytes_text(uint64_t bytes, char out[static CONFIG_TEXT])
{
	return in_units(bytes, SCALAR_BYTES, out);
}

// A number of thousandths and so on, without zeros at its end: 12.5%, 0.305m.
static const char *
with_decimals(uint64_t value, int digits, const char *unit, char out[static CONFIG_TEXT])
{
	uint64_t one = 1, rest;

	for (int i = 0; i < digits; i++)
		one *= 10;
	rest = value % one;
	if (rest == 0) {
		snprintf(out, CONFIG_TEXT, "%llu%s", (unsigned long long)(value / one), unit);
		return out;
	}
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	snprintf(out, CONFIG_TEXT, "%llu.%0*llu%s", (unsigned long long)(value / one), digits,
		 (unsigned long long)rest, unit);
	return out;
}

const char *
config_cable_text(uint64_t mm, char out[static CONFIG_TEXT])
{
	if (mm % 1000 == 0)
		return in_units(mm, SCALAR_CABLE, out);
	return with_decimals(mm, 3, "m", out);
}

const char *
config_percent_text(uint32_t ppm, char out[static CONFIG_TEXT])
{
	return with_decimals(ppm, 4, "%", out);
}

const char *
config_number_text(enum scalar_kind kind, uint64_t value, char out[static CONFIG_TEXT])
{
	switch (kind) {
	case SCALAR_RATE:
		return config_rate_text(value, out);
	case SCALAR_CABLE:
		return config_cable_text(value, out);
	case SCALAR_PERCENT:
		return config_percent_text((uint32_t)value, out);
	default:
		return in_units(value, kind, out);
	}
}
