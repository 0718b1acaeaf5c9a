// SPDX-License-Identifier: BSD-3-Clause
// roost apply and rollback: a live fabric is made what is staged, what a file says, or what it was.
#include "call.h"

#include "control/config/config.h"
#include "control/base/file.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPLY_BYTES_MAX (1u << 20)
#define CONFIRM_MAX_S (24 * 3600)

struct apply_request {
	const char *fabric;
	const char *confirm; // as it was written, or NULL
	uint64_t confirm_s;
	enum { ASK_NOTHING, ASK_YES, ASK_NO, ASK_STATUS } ask;
	const char *word; // the file or revision, or NULL
};

// "90s", "5m", "1h".
static bool
read_seconds(const char *text, uint64_t *out)
{
	static const struct {
		const char *unit;
		unsigned seconds;
	} units[] = {{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || number > CONFIRM_MAX_S)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0) {
			*out = number * units[i].seconds;
			return *out >= 1 && *out <= CONFIRM_MAX_S;
		}
	return false;
}

static int
take_request(struct apply_request *r, int argc, char **argv, bool asks)
{
	static const struct option options[] = {{"fabric", required_argument, NULL, 'f'},
						{"confirm", required_argument, NULL, 'c'},
						{"confirm-yes", no_argument, NULL, 'y'},
						{"confirm-no", no_argument, NULL, 'n'},
						{"confirm-status", no_argument, NULL, 's'},
						{NULL, 0, NULL, 0}};
	int option;

	while ((option = getopt_long(argc, argv, "f:", options, NULL)) != -1) {
		if (option == 'f')
			r->fabric = optarg;
		else if (option == 'c')
			r->confirm = optarg;
		else if (asks && option == 'y')
			r->ask = ASK_YES;
		else if (asks && option == 'n')
			r->ask = ASK_NO;
		else if (asks && option == 's')
			r->ask = ASK_STATUS;
		else
			return cli_usage_hint(argv[0]);
	}
	if (r->confirm != NULL && !read_seconds(r->confirm, &r->confirm_s))
		return cli_usage(argv[0], "--confirm %s: a time from 1s to 24h: 90s, 5m, 1h",
				 r->confirm);
	if (argc - optind > 1)
		return cli_usage(argv[0], "one word at most, not \"%s\"", argv[optind + 1]);
	r->word = optind < argc ? argv[optind] : NULL;
	if (r->ask != ASK_NOTHING && (r->word != NULL || r->confirm != NULL))
		return cli_usage(argv[0], "--confirm-yes, -no and -status stand alone");
	return CLI_OK;
}

// What came of it, on stdout.
static int
end_apply(const struct apply_request *r, const char *command, json_t *result)
{
	json_int_t edits = json_integer_value(json_object_get(result, "edits"));
	json_int_t revision = json_integer_value(json_object_get(result, "revision"));
	int status = cli_end_change(command, r->fabric, result);

	if (status != CLI_OK)
		return status;
	if (edits == 0) {
		printf("nothing changes\n");
		return CLI_OK;
	}
	printf("%" JSON_INTEGER_FORMAT " change%s", edits, edits == 1 ? "" : "s");
	if (r->confirm != NULL)
		printf(", undone in %s unless `roost apply --confirm-yes` comes", r->confirm);
	else if (revision != 0)
		printf(", revision %" JSON_INTEGER_FORMAT, revision);
	putchar('\n');
	return CLI_OK;
}

static int
run(const struct apply_request *r, const char *command, const char *method, json_t *params)
{
	json_t *result;
	int status;

	if (params != NULL && r->confirm != NULL)
		json_object_set_new(params, "confirm-s", json_integer((json_int_t)r->confirm_s));
	status = cli_call(command, r->fabric, method, params, &result);
	return status == CLI_OK ? end_apply(r, command, result) : status;
}

// The refusals of a file, which stand behind each other, one a line as `check` has them.
static void
print_refusals(const struct apply_request *r, const char *command, const char *path, char *err)
{
	size_t length = strlen(path);
	bool any = false;

	for (char *at = err; at != NULL;) {
		char *next = strstr(at, "; ");

		while (next != NULL && strncmp(next + 2, path, length) != 0)
			next = strstr(next + 2, "; ");
		if (next != NULL)
			*next = '\0';
		if (strncmp(at, path, length) == 0)
			fprintf(stderr, "%s%s\n", r->word, at + length);
		else
			fprintf(stderr, "%s: %s\n", command, at);
		any = true;
		at = next != NULL ? next + 2 : NULL;
	}
	if (!any)
		fprintf(stderr, "%s: failed\n", command);
}

