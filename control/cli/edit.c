// SPDX-License-Identifier: BSD-3-Clause
// roost set and unset: one edit of a live fabric's configuration, at once or staged.
#include "cli.h"

#include "control/base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX 512

static bool
is_tenant_form(int count, char *const *words)
{
	return count > 0 && (strcmp(words[0], "tenant") == 0 || strcmp(words[0], "tenants") == 0);
}

// How many of the words name a list of a tenant, such as `tenant green hosts` or `tenant green
// border h8`; 0: they name none.
static int
list_words(int count, char *const *words)
{
	if (!is_tenant_form(count, words) || count < 3)
		return 0;
	if (strcmp(words[2], "hosts") == 0 || strcmp(words[2], "leak") == 0)
		return 3;
	return strcmp(words[2], "border") == 0 && count > 3 ? 4 : 0;
}

static bool
join_key(int count, char *const *words, char key[static KEY_MAX], struct diag *diag)
{
	size_t used = 0;

	for (int i = 0; i < count; i++) {
		const char *word = i == 0 && is_tenant_form(count, words) ? "tenants" : words[i];

		if (strchr(word, '.') != NULL && count > 1) {
			diag_fail(diag, EINVAL,
				  "\"%.60s\" has a dot, so it cannot be one word of a key: set the "
				  "map that contains it",
				  word);
			return false;
		}
		used += (size_t)snprintf(key + used, KEY_MAX - used, "%s%s", i == 0 ? "" : ".",
					 word);
		if (used >= KEY_MAX) {
			diag_fail(diag, EINVAL, "the key is too long");
			return false;
		}
	}
	return true;
}

// One item of a list in flow style, quoted where it is more than a name, an address or a prefix.
static void
write_item(FILE *to, const char *item, size_t length)
{
	bool plain = length != 0;

	for (size_t i = 0; i < length; i++)
		plain &= isalnum((unsigned char)item[i]) || strchr("-_./", item[i]) != NULL;
	if (plain) {
		fwrite(item, 1, length, to);
		return;
	}
	fputc('\'', to);
	for (size_t i = 0; i < length; i++)
		fputs(item[i] == '\'' ? "''" : (char[]){item[i], '\0'}, to);
	fputc('\'', to);
}

// "h5,h6", "h5, h6" -> "[h5, h6]"; a list in brackets stays as it is. For free().
static char *
items_text(const char *word)
{
	char *text = NULL;
	size_t size;
	FILE *to;

	if (word[0] == '[')
		return memory_text(word);
	to = memory_stream_open(&text, &size);
	fputc('[', to);
	for (const char *at = word; *at != '\0';) {
		const char *comma = at + strcspn(at, ","), *end = comma;

		fputs(at == word ? "" : ", ", to);
		at += strspn(at, " "); // spaces beside a comma are not part of an item
		while (end > at && end[-1] == ' ')
			end--;
		write_item(to, at, (size_t)(end - at));
		at = comma + (*comma == ',');
	}
	fputc(']', to);
	fclose(to);
	return text;
}

static json_t *
make_edit(const char *kind, const char *key, const char *value, struct diag *diag)
{
	json_t *edit = json_pack("{s:s,s:s,s:s*}", "kind", kind, "key", key, "value", value);

	if (edit == NULL)
		diag_fail(diag, EINVAL, "keys, values and names must be UTF-8 text");
	return edit;
}

// An edit of items of a tenant's list.
static json_t *
make_items_edit(const char *kind, const char *key, const char *word, struct diag *diag)
{
	char *items = items_text(word);
	json_t *edit = make_edit(kind, key, items, diag);

	free(items);
	return edit;
}

// An example of a value for a tenant's list.
static const char *
list_example(char *const *words)
{
	return strcmp(words[2], "hosts") == 0  ? "h5,h6"
	       : strcmp(words[2], "leak") == 0 ? "green,blue"
					       : "10.1.0.0/16,10.2.0.0/16";
}

// Only one word may follow those that name a tenant's list.
static bool
has_one_value(int list, int count, char *const *words, struct diag *diag)
{
	if (list == 0 || count <= list + 1)
		return true;
	diag_fail(diag, EINVAL, "want one value after %s, not \"%.40s %.40s\": write a list as %s",
		  list == 3 ? words[2] : "border and its host", words[list], words[list + 1],
		  list_example(words));
	return false;
}

static void
refuse_missing(int list, int count, char *const *words, struct diag *diag)
{
	if (count == 0)
		diag_fail(diag, EINVAL, "want a key and its value: switch.qos.tc.3.ecn.min 100KB");
	else if (list != 0)
		diag_fail(diag, EINVAL, "a value is missing after %.60s, such as %s",
			  words[count - 1], list_example(words));
	else
		diag_fail(diag, EINVAL,
			  "a value is missing after %.60s: want a key and its value: "
			  "switch.qos.tc.3.ecn.min 100KB",
			  words[0]);
}

