// SPDX-License-Identifier: BSD-3-Clause
// roost config, save and history: what a live fabric's configuration is, was and would be.
#include "call.h"

#include "control/base/text_table.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct config_request {
	const char *fabric;
	bool json;
};

static int
take_request(struct config_request *r, int argc, char **argv)
{
	static const struct option options[] = {{"fabric", required_argument, NULL, 'f'},
						{"output", required_argument, NULL, 'o'},
						{NULL, 0, NULL, 0}};
	int option;

	while ((option = getopt_long(argc, argv, "f:o:", options, NULL)) != -1) {
		if (option == 'f')
			r->fabric = optarg;
		else if (option == 'o' && strcmp(optarg, "json") == 0)
			r->json = true;
		else if (option == 'o' && strcmp(optarg, "text") == 0)
			r->json = false;
		else if (option == 'o')
			return cli_usage(argv[0], "-o takes json or text, not %s", optarg);
		else
			return cli_usage_hint(argv[0]);
	}
	return CLI_OK;
}

static void
print_json(const json_t *answer)
{
	json_dumpf(answer, stdout, JSON_INDENT(1));
	putchar('\n');
}

// "- tenants.red.hosts: [h1, h2]", "+ tenants.red.hosts: [h1]".
static void
print_changes(const json_t *changes)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)changes, i, one)
	{
		const char *key = json_string_value(json_object_get(one, "key"));
		const char *from = json_string_value(json_object_get(one, "from"));
		const char *to = json_string_value(json_object_get(one, "to"));

		if (from != NULL)
			printf("- %s: %s\n", key, from);
		if (to != NULL)
			printf("+ %s: %s\n", key, to);
	}
}

static void
print_diff(const json_t *answer)
{
	const json_t *staged = json_object_get(answer, "staged");
	const json_t *unsaved = json_object_get(answer, "unsaved");
	const char *file = json_string_value(json_object_get(answer, "file"));

	if (json_array_size(staged) != 0)
		printf("staged, against what runs:\n");
	print_changes(staged);
	if (json_is_null(staged))
		printf("what is staged does not fit what runs: `roost apply` says why\n");
	if (json_array_size(unsaved) != 0)
		printf("%swhat runs, against %s:\n", json_array_size(staged) != 0 ? "\n" : "",
		       file);
	print_changes(unsaved);
	if (json_is_null(unsaved) && file != NULL)
		printf("%s is not there or not YAML\n", file);
}

static int
show_diff(const struct config_request *r, const char *command, const char *word)
{
	json_t *params = json_object(), *result;
	char *end = NULL;
	int status;

	if (word != NULL) {
		unsigned long long number = strtoull(word, &end, 10);

		if (word[0] < '0' || word[0] > '9' || *end != '\0' || number > UINT32_MAX) {
			json_decref(params);
			return cli_usage(command, "%s is not the number of a revision", word);
		}
		json_object_set_new(params, "revision", json_integer((json_int_t)number));
	}
	status = cli_call(command, r->fabric, "config-diff", params, &result);
	if (status != CLI_OK)
		return status;
	if (r->json)
		print_json(result);
	else if (word != NULL)
		print_changes(json_object_get(result, "changes"));
	else
		print_diff(result);
	json_decref(result);
	return CLI_OK;
}

static int
detach(const struct config_request *r, const char *command)
{
	json_t *result;
	int status = cli_call(command, r->fabric, "detach", json_object(), &result);

	if (status == CLI_OK)
		json_decref(result);
	return status;
}

int
cmd_config(int argc, char **argv)
{
	struct config_request r = {0};
	int status = take_request(&r, argc, argv), left = argc - optind;

	if (status != CLI_OK)
		return status;
	if (left >= 1 && left <= 2 && strcmp(argv[optind], "diff") == 0)
		return show_diff(&r, argv[0], left == 2 ? argv[optind + 1] : NULL);
	if (left == 1 && strcmp(argv[optind], "detach") == 0)
		return detach(&r, argv[0]);
	return cli_usage(argv[0], "diff, diff REVISION, or detach; `roost show config` shows "
				  "what is in force");
}

