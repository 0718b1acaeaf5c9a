// SPDX-License-Identifier: BSD-3-Clause
// roost trace: the path of one packet, in a live fabric or by a file; in the former it may be sent.
#include "cli.h"

#include "control/run/sim/trace_file.h"
#include "control/trace/trace.h"
#include "dataplane/base/tables.h"

#include <errno.h>
#include <string.h>

#define PROBE_PATIENCE_MS 10000 // the fabric reports after a second at most

// NULL where a word is not UTF-8.
static json_t *
make_params(const struct cli_args *args)
{
	static const struct {
		const char *option, *key;
	} numbers[] = {
		{"sport", "sport"},           {"dport", "dport"}, {"dscp", "dscp"},
		{"priority", "priority"},     {"ttl", "ttl"},     {"size", "bytes"},
		{"queue-pair", "queue-pair"},
	};
	json_t *params = json_pack("{s:s, s:s, s:s*}", "source", cli_text(args, "SRC"),
				   "destination", cli_text(args, "DST"), "tenant",
				   cli_text(args, "tenant"));

	for (size_t i = 0; params != NULL && i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (cli_given(args, numbers[i].option))
			json_object_set_new(
				params, numbers[i].key,
				json_integer((json_int_t)cli_number(args, numbers[i].option, 0)));
	return params;
}

static int
print_answer(const struct cli_args *args, const json_t *answer)
{
	if (cli_wants_json(args))
		cli_print_json(answer);
	else
		trace_print(answer, stdout);
	return EXIT_OK;
}

static int
trace_in_file(const struct cli_args *args)
{
	const char *file = cli_text(args, "FILE");
	struct diag diag = {0};
	json_t *params = make_params(args), *answer = NULL;
	int rc;

	if (params == NULL)
		return cli_usage(args->title, "names must be UTF-8 text");
	rc = trace_file(file, cli_number(args, "at", 0), params, &answer, &diag);
	json_decref(params);
	if (rc == 0)
		print_answer(args, answer);
	else if (diag.errors == 0)
		fprintf(stderr, "%s: %s: %s\n", args->title, file, strerror(-rc));
	else
		diag_print(&diag, stderr);
	json_decref(answer);
	diag_free(&diag);
	return rc == 0 ? EXIT_OK : rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

// Sends the packet and waits for what the fabric has seen of it.
static int
follow_probe(const char *path, const json_t *params, json_t **answer, struct diag *diag)
{
	static const volatile int never_stop;
	const struct api_call call = {path, "probe", params, PROBE_PATIENCE_MS};
	struct api_stream *stream;
	json_t *seen;
	int rc = api_stream_open(&stream, &call, answer, diag);

	if (rc != 0)
		return rc;
	rc = api_stream_next(stream, PROBE_PATIENCE_MS, &never_stop, &seen);
	api_stream_close(stream);
	if (rc == 0) {
		json_object_set_new(*answer, "probe", seen);
		return 0;
	}
	json_decref(*answer);
	return diag_fail(diag, -rc, "the fabric did not report the probe: %s", strerror(-rc));
}

static int
trace_live(const struct cli_args *args)
{
	struct diag diag = {0};
	char path[API_PATH_MAX];
	json_t *params = make_params(args), *answer;
	int status = params == NULL ? cli_usage(args->title, "names must be UTF-8 text")
				    : cli_find_fabric(args, path);

	if (status == EXIT_OK && follow_probe(path, params, &answer, &diag) != 0)
		status = EXIT_FAILED;
	json_decref(params);
	if (diag.errors != 0)
		fprintf(stderr, "%s: %s\n", args->title, diag_first_error(&diag));
	diag_free(&diag);
	if (status != EXIT_OK)
		return status;
	print_answer(args, answer);
	json_decref(answer);
	return EXIT_OK;
}

static int
trace(const struct cli_args *args)
{
	json_t *answer;
	int status;

	if (cli_given(args, "live") && cli_text(args, "FILE") != NULL)
		return cli_usage(args->title,
				 "--live sends a packet in a live fabric; it takes no FILE");
	if (cli_text(args, "FILE") != NULL)
		return trace_in_file(args);
	if (cli_given(args, "at"))
		return cli_usage(args->title,
				 "--at needs FILE: it is a time in the run of that file");
	if (cli_given(args, "live"))
		return trace_live(args);
	status = cli_call(args, "trace", make_params(args), &answer);
	if (status != EXIT_OK)
		return status;
	status = print_answer(args, answer);
	json_decref(answer);
	return status;
}

const struct cli_command command_trace = {
	.name = "trace",
	.help = "show the path of one packet, computed or, with --live, measured",
	.details =
		"SRC is a host, one of its NICs, or its address; DST is the same, or any address.\n"
		"Shows the path in the live fabric as it is now, or in FILE before its first "
		"event.\n"
		"Nothing is sent without --live.\n",
	.forms = {{{{CLI_HOST, "SRC"}, {CLI_HOST, "DST"}, {CLI_FILE, .optional = true}}}},
	.options =
		{
			{.name = "sport",
			 .kind = CLI_NUMBER,
			 .range = {0, UINT16_MAX},
			 .help = "the UDP source port (default: 49152)"},
			{.name = "dport",
			 .kind = CLI_NUMBER,
			 .range = {0, UINT16_MAX},
			 .help = "the UDP destination port (default: 4791, RoCEv2)"},
			{.name = "queue-pair",
			 .kind = CLI_NUMBER,
			 .range = {0, 0xffffff},
			 .help = "the destination queue pair of RoCEv2 (default: 2)"},
			{.name = "dscp",
			 .kind = CLI_NUMBER,
			 .range = {0, 63},
			 .help = "the DSCP (default: that of the host's flows)"},
			{.name = "priority",
			 .kind = CLI_NUMBER,
			 .range = {0, PRIORITIES - 1},
			 .help = "the priority, instead of its DSCP"},
			{.name = "ttl",
			 .kind = CLI_NUMBER,
			 .range = {1, UINT8_MAX},
			 .help = "the TTL or hop limit (default: 64)"},
			{.name = "size",
			 .kind = CLI_NUMBER,
			 .value = "BYTES",
			 .help = "frame size in bytes, without FCS (default: a full RoCEv2 data "
				 "packet)"},
			{.name = "tenant",
			 .kind = CLI_TENANT,
			 .help = "the tenant that SRC belongs to, if several tenants use its "
				 "address"},
			{.name = "live",
			 .kind = CLI_FLAG,
			 .help = "also send the packet, and show when it passed each hop"},
			{.name = "at",
			 .kind = CLI_TIME,
			 .help = "run FILE in virtual time up to this time first, such as 50us"},
			CLI_OUTPUT_OPTION,
			CLI_FABRIC_OPTION,
		},
	.run = trace,
};
