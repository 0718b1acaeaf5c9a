// SPDX-License-Identifier: BSD-3-Clause
#include "call.h"

#include <stdio.h>
#include <time.h>

#define CALL_PATIENCE_MS 30000
#define CALL_DRAIN_NS 5000000 // between two looks at whether it has ended

int
cli_call_quietly(const char *fabric, const char *method, const json_t *params, json_t **result,
		 char *err, size_t err_size)
{
	char path[API_PATH_MAX];
	int status = cli_find_fabric(fabric, path);

	err[0] = '\0';
	if (status == CLI_OK &&
	    api_call(path, method, params, CALL_PATIENCE_MS, result, err, err_size) != 0)
		status = CLI_FAILED;
	return status;
}

int
cli_call(const char *command, const char *fabric, const char *method, json_t *params,
	 json_t **result)
{
	char err[API_WHY_MAX];
	int status;

	// Words come from outside; JSON carries UTF-8 only.
	if (params == NULL)
		return cli_usage(command, "keys, values and names are UTF-8 text");
	status = cli_call_quietly(fabric, method, params, result, err, sizeof(err));
	if (err[0] != '\0')
		fprintf(stderr, "%s: %s\n", command, err);
	json_decref(params);
	return status;
}

int
cli_end_change(const char *command, const char *fabric, json_t *result)
{
	const struct timespec moment = {.tv_nsec = CALL_DRAIN_NS};
	bool draining = json_is_true(json_object_get(result, "draining"));
	json_t *warning;
	size_t i;
	int status = CLI_OK;

	json_array_foreach(json_object_get(result, "warnings"), i, warning)
	{
		if (json_is_string(warning))
			fprintf(stderr, "%s: warning: %s\n", command, json_string_value(warning));
	}
	json_decref(result);
	while (status == CLI_OK && draining) {
		nanosleep(&moment, NULL);
		status = cli_call(command, fabric, "draining", json_object(), &result);
		if (status != CLI_OK)
			break;
		draining = json_is_true(json_object_get(result, "draining"));
		json_decref(result);
	}
	return status;
}