// A path from / on, for free(), or NULL.
static char *
absolute(const char *path)
{
	char *here, *out = NULL;

	if (path[0] == '/')
		return strdup(path);
	here = getcwd(NULL, 0);
	if (here != NULL && asprintf(&out, "%s/%s", here, path) < 0)
		out = NULL;
	free(here);
	return out;
}

int
cmd_save(int argc, char **argv)
{
	struct config_request r = {0};
	int status = take_request(&r, argc, argv);
	char *path = NULL;
	const char *kept;
	json_t *result;

	if (status != CLI_OK)
		return status;
	if (argc - optind > 1)
		return cli_usage(argv[0], "one file, or none for that which it came from");
	if (optind < argc) {
		path = absolute(argv[optind]);
		if (path == NULL)
			return CLI_FAILED;
	}
	status = cli_call(argv[0], r.fabric, "save", json_pack("{s:s*}", "file", path), &result);
	free(path);
	if (status != CLI_OK)
		return status;
	kept = json_string_value(json_object_get(result, "kept"));
	if (r.json)
		print_json(result);
	else if (kept != NULL)
		printf("saved to %s; comments are not kept: the old file is %s\n",
		       json_string_value(json_object_get(result, "file")), kept);
	else
		printf("saved to %s\n", json_string_value(json_object_get(result, "file")));
	json_decref(result);
	return CLI_OK;
}

static const struct text_column history_columns[] = {{"revision", TEXT_RIGHT},
						     {"", TEXT_LEFT},
						     {"at", TEXT_LEFT},
						     {"by", TEXT_LEFT},
						     {"what", TEXT_LEFT}};

static void
add_revision(struct text_table *t, const json_t *one, json_int_t running)
{
	json_int_t number = json_integer_value(json_object_get(one, "revision"));
	const char *user = json_string_value(json_object_get(one, "user"));
	const char *at = json_string_value(json_object_get(one, "at"));
	const char *what = json_string_value(json_object_get(one, "what"));

	text_table_cell(t, "%" JSON_INTEGER_FORMAT, number);
	text_table_cell(t, "%s", number == running ? "runs" : "");
	text_table_cell(t, "%s", at != NULL ? at : "-");
	if (user != NULL && user[0] != '\0')
		text_table_cell(t, "%s", user);
	else
		text_table_cell(t, "%" JSON_INTEGER_FORMAT,
				json_integer_value(json_object_get(one, "uid")));
	text_table_cell(t, "%s", what != NULL ? what : "-");
}

static int
print_history(const json_t *answer)
{
	json_int_t running = json_integer_value(json_object_get(answer, "running"));
	const json_t *waiting = json_object_get(answer, "waiting");
	struct text_table *t;
	json_t *one;
	size_t i;

	if (text_table_create(&t, history_columns,
			      sizeof(history_columns) / sizeof(history_columns[0])) != 0)
		return CLI_FAILED;
	json_array_foreach(json_object_get(answer, "revisions"), i, one)
	{
		add_revision(t, one, running);
	}
	text_table_print(t, "", stdout);
	text_table_destroy(t);
	if (json_is_object(waiting))
		printf("waits to be confirmed, %" JSON_INTEGER_FORMAT " s left: %s\n",
		       json_integer_value(json_object_get(waiting, "left-s")),
		       json_string_value(json_object_get(waiting, "what")));
	return CLI_OK;
}

int
cmd_history(int argc, char **argv)
{
	struct config_request r = {0};
	int status = take_request(&r, argc, argv);
	json_t *result;

	if (status != CLI_OK)
		return status;
	if (optind != argc)
		return cli_usage(argv[0], "no words, not \"%s\"", argv[optind]);
	status = cli_call(argv[0], r.fabric, "history", json_object(), &result);
	if (status != CLI_OK)
		return status;
	if (r.json)
		print_json(result);
	else
		status = print_history(result);
	json_decref(result);
	return status;
}
