// SPDX-License-Identifier: BSD-3-Clause
// roost events: what happens in a live fabric, a line each as it comes, until it is interrupted.
#include "cli.h"

#include "control/config/config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PS_PER_NS UINT64_C(1000)
#define NS_PER_MS 1000000

static const char *
text_of(const json_t *event, const char *name)
{
	const char *text = json_string_value(json_object_get(event, name));

	return text != NULL ? text : "";
}

static uint64_t
number_of(const json_t *event, const char *name)
{
	json_int_t number = json_integer_value(json_object_get(event, name));

	return number > 0 ? (uint64_t)number : 0;
}

static void
print_pause(const json_t *event)
{
	bool tx = strcmp(text_of(event, "direction"), "tx") == 0;
	char paused[CONFIG_TEXT], of[CONFIG_TEXT];

	printf("%s.%s priority %" PRIu64 " %s for %s of %s\n", text_of(event, "node"),
	       text_of(event, "port"), number_of(event, "priority"),
	       tx ? "paused the other side" : "was paused",
	       config_duration_text(number_of(event, "paused_ns") * PS_PER_NS, paused),
	       config_duration_text(number_of(event, "of_ns") * PS_PER_NS, of));
}

static void
print_log(const json_t *event)
{
	if (*text_of(event, "queue") != '\0')
		printf("%s.%s: ", text_of(event, "node"), text_of(event, "queue"));
	printf("%s: %s\n", text_of(event, "what"), text_of(event, "message"));
}

static void
print_event(const json_t *event)
{
	const char *kind = text_of(event, "kind");
	uint64_t at_ns = number_of(event, "at_ns");

	if (strcmp(kind, "lost") == 0) {
		printf("%" PRIu64 " events were not read in time and are lost\n",
		       number_of(event, "events"));
		return;
	}
	printf("%" PRIu64 ".%06" PRIu64 " ms  %-8s  ", at_ns / NS_PER_MS, at_ns % NS_PER_MS, kind);
	if (strcmp(kind, "link") == 0)
		printf("%s is %s\n", text_of(event, "link"), text_of(event, "state"));
	else if (strcmp(kind, "pause") == 0)
		print_pause(event);
	else if (strcmp(kind, "drops") == 0)
		printf("%s.%s dropped %" PRIu64 ": %s (%s)\n", text_of(event, "node"),
		       text_of(event, "port"), number_of(event, "packets"),
		       text_of(event, "reason"), text_of(event, "advice"));
	else
		print_log(event);
}

// Ends when nobody reads any more.
static bool
take_event(void *context, const json_t *event)
{
	const bool *json = context;

	if (*json) {
		json_dumpf(event, stdout, JSON_COMPACT);
		putchar('\n');
	} else {
		print_event(event);
	}
	return fflush(stdout) == 0;
}

static int
take_words(int argc, char **argv, uint64_t pause_ps, json_t **params)
{
	json_t *kinds = json_array();

	for (int i = optind; i < argc; i++)
		json_array_append_new(kinds, json_string(argv[i]));
	*params = json_pack("{s:I}", "pause-over-ns", (json_int_t)(pause_ps / PS_PER_NS));
	if (json_array_size(kinds) != (size_t)(argc - optind) || *params == NULL) {
		json_decref(kinds);
		return cli_usage(argv[0], "kinds of events are UTF-8 text");
	}
	if (json_array_size(kinds) != 0)
		json_object_set(*params, "kinds", kinds);
	json_decref(kinds);
	return CLI_OK;
}

int
cmd_events(int argc, char **argv)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
						{"fabric", required_argument, NULL, 'f'},
						{"pause-over", required_argument, NULL, 'p'},
						{NULL, 0, NULL, 0}};
	char path[API_PATH_MAX], err[API_WHY_MAX], why[160];
	const char *fabric = NULL;
	json_t *params = NULL;
	uint64_t pause_ps = 0;
	bool json = false;
	int option, status;

	while ((option = getopt_long(argc, argv, "o:f:", options, NULL)) != -1) {
		if (option == 'f')
			fabric = optarg;
		else if (option == 'o' &&
			 (strcmp(optarg, "json") == 0 || strcmp(optarg, "text") == 0))
			json = strcmp(optarg, "json") == 0;
		else if (option == 'o')
			return cli_usage(argv[0], "-o %s: json or text", optarg);
		else if (option != 'p')
			return cli_usage_hint(argv[0]);
		else if (config_parse_duration(optarg, &pause_ps, why) != 0)
			return cli_usage(argv[0], "--pause-over: %s", why);
	}
	status = cli_find_fabric(fabric, path);
	if (status == CLI_OK)
		status = take_words(argc, argv, pause_ps, &params);
	if (status == CLI_OK && (status = api_follow(path, "subscribe", params, take_event, &json,
						     err, sizeof(err))) != 0) {
		fprintf(stderr, "%s: %s\n", argv[0], err);
		status = status == -EINVAL ? CLI_USAGE : CLI_FAILED;
	}
	json_decref(params);
	return status;
}
