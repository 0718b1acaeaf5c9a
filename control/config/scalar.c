// SPDX-License-Identifier: BSD-3-Clause
// Numbers with units. A number is a mantissa and a count of decimals, so that 1.342ms is exactly
// 1,342,000,000 ps; a product beyond 64 bits is refused, not wrapped.
#include "scalar.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#define PROPAGATION_MM_PER_US 198000u // 198,000,000 m/s (SONiC's headroom formula)

#define FRACTION_MAX 1000000

__extension__ typedef unsigned __int128 wide_uint;

struct number_kind {
	const char *what;  // "a size"
	const char *list;  // "B, KB, ..."
	const char *small; // what must come out whole
	const struct scalar_unit *units;
};

static const struct scalar_unit byte_units[] = {
	{"B", 1},
	{"KB", 1000},
	{"MB", 1000000},
	{"GB", 1000000000},
	{"KiB", 1ull << 10},
	{"MiB", 1ull << 20},
	{"GiB", 1ull << 30},
	{NULL, 0},
};
static const struct scalar_unit rate_units[] = {
	{"K", 1000}, {"M", 1000000}, {"G", 1000000000}, {"T", 1000000000000}, {NULL, 0},
};
static const struct scalar_unit duration_units[] = {
	{"ps", 1},          {"ns", 1000},         {"us", 1000000},
	{"ms", 1000000000}, {"s", 1000000000000}, {NULL, 0},
};
static const struct scalar_unit cable_units[] = {{"m", 1000}, {"km", 1000000}, {NULL, 0}};
static const struct scalar_unit percent_units[] = {{"%", CONFIG_PPM / 100}, {NULL, 0}};

static const struct number_kind number_kinds[] = {
	[SCALAR_BYTES] = {"a size", "B, KB, MB, GB, KiB, MiB or GiB", "bytes", byte_units},
	[SCALAR_RATE] = {"a rate", "K, M, G or T (bits per second)", "bits per second", rate_units},
	[SCALAR_DURATION] = {"a duration", "ps, ns, us, ms or s", "picoseconds", duration_units},
	[SCALAR_CABLE] = {"a cable length", "m or km", "millimetres", cable_units},
	[SCALAR_PERCENT] = {"a percentage", "%", "millionths", percent_units},
};

int
scalar_refuse(char *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, SCALAR_WHY, format, args);
	va_end(args);
	return -EINVAL;
}

const struct scalar_unit *
scalar_units(enum scalar_kind kind)
{
	return number_kinds[kind].units;
}

const char *
scalar_unit_list(enum scalar_kind kind)
{
	return number_kinds[kind].list;
}

// Digits with an optional fraction; *end is what follows. Returns false when there is no number.
static bool
number_read(const char *text, uint64_t *mantissa, unsigned *decimals, const char **end)
{
	bool any = false, fraction = false;

	*mantissa = 0;
	*decimals = 0;
	for (; isdigit((unsigned char)*text) || (*text == '.' && any && !fraction); text++) {
		if (*text == '.') {
			fraction = true;
			if (!isdigit((unsigned char)text[1]))
				return false;
			continue;
		}
		any = true;
		if (__builtin_mul_overflow(*mantissa, 10, mantissa) ||
		    __builtin_add_overflow(*mantissa, (uint64_t)(*text - '0'), mantissa))
			return false;
		*decimals += fraction;
	}
	*end = text;
	return any;
}

// Whether "Gbps", " G" or "g" was meant as the unit G. A capital B is a byte, not a bit.
static bool
is_near_unit(const char *text, const char *unit, bool rate)
{
	static const char *const ends[] = {"bps", "b/s", "bit/s", "bits/s", "bit", "b"};
	size_t length = strlen(unit);

	text += strspn(text, " ");
	if (strncasecmp(text, unit, length) != 0)
		return false;
	text += length;
	for (size_t i = 0; rate && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(text, ends[i]) == 0)
			return true;
	return *text == '\0';
}

