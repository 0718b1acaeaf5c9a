// SPDX-License-Identifier: BSD-3-Clause
// roost trace: the path of one packet, in a live fabric or by a file.
#include "cli.h"

#include "control/run/sim/trace_file.h"
#include "control/trace/trace.h"
#include "dataplane/base/tables.h"

#include <errno.h>
#include <string.h>

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

static int
trace(const struct cli_args *args)
{
	json_t *answer;
	int status;

	if (cli_text(args, "FILE") != NULL)
		return trace_in_file(args);
	if (cli_given(args, "at"))
		return cli_usage(args->title, "--at is a time of a run of FILE: name the file");
	status = cli_call(args, "trace", make_params(args), &answer);
	if (status != EXIT_OK)
		return status;
	status = print_answer(args, answer);
	json_decref(answer);
	return status;
}

const struct cli_command command_trace = {
	.name = "trace",
	.help = "show the path of one packet, computed without sending it",
	.details = "SRC is a host, one of its NICs, or its address; DST the same, or any address.\n"
		   "In the live fabric as it is now, or in FILE before its first event.\n",
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
			 .help = "the frame without FCS (default: a full data packet)"},
			{.name = "tenant", .kind = CLI_TENANT, .help = "whose address SRC is"},
			{.name = "at",
			 .kind = CLI_TIME,
			 .help = "run FILE in virtual time until then: 50us"},
			CLI_OUTPUT_OPTION,
			CLI_FABRIC_OPTION,
		},
	.run = trace,
};
