// SPDX-License-Identifier: BSD-3-Clause
// roost apply and rollback: change many keys of a live fabric in one step.
#include "cli.h"

#include "control/base/file.h"
#include "control/base/memory.h"
#include "control/config/config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define APPLY_BYTES_MAX (1u << 20)

// Prints what has changed.
static int
end_apply(const struct cli_args *args, json_t *result)
{
	json_int_t edits = json_integer_value(json_object_get(result, "edits"));
	json_int_t revision = json_integer_value(json_object_get(result, "revision"));
	int status = cli_end_change(args, result);

	if (status != EXIT_OK)
		return status;
	if (edits == 0) {
		printf("nothing changes\n");
		return EXIT_OK;
	}
	printf("%" JSON_INTEGER_FORMAT " change%s", edits, edits == 1 ? "" : "s");
	if (cli_given(args, "confirm"))
		printf(", rolled back in %s unless `roost apply --confirm-yes` is run",
		       cli_text(args, "confirm"));
	else if (revision != 0)
		printf(", revision %" JSON_INTEGER_FORMAT, revision);
	putchar('\n');
	return EXIT_OK;
}

static void
add_confirm(const struct cli_args *args, json_t *params)
{
	uint64_t seconds = cli_number(args, "confirm", 0);

	if (params != NULL && seconds != 0)
		json_object_set_new(params, "confirm-s", json_integer((json_int_t)seconds));
}

static int
run(const struct cli_args *args, const char *method, json_t *params)
{
	json_t *result;
	int status;

	add_confirm(args, params);
	status = cli_call(args, method, params, &result);
	return status == EXIT_OK ? end_apply(args, result) : status;
}

// Prints the errors of a file, which the fabric returns on one line, one a line as `check` does.
static void
print_refusals(const struct cli_args *args, const char *path, char *err)
{
	size_t length = strlen(path);

	for (char *at = err; at != NULL;) {
		char *next = strstr(at, "; ");

		while (next != NULL && strncmp(next + 2, path, length) != 0)
			next = strstr(next + 2, "; ");
		if (next != NULL)
			*next = '\0';
		if (strncmp(at, path, length) == 0)
			fprintf(stderr, "%s%s\n", cli_text(args, "FILE"), at + length);
		else
			fprintf(stderr, "%s: %s\n", args->title, at);
		at = next != NULL ? next + 2 : NULL;
	}
}

// Whether the file is valid by itself; prints its errors if not.
static bool
check_file(const char *file)
{
	struct diag diag = {0};
	struct config *config = NULL;
	int rc = config_load(&config, file, &diag);

	if (rc != 0)
		diag_print(&diag, stderr);
	diag_free(&diag);
	config_free(config);
	return rc == 0;
}

static int
apply_text(const struct cli_args *args, const char *path, const char *text, size_t length)
{
	struct diag diag = {0};
	json_t *params, *result;
	char *refusals;
	int status;

	params = json_pack("{s:s%,s:s}", "text", text, length, "file", path);
	if (params == NULL)
		return cli_usage(args->title, "%s: the path is not UTF-8 text",
				 cli_text(args, "FILE"));
	add_confirm(args, params);
	status = cli_call_quietly(args, "apply", params, &result, &diag);
	json_decref(params);
	if (diag.errors != 0) {
		refusals = memory_text(diag_first_error(&diag));
		print_refusals(args, path, refusals);
		free(refusals);
	}
	diag_free(&diag);
	return status == EXIT_OK ? end_apply(args, result) : status;
}

static int
apply_file(const struct cli_args *args, const char *file)
{
	char *path, *text;
	size_t length;
	int status;

	if (!check_file(file))
		return EXIT_USAGE;
	path = realpath(file, NULL);
	status = path != NULL ? file_read(path, APPLY_BYTES_MAX, &text, &length) : -errno;
	if (status != 0) {
		fprintf(stderr, "%s: %s: %s\n", args->title, file, strerror(-status));
		free(path);
		return EXIT_FAILED;
	}
	status = apply_text(args, path, text, length);
	free(path);
	free(text);
	return status;
}

static int
print_waiting(const struct cli_args *args)
{
	const json_t *waiting;
	json_t *result;
	int status = cli_call(args, "history", json_object(), &result);

	if (status != EXIT_OK)
		return status;
	waiting = json_object_get(result, "waiting");
	if (json_is_object(waiting))
		printf("%s: rolled back in %" JSON_INTEGER_FORMAT
		       " s unless `roost apply --confirm-yes` is run\n",
		       json_string_value(json_object_get(waiting, "what")),
		       json_integer_value(json_object_get(waiting, "left-s")));
	else
		printf("nothing waits to be confirmed\n");
	json_decref(result);
	return EXIT_OK;
}

static int
confirm(const struct cli_args *args, bool keep)
{
	json_t *result;
	int status = cli_call(args, "confirm", json_pack("{s:b}", "keep", keep), &result);

	if (status != EXIT_OK)
		return status;
	return keep ? end_apply(args, result) : cli_end_change(args, result);
}

static int
apply(const struct cli_args *args)
{
	const char *file = cli_text(args, "FILE");

	if (cli_given(args, "confirm-status"))
		return print_waiting(args);
	if (cli_given(args, "confirm-yes") || cli_given(args, "confirm-no"))
		return confirm(args, cli_given(args, "confirm-yes"));
	return file != NULL ? apply_file(args, file) : run(args, "apply", json_object());
}

#define CONFIRM_OPTION                                                             \
	{                                                                          \
		.name = "confirm", .kind = CLI_SECONDS,                            \
		.help = "roll back after this time (90s, 5m, 1h) unless confirmed" \
	}

const struct cli_command command_apply = {
	.name = "apply",
	.help = "apply staged changes, or a file, to a live fabric: all of it or nothing",
	.forms = {{{{CLI_FILE, .optional = true}}}},
	.options =
		{
			CONFIRM_OPTION,
			{.name = "confirm-yes",
			 .kind = CLI_FLAG,
			 .alone = true,
			 .help = "keep the change that waits to be confirmed"},
			{.name = "confirm-no",
			 .kind = CLI_FLAG,
			 .alone = true,
			 .help = "roll it back at once"},
			{.name = "confirm-status",
			 .kind = CLI_FLAG,
			 .alone = true,
			 .help = "show whether a change waits to be confirmed"},
			CLI_FABRIC_OPTION,
		},
	.run = apply,
};

static int
rollback(const struct cli_args *args)
{
	json_int_t number = (json_int_t)cli_number(args, "REVISION", 0);

	return run(args, "rollback", json_pack("{s:I}", "revision", number));
}

const struct cli_command command_rollback = {
	.name = "rollback",
	.help = "return a live fabric to an earlier revision of its configuration",
	.details = "REVISION is a number of `roost history`.\n",
	.forms = {{{{CLI_REVISION}}}},
	.options = {CONFIRM_OPTION, CLI_FABRIC_OPTION},
	.run = rollback,
};