int
scalar_number(enum scalar_kind kind, const char *text, uint64_t *out, char *why)
{
	const struct number_kind *units = &number_kinds[kind];
	const char *end = text;
	wide_uint value;
	uint64_t mantissa;
	unsigned decimals;

	if (!number_read(text, &mantissa, &decimals, &end))
		return scalar_refuse(why, "\"%.40s\" is not %s: write a number and %s", text,
				     units->what, units->list);
	if (*end == '\0')
		return scalar_refuse(why, "%.40s has no unit: write it with %s", text, units->list);
	for (const struct scalar_unit *unit = units->units; unit->name != NULL; unit++) {
		if (strcmp(end, unit->name) != 0)
			continue;
		value = (wide_uint)mantissa * unit->scale;
		for (; decimals > 0 && value % 10 == 0; decimals--)
			value /= 10;
		if (decimals > 0)
			return scalar_refuse(why, "%.40s is not a whole number of %s", text,
					     units->small);
		if (value > INT64_MAX)
			return scalar_refuse(why, "%.40s is too large", text);
		*out = value;
		return 0;
	}
	for (const struct scalar_unit *unit = units->units; unit->name != NULL; unit++) {
		if (!is_near_unit(end, unit->name, kind == SCALAR_RATE))
			continue;
		snprintf(why, SCALAR_WHY, "\"%.40s\" is not %s; did you mean \"%.*s%s\"?", text,
			 units->what, (int)(end - text), text, unit->name);
		return -EINVAL;
	}
	return scalar_refuse(why, "\"%.40s\" is not %s: its unit is one of %s", text, units->what,
			     units->list);
}

int
scalar_bytes(const char *text, uint64_t *out, char *why)
{
	return scalar_number(SCALAR_BYTES, text, out, why);
}

int
scalar_rate(const char *text, uint64_t *out_bps, char *why)
{
	return scalar_number(SCALAR_RATE, text, out_bps, why);
}

int
scalar_duration(const char *text, uint64_t *out_ps, char *why)
{
	return scalar_number(SCALAR_DURATION, text, out_ps, why);
}

int
scalar_cable(const char *text, uint64_t *out_mm, char *why)
{
	return scalar_number(SCALAR_CABLE, text, out_mm, why);
}

int
scalar_percent(const char *text, uint32_t *out_ppm, char *why)
{
	uint64_t ppm;

	if (scalar_number(SCALAR_PERCENT, text, &ppm, why) < 0)
		return -EINVAL;
	if (ppm > CONFIG_PPM)
		return scalar_refuse(why, "%.40s is out of range: 0%% to 100%%", text);
	*out_ppm = ppm;
	return 0;
}

int
scalar_integer(const char *text, int64_t min, int64_t max, int64_t *out, char *why)
{
	const char *digits = text + (text[0] == '-');
	int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
	int64_t value = 0;
	bool overflow = false, wrong;

	if (base == 16)
		digits += 2;
	wrong = *digits == '\0';
	for (; *digits != '\0' && !wrong; digits++) {
		int digit = isdigit((unsigned char)*digits)
				    ? *digits - '0'
				    : tolower((unsigned char)*digits) - 'a' + 10;

		wrong = !isxdigit((unsigned char)*digits) || digit >= base;
		overflow = overflow || __builtin_mul_overflow(value, base, &value) ||
			   __builtin_add_overflow(value, digit, &value);
	}
	if (wrong)
		return scalar_refuse(why, "\"%.40s\" is not a whole number (%lld to %lld)", text,
				     (long long)min, (long long)max);
	if (text[0] == '-')
		value = -value;
	if (overflow || value < min || value > max)
		return scalar_refuse(why, "%.40s is out of range: %lld to %lld", text,
				     (long long)min, (long long)max);
	*out = value;
	return 0;
}

int
scalar_index(const char *text, unsigned count, unsigned *out, char *why)
{
	int64_t value;

	if (scalar_integer(text, 0, count - 1, &value, why) < 0)
		return -EINVAL;
	if (text[0] == '-' || (text[0] == '0' && text[1] != '\0'))
		return scalar_refuse(why, "write \"%.40s\" as %u", text, (unsigned)value);
	*out = value;
	return 0;
}

int
scalar_bool(const char *text, bool *out, char *why)
{
	static const char *const words[] = {"off", "on", "false", "true", "no", "yes"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(text, words[i]) == 0) {
			*out = i % 2;
			return 0;
		}
	}
	return scalar_refuse(why, "\"%.40s\" is not true or false", text);
}

int
scalar_alpha(const char *text, struct config_limit *out, char *why)
{
	uint64_t value;
	bool inverse = strncmp(text, "1/", 2) == 0;
	const char *end = text, *digits = inverse ? text + 2 : text;
	unsigned decimals;

	*out = (struct config_limit){.kind = CONFIG_LIMIT_ZERO};
	if (strcmp(text, "0") == 0)
		return 0;
	if (strcmp(text, "unlimited") == 0) {
		out->kind = CONFIG_LIMIT_UNLIMITED;
		return 0;
	}
	if (number_read(digits, &value, &decimals, &end) && *end == '\0' && decimals == 0 &&
	    value > 0 && (value & (value - 1)) == 0 && value <= (inverse ? 128 : 64)) {
		int shift = __builtin_ctzll(value);

		out->kind = CONFIG_LIMIT_ALPHA;
		out->shift = inverse ? -shift : shift;
		return 0;
	}
	return scalar_refuse(
		why, "\"%.40s\" is not an alpha: 0, a power of two from 1/128 to 64, or unlimited",
		text);
}

