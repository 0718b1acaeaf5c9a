// SPDX-License-Identifier: BSD-3-Clause
// roost set, clear and watchdog: change a live fabric through its daemon, which does it whole or
// not at all.
#include "cli.h"

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CHANGE_PATIENCE_MS 30000

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

// Calls a method and lets go of params. Returns an exit status, with *result the caller's when it
// is CLI_OK.
static int
call(const char *command, const char *fabric, const char *method, json_t *params, json_t **result)
{
	char path[API_PATH_MAX], err[API_WHY_MAX];
	int status;

	// Words come from outside; JSON carries UTF-8 only.
	if (params == NULL)
		return cli_usage(command, "keys, values and names are UTF-8 text");
	status = cli_find_fabric(fabric, path);
	if (status == CLI_OK &&
	    api_call(path, method, params, CHANGE_PATIENCE_MS, result, err, sizeof(err)) != 0) {
		fprintf(stderr, "%s: %s\n", command, err);
		status = CLI_FAILED;
	}
	json_decref(params);
	return status;
}

int
cmd_set(int argc, char **argv)
{
	const char *fabric;
	json_t *result, *warning;
	size_t i;
	int status = take_fabric(argc, argv, &fabric);

	if (status != CLI_OK)
		return status;
	if (argc - optind != 2)
		return cli_usage(argv[0], "a key and its value: switch.qos.tc.3.ecn.min 100KB");
	status = call(argv[0], fabric, "set",
		      json_pack("{s:s,s:s}", "key", argv[optind], "value", argv[optind + 1]),
		      &result);
	if (status != CLI_OK)
		return status;
	json_array_foreach(json_object_get(result, "warnings"), i,
			   warning) if (json_is_string(warning))
		fprintf(stderr, "%s: warning: %s\n", argv[0], json_string_value(warning));
	json_decref(result);
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
	status = call(argv[0], fabric, "clear",
		      json_pack("{s:s,s:b,s:s*}", "what", "watermarks", "persistent", persistent,
				"node", left == 1 ? argv[argc - 1] : NULL),
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
	status = call(argv[0], fabric, "watchdog-restore",
		      json_pack("{s:s}", "queue", argv[optind + 1]), &result);
	if (status != CLI_OK)
		return status;
	if (!json_is_true(json_object_get(result, "storm")))
		fprintf(stderr, "%s: %s was in no storm\n", argv[0], argv[optind + 1]);
	json_decref(result);
	return CLI_OK;
}
