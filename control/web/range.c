// SPDX-License-Identifier: BSD-3-Clause
#include "range.h"

#include <stdbool.h>
#include <string.h>

// Reads digits and moves past them. More than fits is the largest number: there is no such byte.
static bool
read_number(const char **text, uint64_t *out)
{
	const char *from = *text;

	*out = 0;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
		uint64_t digit = (uint64_t)(**text - '0');

		*out = *out > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *out * 10 + digit;
	}
	return *text != from;
}

struct range
range_parse(const char *text, uint64_t size)
{
	static const char unit[] = "bytes=";
	const struct range all = {RANGE_ALL, 0, size};
	const struct range none = {RANGE_NONE, 0, 0};
	uint64_t first, last;
	bool begins, ends;

	if (text == NULL || strncmp(text, unit, sizeof(unit) - 1) != 0)
		return all;
	text += sizeof(unit) - 1;
	begins = read_number(&text, &first);
	if (*text++ != '-')
		return all;
	ends = read_number(&text, &last);
	if (*text != '\0' || (!begins && !ends) || (begins && ends && last < first))
		return all;
	if (!begins) { // the last so many
		if (last == 0 || size == 0)
			return none;
		first = last < size ? size - last : 0;
		return (struct range){RANGE_PART, first, size - first};
	}
	if (first >= size)
		return none;
	if (!ends || last >= size)
		last = size - 1;
	return (struct range){RANGE_PART, first, last - first + 1};
}
