// SPDX-License-Identifier: BSD-3-Clause
// roost clear and watchdog: change the state of a live fabric through its daemon. Its
// configuration: edit.c, apply.c.
#include "call.h"

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Takes -f NAME, leaving optind at the first word. Returns CLI_OK or CLI_USAGE.
static int
take_fabric(int argc, char **argv, const char **fabric)
{
	static const struct option options[] = {{"fabric", required_argument, NULL, 'f'},
						{NULL, 0, NULL, 0}};
	int option;

	*fabric = NULL;
	while ((option = getopt_long(argc, argv, "f:", options, NULL)) != -1) {
		if (option != 'f')
			return cli_usage_hint(argv[0]);
		*fabric = optarg;
	}
	return CLI_OK;
}

int
cmd_clear(int argc, char **argv)
{
	const char *fabric;
	bool persistent;
	json_t *result;
	int status = take_fabric(argc, argv, &fabric);
	int left;

	if (status != CLI_OK)
		return status;
	left = argc - optind;
	if (left == 0 || strcmp(argv[optind], "watermarks") != 0)
		return cli_usage(argv[0], "clear what? There is clear watermarks");
	persistent = left > 1 && strcmp(argv[optind + 1], "persistent") == 0;
	left -= 1 + persistent;
	if (left > 1)
		return cli_usage(argv[0], "one node, or none for all");
	status = cli_call(argv[0], fabric, "clear",
			  json_pack("{s:s,s:b,s:s*}", "what", "watermarks", "persistent",
				    persistent, "node", left == 1 ? argv[argc - 1] : NULL),
			  &result);
	if (status == CLI_OK)
		json_decref(result);
	return status;
}

int
cmd_watchdog(int argc, char **argv)
{
	const char *fabric;
	json_t *result;
	int status = take_fabric(argc, argv, &fabric);

	if (status != CLI_OK)
		return status;
	if (argc - optind != 2 || strcmp(argv[optind], "restore") != 0)
		return cli_usage(argv[0], "restore, and a queue: leaf1.swp3.3");
	status = cli_call(argv[0], fabric, "watchdog-restore",
			  json_pack("{s:s}", "queue", argv[optind + 1]), &result);
	if (status != CLI_OK)
		return status;
	if (!json_is_true(json_object_get(result, "storm")))
		fprintf(stderr, "%s: %s was in no storm\n", argv[0], argv[optind + 1]);
	json_decref(result);
	return CLI_OK;
}
