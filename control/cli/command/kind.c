// SPDX-License-Identifier: BSD-3-Clause
// What each kind of argument is called in usage, and how it is read.
#include "command.h"

#include "control/config/config.h"
#include "control/config/scalar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX (24 * 3600)

typedef int read_fn(const struct cli_range *range, const char *text, uint64_t *out, char *why);

static int
read_number(const struct cli_range *range, const char *text, uint64_t *out, char *why)
{
	int64_t value;
	char *end;
	int rc;

	if (range->least != 0 || range->most != 0) {
		rc = scalar_integer(text, range->least, range->most, &value, why);
		*out = rc == 0 ? (uint64_t)value : 0;
		return rc;
	}
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == '\0')
		return 0;
	snprintf(why, CLI_WHY_MAX, "\"%.60s\" is not a number from 0 to %" PRIu64, text,
		 UINT64_MAX);
	return -EINVAL;
}

static int
read_path(const struct cli_range *range, const char *text, uint64_t *out, char *why)
{
	(void)range;
	*out = 0;
	if (text[0] != '\0')
		return 0;
	snprintf(why, CLI_WHY_MAX, "the path is empty");
	return -EINVAL;
}

static int
read_revision(const struct cli_range *range, const char *text, uint64_t *out, char *why)
{
	static const struct cli_range revisions = {1, UINT32_MAX};

	(void)range;
	if (read_number(&revisions, text, out, why) == 0)
		return 0;
	snprintf(why, CLI_WHY_MAX,
		 "\"%.60s\" is not the number of a revision; `roost history` lists them", text);
	return -EINVAL;
}

static int
read_time(const struct cli_range *range, const char *text, uint64_t *out, char *why)
{
	(void)range;
	return scalar_duration(text, out, why);
}

static int
read_seconds(const struct cli_range *range, const char *text, uint64_t *out, char *why)
{
	static const struct {
		const char *unit;
		unsigned seconds;
	} units[] = {{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	(void)range;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (text[0] < '0' || text[0] > '9' || number > SECONDS_MAX ||
		    strcmp(end, units[i].unit) != 0)
			continue;
		*out = number * units[i].seconds;
		if (*out >= 1 && *out <= SECONDS_MAX)
			return 0;
	}
	snprintf(why, CLI_WHY_MAX, "\"%.60s\" is not a time from 1s to 24h, such as 90s, 5m or 1h",
		 text);
	return -EINVAL;
}

static int
read_rate(const struct cli_range *range, const char *text, uint64_t *out, char *why)
{
	(void)range;
	return scalar_rate(text, out, why);
}

static int
read_length(const struct cli_range *range, const char *text, uint64_t *out, char *why)
{
	(void)range;
	return scalar_cable(text, out, why);
}

static int
read_percent(const struct cli_range *range, const char *text, uint64_t *out, char *why)
{
	uint32_t ppm;
	int rc = scalar_percent(text, &ppm, why);

	(void)range;
	*out = rc == 0 ? ppm : 0;
	return rc;
}

static const struct {
	const char *name;
	read_fn *read; // NULL: any text
} kinds[CLI_KINDS] = {
	[CLI_LITERAL] = {"", NULL},
	[CLI_TEXT] = {"TEXT", NULL},
	[CLI_FILE] = {"FILE", read_path},
	[CLI_DIRECTORY] = {"DIR", read_path},
	[CLI_CAPTURE] = {"PORT=PCAP", NULL},
	[CLI_FABRIC] = {"NAME", NULL},
	[CLI_SWITCH] = {"NODE", NULL},
	[CLI_HOST] = {"HOST", NULL},
	[CLI_HOST_ATTACHED] = {"HOST", NULL},
	[CLI_HOSTS] = {"HOST,...", NULL},
	[CLI_PORT] = {"PORT", NULL},
	[CLI_QUEUE] = {"PORT.QUEUE", NULL},
	[CLI_TENANT] = {"TENANT", NULL},
	[CLI_VRF] = {"VRF", NULL},
	[CLI_REVISION] = {"REVISION", read_revision},
	[CLI_COMMAND] = {"COMMAND", NULL},
	[CLI_KEY] = {"KEY", NULL},
	[CLI_VALUE] = {"VALUE", NULL},
	[CLI_FLAG] = {"", NULL},
	[CLI_NUMBER] = {"N", read_number},
	[CLI_TIME] = {"TIME", read_time},
	[CLI_SECONDS] = {"TIME", read_seconds},
	[CLI_RATE] = {"RATE", read_rate},
	[CLI_LENGTH] = {"LENGTH", read_length},
	[CLI_PERCENT] = {"SHARE", read_percent},
};

const char *
cli_argument_name(const struct cli_argument *argument)
{
	return argument->name != NULL ? argument->name : kinds[argument->kind].name;
}

enum cli_kind
cli_kind_named(const char *name, size_t length)
{
	for (unsigned i = CLI_FILE; i < CLI_KINDS; i++)
		if (length > 0 && strlen(kinds[i].name) == length &&
		    memcmp(kinds[i].name, name, length) == 0)
			return (enum cli_kind)i;
	return CLI_TEXT;
}

struct cli_argument
cli_option_argument(const struct cli_option *option)
{
	return (struct cli_argument){
		.kind = option->kind, .name = option->value, .range = option->range};
}

bool
cli_is_literal(const char *literals, const char *word)
{
	size_t length = strlen(word);

	while (*literals != '\0') {
		size_t one = strcspn(literals, "|");

		if (one == length && memcmp(literals, word, length) == 0)
			return true;
		literals += one + (literals[one] == '|');
	}
	return false;
}

// "json or text"
static void
list_literals(char *out, size_t size, const char *literals)
{
	const char *last = strrchr(literals, '|');
	size_t used = 0;

	for (const char *at = literals; *at != '\0' && used + 8 < size; at++) {
		if (*at == '|')
			used += (size_t)snprintf(out + used, size - used, "%s",
						 at == last ? " or " : ", ");
		else
			out[used++] = *at;
	}
	out[used] = '\0';
}

int
cli_read_value(const struct cli_argument *argument, const char *text, uint64_t *out,
	       char why[static CLI_WHY_MAX])
{
	char literals[100];

	*out = 0;
	if (argument->kind == CLI_LITERAL && !cli_is_literal(argument->name, text)) {
		list_literals(literals, sizeof(literals), argument->name);
		snprintf(why, CLI_WHY_MAX, "want %s, not \"%.40s\"", literals, text);
		return -EINVAL;
	}
	if (kinds[argument->kind].read == NULL)
		return 0;
	return kinds[argument->kind].read(&argument->range, text, out, why);
}