json_t *
edit_read_set(int count, char *const *words, struct diag *diag)
{
	char key[KEY_MAX];
	int list = list_words(count, words);

	if (count == 2 && is_tenant_form(count, words)) {
		// A tenant without hosts; one that exists is unchanged.
		snprintf(key, sizeof(key), "tenants.%.*s.hosts", KEY_MAX - 32, words[1]);
		return make_edit("add", key, "[]", diag);
	}
	if (count < 2 || list == count) {
		refuse_missing(list, count, words, diag);
		return NULL;
	}
	if (!has_one_value(list, count, words, diag))
		return NULL;
	if (count > 2 && strchr(words[0], '.') != NULL) {
		diag_fail(diag, EINVAL, "want one value after %.60s: quote a value with spaces",
			  words[0]);
		return NULL;
	}
	if (!join_key(count - 1, words, key, diag))
		return NULL;
	if (list != 0 && count == list + 1)
		return make_items_edit("add", key, words[count - 1], diag);
	if (is_tenant_form(count, words) && count == 5 && strcmp(words[2], "addresses") == 0 &&
	    strchr(words[4], ',') != NULL)
		return make_items_edit("set", key, words[count - 1], diag);
	return make_edit("set", key, words[count - 1], diag);
}

json_t *
edit_read_unset(int count, char *const *words, struct diag *diag)
{
	char key[KEY_MAX];
	int list = list_words(count, words);
	bool items = list != 0 && count == list + 1;

	if (count < 1 || (count > 1 && strchr(words[0], '.') != NULL)) {
		diag_fail(diag, EINVAL, "want a key: switch.qos.tc.3.ecn.min");
		return NULL;
	}
	if (!has_one_value(list, count, words, diag) ||
	    !join_key(items ? count - 1 : count, words, key, diag))
		return NULL;
	if (items)
		return make_items_edit("remove", key, words[count - 1], diag);
	return make_edit("unset", key, NULL, diag);
}

// ---- commands -----------------------------------------------------------------------------------

static int
run_edit(const struct cli_args *args,
	 json_t *(*read)(int count, char *const *words, struct diag *diag))
{
	struct diag diag = {0};
	json_t *edit = read((int)args->count, args->words, &diag), *params, *result;
	int status;

	if (edit == NULL) {
		status = cli_usage(args->title, "%s", diag_first_error(&diag));
		diag_free(&diag);
		return status;
	}
	params = json_pack("{s:[o],s:b}", "edits", edit, "stage", cli_given(args, "stage"));
	status = cli_call(args, "edit", params, &result);
	return status == EXIT_OK ? cli_end_change(args, result) : status;
}

static int
set(const struct cli_args *args)
{
	return run_edit(args, edit_read_set);
}

static int
unset(const struct cli_args *args)
{
	return run_edit(args, edit_read_unset);
}

#define STAGE_OPTION                                                                           \
	{                                                                                      \
		.name = "stage", .kind = CLI_FLAG, .help = "keep the change for `roost apply`" \
	}

const struct cli_command command_set = {
	.name = "set",
	.help = "change one key of a running fabric",
	.details = "KEY is written as in a file, starting with a section of switches, with tenants "
		   "or with attach:\n\n"
		   "  roost set switch.qos.tc.3.ecn.min 100KB\n"
		   "  roost set leaf1.qos.pfc.refresh 20us\n"
		   "  roost set tenant green hosts h5,h6        adds hosts to a tenant\n\n"
		   "A change that is not valid is refused with exit status 1 and changes nothing.\n"
		   "`roost set KEY --help` shows the type, unit, range and default of a key.\n",
	.forms =
		{
			{{{CLI_KEY}, {CLI_VALUE}}},
			{{{CLI_LITERAL, "tenant"}, {CLI_TENANT}}},
			{{{CLI_LITERAL, "tenant"},
			  {CLI_TENANT},
			  {CLI_LITERAL, "hosts"},
			  {CLI_HOSTS}}},
			{{{CLI_LITERAL, "tenant"}, {CLI_TENANT}, {CLI_KEY}, {CLI_VALUE}}},
		},
	.options = {STAGE_OPTION, CLI_FABRIC_OPTION},
	.reads_words = true,
	.run = set,
};

const struct cli_command command_unset = {
	.name = "unset",
	.help = "remove a key of a running fabric, so that its default applies",
	.details = "`roost unset tenant green hosts h5` removes h5 from the tenant, `roost unset "
		   "tenant green` the tenant.\n",
	.forms =
		{
			{{{CLI_KEY}}},
			{{{CLI_LITERAL, "tenant"}, {CLI_TENANT}}},
			{{{CLI_LITERAL, "tenant"},
			  {CLI_TENANT},
			  {CLI_LITERAL, "hosts"},
			  {CLI_HOSTS}}},
			{{{CLI_LITERAL, "tenant"}, {CLI_TENANT}, {CLI_KEY}}},
		},
	.options = {STAGE_OPTION, CLI_FABRIC_OPTION},
	.reads_words = true,
	.run = unset,
};