int
scalar_fraction(const char *text, double *out, char *why)
{
	const char *slash = strchr(text, '/');
	int64_t above = 0, below = 0;
	char numerator[16];

	if (slash != NULL && (size_t)(slash - text) < sizeof(numerator)) {
		memcpy(numerator, text, (size_t)(slash - text));
		numerator[slash - text] = '\0';
		if (scalar_integer(numerator, 1, FRACTION_MAX, &above, why) < 0 ||
		    scalar_integer(slash + 1, 1, FRACTION_MAX, &below, why) < 0)
			above = 0;
	}
	if (above == 0)
		return scalar_refuse(why, "\"%.40s\" is not a fraction such as 1/256", text);
	if (above > below)
		return scalar_refuse(why, "%.40s is out of range: 1 at most", text);
	*out = (double)above / (double)below;
	return 0;
}

const struct scalar_amount_form scalar_amount_forms[] = {
	{CONFIG_AMOUNT_BYTES, "size", "a size (B, KB, MB, GB, KiB, MiB, GiB)", false},
	{CONFIG_AMOUNT_PERCENT, "percentage", "a percentage (%)", false},
	{CONFIG_AMOUNT_ALPHA, "alpha (a power of two from 1/128 to 64)", "an alpha (1/128 to 64)",
	 false},
	{CONFIG_AMOUNT_UNLIMITED, "unlimited", "unlimited", true},
	{CONFIG_AMOUNT_AUTO, "auto", "auto", true},
	{CONFIG_AMOUNT_NONE, "none", "none", true},
	{.name = NULL},
};

// "a size (B, ...), a percentage or unlimited", for a value that is none of the forms allowed.
static void
list_amount_forms(unsigned kinds, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (const struct scalar_amount_form *f = scalar_amount_forms; f->name != NULL; f++) {
		if (!(kinds & 1u << f->kind) || used >= size)
			continue;
		kinds &= ~(1u << f->kind);
		used += snprintf(out + used, size - used, "%s%s",
				 used == 0    ? ""
				 : kinds == 0 ? " or "
					      : ", ",
				 f->with_article);
	}
}

int
scalar_amount(const char *text, unsigned kinds, struct config_amount *out, char *why)
{
	size_t length = strlen(text);
	struct config_limit limit;
	char forms[SCALAR_WHY];
	uint32_t ppm;

	*out = (struct config_amount){0};
	for (const struct scalar_amount_form *f = scalar_amount_forms; f->name != NULL; f++) {
		if (!f->is_word || !(kinds & 1u << f->kind) || strcmp(text, f->name) != 0)
			continue;
		out->kind = f->kind;
		return 0;
	}
	if ((kinds & 1u << CONFIG_AMOUNT_PERCENT) && length > 0 && text[length - 1] == '%') {
		if (scalar_percent(text, &ppm, why) < 0)
			return -EINVAL;
		*out = (struct config_amount){CONFIG_AMOUNT_PERCENT, ppm};
		return 0;
	}
	if ((kinds & 1u << CONFIG_AMOUNT_ALPHA) && scalar_alpha(text, &limit, why) == 0 &&
	    limit.kind == CONFIG_LIMIT_ALPHA) {
		*out = (struct config_amount){CONFIG_AMOUNT_ALPHA, CONFIG_ALPHA_ONE + limit.shift};
		return 0;
	}
	if ((kinds & 1u << CONFIG_AMOUNT_BYTES) && length > 0 &&
	    isalpha((unsigned char)text[length - 1]) && isdigit((unsigned char)text[0])) {
		out->kind = CONFIG_AMOUNT_BYTES;
		return scalar_bytes(text, &out->value, why);
	}
	list_amount_forms(kinds, forms, sizeof(forms));
	if (length > 0 && isdigit((unsigned char)text[length - 1]) &&
	    kinds & (1u << CONFIG_AMOUNT_BYTES | 1u << CONFIG_AMOUNT_PERCENT))
		snprintf(why, SCALAR_WHY, "%.20s has no unit: write %.110s", text, forms);
	else
		snprintf(why, SCALAR_WHY, "\"%.20s\" is not %.110s", text, forms);
	return -EINVAL;
}

uint64_t
scalar_cable_delay_ps(uint64_t cable_mm)
{
	wide_uint ps = (wide_uint)cable_mm * 1000000u;

	return (ps + PROPAGATION_MM_PER_US / 2) / PROPAGATION_MM_PER_US;
}

uint64_t
scalar_delay_cable_mm(uint64_t delay_ps)
{
	wide_uint mm = (wide_uint)delay_ps * PROPAGATION_MM_PER_US;

	return (mm + 500000) / 1000000u;
}
