// SPDX-License-Identifier: BSD-3-Clause
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Three significant digits of value / scale in the largest of `count` units, each `step` times
// the one before, that leaves at least 1.
static void
scale(char text[static TEXT_VALUE_MAX], uint64_t value, uint64_t step, const char *const *units,
      unsigned int count)
{
	double scaled = (double)value;
	unsigned int unit = 0;
	int digits;

	// 999.5 would round to 1000.
	while (unit + 1 < count && scaled >= (unit == 0 ? (double)step : (double)step - 0.5)) {
		scaled /= (double)step;
		unit++;
	}
	digits = unit == 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
	snprintf(text, TEXT_VALUE_MAX, "%.*f", digits, scaled);
	if (digits != 0) {
		char *end = text + strlen(text) - 1;

		while (*end == '0')
			*end-- = '\0';
		if (*end == '.')
			*end = '\0';
	}
	strncat(text, units[unit], TEXT_VALUE_MAX - strlen(text) - 1);
}

const char *
text_bytes(char text[static TEXT_VALUE_MAX], uint64_t bytes)
{
	static const char *const units[] = {" B", " KB", " MB", " GB", " TB", " PB"};

	scale(text, bytes, 1000, units, sizeof(units) / sizeof(*units));
	return text;
}

const char *
text_rate(char text[static TEXT_VALUE_MAX], uint64_t bits_per_s)
{
	static const char *const units[] = {"", "K", "M", "G", "T"};

	// 1600G, not 1.6T: ports are sold by gigabits.
	scale(text, bits_per_s, 1000, units, bits_per_s >= UINT64_C(10000000000000) ? 5 : 4);
	return text;
}

const char *
text_duration(char text[static TEXT_VALUE_MAX], uint64_t ps)
{
	static const char *const units[] = {" ps", " ns", " us", " ms", " s"};

	scale(text, ps, 1000, units, sizeof(units) / sizeof(*units));
	return text;
}

bool
text_mac(const char *text, uint8_t out[static 6])
{
	if (strlen(text) != 17)
		return false;
	for (unsigned int i = 0; i < 17; i++) {
		int digit = tolower((unsigned char)text[i]);

		if (i % 3 == 2 ? digit != ':' : !isxdigit(digit))
			return false;
		if (i % 3 != 2)
			out[i / 3] = (uint8_t)(out[i / 3] << 4 |
					       (isdigit(digit) ? digit - '0' : digit - 'a' + 10));
	}
	return true;
}

void
text_hide_controls(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

// The bytes of the character that begins here, or 0 where none does.
static size_t
utf8_character(const unsigned char *p)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t size = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : 4;
	uint32_t code = size == 1 ? p[0] : p[0] & (0x7fu >> size);

	if (size == 4 && p[0] >> 3 != 30)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	return code < least[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0
											  : size;
}

void
utf8_repair(char *text)
{
	while (*text != '\0') {
		size_t size = utf8_character((const unsigned char *)text);

		if (size == 0)
			*text = '?';
		text += size != 0 ? size : 1;
	}
}

size_t
utf8_end(char *text, size_t length)
{
	size_t start = length, size = 1;

	while (start > 0 && length - start < 4 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0 || ((unsigned char)text[start - 1] & 0xc0) != 0xc0)
		return length; // plain, or no UTF-8
	start--;
	while (size < 4 && (unsigned char)text[start] << size & 0x80)
		size++;
	if (length - start >= size)
		return length;
	text[start] = '\0';
	return start;
}
