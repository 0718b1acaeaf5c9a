// SPDX-License-Identifier: BSD-3-Clause
#include "host_range.h"

#include "config.h"
#include "scalar.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
#define DIGITS "0123456789"
#define DIGITS_MAX 9

bool
host_range_is_name(const char *text)
{
	size_t length = strlen(text);

	return isalnum((unsigned char)text[0]) && length <= 3 * CONFIG_NAME_MAX &&
	       strspn(text, NAME_CHARACTERS) == length;
}

// The range between two numbers of `text`, which are at `first` and `last`.
static int
set_bounds(struct host_range *range, const char *first, const char *last, char *why)
{
	size_t digits = strspn(first, DIGITS);
	unsigned long from, to;

	if (digits > DIGITS_MAX || strspn(last, DIGITS) > DIGITS_MAX)
		return scalar_refuse(why, "%.40s: a number has %d digits at most", range->text,
				     DIGITS_MAX);
	from = strtoul(first, NULL, 10);
	to = strtoul(last, NULL, 10);
	if (to < from)
		return scalar_refuse(why, "%.40s runs backwards: write the lower number first",
				     range->text);
	if (to - from >= HOST_RANGE_MAX)
		return scalar_refuse(why, "%.40s stands for %lu hosts: %d at most", range->text,
				     to - from + 1, HOST_RANGE_MAX);
	range->digits = first[0] == '0' ? (int)digits : 1;
	range->first = (unsigned)from;
	range->count = (unsigned)(to - from) + 1;
	return 0;
}

// h[1-8], with the bracket at `open`.
static int
read_bracket(struct host_range *range, const char *open, char *why)
{
	const char *dash = open + 1 + strspn(open + 1, DIGITS);
	const char *close = dash + (*dash == '-');
	size_t before = strspn(range->text, NAME_CHARACTERS);

	close += strspn(close, DIGITS);
	if (!isalnum((unsigned char)range->text[0]) || range->text + before != open ||
	    dash == open + 1 || *dash != '-' || close == dash + 1 || *close != ']' ||
	    close[1 + strspn(close + 1, NAME_CHARACTERS)] != '\0' ||
	    strlen(range->text) > 3 * CONFIG_NAME_MAX)
		return scalar_refuse(why,
				     "\"%.40s\" is not a range of hosts: write h1-h8 or h[1-8]",
				     range->text);
	range->before = (int)before;
	range->after = close + 1;
	return set_bounds(range, open + 1, dash + 1, why);
}

// h1-h8, if that is what stands around this dash: the same name twice, each with a number.
static bool
find_bounds(struct host_range *range, const char *dash, const char **first, const char **last)
{
	size_t before;

	*first = dash;
	while (*first > range->text && isdigit((unsigned char)(*first)[-1]))
		(*first)--;
	before = (size_t)(*first - range->text);
	*last = dash + 1 + before;
	if (*first == dash || before == 0 || strncmp(dash + 1, range->text, before) != 0 ||
	    **last == '\0' || (*last)[strspn(*last, DIGITS)] != '\0')
		return false;
	range->before = (int)before;
	range->after = "";
	return true;
}

int
host_range_read(struct host_range *range, const char *text, char *why)
{
	const char *bracket = strpbrk(text, "[]"), *first, *last;

	*range = (struct host_range){.text = text};
	if (bracket != NULL)
		return read_bracket(range, bracket, why);
	if (!host_range_is_name(text))
		return scalar_refuse(why, "\"%.40s\" is not a name", text);
	for (const char *dash = strchr(text, '-'); dash != NULL; dash = strchr(dash + 1, '-'))
		if (find_bounds(range, dash, &first, &last))
			return set_bounds(range, first, last, why);
	return 0;
}

static int
text_compare(const void *text, const void *name)
{
	return strcmp(text, *(const char *const *)name);
}

int
host_range_read_item(struct host_range *range, const struct config_fabric *f, const char *text,
		     char *why)
{
	*range = (struct host_range){.text = text};
	if (f != NULL && f->range_name_count > 0 &&
	    bsearch(text, f->range_names, f->range_name_count, sizeof(*f->range_names),
		    text_compare) != NULL)
		return 0;
	return host_range_read(range, text, why);
}

int
host_range_name(const struct host_range *range, unsigned i, char *out, unsigned size)
{
	if (range->count == 0)
		return snprintf(out, size, "%s", range->text);
	return snprintf(out, size, "%.*s%0*u%s", range->before, range->text, range->digits,
			range->first + i, range->after);
}

const char *
host_range_hint(const char *text, char out[static HOST_RANGE_HINT])
{
	const char *dash = strchr(text, '-'), *first, *last, *after = NULL;
	struct host_range range = {.text = text};
	char head[3 * CONFIG_NAME_MAX + 1];
	size_t length = strlen(text);

	out[0] = '\0';
	if (dash == NULL || dash == text || length >= sizeof(head) ||
	    !isdigit((unsigned char)dash[-1]) || !isdigit((unsigned char)text[length - 1]))
		return out;
	// h1-h4.eth1: a range, and a port of each host.
	after = strchr(dash, '.');
	if (after != NULL) {
		snprintf(head, sizeof(head), "%.*s", (int)(after - text), text);
		range.text = head;
		if (find_bounds(&range, head + (dash - text), &first, &last)) {
			snprintf(out, HOST_RANGE_HINT, "; did you mean %.*s[%.*s-%s]%s?",
				 range.before, head, (int)(head + (dash - text) - first), first,
				 last, after);
			return out;
		}
	}
	snprintf(out, HOST_RANGE_HINT, "; write a range as h1-h8 or h[1-8]");
	return out;
}
