// SPDX-License-Identifier: BSD-3-Clause
// What each kind of argument is called in usage, and how it is read.
#include "command.h"
#include "live_names.h"

#include "control/config/config.h"
#include "control/config/error_rate.h"
#include "control/config/scalar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX (24 * 3600)

typedef int read_fn(const char *text, uint64_t *out, char *why);

static int
read_number(const char *text, uint64_t *out, char *why)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == '\0')
		return 0;
	snprintf(why, CLI_WHY_MAX, "\"%.60s\" is not a number from 0 to %" PRIu64, text,
		 UINT64_MAX);
	return -EINVAL;
}

static int
read_path(const char *text, uint64_t *out, char *why)
{
	*out = 0;
	if (text[0] != '\0')
		return 0;
	snprintf(why, CLI_WHY_MAX, "the path is empty");
	return -EINVAL;
}

static int
read_revision(const char *text, uint64_t *out, char *why)
{
	if (scalar_integer(text, 1, UINT32_MAX, (int64_t *)out, why) == 0)
		return 0;
	snprintf(why, CLI_WHY_MAX,
		 "\"%.60s\" is not the number of a revision; `roost history` lists them", text);
	return -EINVAL;
}

static int
read_seconds(const char *text, uint64_t *out, char *why)
{
	static const struct {
		const char *unit;
		unsigned seconds;
	} units[] = {{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

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
read_percent(const char *text, uint64_t *out, char *why)
{
	uint32_t ppm;
	int rc = scalar_percent(text, &ppm, why);

	*out = rc == 0 ? ppm : 0;
	return rc;
}

static const struct {
	const char *name;
	read_fn *read;         // NULL: any text
	enum names_kind names; // of the live fabric that it may be
} kinds[CLI_KINDS] = {
	[CLI_LITERAL] = {""},
	[CLI_TEXT] = {"TEXT"},
	[CLI_FILE] = {"FILE", read_path},
	[CLI_DIRECTORY] = {"DIR", read_path},
	[CLI_CAPTURE] = {"PORT=PCAP"},
	[CLI_FABRIC] = {"NAME", .names = NAMES_FABRIC},
	[CLI_SWITCH] = {"NODE", .names = NAMES_SWITCH},
	[CLI_HOST] = {"HOST", .names = NAMES_HOST},
	[CLI_HOST_ATTACHED] = {"HOST", .names = NAMES_REACHABLE},
	[CLI_HOSTS] = {"HOST,...", .names = NAMES_HOST},
	[CLI_PORT] = {"PORT", .names = NAMES_PORT},
	[CLI_LINK] = {"LINK", .names = NAMES_LINK},
	[CLI_QUEUE] = {"PORT.QUEUE"},
	[CLI_TENANT] = {"TENANT", .names = NAMES_TENANT},
	[CLI_VRF] = {"VRF", .names = NAMES_TENANT},
	[CLI_REVISION] = {"REVISION", read_revision, NAMES_REVISION},
	[CLI_COMMAND] = {"COMMAND"},
	[CLI_KEY] = {"KEY"},
	[CLI_VALUE] = {"VALUE"},
	[CLI_FLAG] = {""},
	[CLI_NUMBER] = {"N", read_number},
	[CLI_TIME] = {"TIME", scalar_duration},
	[CLI_SECONDS] = {"TIME", read_seconds},
	[CLI_RATE] = {"RATE", scalar_rate},
	[CLI_SIZE] = {"SIZE", scalar_bytes},
	[CLI_LENGTH] = {"LENGTH", scalar_cable},
	[CLI_PERCENT] = {"SHARE", read_percent},
	[CLI_ERROR_RATE] = {"PROBABILITY", error_rate_read},
};

enum names_kind
cli_kind_names(enum cli_kind kind)
{
	return kinds[kind].names;
}

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

bool
cli_option_belongs(const struct cli_option *option, const char *first)
{
	return option->of == NULL || (first != NULL && cli_is_literal(option->of, first));
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
	if (argument->range.least != 0 || argument->range.most != 0)
		return scalar_integer(text, argument->range.least, argument->range.most,
				      (int64_t *)out, why);
	return kinds[argument->kind].read != NULL ? kinds[argument->kind].read(text, out, why) : 0;
}
