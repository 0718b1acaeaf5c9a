// SPDX-License-Identifier: BSD-3-Clause
// roost events: prints the events of a live fabric, a line each, until it is interrupted.
#include "cli.h"

#include "control/config/config.h"
#include "control/show/show_view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EVENTS_PATIENCE_MS 10000 // for the answer that begins it
#define PS_PER_NS UINT64_C(1000)
#define NS_PER_MS 1000000

static void
print_pause(const json_t *event)
{
	bool tx = strcmp(show_string(event, "direction"), "tx") == 0;
	char paused[CONFIG_TEXT], of[CONFIG_TEXT];

	printf("%s.%s priority %" PRIu64 " %s for %s of %s\n", show_string(event, "node"),
	       show_string(event, "port"), show_number(event, "priority"),
	       tx ? "paused the other side" : "was paused",
	       config_duration_text(show_number(event, "paused_ns") * PS_PER_NS, paused),
	       config_duration_text(show_number(event, "of_ns") * PS_PER_NS, of));
}

static void
print_log(const json_t *event)
{
	if (*show_string(event, "queue") != '\0')
		printf("%s.%s: ", show_string(event, "node"), show_string(event, "queue"));
	printf("%s: %s\n", show_string(event, "what"), show_string(event, "message"));
}

static void
print_event(const json_t *event)
{
	const char *kind = show_string(event, "kind");
	uint64_t at_ns = show_number(event, "at_ns");

	if (strcmp(kind, "lost") == 0) {
		printf("%" PRIu64 " events are lost: they were not read in time\n",
		       show_number(event, "events"));
		return;
	}
	printf("%" PRIu64 ".%06" PRIu64 " ms  %-8s  ", at_ns / NS_PER_MS, at_ns % NS_PER_MS, kind);
	if (strcmp(kind, "link") == 0)
		printf("%s is %s\n", show_string(event, "link"), show_string(event, "state"));
	else if (strcmp(kind, "pause") == 0)
		print_pause(event);
	else if (strcmp(kind, "drops") == 0)
		printf("%s.%s dropped %" PRIu64 ": %s (%s)\n", show_string(event, "node"),
		       show_string(event, "port"), show_number(event, "packets"),
		       show_string(event, "reason"), show_string(event, "advice"));
	else
		print_log(event);
}

// Returns false if the output can no longer be written.
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

static json_t *
make_params(const struct cli_args *args)
{
	uint64_t pause_ns = cli_number(args, "pause-over", 0) / PS_PER_NS;
	json_t *kinds = json_array();

	for (unsigned i = 0; i < args->count; i++)
		json_array_append_new(kinds, json_string(args->words[i]));
	if (args->count != 0)
		return json_pack("{s:I,s:o}", "pause-over-ns", (json_int_t)pause_ns, "kinds",
				 kinds);
	json_decref(kinds);
	return json_pack("{s:I}", "pause-over-ns", (json_int_t)pause_ns);
}

static int
events(const struct cli_args *args)
{
	char path[API_PATH_MAX];
	struct api_call call = {path, "subscribe", .timeout_ms = EVENTS_PATIENCE_MS};
	struct diag diag = {0};
	bool json = cli_wants_json(args);
	const struct api_follower follower = {&json, .event = take_event};
	int rc, status = cli_find_fabric(args, path);
	json_t *params;

	if (status != EXIT_OK)
		return status;
	call.params = params = make_params(args);
	rc = api_follow(&call, &follower, &diag);
	json_decref(params);
	if (rc == 0)
		return EXIT_OK;
	fprintf(stderr, "%s: %s\n", args->title, diag_first_error(&diag));
	diag_free(&diag);
	return rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

const struct cli_command command_events = {
	.name = "events",
	.help = "print the events of a live fabric as they happen",
	.details = "Without a kind, the events of all kinds.\n",
	.forms = {{{{CLI_LITERAL, "link|pause|watchdog|drops|apply", .optional = true,
		     .repeated = true}}}},
	.options =
		{
			{.name = "pause-over",
			 .kind = CLI_TIME,
			 .help = "only pauses that lasted at least TIME since the last report"},
			CLI_OUTPUT_OPTION,
			CLI_FABRIC_OPTION,
		},
	.run = events,
};
