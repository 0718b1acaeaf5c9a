// SPDX-License-Identifier: BSD-3-Clause
#include "cli.h"

#include <stdlib.h>
#include <time.h>

#define CALL_PATIENCE_MS 30000
#define CALL_DRAIN_NS 5000000 // between two polls of whether it has ended

int
cli_find_fabric(const struct cli_args *args, char path[static API_PATH_MAX])
{
	struct diag diag = {0};
	int rc = api_socket_find(api_socket_name(cli_text(args, "fabric")), path, &diag);

	if (rc != 0)
		fprintf(stderr, "roost: %s\n", diag_first_error(&diag));
	diag_free(&diag);
	return api_socket_exit_status(rc);
}

int
cli_call_quietly(const struct cli_args *args, const char *method, const json_t *params,
		 json_t **result, struct diag *diag)
{
	char path[API_PATH_MAX];
	const struct api_call call = {path, method, params, CALL_PATIENCE_MS};
	int status = cli_find_fabric(args, path);

	if (status == EXIT_OK && api_call(&call, result, diag) != 0)
		status = EXIT_FAILED;
	return status;
}

int
cli_call(const struct cli_args *args, const char *method, json_t *params, json_t **result)
{
	struct diag diag = {0};
	int status;

	// Words come from outside; JSON carries UTF-8 only.
	if (params == NULL)
		return cli_usage(args->title, "keys, values and names must be UTF-8 text");
	status = cli_call_quietly(args, method, params, result, &diag);
	if (diag.errors != 0)
		fprintf(stderr, "%s: %s\n", args->title, diag_first_error(&diag));
	diag_free(&diag);
	json_decref(params);
	return status;
}

int
cli_call_print(const struct cli_args *args, const char *method, json_t *params,
	       void (*print)(const json_t *answer))
{
	json_t *result;
	int status = cli_call(args, method, params, &result);

	if (status != EXIT_OK)
		return status;
	if (print != NULL && cli_wants_json(args))
		cli_print_json(result);
	else if (print != NULL)
		print(result);
	json_decref(result);
	return EXIT_OK;
}

int
cli_end_change(const struct cli_args *args, json_t *result)
{
	const struct timespec moment = {.tv_nsec = CALL_DRAIN_NS};
	bool draining = json_is_true(json_object_get(result, "draining"));
	json_t *warning;
	size_t i;
	int status = EXIT_OK;

	json_array_foreach(json_object_get(result, "warnings"), i, warning)
	{
		if (json_is_string(warning))
			fprintf(stderr, "%s: warning: %s\n", args->title,
				json_string_value(warning));
	}
	json_decref(result);
	while (status == EXIT_OK && draining) {
		nanosleep(&moment, NULL);
		status = cli_call(args, "draining", json_object(), &result);
		if (status != EXIT_OK)
			break;
		draining = json_is_true(json_object_get(result, "draining"));
		json_decref(result);
	}
	return status;
}

void
cli_print_json(const json_t *answer)
{
	json_dumpf(answer, stdout, JSON_INDENT(1));
	putchar('\n');
}