// Whether the file is in order by itself; it says what is not.
static bool
check_file(const char *file)
{
	struct config_diag diag = {0};
	struct config *config = NULL;
	int rc = config_load(&config, file, &diag);

	if (rc != 0)
		config_diag_print(&diag, stderr);
	config_diag_free(&diag);
	config_free(config);
	return rc == 0;
}

static int
apply_text(const struct apply_request *r, const char *command, const char *path, const char *text,
	   size_t length)
{
	char err[API_WHY_MAX];
	json_t *params, *result;
	int status;

	params = json_pack("{s:s%,s:s}", "text", text, length, "file", path);
	if (params == NULL)
		return cli_usage(command, "%s: the path is not UTF-8 text", r->word);
	if (r->confirm != NULL)
		json_object_set_new(params, "confirm-s", json_integer((json_int_t)r->confirm_s));
	status = cli_call_quietly(r->fabric, "apply", params, &result, err, sizeof(err));
	json_decref(params);
	if (err[0] != '\0')
		print_refusals(r, command, path, err);
	return status == CLI_OK ? end_apply(r, command, result) : status;
}

static int
apply_file(const struct apply_request *r, const char *command)
{
	char *path, *text;
	size_t length;
	int status;

	if (!check_file(r->word))
		return CLI_USAGE;
	path = realpath(r->word, NULL);
	status = path != NULL ? file_read(path, APPLY_BYTES_MAX, &text, &length) : -errno;
	if (status != 0) {
		fprintf(stderr, "%s: %s: %s\n", command, r->word, strerror(-status));
		free(path);
		return CLI_FAILED;
	}
	status = apply_text(r, command, path, text, length);
	free(path);
	free(text);
	return status;
}

static int
ask_status(const struct apply_request *r, const char *command)
{
	const json_t *waiting;
	json_t *result;
	int status = cli_call(command, r->fabric, "history", json_object(), &result);

	if (status != CLI_OK)
		return status;
	waiting = json_object_get(result, "waiting");
	if (json_is_object(waiting))
		printf("%s: undone in %" JSON_INTEGER_FORMAT
		       " s unless `roost apply --confirm-yes` comes\n",
		       json_string_value(json_object_get(waiting, "what")),
		       json_integer_value(json_object_get(waiting, "left-s")));
	else
		printf("nothing waits to be confirmed\n");
	json_decref(result);
	return CLI_OK;
}

int
cmd_apply(int argc, char **argv)
{
	struct apply_request r = {0};
	int status = take_request(&r, argc, argv, true);
	json_t *result;

	if (status != CLI_OK)
		return status;
	if (r.ask == ASK_STATUS)
		return ask_status(&r, argv[0]);
	if (r.ask != ASK_NOTHING) {
		status = cli_call(argv[0], r.fabric, "confirm",
				  json_pack("{s:b}", "keep", r.ask == ASK_YES), &result);
		if (status == CLI_OK && r.ask == ASK_YES)
			return end_apply(&r, argv[0], result);
		return status == CLI_OK ? cli_end_change(argv[0], r.fabric, result) : status;
	}
	if (r.word != NULL)
		return apply_file(&r, argv[0]);
	return run(&r, argv[0], "apply", json_object());
}

int
cmd_rollback(int argc, char **argv)
{
	struct apply_request r = {0};
	int status = take_request(&r, argc, argv, false);
	unsigned long long number;
	char *end;

	if (status != CLI_OK)
		return status;
	if (r.word == NULL)
		return cli_usage(argv[0], "which revision? `roost history` lists them");
	number = strtoull(r.word, &end, 10);
	if (r.word[0] < '0' || r.word[0] > '9' || *end != '\0' || number > UINT32_MAX)
		return cli_usage(argv[0], "%s is not the number of a revision", r.word);
	return run(&r, argv[0], "rollback", json_pack("{s:I}", "revision", (json_int_t)number));
}
