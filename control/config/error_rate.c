// SPDX-License-Identifier: BSD-3-Clause
#include "error_rate.h"

#include "scalar.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNIT_EXPONENT 18 // 1e-18
#define RATE_MIN UINT64_C(1000)
#define RATE_MAX UINT64_C(1000000000000000)
#define DIGITS_MAX 15

// "2.5e-9": its digits as a whole number, and the power of ten that this is to be multiplied by.
static bool
read_number(const char *text, uint64_t *mantissa, int *exponent)
{
	unsigned digits = 0, power = 0;
	bool fraction = false;

	*mantissa = 0;
	*exponent = 0;
	for (; isdigit((unsigned char)*text) || (*text == '.' && digits != 0 && !fraction);
	     text++) {
		if (*text == '.') {
			fraction = true;
			if (!isdigit((unsigned char)text[1]))
				return false;
			continue;
		}
		*mantissa = *mantissa * 10 + (uint64_t)(*text - '0');
		*exponent -= fraction;
		if (++digits > DIGITS_MAX)
			return false;
	}
	if (digits == 0 || (*text != 'e' && *text != 'E') || text[1] != '-')
		return digits != 0 && *text == '\0';
	for (text += 2; isdigit((unsigned char)*text) && power < 100; text++)
		power = power * 10 + (unsigned)(*text - '0');
	*exponent -= (int)power;
	return *text == '\0' && isdigit((unsigned char)text[-1]);
}

int
error_rate_read(const char *text, uint64_t *out, char *why)
{
	uint64_t value;
	int exponent;

	if (!read_number(text, &value, &exponent))
		return scalar_refuse(
			why, "\"%.40s\": write a bit error rate from 1e-15 to 1e-3, such as 1e-9",
			text);
	if (value == 0) {
		*out = 0;
		return 0;
	}
	for (exponent += UNIT_EXPONENT; exponent > 0 && value <= RATE_MAX; exponent--)
		value *= 10;
	for (; exponent < 0 && value % 10 == 0; exponent++)
		value /= 10;
	if (exponent < 0 && value >= RATE_MIN)
		return scalar_refuse(why, "%.40s has too many digits: whole multiples of 1e-%d",
				     text, UNIT_EXPONENT);
	if (exponent != 0 || value < RATE_MIN || value > RATE_MAX)
		return scalar_refuse(why, "%.40s is out of range: 0, or 1e-15 to 1e-3", text);
	*out = value;
	return 0;
}

const char *
error_rate_text(uint64_t rate, char out[static CONFIG_TEXT])
{
	int exponent = -UNIT_EXPONENT, digits;
	char all[24];

	for (; rate != 0 && rate % 10 == 0; exponent++)
		rate /= 10;
	digits = snprintf(all, sizeof(all), "%" PRIu64, rate);
	if (rate == 0)
		snprintf(out, CONFIG_TEXT, "0");
	else
		snprintf(out, CONFIG_TEXT, "%c%s%se%d", all[0], digits > 1 ? "." : "", all + 1,
			 exponent + digits - 1);
	return out;
}
